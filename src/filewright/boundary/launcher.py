"""The one launcher of child processes: each runs confined, within limits, and never outlives us.

A search engine or git opens paths by itself, so no check of ours comes between a name and what it
reads: in a race that swaps a folder for a link outwards it would read outside. Here the kernel comes
between: a child runs under a Landlock domain of its own that holds the roots for reading, the programs
named and the system's libraries (`reads="roots"`), or this Python and none of the user's files
(`reads="python"`); no writing, no TCP, no signals to others.

    launcher = Launcher(boundary.roots, programs=[rg])
    with launcher.start([rg, "-e", "x", "."], folder=boundary.roots[0].descriptor) as child:
        for block in iter(lambda: child.stdout.read(1 << 16), b""): ...
        child.wait()                                          # the exit status, as subprocess has it

Landlock confines a thread and what that starts. So each child is started by a thread of its own, which gives up
everything else first and ends at once. Nothing of ours runs between fork and exec: no lock, no descriptor and no
variable of the environment is inherited. Each child has a process group of its own, a limit of memory and,
where wanted, of time. Leaving the `with` block and `kill()` end it and what it started; so does the end of this
process, however it comes, by a second process that waits for that (`system/watchdog.py`).

Where the kernel cannot confine, `start` raises `unsupported` for what reads the roots; a program that
is given nothing but its input (`reads="python"`) runs within the other limits. `program` says where those are that we
start.
"""

from __future__ import annotations

import os
import sys
import threading
import weakref
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from filewright import system
from filewright.errors import Code, FilewrightError
from filewright.system import Closable, Folder

# `subprocess` is imported where it is used: most processes never start a child.
if TYPE_CHECKING:
    import io
    import subprocess

_END = 2.0  # seconds that a process may take to end which was killed, or has nothing left to do
_MEMORY = 512 << 20
_ENVIRONMENT = {
    **{
        "PATH": "/nonexistent",
        "HOME": "/nonexistent",
        "LC_ALL": "C.UTF-8",
        "TERM": "dumb",
    },
    # Without the system's own folder no library is found on Windows.
    **{name: os.environ[name] for name in ("SYSTEMROOT",) if name in os.environ},
}

PIPE = -1
"""As `stdin`: a pipe, of which `Child.stdin` is our end."""


class Child(Closable):
    """A program that runs. `stdin` and `stdout` are our ends of its pipes, unbuffered."""

    def __init__(
        self,
        program: str,
        process: subprocess.Popen[bytes],
        watch: Callable[[int], None],
        memory: int,
        seconds: float | None,
    ) -> None:
        """Ends the process, and raises `OSError`, where its memory cannot be limited."""
        self._program, self._process, self._watch = program, process, watch
        # They are unbuffered.
        self.stdin: io.FileIO | None = process.stdin  # type: ignore[assignment]
        self.stdout: io.FileIO = process.stdout  # type: ignore[assignment]
        self._job: Closable | None = None
        self._timer = threading.Timer(seconds or 0, self.kill)
        if seconds is not None:
            self._timer.daemon = True
            self._timer.start()
        watch(process.pid)
        try:
            self._job = system.limit_process(process.pid, memory)
        except OSError:
            self.close()
            raise

    def wait(self, seconds: float | None = None) -> int:
        """The exit status (negative: the signal that ended it); `timeout` after `seconds`.

        Read `stdout` to its end first, or the child may never end.
        """
        import subprocess

        try:
            return self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            message = f"{self._program} did not end in {seconds:g} s"
            raise FilewrightError(Code.TIMEOUT, message, "narrow the request") from None

    def poll(self) -> int | None:
        """The exit status if the child has ended, else None."""
        return self._process.poll()

    def kill(self) -> None:
        """End the child and what it started, at once; `wait` then returns -9."""
        if self._process.poll() is None:
            system.kill_process_tree(self._process)

    def close(self) -> None:
        """Let go of the child; if it still runs it is killed."""
        self._timer.cancel()
        self.kill()
        for each in (self._job, self.stdin, self.stdout):
            if each is not None:
                each.close()
        self._watch(-self._process.pid)  # Before its number may be another's.
        with suppress(FilewrightError):
            self.wait(_END)


class Launcher:
    """Starts confined programs, from any thread.

    `folders` are what a child may read, those too that are added to them; `programs` the absolute paths of
    what may be run besides this Python: by default `rg` and `git`. Without `confine` the kernel is not asked, as where
    it cannot.
    """

    def __init__(
        self,
        folders: Sequence[Folder] = (),
        programs: Sequence[str] | None = None,
        *,
        confine: bool = True,
    ) -> None:
        self._folders = folders
        self._programs = programs
        self._confine = confine
        self._lock = threading.Lock()
        self._running: set[int] = set()
        self._watchdogs: list[subprocess.Popen[bytes]] = []  # none or one
        weakref.finalize(self, _end, self._watchdogs)

    def start(
        self,
        argv: Sequence[str],
        *,
        folder: int | None = None,
        reads: Literal["roots", "python"] = "roots",
        stdin: int | None = None,
        environment: Mapping[str, str] | None = None,
        memory: int = _MEMORY,
        seconds: float | None = None,
    ) -> Child:
        """Start `argv` (its first part the absolute path of a program named to `Launcher`, or this Python's).

        `folder` is the descriptor of its working folder, by default `/`. `stdin` defaults to an empty
        input; `PIPE` makes a pipe. Its errors go nowhere. The environment is a bare one plus
        `environment`. Arguments may hold surrogate escapes (`os.fsdecode`). It may allocate `memory` bytes, and
        is killed after `seconds`.

        Raises `unsupported` where it would read the roots unconfined, and `OSError` if it cannot be started.
        """
        import subprocess

        begun: list[subprocess.Popen[bytes] | Exception] = []

        def begin() -> None:
            try:
                self._give_up(reads)
                process = subprocess.Popen(
                    list(map(str, argv)),
                    bufsize=0,
                    stdin=subprocess.DEVNULL if stdin is None else stdin,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    cwd=os.path.abspath("/")
                    if folder is None
                    else f"/proc/self/fd/{folder}",
                    env={**_ENVIRONMENT, **(environment or {})},
                    # An interrupt at the terminal is not for it, and what it starts ends with it.
                    process_group=0,
                )
                begun.append(process)
            except (OSError, ValueError, FilewrightError) as error:
                begun.append(error)

        thread = threading.Thread(target=begin)
        thread.start()
        thread.join()
        (process,) = begun
        if isinstance(process, Exception):
            raise process
        return Child(argv[0], process, self._watch, memory, seconds)

    def close(self) -> None:
        """End every child that still runs; a later `start` begins anew."""
        with self._lock:
            _end(self._watchdogs)

    def _give_up(self, reads: Literal["roots", "python"]) -> None:
        """Let this thread, and what it starts, do nothing but read what it has to."""
        from filewright.system import landlock

        folders, programs = (
            [folder.fileno() for folder in self._folders],
            self._programs,
        )
        if programs is None:
            programs = [
                path
                for name in STARTED_PROGRAMS
                if (path := find_program(name)) is not None
            ]
        own = reads == "python"
        if self._confine and landlock.confine_child(
            () if own else folders, None if own else programs
        ):
            return
        if not own:
            message = "the kernel cannot confine a program here"
            raise FilewrightError(Code.UNSUPPORTED, message, "open the files here")

    def _watch(self, number: int) -> None:
        """Have the child of this number end with us; below zero, no more."""
        import subprocess

        from filewright.system import watchdog

        if not system.HAS_PROCESS_GROUPS:
            return
        with (
            self._lock,
            suppress(OSError),
        ):  # One that is stopped must not keep us either: the pipe does not wait.
            (self._running.add if number > 0 else self._running.discard)(abs(number))
            numbers = [number]
            if not self._watchdogs or self._watchdogs[0].poll() is not None:
                _end(self._watchdogs)
                argv = [
                    sys.executable,
                    "-I",
                    "-S",
                    "-B",
                    watchdog.__file__,
                    str(os.getpid()),
                ]
                none = subprocess.DEVNULL
                started = subprocess.Popen(
                    argv,
                    bufsize=0,
                    stdin=PIPE,
                    stdout=none,
                    stderr=none,
                    process_group=0,
                )
                self._watchdogs.append(started)
                numbers = list(self._running)
            wire = self._watchdogs[0].stdin
            assert wire is not None
            os.set_blocking(wire.fileno(), False)
            wire.write(b"".join(map(watchdog.NUMBER.pack, numbers)))


def _end(watchdogs: list[subprocess.Popen[bytes]]) -> None:
    while watchdogs:
        import subprocess  # Most workspaces start no program.

        watchdog = watchdogs.pop()
        assert watchdog.stdin is not None
        watchdog.stdin.close()
        try:
            watchdog.wait(_END)
        except subprocess.TimeoutExpired:  # Stopped or stuck: it must not keep us.
            watchdog.kill()
            watchdog.wait()


STARTED_PROGRAMS = ("rg", "git")
"""All that is started besides this Python."""


@lru_cache(maxsize=len(STARTED_PROGRAMS))
def find_program(name: str) -> str | None:
    """The absolute path of `rg` (this Python's own, else one on the PATH) or `git`; None if there is none."""
    import shutil
    import sysconfig

    if name == "git":
        return shutil.which(
            "git", path=os.defpath
        )  # the system's own: a PATH may begin in a workspace
    file = f"{name}.exe" if os.name == "nt" else name
    # Relative parts of the PATH lead to whatever the current folder holds.
    searched = filter(
        os.path.isabs, os.environ.get("PATH", os.defpath).split(os.pathsep)
    )
    folders = [
        os.path.dirname(sys.executable),
        sysconfig.get_path("scripts"),
        os.path.dirname(os.path.realpath(sys.executable)),
        *(
            sysconfig.get_path("scripts", scheme)
            for scheme in sysconfig.get_scheme_names()
            if "user" in scheme
        ),
        *searched,
    ]
    found = shutil.which(file, path=os.pathsep.join(filter(None, folders)))
    return os.path.abspath(found) if found else None
