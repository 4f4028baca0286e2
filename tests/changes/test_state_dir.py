"""The state belongs to a root: any list of roots that holds it shows its history."""

from __future__ import annotations

import json
import os
import shutil
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.changes.interrupted import Stopped

from filewright import Settings, Workspace
from filewright.changes.log import Log
from filewright.edit.changeset import Create
from filewright.errors import Code, FilewrightError
from filewright.text.splice import Splice


@pytest.fixture
def place(scene: Any) -> Iterator[Path]:
    with scene.quick_folder() as folder:
        (folder / "a" / "sub" / "deep").mkdir(parents=True)
        (folder / "a" / "f").write_text("one\n")
        (folder / "a" / "sub" / "g").write_text("two\n")
        (folder / "b").mkdir()
        (folder / "b" / "h").write_text("three\n")
        yield folder


def _open(place: Path, *roots: str, **settings: Any) -> Workspace:
    return Workspace(
        *(place / root for root in roots), state_dir=place / "state", **settings
    )


def _changed(place: Path, path: str, *roots: str) -> str:
    with _open(place, *roots) as workspace:
        return str(
            workspace.write(path, "new\n", mode="overwrite").data["change_id"]
        )


def _history(place: Path, *roots: str) -> dict[str, list[str]]:
    with _open(place, *roots) as workspace:
        return {
            record.id: record.display_paths for record in workspace.history()
        }


@pytest.mark.parametrize(
    "roots",
    [("a",), ("b", "a"), ("a", "b"), (".",), ("b", "."), ("a/sub", "a")],
    ids=",".join,
)
def test_any_list_of_roots_shows_history(
    place: Path, roots: tuple[str, ...]
) -> None:
    made = _changed(place, "f", "a")
    assert made in _history(place, *roots)
    with _open(place, *roots) as workspace:
        workspace.undo(made)
    assert (place / "a" / "f").read_text() == "one\n"
    assert len(_history(place, "a")) == 2


def test_folder_below_shows_its_part(place: Path) -> None:
    with _open(place, "a") as workspace:
        items = [
            {"path": path, "content": "new\n", "mode": "overwrite"}
            for path in ("f", "sub/g")
        ]
        both = workspace.run("write_content", {"items": items}).data[
            "change_id"
        ]
        outside = workspace.write("f", "newer\n", mode="overwrite").data[
            "change_id"
        ]
        inside = workspace.write("sub/g", "newer\n", mode="overwrite").data[
            "change_id"
        ]
    assert _history(place, "a/sub") == {inside: ["g"], both: ["g"]}
    with _open(place, "a/sub") as workspace:
        assert (
            workspace.call("get_history", {"change_id": outside}).code
            == Code.NOT_FOUND
        )
        workspace.undo(inside)
        assert (place / "a" / "sub" / "g").read_text() == "new\n"
        refused = workspace.call("revert_edit", {"change_id": both})
        assert refused.code == Code.PATH_ESCAPE
        assert (place / "a").as_posix() in refused.text
    assert (place / "a" / "f").read_text() == "newer\n"


def test_folder_above_shows_and_undoes(
    place: Path,
) -> None:
    made = _changed(place, "g", "a/sub")
    assert _history(place, ".") == {made: ["a/sub/g"]}
    with _open(place, ".") as workspace:
        workspace.revert_edit(path="a/sub/g")
    assert (place / "a" / "sub" / "g").read_text() == "two\n"


@pytest.mark.needs("birth_times")
def test_renamed_root_keeps_history(place: Path) -> None:
    made = _changed(place, "f", "a")
    (place / "a").rename(place / "renamed")
    assert _history(place, "renamed") == {made: ["f"]}
    with _open(place, "renamed") as workspace:
        workspace.undo(made)
    assert (place / "renamed" / "f").read_text() == "one\n"
    assert len(_history(place, "renamed")) == 2


@pytest.mark.needs("birth_times")
def test_new_folder_inherits_no_history(place: Path) -> None:
    made = _changed(place, "f", "a")
    (place / "a").rename(place / "old")
    (place / "a").mkdir()
    (place / "a" / "f").write_text("another\n")
    with _open(place, "a") as workspace:
        assert list(workspace.history()) == []
        assert any(
            "is a new folder" in note for note in workspace.changes.state_notes
        )
        other = workspace.write("f", "new\n", mode="overwrite").data[
            "change_id"
        ]
    assert _history(place, "a") == {other: ["f"]}
    assert _history(place, "old") == {made: ["f"]}


def test_copied_root_has_own_history(place: Path) -> None:
    made = _changed(place, "f", "a")
    shutil.copytree(place / "a", place / "copy")
    assert _history(place, "copy") == {}
    assert _history(place, "a") == {made: ["f"]}


def test_change_of_several_roots_is_one(
    place: Path,
) -> None:
    with _open(place, "a", "b") as workspace:
        items = [
            {"path": path, "content": "new\n", "mode": "overwrite"}
            for path in ("f", "b:h")
        ]
        made = workspace.run("write_content", {"items": items}).data[
            "change_id"
        ]
    assert _history(place, "a") == {made: ["f"]}
    assert _history(place, "b") == {made: ["h"]}
    with _open(place, "b") as workspace:
        assert (
            workspace.call("revert_edit", {"change_id": made}).code
            == Code.PATH_ESCAPE
        )
    with _open(place, "b", "a") as workspace:
        workspace.undo(made)
    assert (place / "a" / "f").read_text() == "one\n"
    assert (place / "b" / "h").read_text() == "three\n"


def _torn(
    place: Path,
    monkeypatch: pytest.MonkeyPatch,
    *paths: str,
    roots: tuple[str, ...],
) -> None:
    """A change that ended just before it was done."""

    def stop(*_: Any, **__: Any) -> Any:
        raise Stopped

    with monkeypatch.context() as patch, _open(place, *roots) as workspace:
        patch.setattr(Log, "mark_done", stop)
        patch.setattr("filewright.changes.commit.roll_back", stop)
        items = [
            {"path": path, "content": "new\n", "mode": "overwrite"}
            for path in paths
        ]
        with pytest.raises(Stopped):
            workspace.run("write_content", {"items": items})


def test_recovers_folder_below(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _torn(place, monkeypatch, "g", roots=("a/sub",))
    assert (place / "a" / "sub" / "g").read_text() == "new\n"
    with _open(place, "a") as workspace:
        assert "two" in workspace.read("sub/g").text
    assert (place / "a" / "sub" / "g").read_text() == "two\n"


@pytest.mark.parametrize("roots", [("b",), ("a/sub",)], ids=",".join)
def test_change_beyond_roots_waits_for_all(
    place: Path, monkeypatch: pytest.MonkeyPatch, roots: tuple[str, ...]
) -> None:
    _torn(place, monkeypatch, "f", "sub/g", "b:h", roots=("a", "b"))
    own = "h" if roots == ("b",) else "g"
    (place / roots[0] / "other").write_text("other\n")
    with _open(place, *roots) as workspace:
        refused = workspace.call("read_content", {"path": own})
        assert refused.code == Code.IN_USE
        assert (place / "a").as_posix() in refused.text
        assert "other" in workspace.read("other").text
        workspace.write("other", "edited\n", mode="overwrite")
        refused = workspace.call(
            "write_content",
            {"items": [{"path": own, "content": "", "mode": "overwrite"}]},
        )
        assert refused.code == Code.IN_USE
    assert (place / "a" / "f").read_text() == "new\n"
    with _open(place, "a", "b") as workspace:
        assert "one" in workspace.read("f").text
    assert (place / "a" / "sub" / "g").read_text() == "two\n"
    assert (place / "b" / "h").read_text() == "three\n"


@pytest.mark.needs("birth_times")
def test_recovers_renamed_root(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _torn(place, monkeypatch, "f", roots=("a",))
    (place / "a").rename(place / "renamed")
    with _open(place, "renamed") as workspace:
        assert "one" in workspace.read("f").text


def test_makes_removed_state_folder_again(
    place: Path,
) -> None:
    with _open(place, "a") as workspace:
        workspace.write("f", "new\n", mode="overwrite")
        shutil.rmtree(place / "state")
        assert list(workspace.history()) == []
        made = workspace.write("f", "newer\n", mode="overwrite").data[
            "change_id"
        ]
        assert [record.id for record in workspace.history()] == [made]
        workspace.undo(made)
    assert (place / "a" / "f").read_text() == "new\n"


@pytest.mark.needs("birth_times")
def test_makes_removed_index_again(place: Path) -> None:
    made = _changed(place, "f", "a")
    (place / "state" / "roots").unlink()
    assert _history(place, "a") == {made: ["f"]}
    (place / "a").rename(place / "renamed")
    other = _changed(place, "h", "b")
    assert _history(place, "renamed") == {made: ["f"]}
    assert _history(place, "b") == {other: ["h"]}


@pytest.mark.parametrize(
    "files",
    [{}, {"a.journal": b"FWCHANG1", "index": b"one\n"}],
    ids=["folder", "folder and files"],
)
def test_names_state_of_earlier_version(
    place: Path, files: dict[str, bytes]
) -> None:
    earlier = place / "state" / "a-0123456789abcdef"
    for name in ("journal", "history", "blobs", "aside", "kept"):
        (earlier / name).mkdir(parents=True)
    (earlier / "journal" / "1gy6pvn1e8000.done").write_bytes(
        b"FWCHANG2" + bytes(8)
    )
    (earlier / "key").write_bytes(bytes(32))
    for name, content in files.items():
        (place / "state" / name).write_bytes(content)
    status = (place / "a").stat()
    owner = {
        "id": earlier.name,
        "paths": [str(place / "a")],
        "device": status.st_dev,
        "inode": status.st_ino,
    }
    (earlier / "root").write_text(json.dumps({**owner, "birth": None}) + "\n")
    before = {
        path: path.read_bytes()
        for path in (place / "state").rglob("*")
        if path.is_file()
    }
    with _open(place, "a") as workspace:
        (note,) = workspace.changes.state_notes
        assert earlier.name in note
        assert "a new history of" in note
        assert list(workspace.history()) == []
        workspace.write("f", "new\n", mode="overwrite")
        workspace.undo()
    assert {path: path.read_bytes() for path in before} == before
    with _open(place, "a") as workspace:
        assert workspace.changes.state_notes == ()
        assert len(list(workspace.history())) == 2


def test_torn_index_line_harms_no_other(place: Path) -> None:
    made = _changed(place, "f", "a")
    with (place / "state" / "roots").open("ab") as index:
        index.write(b'{"id": "half')
    other = _changed(place, "h", "b")
    assert _history(place, "a") == {made: ["f"]}
    assert _history(place, "b") == {other: ["h"]}


def test_short_sessions_stay_within_limits(
    place: Path,
) -> None:
    limit = 300_000
    for number in range(20):
        (place / "a" / "big").write_bytes(os.urandom(50_000))
        with _open(place, "a", settings=_limited(place, limit)) as workspace:
            workspace.delete("big")
        kept = sum(
            path.stat().st_size
            for path in (place / "state").rglob("*")
            if path.is_file()
        )
        assert kept <= limit + 60_000, f"after {number} changes"


def _limited(place: Path, limit: int) -> Any:
    return Settings(state_dir=place / "state", history_bytes=limit)


def test_read_only_workspace_makes_no_state(place: Path) -> None:
    with _open(place, "a", read_only=True) as workspace:
        assert list(workspace.history()) == []
        with pytest.raises(FilewrightError):
            workspace.write("f", "x")
    assert not (place / "state").exists()


@pytest.mark.skipif(
    sys.platform == "win32",
    reason="on Windows it has the rights of the user's own folder",
)
def test_state_is_private(bench: Any) -> None:
    bench.commit(bench.modify("a.txt", Splice(0, 3, b"ONE")))
    for path in [bench.state, *bench.state.rglob("*")]:
        assert stat.S_IMODE(path.stat().st_mode) == (
            0o700 if path.is_dir() else 0o600
        ), path


@pytest.mark.skipif(
    sys.platform == "win32", reason="Windows has no owners by number"
)
def test_refuses_state_folder_of_another_user(
    scene: Any, area: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with scene.Bench(area) as bench:
        bench.commit(Create(bench.at("n"), b""))
    monkeypatch.setattr(os, "geteuid", lambda: 4242)
    with scene.Bench(area) as bench:
        with pytest.raises(FilewrightError) as caught:
            bench.commit(Create(bench.at("m"), b""))
        assert caught.value.code is Code.PERMISSION_DENIED
        assert "state" in (caught.value.hint or "")


def test_unwritable_state_folder_refuses_changes(
    scene: Any, area: Path
) -> None:
    (area / "state").write_bytes(b"in the way")
    with scene.Bench(area) as bench:
        with pytest.raises(FilewrightError) as caught:
            bench.commit(Create(bench.at("m"), b""))
        assert caught.value.code is Code.PERMISSION_DENIED
        assert "--state-dir" in (caught.value.hint or "")
        assert bench.changes.history() == []
