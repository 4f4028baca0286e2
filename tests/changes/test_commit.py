"""What a commit keeps, refuses and leaves alone."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.platforms.unix_only import not_on_wine
from tests.rows import each_row

from filewright import Workspace
from filewright.changes.database import Flusher
from filewright.edit.changeset import (
    ChangeSet,
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
from filewright.progress import Task
from filewright.system import capabilities, storable_mode
from filewright.text.splice import Splice

EDIT = Splice(0, 3, b"ONE")


def _refused(bench: Any, *steps: Any, **options: Any) -> FilewrightError:
    """The refusal of a change set, with the proof that it changed nothing."""
    before = {
        path: path.read_bytes() for path in bench.root.rglob("*") if path.is_file()
    }
    with pytest.raises(FilewrightError) as caught:
        bench.commit(*steps, **options)
    assert {
        path: path.read_bytes() for path in bench.root.rglob("*") if path.is_file()
    } == before
    assert not [path for path in bench.root.rglob("*") if path.name.startswith(".fw~")]
    return caught.value


@pytest.mark.skipif(
    "WINEPREFIX" in os.environ,
    reason="Wine does not find a folder by its handle once it was renamed",
)
def test_a_later_step_sees_the_result_of_an_earlier_one(bench: Any) -> None:
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


def test_two_edits_of_one_file_compose(bench: Any) -> None:
    first = bench.modify("a.txt", EDIT)
    second = Modify(
        bench.at("a.txt"), ExpectedState(14, None, None), (Splice(4, 3, b"TWO"),)
    )
    record = bench.commit(first, second)
    assert (bench.root / "a.txt").read_bytes() == b"ONE\nTWO\nthree\n"
    bench.undo(record.id)
    assert (bench.root / "a.txt").read_bytes() == b"one\ntwo\nthree\n"


def test_names_are_exchanged_in_one_change(bench: Any) -> None:
    at = bench.at
    record = bench.commit(
        Move(at("a.txt"), at("spare")),
        Move(at("b.txt"), at("a.txt")),
        Move(at("spare"), at("b.txt")),
    )
    assert (bench.root / "a.txt").read_bytes() == b"bee\n"
    assert (bench.root / "b.txt").read_bytes() == b"one\ntwo\nthree\n"
    assert {entry.action for entry in record.file_changes} == {"moved"}
    bench.undo(record.id)
    assert (bench.root / "b.txt").read_bytes() == b"bee\n"


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o755])
def test_a_replaced_file_keeps_its_mode(bench: Any, mode: int) -> None:
    (bench.root / "a.txt").chmod(mode)
    bench.commit(bench.modify("a.txt", EDIT))
    assert stat.S_IMODE((bench.root / "a.txt").stat().st_mode) == mode


@pytest.mark.parametrize("mode", [0o4755, 0o2755, 0o6711])
def test_new_content_does_not_run_with_the_rights_of_the_old(
    bench: Any, mode: int
) -> None:
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


@pytest.mark.needs("attributes")
def test_a_replaced_file_keeps_its_attributes_and_acl(bench: Any) -> None:
    path = bench.root / "a.txt"
    os.setxattr(path, "user.note", b"kept")
    bench.commit(bench.modify("a.txt", EDIT))
    assert os.getxattr(path, "user.note") == b"kept"


def test_a_replaced_file_keeps_its_owner(bench: Any) -> None:
    owner = (
        (1234, 2345)
        if os.geteuid() == 0
        else (os.geteuid(), [os.getegid(), *os.getgroups()][-1])
    )
    os.chown(bench.root / "a.txt", *owner)
    bench.commit(bench.modify("a.txt", EDIT))
    status = (bench.root / "a.txt").stat()
    assert (status.st_uid, status.st_gid) == owner


@pytest.mark.needs("attributes")
def test_what_cannot_be_kept_refuses_the_change(
    bench: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any) -> None:
        raise PermissionError(errno.EPERM, "not permitted")

    os.setxattr(bench.root / "a.txt", "user.note", b"n")
    monkeypatch.setattr(os, "setxattr", refuse)
    error = _refused(bench, bench.modify("a.txt", EDIT))
    assert error.code is Code.PERMISSION_DENIED
    assert error.details["lost"] == "extended attribute user.note"


def test_the_temporary_of_a_secret_is_never_readable_by_others(
    bench: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    (bench.root / "a.txt").chmod(0o600)
    seen: list[int] = []
    real = os.open

    def watching(path: Any, flags: int, mode: int = 0o777, **more: Any) -> int:
        descriptor = real(path, flags, mode, **more)
        if flags & os.O_CREAT:
            seen.append(stat.S_IMODE(os.fstat(descriptor).st_mode))
        return descriptor

    monkeypatch.setattr(os, "open", watching)
    bench.commit(bench.modify("a.txt", EDIT))
    assert seen
    assert set(seen) <= {0o600}


def test_a_users_own_tmp_file_beside_the_target_stays(bench: Any) -> None:
    for name in ("a.txt.tmp", ".a.txt.swp", "a.txt~", ".fw~x", ".fw~mine.txt"):
        (bench.root / name).write_bytes(b"mine")
    bench.commit(bench.modify("a.txt", EDIT))
    bench.changes.recover()
    for name in ("a.txt.tmp", ".a.txt.swp", "a.txt~", ".fw~x", ".fw~mine.txt"):
        assert (bench.root / name).read_bytes() == b"mine"


# Refusals


def test_hard_links_are_refused_and_counted(bench: Any) -> None:
    os.link(bench.root / "a.txt", bench.root / "other.txt")
    for step in (bench.modify("a.txt", EDIT), SetMode(bench.at("a.txt"), "600")):
        error = _refused(bench, step)
        assert error.code is Code.HARD_LINKED
        assert error.details["hard_links"] == 2
    record = bench.commit(bench.modify("a.txt", EDIT), break_hard_links=True)
    assert record.hard_links == {"a.txt": 2}
    assert (bench.root / "other.txt").read_bytes() == b"one\ntwo\nthree\n"


@pytest.mark.skipif(
    storable_mode(0o700, is_folder=False) != 0o700,
    reason="this system has no such mode",
)
def test_chmod_of_a_hard_link_does_not_reach_the_other_name(bench: Any) -> None:
    outside = bench.root.parent / "outside.txt"
    outside.write_bytes(b"one\ntwo\nthree\n")
    (bench.root / "a.txt").unlink()
    os.link(outside, bench.root / "a.txt")
    mode = outside.stat().st_mode
    bench.commit(SetMode(bench.at("a.txt"), "700"), break_hard_links=True)
    assert outside.stat().st_mode == mode
    assert stat.S_IMODE((bench.root / "a.txt").stat().st_mode) == 0o700


def test_of_a_large_hard_link_whose_mode_changes_too_only_what_an_edit_takes_out_is_kept(
    scene: Any, area: Path
) -> None:
    with scene.Bench(area, whole_undo_bytes=1000) as bench:
        (bench.root / "a.txt").write_bytes(b"one\n" * 1000)
        os.link(bench.root / "a.txt", bench.root / "other.txt")
        edit = bench.modify("a.txt", EDIT)
        record = bench.commit(
            SetMode(bench.at("a.txt"), "600"), edit, break_hard_links=True
        )
        assert [
            (entry.before.blob, bool(entry.packed_spans))
            for entry in record.file_changes
        ] == [(None, True)]
        assert (bench.root / "other.txt").read_bytes() == b"one\n" * 1000
        bench.undo(record.id)
        assert (bench.root / "a.txt").read_bytes() == b"one\n" * 1000


@pytest.mark.parametrize("how", ["modify", "replace", "over"])
def test_a_read_only_file_is_not_edited(bench: Any, how: str) -> None:
    step = {
        "modify": bench.modify("a.txt", EDIT),
        "replace": Create(bench.at("a.txt"), b"x", replace=True),
        "over": Move(bench.at("b.txt"), bench.at("a.txt"), overwrite=True),
    }[how]
    (bench.root / "a.txt").chmod(0o444)
    error = _refused(bench, step)
    assert error.code is Code.PERMISSION_DENIED
    assert error.hint


def test_a_folder_without_write_permission_is_left_alone(bench: Any) -> None:
    step = bench.modify("f/x.txt", Splice(0, 1, b"E"))
    (bench.root / "f").chmod(0o555)
    try:
        for refused in (
            step,
            Delete(bench.at("f/x.txt")),
            Create(bench.at("f/new.txt"), b""),
        ):
            assert _refused(bench, refused).code is Code.PERMISSION_DENIED
    finally:
        (bench.root / "f").chmod(0o755)


_HOLDER = "import sys; f = open(sys.argv[1], 'ab'); print('open', flush=True); sys.stdin.read()"


@pytest.mark.parametrize("step", ["modify", "replace", "delete", "tree"])
@pytest.mark.needs("lease")
def test_a_file_that_another_program_writes_is_in_use(bench: Any, step: str) -> None:
    path = "f/x.txt" if step == "tree" else "a.txt"
    steps = {
        "modify": bench.modify("a.txt", EDIT),
        "replace": Create(bench.at("a.txt"), b"x", replace=True),
        "delete": Delete(bench.at("a.txt")),
        "tree": Delete(bench.at("f"), recursive=True),
    }
    command = [sys.executable, "-c", _HOLDER, str(bench.root / path)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline().rstrip() == b"open"
        error = _refused(bench, steps[step])
        assert error.code is Code.IN_USE
        holder.communicate()
    bench.commit(steps[step])


def test_a_link_is_neither_followed_nor_replaced(bench: Any) -> None:
    os.symlink("a.txt", bench.root / "link")
    for step in (
        Create(bench.at("link"), b"x", replace=True),
        SetMode(bench.at("link"), "600"),
    ):
        assert _refused(bench, step).code is Code.SYMLINK
    bench.commit(Move(bench.at("link"), bench.at("f/link")))
    assert os.readlink(bench.root / "f/link") == "a.txt"
    bench.commit(Delete(bench.at("f/link")))
    assert (bench.root / "a.txt").exists()


def test_a_path_through_a_link_is_the_same_file(bench: Any) -> None:
    os.symlink("f", bench.root / "way")
    first = bench.modify("way/x.txt", Splice(0, 2, b"EX"))
    second = Modify(
        bench.at("f/x.txt"), ExpectedState(3, None, None), (Splice(3, 0, b"more\n"),)
    )
    record = bench.commit(first, second)
    assert (bench.root / "f/x.txt").read_bytes() == b"EX\nmore\n"
    assert record.display_paths == ["f/x.txt"]


@pytest.mark.parametrize(
    ("steps", "code"),
    [
        (lambda at: [Create(at("a.txt"), b"")], Code.ALREADY_EXISTS),
        (lambda at: [Create(at("f"), b"", replace=True)], Code.NOT_A_FILE),
        (lambda at: [Create(at("a.txt/x"), b"")], Code.NOT_A_DIRECTORY),
        (lambda at: [MakeFolder(at("a.txt"))], Code.NOT_A_DIRECTORY),
        (lambda at: [Delete(at("none"))], Code.NOT_FOUND),
        (lambda at: [Move(at("none"), at("x"))], Code.NOT_FOUND),
        (lambda at: [Move(at("a.txt"), at("b.txt"))], Code.ALREADY_EXISTS),
        (lambda at: [Move(at("a.txt"), at("f"), overwrite=True)], Code.NOT_A_FILE),
        (
            lambda at: [MakeLink(at("l"), b"f"), Move(at("f/x.txt"), at("l/x.txt"))],
            Code.INVALID_INPUT,
        ),
        (
            lambda at: [Copy(at("a.txt"), at("a.txt"), overwrite=True)],
            Code.INVALID_INPUT,
        ),
        (lambda at: [Move(at("f"), at("f/g/f"))], Code.INVALID_INPUT),
        (lambda at: [Copy(at("f"), at("f/g/f"))], Code.INVALID_INPUT),
        (lambda at: [Move(at("f"), at("a.txt"), overwrite=True)], Code.NOT_A_DIRECTORY),
        (lambda at: [SetMode(at("a.txt"), "u+s")], Code.PERMISSION_DENIED),
        (lambda at: [SetMode(at("a.txt"), "rwx")], Code.INVALID_INPUT),
        (lambda at: [Create(at(".git/config"), b"")], Code.PERMISSION_DENIED),
        (lambda at: [MakeFolder(at("f"))], Code.NO_CHANGE),
        (lambda at: [Create(at("n" * 300), b"")], Code.INVALID_INPUT),
    ],
)
def test_what_cannot_be_done_is_refused_with_everything_before_it(
    bench: Any, steps: Any, code: Code
) -> None:
    if sys.platform == "win32" and code is Code.INVALID_INPUT:
        with pytest.raises(
            FilewrightError
        ) as refused:  # A name that is too long is refused before.
            bench.commit(*steps(bench.at))
        assert refused.value.code is code
        return
    wanted = steps(bench.at)
    if code is not Code.NO_CHANGE:
        wanted = [Create(bench.at("first.txt"), b"first"), *wanted]
    assert _refused(bench, *wanted).code is code


def test_what_is_deleted_is_found_in_folders_that_are_moved_apart(
    bench: Any, scene: Any
) -> None:
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


def test_a_folder_with_a_repository_inside_is_not_deleted(bench: Any) -> None:
    (bench.root / "f/repo/.git").mkdir(parents=True)
    (bench.root / "f/repo/.git/HEAD").write_bytes(b"ref")
    assert (
        _refused(bench, Delete(bench.at("f"), recursive=True)).code
        is Code.PERMISSION_DENIED
    )


def test_a_cancelled_request_changes_nothing(bench: Any) -> None:
    task = Task()
    task.cancel()
    with pytest.raises(FilewrightError) as caught:
        bench.changes.commit(
            ChangeSet("test", "", (Create(bench.at("n"), b""),)), task=task
        )
    assert caught.value.code is Code.CANCELLED
    assert not (bench.root / "n").exists()


def test_a_read_only_workspace_refuses_every_change(scene: Any, area: Path) -> None:
    with scene.Bench(area, read_only=True) as bench:
        error = _refused(bench, Create(bench.at("n"), b""))
        assert error.code is Code.READ_ONLY
    assert not (area / "state").exists()


# Modes and owners


@pytest.mark.parametrize(
    ("before", "asked", "after"),
    [
        (0o644, "755", 0o755),
        (0o644, "0o600", 0o600),
        (0o644, "u+x", 0o744),
        (0o755, "go-rwx", 0o700),
        (0o640, "g=u", 0o660),
        (0o644, "a+X", 0o644),
        (0o744, "a+X", 0o755),
        (0o600, "u=rwx,go=rx", 0o755),
        (0o4755, "4711", 0o4711),
        (0o4755, "755", 0o755),
    ],
)
def test_modes_as_chmod_reads_them(
    bench: Any, before: int, asked: str, after: int
) -> None:
    path = bench.root / "a.txt"
    path.chmod(before)
    record = (
        bench.commit(SetMode(bench.at("a.txt"), asked)) if before != after else None
    )
    assert stat.S_IMODE(path.stat().st_mode) == after
    if record is not None:
        bench.undo(record.id)
        assert stat.S_IMODE(path.stat().st_mode) == before


def test_an_owner_is_set_and_given_back_with_setuid(bench: Any) -> None:
    path = bench.root / "a.txt"
    path.chmod(0o4755)
    if os.geteuid() != 0:
        assert (
            _refused(bench, SetOwner(bench.at("a.txt"), 1234, None)).code
            is Code.PERMISSION_DENIED
        )
        return
    record = bench.commit(SetOwner(bench.at("a.txt"), 1234, None))
    status = path.stat()
    assert (status.st_uid, stat.S_IMODE(status.st_mode)) == (1234, 0o755)
    bench.undo(record.id)
    status = path.stat()
    assert (status.st_uid, stat.S_IMODE(status.st_mode)) == (0, 0o4755)


# File systems that lack something


@pytest.mark.needs("exchange")
def test_without_exchange_a_plain_rename_serves(
    bench: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lacking(*_: Any) -> None:
        raise OSError(errno.EINVAL, "no such flag")

    monkeypatch.setattr("filewright.system.linux.renameat2", lacking)
    record = bench.commit(
        bench.modify("a.txt", EDIT),
        Create(bench.at("new/n.txt"), b"n"),
        Delete(bench.at("f"), recursive=True),
        Move(bench.at("b.txt"), bench.at("c.txt")),
    )
    assert (bench.root / "a.txt").read_bytes() == b"ONE\ntwo\nthree\n"
    assert sorted(os.listdir(bench.root)) == ["a.txt", "c.txt", "new"]
    bench.undo(record.id)
    assert (bench.root / "f/g/y.txt").read_bytes() == b"why\n"
    assert sorted(os.listdir(bench.root)) == ["a.txt", "b.txt", "f"]


@pytest.mark.needs("exchange")
def test_without_exchange_a_failure_still_takes_back(
    bench: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.link

    def lacking(*_: Any) -> None:
        raise OSError(errno.EINVAL, "no such flag")

    def racing(source: Any, target: Any, **more: Any) -> None:
        if target == b"zz.txt":
            raise FileExistsError(errno.EEXIST, "taken")
        real(source, target, **more)

    monkeypatch.setattr("filewright.system.linux.renameat2", lacking)
    monkeypatch.setattr(os, "link", racing)
    error = _refused(
        bench,
        bench.modify("a.txt", EDIT),
        Delete(bench.at("b.txt")),
        Create(bench.at("zz.txt"), b"z"),
    )
    assert error.code is Code.ALREADY_EXISTS


def test_a_refused_rename_becomes_copy_and_delete_in_one_change(
    bench: Any, scene: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def layered(_: str, name: bytes, target: bytes) -> None:
        if name == b"f" and target == b"h":
            raise OSError(errno.EXDEV, "layers")

    scene.before_renames(monkeypatch, layered)
    os.utime(bench.root / "f/x.txt", ns=(10**18, 10**18))
    record = bench.commit(
        Move(bench.at("f"), bench.at("h")), Create(bench.at("n"), b"")
    )
    assert (bench.root / "h/g/y.txt").read_bytes() == b"why\n"
    assert (bench.root / "h/x.txt").stat().st_mtime_ns == 10**18
    assert not (bench.root / "f").exists()
    bench.undo(record.id)
    assert (bench.root / "f/g/y.txt").read_bytes() == b"why\n"
    assert not (bench.root / "h").exists()


# Large files


def _large(scene: Any, area: Path, **limits: int) -> Any:
    return scene.Bench(
        area, whole_undo_bytes=1000, identity_bytes=2000, hold_bytes=1000, **limits
    )


def test_a_large_file_is_edited_checked_by_identity_and_undone_by_splices(
    scene: Any, area: Path
) -> None:
    with _large(scene, area) as bench:
        content = bytes(range(256)) * 20000
        (bench.root / "big").write_bytes(content)
        bench.commit(Create(bench.at("small"), b""))
        size = bench.changes.logs[0].size
        step = bench.modify(
            "big", Splice(3_000_000, 4, b"changed"), Splice(10, 0, b"in")
        )
        assert step.expected.digest is None
        step = replace(step, splices=tuple(sorted(step.splices)))
        record = bench.commit(step)
        assert (bench.root / "big").read_bytes() == (
            content[:10]
            + b"in"
            + content[10:3_000_000]
            + b"changed"
            + content[3_000_004:]
        )
        assert list((bench.state / "contents").iterdir()) == []
        assert bench.changes.logs[0].size - size < 10_000
        text = bench.changes.diff(record.id).text
        assert "changed" in text or "Binary" in text
        bench.undo(record.id)
        assert (bench.root / "big").read_bytes() == content


def test_a_large_file_that_changed_since_is_stale(scene: Any, area: Path) -> None:
    with _large(scene, area) as bench:
        path = bench.root / "big"
        path.write_bytes(b"x" * 10_000)
        step = bench.modify("big", Splice(0, 1, b"y"))
        os.utime(path)
        assert _refused(bench, step).code is Code.STALE_VERSION


def test_a_deleted_large_file_is_kept_without_copying_and_comes_back(
    scene: Any, area: Path
) -> None:
    with _large(scene, area) as bench:
        path = bench.root / "big"
        path.write_bytes(b"x" * 10_000)
        inode = path.stat().st_ino
        record = bench.commit(Delete(bench.at("big")))
        kept = list((bench.state / "contents").glob("=*"))
        assert [file.stat().st_ino for file in kept] == [inode]
        bench.undo(record.id)
        assert path.read_bytes() == b"x" * 10_000
        assert path.stat().st_nlink == 1


def test_undo_that_would_be_too_large_is_refused_unless_not_wanted(
    scene: Any, area: Path
) -> None:
    with _large(scene, area, max_undo_bytes=5000) as bench:
        (bench.root / "big").write_bytes(b"x" * 10_000)
        assert _refused(bench, Delete(bench.at("big"))).code is Code.TOO_LARGE
        assert not list((bench.state / "contents").glob("=*"))
        record = bench.commit(Delete(bench.at("big")), undoable=False)
        with pytest.raises(FilewrightError) as caught:
            bench.changes.undo(record.id, preview=True)
        assert caught.value.code is Code.UNSUPPORTED


def test_an_encoding_that_was_only_sampled_is_checked_on_the_way(bench: Any) -> None:
    (bench.root / "a.txt").write_bytes(b"plain\n" * 10 + b"\xff\n")
    step = replace(
        bench.modify("a.txt", Splice(0, 0, "é".encode())), encoding_check="utf-8"
    )
    assert _refused(bench, step).code is Code.UNENCODABLE


@pytest.mark.needs("attributes")
def test_copies_keep_mode_times_and_attributes(bench: Any) -> None:
    path = bench.root / "f/x.txt"
    path.chmod(0o751)
    os.setxattr(path, "user.note", b"n")
    os.utime(path, ns=(10**18, 10**18))
    os.symlink("x.txt", bench.root / "f/link")
    bench.commit(Copy(bench.at("f"), bench.at("deep/copy")))
    copy = bench.root / "deep/copy/x.txt"
    assert stat.S_IMODE(copy.stat().st_mode) == 0o751
    assert copy.stat().st_mtime_ns == 10**18
    assert os.getxattr(copy, "user.note") == b"n"
    assert os.readlink(bench.root / "deep/copy/link") == "x.txt"


def test_untouched_files_keep_their_inode_and_time(bench: Any) -> None:
    before = {
        p: (p.stat().st_ino, p.stat().st_mtime_ns)
        for p in bench.root.rglob("*")
        if p.is_file()
    }
    bench.commit(
        bench.modify("a.txt", EDIT), Move(bench.at("b.txt"), bench.at("c.txt"))
    )
    for path, seen in before.items():
        if path.name not in ("a.txt", "b.txt"):
            assert (path.stat().st_ino, path.stat().st_mtime_ns) == seen
    assert (bench.root / "c.txt").stat().st_ino == before[bench.root / "b.txt"][0]


def test_a_small_edit_costs_four_flushes_and_a_new_file_five(bench: Any) -> None:
    def flushes(*steps: Any) -> int:
        before = bench.changes.flush_count
        bench.commit(*steps)
        return int(bench.changes.flush_count - before)

    bench.commit(Create(bench.at("first"), b""))
    assert flushes(bench.modify("a.txt", EDIT)) == 4
    assert flushes(Create(bench.at("new.txt"), b"new\n")) == 5
    assert flushes(Delete(bench.at("new.txt"))) == 3


@pytest.mark.skipif(
    not capabilities.flush_file_system, reason="each folder is flushed by itself"
)
def test_a_large_change_over_two_file_systems_flushes_both(
    scene: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only the file system of the first folder was flushed before the change was called done."""
    flushed: list[int] = []
    flush = Flusher.file_system

    def noted(flusher: Flusher, handle: Any) -> None:
        flushed.append(handle.status().device)
        flush(flusher, handle)

    monkeypatch.setattr(Flusher, "file_system", noted)
    with scene.disk_folder() as disk, scene.quick_folder() as memory:
        roots = disk / "one", memory / "two"
        for root in roots:
            for number in range(140):
                (root / f"d{number}").mkdir(parents=True)
                (root / f"d{number}/f").write_text("old\n")
        if len({root.stat().st_dev for root in roots}) < 2:
            pytest.skip("both folders are on one file system")
        with Workspace(*roots, state_dir=tmp_path / "state") as workspace:
            where = [f"{root}/d{number}/f" for root in roots for number in range(140)]
            items = [
                {"path": path, "content": "new\n", "mode": "overwrite"}
                for path in where
            ]
            made = workspace.call("write_content", {"items": items})
            assert not made.is_error, made.text
        # Once what was staged, once the names.
        assert all(flushed.count(root.stat().st_dev) >= 2 for root in roots)


@not_on_wine("nothing is found below a folder that was renamed meanwhile")
def test_a_file_that_is_named_almost_as_a_temporary_is_a_users(tmp_path: Path) -> None:
    names = [".fw~abcdefgh", ".fw~0000000000000000"]
    folder = tmp_path / "root" / "d"
    folder.mkdir(parents=True)
    for name in names:
        (folder / name).write_text(name)
    with Workspace(tmp_path / "root", state_dir=tmp_path / "state") as workspace:
        listed = workspace.call("list_files", {"path": "d"}).text
        assert all(name in listed for name in names)
        workspace.copy("d", "copy")
        workspace.move("d/.fw~abcdefgh", "copy/.fw~0000000000000000", overwrite=True)
        workspace.delete("d", recursive=True)
        assert sorted(os.listdir(tmp_path / "root" / "copy")) == sorted(names)
        assert (tmp_path / "root" / "copy" / names[1]).read_text() == names[0]
        for _ in range(3):
            workspace.undo()
    assert {path.name: path.read_text() for path in folder.iterdir()} == {
        name: name for name in names
    }
    assert os.listdir(tmp_path / "root") == ["d"]


def test_what_is_handed_to_the_disk_early_ends_with_a_whole_page(
    bench: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An edit of odd length moves all that follows; the copy never writes on in a page that it handed over."""
    from filewright.system import File

    (bench.root / "large.bin").write_bytes(b"a line of a log\n" * (1 << 21))
    handed: list[tuple[int, int]] = []
    for kind in (*File.__mro__, *File.__subclasses__()):
        if "start_writeback" in vars(kind):
            monkeypatch.setattr(
                kind, "start_writeback", lambda _, *where: handed.append(where)
            )
    bench.commit(bench.modify("large.bin", Splice(77, 3, b"odd")))
    bench.commit(bench.modify("large.bin", Splice(77, 3, b"longer")))
    assert len(handed) >= 6
    assert all((offset + length) % 4096 == 0 for offset, length in handed)


@each_row("outer_first", [True, False])
@each_row("path", ["inner", "folder/inner"])
@each_row("tool", ["delete", "write", "edit", "move"])
def test_one_change_reaches_a_root_within_another_by_both(
    tmp_path: Path, tool: str, path: str, outer_first: bool
) -> None:
    root = tmp_path / "work"
    inner = root / path
    inner.mkdir(parents=True)
    for name in ("q", "z"):
        (inner / name).write_text("one\n")
    named = [f"{path}/q", str(inner / "z")]
    if not outer_first:
        named.reverse()
    with Workspace(root, inner, state_dir=tmp_path / "state") as workspace:
        if tool == "delete":
            made = workspace.delete(*named)
            wanted = {}
        elif tool == "write":
            made = workspace.write_all(
                [{"path": p, "content": "2\n", "mode": "overwrite"} for p in named]
            )
            wanted = {"q": "2\n", "z": "2\n"}
        elif tool == "edit":
            (inner / "z").write_text("two one\n")
            made = workspace.replace("one", "three", preview=False)
            wanted = {"q": "three\n", "z": "two three\n"}
        else:
            moves = [{"source": each, "destination": f"{each}2"} for each in named]
            made = workspace.run("move_items", {"items": moves})
            wanted = {"q2": "one\n", "z2": "one\n"}
        held = {each.name: each.read_text() for each in inner.iterdir()}
        assert held == wanted
        workspace.revert_edit(made.change_id)
    assert sorted(each.name for each in inner.iterdir()) == ["q", "z"]
    assert (inner / "q").read_text() == "one\n"


def test_changes_of_a_root_and_of_one_within_it_are_undone_together(
    tmp_path: Path,
) -> None:
    root = tmp_path / "work"
    (root / "inner").mkdir(parents=True)
    state = tmp_path / "state"
    with Workspace(root, root / "inner", state_dir=state) as both:
        first = both.write("f", "1\n").change_id
        both.write("inner/q", "1\n")
        with Workspace(root / "inner", state_dir=state) as inner:
            inner.write("z", "1\n")
        both.revert_edit(since=first)
    assert list((root / "inner").iterdir()) == []


@pytest.mark.parametrize(
    "roots", [["work"], ["work", "work/inner"], ["work/inner", "work"]]
)
def test_what_is_renamed_from_a_root_within_is_followed(
    tmp_path: Path, roots: list[str]
) -> None:
    inner, state = tmp_path / "work" / "inner", tmp_path / "state"
    inner.mkdir(parents=True)
    (inner / "q").write_text("one\ntwo\n")
    with (
        Workspace(*[tmp_path / root for root in roots], state_dir=state) as both,
        Workspace(inner, state_dir=state) as within,
    ):
        edited = both.edit(
            str(tmp_path / "work" / "inner" / "q"), [{"search": "one", "replace": "1"}]
        )
        if roots[0] == "work":
            both.edit("inner/q", [{"search": "1", "replace": "ONE"}])
        within.move("q", "r")
        both.revert_edit(since=f"{edited.change_id}^", path=str(inner / "r"))
        assert {path.name: path.read_text() for path in inner.iterdir()} == {
            "q": "one\ntwo\n"
        }
