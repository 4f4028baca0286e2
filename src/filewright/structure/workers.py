"""The parser processes of one workspace: started when first needed, killed when too slow.

Grammars are C code. A file that crashes one takes the worker down and nothing else: the answer says
so, and the next file gets a new worker.
"""

from __future__ import annotations

import errno
import io
import json
import sys
import threading
import time
import weakref
from contextlib import suppress
from pathlib import Path
from typing import Final

from filewright.boundary.launcher import PIPE, Launcher
from filewright.errors import FilewrightError
from filewright.progress import Task
from filewright.structure.outline import Outline
from filewright.structure.wire import Request, decode_outline, encode_line

GRAMMAR_FAILED_NOTE: Final = "not parsed: the grammar failed on this content"
"""The note on content that ended the worker."""
_PROGRAM: Final = Path(__file__).with_name("worker.py")
_GRACE: Final = (
    1.0  # seconds beyond the parse's own limit, for the walk and the answer
)
_START: Final = 5.0  # seconds a worker may take to start
_POLL: Final = 0.02  # seconds between two looks at whether the task must stop
_END: Final = 2.0  # seconds a killed worker may take to end
_MEMORY: Final = 512 << 20
_BLOCK: Final = 1 << 20


class Workers:
    """At most `limit` parser processes; thread-safe. `close` ends them, later use starts new ones."""

    def __init__(self, launcher: Launcher, limit: int = 2) -> None:
        self._launcher = launcher
        self._free = threading.Semaphore(limit)
        self._idle: list[_Worker] = []
        self._lock = threading.Lock()
        weakref.finalize(self, _end, self._idle)

    def outline(
        self, request: Request, data: bytes, task: Task | None = None
    ) -> Outline:
        """The outline of `data`; one that says why where the worker crashed or was too slow.

        Raises `cancelled` or `timeout` if `task` must stop. `OSError` if no process can be started.
        """
        checked = task or Task()
        while not self._free.acquire(timeout=_POLL):
            checked.check()
        worker = None
        try:
            worker = self._taken()
            answer = worker.ask(request, data, checked)
            if answer is None:
                note = f"not parsed: it took longer than the limit of {request.seconds:g} s"
                return Outline(request.language, parsed=False, note=note)
            outline = decode_outline(answer)
            with self._lock:
                self._idle.append(worker)
            worker = None
            return outline
        except (ValueError, TypeError, RecursionError):
            return Outline(
                request.language, parsed=False, note=GRAMMAR_FAILED_NOTE
            )
        finally:
            if worker is not None:
                worker.kill()
            self._free.release()

    def _taken(self) -> _Worker:
        while True:
            with self._lock:
                if not self._idle:
                    break
                worker = self._idle.pop()
            if worker.running:
                return worker
            worker.kill()
        return _Worker(self._launcher)

    def prepare(self) -> None:
        """Have a worker ready, so that the first outline need not wait for its start."""
        if self._free.acquire(blocking=False):
            with suppress(OSError, FilewrightError):
                self._idle.append(self._taken())
            self._free.release()

    def close(self) -> None:
        """End the idle workers."""
        with self._lock:
            _end(self._idle)


def _end(workers: list[_Worker]) -> None:
    """End workers; also when nobody remembered to close them."""
    while workers:
        workers.pop().kill()


class _Worker:
    """One process and its two pipes."""

    def __init__(self, launcher: Launcher) -> None:
        if not sys.executable:
            raise FileNotFoundError(
                errno.ENOENT, "this Python does not know its own program"
            )
        # Only where the grammars are: a folder the program happened to start in may hold anybody's modules.
        paths = json.dumps(
            [
                path
                for path in sys.path
                if path and Path(path, "tree_sitter").is_dir()
            ]
        )
        self._child = launcher.start(
            [sys.executable, "-I", "-X", "utf8", "-B", str(_PROGRAM), paths],
            reads="python",
            stdin=PIPE,
            memory=_MEMORY,
        )
        assert self._child.stdin is not None
        self._input = self._child.stdin
        self._output = io.BufferedReader(self._child.stdout, _BLOCK)
        self._exchange = threading.Thread()
        self._starting = _START

    @property
    def running(self) -> bool:
        """Whether the process has not ended."""
        try:
            return self._child.poll() is None
        except FilewrightError:
            return False  # the process that started it has ended too

    def ask(self, request: Request, data: bytes, task: Task) -> bytes | None:
        """The answer, torn if the worker ended; None if it did not come in time."""
        deadline = time.monotonic() + request.seconds + _GRACE + self._starting
        self._starting = 0.0
        sent = encode_line(request._replace(size=len(data))) + data
        answer: list[bytes] = []

        def exchange() -> None:
            try:
                for start in range(0, len(sent), _BLOCK):
                    rest = memoryview(sent)[start : start + _BLOCK]
                    while rest:
                        rest = rest[self._input.write(rest) or 0 :]
                answer.append(self._output.readline())
            except OSError:
                answer.append(b"")

        # On a thread of its own: pipes that can be waited for with a limit are not on every system.
        self._exchange = threading.Thread(target=exchange, daemon=True)
        self._exchange.start()
        while self._exchange.is_alive():
            self._exchange.join(_POLL)
            task.check()
            if time.monotonic() > deadline:
                return None
        return answer[0]

    def kill(self) -> None:
        """End the process and give its pipes back, which nobody must be reading then."""
        if self._exchange.is_alive():
            self._child.kill()
            self._exchange.join(_END)
        self._child.close()
