"""The parser processes of one workspace: started when first needed, killed when too slow.

Grammars are C code. A file that crashes one takes the worker down and nothing else: the answer says
so, and the next file gets a new worker.
"""

from __future__ import annotations

import errno
import json
import sys
import threading
import time
import weakref
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from filewright.boundary import PIPE, Launcher
from filewright.errors import FilewrightError
from filewright.progress import Task
from filewright.structure import wire
from filewright.structure.symbol import Outline

FAILED: Final = "not parsed: the grammar failed on this content"
"""The note on content that ended the worker."""
_PROGRAM: Final = Path(__file__).with_name("worker.py")
_GRACE: Final = 1.0  # seconds beyond the parse's own limit, for the walk and the answer
_START: Final = 5.0  # seconds a worker may take to start
_POLL: Final = 0.02  # seconds between two looks at whether the task must stop
_END: Final = 2.0  # seconds a killed worker may take to end
_MEMORY: Final = 512 << 20


class Workers:
    """At most `limit` parser processes; thread-safe. `close` ends them, later use starts new ones."""

    def __init__(self, launcher: Launcher, limit: int = 2) -> None:
        self._launcher = launcher
        self._limit = limit
        self._idle: list[_Worker] = []
        self._busy = 0
        self._changed = threading.Condition()
        weakref.finalize(self, _end, self._idle)

    def outline(self, request: wire.Request, data: bytes, task: Task | None = None) -> Outline:
        """The outline of `data`; one that says why where the worker crashed or was too slow.

        Raises `cancelled` or `timeout` if `task` must stop. `OSError` if no process can be started.
        """
        worker = self._take(task)
        alive = False
        try:
            answer = worker.ask(request, data, task)
            if answer is None:
                return _silent(request, worker.ended)
            outline = wire.decoded(answer)
            alive = True
            return outline
        except (ValueError, TypeError, RecursionError):
            return _silent(request, ended=True)
        finally:
            if not alive:
                worker.kill()
            self._give_back(worker if alive else None)

    def close(self) -> None:
        """End the idle workers."""
        with self._changed:
            _end(self._idle)

    def _take(self, task: Task | None) -> _Worker:
        with self._changed:
            while not self._idle and self._busy >= self._limit:
                self._changed.wait(_POLL)
                if task is not None:
                    task.check()
            self._busy += 1
            while self._idle:
                worker = self._idle.pop()
                if worker.running:
                    return worker
                worker.kill()
        try:
            return _Worker(self._launcher)
        except BaseException:
            self._give_back(None)
            raise

    def _give_back(self, worker: _Worker | None) -> None:
        with self._changed:
            self._busy -= 1
            if worker is not None:
                self._idle.append(worker)
            self._changed.notify()


def _end(workers: list[_Worker]) -> None:
    """End workers; also when nobody remembered to close them."""
    while workers:
        workers.pop().kill()


class _Worker:
    """One process and its two pipes."""

    def __init__(self, launcher: Launcher) -> None:
        if not sys.executable:
            raise FileNotFoundError(errno.ENOENT, "this Python does not know its own program")
        # Only where the grammars are: a folder the program happened to start in may hold anybody's modules.
        paths = json.dumps([path for path in sys.path if path and Path(path, "tree_sitter").is_dir()])
        self._child = launcher.start(
            [sys.executable, "-I", "-X", "utf8", "-B", str(_PROGRAM), paths],
            reads="python",
            stdin=PIPE,
            stderr=False,
            memory=_MEMORY,
        )
        assert self._child.stdin is not None
        assert self._child.stdout is not None
        self._input, self._output = self._child.stdin, self._child.stdout
        self._exchange = threading.Thread()
        self._fresh = True
        self.ended = False

    @property
    def running(self) -> bool:
        """Whether the process has not ended."""
        try:
            return self._child.poll() is None
        except FilewrightError:
            return False  # the process that started it has ended too

    def ask(self, request: wire.Request, data: bytes, task: Task | None) -> bytes | None:
        """The answer; None if the worker ended or did not answer in time (`ended` says which)."""
        deadline = time.monotonic() + request.seconds + _GRACE + (_START if self._fresh else 0)
        self._fresh = False
        answer: list[bytes] = []
        frames = (wire.frame(request, data), data)
        # On a thread of its own: pipes that can be waited for with a limit are not on every system.
        self._exchange = threading.Thread(target=self._talk, args=(frames, answer), daemon=True)
        self._exchange.start()
        while self._exchange.is_alive():
            self._exchange.join(_POLL)
            if task is not None:
                task.check()
            if time.monotonic() > deadline:
                return None
        self.ended = not answer
        return answer[0] if answer else None

    def _talk(self, frames: Sequence[bytes], answer: list[bytes]) -> None:
        """Send the frames and receive the answer; nothing if the worker ends meanwhile."""
        with suppress(OSError, EOFError):
            for frame in frames:
                rest = memoryview(frame)
                while rest:
                    rest = rest[self._input.write(rest[: 1 << 20]) or 0 :]
            length, _ = wire.FRAME.unpack(self._received(wire.FRAME.size))
            answer.append(self._received(length))

    def _received(self, size: int) -> bytes:
        received = bytearray()
        while len(received) < size:
            block = self._output.read(min(size - len(received), 1 << 20))
            if not block:
                raise EOFError
            received += block
        return bytes(received)

    def kill(self) -> None:
        """End the process and give its pipes back, which nobody must be reading then."""
        if self._exchange.is_alive():
            self._child.kill()
            self._exchange.join(_END)
        self._child.close()


def _silent(request: wire.Request, ended: bool) -> Outline:
    """The outline of a file whose parse gave no answer."""
    if ended:
        return Outline(request.language, parsed=False, note=FAILED)
    limit = f"it took longer than the limit of {request.seconds:g} s"
    return Outline(request.language, parsed=False, note=f"not parsed: {limit}")
