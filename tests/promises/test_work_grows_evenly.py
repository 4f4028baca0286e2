"""Work is linear in its input: four times as much takes about four times the calls, not sixteen.

Nothing is timed: the calls of functions, Python's and C's, are counted in a process of their own.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.promises import outside

COUNTED = """
import threading
count = 0
def counter(frame, event, argument):
    global count
    if event in ("call", "c_call"):
        count += 1
with Workspace(given["work"], settings=Settings(state_dir=given["state"], call_seconds=3600)) as workspace:
    workspace.list_files(".", limit=1)
    workspace.write("warm.txt", "x\\n")
    workspace.undo()
    counts = []
    for tool, arguments in given["calls"]:
        if tool in ("undo", "preview"):
            newest = workspace.history(limit=1)[0].id
            tool, arguments = "revert_edit", {"change_id": newest, "preview": tool == "preview"}
        count = 0
        threading.setprofile(counter)
        sys.setprofile(counter)
        answer = workspace.call(tool, arguments)
        sys.setprofile(None)
        threading.setprofile(None)
        assert not answer.is_error, answer.text
        counts.append(count)
state = sum(os.path.getsize(os.path.join(f, n)) for f, _, names in os.walk(given["state"]) for n in names)
say([counts, state])
"""

Calls = list[tuple[str, dict[str, Any]]]


def _tree(work: Path, size: int) -> Calls:
    for number in range(size):
        folder = work / "tree" / f"{number // 20:03d}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"f{number}").write_bytes(b"file %d\n" % number)
    return [
        ("delete_items", {"paths": ["tree"], "recursive": True}),
        ("undo", {}),
    ]


def _copied(work: Path, size: int) -> Calls:
    _tree(work, size)
    return [
        (
            "move_items",
            {
                "items": [{"source": "tree", "destination": "copy"}],
                "copy": True,
            },
        ),
        ("undo", {}),
    ]


def _replaced(work: Path, size: int) -> Calls:
    (work / "f.txt").write_text(
        "".join(f"line {n} old {'x' * 60}\n" for n in range(size * 4))
    )
    change = {
        "pattern": " old ",
        "replacement": " new ",
        "path": "f.txt",
        "preview": False,
    }
    return [("replace_content", change), ("undo", {})]


def _ignored(work: Path, size: int) -> Calls:
    for number in range(size):
        (work / f"file{number:06d}.txt").touch()
    (work / ".gitignore").write_text(
        "".join(f"/file{n:06d}.txt\n" for n in range(size))
    )
    return [("list_files", {"path": "."})]


def _globbed(work: Path, size: int) -> Calls:
    glob = "{" + ",".join(f"a{n}" for n in range(size // 4)) + "}" + "x" * size
    return [("list_files", {"path": ".", "glob": glob})]


def _nested_renames(work: Path, size: int) -> Calls:
    levels = size // 25
    (work / "/".join(f"a{n}" for n in range(levels))).mkdir(parents=True)
    items, done = [], ""
    for number in range(levels):
        items.append(
            {"source": f"{done}a{number}", "destination": f"{done}A{number}"}
        )
        done += f"A{number}/"
    return [("move_items", {"items": items}), ("undo", {})]


def _many_items(work: Path, size: int) -> Calls:
    items = [
        {"path": f"d{n % 17}/f{n}.txt", "content": f"{n}\n"}
        for n in range(size)
    ]
    return [("write_content", {"items": items}), ("undo", {})]


def _many_folders(work: Path, size: int) -> Calls:
    items = [{"path": f"d{n}/f.txt", "content": f"{n}\n"} for n in range(size)]
    return [("write_content", {"items": items}), ("preview", {}), ("undo", {})]


def _patched(work: Path, size: int, *, numbers: bool = True) -> Calls:
    hunks = size * 2
    (work / "f.txt").write_text(
        "".join(f"line {n}\n" for n in range(3 * hunks + 5))
    )
    parts = ["--- a/f.txt\n+++ b/f.txt\n"]
    for n in range(1, 3 * hunks, 3):
        head = f"@@ -{n},3 +{n},3 @@" if numbers else "@@ @@"
        parts.append(
            f"{head}\n line {n - 1}\n-line {n}\n+changed {n}\n line {n + 1}\n"
        )
    return [("apply_patch", {"patch": "".join(parts)}), ("undo", {})]


def _patched_by_content(work: Path, size: int) -> Calls:
    return _patched(work, size, numbers=False)


GROWING: list[Any] = [
    _tree,
    _copied,
    _replaced,
    _ignored,
    _globbed,
    pytest.param(
        _nested_renames, marks=pytest.mark.needs("kernel_resolution")
    ),  # else each path is walked part by part
    _many_items,
    _many_folders,
    _patched,
    _patched_by_content,
]


def _counts(
    plant: Callable[[Path, int], Calls], size: int
) -> tuple[list[int], int]:
    with outside.folder() as place:
        calls = plant(place / "work", size)
        counts, state = outside.run(
            COUNTED, work=place / "work", state=place / "state", calls=calls
        )
        return counts, state


@pytest.mark.extra
@pytest.mark.parametrize(
    "size", [30, pytest.param(200, marks=pytest.mark.sweep)]
)
@pytest.mark.parametrize("plant", GROWING)
def test_four_times_the_work_takes_about_four_times_the_calls(
    plant: Callable[[Path, int], Calls], size: int
) -> None:
    (small, few), (large, many) = (
        _counts(plant, size),
        _counts(plant, 4 * size),
    )
    for less, more in zip(small, large, strict=True):
        assert more <= less * 7, f"{less} calls became {more}"
    assert many <= few * 7, f"{few} bytes of history became {many}"


READ = """
def read_so_far():
    with open("/proc/self/io") as file:
        return int(file.readline().split()[1])
with Workspace(given["work"], settings=Settings(state_dir=given["state"], call_seconds=600)) as workspace:
    change = {"pattern": " old ", "replacement": " new ", "path": "f.txt", "preview": False}
    assert not workspace.call("replace_content", change).is_error
    before = read_so_far()
    answer = workspace.call("revert_edit", {"change_id": workspace.history(limit=1)[0].id})
    assert not answer.is_error, answer.text
say(read_so_far() - before)
"""


def test_an_undo_of_many_replacements_reads_its_file_a_few_times() -> None:
    with outside.folder() as place:
        path = place / "work" / "f.txt"
        lines = (
            f"line {n:07d} {'kept' if n % 5 else 'old'} {'x' * 480}\n"
            for n in range(10_000)
        )
        path.write_text("".join(lines))
        read = outside.run(READ, work=place / "work", state=place / "state")
        size = path.stat().st_size
        assert read <= 40 * size, (
            f"undoing 2,000 replacements read the file {read // size} times"
        )
