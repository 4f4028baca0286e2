"""Declarations: the encoding that a text names itself.

Python and Ruby read a cookie in a comment of the first two lines; Emacs reads
``-*- coding: … -*-`` there and local variables at the end; Vim reads a modeline in the
first or last five lines. XML, HTML, CSS, JSP, LaTeX, gettext and PHP have their own
declarations. A declaration counts only in a text of its language: a charset in a string
of a program declares nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from filewright.text.codec import WIDE, Encoding, encode, find_encoding

DECLARED_BYTES = 4 << 10
"""Distance from the start within which declarations count."""
TRAILER_BYTES = 3_000
"""Distance from the end within which Emacs and Vim read declarations."""

_MODELINES = 5
_PROSE_SUFFIXES = (b".md", b".markdown", b".mdx", b".txt", b".rst", b".adoc")
"""Files in which a line that begins with ``#`` is a heading or text, not a comment."""

_HINTS = (b"coding", b"charset", b"fenc", b"inputenc")
"""Each declaration holds one of these, in lower case."""

_COMMENT_COOKIE = re.compile(rb"[ \t\f]*#[^\r\n]*?coding[:=][ \t]*([-\w.]+)")
_BLANK_OR_COMMENT = re.compile(rb"[ \t\f]*(?:#|\Z)")
_EMACS = re.compile(
    rb"-\*-(?:[^\r\n]*?[ \t;])??coding:[ \t]*([-\w.]+)[^\r\n]*?-\*-",
    re.IGNORECASE,
)
_EMACS_VARIABLES = re.compile(
    rb"Local Variables:[^\r\n]*(?:\r\n?|\n)(?:[^\r\n]*(?:\r\n?|\n)){0,40}?"
    rb"[^\r\n]*?\bcoding:[ \t]*([-\w.]+)[\s\S]*?\bEnd:",
    re.IGNORECASE,
)
_VIM = re.compile(
    rb"(?:^|[ \t])(?:vim?|Vim|ex):[^\r\n]*?\b(?:fileencoding|fenc)=([-\w.]+)"
)
_XML = re.compile(rb"<\?xml\b[^>]*?\bencoding\s*=\s*[\"']\s*([-\w.:]+)")
_CSS = re.compile(rb"@charset\s+[\"']([-\w.:]+)", re.IGNORECASE)
_PHP = re.compile(
    rb"<\?php\s+declare\s*\(\s*encoding\s*=\s*[\"']([-\w.:]+)", re.IGNORECASE
)
_JSP = re.compile(
    rb"<%@\s*page\b[^%]*?(?:\bpageEncoding\s*=\s*[\"']|\bcharset\s*=\s*)([-\w.:]+)",
    re.IGNORECASE,
)
_HTML_COMMENT = re.compile(rb"<!--.*?(?:-->|\Z)", re.DOTALL)
_HTML_META = re.compile(
    rb"<meta\b[^>]*?\bcharset\s*=\s*[\"']?\s*([-\w.:]+)", re.IGNORECASE
)
_MARKUP = re.compile(rb"\s*(?:<|\{[%{#]|---)")
_LATEX = re.compile(
    rb"^[^%\r\n]*\\usepackage\s*\[([\w-]+)\]\s*\{inputenc\}", re.MULTILINE
)
_LATEX_START = re.compile(rb"\s*[\\%]")
_GETTEXT = re.compile(
    rb'^"Content-Type:[^"\r\n]*\bcharset=([-\w.]+)\\n"', re.MULTILINE
)

_FOREIGN_LABEL = re.compile(
    r"(?:x-)?(?:iso|ibm|cp|win|windows|euc|mac|koi|utf|ucs|gb|big|ks|tis|hp|jis|cesu|armscii|viscii|tcvn|tscii)"
    r"[-_]?.*\d.*|(?:x-)?(?:hz|euc-tw|viscii|scsu|x-user-defined|mac-?\w+)",
    re.IGNORECASE,
)
"""Labels of encodings, including those that filewright cannot write."""


@dataclass(frozen=True, slots=True)
class Declaration:
    """A declared encoding: its `label`, and its name in `ENCODINGS` or ""."""

    label: str
    encoding: str


def find_declaration(
    head: bytes, tail: bytes = b"", file_name: bytes = b""
) -> Declaration | None:
    """Return the declaration in the first or last bytes of a text, or None.

    Labels of no known encoding are ignored.
    """
    lowered = (head + tail).lower()
    if not any(hint in lowered for hint in _HINTS):
        return None
    for label in _labels(head, tail, file_name):
        text = label.decode("ascii", "replace")
        encoding = find_encoding(text)
        if encoding is not None:
            return Declaration(text, encoding)
        if _FOREIGN_LABEL.fullmatch(text) and not re.match(
            r"(?i)utf-?(?:16|32)|ucs", text
        ):
            return Declaration(text, "")
    return None


def declared_encoding(text: str, file_name: bytes = b"") -> Encoding | None:
    """Return the encoding that the text of a new file declares, or None."""
    if not any(
        hint.decode() in text[: 2 * DECLARED_BYTES].lower() for hint in _HINTS
    ):
        return None
    data = text.encode("utf-8", "replace")
    declaration = find_declaration(
        data[:DECLARED_BYTES], data[DECLARED_BYTES:][-TRAILER_BYTES:], file_name
    )
    if declaration is None or declaration.encoding in WIDE:
        return None
    if declaration.encoding == "utf-8":
        return Encoding("utf-8")
    return Encoding(
        declaration.encoding or "ascii", declared_label=declaration.label
    )


def encode_as_declared(
    content: bytes, file_name: bytes = b"", *, argument: str = "content"
) -> bytes:
    """Return the UTF-8 content of a new file in the encoding that it declares.

    Other programs will read it in that encoding.

    Raises `unencodable` for a character that this encoding cannot write.
    """
    if content.isascii():
        return content
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        # A binary file that was moved.
        return content
    encoding = declared_encoding(text, file_name)
    if encoding is None or encoding.is_utf8 or text.startswith("\ufeff"):
        return content
    # Encoding normalizes line ends, and here each line keeps its own.
    encoded = bytearray()
    for part in re.split("([\r\n])", text):
        if part in ("\r", "\n"):
            encoded += part.encode()
        else:
            encoded += encode(part, encoding, argument=argument)
    return bytes(encoded)


def _labels(head: bytes, tail: bytes, file_name: bytes) -> Iterator[bytes]:
    """Yield the labels that may be declared, the strongest declaration first."""
    for pattern in (_XML, _CSS, _PHP):
        if match := pattern.match(head):
            yield match[1]
    first_lines = head.splitlines()[:_MODELINES]
    last_lines = (tail or head).splitlines()[-_MODELINES:]
    yield from _search_lines(_EMACS, first_lines[:2])
    if not file_name.lower().endswith(_PROSE_SUFFIXES):
        yield from _comment_cookies(first_lines[:2])
    yield from _search_lines(_VIM, [*first_lines, *last_lines])
    if _MARKUP.match(head):
        markup = _HTML_COMMENT.sub(b"", head)
        for pattern in (_JSP, _HTML_META):
            if match := pattern.search(markup):
                yield match[1]
    if _LATEX_START.match(head) and (match := _LATEX.search(head)):
        yield match[1]
    if match := _GETTEXT.search(head):
        yield match[1]
    if match := _EMACS_VARIABLES.search(tail or head):
        yield match[1]


def _search_lines(
    pattern: re.Pattern[bytes], lines: Iterable[bytes]
) -> Iterator[bytes]:
    for line in lines:
        if match := pattern.search(line):
            yield match[1]


def _comment_cookies(lines: Iterable[bytes]) -> Iterator[bytes]:
    for line in lines:
        if match := _COMMENT_COOKIE.match(line):
            yield match[1]
        if not _BLANK_OR_COMMENT.match(line):
            break  # A cookie in the second line counts only after a comment.
