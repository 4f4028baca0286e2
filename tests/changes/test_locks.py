"""The lock of a workspace."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from filewright import system
from filewright.boundary.boundary import Boundary
from filewright.changes.locks import WorkspaceLock, lock_folder
from filewright.errors import Code, FilewrightError
from filewright.settings import Settings


@pytest.fixture
def locks(tmp_path: Path) -> Iterator[dict[str, WorkspaceLock]]:
    """Locks of a folder, of one in it twice, and of two beside each other."""
    held = {}
    boundaries = []
    for name, path in {
        "outer": "a",
        "inner": "a/b",
        "same": "a/b",
        "neighbour": "a/c",
    }.items():
        (tmp_path / path).mkdir(parents=True, exist_ok=True)
        boundaries.append(Boundary([tmp_path / path], Settings()))
        held[name] = WorkspaceLock(boundaries[-1], 0.01)
    yield held
    for lock in held.values():
        lock.close()
    for boundary in boundaries:
        boundary.close()


def test_is_reentrant(locks: dict[str, WorkspaceLock]) -> None:
    lock = locks["inner"]
    for _ in range(2):
        with lock.exclusive() as is_outermost:
            assert is_outermost
            with lock.exclusive() as is_outermost:
                assert not is_outermost


@pytest.mark.parametrize(
    ("first", "second", "excludes"),
    [
        ("inner", "same", True),
        ("inner", "outer", True),
        ("outer", "inner", True),
        ("inner", "neighbour", False),
    ],
)
def test_excludes(
    locks: dict[str, WorkspaceLock], first: str, second: str, excludes: bool
) -> None:
    with locks[first].exclusive():
        if excludes:
            with (
                pytest.raises(FilewrightError) as caught,
                locks[second].exclusive(wait=False),
            ):
                pass
            assert caught.value.code is Code.TIMEOUT
        else:
            with locks[second].exclusive(wait=False):
                pass
    with locks[second].exclusive(wait=False):
        pass


def test_locks_folder(tmp_path: Path) -> None:
    past = time.monotonic()
    path = tmp_path.as_posix().encode()
    with system.open_folder(path) as one, system.open_folder(path) as other:
        assert lock_folder(one, past, None, exclusive=False)
        assert lock_folder(other, past, None, exclusive=False)
        assert not lock_folder(other, past, None, exclusive=True)
