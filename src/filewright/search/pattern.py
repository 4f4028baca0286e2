"""`Pattern`: what is looked for, checked at the door and ready for every engine."""

from __future__ import annotations

import threading
import unicodedata
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from filewright.errors import Code, FilewrightError
from filewright.search import emission, syntax
from filewright.text import check_text, normalised

Mode = Literal["literal", "regex"]
Case = Literal["smart", "sensitive", "insensitive"]

_COMPILED_BYTES = 8 << 20
"""What RE2 may take for one pattern and its states."""

_CODECS = (
    "utf-8", "cp1252", "latin-1", "iso8859_2", "iso8859_15", "cp1250", "cp1251", "koi8_r", "koi8_u",
    "iso8859_5", "cp866", "mac_roman", "mac_cyrillic", "cp437", "cp850", "cp852", "cp1253", "iso8859_7",
    "cp1254", "cp1255", "iso8859_8", "cp1256", "iso8859_6", "cp1257", "cp1258", "cp874", "cp932",
    "shift_jis_2004", "euc_jp",
    "euc_jis_2004", "gb18030", "big5hkscs", "cp950", "cp949", "euc_kr", "johab",
)  # fmt: skip

_building = threading.Lock()


@dataclass(frozen=True)
class Pattern:
    """A checked pattern; make it with `compile`.

    `text` as given, less carriage returns; `insensitive` after the smart rule was applied;
    `multiline` also when a literal holds ``\\n``; `plain` is the literal that can be found as bytes
    (case-sensitive, one line), else None. A line that holds a match of `without` has no match.
    """

    text: str
    mode: Mode
    insensitive: bool
    whole_word: bool
    multiline: bool
    node: syntax.Node = field(repr=False)
    without: Pattern | None = None

    @cached_property
    def plain(self) -> str | None:
        """The text itself where finding its bytes is finding it; else None."""
        if self.mode == "regex" or self.insensitive or "\n" in self.text:
            return None
        return self.text

    @cached_property
    def regexp(self) -> Any:
        """RE2's compiled form, for normalised UTF-8 bytes. With `whole_word` group 1 is the match."""
        return compiled(emission.for_re2(self.node, multiline=self.multiline, whole_word=self.whole_word))

    @cached_property
    def instructions(self) -> int:
        """The size of `regexp`: how many steps RE2 may take for a byte."""
        return max(1, int(self.regexp.programsize))

    @property
    def group(self) -> int:
        """Which group of `regexp` is the match; the pattern's own groups follow it."""
        return 1 if self.whole_word else 0

    @cached_property
    def groups(self) -> int:
        """How many groups the pattern itself captures."""
        return int(self.regexp.groups) - self.group

    @cached_property
    def names(self) -> dict[str, int]:
        """The pattern's own group numbers by name."""
        return {name.decode(): number - self.group for name, number in self.regexp.groupindex.items()}

    @cached_property
    def matches_empty(self) -> bool:
        """Whether the pattern can match nothing at all (``x*``, ``^``), perhaps at every character."""
        return _can_be_empty(self.node)

    @cached_property
    def for_rg(self) -> tuple[str, ...]:
        """`rg`'s forms that together let through every file, of any encoding, that holds a hit."""
        if self.mode == "literal" and not self.text.isascii() and not self.insensitive and not self.multiline:
            found = dict.fromkeys(encoding for name in _CODECS if (encoding := _encoded(self.text, name)))
            return tuple(map(escaped, found))
        return (emission.for_rg(self.node, multiline=self.multiline),)

    def in_encoding(self, name: str) -> bytes | None:
        """The bytes of `plain` in a codec; None if it has no `plain` or the codec lacks a character."""
        return _encoded(self.plain, name) if self.plain is not None else None


def compile(
    text: str,
    *,
    mode: Mode = "literal",
    case: Case = "smart",
    whole_word: bool = False,
    multiline: bool = False,
    max_chars: int = 10_000,
) -> Pattern:
    """Check a pattern and make it ready.

    `smart` ignores case unless the pattern itself writes an upper-case character. A literal that
    holds a line break is multiline by itself. Raises `invalid_input` for what is not in the syntax
    (`docs/search.md`), with what to write instead.
    """
    check_text(text, "pattern")
    if not text:
        raise FilewrightError(
            Code.INVALID_INPUT,
            "the pattern is empty",
            hint="write what to look for",
            details={"argument": "pattern"},
        )
    if len(text) > max_chars:
        raise FilewrightError(
            Code.INVALID_INPUT,
            f"the pattern has {len(text):,} characters; at most {max_chars:,} are taken",
            hint="look for a shorter, rarer part of it",
            details={"argument": "pattern"},
        )
    if mode == "literal":
        text = normalised(text)
        multiline = multiline or "\n" in text
        upper = any(c.isupper() for c in text)
    else:
        upper = syntax.has_upper(text)
    insensitive = case == "insensitive" or (case == "smart" and not upper)
    if mode == "literal" and insensitive and text.lower() == text.upper():
        insensitive = False
    fold = insensitive
    node = syntax.literal(text, fold=fold) if mode == "literal" else syntax.parse(text, fold=fold)
    if mode == "regex" and not multiline and needs_newline(node):
        raise FilewrightError(
            Code.INVALID_INPUT,
            r"the pattern holds \n, but lines are searched one by one",
            hint="give multiline=true",
            details={"argument": "pattern"},
        )
    pattern = Pattern(text, mode, insensitive, whole_word, multiline, node)
    if mode == "regex":
        _ = pattern.regexp
    return pattern


def needs_newline(node: syntax.Node) -> bool:
    """Whether the tree asks for a line break by itself (a class that merely allows one does not)."""
    match node:
        case syntax.Char():
            return node.code == syntax.LINE_FEED
        case syntax.Set():
            return node.ranges == ((syntax.LINE_FEED, syntax.LINE_FEED),) and not node.negated
        case syntax.Group() | syntax.Repeat():
            return needs_newline(node.inner)
        case syntax.Sequence() | syntax.Alternation():
            return any(needs_newline(item) for item in node.items)
    return False


def _can_be_empty(node: syntax.Node) -> bool:
    match node:
        case syntax.Group():
            return _can_be_empty(node.inner)
        case syntax.Repeat():
            return node.low == 0 or _can_be_empty(node.inner)
        case syntax.Sequence():
            return all(map(_can_be_empty, node.items))
        case syntax.Alternation():
            return any(map(_can_be_empty, node.items))
    return isinstance(node, syntax.Assertion)


def is_word(c: str) -> bool:
    """Whether a character is a letter, mark, number or connector, as `whole_word` means it."""
    return unicodedata.category(c)[0] in "LMN" or unicodedata.category(c) == "Pc"


def compiled(pattern: bytes, *, latin1: bool = False) -> Any:
    """RE2's compiled form of its own syntax. Raises `invalid_input` for one that takes too much memory."""
    import re2

    options = re2.Options()
    options.log_errors = False
    options.max_mem = _COMPILED_BYTES
    if latin1:
        options.encoding = re2.Options.Encoding.LATIN1
    try:
        with _building:
            made = re2.compile(pattern, options)
            re2.purge()  # it would keep the last 128 of any size: a pattern is kept by its search alone
    except re2.error as error:
        reason = error.args[0] if error.args else error
        shown = reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)
        raise FilewrightError(
            Code.INVALID_INPUT,
            f"pattern: {shown}",
            hint="make the pattern smaller: fewer or shorter repetitions, no nested ones",
            details={"argument": "pattern"},
        ) from error
    return made


def _encoded(text: str, name: str) -> bytes | None:
    try:
        return text.encode(name)
    except UnicodeEncodeError:
        return None


def escaped(literal: bytes) -> str:
    """The pattern of `rg` for exactly these bytes."""
    return "".join(
        chr(byte) if byte < 0x80 and chr(byte).isalnum() else rf"(?-u:\x{byte:02X})" for byte in literal
    )
