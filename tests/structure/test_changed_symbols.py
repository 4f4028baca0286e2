from __future__ import annotations

import pytest

from filewright.languages import Language
from filewright.structure.changed_symbols import (
    OutlinedText,
    find_changed_symbols,
    find_touched_symbols,
)
from filewright.structure.outlines import Outlines

BEFORE = b"""import os

class A:
    size = 1

    def f(self):
        return 1

    def g(self): pass


def top(): pass


x = 1
print(x)
"""

# what is replaced, by what, the expected (status, path)
CASES = [
    (b"return 1", b"return 2", [("modified", "class A › method f")]),
    (b"    def g(self): pass\n", b"", [("removed", "class A › method g")]),
    (
        b"    def g(self): pass\n",
        b"    def g(self): pass\n\n    def h(self): pass\n",
        [("added", "class A › method h")],
    ),
    (b"class A:", b"class A(B):", [("modified", "class A")]),
    (b"def top()", b"def other()", [("added", "function other"), ("removed", "function top")]),
    (b"def top(): pass\n", b"class New:\n    def a(self): pass\n",
     [("added", "class New"), ("removed", "function top")]),
    (b"import os\n", b"import os\nimport sys\n", [("modified", "imports")]),
    (b"print(x)", b"print(x, 2)", [("modified", "")]),
    (b"x = 1", b"x = 2", [("modified", "variable x")]),
    (b"size = 1", b"size = 2", [("modified", "class A › property size")]),
    (b"\n\ndef top", b"\n\n\n\ndef top", []),
    (b"class A:", b"# What it is.\nclass A:", [("modified", "class A")]),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "expected"), CASES)
def test_what_changed_by_symbol(
    old: bytes, new: bytes, expected: list[tuple[str, str]], outlines: Outlines
) -> None:
    after = BEFORE.replace(old, new, 1)
    assert after != BEFORE
    versions = [
        OutlinedText(data, outlines.outline(data, Language.PYTHON))
        for data in (BEFORE, after)
    ]
    changes = find_changed_symbols(versions[0], versions[1])
    assert [(change.status, change.path) for change in changes] == expected


def test_overloads_are_matched_by_their_text(outlines: Outlines) -> None:
    before = b"class A {\n void f(int a) {}\n void f(String a) {}\n}\n"
    after = b"class A {\n void f(long a) {}\n void f(int a) {}\n void f(String a) {}\n}\n"
    changes = find_changed_symbols(
        OutlinedText(before, outlines.outline(before, Language.JAVA)),
        OutlinedText(after, outlines.outline(after, Language.JAVA)),
    )
    assert [(each.status, each.path, each.start_line) for each in changes] == [
        ("added", "class A › method f", 2)
    ]


def test_line_terminators_alone_change_nothing(outlines: Outlines) -> None:
    after = BEFORE.replace(b"\n", b"\r\n")
    versions = [
        OutlinedText(data, outlines.outline(data, Language.PYTHON))
        for data in (BEFORE, after)
    ]
    assert find_changed_symbols(versions[0], versions[1]) == ()


@pytest.mark.parametrize(
    ("ranges", "paths"),
    [
        ([(7, 7)], ["class A › method f"]),
        ([(3, 4)], ["class A", "class A › property size"]),
        (
            [(6, 12)],
            [
                "class A",
                "class A › method f",
                "class A › method g",
                "function top",
            ],
        ),
        ([(2, 2)], []),
        ([], []),
    ],
)
def test_symbols_touched_by_lines(
    ranges: list[tuple[int, int]], paths: list[str], outlines: Outlines
) -> None:
    touched = find_touched_symbols(
        outlines.outline(BEFORE, Language.PYTHON), ranges
    )
    assert [each.path for each in touched] == paths
