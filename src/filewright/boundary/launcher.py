"""The launcher of child processes: confined, limited, and ended with this process.

A search engine or git opens paths by itself, so no check of this process comes between
a name and what the child reads: in a race that swaps a folder for a link, the child
would read outside of the roots. The kernel comes between instead. A child runs under a
Landlock domain of its own that holds the roots for reading, the programs named and the
system's libraries (`reads="roots"`), or this Python and none of the user's files
(`reads="python"`); no writing, no TCP, no signals to others.

    launcher = Launcher([root.folder], programs=[rg])
    with launcher.start([rg, "-e", "x", "."], folder=root.descriptor) as child:
        for block in iter(lambda: child.stdout.read(1 << 16), b""): ...
        child.wait()  # returns the exit status, as in subprocess

Landlock confines a thread and the processes that it starts. So each child is started by
a thread of its own, which gives up its other rights first and ends at once. No Python
code runs between fork and exec: the child inherits no lock, no descriptor and no
variable of the environment. Each child has a process group of its own, a limit of
memory and, optionally, of time. Leaving the `with` block and `kill()` end it and what
it started. So does the end of this process, however it comes: a second process, the
watchdog, waits for that (`system/watchdog.py`).

Where the kernel cannot confine, `start` raises `unsupported` for a child that reads the
roots. A child that is given nothing but its input (`reads="python"`) then runs within
the other limits.
"""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
import sysconfig
import threading
import weakref
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import Literal

from filewright import system
from filewright.errors import Code, FilewrightError
from filewright.system import Closable, Folder, landlock, watchdog

_END_SECONDS = 2.0
"""Time to end for a process that was killed, or that has nothing left to do."""
_PIPE_BYTES = 1 << 20
"""Room in the pipes of a child that is given its input: fewer switches between both."""

_DEFAULT_MEMORY_BYTES = 512 << 20
_ENVIRONMENT = {
    "PATH": "/nonexistent",
    "HOME": "/nonexistent",
    "LC_ALL": "C.UTF-8",
    "TERM": "dumb",
}
if "SYSTEMROOT" in os.environ:
    # Windows finds no library without the system's own folder.
    _ENVIRONMENT["SYSTEMROOT"] = os.environ["SYSTEMROOT"]

PIPE = -1
"""As `stdin`: a pipe, whose writing end is `Child.stdin`."""

STARTED_PROGRAMS = ("rg", "git")
"""All programs that are started besides this Python."""


class Child(Closable):
    """A running program. `stdin` and `stdout` are this process's ends of its pipes."""

    def __init__(
        self,
        program: str,
        process: subprocess.Popen[bytes],
        watch: Callable[[int], None],
        memory: int,
        seconds: float | None,
        *,
        can_write: bool = False,
    ) -> None:
        """Limit a process. End it and raise `OSError` if the limit cannot be set."""
        self._program = program
        self._process = process
        self._watch = watch
        # Popen made them without a buffer.
        self.stdin: io.FileIO | None = process.stdin  # type: ignore[assignment]
        self.stdout: io.FileIO = process.stdout  # type: ignore[assignment]
        self._job: Closable | None = None
        self._timer = threading.Timer(seconds or 0, self.kill)
        if seconds is not None:
            self._timer.daemon = True
            self._timer.start()
        # Before the limit is set: from here on, the end of this process ends the child.
        watch(process.pid)
        try:
            self._job = system.limit_process(
                process.pid, memory, can_write=can_write
            )
        except OSError:
            self.close()
            raise

    def wait(self, seconds: float | None = None) -> int:
        """Return the exit status (negative: the signal that ended the child).

        Raise `timeout` after `seconds`. Read `stdout` to its end first, or the child
        may never end.
        """
        try:
            return self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            message = f"{self._program} did not end in {seconds:g} s"
            raise FilewrightError(
                Code.TIMEOUT, message, "narrow the request"
            ) from None

    def poll(self) -> int | None:
        """Return the exit status if the child has ended, else None."""
        return self._process.poll()

    def kill(self) -> None:
        """End the child and what it started, at once; `wait` then returns -9."""
        if self._process.poll() is None:
            system.kill_process_tree(self._process)

    def close(self) -> None:
        """Release the child; if it still runs it is killed."""
        self._timer.cancel()
        self.kill()
        for handle in (self._job, self.stdin, self.stdout):
            if handle is not None:
                handle.close()
        # Before the wait, after which its number may be given to another process.
        self._watch(-self._process.pid)
        with suppress(FilewrightError):
            self.wait(_END_SECONDS)


class Launcher:
    """A starter of confined programs, for any thread.

    A child may read `folders`; the sequence may grow later. `programs` are the absolute
    paths of the programs that may run besides this Python, by default `rg` and `git`.
    Without `confine` the kernel is not asked to confine, as if it could not. A child
    may change files below `writable_folders`. With `can_run_unconfined` a child that
    reads the folders also runs where the kernel cannot confine it.
    """

    def __init__(
        self,
        folders: Sequence[Folder] = (),
        programs: Sequence[str] | None = None,
        *,
        confine: bool = True,
        writable_folders: Sequence[Folder] = (),
        can_run_unconfined: bool = False,
    ) -> None:
        self._folders = folders
        self._programs = programs
        self._confine = confine
        self._writable_folders = writable_folders
        self._can_run_unconfined = can_run_unconfined
        self._lock = threading.Lock()
        self._running: set[int] = set()
        self._watchdogs: list[subprocess.Popen[bytes]] = []  # none or one
        weakref.finalize(self, _end_watchdogs, self._watchdogs)

    def start(
        self,
        argv: Sequence[str],
        *,
        folder: int | None = None,
        reads: Literal["roots", "python"] = "roots",
        stdin: int | None = None,
        environment: Mapping[str, str] | None = None,
        memory: int = _DEFAULT_MEMORY_BYTES,
        seconds: float | None = None,
    ) -> Child:
        """Start `argv`, whose first part is the absolute path of a permitted program.

        `folder` is the descriptor of its working folder, by default `/`. `stdin`
        defaults to an empty input; `PIPE` makes a pipe. Its errors go nowhere. Its
        environment is a bare one plus `environment`. Arguments may hold surrogate
        escapes (`os.fsdecode`). It may allocate `memory` bytes, and is killed after
        `seconds`.

        Raise `unsupported` if it would read the roots unconfined, and `OSError` if it
        cannot be started.
        """
        results: list[subprocess.Popen[bytes] | Exception] = []
        working_folder = os.path.abspath("/")
        if folder is not None:
            working_folder = f"/proc/self/fd/{folder}"

        def confine_and_start() -> None:
            try:
                self._confine_thread(reads)
                process = subprocess.Popen(
                    list(map(str, argv)),
                    bufsize=0,
                    stdin=subprocess.DEVNULL if stdin is None else stdin,
                    stdout=subprocess.PIPE,
                    # Ignored where a pipe has one size.
                    pipesize=_PIPE_BYTES if stdin == PIPE else -1,
                    stderr=subprocess.DEVNULL,
                    cwd=working_folder,
                    env={**_ENVIRONMENT, **(environment or {})},
                    # An interrupt at the terminal does not reach the child, and what it
                    # starts ends with it.
                    process_group=0,
                )
                results.append(process)
            except (OSError, ValueError, FilewrightError) as error:
                results.append(error)

        # Confinement cannot be taken back, so only a thread that then ends takes it on.
        thread = threading.Thread(target=confine_and_start)
        thread.start()
        thread.join()
        (result,) = results
        if isinstance(result, Exception):
            raise result
        return Child(
            argv[0],
            result,
            self._watch,
            memory,
            seconds,
            can_write=bool(self._writable_folders),
        )

    def close(self) -> None:
        """End every child that still runs. A later `start` works again."""
        with self._lock:
            _end_watchdogs(self._watchdogs)

    def _confine_thread(self, reads: Literal["roots", "python"]) -> None:
        """Take all rights from this thread but those to read what the child needs."""
        if reads == "python":
            # It gets no descriptor of a user's file, so it may run without confinement.
            if self._confine:
                landlock.confine_child((), None)
            return
        folders = [folder.fileno() for folder in self._folders]
        programs = self._programs
        if programs is None:
            paths = [find_program(name) for name in STARTED_PROGRAMS]
            programs = [path for path in paths if path is not None]
        writable = [folder.fileno() for folder in self._writable_folders]
        is_confined = self._confine and landlock.confine_child(
            folders, programs, writable
        )
        if not is_confined and not self._can_run_unconfined:
            message = "the kernel cannot confine a program here"
            raise FilewrightError(
                Code.UNSUPPORTED, message, "open the files here"
            )

    def _watch(self, number: int) -> None:
        """Have the watchdog end the child `number`; below zero, no longer."""
        if not system.HAS_PROCESS_GROUPS:
            return
        # The pipe does not block: a stopped watchdog must not stop this process.
        with self._lock, suppress(OSError):
            if number > 0:
                self._running.add(number)
            else:
                self._running.discard(-number)
            numbers = [number]
            if not self._watchdogs or self._watchdogs[0].poll() is not None:
                _end_watchdogs(self._watchdogs)
                self._watchdogs.append(_start_watchdog())
                # A new watchdog knows none of the children that run already.
                numbers = list(self._running)
            pipe = self._watchdogs[0].stdin
            assert pipe is not None
            os.set_blocking(pipe.fileno(), False)
            pipe.write(b"".join(map(watchdog.NUMBER.pack, numbers)))


def _start_watchdog() -> subprocess.Popen[bytes]:
    flags = ["-I", "-S", "-B"]  # no site packages, no bytecode
    return subprocess.Popen(
        [sys.executable, *flags, watchdog.__file__, str(os.getpid())],
        bufsize=0,
        stdin=PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        process_group=0,
    )


def _end_watchdogs(watchdogs: list[subprocess.Popen[bytes]]) -> None:
    """End the watchdogs, which end all children, and empty the list."""
    while watchdogs:
        process = watchdogs.pop()
        assert process.stdin is not None
        # At the end of its input the watchdog kills the children and ends.
        process.stdin.close()
        try:
            process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            # It is stopped or stuck, and must not keep this process from ending.
            process.kill()
            process.wait()


@lru_cache(maxsize=len(STARTED_PROGRAMS))
def find_program(name: str) -> str | None:
    """Return the absolute path of `rg` or `git`, or None if it is not installed.

    `rg` is this Python's own, or else one on the PATH. `git` is the system's.
    """
    if name == "git":
        # A PATH may begin inside a workspace, whose `git` must not run.
        return shutil.which("git", path=os.defpath)
    file_name = f"{name}.exe" if os.name == "nt" else name
    folders = [
        os.path.dirname(sys.executable),
        sysconfig.get_path("scripts"),
        os.path.dirname(os.path.realpath(sys.executable)),
    ]
    for scheme in sysconfig.get_scheme_names():
        if "user" in scheme:
            folders.append(sysconfig.get_path("scripts", scheme))
    for folder in os.environ.get("PATH", os.defpath).split(os.pathsep):
        # Relative parts of the PATH lead to whatever the current folder holds.
        if os.path.isabs(folder):
            folders.append(folder)
    path = shutil.which(file_name, path=os.pathsep.join(filter(None, folders)))
    return os.path.abspath(path) if path else None
