"""Line terminators: the only three there are, counted and found in blocks of bytes.

A line ends with ``\\n``, ``\\r\\n`` or a lone ``\\r``. U+2028, U+0085, form feed and vertical tab end
nothing. UTF-16 text has the same three, two bytes a unit.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Terminators:
    """How often each terminator occurs, and which came first (b"" if none)."""

    lf: int = 0
    crlf: int = 0
    cr: int = 0
    first: bytes = b""

    @property
    def total(self) -> int:
        """Terminators of any kind."""
        return self.lf + self.crlf + self.cr

    @property
    def dominant(self) -> bytes:
        """The most frequent one; on a tie the first seen; ``\\n`` in a file with none."""
        counts = {b"\n": self.lf, b"\r\n": self.crlf, b"\r": self.cr}
        most = max(counts.values())
        if most == 0:
            return b"\n"
        tied = [kind for kind, count in counts.items() if count == most]
        return self.first if self.first in tied else tied[0]

    @property
    def name(self) -> str:
        """``lf``, ``crlf``, ``cr``, ``mixed`` or ``none``."""
        found = [name for name, count in self.counts().items() if count]
        return found[0] if len(found) == 1 else ("mixed" if found else "none")

    def counts(self) -> dict[str, int]:
        """The counts by name."""
        return {"lf": self.lf, "crlf": self.crlf, "cr": self.cr}


def counted(block: bytes, *, following_lf: bool = False) -> Terminators:
    """The terminators of one block of single-byte-unit text.

    A ``\\r`` at the very end counts only if the next block does not begin with ``\\n``
    (`following_lf`); the pair is then counted where its ``\\n`` is: give the next block
    with ``preceding_cr``.
    """
    cr = block.count(b"\r")
    if not cr:
        lf = block.count(b"\n")
        return Terminators(lf=lf, first=b"\n" if lf else b"")
    crlf = block.count(b"\r\n")
    lone = cr - crlf
    first = _first(block)
    if following_lf and block.endswith(b"\r"):
        lone -= 1
        first = b"\r\n" if first == b"\r" and block.find(b"\r") == len(block) - 1 else first
        return Terminators(lf=block.count(b"\n") - crlf, crlf=crlf + 1, cr=lone, first=first)
    return Terminators(lf=block.count(b"\n") - crlf, crlf=crlf, cr=lone, first=first)


def counted_in_bulk(block: bytes) -> Terminators:
    """`counted` at memory speed, for blocks of files large enough to be worth importing numpy."""
    import numpy as np

    view = np.frombuffer(block, dtype=np.uint8)
    newlines = view == 10
    lf = int(np.count_nonzero(newlines))
    if b"\r" not in block:
        return Terminators(lf=lf, first=b"\n" if lf else b"")
    returns = view == 13
    cr = int(np.count_nonzero(returns))
    crlf = int(np.count_nonzero(returns[:-1] & newlines[1:]))
    return Terminators(lf - crlf, crlf, cr - crlf, _first(block))


def _first(block: bytes) -> bytes:
    cr, lf = block.find(b"\r"), block.find(b"\n")
    if cr >= 0 and (lf < 0 or cr < lf):
        return b"\r\n" if lf == cr + 1 else b"\r"
    return b"\n" if lf >= 0 else b""


def joined(one: Terminators, two: Terminators) -> Terminators:
    """The counts of two consecutive stretches."""
    return Terminators(one.lf + two.lf, one.crlf + two.crlf, one.cr + two.cr, one.first or two.first)


def normalised(text: str) -> str:
    """`text` with ``\\n`` for each ``\\r\\n`` and lone ``\\r``."""
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text
