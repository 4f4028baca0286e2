"""`Pattern`: what is looked for, in the one regex syntax: read once, and written for each engine, or refused.

The syntax is the intersection of Rust's `regex` crate (the engine of `rg`) and RE2, with the places where
the two differ given one meaning here:

- ``\\d \\w \\s \\b`` and the POSIX classes are ASCII; ``\\p{L}`` and its like are Unicode.
- ``^`` and ``$`` match at the beginning and end of every line, whatever its terminator.
- ``\\A`` is the beginning of the file, and in a multiline search ``\\z`` is its very end.
- ``\\n`` is any terminator; nothing but ``\\n`` and classes that hold it crosses lines, and only in
  a multiline search.

There is no tree: precedence is the engines' own, and RE2 is asked what is in a class. `translated` raises
`invalid_input` with the position and what to write instead.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

from filewright.errors import invalid
from filewright.search.characters import _spelled, escape_bytes
from filewright.search.pattern_syntax import (
    Translation,
    translate_literal,
    translate_regex,
)
from filewright.search.regex_engine import compile_re2
from filewright.text import codec
from filewright.text.codec import check_text, normalize_newlines, try_encode

_NOWHERE = r"[^\x00-\x{10FFFF}]"
"""What matches nothing, in RE2's syntax."""


Mode = Literal["literal", "regex"]
Case = Literal["smart", "sensitive", "insensitive"]
_MAX_SPELLED = 300
"""Characters of a pattern that is looked for in other spellings."""

_PAIRS_OF_A_LINE = (
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
"""Characters between which a pattern that is tied to a line's edge matches nothing."""

_WORD = r"\p{L}\p{M}\p{N}\p{Pc}"


@dataclass(frozen=True)
class Pattern:
    """A checked pattern; make it with `compile`.

    `text` as given, less carriage returns; `insensitive` after the smart rule was applied;
    `multiline` also when a literal holds ``\\n``; `plain_text` is the literal that can be found as bytes
    (case-sensitive, one line), else None. A line that holds a match of `excluded` has no match.
    """

    text: str
    mode: Mode
    insensitive: bool
    whole_word: bool
    multiline: bool
    translation: Translation = field(repr=False)
    plain_text: str | None = field(repr=False)
    excluded: Pattern | None = None

    @cached_property
    def regexp(self) -> Any:
        """RE2's compiled form, for normalised UTF-8 bytes. With `whole_word` group 1 is the match, before its own.

        A word character is a letter, mark, number or connector of Unicode. Bytes that are not UTF-8 are no word
        characters, hence the ``\\C`` (any byte), narrowed by ``\\b`` to keep the choice of the match right where
        words are ASCII.
        """
        text = self.translation.re2
        if self.whole_word:
            text = rf"(?m)(?:^|[^{_WORD}]|\C\b)({text})(?:$|[^{_WORD}]|\b\C)"
        return compile_re2(text, multiline=self.multiline)

    @cached_property
    def instruction_count(self) -> int:
        """The size of `regexp`: how many steps RE2 may take for a byte."""
        return max(1, int(self.regexp.programsize))

    def for_window(self, *, first: bool, last: bool) -> Pattern:
        """The pattern for a part of a file: ``\\A`` is only in the first, and ``\\z`` only in the last."""
        re2 = self.translation.re2
        re2 = re2 if first else re2.replace(r"\A", _NOWHERE)
        re2 = re2 if last else re2.replace(r"\z", _NOWHERE)
        return (
            self
            if re2 == self.translation.re2
            else replace(self, translation=replace(self.translation, re2=re2))
        )

    @cached_property
    def group_count(self) -> int:
        """How many groups the pattern itself captures."""
        return int(self.regexp.groups) - self.whole_word

    @cached_property
    def group_numbers(self) -> dict[str, int]:
        """The pattern's own group numbers by name."""
        return {
            name.decode(): number - self.whole_word
            for name, number in self.regexp.groupindex.items()
        }

    @cached_property
    def matches_empty(self) -> bool:
        """Whether the pattern can match nothing at all (``x*``, ``^``), perhaps at every character."""
        return (
            self.mode == "regex"
            and compile_re2(self.translation.bare).fullmatch(b"") is not None
        )

    @cached_property
    def matches_empty_within_lines(self) -> bool:
        """Whether the pattern can match nothing at all between two characters of a line, as ``x*`` and ``\\b`` do."""
        if not self.matches_empty:
            return False
        between = compile_re2(rf"\A(?s:.)(?:{self.translation.re2})(?s:.)\z")
        return any(
            between.search(pair.encode()) is not None
            for pair in _PAIRS_OF_A_LINE
        )

    def for_other_spellings(self, *, look_alikes: bool) -> Pattern | None:
        """Return the pattern for lines that hold this one only in another spelling; None where that is not looked for.

        Characters that look alike count with `look_alikes`.
        """
        text = unicodedata.normalize("NFC", self.text)
        if (
            self.multiline
            or self.excluded is not None
            or self.matches_empty
            or len(text) > _MAX_SPELLED
        ):
            return None
        if self.mode == "literal":
            pairs = [_spelled(character, look_alikes) for character in text]
            i = "i" if self.insensitive else ""
            re2, rg = ("".join(forms) for forms in zip(*pairs, strict=True))
            written = Translation(
                f"(?m{i}){re2}", f"(?Rm{i}){rg}", re2, upper=False, breaks=False
            )
        else:
            written = translate_regex(
                text, fold=self.insensitive, look_alikes=look_alikes
            )
        return Pattern(
            text,
            "regex",
            self.insensitive,
            self.whole_word,
            False,
            written,
            None,
            self,
        )

    @cached_property
    def rg_patterns(self) -> tuple[str, ...]:
        """`rg`'s forms that together let through every file, of any encoding, that holds a hit."""
        if (
            self.mode == "literal"
            and not self.text.isascii()
            and not self.insensitive
            and not self.multiline
        ):
            found = dict.fromkeys(
                encoding
                for name in sorted(codec.ENCODINGS)
                if (encoding := try_encode(name, self.text))
            )
            return tuple(map(escape_bytes, found))
        return (self.translation.rg,)


def compile_pattern(
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
        raise invalid(
            "the pattern is empty", "write what to look for", argument="pattern"
        )
    if len(text) > max_chars:
        message = f"the pattern has {len(text):,} characters; at most {max_chars:,} are taken"
        raise invalid(
            message, "look for a shorter, rarer part of it", argument="pattern"
        )
    if mode == "literal":
        text = normalize_newlines(text)
        multiline = multiline or "\n" in text

    made = (
        translate_literal(text)
        if mode == "literal"
        else translate_regex(text, multiline=multiline)
    )
    cased = mode == "regex" or text.lower() != text.upper()
    insensitive = cased and (
        case == "insensitive" or (case == "smart" and not made.upper)
    )
    if insensitive and mode == "literal":
        made = translate_literal(text, fold=True)
    elif insensitive:
        made = translate_regex(text, fold=True, multiline=multiline)
    if made.breaks and not multiline:
        message = r"the pattern holds \n, but lines are searched one by one"
        raise invalid(message, "give multiline=true", argument="pattern")
    plain = None if mode == "regex" or insensitive or "\n" in text else text
    pattern = Pattern(
        text, mode, insensitive, whole_word, multiline, made, plain
    )
    if mode == "regex":
        _ = pattern.regexp
    return pattern


def is_word_character(c: str) -> bool:
    """Whether a character is a letter, mark, number or connector, as `whole_word` means it."""
    return (
        unicodedata.category(c)[0] in "LMN" or unicodedata.category(c) == "Pc"
    )
