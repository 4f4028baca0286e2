"""The project of the demo, and the work in it."""

from __future__ import annotations

import pytest

from filewright.cli.demo_story import PRICES, PRICES_AFTER, PROJECT


def test_prices_are_not_utf8() -> None:
    with pytest.raises(UnicodeDecodeError):
        PROJECT[PRICES].decode("utf-8")
    assert PROJECT[PRICES] != PRICES_AFTER
