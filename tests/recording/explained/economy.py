"""What is said once: diffs, footers and context of the native tools."""

from __future__ import annotations

import re
from operator import eq

from tests.recording.differences import Retold

_CHANGES = {"edit_content", "apply_patch", "replace_content", "write_content", "revert_edit"}


def _hits(text: str) -> list[str]:
    """The rows of hits, less the definitions they are in."""
    return [re.sub(r"   \[[^]]*\]", "", row) for row in text.splitlines() if re.match(r"\d+(:\d+)?: ", row)]


RETOLD = (
    Retold(
        "a diff is shown where it is short and new, else counted; an undo names its files",
        lambda was, now: was.surface == "native" and was.tool in _CHANGES and was.code is now.code is None,
    ),
    Retold(
        "a search says how many there are and what it skipped, and shows context where there are few hits",
        lambda was, now: (
            was.surface == "native"
            and was.tool == "search_content"
            and was.code is now.code is None
            and all(map(eq, _hits(was.text), _hits(now.text)))
        ),
    ),
    Retold(
        "a refusal of an unknown argument lists those that are new",
        lambda was, now: was.surface == "native" and was.code == now.code and "hint: known: " in now.text,
    ),
)
