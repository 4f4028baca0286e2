"""What search answers otherwise."""

import re

from tests.recording.differences import Retold
from tests.recording.sessions import Call

_SKIPPED = re.compile(r"\n?\[\d+ binary files? skipped\]|; \d+ binary files? skipped")


def _less_skipped(call: Call) -> str:
    return _SKIPPED.sub("", call.text)


RETOLD = (
    Retold(
        why="a binary file that may hold the pattern is counted without reading it to its end",
        covers=lambda then, now: then.tool == "search_content" and _less_skipped(then) == _less_skipped(now),
    ),
)
