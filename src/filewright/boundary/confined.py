"""Child programs that can read below the roots and do nothing else.

A search engine opens paths by itself, so no check of ours stands between a name and what it reads:
in a race that swaps a folder for a link outwards it reads outside. Here the kernel stands there: the
program runs under a Landlock domain that contains the roots for reading, the programs named and the
system's libraries, and no writing, no TCP, no signals to others.

    spawner = Spawner(boundary.roots, programs=[rg])          # starts the helper: some 20 ms, once
    with spawner.spawn([rg, "-e", "x", "."], folder=boundary.roots[0].fd) as child:
        for block in iter(lambda: child.stdout.read(1 << 16), b""): ...
        child.wait()                                          # the exit status, as subprocess has it

`spawn` costs about a millisecond more than `subprocess.Popen`, is safe from any thread, and runs
nothing of ours between fork and exec: a helper process with one thread, confined before it hears its
first request (`confined_main`), starts the child. Leaving the `with` block, `kill()`, the end of this
process and the end of the helper all end the child and what it started.

`Spawner` raises `unsupported` where the kernel has no Landlock; then the walk opens files itself
and hands descriptors on.
"""

from __future__ import annotations

import errno
import io
import json
import os
import select
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from types import TracebackType

from filewright.boundary.confined_main import STATUS
from filewright.boundary.location import Root
from filewright.errors import Code, FilewrightError, from_os_error
from filewright.system import landlock

_PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "confined_main.py")
_ENVIRONMENT = {"PATH": "/nonexistent", "HOME": "/nonexistent", "LC_ALL": "C.UTF-8", "TERM": "dumb"}


class Child:
    """A confined program that runs. `stdout` and `stderr` are unbuffered readers (`read`, `fileno`)."""

    def __init__(
        self, control: socket.socket, stdout: io.FileIO | None, stderr: io.FileIO, program: str
    ) -> None:
        self.stdout = stdout
        self.stderr = stderr
        self._control = control
        self._program = program
        self._status: int | None = None

    def wait(self, seconds: float | None = None) -> int:
        """The exit status (negative: the signal that ended it); `timeout` after `seconds`.

        Read `stdout` to its end first, or the child may never end. Raises what kept the program
        from starting.
        """
        if self._status is None:
            deadline = None if seconds is None else time.monotonic() + seconds
            self._control.settimeout(
                None if deadline is None else max(0.0, deadline - time.monotonic()) or 1e-6
            )
            try:
                packet = self._control.recv(STATUS.size)
            except TimeoutError:
                raise FilewrightError(
                    Code.TIMEOUT, f"{self._program} did not end in {seconds:g} s", hint="narrow the request"
                ) from None
            except ConnectionResetError:
                packet = b""
            if len(packet) != STATUS.size:
                raise FilewrightError(
                    Code.INTERNAL, f"the process that runs {self._program} has died", hint="try again"
                )
            error, self._status = STATUS.unpack(packet)
            if error:
                raise from_os_error(OSError(error, os.strerror(error)), self._program, doing="run")
        return self._status

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
        self.stderr.close()
        if self.stdout is not None:
            self.stdout.close()

    def __enter__(self) -> Child:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class Spawner:
    """Starts confined programs from any thread. Holds one helper process, started anew if it dies.

    `programs` are absolute paths of what may be run, and `reads` further places it may read.
    """

    def __init__(self, roots: Sequence[Root], programs: Sequence[str], reads: Sequence[str] = ()) -> None:
        if not landlock.available():
            raise FilewrightError(
                Code.UNSUPPORTED,
                "this kernel has no Landlock to confine a program with",
                hint="open the files here",
            )
        self._roots = tuple(root.fd for root in roots)
        self._programs = [os.path.realpath(program) for program in programs] + list(reads)
        self._lock = threading.Lock()
        self._helper: subprocess.Popen[bytes] | None = None
        self._requests: socket.socket | None = None
        with self._lock:
            self._start()

    def spawn(
        self,
        argv: Sequence[str],
        *,
        folder: int,
        stdin: int | None = None,
        stdout: int | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> Child:
        """Start `argv` (its first part the absolute path of a program named to `Spawner`).

        `folder` is the descriptor of its working folder; `stdin` defaults to an empty input and
        `stdout` to a pipe, `Child.stdout`. The environment is a bare one plus `environment`.
        Arguments may hold surrogate escapes (`os.fsdecode`). `wait` says if it could not start.
        """
        request = os.memfd_create("request")
        with open(request, "wb", closefd=False) as file:
            asked = {"argv": list(argv), "environment": {**_ENVIRONMENT, **(environment or {})}}
            file.write(json.dumps(asked).encode())
        os.lseek(request, 0, os.SEEK_SET)
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        opened = [request]
        try:
            if stdin is None:
                stdin = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
                opened.append(stdin)
            out_reader = None
            if stdout is None:
                out_descriptor, stdout = os.pipe()
                opened.append(stdout)
                out_reader = io.FileIO(out_descriptor)
            error_descriptor, stderr = os.pipe()
            opened.append(stderr)
            child = Child(ours, out_reader, io.FileIO(error_descriptor), argv[0])
            try:
                self._send([request, theirs.fileno(), folder, stdin, stdout, stderr])
            except BaseException:
                child.close()
                raise
            return child
        finally:
            theirs.close()
            for descriptor in opened:
                os.close(descriptor)

    def close(self) -> None:
        """End the helper and every child that still runs."""
        with self._lock:
            self._stop()

    def _send(self, descriptors: Sequence[int]) -> None:
        with self._lock:
            for again in (False, True):
                if self._requests is None or again:
                    self._start()
                assert self._requests is not None
                try:
                    socket.send_fds(self._requests, [b"r"], list(descriptors))
                    return
                except (BrokenPipeError, ConnectionResetError):
                    if again:
                        raise FilewrightError(
                            Code.INTERNAL, "the process that confines programs keeps dying", hint="try again"
                        ) from None

    def _start(self) -> None:
        self._stop()
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._requests = ours
        with theirs:
            roots = ",".join(map(str, self._roots))
            try:
                self._helper = subprocess.Popen(
                    [
                        sys.executable,
                        "-I",
                        "-S",
                        "-B",
                        _PROGRAM,
                        str(theirs.fileno()),
                        roots,
                        json.dumps(self._programs),
                    ],
                    pass_fds=(theirs.fileno(), *self._roots),
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    env={"LC_ALL": "C.UTF-8"},
                )
            except OSError:
                self._stop()
                raise
        packet = ours.recv(STATUS.size)
        error = STATUS.unpack(packet)[0] if len(packet) == STATUS.size else errno.ECHILD
        if error:
            self._stop()
            raise FilewrightError(
                Code.UNSUPPORTED,
                f"programs cannot be confined here: {os.strerror(error)}",
                hint="open the files here",
            )

    def _stop(self) -> None:
        if self._requests is not None:
            self._requests.close()
            self._requests = None
        if self._helper is not None:
            self._helper.wait()
            self._helper = None
