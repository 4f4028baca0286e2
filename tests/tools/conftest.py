"""A workspace over a temporary folder, with its state beside it."""

import os
import socket
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from tests.tools.compressed_log import write_compressed_log
from tests.tools.log_files import write_logs
from tests.tools.sources import SHOP

from filewright import Settings, Workspace

MAX_ATTEMPTS = 50


def with_time(call: Callable[[], Any]) -> Any:
    """Return the result of a call that has not run out of time, as it may under load."""
    for _ in range(MAX_ATTEMPTS):
        result = call()
        if "time ran out" not in result.text:
            return result
    raise AssertionError(result.text)


@pytest.fixture
def root(tmp_path) -> Path:
    folder = tmp_path / "root"
    folder.mkdir()
    return folder


@pytest.fixture
def workspace(root, tmp_path):
    # A busy machine may take longer to parse than an answer may wait.
    settings = Settings(parse_seconds=60)
    with Workspace(
        root, state_dir=tmp_path / "state", settings=settings
    ) as opened:
        yield opened


def list_contents(root: Path) -> dict[str, object]:
    """Return every file, folder and link below the root, by its path."""
    entries: dict[str, object] = {}
    for path in sorted(root.rglob("*")):
        name = str(path.relative_to(root))
        if path.is_symlink():
            entries[name] = ("link", str(path.readlink()))
        elif path.is_file():
            entries[name] = (path.read_bytes(), path.stat().st_mode)
        else:
            entries[name] = path.stat().st_mode
    return entries


@pytest.fixture
def contents(root):
    """Return the listing of the root, to compare before and after."""
    return partial(list_contents, root)


@pytest.fixture(params=[False, True], ids=["held", "windowed"])
def logs(request, root, tmp_path):
    """Return a workspace over logs, whose files are held or read by windows."""
    write_logs(root)
    settings = Settings(hold_bytes=1_000) if request.param else Settings()
    with Workspace(root, state_dir=tmp_path / "s", settings=settings) as opened:
        yield opened


@pytest.fixture(params=[False, True], ids=["held", "long"])
def compressed_log(request, root, tmp_path):
    """Return a workspace over `app.log.gz`, whose text is held or too long for that."""
    settings = Settings(hold_bytes=20_000) if request.param else Settings()
    write_compressed_log(root / "app.log.gz")
    with Workspace(root, state_dir=tmp_path / "s", settings=settings) as opened:
        yield opened


@pytest.fixture
def entries(root):
    """Return the root with two files, a script, and a folder."""
    (root / "a").write_text("A")
    (root / "b").write_text("B")
    (root / "dir").mkdir()
    (root / "dir/inside").write_text("I")
    (root / "run.sh").write_text("#!")
    (root / "run.sh").chmod(0o644)
    return root


def write_odd_files(root: Path) -> None:
    """Write files, links and devices of every kind, and a file beside the root."""
    (root / "a.txt").write_bytes(b"one\ntwice\ntwice\n")
    (root / "empty.txt").write_bytes(b"")
    (root / "folder").mkdir()
    (root / "folder/inside").write_bytes(b"x")
    (root / "link.txt").symlink_to("a.txt")
    (root.parent / "out.txt").write_bytes(b"secret")
    (root / "outlink").symlink_to("../out.txt")
    os.mkfifo(root / "pipe")
    with socket.socket(socket.AF_UNIX) as s:
        s.bind(str(root / "socket"))
    (root / "binary").write_bytes(b"\0\1\2")
    (root / "utf16.txt").write_bytes("x = 1\n".encode("utf-16") + b"x")
    (root / "utf32.txt").write_bytes("x = 1\n".encode("utf-32"))
    (root / "n.ipynb").write_text(
        '{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}'
    )
    (root / "latin.txt").write_bytes("# caf\xe9 au lait\n".encode("latin-1"))
    (root / ".git").mkdir()
    (root / ".git/config").write_bytes(b"[core]\n")


@pytest.fixture
def odd_files(root):
    """Return the root with files, links and devices of every kind."""
    write_odd_files(root)
    return root


@pytest.fixture
def shop(root):
    """Return the root with a module and a text."""
    (root / "shop.py").write_text(SHOP)
    (root / "old.txt").write_text("old\n")
    return root


TIERS = {
    "held": {},
    "windowed": {"hold_bytes": 0},
    "indexed": {"hold_bytes": 0, "identity_bytes": 0},
}


@pytest.fixture(params=TIERS)
def tiered(request, root, tmp_path):
    """Return a workspace that reads every file as it reads those of one size."""
    settings = Settings(**TIERS[request.param])
    with Workspace(root, state_dir=tmp_path / "s", settings=settings) as opened:
        yield opened
