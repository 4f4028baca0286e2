"""Content as a grammar can read it: every byte at its own offset, line ends that grammars know.

Grammars read UTF-8 and UTF-16 and count only `\\n` as the end of a line. What differs is put right
by replacements of equal length, so that every offset stays true.
"""

from __future__ import annotations

import re
from typing import Final, Literal, NamedTuple

from filewright.languages import Language

TreeEncoding = Literal["utf8", "utf16le", "utf16be"]

MAX_PARSED_BYTES: Final = 24 << 20
"""Of a larger text the beginning is parsed: a tree takes some twenty times its text."""

_LONE_CR: Final = re.compile(rb"\r(?!\n)")
_LONE_CR_TEXT: Final = re.compile("\r(?!\n)")
# Forms that a grammar does not have are made into others of the same length that it reads.
_FUN_INTERFACE: Final = re.compile(rb"\bfun(?=\s+interface\b)")
_TRY: Final = re.compile(rb"\btry!")
_BRACKETED: Final = re.compile(
    rb"(?<![\w\])])\[([A-Za-z_][^\]\[\"\r\n]{0,126})\]"
)
_BRACKETED_TYPE: Final = re.compile(
    rb"\[((?:tiny|small|big)?int|n?(?:var)?char|n?text|(?:small)?datetime2?|date|time|bit|decimal|numeric|float|real"
    rb"|money|(?:var)?binary|uniqueidentifier)\]",
    re.IGNORECASE,
)
_FILE_GROUP: Final = re.compile(
    rb"\b(?:TEXTIMAGE_)?ON[ \t]{1,8}\[?PRIMARY\]?|\bWITH NOCHECK\b|\bCOLLATE[ \t]{1,8}\w{1,80}"
    rb"|\bIDENTITY[ \t]{0,8}\([^()\n]{0,80}\)",
    re.IGNORECASE,
)
_BATCH: Final = re.compile(
    rb"^[ \t]*GO[ \t]*\r?$", re.MULTILINE | re.IGNORECASE
)
_CLUSTERED: Final = re.compile(rb"\b(?:NON)?CLUSTERED\b", re.IGNORECASE)
_DIRECTIVE: Final = re.compile(
    rb"^[ \t]*#(?:[^\\\n]|\\\r?\n|\\.)*", re.MULTILINE
)
_ANY_MACRO: Final = re.compile(rb"\b[A-Z][A-Z0-9_]{3}")
_MACRO: Final = rb"[A-Z][A-Z0-9_]{0,60}_[A-Z0-9_]{0,60}"
_ARGUMENTS: Final = rb"(?:\([^()\n]{0,200}\))?"
# A macro alone on its line, where a declaration or a block begins or ends: FMT_BEGIN_NAMESPACE, Q_OBJECT.
_ALONE: Final = re.compile(
    rb"^[ \t]*("
    + _MACRO
    + rb"|[A-Z]{4,})(\([^()\n]{0,200}\))?[ \t]*(?://[^\n]*)?\r?$(?=\s*([^\s]\w*)?)",
    re.MULTILINE,
)
_BEFORE: Final = frozenset(b";{}>):*/\\")
_STARTS: Final = frozenset(
    b"template class struct union enum namespace typedef using inline static constexpr explicit virtual extern"
    b" friend public private protected # / //".split()
)
# An attribute before the name of a class: class GTEST_API_ Message.
_OF_CLASS: Final = re.compile(
    rb"\b(?:class|struct|union|enum)[ \t]{1,40}((?:"
    + _MACRO
    + _ARGUMENTS
    + rb"[ \t]{1,40}){1,3})(?=[A-Za-z_]\w*[ \t\r\n]*[:{;<f])"
)
# Before a declaration whose type still follows: FMT_API void f(), NODISCARD_ static inline int g().
_BEFORE_TYPE: Final = re.compile(
    rb"^[ \t]*((?:" + _MACRO + _ARGUMENTS + rb"[ \t]{1,40}){1,3})"
    rb"(?=(?:template|class|struct|enum|union|namespace|using|typedef|extern|friend)\b"
    rb"|(?:[A-Za-z_][\w:]{0,100}(?:<[^<>\n;(){}]{0,200}>)?[&*]*[ \t]{1,40}){1,5}[&*~]*[\w:]{1,100}[ \t]*[(;={])",
    re.MULTILINE,
)
_OF_CONSTRUCTOR: Final = re.compile(
    rb"^[ \t]*("
    + _MACRO
    + rb"[ \t]{1,40})(?=(?:\w+::){0,8}(\w+)(?:<[^<>\n]{0,200}>)?::~?\2[ \t]*\()",
    re.MULTILINE,
)
# Between the type and the name: void SPDLOG_INLINE spdlog::flush().
_BEFORE_NAME: Final = re.compile(
    rb"(?<![\w:])(?!(?:const|static|extern|struct|class|enum|union|unsigned|signed|typedef|return|volatile|inline"
    rb"|virtual|explicit|typename|constexpr|case|new|goto|public|private|protected|register|mutable|friend)\b)"
    rb"[A-Za-z_][\w:]{0,100}(?:<[^<>\n]{0,200}>)?[*&]*[ \t]{1,40}("
    + _MACRO
    + rb"[ \t]{1,40})(?=[*&]*[A-Za-z_~][\w:<>, ]{0,200}\()"
)
# After the parameters of a function: ) FMT_NOEXCEPT {
_BEHIND: Final = re.compile(
    rb"(?<=\))[ \t]{0,8}((?:(?:const|override|final|noexcept)[ \t]{1,8}){0,4}(?:"
    + _MACRO
    + _ARGUMENTS
    + rb"[ \t]{0,8}){1,3})(?=[{;]|$)",
    re.MULTILINE,
)
# A macro for an access specifier, or for a word between template and class.
_ACCESS: Final = re.compile(
    rb"^[ \t]*[A-Z][A-Z0-9_]{3,}:[ \t]*\r?$", re.MULTILINE
)


class Content(NamedTuple):
    """Bytes ready to be parsed, and the codec names in them are written in."""

    data: bytes
    codec: str
    encoding: TreeEncoding


def prepare_content(
    data: bytes, codec: str, language: Language
) -> Content | None:
    """`data` ready for the grammar of `language`; None if its encoding cannot be parsed (UTF-32)."""
    codec = codec.lower().replace("_", "-")
    if codec.startswith(("utf-32", "utf-7")):
        return None
    if codec.startswith("utf-16"):
        wide = "utf-16-be" if codec.endswith("be") else "utf-16-le"
        return Content(
            _wide(data, wide),
            wide,
            "utf16be" if wide.endswith("be") else "utf16le",
        )
    if b"\r" in data and data.count(b"\r") != data.count(b"\r\n"):
        data = _LONE_CR.sub(b"\n", data)
    if language in _MASKS:
        data = _MASKS[language](data)
    return Content(data, codec, "utf8")


def _plain_sql(data: bytes) -> bytes:
    """T-SQL's names in brackets and ends of batches, as other dialects write them."""
    if b"[" in data:
        data = _FILE_GROUP.sub(_blank, data)
        data = _BRACKETED_TYPE.sub(rb" \1 ", data)
        data = _BRACKETED.sub(rb'"\1"', data)
    data = _BATCH.sub(lambda found: b";" + b" " * (len(found[0]) - 1), data)
    return _CLUSTERED.sub(_blank, data)


def _plain_c(data: bytes) -> bytes:
    """Without the macros that are where a grammar expects a declaration, which only their definitions explain."""
    parts, end = [], 0
    for directive in _DIRECTIVE.finditer(data):
        parts.append(_without_macros(data[end : directive.start()]))
        parts.append(directive[0])
        end = directive.end()
    parts.append(_without_macros(data[end:]))
    return b"".join(parts)


def _without_macros(data: bytes) -> bytes:
    if _ANY_MACRO.search(data) is None:
        return data
    data = _ALONE.sub(
        lambda found: _blank(found) if _is_alone(found) else found[0], data
    )
    for form in (_OF_CLASS, _BEFORE_TYPE, _OF_CONSTRUCTOR, _BEFORE_NAME):
        data = form.sub(_blank_group, data)
    data = _BEHIND.sub(
        lambda found: found[0] if _names_a_type(found) else _blank_group(found),
        data,
    )
    return _ACCESS.sub(_blank, data)


def _names_a_type(found: re.Match[bytes]) -> bool:
    """Whether the line is `typedef STACK_OF(X) X_STACK;`."""
    line = found.string[
        found.string.rfind(b"\n", 0, found.start()) + 1 : found.start()
    ]
    return line.lstrip().startswith(b"typedef")


def _is_alone(found: re.Match[bytes]) -> bool:
    """Whether a line that is one macro is neither an enumerator, nor a part of an expression, nor a type."""
    before = found.string[max(0, found.start() - 200) : found.start()].rstrip()
    line = before.rpartition(b"\n")[2]
    if (
        before
        and before[-1] not in _BEFORE
        and b"//" not in line
        and _ALONE.match(line) is None
    ):
        return False
    following = found[3] or b"#"
    if following[:1] in (b"{", b",", b"=", b"(", b"|", b"&", b"+"):
        return False
    words = re.split(rb"_", found[1])
    return (
        following in _STARTS
        or following[:1] in (b"#", b"/")
        or bool(_BRACKETS.intersection(words))
    )


_BRACKETS: Final = frozenset(
    b"BEGIN END PUSH POP DECLS NAMESPACE OBJECT".split()
)


def _blank(found: re.Match[bytes]) -> bytes:
    return re.sub(rb"[^\r\n]", b" ", found[0])


def _blank_group(found: re.Match[bytes]) -> bytes:
    start, end = found.start(1) - found.start(), found.end(1) - found.start()
    return found[0][:start] + b" " * (end - start) + found[0][end:]


_MASKS: Final = {
    Language.KOTLIN: lambda data: _FUN_INTERFACE.sub(b"   ", data),
    Language.RUST: lambda data: _TRY.sub(b"tri!", data),
    Language.SQL: _plain_sql,
    Language.C: _plain_c,
    Language.CPP: _plain_c,
}


def _wide(data: bytes, codec: str) -> bytes:
    if b"\r" not in data:
        return data
    even = data[: len(data) & ~1]
    text = even.decode(codec, "surrogatepass")
    return (
        _LONE_CR_TEXT.sub("\n", text).encode(codec, "surrogatepass")
        + data[len(even) :]
    )
