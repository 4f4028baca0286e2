"""An undo in part: what can be merged is undone, what others have changed in the same place is left and shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from filewright import Code, FilewrightError, Workspace


def _workspace(base: Path) -> Workspace:
    root = base / "work"
    root.mkdir()
    for name in ("a.txt", "b.txt", "d.txt"):
        (root / name).write_text("one\ntwo\nthree\nfour\nfive\n")
    return Workspace(root, state_dir=base / "state")


def _edit(workspace: Workspace, path: str, old: str, new: str) -> None:
    workspace.edit(path, [{"search": old, "replace": new}])


@pytest.mark.parametrize("preview", [False, True], ids=["undo", "preview"])
def test_partial_undo_leaves_conflicts(tmp_path: Path, preview: bool) -> None:
    with _workspace(tmp_path) as workspace:
        workspace.write("first", "1")
        since = workspace.newest()
        for path in ("a.txt", "b.txt"):
            _edit(workspace, path, "three", "THREE")
        workspace.write("src/new.txt", "n\n")
        workspace.delete("d.txt")
        root = tmp_path / "work"
        (root / "b.txt").write_text("one\ntwo\nother\nfour\nfive\n")
        with pytest.raises(FilewrightError) as caught:
            workspace.revert_edit(since=since)
        assert caught.value.code is Code.STALE_VERSION
        assert "partial=true" in (caught.value.hint or "")
        answer = workspace.call(
            "revert_edit", {"since": since, "partial": True, "preview": preview}
        )
        assert not answer.is_error, answer.text
        assert "left as it is" in answer.text
        assert "<<<<<<< now\nother\n=======\nthree\n>>>>>>> undone" in answer.text
        if preview:
            assert "THREE" in (root / "a.txt").read_text()
            return
        assert (
            (root / "a.txt").read_text()
            == (root / "d.txt").read_text()
            == "one\ntwo\nthree\nfour\nfive\n"
        )
        assert (root / "b.txt").read_text() == "one\ntwo\nother\nfour\nfive\n"
        assert not (root / "src").exists()
        # It is a change like any other.
        workspace.redo()
        assert "THREE" in (root / "a.txt").read_text()


def test_partial_undo_needs_something_to_undo(tmp_path: Path) -> None:
    with _workspace(tmp_path) as workspace:
        _edit(workspace, "a.txt", "three", "THREE")
        (tmp_path / "work/a.txt").write_text("one\ntwo\nother\nfour\nfive\n")
        answer = workspace.call("revert_edit", {"change_id": "@", "partial": True})
        assert answer.code == Code.STALE_VERSION
        assert "partial=true" not in answer.text


def test_partial_undo_leaves_folder_of_conflict(tmp_path: Path) -> None:
    with _workspace(tmp_path) as workspace:
        workspace.write("first", "1")
        since = workspace.newest()
        workspace.write("new/a", "1\n")
        workspace.write("new/b", "1\n")
        (tmp_path / "work/new/b").write_text("others\n")
        answer = workspace.call("revert_edit", {"since": since, "partial": True})
        assert not answer.is_error, answer.text
        assert [path.name for path in (tmp_path / "work/new").iterdir()] == ["b"]


# Beside later changes


@pytest.mark.parametrize(
    ("old", "new", "later", "after"),
    [
        ("a", "A", [("b", "B")], "a\nB\nc\n"),
        ("b", "B", [("a", "A")], "A\nb\nc\n"),
        ("b", "B", [("a", "A"), ("c", "C")], "A\nb\nC\n"),
        ("b\n", "b\nnew\n", [("new\n", "new\nmine\n")], "a\nb\nmine\nc\n"),
        ("b\n", "b\nnew\n", [("b\n", "b\nmine\n")], "a\nb\nmine\nc\n"),
        ("b\n", "", [("c", "C")], "a\nb\nC\n"),
        ("c\n", "C\n", [("C\n", "C\nmine\n")], "a\nb\nc\nmine\n"),
        ("b", "B", [("B", "other")], None),
        ("b\n", "", [("a\n", "a\nmine\n")], None),
    ],
)
def test_keeps_later_change_beside_it(
    tmp_path: Path, old: str, new: str, later: list[tuple[str, str]], after: str | None
) -> None:
    with _workspace(tmp_path) as workspace:
        path = tmp_path / "work/u.txt"
        path.write_text("a\nb\nc\n")
        _edit(workspace, "u.txt", old, new)
        for one, other in later:
            path.write_text(path.read_text().replace(one, other, 1))
        before = path.read_text()
        answer = workspace.call("revert_edit", {"change_id": "@"})
        if after is None:
            assert answer.code == Code.STALE_VERSION
            assert "give force=true" in answer.text
            assert path.read_text() == before
        else:
            assert not answer.is_error, answer.text
            assert "later changes stay" in answer.text
            assert path.read_text() == after


def test_leaves_rights_of_root(tmp_path: Path) -> None:
    root = tmp_path / "work"
    (root / "in").mkdir(parents=True)
    with Workspace(root, state_dir=tmp_path / "state") as outer:
        outer.write("first", "1")
        since = outer.newest()
        begun = outer.begin_command()
        (root / "in").chmod(0o700)
        (root / "new").write_text("n\n")
        outer.end_command(begun, "chmod 700 in; echo n > new")
    with Workspace(root, root / "in", state_dir=tmp_path / "state") as both:
        answer = both.call("revert_edit", {"since": since})
        assert not answer.is_error, answer.text
        assert "is a root of the workspace, so its mode and owner stay" in answer.text
        assert not (root / "new").exists()
        assert (root / "in").stat().st_mode & 0o777 == 0o700


# What is counted and named


def test_counts_changes_of_path(tmp_path: Path) -> None:
    with _workspace(tmp_path) as workspace:
        workspace.write("first", "1")
        since = workspace.newest()
        for number in range(3):
            workspace.write(f"src/{number}", "1")
            workspace.write(f"elsewhere/{number}", "1")
        answer = workspace.call("revert_edit", {"since": since, "path": "src"})
        assert ": 3 changes; change" in answer.text
        assert len(answer.data["reverted"]) == 3


def test_names_merged_file_once(tmp_path: Path) -> None:
    with _workspace(tmp_path) as workspace:
        workspace.write("first", "1")
        since = workspace.newest()
        _edit(workspace, "a.txt", "one", "ONE")
        path = tmp_path / "work/a.txt"
        path.write_text(path.read_text().replace("three", "other"))
        _edit(workspace, "a.txt", "five", "FIVE")
        path.write_text("zero\n" * 3 + path.read_text().replace("other", "another"))
        answer = workspace.call("revert_edit", {"since": since})
        assert not answer.is_error, answer.text
        assert answer.text.count("has changed since") == 1


def test_last_session_of_none(tmp_path: Path) -> None:
    with _workspace(tmp_path) as workspace:
        answer = workspace.call("revert_edit", {"session": "last"})
        assert "there is no session last" not in answer.text
        assert "no agent session has changed anything here" in answer.text


# Changes of setup


@pytest.mark.parametrize(
    "asked",
    [{"change_id": "@~1"}, {"since": "@~2"}, {"session": "setup"}],
    ids=["change", "since", "session"],
)
def test_agents_leave_setup_alone(tmp_path: Path, asked: dict[str, str]) -> None:
    root, state = tmp_path / "work", tmp_path / "state"
    root.mkdir()
    anything = {"allow_write": ("**",)}
    from filewright import Settings

    with Workspace(root, state_dir=state) as agent:
        agent.write("first", "1")
    with Workspace(
        root,
        state_dir=state,
        client="filewright setup",
        session="setup",
        settings=Settings(**anything),
    ) as setup:
        setup.write(".claude/settings.json", "{}")
    with Workspace(root, state_dir=state) as agent:
        agent.write("last", "1")
        answer = agent.call("revert_edit", asked)
        assert (root / ".claude/settings.json").exists()
        if "since" in asked:
            assert not answer.is_error, answer.text
            assert not (root / "last").exists()
        else:
            assert answer.is_error
            assert "setup" in answer.text
    with Workspace(root, state_dir=state, settings=Settings(**anything)) as person:
        record = next(
            each for each in person.history() if each.client == "filewright setup"
        )
        person.undo(record.id)
        assert not (root / ".claude/settings.json").exists()


def test_refuses_time_if_clock_was_ahead(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import time

    with _workspace(tmp_path) as workspace:
        workspace.write("begin", "0")
        with monkeypatch.context() as patch:
            real = time.time_ns
            patch.setattr(time, "time_ns", lambda: real() + 86_400 * 10**9)
            workspace.write("first", "1")
        workspace.write("second", "2")
        answer = workspace.call("revert_edit", {"since": "0 s ago"})
        assert answer.code == Code.INVALID_INPUT
        assert "the clock was ahead" in answer.text
        assert (tmp_path / "work/first").exists()


def test_move_below_own_name_takes_two_changes(tmp_path: Path) -> None:
    with _workspace(tmp_path) as workspace:
        answer = workspace.call(
            "move_items", {"items": [{"source": "a.txt", "destination": "a.txt/b"}]}
        )
        assert "only in two changes" in answer.text
        assert "move it to another name, then from there to a.txt/b" in answer.text
        workspace.move("a.txt", "other")
        workspace.move("other", "a.txt/b")
        assert (tmp_path / "work/a.txt/b").is_file()
