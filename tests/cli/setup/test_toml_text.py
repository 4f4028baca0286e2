"""Edits of TOML as text."""

from __future__ import annotations

import pytest

from filewright.cli.setup.toml_text import (
    append_lines,
    parse,
    remove_table,
    set_value,
)


@pytest.mark.parametrize(
    ("text", "result"),
    [
        pytest.param("", "[a.b]\nc = 1\n", id="empty"),
        pytest.param("[a.b]\nd = 2\n", "[a.b]\nc = 1\nd = 2\n", id="new"),
        pytest.param(
            "[ 'a' . b ]\nc = 0 # x", "[ 'a' . b ]\nc = 1 # x", id="old"
        ),
        pytest.param(
            "[x]\ny = 1", "[x]\ny = 1\n\n[a.b]\nc = 1", id="without an end"
        ),
    ],
)
def test_sets(text: str, result: str) -> None:
    assert set_value(text, ("a", "b", "c"), 1) == result
    assert parse(result)["a"]["b"]["c"] == 1


def test_removes_a_table_with_its_subtables() -> None:
    text = "[x]\ny = 1\n"
    added = append_lines(text, "[a]\nb = '''\n[c]\n'''\n\n[a.d]\ne = 1")
    assert remove_table(added, ("a",)) == text
