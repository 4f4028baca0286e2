"""A change whose process ends in the middle, on Windows, or on Wine: all of it or nothing. Skipped elsewhere."""

from __future__ import annotations

import gc
import importlib.util
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from filewright.edit.changeset import ChangeSet, Copy, Create, Delete, Move
from filewright.system import nt
from filewright.text.splice import Splice

pytestmark = pytest.mark.skipif(
    sys.platform != "win32", reason="this is not Windows"
)

CALLS = (
    "entries", "flush", "link", "lock", "open_below", "query_all", "query_rights", "read_into", "remove", "rename",
    "set_basic", "set_rights", "write_from",
)  # fmt: skip
POINTS = 14


class Dead(BaseException):
    """The process can do nothing any more."""


@contextmanager
def dying(
    monkeypatch: pytest.MonkeyPatch, at: int | None, end: Callable[[], None]
) -> Iterator[list[str]]:
    """Count the calls to the system, and from the one with that number on let none happen."""
    calls: list[str] = []
    lock = threading.Lock()

    def wrapped(name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **options: Any) -> Any:
            with lock:
                calls.append(name)
                number = len(calls) - 1
            if at is not None and number >= at:
                end()
            return real(*arguments, **options)

        return call

    with monkeypatch.context() as patch:
        for name in CALLS:
            patch.setattr(nt, name, wrapped(name, getattr(nt, name)))
        yield calls


def dead() -> None:
    raise Dead


def scene() -> ModuleType:
    name = "scene"
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(
            name, Path(__file__).parents[1] / "promises" / "scene.py"
        )
        assert spec is not None
        assert spec.loader is not None
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
    return sys.modules[name]


def furnished(base: Path) -> Path:
    work = base / "work"
    (work / "tree" / "below").mkdir(parents=True)
    for name in (
        "edit.txt",
        "other.txt",
        "gone.txt",
        "moved.txt",
        "over.txt",
        "tree/one.txt",
        "tree/below/two.txt",
    ):
        (work / name).write_bytes(f"the content of {name}\r\n".encode() * 20)
    return base


def change(bench: Any) -> ChangeSet:
    at = bench.at
    steps = (
        bench.modify("edit.txt", Splice(0, 3, b"THE")),
        bench.modify("other.txt", Splice(4, 0, b"new ")),
        Create(at("made/deep.txt"), b"made\r\n"),
        Delete(at("gone.txt")),
        Delete(at("tree"), recursive=True),
        Move(at("moved.txt"), at("over.txt"), overwrite=True),
        Copy(at("edit.txt"), at("copy.txt")),
    )
    return ChangeSet("test", "several at once", steps)


def test_a_change_that_stops_at_any_call_is_all_or_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene_ = scene()
    with scene_.Bench(furnished(tmp_path / "whole")) as bench:
        before = scene_.tree(bench.root)
        wanted = change(bench)
        with dying(monkeypatch, None, dead) as calls:
            bench.changes.commit(wanted)
        after = scene_.tree(bench.root)
    assert before != after
    outcomes, reached = [], list[int]()
    for point in range(0, len(calls), max(1, len(calls) // POINTS)):
        base = furnished(tmp_path / str(point))
        with scene_.Bench(base) as bench:
            wanted = change(bench)
            try:
                with dying(monkeypatch, point, dead):
                    bench.changes.commit(wanted)
            except Dead:  # Not by `pytest.raises`, which would hold what was open: a process that ends does not.
                reached.append(point)
            gc.collect()
        with scene_.Bench(base) as fresh:
            found = fresh.changes.recover()
            assert (found.conflicts, found.waiting, found.unsettled) == (
                [],
                [],
                [],
            ), (
                point,
                calls[point],
            )
            now = scene_.tree(fresh.root)
            assert now in (before, after), (point, calls[point])
            assert scene_.temporaries(fresh.root) == []
            assert fresh.changes.recover().clean
            outcomes.append(now == after)
    assert outcomes == sorted(outcomes), "once committed, always committed"
    assert not all(outcomes)
    assert len(reached) > POINTS // 2


KILLED = """
import os, sys
from pathlib import Path
from tests.platforms import test_killed_on_windows as killed
with killed.scene().Bench(Path(sys.argv[1])) as bench:
    wanted = killed.change(bench)
    with killed.dying(killed.pytest.MonkeyPatch(), int(sys.argv[2]), lambda: os.kill(os.getpid(), 9)):
        bench.changes.commit(wanted)
"""


@pytest.mark.parametrize("point", [150, 400])
def test_a_process_that_is_killed_leaves_all_or_nothing(
    tmp_path: Path, point: int
) -> None:
    scene_ = scene()
    base = furnished(tmp_path / "base")
    before = scene_.tree(base / "work")
    ended = subprocess.run(
        [sys.executable, "-c", KILLED, str(base), str(point)],
        timeout=120,
        check=False,
    )
    assert ended.returncode == 9
    with scene_.Bench(base) as fresh:
        found = fresh.changes.recover()
        assert (found.conflicts, found.waiting, found.unsettled) == ([], [], [])
        now = scene_.tree(fresh.root)
        if now != before:
            assert not (fresh.root / "gone.txt").exists()
            fresh.undo(fresh.changes.history()[0].id)
        assert scene_.tree(fresh.root) == before
        assert scene_.temporaries(fresh.root) == []
