"""The program of `confined`'s helper: confines itself to the roots, then starts what it is told to.

Run as `python -I -S confined_main.py SOCKET ROOTS PROGRAMS`, where SOCKET is an inherited
descriptor, ROOTS is a comma-separated list of inherited descriptors, and PROGRAMS a JSON list of
paths. It has one thread, imports nothing but the standard library and two modules of this
package, and its children share its domain: reading below the roots, running the programs named,
nothing else, no TCP.

One packet with six descriptors asks for one child: the request (JSON: argv, environment), the
child's control socket, its working folder, its standard input, output and error. When the child
ends, its status is sent to the control socket; when the control socket is closed or says `k`, the
child is killed.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import select
import signal
import socket
import struct
import sys
import types

REQUEST_DESCRIPTORS = 6
STATUS = struct.Struct("=ii")  # (0, exit status as subprocess has it) or (errno, 0)


def load_landlock() -> types.ModuleType:
    """`filewright.system.landlock` without the packages above it, which import far more."""
    above = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    for name, folder in (("filewright", above), ("filewright.system", os.path.join(above, "system"))):
        package = types.ModuleType(name)
        package.__path__ = [folder]
        sys.modules[name] = package
    from filewright.system import landlock

    return landlock


def main(arguments: list[str]) -> int:
    """Confine this process, say so, and serve until the other end of the socket is closed."""
    requests = socket.socket(fileno=int(arguments[0]))
    roots = [int(number) for number in arguments[1].split(",") if number]
    programs: list[str] = json.loads(arguments[2])
    landlock = load_landlock()
    libraries = ("/lib", "/lib32", "/lib64", "/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/libexec")
    try:
        landlock.restrict(
            [
                (landlock.READ, roots),
                (landlock.RUN, programs),
                (landlock.RUN, libraries),
                (landlock.READ_FILE, ("/etc/ld.so.cache", "/dev/urandom", "/proc/self")),
                (landlock.READ_FILE | landlock.WRITE_FILE, ("/dev/null",)),
            ],
            network=False,
        )
    except OSError as error:
        requests.send(STATUS.pack(error.errno or errno.EIO, 0))
        return 1
    for root in roots:
        os.close(root)
    requests.send(STATUS.pack(0, 0))
    _serve(requests)
    return 0


def _serve(requests: socket.socket) -> None:
    poll = select.poll()
    poll.register(requests, select.POLLIN)
    by_process: dict[int, tuple[int, socket.socket]] = {}
    by_control: dict[int, int] = {}
    while True:
        for descriptor, _ in poll.poll():
            if descriptor == requests.fileno():
                started = _accept(requests)
                if started is None:
                    for process, _control in by_process.values():
                        _kill(process)
                    return
                process, control = started
                if process < 0:
                    continue
                watch = os.pidfd_open(process)
                by_process[watch] = (process, control)
                by_control[control.fileno()] = watch
                poll.register(watch, select.POLLIN)
                poll.register(control, select.POLLIN | select.POLLHUP)
            elif descriptor in by_process:
                process, control = by_process.pop(descriptor)
                poll.unregister(descriptor)
                os.close(descriptor)
                _, status = os.waitpid(process, 0)
                if by_control.pop(control.fileno(), None) is not None:
                    poll.unregister(control)
                with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                    control.send(STATUS.pack(0, os.waitstatus_to_exitcode(status)))
                control.close()
            elif descriptor in by_control:
                process, control = by_process[by_control.pop(descriptor)]
                poll.unregister(descriptor)
                with contextlib.suppress(ConnectionResetError):
                    control.recv(16)  # Unread, it would turn the status sent later into a reset.
                _kill(process)


def _kill(process: int) -> None:
    # The group: what the child started goes with it. It is not reaped yet, so the number is still its own.
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process, signal.SIGKILL)


def _accept(requests: socket.socket) -> tuple[int, socket.socket] | None:
    """Start one child: its process number (negative if it could not be started) and control socket."""
    _, descriptors, _, _ = socket.recv_fds(requests, 16, REQUEST_DESCRIPTORS)
    if not descriptors:
        return None
    request, control_descriptor, folder, *standard = descriptors
    control = socket.socket(fileno=control_descriptor)
    process = -1
    try:
        with open(request, "rb") as file:
            asked = json.load(file)
        os.fchdir(folder)
        process = os.posix_spawn(
            asked["argv"][0],
            asked["argv"],
            asked["environment"],
            file_actions=[(os.POSIX_SPAWN_DUP2, source, target) for target, source in enumerate(standard)],
            setpgroup=0,
            setsigdef=[signal.SIGPIPE, signal.SIGINT, signal.SIGTERM],
        )
    except OSError as error:
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            control.send(STATUS.pack(error.errno or errno.EIO, 0))
        control.close()
    finally:
        for descriptor in (folder, *standard):
            os.close(descriptor)
    return process, control


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.exit(main(sys.argv[1:]))
