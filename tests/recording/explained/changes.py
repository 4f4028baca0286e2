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
    Wording(
        why="what is there instead of a file is said in the same words everywhere",
        old=r"(not_a_file: \S+ is a folder)(?=\n|$)",
        new=r"\1, not a file",
        tool="move_items",
    ),
    Wording(
        why="what is there instead of a file is said in the same words everywhere, what can be copied in the hint",
        old=r"is a special file; only files, links and folders are copied( \([^()]*\))",
        new=r"is a special file, not a file\1 (hint: only files, links and folders are copied)",
        tool="copy_items",
    ),
)
