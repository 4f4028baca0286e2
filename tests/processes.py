"""Processes of filewright that need not import it anew.

Most of what a test with a server takes would be the start of its interpreter. So one process that has
imported filewright, the *fork server*, forks what is to run as `python -m filewright`, with `-c`, or as a script:
a process like any other, with its own number, environment, folder and standard streams, which reads its arguments,
ends and may be killed as if it had been started. Only the imports are those of the fork server: the tests that
are about the start, the modules loaded or the memory taken use `subprocess`. So does all of this on other
systems than Linux, and with FILEWRIGHT_TEST_START=anew.
"""

from __future__ import annotations

import atexit
import contextlib
import errno
import functools
import gc
import hashlib
import importlib
import json
import os
import pkgutil
import runpy
import select
import shlex
import signal
import socket
import subprocess
import sys
import sysconfig
import tempfile
import time
import types
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from mcp import StdioServerParameters

FILEWRIGHT = (sys.executable, "-m", "filewright")
_LATER = (
    "anyio._backends._asyncio", "chardet", "h11", "pygments.lexers.python", "rapidfuzz.distance", "rapidfuzz.fuzz",
    "rapidfuzz.process", "re2", "sqlite3", "stringzilla", "uvicorn.lifespan.on", "uvicorn.protocols.http.h11_impl",
)  # fmt: skip
"""What filewright loads of others when it is first used."""
_REQUEST_BYTES = 128 << 10
_READ_BY_PYTHON = ("PYTHON", "LC_", "LANG", "FILEWRIGHT_SYSTEM")
_LOCALE = ("LC_ALL", "LC_CTYPE", "LANG")
"""The first that is set decides about what Python sets at its start."""


def start(
    argv: Sequence[str],
    *,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    text: bool = False,
    heard: bool = True,
    user: int | None = None,
) -> subprocess.Popen[Any]:
    """A process with a pipe for each standard stream; unless it is `heard`, its standard error is that of the tests.

    It is one of another user, if root asks for that.
    """
    if not _forked(argv):
        pipe = subprocess.PIPE
        group = getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)
        noted = pipe if heard else None
        return subprocess.Popen(
            [*_as(user), *argv],
            stdin=pipe,
            stdout=pipe,
            stderr=noted,
            env=env,
            cwd=cwd,
            text=text,
            creationflags=group,
        )
    pipes = [os.pipe() for _ in range(3 if heard else 2)]
    theirs = (pipes[0][0], pipes[1][1], pipes[2][1] if heard else os.dup(2))
    process = _Forked(argv, env, cwd, theirs, user)
    for number in theirs:
        os.close(number)
    mode = "" if text else "b"
    process.stdin = os.fdopen(
        pipes[0][1], "w" + mode, buffering=-1 if text else 0
    )
    process.stdout = os.fdopen(pipes[1][0], "r" + mode)
    if heard:
        process.stderr = os.fdopen(pipes[2][0], "r" + mode)
    return cast("subprocess.Popen[Any]", process)


def start_with(
    argv: Sequence[str],
    streams: tuple[int, int, int],
    *,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
) -> subprocess.Popen[Any]:
    """A process whose standard streams are open files of the caller, such as those of a terminal."""
    if _forked(argv):
        return cast("subprocess.Popen[Any]", _Forked(argv, env, cwd, streams))
    source, said, noted = streams
    return subprocess.Popen(
        argv, stdin=source, stdout=said, stderr=noted, env=env, cwd=cwd
    )


def run(
    argv: Sequence[str],
    *,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    user: int | None = None,
    given: str = "",
    timeout: float = 120,
) -> subprocess.CompletedProcess[str]:
    """A process from its start to its end, and what it printed; as another user, if root asks for that."""
    if not _forked(argv):
        return subprocess.run(
            [*_as(user), *argv],
            env=env, cwd=cwd, input=given, timeout=timeout,
            capture_output=True, encoding="utf-8", errors="replace", check=False,
        )  # fmt: skip
    with (
        tempfile.TemporaryFile() as source,
        tempfile.TemporaryFile() as said,
        tempfile.TemporaryFile() as noted,
    ):
        source.write(given.encode())
        source.seek(0)
        process = _Forked(
            argv,
            env,
            cwd,
            (source.fileno(), said.fileno(), noted.fileno()),
            user,
        )
        try:
            status = process.wait(timeout)
        finally:
            process.kill()
        printed = []
        for file in (said, noted):
            file.seek(0)
            printed.append(file.read().decode(errors="replace"))
    return subprocess.CompletedProcess(argv, status, *printed)


_RELAY = """
import json, os, signal, socket, sys
asked = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
asked.connect("\\0" + sys.argv[1])
request = json.dumps([sys.argv[2:], dict(os.environ), os.getcwd()])
socket.send_fds(asked, [request.encode()], [0, 1, 2])
pid = int(asked.recv(64))
for number in (signal.SIGINT, signal.SIGTERM):
    signal.signal(number, lambda number, _: os.kill(pid, number))
for number in (0, 1, 2):
    os.close(number)
os._exit(int(asked.recv(64)) & 255)
"""


def for_client(
    argv: Sequence[str], env: Mapping[str, str] | None = None
) -> StdioServerParameters:
    """How a client of the SDK, which starts its server itself, starts one."""
    from mcp import StdioServerParameters

    words = _relayed(argv, env)
    return StdioServerParameters(
        command=words[0], args=words[1:], env={**(env or {})}
    )


def program(folder: Path, env: Mapping[str, str] | None = None) -> Path:
    """`filewright` in a folder of programs, for shells, and for clients that are told to start it."""
    script = folder / "filewright.py"
    words = _relayed([sys.executable, str(script)], env)
    if words[1] == str(script):
        return Path(sysconfig.get_path("scripts"), "filewright")
    script.write_text(
        "import sys\nfrom filewright.cli import main\nsys.argv[0] = sys.argv[0].removesuffix('.py')\nmain()\n"
    )
    made = folder / "filewright"
    made.write_text(f'#!/bin/sh\nexec {shlex.join(words)} "$@"\n')
    made.chmod(0o755)
    return made


def _relayed(argv: Sequence[str], env: Mapping[str, str] | None) -> list[str]:
    """What somebody else starts in place of a process: a relay, which asks for a fork."""
    if not _forked(argv):
        return [*argv]
    address = _server_for({**os.environ, **(env or {})})
    return [sys.executable, "-I", "-S", "-c", _RELAY, address[1:], *argv]


def _forked(argv: Sequence[str]) -> bool:
    """Whether a fork of the fork server can be the process asked for."""
    known = argv[0] == sys.executable and (
        argv[1] in ("-m", "-c") or argv[1].endswith(".py")
    )
    anew = (
        sys.platform != "linux"
        or os.environ.get("FILEWRIGHT_TEST_START") == "anew"
    )
    return known and not anew and sum(map(len, argv)) < _REQUEST_BYTES // 2


class _Forked:
    """What a test uses of `subprocess.Popen`, for a process that the fork server forked."""

    stdin: IO[Any] | None = None
    stdout: IO[Any] | None = None
    stderr: IO[Any] | None = None

    def __init__(
        self,
        argv: Sequence[str],
        env: Mapping[str, str] | None,
        cwd: Path | None,
        streams: tuple[int, int, int],
        user: int | None = None,
    ) -> None:
        environment = {**(os.environ if env is None else env)}
        request = json.dumps(
            [list(argv), environment, os.fspath(cwd or os.getcwd())]
        )
        self._asked = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._asked.connect(_server_for(environment, user))
        socket.send_fds(self._asked, [request.encode()], streams)
        self.args, self.returncode = argv, cast("int | None", None)
        self.pid = int(self._asked.recv(64))

    def poll(self) -> int | None:
        if (
            self.returncode is None
            and select.select([self._asked], [], [], 0)[0]
        ):
            return self.wait()
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        if self.returncode is None:
            if not select.select([self._asked], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired(self.args, timeout or 0)
            self.returncode = int(self._asked.recv(64))
            self._asked.close()
        return self.returncode

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


def _as(user: int | None) -> list[str]:
    return (
        [
            "setpriv",
            f"--reuid={user}",
            f"--regid={user}",
            "--clear-groups",
            "--",
        ]
        if user
        else []
    )


def _server_for(environment: Mapping[str, str], user: int | None = None) -> str:
    """Where the fork server listens whose interpreter began as that user, with what `environment` says to it."""
    read = {
        name: value
        for name, value in environment.items()
        if name.startswith(_READ_BY_PYTHON)
        and not name.startswith(("LC_", "LANG"))
    }
    locales = filter(None, map(environment.get, _LOCALE))
    read["LC_ALL"] = next(locales, "")
    return _fork_server(tuple(sorted(read.items())), user)


@functools.cache
def _fork_server(
    variables: tuple[tuple[str, str], ...], user: int | None
) -> str:
    """Return the address of the fork server of this kind, which all workers of a run share."""
    run = os.environ.get("PYTEST_XDIST_TESTRUNUID") or str(os.getpid())
    kind = hashlib.sha256(repr((variables, user)).encode()).hexdigest()
    address = f"\0filewright-tests-{run}-{kind[:16]}"
    for _ in range(9):
        _start_unless_there(address, variables, user)
        lease = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        # One that is about to end answers nobody: then there is another.
        with contextlib.suppress(ConnectionError):
            lease.connect(address)
            lease.send(_LEASE)
            if lease.recv(64):
                atexit.register(lease.close)
                return address
        lease.close()
        time.sleep(0.05)
    raise RuntimeError("the fork server does not start")


def _start_unless_there(
    address: str, variables: tuple[tuple[str, str], ...], user: int | None
) -> None:
    others = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(_READ_BY_PYTHON)
    }
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
        try:
            listener.bind(address)
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise
            return
        listener.listen(64)
        server = subprocess.Popen(
            [*_as(user), sys.executable, __file__, str(listener.fileno())],
            env={**others, **dict(variables)},
            pass_fds=[listener.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )
    _started.append(server)


_LEASE = b"lease"
"""Asks for no process, but that the fork server lives as long as the connection."""
_started: list[subprocess.Popen[bytes]] = []


def _take_requests(listener: socket.socket) -> None:
    """The fork server: returns in each process that it forks, as which it is to run."""
    del sys.path[0]  # the folder of this file
    for name in (*_modules(), *_LATER):
        importlib.import_module(name)
    _read_templates()
    gc.collect()
    gc.freeze()  # else each process would go through, and so copy, all of these objects
    interrupted = signal.signal(signal.SIGINT, signal.SIG_IGN)
    running: dict[
        int, tuple[int, socket.socket]
    ] = {}  # by a descriptor of each process: its number, who asked for it
    leases: set[socket.socket] = set()
    while True:
        ready = select.select([listener, *leases, *running], [], [])[0]
        for ended in running.keys() & {*ready}:
            _tell_end(ended, *running.pop(ended))
        for lease in leases & {*ready}:
            leases.remove(lease)
            lease.close()
            if not leases:
                listener.close()
                while running:
                    descriptor, process = running.popitem()
                    _tell_end(descriptor, *process)
                sys.exit()
        if listener not in ready:
            continue
        asking, _ = listener.accept()
        data, streams, _, _ = socket.recv_fds(asking, _REQUEST_BYTES, 3)
        if data == _LEASE:
            asking.send(_LEASE)
            leases.add(asking)
            continue
        if (pid := os.fork()) == 0:
            break
        for number in streams:
            os.close(number)
        running[os.pidfd_open(pid)] = pid, asking
        with contextlib.suppress(BrokenPipeError):  # nobody waits
            asking.send(b"%d" % pid)
    signal.signal(signal.SIGINT, interrupted)
    for number, (_, other) in running.items():
        os.close(number)
        other.close()
    for lease in leases:
        lease.close()
    listener.close()
    asking.close()
    argv, environment, folder = json.loads(data)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    _become(argv)


def _modules() -> Iterator[str]:
    """The modules of filewright, but for those of one system, of which each takes its own."""
    for module in pkgutil.walk_packages(
        importlib.import_module("filewright").__path__, "filewright."
    ):
        # Adapters import packages that need not be installed.
        if not module.name.startswith(
            ("filewright.system.", "filewright.adapters.")
        ) and not module.name.endswith("__main__"):
            yield module.name


def _read_templates() -> None:
    """Those of the review page, which each process would translate anew."""
    templates = importlib.import_module("filewright.page.render").environment()
    for name in templates.list_templates():
        templates.get_template(name)


def _tell_end(descriptor: int, pid: int, asking: socket.socket) -> None:
    """Wait for the end of a process, and tell who asked for it how it ended."""
    _, status = os.waitpid(pid, 0)
    with contextlib.suppress(BrokenPipeError):  # nobody waits
        asking.send(b"%d" % os.waitstatus_to_exitcode(status))
    asking.close()
    os.close(descriptor)


def _become(argv: list[str]) -> None:
    """Run as `argv`, to the end of the process."""
    status = None
    try:
        _run_as(argv)
        status = 0
    except SystemExit as error:
        status = error.code or 0
        raise
    finally:
        if isinstance(status, int):
            _statuses.append(status)


def _run_as(argv: list[str]) -> None:
    if argv[1] == "-m":
        sys.argv = argv[2:]
        sys.path.insert(0, os.getcwd())
        runpy.run_module(argv[2], run_name="__main__", alter_sys=True)
    elif argv[1] == "-c":
        sys.argv = ["-c", *argv[3:]]
        sys.path.insert(0, "")
        sys.modules["__main__"] = main = types.ModuleType("__main__")
        exec(compile(argv[2], "<string>", "exec"), vars(main))
    else:
        sys.argv = argv[1:]
        sys.path.insert(0, os.path.dirname(argv[1]))
        runpy.run_path(argv[1], run_name="__main__")


_statuses: list[int] = []
"""How a forked process is about to end, once that is known."""


def _end_at_once() -> None:
    """End after all that is done at the end: to let go of what was imported, the interpreter would copy all of it."""
    with contextlib.suppress(
        OSError, ValueError
    ):  # of streams, which the interpreter then tells of
        for status in _statuses:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(status)


if __name__ == "__main__":
    atexit.register(_end_at_once)  # the first is the last to be called
    _take_requests(socket.socket(fileno=int(sys.argv[1])))
