"""When a workspace recovers, and what it withholds until then."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.changes.damage import run_sql
from tests.changes.interrupted import stop_at
from tests.changes.steps import EDIT
from tests.method_tools import call_tool
from tests.platforms.unix_only import not_on_wine

from filewright import Workspace
from filewright.changes.database import Database
from filewright.changes.publish import publish
from filewright.edit.changeset import (
    Create,
    Delete,
    Move,
)
from filewright.errors import Code, FilewrightError
from filewright.progress import Task
from filewright.text.splice import Splice


@not_on_wine("nothing is found below a folder that was renamed meanwhile")
def test_leaves_file_named_almost_as_temporary(tmp_path: Path) -> None:
    names = [".fw~abcdefgh", ".fw~0000000000000000"]
    folder = tmp_path / "root" / "d"
    folder.mkdir(parents=True)
    for name in names:
        (folder / name).write_text(name)
    with Workspace(
        tmp_path / "root", state_dir=tmp_path / "state"
    ) as workspace:
        listed = workspace.call("list_files", {"path": "d"}).text
        assert all(name in listed for name in names)
        workspace.copy("d", "copy")
        workspace.move(
            "d/.fw~abcdefgh", "copy/.fw~0000000000000000", overwrite=True
        )
        workspace.delete("d", recursive=True)
        assert sorted(os.listdir(tmp_path / "root" / "copy")) == sorted(names)
        assert (tmp_path / "root" / "copy" / names[1]).read_text() == names[0]
        for _ in range(3):
            workspace.undo()
    assert {path.name: path.read_text() for path in folder.iterdir()} == {
        name: name for name in names
    }
    assert os.listdir(tmp_path / "root") == ["d"]


def test_next_change_recovers_first(
    bench: Any, scene: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    stop_at(bench, monkeypatch, "mark_done", bench.modify("a.txt", EDIT))
    step = bench.modify("b.txt", Splice(0, 3, b"BEE"))
    bench.commit(step)
    assert (bench.root / "a.txt").read_bytes() == b"one\ntwo\nthree\n"
    assert (bench.root / "b.txt").read_bytes() == b"BEE\n"
    assert len(bench.changes.recover().rolled_back) == 1


def test_hides_denied_files_from_next_change(
    bench: Any, scene: Any, area: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (bench.root / "dark").mkdir()
    stop_at(
        bench, monkeypatch, "mark_done", Create(bench.at("dark/new.txt"), b"n")
    )
    (bench.root / ".agentsignore").write_text("/dark/\n")
    with scene.Bench(area) as fresh:
        made = fresh.commit(Create(fresh.at("open.txt"), b"n"))
        assert made.notes
        assert not any("dark" in note for note in made.notes)
        assert any(
            "dark/new.txt" in why for why in fresh.changes.recover().unsettled
        )


def test_hides_denied_files_that_are_taken_back(
    bench: Any, scene: Any, area: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stop_at(bench, monkeypatch, "mark_done", bench.modify("a.txt", EDIT))
    (bench.root / ".agentsignore").write_text("/a.txt\n")
    with scene.Bench(area) as fresh:
        made = fresh.commit(Create(fresh.at("open.txt"), b"n"))
        assert made.notes
        assert not any("a.txt" in note for note in made.notes)
        assert any("a.txt" in why for why in fresh.changes.recover().taken_back)
    assert (bench.root / "a.txt").read_bytes() == b"one\ntwo\nthree\n"


def test_opening_recovers(
    bench: Any, scene: Any, area: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = scene.tree(bench.root)
    stop_at(
        bench,
        monkeypatch,
        "mark_done",
        bench.modify("a.txt", EDIT),
        Delete(bench.at("b.txt")),
    )
    with Workspace(bench.root, state_dir=area / "state"):
        assert scene.tree(bench.root) == before


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("read_content", {"path": "a.txt"}),
        ("list_files", {"path": "."}),
        ("search_content", {"pattern": "one"}),
        ("stat_items", {"paths": ["a.txt"]}),
        ("get_history", {}),
    ],
)
def test_read_recovers_first(
    bench: Any,
    scene: Any,
    area: Path,
    monkeypatch: pytest.MonkeyPatch,
    tool: str,
    arguments: dict[str, Any],
) -> None:
    before = scene.tree(bench.root)
    with Workspace(bench.root, state_dir=area / "state") as workspace:
        stop_at(
            bench,
            monkeypatch,
            "mark_done",
            bench.modify("a.txt", EDIT),
            Delete(bench.at("b.txt")),
        )
        assert not call_tool(workspace, tool, arguments).is_error
        assert scene.tree(bench.root) == before


def test_withholds_files_in_read_only_workspace(
    bench: Any, scene: Any, area: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stop_at(
        bench,
        monkeypatch,
        "mark_done",
        bench.modify("a.txt", EDIT),
        Delete(bench.at("f"), recursive=True),
    )
    torn = scene.tree(bench.root)
    with Workspace(
        bench.root, state_dir=area / "state", read_only=True
    ) as workspace:
        refused = workspace.call("read_content", {"path": "a.txt"})
        assert refused.code == Code.IN_USE
        assert bench.root.as_posix() in refused.text
        assert workspace.call("read_content", {"path": "b.txt"}).text.endswith(
            "bee"
        )
        assert (
            "one"
            not in workspace.call(
                "search_content", {"pattern": "ONE", "mode": "literal"}
            ).text
        )
        assert scene.tree(bench.root) == torn
        bench.changes.recover()
        assert "one" in workspace.read("a.txt").text


def test_refuses_change_with_unreadable_log(
    bench: Any, scene: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, read = scene.tree(bench.root), Database.read

    def unreadable(database: Database, sql: str, *values: object) -> Any:
        if "FROM unfinished" in sql:
            raise FilewrightError(
                Code.IO_ERROR, "the state database cannot be read"
            )
        return read(database, sql, *values)

    monkeypatch.setattr(Database, "read", unreadable)
    with pytest.raises(FilewrightError, match="cannot be read"):
        bench.commit(bench.modify("a.txt", EDIT))
    assert scene.tree(bench.root) == before


def test_running_change_blocks_no_reader(bench: Any, area: Path) -> None:
    with (
        bench.changes.writing(),
        Workspace(bench.root, state_dir=area / "state") as workspace,
    ):
        assert "one" in workspace.read("a.txt").text


def test_nested_change_recovers_first(
    bench: Any, scene: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The intent of a change that failed, and could not be rolled back at once, is not written over."""
    before = scene.tree(bench.root)
    with bench.changes.writing():
        stop_at(bench, monkeypatch, "flush", bench.modify("a.txt", EDIT))
        assert scene.tree(bench.root) != before
        bench.commit(Create(bench.at("second.txt"), b"2"))
    (bench.root / "second.txt").unlink()
    assert scene.tree(bench.root) == before


PLANS: dict[str, Callable[[Path], None]] = {
    "the key is gone": lambda state: (state / "key").unlink(),
    "the key is another": lambda state: (state / "key").write_bytes(bytes(32)),
    "a plan is damaged": lambda state: run_sql(
        state / "state.db",
        "UPDATE unfinished SET plan = CAST(plan || x'00' AS BLOB)",
    ),
    "a plan is gone": lambda state: run_sql(
        state / "state.db", "UPDATE unfinished SET plan = x''"
    ),
}


@pytest.mark.parametrize("how", PLANS)
def test_keeps_made_change_without_plan(
    bench: Any, scene: Any, area: Path, how: str
) -> None:
    made = [
        bench.commit(bench.modify("a.txt", Splice(0, 3, b"%03d" % number)))
        for number in range(5)
    ]
    bench.changes.close()
    PLANS[how](bench.state)
    with scene.Bench(area) as fresh:
        record = fresh.commit(Create(fresh.at("new"), b"n"))
        assert any(
            "its plan in the log is damaged" in note for note in record.notes
        )
        assert [each.id for each in fresh.changes.history()[1:]] == [
            each.id for each in reversed(made)
        ]
        for each in reversed(made):
            fresh.undo(each.id)
        assert (fresh.root / "a.txt").read_bytes() == b"one\ntwo\nthree\n"


def test_reports_unfinished_change_without_plan(
    bench: Any, scene: Any, area: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stop_at(bench, monkeypatch, "mark_done", bench.modify("a.txt", EDIT))
    bench.changes.close()
    (bench.state / "key").unlink()
    with scene.Bench(area) as fresh:
        record = fresh.commit(Create(fresh.at("new"), b"n"))
        assert any("cannot be verified" in note for note in record.notes)
        assert fresh.changes.find_leftovers(Task())


def _without_spare(
    bench: Any, monkeypatch: pytest.MonkeyPatch, *steps: Any
) -> None:
    stop_at(bench, monkeypatch, "mark_done", *steps)
    for path in bench.root.glob(".fw~*"):
        path.unlink()


@pytest.mark.parametrize("how", ["edit", "delete", "overwrite"])
def test_leaves_change_whose_original_is_gone(
    bench: Any,
    scene: Any,
    area: Path,
    monkeypatch: pytest.MonkeyPatch,
    how: str,
) -> None:
    step = {
        "edit": bench.modify("a.txt", EDIT),
        "delete": Delete(bench.at("a.txt")),
        "overwrite": Create(bench.at("a.txt"), b"new\n", replace=True),
    }[how]
    _without_spare(bench, monkeypatch, step)
    with scene.Bench(area) as fresh:
        (told,) = fresh.changes.recover().unsettled
        identifier = told.split()[1].rstrip(":")
        assert f"filewright doctor --leave {identifier}" in told
        assert "somebody" not in told
        left = scene.tree(fresh.root)
        fresh.changes.leave_unsettled(identifier)
        assert scene.tree(fresh.root) == left
        assert fresh.changes.recover().unsettled == []
        fresh.commit(Create(fresh.at("more"), b""))
        fresh.undo(identifier)
        assert (fresh.root / "a.txt").read_bytes() == b"one\ntwo\nthree\n"
        with pytest.raises(
            FilewrightError, match="is not waiting for a decision"
        ):
            fresh.changes.leave_unsettled(identifier)


def test_reports_what_it_rolled_back(
    bench: Any, scene: Any, area: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = (
        Create(bench.at("n/new"), b"n"),
        Create(bench.at("plain"), b"n"),
        Move(bench.at("b.txt"), bench.at("c.txt")),
        bench.modify("a.txt", EDIT),
    )
    stop_at(bench, monkeypatch, "mark_done", *steps)
    with scene.Bench(area) as fresh:
        record = fresh.commit(Create(fresh.at("more"), b""))
        (note,) = record.notes
        assert note.startswith("the unfinished change ")
        for what in (
            "n removed",
            "plain removed",
            "c.txt moved back",
            "a.txt as before",
        ):
            assert what in note
        (told,) = fresh.changes.recover().taken_back
        assert told == note


def test_settles_state_restored_from_copy(
    bench: Any, scene: Any, area: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def publish_and_copy(*arguments: Any, **options: Any) -> None:
        publish(*arguments, **options)
        shutil.copytree(area / "state", area / "copy")

    with monkeypatch.context() as patch:
        patch.setattr("filewright.changes.commit.publish", publish_and_copy)
        bench.commit(bench.modify("a.txt", EDIT))
    bench.changes.close()
    shutil.rmtree(area / "state")
    shutil.copytree(area / "copy", area / "state")
    with scene.Bench(area) as fresh:
        (told,) = fresh.changes.recover().unsettled
        assert "somebody" not in told
        fresh.changes.leave_unsettled(told.split()[1].rstrip(":"))
        fresh.commit(fresh.modify("a.txt", Splice(0, 3, b"two")))
