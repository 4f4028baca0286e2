"""Commit, history and undo."""

from __future__ import annotations

from tests.recording.differences import Retold, Wording

RETOLD: tuple[Retold, ...] = (
    Retold(
        "the refusal of a patch says of its other files too what is wrong, so that one call mends all",
        lambda was, now: was.tool == "apply_patch" and was.code == now.code and "also: " in now.text,
    ),
    Retold(
        "a refused undo shows both sides of each conflict",
        lambda was, now: (
            was.tool == "revert_edit"
            and was.code == now.code == "stale_version"
            and "<<<<<<< now" in now.text
        ),
    ),
    Retold(
        "revert_edit takes a session and a moment too",
        lambda was, now: (
            was.tool == "revert_edit" and "takes one of change_id, session and since" in now.text
        ),
    ),
)

WORDINGS: tuple[Wording, ...] = (
    Wording(
        why="the hint names the flag by which the user allows it",
        old=r"or ask the user to unprotect it",
        new="or ask the user to allow it (--allow-write)",
    ),
    Wording(
        why="the argument is called force now, in the schema too; wholly is still taken",
        old=r"(?<=wholly)([^\n]*\nhint: )wanted: a boolean",
        new=r"\1look at the tool's schema",
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
    Wording(
        why="a folder is asked once for a batch; a name that is too long is met where it is looked at",
        old=r"cannot change (x{200,}: [^\n]*too long)",
        new=r"cannot look at \1",
        tool="move_items",
    ),
)
