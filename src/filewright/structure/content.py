"""Content as a grammar can read it: every byte at its own offset, line ends that grammars know.

Grammars read UTF-8 and UTF-16 and count only `\\n` as the end of a line. What differs is put right
by replacements of equal length, so that every offset stays true.
"""

from __future__ import annotations

import re
from typing import Final, Literal, NamedTuple

from filewright.structure.language import Language

TreeEncoding = Literal["utf8", "utf16le", "utf16be"]

_LONE_CR: Final = re.compile(rb"\r(?!\n)")
_LONE_CR_TEXT: Final = re.compile("\r(?!\n)")
# Forms a grammar does not have, and others of the same length that it reads alike.
_MASKS: Final = {
    Language.KOTLIN: (b"interface", re.compile(rb"\bfun(?=\s+interface\b)"), b"   "),
    Language.RUST: (b"try!", re.compile(rb"\btry!"), b"tri!"),
}


class Content(NamedTuple):
    """Bytes ready to be parsed, and the codec names in them are written in."""

    data: bytes
    codec: str
    encoding: TreeEncoding


def prepared(data: bytes, codec: str, language: Language) -> Content | None:
    """`data` ready for the grammar of `language`; None if its encoding cannot be parsed (UTF-32)."""
    codec = codec.lower().replace("_", "-")
    if codec.startswith(("utf-32", "utf-7")):
        return None
    if codec.startswith("utf-16"):
        wide = "utf-16-be" if codec.endswith("be") else "utf-16-le"
        return Content(_wide(data, wide), wide, "utf16be" if wide.endswith("be") else "utf16le")
    if b"\r" in data and data.count(b"\r") != data.count(b"\r\n"):
        data = _LONE_CR.sub(b"\n", data)
    if language in _MASKS:
        word, form, other = _MASKS[language]
        if word in data:
            data = form.sub(other, data)
    return Content(data, codec, "utf8")


def _wide(data: bytes, codec: str) -> bytes:
    if b"\r" not in data:
        return data
    even = data[: len(data) & ~1]
    text = even.decode(codec, "surrogatepass")
    return _LONE_CR_TEXT.sub("\n", text).encode(codec, "surrogatepass") + data[len(even) :]
