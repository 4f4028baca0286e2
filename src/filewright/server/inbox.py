"""The reader of what the client sends, line by line, in a thread of its own.

It reads from the first moment on. While the SDK loads, the first messages are answered
by a `Greeting`; all others wait until a transport connects. The SDK has no such reader:
without it `test_answers_before_a_transport_connects` fails, and without its limits
`test_refuses_a_long_message`.
"""

from __future__ import annotations

import contextlib
import errno
import io
import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass

from filewright.server.greeting import Greeting

_logger = logging.getLogger(__name__)

READ_BYTES = 1 << 18
"""The bytes that one read asks for: most calls fit, and a large one needs few reads."""
EDGE_BYTES = 4096
"""The bytes that are kept of each end of a line that is too long: its id is there."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One line from the client.

    `head` is the whole line and `tail` None, or, past the limit, they are its first and
    last 4 KB. `size` is the length of the whole line.
    """

    head: bytes
    tail: bytes | None
    size: int


Sink = Callable[[Frame | None], bool]
"""A receiver of lines, and of None at the end. It returns False to receive no more."""


def next_frame(lines: io.BufferedIOBase, limit: int) -> Frame | None:
    """Return the next line that is not blank, or None at the end of the input.

    At most `limit` bytes of it are held.
    """
    while head := lines.readline(limit + 1):
        is_within_limit = head.endswith(b"\n") or len(head) <= limit
        if not is_within_limit:
            return _skip_long_line(lines, head)
        if not head.isspace():
            return Frame(head, None, len(head))
    return None


def _skip_long_line(lines: io.BufferedIOBase, head: bytes) -> Frame:
    """Read the rest of a line that begins with `head`; return its two ends."""
    size = len(head)
    tail = head[-EDGE_BYTES:]
    head = head[:EDGE_BYTES]
    while not tail.endswith(b"\n"):
        more = lines.readline(READ_BYTES)
        if not more:
            break
        size += len(more)
        tail = (tail + more)[-EDGE_BYTES:]
    return Frame(head, tail, size)


class Inbox:
    """The lines from a client, and the file that leads back to it.

    A line longer than `limit` bytes is not held. Reading pauses while more than that
    many bytes of lines are worked on, until the sink calls `release`.
    """

    def __init__(
        self,
        files: tuple[io.FileIO, io.FileIO],
        *,
        limit: int,
        greeting: Greeting,
    ) -> None:
        """Read from the first of `files` at once; the second is the output."""
        lines, self.out = files
        self._lines = io.BufferedReader(lines, READ_BYTES)
        self.limit = limit
        self.greeting = greeting
        self._held_bytes = 0
        self._has_released = threading.Condition()
        self._waiting: list[Frame | None] = []
        self._sink: Sink | None = None
        self._delivering = threading.Lock()
        threading.Thread(
            target=self._read, name="filewright-read", daemon=True
        ).start()

    def connect(self, sink: Sink) -> None:
        """Give `sink` the lines that wait, and from now on each line that is read."""
        with self._delivering:
            self._sink = sink
            while self._waiting:
                sink(self._waiting.pop(0))

    def release(self, size: int) -> None:
        """Count `size` bytes of delivered lines as no longer held."""
        with self._has_released:
            self._held_bytes -= size
            self._has_released.notify()

    def _read(self) -> None:
        # The line is bound to no name: a large one would be held while the next is
        # waited for.
        while self._deliver(self._next()):
            with self._has_released:
                self._has_released.wait_for(
                    lambda: self._held_bytes <= self.limit
                )

    def _next(self) -> Frame | None:
        try:
            frame = next_frame(self._lines, self.limit)
        except OSError as error:
            _logger.warning("cannot read from the client: %s", error)
            return None
        if frame is not None:
            with self._has_released:
                self._held_bytes += frame.size
        return frame

    def _deliver(self, frame: Frame | None) -> bool:
        """Deliver a line, or the end; return True if more are wanted."""
        with self._delivering:
            if self._sink is not None:
                wants_more = self._sink(frame)
                return wants_more and frame is not None
            is_whole = frame is not None and frame.tail is None
            answer = self.greeting.answer(
                frame.head if frame is not None and is_whole else b""
            )
            # If the client has gone, the next write reports it.
            with contextlib.suppress(OSError):
                write_all(self.out, answer.line)
            if not answer.is_settled:
                self._waiting.append(frame)
            elif frame is not None:
                self.release(frame.size)
        return frame is not None


def write_all(file: io.FileIO, data: bytes) -> None:
    """Write all of `data`. Raise `OSError` if the reader has gone."""
    view = memoryview(data)
    while view:
        written = file.write(view)
        if written is None:
            raise BlockingIOError(errno.EAGAIN, "standard output does not wait")
        view = view[written:]
