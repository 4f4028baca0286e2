"""Groups of lines with one origin."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from filewright import Workspace
from filewright.changes.blame import (
    Blame,
    BlamedLines,
    CommitFacts,
    LineOrigin,
)
from filewright.page.blame_groups import BlameGroup, group_lines
from filewright.page.changelog import ChangeLog
from filewright.progress import Caller, Task


def group(workspace: Workspace, *lines: BlamedLines) -> list[BlameGroup]:
    """Return the groups of lines with these origins."""
    path = workspace.record("@").file_changes[0].path
    blame = Blame(path, b"", "utf-8", lines)
    return [*group_lines(ChangeLog(workspace), blame)]


def test_change_has_title_of_its_prompt(workspace: Workspace) -> None:
    agent = workspace.under(Task(caller=Caller("s", "codex 1", "turn")))
    agent.write("a.txt", "one\ntwo\n")
    agent.edit("a.txt", [{"search": "two", "replace": "2"}])
    blame = workspace.blame("a.txt")
    first, second = group_lines(ChangeLog(workspace), blame)
    assert (first.first, first.count) == (1, 1)
    assert (second.first, second.count) == (2, 1)
    assert first.title == second.title
    assert first.prompt == second.prompt
    assert first.id != second.id
    assert (first.author, first.session) == ("codex 1", "s")


def test_joins_pieces_and_shortens_commits(workspace: Workspace) -> None:
    workspace.write("a.txt", "x\n")
    commit = CommitFacts(
        id="c" * 40,
        author="A\u202e",
        title="Fix\x1b",
        time=datetime(2026, 1, 1, tzinfo=UTC),
    )
    origin = LineOrigin(commit=commit)
    (only,) = group(
        workspace, BlamedLines(1, 2, origin), BlamedLines(3, 4, origin)
    )
    assert (only.first, only.count, only.kind) == (1, 6, "commit")
    assert only.short_id == "c" * 10
    assert (only.author, only.title) == ("A\\u202e", "Fix\\x1b")


@pytest.mark.parametrize(
    ("origin", "title"),
    [
        (LineOrigin(), "before the history"),
        (LineOrigin(unknown="not stored"), "changed, and not stored"),
    ],
)
def test_unknown_origin(
    workspace: Workspace, origin: LineOrigin, title: str
) -> None:
    workspace.write("a.txt", "x\n")
    (only,) = group(workspace, BlamedLines(1, 1, origin))
    assert (only.kind, only.title, only.id) == ("unknown", title, "")
