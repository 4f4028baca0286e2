"""The merge conflicts of a text, by the marker lines of git and of diff3.

A conflict has a line `<<<<<<<`, our lines, in the style of diff3 a line `|||||||` and the
lines of the base, a line `=======`, their lines, and a line `>>>>>>>`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from filewright.errors import FilewrightError, invalid
from filewright.progress import Task
from filewright.text.codec import decode
from filewright.text.snapshot import Snapshot

ConflictSide = Literal["ours", "theirs", "both"]

OURS_MARKER = "<" * 7
"""The beginning of the first line of a conflict."""

_BASE = "|" * 7
_SEPARATOR = "=" * 7
_THEIRS = ">" * 7
# Bytes of a line that tell whether it is a marker, in any encoding.
_MARKER_BYTES = 64


@dataclass(frozen=True, slots=True)
class ConflictMarkers:
    """The marker lines of a conflict, counted from 1; `base` is None without a base.

    `ours_label` and `theirs_label` are the names of the sides in their markers.
    """

    ours: int
    base: int | None
    separator: int
    theirs: int
    ours_label: str = ""
    theirs_label: str = ""

    def describe(self, side: ConflictSide) -> tuple[str, ...]:
        """Return what "ours", "theirs" and "both" are here, for the side that is taken."""
        ours = f"ours = {self.ours_label or 'unnamed'}, the first side"
        theirs = f"theirs = {self.theirs_label or 'unnamed'}, the second side"
        if side == "ours":
            return (ours,)
        if side == "theirs":
            return (theirs,)
        if self.base is None:
            return (ours, theirs)
        return (ours, theirs, "both = without the base")

    def lines_without(self, side: ConflictSide) -> Sequence[tuple[int, int]]:
        """Return the first and last lines of the parts to delete to keep a side."""
        end_of_ours = self.separator if self.base is None else self.base
        if side == "ours":
            return ((self.ours, self.ours), (end_of_ours, self.theirs))
        if side == "theirs":
            return ((self.ours, self.separator), (self.theirs, self.theirs))
        return (
            (self.ours, self.ours),
            (end_of_ours, self.separator),
            (self.theirs, self.theirs),
        )


def iterate_conflicts(
    snapshot: Snapshot, path: str, task: Task | None = None
) -> Iterator[ConflictMarkers]:
    """Yield the conflicts of a text in order.

    Raise `invalid_input` at markers that are not those of one whole conflict.
    """
    ours: int | None = None
    base: int | None = None
    separator: int | None = None
    ours_label = ""
    for line, marker, label in _iterate_markers(snapshot, task):
        if marker == OURS_MARKER and ours is None:
            ours, base, separator = line, None, None
            ours_label = label
        elif marker == _SEPARATOR and ours is None:
            # An underlined heading of plain text looks the same.
            continue
        elif ours is None:
            raise _malformed_error(path, line, marker)
        elif marker == _BASE and base is None and separator is None:
            base = line
        elif marker == _SEPARATOR and separator is None:
            separator = line
        elif marker == _THEIRS and separator is not None:
            yield ConflictMarkers(
                ours, base, separator, line, ours_label, label
            )
            ours = None
        else:
            raise _malformed_error(path, line, marker)
    if ours is not None:
        raise _malformed_error(path, ours, OURS_MARKER)


def _iterate_markers(
    snapshot: Snapshot, task: Task | None
) -> Iterator[tuple[int, str, str]]:
    """Yield the number, the marker and the label of each marker line of a text."""
    lines = snapshot.lines.read_lines(limit=_MARKER_BYTES, task=task)
    for number, line in enumerate(lines, 1):
        # Most lines are not decoded; of UTF-16 a zero byte may come first.
        if line.body.lstrip(b"\0")[:1] not in (b"<", b"|", b"=", b">"):
            continue
        text = decode(line.body, snapshot.encoding)
        marker, _, label = text.partition(" ")
        # A separator has no label.
        if text == _SEPARATOR or marker in (OURS_MARKER, _BASE, _THEIRS):
            yield number, marker, label.strip()


def _malformed_error(path: str, line: int, marker: str) -> FilewrightError:
    return invalid(
        f"line {line} of {path} is a conflict marker {marker} whose other "
        "markers are missing; nothing was changed",
        "read the lines around it, and give at.lines with replace",
        path=path,
        line=line,
    )
