"""What is kept for undo, and what is refused before a change begins."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.changes.steps import EDIT, refused

from filewright.changes.retention import log_bytes
from filewright.edit.changeset import (
    Create,
    Delete,
    SetMode,
)
from filewright.errors import Code, FilewrightError
from filewright.text.splice import Splice

_HOLDER = "import sys; f = open(sys.argv[1], 'ab'); print('open', flush=True); sys.stdin.read()"


def _large(scene: Any, area: Path, **limits: int) -> Any:
    return scene.Bench(
        area,
        whole_undo_bytes=1000,
        identity_bytes=2000,
        hold_bytes=1000,
        **limits,
    )


def test_keeps_removed_bytes_of_large_hard_link(scene: Any, area: Path) -> None:
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


@pytest.mark.parametrize("step", ["modify", "replace", "delete", "tree"])
@pytest.mark.needs("lease")
def test_refuses_file_open_for_writing(bench: Any, step: str) -> None:
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
        error = refused(bench, steps[step])
        assert error.code is Code.IN_USE
        holder.communicate()
    bench.commit(steps[step])


def test_refuses_folder_with_repository(bench: Any) -> None:
    (bench.root / "f/repo/.git").mkdir(parents=True)
    (bench.root / "f/repo/.git/HEAD").write_bytes(b"ref")
    assert (
        refused(bench, Delete(bench.at("f"), recursive=True)).code
        is Code.PERMISSION_DENIED
    )


def test_keeps_splices_of_large_file(scene: Any, area: Path) -> None:
    with _large(scene, area) as bench:
        content = bytes(range(256)) * 20000
        (bench.root / "big").write_bytes(content)
        bench.commit(Create(bench.at("small"), b""))
        size = log_bytes(bench.changes.logs[0])
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
        assert log_bytes(bench.changes.logs[0]) - size < 10_000
        text = bench.changes.diff(record.id).text
        assert "changed" in text or "Binary" in text
        bench.undo(record.id)
        assert (bench.root / "big").read_bytes() == content


def test_refuses_changed_large_file(scene: Any, area: Path) -> None:
    with _large(scene, area) as bench:
        path = bench.root / "big"
        path.write_bytes(b"x" * 10_000)
        step = bench.modify("big", Splice(0, 1, b"y"))
        os.utime(path)
        assert refused(bench, step).code is Code.STALE_VERSION


def test_keeps_deleted_large_file_uncopied(scene: Any, area: Path) -> None:
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


def test_refuses_too_large_undo(scene: Any, area: Path) -> None:
    with _large(scene, area, max_undo_bytes=5000) as bench:
        (bench.root / "big").write_bytes(b"x" * 10_000)
        assert refused(bench, Delete(bench.at("big"))).code is Code.TOO_LARGE
        assert not list((bench.state / "contents").glob("=*"))
        record = bench.commit(Delete(bench.at("big")), undoable=False)
        with pytest.raises(FilewrightError) as caught:
            bench.changes.undo(record.id, preview=True)
        assert caught.value.code is Code.UNSUPPORTED
