"""Kinds of files that clients' edit tools damage, and a count of the damage."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path

from bench.case import File

EDITS = (
    ("port = 80", "port = 8080"),
    ("host = one", "host = two"),
    ("name = old", "name = new"),
)
"""The edits of each file, each of a line of its own."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of file: its bytes, and its place in the file system."""

    name: str
    content: bytes
    encoding: str = "utf-8"
    mode: int = 0o644
    link: str | None = None
    """Whether the client edits it through a ``symbolic`` link, or it has a second name, by a ``hard`` one."""
    text_encoding: str = ""
    """The encoding of the whole text, where `encoding` is that of the edits alone."""
    indent: str = ""
    """The whitespace before each line that is edited: a patch names whole lines."""

    @property
    def file(self) -> File:
        """The file in the project."""
        name = self.name.replace(" ", "-").replace(",", "") + ".txt"
        return File(name, self.content, self.mode, self.link)

    def write(self, folder: Path) -> Path:
        """Write the file below a folder; return the path that a client edits."""
        return self.file.write(folder)

    def edited(self, edits: Sequence[tuple[str, str]]) -> bytes:
        """Return the bytes of the file with some edits and nothing else."""
        content = self.content
        for old, new in edits:
            old_bytes, new_bytes = self.encode(old), self.encode(new)
            assert content.count(old_bytes) == 1
            content = content.replace(old_bytes, new_bytes)
        return content

    def edits_in(self, content: bytes) -> list[tuple[str, str]]:
        """Return the edits that the bytes of the file show."""
        return [edit for edit in EDITS if self.encode(edit[1]) in content]

    def lost(self, path: Path) -> str:
        """Return the property beside the bytes that the file has lost, or ""."""
        return self.file.lost_property(path)

    @property
    def text(self) -> str:
        """The text as a reader sees it: without a mark, and U+FFFD for bytes that are none."""
        encoding = self.text_encoding or self.encoding
        return self.content.decode(encoding, "replace").removeprefix("\ufeff")

    def encode(self, text: str) -> bytes:
        """Return a part of the text in the encoding of the file."""
        return text.encode(self.text_encoding or self.encoding)


def count_damage(expected: bytes, actual: bytes) -> int:
    """Return the number of bytes that are not as expected."""
    matcher = SequenceMatcher(None, expected, actual, autojunk=False)
    count = 0
    for tag, start, end, other_start, other_end in matcher.get_opcodes():
        if tag != "equal":
            count += max(end - start, other_end - other_start)
    return count


_LINES = (
    "# caf\u00e9, na\u00efve, Stra\u00dfe",
    "port = 80",
    "size = 10",
    "host = one",
    "# \u00fcber",
    "name = old",
    "# d\u00e9j\u00e0 vu",
)
_PLAIN = ("# top", "port = 80", "size = 10", "host = one", "# middle", "name = old", "# end")  # fmt: skip
_WINDOWS = [line.replace("na\u00efve", "\u201cna\u00efve\u201d \u20ac") for line in _LINES]  # fmt: skip
_JAPANESE = [
    line.replace("caf\u00e9, na\u00efve, Stra\u00dfe", "\u8a2d\u5b9a\u30d5\u30a1\u30a4\u30eb\u3001\u6b63\u3057\u3044")
    .replace("\u00fcber", "\u63a5\u7d9a\u5148").replace("d\u00e9j\u00e0 vu", "\u7d42\u308f\u308a")
    for line in _LINES
]  # fmt: skip

_SHORT = ["# \u8a2d\u5b9a \u6b63\u3057\u3044\u5024", *_PLAIN[1:4], "# \u63a5\u7d9a\u5148", *_PLAIN[5:]]  # fmt: skip
"""Japanese lines that are too few to recognise the encoding."""


def _join(lines: Sequence[str], end: str = "\n") -> str:
    return "".join(line + end for line in lines)


def _mix(ends: str) -> bytes:
    """Return plain lines with ends by a letter each: C, L, or R for a lone CR."""
    letters = {"C": "\r\n", "L": "\n", "R": "\r"}
    pairs = zip(_PLAIN, ends, strict=True)
    return "".join(line + letters[letter] for line, letter in pairs).encode()


KINDS = (
    Kind("Latin-1", _join(_LINES).encode("latin-1"), text_encoding="latin-1"),
    Kind("cp1252", _join(_WINDOWS).encode("cp1252"), text_encoding="cp1252"),
    Kind("Shift-JIS", _join(_JAPANESE).encode("shift-jis"), text_encoding="shift-jis"),
    Kind("Shift-JIS, short", _join(_SHORT).encode("shift-jis"), text_encoding="shift-jis"),
    Kind("UTF-16", b"\xff\xfe" + _join(_LINES).encode("utf-16-le"), "utf-16-le"),
    Kind("UTF-8 with a BOM", b"\xef\xbb\xbf" + _join(_LINES).encode()),
    Kind("CRLF", _join(_LINES, "\r\n").encode()),
    Kind("mixed, more CRLF", _mix("CCLCCLC")),
    Kind("mixed, more LF", _mix("LCLLCLL")),
    Kind("lone CR", _mix("RLLLRLL")),
    Kind("invalid bytes", _join(_LINES).encode().replace(b"size", b"\xff\xfe \xc3( size")),
    Kind("tabs", _join([f"\t{line}" if "=" in line else f"  {line}" for line in _LINES]).encode(), indent="\t"),
    Kind("trailing blanks", _join([f"{line} \t" if "#" in line else line for line in _LINES]).encode()),
    Kind("no final newline", _join(_LINES).encode().removesuffix(b"\n")),
    Kind("executable", b"#!/bin/sh\n" + _join(_LINES).encode(), mode=0o755),
    Kind("symbolic link", _join(_LINES).encode(), link="symbolic"),
    Kind("hard link", _join(_LINES).encode(), link="hard"),
)  # fmt: skip
