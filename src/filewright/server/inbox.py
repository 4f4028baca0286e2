"""What the client sends, line by line, read by a thread of its own from the first moment on.

While the SDK loads, the first messages are answered by a `Greeting`; whatever is not its business waits. All of
them, answered or not, go to whoever connects, so that the SDK sees the whole conversation.
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

CHUNK = 1 << 18
EDGE = 4096


@dataclass(frozen=True)
class Frame:
    """One line: all of it, or, past the limit, its first and last 4 KB and its size."""

    head: bytes | bytearray
    tail: bytes | None
    size: int

    @property
    def whole(self) -> bool:
        """Whether `head` is the complete line."""
        return self.tail is None


class LineAssembler:
    """Cuts a stream of chunks into lines, holding at most `limit` bytes of one line."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._held = bytearray()
        self._passed: int | None = None  # size so far of a line past the limit
        self._tail = b""

    def feed(self, chunk: bytes) -> list[Frame]:
        """The lines that `chunk` completes, without their terminators; blank lines are left out.

        An empty chunk is the end, which completes a last line without a terminator.
        """
        pieces = chunk.split(b"\n") if chunk else [b"", b""]
        frames = []
        for piece in pieces[:-1]:
            self._take(piece)
            size = len(self._held) if self._passed is None else self._passed
            frame = Frame(self._held, None if self._passed is None else self._tail, size)
            if frame.head.strip() or not frame.whole:
                frames.append(frame)
            self._held, self._passed, self._tail = bytearray(), None, b""
        self._take(pieces[-1])
        return frames

    def _take(self, piece: bytes) -> None:
        if self._passed is None and len(self._held) + len(piece) > self._limit:
            self._passed = len(self._held)
            self._tail = bytes(self._held[-EDGE:])
            del self._held[EDGE:]
        if self._passed is None:
            self._held += piece
            return
        if len(self._held) < EDGE:
            self._held += piece[: EDGE - len(self._held)]
        self._passed += len(piece)
        self._tail = (self._tail + piece[-EDGE:])[-EDGE:]


Sink = Callable[[list[Frame], bool], bool]
"""Takes frames out of a list, and whether the input has ended; False: nobody takes any more."""


class Inbox:
    """The client at the other end of a pair of files; `limit` is the size past which a line is not held."""

    def __init__(self, files: tuple[io.FileIO, io.FileIO], *, limit: int, greeting: Greeting) -> None:
        self._in, self.out = files
        self.limit = limit
        self.greeting = greeting
        self._waiting: list[Frame] = []
        self._ended = False
        self._sink: Sink | None = None
        self._lock = threading.Lock()
        self._connected = threading.Event()
        threading.Thread(target=self._read, name="filewright-read", daemon=True).start()

    def connect(self, sink: Sink) -> None:
        """Hand over what waits, and from now on what comes. May block: call it in a thread."""
        with self._lock:
            self._sink = sink
            sink(self._waiting, self._ended)
        self._connected.set()

    def _read(self) -> None:
        lines = LineAssembler(self.limit)
        chunk = b"\n"
        while chunk:
            try:
                chunk = self._in.read(CHUNK) or b""
            except OSError as error:
                _logger.warning("cannot read from the client: %s", error)
                chunk = b""
            # No name is given to what it was cut into: nothing of a large line outlives its parsing.
            if not self._deliver(lines.feed(chunk), ended=not chunk):
                return

    def _deliver(self, frames: list[Frame], *, ended: bool) -> bool:
        with self._lock:
            if self._sink is not None:
                return self._sink(frames, ended)
            self._ended = ended
            for frame in frames:
                said = self.greeting.answer(bytes(frame.head) if frame.whole else b"")
                with contextlib.suppress(OSError):  # nobody reads it: the next one who writes will see that
                    write_all(self.out, said)
            self._waiting += frames
            held = sum(frame.size for frame in self._waiting)
        if held > self.limit:
            self._connected.wait()
        return True


def write_all(file: io.FileIO, data: bytes) -> None:
    """Write all of `data`; raises `OSError` when the reader is gone."""
    view = memoryview(data)
    while view:
        written = file.write(view)
        if written is None:
            raise BlockingIOError(errno.EAGAIN, "standard output does not wait")
        view = view[written:]
