"""Edits of JSON with comments and trailing commas, as text."""

from __future__ import annotations

from typing import Any

import pytest

from filewright.cli.setup.json_text import (
    has_comment,
    insert_value,
    parse,
    remove_value,
    set_value,
)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        pytest.param("", {}, id="empty"),
        pytest.param('{"a": 1,} // x', {"a": 1}, id="comment and comma"),
        pytest.param('["// no", "/* no */"]', ["// no", "/* no */"], id="text"),
        pytest.param('{"a": NaN}', {"a": "NaN"}, id="not a number"),
    ],
)
def test_parses(text: str, value: Any) -> None:
    assert parse(text) == value


@pytest.mark.parametrize("text", ["{", "[" * 100_000, '{"a": }'])
def test_refuses(text: str) -> None:
    with pytest.raises(ValueError, match=r"\S"):
        parse(text)


def test_knows_comments() -> None:
    assert has_comment('{"a": 1 /* why */}')
    assert not has_comment('{"a": "http://b"}')


def test_sets_and_removes() -> None:
    text = '{\n\t"a": 1, // why\n}\n'
    added = set_value(text, ("b", "c"), [1, 2])
    assert '// why\n\t"b": {\n\t\t"c": [1, 2]\n\t}' in added
    assert remove_value(added, ("b", "c"), 0) == text


def test_list_is_no_table() -> None:
    with pytest.raises(ValueError, match="the entry is not an object"):
        insert_value([1], ("a",), 2)
