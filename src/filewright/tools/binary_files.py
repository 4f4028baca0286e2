"""The refusal of files that are not text."""

from __future__ import annotations

import codecs

from filewright.errors import Code, FilewrightError
from filewright.hints import Hint
from filewright.text import codec, detection
from filewright.text.compression import Compression, find_compression_by_type
from filewright.text.snapshot import Snapshot
from filewright.wording import character_name

_SAMPLE_BYTES = 64 << 10
_TEXT_BYTES = bytes({*b"\t\n\f\r\x1b", *range(0x20, 0x7F), *range(0x80, 0x100)})

MAX_NULS = 20
"""The NUL characters in a text by mistake; a file with more is binary."""


def binary_error(snapshot: Snapshot) -> FilewrightError:
    """Return the error for a file that is binary, or text in an unsupported encoding."""
    compression = find_compression_by_type(snapshot.binary_type)
    if compression is not None and not snapshot.compression:
        return _compressed_error(snapshot, compression)
    path, size = snapshot.requested_path, snapshot.file_size
    hint: str = "binary files can be listed, moved, copied and deleted, but not read or edited as text"
    encoding = snapshot.unreadable_encoding
    if encoding:
        name = encoding.upper()
        message = f"{path} is text in {name}, {size:,} bytes, which is not read or edited"
        hint = (
            f"convert it first, and back after the edit: iconv -f {name} -t "
            "UTF-8"
        )
        if encoding != "utf-32":
            plain = "; if it is really plain ASCII, give"
            hint = Hint(
                f'{hint}{plain} encoding="ascii"',
                shell=f"{hint}{plain} --encoding ascii",
            )
    elif snapshot.compression:
        message = f"{path} holds no text: {snapshot.binary_type}, compressed with {snapshot.compression}"
    else:
        message = f"{path} is not text: {snapshot.binary_type}, {size:,} bytes"
        hint = Hint(
            f"{hint}; if it is really text, give its encoding to read_content",
            shell=f"{hint}; if it is really text, give its --encoding to "
            "filewright read",
            plain=hint,
        )
        nul = _find_nul_in_text(snapshot)
        if nul:
            hint = Hint(
                f'only {nul} makes it binary: with encoding="utf-8" '
                "read_content and edit_content take it as text, in which "
                "\\u0000 in the search text finds it",
                shell=f"only {nul} makes it binary: filewright read and "
                "filewright edit take it as text with --encoding utf-8",
                plain=f"only {nul} makes it binary",
            )
    return FilewrightError(
        Code.IS_BINARY,
        message,
        hint,
        path=path,
        type=snapshot.binary_type,
        size=size,
    )


def require_plain(snapshot: Snapshot) -> None:
    """Raise `unsupported` for the text inside a compressed file, which is not edited."""
    compression = find_compression_by_type(snapshot.compression)
    if compression is not None:
        raise _compressed_error(snapshot, compression)


def _compressed_error(
    snapshot: Snapshot, compression: Compression
) -> FilewrightError:
    """Return the error for a change or comparison of a compressed file."""
    path = snapshot.requested_path
    return FilewrightError(
        Code.UNSUPPORTED,
        f"{path} is compressed with {compression.name}: its text can be read and searched, but not changed",
        f"unpack it, edit, and compress it again: {compression.unpack}, then "
        f"{compression.pack}",
        path=path,
        type=snapshot.binary_type,
        size=snapshot.size,
    )


def _find_nul_in_text(snapshot: Snapshot) -> str:
    """Return the place of the first NUL in a text with a few of them, else ""."""
    head = snapshot.read(0, _SAMPLE_BYTES)
    control_characters = head.translate(None, delete=_TEXT_BYTES)
    nul_count = control_characters.count(0)
    if nul_count != len(control_characters) or nul_count > MAX_NULS:
        return ""
    if detection.media_type(head) is not None:
        return ""
    try:
        before = codecs.getincrementaldecoder("utf-8")().decode(
            head[: head.index(0)], final=True
        )
        # The sample may end within a character, so the decoder is not told the end.
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except (UnicodeDecodeError, ValueError):
        return ""
    lines = codec.normalize_newlines(before).split("\n")
    column = len(lines[-1]) + 1
    return f"{character_name(chr(0))} at line {len(lines)}, column {column}"
