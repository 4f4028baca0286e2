"""The parser processes of a workspace: started when first needed, ended when too slow.

Grammars are C code. A file that crashes one ends its process and nothing else: the
outline says so, and the next file gets a new process.
"""

from __future__ import annotations

import errno
import io
import json
import sys
import threading
import time
import weakref
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Final, TypeVar

from filewright.boundary.launcher import PIPE, Launcher
from filewright.errors import FilewrightError
from filewright.progress import Task
from filewright.structure.import_statements import ImportFacts, decode_facts
from filewright.structure.outline import Outline
from filewright.structure.syntax_kinds import SyntaxAnswer
from filewright.structure.wire import (
    Request,
    decode_outline,
    decode_syntax,
    encode_line,
)

_Answer = TypeVar("_Answer")

GRAMMAR_FAILED_NOTE: Final = "not parsed: the grammar failed on this content"
"""The note of an outline whose content ended the parser process."""

_PROGRAM: Final = Path(__file__).with_name("worker.py")
_START_SECONDS: Final = 5.0
"""Time for a process to start, on a busy machine."""

_ELAPSED_PER_WORK: Final = 3
"""The worker limits its processor time; on a busy machine a parse takes longer."""

_GRACE_SECONDS: Final = 1.0
"""Time beyond the limit of the parse itself, to collect symbols and to answer."""

_POLL_SECONDS: Final = 0.02
"""Time between looks at the task of a call, which may be cancelled."""

_END_SECONDS: Final = 2.0
"""Time for a killed process to release its pipes."""

_MEMORY_BYTES: Final = 512 << 20
"""Memory of one parser process; one that needs more is ended."""

_BLOCK_BYTES: Final = 1 << 20


class Workers:
    """At most `limit` parser processes, for any thread.

    `close` ends them; a later use starts new ones.
    """

    def __init__(self, launcher: Launcher, limit: int = 2) -> None:
        self._launcher = launcher
        self._slots = threading.Semaphore(limit)
        self._idle: list[_Worker] = []
        self._lock = threading.Lock()
        # They end with this object, also if `close` is never called.
        weakref.finalize(self, _end_workers, self._idle)

    def outline(
        self, request: Request, data: bytes, task: Task | None = None
    ) -> Outline:
        """Return the outline of `data`, or one whose note says why there is none.

        Raises `cancelled` or `timeout` of the task, and `OSError` if no process can be
        started.
        """

        def explain(note: str) -> Outline:
            return Outline(request.language, parsed=False, note=note)

        return self._ask(request, data, task or Task(), decode_outline, explain)

    def classify(
        self, request: Request, data: bytes, task: Task | None = None
    ) -> SyntaxAnswer:
        """Return the syntax of the spans of a request, or a note that says why not.

        Raises the errors of `outline`.
        """

        def decode(line: bytes) -> SyntaxAnswer:
            answer = decode_syntax(line)
            if not answer.note and (
                2 * len(answer.codes) != len(request.spans)
            ):
                raise ValueError("a span has no answer")
            return answer

        def explain(note: str) -> SyntaxAnswer:
            return SyntaxAnswer(note=note)

        return self._ask(request, data, task or Task(), decode, explain)

    def imports(
        self, request: Request, data: bytes, task: Task | None = None
    ) -> ImportFacts:
        """Return the imports of `data`, or a note that says why not.

        Raises the errors of `outline`.
        """

        def decode(line: bytes) -> ImportFacts:
            return decode_facts(json.loads(line), len(data))

        def explain(note: str) -> ImportFacts:
            return ImportFacts(note=note)

        return self._ask(request, data, task or Task(), decode, explain)

    def _ask(
        self,
        request: Request,
        data: bytes,
        task: Task,
        decode: Callable[[bytes], _Answer],
        explain: Callable[[str], _Answer],
    ) -> _Answer:
        """Return the decoded answer of a worker, or that which explains a failure."""
        while not self._slots.acquire(timeout=_POLL_SECONDS):
            task.check()
        worker = None
        try:
            worker = self._take_worker()
            line = worker.ask(request, data, task)
            if line is None:
                return explain(
                    f"not parsed: it took longer than the limit of {request.seconds:g} s"
                )
            answer = decode(line)
            with self._lock:
                self._idle.append(worker)
            worker = None
            return answer
        except (ValueError, TypeError, RecursionError):
            # The answer is torn: the process has ended.
            return explain(GRAMMAR_FAILED_NOTE)
        finally:
            if worker is not None:
                worker.kill()
            self._slots.release()

    def _take_worker(self) -> _Worker:
        """Return an idle worker, or a new one."""
        while True:
            with self._lock:
                if not self._idle:
                    break
                worker = self._idle.pop()
            # An idle worker may have been ended meanwhile, such as by the kernel.
            if worker.is_running:
                return worker
            worker.kill()
        return _Worker(self._launcher)

    def prepare(self) -> None:
        """Start a worker, so that the first outline does not wait for one."""
        if self._slots.acquire(blocking=False):
            with suppress(OSError, FilewrightError):
                self._idle.append(self._take_worker())
            self._slots.release()

    def close(self) -> None:
        """End the idle workers."""
        with self._lock:
            _end_workers(self._idle)


def _end_workers(workers: list[_Worker]) -> None:
    """End the workers, and empty the list."""
    while workers:
        workers.pop().kill()


class _Worker:
    """One parser process and its two pipes."""

    def __init__(self, launcher: Launcher) -> None:
        if not sys.executable:
            raise FileNotFoundError(
                errno.ENOENT, "this Python does not know its own program"
            )
        # Only the folders with grammars: the folder in which the program was started may
        # hold foreign modules.
        folders = []
        for path in sys.path:
            if path and Path(path, "tree_sitter").is_dir():
                folders.append(path)
        # Neither the environment nor the current folder adds a module (-I), and no
        # compiled file is written (-B).
        self._child = launcher.start(
            [
                sys.executable,
                "-I",
                "-X",
                "utf8",
                "-B",
                str(_PROGRAM),
                json.dumps(folders),
            ],
            reads="python",
            stdin=PIPE,
            memory=_MEMORY_BYTES,
        )
        assert self._child.stdin is not None
        self._input = self._child.stdin
        self._output = io.BufferedReader(self._child.stdout, _BLOCK_BYTES)
        self._exchange = threading.Thread()
        self._extra_seconds = _START_SECONDS

    @property
    def is_running(self) -> bool:
        """Return True if the process has not ended."""
        try:
            return self._child.poll() is None
        except FilewrightError:
            # The process that started it has ended too.
            return False

    def ask(self, request: Request, data: bytes, task: Task) -> bytes | None:
        """Return the answer, torn if the worker ended, or None if it is too slow."""
        seconds = _ELAPSED_PER_WORK * request.seconds + _GRACE_SECONDS
        seconds += self._extra_seconds
        deadline = time.monotonic() + seconds
        # Only the first request waits for the start of the process.
        self._extra_seconds = 0.0
        message = encode_line(replace(request, size=len(data))) + data
        answer: list[bytes] = []

        def exchange() -> None:
            try:
                self._send(message)
                answer.append(self._output.readline())
            except OSError:
                answer.append(b"")

        # A thread waits for the pipes: not every system can wait for them with a limit.
        self._exchange = threading.Thread(target=exchange, daemon=True)
        self._exchange.start()
        while self._exchange.is_alive():
            self._exchange.join(_POLL_SECONDS)
            task.check()
            if time.monotonic() > deadline:
                return None
        return answer[0]

    def _send(self, message: bytes) -> None:
        """Write a message in blocks, each of which a pipe may take in parts."""
        for start in range(0, len(message), _BLOCK_BYTES):
            rest = memoryview(message)[start : start + _BLOCK_BYTES]
            while rest:
                rest = rest[self._input.write(rest) or 0 :]

    def kill(self) -> None:
        """End the process, and release its pipes when no thread reads them."""
        if self._exchange.is_alive():
            self._child.kill()
            self._exchange.join(_END_SECONDS)
        self._child.close()
