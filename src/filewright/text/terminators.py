"""Line terminators: the only three there are, and how often each occurs.

A line ends with ``\\n``, ``\\r\\n`` or a lone ``\\r``. U+2028, U+0085, form feed and vertical tab end
nothing. UTF-16 text has the same three, two bytes a unit.
"""

from __future__ import annotations

from dataclasses import dataclass

_LF, _CR = (bytes(byte == unit for byte in range(256)) for unit in b"\n\r")
"""Tables that make a 1 of a terminator and a 0 of all else, for counting."""


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

    def __add__(self, later: Terminators) -> Terminators:
        """The counts of this stretch and the one that follows it."""
        return Terminators(
            self.lf + later.lf, self.crlf + later.crlf, self.cr + later.cr, self.first or later.first
        )


def terminators_in(units: bytes, start: int = 0, stop: int | None = None) -> Terminators:
    """The terminators that end in [start, stop) of a text that is given one byte a unit.

    What is beside is looked at: a pair across an edge is counted where its ``\\n`` is.
    """
    stop = len(units) if stop is None else stop
    lf = _count(units, _LF, start, stop)
    before = units[start - 1 : start] if start else b""
    if before != b"\r" and units.find(b"\r", start, stop) < 0:
        return Terminators(lf=lf, first=b"\n" if lf else b"")

    from stringzilla import count

    cr = _count(units, _CR, start, stop)
    pairs = int(count(units, b"\r\n", start, stop))
    begun_before = int(before == b"\r" and units.startswith(b"\n", start))
    ending_after = int(units[stop - 1 : stop + 1] == b"\r\n" and start < stop)
    at, feed = (units.find(each, start, stop - ending_after) for each in (b"\r", b"\n"))
    first = b"\n" if feed >= 0 else b""
    if at >= 0 and (feed < 0 or at < feed):
        first = b"\r\n" if feed == at + 1 else b"\r"
    return Terminators(
        lf - pairs - begun_before,
        pairs + begun_before,
        cr - pairs - ending_after,
        b"\r\n" if begun_before else first,
    )


def _count(units: bytes, table: bytes, start: int, stop: int) -> int:
    # Looking for one after the other takes a hundred times as long where every byte is one.
    from stringzilla import bytesum, translate

    return int(bytesum(translate(units, table, start=start, end=stop)))


def feeds_in(text: memoryview) -> int:
    """How many line feeds a text holds, which is overwritten on the way: a sixth quicker than into new memory."""
    from stringzilla import bytesum, translate

    translate(text, _LF, inplace=True)
    return int(bytesum(text))


def normalised(text: str) -> str:
    """`text` with ``\\n`` for each ``\\r\\n`` and lone ``\\r``."""
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text
