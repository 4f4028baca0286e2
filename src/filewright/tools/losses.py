"""Lines that a change takes away and that its session was never shown.

Another program has written them into a file that the session had read before.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from filewright.boundary.location import Location
from filewright.errors import FilewrightError
from filewright.text.cache import REMEMBERED_WHOLE_BYTES
from filewright.text.snapshot import Snapshot
from filewright.tools.bounded_text import clip
from filewright.tools.context import Context
from filewright.wording import join_limited, to_one_line

_LINES = 5
_LINE_CHARS = 80
"""Of so many lines that are lost the beginning is shown."""

_FILES = 16
"""So many files of a folder that is deleted or replaced are looked at."""


def lost_by_overwriting(
    context: Context, before: Snapshot, content: bytes
) -> str:
    """Describe what others wrote into a file that now gets this content, since the session read it; "" if nothing."""
    location = before.location
    if location is None or not (
        known := context.seen.known_versions(context.session, location)
    ):
        return ""
    if before.version in known:
        return ""
    base = next(
        filter(
            None,
            (
                context.shown.content_at(location, version)
                for version in reversed(known)
            ),
        ),
        None,
    )
    lines: list[str] = []
    if (
        base is not None
        and before.binary_type is None
        and before.size <= REMEMBERED_WHOLE_BYTES
    ):
        written = _lines_beside(before, base)
        lines = [
            f'line {number} "{line}"'
            for number, line in _lines_beside(before, base, content)
        ]
        if written and not lines:
            return ""  # The content has what the others wrote.
    return f"lost what was changed there since you read it{f': {join_limited(lines, _LINES)}' if lines else ''}"


def lost_by_removing(context: Context, location: Location) -> str:
    """Describe what others wrote since the session read it, at a path whose file or folder goes; "" if nothing."""
    losses = []
    for place in context.seen.known_files_below(context.session, location)[
        :_FILES
    ]:
        try:
            with context.open(place, hold=False) as snapshot:
                loss = lost_by_overwriting(context, snapshot, b"")
        except FilewrightError:
            continue  # It is gone, or denied by now.
        if loss:
            losses.append(
                loss if place == location else f"{place.display_path}: {loss}"
            )
    return "; ".join(losses)


def _lines_beside(before: Snapshot, *others: bytes) -> list[tuple[int, str]]:
    """Return the lines of a file, with their numbers, that are in none of the other contents."""
    known = Counter[str]()
    for content in others:
        known |= Counter(_decoded_lines(before, content))
    lines = []
    for number, line in enumerate(
        _decoded_lines(before, before.read(0, before.size)), 1
    ):
        if known[line]:
            known[line] -= 1
        elif line.strip():
            lines.append((number, clip(to_one_line(line.strip()), _LINE_CHARS)))
    return lines


def _decoded_lines(before: Snapshot, content: bytes) -> Iterator[str]:
    text = content.removeprefix(before.encoding.bom).decode(
        before.encoding.name, "replace"
    )
    yield from text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
