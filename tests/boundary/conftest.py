"""A root with every kind of trap in it, and a boundary over it for each way of resolving."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from filewright.boundary.boundary import Boundary
from filewright.settings import Settings


def make_outside(parent: Path) -> Path:
    """Make a folder beside the root whose name begins with the root's name."""
    folder = parent / "rooted"
    (folder / "deep").mkdir(parents=True)
    (folder / "secret").write_bytes(b"SECRET")
    (folder / "deep" / "secret").write_bytes(b"SECRET")
    return folder


def make_root(outside: Path) -> Path:
    """Make the root: files, folders, links inward and outward, special files, odd names."""
    root = outside.parent / "root"
    (root / "sub" / "below").mkdir(parents=True)
    (root / "file").write_bytes(b"file")
    (root / "sub" / "file").write_bytes(b"sub/file")
    (root / "sub" / "below" / "file").write_bytes(b"sub/below/file")
    (root / ".git").mkdir()
    (root / ".git" / "config").write_bytes(b"config")
    links = {
        "in-file": "file",
        "in-folder": "sub",
        "in-up": "sub/../file",
        "in-chain": "in-folder/below/file",
        "sub/up": "../file",
        "out-file": "../rooted/secret",
        "out-folder": "../rooted",
        "out-chain": "out-folder/secret",
        "out-root": "..",
        "abs-in": str(root / "file"),
        "abs-out": str(outside / "secret"),
        "abs-folder": str(outside),
        "proc-root": "/proc/self/root",
        "dangling": "nothing",
        "dangling-out": "../rooted/nothing",
        "loop": "loop",
        "loop-a": "loop-b",
        "loop-b": "loop-a",
        "git": ".git",
    }
    for name, target in links.items():
        (root / name).symlink_to(target)
    os.mkfifo(root / "fifo")
    listener = socket.socket(socket.AF_UNIX)
    here = Path.cwd()
    os.chdir(root)  # a socket's path is at most 107 bytes
    try:
        listener.bind("socket")
    finally:
        os.chdir(here)
        listener.close()
    return root


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A folder beside the root."""
    return make_outside(tmp_path)


@pytest.fixture
def root(outside: Path) -> Path:
    """A root that the test may change."""
    return make_root(outside)


@pytest.fixture(
    scope="module", params=[True, False], ids=["openat2", "component-wise"]
)
def by_kernel(request: pytest.FixtureRequest) -> bool:
    """Both ways of resolving a path; every test with it must give the same answer twice."""
    return bool(request.param)


@pytest.fixture
def boundary(root: Path, by_kernel: bool) -> Iterator[Boundary]:
    """A boundary over `root`."""
    boundary = Boundary([root], Settings(openat2=by_kernel))
    yield boundary
    boundary.close()


# For tests that only look, which would make the same tree a hundred times.


@pytest.fixture(scope="module")
def standing_outside(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder beside the standing root."""
    return make_outside(tmp_path_factory.mktemp("standing"))


@pytest.fixture(scope="module")
def standing_root(standing_outside: Path) -> Path:
    """A root that no test changes."""
    return make_root(standing_outside)


@pytest.fixture(scope="module")
def standing_boundary(
    standing_root: Path, by_kernel: bool
) -> Iterator[Boundary]:
    """A boundary over `standing_root`."""
    boundary = Boundary([standing_root], Settings(openat2=by_kernel))
    yield boundary
    boundary.close()
