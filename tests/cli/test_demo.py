"""The demo: two agents' work in a scratch project, a first step, and nothing left."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from filewright.cli.demo_story import PRICES, PRICES_AFTER, PROJECT

pty = pytest.importorskip("pty")

FILEWRIGHT = [sys.executable, "-m", "filewright"]


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """The environment of a terminal without a browser, and a folder for the project."""
    (tmp_path / "tmp").mkdir()
    environment = {**os.environ, "TMPDIR": str(tmp_path / "tmp")}
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        environment.pop(name, None)
    return {**environment, "PAGER": "cat", "TERM": "dumb"}


def _type_into(
    arguments: list[str], text: bytes, environment: dict[str, str]
) -> tuple[int, str]:
    """Return the status and the output of a command to which a person types a text."""
    master, terminal = pty.openpty()
    with subprocess.Popen(
        [*FILEWRIGHT, *arguments],
        env=environment,
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
    ) as process:
        os.close(terminal)
        os.write(master, text)
        output = b""
        while True:
            try:
                output += os.read(master, 65536)
            except OSError:
                break
    os.close(master)
    return process.returncode, output.decode().replace("\r\n", "\n")


def test_terminal(environment: dict[str, str], tmp_path: Path) -> None:
    status, output = _type_into(["demo"], b"y\n", environment)
    assert status == 0, output
    assert "The guard put those bytes back" in output
    assert (
        output.count("self.lines.clear()") == 2
    )  # In the preview and in `show`.
    assert [*(tmp_path / "tmp").iterdir()] == []


@pytest.mark.sweep
def test_no_terminal(environment: dict[str, str], tmp_path: Path) -> None:
    process = subprocess.run(
        [*FILEWRIGHT, "demo"],
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == 0, process.stderr
    assert "A first step" in process.stdout
    assert [*(tmp_path / "tmp").iterdir()] == []


def test_prices_are_not_utf8() -> None:
    with pytest.raises(UnicodeDecodeError):
        PROJECT[PRICES].decode("utf-8")
    assert PROJECT[PRICES] != PRICES_AFTER
