"""pattern_syntax."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NoReturn

from filewright.errors import invalid
from filewright.search.characters import _raw, _sieve, _spelled, _written

MAX_REPETITIONS = 1000

_NESTED = 100
_LARGEST_FOLD = 2048
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


def translate_literal(text: str, *, fold: bool = False) -> Translation:
    """The translation of exactly this text."""
    i, upper = "i" if fold else "", any(map(str.isupper, text))
    re2 = f"(?m{i})" + "".join(map(_written, text))
    rg = f"(?Rm{i})" + "".join(_raw(character, fold=fold) for character in text)
    return Translation(re2, rg, re2, upper, "\n" in text)


def translate_regex(
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
    re2, rg, bare = map("".join, zip(*reader.pieces, strict=True))
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
        self.pieces: list[
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
        self.pieces.append((re2, rg, re2 if bare is None else bare))

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
            if max(least, most) > MAX_REPETITIONS:
                self.refuse(
                    f"more than {MAX_REPETITIONS} repetitions",
                    f"repeat at most {MAX_REPETITIONS} times, or without end: {{n,}}",
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
