"""A placed hunk as splices: lines that stay keep the file's bytes, new ones take its ways.

The merge is by line: the hunk's old rows are the base, the file's lines are ours, its new rows are
theirs. A line removed and added again unchanged stays too. A new line takes the file's dominant
terminator (unless the patch spells terminators out and matched them), the map of indentation its
hunk was found by, and the file's encoding.
"""

from __future__ import annotations

from dataclasses import dataclass

from filewright.edit.linediff import changes, line_splices
from filewright.edit.locate.fold import folded, indent_of
from filewright.edit.locate.request import Block
from filewright.edit.locate.source import Source
from filewright.edit.merge import write_lines
from filewright.edit.patch.filelines import FileLines
from filewright.edit.patch.model import Hunk, Row
from filewright.edit.patch.places import Placed
from filewright.text.codec import encoded
from filewright.text.splice import Splice


@dataclass(frozen=True, slots=True)
class _New:
    """A line that is written."""

    content: bytes
    terminator: bytes


_Out = int | _New  # a line of the file that stays, or a new one


def hunk_splices(lines: FileLines, hunk: Hunk, place: Placed, *, spelled: bool) -> list[Splice]:
    """The splices of one hunk, in order. `spelled`: the patch writes carriage returns out.

    Raises `unencodable`.
    """
    if place.region is not None:
        old, new = Block.of_lines(hunk.old), Block.of_lines(hunk.new)
        return list(write_lines(Source(lines.snapshot), place.region, old, new))
    literal = spelled and _is_literal(lines, hunk, place)
    out = _outcome(lines, hunk, place, literal=literal)
    if place.end == lines.count:
        return _at_the_end(lines, hunk, place, out)
    result: list[Splice] = []
    position = place.at
    fresh: list[_New] = []
    for item in [*out, place.end]:
        if isinstance(item, _New):
            fresh.append(item)
            continue
        if fresh or item > position:
            start = lines.offset(position)
            text = b"".join(new.content + new.terminator for new in fresh)
            result.append(Splice(start, lines.offset(item) - start, text))
            fresh = []
        position = item + 1
    return result


def _is_literal(lines: FileLines, hunk: Hunk, place: Placed) -> bool:
    """Whether the file's terminators are exactly those the hunk's old rows have."""
    old = [row for row in hunk.rows if row.sign != "+"]
    if not isinstance(place.lines, range):
        return False
    found = [lines.terminator(at) for at in place.lines]
    pairs = list(zip(old, found, strict=True))
    if pairs and not found[-1]:
        pairs.pop()  # the end of the file
    return all(row.terminator.encode() == end for row, end in pairs)


def _outcome(lines: FileLines, hunk: Hunk, place: Placed, *, literal: bool) -> list[_Out]:
    """What stands in the hunk's place afterwards: lines of the file, and new ones."""
    dominant = lines.snapshot.dominant
    encoding = lines.snapshot.encoding
    out: list[_Out] = []
    removed: list[tuple[Row, int]] = []
    added: list[Row] = []

    def new(row: Row) -> _New:
        text = row.text
        if place.folds:
            text = folded(text)
        if place.indentation is not None and text.strip():
            indent = indent_of(text)
            text = place.indentation.apply(indent) + text[len(indent) :]
        content = encoded(text, encoding, argument="the patch")
        return _New(content, row.terminator.encode() if literal else dominant)

    def settle() -> None:
        """Close a run of removed and added rows: what is in both stays."""
        if not removed and not added:
            return
        ours = [(row.text, row.terminator if literal else "") for row, _ in removed]
        theirs = [(row.text, row.terminator if literal else "") for row in added]
        if not ours or not theirs or set(ours).isdisjoint(theirs):
            out.extend(new(row) for row in added)
        else:
            at = 0
            for change in [*changes(ours, theirs), None]:
                out.extend(line for _, line in removed[at : change.start if change else None])
                if change is None:
                    break
                out.extend(new(row) for row in added[change.new_start : change.new_end])
                at = change.end
        removed.clear()
        added.clear()

    index = 0
    for row in hunk.rows:
        if row.sign == "+":
            added.append(row)
            continue
        line = place.lines[index]
        index += 1
        if line is None:
            continue
        if row.sign == " ":
            settle()
            out.append(line)
        else:
            removed.append((row, line))
    settle()
    return out


def _at_the_end(lines: FileLines, hunk: Hunk, place: Placed, out: list[_Out]) -> list[Splice]:
    """The splices of a hunk that reaches the end of the file, where a terminator may be missing."""
    first, snapshot = place.at, lines.snapshot
    last_line = lines.count - 1
    ended = bool(lines.terminator(last_line)) if lines.count else hunk.new_ended
    if place.at == place.end and lines.count:
        # An insertion behind the last line: that line may have to be ended first.
        first, out = last_line, [last_line, *out]
    pieces = [lines.piece(item) if isinstance(item, int) else item.content + item.terminator for item in out]
    dominant = snapshot.dominant
    for index, piece in enumerate(pieces[:-1]):
        if not piece.endswith((b"\n", b"\r")):
            pieces[index] = piece + dominant
    if pieces:
        if hunk.old_ended != hunk.new_ended:
            ended = hunk.new_ended
        elif isinstance(out[-1], int):
            ended = pieces[-1].endswith((b"\n", b"\r"))
        body = pieces[-1].rstrip(b"\r\n") if not ended else pieces[-1]
        pieces[-1] = body if not ended or body.endswith((b"\n", b"\r")) else body + dominant
    start = lines.offset(first)
    before = snapshot.read(start, snapshot.size - start)
    return [
        Splice(start + splice.offset, splice.length, splice.replacement)
        for splice in line_splices(before, b"".join(pieces))
    ]
