"""What a rollback gives back, and what it leaves to other programs."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from typing import Any

import pytest
from tests.changes.interrupted import Stopped, kept_contents, stop_at
from tests.changes.steps import EDIT, refused

from filewright.changes.recovery import Recovery
from filewright.edit.changeset import (
    Create,
    Delete,
    Move,
)
from filewright.errors import Code, FilewrightError
from filewright.text.splice import Splice

_LONG = b"".join(b"line %d\n" % number for number in range(1, 4000))


def _without_blocks(content: bytes) -> bytes:
    return content[:4096] + bytes(4096) + content[8192:-4000]


@pytest.mark.needs("exchange")
def test_rolls_back_without_exchange(
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
    error = refused(
        bench,
        bench.modify("a.txt", EDIT),
        Delete(bench.at("b.txt")),
        Create(bench.at("zz.txt"), b"z"),
    )
    assert error.code is Code.ALREADY_EXISTS


def test_keeps_foreign_edit_after_crash(
    bench: Any,
    scene: Any,
    monkeypatch: pytest.MonkeyPatch,
    restarted: Callable[[], Recovery],
) -> None:
    stop_at(bench, monkeypatch, "mark_done", bench.modify("a.txt", EDIT))
    (bench.root / "a.txt").write_bytes(b"theirs\n")
    found = restarted()
    assert any("a.txt" in conflict for conflict in found.conflicts)
    assert (bench.root / "a.txt").read_bytes() == b"theirs\n"
    assert kept_contents(bench) == [b"one\ntwo\nthree\n"]
    assert scene.temporaries(bench.root) == []


@pytest.mark.parametrize("step", ["publish", "flush", "mark_done"])
def test_keeps_both_names_of_one_file(
    bench: Any,
    scene: Any,
    monkeypatch: pytest.MonkeyPatch,
    restarted: Callable[[], Recovery],
    step: str,
) -> None:
    os.link(bench.root / "a.txt", bench.root / "f" / "a.txt")
    move = Move(bench.at("f/a.txt"), bench.at("a.txt"), overwrite=True)
    stop_at(bench, monkeypatch, step, move, break_hard_links=True)
    restarted()
    assert (bench.root / "a.txt").samefile(bench.root / "f" / "a.txt")
    assert scene.temporaries(bench.root) == []


def test_keeps_new_file_in_place_of_deleted(
    bench: Any,
    scene: Any,
    monkeypatch: pytest.MonkeyPatch,
    restarted: Callable[[], Recovery],
) -> None:
    stop_at(
        bench,
        monkeypatch,
        "mark_done",
        Delete(bench.at("a.txt")),
        Move(bench.at("b.txt"), bench.at("c")),
    )
    (bench.root / "a.txt").write_bytes(b"theirs\n")
    (bench.root / "b.txt").write_bytes(b"theirs too\n")
    found = restarted()
    # The third names the operation, whose random name may end in a c.
    assert (
        len([c for c in found.conflicts if c.startswith(("a.txt ", "c "))]) == 2
    )
    assert (bench.root / "a.txt").read_bytes() == b"theirs\n"
    assert (bench.root / "b.txt").read_bytes() == b"theirs too\n"
    assert (bench.root / "c").read_bytes() == b"bee\n"
    assert b"one\ntwo\nthree\n" in kept_contents(bench)


def test_keeps_foreign_file_like_ours(
    bench: Any,
    scene: Any,
    monkeypatch: pytest.MonkeyPatch,
    restarted: Callable[[], Recovery],
) -> None:
    stop_at(
        bench,
        monkeypatch,
        "publish",
        Create(bench.at("n"), b"n"),
        Create(bench.at("new/m"), b"m"),
    )
    (bench.root / "n").write_bytes(b"n")
    (bench.root / "new").mkdir()
    (bench.root / "new/m").write_bytes(b"m")
    assert restarted().conflicts == []
    assert (bench.root / "n").read_bytes() == b"n"
    assert (bench.root / "new/m").read_bytes() == b"m"
    assert scene.temporaries(bench.root) == []


def test_keeps_edited_new_file(
    bench: Any,
    monkeypatch: pytest.MonkeyPatch,
    restarted: Callable[[], Recovery],
) -> None:
    stop_at(bench, monkeypatch, "mark_done", Create(bench.at("n"), b"n"))
    with (bench.root / "n").open("ab") as file:
        file.write(b"more")
    assert any(
        "n was created" in conflict for conflict in restarted().conflicts
    )
    assert (bench.root / "n").read_bytes() == b"nmore"


def test_keeps_folder_filled_by_others(
    bench: Any,
    scene: Any,
    monkeypatch: pytest.MonkeyPatch,
    restarted: Callable[[], Recovery],
) -> None:
    stop_at(
        bench, monkeypatch, "mark_done", Create(bench.at("new/n.txt"), b"n")
    )
    (bench.root / "new/theirs.txt").write_bytes(b"theirs\n")
    found = restarted()
    assert any("new" in conflict for conflict in found.conflicts)
    assert os.listdir(bench.root / "new") == ["theirs.txt"]


def test_keeps_file_added_during_delete(
    bench: Any, scene: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def racing(_: str, name: bytes, __: bytes) -> None:
        if name == b"f":
            (bench.root / "f/late.txt").write_bytes(b"late\n")

    with monkeypatch.context() as patch:
        scene.before_renames(patch, racing)
        with pytest.raises(FilewrightError) as caught:
            bench.commit(Delete(bench.at("f"), recursive=True))
    assert caught.value.code is Code.STALE_VERSION
    assert (bench.root / "f/late.txt").read_bytes() == b"late\n"
    assert (bench.root / "f/x.txt").read_bytes() == b"ex\n"


@pytest.mark.parametrize("undoable", [True, False])
@pytest.mark.parametrize(
    "lost", [lambda _: b"", lambda made: made[:5000], _without_blocks]
)
@pytest.mark.parametrize("how", ["edited", "written anew"])
def test_discards_part_of_staged_file(
    bench: Any,
    scene: Any,
    monkeypatch: pytest.MonkeyPatch,
    restarted: Callable[[], Recovery],
    how: str,
    lost: Callable[[bytes], bytes],
    undoable: bool,
) -> None:
    (bench.root / "long.txt").write_bytes(_LONG)
    before = scene.tree(bench.root)
    step = bench.modify("long.txt", Splice(0, 4, b"LINE"))
    if how == "written anew":
        step = Create(bench.at("long.txt"), _LONG.upper(), replace=True)

    def stop(*_: Any) -> None:
        raise Stopped

    def without_flush(*_: Any) -> None:
        (temporary,) = scene.temporaries(bench.root)
        path = bench.root / temporary
        path.write_bytes(lost(path.read_bytes()))
        raise Stopped

    with monkeypatch.context() as patch:
        patch.setattr(
            "filewright.changes.flushing.FlushQueue.flush", without_flush
        )
        patch.setattr("filewright.changes.commit.roll_back", stop)
        with pytest.raises(Stopped):
            bench.commit(step, undoable=undoable)
    found = restarted()
    assert (found.conflicts, kept_contents(bench)) == ([], [])
    assert scene.tree(bench.root) == before


def test_discards_part_after_error(
    bench: Any, scene: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    (bench.root / "long.txt").write_bytes(_LONG)
    before = scene.tree(bench.root)

    def written(file: Any, data: Any, offset: int) -> None:
        real(file, bytes(data)[:5000], offset)
        raise OSError(errno.ENOSPC, "no space")

    step = Create(bench.at("long.txt"), _LONG.upper(), replace=True)
    real = scene.FILE.write
    with monkeypatch.context() as patch:
        patch.setattr(scene.FILE, "write", written)
        with pytest.raises(FilewrightError) as caught:
            bench.commit(step)
    assert caught.value.code is Code.NO_SPACE
    assert "conflicts" not in caught.value.details
    assert kept_contents(bench) == []
    assert scene.tree(bench.root) == before


def test_keeps_save_into_published_file(
    bench: Any,
    scene: Any,
    monkeypatch: pytest.MonkeyPatch,
    restarted: Callable[[], Recovery],
) -> None:
    (bench.root / "long.txt").write_bytes(_LONG)
    stop_at(
        bench,
        monkeypatch,
        "publish",
        bench.modify("long.txt", Splice(0, 4, b"LINE")),
    )
    (temporary,) = scene.temporaries(bench.root)
    saved = (bench.root / temporary).read_bytes()[:-2] + b"X\n"
    (bench.root / temporary).write_bytes(saved)
    assert len(restarted().conflicts) == 2
    assert kept_contents(bench) == [saved]
    assert (bench.root / "long.txt").read_bytes() == _LONG
