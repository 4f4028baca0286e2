"""Keys of processes."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from filewright.system.processes import (
    client_process_key,
    is_process_running,
    own_process_key,
    process_namespace,
)

NEEDS_PROC = pytest.mark.skipif(
    not Path("/proc/self/stat").exists(), reason="no /proc on this system"
)
OWN = os.getpid()
ENDED = 2**22 + 1
"""No process has a number above the limit of Linux."""


def test_this_process_is_running() -> None:
    assert is_process_running(own_process_key())
    assert own_process_key().partition("-")[0] == str(OWN)


@NEEDS_PROC
@pytest.mark.parametrize(
    ("key", "is_running"),
    [
        (f"{OWN}-1", False),
        (f"{ENDED}-1", False),
        ("x-1", False),
        (str(OWN), True),
        (str(ENDED), False),
        ("x", True),
    ],
    ids=["reused", "ended", "malformed", "number", "no number", "unknown"],
)
def test_running(key: str, is_running: bool) -> None:
    assert is_process_running(key) == is_running


@NEEDS_PROC
def test_zombie_has_ended() -> None:
    child = os.fork() if sys.platform != "win32" else 0
    if child == 0:
        os._exit(0)
    os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)
    start = Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()
    assert not is_process_running(f"{child}-{start[19]}")
    os.waitpid(child, 0)


def test_client_is_an_ancestor() -> None:
    key = client_process_key()
    assert key is None or is_process_running(key)
    assert key != own_process_key()


@NEEDS_PROC
def test_namespace() -> None:
    assert process_namespace().startswith("pid:[")
