"""Random histories over several workspaces and a shell: whoever rewinds finds what was seen, byte for byte."""

from __future__ import annotations

import random
import sys
import tempfile
import time
from pathlib import Path

import pytest
from tests.promises import histories
from tests.samples import one_in

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="modes and links are compared"
)


def _play(seconds: float, where: Path) -> None:
    """New seeds at each run, so that each run searches anew; a failure names its seed and its shortest form."""
    seed = random.randrange(1 << 40)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        wrong = histories.explained(seed, where)
        assert wrong is None, wrong
        seed += 1


def test_some_random_histories_are_rewound_to_what_was_seen(
    tmp_path: Path,
) -> None:
    _play(1, tmp_path)


@pytest.mark.sweep
def test_an_hour_of_random_histories_is_rewound_to_what_was_seen() -> None:
    _play(3300, Path(tempfile.gettempdir()))


FOUND: dict[str, list[histories.Step]] = {
    "a workspace that was opened before the first change sees each change twice": [
        ("project", False, True),
        ("shell", "new", False, ("again", "d/g", "e/h/y", 24779)),
        ("write", "B", "b", "n/f", 65526),
        ("move", "new", "b", "e/f", 61280),
        ("rewind", "A", "e/f", "k", 34878),
    ],
    "a file made from above is written to by who has opened its folder": [
        ("project", True, False),
        ("move", "B", "d/f", "e/h/y", 22768),
        ("write", "B", "n/m", "d", 34422),
        ("write", "N", "n/m", "d/f", 38309),
        ("rewind", "A", "d/f", "k", 50520),
    ],
    "a shell changes the mode of a file that a tool edits at the same time": [
        ("project", False, False),
        ("write", "B", "e/h", "d/f", 63008),
        ("shell", "B", True, ("chmod", "a", "d/h/x", 626)),
        ("rewind", "B", "b", "a", 38290),
    ],
    "a shell appends to what a tool edits at the same time": [
        ("project", False, True),
        ("move", "A", "a", "k", 53341),
        ("copy", "B", "d/f", "e/f", 9179),
        ("shell", "new", True, ("append", "e/f", "b", 60884)),
        ("rewind", "A", "e/h", "e/h/y", 54985),
    ],
    "a file whose folder was moved away is restored by its path": [
        ("project", False, False),
        ("mkdir", "A", "k", "e/h/y", 8300),
        ("move", "A", "d", "e/h", 57428),
        ("shell", "N", False, ("replace", "e/f", "b", 8114)),
        ("mkdir", "N", "d", "d/g", 36505),
        ("write", "new", "d/f", "e", 39770),
        ("shell", "A", False, ("write", "n/f", "e/f", 55148)),
        ("undo one", "new", "k", "d/h/x", 47001),
        ("restore", "new", "d/f", "d", 33152),
    ],
    "folders that a shell deletes come back after undos between": [
        ("project", False, True),
        ("shell", "N", False, ("mv", "b", "d/h/x", 31892)),
        ("write", "B", "d/g", "d/f", 60498),
        ("undo", "A", "e/h", "b", 23354),
        ("shell", "new", True, ("rm", "d", "d", 30055)),
        ("move", "B", "n/f", "e/f", 50263),
        ("shell", "A", False, ("cp", "a", "n/m", 31913)),
        ("rewind", "B", "d/g", "e/h", 28129),
    ],
    "a file with two names of which one is deleted": [
        ("project", False, True),
        ("shell", "new", False, ("ln", "a", "e/f", 23740)),
        ("move", "N", "n/f", "e/h", 50635),
        ("delete", "A", "d", "e/h/y", 9105),
        ("undo one", "new", "k", "b", 58710),
        ("shell", "N", False, ("rm", "a", "b", 16848)),
        ("shell", "new", False, ("chmod", "e", "e/h", 48630)),
        ("shell", "A", False, ("mv", "e", "d/h", 52342)),
        ("rewind", "A", "d", "d/h/x", 25128),
    ],
    "a file written from below and moved from above": [
        ("project", False, True),
        ("delete", "B", "d/f", "a", 9776),
        ("shell", "new", False, ("cp", "d/g", "d/h/x", 3779)),
        ("shell", "new", False, ("mv", "a", "n/f", 24114)),
        ("write", "N", "d/f", "a", 15300),
        ("write", "N", "n/m", "d/f", 20926),
        ("undo one", "A", "k", "k", 14525),
        ("rewind", "B", "d/h/x", "d/g", 51327),
        ("rewind", "A", "d/h", "b", 35921),
    ],
    "folders swapped by a shell": [
        ("project", False, True),
        ("write", "new", "b", "n/f", 7602),
        ("write", "A", "d/h/x", "a", 16226),
        ("shell", "N", False, ("swap", "e", "d/h", 24624)),
        ("patch", "new", "n/f", "e/f", 32561),
        ("shell", "new", False, ("symlink", "d/h/x", "d/f", 44833)),
        ("undo one", "new", "e/h/y", "e/h", 8519),
        ("write", "N", "d/h", "e", 58411),
        ("move", "B", "d/h", "n/f", 2957),
        ("write", "N", "d/f", "e/h", 32455),
        ("undo one", "A", "d/h/x", "n/f", 49865),
        ("shell", "A", False, ("write", "e/f", "a", 19094)),
        ("rewind", "B", "e", "d/h", 7076),
    ],
    "a file is renamed by a shell and its folder by another": [
        ("project", False, True),
        ("mkdir", "A", "b", "n/m", 55956),
        ("write", "B", "n/m", "d/g", 57986),
        ("move", "B", "d/g", "k", 54141),
        ("shell", "B", False, ("mv", "n/m", "d/h/x", 3696)),
        ("shell", "N", False, ("again", "n/m", "e", 39954)),
        ("write", "A", "d/g", "d/h", 7821),
        ("rewind", "B", "k", "n/f", 20835),
    ],
    "a folder and a file are swapped by a shell while a tool edits one of them": [
        ("project", False, True),
        ("undo", "B", "n/f", "a", 14286),
        ("shell", "A", False, ("chmod", "d/h", "d/f", 30781)),
        ("shell", "B", True, ("swap", "d/h", "a", 27215)),
        ("rewind", "B", "e/h/y", "a", 44438),
    ],
    "a folder that a shell moved is made anew by a tool, and its own changes are undone": [
        ("project", True, False),
        ("shell", "B", False, ("replace", "b", "e", 8108)),
        ("copy", "B", "b", "k", 13287),
        ("shell", "A", False, ("mv", "e", "d", 4439)),
        ("write", "new", "e/f", "b", 39677),
        ("session", "B", "b", "k", 14160),
        ("shell", "B", False, ("replace", "n/m", "n/f", 7787)),
        ("write", "B", "n/m", "e/h/y", 34778),
        ("rewind", "A", "e/h/y", "e/f", 24753),
    ],
    "a folder and a file are swapped twice, the second time beside an edit": [
        ("project", False, True),
        ("delete", "B", "a", "n/m", 54693),
        ("undo", "B", "n/f", "e/f", 23777),
        ("shell", "N", False, ("swap", "e", "d/g", 34952)),
        ("redo", "A", "d/h", "d/g", 25086),
        ("shell", "B", True, ("swap", "d/g", "n/f", 11291)),
        ("rewind", "new", "d/f", "e/h/y", 46323),
    ],
    "a file is restored whose folder was moved away and which was edited there": [
        ("project", False, True),
        ("write", "A", "e/f", "e/h/y", 11632),
        ("edit", "B", "d/g", "k", 31674),
        ("undo one", "new", "d/h/x", "e/h/y", 26502),
        ("edit", "B", "n/f", "d", 43245),
        ("write", "new", "n/m", "d", 51794),
        ("shell", "A", False, ("rm", "b", "d/g", 25652)),
        ("write", "A", "e/h", "e/f", 18838),
        ("rewind", "A", "n/f", "d/h", 18624),
        ("move", "A", "d", "e/h/y", 44327),
        ("undo one", "A", "e", "d", 15256),
        ("shell", "new", False, ("rm", "a", "e/h/y", 22720)),
        ("restore", "A", "d/g", "e/f", 16868),
    ],
    "a folder that was moved and made anew holds a file under its old path": [
        ("project", True, True),
        ("move", "new", "d", "n/m", 62914),
        ("undo one", "B", "d/h/x", "e/f", 59649),
        ("write", "N", "a", "d/h", 41434),
        ("redo", "B", "d/g", "d/h", 15875),
        ("restore", "B", "d/h/x", "n/f", 47406),
        ("rewind", "B", "e/f", "e/f", 59717),
    ],
    "a root within another is registered while a command of the outer one runs": [
        ("project", False, False),
        ("begin", "B", "d/h", "n/m", 25803),
        ("shell", "N", True, ("chmod", "d/h", "a", 17943)),
        (
            "commands",
            "B",
            ("rm", "e/f", "e", 50834),
            ("append", "n/f", "k", 33213),
        ),
        ("move", "N", "d", "a", 15127),
        ("down", "A", "", "", 0),
    ],
    "a command makes something in the inner root before a tool deletes something in the outer": [
        ("project", False, True),
        ("begin", "new", "n/f", "k", 19080),
        ("rewind", "B", "d", "d/h", 62096),
        ("move", "A", "n/f", "e/f", 49309),
        ("session", "N", "e/f", "e", 54172),
        ("commands", "B", ("mkdir", "n/f", "b", 24937)),
        ("delete", "B", "d/h/x", "e/h", 13651),
        ("down", "B", "", "", 0),
    ],
    "a command of the inner root writes before a tool of the outer one": [
        ("project", True, False),
        ("begin", "N", "b", "e", 45791),
        ("commands", "B", ("again", "n/f", "d", 7800)),
        ("mode", "A", "d", "e/f", 33266),
        ("down", "B", "", "", 0),
    ],
}


@pytest.mark.parametrize("case", one_in(2, FOUND))
def test_a_history_that_once_went_wrong(case: str, tmp_path: Path) -> None:
    wrong = histories.played(FOUND[case], tmp_path)
    assert wrong is None, wrong
