"""Hunks that change nothing, as the context of the hunk behind them."""

from __future__ import annotations

import pytest
from tests.edit.patch.hunks import read_sections, source_of

from filewright.edit.patch.context import (
    ContextAbove,
    find_absent,
    find_contexts,
    find_idle_above,
    find_solid_lines,
)

SECTIONS = "@@\n def a():\n@@\n-x\n+y\n"


@pytest.mark.parametrize(
    ("lines", "places"),
    [
        (["a", "b"], [range(0, 2), range(4, 7)]),
        (["a"], [range(0, 1), range(4, 5)]),
        (["b", "c"], [range(1, 4)]),
        (["c", "b"], []),
    ],
)
def test_finds_solid_lines(lines: list[str], places: list[range]) -> None:
    source = source_of("a\n  b\n\nc \na\n\nb\n")
    assert [*find_solid_lines(source, lines)] == places


def test_finds_overlapping_places() -> None:
    source = source_of("a\na\nb\na\na\na\nb\n")
    places = find_solid_lines(source, ["a", "a", "b"])
    assert [*places] == [range(0, 3), range(4, 7)]


@pytest.mark.parametrize(
    ("content", "contexts"),
    [
        ("x\ndef a():\nx\n", {0: ContextAbove(1, 2, is_repeated=False)}),
        ("def a():\nx\ndef a():\nx\n", {}),
        ("x\n", {}),
    ],
    ids=["once", "twice", "nowhere"],
)
def test_context_above(content: str, contexts: dict[int, ContextAbove]) -> None:
    file = read_sections(SECTIONS)
    found = find_contexts(file.hunks, file.idle_hunks, source_of(content))
    assert found == contexts


def test_context_may_have_the_change() -> None:
    file = read_sections("@@\n def a():\n x\n@@\n-x\n+y\n")
    source = source_of("def a():\nx\nx\n")
    found = find_contexts(file.hunks, file.idle_hunks, source)
    assert found == {0: ContextAbove(0, 2, is_repeated=True)}


def test_hunk_with_heading_has_no_context() -> None:
    file = read_sections("@@\n def a():\n@@ b\n-x\n+y\n")
    source = source_of("def a():\nb\nx\n")
    assert not find_contexts(file.hunks, file.idle_hunks, source)


def test_finds_absent() -> None:
    file = read_sections(SECTIONS)
    assert find_absent(file.idle_hunks, source_of("  def a():\n")) is None
    absent = find_absent(file.idle_hunks, source_of("def b():\n"))
    assert absent == file.idle_hunks[0]


def test_idle_hunks_right_above() -> None:
    file = read_sections("@@\n a\n@@\n-x\n+y\n@@\n b\n@@\n-z\n+w\n")
    first, second = file.hunks
    above, between = file.idle_hunks
    assert find_idle_above(first, file, ()) == (above,)
    assert find_idle_above(second, file, (first,)) == (between,)
    # A hunk that was applied removes the line of the context.
    (remover,) = read_sections("@@\n-b\n+c\n").hunks
    assert not find_idle_above(second, file, (remover,))
