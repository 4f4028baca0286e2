"""Line-anchored blocks: exactly this text stands on exactly these lines, and becomes that text.

Nothing is searched for in order to apply: a block whose text is not on its lines is refused, and the
refusal says what stands there and where the text really is. Blocks name lines of the file as it is,
so their order does not matter; applied they are from the bottom up, which splices are by nature.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from filewright.edit.locate.request import Tier
from filewright.edit.locate.source import Source
from filewright.edit.locate.whole_lines import find_lines
from filewright.edit.merge import write_exact
from filewright.edit.patch.filelines import FileLines
from filewright.edit.visible import cut_line, safe
from filewright.errors import Code, FilewrightError
from filewright.text import Snapshot, Splice, check_text, decoded, encoded, normalised, ordered

_FOUND_LINES = 40


@dataclass(frozen=True, slots=True)
class Block:
    """`search` on lines `start_line` to `end_line` (from 1, inclusive) becomes `replace`.

    An empty `replace` removes the lines. With `insert`, `replace` goes in as whole lines before
    `start_line` (one past the last line appends); `search`, if given, must stand at that line.
    """

    search: str
    replace: str
    start_line: int
    end_line: int | None = None
    operation: Literal["replace", "insert"] = "replace"


@dataclass(frozen=True, slots=True)
class BlockOutcome:
    """Where a block was applied: lines of the file before, inclusive; an insertion's end is its start - 1."""

    index: int
    start_line: int
    end_line: int


@dataclass(frozen=True, slots=True)
class BlockPlan:
    """The splices of all blocks, ordered, and an outcome for each block as given."""

    splices: tuple[Splice, ...]
    outcomes: tuple[BlockOutcome, ...]


def plan_blocks(snapshot: Snapshot, blocks: Sequence[Block]) -> BlockPlan:
    """The splices of line-anchored blocks on one file: all of them, or an error that names one.

    Raises `no_match` with `details` (`block` index, `text_found`, and `found_at` where the text is
    uniquely elsewhere), `already_applied`, `overlap` naming both blocks, `invalid_input` for lines
    that cannot be, `is_binary`, `unencodable`, `no_change`.
    """
    if snapshot.binary is not None or not snapshot.encoding.editable:
        raise FilewrightError(
            Code.IS_BINARY, f"{snapshot.asked} is not text", hint="use a tool for bytes",
            details={"path": snapshot.asked},
        )  # fmt: skip
    if not blocks:
        raise _wrong(snapshot, 0, "there are no blocks", "give at least one")
    writer = _Writer(snapshot)
    for index, block in enumerate(blocks):
        _check(snapshot, index, block)
    outcomes = [writer.add(index, block) for index, block in enumerate(blocks)]
    _refuse_overlaps(snapshot, outcomes)
    splices = ordered(writer.splices, snapshot.size)
    if not splices:
        raise FilewrightError(
            Code.NO_CHANGE, f"the blocks leave {snapshot.asked} as it is", hint="nothing to do",
            details={"path": snapshot.asked},
        )  # fmt: skip
    return BlockPlan(splices, tuple(outcomes))


def _check(snapshot: Snapshot, index: int, block: Block) -> None:
    check_text(block.search, f"search of block {index}")
    check_text(block.replace, f"replace of block {index}")
    if block.start_line < 1:
        raise _wrong(snapshot, index, f"start_line {block.start_line} is below 1", "lines are counted from 1")
    least = block.start_line - 1 if block.operation == "insert" else block.start_line
    if block.end_line is not None and block.end_line < least:
        raise _wrong(
            snapshot,
            index,
            f"end_line {block.end_line} is before start_line {block.start_line}",
            "correct the lines",
        )
    if block.operation == "replace" and not block.search:
        raise _wrong(
            snapshot, index, "its search text is empty", "give the text of the lines, or operation 'insert'"
        )


class _Writer:
    """Verifies blocks against the lines they name and collects their splices."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        self.lines = FileLines(snapshot)
        self.source = Source(snapshot)
        self.splices: list[Splice] = []

    def add(self, index: int, block: Block) -> BlockOutcome:
        search, replace = normalised(block.search), normalised(block.replace)
        if block.operation == "insert":
            return self._inserted(index, block, search, replace)
        count = len(_rows(search))
        end = block.end_line if block.end_line is not None else block.start_line + count - 1
        there = self._text(block.start_line, end)
        if there is None or search not in (there, there + "\n"):
            raise self._missed(index, block, search, replace, end)
        if search == replace:
            return BlockOutcome(index, block.start_line, end)
        start, stop = self.lines.offset(block.start_line - 1), self.lines.offset(end)
        terminator = self.lines.terminator(end - 1)
        if not replace:
            self.splices.append(Splice(start, stop - start, b""))
        elif search == there:
            self.splices += write_exact(self.source, start, stop - len(terminator), search, replace)
        elif terminator:
            ended = replace if replace.endswith("\n") else replace + "\n"
            self.splices += write_exact(self.source, start, stop, search, ended)
        else:
            # The last line has no newline, and whether it gets one is not what the block is about.
            old, new = search.removesuffix("\n"), replace.removesuffix("\n")
            if old != new:
                self.splices += write_exact(self.source, start, stop, old, new)
        return BlockOutcome(index, block.start_line, end)

    def _inserted(self, index: int, block: Block, search: str, replace: str) -> BlockOutcome:
        count = self.lines.count
        line = block.start_line
        if line > count + 1:
            raise _wrong(
                self.snapshot, index, f"start_line {line} is past the end: there are {count} lines",
                f"the last place to insert at is line {count + 1}",
            )  # fmt: skip
        if search:
            there = self._text(line, line + len(_rows(search)) - 1)
            if there is None or search not in (there, there + "\n"):
                raise self._missed(index, block, search, replace, line + len(_rows(search)) - 1)
        rows = _rows(replace)
        if not rows:
            raise _wrong(self.snapshot, index, "there is nothing to insert", "give the new lines as replace")
        dominant = self.snapshot.dominant
        text = encoded(
            "\n".join(rows), self.snapshot.encoding, dominant, argument=f"replace of block {index}"
        )
        if line == count + 1 and count and not self.lines.terminator(count - 1):
            self.splices.append(Splice(self.snapshot.size, 0, dominant + text))
        else:
            self.splices.append(Splice(self.lines.offset(line - 1), 0, text + dominant))
        return BlockOutcome(index, line, line - 1)

    def _text(self, start: int, end: int) -> str | None:
        """The text of lines, terminators between them as newlines; None if there are no such lines."""
        if end > self.lines.count or start > end:
            return None
        bodies = self.lines.bodies(start - 1, end - start + 1)
        return "\n".join(body.decode(self.snapshot.encoding.name, "surrogateescape") for body in bodies)

    def _missed(self, index: int, block: Block, search: str, replace: str, end: int) -> FilewrightError:
        """The refusal of a block whose text is not on its lines."""
        asked, start = self.snapshot.asked, block.start_line
        last = min(end, self.lines.count, start + _FOUND_LINES - 1)
        bodies = self.lines.bodies(start - 1, max(0, last - start + 1))
        found = "\n".join(decoded(body, self.snapshot.encoding) for body in bodies)
        details: dict[str, object] = {
            "path": asked, "block": index, "start_line": start, "end_line": end, "text_found": found,
            "line_count": self.lines.count,
        }  # fmt: skip
        there = self._text(start, start + len(_rows(replace)) - 1) if block.operation == "replace" else None
        if replace and there is not None and replace.removesuffix("\n") == there:
            return FilewrightError(
                Code.ALREADY_APPLIED,
                f"block {index} is applied already: its replacement stands at line {start} of {asked}",
                hint="leave this block out",
                details=details,
            )
        regions = find_lines(self.snapshot, _rows(search))
        places = [self.lines.index_of(r.start) + 1 for r in regions if r.tier is Tier.EXACT]
        lead = next((i for i, row in enumerate(_rows(search)) if row.strip(" \t\f\v")), 0)
        hint = "read the file again and use the text and lines it has now"
        message = f"block {index}: the text is not on lines {start}–{end} of {asked}"
        if self.lines.count < end:
            message += f", which has {self.lines.count} lines"
        if len(places) == 1:
            at = places[0] - lead
            details["found_at"] = at
            to = at + len(_rows(search)) - 1
            hint = f"the text is on lines {at}–{to}: use start_line={at}, end_line={to}"
        elif places:
            details["found_at_lines"] = [place - lead for place in places[:20]]
            hint = f"the text is at lines {', '.join(str(p - lead) for p in places[:20])}: choose one"
        if found:
            message += "\nthese lines are:\n" + "\n".join(
                safe(cut_line(row, 200)) for row in found.split("\n")
            )
        return FilewrightError(Code.NO_MATCH, message, hint=hint, details=details)


def _rows(text: str) -> list[str]:
    """The lines of a text; a final newline ends the last and begins none."""
    rows = text.split("\n")
    if not rows[-1]:
        rows.pop()
    return rows


def _refuse_overlaps(snapshot: Snapshot, outcomes: Sequence[BlockOutcome]) -> None:
    previous: BlockOutcome | None = None
    for outcome in sorted(outcomes, key=lambda o: (o.start_line, o.end_line)):
        if previous is not None:
            twice = previous.end_line < previous.start_line and outcome.end_line < outcome.start_line
            if outcome.start_line <= previous.end_line or (
                twice and outcome.start_line == previous.start_line
            ):
                one, two = sorted((previous.index, outcome.index))
                raise FilewrightError(
                    Code.OVERLAP,
                    f"blocks {one} and {two} of {snapshot.asked} are about the same lines, "
                    f"from line {outcome.start_line}",
                    hint="join them into one block",
                    details={"path": snapshot.asked, "blocks": [one, two], "line": outcome.start_line},
                )
        previous = outcome


def _wrong(snapshot: Snapshot, index: int, why: str, hint: str) -> FilewrightError:
    return FilewrightError(
        Code.INVALID_INPUT,
        f"block {index} of {snapshot.asked}: {why}",
        hint=hint,
        details={"path": snapshot.asked, "block": index},
    )
