"""A text as a grammar can read it: every byte at its own offset, with ends of lines it knows.

Grammars read UTF-8 and UTF-16, and count only `\\n` as the end of a line. Other forms are
replaced by text of equal length, so that every offset stays true.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal

from filewright.languages import Language

TreeEncoding = Literal["utf8", "utf16le", "utf16be"]

MAX_PARSED_BYTES: Final = 24 << 20
"""Of a larger text the beginning is parsed: a tree takes some twenty times its text."""

_LONE_RETURN_BYTES: Final = re.compile(rb"\r(?!\n)")
_LONE_RETURN: Final = re.compile("\r(?!\n)")
# Forms that a grammar does not have are made into others of the same length that it reads.
_FUN_INTERFACE: Final = re.compile(rb"\bfun(?=\s+interface\b)")
_TRY: Final = re.compile(rb"\btry!")
_SQL_BRACKETED: Final = re.compile(
    rb"(?<![\w\])])\[([A-Za-z_][^\]\[\"\r\n]{0,126})\]"
)
_SQL_BRACKETED_TYPE: Final = re.compile(
    rb"\[((?:tiny|small|big)?int|n?(?:var)?char|n?text|(?:small)?datetime2?|date|time|bit|decimal|numeric|float|real"
    rb"|money|(?:var)?binary|uniqueidentifier)\]",
    re.IGNORECASE,
)
_SQL_STORAGE: Final = re.compile(
    rb"\b(?:TEXTIMAGE_)?ON[ \t]{1,8}\[?PRIMARY\]?|\bWITH NOCHECK\b|\bCOLLATE[ \t]{1,8}\w{1,80}"
    rb"|\bIDENTITY[ \t]{0,8}\([^()\n]{0,80}\)",
    re.IGNORECASE,
)
_SQL_BATCH_END: Final = re.compile(
    rb"^[ \t]*GO[ \t]*\r?$", re.MULTILINE | re.IGNORECASE
)
_SQL_CLUSTERED: Final = re.compile(rb"\b(?:NON)?CLUSTERED\b", re.IGNORECASE)
_DIRECTIVE: Final = re.compile(
    rb"^[ \t]*#(?:[^\\\n]|\\\r?\n|\\.)*", re.MULTILINE
)
_MACRO_START: Final = re.compile(rb"\b[A-Z][A-Z0-9_]{3}")
_MACRO_NAME: Final = rb"[A-Z][A-Z0-9_]{0,60}_[A-Z0-9_]{0,60}"
_MACRO_ARGUMENTS: Final = rb"(?:\([^()\n]{0,200}\))?"
# A macro alone on its line, where a declaration or a block begins or ends: FMT_BEGIN_NAMESPACE, Q_OBJECT.
_MACRO_LINE: Final = re.compile(
    rb"^[ \t]*("
    + _MACRO_NAME
    + rb"|[A-Z]{4,})(\([^()\n]{0,200}\))?[ \t]*(?://[^\n]*)?\r?$(?=\s*([^\s]\w*)?)",
    re.MULTILINE,
)
_ENDS_OF_STATEMENTS: Final = frozenset(b";{}>):*/\\")
_DECLARATION_STARTS: Final = frozenset(
    b"template class struct union enum namespace typedef using inline static constexpr explicit virtual extern"
    b" friend public private protected # / //".split()
)
# An attribute before the name of a class: class GTEST_API_ Message.
_MACRO_OF_CLASS: Final = re.compile(
    rb"\b(?:class|struct|union|enum)[ \t]{1,40}((?:"
    + _MACRO_NAME
    + _MACRO_ARGUMENTS
    + rb"[ \t]{1,40}){1,3})(?=[A-Za-z_]\w*[ \t\r\n]*[:{;<f])"
)
# Before a declaration whose type still follows: FMT_API void f(), NODISCARD_ static inline int g().
_MACRO_BEFORE_TYPE: Final = re.compile(
    rb"^[ \t]*((?:" + _MACRO_NAME + _MACRO_ARGUMENTS + rb"[ \t]{1,40}){1,3})"
    rb"(?=(?:template|class|struct|enum|union|namespace|using|typedef|extern|friend)\b"
    rb"|(?:[A-Za-z_][\w:]{0,100}(?:<[^<>\n;(){}]{0,200}>)?[&*]*[ \t]{1,40}){1,5}[&*~]*[\w:]{1,100}[ \t]*[(;={])",
    re.MULTILINE,
)
_MACRO_OF_CONSTRUCTOR: Final = re.compile(
    rb"^[ \t]*("
    + _MACRO_NAME
    + rb"[ \t]{1,40})(?=(?:\w+::){0,8}(\w+)(?:<[^<>\n]{0,200}>)?::~?\2[ \t]*\()",
    re.MULTILINE,
)
# Between the type and the name: void SPDLOG_INLINE spdlog::flush().
_MACRO_BEFORE_NAME: Final = re.compile(
    rb"(?<![\w:])(?!(?:const|static|extern|struct|class|enum|union|unsigned|signed|typedef|return|volatile|inline"
    rb"|virtual|explicit|typename|constexpr|case|new|goto|public|private|protected|register|mutable|friend)\b)"
    rb"[A-Za-z_][\w:]{0,100}(?:<[^<>\n]{0,200}>)?[*&]*[ \t]{1,40}("
    + _MACRO_NAME
    + rb"[ \t]{1,40})(?=[*&]*[A-Za-z_~][\w:<>, ]{0,200}\()"
)
# After the parameters of a function: ) FMT_NOEXCEPT {
_MACRO_AFTER_PARAMETERS: Final = re.compile(
    rb"(?<=\))[ \t]{0,8}((?:(?:const|override|final|noexcept)[ \t]{1,8}){0,4}(?:"
    + _MACRO_NAME
    + _MACRO_ARGUMENTS
    + rb"[ \t]{0,8}){1,3})(?=[{;]|$)",
    re.MULTILINE,
)
# A macro for an access specifier, or for a word between template and class.
_MACRO_OF_ACCESS: Final = re.compile(
    rb"^[ \t]*[A-Z][A-Z0-9_]{3,}:[ \t]*\r?$", re.MULTILINE
)


_BLOCK_MACRO_WORDS: Final = frozenset(
    b"BEGIN END PUSH POP DECLS NAMESPACE OBJECT".split()
)
"""Words in macros that begin or end a block."""


@dataclass(frozen=True, slots=True)
class Content:
    """Bytes ready to be parsed, and the codec of the names in them."""

    data: bytes
    codec: str
    encoding: TreeEncoding

    @property
    def unit_bytes(self) -> int:
        """The bytes of the smallest unit of the encoding."""
        return 1 if self.encoding == "utf8" else 2


def prepare_content(
    data: bytes, codec: str, language: Language
) -> Content | None:
    """Return `data` ready for the grammar of a language.

    None if no grammar reads its encoding (UTF-32, UTF-7).
    """
    codec = codec.lower().replace("_", "-")
    if codec.startswith(("utf-32", "utf-7")):
        return None
    if codec.startswith("utf-16"):
        if codec.endswith("be"):
            wide_data = _unify_wide_line_ends(data, "utf-16-be")
            return Content(wide_data, "utf-16-be", "utf16be")
        wide_data = _unify_wide_line_ends(data, "utf-16-le")
        return Content(wide_data, "utf-16-le", "utf16le")
    if b"\r" in data and data.count(b"\r") != data.count(b"\r\n"):
        data = _LONE_RETURN_BYTES.sub(b"\n", data)
    return Content(_replace_unread_forms(data, language), codec, "utf8")


def _unify_wide_line_ends(data: bytes, codec: str) -> bytes:
    """Return UTF-16 text with a line feed for each lone carriage return."""
    if b"\r" not in data:
        return data
    even = data[: len(data) & ~1]
    text = even.decode(codec, "surrogatepass")
    text = _LONE_RETURN.sub("\n", text)
    return text.encode(codec, "surrogatepass") + data[len(even) :]


def _replace_unread_forms(data: bytes, language: Language) -> bytes:
    """Replace forms that the grammar of a language does not read."""
    match language:
        case Language.KOTLIN:
            return _FUN_INTERFACE.sub(b"   ", data)
        case Language.RUST:
            return _TRY.sub(b"tri!", data)
        case Language.SQL:
            return _replace_sql_forms(data)
        case Language.C | Language.CPP:
            return _blank_macros(data)
        case _:
            return data


def _replace_sql_forms(data: bytes) -> bytes:
    """Write T-SQL's names in brackets and ends of batches as other dialects do."""
    if b"[" in data:
        data = _SQL_STORAGE.sub(_blank, data)
        data = _SQL_BRACKETED_TYPE.sub(rb" \1 ", data)
        data = _SQL_BRACKETED.sub(rb'"\1"', data)
    data = _SQL_BATCH_END.sub(
        lambda match: b";" + b" " * (len(match[0]) - 1), data
    )
    return _SQL_CLUSTERED.sub(_blank, data)


def _blank_macros(data: bytes) -> bytes:
    """Blank the macros of C where a grammar expects a declaration.

    Only their definitions say what they stand for. Directives stay as they are.
    """
    parts, end = [], 0
    for directive in _DIRECTIVE.finditer(data):
        parts.append(_blank_macros_in_code(data[end : directive.start()]))
        parts.append(directive[0])
        end = directive.end()
    parts.append(_blank_macros_in_code(data[end:]))
    return b"".join(parts)


def _blank_macros_in_code(data: bytes) -> bytes:
    if _MACRO_START.search(data) is None:
        return data

    def blank_line(match: re.Match[bytes]) -> bytes:
        return _blank(match) if _is_statement(match) else match[0]

    def blank_after_parameters(match: re.Match[bytes]) -> bytes:
        return match[0] if _is_in_typedef(match) else _blank_group(match)

    data = _MACRO_LINE.sub(blank_line, data)
    for pattern in (
        _MACRO_OF_CLASS,
        _MACRO_BEFORE_TYPE,
        _MACRO_OF_CONSTRUCTOR,
        _MACRO_BEFORE_NAME,
    ):
        data = pattern.sub(_blank_group, data)
    data = _MACRO_AFTER_PARAMETERS.sub(blank_after_parameters, data)
    return _MACRO_OF_ACCESS.sub(_blank, data)


def _is_in_typedef(match: re.Match[bytes]) -> bool:
    """Return True in a line such as `typedef STACK_OF(X) X_STACK;`."""
    line_start = match.string.rfind(b"\n", 0, match.start()) + 1
    line = match.string[line_start : match.start()]
    return line.lstrip().startswith(b"typedef")


def _is_statement(match: re.Match[bytes]) -> bool:
    """Return True if a line with one macro is a statement or declaration by itself.

    It may also be an enumerator, a part of an expression, or a type.
    """
    context_start = max(0, match.start() - 200)
    before = match.string[context_start : match.start()].rstrip()
    line_before = before.rpartition(b"\n")[2]
    is_continued = (
        before
        and before[-1] not in _ENDS_OF_STATEMENTS
        and b"//" not in line_before
        and _MACRO_LINE.match(line_before) is None
    )
    if is_continued:
        return False
    following = match[3] or b"#"
    if following[:1] in (b"{", b",", b"=", b"(", b"|", b"&", b"+"):
        return False
    if following in _DECLARATION_STARTS or following[:1] in (b"#", b"/"):
        return True
    return not _BLOCK_MACRO_WORDS.isdisjoint(match[1].split(b"_"))


def _blank(match: re.Match[bytes]) -> bytes:
    """Return spaces in place of a match, with its line ends."""
    return re.sub(rb"[^\r\n]", b" ", match[0])


def _blank_group(match: re.Match[bytes]) -> bytes:
    """Return a match with spaces in place of its first group."""
    start = match.start(1) - match.start()
    end = match.end(1) - match.start()
    return match[0][:start] + b" " * (end - start) + match[0][end:]
