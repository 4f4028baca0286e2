"""`Pattern`: a literal or a regular expression that was checked and can be searched.

`pattern_syntax` says what a regular expression may hold.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

from filewright.errors import invalid
from filewright.search.characters import escape_bytes, write_spellings
from filewright.search.code_pattern import (
    CodePattern,
    compile_code_pattern,
    has_capital,
)
from filewright.search.match_selector import MatchSelector
from filewright.search.pattern_syntax import (
    Translation,
    translate_literal,
    translate_regex,
)
from filewright.search.regex_engine import compile_re2
from filewright.text import codec
from filewright.text.codec import check_text, normalize_newlines, try_encode

Mode = Literal["literal", "regex", "code"]
Case = Literal["smart", "sensitive", "insensitive"]

_NEVER_MATCHES = r"[^\x00-\x{10FFFF}]"
"""A class of no characters, in RE2's syntax."""

_MAX_RESPELLED_CHARACTERS = 300
"""The longest pattern that is searched in other spellings."""

_PAIRS_WITHIN_LINES = (
    "ab",
    "  ",
    "a ",
    " a",
    "--",
    "a-",
    "-a",
    " -",
    "- ",
    "éé",
    "11",
)
"""Pairs of characters of every kind.

A pattern that is bound to an edge of a line has no empty match between any of them.
"""

_WORD_CATEGORIES = r"\p{L}\p{M}\p{N}\p{Pc}"


@dataclass(frozen=True)
class Pattern:
    """A checked pattern; `compile_pattern` makes it.

    `text` is the caller's, without carriage returns. `insensitive` is the result of the
    case rule. `multiline` is also True for a literal that holds ``\\n``. `plain_text` is
    a literal that can be found as bytes (case-sensitive, on one line), else None. A line
    that holds a match of one that is `excluded` has no match. `code` is the pattern of `mode="code"`,
    of which `translation` finds only the anchor. Of all matches those count that the
    `selector` yields.
    """

    text: str
    mode: Mode
    insensitive: bool
    whole_word: bool
    multiline: bool
    translation: Translation = field(repr=False)
    plain_text: str | None = field(repr=False)
    excluded: tuple[Pattern, ...] = ()
    code: CodePattern | None = field(default=None, repr=False)
    selector: MatchSelector | None = field(default=None, repr=False)

    @cached_property
    def regexp(self) -> Any:
        """RE2's compiled form, for UTF-8 with ``\\n`` terminators.

        With `whole_word`, group 1 is the match, and the pattern's own groups follow. A
        word character is a letter, mark, number or connector of Unicode. Bytes that are
        not UTF-8 are no word characters, and only ``\\C`` (any byte) matches one beside
        the match. ``\\b`` limits it, so that RE2 chooses the right match where words are
        ASCII.
        """
        text = self.translation.re2
        if self.whole_word:
            text = (
                rf"(?m)(?:^|[^{_WORD_CATEGORIES}]|\C\b)"
                rf"({text})"
                rf"(?:$|[^{_WORD_CATEGORIES}]|\b\C)"
            )
        return compile_re2(text, multiline=self.multiline)

    @cached_property
    def instruction_count(self) -> int:
        """The most instructions that RE2 executes for a byte."""
        return max(1, int(self.regexp.programsize))

    def for_window(self, *, is_first: bool, is_last: bool) -> Pattern:
        """Return the pattern for a part of a file.

        ``\\A`` matches only in the first part, and ``\\z`` only in the last.
        """
        text = self.translation.re2
        if not is_first:
            text = text.replace(r"\A", _NEVER_MATCHES)
        if not is_last:
            text = text.replace(r"\z", _NEVER_MATCHES)
        if text == self.translation.re2:
            return self
        return replace(self, translation=replace(self.translation, re2=text))

    @property
    def word_signs(self) -> str:
        """The signs that are parts of words, beside word characters, for `whole_word`.

        A hyphen is one if the pattern is a name that has it, as in CSS and HTML.
        """
        is_name = self.mode == "literal" and self.text.split() == [self.text]
        has_letter = any(map(is_word_character, self.text))
        return "-" if is_name and has_letter and "-" in self.text else ""

    @cached_property
    def group_count(self) -> int:
        """The number of groups in the pattern itself; of holes in one of code."""
        if self.code is not None:
            return len(self.code.holes)
        return int(self.regexp.groups) - self.whole_word

    @cached_property
    def group_numbers(self) -> dict[str, int]:
        """The numbers of the pattern's own groups, by name."""
        if self.code is not None:
            return self.code.hole_numbers
        numbers = {}
        for name, number in self.regexp.groupindex.items():
            numbers[name.decode()] = number - self.whole_word
        return numbers

    @cached_property
    def matches_empty(self) -> bool:
        """Return True if the pattern can match no characters (``x*``, ``^``)."""
        if self.mode != "regex":
            return False
        return compile_re2(self.translation.bare).fullmatch(b"") is not None

    @cached_property
    def matches_empty_within_lines(self) -> bool:
        """Return True if an empty match can be inside a line (``x*``, ``\\b``)."""
        if not self.matches_empty:
            return False
        regexp = compile_re2(rf"\A(?s:.)(?:{self.translation.re2})(?s:.)\z")
        return any(
            regexp.search(pair.encode()) is not None
            for pair in _PAIRS_WITHIN_LINES
        )

    def for_other_spellings(self, *, look_alikes: bool) -> Pattern | None:
        """Return the pattern for lines that hold this one only in another spelling.

        Characters that look alike count as the same with `look_alikes`. None if other
        spellings of the pattern are not searched.
        """
        text = unicodedata.normalize("NFC", self.text)
        if self.multiline or self.excluded or self.matches_empty:
            return None
        if self.selector is not None:
            return None
        if len(text) > _MAX_RESPELLED_CHARACTERS:
            return None
        if self.mode == "regex":
            translation = translate_regex(
                text, fold=self.insensitive, look_alikes=look_alikes
            )
        else:
            translation = self._respell_literal(text, look_alikes=look_alikes)
        return Pattern(
            text,
            mode="regex",
            insensitive=self.insensitive,
            whole_word=self.whole_word,
            multiline=False,
            translation=translation,
            plain_text=None,
            excluded=(self,),
        )

    def _respell_literal(self, text: str, *, look_alikes: bool) -> Translation:
        """Return the translation of a literal in which each character has all spellings."""
        re2_parts, rg_parts = [], []
        for character in text:
            forms = write_spellings(character, look_alikes=look_alikes)
            re2_parts.append(forms.re2)
            rg_parts.append(forms.rg)
        flag = "i" if self.insensitive else ""
        bare = "".join(re2_parts)
        return Translation(
            re2=f"(?m{flag}){bare}",
            rg=f"(?Rm{flag}){''.join(rg_parts)}",
            bare=bare,
            has_upper_case=False,
            needs_multiline=False,
        )

    @cached_property
    def rg_patterns(self) -> tuple[str, ...]:
        """The patterns for `rg` that together match every file with a hit.

        The files may be in any encoding.
        """
        is_exact = (
            self.mode == "literal"
            and not self.insensitive
            and not self.multiline
        )
        if not is_exact or self.text.isascii():
            return (self.translation.rg,)
        forms: dict[bytes, None] = {}
        for name in sorted(codec.ENCODINGS):
            encoded = try_encode(name, self.text)
            if encoded:
                forms[encoded] = None
        return tuple(map(escape_bytes, forms))


def compile_pattern(
    text: str,
    *,
    mode: Mode = "literal",
    case: Case = "smart",
    whole_word: bool = False,
    multiline: bool = False,
    max_chars: int = 10_000,
) -> Pattern:
    """Check a pattern, and return it ready for searches.

    `smart` ignores case unless the pattern has an upper-case character. A pattern that
    names a line ending or the end of the file, or has ``(?s)`` before a dot, is
    multiline. Raises `invalid_input` for a pattern outside the syntax
    (`docs/search.md`), with a hint that says what to write instead.
    """
    _check_text(text, max_chars)
    if mode == "code":
        return _compile_code(text, case)
    if mode == "literal":
        text = normalize_newlines(text)

    def translate(*, fold: bool) -> Translation:
        if mode == "literal":
            return translate_literal(text, fold=fold)
        return translate_regex(text, fold=fold, multiline=multiline)

    translation = translate(fold=False)
    if translation.needs_multiline and not multiline:
        # Searched line by line, it could match nothing.
        multiline = True
        translation = translate(fold=False)
    # A literal without case is searched as bytes, which is faster than RE2.
    has_case = mode == "regex" or text.lower() != text.upper()
    insensitive = has_case and _ignores_case(
        case, has_capital=translation.has_upper_case
    )
    if insensitive:
        translation = translate(fold=True)
    plain_text = None
    if mode == "literal" and not insensitive and "\n" not in text:
        plain_text = text
    pattern = Pattern(
        text, mode, insensitive, whole_word, multiline, translation, plain_text
    )
    if mode == "regex":
        # RE2 refuses a pattern that is too large: here, not in the middle of a search.
        _ = pattern.regexp
    return pattern


def _compile_code(text: str, case: Case) -> Pattern:
    """Return a pattern of code."""
    text = normalize_newlines(text)
    ignores_case = _ignores_case(case, has_capital=has_capital(text))
    code = compile_code_pattern(text, ignore_case=ignores_case)
    return Pattern(
        text,
        mode="code",
        insensitive=ignores_case,
        whole_word=False,
        # A match may have several lines.
        multiline=True,
        translation=translate_literal(code.anchor, fold=ignores_case),
        plain_text=None,
        code=code,
    )


def _ignores_case(case: Case, *, has_capital: bool) -> bool:
    """Return True if a search ignores case, for a pattern with capitals or without."""
    if case == "smart":
        return not has_capital
    return case == "insensitive"


def _check_text(text: str, max_characters: int) -> None:
    """Raise `invalid_input` for a text that is empty, too long or no valid text."""
    check_text(text, "pattern")
    if not text:
        raise invalid(
            "the pattern is empty",
            "give the text to search for",
            argument="pattern",
        )
    if len(text) > max_characters:
        message = (
            f"the pattern has {len(text):,} characters; the limit is "
            f"{max_characters:,}"
        )
        raise invalid(
            message,
            "search for a shorter, rarer part of the text",
            argument="pattern",
        )


def is_word_character(character: str) -> bool:
    """Return True for a letter, mark, number or connector, as `whole_word` needs it."""
    category = unicodedata.category(character)
    return category[0] in "LMN" or category == "Pc"
