"""The healing of edits that are plain in the bytes of a file.

Most edits replace a text that occurs once, and the tool either changed nothing
else or wrote the file again as UTF-8. Both can be told from the bytes alone,
without an encoding and without lines. Everything else is left to `healing`.
"""

from __future__ import annotations

import codecs
from collections.abc import Sequence
from operator import ne

from filewright.recording.changed_span import find_changed_span
from filewright.recording.damage import Damage, Healing
from filewright.recording.tool_arguments import (
    RequestedReplacement,
    ToolEdit,
    WholeText,
)

_BOM = codecs.BOM_UTF8
_SHIFTED = (b"\0", b"\x1b")
"""Bytes of UTF-16 and of encodings with shift states."""
_DECLARING = (b"coding", b"charset", b"enc")
"""Words with which a text names its encoding."""


def heal_plain_edit(
    before: bytes, after: bytes, edit: ToolEdit | None
) -> Healing | None:
    """Return the healing of a plain edit; None if the edit is not plain."""
    if before == after:
        return Healing()
    expected = _expect(before, edit)
    if expected is None:
        return None
    if after == expected:
        return Healing()
    text, actual_text = _decode(expected), _decode(after)
    if _with_plain_ends(text) != _with_plain_ends(actual_text):
        return None
    damage: list[Damage] = []
    if _plain_bytes(expected) != _plain_bytes(after):
        if not _is_utf8(after):
            return None
        damage.append(Damage.REPLACED_BYTES)
    if text != actual_text:
        damage.append(Damage.LINE_ENDINGS)
    if expected.startswith(_BOM) != after.startswith(_BOM):
        damage.append(Damage.BYTE_ORDER_MARK)
    return Healing(expected, tuple(damage), _count_lines(expected, after))


def _count_lines(expected: bytes, after: bytes) -> int:
    """Return the number of lines that differ; both files have as many lines."""
    expected, after = expected.removeprefix(_BOM), after.removeprefix(_BOM)
    span = find_changed_span(expected, after)
    lines = expected[span.start : span.end].splitlines(keepends=True)
    actual_lines = after[span.start : span.other_end].splitlines(keepends=True)
    return sum(map(ne, lines, actual_lines))


def _expect(before: bytes, edit: ToolEdit | None) -> bytes | None:
    """Return the file that a plain edit alone makes, or None."""
    # A search for ASCII could find a part of another character.
    if any(byte in before for byte in _SHIFTED):
        return None
    if isinstance(edit, WholeText):
        return _expect_whole(before, edit.content)
    if isinstance(edit, tuple):
        return _replace(before, edit)
    return None


def _expect_whole(before: bytes, text: str) -> bytes | None:
    """Return a text as UTF-8 if the file before has no other properties."""
    if b"\r" in before or "\r" in text or before.startswith(_BOM):
        return None
    if not _can_hold(before, text):
        return None
    return _encode(text)


def _replace(
    before: bytes, replacements: Sequence[RequestedReplacement]
) -> bytes | None:
    """Return a file with texts replaced, each of which is there once."""
    content = before
    line_end = _line_end(before)
    for replacement in replacements:
        texts = replacement.search + replacement.replacement
        if "\r" in texts or ("\n" in texts and line_end is None):
            return None
        if not _can_hold(before, texts):
            return None
        search = _encode(replacement.search)
        new = _encode(replacement.replacement)
        if line_end is not None and search and new is not None:
            search = search.replace(b"\n", line_end)
            new = new.replace(b"\n", line_end)
        if not search or new is None:
            return None
        count = content.count(search)
        if not count or (count > 1 and not replacement.is_everywhere):
            return None
        content = content.replace(search, new)
    return content


def _line_end(content: bytes) -> bytes | None:
    """Return the end of all lines, LF or CRLF; None if some end otherwise."""
    returns = content.count(b"\r")
    if not returns:
        return b"\n"
    is_crlf = returns == content.count(b"\n") == content.count(b"\r\n")
    return b"\r\n" if is_crlf else None


def _can_hold(before: bytes, text: str) -> bool:
    """Return True if a text has the bytes of UTF-8 in a file, beyond doubt."""
    if text.isascii():
        return True
    if not before.isascii():
        return _is_utf8(before)
    # A file in ASCII may say that it is to be read in another encoding.
    lower = before.lower()
    return not any(word in lower for word in _DECLARING)


def _encode(text: str) -> bytes | None:
    """Return a text as UTF-8; None if it has lone surrogates."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        return None


def _is_utf8(content: bytes) -> bool:
    """Return True if a content is valid UTF-8."""
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return True


def _decode(content: bytes) -> str:
    """Return a content as an editing tool reads it, without the mark."""
    return content.removeprefix(_BOM).decode("utf-8", "replace")


def _with_plain_ends(text: str) -> str:
    """Return a text whose lines all end with LF."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _plain_bytes(content: bytes) -> bytes:
    """Return a content without its mark, whose lines all end with LF."""
    content = content.removeprefix(_BOM)
    return content.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
