"""Fields of a client's JSON."""

from __future__ import annotations

from typing import Any

import pytest

from filewright.recording.json_fields import first_text


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        pytest.param({"b": "2", "a": "1"}, "1", id="first-name"),
        pytest.param({"a": 1, "b": "2"}, "2", id="no-text"),
        pytest.param({"a": "", "b": "2"}, "2", id="empty"),
        pytest.param({"c": "3"}, None, id="none"),
    ],
)
def test_first_text(arguments: dict[str, Any], text: str | None) -> None:
    assert first_text(arguments, ("a", "b")) == text


def test_empty_text() -> None:
    arguments = {"a": "", "b": "2"}
    assert first_text(arguments, ("a", "b"), is_empty_allowed=True) == ""
