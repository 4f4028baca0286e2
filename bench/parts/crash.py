"""A tool that is killed at each file system call of one edit.

`strace` kills the tool as it enters its Nth call of those that change files,
for N from 1 on until the edit ends unharmed, so each kill is after one call and
before the next. A torn write is had by a limit on the size of files: the write
that crosses it is cut short. Then the tool is started again, as its user would,
and edits another file. The file must be as before the edit or as after it.
"""

from __future__ import annotations

import contextlib
import os
import resource
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.case import Outcome, Verdict, kind_of
from bench.parts.edits_of_lines import (
    edit_file,
    make_content,
    make_file,
    request_for,
)
from bench.parts.part import (
    Options,
    Part,
    PartError,
    Run,
    is_served,
    new_place,
)
from bench.stdio import Command, Server, ServerGoneError
from bench.tools.tool import AnyTool, Place, Tool

CALLS = (
    "write,pwrite64,writev,open,openat,creat,rename,renameat,renameat2,"
    "unlink,unlinkat,link,linkat,symlinkat,truncate,ftruncate,fallocate,"
    "copy_file_range,sendfile,fsync,fdatasync,chmod,fchmod,fchmodat"
)
_MOST_KILLS = 80
_QUICK_KILLS = (1, 3, 6)
_TORN = (0.25, 0.5, 0.9)
"""The shares of the file after which a write is cut short."""


def play_part(tool: AnyTool, options: Options) -> Run:
    """Kill a tool in every place. Raises `NotInstalledError`, `PartError`."""
    assert isinstance(tool, Tool)
    if shutil.which("strace") is None:
        raise PartError("there is no strace")
    outcomes = []
    with new_place(options, tool) as place:
        command = tool.start(options.cache, place)
        kills = _QUICK_KILLS if options.is_quick else range(1, _MOST_KILLS)
        for number in kills:
            if options.only and number not in options.only:
                continue
            outcome, has_ended = kill_at(tool, command, place, number)
            if has_ended:
                break
            outcomes.append(outcome)
        for index, share in enumerate(_TORN):
            number = 1000 + index
            if not options.only or number in options.only:
                outcomes.append(tear(tool, command, place, number, share))
    return Run(outcomes)


def kill_at(
    tool: Tool, command: Command, place: Place, number: int
) -> tuple[Outcome, bool]:
    """Kill a tool at its Nth call; tell whether the edit ended before that."""
    path = _new_file(place, number)
    with _started(tool, command, place) as server, _killer(server, number):
        answer = edit_file(server, tool, path)
        has_ended = server.process.poll() is None and not answer.is_error
    return _judge(tool, command, place, path, f"call {number}"), has_ended


def tear(
    tool: Tool, command: Command, place: Place, number: int, share: float
) -> Outcome:
    """Cut a tool's writes short at a share of the file, and kill it then."""
    path = _new_file(place, number)
    limit = int(path.stat().st_size * share)
    with _started(tool, command, place) as server:
        limits = (limit, resource.RLIM_INFINITY)
        resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, limits)
        edit_file(server, tool, path)
        server.process.kill()
    return _judge(tool, command, place, path, f"torn after {share:.0%}")


def _new_file(place: Place, number: int) -> Path:
    folder = place.root / f"case{number:04}"
    folder.mkdir()
    return make_file("file.txt").write(folder)


@contextmanager
def _started(tool: Tool, command: Command, place: Place) -> Iterator[Server]:
    """Start a tool and have it edit once, so that all is loaded."""
    with Server(command, patience=30) as server:
        folder = place.root / "warm"
        folder.mkdir(exist_ok=True)
        edit_file(server, tool, make_file("file.txt").write(folder))
        yield server


@contextmanager
def _killer(server: Server, number: int) -> Iterator[None]:
    """Have `strace` kill a server at its Nth call."""
    inject = f"inject={CALLS}:signal=SIGKILL:when={number}"
    process = str(server.process.pid)
    tracer = subprocess.Popen(
        ["strace", "-f", "-o", os.devnull, "-e", inject, "-p", process],
        stdin=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        _wait_until_traced(server.process.pid)
        yield
    finally:
        tracer.terminate()
        try:
            tracer.wait(1)
        except subprocess.TimeoutExpired:
            tracer.kill()
            tracer.wait()


def _wait_until_traced(process: int) -> None:
    """Wait until all threads of a process are traced. Raises `PartError`."""
    for _ in range(500):
        threads = list(Path(f"/proc/{process}/task").iterdir())
        states = [(thread / "status").read_text() for thread in threads]
        if not any("\nTracerPid:\t0\n" in state for state in states):
            return
        time.sleep(0.01)
    raise PartError("strace may not trace another process here")


def _judge(
    tool: Tool, command: Command, place: Place, path: Path, name: str
) -> Outcome:
    """Start the tool again, and judge the file."""
    # Only a tool that is killed here may be gone here.
    with contextlib.suppress(ServerGoneError), _started(tool, command, place):
        pass
    content = path.read_bytes() if path.exists() else b""
    verdict = Verdict.LOST
    if content == make_content(""):
        verdict = Verdict.REFUSED
    elif content == make_content("", is_edited=True):
        verdict = Verdict.LANDED
    others = sorted(entry.name for entry in path.parent.iterdir())
    if path.name in others:
        others.remove(path.name)
    left = f", left behind: {', '.join(others)}" if others else ""
    return Outcome(
        tool=tool.name,
        part="crash",
        number=int(path.parent.name.removeprefix("case")),
        case=name,
        kind=kind_of(request_for(tool)),
        verdict=verdict,
        is_right=verdict is not Verdict.LOST,
        detail=f"{len(content)} bytes{left}",
        result=content[:200],
    )


PART = Part(
    "crash",
    "Killed at every file system call of one edit",
    play_part,
    is_served,
)
