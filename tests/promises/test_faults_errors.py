"""Every error return, injected once at each call: nothing lost, nothing left, a right error code."""

from __future__ import annotations

import errno
import functools
import importlib.util
import sys
from collections.abc import Callable, Collection, Iterable, Iterator
from pathlib import Path
from types import ModuleType

import pytest

from filewright.errors import Code, FilewrightError


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

_CODES = {
    errno.ENOSPC: {Code.NO_SPACE},
    errno.EIO: {Code.IO_ERROR},
    errno.EACCES: {Code.PERMISSION_DENIED},
    errno.EINTR: {Code.IO_ERROR},
}


@pytest.fixture
def area() -> Iterator[Path]:
    with scene.quick_folder() as folder:
        yield folder


def _commit(base: Path, meddler: object) -> FilewrightError | None:
    """Commit under a meddler; the error it ended with."""
    with scene.Bench(base) as bench:
        change_set = scene.twelve(bench)
        with meddler.on():
            try:
                bench.changes.commit(change_set)
            except FilewrightError as error:
                return error
    return None


Points = Callable[[list[str]], Iterable[int]]


def all_points(names: list[str]) -> Iterable[int]:
    """Return the number of every call."""
    return range(len(names))


def points_of_names(
    names: list[str], *, among: Collection[str], part: int
) -> Iterable[int]:
    """Return one call of every second name among some: in each of the four parts another."""
    for name in sorted(set(names) & set(among))[part % 2 :: 2]:
        calls = [number for number, other in enumerate(names) if other == name]
        yield calls[len(calls) * part // 4]


def points_of_writes(names: list[str]) -> Iterable[int]:
    """Return one write in three."""
    writes = [number for number, name in enumerate(names) if "write" in name]
    return writes[::3]


def _sweep(
    area: Path, act: object, choose: Points
) -> list[tuple[str, FilewrightError | None]]:
    template, run = area / "template", area / "run"
    scene.furnish(template / "work")
    scene.copied(template, run)
    before = scene.tree(run / "work")
    meddler = scene.Meddler()
    assert _commit(run, meddler) is None
    after = scene.tree(run / "work")
    outcomes = []
    for point in choose(meddler.names):
        scene.copied(template, run)
        wrong = scene.Meddler(point, act)
        error = _commit(run, wrong)
        at = (point, wrong.hit, str(error))
        late = error is not None and "could not be taken back yet" in (
            error.hint or ""
        )
        if not late:
            assert scene.tree(run / "work") == (
                after if error is None else before
            ), at
        with scene.Bench(run) as bench:
            found = bench.changes.recover()
            assert found.conflicts == [], at
            assert found.waiting == [], at
            assert len(bench.changes.history()) == (error is None), at
        assert scene.tree(run / "work") == (
            after if error is None else before
        ), at
        assert scene.temporaries(run / "work") == [], at
        outcomes.append((wrong.hit, error))
    return outcomes


@pytest.mark.parametrize("number", scene.ERRORS, ids=errno.errorcode.get)
def test_an_error_at_any_call_leaves_all_or_nothing(
    area: Path, number: int
) -> None:
    some = functools.partial(
        points_of_names, among=scene.FAILING, part=scene.ERRORS.index(number)
    )
    outcomes = _sweep(area, scene.failing(number), some)
    assert any(error is not None for _, error in outcomes)
    for _, error in outcomes:
        assert error is None or error.code in _CODES[number], error


@pytest.mark.sweep
@pytest.mark.parametrize("number", scene.ERRORS, ids=errno.errorcode.get)
def test_every_error_at_every_call(area: Path, number: int) -> None:
    outcomes = _sweep(area, scene.failing(number), all_points)
    for name, error in outcomes:
        assert error is None or error.code in _CODES[number], (name, error)
    failed = sum(error is not None for _, error in outcomes)
    print(
        f"\n{errno.errorcode[number]}: {len(outcomes)} calls, {failed} refused the change"
    )


def test_a_short_write_is_continued(area: Path) -> None:
    outcomes = _sweep(area, scene.short, points_of_writes)
    assert len(outcomes) > 3
    assert all(error is None for _, error in outcomes)


@pytest.mark.sweep
def test_every_short_write_is_continued(area: Path) -> None:
    assert all(
        error is None for _, error in _sweep(area, scene.short, all_points)
    )
