"""The parser processes of one workspace: started when first needed, killed when too slow.

Grammars are C code. A file that crashes one takes the worker down and nothing else: the answer says
so, and the next file gets a new worker.
"""

from __future__ import annotations

import errno
import json
import os
import select
import sys
import threading
import time
import weakref
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
_POLL_MS: Final = 20
_PIPE_BYTES: Final = 1 << 16
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
            outline = wire.decoded(*answer)
            alive = True
            return outline
        except (ValueError, TypeError):
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
                self._changed.wait(_POLL_MS / 1000)
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
        os.set_blocking(self._input.fileno(), False)
        os.set_blocking(self._output.fileno(), False)
        self._fresh = True
        self.ended = False

    @property
    def running(self) -> bool:
        """Whether the process has not ended."""
        try:
            return self._child.poll() is None
        except FilewrightError:
            return False  # the process that started it has ended too

    def ask(self, request: wire.Request, data: bytes, task: Task | None) -> tuple[bytes, bytes] | None:
        """The answer's head and body; None if the worker ended or did not answer in time (`ended` says which)."""
        deadline = time.monotonic() + request.seconds + _GRACE + (_START if self._fresh else 0)
        self._fresh = False
        parts = [memoryview(wire.frame(request, data)), memoryview(data)]
        received = bytearray()
        poll = select.poll()
        poll.register(self._output, select.POLLIN)
        poll.register(self._input, select.POLLOUT)
        while True:
            if task is not None:
                task.check()
            if time.monotonic() > deadline:
                return None
            for descriptor, event in poll.poll(_POLL_MS):
                if descriptor == self._input.fileno():
                    if event & (select.POLLERR | select.POLLHUP) or not self._send(parts):
                        poll.unregister(self._input)
                elif not self._receive(received):
                    self.ended = True
                    return None
            if len(received) >= wire.FRAME.size:
                head, body = wire.FRAME.unpack_from(received)
                if len(received) >= wire.FRAME.size + head + body:
                    content = bytes(received)[wire.FRAME.size :]
                    return content[:head], content[head : head + body]

    def _send(self, parts: list[memoryview]) -> bool:
        """Write what the pipe takes; False when all is written or the worker hung up."""
        try:
            while parts:
                written = self._input.write(parts[0][: 1 << 20])
                if written is None:
                    return True
                parts[0] = parts[0][written:]
                if not parts[0]:
                    parts.pop(0)
        except BrokenPipeError:
            return False
        return False

    def _receive(self, received: bytearray) -> bool:
        """Read what is there; False at the end of the worker's output."""
        while (block := self._output.read(1 << 20)) is not None:
            if not block:
                return False
            received += block
            if len(block) < _PIPE_BYTES:
                break
        return True

    def kill(self) -> None:
        """End the process and give its pipes back."""
        self._child.close()


def _silent(request: wire.Request, ended: bool) -> Outline:
    """The outline of a file whose parse gave no answer."""
    if ended:
        return Outline(request.language, parsed=False, note=FAILED)
    limit = f"it took longer than the limit of {request.seconds:g} s"
    return Outline(request.language, parsed=False, note=f"not parsed: {limit}")
