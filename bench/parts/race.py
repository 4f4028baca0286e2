"""Another process that saves while a tool edits.

It appends a line, or changes one in place, at a moment that is spread over the
time that the tool's edit takes. Its save must be in the file afterwards: with
the edit (landed), or without it if the tool notices (refused).
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

from bench.case import Outcome, Verdict, kind_of
from bench.parts.edits_of_lines import (
    edit_file,
    make_content,
    make_file,
    request_for,
)
from bench.parts.part import Options, Part, Run, is_served, new_place
from bench.stdio import Answer, Server
from bench.tools.tool import AnyTool, Tool

_ROUNDS = 40
_QUICK_ROUNDS = 4
APPENDED = "a line of another process\n"
_FIRST, _SAVED = "line 0 of", "SAVED0 of"
"""A text at the beginning, and one of the same length in its place."""

_SAVER = """
import os, sys, time
path, kind, delay = sys.argv[1:]
sys.stdout.write("ready\\n"); sys.stdout.flush()
sys.stdin.readline()
time.sleep(float(delay))
if kind == "append":
    file = os.open(path, os.O_WRONLY | os.O_APPEND)
    os.write(file, b"a line of another process\\n")
else:
    file = os.open(path, os.O_WRONLY)
    os.pwrite(file, b"SAVED0 of", 0)
"""


def play_part(tool: AnyTool, options: Options) -> Run:
    """Edit while another process saves. Raises `NotInstalledError`."""
    assert isinstance(tool, Tool)
    rounds = _QUICK_ROUNDS if options.is_quick else _ROUNDS
    outcomes = []
    with new_place(options, tool) as place:
        command = tool.start(options.cache, place)
        with Server(command) as server:
            seconds = _usual_seconds(server, tool, place.root)
            for number in range(rounds):
                if options.only and number not in options.only:
                    continue
                folder = place.root / f"case{number:04}"
                folder.mkdir()
                path = make_file("file.txt").write(folder)
                kind = ("append", "in place")[number % 2]
                delay = seconds * 1.1 * number / rounds
                answer = _race(server, tool, path, kind, delay)
                outcomes.append(_judge(tool, number, path, kind, answer))
            peak = server.peak_bytes()
    return Run(outcomes, peak)


def _usual_seconds(server: Server, tool: Tool, root: Path) -> float:
    """Return the time of an edit that nothing disturbs."""
    seconds = []
    folder = root / "warm"
    folder.mkdir()
    for number in range(4):
        path = make_file(f"{number}.txt").write(folder)
        seconds.append(edit_file(server, tool, path).seconds)
    return statistics.median(seconds[1:])


def _race(
    server: Server, tool: Tool, path: Path, kind: str, delay: float
) -> Answer:
    """Start an edit and the save at once, the save with a delay."""
    words = [sys.executable, "-I", "-c", _SAVER]
    with subprocess.Popen(
        [*words, str(path), kind, str(delay)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": ""},
    ) as saver:
        assert saver.stdin is not None
        assert saver.stdout is not None
        saver.stdout.readline()
        saver.stdin.write(b"go\n")
        saver.stdin.flush()
        answer = edit_file(server, tool, path)
        saver.wait()
    # A tool may look again for a moment after its answer.
    time.sleep(0.05)
    return answer


def _judge(
    tool: Tool, number: int, path: Path, kind: str, answer: Answer
) -> Outcome:
    """Judge the file after a race."""
    after = path.read_bytes() if path.exists() else b""
    verdict = Verdict.LOST
    for is_edited in (True, False):
        if after == saved_content(kind, is_edited=is_edited):
            verdict = Verdict.LANDED if is_edited else Verdict.REFUSED
    return Outcome(
        tool=tool.name,
        part="race",
        number=number,
        case=kind,
        kind=kind_of(request_for(tool)),
        verdict=verdict,
        is_right=verdict is not Verdict.LOST,
        detail="" if verdict is not Verdict.LOST else "the save is gone",
        answer=answer.text[:300],
        seconds=answer.seconds,
        has_failed=answer.is_error,
    )


def saved_content(kind: str, *, is_edited: bool) -> bytes:
    """Return the content with the other process's save."""
    if kind == "append":
        return make_content(APPENDED, is_edited=is_edited)
    content = make_content("", is_edited=is_edited)
    return content.replace(_FIRST.encode(), _SAVED.encode(), 1)


PART = Part(
    "race",
    "Another process saves while the tool edits",
    play_part,
    is_served,
)
