"""Ten times the work may take twelve times the time, and no more memory: rows of the real server.

    python -m benchmarks.growth [tree | replacements | line] …

`tree`          3,000 files in 500 folders, then 30,000 in 5,000: copied, moved folder by folder, deleted, and
                each brought back, by a server that may have 256 files open
`replacements`  10,000, then 100,000 replacements in one file: made, shown, undone
`line`          a file that is one line of 200 MB, then of 2 GB: searched, edited, undone

The first column of a row is the time of the large work, the second that of the small (the median of three);
an undo is also held against twice the time of its change, and memory beyond idle against 64 MB. A call that
fails has no time, and its row fails.
"""

from __future__ import annotations

import math
import os
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.large_log import Row, Server

GROWTH = 12
_MB = 1 << 20
_MEMORY = 64
_SECONDS = 900
_FILES_EACH = 6


class Megabytes(float):
    """A number of megabytes, not of seconds."""


@dataclass(frozen=True)
class Took:
    """What one call took: seconds (infinite if it failed), and megabytes held beyond idle."""

    seconds: float
    memory: float


Session = dict[str, Took]


class Caller:
    """Calls one server, and keeps what each call took."""

    def __init__(self, folder: Path, *, descriptors: int | None = None) -> None:
        self.root = folder / "root"
        self.root.mkdir(exist_ok=True)
        self._server = Server(
            self.root,
            folder / "state",
            descriptors=descriptors,
            call_seconds=_SECONDS,
            max_undo_bytes=16 << 30,
        )
        self.took: Session = {}
        # What a first call loads and makes is no part of how cost grows.
        (self.root / "warm.txt").write_text("one\n")
        self._server.call("search_content", pattern="one", path="warm.txt")
        self._server.call("edit_content", path="warm.txt", edits=[{"search": "one", "replace": "two"}])
        self._server.call("copy_items", items=[{"source": "warm.txt", "destination": "warm2.txt"}])
        self._server.call("delete_items", paths=["warm2.txt"])
        self._server.call("revert_edit", path="warm2.txt")
        self._server.call("get_history", path="warm.txt")
        self._server.call(
            "replace_content", pattern="two", replacement="three", path="warm.txt", preview=False
        )
        self._server.forget_peak()
        self._idle = self._server.peak()

    def call(self, what: str, tool: str, **arguments: object) -> str:
        """Call a tool and note what it took under `what`; its text, empty if it failed."""
        os.sync()
        self._server.forget_peak()
        try:
            seconds, text = self._server.call(tool, **arguments)
        except RuntimeError as error:
            print(f"{what}: {str(error)[:300]}", file=sys.stderr)
            seconds, text = math.inf, ""
        self.took[what] = Took(seconds, (self._server.peak() - self._idle) / _MB)
        return text

    def undo(self, what: str) -> None:
        """Take the newest change back."""
        self.call(what, "revert_edit", change_id=self.newest())

    def newest(self) -> str:
        """The newest change."""
        _, text = self._server.call("get_history", limit=1)
        return text.split()[0]

    def close(self) -> None:
        """End the server."""
        self._server.close()


def tree(folder: Path, folders: int) -> Session:
    """A tree of `folders` folders with six files each."""
    caller = Caller(folder, descriptors=256)
    for number in range(folders):
        below = caller.root / "tree" / f"{number // 100:02}" / f"{number:04}"
        below.mkdir(parents=True)
        for each in range(_FILES_EACH):
            (below / f"{each}.txt").write_bytes(b"file %d of folder %d\n" % (each, number))
    (caller.root / "moved").mkdir()
    names = [f"{number // 100:02}/{number:04}" for number in range(folders)]
    items = [{"source": f"tree/{name}", "destination": f"moved/{name[3:]}"} for name in names]
    try:
        before = _names(caller.root)
        whole = [{"source": "tree", "destination": "copy"}]
        for change, tool, arguments in (
            ("copy", "copy_items", {"items": whole}),
            ("move", "move_items", {"items": items}),
            ("delete", "delete_items", {"paths": ["tree"], "recursive": True}),
        ):
            if caller.call(change, tool, **arguments):
                caller.undo(f"undo of {change}")
            else:
                caller.took[f"undo of {change}"] = Took(math.inf, 0.0)
            if _names(caller.root) != before:
                caller.took[f"undo of {change}"] = Took(math.inf, 0.0)
                break
    finally:
        caller.close()
    return caller.took


def _names(root: Path) -> list[str]:
    return sorted(str(path) for path in root.rglob("*"))


def replacements(folder: Path, count: int) -> Session:
    """One file with `count` places to replace."""
    caller = Caller(folder)
    text = "".join(f"{number} here is a word, and more of the line\n" for number in range(count))
    (caller.root / "words.txt").write_text(text)
    try:
        caller.call(
            "replace",
            "replace_content",
            pattern="word",
            replacement="longer word",
            path="words.txt",
            preview=False,
        )
        caller.call("show", "get_history", change_id=caller.newest())
        caller.undo("undo of replace")
        if (caller.root / "words.txt").read_text() != text:
            caller.took["undo of replace"] = Took(math.inf, 0.0)
    finally:
        caller.close()
    return caller.took


def line(folder: Path, size: int) -> Session:
    """A file of one line of `size` bytes, with one word in its middle that is nowhere else."""
    caller = Caller(folder)
    block = b"0123456789 abcdefghij, " * (_MB // 23)
    with (caller.root / "line.txt").open("wb") as file:
        for _ in range(size // 2 // len(block)):
            file.write(block)
        file.write(b"needle here ")
        for _ in range(size // 2 // len(block)):
            file.write(block)
        file.write(b"\n")
    length = (caller.root / "line.txt").stat().st_size
    try:
        assert "needle" in (
            caller.call("search", "search_content", pattern="needle here", path="line.txt") or "needle"
        )
        if caller.call(
            "edit", "edit_content", path="line.txt", edits=[{"search": "needle here", "replace": "pin"}]
        ):
            caller.undo("undo of edit")
            assert (caller.root / "line.txt").stat().st_size == length
    finally:
        caller.close()
    return caller.took


@dataclass(frozen=True)
class Work:
    """A session that can be had in two sizes, the second ten times the first."""

    session: Callable[[Path, int], Session]
    small: int
    words: str


WORKS = {
    "tree": Work(tree, 500, "30,000 files in 5,000 folders, 256 descriptors"),
    "replacements": Work(replacements, 10_000, "100,000 replacements in one file"),
    "line": Work(line, 200 * _MB, "one line of 2 GB"),
}


def _run(work: Work, size: int) -> Session:
    with tempfile.TemporaryDirectory(prefix="filewright-growth-") as name:
        return work.session(Path(name), size)


def rows(*names: str) -> Iterator[Row]:
    """Growth of each call, each undo against its change, memory against 64 MB."""
    for name in names or WORKS:
        work = WORKS[name]
        smalls = [_run(work, work.small) for _ in range(3)]
        large = _run(work, 10 * work.small)
        for what, took in large.items():
            small = statistics.median(each[what].seconds if what in each else math.inf for each in smalls)
            yield f"{what}: {work.words}, against a tenth of it", took.seconds, small, GROWTH
            change = large.get(what.removeprefix("undo of "))
            if what.startswith("undo of ") and change is not None:
                yield f"{what}: {work.words}, against the change", took.seconds, change.seconds, 2
            yield f"{what}: {work.words}, MB beyond idle", Megabytes(took.memory), Megabytes(_MEMORY), 1


def main() -> None:
    """Print the rows."""
    for what, ours, reference, goal in rows(*sys.argv[1:]):
        passed = "" if ours <= goal * reference else "  MISSED"
        print(
            f"{what:<90} {ours:9.3f} {reference:9.3f} {ours / reference:7.2f} (goal {goal:g}){passed}",
            flush=True,
        )


if __name__ == "__main__":
    main()
