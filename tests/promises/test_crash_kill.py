"""Killed before any file system call of a commit, a recovery or an undo: all or nothing."""

from __future__ import annotations

import errno
import importlib.util
import shutil
import signal
import sys
from collections.abc import Iterator
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
    with scene.Bench(base) as bench, meddler.on():
        bench.changes.recover()


def _undo(base: Path, meddler: object) -> None:
    with scene.Bench(base) as bench:
        newest = bench.changes.history(limit=1)[0].id
        with meddler.on():
            bench.undo(newest)


def _count(work: object, base: Path) -> int:
    """How many calls the work makes, counted in a child as its kills are: without the threads of other tests."""
    counted = base.with_name("counted")

    def count() -> None:
        meddler = scene.Meddler()
        work(base, meddler)
        counted.write_text(str(meddler.count))

    assert scene.forked(count) == 0
    return int(counted.read_text())


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
        return states.index(now)


def _sweep(
    work: object,
    template: Path,
    run: Path,
    states: list[object],
    stride: int,
    start: int = 0,
) -> list[int]:
    scene.copied(template, run)
    total = _count(work, run)
    outcomes: list[int] = []
    for point in range(start, total, stride):
        scene.copied(template, run)
        ended = scene.forked(
            lambda p=point: work(run, scene.Meddler(p, scene.die))
        )
        assert ended == signal.SIGKILL, (
            f"call {point} of {total} was not reached"
        )
        outcomes.append(_check(run, states, point))
    return outcomes


def _states(template: Path, run: Path) -> tuple[object, object]:
    scene.copied(template, run)
    before = scene.tree(run / "work")
    _commit(run, scene.Meddler())
    return before, scene.tree(run / "work")


def _sweep_commit(template: Path, area: Path, stride: int) -> list[int]:
    run = _at(area)
    before, after = _states(template, run)
    outcomes = _sweep(_commit, template, run, [before, after], stride)
    assert outcomes == sorted(outcomes), "once committed, always committed"
    return outcomes


def test_a_commit_killed_at_any_call_is_all_or_nothing(
    template: Path, area: Path
) -> None:
    outcomes = _sweep_commit(template, area, 41)
    assert 0 in outcomes


@pytest.fixture
def no_exchange(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file system that exchanges no names, and renames onto nothing only by a second name."""

    def lacking(*_: object) -> None:
        raise OSError(errno.EINVAL, "no such flag")

    monkeypatch.setattr("filewright.system.linux.renameat2", lacking)


@pytest.mark.needs("exchange")
@pytest.mark.usefixtures("no_exchange")
def test_a_commit_without_exchange_killed_at_any_call_is_all_or_nothing(
    template: Path, area: Path
) -> None:
    assert 0 in _sweep_commit(template, area, 41)


@pytest.mark.sweep
@pytest.mark.needs("exchange")
@pytest.mark.usefixtures("no_exchange")
def test_every_kill_point_of_a_commit_without_exchange(
    template: Path, area: Path
) -> None:
    outcomes = _sweep_commit(template, area, 1)
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
    "stride", [97, pytest.param(1, marks=pytest.mark.sweep)]
)
def test_moves_in_one_anothers_way_killed_at_any_call_accuse_nobody(
    area: Path,
    request: pytest.FixtureRequest,
    moves: object,
    undone: bool,
    exchange: bool,
    stride: int,
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
    scene.copied(template, run)
    before = scene.tree(run / "work")
    work(run, scene.Meddler())
    after = scene.tree(run / "work")
    outcomes = _sweep(work, template, run, [before, after], stride)
    assert outcomes == sorted(outcomes)


def _sweep_large(template: Path, area: Path, stride: int) -> int:
    run = _at(area)
    before, after = _states(template, run)
    scene.copied(template, run)
    total = _count(_commit_large, run)
    points = range(0, total, stride)
    for point in points:
        scene.copied(template, run)
        assert (
            scene.forked(
                lambda p=point: _commit_large(run, scene.Meddler(p, scene.die))
            )
            == signal.SIGKILL
        )
        if _check(run, [before, after], point) == 0:
            assert all(
                p.stat().st_nlink == 1
                for p in (run / "work").rglob("*")
                if p.is_file()
            ), point
    return len(points)


def test_large_files_killed_at_any_call_are_whole_and_have_one_name(
    template: Path, area: Path
) -> None:
    assert _sweep_large(template, area, 29) > 10


@pytest.mark.sweep
def test_every_kill_point_of_a_commit_of_large_files(
    template: Path, area: Path
) -> None:
    print(
        f"\ncommit of large files: {_sweep_large(template, area, 1)} kill points"
    )


@pytest.mark.sweep
def test_every_kill_point_of_a_commit(template: Path, area: Path) -> None:
    outcomes = _sweep_commit(template, area, 1)
    assert set(outcomes) == {0, 1}
    print(
        f"\ncommit: {len(outcomes)} kill points, {outcomes.count(0)} back, {outcomes.count(1)} forward"
    )


def _half_done(template: Path, run: Path, fraction: float) -> None:
    """A base in which a commit was killed at some fraction of its calls."""
    scene.copied(template, run)
    point = int(_total(template, run.parent / "count") * fraction)
    assert (
        scene.forked(lambda: _commit(run, scene.Meddler(point, scene.die)))
        == signal.SIGKILL
    )


def _sweep_recovery(
    template: Path, area: Path, fraction: float, stride: int
) -> list[int]:
    run = _at(area)
    states = list(_states(template, run))
    _half_done(template, run, fraction)
    total = _count(_recover, run)
    outcomes: list[int] = []
    for point in range(0, total, stride):
        # Anew each time: a copy would have other inodes than its records say.
        _half_done(template, run, fraction)
        ended = scene.forked(
            lambda p=point: _recover(run, scene.Meddler(p, scene.die))
        )
        assert ended == signal.SIGKILL, (
            f"call {point} of {total} was not reached"
        )
        outcomes.append(_check(run, states, point))
    return outcomes


_totals: dict[Path, int] = {}


def _total(template: Path, run: Path) -> int:
    if template not in _totals:
        _totals[template] = _count(_commit, scene.copied(template, run))
    return _totals[template]


FRACTIONS = (0.55, 0.75, 0.9)


@pytest.mark.parametrize("fraction", FRACTIONS)
def test_a_recovery_killed_at_any_call_can_be_repeated(
    template: Path, area: Path, fraction: float
) -> None:
    assert len(set(_sweep_recovery(template, area, fraction, 31))) == 1


@pytest.mark.sweep
@pytest.mark.parametrize("fraction", [0.4, 0.5, *FRACTIONS, 0.95, 0.98])
def test_every_kill_point_of_a_recovery(
    template: Path, area: Path, fraction: float
) -> None:
    outcomes = _sweep_recovery(template, area, fraction, 1)
    assert len(set(outcomes)) == 1
    print(
        f"\nrecovery of a commit killed at {fraction:.0%}: {len(outcomes)} kill points"
    )


def _sweep_undo(template: Path, area: Path, stride: int) -> list[int]:
    run = _at(area)
    before, after = _states(template, run)
    done = area / "done"
    scene.copied(run, done)
    return _sweep(_undo, done, run, [after, before], stride)


def test_an_undo_killed_at_any_call_is_all_or_nothing(
    template: Path, area: Path
) -> None:
    assert 0 in _sweep_undo(template, area, 89)


@pytest.mark.sweep
def test_every_kill_point_of_an_undo(template: Path, area: Path) -> None:
    outcomes = _sweep_undo(template, area, 1)
    assert set(outcomes) == {0, 1}
    print(
        f"\nundo: {len(outcomes)} kill points, {outcomes.count(0)} back, {outcomes.count(1)} forward"
    )
