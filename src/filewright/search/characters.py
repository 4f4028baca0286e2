"""characters."""

from __future__ import annotations

from functools import lru_cache

from filewright.search.regex_engine import compile_re2
from filewright.text.spelling import INVISIBLE_RANGES, equivalent_spellings

_ASCII = bytes(range(128))
_OTHER = r"(?-u:[\x80-\xFF][\x30-\xFF]{0,3})"
"""One character outside ASCII in any encoding: a high byte, then up to three that trail it."""

_FOLDED_TO_ASCII = {"s": "\u017f", "k": "\u212a"}
"""The characters beyond ASCII that differ from an ASCII letter in nothing but case."""

_PLAIN = frozenset(" _\"'`,;:@=%/!<>")


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
    return f"(?:{c}|{escape_bytes(other)})" if other else _written(c)


@lru_cache(64)
def _sieve(text: str, other: bool, multiline: bool) -> str:
    runs = [
        found.span()
        for found in compile_re2(f"(?:{text})+", multiline=multiline).finditer(
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


def escape_bytes(literal: bytes) -> str:
    """The pattern of `rg` for exactly these bytes."""
    return "".join(
        chr(byte)
        if byte < 0x80 and chr(byte).isalnum()
        else rf"(?-u:\x{byte:02X})"
        for byte in literal
    )


_INVISIBLE = "".join(
    rf"\x{{{ord(low):X}}}-\x{{{ord(high):X}}}" for low, high in INVISIBLE_RANGES
)
