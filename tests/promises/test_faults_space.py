"""A full disk, a file size limit and a quota of names: refused with `no_space`, everything as before."""

from __future__ import annotations

import importlib.util
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

import pytest

from filewright.edit.changeset import Create, Delete
from filewright.errors import Code, FilewrightError
from filewright.text.splice import Splice


def _load() -> ModuleType:
    spec = importlib.util.spec_from_file_location(
        "scene", Path(__file__).with_name("scene.py")
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["scene"] = module
    spec.loader.exec_module(module)
    return module


scene = sys.modules.get("scene") or _load()


@pytest.fixture
def area() -> Iterator[Path]:
    with scene.quick_folder() as folder:
        yield folder


@contextmanager
def _mounted(where: Path, options: str) -> Iterator[bool]:
    """A small file system; False where this user may not mount one."""
    where.mkdir(parents=True, exist_ok=True)
    command = ["mount", "-t", "tmpfs", "-o", options, "none", str(where)]
    mounted = (
        os.geteuid() == 0
        and subprocess.run(command, check=False, capture_output=True).returncode
        == 0
    )
    try:
        yield mounted
    finally:
        if mounted:
            subprocess.run(["umount", "-l", str(where)], check=True)


@contextmanager
def _file_size_limit(size: int) -> Iterator[None]:
    """Writes past `size` fail, as on a full disk; needs no privileges."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)


def _refused(bench: object, *steps: object, undo: str | None = None) -> None:
    before = scene.tree(bench.root)
    with pytest.raises(FilewrightError) as caught:
        bench.commit(*steps) if undo is None else bench.changes.undo(undo)
    assert caught.value.code is Code.NO_SPACE
    assert scene.tree(bench.root) == before
    assert bench.changes.recover().conflicts == []
    assert scene.tree(bench.root) == before


def test_a_file_size_limit_changes_nothing(area: Path) -> None:
    with scene.Bench(area) as bench:
        (bench.root / "a.txt").write_bytes(os.urandom(1000))
        record = bench.commit(bench.modify("a.txt", Splice(0, 1, b"x")))
        with _file_size_limit(100_000):
            _refused(
                bench,
                Create(bench.at("b"), b"b"),
                Create(bench.at("big"), bytes(200_000)),
            )
        bench.undo(record.id)


@pytest.mark.parametrize("free", range(0, 400_000, 60_000))
def test_a_full_workspace_changes_nothing(area: Path, free: int) -> None:
    with (
        _mounted(area / "work", "size=1m") as mounted,
        scene.Bench(area) as bench,
    ):
        if not mounted:
            bench.commit(Create(bench.at("n"), b"n"))
            with _file_size_limit(free):
                _refused(bench, Create(bench.at("big"), bytes(500_000)))
            return
        (bench.root / "a.txt").write_bytes(bytes(200_000))
        left = os.statvfs(bench.root)
        (bench.root / "filler").write_bytes(
            bytes(max(0, left.f_bavail * left.f_bsize - free))
        )
        steps = [
            bench.modify("a.txt", Splice(0, 1, b"x")),
            Create(bench.at("b"), b"b"),
            Create(bench.at("c"), bytes(400_000)),
        ]
        _refused(bench, *steps)
        bench.commit(Delete(bench.at("filler")))
        bench.commit(*steps)


def test_undo_on_a_full_disk_does_not_truncate_the_target(area: Path) -> None:
    with (
        _mounted(area / "work", "size=1m") as mounted,
        scene.Bench(area) as bench,
    ):
        path = bench.root / "a.txt"
        path.write_bytes(os.urandom(300_000))
        record = bench.commit(
            bench.modify("a.txt", Splice(0, 10, b"0123456789"))
        )
        if mounted:
            left = os.statvfs(bench.root)
            (bench.root / "filler").write_bytes(
                bytes(left.f_bavail * left.f_bsize)
            )
        with _file_size_limit(200_000):
            _refused(bench, undo=record.id)
        assert path.stat().st_size == 300_000


def test_a_full_state_folder_changes_nothing(area: Path) -> None:
    with (
        _mounted(area / "state", "size=200k,mode=700") as mounted,
        scene.Bench(area) as bench,
    ):
        (bench.root / "a.txt").write_bytes(os.urandom(1_000_000))
        bench.commit(Create(bench.at("n"), b"n"))
        step = Delete(bench.at("a.txt"))
        if mounted:
            _refused(bench, step)
        with _file_size_limit(50_000):
            _refused(bench, step)


def test_a_quota_of_names_changes_nothing(area: Path) -> None:
    with (
        _mounted(area / "work", "nr_inodes=8") as mounted,
        scene.Bench(area) as bench,
    ):
        (bench.root / "a.txt").write_bytes(b"a\n")
        if mounted:
            _refused(
                bench, *(Create(bench.at(f"n{n}"), b"") for n in range(20))
            )
        bench.commit(bench.modify("a.txt", Splice(0, 1, b"A")))
        assert (bench.root / "a.txt").read_bytes() == b"A\n"
