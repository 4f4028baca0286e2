"""`rg` as a child process: the fast way through one large file, and the sieve for a tree.

`rg` says only where to look: byte offsets in one file, names in a tree. What a hit is, its offsets,
line and column, are settled by `scan` on the lines named, so that an answer does not depend on the
path taken. The child is killed when the caller stops reading, cancels, or the time limit passes.
"""

from __future__ import annotations

import os
import select
import shutil
import subprocess
import sys
import sysconfig
import threading
from collections.abc import Iterator
from functools import lru_cache

from filewright.errors import Code, FilewrightError
from filewright.progress import Task
from filewright.search.hit import Match
from filewright.search.lines import Lines, character_at
from filewright.search.pattern import Pattern
from filewright.search.scan import matches as scan_matches
from filewright.text import Snapshot

LITERAL_BYTES = 32 << 20
"""From this much text on a child process finds a literal sooner than this process."""

REGEX_BYTES = 4 << 20
"""The same for a regex."""


_LOOK = 50  # milliseconds between two looks at the cancel token
_BACK = 64 << 10
_BLOCK = 1 << 20


class _DeclinedError(Exception):
    """`rg` would not take the pattern or the file; this process searches instead."""


@lru_cache(maxsize=1)
def binary() -> str | None:
    """The absolute path of `rg`: this Python's own, else one on the PATH; None if there is none."""
    name = "rg.exe" if os.name == "nt" else "rg"
    folders = [os.path.dirname(sys.executable), sysconfig.get_path("scripts")]
    folders += [os.path.dirname(os.path.realpath(sys.executable))]
    folders += [
        sysconfig.get_path("scripts", scheme) for scheme in sysconfig.get_scheme_names() if "user" in scheme
    ]
    for folder in folders:
        path = os.path.join(folder, name) if folder else ""
        if path and os.path.isfile(path) and os.access(path, os.X_OK):
            return os.path.abspath(path)
    found = shutil.which(name)
    return os.path.abspath(found) if found else None


def suits(snapshot: Snapshot, pattern: Pattern, start: int) -> bool:
    """Whether `rg` is the faster way through this file from `start` on and finds every line there is."""
    least = LITERAL_BYTES if pattern.plain is not None else REGEX_BYTES
    return (
        snapshot.held is None
        and snapshot.size - start >= least
        and start <= snapshot.size // 2
        and snapshot.descriptor is not None
        and not pattern.multiline
        and not pattern.matches_empty
        and snapshot.encoding.is_utf8
        and os.path.isdir("/proc/self/fd")
        and binary() is not None
    )


def matches(snapshot: Snapshot, pattern: Pattern, start: int, task: Task) -> Iterator[Match]:
    """The matches from `start` on, as `scan.matches` yields them."""
    lines = Lines(snapshot, task)
    resume = start
    index = _index_meanwhile(snapshot, task)
    try:
        for offset in _offsets(snapshot, pattern, task):
            if offset < resume:
                continue
            begin = max(resume, lines.begin(offset))
            if offset - begin > _BACK:
                begin = character_at(snapshot, offset - _BACK)
            # Of a line as `rg` sees it only the first offset is right: replaced text has no length.
            stop = _past_line_feed(snapshot, offset, task)
            for match in scan_matches(snapshot, pattern, start=begin, stop=stop, task=task):
                resume = max(match.end, match.offset + 1)
                yield match
            resume = max(resume, stop)
    except _DeclinedError:
        yield from scan_matches(snapshot, pattern, start=resume, task=task)
    finally:
        index.cancel()


def _past_line_feed(snapshot: Snapshot, offset: int, task: Task) -> int:
    for position, block in snapshot.blocks(offset, length=_BACK):
        task.check()
        at = block.find(b"\n")
        if at >= 0:
            return position + at + 1
    return snapshot.size


def count(snapshot: Snapshot, pattern: Pattern, task: Task) -> int | None:
    """How many lines match; None where `rg` counts lines differently (a lone carriage return)."""
    if snapshot.lines.counted(task) and snapshot.lines.terminators.cr:
        return None
    try:
        with _Run(snapshot, ["-c", "-e", pattern.for_rg], task) as child:
            output = b"".join(read(_output(child), task))
            _ended(child, snapshot)
    except _DeclinedError:
        return None
    return int(output.strip() or b"0")


def literals(snapshot: Snapshot, wanted: list[bytes], task: Task) -> Iterator[tuple[int, bytes]]:
    """(offset, literal) of each place of some short literals without line breaks, leftmost first.

    Of literals that overlap each other one may be passed over. By `rg` for a large file, else by RE2.
    """
    program = binary()
    if (
        program is None
        or snapshot.held is not None
        or snapshot.descriptor is None
        or not os.path.isdir("/proc/self/fd")
    ):
        yield from _literals_here(snapshot, wanted, task)
        return
    arguments = ["-N", "-o", "-b"]
    for literal in wanted:
        arguments += ["-e", escaped(literal)]
    index = _index_meanwhile(snapshot, task)
    shift = len(snapshot.encoding.bom)
    try:
        with _Run(snapshot, arguments, task) as child:
            rest = b""
            for block in read(_output(child), task):
                *whole, rest = (rest + block).split(b"\n")
                for line in whole:
                    number, _, literal = line.partition(b":")
                    yield int(number) + shift, literal
            _ended(child, snapshot)
    finally:
        index.cancel()


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


def _index_meanwhile(snapshot: Snapshot, task: Task) -> Task:
    """Count lines on the other core while `rg` searches: a hit, if there is one, needs its number."""
    quiet = Task(seconds=task.remaining)
    if snapshot.lines.complete:
        return quiet

    def build() -> None:
        try:
            snapshot.lines.build(quiet)
        except FilewrightError:
            return  # cancelled, or the file is gone: who asks for a line hears of it

    threading.Thread(target=build, name="line index", daemon=True).start()
    return quiet


def _offsets(snapshot: Snapshot, pattern: Pattern, task: Task) -> Iterator[int]:
    shift = len(snapshot.encoding.bom)  # rg counts from behind the byte-order mark
    with _Run(snapshot, ["-N", "-o", "-b", "-r", "", "-e", pattern.for_rg], task) as child:
        rest = b""
        for block in read(_output(child), task):
            *whole, rest = (rest + block).split(b"\n")
            for line in whole:
                yield int(line.partition(b":")[0]) + shift
        _ended(child, snapshot)


class _Run:
    """A running `rg` on the snapshot's own descriptor; killed and reaped on the way out."""

    def __init__(self, snapshot: Snapshot, arguments: list[str], task: Task) -> None:
        program, descriptor = binary(), snapshot.descriptor
        assert program is not None
        assert descriptor is not None
        task.check()
        # By its number in /proc the child gets its own position in the very file that is open here.
        argv = [program, "--no-config", "--no-messages", "-a", "--mmap", "--color=never", "-I", *arguments]
        self._child = subprocess.Popen(
            [*argv, "--", f"/proc/self/fd/{descriptor}"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            pass_fds=(descriptor,),
            env={"LC_ALL": "C.UTF-8"},
        )

    def __enter__(self) -> subprocess.Popen[bytes]:
        return self._child

    def __exit__(self, *_: object) -> None:
        self._child.kill()
        self._child.communicate()


def _output(child: subprocess.Popen[bytes]) -> int:
    assert child.stdout is not None
    return child.stdout.fileno()


def read(descriptor: int, task: Task) -> Iterator[bytes]:
    """What a child writes, block by block; the cancel token is looked at all the while."""
    ready = select.poll()  # `select` cannot wait for descriptors above 1,023
    ready.register(descriptor, select.POLLIN | select.POLLHUP)
    while True:
        if ready.poll(_LOOK):
            block = os.read(descriptor, 1 << 16)
            if not block:
                return
            yield block
        task.check()


def _ended(child: subprocess.Popen[bytes], snapshot: Snapshot) -> None:
    status = child.wait()
    if status in (0, 1):
        return
    if status == 2:
        raise _DeclinedError
    raise FilewrightError(
        Code.IO_ERROR,
        f"the search engine could not read {snapshot.asked} to its end (status {status})",
        hint="the file may have been truncated while it was read; try again",
        details={"path": snapshot.asked, "status": status},
    )
