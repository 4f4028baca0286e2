"""The prefilter: `rg` reads a large file ahead, and names the lines that may match.

It runs as a confined child process. The text inside a compressed file is decoded here
once, and piped to it. `rg` names the lines that match its form of the pattern, which is
never stricter than the pattern itself; the search looks at these lines only. Where `rg`
cannot run, or ends early, every window is searched.
"""

from __future__ import annotations

import io
import os
import select
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field

from filewright.boundary.launcher import PIPE, Child, find_program
from filewright.errors import FilewrightError
from filewright.progress import Task
from filewright.search.characters import escape_bytes
from filewright.search.pattern import Pattern
from filewright.system import Closable
from filewright.text.cache import BoundedCache
from filewright.text.codec import try_encode
from filewright.text.snapshot import Snapshot

RG_MEMORY_BYTES = 48 << 20
"""Memory of `rg`. It holds whole lines, and a longer line ends it."""

MIN_PREFILTER_BYTES = 32 << 20
"""The smallest text that is searched faster with a child process."""

_COUNTED_AT_ONCE_BYTES = 2 << 20
"""The text of so many bytes is still in memory when its lines are counted."""

_POLL_MILLISECONDS = 50
"""Time between looks at the task while a child is silent."""

_END_SECONDS = 5.0
"""Time for `rg` to end after its last output."""

MIN_UNCOUNTED_BYTES = 8 << 20
"""Lines in fewer bytes are counted here as fast as another process would check them."""

# A line end for us, but not for `rg`.
_LONE_CARRIAGE_RETURN = r"(?-u:\r[^\n])"
_MAX_CACHED_ROWS = 1000
"""Rows of one search that are kept for the next search of the same file."""

NextLine = Callable[[int], int]
"""Returns the start of the next line that may match, from an offset on.

The offset itself is returned where the next line is not known.
"""


@dataclass(frozen=True, slots=True)
class _CandidateLine:
    """A line that `rg` names: its number, and its offset in the file."""

    number: int
    offset: int


@dataclass(slots=True)
class _CandidateRows:
    """The rows that `rg` wrote for a file, and the limit up to which it counts as we do.

    `rg` does not end a line at a lone carriage return. Its line numbers are right up to
    `counted_to`, which is None until it is known. `has_all` is False if there were too
    many rows to keep.
    """

    rows: list[bytes] = field(default_factory=list)
    counted_to: int | None = None
    has_all: bool = True

    def add(self, row: bytes) -> None:
        """Remember a row, unless there are too many to keep."""
        if len(self.rows) < _MAX_CACHED_ROWS:
            self.rows.append(row)
        else:
            self.has_all = False


_row_cache: BoundedCache[_CandidateRows] = BoundedCache(4 << 20)
"""The rows of complete searches, by the file's identity and size and the patterns."""


class RgPrefilter(Closable):
    """A child process that searches the file of a snapshot for patterns of `rg`.

    The child gets the open file as its input, never a path, and opens that again. So it
    reads the very file that is open here, with a position of its own. The text inside a
    compressed file is written to its input from byte `start` on. None runs without
    patterns, for content in memory, and where nothing confines it. `has_seen_all` is
    True after the child has searched the whole file.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        patterns: Sequence[str],
        task: Task,
        *options: str,
        start: int = 0,
    ) -> None:
        """Start the child if it can run."""
        self.has_seen_all = False
        self.start = snapshot.start
        self._snapshot = snapshot
        self._task = task
        self._child: Child | None = None
        program = find_program("rg")
        launcher, stdin = snapshot.launcher, snapshot.descriptor
        if not patterns or program is None or launcher is None:
            return
        if snapshot.content is not None:
            return
        arguments = [program, "--no-config", "--no-messages", "-a"]
        if snapshot.compression:
            stdin, path = PIPE, "-"
            self.start = max(start, snapshot.start)
            # A row is read here while the text around it is still in memory.
            arguments.append("--line-buffered")
        else:
            # A mapped file stays out of the child's memory, so a line of any length fits.
            path = "/proc/self/fd/0"
            arguments.append("--mmap")
        if stdin is None:
            return
        arguments += ["--color=never", "-I", "-b", *options]
        for pattern in patterns:
            arguments += ["-e", pattern]
        arguments += ["--", path]
        with suppress(FilewrightError, OSError):
            self._child = launcher.start(
                arguments,
                stdin=stdin,
                memory=RG_MEMORY_BYTES,
                seconds=task.remaining,
            )

    def rows(self) -> Iterator[bytes]:
        """Yield the lines of the child's output, none if no child runs.

        The offsets in them count from `start`.
        """
        if self._child is None:
            return
        rest = b""
        if self._child.stdin is None:
            blocks = read_child_output(self._child.stdout, self._task)
        else:
            blocks = pipe_through(
                self._child,
                _read_and_count(self._snapshot, self.start, self._task),
                self._task,
            )
        for block in blocks:
            *rows, rest = (rest + block).split(b"\n")
            yield from rows
        with suppress(FilewrightError):
            self.has_seen_all = self._child.wait(_END_SECONDS) in (0, 1)

    def close(self) -> None:
        """End the child."""
        if self._child is not None:
            self._child.close()


class _LineFinder:
    """The lines that may match, as a running or an earlier `rg` names them.

    The snapshot learns their line numbers too, as far as a second `rg` finds no lone
    carriage return before them.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        rows: Iterator[bytes],
        candidates: _CandidateRows,
        prefilter: RgPrefilter | None = None,
        return_finder: RgPrefilter | None = None,
        *,
        task: Task,
    ) -> None:
        self._task = task
        self._snapshot = snapshot
        self._rows = rows
        self._candidates = candidates
        self._prefilter = prefilter
        self._return_finder = return_finder
        self._start = snapshot.start
        if prefilter is not None:
            self._start = prefilter.start

    def next_line(self, position: int) -> int:
        """Return the start of the next line that may match, from `position` on."""
        snapshot = self._snapshot
        if (
            position > snapshot.start
            and snapshot.read(position - 1, 1) != b"\n"
        ):
            # The rest of a line that was begun is always searched.
            return position
        for row in self._rows:
            line = _parse_row(row, self._start)
            if snapshot.compression and line.offset >= position:
                row = self._note_line(line)
            if self._prefilter is not None:
                self._candidates.add(row)
            if line.offset >= position:
                skipped_bytes = line.offset - position
                if not snapshot.compression and self._counts_to(
                    line.offset, skipped_bytes
                ):
                    snapshot.lines.remember_line(line.offset, line.number)
                return line.offset
        # A child that declined or was killed leaves the rest of the file to be searched.
        return snapshot.size if self.has_seen_all else position

    def _note_line(self, line: _CandidateLine) -> bytes:
        """Tell the snapshot of a compressed file a line; return its row with our number.

        The lines of such a text are counted while it is in memory, and only then. Rows of
        an earlier search have our numbers already.
        """
        is_counted = self._prefilter is None
        number = self._snapshot.lines.note_line(
            line.offset, line.number if is_counted else None, self._task
        )
        return b"%d:%d:" % (number, line.offset - self._start)

    @property
    def has_seen_all(self) -> bool:
        """Return True if the rows are those of the whole file."""
        return self._prefilter is None or self._prefilter.has_seen_all

    def _counts_to(self, offset: int, skipped_bytes: int) -> bool:
        """Return True if `rg` counts the lines before `offset` as we do."""
        candidates = self._candidates
        if candidates.counted_to is None and skipped_bytes > (
            MIN_UNCOUNTED_BYTES
        ):
            candidates.counted_to = self._find_lone_return()
        counted_to = candidates.counted_to
        return counted_to is not None and offset <= counted_to

    def _find_lone_return(self) -> int:
        """Return the offset of the first lone carriage return's line.

        0 if the child that looks for it has failed, the size if there is none.
        """
        if self._return_finder is None:
            return 0
        row = next(self._return_finder.rows(), None)
        if row is not None:
            return _parse_row(row, self._start).offset
        if self._return_finder.has_seen_all:
            return self._snapshot.size
        return 0


@contextmanager
def candidate_lines(
    snapshot: Snapshot, pattern: Pattern, start: int, task: Task
) -> Iterator[NextLine]:
    """Run `rg` ahead of a search from `start` on, while the context is open.

    None is started where it is not faster, or would miss lines.
    """
    if not _can_prefilter(snapshot, pattern, start):
        yield _next_line_unknown
        return
    patterns: Sequence[str] = pattern.rg_patterns
    if pattern.plain_text is not None:
        literal = try_encode(snapshot.encoding.name, pattern.plain_text)
        if literal is not None:
            patterns = (escape_bytes(literal),)
    key = snapshot.identity, snapshot.compression, start, *patterns
    cached = _row_cache.get(key)
    if cached is not None:
        rows = iter(cached.rows)
        yield _LineFinder(snapshot, rows, cached, task=task).next_line
        return
    # Lines are named by number and offset alone; their text is left out.
    options = "-n", "--max-columns=1"
    with ExitStack() as stack:
        prefilter = stack.enter_context(
            RgPrefilter(snapshot, patterns, task, *options, start=start)
        )
        return_patterns = [_LONE_CARRIAGE_RETURN]
        if snapshot.compression:
            return_patterns = []
        return_finder = stack.enter_context(
            RgPrefilter(snapshot, return_patterns, task, *options)
        )
        candidates = _CandidateRows()
        finder = _LineFinder(
            snapshot,
            prefilter.rows(),
            candidates,
            prefilter,
            return_finder,
            task=task,
        )
        yield finder.next_line
        if finder.has_seen_all and candidates.has_all and snapshot.is_stable:
            size = 100 * (len(candidates.rows) + len(key))
            _row_cache.put(key, candidates, size)


def _next_line_unknown(position: int) -> int:
    """Return the position itself: no line before the next match is known."""
    return position


def _can_prefilter(snapshot: Snapshot, pattern: Pattern, start: int) -> bool:
    """Return True if `rg` is faster from `start` on, and misses no line."""
    if not snapshot.compression:
        is_large = snapshot.size - start >= MIN_PREFILTER_BYTES
        if not is_large or start > snapshot.size // 2:
            return False
    elif snapshot.content is not None:
        return False
    if pattern.multiline or pattern.matches_empty:
        return False
    # In these encodings a byte of one character is never part of another, and `rg`
    # sees the ends of lines.
    encoding = snapshot.encoding
    return encoding.is_utf8 or (
        encoding.contains_ascii and not encoding.is_multibyte
    )


def _parse_row(row: bytes, start: int) -> _CandidateLine:
    """Return the line of a row ``NUMBER:OFFSET:``, which `rg` counts from `start`."""
    number, offset, _ = row.split(b":", 2)
    return _CandidateLine(int(number), start + int(offset))


def _read_and_count(
    snapshot: Snapshot, start: int, task: Task
) -> Iterator[bytes]:
    """Yield the text from `start` on, and count its lines while it is in memory."""
    offset = counted_to = start
    for unit in snapshot.iterate_units(start):
        offset += len(unit)
        # Each count also looks whether the file is still the same.
        if offset - counted_to >= _COUNTED_AT_ONCE_BYTES:
            snapshot.lines.count_to(offset, task)
            counted_to = offset
        yield unit
    snapshot.lines.count_lines(task)


def read_child_output(
    output: io.FileIO, task: Task, patience: Task | None = None
) -> Iterator[bytes]:
    """Yield the output of a child in blocks, until its end or until `patience` expires.

    Raises `cancelled` or `timeout` of `task`.
    """
    # `select` cannot wait for descriptors above 1,023.
    ready = select.poll()
    ready.register(output, select.POLLIN | select.POLLHUP)
    while patience is None or not patience.expired:
        if ready.poll(_POLL_MILLISECONDS):
            block = output.read(1 << 16)
            if not block:
                return
            yield block
        task.check()


def pipe_through(
    child: Child, units: Iterator[bytes], task: Task
) -> Iterator[bytes]:
    """Yield the output of a child whose input is written here, in blocks.

    The next unit is read when the child has taken the one before it, so one is in memory
    at a time. Raises `cancelled` or `timeout` of `task`.
    """
    assert child.stdin is not None
    ready = select.poll()
    ready.register(child.stdout, select.POLLIN | select.POLLHUP)
    ready.register(child.stdin, select.POLLOUT)
    os.set_blocking(child.stdin.fileno(), False)
    rest = memoryview(b"")
    while True:
        if not rest and child.stdin is not None:
            rest = memoryview(next(units, b""))
            if not rest:
                ready.unregister(child.stdin)
                child.stdin.close()
                child.stdin = None
        task.check()
        for descriptor, _ in ready.poll(_POLL_MILLISECONDS):
            if descriptor == child.stdout.fileno():
                block = child.stdout.read(1 << 16)
                if not block:
                    return
                yield block
            elif child.stdin is not None:
                try:
                    rest = rest[child.stdin.write(rest) or 0 :]
                except BrokenPipeError:
                    # The child has closed its input; its output is read to the end.
                    ready.unregister(child.stdin)
                    child.stdin.close()
                    child.stdin = None
                    rest = memoryview(b"")
