"""`Pattern`: what is looked for, checked at the door and ready for every engine."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, Literal

from filewright.errors import invalid
from filewright.search.syntax import Translation, compiled, escaped, literal, translated
from filewright.text import check_text, normalised

Mode = Literal["literal", "regex"]
Case = Literal["smart", "sensitive", "insensitive"]

_WORD = r"\p{L}\p{M}\p{N}\p{Pc}"
_CODECS = (
    "utf-8", "cp1252", "latin-1", "iso8859_2", "iso8859_15", "cp1250", "cp1251", "koi8_r", "koi8_u",
    "iso8859_5", "cp866", "mac_roman", "mac_cyrillic", "cp437", "cp850", "cp852", "cp1253", "iso8859_7",
    "cp1254", "cp1255", "iso8859_8", "cp1256", "iso8859_6", "cp1257", "cp1258", "cp874", "cp932",
    "shift_jis_2004", "euc_jp",
    "euc_jis_2004", "gb18030", "big5hkscs", "cp950", "cp949", "euc_kr", "johab",
)  # fmt: skip


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
    written: Translation = field(repr=False)
    without: Pattern | None = None

    @cached_property
    def plain(self) -> str | None:
        """The text itself where finding its bytes is finding it; else None."""
        if self.mode == "regex" or self.insensitive or "\n" in self.text:
            return None
        return self.text

    @cached_property
    def regexp(self) -> Any:
        """RE2's compiled form, for normalised UTF-8 bytes. With `whole_word` group 1 is the match.

        A word character is a letter, mark, number or connector of Unicode. Bytes that are not UTF-8 are no word
        characters, hence the ``\\C`` (any byte), narrowed by ``\\b`` to keep the choice of the match right where
        words are ASCII.
        """
        text = self.written.re2
        if self.whole_word:
            text = rf"(?m)(?:^|[^{_WORD}]|\C\b)({text})(?:$|[^{_WORD}]|\b\C)"
        return compiled(text, multiline=self.multiline)

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
        return self.mode == "regex" and compiled(self.written.bare).fullmatch(b"") is not None

    @cached_property
    def for_rg(self) -> tuple[str, ...]:
        """`rg`'s forms that together let through every file, of any encoding, that holds a hit."""
        if self.mode == "literal" and not self.text.isascii() and not self.insensitive and not self.multiline:
            found = dict.fromkeys(encoding for name in _CODECS if (encoding := _encoded(self.text, name)))
            return tuple(map(escaped, found))
        return (self.written.rg,)

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
        raise invalid("the pattern is empty", "write what to look for", argument="pattern")
    if len(text) > max_chars:
        message = f"the pattern has {len(text):,} characters; at most {max_chars:,} are taken"
        raise invalid(message, "look for a shorter, rarer part of it", argument="pattern")
    if mode == "literal":
        text = normalised(text)
        multiline = multiline or "\n" in text
    written = literal(text) if mode == "literal" else translated(text, multiline=multiline)
    insensitive = case == "insensitive" or (case == "smart" and not written.upper)
    if mode == "literal" and text.lower() == text.upper():
        insensitive = False
    if insensitive:
        fold = literal if mode == "literal" else partial(translated, multiline=multiline)
        written = fold(text, fold=True)
    if written.breaks and not multiline:
        message = r"the pattern holds \n, but lines are searched one by one"
        raise invalid(message, "give multiline=true", argument="pattern")
    pattern = Pattern(text, mode, insensitive, whole_word, multiline, written)
    if mode == "regex":
        _ = pattern.regexp
    return pattern


def is_word(c: str) -> bool:
    """Whether a character is a letter, mark, number or connector, as `whole_word` means it."""
    return unicodedata.category(c)[0] in "LMN" or unicodedata.category(c) == "Pc"


def _encoded(text: str, name: str) -> bytes | None:
    try:
        return text.encode(name)
    except UnicodeEncodeError:
        return None
