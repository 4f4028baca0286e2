"""Undo: everything comes back, later changes stay, conflicts are refused."""

from __future__ import annotations

import errno
import os
import shutil
import stat
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.changes.steps import RENAMES, numbers_workspace, replace_text
from tests.platforms.unix_only import not_on_wine

from filewright import Workspace
from filewright.changes.blobs import content_after, content_before
from filewright.changes.selection import Scope
from filewright.edit.changeset import (
    Copy,
    Create,
    Delete,
    MakeFolder,
    Move,
    SetMode,
)
from filewright.errors import Code, FilewrightError
from filewright.progress import Task
from filewright.settings import Settings
from filewright.text.splice import Splice

TEXT = b"".join(b"line %d\n" % n for n in range(1, 21))


def _state(bench: Any, scene: Any) -> Any:
    return scene.tree(bench.root)


@pytest.mark.parametrize(
    "steps",
    [
        lambda b: [
            b.modify("a.txt", Splice(0, 3, b"ONE"), Splice(8, 0, b"new\n"))
        ],
        lambda b: [Create(b.at("a.txt"), b"other", replace=True)],
        lambda b: [Create(b.at("deep/er/n.txt"), b"n")],
        lambda b: [Delete(b.at("f"), recursive=True)],
        lambda b: [Move(b.at("f"), b.at("h/f"))],
        lambda b: [Move(b.at("a.txt"), b.at("b.txt"), overwrite=True)],
        lambda b: [
            Move(b.at("f/x.txt"), b.at("x.txt")),
            Delete(b.at("f"), recursive=True),
        ],
        lambda b: [Copy(b.at("f"), b.at("copy"))],
        lambda b: [SetMode(b.at("f"), "700"), SetMode(b.at("a.txt"), "600")],
        lambda b: [Delete(b.at("link")), Move(b.at("a.txt"), b.at("link"))],
        lambda b: [Delete(b.at("a.txt")), MakeFolder(b.at("a.txt"))],
        lambda b: [
            Move(b.at("f"), b.at("g")),
            Create(b.at("f/x.txt"), b"new"),
            Delete(b.at("g/x.txt")),
        ],
    ],
    ids=[
        "edit",
        "overwrite",
        "create in new folders",
        "delete a folder",
        "move a folder",
        "move over a file",
        "move out and delete",
        "copy a folder",
        "change modes",
        "move over a link",
        "folder for a file",
        "move and make again",
    ],
)
def test_undo_and_redo_restore_every_byte(
    bench: Any, scene: Any, steps: Any
) -> None:
    os.symlink("a.txt", bench.root / "link")
    (bench.root / "f/x.txt").chmod(0o751)
    before = _state(bench, scene)
    record = bench.commit(*steps(bench))
    after = _state(bench, scene)
    undone = bench.undo(record.id)
    assert undone.reverts == (record.id,)
    assert not undone.partial
    assert _state(bench, scene) == before
    redone = bench.undo(undone.id)
    assert _state(bench, scene) == after
    bench.undo(redone.id)
    assert _state(bench, scene) == before


@pytest.mark.needs("attributes")
def test_restores_mode_time_and_attributes(bench: Any) -> None:
    path = bench.root / "a.txt"
    path.chmod(0o4711)
    os.setxattr(path, "user.note", b"n")
    os.utime(path, ns=(10**18, 10**18))
    record = bench.commit(Delete(bench.at("a.txt")))
    bench.undo(record.id)
    assert stat.S_IMODE(path.stat().st_mode) == 0o4711
    assert path.stat().st_mtime_ns == 10**18
    assert os.getxattr(path, "user.note") == b"n"


def test_keeps_and_reports_later_changes(bench: Any) -> None:
    path = bench.root / "t.txt"
    path.write_bytes(TEXT)
    record = bench.commit(bench.modify("t.txt", Splice(0, 6, b"LINE 1")))
    path.write_bytes(
        path.read_bytes().replace(
            b"line 15\n", b"line 15 of them\nand one more\n"
        )
    )
    reversal = bench.changes.undo(record.id, preview=True)[1]
    assert reversal.merged == ("t.txt",)
    assert any("merged" in note for note in reversal.notes)
    assert "-LINE 1" in reversal.diff.text
    bench.changes.commit(reversal.change_set)
    assert path.read_bytes() == TEXT.replace(
        b"line 15\n", b"line 15 of them\nand one more\n"
    )


def test_refuses_conflict_unless_forced(bench: Any) -> None:
    path = bench.root / "t.txt"
    path.write_bytes(TEXT)
    record = bench.commit(bench.modify("t.txt", Splice(0, 6, b"LINE 1")))
    path.write_bytes(path.read_bytes().replace(b"LINE 1", b"something else"))
    with pytest.raises(FilewrightError) as caught:
        bench.changes.undo(record.id, preview=True)
    assert caught.value.code is Code.STALE_VERSION
    assert caught.value.details["conflicts"] == [
        {
            "path": "t.txt",
            "why": "has changed since in the same lines",
            "lines": [1, 1],
            "now": "something else",
            "then": "line 1",
        }
    ]
    assert (
        "<<<<<<< now\nsomething else\n=======\nline 1\n>>>>>>> undone"
        in caught.value.message
    )
    bench.changes.commit(
        bench.changes.undo(record.id, force=True, preview=True)[1].change_set
    )
    assert path.read_bytes() == TEXT


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("first", [True, False])
def test_merges_utf16_by_lines(bench: Any, codec: str, first: bool) -> None:
    """Line ends are in the bytes of other characters too, and the mark at the start stays where it is."""
    path, lines = bench.root / "w.txt", [f"\u0a0a{n}\u010a\n" for n in range(9)]
    lines[0] = "\ufeff" + lines[0]
    path.write_bytes("".join(lines).encode(codec))
    ours, theirs = (0, 6) if first else (6, 0)
    changed = [*lines]
    changed[ours] = lines[ours].replace("\u010a", " of ours")
    record = bench.commit(
        Create(bench.at("w.txt"), "".join(changed).encode(codec), replace=True)
    )
    for each in (changed, lines):
        each[theirs] = each[theirs].replace("\u010a", "\u0a0d, of theirs")
    path.write_bytes("".join(changed).encode(codec))
    _, reversal = bench.changes.undo(record.id)
    assert reversal.merged == ("w.txt",)
    assert path.read_bytes().decode(codec) == "".join(lines)


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
def test_converted_file_is_conflict(bench: Any, codec: str) -> None:
    path = bench.root / "a.txt"
    record = bench.commit(bench.modify("a.txt", Splice(0, 3, b"ONE")))
    path.write_bytes(("\ufeff" + path.read_text()).encode(codec))
    left = path.read_bytes()
    with pytest.raises(
        FilewrightError, match="has changed since in the same lines"
    ):
        bench.changes.undo(record.id)
    assert path.read_bytes() == left


@pytest.mark.skipif(
    not hasattr(os, "mkfifo"), reason="no pipes with names on this system"
)
def test_refuses_pipe_in_place_of_created_file(
    bench: Any,
) -> None:
    record = bench.commit(Create(bench.at("new"), b"new\n"))
    (bench.root / "new").unlink()
    os.mkfifo(bench.root / "new")
    with pytest.raises(FilewrightError, match="new is now a special file"):
        bench.changes.undo(record.id, preview=True)


@pytest.mark.parametrize(
    ("step", "spoil"),
    [
        (
            lambda b: Delete(b.at("a.txt")),
            lambda r: (r / "a.txt").write_bytes(b"new"),
        ),
        (
            lambda b: Create(b.at("n"), b"n"),
            lambda r: (r / "n").write_bytes(b"edited"),
        ),
        (
            lambda b: Move(b.at("a.txt"), b.at("m")),
            lambda r: (r / "m").unlink(),
        ),
        (
            lambda b: Move(b.at("a.txt"), b.at("m")),
            lambda r: (r / "a.txt").write_bytes(b"new"),
        ),
    ],
    ids=["recreated", "edited", "deleted", "made at its former path"],
)
def test_never_overwrites_foreign_files(
    bench: Any, scene: Any, step: Any, spoil: Any
) -> None:
    record = bench.commit(step(bench))
    spoil(bench.root)
    before = _state(bench, scene)
    with pytest.raises(FilewrightError) as caught:
        bench.undo(record.id)
    assert caught.value.code is Code.STALE_VERSION
    assert _state(bench, scene) == before


@pytest.mark.parametrize("harm", ["deleted", "moved", "folder moved"])
def test_brings_back_edited_file_that_is_gone(bench: Any, harm: str) -> None:
    path = bench.root / "f" / "x.txt"
    path.chmod(0o640)
    record = bench.commit(bench.modify("f/x.txt", Splice(0, 2, b"EX")))
    if harm == "deleted":
        path.unlink()
    else:
        gone = path if harm == "moved" else path.parent
        gone.rename(bench.root / "elsewhere")
    _, reversal = bench.changes.undo(record.id)
    assert path.read_bytes() == b"ex\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert any("recreated" in note for note in reversal.notes)
    if harm == "moved":
        assert (bench.root / "elsewhere").read_bytes() == b"EX\n"


def test_brings_back_moved_file_that_is_gone(
    bench: Any,
) -> None:
    record = bench.commit(
        bench.modify("a.txt", Splice(0, 3, b"ONE")),
        Move(bench.at("a.txt"), bench.at("m")),
    )
    (bench.root / "m").unlink()
    bench.changes.undo(record.id)
    assert (bench.root / "a.txt").read_bytes() == b"one\ntwo\nthree\n"


@pytest.mark.parametrize("step", ["edit", "delete"])
@pytest.mark.parametrize("now", ["file", "folder", "link"])
def test_force_replaces_what_is_there(
    bench: Any, scene: Any, step: str, now: str
) -> None:
    before = _state(bench, scene)
    path = bench.root / "a.txt"
    record = bench.commit(
        bench.modify("a.txt", Splice(0, 3, b"ONE"))
        if step == "edit"
        else Delete(bench.at("a.txt"))
    )
    path.unlink(missing_ok=True)
    if now == "folder":
        (path / "deep").mkdir(parents=True)
        (path / "deep" / "theirs").write_bytes(b"theirs\n")
    elif now == "link":
        path.symlink_to("b.txt")
    else:
        path.write_bytes(b"theirs\n")
    theirs = _state(bench, scene)
    with pytest.raises(FilewrightError) as caught:
        bench.changes.undo(record.id)
    assert caught.value.code is Code.STALE_VERSION
    assert _state(bench, scene) == theirs
    made, _ = bench.changes.undo(record.id, force=True)
    assert {name: kept[:2] for name, kept in _state(bench, scene).items()} == {
        name: kept[:2] for name, kept in before.items()
    }
    bench.changes.undo(made.id)
    assert {name: kept[:2] for name, kept in _state(bench, scene).items()} == {
        name: kept[:2] for name, kept in theirs.items()
    }


def test_too_many_open_files_is_no_damage(
    bench: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = bench.commit(Delete(bench.at("f"), recursive=True))

    def full(*_: Any, **__: Any) -> int:
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    with monkeypatch.context() as patch:
        patch.setattr("filewright.changes.blobs.ExitStack", full)
        with pytest.raises(FilewrightError) as caught:
            bench.changes.undo(record.id)
    assert "damaged" not in str(caught.value)
    assert "no longer" not in str(caught.value)
    bench.changes.undo(record.id)
    assert (bench.root / "f" / "x.txt").read_bytes() == b"ex\n"


def _calls(work: Any) -> int:
    """How many calls of Python functions some work takes: what it costs, whatever the machine does."""
    count = 0

    def counted(_frame: Any, event: str, _argument: Any) -> None:
        nonlocal count
        count += event == "call"

    sys.setprofile(counted)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize(
    "steps",
    [
        lambda b, count: [
            Delete(b.at(f"d{n}"), recursive=True) for n in range(20)
        ],
        lambda b, count: [
            Create(b.at(f"n{n % 20}/{n}"), b"b\n") for n in range(count)
        ],
        lambda b, count: [
            Move(b.at(f"d{n % 20}/{n}"), b.at(f"d0/m{n}")) for n in range(count)
        ],
        lambda b, count: [
            b.modify(f"d{n % 20}/{n}", Splice(0, 1, b"b")) for n in range(count)
        ],
    ],
    ids=["delete", "create", "move", "edit"],
)
def test_work_grows_with_files(scene: Any, area: Any, steps: Any) -> None:
    costs = []
    for count in (20, 200):
        with scene.Bench(area / str(count)) as bench:
            for number in range(count):
                (bench.root / f"d{number % 20}").mkdir(exist_ok=True)
                (bench.root / f"d{number % 20}" / f"{number}").write_bytes(
                    b"a\n"
                )
            record = bench.commit(*steps(bench, count))
            costs.append(
                _calls(
                    lambda bench=bench, record=record: bench.changes.undo(
                        record.id, preview=True
                    )
                )
            )
    # A part of the work is for each undo, so that linear work gives up to 8.1.
    assert costs[1] <= 9 * costs[0]


def test_leaves_out_diff_that_takes_too_long(bench: Any, area: Any) -> None:
    with Workspace(bench.root, state_dir=area / "state") as workspace:
        made = workspace.write("a.txt", "other\n", mode="overwrite").data[
            "change_id"
        ]

        class Late(Task):
            def check(self) -> None:
                pass

            @property
            def expired(self) -> bool:
                return True

        answer = workspace.under(Late()).run(
            "revert_edit", {"change_id": made, "diff": "full"}
        )
    assert (bench.root / "a.txt").read_bytes() == b"one\ntwo\nthree\n"
    assert "undid" in answer.text
    assert "not shown" in answer.text


def test_keeps_folder_filled_by_others(bench: Any) -> None:
    record = bench.commit(Create(bench.at("new/n.txt"), b"n"))
    (bench.root / "new" / "theirs.txt").write_bytes(b"theirs")
    reversal = bench.changes.undo(record.id, preview=True)[1]
    assert any("stays" in note for note in reversal.notes)
    bench.changes.commit(reversal.change_set)
    assert os.listdir(bench.root / "new") == ["theirs.txt"]


def test_undoes_edits_within_one_second(bench: Any) -> None:
    path = bench.root / "a.txt"
    original = path.read_bytes()
    first = bench.commit(bench.modify("a.txt", Splice(0, 3, b"1st")))
    undone = bench.undo(first.id)
    second = bench.commit(bench.modify("a.txt", Splice(0, 3, b"2nd")))
    bench.undo(second.id)
    assert path.read_bytes() == original
    bench.undo(undone.id)
    assert path.read_bytes() == original.replace(b"one", b"1st")


def test_keeps_undone_change_in_history(bench: Any) -> None:
    record = bench.commit(bench.modify("a.txt", Splice(0, 3, b"ONE")))
    undone = bench.undo(record.id)
    assert [r.id for r in bench.changes.history()] == [undone.id, record.id]
    (entry,) = bench.changes.record(record.id).file_changes
    assert content_before(entry) == b"one\ntwo\nthree\n"
    assert content_after(entry) == b"ONE\ntwo\nthree\n"


def test_second_undo_is_no_change(bench: Any) -> None:
    record = bench.commit(bench.modify("a.txt", Splice(0, 3, b"ONE")))
    bench.undo(record.id)
    with pytest.raises(FilewrightError) as caught:
        bench.undo(record.id)
    assert caught.value.code is Code.NO_CHANGE


@pytest.mark.parametrize("hold_bytes", [1000, 100_000])
def test_undoes_edit_of_large_file_that_grew(
    scene: Any, area: Any, hold_bytes: int
) -> None:
    with scene.Bench(
        area, whole_undo_bytes=1000, identity_bytes=2000, hold_bytes=hold_bytes
    ) as bench:
        path = bench.root / "log"
        path.write_bytes(b"entry\n" * 2000)
        record = bench.commit(bench.modify("log", Splice(6000, 5, b"EVENT")))
        with path.open("ab") as log:
            log.write(b"later\n")
        reversal = bench.changes.undo(record.id, preview=True)[1]
        assert reversal.merged == ("log",)
        bench.changes.commit(reversal.change_set)
        assert path.read_bytes() == b"entry\n" * 2000 + b"later\n"
        again = bench.commit(bench.modify("log", Splice(0, 5, b"FIRST")))
        path.write_bytes(b"x" + path.read_bytes()[1:])
        with pytest.raises(FilewrightError) as caught:
            bench.undo(again.id)
        assert caught.value.code is Code.STALE_VERSION


def test_preview_shows_undo(bench: Any) -> None:
    was, mode = ("666", "444") if sys.platform == "win32" else ("644", "600")
    record = bench.commit(
        bench.modify("a.txt", Splice(0, 3, b"ONE")),
        Delete(bench.at("b.txt")),
        Move(bench.at("f/x.txt"), bench.at("x.txt")),
        Create(bench.at("n.txt"), b"n\n"),
        SetMode(bench.at("f/g/y.txt"), mode),
    )
    diff = bench.changes.undo(record.id, preview=True)[1].diff.text
    for part in (
        "-ONE\n+one",
        "+bee",
        "rename from x.txt\nrename to f/x.txt",
        "-n\n",
        f"new mode 100{was}",
    ):
        assert part in diff, part
    done = bench.changes.diff(record.id).text
    for part in (
        "-one\n+ONE",
        "-bee",
        "rename from f/x.txt\nrename to x.txt",
        "+n\n",
        f"new mode 100{mode}",
    ):
        assert part in done, part


def test_preview_shows_what_goes_with_folder(
    bench: Any,
) -> None:
    record = bench.commit(
        Move(bench.at("a.txt"), bench.at("f/n/a.txt")),
        Move(bench.at("f/g"), bench.at("f/n/m/g")),
        Create(bench.at("f/n/new.txt"), b"new\n"),
        Create(bench.at("f/n/m/g/k/new.txt"), b"newer\n"),
    )
    (bench.root / "f/n/a.txt").write_bytes(b"one\nTWO\n")
    diff = bench.changes.undo(record.id, preview=True)[1].diff
    gone = [file.old_name for file in diff.files if file.new_name is None]
    assert sorted(gone) == ["f/n/m/g/k/new.txt", "f/n/new.txt"]
    assert [(lost.path, lost.files) for lost in diff.lost] == [
        ("f/n/", 1),
        ("f/n/m/g/k/", 1),
    ]
    bench.undo(record.id)
    assert sorted(path.name for path in (bench.root / "f").rglob("*")) == [
        "g",
        "x.txt",
        "y.txt",
    ]


def test_undoes_large_removal_from_displaced_file(
    scene: Any, area: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("filewright.changes.backup.MAX_REMOVED_BYTES", 1000)
    with scene.Bench(
        area, whole_undo_bytes=1000, identity_bytes=2000, hold_bytes=1000
    ) as bench:
        path = bench.root / "log"
        content = b"".join(b"entry %05d\n" % n for n in range(2000))
        path.write_bytes(content)
        inode = path.stat().st_ino
        record = bench.commit(bench.modify("log", Splice(1000, 15_000, b"")))
        assert path.read_bytes() == content[:1000] + content[16_000:]
        assert [
            f.stat().st_ino for f in (bench.state / "contents").glob("=*")
        ] == [inode]
        bench.undo(record.id)
        assert path.read_bytes() == content


@pytest.mark.needs("attributes")
def test_restores_attributes_of_folder(bench: Any) -> None:
    os.setxattr(bench.root / "f", "user.note", b"folder")
    (bench.root / "f").chmod(0o2750)
    record = bench.commit(Delete(bench.at("f"), recursive=True))
    bench.undo(record.id)
    assert os.getxattr(bench.root / "f", "user.note") == b"folder"
    assert stat.S_IMODE((bench.root / "f").stat().st_mode) == 0o2750


RULES: dict[str, dict[str, Any]] = {
    "only one folder may be changed": {".agentsreadonly": "/*\n!/src/\n"},
    "hidden names are denied": {"deny": [".*"]},
    "only one folder is offered": {".agentsignore": "/*\n!/src/\n"},
}


@pytest.mark.parametrize("case", RULES)
@not_on_wine("nothing is found below a folder that was renamed meanwhile")
def test_undoes_moves_under_same_rules(tmp_path: Any, case: str) -> None:
    """Undoing several moves, each goes to a name of its own in between, which no rule is about."""
    root = tmp_path / "root"
    (root / "src" / "d").mkdir(parents=True)
    for name in ("a", "b", "d/e"):
        (root / "src" / name).write_text(name)
    settings = dict(RULES[case])
    for name in [name for name in settings if name.startswith(".")]:
        (root / name).write_text(settings.pop(name))
    before = {
        path: path.is_file() and path.read_text()
        for path in sorted(root.rglob("*"))
    }
    moves = [("a", "c"), ("b", "a"), ("d", "n/b"), ("n/b/e", "n/e")]
    items = [
        {"source": f"src/{old}", "destination": f"src/{new}"}
        for old, new in moves
    ]
    with Workspace(
        root, settings=Settings(**settings, state_dir=str(tmp_path / "state"))
    ) as workspace:
        workspace.run("move_items", {"items": items})
        workspace.undo()
    assert {
        path: path.is_file() and path.read_text()
        for path in sorted(root.rglob("*"))
    } == before


@pytest.mark.parametrize("target", [".git/hooks", "ro", ".codex"])
def test_undoes_link_in_place_of_folder(tmp_path: Any, target: str) -> None:
    root = tmp_path / "root"
    for name in ("hooks/sub/run", ".git/hooks/x", "ro/k"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(name)
    (root / ".agentsreadonly").write_text("/ro/\n")
    before = {
        path: path.is_file() and path.read_text()
        for path in sorted(root.rglob("*"))
    }
    with Workspace(root, state_dir=tmp_path / "state") as workspace:
        begun = workspace.begin_command()
        shutil.rmtree(root / "hooks")
        (root / "hooks").symlink_to(target)
        workspace.end_command(begun, "ln")
        workspace.undo()
        assert not (root / "hooks").is_symlink()
    assert {
        path: path.is_file() and path.read_text()
        for path in sorted(root.rglob("*"))
    } == before


def test_restores_hard_linked_file_if_asked(tmp_path: Path) -> None:
    path, other = tmp_path / "root/f", tmp_path / "root/other"
    path.parent.mkdir()
    path.write_text("1\n")
    with Workspace(path.parent, state_dir=tmp_path / "state") as workspace:
        workspace.write("f", "2\n", mode="overwrite")
        os.link(path, other)
        asked = {"path": "f"}
        assert workspace.call("revert_edit", asked).code == "hard_linked"
        assert not workspace.call(
            "revert_edit", {**asked, "break_hard_links": True}
        ).is_error
    assert (path.read_text(), other.read_text()) == ("1\n", "2\n")


@pytest.mark.parametrize(
    "meanwhile",
    ["nothing", "edited", "added", "removed", "link", "replaced", "file"],
)
def test_undoes_copy_of_folder(tmp_path: Path, meanwhile: str) -> None:
    root = tmp_path / "root"
    (root / "d" / "e").mkdir(parents=True)
    (root / "d" / "e" / "f").write_text("f\n")
    (root / "d" / "g").write_text("g\n")
    (root / "d" / "l").symlink_to("g")
    with Workspace(root, state_dir=tmp_path / "state") as workspace:
        workspace.copy("d", "copy")
        if meanwhile == "edited":
            (root / "copy" / "e" / "f").write_text("F\n")
        elif meanwhile == "added":
            (root / "copy" / "e" / "mine").write_text("mine\n")
        elif meanwhile == "removed":
            (root / "copy" / "g").unlink()
        elif meanwhile == "link":
            (root / "copy" / "l").unlink()
            (root / "copy" / "l").symlink_to("e")
        elif meanwhile == "replaced":
            (root / "copy" / "g").unlink()
            (root / "copy" / "g").mkdir()
        elif meanwhile == "file":
            shutil.rmtree(root / "copy")
            (root / "copy").write_text("mine\n")
        before = {str(path.relative_to(root)) for path in root.rglob("*")}
        if meanwhile in ("edited", "link", "replaced", "file"):
            with pytest.raises(FilewrightError) as caught:
                workspace.undo()
            assert caught.value.code == "stale_version"
            left = before
        else:
            made = workspace.undo()
            left = {"d", "d/e", "d/e/f", "d/g", "d/l"}
            if meanwhile == "added":
                left |= {"copy", "copy/e", "copy/e/mine"}
        assert {str(path.relative_to(root)) for path in root.rglob("*")} == left
        if meanwhile == "nothing":
            workspace.undo(made.change_id)
            assert (root / "copy" / "e" / "f").read_text() == "f\n"
            assert os.readlink(root / "copy" / "l") == "g"


@pytest.mark.parametrize("renamed", RENAMES)
@pytest.mark.parametrize("by", ["change", "path"])
def test_undo_follows_later_renames(bench: Any, renamed: str, by: str) -> None:
    moves, now = RENAMES[renamed]
    change = bench.commit(bench.modify("f/x.txt", Splice(0, 2, b"EX")))
    for source, destination in moves:
        bench.commit(Move(bench.at(source), bench.at(destination)))
    scope = (
        change.id if by == "change" else Scope(change.id, path=bench.at(now))
    )
    bench.changes.undo(scope)
    assert (bench.root / now).read_bytes() == b"ex\n"
    assert not (bench.root / "f/x.txt").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="modes of folders")
def test_redoes_over_read_only_folder(tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root writes to a folder without a right to write")
    root = tmp_path / "work"
    (root / "closed").mkdir(parents=True)
    (root / "closed").chmod(0o555)
    (root / "f").write_text("f\n")
    with Workspace(root, state_dir=tmp_path / "state") as workspace:
        first = workspace.write("first", "1\n").change_id
        workspace.delete("closed", recursive=True)
        workspace.move("f", "closed/f")
        workspace.revert_edit(since=first)
        assert (root / "closed").stat().st_mode & 0o777 == 0o555
        workspace.redo()
    assert (root / "closed").stat().st_mode & 0o777 == 0o755
    assert (root / "closed" / "f").read_text() == "f\n"


@pytest.mark.parametrize("preview", [False, True], ids=["undo", "preview"])
def test_partial_undo_leaves_conflicts(tmp_path: Path, preview: bool) -> None:
    with numbers_workspace(tmp_path) as workspace:
        workspace.write("first", "1")
        since = workspace.newest()
        for path in ("a.txt", "b.txt"):
            replace_text(workspace, path, "three", "THREE")
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
        assert "unchanged, since the file has changed since" in answer.text
        assert (
            "<<<<<<< now\nother\n=======\nthree\n>>>>>>> undone" in answer.text
        )
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


def test_partial_undo_leaves_lines(tmp_path: Path) -> None:
    with numbers_workspace(tmp_path) as workspace:
        workspace.write("first", "1")
        since = workspace.newest()
        replace_text(workspace, "a.txt", "one", "ONE")
        replace_text(workspace, "a.txt", "three", "THREE")
        replace_text(workspace, "b.txt", "five", "FIVE")
        path = tmp_path / "work/a.txt"
        path.write_text("ONE\ntwo\nother\nfour\nfive\n")
        answer = workspace.call("revert_edit", {"since": since})
        assert "partial=true" in answer.text
        answer = workspace.call(
            "revert_edit", {"since": since, "partial": True}
        )
        assert not answer.is_error, answer.text
        assert path.read_text() == "one\ntwo\nother\nfour\nfive\n"
        assert (tmp_path / "work/b.txt").read_text().endswith("four\nfive\n")
        sides = "<<<<<<< now\nother\n=======\nthree\n>>>>>>> undone"
        assert answer.text.count(sides) == 1
        workspace.redo()
        assert path.read_text() == "ONE\ntwo\nother\nfour\nfive\n"


@pytest.mark.parametrize("later", ["ONE", "THREE"])
def test_partial_undo_of_one_change(tmp_path: Path, later: str) -> None:
    with numbers_workspace(tmp_path) as workspace:
        edits = [
            {"search": "one", "replace": "ONE"},
            {"search": "three", "replace": "THREE"},
        ]
        workspace.edit("a.txt", edits)
        path = tmp_path / "work/a.txt"
        text = path.read_text().replace(later, "mine")
        path.write_text(text)
        answer = workspace.call(
            "revert_edit", {"change_id": "@", "partial": True}
        )
        assert not answer.is_error, answer.text
        assert path.read_text() == text.lower()


def test_partial_undo_needs_something_to_undo(tmp_path: Path) -> None:
    with numbers_workspace(tmp_path) as workspace:
        replace_text(workspace, "a.txt", "three", "THREE")
        (tmp_path / "work/a.txt").write_text("one\ntwo\nother\nfour\nfive\n")
        answer = workspace.call(
            "revert_edit", {"change_id": "@", "partial": True}
        )
        assert answer.code == Code.STALE_VERSION
        assert "partial=true" not in answer.text


def test_partial_undo_leaves_folder_of_conflict(tmp_path: Path) -> None:
    with numbers_workspace(tmp_path) as workspace:
        workspace.write("first", "1")
        since = workspace.newest()
        workspace.write("new/a", "1\n")
        workspace.write("new/b", "1\n")
        (tmp_path / "work/new/b").write_text("others\n")
        answer = workspace.call(
            "revert_edit", {"since": since, "partial": True}
        )
        assert not answer.is_error, answer.text
        assert [path.name for path in (tmp_path / "work/new").iterdir()] == [
            "b"
        ]


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
    tmp_path: Path,
    old: str,
    new: str,
    later: list[tuple[str, str]],
    after: str | None,
) -> None:
    with numbers_workspace(tmp_path) as workspace:
        path = tmp_path / "work/u.txt"
        path.write_text("a\nb\nc\n")
        replace_text(workspace, "u.txt", old, new)
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


@pytest.mark.parametrize(
    ("arguments", "is_later_recorded", "words"),
    [
        pytest.param({}, True, "partial later force", id="change"),
        pytest.param({}, False, "partial force", id="edited by others"),
        pytest.param({"hunk": 1}, True, "later", id="hunk"),
        pytest.param({"hunk": 1}, False, "", id="hunk edited by others"),
        pytest.param({"force": True, "hunk": 1}, True, "later", id="forced"),
        pytest.param({"partial": True, "hunk": 1}, True, "later", id="part"),
    ],
)
def test_hints_of_a_refusal_work(
    tmp_path: Path,
    arguments: dict[str, Any],
    is_later_recorded: bool,
    words: str,
) -> None:
    with numbers_workspace(tmp_path) as workspace:
        edits = [{"search": "one", "replace": "1"}]
        if "hunk" not in arguments:
            edits.append({"search": "five", "replace": "5"})
        edited = workspace.edit("a.txt", edits).change_id
        if is_later_recorded:
            replace_text(workspace, "a.txt", "1\n", "mine\n")
        else:
            path = tmp_path / "work/a.txt"
            path.write_text(path.read_text().replace("1\n", "mine\n"))
        call = {"change_id": edited, **arguments}
        hint = workspace.call("revert_edit", call).error.hint
        for word in ("partial", "force"):
            is_named = f"give {word}=true" in hint
            assert is_named == (word in words)
            preview = {**call, word: True, "preview": True}
            preview_answer = workspace.call("revert_edit", preview)
            assert preview_answer.is_error != is_named
        assert ("undo the later changes" in hint) == ("later" in words)
        if "later" in words:
            workspace.undo()
            assert not workspace.call("revert_edit", call).is_error


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
        assert (
            "is a root of the workspace, so its mode and owner stay"
            in answer.text
        )
        assert not (root / "new").exists()
        assert (root / "in").stat().st_mode & 0o777 == 0o700


def test_names_merged_file_once(tmp_path: Path) -> None:
    with numbers_workspace(tmp_path) as workspace:
        workspace.write("first", "1")
        since = workspace.newest()
        replace_text(workspace, "a.txt", "one", "ONE")
        path = tmp_path / "work/a.txt"
        path.write_text(path.read_text().replace("three", "other"))
        replace_text(workspace, "a.txt", "five", "FIVE")
        path.write_text(
            "zero\n" * 3 + path.read_text().replace("other", "another")
        )
        answer = workspace.call("revert_edit", {"since": since})
        assert not answer.is_error, answer.text
        assert answer.text.count("later changes stay") == 1
