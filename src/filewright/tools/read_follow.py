"""Reads of a file that grows: what was appended since an earlier read."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from filewright.boundary.location import Location
from filewright.hints import fill
from filewright.logs.rotated import find_members
from filewright.progress import Task
from filewright.search.tree import fingerprint_before
from filewright.text.snapshot import Snapshot
from filewright.tools.context import Context
from filewright.tools.cursors import decode_cursor, encode_cursor
from filewright.tools.line_range import LineRange
from filewright.tools.read_arguments import ReadArguments

if TYPE_CHECKING:
    from filewright.tools.read_result import FileRead

_POLL_SECONDS = 0.1
_COUNTED_BYTES = 64 << 20
"""Lines before a place are counted if they take no more bytes."""


@dataclass(frozen=True, slots=True)
class FollowPoint:
    """The place in a growing file up to which it was read.

    `line` is the number of the next line, 0 if it is not known. `fingerprint` tells the
    file from another that later has its name.
    """

    offset: int
    line: int
    inode: int
    fingerprint: str

    def encode(self) -> str:
        """Return the cursor of this place."""
        position = [self.offset, self.line, self.inode, self.fingerprint]
        return encode_cursor("read", "follow", position)

    @classmethod
    def decode(cls, cursor: str) -> FollowPoint:
        """Return the place in a cursor. Raises `invalid_input`."""
        offset, line, inode, fingerprint = decode_cursor(
            cursor,
            "read",
            "follow",
            noun="call",
            types=(int, int, int, str),
        )
        return cls(max(0, offset), line, inode, fingerprint)

    @classmethod
    def at(cls, snapshot: Snapshot, offset: int, line: int) -> FollowPoint:
        """Return the place at an offset of an open file."""
        inode = 0 if snapshot.identity is None else snapshot.identity.inode
        return cls(offset, line, inode, fingerprint_before(snapshot, offset))

    def is_in(self, snapshot: Snapshot) -> bool:
        """Return True if this place is in the open file."""
        other = FollowPoint.at(snapshot, self.offset, self.line)
        is_same = (other.inode, other.fingerprint) == (
            self.inode,
            self.fingerprint,
        )
        return is_same and self.offset <= max(snapshot.start, snapshot.size)


def end_point(snapshot: Snapshot, task: Task) -> FollowPoint:
    """Return the place behind the last whole line of a file."""
    lines = snapshot.lines
    end = snapshot.size
    # A program may have written only a part of the last line so far.
    if end > snapshot.start and not lines.ends_in_terminator():
        end = lines.line_start(end - 1, task)
    line = 0
    if lines.can_count_to(end, _COUNTED_BYTES):
        line = lines.line_at(end, task)
        if lines.ends_in_terminator():
            line = lines.count_lines(task) + 1
    return FollowPoint.at(snapshot, end, line)


@dataclass(frozen=True, slots=True)
class Appended:
    """The part of a file that was appended, with a note if it is another file now."""

    location: Location
    offset: int
    line: int
    note: str = ""


def find_appended(
    context: Context, location: Location, point: FollowPoint
) -> Sequence[Appended]:
    """Return what follows a place: of the file, or of its rotated form and a new file."""
    with context.open_page(location, text=True) as snapshot:
        if point.is_in(snapshot):
            return [Appended(location, point.offset, point.line)]
        inode = 0 if snapshot.identity is None else snapshot.identity.inode
    if inode == point.inode:
        note = "the file was truncated or rewritten; this is its beginning"
        return [Appended(location, 0, 1, note)]
    note = "the log was rotated; this is the new file"
    parts = []
    for member in find_members(context.boundary, location, context.task):
        if member == location:
            continue
        with context.open_page(member) as snapshot:
            is_previous = snapshot.binary_type is None and point.is_in(snapshot)
        if is_previous:
            parts.append(
                Appended(
                    member,
                    point.offset,
                    point.line,
                    "the rest of the file before it was rotated",
                )
            )
            break
    parts.append(Appended(location, 0, 1, note))
    return parts


def wait_for_appended(
    context: Context, location: Location, point: FollowPoint, seconds: float
) -> Sequence[Appended]:
    """Return what follows a place, once there is a whole line or the time is up."""
    deadline = time.monotonic() + seconds
    while True:
        context.task.check()
        parts = find_appended(context, location, point)
        if any(_has_line(context, part) for part in parts):
            return parts
        if time.monotonic() >= deadline:
            return parts
        time.sleep(min(_POLL_SECONDS, max(0.0, deadline - time.monotonic())))


def _has_line(context: Context, part: Appended) -> bool:
    """Return True if a whole line was appended."""
    with context.open_page(part.location, text=True) as snapshot:
        return end_point(snapshot, context.task).offset > part.offset


def choose_appended(
    snapshot: Snapshot, part: Appended, arguments: ReadArguments, task: Task
) -> LineRange | None:
    """Return the whole lines that were appended, or None if there are none."""
    # The text begins behind a byte order mark, and a new file is read from byte 0.
    offset = max(snapshot.start, part.offset)
    stop = end_point(snapshot, task).offset
    if stop <= offset:
        return None
    notes = (part.note,) if part.note else ()
    return LineRange(
        part.line or 1,
        offset,
        arguments.limit,
        stop,
        notes=notes,
        is_counted=part.line > 0,
    )


def with_cursor(result: FileRead, point: FollowPoint) -> FileRead:
    """Return a read that says how to get what is appended later."""
    cursor = point.encode()
    text = fill("{}\n[cursor: {}]", result.text, cursor)
    return replace(result, text=text, cursor=cursor)
