"""Random histories over several workspaces and a shell: whoever rewinds finds what was seen, byte for byte."""

from __future__ import annotations

import random
import sys
import tempfile
import time
from pathlib import Path

import pytest
from tests.promises import histories

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="modes and links are compared")


def _play(seconds: float, where: Path) -> None:
    """New seeds at each run, so that each run searches anew; a failure names its seed and its shortest form."""
    seed = random.randrange(1 << 40)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        wrong = histories.explained(seed, where)
        assert wrong is None, wrong
        seed += 1


@pytest.mark.sweep
def test_an_hour_of_random_histories_is_rewound_to_what_was_seen() -> None:
    _play(3300, Path(tempfile.gettempdir()))
