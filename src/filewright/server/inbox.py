"""What the client sends, line by line, read by a thread of its own from the first moment on.

While the SDK loads, the first messages are answered by a `Greeting`; all else waits for whoever connects.
"""

from __future__ import annotations

import contextlib
import errno
import io
import logging
import threading
from collections.abc import Callable
from typing import NamedTuple

from filewright.server.greeting import Greeting

_logger = logging.getLogger(__name__)

CHUNK = 1 << 18
EDGE = 4096


class Frame(NamedTuple):
    """One line: all of it, or, past the limit, its first and last 4 KB and its size."""

    head: bytes
    tail: bytes | None
    size: int


def next_frame(lines: io.BufferedIOBase, limit: int) -> Frame | None:
    """The next line that is not blank, at most `limit` bytes of it held; None at the end."""
    while head := lines.readline(limit + 1):
        if head.endswith(b"\n") or len(head) <= limit:
            if not head.isspace():
                return Frame(head, None, len(head))
            continue
        size, head, tail = len(head), head[:EDGE], head[-EDGE:]
        while not tail.endswith(b"\n") and (more := lines.readline(CHUNK)):
            size += len(more)
            tail = (tail + more)[-EDGE:]
        return Frame(head, tail, size)
    return None


Sink = Callable[[Frame | None], bool]
"""Takes a line, or None for the end; False: no other is taken."""


class Inbox:
    """The client at the other end of a pair of files; `limit` is the size past which a line is not held.

    Past as many bytes of lines that wait, reading pauses, until whoever works on them has them `released`.
    """

    def __init__(
        self,
        files: tuple[io.FileIO, io.FileIO],
        *,
        limit: int,
        greeting: Greeting,
    ) -> None:
        lines, self.out = files
        self._lines = io.BufferedReader(lines, CHUNK)
        self.limit = limit
        self.greeting = greeting
        self._held = 0
        self._room = threading.Condition()
        self._waiting: list[Frame | None] = []
        self._sink: Sink | None = None
        self._taking = threading.Lock()
        threading.Thread(
            target=self._read, name="filewright-read", daemon=True
        ).start()

    def connect(self, sink: Sink) -> None:
        """Hand over what waits, and from now on what comes, in the thread that reads it."""
        with self._taking:
            self._sink = sink
            while self._waiting:
                sink(self._waiting.pop(0))

    def released(self, size: int) -> None:
        """So many bytes of what was handed over wait no longer."""
        with self._room:
            self._held -= size
            self._room.notify()

    def _read(self) -> None:
        # No name is given to a line: nothing of a large one is held while the next is waited for.
        while self._deliver(self._next()):
            with self._room:
                self._room.wait_for(lambda: self._held <= self.limit)

    def _next(self) -> Frame | None:
        try:
            frame = next_frame(self._lines, self.limit)
        except OSError as error:
            _logger.warning("cannot read from the client: %s", error)
            return None
        self.released(-frame.size if frame else 0)
        return frame

    def _deliver(self, frame: Frame | None) -> bool:
        with self._taking:
            if self._sink is not None:
                return self._sink(frame)
            answer, settled = self.greeting.answer(
                frame.head if frame and frame.tail is None else b""
            )
            with contextlib.suppress(
                OSError
            ):  # nobody reads it: the next one who writes will see that
                write_all(self.out, answer)
            if not settled:
                self._waiting.append(frame)
            elif frame:
                self.released(frame.size)
        return frame is not None


def write_all(file: io.FileIO, data: bytes) -> None:
    """Write all of `data`; raises `OSError` when the reader is gone."""
    view = memoryview(data)
    while view:
        written = file.write(view)
        if written is None:
            raise BlockingIOError(errno.EAGAIN, "standard output does not wait")
        view = view[written:]
