"""Commit, history and undo."""

from __future__ import annotations

from tests.recording.differences import Wording

WORDINGS: tuple[Wording, ...] = (
    Wording(
        why="the argument is called force now; wholly is still taken",
        old=r"\bwholly\b",
        new="force",
        tool="revert_edit",
    ),
    Wording(
        why="a refused undo says that force would bring the earlier content back",
        old=r"\(get_history lists them\), or show this change's diff \(get_history with change_id\) and edit "
        r"the file by hand",
        new="(get_history lists them), show this change's diff (get_history with change_id) and edit the file "
        "by hand, or give force=true to have the earlier content over what is there now",
        tool="revert_edit",
    ),
)
