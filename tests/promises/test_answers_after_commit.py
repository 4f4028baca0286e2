"""An answer that reports failure means that nothing was changed; what follows a commit never fails it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.changes.damage import run_sql
from tests.method_tools import call_tool
from tests.promises import outside

from filewright import Settings, Workspace
from filewright.boundary.location import Location
from filewright.changes.model import MAX_HELD_VALUES


@pytest.fixture
def place() -> Iterator[Path]:
    with outside.folder() as folder:
        yield folder


def _many(lines: int, every: int) -> tuple[bytes, bytes]:
    """A text of numbered lines, and what it becomes when every so many of them are changed."""
    words = [b"kept" if n % every else b"old" for n in range(lines)]
    old = [
        b"line %07d %s %s\n" % (n, word, b"x" * 480)
        for n, word in enumerate(words)
    ]
    new = [line.replace(b" old ", b" NEW ") for line in old]
    return b"".join(old), b"".join(new)


def _agrees(
    workspace: Workspace, path: Path, tool: str, arguments: dict[str, Any]
) -> bool:
    """Call a tool that changes a file; True if it was done. A failure has changed nothing."""
    before = path.read_bytes()
    answer = call_tool(workspace, tool, arguments)
    after = path.read_bytes()
    assert not answer.is_error or after == before, (
        f"{tool} changed the file, and says: {answer.text[:300]}"
    )
    return not answer.is_error


def test_an_undo_that_ran_out_of_time_has_not_happened(place: Path) -> None:
    """Whenever the time of the call ends, while the undo is planned, made or shown."""
    old, new = _many(10_000, 5)
    path = place / "work" / "f.txt"
    path.write_bytes(old)
    with Workspace(place / "work", state_dir=place / "state") as workspace:
        workspace.replace(" old ", " NEW ", "f.txt", preview=False)
        assert path.read_bytes() == new
        change = workspace.history(limit=1)[0].id
    for doubled in range(10):
        hurried = Settings(
            state_dir=place / "state", call_seconds=0.1 * 2**doubled
        )
        with Workspace(place / "work", settings=hurried) as workspace:
            if _agrees(workspace, path, "revert_edit", {"change_id": change}):
                break
    assert path.read_bytes() == old


PATHS = [f"f{n}.txt" for n in range(10)]
MIXED: dict[str, tuple[str, dict[str, Any]]] = {
    "replace": (
        "replace_content",
        {
            "pattern": "line",
            "replacement": "LINE",
            "path": ".",
            "preview": False,
        },
    ),
    "write": (
        "write_content",
        {
            "items": [
                {"path": p, "content": "new\n" * 600, "mode": "overwrite"}
                for p in PATHS
            ]
        },
    ),
    "delete": ("delete_items", {"paths": PATHS}),
    "move": (
        "move_items",
        {"items": [{"source": p, "destination": f"to/{p}"} for p in PATHS]},
    ),
    "copy": (
        "move_items",
        {
            "items": [{"source": p, "destination": f"to/{p}"} for p in PATHS],
            "copy": True,
        },
    ),
    "permit": ("set_permissions", {"paths": PATHS, "mode": "600"}),
}

TIMES = [0.002 * 1.5**n for n in range(12)]


@pytest.mark.parametrize("change", MIXED)
def test_a_change_that_ran_out_of_time_anywhere_is_done_or_not_done(
    place: Path, change: str
) -> None:
    work = place / "work"
    for name in PATHS:
        (work / name).write_text("".join(f"line {n}\n" for n in range(600)))
        (work / name).chmod(0o644)
    tool, arguments = MIXED[change]

    def stands() -> dict[str, tuple[int, bytes]]:
        return {
            str(p.relative_to(work)): (p.stat().st_mode, p.read_bytes())
            for p in work.rglob("*.txt")
        }

    before = stands()
    for seconds in TIMES:
        hurried = Settings(state_dir=place / "state", call_seconds=seconds)
        with Workspace(work, settings=hurried) as workspace:
            answer = call_tool(workspace, tool, arguments)
            recorded = len(workspace.history(limit=10))
        now = stands()
        assert (now == before) == answer.is_error, (
            f"{seconds} s: {answer.text[:300]}"
        )
        assert (recorded == 0) == answer.is_error, (
            f"{seconds} s: {answer.text[:300]}"
        )
        assert not answer.is_error or answer.code == "timeout", answer.text[
            :300
        ]
        if not answer.is_error:
            return
    with Workspace(work, state_dir=place / "state") as workspace:
        assert not call_tool(workspace, tool, arguments).is_error


@pytest.mark.sweep
def test_a_hundred_thousand_replacements_are_undone_and_shown(
    place: Path,
) -> None:
    old, new = _many(100_000, 1)
    path = place / "work" / "f.txt"
    path.write_bytes(old)
    with Workspace(place / "work", state_dir=place / "state") as workspace:
        workspace.replace(" old ", " NEW ", "f.txt", preview=False)
        assert path.read_bytes() == new
        change = workspace.history(limit=1)[0].id
        assert "NEW" in workspace.get_history(change_id=change).text
        answer = workspace.undo(change)
        assert "old" in answer.text
        assert path.read_bytes() == old


def test_a_change_whose_record_cannot_be_read_after_it_is_done(
    place: Path,
) -> None:
    """Records of very many files are read again after the commit, for the answer."""
    work = place / "work"
    names = {f"{number}.txt" for number in range(MAX_HELD_VALUES)}
    for folder in (work / "first", work / "second"):
        folder.mkdir()
        for name in names:
            (folder / name).touch()
    settings = Settings(state_dir=place / "state", flush=False)
    with Workspace(work, settings=settings) as workspace:

        def delete(path: str) -> None:
            answer = call_tool(
                workspace, "delete_items", {"paths": [path], "recursive": True}
            )
            assert not answer.is_error, answer.text
            assert not (work / path).exists()

        delete("second")
        accept = workspace.context.changes.after_commit
        database = Path(os.fsdecode(workspace.changes.state.at(b"state.db")))

        def lose_records(locations: Iterable[Location]) -> None:
            run_sql(database, "DELETE FROM file_changes")
            accept(locations)

        workspace.changes.after_commit = lose_records
        answer = call_tool(workspace, "revert_edit", {"change_id": "@"})
        assert not answer.is_error, answer.text
        assert {path.name for path in (work / "second").iterdir()} == names
        delete("first")
