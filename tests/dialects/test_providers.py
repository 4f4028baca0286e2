"""The dialects by their names."""

from __future__ import annotations

import pytest

from filewright.dialects.providers import DIALECT_NAMES, find_provider
from filewright.errors import Code, FilewrightError
from filewright.tools.bound_tools import NATIVE


def test_no_dialect_has_the_native_tools() -> None:
    assert find_provider(None) is NATIVE


@pytest.mark.parametrize("dialect", DIALECT_NAMES)
def test_tools_of_a_dialect(dialect: str) -> None:
    names = [tool.name for tool in find_provider(dialect).tools()]
    assert names
    assert len(set(names)) == len(names)


@pytest.mark.parametrize(
    ("name", "hint"),
    [("gemni", "gemini"), ("xyz", "the dialects are")],
    ids=["misspelled", "unknown"],
)
def test_unknown_dialect(name: str, hint: str) -> None:
    with pytest.raises(FilewrightError) as caught:
        find_provider(name)
    assert caught.value.code is Code.INVALID_INPUT
    assert hint in (caught.value.hint or "")
