"""The one launcher of child processes: each runs confined, within limits, and never outlives us.

A search engine or git opens paths by itself, so no check of ours comes between a name and what it
reads: in a race that swaps a folder for a link outwards it would read outside. Here the kernel comes
between: a child runs under a Landlock domain of its own that holds the roots for reading, the programs
named and the system's libraries (`reads="roots"`), or this Python and none of the user's files
(`reads="python"`); no writing, no TCP, no signals to others.

    launcher = Launcher(boundary.roots, programs=[rg])
    with launcher.start([rg, "-e", "x", "."], folder=boundary.roots[0].fd) as child:
        for block in iter(lambda: child.stdout.read(1 << 16), b""): ...
        child.wait()                                          # the exit status, as subprocess has it

A helper process with one thread (`system/launcher_main.py`), started when first needed, starts the
children, so that nothing of ours runs between fork and exec: no lock, no descriptor and no variable
of the environment is inherited. Each child has a process group of its own, a limit of memory and,
where wanted, of time. Leaving the `with` block, `kill()`, the end of this process and the end of the
helper all end it and what it started. A helper that died or hangs is replaced.

Where the kernel cannot confine, `start` raises `unsupported` for what reads the roots; a program that
is given nothing but its input (`reads="python"`) runs within the other limits. `program` says where those are that we
start.
"""

from __future__ import annotations

import errno
import io
import marshal
import os
import select
import shutil
import sys
import sysconfig
import threading
import time
import weakref
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from functools import lru_cache
from typing import TYPE_CHECKING, Final, Literal, cast

from filewright import system
from filewright.closing import Closing
from filewright.errors import Code, FilewrightError, from_os_error
from filewright.system import Folder, pipe

# `socket` and `subprocess` are imported where they are used: most processes never start a child.
if TYPE_CHECKING:
    import socket


_ANSWER: Final = 10.0  # seconds for the helper to start, and to start a child
_END: Final = 2.0  # seconds for the helper to end
_INPUT_BYTES: Final = 1 << 20
_MEMORY: Final = 512 << 20
_ENVIRONMENT: Final = {"PATH": "/nonexistent", "HOME": "/nonexistent", "LC_ALL": "C.UTF-8", "TERM": "dumb"}

PIPE: Final = -1
"""As `stdin`: a pipe, of which `Child.stdin` is our end."""


class Child(Closing):
    """A program that runs. `stdin`, `stdout` and `stderr` are our ends of its pipes, unbuffered."""

    def __init__(self, program: str, control: socket.socket) -> None:
        self.stdin: io.FileIO | None = None
        self.stdout: io.FileIO | None = None
        self.stderr: io.FileIO | None = None
        self._program = program
        self._control = control
        self._status: int | None = None

    def wait(self, seconds: float | None = None) -> int:
        """The exit status (negative: the signal that ended it); `timeout` after `seconds`.

        Read `stdout` to its end first, or the child may never end. Raises what kept the program
        from starting.
        """
        from filewright.system import launcher_main

        if self._status is None:
            try:
                packet = _received(self._control, launcher_main.STATUS.size, seconds)
            except TimeoutError:
                raise self._slow(seconds) from None
            if len(packet) != launcher_main.STATUS.size:
                raise FilewrightError(
                    Code.IO_ERROR, f"the process that runs {self._program} has died", "try again"
                )
            error, self._status = launcher_main.STATUS.unpack(packet)
            if error:
                raise from_os_error(OSError(error, os.strerror(error)), self._program, doing="run")
        return self._status

    def _slow(self, seconds: float | None) -> FilewrightError:
        return FilewrightError(
            Code.TIMEOUT, f"{self._program} did not end in {seconds or 0:g} s", "narrow the request"
        )

    def poll(self) -> int | None:
        """The exit status if the child has ended, else None."""
        if self._status is None:
            ended = select.poll()
            ended.register(self._control, select.POLLIN)
            if not ended.poll(0):
                return None
        return self.wait()

    def kill(self) -> None:
        """End the child and what it started, at once; `wait` then returns -9."""
        if self._status is None:
            try:
                self._control.send(b"k")
            except (BrokenPipeError, ConnectionResetError):
                return  # It has ended already.

    def close(self) -> None:
        """Let go of the child; if it still runs it is killed."""
        self._control.close()
        self._close_streams()

    def _close_streams(self) -> None:
        for stream in (self.stdin, self.stdout, self.stderr):
            if stream is not None:
                stream.close()


class _PlainChild(Child):
    """A child on a system without the helper: it has a limit of memory, starts nothing, and ends with us."""

    def __init__(
        self, argv: Sequence[str], environment: Mapping[str, str], memory: int, *, stdin: bool, stderr: bool
    ) -> None:
        import subprocess

        from filewright.system import nt

        self._program = argv[0]
        self._process = subprocess.Popen(
            argv,
            bufsize=0,
            stdin=subprocess.PIPE if stdin else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE if stderr else subprocess.DEVNULL,
            # Without the system's own folder no library is found.
            env={**environment, "SYSTEMROOT": os.environ.get("SYSTEMROOT", "")},
        )
        pipes = self._process.stdin, self._process.stdout, self._process.stderr
        self.stdin, self.stdout, self.stderr = (cast("io.FileIO | None", pipe) for pipe in pipes)
        self._job: int | None = None
        try:
            self._job = nt.bind_process(self._process.pid, memory)
        except OSError:
            self.close()
            raise

    def wait(self, seconds: float | None = None) -> int:
        import subprocess

        try:
            return self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            raise self._slow(seconds) from None

    def poll(self) -> int | None:
        return self._process.poll()

    def kill(self) -> None:
        self._process.kill()

    def close(self) -> None:
        from filewright.system import nt

        self._process.kill()
        self._process.wait()
        job, self._job = self._job, None
        if job is not None:
            nt.close(job)
        self._close_streams()


class _Helper:
    """The helper process, the socket it is asked through, and whether the kernel confines it."""

    def __init__(self, plan: Mapping[str, object], roots: Sequence[int]) -> None:
        import socket
        import subprocess

        from filewright.system import launcher_main

        if not sys.executable:
            raise FileNotFoundError(errno.ENOENT, "this Python does not know its own program")
        self.requests, theirs = socket.socketpair()
        arguments = [launcher_main.__file__, str(theirs.fileno()), marshal.dumps(dict(plan)).hex()]
        try:
            with theirs:
                self.process = subprocess.Popen(
                    [sys.executable, "-I", "-S", "-B", *arguments],
                    pass_fds=(theirs.fileno(), *roots),
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    env={"LC_ALL": "C.UTF-8"},
                    # Not ours, so that an interrupt at the terminal is not its own; and if it is stopped
                    # when we end, the kernel ends an orphaned group.
                    process_group=0,
                )
        except OSError:
            self.requests.close()
            raise
        try:
            packet = _received(self.requests, launcher_main.STATUS.size, _ANSWER)
        except TimeoutError:
            packet = b""
        if len(packet) != launcher_main.STATUS.size:
            self.end()
            raise OSError(errno.ECHILD, "the process that starts programs does not start")
        self.confined = bool(launcher_main.STATUS.unpack(packet)[1])

    def end(self) -> None:
        """End it and its children; at once if it does not answer."""
        import subprocess

        self.requests.close()
        try:
            self.process.wait(_END)
        except subprocess.TimeoutExpired:  # stopped or stuck: it must not keep us
            self.process.kill()
            self.process.wait()

    def child(
        self,
        name: str,
        request: bytes,
        folder: int | None,
        stdin: int | None,
        stdout: int | None,
        *,
        stderr: bool,
    ) -> Child | None:
        """The child that it started; None if it died or does not answer."""
        import socket

        from filewright.system import launcher_main

        with ExitStack() as theirs:
            control, its_control = socket.socketpair()
            child = Child(name, control)
            theirs.enter_context(its_control)
            nowhere = theirs.enter_context(io.FileIO(os.devnull, "r+"))
            try:
                if stdin == PIPE:
                    source, child.stdin = pipe(_INPUT_BYTES)
                    stdin = theirs.enter_context(source).fileno()
                if stdout is None:
                    child.stdout, sink = pipe()
                    stdout = theirs.enter_context(sink).fileno()
                errors = nowhere
                if stderr:
                    child.stderr, errors = pipe()
                    theirs.enter_context(errors)
                given = [
                    its_control.fileno(),
                    nowhere.fileno() if stdin is None else stdin,
                    stdout,
                    errors.fileno(),
                ]
                control.settimeout(_ANSWER)
                socket.send_fds(self.requests, [b"r"], given if folder is None else [*given, folder])
                its_control.close()  # so that a helper that dies is noticed
                control.sendall(launcher_main.LENGTH.pack(len(request)) + request)
                if control.recv(1) == launcher_main.STARTED:
                    return child
            except (TimeoutError, BrokenPipeError, ConnectionResetError):
                pass
            except BaseException:
                child.close()
                raise
        child.close()
        return None


class Launcher:
    """Starts confined programs, from any thread. The helper is started when first needed, and anew if it dies.

    `folders` are what a child may read, `programs` the absolute paths of what may be run besides this
    Python: by default `rg` and `git`. Without `confine` the kernel is not asked, as where it cannot.
    """

    def __init__(
        self, folders: Sequence[Folder] = (), programs: Sequence[str] | None = None, *, confine: bool = True
    ) -> None:
        self._folders = tuple(folders)
        self._programs = programs
        self._confine = confine
        self._lock = threading.Lock()
        self._helpers: list[_Helper] = []  # none or one
        weakref.finalize(self, _end, self._helpers)

    def start(
        self,
        argv: Sequence[str],
        *,
        folder: int | None = None,
        reads: Literal["roots", "python"] = "roots",
        stdin: int | None = None,
        stdout: int | None = None,
        stderr: bool = True,
        environment: Mapping[str, str] | None = None,
        memory: int = _MEMORY,
        seconds: float | None = None,
    ) -> Child:
        """Start `argv` (its first part the absolute path of a program named to `Launcher`, or this Python's).

        `folder` is the descriptor of its working folder, by default `/`. `stdin` defaults to an empty
        input; `PIPE` makes a pipe. `stdout` defaults to a pipe, `Child.stdout`; without `stderr` its
        errors go nowhere. The environment is a bare one plus `environment`. Arguments may hold
        surrogate escapes (`os.fsdecode`). It may allocate `memory` bytes, and is killed after
        `seconds`. `Child.wait` says if the program could not be run.

        Raises `unsupported` where it would read the roots unconfined, and `OSError` if no process
        can be started or none answers.
        """
        bare = {**_ENVIRONMENT, **(environment or {})}
        if not system.HAS_HELPER and reads == "python":
            return _PlainChild(argv, bare, memory, stdin=stdin == PIPE, stderr=stderr)
        request = marshal.dumps(
            {
                "argv": list(map(str, argv)),  # `marshal` takes no other kind of text
                "environment": bare,
                "reads": reads,
                "writes": stdout is not None,
                "memory": memory,
                "seconds": seconds,
            }
        )
        for _ in range(2):  # a helper that died or hangs is replaced, once
            helper = self._running() if reads == "python" or (self._confine and system.HAS_HELPER) else None
            if helper is None or (reads == "roots" and not helper.confined):
                raise FilewrightError(
                    Code.UNSUPPORTED, "the kernel cannot confine a program here", "open the files here"
                )
            child = helper.child(argv[0], request, folder, stdin, stdout, stderr=stderr)
            if child is not None:
                return child
            with self._lock:
                if self._helpers == [helper]:
                    _end(self._helpers)
        raise TimeoutError(errno.ETIMEDOUT, f"the process that runs {argv[0]} does not answer")

    def prepare(self) -> None:
        """Start the helper, so that the first program need not wait for it; nothing where there is none."""
        if system.HAS_HELPER:
            with suppress(OSError):
                self._running()

    def close(self) -> None:
        """End the helper and every child that still runs; a later `start` begins anew."""
        with self._lock:
            _end(self._helpers)

    def _running(self) -> _Helper:
        from filewright.system import landlock

        with self._lock:
            if not self._helpers:
                roots = [folder.fileno() for folder in self._folders]
                if any(root < 0 for root in roots):
                    raise OSError(errno.EBADF, "the workspace is closed")
                programs = self._programs
                if programs is None:
                    programs = [path for name in PROGRAMS if (path := program(name)) is not None]
                plan = {
                    "roots": roots,
                    "programs": [os.path.realpath(path) for path in programs],
                    "python": [*landlock.SYSTEM_READS, *landlock.program_reads()],
                    "confine": self._confine and landlock.available() > 0,
                }
                self._helpers.append(_Helper(plan, roots))
            return self._helpers[0]


def _received(control: socket.socket, size: int, seconds: float | None) -> bytes:
    """The next `size` bytes, fewer if the other end is gone. Raises `TimeoutError`."""
    deadline = None if seconds is None else time.monotonic() + seconds
    data = b""
    while len(data) < size:
        control.settimeout(None if deadline is None else max(1e-6, deadline - time.monotonic()))
        try:
            block = control.recv(size - len(data))
        except ConnectionResetError:
            break
        if not block:
            break
        data += block
    return data


def _end(helpers: list[_Helper]) -> None:
    while helpers:
        helpers.pop().end()


PROGRAMS = ("rg", "git")
"""All that is started besides this Python."""


@lru_cache(maxsize=len(PROGRAMS))
def program(name: str) -> str | None:
    """The absolute path of `rg` (this Python's own, else one on the PATH) or `git`; None if there is none."""
    if name == "git":
        return shutil.which("git", path=os.defpath)  # the system's own: a PATH may begin in a workspace
    file = f"{name}.exe" if os.name == "nt" else name
    folders = [os.path.dirname(sys.executable), sysconfig.get_path("scripts")]
    folders += [os.path.dirname(os.path.realpath(sys.executable))]
    folders += [
        sysconfig.get_path("scripts", scheme) for scheme in sysconfig.get_scheme_names() if "user" in scheme
    ]
    for folder in folders:
        found = shutil.which(file, path=folder) if folder else None
        if found is not None:
            return os.path.abspath(found)
    found = shutil.which(file)
    return os.path.abspath(found) if found else None
