"""The conversion of line ends between git's objects and a working tree.

With `core.autocrlf` or an attribute, git stores LF where the working tree has CRLF.
These are git's own rules (`convert.c`), for content that is not filtered: so a file is
compared in the form in which git would store it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

ATTRIBUTES = ("text", "crlf", "eol", "diff", "filter", "working-tree-encoding")
"""The attributes that decide whether and how a file is converted."""

_UNSET = ("unspecified", "unset", "")
_TEXT_CONTROLS = b"\b\t\x1b\x0c"


@dataclass(frozen=True, slots=True)
class FileConversion:
    """The conversion of one file.

    `is_text` is set where git always unifies the line ends, `is_automatic` where it
    does so for content that looks like text. `obstacle` says why the content cannot be
    compared: another program makes it from what git stores. `is_binary` is set where an
    attribute calls the file binary.
    """

    is_text: bool = False
    is_automatic: bool = False
    is_binary: bool = False
    obstacle: str = ""

    def unifies_ends(self, content: bytes, stored: bytes) -> bool:
        """Return True if git stores LF for each CRLF of a content.

        `stored` is what git stores of the file now.
        """
        if self.is_text:
            return True
        # A file that is stored with CRLF was never converted, and stays so.
        return (
            self.is_automatic
            and b"\r\n" not in stored
            and not _looks_binary(content)
        )


def file_conversion(
    attributes: Mapping[str, str], autocrlf: str
) -> FileConversion:
    """Return the conversion of a file by its attributes and `core.autocrlf`."""
    for name in ("filter", "working-tree-encoding"):
        value = attributes.get(name, "")
        if value not in _UNSET:
            return FileConversion(obstacle=f"the attribute {name}={value}")
    text = attributes.get("text", "unspecified")
    legacy = attributes.get("crlf", "unspecified")
    if text == "unspecified":
        # `crlf` is the former name of `text`.
        text = "set" if legacy == "input" else legacy
    if text == "unset":
        # The macro `binary` unsets both; a file without `text` alone may still be text.
        is_binary = attributes.get("diff") == "unset"
        return FileConversion(is_binary=is_binary)
    has_end = attributes.get("eol") in ("lf", "crlf")
    if text == "auto":
        return FileConversion(is_automatic=True)
    if text == "set" or has_end:
        return FileConversion(is_text=True)
    return FileConversion(is_automatic=autocrlf in ("true", "input"))


def to_stored_ends(content: bytes) -> bytes:
    """Return a content as git stores it where it unifies the line ends."""
    return content.replace(b"\r\n", b"\n")


def restore_ends(stored: bytes, content: bytes) -> bytes | None:
    """Return a stored content with the line ends that a working file has.

    None if the working file has both LF and CRLF: git does not say which line should
    have which.
    """
    crlf_count = content.count(b"\r\n")
    if not crlf_count:
        return stored
    if crlf_count == content.count(b"\n"):
        return to_stored_ends(stored).replace(b"\n", b"\r\n")
    return None


def _looks_binary(content: bytes) -> bool:
    """Return True if git takes a content for binary, as `core.autocrlf` does."""
    if b"\0" in content:
        return True
    # Git takes a carriage return without a line feed for a sign of binary data.
    if content.count(b"\r") > content.count(b"\r\n"):
        return True
    controls = bytes(range(32)).translate(None, b"\r\n" + _TEXT_CONTROLS)
    # Git forgives an end-of-file mark of DOS as the last byte.
    text = content.removesuffix(b"\x1a")
    control_count = len(text) - len(text.translate(None, controls + b"\x7f"))
    breaks = text.count(b"\n") + text.count(b"\r\n")
    printable_count = len(text) - control_count - breaks
    return printable_count >> 7 < control_count
