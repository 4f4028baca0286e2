"""An edit of many lines takes work in proportion to them: nothing is looked for among all of them, line by line."""

from __future__ import annotations

from typing import ClassVar

from filewright.edit.indentation import Indentation
from filewright.edit.merge import merge_match
from filewright.edit.model import ByteRange, EditMatch, HunkPart, Tier
from filewright.edit.request import TextEdit
from filewright.edit.source import Source
from filewright.text.snapshot import Snapshot
from filewright.text.splice import apply_splices


class Number(int):
    """The number of a line, which counts how often it is compared."""

    compared: ClassVar = 0
    __hash__ = int.__hash__

    def __eq__(self, other: object) -> bool:
        Number.compared += 1
        return int(self) == other


def comparisons(count: int) -> int:
    """How often line numbers are compared where `count` lines stay, and a line in their midst is changed."""
    file = "".join(f"  line {number}\n" for number in range(count))
    old = tuple(f"line {number}" for number in range(count))
    new = (*old[: count // 2], "another", *old[count // 2 + 1 :])
    kept = {Number(at): Number(at) for at in range(count) if at != count // 2}
    source = Source(Snapshot(file.encode()))
    span = ByteRange(0, len(file))
    part = HunkPart(
        tuple(source.rows()), span, old, new, kept, Indentation.of([("", "  ")])
    )
    edit = TextEdit("\n".join(old), "\n".join(new))
    Number.compared = 0
    splices = merge_match(source, EditMatch(edit, Tier.INDENT, (part,))).splices
    assert apply_splices(file.encode(), splices).decode() == file.replace(
        f"line {count // 2}\n", "another\n"
    )
    return Number.compared


def test_lines_that_stay_are_not_looked_for_among_all_lines() -> None:
    assert comparisons(4_000) < 6 * comparisons(1_000)
