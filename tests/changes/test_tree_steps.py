"""Steps on the tree of a change: what they do together, and what they refuse."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.changes.steps import EDIT, numbers_workspace, refused

from filewright.edit.changeset import (
    Copy,
    Create,
    Delete,
    ExpectedState,
    MakeFolder,
    MakeLink,
    Modify,
    Move,
    SetMode,
    SetOwner,
)
from filewright.errors import Code, FilewrightError
from filewright.system import storable_mode
from filewright.text.splice import Splice


@pytest.mark.skipif(
    "WINEPREFIX" in os.environ,
    reason="Wine does not find a folder by its handle once it was renamed",
)
def test_sees_earlier_steps(bench: Any) -> None:
    at = bench.at
    made = ExpectedState(4, None, None)
    bench.commit(
        MakeFolder(at("new")),
        Create(at("new/n.txt"), b"new\n"),
        Modify(at("new/n.txt"), made, (Splice(0, 3, b"old"),)),
        Move(at("new"), at("f/moved")),
        Copy(at("f/moved/n.txt"), at("copy.txt")),
        Delete(at("f/moved/n.txt")),
        Move(at("f/g"), at("f/moved/g")),
    )
    assert (bench.root / "copy.txt").read_bytes() == b"old\n"
    assert (bench.root / "f/moved/g/y.txt").read_bytes() == b"why\n"
    assert sorted(os.listdir(bench.root / "f/moved")) == ["g"]


def test_composes_edits(bench: Any) -> None:
    first = bench.modify("a.txt", EDIT)
    second = Modify(
        bench.at("a.txt"),
        ExpectedState(14, None, None),
        (Splice(4, 3, b"TWO"),),
    )
    record = bench.commit(first, second)
    assert (bench.root / "a.txt").read_bytes() == b"ONE\nTWO\nthree\n"
    bench.undo(record.id)
    assert (bench.root / "a.txt").read_bytes() == b"one\ntwo\nthree\n"


@pytest.mark.parametrize("mode", [0o4755, 0o2755, 0o6711])
def test_drops_special_bits(bench: Any, mode: int) -> None:
    path = bench.root / "a.txt"
    for step in (
        bench.modify("a.txt", EDIT),
        Create(bench.at("a.txt"), b"new\n", replace=True),
    ):
        path.chmod(mode)
        record = bench.commit(step)
        assert stat.S_IMODE(path.stat().st_mode) == mode & 0o777
        assert "setuid" in record.notes[0]
        bench.undo(record.id)
        assert stat.S_IMODE(path.stat().st_mode) == mode


@pytest.mark.skipif(
    storable_mode(0o700, is_folder=False) != 0o700,
    reason="this system has no such mode",
)
def test_chmod_leaves_other_hard_link(bench: Any) -> None:
    outside = bench.root.parent / "outside.txt"
    outside.write_bytes(b"one\ntwo\nthree\n")
    (bench.root / "a.txt").unlink()
    os.link(outside, bench.root / "a.txt")
    mode = outside.stat().st_mode
    bench.commit(SetMode(bench.at("a.txt"), "700"), break_hard_links=True)
    assert outside.stat().st_mode == mode
    assert stat.S_IMODE((bench.root / "a.txt").stat().st_mode) == 0o700


@pytest.mark.parametrize("how", ["modify", "replace", "over"])
def test_refuses_read_only_file(bench: Any, how: str) -> None:
    step = {
        "modify": bench.modify("a.txt", EDIT),
        "replace": Create(bench.at("a.txt"), b"x", replace=True),
        "over": Move(bench.at("b.txt"), bench.at("a.txt"), overwrite=True),
    }[how]
    (bench.root / "a.txt").chmod(0o444)
    error = refused(bench, step)
    assert error.code is Code.PERMISSION_DENIED
    assert error.hint


def test_refuses_link(bench: Any) -> None:
    os.symlink("a.txt", bench.root / "link")
    for step in (
        Create(bench.at("link"), b"x", replace=True),
        SetMode(bench.at("link"), "600"),
    ):
        assert refused(bench, step).code is Code.SYMLINK
    bench.commit(Move(bench.at("link"), bench.at("f/link")))
    assert os.readlink(bench.root / "f/link") == "a.txt"
    bench.commit(Delete(bench.at("f/link")))
    assert (bench.root / "a.txt").exists()


@pytest.mark.parametrize(
    ("steps", "code"),
    [
        pytest.param(
            lambda at: [Create(at("a.txt"), b"")],
            Code.ALREADY_EXISTS,
            id="create over file",
        ),
        pytest.param(
            lambda at: [Create(at("f"), b"", replace=True)],
            Code.NOT_A_FILE,
            id="create over folder",
        ),
        pytest.param(
            lambda at: [Create(at("a.txt/x"), b"")],
            Code.NOT_A_DIRECTORY,
            id="create below file",
        ),
        pytest.param(
            lambda at: [MakeFolder(at("a.txt"))],
            Code.NOT_A_DIRECTORY,
            id="folder over file",
        ),
        pytest.param(
            lambda at: [Delete(at("none"))], Code.NOT_FOUND, id="delete missing"
        ),
        pytest.param(
            lambda at: [Move(at("none"), at("x"))],
            Code.NOT_FOUND,
            id="move missing",
        ),
        pytest.param(
            lambda at: [Move(at("a.txt"), at("b.txt"))],
            Code.ALREADY_EXISTS,
            id="move over file",
        ),
        pytest.param(
            lambda at: [Move(at("a.txt"), at("f"), overwrite=True)],
            Code.NOT_A_FILE,
            id="move over folder",
        ),
        pytest.param(
            lambda at: [
                MakeLink(at("l"), b"f"),
                Move(at("f/x.txt"), at("l/x.txt")),
            ],
            Code.INVALID_INPUT,
            id="same file through new link",
        ),
        pytest.param(
            lambda at: [Copy(at("a.txt"), at("a.txt"), overwrite=True)],
            Code.INVALID_INPUT,
            id="copy over itself",
        ),
        pytest.param(
            lambda at: [Move(at("f"), at("f/g/f"))],
            Code.INVALID_INPUT,
            id="move into itself",
        ),
        pytest.param(
            lambda at: [Copy(at("f"), at("f/g/f"))],
            Code.INVALID_INPUT,
            id="copy into itself",
        ),
        pytest.param(
            lambda at: [Move(at("f"), at("a.txt"), overwrite=True)],
            Code.NOT_A_DIRECTORY,
            id="folder moved over file",
        ),
        pytest.param(
            lambda at: [SetMode(at("a.txt"), "u+s")],
            Code.PERMISSION_DENIED,
            id="setuid",
        ),
        pytest.param(
            lambda at: [SetMode(at("a.txt"), "rwx")],
            Code.INVALID_INPUT,
            id="no mode",
        ),
        pytest.param(
            lambda at: [Create(at(".git/config"), b"")],
            Code.PERMISSION_DENIED,
            id="protected",
        ),
        pytest.param(
            lambda at: [MakeFolder(at("f"))], Code.NO_CHANGE, id="nothing to do"
        ),
        pytest.param(
            lambda at: [Create(at("n" * 300), b"")],
            Code.INVALID_INPUT,
            id="long name",
        ),
    ],
)
def test_refuses_impossible_steps(bench: Any, steps: Any, code: Code) -> None:
    if sys.platform == "win32" and code is Code.INVALID_INPUT:
        with pytest.raises(
            FilewrightError
        ) as caught:  # A name that is too long is refused before.
            bench.commit(*steps(bench.at))
        assert caught.value.code is code
        return
    wanted = steps(bench.at)
    if code is not Code.NO_CHANGE:
        wanted = [Create(bench.at("first.txt"), b"first"), *wanted]
    assert refused(bench, *wanted).code is code


def test_deletes_in_folders_moved_apart(bench: Any, scene: Any) -> None:
    (bench.root / "f/g/z.txt").write_bytes(b"zed\n")
    bench.commit(
        Delete(bench.at("f/x.txt")),
        Delete(bench.at("f/g/y.txt")),
        Move(bench.at("f/g"), bench.at("n/g")),
        Move(bench.at("f"), bench.at("m/f")),
    )
    assert sorted(scene.tree(bench.root)) == [
        "a.txt",
        "b.txt",
        "m",
        "m/f",
        "n",
        "n/g",
        "n/g/z.txt",
    ]


def test_sets_and_restores_owner_with_setuid(bench: Any) -> None:
    path = bench.root / "a.txt"
    path.chmod(0o4755)
    if os.geteuid() != 0:
        assert (
            refused(bench, SetOwner(bench.at("a.txt"), 1234, None)).code
            is Code.PERMISSION_DENIED
        )
        return
    record = bench.commit(SetOwner(bench.at("a.txt"), 1234, None))
    status = path.stat()
    assert (status.st_uid, stat.S_IMODE(status.st_mode)) == (1234, 0o755)
    bench.undo(record.id)
    status = path.stat()
    assert (status.st_uid, stat.S_IMODE(status.st_mode)) == (0, 0o4755)


def test_move_below_own_name_takes_two_changes(tmp_path: Path) -> None:
    with numbers_workspace(tmp_path) as workspace:
        answer = workspace.call(
            "move_items",
            {"items": [{"source": "a.txt", "destination": "a.txt/b"}]},
        )
        assert "takes two changes" in answer.text
        assert (
            "move it to another name, then from there to a.txt/b" in answer.text
        )
        workspace.move("a.txt", "other")
        workspace.move("other", "a.txt/b")
        assert (tmp_path / "work/a.txt/b").is_file()
