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

import re
import threading
import unicodedata
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Any, Literal, NoReturn

from filewright.errors import invalid
from filewright.text import codec
from filewright.text.codec import check_text, normalize_newlines, try_encode
from filewright.text.spelling import INVISIBLE_RANGES, equivalent_spellings

REPEATS = 1000
_COMPILED_BYTES = 8 << 20
"""What RE2 may take for one pattern and its states."""

_NESTED = 100
_LARGEST_FOLD = 2048
_ASCII = bytes(range(128))
_compiling = threading.Lock()
_OTHER = r"(?-u:[\x80-\xFF][\x30-\xFF]{0,3})"
"""One character outside ASCII in any encoding: a high byte, then up to three that trail it."""

_FOLDED_TO_ASCII = {"s": "\u017f", "k": "\u212a"}
"""The characters beyond ASCII that differ from an ASCII letter in nothing but case."""

_NOWHERE = r"[^\x00-\x{10FFFF}]"
"""What matches nothing, in RE2's syntax."""

_PLAIN = frozenset(" _\"'`,;:@=%/!<>")
_ESCAPES = {"n": "\n", "t": "\t", "f": "\f", "v": "\v", "a": "\a"}
_CLASSES = {
    "d": r"\d",
    "D": r"\D",
    "w": r"\w",
    "W": r"\W",
    "s": "[:space:]",
    "S": "[:^space:]",
}
"""The classes of a letter as RE2 writes them inside brackets; its own ``\\s`` lacks the vertical tab."""

_POSIX = re.compile(
    r"\[:\^?(?:alnum|alpha|ascii|blank|cntrl|digit|graph|lower|print|punct|space|upper|word|xdigit):\]"
)
_QUANTIFIER = re.compile(r"[*+?]|\{([0-9]+)(,?)([0-9]*)\}")
_NO_LEAST = re.compile(r"\{,[0-9]+\}")
_GROUP = re.compile(
    r"\((?!\?)|\(\?(?:P?<(?![=!])([^>]*)>|([ims]*)(?:-([is]*))?([:)]))"
)
_HEXADECIMAL = re.compile(
    r"x\{([0-9a-fA-F]{1,8})\}|x([0-9a-fA-F]{2})|u\{([0-9a-fA-F]{1,8})\}|u([0-9a-fA-F]{4})"
)
_PROPERTY = re.compile(
    r"\{\^?(?:(?:L[lmotu]?|M[cen]?|N[dlo]?|P[cdefios]?|S[ckmo]?|Z[lps]?|C[cfo]?)|[^\W\d_a-z][^\W\d]{2,})\}|[LMNPSZC]"
)
"""Categories; the names of scripts are left to RE2, which knows them all."""

_REFUSED_GROUPS = (
    (
        re.compile(r"\(\?<?[=!]"),
        "look-around is not offered (it cannot be searched in linear time)",
        "match the surroundings too and use a group for the part meant",
    ),
    (
        re.compile(r"\(\?>"),
        "atomic groups are not offered",
        "write (?:…); no pattern is slow here",
    ),
    (
        re.compile(r"\(\?P?<"),
        "this group's name is not a name",
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

    `re2` is for text in UTF-8 whose terminators are all ``\\n``: what it matches is what a hit is. `rg` is for
    raw bytes with any terminators, in any encoding that contains ASCII: it finds every line in which `re2` would
    find something, and some others; a character outside ASCII is taken to be any bytes that could be one in some
    encoding. `bare` is `re2` without what has no width. `upper` says that the pattern itself writes an
    upper-case character (``\\S`` and names of groups don't count), `breaks` that it asks for a line break.
    """

    re2: str
    rg: str
    bare: str
    upper: bool
    breaks: bool


def _spelled(c: str, look_alikes: bool) -> tuple[str, str]:
    """Return RE2's and `rg`'s form of one character in any of its spellings, with invisible ones behind it."""
    if c == "\n":
        return _written(c), _raw(c)
    spellings = equivalent_spellings(c, look_alikes=look_alikes)
    alternatives = "|".join(
        "".join(map(_written, spelling)) for spelling in spellings
    )
    starts = {spelling[0] for spelling in spellings}
    ascii_starts = [
        _written(start) for start in sorted(starts) if start.isascii()
    ]
    raw = "|".join([*ascii_starts, _OTHER])
    return (
        f"(?:(?:{alternatives})[{_INVISIBLE}]*)",
        f"(?:(?:{raw})(?:{_OTHER})*)",
    )


def literal(text: str, *, fold: bool = False) -> Translation:
    """The translation of exactly this text."""
    i, upper = "i" if fold else "", any(map(str.isupper, text))
    re2 = f"(?m{i})" + "".join(map(_written, text))
    rg = f"(?Rm{i})" + "".join(_raw(character, fold=fold) for character in text)
    return Translation(re2, rg, re2, upper, "\n" in text)


def translated(
    pattern: str,
    *,
    fold: bool = False,
    multiline: bool = False,
    look_alikes: bool | None = None,
) -> Translation:
    """The translation of a regular expression, with the case rule `fold` where the pattern sets none.

    With `look_alikes`, true or false, its characters match all their spellings.
    """
    reader = _PatternReader(pattern, fold, multiline)
    reader.look_alikes = look_alikes
    while reader.position < len(pattern):
        reader.read()
    if reader.open:
        reader.refuse(
            "this ( is never closed",
            r"write \( for the character",
            at=reader.open[-1][0],
        )
    re2, rg, bare = map("".join, zip(*reader.written, strict=True))
    i = "i" if fold else ""
    return Translation(
        f"(?m{i}){re2}", f"(?Rm{i}){rg}", bare, reader.upper, reader.breaks
    )


class _PatternReader:
    """Goes through a pattern; what is repeated, left open and folded where it is, is its state."""

    def __init__(self, pattern: str, fold: bool, multiline: bool) -> None:
        self.pattern = pattern
        self.multiline = multiline
        self.position = 0
        self.flags = "i" if fold else ""
        self.open: list[tuple[int, str]] = []
        self.names: set[str] = set()
        self.before, self.begin = (
            "",
            0,
        )  # what a repetition would repeat, and where that begins
        self.upper = self.breaks = False
        self.written: list[
            tuple[str, str, str]
        ] = []  # each thing as a `Translation` has it
        self.look_alikes: bool | None = (
            None  # not None: each character in any of its spellings
        )

    def refuse(self, what: str, hint: str, at: int | None = None) -> NoReturn:
        position = (self.position if at is None else at) + 1
        raise invalid(
            f"pattern, character {position}: {what}",
            hint,
            argument="pattern",
            position=position,
        )

    def take(self, text: str) -> bool:
        found = self.pattern.startswith(text, self.position)
        self.position += len(text) if found else 0
        return found

    def write(
        self, before: str, re2: str, rg: str, bare: str | None = None
    ) -> None:
        self.before = before
        self.written.append((re2, rg, re2 if bare is None else bare))

    def read(self) -> None:
        """Read one thing."""
        start, c = self.position, self.pattern[self.position]
        quantifier = _QUANTIFIER.match(self.pattern, start)
        if quantifier is not None:
            self.quantifier(quantifier)
            return
        self.begin = start
        if c == "(":
            self.group(start)
            return
        self.position += 1
        match c:
            case ")":
                if not self.open:
                    self.refuse(
                        "this ) closes nothing",
                        r"write \) for the character",
                        start,
                    )
                self.begin, self.flags = self.open.pop()
                self.write("atom", ")", ")")
            case "|":
                self.write("", c, c)
            case "^" | "$":
                self.write("assertion", c, c, "")
            case ".":
                self.write("atom", ".", self.sieve(".", other=True))
            case "[":
                self.bracket(start)
            case "\\":
                self.escape(start)
            case _:
                if _NO_LEAST.match(self.pattern, start):
                    self.refuse(
                        "{,n} means different things to different engines",
                        "write {0,n}",
                    )
                if c == "\r":
                    self.take("\n")
                self.character("\n" if c == "\r" else self.noted(c))

    def noted(self, c: str) -> str:
        self.upper = self.upper or c.isupper()
        return c

    def character(self, c: str) -> None:
        self.breaks = self.breaks or c == "\n"
        if self.look_alikes is not None:
            self.write("atom", *_spelled(c, self.look_alikes))
        else:
            self.write("atom", _written(c), _raw(c, fold="i" in self.flags))

    def quantifier(self, found: re.Match[str]) -> None:
        text = found.group()
        if not self.before:
            self.position += text[0] == "{"
            self.refuse(
                f"nothing to repeat before {text[0]}",
                f"write \\{text[0]} for the character",
                at=found.start(),
            )
        if text[0] == "{":
            self.position += 1
            least, most = (
                int(number.lstrip("0")[:5] or 0)
                for number in (found[1], found[3] or found[1])
            )
            if max(least, most) > REPEATS:
                self.refuse(
                    f"more than {REPEATS} repetitions",
                    f"repeat at most {REPEATS} times, or without end: {{n,}}",
                )
            if most < least:
                self.refuse(
                    "the bounds of this repetition are the wrong way round",
                    f"write {{{most},{least}}}",
                )
        if self.before == "repetition":
            self.refuse(
                "a repetition of a repetition",
                "put the inner one in (?:…)",
                at=found.start(),
            )
        if self.before == "assertion":
            self.refuse(
                "^, $ and \\b have no width and cannot be repeated",
                "leave the repetition out",
                self.begin,
            )
        self.position = found.end()
        lazy = "?" if self.take("?") else ""
        if not lazy and self.pattern.startswith("+", self.position):
            self.refuse(
                "possessive repetition is not offered",
                "leave the second + out; no pattern is slow here",
            )
        self.write("repetition", text + lazy, text + lazy)

    def group(self, start: int) -> None:
        found = _GROUP.match(self.pattern, start)
        name = found[1] if found is not None else None
        if found is None or (
            name is not None and not (name.isascii() and name.isidentifier())
        ):
            refused = next(
                row
                for row in _REFUSED_GROUPS
                if row[0].match(self.pattern, start)
            )
            self.refuse(refused[1], refused[2], start)
        if name in self.names:
            self.refuse(
                f"two groups are named {name}", "give each its own name", start
            )
        self.position = found.end()
        outer, end = self.flags, found[4]
        self.flags = "".join(
            (set(outer) | set(found[2] or "")) - set(found[3] or "") - {"m"}
        )
        if end == ")":  # (?i): to the end of the group it is in
            self.write("", found.group(), found.group())
            return
        if name is not None:
            self.names.add(name)
        text = f"(?P<{name}>" if name is not None else found.group()
        self.write("", text, text if end else "(?:")
        self.open.append((start, outer))
        if len(self.open) >= _NESTED:
            self.refuse(
                "groups are nested too deeply",
                "write the pattern with fewer groups",
            )

    def escape(self, start: int) -> None:
        c = self.escaped(start)
        if c in "bB":
            if self.pattern.startswith("{", self.position):
                self.refuse(
                    "this kind of \\b is not offered",
                    "use \\b, or whole_word",
                    start,
                )
            self.write("assertion", f"\\{c}", f"(?-u:\\{c})", "")
        elif c == "A" or (c == "z" and self.multiline):
            self.write("assertion", f"\\{c}", "^" if c == "A" else "$", "")
        elif c in "dDwWsSpP":
            # Case is nothing to these: \p{Lu} is an upper-case letter, also where case is ignored.
            text = f"(?-i:[{self.class_of(c, start)}])"
            self.write("atom", text, self.sieve(text, c in "DWSpP"))
        else:
            self.character(self.escaped_character(c, start))

    def escaped(self, start: int) -> str:
        if self.position == len(self.pattern):
            self.refuse(
                "a backslash at the end", r"write \\ for the character", start
            )
        self.position += 1
        return self.pattern[self.position - 1]

    def class_of(self, c: str, start: int) -> str:
        """A class of an escape, as it is written inside brackets."""
        if c not in "pP":
            return _CLASSES[c]
        found = _PROPERTY.match(self.pattern, self.position)
        if found is None:
            self.refuse(
                "not a Unicode category or script",
                r"write \p{L}, \p{Lu}, \p{Greek} …",
                start,
            )
        self.position = found.end()
        return f"\\{c}{found.group()}"

    def escaped_character(self, c: str, start: int) -> str:
        if c in _ESCAPES:
            return _ESCAPES[c]
        if c == "r":
            # Matched text has \n only.
            if self.take("?\\n") or self.take("\\n") or self.take("*\\n"):
                return "\n"
            self.refuse(
                r"\r never occurs: matched text has \n for every line ending",
                r"write \n",
                start,
            )
        if c in "xu":
            found = _HEXADECIMAL.match(self.pattern, start + 1)
            code = (
                int(next(filter(None, found.groups())), 16)
                if found is not None
                else -1
            )
            if found is None or code > 0x10FFFF or 0xD800 <= code <= 0xDFFF:
                self.refuse(
                    "this is no character's number",
                    r"write \x41 or \x{1F600}",
                    start,
                )
            self.position = found.end()
            return "\n" if code == 0x0D else chr(code)
        if c.isdigit():
            self.refuse(
                "back-references and octal escapes are not offered",
                r"write the text again, or \x{…} for a character",
                at=start,
            )
        if c in "zZ":
            self.refuse(
                f"\\{c} means different things to different engines",
                r"with multiline=true \n?\z is the end of the file, with or without its last line ending",
                at=start,
            )
        if c.isalnum() or c in "<>":
            self.refuse(
                f"\\{c} is not offered",
                'for plain text use mode="literal"',
                start,
            )
        return c

    def bracket(self, start: int) -> None:
        negated = "^" if self.take("^") else ""
        chars, classes, properties = "", "", ""
        ranges: list[tuple[str, str]] = []
        first = True
        while first or not self.take("]"):
            first = False
            if self.position >= len(self.pattern):
                self.refuse(
                    "this [ is never closed",
                    r"write \[ for the character",
                    start,
                )
            pair = self.pattern[self.position : self.position + 2]
            if pair in ("&&", "--", "~~"):
                self.refuse(
                    f"{pair} in a class means different things to different engines",
                    f"for the characters write \\{pair[0]} once; classes are not combined",
                )
            text = self.class_within()
            if text is not None:
                if text[1] in "pP":
                    properties += text
                else:
                    classes += text
                continue
            low = high = self.member()
            if not self.pattern.startswith(
                ("-]", "--"), self.position
            ) and self.take("-"):
                at = self.position
                if at < len(self.pattern) and self.class_within() is not None:
                    self.refuse(
                        "a class cannot end a range",
                        r"write \- for the character",
                        at,
                    )
                high = self.member() if at < len(self.pattern) else ""
                if high < low:
                    self.refuse(
                        "this range is not a range",
                        r"write \- for the character",
                        at - 1,
                    )
            ranges.append((low, high))
            chars += (
                _written(low)
                if low == high
                else f"{_written(low)}-{_written(high)}"
            )
        self.breaks = self.breaks or (
            set(ranges) == {("\n", "\n")} and not negated + classes
        )
        text = f"[{negated}{chars}{classes}{properties}]"
        if properties and "i" in self.flags:
            # Engines differ in how case and \p{…} meet in a class: only what is written is folded here.
            if negated:
                if (
                    sum(ord(high) - ord(low) + 1 for low, high in ranges)
                    > _LARGEST_FOLD
                ):
                    self.refuse(
                        "a class too large to ignore case in",
                        "write (?-i:[^…])",
                        start,
                    )
                both: dict[str, str] = {}
                for low, high in ranges:
                    for c in map(chr, range(ord(low), ord(high) + 1)):
                        both |= {
                            _written(v): v
                            for v in (c, c.lower(), c.upper())
                            if len(v) == 1
                        }
                text = f"(?-i:[^{''.join(both)}{classes}{properties}])"
            else:
                plain = f"[{chars}{classes}]|" if chars or classes else ""
                text = f"(?:{plain}(?-i:[{properties}]))"
        other = bool(negated or properties or self.flags) or any(
            not high.isascii() for _, high in ranges
        )
        self.write("atom", text, self.sieve(text, other))

    def class_within(self) -> str | None:
        """A class that is a member of the one that is being read, if there is one here."""
        start = self.position
        if self.pattern.startswith(("[:", "[.", "[="), start):
            found = _POSIX.match(self.pattern, start)
            if found is None:
                self.refuse(
                    "not a class that exists",
                    r"write [[:alpha:]], or \[ for the character",
                )
            self.position = found.end()
            return found.group()
        if self.pattern[start] == "\\" and self.pattern[
            start + 1 : start + 2
        ] in tuple("dDwWsSpP"):
            self.position += 2
            return self.class_of(self.pattern[start + 1], start)
        return None

    def member(self) -> str:
        """A character that is a member of a class."""
        start, c = self.position, self.pattern[self.position]
        self.position += 1
        if c != "\\":
            return "\n" if c == "\r" else self.noted(c)
        c = self.escaped(start)
        if c in "bB":
            self.refuse(
                "\\b in a class differs between engines",
                r"write \x08 for a backspace",
                start,
            )
        return "\n" if c == "r" else self.escaped_character(c, start)

    def sieve(self, text: str, other: bool) -> str:
        """For `rg`, what a class may be in a file of any encoding; `other` says that it is more than ASCII."""
        return _sieve(
            f"(?{self.flags}:{text})" if self.flags else text,
            other,
            self.multiline,
        )


def _written(c: str) -> str:
    """One character, outside and inside a class, for both engines."""
    return (
        c
        if c.isascii() and (c.isalnum() or c in _PLAIN)
        else rf"\x{{{ord(c):X}}}"
    )


def _raw(c: str, *, fold: bool = False) -> str:
    """One character, in either case if `fold`, as it is in a file of any encoding."""
    if c == "\n":
        return r"(?:\r\n|\n|\r)"
    if not fold:
        return _written(c) if c.isascii() else _OTHER
    if not c.isascii():
        return _sieve(
            f"(?i:{_written(c)})", True, multiline=False
        )  # ſ is also s, and the KELVIN SIGN k
    # `rg` knows these folds in UTF-8; the only other encoding that writes them is asked for their bytes.
    other = _FOLDED_TO_ASCII.get(c.lower(), "").encode("gb18030")
    return f"(?:{c}|{escaped(other)})" if other else _written(c)


@lru_cache(64)
def _sieve(text: str, other: bool, multiline: bool) -> str:
    runs = [
        found.span()
        for found in compiled(f"(?:{text})+", multiline=multiline).finditer(
            _ASCII
        )
    ]
    parts = []
    if multiline and any(low <= ord("\n") < stop for low, stop in runs):
        parts.append(r"\r\n")
        runs.append((ord("\r"), ord("\r") + 1))
    if runs:
        ranges = [f"\\x{low:02X}-\\x{stop - 1:02X}" for low, stop in runs]
        parts.append(f"(?-u:[{''.join(ranges)}])")
    if other or not parts:
        parts.append(_OTHER)
    return f"(?:{'|'.join(parts)})"


def escaped(literal: bytes) -> str:
    """The pattern of `rg` for exactly these bytes."""
    return "".join(
        chr(byte)
        if byte < 0x80 and chr(byte).isalnum()
        else rf"(?-u:\x{byte:02X})"
        for byte in literal
    )


def compiled(
    pattern: str | bytes, *, multiline: bool = True, latin1: bool = False
) -> Any:
    """RE2's compiled form of its own syntax; what is not `multiline` never matches a line break.

    Raises `invalid_input` for one that takes too much memory.
    """
    import re2

    options = re2.Options()
    options.log_errors = False
    options.never_nl = not multiline
    options.max_mem = _COMPILED_BYTES
    if latin1:
        options.encoding = re2.Options.Encoding.LATIN1
    try:
        with _compiling:
            made = re2.compile(
                pattern.encode() if isinstance(pattern, str) else pattern,
                options,
            )
            re2.purge()  # it would keep the last 128 of any size: a pattern is kept by its search alone
    except re2.error as error:
        reason = error.args[0] if error.args else error
        shown = (
            reason.decode("utf-8", "replace")
            if isinstance(reason, bytes)
            else str(reason)
        )
        hint = "make the pattern smaller: fewer or shorter repetitions, no nested ones"
        raise invalid(f"pattern: {shown}", hint, argument="pattern") from error
    return made


Mode = Literal["literal", "regex"]
Case = Literal["smart", "sensitive", "insensitive"]

_INVISIBLE = "".join(
    rf"\x{{{ord(low):X}}}-\x{{{ord(high):X}}}" for low, high in INVISIBLE_RANGES
)
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
    `multiline` also when a literal holds ``\\n``; `plain` is the literal that can be found as bytes
    (case-sensitive, one line), else None. A line that holds a match of `without` has no match.
    """

    text: str
    mode: Mode
    insensitive: bool
    whole_word: bool
    multiline: bool
    written: Translation = field(repr=False)
    plain: str | None = field(repr=False)
    without: Pattern | None = None

    @cached_property
    def regexp(self) -> Any:
        """RE2's compiled form, for normalised UTF-8 bytes. With `whole_word` group 1 is the match, before its own.

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

    def inside(self, *, first: bool, last: bool) -> Pattern:
        """The pattern for a part of a file: ``\\A`` is only in the first, and ``\\z`` only in the last."""
        re2 = self.written.re2
        re2 = re2 if first else re2.replace(r"\A", _NOWHERE)
        re2 = re2 if last else re2.replace(r"\z", _NOWHERE)
        return (
            self
            if re2 == self.written.re2
            else replace(self, written=replace(self.written, re2=re2))
        )

    @cached_property
    def groups(self) -> int:
        """How many groups the pattern itself captures."""
        return int(self.regexp.groups) - self.whole_word

    @cached_property
    def names(self) -> dict[str, int]:
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
            and compiled(self.written.bare).fullmatch(b"") is not None
        )

    @cached_property
    def matches_empty_within_lines(self) -> bool:
        """Whether the pattern can match nothing at all between two characters of a line, as ``x*`` and ``\\b`` do."""
        if not self.matches_empty:
            return False
        between = compiled(rf"\A(?s:.)(?:{self.written.re2})(?s:.)\z")
        return any(
            between.search(pair.encode()) is not None
            for pair in _PAIRS_OF_A_LINE
        )

    def in_other_spellings(self, *, look_alikes: bool) -> Pattern | None:
        """Return the pattern for lines that hold this one only in another spelling; None where that is not looked for.

        Characters that look alike count with `look_alikes`.
        """
        text = unicodedata.normalize("NFC", self.text)
        if (
            self.multiline
            or self.without is not None
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
            written = translated(
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
    def for_rg(self) -> tuple[str, ...]:
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
            return tuple(map(escaped, found))
        return (self.written.rg,)


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
        literal(text)
        if mode == "literal"
        else translated(text, multiline=multiline)
    )
    cased = mode == "regex" or text.lower() != text.upper()
    insensitive = cased and (
        case == "insensitive" or (case == "smart" and not made.upper)
    )
    if insensitive and mode == "literal":
        made = literal(text, fold=True)
    elif insensitive:
        made = translated(text, fold=True, multiline=multiline)
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


def is_word(c: str) -> bool:
    """Whether a character is a letter, mark, number or connector, as `whole_word` means it."""
    return (
        unicodedata.category(c)[0] in "LMN" or unicodedata.category(c) == "Pc"
    )
