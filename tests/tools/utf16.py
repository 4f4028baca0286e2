"""Text in UTF-16 with a mark, in either order of bytes."""

import codecs

MARKS = {"utf-16-le": codecs.BOM_UTF16_LE, "utf-16-be": codecs.BOM_UTF16_BE}
WIDE_TEXT = "Größe = 1\r\nname = 日本 😀\r\n\u0a0a\u0d0d end\r\n"


def wide(text: str, codec: str) -> bytes:
    """Return the text with a mark in the codec; halves of pairs are kept."""
    return MARKS[codec] + text.encode(codec, "surrogatepass")
