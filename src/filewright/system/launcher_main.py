"""The helper process of the launcher: confines itself, then starts one child for each request.

Run as `python -I -S launcher_main.py SOCKET PLAN`, where SOCKET is an inherited descriptor and PLAN the
digits of a dictionary in Python's own format: `roots` (inherited descriptors), `programs` and `python`
(paths), `confine`. It has one thread, imports nothing but the standard library and two modules of this
room, and never gives a child more than it has itself.

One byte with descriptors asks for one child: its control socket, its standard input, output and
error, and its working folder (`/` if there is none). The control socket then brings the length of the
request and, in that format too, the request (argv, environment, `reads`, limits); it is answered
`STARTED`, and at the child's end, or if it could not be started, its `STATUS`. When the control socket
is closed or says `k`, when its time is up, and when this process ends, the child is killed with
everything it started.
"""

from __future__ import annotations

import contextlib
import errno
import marshal
import os
import resource
import select
import signal
import socket
import struct
import sys
import time
import types
from collections.abc import Iterable

# To import `typing`, `json` or dataclasses would be half of this process's start.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

DESCRIPTORS = 5
STARTED = b"s"
STATUS = struct.Struct("=ii")  # (0, exit status as subprocess has it) or (errno, 0)
LENGTH = struct.Struct("=I")
LIBRARIES = ("/lib", "/lib32", "/lib64", "/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/libexec")
SMALL_THINGS = ("/etc/ld.so.cache", "/dev/urandom", "/proc/self")
_PATIENCE = 10.0  # seconds for the rest of a request to arrive
_LOOK = 5.0  # seconds between two looks whether the process that started us is still there


class _Running:
    def __init__(self, process: int, control: socket.socket, deadline: float | None) -> None:
        self.process, self.control, self.deadline = process, control, deadline
        self.heard = True  # whether the control socket is still listened to


def load_landlock() -> types.ModuleType:
    """`filewright.system.landlock` without the packages above it, which import far more."""
    above = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    for name, folder in (("filewright", above), ("filewright.system", os.path.join(above, "system"))):
        package = types.ModuleType(name)
        package.__path__ = [folder]
        sys.modules[name] = package
    from filewright.system import landlock

    return landlock


class Helper:
    """The roots and programs of one launcher, and the children that run."""

    def __init__(self, requests: socket.socket, plan: dict[str, Any]) -> None:
        self._requests = requests
        self._roots: list[int] = plan["roots"]
        self._programs: list[str] = plan["programs"]
        self._python: list[str] = plan["python"]
        self._landlock = load_landlock()
        self.confined = False
        for descriptor in (requests.fileno(), *self._roots):
            os.set_inheritable(descriptor, False)
        self._parent = os.getppid()
        self._running: dict[int, _Running] = {}
        if plan["confine"] and self._landlock.available():
            with contextlib.suppress(OSError):  # a filter forbids it: then nothing runs that needs it
                self._restrict("all")
                self.confined = True

    def _restrict(self, reads: str) -> None:
        """Give up everything but reading of the roots or of this Python's folders, or of both (`all`)."""
        landlock = self._landlock
        rules: list[tuple[int, Iterable[Any]]] = [
            (landlock.READ_FILE, SMALL_THINGS),
            (landlock.READ_FILE | landlock.WRITE_FILE, ("/dev/null",)),
        ]
        if reads in ("roots", "all"):
            rules += [(landlock.READ, self._roots), (landlock.RUN, self._programs), (landlock.RUN, LIBRARIES)]
        if reads in ("python", "all"):
            rules += [(landlock.RUN, self._python)]
        landlock.restrict(rules, network=False)

    def serve(self) -> None:
        """Start children and report their ends until the other end of the socket is closed."""
        ended, ends = socket.socketpair()
        ended.setblocking(False)
        ends.setblocking(False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(ends.fileno())
        poll = select.poll()
        poll.register(self._requests, select.POLLIN)
        poll.register(ended, select.POLLIN)
        try:
            while os.getppid() == self._parent:
                ready = {descriptor for descriptor, _ in poll.poll(self._wait_ms())}
                if ended.fileno() in ready:
                    with contextlib.suppress(BlockingIOError):
                        ended.recv(4096)
                    self._reap(poll)
                for child in list(self._running.values()):
                    if child.heard and child.control.fileno() in ready:
                        poll.unregister(child.control)
                        child.heard = False
                        with contextlib.suppress(OSError):
                            child.control.recv(
                                16
                            )  # Unread, it would turn the status sent later into a reset.
                        _kill(child.process)
                    elif child.deadline is not None and time.monotonic() > child.deadline:
                        child.deadline = None
                        _kill(child.process)
                if self._requests.fileno() in ready and not self._accept(poll):
                    return
        finally:
            for child in self._running.values():
                _kill(child.process)

    def _wait_ms(self) -> float:
        deadlines = [child.deadline for child in self._running.values() if child.deadline is not None]
        soonest = min(deadlines, default=time.monotonic() + _LOOK) - time.monotonic()
        return 1000 * max(0.0, min(_LOOK, soonest + 0.001))

    def _reap(self, poll: select.poll) -> None:
        while self._running:
            try:
                process, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if not process:
                return
            child = self._running.pop(process, None)
            if child is None:
                continue
            if child.heard:
                poll.unregister(child.control)
            _send(child.control, STATUS.pack(0, os.waitstatus_to_exitcode(status)))
            child.control.close()

    def _accept(self, poll: select.poll) -> bool:
        """Start one child; False if nobody asks any more."""
        data, descriptors, _, _ = socket.recv_fds(self._requests, 1, DESCRIPTORS)
        if not data:
            return False
        for descriptor in descriptors:
            os.set_inheritable(descriptor, False)
        if len(descriptors) < DESCRIPTORS - 1:
            return True  # its sender ran out of descriptors, and hears of it
        control = socket.socket(fileno=descriptors[0])
        try:
            control.settimeout(_PATIENCE)
            (length,) = LENGTH.unpack(_received(control, LENGTH.size))
            # Only who started this process has the other end.
            asked = marshal.loads(_received(control, length))
            _send(control, STARTED)
            control.setblocking(False)
            helper = os.getpid()
            process = os.fork()
            if not process:
                self._become(helper, asked, control, descriptors[1:4], descriptors[4:])
        except OSError as error:
            _send(control, STATUS.pack(error.errno or errno.EIO, 0))
            control.close()
            return True
        finally:
            for descriptor in descriptors[1:]:
                os.close(descriptor)
        with contextlib.suppress(OSError):
            os.setpgid(process, process)
        seconds = asked["seconds"]
        deadline = None if seconds is None else time.monotonic() + seconds
        self._running[process] = _Running(process, control, deadline)
        poll.register(control, select.POLLIN | select.POLLHUP)
        return True

    def _become(
        self,
        helper: int,
        asked: dict[str, Any],
        control: socket.socket,
        standard: list[int],
        folder: list[int],
    ) -> None:
        """In the forked child: take the limits on, confine it, and become the program."""
        try:
            from filewright.system import kernel

            os.setpgid(0, 0)
            kernel.die_with(helper)
            signal.set_wakeup_fd(-1)
            for number in (signal.SIGCHLD, signal.SIGPIPE, signal.SIGINT, signal.SIGTERM):
                signal.signal(number, signal.SIG_DFL)
            limits = [("RLIMIT_CORE", 0), ("RLIMIT_DATA", asked["memory"])]
            if not asked["writes"]:
                limits.append(("RLIMIT_FSIZE", 0))
            for name, limit in limits:
                with contextlib.suppress(ValueError):  # a lower limit is set already: better still
                    resource.setrlimit(getattr(resource, name), (limit, limit))
            os.chdir(folder[0] if folder else "/")
            if self.confined:
                self._restrict(asked["reads"])
            for target, source in enumerate(standard):
                os.dup2(source, target)
            kept = control.fileno()
            os.closerange(3, kept)
            os.closerange(kept + 1, resource.getrlimit(resource.RLIMIT_NOFILE)[0])
            os.execve(asked["argv"][0], asked["argv"], asked["environment"])
        except OSError as error:
            _send(control, STATUS.pack(error.errno or errno.EIO, 0))
        finally:
            os._exit(127)


def main(arguments: list[str]) -> int:
    """Confine this process, say whether the kernel could, and serve."""
    requests = socket.socket(fileno=int(arguments[0]))
    helper = Helper(requests, marshal.loads(bytes.fromhex(arguments[1])))
    requests.send(STATUS.pack(0, helper.confined))
    helper.serve()
    return 0


def _received(control: socket.socket, length: int) -> bytes:
    data = bytearray()
    while len(data) < length:
        block = control.recv(length - len(data))
        if not block:
            raise ConnectionResetError(errno.ECONNRESET, os.strerror(errno.ECONNRESET))
        data += block
    return bytes(data)


def _send(control: socket.socket, data: bytes) -> None:
    with contextlib.suppress(OSError):
        control.send(data)  # who asked may be gone


def _kill(process: int) -> None:
    # The group: what the child started goes with it. It is not reaped yet, so the number is still its own.
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process, signal.SIGKILL)


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.exit(main(sys.argv[1:]))
