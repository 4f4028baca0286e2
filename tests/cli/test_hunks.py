"""Hunk by hunk, a person in a terminal chooses what an undo or a rewind takes back."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests import terminals
from tests.cli.typed import FORTY_LINES, run

ENTER = "\r"


def ids() -> list[str]:
    return [line.split()[0] for line in run("log").stdout.splitlines()]


def test_goes_hunk_by_hunk(history: Path) -> None:
    [_, edit] = ids()
    screen = terminals.run(
        "undo",
        "-p",
        edit,
        keys=[
            ("(1/3) a.txt: keep this hunk", "?\r"),
            ("k  go back", "n\r"),
            ("(2/3) a.txt", "y\r"),
            ("(3/3) a.txt", "k\r"),
            ("(2/3) a.txt", "y\r"),
            ("(3/3) a.txt", "n\r"),
            ("Undo 1 file?", "y\r"),
        ],
    )
    assert screen.status == 0
    text = (history / "a.txt").read_text()
    assert text == FORTY_LINES.replace("line 20\n", "twenty\n").replace(
        "line 9\n", "nine\n"
    )
    assert len(ids()) == 3, "both hunks are one change"


def test_goes_through_files_of_a_prompt(history: Path) -> None:
    screen = terminals.run(
        "rewind",
        "-p",
        keys=[
            ("Rewind which prompt?", ENTER),
            ("a.txt: keep this hunk", "n\r"),
            ("b.txt: keep this file", "y\r"),
            ("new.txt: keep this file", "n\r"),
            ("Rewind 2 files (1 deleted)?", "y\r"),
        ],
    )
    assert screen.status == 0
    assert "line 9\n" in (history / "a.txt").read_text()
    assert not (history / "b.txt").exists()
    assert not (history / "new.txt").exists()


@pytest.mark.parametrize("keys", ["x\r", "q\r", "\x04"], ids=["x", "q", "^D"])
def test_leaves_hunks(history: Path, keys: str) -> None:
    before = (history / "a.txt").read_text()
    screen = terminals.run("undo", "-p", keys=[("keep this", keys)])
    assert screen.status == 1
    assert (history / "a.txt").read_text() == before
    assert "Traceback" not in screen.text
