"""Workspaces whose roots lie in one another exclude each other; no process keeps what is not its own."""

from __future__ import annotations

import gc
import importlib.util
import os
import signal
import subprocess
import sys
import threading
import warnings
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from tests import processes

from filewright import FilewrightError, Workspace
from filewright.boundary.boundary import Boundary
from filewright.changes.changes import Changes
from filewright.changes.state_dir import StateFolder, StateIndex
from filewright.edit.changeset import ChangeSet, Create
from filewright.errors import Code
from filewright.progress import Task
from filewright.settings import Settings


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


def _changes(area: Path, *roots: str) -> tuple[Boundary, Changes]:
    settings = Settings(state_dir=area / "state", lock_seconds=0.05)
    boundary = Boundary([area / root for root in roots], settings)
    return boundary, Changes(boundary, settings)


HOLD = """
import os, signal, sys
from pathlib import Path
from filewright.changes.database import Flusher
from filewright.changes.state_dir import StateFolder, StateIndex
with StateIndex(Path(sys.argv[1]), 10.0, Flusher(enabled=True)).alone(None):
    os.kill(os.getpid(), signal.SIGSTOP)
"""


def test_a_stopped_process_that_holds_the_index_of_state_folders_holds_up_no_first_change_for_ever(
    area: Path,
) -> None:
    for name in ("work", "state"):
        (area / name).mkdir()
    boundary, changes = _changes(area, "work")
    change = ChangeSet("test", "", (Create(boundary.locate("made"), b""),))
    stopped = subprocess.Popen([sys.executable, "-c", HOLD, area / "state"])
    try:
        assert os.WIFSTOPPED(os.waitpid(stopped.pid, os.WUNTRACED)[1])
        with pytest.raises(FilewrightError) as caught:
            changes.commit(change)
        assert caught.value.code is Code.TIMEOUT
        assert "FILEWRIGHT_LOCK_SECONDS" in (caught.value.hint or "")
        assert not changes.history()
        task = Task()
        task.cancel()
        with pytest.raises(FilewrightError) as caught:
            changes.commit(change, task=task)
        assert caught.value.code is Code.CANCELLED
    finally:
        os.kill(stopped.pid, signal.SIGCONT)
        assert stopped.wait() == 0
    changes.commit(change)
    changes.close()
    boundary.close()


@pytest.mark.parametrize(
    ("held", "wanted", "apart"),
    [
        (["work"], ["work"], False),
        (["work"], ["work/sub"], False),
        (["work/sub"], ["work"], False),
        (["work/sub/deep"], ["work"], False),
        (["work", "other"], ["other"], False),
        (["work", "other"], ["other", "work/sub"], False),
        (["work", "work/sub"], ["work/sub/deep"], False),
        (["work/sub"], ["work/beside"], True),
        (["work"], ["other"], True),
    ],
)
def test_writers_below_and_above_one_another_wait(
    area: Path, held: list[str], wanted: list[str], apart: bool
) -> None:
    for name in ("work/sub/deep", "work/beside", "other"):
        (area / name).mkdir(parents=True)
    (one, first), (two, second) = _changes(area, *held), _changes(area, *wanted)
    change = ChangeSet("test", "", (Create(two.locate("made"), b""),))
    with first.writing():
        if apart:
            second.commit(change)
        else:
            with pytest.raises(FilewrightError) as caught:
                second.commit(change)
            assert caught.value.code is Code.TIMEOUT
    if not apart:
        second.commit(change)
    for changes, boundary in ((first, one), (second, two)):
        changes.close()
        boundary.close()


_APPEND = """
import sys
import threading
from filewright import FilewrightError, Workspace
root, state, file, tag, count = sys.argv[1:]
with Workspace(*root.split(","), state_dir=state) as workspace:
    for number in range(int(count)):
        try:
            workspace.write(file, f"{tag}{number}\\n", mode="append")
        except FilewrightError as error:
            assert error.code == "stale_version", error
        else:
            print(f"{tag}{number}", flush=True)
"""


def _append(
    area: Path, lists: list[str], count: int
) -> tuple[list[str], list[str]]:
    """One process for each list of roots appends to one file; what was acknowledged, what is there."""
    (area / "work/sub").mkdir(parents=True)
    (area / "other").mkdir()
    file = area / "work/sub/c.txt"
    file.write_bytes(b"start\n")
    writers = []
    for tag, roots in zip("abcd", lists, strict=False):
        paths = ",".join(str(area / root) for root in roots.split(","))
        arguments = [paths, str(area / "state"), str(file), tag, str(count)]
        writers.append(
            processes.start(
                [sys.executable, "-c", _APPEND, *arguments],
                text=True,
                heard=False,
            )
        )
    acknowledged = []
    for writer in writers:
        assert writer.stdin is not None
        assert writer.stdout is not None
        with writer.stdin, writer.stdout:
            acknowledged += writer.stdout.read().split()
        assert writer.wait() == 0
    return acknowledged, file.read_text().split()


@pytest.mark.parametrize(
    "count", [15, pytest.param(200, marks=pytest.mark.sweep)]
)
@pytest.mark.parametrize(
    "lists",
    [
        ["work", "work/sub"],
        ["work", "work"],
        ["work,other", "other,work/sub", "work/sub", "work"],
    ],
)
def test_processes_on_nested_and_overlapping_roots_lose_no_acknowledged_edit(
    area: Path, lists: list[str], count: int
) -> None:
    acknowledged, there = _append(area, lists, count)
    assert acknowledged
    assert sorted(there) == sorted(["start", *acknowledged])


def test_a_child_process_does_not_keep_the_lock(area: Path) -> None:
    with (
        scene.Bench(area) as bench,
        scene.Bench(area, lock_seconds=0.05) as other,
    ):
        ready, done = os.pipe()
        with bench.changes.writing(), warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            child = os.fork()
            if child == 0:
                os.close(done)
                os.read(ready, 1)  # Idle until the parent is through.
                os._exit(0)
        os.close(ready)
        try:
            other.commit(Create(other.at("made"), b""))
        finally:
            os.close(done)
            os.waitpid(child, 0)


def test_a_child_process_can_lock_for_itself(area: Path) -> None:
    with scene.Bench(area) as bench:
        scene.forked(lambda: bench.commit(Create(bench.at("made"), b"")))
        assert (bench.root / "made").exists()
        bench.commit(Create(bench.at("more"), b""))


def test_a_workspace_gives_back_every_descriptor(area: Path) -> None:
    (area / "deep/below/work").mkdir(parents=True)
    gc.collect()  # What other tests have left.
    before = os.listdir("/proc/self/fd")
    with Workspace(
        area / "deep/below/work", state_dir=area / "state"
    ) as workspace:
        workspace.write("a.txt", "a\n")
    assert os.listdir("/proc/self/fd") == before


@pytest.mark.parametrize("ending", ["cancelled", "timeout"])
def test_waiting_for_another_thread_ends_with_the_task(
    area: Path, ending: str
) -> None:
    (area / "work").mkdir()
    held, released = threading.Event(), threading.Event()
    with Workspace(
        area / "work",
        settings=Settings(state_dir=area / "state", lock_seconds=60),
    ) as workspace:

        def hold() -> None:
            with workspace._changes.writing():
                held.set()
                released.wait(60)

        holder = threading.Thread(target=hold)
        holder.start()
        held.wait(60)
        task = Task(seconds=0.05 if ending == "timeout" else None)
        if ending == "cancelled":
            threading.Timer(0.05, task.cancel).start()
        try:
            with pytest.raises(FilewrightError) as caught:
                workspace.under(task).write("b", "y")
            assert caught.value.code == ending
            assert holder.is_alive()
            assert not released.is_set()
        finally:
            released.set()
            holder.join()


@pytest.mark.parametrize("busy", ["_lines", "_make"])
def test_a_child_process_is_not_held_up_by_what_another_thread_was_doing(
    area: Path, monkeypatch: pytest.MonkeyPatch, busy: str
) -> None:
    (area / "work").mkdir()
    inside, go_on = threading.Event(), threading.Event()
    parent = os.getpid()
    owner: type = StateIndex if busy == "_lines" else StateFolder
    real = getattr(owner, busy)

    def slow(*given: object) -> object:
        if os.getpid() == parent and threading.current_thread() is thread:
            inside.set()
            go_on.wait(60)
        return real(*given)

    def child() -> None:
        signal.alarm(30)  # Killed, if it hangs.
        workspace.write("a.txt", "a\n")
        assert len(workspace.history()) == 1

    with Workspace(area / "work", state_dir=area / "state") as workspace:
        monkeypatch.setattr(owner, busy, slow)
        call = (
            workspace.history
            if busy == "_lines"
            else lambda: workspace.write("b.txt", "b\n")
        )
        thread = threading.Thread(target=call)
        thread.start()
        assert inside.wait(60)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)
                assert scene.forked(child) == 0
        finally:
            go_on.set()
            thread.join()
