"""The one regex syntax: what it is, read into a tree of plain values, or refused at the door.

It is the intersection of Rust's `regex` crate (the engine of `rg`) and RE2, with the places where
the two differ given one meaning here:

- ``\\d \\w \\s \\b`` and the POSIX classes are ASCII; ``\\p{L}`` and its like are Unicode.
- ``^`` and ``$`` match at the beginning and end of every line, whatever its terminator.
- ``\\n`` is any terminator; nothing but ``\\n`` and classes that hold it crosses lines, and only in
  a multiline search.

`parse` raises `invalid_input` with the position and what to write instead.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NoReturn

from filewright.errors import Code, FilewrightError

LARGEST = 0x10FFFF
LINE_FEED = 0x0A

Range = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Char:
    """One character; `fold` means in either case."""

    code: int
    fold: bool = False


@dataclass(frozen=True, slots=True)
class Set:
    """One character of a set: ordered, disjoint `ranges` and Unicode `properties` (name, negated)."""

    ranges: tuple[Range, ...]
    properties: tuple[tuple[str, bool], ...] = ()
    negated: bool = False
    fold: bool = False


@dataclass(frozen=True, slots=True)
class Assertion:
    """A place of no width: one of ``^ $ b B``."""

    kind: str


@dataclass(frozen=True, slots=True)
class Group:
    """A group; `name` None and `captures` False for ``(?:…)``."""

    inner: Node
    captures: bool
    name: str | None = None


@dataclass(frozen=True, slots=True)
class Repeat:
    """`inner` from `low` to `high` times (None: without end)."""

    inner: Node
    low: int
    high: int | None
    lazy: bool


@dataclass(frozen=True, slots=True)
class Sequence:
    """One after another."""

    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Alternation:
    """The first alternative that leads to a match."""

    items: tuple[Node, ...]


Node = Char | Set | Assertion | Group | Repeat | Sequence | Alternation


def merged(ranges: list[Range]) -> tuple[Range, ...]:
    """The same set of code points as ordered, disjoint, non-touching ranges."""
    result: list[Range] = []
    for low, high in sorted(ranges):
        if result and low <= result[-1][1] + 1:
            result[-1] = (result[-1][0], max(high, result[-1][1]))
        else:
            result.append((low, high))
    return tuple(result)


def complement(ranges: tuple[Range, ...]) -> tuple[Range, ...]:
    """Every code point that is not in ordered, disjoint `ranges`."""
    result: list[Range] = []
    low = 0
    for start, end in ranges:
        if start > low:
            result.append((low, start - 1))
        low = end + 1
    if low <= LARGEST:
        result.append((low, LARGEST))
    return tuple(result)


def without(ranges: tuple[Range, ...], *codes: int) -> tuple[Range, ...]:
    """`ranges` less single code points."""
    for code in codes:
        ranges = tuple(
            piece
            for low, high in ranges
            for piece in (((low, high),) if not low <= code <= high else ((low, code - 1), (code + 1, high)))
            if piece[0] <= piece[1]
        )
    return ranges


# Reading a pattern

REPEATS = 1000
_DEPTH = 100


def _ranges_of(ends: str) -> tuple[Range, ...]:
    """The ranges whose ends are the characters given, two by two."""
    return tuple(zip(map(ord, ends[::2]), map(ord, ends[1::2]), strict=True))


_PERL = {"d": _ranges_of("09"), "w": _ranges_of("09AZ__az"), "s": _ranges_of("\t\r  ")}
_POSIX = {
    "alnum": _ranges_of("09AZaz"),
    "alpha": _ranges_of("AZaz"),
    "ascii": _ranges_of("\0\x7f"),
    "blank": _ranges_of("\t\t  "),
    "cntrl": _ranges_of("\0\x1f\x7f\x7f"),
    "digit": _PERL["d"],
    "graph": _ranges_of("!~"),
    "lower": _ranges_of("az"),
    "print": _ranges_of(" ~"),
    "punct": _ranges_of("!/:@[`{~"),
    "space": _PERL["s"],
    "upper": _ranges_of("AZ"),
    "word": _PERL["w"],
    "xdigit": _ranges_of("09AFaf"),
}
_ESCAPES = {"n": 0x0A, "t": 0x09, "f": 0x0C, "v": 0x0B, "a": 0x07}
_CATEGORIES = {
    "L": "lmotu", "M": "cen", "N": "dlo", "P": "cdefios", "S": "ckmo", "Z": "lps", "C": "cfo",
}  # fmt: skip


def literal(text: str, *, fold: bool) -> Node:
    """The tree of exactly this text."""
    return Sequence(tuple(Char(ord(c), fold) for c in text))


def parse(pattern: str, *, fold: bool = False) -> Node:
    """The tree of a pattern, with the case rule `fold` where the pattern sets none."""
    parser = _Parser(pattern, fold)
    node = parser.choice()
    if not parser.at_end:
        parser.refuse("this ) closes nothing", r"write \) for the character")
    return node


def has_upper(pattern: str) -> bool:
    """Whether the pattern itself writes an upper-case character (``\\S`` and group names don't count)."""
    parser = _Parser(pattern, False)
    parser.choice()
    return parser.upper


class _Parser:
    def __init__(self, pattern: str, fold: bool) -> None:
        self.pattern = pattern
        self.position = 0
        self.fold = fold
        self.dot_all = False
        self.depth = 0
        self.names: set[str] = set()
        self.upper = False

    @property
    def at_end(self) -> bool:
        return self.position >= len(self.pattern)

    def refuse(self, what: str, hint: str, *, at: int | None = None) -> NoReturn:
        position = self.position if at is None else at
        raise FilewrightError(
            Code.INVALID_INPUT,
            f"pattern, character {position + 1}: {what}",
            hint=hint,
            details={"argument": "pattern", "position": position + 1},
        )

    def peek(self, text: str) -> bool:
        return self.pattern.startswith(text, self.position)

    def take(self, text: str) -> bool:
        if self.peek(text):
            self.position += len(text)
            return True
        return False

    def choice(self) -> Node:
        self.depth += 1
        if self.depth > _DEPTH:
            self.refuse("groups are nested too deeply", "write the pattern with fewer groups")
        items = [self.sequence()]
        while self.take("|"):
            items.append(self.sequence())
        self.depth -= 1
        return items[0] if len(items) == 1 else Alternation(tuple(items))

    def sequence(self) -> Node:
        items: list[Node] = []
        while not self.at_end and not self.peek("|") and not self.peek(")"):
            start = self.position
            atom = self.atom()
            if atom is not None:
                items.append(self.quantified(atom, start))
        return items[0] if len(items) == 1 else Sequence(tuple(items))

    def atom(self) -> Node | None:
        start = self.position
        c = self.pattern[start]
        if c in "*+?":
            self.refuse(f"nothing to repeat before {c}", f"write \\{c} for the character")
        self.position += 1
        match c:
            case "(":
                return self.group(start)
            case "[":
                return self.bracket(start)
            case "\\":
                return self.escape(start)
            case ".":
                return Set(((0, LARGEST),) if self.dot_all else without(((0, LARGEST),), LINE_FEED))
            case "^" | "$":
                return Assertion(c)
            case "{" if self.bounds(peek=True) is not None:
                self.refuse("nothing to repeat before {", r"write \{ for the character", at=start)
            case "\r":
                self.take("\n")
                return Char(LINE_FEED)
        return Char(self.code(c, start), self.fold)

    def code(self, c: str, at: int) -> int:
        self.upper = self.upper or c.isupper()
        if 0xD800 <= ord(c) <= 0xDFFF:
            self.refuse("a lone surrogate, half of a character", "send the whole character", at=at)
        return ord(c)

    def quantified(self, atom: Node, start: int) -> Node:
        bounds = self.quantifier()
        if bounds is None:
            return atom
        if isinstance(atom, Assertion):
            self.refuse(
                "^, $ and \\b have no width and cannot be repeated", "leave the repetition out", at=start
            )
        lazy = self.take("?")
        if not lazy and self.peek("+"):
            self.refuse(
                "possessive repetition is not offered", "leave the second + out; no pattern is slow here"
            )
        mark = self.position
        if self.quantifier() is not None:
            self.refuse("a repetition of a repetition", "put the inner one in (?:…)", at=mark)
        if isinstance(atom, Sequence):
            atom = Group(atom, captures=False)
        return Repeat(atom, bounds[0], bounds[1], lazy)

    def quantifier(self) -> tuple[int, int | None] | None:
        for mark, low, high in (("*", 0, None), ("+", 1, None), ("?", 0, 1)):
            if self.take(mark):
                return low, high
        if self.peek("{"):
            self.position += 1
            bounds = self.bounds()
            if bounds is None:
                self.position -= 1
            return bounds
        return None

    def bounds(self, *, peek: bool = False) -> tuple[int, int | None] | None:
        """``n}``, ``n,}`` or ``n,m}`` after a ``{``; None if the ``{`` is the character."""
        start = self.position
        end = self.pattern.find("}", start)
        low, comma, high = self.pattern[start : max(end, start)].partition(",")
        digits = (low.isascii() and low.isdigit()) and (not high or (high.isascii() and high.isdigit()))
        if end >= 0 and not low and comma and high.isascii() and high.isdigit():
            self.refuse("{,n} means different things to different engines", "write {0,n}")
        if end < 0 or not digits:
            return None
        if peek:
            return 0, 0
        least = int(low[:6])
        most = least if not comma else (int(high[:6]) if high else None)
        if least > REPEATS or (most or 0) > REPEATS:
            self.refuse(
                f"more than {REPEATS} repetitions", f"repeat at most {REPEATS} times, or without end: {{n,}}"
            )
        if most is not None and most < least:
            self.refuse("the bounds of this repetition are the wrong way round", f"write {{{most},{least}}}")
        self.position = end + 1
        return least, most

    def group(self, start: int) -> Node | None:
        outer = self.fold, self.dot_all
        name = None
        captures = True
        if self.take("?"):
            captures = False
            if self.peek("P<") or (self.peek("<") and not self.peek("<=") and not self.peek("<!")):
                captures = True
                name = self.name(start)
            elif not self.take(":") and self.flags(start):
                return None  # (?i): to the end of the group we are in
        inner = self.choice()
        if not self.take(")"):
            self.refuse("this ( is never closed", r"write \( for the character", at=start)
        self.fold, self.dot_all = outer
        return Group(inner, captures, name)

    def name(self, start: int) -> str:
        self.position = self.pattern.index("<", self.position) + 1
        end = self.pattern.find(">", self.position)
        name = self.pattern[self.position : max(end, self.position)]
        if not (name.isascii() and name.isidentifier()):
            self.refuse("this group's name is not a name", "use letters, digits and _", at=start)
        if name in self.names:
            self.refuse(f"two groups are named {name}", "give each its own name", at=start)
        self.names.add(name)
        self.position = end + 1
        return name

    def flags(self, start: int) -> bool:
        """The flags of ``(?i)`` or ``(?i:``; True for the first, which is a statement, not a group."""
        rest = self.pattern[self.position : self.position + 2]
        if rest[:1] in ("=", "!") or rest in ("<=", "<!"):
            self.refuse(
                "look-around is not offered (it cannot be searched in linear time)",
                "match the surroundings too and use a group for the part meant",
                at=start,
            )
        if rest[:1] == ">":
            self.refuse("atomic groups are not offered", "write (?:…); no pattern is slow here", at=start)
        on = True
        while not self.at_end:
            c = self.pattern[self.position]
            self.position += 1
            if c == "-" and on:
                on = False
            elif c == "i":
                self.fold = on
            elif c == "s":
                self.dot_all = on
            elif c == "m" and on:
                pass  # ^ and $ always match at lines
            elif c in ":)":
                return c == ")"
            else:
                break
        return self.refuse(
            "these flags are not offered", "use i (either case) and s (. matches \\n), as in (?i)", at=start
        )

    def escape(self, start: int) -> Node:
        c = self.escaped(start)
        if c in "bB":
            if self.peek("{"):
                self.refuse("this kind of \\b is not offered", "use \\b, or whole_word", at=start)
            return Assertion(c)
        if c in "dwsDWS":
            ranges = _PERL[c.lower()]
            return Set(complement(ranges) if c.isupper() else ranges)
        if c in "pP":
            return Set((), (self.property(c, start),))
        code = self.escaped_code(c, start)
        return Char(code, self.fold and code != LINE_FEED)

    def escaped(self, start: int) -> str:
        if self.at_end:
            self.refuse("a backslash at the end", r"write \\ for the character", at=start)
        self.position += 1
        return self.pattern[self.position - 1]

    def escaped_code(self, c: str, start: int) -> int:
        if c in _ESCAPES:
            return _ESCAPES[c]
        if c == "r":
            # Matched text has \n only.
            if self.take("?\\n") or self.take("\\n") or self.take("*\\n"):
                return LINE_FEED
            self.refuse(r"\r never occurs: matched text has \n for every line ending", r"write \n", at=start)
        if c in "xu":
            return self.hexadecimal(c, start)
        if c.isdigit():
            self.refuse(
                "back-references and octal escapes are not offered",
                r"write the text again, or \x{…} for a character",
                at=start,
            )
        if c in "AzZ":
            self.refuse(
                f"\\{c} means different things to different engines",
                "use ^ and $: they match at the beginning and end of every line",
                at=start,
            )
        if c.isalnum() or c in "<>":
            self.refuse(f"\\{c} is not offered", 'for plain text use mode="literal"', at=start)
        return self.code(c, start)

    def hexadecimal(self, c: str, start: int) -> int:
        if self.take("{"):
            end = self.pattern.find("}", self.position)
            digits = self.pattern[self.position : max(end, self.position)]
            self.position = end + 1
        else:
            width = 2 if c == "x" else 4
            digits = self.pattern[self.position : self.position + width]
            self.position += width
            digits = digits if len(digits) == width else ""
        valid = 0 < len(digits) <= 8 and all(d in "0123456789abcdefABCDEF" for d in digits)
        code = int(digits, 16) if valid else -1
        if not 0 <= code <= LARGEST or 0xD800 <= code <= 0xDFFF:
            self.refuse("this is no character's number", r"write \x41 or \x{1F600}", at=start)
        return LINE_FEED if code == 0x0D else code

    def property(self, c: str, start: int) -> tuple[str, bool]:
        if self.take("{"):
            end = self.pattern.find("}", self.position)
            name = self.pattern[self.position : max(end, self.position)]
            self.position = end + 1
        else:
            name = self.pattern[self.position : self.position + 1]
            self.position += 1
        negated = (c == "P") != name.startswith("^")
        name = name.removeprefix("^")
        category = name[:1] in _CATEGORIES and (len(name) == 1 or name[1:] in tuple(_CATEGORIES[name[0]]))
        # The names of scripts are left to RE2, which knows them all.
        script = len(name) > 2 and name[0].isupper() and name.replace("_", "").isalpha()
        if not category and not script:
            self.refuse("not a Unicode category or script", r"write \p{L}, \p{Lu}, \p{Greek} …", at=start)
        return name, negated

    def bracket(self, start: int) -> Node:
        negated = self.take("^")
        ranges: list[Range] = []
        properties: list[tuple[str, bool]] = []
        first = True
        while first or not self.peek("]"):
            if self.at_end:
                self.refuse("this [ is never closed", r"write \[ for the character", at=start)
            for pair in ("&&", "--", "~~"):
                if self.peek(pair):
                    self.refuse(
                        f"{pair} in a class means different things to different engines",
                        f"for the characters write \\{pair[0]} once; classes are not combined",
                    )
            first = False
            low = self.member(ranges, properties)
            if low is None:
                continue
            if self.peek("-") and not self.peek("-]") and not self.peek("--"):
                at = self.position
                self.position += 1
                high = None if self.at_end else self.member(None, None)
                if high is None or high < low:
                    self.refuse("this range is not a range", r"write \- for the character", at=at)
                ranges.append((low, high))
            else:
                ranges.append((low, low))
        self.position += 1
        found = merged(ranges)
        if negated and not properties and not self.fold:
            return Set(complement(found))
        if self.fold and negated and properties:
            # Engines differ in how case and \\p{…} meet in a negated class: settle the case here.
            return Set(self.both_cases(found, start), tuple(properties), True)
        return Set(found, tuple(properties), negated, self.fold)

    def both_cases(self, ranges: tuple[Range, ...], start: int) -> tuple[Range, ...]:
        if sum(high - low + 1 for low, high in ranges) > 2048:
            self.refuse("a class too large to ignore case in", "write (?-i:[^…])", at=start)
        chars = [chr(code) for low, high in ranges for code in range(low, high + 1)]
        variants = {v for c in chars for v in (c, c.lower(), c.upper()) if len(v) == 1}
        return merged([(ord(v), ord(v)) for v in variants])

    def member(self, ranges: list[Range] | None, properties: list[tuple[str, bool]] | None) -> int | None:
        """One member: its code, or None if it was a class of its own and went into the lists."""
        start = self.position
        c = self.pattern[start]
        if c == "[" and self.pattern[start + 1 : start + 2] in (":", ".", "="):
            end = self.pattern.find(":]", start)
            name = self.pattern[start + 2 : max(end, start + 2)]
            plain = name.removeprefix("^")
            if plain not in _POSIX or ranges is None or self.pattern[start + 1] != ":":
                self.refuse("not a class that exists", r"write [[:alpha:]], or \[ for the character")
            ranges.extend(complement(_POSIX[plain]) if name != plain else _POSIX[plain])
            self.position = end + 2
            return None
        self.position += 1
        if c != "\\":
            return LINE_FEED if c == "\r" else self.code(c, start)
        c = self.escaped(start)
        if c in "dwsDWSpP" and (ranges is None or properties is None):
            self.refuse("a class cannot end a range", r"write \- for the character", at=start)
        if c in "dwsDWS":
            assert ranges is not None
            ranges.extend(complement(_PERL[c.lower()]) if c.isupper() else _PERL[c.lower()])
            return None
        if c in "pP":
            assert properties is not None
            properties.append(self.property(c, start))
            return None
        if c == "r":
            return LINE_FEED
        if c in "bB":
            self.refuse("\\b in a class differs between engines", r"write \x08 for a backspace", at=start)
        return self.escaped_code(c, start)
