from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial

import pytest

from filewright.errors import Code, FilewrightError
from filewright.languages import Language
from filewright.progress import Task
from filewright.structure.changed_symbols import (
    OutlinedText,
    find_changed_symbols,
    find_touched_symbols,
)
from filewright.structure.outline import Outline
from filewright.structure.outlines import Outlines
from filewright.structure.symbol import Symbol

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
def test_changed_symbols(
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


def test_pairs_overloads_by_text(outlines: Outlines) -> None:
    before = b"class A {\n void f(int a) {}\n void f(String a) {}\n}\n"
    after = b"class A {\n void f(long a) {}\n void f(int a) {}\n void f(String a) {}\n}\n"
    changes = find_changed_symbols(
        OutlinedText(before, outlines.outline(before, Language.JAVA)),
        OutlinedText(after, outlines.outline(after, Language.JAVA)),
    )
    assert [(each.status, each.path, each.start_line) for each in changes] == [
        ("added", "class A › method f", 2)
    ]


def test_ignores_line_terminators(outlines: Outlines) -> None:
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
def test_touched_symbols(
    ranges: list[tuple[int, int]], paths: list[str], outlines: Outlines
) -> None:
    touched = find_touched_symbols(
        outlines.outline(BEFORE, Language.PYTHON), ranges
    )
    assert [each.path for each in touched] == paths


def flat(count: int, name: str = "f") -> tuple[bytes, Outline]:
    """A text of `count` functions of one name, and its outline, each two lines long."""
    rows = [
        b"def %s(): #%d\n  pass\n" % (name.encode(), n) for n in range(count)
    ]
    symbols, start = [], 0
    for number, row in enumerate(rows):
        end, line = start + len(row) - 1, 2 * number + 1
        symbols.append(
            Symbol(name, "function", line, line + 1, start, end, start, line)
        )
        start = end + 1
    return b"".join(rows), Outline("python", tuple(symbols), count)


def test_many_symbols_of_one_name():
    before, old = flat(8_000)
    after, new = before.replace(b"pass", b"skip"), old
    changed = find_changed_symbols(
        OutlinedText(before, old),
        OutlinedText(after, new),
        task=Task(seconds=60),
    )
    assert len(changed) == 8_000
    ranges = [(line, line) for line in range(1, 16_000, 2)]
    assert (
        len(find_touched_symbols(new, ranges, task=Task(seconds=60))) == 8_000
    )


def test_pairs_equal_texts_first():
    before, old = flat(3)
    lines = before.split(b"\n")
    moved = b"\n".join(
        [*lines[4:6], *lines[0:2], b"def f(): #new", b"  pass", b""]
    )
    changed = find_changed_symbols(
        OutlinedText(before, old), OutlinedText(moved, old)
    )
    assert [
        (c.status, c.start_line) for c in changed if c.kind == "function"
    ] == [("modified", 5)]


def version(count: int, value: str) -> OutlinedText:
    row = b"".join(
        b"def f(): return %06d%b\n" % (n, value.encode()) for n in range(count)
    )
    length = len(row) // count
    symbols = tuple(
        Symbol("f", "function", n + 1, n + 1, n * length, (n + 1) * length - 1, n * length, n + 1) for n in range(count)
    )  # fmt: skip
    return OutlinedText(row, Outline(None, symbols, count))


def calls(act: Callable[[], object]) -> int:
    count = 0

    def counter(frame: object, event: str, argument: object) -> None:
        nonlocal count
        count += 1

    sys.setprofile(counter)
    try:
        act()
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("share", [1, 2], ids=["all differ", "some are equal"])
def test_work_grows_with_symbols(
    share: int,
) -> None:
    few, many = (
        calls(
            partial(
                find_changed_symbols,
                version(size, "a"),
                version(size // share, "b" if share == 1 else "a"),
            )
        )
        for size in (200, 800)
    )
    assert many <= few * 5


def test_work_grows_with_ranges() -> None:
    few, many = (
        calls(
            partial(
                find_touched_symbols,
                version(size, "a").outline,
                [(n, n) for n in range(1, size, 2)],
            )
        )
        for size in (200, 800)
    )
    assert many <= few * 6


def test_time_limit() -> None:
    late = Task(seconds=-1)
    for act in (
        lambda: find_changed_symbols(
            version(10, "a"), version(10, "b"), task=late
        ),
        lambda: find_touched_symbols(
            version(10, "a").outline, [(1, 3)], task=late
        ),
    ):
        with pytest.raises(FilewrightError) as caught:
            act()
        assert caught.value.code is Code.TIMEOUT
