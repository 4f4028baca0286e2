"""A root with every kind of trap in it, and a boundary over it for each way of resolving."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from filewright.boundary.boundary import Boundary
from filewright.settings import Settings


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A folder beside the root whose name begins with the root's name."""
    folder = tmp_path / "rooted"
    (folder / "deep").mkdir(parents=True)
    (folder / "secret").write_bytes(b"SECRET")
    (folder / "deep" / "secret").write_bytes(b"SECRET")
    return folder


@pytest.fixture
def root(tmp_path: Path, outside: Path) -> Path:
    """The root: files, folders, links inward and outward, special files, odd names."""
    root = tmp_path / "root"
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


@pytest.fixture(params=[True, False], ids=["openat2", "component-wise"])
def by_kernel(request: pytest.FixtureRequest) -> bool:
    """Both ways of resolving a path; every test with it must give the same answer twice."""
    return bool(request.param)


@pytest.fixture
def boundary(root: Path, by_kernel: bool) -> Iterator[Boundary]:
    """A boundary over `root`."""
    boundary = Boundary([root], Settings(openat2=by_kernel))
    yield boundary
    boundary.close()
