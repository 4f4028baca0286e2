"""From the tree of a pattern to what each engine is given.

Three forms of one meaning:

- `for_re2`: for text whose terminators are all ``\\n``, in UTF-8. What it matches is what a hit is.
- `for_rg`: for raw UTF-8 bytes with any terminators; finds every line that `for_re2` finds.
- `for_sieve`: for raw bytes in any encoding that contains ASCII; lets through every file in which
  `for_re2` would find something, and some others. A character outside ASCII is taken to be any bytes
  that could be one in some encoding.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

from filewright.search.nodes import (
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


@dataclass(frozen=True, slots=True)
class _Form:
    raw: bool  # terminators are as in the file
    sieve: bool
    multiline: bool


def for_re2(node: Node, *, multiline: bool, whole_word: bool) -> bytes:
    """RE2's pattern. With `whole_word` group 1 is the match and the others move up by one.

    A word character is a letter, mark, number or connector of Unicode. Bytes that are not UTF-8 are
    no word characters, hence the ``\\C`` (any byte), narrowed by ``\\b`` to keep the choice of the
    match right where words are ASCII.
    """
    text = _emit(node, _Form(raw=False, sieve=False, multiline=multiline))
    if whole_word:
        text = rf"(?:^|[^{_WORD_CHARACTERS}]|\C\b)({text})(?:$|[^{_WORD_CHARACTERS}]|\b\C)"
    return f"(?m){text}".encode()


def for_rg(node: Node, *, multiline: bool, whole_word: bool) -> str:
    """The pattern for `rg` and a file known to be UTF-8."""
    text = _emit(node, _Form(raw=True, sieve=False, multiline=multiline))
    return f"(?Rm){_half_words(text) if whole_word else text}"


def for_sieve(node: Node, *, multiline: bool) -> str:
    """The pattern for `rg` and files of any encoding."""
    return f"(?Rm){_emit(node, _Form(raw=True, sieve=True, multiline=multiline))}"


def _half_words(text: str) -> str:
    return rf"(?-u:\b{{start-half}})(?:{text})(?-u:\b{{end-half}})"


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
            if isinstance(node.inner, Char | Set) and not _is_one(inner):
                inner = f"(?:{inner})"
            return inner + _times(node)
        case Sequence():
            return "".join(
                f"(?:{_emit(item, form)})" if isinstance(item, Alternation) else _emit(item, form)
                for item in node.items
            )
        case Alternation():
            return "|".join(_emit(item, form) for item in node.items)


def _is_one(emitted: str) -> bool:
    return len(emitted) == 1 or (emitted.startswith("\\") and len(emitted) == 2) or emitted.startswith("(?")


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
            return r"[^\x{0}-\x{10FFFF}]"
        return r"(?:\r\n|\n|\r)" if form.raw else r"\n"
    if form.sieve and node.code > 0x7F:
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
    if form.sieve:
        return _sieve_set(node, form)
    if node.negated:
        return _negated(node, form)
    holds_newline = any(low <= LINE_FEED <= high for low, high in node.ranges)
    ranges = without(node.ranges, _CARRIAGE_RETURN)
    if form.multiline:
        if holds_newline and form.raw:
            ranges = merged([*ranges, (_CARRIAGE_RETURN, _CARRIAGE_RETURN)])
    else:
        ranges = without(ranges, LINE_FEED)
    parts = [r"\r\n"] if form.multiline and form.raw and (holds_newline or node.properties) else []
    if ranges:
        body = f"[{_ranges(ranges)}]"
        parts.append(f"(?i:{body})" if node.fold and _has_case(ranges) else body)
    for name, negated in node.properties:
        # The set less the terminators, written as what is in neither: the one form that both have.
        inverse = "p" if negated else "P"
        kept = "" if form.multiline else r"\r\n"
        parts.append(rf"(?-i:[^\{inverse}{{{name}}}{kept}])")
    if not parts:
        return r"[^\x{0}-\x{10FFFF}]"
    return parts[0] if len(parts) == 1 and not parts[0].startswith("\\") else f"(?:{'|'.join(parts)})"


def _negated(node: Set, form: _Form) -> str:
    kept = "" if form.multiline and form.raw else ("\\r" if form.multiline else "\\r\\n")
    holds_newline = any(low <= LINE_FEED <= high for low, high in node.ranges)
    if form.multiline and form.raw and holds_newline:
        kept = "\\r"
    properties = "".join(rf"\{'P' if negated else 'p'}{{{name}}}" for name, negated in node.properties)
    body = f"[^{_ranges(node.ranges)}{properties}{kept}]"
    if node.fold:
        body = f"(?i:{body})"
    if form.multiline and form.raw and not holds_newline:
        return rf"(?:\r\n|{body})"
    return body


def _sieve_set(node: Set, form: _Form) -> str:
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
    if not parts:
        return r"[^\x{0}-\x{10FFFF}]"
    return parts[0] if len(parts) == 1 and not parts[0].startswith("\\") else f"(?:{'|'.join(parts)})"


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


def _has_case(ranges: tuple[Range, ...]) -> bool:
    return any(high > 0x7F or any(chr(c).isalpha() for c in range(low, high + 1)) for low, high in ranges)
