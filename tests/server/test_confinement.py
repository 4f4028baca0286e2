"""The confinement of the server by the kernel."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.processes import FILEWRIGHT

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="nothing confines the server here"
)


def test_logs_confinement(start: Callable[..., Any], tmp_path: Path) -> None:
    start(str(tmp_path), command=[*FILEWRIGHT]).hears("confined")


def test_is_left_out(start: Callable[..., Any], tmp_path: Path) -> None:
    client = start(str(tmp_path), "--no-landlock", command=[*FILEWRIGHT])
    client.shake_hands()
    client.leave()
    assert "confined by Landlock" not in client.stderr.decode()
