"""From the tree of a pattern to what each engine is given.

Two forms of one meaning:

- `for_re2`: for text whose terminators are all ``\\n``, in UTF-8. What it matches is what a hit is.
- `for_rg`: for raw bytes with any terminators, in any encoding that contains ASCII; finds every line in which
  `for_re2` would find something, and some others. A character outside ASCII is taken to be any bytes
  that could be one in some encoding.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

from filewright.search.syntax import (
    LINE_FEED,
    Alternation,
    Assertion,
    Char,
    Group,
    Node,
    Range,
    Repeat,
    Sequence,
    Set,
    merged,
    without,
)

_CARRIAGE_RETURN = 0x0D
_WORD_CHARACTERS = r"\p{L}\p{M}\p{N}\p{Pc}"

#: One character outside ASCII in any encoding: a high byte, then up to three that trail it.
_OTHER = r"(?-u:[\x80-\xFF][\x30-\xFF]{0,3})"


_NEVER = r"[^\x{0}-\x{10FFFF}]"
"""What matches nothing."""


@dataclass(frozen=True, slots=True)
class _Form:
    raw: bool  # for `rg`: bytes, terminators as in the file
    multiline: bool


def for_re2(node: Node, *, multiline: bool, whole_word: bool) -> bytes:
    """RE2's pattern. With `whole_word` group 1 is the match and the others move up by one.

    A word character is a letter, mark, number or connector of Unicode. Bytes that are not UTF-8 are
    no word characters, hence the ``\\C`` (any byte), narrowed by ``\\b`` to keep the choice of the
    match right where words are ASCII.
    """
    text = _emit(node, _Form(raw=False, multiline=multiline))
    if whole_word:
        text = rf"(?:^|[^{_WORD_CHARACTERS}]|\C\b)({text})(?:$|[^{_WORD_CHARACTERS}]|\b\C)"
    return f"(?m){text}".encode()


def for_rg(node: Node, *, multiline: bool) -> str:
    """The pattern for `rg` and files of any encoding."""
    return f"(?Rm){_emit(node, _Form(raw=True, multiline=multiline))}"


def _emit(node: Node, form: _Form) -> str:
    match node:
        case Char():
            return _char(node, form)
        case Set():
            return _set(node, form)
        case Assertion("b" | "B"):
            return f"(?-u:\\{node.kind})" if form.raw else f"\\{node.kind}"
        case Assertion():
            return node.kind
        case Group():
            inner = _emit(node.inner, form)
            if not node.captures or form.raw:
                return f"(?:{inner})"
            return f"(?P<{node.name}>{inner})" if node.name else f"({inner})"
        case Repeat():
            inner = _emit(node.inner, form)
            one = len(inner) == 1 or (inner[0] == "\\" and len(inner) == 2) or inner.startswith("(?")
            if isinstance(node.inner, Char | Set) and not one:
                inner = f"(?:{inner})"
            return inner + _times(node)
        case Sequence():
            return "".join(
                f"(?:{_emit(item, form)})" if isinstance(item, Alternation) else _emit(item, form)
                for item in node.items
            )
        case Alternation():
            return "|".join(_emit(item, form) for item in node.items)


def _times(node: Repeat) -> str:
    lazy = "?" if node.lazy else ""
    match node.low, node.high:
        case 0, None:
            return "*" + lazy
        case 1, None:
            return "+" + lazy
        case 0, 1:
            return "?" + lazy
        case low, None:
            return f"{{{low},}}{lazy}"
        case low, high:
            return f"{{{low},{high}}}{lazy}"
    raise AssertionError(node)


def _char(node: Char, form: _Form) -> str:
    if node.code == LINE_FEED:
        if not form.multiline:
            return _NEVER
        return r"(?:\r\n|\n|\r)" if form.raw else r"\n"
    if form.raw and node.code > 0x7F:
        return _OTHER
    text = _code(node.code)
    if node.fold and chr(node.code).lower() != chr(node.code).upper():
        return f"(?i:{text})"
    return text


def _code(code: int) -> str:
    """One code point, outside and inside a class."""
    c = chr(code)
    if c.isascii() and c.isalnum():
        return c
    if c.isascii() and (not c.isprintable()):
        return rf"\x{{{code:X}}}"
    if c.isascii():
        return c if c in " _\"'`,;:@=%/!<>" else f"\\{c}"
    return rf"\x{{{code:X}}}"


def _ranges(ranges: tuple[Range, ...]) -> str:
    return "".join(_code(low) if low == high else f"{_code(low)}-{_code(high)}" for low, high in ranges)


def _set(node: Set, form: _Form) -> str:
    if form.raw:
        return _raw_set(node, form)
    kept = r"\r" if form.multiline else r"\r\n"
    if node.negated:
        properties = "".join(rf"\{'P' if negated else 'p'}{{{name}}}" for name, negated in node.properties)
        body = f"[^{_ranges(node.ranges)}{properties}{kept}]"
        return f"(?i:{body})" if node.fold else body
    ranges = without(node.ranges, _CARRIAGE_RETURN)
    if not form.multiline:
        ranges = without(ranges, LINE_FEED)
    parts = []
    if ranges:
        body = f"[{_ranges(ranges)}]"
        cased = any(
            high > 0x7F or any(map(str.isalpha, map(chr, range(low, high + 1)))) for low, high in ranges
        )
        parts.append(f"(?i:{body})" if node.fold and cased else body)
    for name, negated in node.properties:
        # The set less the terminators, written as what is in neither.
        inverse = "p" if negated else "P"
        parts.append(rf"(?-i:[^\{inverse}{{{name}}}{'' if form.multiline else kept}])")
    return _either(parts)


def _either(parts: list[str]) -> str:
    if len(parts) == 1 and not parts[0].startswith("\\"):
        return parts[0]
    return f"(?:{'|'.join(parts)})" if parts else _NEVER


def _raw_set(node: Set, form: _Form) -> str:
    ascii_codes = [code for code in range(128) if _holds(node, code)]
    newline = LINE_FEED in ascii_codes
    codes = [code for code in ascii_codes if code not in (LINE_FEED, _CARRIAGE_RETURN)]
    parts = []
    if form.multiline and newline:
        parts.append(r"\r\n")
        codes += [LINE_FEED, _CARRIAGE_RETURN]
    if codes:
        body = f"[{_ranges(merged([(code, code) for code in codes]))}]"
        parts.append(f"(?-u:{body})")
    if node.negated or node.properties or node.fold or any(high > 0x7F for _, high in node.ranges):
        parts.append(_OTHER)
    return _either(parts)


def _holds(node: Set, code: int) -> bool:
    c = chr(code)
    variants = {code, *((ord(c.lower()), ord(c.upper())) if node.fold else ())}
    inside = any(low <= v <= high for low, high in node.ranges for v in variants)
    for name, negated in node.properties:
        if len(name) <= 2:
            inside = inside or unicodedata.category(c).startswith(name) != negated
        else:
            inside = True  # a script: let every character through
            if node.negated:
                return True
    return inside != node.negated
