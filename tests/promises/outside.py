"""What the promises are driven with: nothing but the library's face, the command line, the server.

Not a test module. Programs that must run beside a change, under a limit or as another user are real
processes: their source is text, and what they say and hear goes over pipes.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pydantic
import pytest
from tests import processes

import filewright
from filewright.changes.model import format_change_id

NOBODY = 65534
MB = 1 << 20


@contextlib.contextmanager
def folder() -> Iterator[Path]:
    """A temporary folder anybody may enter: in memory where the system has such."""
    memory = Path(os.environ.get("FILEWRIGHT_TEST_DIR", "/dev/shm"))
    where = memory if memory.is_dir() and os.access(memory, os.W_OK) else None
    made = Path(tempfile.mkdtemp(prefix="filewright-", dir=where))
    made.chmod(0o755)
    try:
        (made / "work").mkdir()
        yield made
    finally:
        shutil.rmtree(made, ignore_errors=True)


def entries(root: Path) -> list[str]:
    """Every path below a folder."""
    return sorted(os.path.relpath(path, root) for path in root.rglob("*"))


def contents(root: Path) -> dict[str, bytes]:
    """Every file below a folder, by its path."""
    return {
        str(p.relative_to(root)): p.read_bytes()
        for p in sorted(root.rglob("*"))
        if p.is_file()
    }


def unasked(root: Path) -> list[str]:
    """Names below a folder that filewright made for its own use."""
    return [name for name in entries(root) if "~" in os.path.basename(name)]


def lengthen_history(state: Path, times: int) -> str:
    """Put all operations on record so many times more before themselves; the id of the oldest then.

    They must begin as they end.
    """
    (path,) = state.rglob("state.db")
    with contextlib.closing(sqlite3.connect(path)) as database, database:
        first, last = database.execute(
            "SELECT min(number), max(number) FROM operations"
        ).fetchone()
        for back in range(
            last - first + 1, (times + 1) * (last - first + 1), last - first + 1
        ):
            for table, number in (
                ("operations", "number"),
                ("file_changes", "operation"),
            ):
                names = [
                    row[1]
                    for row in database.execute(f"PRAGMA table_info({table})")
                ]
                values = ", ".join(
                    f"{name} - {back}" if name == number else name
                    for name in names
                )
                copied = (
                    f"SELECT {values} FROM {table} WHERE {number} >= {first}"
                )
                database.execute(f"INSERT INTO {table} {copied}")
    return format_change_id(first - times * (last - first + 1))


# Other users


def _as(user: int | None) -> list[str]:
    if user is None:
        return []
    return [
        "setpriv",
        f"--reuid={user}",
        f"--regid={user}",
        "--clear-groups",
        "--",
    ]


@functools.cache
def _others() -> bool:
    """Whether this is root's process, and another user can run this Python with filewright."""
    if os.geteuid() != 0 or shutil.which("setpriv") is None:
        return False
    # To import filewright as another user would take each worker half a second.
    program = "import sys\nfor path in sys.argv[1:]: open(path).close()"
    words = [sys.executable, "-I", "-S", "-c", program]
    tried = subprocess.run(
        [*_as(NOBODY), *words, filewright.__file__, pydantic.__file__],
        capture_output=True,
        check=False,
    )
    return tried.returncode == 0


needs_others = pytest.mark.skipif(
    not _others(),
    reason="needs root, setpriv, and a Python that others can run",
)


@functools.cache
def _tracing() -> bool:
    if shutil.which("strace") is None:
        return False
    tried = ["strace", "-f", "-qq", "-e", "trace=none", "true"]
    return (
        subprocess.run(tried, capture_output=True, check=False).returncode == 0
    )


needs_tracing = pytest.mark.skipif(not _tracing(), reason="needs strace")


MAY_BE_TRACED = """
import ctypes
ctypes.CDLL(None).prctl(0x59616D61, ctypes.c_long(-1), 0, 0, 0)  # where only a parent may trace, anybody now may
"""


def delayed(call: str, milliseconds: int) -> list[str]:
    """How a program is traced so that it is held before each system call of a name."""
    at = f"inject={call}:delay_enter={milliseconds * 1000}"
    return ["-o", os.devnull, "-e", f"trace={call}", "-e", at]


# Programs beside us

_PRELUDE = """
import errno, json, os, resource, signal, sys, time
from filewright import Code, FilewrightError, Settings, Workspace
def say(value): print(json.dumps(value), flush=True)
def hear(): return json.loads(sys.stdin.readline())
given = hear()
"""


class Beside:
    """A Python program in a process of its own; `given` is what it finds under that name.

    It may `say` a value, which `hear` returns here, and `hear` one that is said with `say`. `anew`: with nothing
    imported before, and so no memory taken.
    """

    def __init__(
        self,
        program: str,
        given: Mapping[str, Any],
        *,
        files: int | None = None,
        user: int | None = None,
        under: Sequence[str] = (),
        anew: bool = False,
    ) -> None:
        self._tracer: subprocess.Popen[str] | None = None
        limit = f"import resource; resource.setrlimit(resource.RLIMIT_NOFILE, ({files}, {files}))\n"
        words = [
            sys.executable,
            "-c",
            (limit if files else "") + _PRELUDE + program,
        ]
        if under or anew:
            self._process = subprocess.Popen(
                [*_as(user), *under, *words],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
        else:
            self._process = processes.start(
                words, text=True, heard=False, user=user
            )
        self.say(given)  # by the pipe: an argument may have no more than 128 KB

    def __enter__(self) -> Beside:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        if self._tracer is not None:
            self._tracer.communicate()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with contextlib.suppress(BrokenPipeError):
                    pipe.close()

    @property
    def pid(self) -> int:
        return self._process.pid

    def say(self, value: Any) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(value, default=os.fspath) + "\n")
        self._process.stdin.flush()

    def hear(self) -> Any:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line, (
            f"the program ended with {self._process.wait()} and said nothing"
        )
        return json.loads(line)

    def kill(self) -> int:
        """Kill it at once, and wait until it is gone."""
        self._process.kill()
        return self._process.wait()

    def ended(self) -> int:
        """Wait for its end."""
        return self._process.wait()

    def trace(self, *options: str) -> None:
        """Run it under strace from now on; it began with `MAY_BE_TRACED`.

        Started under it, Python would take many times as long as what is traced.
        """
        words = ["strace", "-f", "-p", str(self.pid), *options]
        self._tracer = subprocess.Popen(
            words, stderr=subprocess.PIPE, text=True
        )
        assert self._tracer.stderr is not None
        said = self._tracer.stderr.readline()
        assert "attached" in said, said

    def signal(self, number: signal.Signals) -> None:
        os.kill(self.pid, number)

    @property
    def running(self) -> bool:
        return self._process.poll() is None


def run(program: str, **given: Any) -> Any:
    """Run a program to its end, and return what it said."""
    limits = {
        name: given.pop(name)
        for name in ("files", "user", "under", "anew")
        if name in given
    }
    with Beside(program, given, **limits) as child:
        value = child.hear()
        assert child.ended() == 0
    return value


def command(
    place: Path, *words: str, user: int | None = None
) -> subprocess.CompletedProcess[str]:
    """The command line, on the workspace of a place."""
    return processes.run(
        [*processes.FILEWRIGHT, *words, "--root", str(place / "work")],
        env={
            **os.environ,
            "FILEWRIGHT_STATE_DIR": str(place / "state"),
            "HOME": str(place),
        },
        user=user,
    )
