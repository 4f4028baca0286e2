"""At most 64 descriptors are open in any operation, and the host's limits are never raised."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.promises import outside

FILES = 64
"""Descriptors of the whole process, of which Python, the state and the roots have some."""
FOLDERS = FILES * 3 // 2
"""More than there may be descriptors."""

OPERATE = """
limit = resource.getrlimit(resource.RLIMIT_NOFILE)
with Workspace(given["work"], state_dir=given["state"]) as workspace:
    answers = []
    for tool, arguments in given["calls"]:
        if tool == "undo":
            tool, arguments = "revert_edit", {"change_id": workspace.history(limit=1)[0].id}
        answer = workspace.call(tool, arguments)
        answers.append([answer.code, answer.text[:500]])
        if answer.is_error:
            break
say([answers, limit == resource.getrlimit(resource.RLIMIT_NOFILE)])
"""


@pytest.fixture
def place() -> Iterator[Path]:
    with outside.folder() as folder:
        yield folder


def _plant(work: Path, folders: int, files: int) -> None:
    for number in range(folders):
        folder = work / "tree" / f"{number // 70:03d}" / f"d{number}"
        folder.mkdir(parents=True)
        for file in range(files):
            (folder / f"f{file}").write_bytes(
                b"file %d of %d\n" % (file, number)
            )


def _limited(
    place: Path, *calls: tuple[str, dict[str, Any]], files: int = FILES
) -> None:
    given = {"work": place / "work", "state": place / "state", "calls": calls}
    answers, kept = outside.run(OPERATE, files=files, **given)
    for (tool, _), (code, text) in zip(calls, answers, strict=False):
        assert code is None, f"{tool}: {text}"
    assert kept, "the limit of the host was changed"


DELETE = ("delete_items", {"paths": ["tree"], "recursive": True})
UNDO = ("revert_edit", {"path": "tree"})
COPY = (
    "move_items",
    {"items": [{"source": "tree", "destination": "copy"}], "copy": True},
)
MOVE = (
    "move_items",
    {"items": [{"source": "tree", "destination": "moved/tree"}]},
)


def _each_moved(folders: int) -> tuple[str, dict[str, Any]]:
    places = [f"{number // 70:03d}/d{number}" for number in range(folders)]
    items = [
        {"source": f"tree/{place}/f0", "destination": f"elsewhere/{place}/f0"}
        for place in places
    ]
    return ("move_items", {"items": items})


def _each_written(folders: int) -> tuple[str, dict[str, Any]]:
    paths = [
        f"tree/{number // 70:03d}/d{number}/f0" for number in range(folders)
    ]
    items = [
        {"path": path, "content": "written\n", "mode": "overwrite"}
        for path in paths
    ]
    return ("write_content", {"items": items})


WORK = {
    "deleted and brought back": [DELETE, UNDO],
    "copied and taken back": [COPY, ("revert_edit", {"path": "copy"})],
    "moved and moved back": [MOVE, ("revert_edit", {"path": "moved/tree"})],
}
EACH = {
    "a file of each moved and moved back": _each_moved,
    "a file of each overwritten and restored": _each_written,
}


@pytest.mark.parametrize("work", WORK)
def test_a_tree_of_many_folders_is_done_within_few_descriptors(
    place: Path, work: str
) -> None:
    _plant(place / "work", FOLDERS, 2)
    before = outside.contents(place / "work")
    _limited(place, *WORK[work])
    assert outside.contents(place / "work") == before
    assert outside.unasked(place / "work") == []


@pytest.mark.parametrize("each", EACH)
def test_a_change_in_many_folders_is_done_within_few_descriptors(
    place: Path, each: str
) -> None:
    _plant(place / "work", FOLDERS, 1)
    before = outside.contents(place / "work")
    _limited(place, EACH[each](FOLDERS), ("undo", {}))
    assert outside.contents(place / "work") == before


@pytest.mark.extra
def test_many_contents_that_are_kept_in_files_need_few_descriptors(
    place: Path,
) -> None:
    (place / "work" / "tree").mkdir(parents=True)
    for number in range(80):
        (place / "work" / "tree" / f"f{number}").write_bytes(
            b"needle\n" + os.urandom(80_000).hex().encode()
        )
    before = outside.contents(place / "work")
    replaced = (
        "replace_content",
        {"pattern": "needle", "replacement": "thread", "preview": False},
    )
    _limited(place, DELETE, ("undo", {}), replaced, ("undo", {}))
    assert outside.contents(place / "work") == before


@pytest.mark.sweep
def test_thirty_thousand_files_in_five_thousand_folders(place: Path) -> None:
    _plant(place / "work", 5000, 6)
    before = outside.contents(place / "work")
    for work in WORK.values():
        _limited(place, *work, files=256)
        assert outside.contents(place / "work") == before
    for each in EACH.values():
        _limited(place, each(5000), ("undo", {}), files=256)
        assert outside.contents(place / "work") == before
