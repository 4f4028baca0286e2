"""The removal of displaced files, and the rescue of what other programs wrote to them."""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Callable
from typing import Any

import pytest
from tests.changes.interrupted import kept_contents
from tests.changes.steps import EDIT

from filewright.changes import backup
from filewright.changes.recovery import Recovery
from filewright.edit.changeset import Delete


@pytest.mark.skipif(
    sys.platform == "win32",
    reason="Windows replaces no file that is open elsewhere without sharing its deletion",
)
def test_keeps_late_write(
    bench: Any, scene: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It opens the file just after the check, and writes into what is by then the displaced file."""
    from filewright.changes.log import Log

    real = Log.mark_done
    late = (bench.root / "a.txt").open("r+b")

    def writing(log: Any, number: int) -> None:
        late.write(b"LATE")
        late.close()
        real(log, number)

    monkeypatch.setattr(Log, "mark_done", writing)
    monkeypatch.setattr(backup, "require_no_writers", lambda *_: None)
    record = bench.commit(bench.modify("a.txt", EDIT))
    assert (bench.root / "a.txt").read_bytes() == b"ONE\ntwo\nthree\n"
    assert kept_contents(bench) == [b"LATEtwo\nthree\n"]
    assert any("kept as" in note for note in record.notes)
    assert bench.changes.record(record.id).notes == record.notes
    assert scene.temporaries(bench.root) == []


@pytest.mark.skipif(
    sys.platform == "win32",
    reason="Windows replaces no file that is open elsewhere without sharing its deletion",
)
@pytest.mark.needs("lease")
def test_waits_for_writer(
    bench: Any,
    scene: Any,
    monkeypatch: pytest.MonkeyPatch,
    restarted: Callable[[], Recovery],
) -> None:
    monkeypatch.setattr(backup, "require_no_writers", lambda *_: None)
    with (bench.root / "a.txt").open("ab") as late:
        bench.commit(bench.modify("a.txt", EDIT))
        assert len(scene.temporaries(bench.root)) == 1
        late.write(b"four\n")
    found = restarted()
    assert any("a.txt" in conflict for conflict in found.conflicts)
    assert kept_contents(bench) == [b"one\ntwo\nthree\nfour\n"]
    assert scene.temporaries(bench.root) == []


@pytest.mark.parametrize("same_device", [True, False])
def test_keeps_additions_to_displaced_folder(
    bench: Any, scene: Any, monkeypatch: pytest.MonkeyPatch, same_device: bool
) -> None:
    from filewright.changes.log import Log

    real_done = Log.mark_done

    def adding(log: Any, number: int) -> None:
        (folder,) = (
            path
            for path in bench.root.iterdir()
            if path.name.startswith(".fw~")
        )
        (folder / "g" / "late.txt").write_bytes(b"late\n")
        (folder / "g" / "late.txt").chmod(0o755)
        os.symlink("late.txt", folder / "g" / "link")
        if hasattr(os, "mkfifo"):
            os.mkfifo(folder / "g" / "pipe", 0o640)
        real_done(log, number)

    def devices(_: str, __: bytes, kept_as: bytes) -> None:
        if kept_as.endswith(b"-f") and not same_device:
            raise OSError(errno.EXDEV, "another device")

    monkeypatch.setattr(Log, "mark_done", adding)
    scene.before_renames(monkeypatch, devices)
    record = bench.commit(Delete(bench.at("f"), recursive=True))
    assert not (bench.root / "f").exists()
    assert scene.temporaries(bench.root) == []
    (kept,) = (bench.state / "kept").iterdir()
    assert (kept / "g/late.txt").read_bytes() == b"late\n"
    assert os.readlink(kept / "g/link") == "late.txt"
    if hasattr(os, "mkfifo"):
        assert stat.S_IMODE((kept / "g/late.txt").stat().st_mode) == 0o755
        assert (kept / "g/pipe").is_fifo()
        assert stat.S_IMODE((kept / "g/pipe").stat().st_mode) == 0o640
    assert any("kept as" in note for note in record.notes)
