"""Killed before any file system call of a commit, a recovery or an undo: all or nothing."""

from __future__ import annotations

import errno
import functools
import importlib.util
import shutil
import signal
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import pytest

from filewright.edit.changeset import ChangeSet, Move


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
    """A folder in memory where there is one: thousands of commits need no disk to be killed in."""
    with scene.quick_folder() as folder:
        yield folder


@pytest.fixture
def template(area: Path) -> Path:
    """A workspace as it is before the change."""
    base = area / "template"
    scene.furnish(base / "work")
    return base


def _at(path: Path) -> Path:
    # The state folder's name is made from the root's path, so every run uses the same one.
    return path / "run"


def _commit(base: Path, meddler: object) -> None:
    with scene.Bench(base) as bench:
        change_set = scene.twelve(bench)
        with meddler.on():
            bench.changes.commit(change_set)


def _commit_large(base: Path, meddler: object) -> None:
    """As `_commit`, where every file counts as large: undo data is kept by second names and splices."""
    with scene.Bench(
        base, whole_undo_bytes=5, identity_bytes=8, hold_bytes=8
    ) as bench:
        change_set = scene.twelve(bench)
        with meddler.on():
            bench.changes.commit(change_set)


def _recover(base: Path, meddler: object) -> None:
    # Opening a workspace recovers.
    with meddler.on(), scene.Bench(base) as bench:
        bench.changes.recover()


def _undo(base: Path, meddler: object) -> None:
    with scene.Bench(base) as bench:
        newest = bench.changes.history(limit=1)[0].id
        with meddler.on():
            bench.undo(newest)


Points = Callable[[list[str]], Iterable[int]]
_CHANGING = {
    "chmod", "chmod_descriptor", "chown", "chown_descriptor", "end", "fchmod", "fchown", "ftruncate", "link", "mkdir",
    "pwrite", "remove", "rename", "renameat2", "rmdir", "set_basic", "setxattr", "symlink", "unlink", "utime", "write",
    "write_from",
}  # fmt: skip


def all_points(names: list[str]) -> Iterable[int]:
    """Return the number of every call."""
    return range(len(names))


def points_of_steps(names: list[str], per_step: int) -> Iterable[int]:
    """Return some calls of each step of `changes/commit.py`: the first, the last, and others between.

    Only calls that change the disk: before any other call it is as it is before the
    next of these. A step ends with the end of a transaction of the log.
    """
    steps: list[list[int]] = [[]]
    for number, name in enumerate(names):
        if name in _CHANGING:
            steps[-1].append(number)
        if name == "end":
            steps.append([])
    points: list[int] = []
    for step in steps:
        last = len(step) - 1
        spread = {last * n // max(1, per_step - 1) for n in range(per_step)}
        points += [step[n] for n in sorted(spread) if step]
    return points


def _calls(work: object, base: Path) -> list[str]:
    """Return the calls that the work makes, noted in a child as its kills are: without the threads of other tests."""
    notes = base.with_name("calls")

    def note() -> None:
        meddler = scene.Meddler()
        work(base, meddler)
        notes.write_text(" ".join(meddler.names))

    assert scene.forked(note) == 0
    return notes.read_text().split()


def _check(base: Path, states: list[object], at: object) -> int:
    """After recovery the tree is one of the two states, nothing of ours is left; returns which."""
    with scene.Bench(base) as bench:
        found = bench.changes.recover()
        assert found.conflicts == [], at
        assert found.waiting == [], at
        again = bench.changes.recover()
        assert again.clean, at
        now = scene.tree(base / "work")
        assert now in states, (
            at,
            sorted(
                set(map(str, now.items())) ^ set(map(str, states[0].items()))
            ),
        )
        assert scene.temporaries(base / "work") == []
        assert bench.unfinished() == ()
        if now == states[0]:
            files = filter(Path.is_file, (base / "work").rglob("*"))
            assert {file.lstat().st_nlink for file in files} == {1}, at
        return states.index(now)


@dataclass(frozen=True, slots=True)
class Sweep:
    """The states that the work leads from and to, and which of them each kill left: 0 or 1."""

    before: object
    after: object
    outcomes: list[int]


def _sweep(work: object, template: Path, run: Path, choose: Points) -> Sweep:
    """Kill the work at the chosen calls; recovered, the tree is as before it or as after it."""
    scene.copied(template, run)
    before = scene.tree(run / "work")
    names = _calls(work, run)
    after = scene.tree(run / "work")
    outcomes: list[int] = []
    for point in choose(names):
        scene.copied(template, run)
        ended = scene.forked(
            lambda p=point: work(run, scene.Meddler(p, scene.die))
        )
        assert ended == signal.SIGKILL, f"call {point} was not reached"
        outcomes.append(_check(run, [before, after], point))
    assert outcomes == sorted(outcomes), "once committed, always committed"
    return Sweep(before, after, outcomes)


SOME = functools.partial(points_of_steps, per_step=3)


def test_a_commit_killed_in_any_step_is_all_or_nothing(
    template: Path, area: Path
) -> None:
    swept = _sweep(_commit, template, _at(area), SOME)
    assert set(swept.outcomes) == {0, 1}


@pytest.fixture
def no_exchange(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file system that exchanges no names, and renames onto nothing only by a second name."""

    def lacking(*_: object) -> None:
        raise OSError(errno.EINVAL, "no such flag")

    monkeypatch.setattr("filewright.system.linux.renameat2", lacking)


@pytest.mark.needs("exchange")
@pytest.mark.usefixtures("no_exchange")
def test_a_commit_without_exchange_killed_in_any_step_is_all_or_nothing(
    template: Path, area: Path
) -> None:
    swept = _sweep(_commit, template, _at(area), SOME)
    assert set(swept.outcomes) == {0, 1}


@pytest.mark.sweep
@pytest.mark.needs("exchange")
@pytest.mark.usefixtures("no_exchange")
def test_every_kill_point_of_a_commit_without_exchange(
    template: Path, area: Path
) -> None:
    outcomes = _sweep(_commit, template, _at(area), all_points).outcomes
    print(f"\ncommit without exchange: {len(outcomes)} kill points")


def _chain(bench: object) -> ChangeSet:
    at = bench.at
    return ChangeSet(
        "test",
        "a chain",
        (Move(at("src"), at("new/src")), Move(at("dst"), at("src"))),
    )


def _ring(bench: object) -> ChangeSet:
    at = bench.at
    ways = [
        ("src", "t"),
        ("dst", "src"),
        ("t", "dst"),
        ("f/a", "f/b"),
        ("f", "g"),
    ]
    return ChangeSet(
        "test",
        "a ring",
        tuple(Move(at(a), at(b), overwrite=True) for a, b in ways),
    )


def _moves_over(bench: object) -> ChangeSet:
    moves = (
        Move(bench.at(f"f/{n}"), bench.at(f"g/{n}"), overwrite=True)
        for n in range(6)
    )
    return ChangeSet("test", "moves over", tuple(moves))


@pytest.mark.parametrize(
    "exchange", [True, pytest.param(False, marks=pytest.mark.needs("exchange"))]
)
@pytest.mark.parametrize("undone", [False, True])
@pytest.mark.parametrize("moves", [_chain, _ring, _moves_over])
@pytest.mark.parametrize(
    "choose",
    [
        pytest.param(SOME, id="steps"),
        pytest.param(all_points, marks=pytest.mark.sweep, id="all"),
    ],
)
def test_moves_in_one_anothers_way_killed_in_any_step_accuse_nobody(
    area: Path,
    request: pytest.FixtureRequest,
    moves: object,
    undone: bool,
    exchange: bool,
    choose: Points,
) -> None:
    """`_check` wants no conflict to be told: there was nobody else."""
    if not exchange:
        request.getfixturevalue("no_exchange")

    def work(base: Path, meddler: object) -> None:
        with scene.Bench(base) as bench:
            if undone:
                reversal = bench.changes.undo(
                    bench.changes.newest(), preview=True
                )[1].change_set
                with meddler.on():
                    bench.changes.commit(reversal)
            else:
                change_set = moves(bench)
                with meddler.on():
                    bench.changes.commit(change_set)

    template, run = area / "template", _at(area)
    root = template / "work"
    for name in (
        "src",
        "dst",
        "f/a",
        "f/b",
        *(f"{d}/{n}" for d in "fg" for n in range(6)),
    ):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(f"{name}\n")
    if moves is _ring:
        shutil.rmtree(root / "g")
    if undone:
        with scene.Bench(template) as bench:
            bench.changes.commit(moves(bench))
    assert 0 in _sweep(work, template, run, choose).outcomes


def test_large_files_killed_in_any_step_are_whole_and_have_one_name(
    template: Path, area: Path
) -> None:
    swept = _sweep(_commit_large, template, _at(area), SOME)
    assert set(swept.outcomes) == {0, 1}


@pytest.mark.sweep
def test_every_kill_point_of_a_commit_of_large_files(
    template: Path, area: Path
) -> None:
    outcomes = _sweep(_commit_large, template, _at(area), all_points).outcomes
    print(f"\ncommit of large files: {len(outcomes)} kill points")


@pytest.mark.sweep
def test_every_kill_point_of_a_commit(template: Path, area: Path) -> None:
    outcomes = _sweep(_commit, template, _at(area), all_points).outcomes
    assert set(outcomes) == {0, 1}
    print(
        f"\ncommit: {len(outcomes)} kill points, {outcomes.count(0)} back, {outcomes.count(1)} forward"
    )


def _sweep_recovery(
    template: Path, area: Path, fraction: float, choose: Points
) -> list[int]:
    """Kill a recovery from a commit that was killed at some fraction of its changes of the disk."""
    run = _at(area)
    scene.copied(template, run)
    before = scene.tree(run / "work")
    names = _calls(_commit, run)
    after = scene.tree(run / "work")
    changing = [n for n, name in enumerate(names) if name in _CHANGING]
    killed_at = changing[int(len(changing) * fraction)]

    def half_done() -> None:
        # Committed each time: a copy would have other inodes than its records say.
        scene.copied(template, run)
        ended = scene.forked(
            lambda: _commit(run, scene.Meddler(killed_at, scene.die))
        )
        assert ended == signal.SIGKILL

    half_done()
    outcomes: list[int] = []
    for point in choose(_calls(_recover, run)):
        half_done()
        ended = scene.forked(
            lambda p=point: _recover(run, scene.Meddler(p, scene.die))
        )
        assert ended == signal.SIGKILL, f"call {point} was not reached"
        outcomes.append(_check(run, [before, after], point))
    return outcomes


FRACTIONS = (0.5, 0.75, 0.9)
"""While new files are made, while names are exchanged, and after the commit."""


@pytest.mark.parametrize("fraction", FRACTIONS)
def test_a_recovery_killed_in_any_step_can_be_repeated(
    template: Path, area: Path, fraction: float
) -> None:
    some = functools.partial(points_of_steps, per_step=4)
    outcomes = _sweep_recovery(template, area, fraction, some)
    assert set(outcomes) == {int(fraction == FRACTIONS[-1])}


@pytest.mark.sweep
@pytest.mark.parametrize("fraction", [0.3, 0.4, *FRACTIONS, 0.8, 0.98])
def test_every_kill_point_of_a_recovery(
    template: Path, area: Path, fraction: float
) -> None:
    outcomes = _sweep_recovery(template, area, fraction, all_points)
    assert len(set(outcomes)) == 1
    print(
        f"\nrecovery of a commit killed at {fraction:.0%}: {len(outcomes)} kill points"
    )


def _sweep_undo(template: Path, area: Path, choose: Points) -> list[int]:
    done = scene.copied(template, area / "done")
    original = scene.tree(done / "work")
    _commit(done, scene.Meddler())
    swept = _sweep(_undo, done, _at(area), choose)
    assert swept.after == original
    assert set(swept.outcomes) == {0, 1}
    return swept.outcomes


def test_an_undo_killed_in_any_step_is_all_or_nothing(
    template: Path, area: Path
) -> None:
    _sweep_undo(template, area, SOME)


@pytest.mark.sweep
def test_every_kill_point_of_an_undo(template: Path, area: Path) -> None:
    outcomes = _sweep_undo(template, area, all_points)
    print(
        f"\nundo: {len(outcomes)} kill points, {outcomes.count(0)} back, {outcomes.count(1)} forward"
    )
