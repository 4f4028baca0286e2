"""Lines that a change removes although its session has never seen them.

Another program wrote them into a file after the session had read it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from filewright.boundary.location import Location
from filewright.errors import FilewrightError
from filewright.text.cache import REMEMBERED_WHOLE_BYTES
from filewright.text.snapshot import Snapshot
from filewright.tools.bounded_text import clip
from filewright.tools.context import Context
from filewright.wording import join_limited, to_one_line

_MAX_SHOWN_LINES: Final = 5
"""Lost lines that an answer quotes."""

_MAX_LINE_CHARS: Final = 80
# Files of a folder that are compared before it is deleted or replaced.
_MAX_COMPARED_FILES: Final = 16


def describe_overwrite_loss(
    context: Context, before: Snapshot, content: bytes
) -> str:
    """Describe the lines of other programs that a new content removes, or return "".

    These are the lines written since the session last read or wrote the file.
    """
    location = before.location
    if location is None:
        return ""
    known_versions = context.seen.known_versions(context.session, location)
    if not known_versions or before.version in known_versions:
        return ""
    known_content = _newest_content(context, location, known_versions)
    loss = "lost what others changed since you read it"
    is_comparable = (
        before.binary_type is None and before.size <= REMEMBERED_WHOLE_BYTES
    )
    if known_content is None or not is_comparable:
        return loss
    written_lines = _lines_missing_from(before, known_content)
    lost_lines = _lines_missing_from(before, known_content, content)
    if not lost_lines:
        # The new content has everything that the other programs wrote.
        return "" if written_lines else loss
    shown_lines = [f'line {line.number} "{line.text}"' for line in lost_lines]
    return f"{loss}: {join_limited(shown_lines, _MAX_SHOWN_LINES)}"


def describe_removal_loss(context: Context, location: Location) -> str:
    """Describe the lines of other programs below a path that is removed, or return ""."""
    losses = []
    files = context.seen.known_files_below(context.session, location)
    for file in files[:_MAX_COMPARED_FILES]:
        try:
            with context.open(file, hold=False) as snapshot:
                loss = describe_overwrite_loss(context, snapshot, b"")
        except FilewrightError:
            # The file does not exist any more, or a rule denies it by now.
            continue
        if loss and file != location:
            loss = f"{file.display_path}: {loss}"
        if loss:
            losses.append(loss)
    return "; ".join(losses)


def _newest_content(
    context: Context, location: Location, versions: Sequence[str]
) -> bytes | None:
    """Return the content of the newest version that is remembered, or None."""
    for version in reversed(versions):
        content = context.shown.content_at(location, version)
        # An empty content tells nothing about what was written since.
        if content:
            return content
    return None


@dataclass(frozen=True, slots=True)
class _LostLine:
    """A line of a file that other contents lack: its number, and its text in short."""

    number: int
    text: str


def _lines_missing_from(before: Snapshot, *contents: bytes) -> list[_LostLine]:
    """Return the lines of a file that none of the contents has."""
    known_lines = Counter[str]()
    for content in contents:
        # Each line counts as often as the content has it in which it is most frequent.
        known_lines |= Counter(_decode_lines(before, content))
    missing_lines = []
    content = before.read(0, before.size)
    for number, line in enumerate(_decode_lines(before, content), 1):
        if known_lines[line]:
            known_lines[line] -= 1
        elif line.strip():
            text = clip(to_one_line(line.strip()), _MAX_LINE_CHARS)
            missing_lines.append(_LostLine(number, text))
    return missing_lines


def _decode_lines(before: Snapshot, content: bytes) -> Iterator[str]:
    """Yield the lines of a content in the encoding of the file."""
    text = content.removeprefix(before.encoding.bom).decode(
        before.encoding.name, "replace"
    )
    yield from text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
