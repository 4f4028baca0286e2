"""The same work on a large log and a large tree: time, answers and memory.

Each piece of work begins with the disk at rest, and its answer is looked at: the
last lines one by one, the rest by what it has to hold. What a tool has no word
for is left out. The searched line and the edited one are in the middle.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from benchmarks.large_log import RARE, make_log
from benchmarks.searching import make_tree

from bench.case import Replace
from bench.parts.part import Options, Part, Run, new_place
from bench.stdio import Answer, Server, ServerGoneError
from bench.tools.tool import AnyTool, Call, Calls, Look, Tool, play

NEW = "ERROR checksum mismatch (repaired)"
_LINES = 1000
_NEEDLE = "needle_rare is here"
_NAME = "**/mod07/file07.py"
_PATIENCE = 300.0
_QUICK_FILES = 1_000
_FILES = 50_000


class NoAnswerError(Exception):
    """An answer that is an error."""


@dataclass(frozen=True, slots=True)
class Scene:
    """The files of a tool, and what is in them."""

    log: Path
    tree: Path
    tree_files: int
    rare_files: int


Work = Callable[[Server, Tool, Scene], bool | None]
"""A piece of work: whether its answer was right, or None without words for it."""


def play_part(megabytes: int, tool: AnyTool, options: Options) -> Run:
    """Do all work on a log of a size. Raises `NotInstalledError`."""
    assert isinstance(tool, Tool)
    count = _QUICK_FILES if options.is_quick else _FILES
    with new_place(options, tool) as place:
        command = tool.start(options.cache, place)
        # The log is in a folder of its own: some search it by its folder.
        log, tree = place.root / "log" / "big.log", place.root / "tree"
        log.parent.mkdir()
        tree.mkdir()
        make_log(log, megabytes << 20)
        scene = Scene(log, tree, count, make_tree(str(tree), count))
        measures = {}
        peak = 0
        with Server(command, patience=_PATIENCE) as server:
            for name, work in WORKS.items():
                text = measure(server, tool, scene, work)
                if text:
                    measures[name.format(files=count)] = text
            peak = server.peak_bytes()
    return Run((), peak, measures)


def measure(server: Server, tool: Tool, scene: Scene, work: Work) -> str:
    """Return the seconds of a piece of work, and what was wrong with it."""
    os.sync()
    started = time.perf_counter()
    try:
        is_right = work(server, tool, scene)
    except (ServerGoneError, NoAnswerError, ValueError, IndexError) as error:
        seconds = time.perf_counter() - started
        if seconds >= _PATIENCE:
            return f"none in {seconds:.0f} s"
        return f"failed ({type(error).__name__.removesuffix('Error')})"
    seconds = time.perf_counter() - started
    if is_right is None:
        return ""
    return f"{seconds:.2f} s" + ("" if is_right else " (wrong)")


def look(server: Server, calls: Look) -> str:
    """Make the calls of a look and return its whole answer."""
    call: Call = next(calls)
    while True:
        answer = server.call(call.tool, call.arguments)
        if answer.is_error:
            raise NoAnswerError(answer.text)
        try:
            call = calls.send(answer)
        except StopIteration as end:
            return str(end.value)


def overview(server: Server, tool: Tool, scene: Scene) -> bool | None:
    """Look at the whole of the log."""
    if tool.overview is None:
        return None
    return "line" in look(server, tool.overview(str(scene.log), ""))


def search(server: Server, tool: Tool, scene: Scene) -> bool | None:
    """Search the rare line."""
    if tool.search is None:
        return None
    return RARE in look(server, tool.search(str(scene.log), RARE))


def tail(server: Server, tool: Tool, scene: Scene) -> bool | None:
    """Read the last lines."""
    if tool.tail is None:
        return None
    answer = look(server, tool.tail(str(scene.log), str(_LINES)))
    with scene.log.open("rb") as file:
        file.seek(max(0, scene.log.stat().st_size - (1 << 20)))
        lines = file.read().decode().splitlines()[-_LINES:]
    return answer.splitlines()[-_LINES:] == lines


def edit(server: Server, tool: Tool, scene: Scene) -> bool | None:
    """Edit the rare line."""
    if tool.replace is None:
        return None
    calls: Calls = tool.replace(str(scene.log), Replace(RARE, NEW))
    answer: Answer = play(server, calls)
    if answer.is_error:
        raise NoAnswerError(answer.text)
    size = scene.log.stat().st_size
    with scene.log.open("rb") as file:
        file.seek(max(0, size // 2 - (4 << 20)))
        return NEW.encode() in file.read(8 << 20)


def names(server: Server, tool: Tool, scene: Scene) -> bool | None:
    """Find the files of a name in the tree."""
    if tool.names is None:
        return None
    answer = look(server, tool.names(str(scene.tree), _NAME))
    # A folder of fifty files, in every twentieth of which is the name.
    return answer.count("file07.py") >= scene.tree_files // 1_000


def text(server: Server, tool: Tool, scene: Scene) -> bool | None:
    """Find a text in the tree."""
    if tool.text is None:
        return None
    answer = look(server, tool.text(str(scene.tree), _NEEDLE))
    # Some show a line that several files have once, behind the names of them all.
    packages = set(re.findall(r"pkg\d\d", answer))
    return _NEEDLE in answer and len(packages) >= scene.rare_files


WORKS: dict[str, Work] = {
    "overview": overview,
    "search a rare line": search,
    "tail 1,000 lines": tail,
    "edit one line": edit,
    "names in a tree of {files:,} files": names,
    "text in a tree of {files:,} files": text,
}


def part(megabytes: int) -> Part:
    """Return the part of a size."""
    size = f"{megabytes} MB"
    if megabytes and megabytes % 1024 == 0:
        size = f"{megabytes // 1024} GB"

    def can(tool: AnyTool) -> bool:
        return isinstance(tool, Tool) and tool.tail is not None

    title = "Work on a large log and a large tree"
    return Part(f"size {size}", title, partial(play_part, megabytes), can)
