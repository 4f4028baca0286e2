"""A workspace to change, shared with the promise tests."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from tests.changes.sessions import TEXT

from filewright.changes.recovery import Recovery


def _load(name: str) -> ModuleType:
    if name not in sys.modules:
        path = Path(__file__).parents[1] / "promises" / f"{name}.py"
        spec = importlib.util.spec_from_file_location(name, path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
    return sys.modules[name]


@pytest.fixture(scope="session")
def scene() -> ModuleType:
    """The helpers of the promise tests."""
    return _load("scene")


@pytest.fixture
def area(scene: Any) -> Iterator[Path]:
    """A temporary folder, in memory where there is one."""
    with scene.quick_folder() as folder:
        yield folder


@pytest.fixture
def bench(scene: Any, area: Path) -> Iterator[Any]:
    """A workspace with a few files."""
    with scene.Bench(area) as made:
        (made.root / "a.txt").write_bytes(b"one\ntwo\nthree\n")
        (made.root / "b.txt").write_bytes(b"bee\n")
        (made.root / "f" / "g").mkdir(parents=True)
        (made.root / "f" / "x.txt").write_bytes(b"ex\n")
        (made.root / "f" / "g" / "y.txt").write_bytes(b"why\n")
        yield made


@pytest.fixture
def restarted(scene: Any, bench: Any, area: Path) -> Callable[[], Recovery]:
    """Recover in a new workspace; a second recovery finds nothing."""

    def recover() -> Recovery:
        with scene.Bench(area) as fresh:
            report = fresh.changes.recover()
            assert fresh.changes.recover().clean
            return report

    return recover


@pytest.fixture
def text(bench: Any) -> Path:
    """A file of thirty lines in the workspace."""
    path: Path = bench.root / "t.txt"
    path.write_bytes(TEXT)
    return path
