"""Patches that `git apply` takes, byte for byte: of text in any encoding, and binary.

The diffs that people and models read escape what cannot be seen and shorten long lines.
A patch is for a program, so it has the bytes themselves.
"""

from __future__ import annotations

import base64
import hashlib
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from filewright.edit.linediff import LineChange, diff_lines

CONTEXT_LINES = 3
_BINARY_SAMPLE_BYTES = 8_000
"""Bytes that are searched for NUL, as git does."""
_BINARY_LINE_BYTES = 52
_LINK_MODE = 0o120000
_FILE_MODE = 0o100000
_EXECUTE_BITS = 0o111
_PLAIN_NAME = bytes(
    byte for byte in range(0x20, 0x7F) if byte not in (0x22, 0x5C)
)
"""The bytes that a name has without quotes."""
_ESCAPES = {
    0x07: "a",
    0x08: "b",
    0x09: "t",
    0x0A: "n",
    0x0B: "v",
    0x0C: "f",
    0x0D: "r",
    0x22: '"',
    0x5C: "\\",
}


@dataclass(frozen=True, slots=True)
class GitFile:
    """A file as git stores it: its name, its mode and its bytes; of a link the target."""

    name: bytes
    mode: int
    content: bytes

    @property
    def git_mode(self) -> str:
        """The mode as a patch names it: git only knows whether a file is executable."""
        if self.mode == _LINK_MODE:
            return f"{_LINK_MODE:o}"
        executable = 0o755 if self.mode & _EXECUTE_BITS else 0o644
        return f"{_FILE_MODE | executable:o}"


def format_file_patch(before: GitFile | None, after: GitFile | None) -> bytes:
    """Return the patch that turns a file into another one; empty if nothing differs.

    None stands for a file that does not exist.
    """
    existing = before or after
    if existing is None:
        return b""
    old, new = before or existing, after or existing
    if before and after and before.git_mode[:3] != after.git_mode[:3]:
        # git has no patch that turns a file into a link.
        return format_file_patch(before, None) + format_file_patch(None, after)
    old_content = before.content if before else b""
    new_content = after.content if after else b""
    is_changed = old_content != new_content
    header = _format_header(before, after)
    if before and after and not header and not is_changed:
        return b""
    first_line = b"diff --git %s %s\n" % (
        _quote_name(b"a/", old.name),
        _quote_name(b"b/", new.name),
    )
    if not is_changed:
        return first_line + header
    if _is_binary(old_content) or _is_binary(new_content):
        index = b"index %s..%s\n" % (
            _object_name(before),
            _object_name(after),
        )
        body = index + _format_binary(old_content, new_content)
    else:
        body = _format_names(before, after)
        body += b"".join(_iter_hunks(old_content, new_content))
    return first_line + header + body


def _format_header(before: GitFile | None, after: GitFile | None) -> bytes:
    """Return the lines about names and modes."""
    if before is None:
        assert after is not None
        return f"new file mode {after.git_mode}\n".encode()
    if after is None:
        return f"deleted file mode {before.git_mode}\n".encode()
    header = b""
    if before.git_mode != after.git_mode:
        header += f"old mode {before.git_mode}\n".encode()
        header += f"new mode {after.git_mode}\n".encode()
    if before.name != after.name:
        if before.content == after.content:
            header += b"similarity index 100%\n"
        header += b"rename from %s\n" % _quote_name(b"", before.name)
        header += b"rename to %s\n" % _quote_name(b"", after.name)
    return header


def _format_names(before: GitFile | None, after: GitFile | None) -> bytes:
    lines = b""
    for sign, prefix, file in ((b"---", b"a/", before), (b"+++", b"b/", after)):
        name = b"/dev/null"
        if file is not None:
            name = _quote_name(prefix, file.name)
            # The end of a name with a space is not clear otherwise.
            if b" " in name:
                name += b"\t"
        lines += b"%s %s\n" % (sign, name)
    return lines


def _quote_name(prefix: bytes, name: bytes) -> bytes:
    """Return a name as git writes it: in quotes if it has unusual bytes."""
    path = prefix + name
    if not path.translate(None, _PLAIN_NAME):
        return path
    quoted = ""
    for byte in path:
        if byte in _ESCAPES:
            quoted += f"\\{_ESCAPES[byte]}"
        elif byte in _PLAIN_NAME:
            quoted += chr(byte)
        else:
            quoted += f"\\{byte:03o}"
    return f'"{quoted}"'.encode("ascii")


def _is_binary(content: bytes) -> bool:
    return b"\0" in content[:_BINARY_SAMPLE_BYTES]


# Text


def _iter_hunks(before: bytes, after: bytes) -> Iterator[bytes]:
    """Yield the hunks of two texts, whose lines end with a line feed alone."""
    old_lines = before.splitlines(keepends=True)
    new_lines = after.splitlines(keepends=True)
    if b"\r" in before or b"\r" in after:
        # A carriage return is a byte like any other to git.
        old_lines, new_lines = _split_lines(before), _split_lines(after)
    for group in _group_changes(diff_lines(old_lines, new_lines)):
        yield _format_hunk(group, old_lines, new_lines)


def _split_lines(text: bytes) -> list[bytes]:
    lines = [line + b"\n" for line in text.split(b"\n")]
    last = lines.pop()
    if last != b"\n":
        lines.append(last[:-1])
    return lines


def _group_changes(
    changes: Sequence[LineChange],
) -> list[list[LineChange]]:
    """Return the changes by hunk: those whose context touches are of one."""
    groups: list[list[LineChange]] = []
    for change in changes:
        is_near = groups and (
            change.start - groups[-1][-1].end <= 2 * CONTEXT_LINES
        )
        if is_near:
            groups[-1].append(change)
        else:
            groups.append([change])
    return groups


def _format_hunk(
    changes: Sequence[LineChange],
    old_lines: Sequence[bytes],
    new_lines: Sequence[bytes],
) -> bytes:
    first, last = changes[0], changes[-1]
    start = max(first.start - CONTEXT_LINES, 0)
    end = min(last.end + CONTEXT_LINES, len(old_lines))
    new_start = first.new_start - (first.start - start)
    new_end = last.new_end + (end - last.end)
    parts = [
        b"@@ -%s +%s @@\n"
        % (_format_span(start, end), _format_span(new_start, new_end))
    ]
    position = start
    for change in changes:
        for line in old_lines[position : change.start]:
            parts.append(_format_line(b" ", line))
        for line in old_lines[change.start : change.end]:
            parts.append(_format_line(b"-", line))
        for line in new_lines[change.new_start : change.new_end]:
            parts.append(_format_line(b"+", line))
        position = change.end
    for line in old_lines[position:end]:
        parts.append(_format_line(b" ", line))
    return b"".join(parts)


def _format_line(sign: bytes, line: bytes) -> bytes:
    if line.endswith(b"\n"):
        return sign + line
    return b"%s%s\n\\ No newline at end of file\n" % (sign, line)


def _format_span(start: int, end: int) -> bytes:
    """Return a span of lines, which count from 0, as the header of a hunk has it."""
    count = end - start
    if count == 1:
        return b"%d" % (start + 1)
    # A side without lines has the number of the line above.
    first = start + 1 if count else start
    return b"%d,%d" % (first, count)


# Binary content


def _object_name(file: GitFile | None) -> bytes:
    """Return the name that git gives a content; zeros without a file."""
    if file is None:
        return b"0" * 40
    digest = hashlib.sha1(usedforsecurity=False)
    digest.update(b"blob %d\0" % len(file.content))
    digest.update(file.content)
    return digest.hexdigest().encode()


def _format_binary(before: bytes, after: bytes) -> bytes:
    """Return both contents, so that the patch can be reversed."""
    return b"GIT binary patch\n%s\n%s\n" % (
        _format_literal(after),
        _format_literal(before),
    )


def _format_literal(content: bytes) -> bytes:
    packed = zlib.compress(content)
    lines = [b"literal %d\n" % len(content)]
    for start in range(0, len(packed), _BINARY_LINE_BYTES):
        piece = packed[start : start + _BINARY_LINE_BYTES]
        # The first character is the number of bytes: A to Z, then a to z.
        letter = ord("A") + len(piece) - 1
        if len(piece) > 26:
            letter = ord("a") + len(piece) - 27
        encoded = base64.b85encode(piece, pad=True)
        lines.append(b"%c%s\n" % (letter, encoded))
    return b"".join(lines)
