"""`rg` as a child process: the fast way through one large file, and the sieve for a tree.

`rg` says only where to look: byte offsets in one file, names in a tree. What a hit is, its offsets,
line and column, are settled by `scan` on the lines named, so that an answer does not depend on the
path taken. The child (`process`) is killed when the caller stops reading, cancels, or runs out of time.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from filewright.errors import FilewrightError
from filewright.progress import Task
from filewright.search.hit import Match
from filewright.search.lines import character_at
from filewright.search.pattern import Pattern
from filewright.search.process import DeclinedError, Run, reaches
from filewright.search.scan import matches as scan_matches
from filewright.text import Snapshot

LITERAL_BYTES = 32 << 20
"""From this much text on a child process finds a literal sooner than this process."""

REGEX_BYTES = 4 << 20
"""The same for a regex."""


_BACK = 64 << 10
_BLOCK = 1 << 20


def suits(snapshot: Snapshot, pattern: Pattern, start: int) -> bool:
    """Whether `rg` is the faster way through this file from `start` on and finds every line there is."""
    least = LITERAL_BYTES if pattern.plain is not None else REGEX_BYTES
    return (
        reaches(snapshot)
        and snapshot.size - start >= least
        and start <= snapshot.size // 2
        and not pattern.multiline
        and not pattern.matches_empty
        and snapshot.encoding.is_utf8
    )


def matches(snapshot: Snapshot, pattern: Pattern, start: int, task: Task) -> Iterator[Match]:
    """The matches from `start` on, as `scan.matches` yields them.

    A match carries its line's number where `rg` counts lines as we do: where a second `rg`, on the
    other core meanwhile, finds no carriage return that stands alone.
    """
    resume = start
    witness = _Witness(snapshot, task)
    try:
        for number, offset in _offsets(snapshot, pattern, witness, task):
            if offset < resume:
                continue
            begin = max(resume, snapshot.lines.begin(offset, task))
            if offset - begin > _BACK:
                begin = character_at(snapshot, offset - _BACK)
            # Of a line as `rg` sees it only the first offset is right: replaced text has no length.
            stop = _past_line_feed(snapshot, offset, task)
            for match in scan_matches(snapshot, pattern, start=begin, stop=stop, task=task):
                resume = max(match.end, match.offset + 1)
                yield replace(match, line=number) if number and witness.agrees() else match
            resume = max(resume, stop)
    except DeclinedError:
        yield from scan_matches(snapshot, pattern, start=resume, task=task)
    finally:
        witness.close()


class _Witness:
    """Whether every carriage return of the file is half of a pair, so that lines are those of `rg`."""

    def __init__(self, snapshot: Snapshot, task: Task) -> None:
        self._snapshot = snapshot
        self._task = task
        self._agrees: bool | None = None
        self._run: Run | None = None
        if snapshot.lines.complete:
            self._agrees = not snapshot.lines.terminators.cr
        elif snapshot.read(snapshot.size - 1, 1) == b"\r":
            self._agrees = False

    def start(self) -> None:
        """Begin to look for one, unless it has begun."""
        if self._agrees is None and self._run is None:
            self._run = Run(self._snapshot, ["-q", "-e", r"(?-u:\r[^\n])"], self._task)

    def agrees(self) -> bool:
        """Whether they are; waits for the answer."""
        self.start()
        if self._agrees is None:
            assert self._run is not None
            try:
                self._agrees = not self._run.found()
            except DeclinedError:
                self._agrees = False
        return self._agrees

    def close(self) -> None:
        """End the search for one."""
        if self._run is not None:
            self._run.kill()
            self._run = None


def _past_line_feed(snapshot: Snapshot, offset: int, task: Task) -> int:
    for position, block in snapshot.blocks(offset, length=_BACK):
        task.check()
        at = block.find(b"\n")
        if at >= 0:
            return position + at + 1
    return snapshot.size


def count(snapshot: Snapshot, pattern: Pattern, task: Task) -> int | None:
    """How many lines match; None where `rg` counts lines differently (a lone carriage return)."""
    witness = _Witness(snapshot, task)
    witness.start()
    try:
        with Run(snapshot, ["-c", "-e", pattern.for_rg], task) as child:
            counted = b"".join(child.lines())
        return int(counted or b"0") if witness.agrees() else None
    except DeclinedError:
        return None
    finally:
        witness.close()


def literals(snapshot: Snapshot, wanted: list[bytes], task: Task) -> Iterator[tuple[int, bytes]]:
    """(offset, literal) of each place of some short literals without line breaks, leftmost first.

    Of literals that overlap each other one may be passed over. By `rg` for a large file, else by RE2.
    """
    if not reaches(snapshot):
        yield from _literals_here(snapshot, wanted, task)
        return
    arguments = ["-N", "-o", "-b"]
    for literal in wanted:
        arguments += ["-e", escaped(literal)]
    shift = len(snapshot.encoding.bom)
    with _index_meanwhile(snapshot, task), Run(snapshot, arguments, task) as child:
        for line in child.lines():
            number, _, literal = line.partition(b":")
            yield int(number) + shift, literal


def _literals_here(snapshot: Snapshot, wanted: list[bytes], task: Task) -> Iterator[tuple[int, bytes]]:
    import re2

    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    regexp = re2.compile(b"|".join(re2.escape(literal) for literal in wanted), options)
    overlap = max(map(len, wanted)) - 1
    resume = snapshot.start
    for offset in range(snapshot.start, snapshot.size, _BLOCK):
        task.check()
        block = snapshot.read(offset, _BLOCK + overlap)
        for match in regexp.finditer(block, max(0, resume - offset)):
            if match.start() >= _BLOCK:
                break
            resume = offset + match.end()
            yield offset + match.start(), match.group()


def escaped(literal: bytes) -> str:
    """The pattern of `rg` for exactly these bytes."""
    return "".join(
        chr(byte) if byte < 0x80 and chr(byte).isalnum() else rf"(?-u:\x{byte:02X})" for byte in literal
    )


@contextmanager
def _index_meanwhile(snapshot: Snapshot, task: Task) -> Iterator[None]:
    """Count lines on the other core while `rg` searches: a hit, if there is one, needs its number."""
    if snapshot.lines.complete:
        yield
        return
    quiet = Task(seconds=task.remaining)

    def build() -> None:
        try:
            snapshot.lines.build(quiet)
        except FilewrightError:
            return  # cancelled, or the file is gone: who asks for a line hears of it

    thread = threading.Thread(target=build, name="line index", daemon=True)
    thread.start()
    try:
        yield
    finally:
        quiet.cancel()
        thread.join()  # before the descriptor it reads from may be closed


def _offsets(
    snapshot: Snapshot, pattern: Pattern, witness: _Witness, task: Task
) -> Iterator[tuple[int, int]]:
    """(line as `rg` counts, or 0 where the index tells it sooner; offset) of matches, in order."""
    shift = len(snapshot.encoding.bom)  # rg counts from behind the byte-order mark
    numbered = ["-N"] if snapshot.lines.complete else ["-n"]
    with Run(snapshot, [*numbered, "-o", "-b", "-r", "", "-e", pattern.for_rg], task) as child:
        # A search that takes long is likely to need line numbers from far into the file.
        for line in child.lines(witness.start):
            number, _, offset = b":".join(line.split(b":")[:-1]).rpartition(b":")
            yield int(number or b"0"), int(offset) + shift
