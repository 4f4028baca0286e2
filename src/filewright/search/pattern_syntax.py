"""The syntax of regular expressions: read once, and written for each engine, or refused.

The syntax is the intersection of Rust's `regex` crate (the engine of `rg`) and RE2. Where
the two differ, a pattern has one meaning here:

- ``\\d \\w \\s \\b`` and the POSIX classes are ASCII; ``\\p{L}`` and its like are Unicode.
- ``^`` and ``$`` match at the beginning and end of every line, whatever its terminator.
- ``\\A`` is the beginning of the file, and in a multiline search ``\\z`` is its very end.
- ``\\n`` is any terminator. Only ``\\n``, classes that hold it and the dot under ``(?s)``
  cross lines, and only in a multiline search.

There is no syntax tree: both engines have the same precedence, and RE2 is asked which
characters are in a class. Errors have the position, and say what to write instead.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import NoReturn

from filewright.errors import invalid
from filewright.hints import Hint
from filewright.search.characters import (
    EngineForms,
    write_character,
    write_raw_character,
    write_raw_class,
    write_spellings,
)

MAX_REPETITIONS = 1000
"""The limit of RE2 for one repetition."""

_MAX_NESTING = 100
_MAX_FOLDED_CHARACTERS = 2048
"""Characters of a class that are folded one by one here."""

_ESCAPES = {"n": "\n", "t": "\t", "f": "\f", "v": "\v", "a": "\a"}
_CLASSES = {
    "d": r"\d",
    "D": r"\D",
    "w": r"\w",
    "W": r"\W",
    "s": "[:space:]",
    "S": "[:^space:]",
}
"""The classes as RE2 writes them inside brackets; its own ``\\s`` lacks the vertical tab."""

_CLASS_LETTERS = "dDwWsSpP"
_POSIX_CLASS = re.compile(
    r"\[:\^?(?:alnum|alpha|ascii|blank|cntrl|digit|graph|lower|print|punct|space|upper|word|xdigit):\]"
)
_QUANTIFIER = re.compile(r"[*+?]|\{([0-9]+)(,?)([0-9]*)\}")
_OPEN_LOWER_BOUND = re.compile(r"\{,[0-9]+\}")
_GROUP = re.compile(
    r"\((?!\?)|\(\?(?:P?<(?![=!])([^>]*)>|([ims]*)(?:-([is]*))?([:)]))"
)
_HEXADECIMAL = re.compile(
    r"x\{([0-9a-fA-F]{1,8})\}|x([0-9a-fA-F]{2})|u\{([0-9a-fA-F]{1,8})\}|u([0-9a-fA-F]{4})"
)
_PROPERTY = re.compile(
    r"\{\^?(?:(?:L[lmotu]?|M[cen]?|N[dlo]?|P[cdefios]?|S[ckmo]?|Z[lps]?|C[cfo]?)|[^\W\d_a-z][^\W\d]{2,})\}|[LMNPSZC]"
)
"""Categories. Of a script only the form of the name is checked: RE2 knows them all."""

_REFUSED_GROUPS = (
    (
        re.compile(r"\(\?<?[=!]"),
        "look-around is not offered (it cannot be searched in linear time)",
        "match the surroundings too, with a group around the wanted part",
    ),
    (
        re.compile(r"\(\?>"),
        "atomic groups are not offered",
        "write (?:…); no pattern is slow here",
    ),
    (
        re.compile(r"\(\?P?<"),
        "the name of this group is invalid",
        "use letters, digits and _",
    ),
    (
        re.compile(""),
        "these flags are not offered",
        "use i (either case) and s (. matches \\n), as in (?i)",
    ),
)


@dataclass(frozen=True, slots=True)
class Translation:
    """A pattern as each engine reads it.

    `re2` is for UTF-8 text with ``\\n`` terminators, and decides what a match is. `rg` is
    for raw bytes with any terminators, in any encoding that contains ASCII. It matches
    every line in which `re2` has a match, and some others: each character outside ASCII
    stands for any bytes that could be one. `bare` is `re2` without assertions, which
    have no width. `has_upper_case` is True if the pattern itself has an upper-case
    character (``\\S`` and names of groups do not count), and `needs_multiline` if it
    names a line ending or the end of the file, or has a dot that matches line endings.
    """

    re2: str
    rg: str
    bare: str
    has_upper_case: bool
    needs_multiline: bool


def translate_literal(text: str, *, fold: bool = False) -> Translation:
    """Translate a text that is searched as it is; with `fold`, in any case."""
    flag = "i" if fold else ""
    raw_characters = []
    for character in text:
        raw_characters.append(write_raw_character(character, fold=fold))
    re2 = f"(?m{flag})" + "".join(map(write_character, text))
    return Translation(
        re2=re2,
        rg=f"(?Rm{flag})" + "".join(raw_characters),
        bare=re2,
        has_upper_case=any(map(str.isupper, text)),
        needs_multiline="\n" in text,
    )


def translate_regex(
    pattern: str,
    *,
    fold: bool = False,
    multiline: bool = False,
    look_alikes: bool | None = None,
) -> Translation:
    """Translate a regular expression. Raise `invalid_input` if it is malformed.

    With `fold`, case is ignored where the pattern sets no rule. If `look_alikes` is not
    None, each character matches all its spellings, those that look alike too if True.
    """
    reader = _PatternReader(
        pattern, fold=fold, multiline=multiline, look_alikes=look_alikes
    )
    return reader.translate()


class _Item(Enum):
    """The kind of the item before a repetition, which it would repeat."""

    NONE = auto()
    ATOM = auto()
    REPETITION = auto()
    ASSERTION = auto()


@dataclass(slots=True)
class _ClassMembers:
    """The members of a bracketed class, as they are written for RE2.

    `characters` are single characters and ranges, `classes` those like ``\\d``, and
    `properties` those like ``\\pL``. `ranges` are the characters again, as pairs.
    """

    characters: str = ""
    classes: str = ""
    properties: str = ""
    ranges: list[tuple[str, str]] = field(default_factory=list)

    @property
    def size(self) -> int:
        """The number of single characters, those of ranges included."""
        return sum(ord(high) - ord(low) + 1 for low, high in self.ranges)

    @property
    def is_beyond_ascii(self) -> bool:
        """Return True if a character outside ASCII is named."""
        return any(not high.isascii() for _, high in self.ranges)

    def add_range(self, low: str, high: str) -> None:
        """Add the characters from `low` to `high`."""
        self.ranges.append((low, high))
        self.characters += write_character(low)
        if low != high:
            self.characters += f"-{write_character(high)}"


class _PatternReader:
    """One pass over a pattern that writes it for both engines.

    Its state is the position, the flags in effect, the open groups and the item before.
    """

    def __init__(
        self,
        pattern: str,
        *,
        fold: bool,
        multiline: bool,
        look_alikes: bool | None,
    ) -> None:
        self._pattern = pattern
        self._multiline = multiline
        self._look_alikes = look_alikes
        self._position = 0
        self._initial_flags = "i" if fold else ""
        self._flags = self._initial_flags
        # Where each open group begins, and the flags outside of it.
        self._open_groups: list[tuple[int, str]] = []
        self._group_names: set[str] = set()
        self._last_item = _Item.NONE
        self._last_item_start = 0
        self._has_upper_case = False
        self._needs_multiline = False
        self._re2: list[str] = []
        self._rg: list[str] = []
        self._bare: list[str] = []

    def translate(self) -> Translation:
        """Read the whole pattern."""
        while self._position < len(self._pattern):
            self._read_item()
        if self._open_groups:
            self._refuse(
                "this ( is never closed",
                r"write \( for the character",
                at=self._open_groups[-1][0],
            )
        flag = self._initial_flags
        return Translation(
            re2=f"(?m{flag}){''.join(self._re2)}",
            rg=f"(?Rm{flag}){''.join(self._rg)}",
            bare="".join(self._bare),
            has_upper_case=self._has_upper_case,
            needs_multiline=self._needs_multiline,
        )

    # Reading and writing

    def _refuse(
        self, problem: str, hint: str, at: int | None = None
    ) -> NoReturn:
        """Raise `invalid_input` for the pattern at an offset, by default the position."""
        position = (self._position if at is None else at) + 1
        raise invalid(
            f"pattern, character {position}: {problem}",
            hint,
            argument="pattern",
            position=position,
        )

    def _skip(self, text: str) -> bool:
        """Skip a text if it is next in the pattern. Return True if it was."""
        is_next = self._pattern.startswith(text, self._position)
        if is_next:
            self._position += len(text)
        return is_next

    def _write(
        self, item: _Item, re2: str, rg: str, bare: str | None = None
    ) -> None:
        """Add an item as it is written for each engine, and without assertions."""
        self._last_item = item
        self._re2.append(re2)
        self._rg.append(rg)
        self._bare.append(re2 if bare is None else bare)

    def _write_character(self, character: str) -> None:
        self._needs_multiline = self._needs_multiline or character == "\n"
        if self._look_alikes is not None:
            forms = write_spellings(character, look_alikes=self._look_alikes)
        else:
            forms = EngineForms(
                re2=write_character(character),
                rg=write_raw_character(character, fold="i" in self._flags),
            )
        self._write(_Item.ATOM, forms.re2, forms.rg)

    def _note_case(self, character: str) -> str:
        """Note if a character of the pattern is in upper case, and return it."""
        self._has_upper_case = self._has_upper_case or character.isupper()
        return character

    def _raw_class(self, text: str, *, is_beyond_ascii: bool) -> str:
        """Return `rg`'s form of a class, under the flags in effect."""
        if self._flags:
            text = f"(?{self._flags}:{text})"
        return write_raw_class(text, is_beyond_ascii, self._multiline)

    # Items

    def _read_item(self) -> None:
        """Read the next character, group, class, assertion or repetition."""
        start, character = self._position, self._pattern[self._position]
        repetition = _QUANTIFIER.match(self._pattern, start)
        if repetition is not None:
            self._read_repetition(repetition)
            return
        self._last_item_start = start
        if character == "(":
            self._read_group(start)
            return
        self._position += 1
        match character:
            case ")":
                self._close_group(start)
            case "|":
                self._write(_Item.NONE, character, character)
            case "^" | "$":
                self._write(_Item.ASSERTION, character, character, "")
            case ".":
                if "s" in self._flags:
                    self._needs_multiline = True
                rg = self._raw_class(".", is_beyond_ascii=True)
                self._write(_Item.ATOM, ".", rg)
            case "[":
                self._read_bracketed_class(start)
            case "\\":
                self._read_escape(start)
            case "\r":
                self._skip("\n")
                self._write_character("\n")
            case _:
                if _OPEN_LOWER_BOUND.match(self._pattern, start):
                    self._refuse(
                        "{,n} means different things to different engines",
                        "write {0,n}",
                    )
                self._write_character(self._note_case(character))

    def _read_repetition(self, repetition: re.Match[str]) -> None:
        text = repetition.group()
        start = repetition.start()
        if self._last_item is _Item.NONE:
            if text[0] == "{":
                self._position += 1
            self._refuse(
                f"nothing to repeat before {text[0]}",
                f"write \\{text[0]} for the character",
                at=start,
            )
        if text[0] == "{":
            self._position += 1
            self._check_bounds(repetition)
        if self._last_item is _Item.REPETITION:
            self._refuse(
                "a repetition of a repetition",
                "put the inner one in (?:…)",
                at=start,
            )
        if self._last_item is _Item.ASSERTION:
            self._refuse(
                "^, $ and \\b have no width and cannot be repeated",
                "leave the repetition out",
                self._last_item_start,
            )
        self._position = repetition.end()
        if self._skip("?"):
            text += "?"
        elif self._pattern.startswith("+", self._position):
            self._refuse(
                "possessive repetition is not offered",
                "leave the second + out; no pattern is slow here",
            )
        self._write(_Item.REPETITION, text, text)

    def _check_bounds(self, repetition: re.Match[str]) -> None:
        """Raise `invalid_input` if the bounds of ``{n,m}`` are too large or reversed."""
        bounds = repetition[1], repetition[3] or repetition[1]
        # Five digits are enough to compare, however long a number is.
        minimum, maximum = (int(bound.lstrip("0")[:5] or 0) for bound in bounds)
        if max(minimum, maximum) > MAX_REPETITIONS:
            self._refuse(
                f"more than {MAX_REPETITIONS} repetitions",
                f"repeat at most {MAX_REPETITIONS} times, or without end: {{n,}}",
            )
        if maximum < minimum:
            self._refuse(
                "the bounds of this repetition are the wrong way round",
                f"write {{{maximum},{minimum}}}",
            )

    # Groups

    def _read_group(self, start: int) -> None:
        opening = _GROUP.match(self._pattern, start)
        if opening is None or not _has_valid_name(opening):
            self._refuse_group(start)
        name, turned_on, turned_off, end = opening.groups()
        if name in self._group_names:
            self._refuse(
                f"two groups are named {name}", "give each its own name", start
            )
        self._position = opening.end()
        outer_flags = self._flags
        flags = set(outer_flags) | set(turned_on or "")
        # `m` is always on.
        self._flags = "".join(flags - set(turned_off or "") - {"m"})
        if end == ")":
            # (?i) sets flags up to the end of the group that it is in.
            self._write(_Item.NONE, opening.group(), opening.group())
            return
        text = opening.group()
        if name is not None:
            self._group_names.add(name)
            text = f"(?P<{name}>"
        self._write(_Item.NONE, text, text if end else "(?:")
        self._open_groups.append((start, outer_flags))
        if len(self._open_groups) >= _MAX_NESTING:
            self._refuse(
                "groups are nested too deeply",
                "write the pattern with fewer groups",
            )

    def _refuse_group(self, start: int) -> NoReturn:
        for form, problem, hint in _REFUSED_GROUPS:
            if form.match(self._pattern, start):
                self._refuse(problem, hint, start)
        raise AssertionError("the last form matches every group")

    def _close_group(self, start: int) -> None:
        if not self._open_groups:
            self._refuse(
                "this ) closes nothing",
                r"write \) for the character",
                start,
            )
        self._last_item_start, self._flags = self._open_groups.pop()
        self._write(_Item.ATOM, ")", ")")

    # Escapes

    def _read_escape(self, start: int) -> None:
        letter = self._read_escaped_letter(start)
        if letter in "bB":
            if self._pattern.startswith("{", self._position):
                self._refuse(
                    "this kind of \\b is not offered",
                    "use \\b, or whole_word",
                    start,
                )
            rg = f"(?-u:\\{letter})"
            self._write(_Item.ASSERTION, f"\\{letter}", rg, "")
        elif letter in "Az":
            # The end of the file is not the end of its last line.
            self._needs_multiline = self._needs_multiline or letter == "z"
            rg = "^" if letter == "A" else "$"
            self._write(_Item.ASSERTION, f"\\{letter}", rg, "")
        elif letter in _CLASS_LETTERS:
            # Ignoring case does not change a class: \p{Lu} is an upper-case letter.
            text = f"(?-i:[{self._read_class(letter, start)}])"
            rg = self._raw_class(text, is_beyond_ascii=letter in "DWSpP")
            self._write(_Item.ATOM, text, rg)
        else:
            self._write_character(self._read_escaped_character(letter, start))

    def _read_escaped_letter(self, start: int) -> str:
        """Return the character after a backslash."""
        if self._position == len(self._pattern):
            self._refuse(
                "a backslash at the end", r"write \\ for the character", start
            )
        self._position += 1
        return self._pattern[self._position - 1]

    def _read_class(self, letter: str, start: int) -> str:
        """Return the class of an escape, as it is written inside brackets."""
        if letter not in "pP":
            return _CLASSES[letter]
        category = _PROPERTY.match(self._pattern, self._position)
        if category is None:
            self._refuse(
                "not a Unicode category or script",
                r"write \p{L}, \p{Lu}, \p{Greek} …",
                start,
            )
        self._position = category.end()
        return f"\\{letter}{category.group()}"

    def _read_escaped_character(self, letter: str, start: int) -> str:
        """Return the character that an escape stands for."""
        if letter in _ESCAPES:
            return _ESCAPES[letter]
        if letter == "r":
            return self._read_carriage_return(start)
        if letter in "xu":
            return self._read_hexadecimal(start)
        if letter.isdigit():
            self._refuse(
                "back-references and octal escapes are not offered",
                r"write the text again, or \x{…} for a character",
                at=start,
            )
        if letter == "Z":
            self._refuse(
                r"\Z means different things to different engines",
                r"\n?\z is the end of the file, with or without its last line ending",
                at=start,
            )
        if letter.isalnum() or letter in "<>":
            self._refuse(
                f"\\{letter} is not offered",
                Hint(
                    'for plain text use mode="literal"',
                    shell="for plain text leave out --regex",
                ),
                start,
            )
        return letter

    def _read_carriage_return(self, start: int) -> str:
        """Return the line break that ``\\r\\n`` and its variants stand for."""
        line_feeds = ("?\\n", "\\n", "*\\n")
        if not any(self._skip(line_feed) for line_feed in line_feeds):
            self._refuse(
                r"\r never occurs: matched text has \n for every line ending",
                r"write \n",
                start,
            )
        return "\n"

    def _read_hexadecimal(self, start: int) -> str:
        """Return the character of ``\\x41``, ``\\x{1F600}`` or ``\\u00E9``."""
        number = _HEXADECIMAL.match(self._pattern, start + 1)
        code = -1
        if number is not None:
            code = int(next(filter(None, number.groups())), 16)
        is_surrogate = 0xD800 <= code <= 0xDFFF
        if number is None or code > 0x10FFFF or is_surrogate:
            self._refuse(
                "this is not the number of a character",
                r"write \x41 or \x{1F600}",
                start,
            )
        self._position = number.end()
        return "\n" if code == 0x0D else chr(code)

    # Bracketed classes

    def _read_bracketed_class(self, start: int) -> None:
        is_negated = self._skip("^")
        members = self._read_members(start)
        is_line_break = set(members.ranges) == {("\n", "\n")}
        if is_line_break and not is_negated and not members.classes:
            self._needs_multiline = True
        if members.properties and "i" in self._flags:
            text = self._fold_class(members, start, is_negated=is_negated)
        else:
            negation = "^" if is_negated else ""
            text = (
                f"[{negation}{members.characters}{members.classes}"
                f"{members.properties}]"
            )
        is_beyond_ascii = (
            is_negated
            or bool(members.properties or self._flags)
            or members.is_beyond_ascii
        )
        rg = self._raw_class(text, is_beyond_ascii=is_beyond_ascii)
        self._write(_Item.ATOM, text, rg)

    def _read_members(self, start: int) -> _ClassMembers:
        """Read the members of a class up to its closing bracket."""
        members = _ClassMembers()
        is_first = True
        # A bracket that comes first is a member.
        while is_first or not self._skip("]"):
            is_first = False
            if self._position >= len(self._pattern):
                self._refuse(
                    "this [ is never closed",
                    r"write \[ for the character",
                    start,
                )
            pair = self._pattern[self._position : self._position + 2]
            if pair in ("&&", "--", "~~"):
                self._refuse(
                    f"{pair} in a class means different things to different engines",
                    f"for the characters write \\{pair[0]} once; classes are not combined",
                )
            inner_class = self._read_inner_class()
            if inner_class is None:
                low = self._read_member()
                members.add_range(low, self._read_range_end(low))
            elif inner_class[1] in "pP":
                members.properties += inner_class
            else:
                members.classes += inner_class
        return members

    def _read_range_end(self, low: str) -> str:
        """Return the last character of a range, or `low` if there is no range."""
        is_literal_hyphen = self._pattern.startswith(
            ("-]", "--"), self._position
        )
        if is_literal_hyphen or not self._skip("-"):
            return low
        start = self._position
        high = ""
        if start < len(self._pattern):
            if self._read_inner_class() is not None:
                self._refuse(
                    "a class cannot end a range",
                    r"write \- for the character",
                    start,
                )
            high = self._read_member()
        if high < low:
            self._refuse(
                "this range is in the wrong order",
                r"write \- for the character",
                start - 1,
            )
        return high

    def _fold_class(
        self, members: _ClassMembers, start: int, *, is_negated: bool
    ) -> str:
        """Return a class with properties as it is written where case is ignored.

        Engines differ in how they fold ``\\p{…}`` in a class, so only the characters that
        the class names are folded here.
        """
        listed_characters = members.characters + members.classes
        if not is_negated:
            alternative = f"[{listed_characters}]|" if listed_characters else ""
            return f"(?:{alternative}(?-i:[{members.properties}]))"
        if members.size > _MAX_FOLDED_CHARACTERS:
            self._refuse(
                "a class too large to ignore case in",
                "write (?-i:[^…])",
                start,
            )
        folded: dict[str, None] = {}
        for low, high in members.ranges:
            for character in map(chr, range(ord(low), ord(high) + 1)):
                for form in (character, character.lower(), character.upper()):
                    if len(form) == 1:
                        folded[write_character(form)] = None
        excluded = f"{''.join(folded)}{members.classes}{members.properties}"
        return f"(?-i:[^{excluded}])"

    def _read_inner_class(self) -> str | None:
        """Return a class that is a member of the bracketed class, if one is next."""
        start = self._position
        if self._pattern.startswith(("[:", "[.", "[="), start):
            posix_class = _POSIX_CLASS.match(self._pattern, start)
            if posix_class is None:
                self._refuse(
                    "not a class that exists",
                    r"write [[:alpha:]], or \[ for the character",
                )
            self._position = posix_class.end()
            return posix_class.group()
        letter = self._pattern[start + 1 : start + 2]
        # A tuple: at the end of the pattern the letter is "", which every text holds.
        if self._pattern[start] == "\\" and letter in tuple(_CLASS_LETTERS):
            self._position += 2
            return self._read_class(letter, start)
        return None

    def _read_member(self) -> str:
        """Return one character of a bracketed class."""
        start, character = self._position, self._pattern[self._position]
        self._position += 1
        if character == "\r":
            return "\n"
        if character != "\\":
            return self._note_case(character)
        letter = self._read_escaped_letter(start)
        if letter in "bB":
            self._refuse(
                "\\b in a class differs between engines",
                r"write \x08 for a backspace",
                start,
            )
        if letter == "r":
            return "\n"
        return self._read_escaped_character(letter, start)


def _has_valid_name(opening: re.Match[str]) -> bool:
    """Return True if a group has no name, or a name that both engines accept."""
    name = opening[1]
    return name is None or (name.isascii() and name.isidentifier())
