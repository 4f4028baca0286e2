"""Reads of a file that grows: what was appended since an earlier read."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from filewright.boundary.location import Location
from filewright.errors import Code, FilewrightError
from filewright.hints import fill
from filewright.logs.rotated import find_members
from filewright.progress import Task
from filewright.search.tree import fingerprint_before
from filewright.text.snapshot import Snapshot
from filewright.tools.context import Context
from filewright.tools.cursors import decode_cursor, encode_cursor
from filewright.tools.read.arguments import ReadArguments
from filewright.tools.read.line_range import LineRange

if TYPE_CHECKING:
    from filewright.tools.read.result import FileRead

_POLL_SECONDS = 0.1
_MIN_COPIED_BYTES = 256
_MAX_COPIES = 3
"""Files of a rotated log, the newest first, that may be a copy of the one before."""

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
        digest = bytes.fromhex(self.digest).decode("latin-1")
        position = [self.offset, self.line, self.inode, digest]
        return encode_cursor("read", "follow", position)

    @classmethod
    def decode(cls, cursor: str) -> FollowPoint:
        """Return the place in a cursor. Raises `invalid_input`."""
        offset, line, inode, content = decode_cursor(
            cursor,
            "read",
            "follow",
            noun="call",
            types=(int, int, int, str),
        )
        digest = content.encode("latin-1").hex()
        fingerprint = f"{inode:x}-{digest}" if digest else ""
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
        return is_same and self._has_offset(snapshot)

    def is_in_copy(self, snapshot: Snapshot) -> bool:
        """Return True if an open file is a copy of this one: compressed, or as it was.

        Too little text before the place is no proof: it may be a heading of every file.
        """
        if self.offset < _MIN_COPIED_BYTES:
            return False
        other = FollowPoint.at(snapshot, self.offset, self.line)
        is_same = other.digest == self.digest and bool(self.digest)
        return is_same and self._has_offset(snapshot)

    @property
    def digest(self) -> str:
        """Return the part of the fingerprint that copies of the file share."""
        return self.fingerprint.partition("-")[2]

    def _has_offset(self, snapshot: Snapshot) -> bool:
        return self.offset <= max(snapshot.start, snapshot.size)


def end_point(snapshot: Snapshot, task: Task) -> FollowPoint:
    """Return the place behind the last whole line of a file."""
    lines = snapshot.lines
    end = snapshot.size
    # A program may have written only a part of the last line so far.
    is_whole = _ends_in_whole_line(snapshot, task)
    if end > snapshot.start and not is_whole:
        end = lines.line_start(end - 1, task)
    line = 0
    if lines.can_count_to(end, _COUNTED_BYTES):
        line = lines.line_at(end, task)
        if is_whole:
            line = lines.count_lines(task) + 1
    return FollowPoint.at(snapshot, end, line)


def _ends_in_whole_line(snapshot: Snapshot, task: Task) -> bool:
    """Return True if nothing that is appended can belong to the last line.

    A carriage return at the end may get its line feed, unless the line before ends in
    one alone too.
    """
    lines = snapshot.lines
    if not lines.ends_in_terminator():
        return False
    offset = lines.line_start(snapshot.size - 1, task)
    terminator = lines.read_line(offset, 0, task=task).terminator
    if terminator.decode(snapshot.encoding.name) != "\r":
        return True
    if offset <= snapshot.start:
        return False
    before = lines.line_start(offset - 1, task)
    return lines.read_line(before, 0, task=task).terminator == terminator


@dataclass(frozen=True, slots=True)
class Appended:
    """The part of a file that was appended, with a note if it is another file now.

    `is_ended` is True if nothing writes to the file any more.
    """

    location: Location
    offset: int
    line: int
    note: str = ""
    is_ended: bool = False


def find_appended(
    context: Context, location: Location, point: FollowPoint
) -> Sequence[Appended]:
    """Return the text behind a place, which goes on in a new file if the log was rotated."""
    try:
        with context.open_page(location, text=True) as snapshot:
            if point.is_in(snapshot):
                return [Appended(location, point.offset, point.line)]
            inode = 0 if snapshot.identity is None else snapshot.identity.inode
    except FilewrightError as error:
        parts = _find_rotated_parts(context, location, point)
        if error.code != Code.NOT_FOUND or not parts:
            raise
        # The log was renamed, and its program has not begun the new file yet.
        return parts
    parts = _find_rotated_parts(context, location, point)
    note = "the log was rotated; this is the new file"
    if inode == point.inode and not parts:
        note = "the file was truncated or rewritten; this is its beginning"
    return [*parts, Appended(location, 0, 1, note)]


def _find_rotated_parts(
    context: Context, location: Location, point: FollowPoint
) -> list[Appended]:
    """Return the text behind a place in the files to which a log was rotated since."""
    members = [
        member
        for member in find_members(context.boundary, location, context.task)
        if member != location
    ]
    members.reverse()
    index = _find_previous(context, members, point)
    if index is None:
        return []
    parts = [
        Appended(
            members[index],
            point.offset,
            point.line,
            "the rest of the file before it was rotated",
            is_ended=True,
        )
    ]
    note = "a file into which the log was rotated since"
    for member in reversed(members[:index]):
        parts.append(Appended(member, 0, 1, note, is_ended=True))
    return parts


def _find_previous(
    context: Context, members: Sequence[Location], point: FollowPoint
) -> int | None:
    """Return the index of the file that holds a place, or else of its newest copy.

    The newest file is the first one.
    """
    copy = None
    for index, member in enumerate(members):
        # The system may keep a rotated file from this user.
        with (
            suppress(FilewrightError),
            context.open_page(member, text=True) as snapshot,
        ):
            if point.is_in(snapshot):
                return index
            if copy is None and index < _MAX_COPIES:
                copy = index if point.is_in_copy(snapshot) else None
    return copy


def wait_for_appended(
    context: Context, location: Location, point: FollowPoint, seconds: float
) -> Sequence[Appended]:
    """Return the text behind a place when it has a whole line, or when the time is up."""
    deadline = time.monotonic() + seconds
    parts: Sequence[Appended] = ()
    while True:
        context.task.check()
        if len(parts) <= 1:
            # Files to which the log was rotated are not looked for again.
            parts = find_appended(context, location, point)
        if any(_has_line(context, part) for part in parts):
            return parts
        if time.monotonic() >= deadline:
            return parts
        time.sleep(min(_POLL_SECONDS, max(0.0, deadline - time.monotonic())))


def _has_line(context: Context, part: Appended) -> bool:
    """Return True if a whole line was appended."""
    with context.open_page(part.location, text=True) as snapshot:
        return _end_of(snapshot, part, context.task) > part.offset


def _end_of(snapshot: Snapshot, part: Appended, task: Task) -> int:
    """Return the end of the appended text; while it is written, of its last whole line."""
    return snapshot.size if part.is_ended else end_point(snapshot, task).offset


def choose_appended(
    snapshot: Snapshot, part: Appended, arguments: ReadArguments, task: Task
) -> LineRange | None:
    """Return the whole lines that were appended, or None if there are none."""
    # The text begins behind a byte order mark, and a new file is read from byte 0.
    offset = max(snapshot.start, part.offset)
    stop = _end_of(snapshot, part, task)
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
