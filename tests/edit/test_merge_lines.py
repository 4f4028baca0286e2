"""What is written into a loosely matched region, line by line and gap by gap; and how little of it."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from filewright.edit.planning import plan_edits
from filewright.edit.request import TextEdit
from filewright.text.snapshot import Snapshot
from filewright.text.splice import apply_splices


class Case(NamedTuple):
    file: str
    search: str
    replace: str
    expected: str


def text(short: str) -> str:
    """Each letter is a line, each dot a blank line."""
    return "".join("\n" if char == "." else f"{char * 3}\n" for char in short)


GAPS = {
    # file, search, replace, expected
    "a blank both lack stays": ("a.bc", "abc", "abC", "a.bC"),
    "a blank both have is not added": ("abc", "a.bc", "a.bC", "abC"),
    "a blank only the search lacks is not doubled": ("a.bc", "abc", "a.bC", "a.bC"),
    "a blank only the search has is not added": ("abc", "a.bc", "abC", "abC"),
    "new blanks of the replacement are written": ("a.bc", "abc", "ab.c", "a.b.c"),
    "an insertion goes before the gap's other line": ("a.b", "ab", "axb", "ax.b"),
    "a deleted line takes no gap along": ("a.bc", "abc", "ac", "a.c"),
    "more blanks in the file stay": ("a...bc", "a.bc", "a.bd", "a...bd"),
    "all but the first line deleted": ("a.b.c", "abc", "a", "a"),
    "everything deleted": ("xa.bcy", "abc", "", "xy"),
    "everything replaced": ("xa.bcy", "abc", "d", "xdy"),
}


@pytest.mark.parametrize("name", GAPS)
def test_blank_lines_are_merged_three_ways(name: str) -> None:
    file, search, replace, expected = map(text, GAPS[name])
    planned = plan_edits(Snapshot(file.encode()), [TextEdit(search, replace)])
    assert apply_splices(file.encode(), planned.splices).decode() == expected


LINES = {
    "new blank lines keep their blanks": Case(
        "  a\n  b\n", "a\nb\n", "a\n  \nb\n", "  a\n    \n  b\n"
    ),
    "a changed line is as it was wanted, blanks at its end too": Case(
        "a \nb\n", "a\nb\n", "c\nb\n", "c\nb\n"
    ),
    "of two equal lines the longer run stays": Case(
        "} \nend \n", "}\nend\n", "}\nnew\n}\nend\n", "}\nnew\n} \nend \n"
    ),
    "a change of unit keeps what is left over": Case(
        "\t/**\n\t * a\n\t */\n",
        "    /**\n     * a\n     */\n",
        "    /**\n     * b\n     */\n",
        "\t/**\n\t * b\n\t */\n",
    ),
    "a shift that would go below the margin stops there": Case(
        "a\n  b\n", "  a\n    b\n", "  a\n    c\nd\n", "a\n  c\nd\n"
    ),
    "indents not seen follow the shift": Case(
        "    a\n    c\n", "a\nc\n", "a\n\tb\nc\n", "    a\n    \tb\n    c\n"
    ),
    "plain quotes where the file has them, and a dash as it was sent": Case(
        'say("x")\nok\n',
        "say(“x”)\nok\n",
        "say(“y”) # – z\nok\n",
        'say("y") # – z\nok\n',
    ),
}


@pytest.mark.parametrize("name", LINES)
def test_lines_are_adapted(name: str) -> None:
    case = LINES[name]
    planned = plan_edits(
        Snapshot(case.file.encode()), [TextEdit(case.search, case.replace)]
    )
    assert apply_splices(case.file.encode(), planned.splices).decode() == case.expected


@pytest.mark.parametrize("loose", [False, True])
def test_lines_that_stay_are_in_no_splice(loose: bool) -> None:
    lines = [f"    line {index}\n" for index in range(20)]
    changed = [*lines]
    changed[3] = "    other\n"
    changed[11:13] = []
    changed.insert(15, "    more\n")
    search, replace = "".join(lines), "".join(changed)
    if loose:
        search, replace = search.replace("    ", ""), replace.replace("    ", "")
    data = "".join(lines).encode()
    splices = plan_edits(Snapshot(data), [TextEdit(search, replace)]).splices
    assert apply_splices(data, splices) == "".join(changed).encode()
    assert [(splice.length > 0, splice.replacement) for splice in splices] == [
        (True, b"    other\n"),
        (True, b""),
        (False, b"    more\n"),
    ]
