"""State belongs to a root: history is the same however the root was opened, and stays within its limits."""

from __future__ import annotations

import itertools
import os
import random
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests import processes
from tests.promises import outside

from filewright import FilewrightError, Settings, Workspace


@pytest.fixture
def place() -> Iterator[Path]:
    with outside.folder() as folder:
        (folder / "a" / "sub").mkdir(parents=True)
        (folder / "b").mkdir()
        (folder / "a" / "sub" / "f.txt").write_text("one\n")
        (folder / "a" / "top.txt").write_text("one\n")
        yield folder


def _open(place: Path, *roots: str) -> Workspace:
    return Workspace(
        *(place / root for root in roots), state_dir=place / "state"
    )


def _edit(workspace: Workspace, path: Path, old: str, new: str) -> str:
    answer = workspace.edit(str(path), [{"search": old, "replace": new}])
    return str(answer.data["change_id"])


OPENED = {
    "first of two": ("a", "b"),
    "second of two": ("b", "a"),
    "a folder of it": ("a/sub",),
    "a folder above it": (".",),
    "a folder of it, beside another": ("b", "a/sub"),
}


@pytest.mark.parametrize("opened", OPENED)
def test_a_change_is_in_history_and_undone_however_its_root_is_opened(
    place: Path, opened: str
) -> None:
    file = place / "a" / "sub" / "f.txt"
    with _open(place, "a") as workspace:
        change = _edit(workspace, file, "one", "two")
    with _open(place, *OPENED[opened]) as workspace:
        assert [record.id for record in workspace.history(str(file))] == [
            change
        ]
        assert change in workspace.get_history().text
        workspace.undo(change)
    assert file.read_text() == "one\n"
    with _open(place, "a") as workspace:
        assert len(workspace.history(str(file))) == 2, (
            "the undo is not in the history of its root"
        )


def test_a_workspace_shows_only_what_lies_in_its_roots(place: Path) -> None:
    with _open(place, "a") as workspace:
        inner = _edit(workspace, place / "a" / "sub" / "f.txt", "one", "two")
        outer = _edit(workspace, place / "a" / "top.txt", "one", "two")
        both = workspace.call(
            "replace_content",
            {"pattern": "two", "replacement": "three", "preview": False},
        ).data["change_id"]
    with _open(place, "a/sub") as workspace:
        shown = workspace.get_history().text
        assert inner in shown
        assert outer not in shown
        assert "top.txt" not in shown
        assert (
            "top.txt"
            not in workspace.call("get_history", {"change_id": both}).text
        )
        refused = workspace.call("revert_edit", {"change_id": both})
        assert refused.code == "path_escape", refused.text
    assert (place / "a" / "top.txt").read_text() == "three\n"


@pytest.mark.needs("birth_times")
def test_a_renamed_root_keeps_its_history(place: Path) -> None:
    with _open(place, "a") as workspace:
        change = _edit(workspace, place / "a" / "top.txt", "one", "two")
    (place / "a").rename(place / "renamed")
    with _open(place, "renamed") as workspace:
        assert [record.id for record in workspace.history()] == [change]
        workspace.undo(change)
    assert (place / "renamed" / "top.txt").read_text() == "one\n"


@pytest.mark.needs("birth_times")
def test_a_folder_made_anew_in_a_roots_place_does_not_inherit_its_history(
    place: Path,
) -> None:
    with _open(place, "a") as workspace:
        change = _edit(workspace, place / "a" / "top.txt", "one", "two")
    (place / "a").rename(place / "old")
    (place / "a").mkdir()
    (place / "a" / "top.txt").write_text("two\n")
    with _open(place, "a") as workspace:
        assert workspace.history() == [], (
            "a folder made anew shows the history of another"
        )
    with _open(place, "old") as workspace:
        assert [record.id for record in workspace.history()] == [change]


def test_a_change_over_two_roots_is_undone_from_either_list(
    place: Path,
) -> None:
    (place / "b" / "g.txt").write_text("one\n")
    with _open(place, "a", "b") as workspace:
        item = [
            {"path": str(place / name), "content": "two\n", "mode": "overwrite"}
            for name in ("a/top.txt", "b/g.txt")
        ]
        change = workspace.call("write_content", {"items": item}).data[
            "change_id"
        ]
    with _open(place, "b") as workspace:
        assert (
            workspace.call("revert_edit", {"change_id": change}).code
            == "path_escape"
        )
    with _open(place, "b", "a") as workspace:
        workspace.undo(change)
    assert (
        (place / "a" / "top.txt").read_text()
        == (place / "b" / "g.txt").read_text()
        == "one\n"
    )


def test_a_server_sees_what_is_changed_later_in_its_root_together_with_another(
    place: Path,
) -> None:
    for root in ("a", "b"):
        with _open(place, root) as workspace:
            workspace.write("first.txt", "1\n")
    with _open(place, "a") as served, _open(place, "b", "a") as both:
        known = [change.id for change in served.history()]
        moved = both.move("b:first.txt", "a:moved.txt")
        assert [change.id for change in served.history()] == [
            moved.change_id,
            *known,
        ]


def _bytes(folder: Path) -> int:
    return sum(
        path.stat().st_size for path in folder.rglob("*") if path.is_file()
    )


def test_history_stays_within_its_limit_over_sessions_of_one_change_each(
    place: Path,
) -> None:
    limit = 300_000
    settings = Settings(state_dir=place / "state", history_bytes=limit)
    generator = random.Random(1)
    for number in range(30):
        with Workspace(place / "a", settings=settings) as workspace:
            text = "".join(
                f"{generator.getrandbits(400):x}\n" for _ in range(500)
            )
            workspace.write("top.txt", text, mode="overwrite")
        if number > 20:
            assert _bytes(place / "state") <= limit + 100_000, (
                f"after session {number}"
            )
    with Workspace(place / "a", settings=settings) as workspace:
        assert workspace.history(limit=50), "nothing is left to undo"
        workspace.undo()


# What happened outside since


def test_a_file_deleted_outside_since_its_edit_is_brought_back_by_undo(
    place: Path,
) -> None:
    file = place / "a" / "top.txt"
    with _open(place, "a") as workspace:
        change = _edit(workspace, file, "one", "two")
        file.unlink()
        workspace.undo(change)
    assert file.read_text() == "one\n"


@pytest.mark.parametrize("how", ["renamed", "another folder"])
def test_a_file_moved_outside_since_its_edit_is_brought_back_by_undo(
    place: Path, how: str
) -> None:
    file = place / "a" / "top.txt"
    with _open(place, "a") as workspace:
        change = _edit(workspace, file, "one", "two")
        file.rename(
            place / "a" / ("other.txt" if how == "renamed" else "sub/top.txt")
        )
        workspace.undo(change)
    assert file.read_text() == "one\n"


def test_a_folder_deleted_outside_since_an_edit_below_it_is_brought_back_or_named(
    place: Path,
) -> None:
    file = place / "a" / "sub" / "f.txt"
    with _open(place, "a") as workspace:
        change = _edit(workspace, file, "one", "two")
        file.unlink()
        file.parent.rmdir()
        answer = workspace.call("revert_edit", {"change_id": change})
        if answer.is_error:
            assert "sub/f.txt" in answer.text
        else:
            assert file.read_text() == "one\n"


def test_a_root_that_was_deleted_is_said_to_be(place: Path) -> None:
    with _open(place, "b") as workspace:
        os.rmdir(place / "b")
        for tool, arguments in (
            ("list_files", {"path": "."}),
            ("search_content", {"pattern": "x"}),
            ("write_content", {"items": [{"path": "n.txt", "content": ""}]}),
        ):
            answer = workspace.call(tool, arguments)
            assert answer.code in ("not_found", "io_error"), (
                f"{tool}: {answer.text}"
            )
            assert "root" in answer.text


def test_a_root_that_was_moved_and_made_anew_is_said_to_be(place: Path) -> None:
    with _open(place, "a") as workspace:
        (place / "a").rename(place / "moved")
        (place / "a").mkdir()
        (place / "a" / "top.txt").write_text("one\n")
        answer = workspace.call(
            "edit_content",
            {"path": "top.txt", "edits": [{"search": "one", "replace": "two"}]},
        )
        assert (
            answer.is_error or "root" in answer.text or "moved" in answer.text
        ), answer.text
    if answer.is_error:
        assert (place / "moved" / "top.txt").read_text() == "one\n"


def test_a_state_folder_removed_while_serving_breaks_no_later_change(
    place: Path,
) -> None:
    with _open(place, "a") as workspace:
        workspace.write("n1.txt", "1\n")
        for path in sorted((place / "state").rglob("*"), reverse=True):
            path.rmdir() if path.is_dir() else path.unlink()
        (place / "state").rmdir()
        answers = [
            workspace.call(
                "write_content",
                {"items": [{"path": f"n{n}.txt", "content": ""}]},
            )
            for n in (2, 3)
        ]
        assert [answer.code for answer in answers] == [None, None], [
            a.text for a in answers
        ]


def test_an_error_can_be_pickled() -> None:
    import copy
    import pickle

    from filewright import Code

    error = FilewrightError(
        Code.NOT_FOUND, "x is not there", hint="look", details={"path": "x"}
    )
    for again in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert (again.code, str(again), again.hint, again.details) == (
            error.code,
            str(error),
            error.hint,
            error.details,
        )


def _command(root: Path, *arguments: str) -> str:
    """What a process of its own answers, which is opened with the environment as it is."""
    done = processes.run([*processes.FILEWRIGHT, *arguments], cwd=root)
    assert done.returncode == 0, done.stderr
    return done.stdout


def _shell(root: Path, command: str) -> None:
    """A command of a shell, with the hooks of a client around it."""
    begun = _command(root, "snapshot", "begin").strip()
    subprocess.run(command, shell=True, cwd=root, check=True)
    _command(root, "snapshot", "end", begun)


MAKERS = {
    "itself": lambda root, own: own.write("first.txt", "1\n"),
    "another workspace": lambda root, own: Workspace(root).write(
        "first.txt", "1\n"
    ),
    "a hook": lambda root, own: _shell(root, "echo 1 > first.txt"),
}
REWINDERS = {
    "itself": lambda root, own, moment: (
        own.call("revert_edit", {"since": moment}).text
    ),
    "another workspace": lambda root, own, moment: (
        Workspace(root).call("revert_edit", {"since": moment}).text
    ),
    "a command": lambda root, own, moment: _command(
        root, "rewind", moment, "--yes"
    ),
}


WAYS = itertools.product(
    ["before the first change", "after it"], MAKERS, REWINDERS
)


@pytest.mark.parametrize(
    ("opened", "maker", "rewinder", "variable"),
    [
        # Every other way, with one of the variables in turn; each with both of them in the sweep.
        pytest.param(
            *way,
            variable,
            marks=[] if (at + 2 * other) % 4 == 0 else pytest.mark.sweep,
        )
        for at, way in enumerate(WAYS)
        for other, variable in enumerate(
            ("FILEWRIGHT_STATE_DIR", "XDG_STATE_HOME")
        )
    ],
)
def test_a_rewind_is_the_same_whenever_its_workspace_was_opened_and_whoever_made_the_first_change(
    place: Path,
    monkeypatch: pytest.MonkeyPatch,
    opened: str,
    maker: str,
    rewinder: str,
    variable: str,
) -> None:
    monkeypatch.setenv(variable, str(place / "state"))
    root = place / "a"
    (root / "a").write_text("A\n")
    (root / "b").write_text("B\n")
    if opened == "after it":
        with Workspace(root) as earlier:
            earlier.write("zeroth.txt", "0\n")
    with Workspace(root) as own:
        own.get_history()
        MAKERS[maker](root, own)
        moment, before = own.newest(), outside.contents(root)
        assert moment is not None
        _shell(root, "mv a t; mv b a")
        own.move("t", "u")
        _shell(root, "mv a t")
        with Workspace(root) as fresh:
            assert [record.id for record in own.history()] == [
                record.id for record in fresh.history()
            ]
            assert own.get_history().text.count("move_items") == 1
        assert "3 changes" in REWINDERS[rewinder](root, own, moment)
        assert outside.contents(root) == before
        with Workspace(root) as fresh:
            assert [record.id for record in own.history()] == [
                record.id for record in fresh.history()
            ]
