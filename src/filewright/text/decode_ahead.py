"""Decoding ahead: a thread decodes a text while its reader works on what is before it.

Where the ends of members are known, two further threads decode the next ones. The
libraries that decode release Python's global lock, so both run at the same time.
"""

from __future__ import annotations

import threading
from collections import deque

from filewright.progress import Task
from filewright.text.compression import DecodedUnit, ReadAt, TextStream
from filewright.text.member_decoder import MemberDecoder

_MAX_UNITS = 8
"""Units that are decoded before their reader takes them."""

_WAIT_SECONDS = 0.05
"""Time after which a waiting reader checks whether it was cancelled."""


class DecodeAhead:
    """A thread that decodes the units of a stream from its position on.

    The stream belongs to the thread until `close`. `position` is the offset of the next
    unit. Raises `RuntimeError` if the system has no further thread.
    """

    def __init__(
        self, stream: TextStream, read: ReadAt, unit_bytes: int
    ) -> None:
        self.position = stream.position
        self._stream = stream
        self._read = read
        self._unit_bytes = unit_bytes
        self._units: deque[DecodedUnit] = deque()
        self._error: BaseException | None = None
        self._is_at_end = False
        self._is_closed = False
        self._changed = threading.Condition()
        self._members = MemberDecoder(stream.compression, read)
        stream.segments = self._members
        self._thread = threading.Thread(
            target=self._decode, name="decode", daemon=True
        )
        self._thread.start()

    def next_unit(self, task: Task) -> DecodedUnit:
        """Return the next unit; behind the last one it is empty.

        Raises as the task, and the errors of the thread at the place where they arose.
        """
        task.check()
        with self._changed:
            while not self._units:
                task.check()
                if self._error is not None:
                    raise self._error
                if self._is_at_end:
                    return DecodedUnit(self.position, b"", is_last=True)
                self._changed.wait(_WAIT_SECONDS)
            unit = self._units.popleft()
            self._changed.notify()
        self.position = unit.end
        return unit

    def close(self) -> list[DecodedUnit]:
        """End the thread; return the units that no reader has taken."""
        with self._changed:
            self._is_closed = True
            self._changed.notify()
        self._members.stop()
        # Only then may the file be closed, and its descriptor be that of another one.
        self._thread.join()
        self._members.close()
        self._stream.segments = None
        units = list(self._units)
        self._units.clear()
        return units

    @property
    def stream(self) -> TextStream | None:
        """Return the stream after `close`, or None if it could not be read further."""
        return None if self._error is not None else self._stream

    def _decode(self) -> None:
        """Decode units until the end of the text, an error or `close`."""
        stream, unit_bytes = self._stream, self._unit_bytes
        while True:
            stop = (stream.position // unit_bytes + 1) * unit_bytes
            try:
                unit = stream.read_unit(self._read, stop)
            except BaseException as error:  # noqa: BLE001  raised by its reader
                with self._changed:
                    self._error = error
                    self._changed.notify()
                return
            with self._changed:
                self._units.append(unit)
                self._is_at_end = unit.is_last
                self._changed.notify()
                while len(self._units) >= _MAX_UNITS and not self._is_closed:
                    self._changed.wait()
                if self._is_closed or unit.is_last:
                    return
