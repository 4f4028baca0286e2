"""Titles of changes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from filewright import Workspace
from filewright.page.titles import (
    Phrase,
    describe_files,
    join_phrases,
    make_title,
)


def newest_title(workspace: Workspace) -> str:
    """Return the title of the newest change."""
    (record,) = workspace.history(limit=1)
    return make_title(record, describe_files(record))


@pytest.mark.parametrize(
    ("tool", "arguments", "title"),
    [
        pytest.param(
            "write_content",
            {"items": [{"path": "new.py", "content": "x"}]},
            "Created new.py",
            id="created",
        ),
        pytest.param(
            "delete_items",
            {"paths": ["docs"], "recursive": True},
            "Deleted docs/",
            id="deleted-folder",
        ),
        pytest.param(
            "move_items",
            {"items": [{"source": "docs", "destination": "site/docs"}]},
            "Created site/ and moved docs to site/docs/",
            id="moved-folder",
        ),
        pytest.param(
            "move_items",
            {"items": [{"source": "a.txt", "destination": "b.txt"}]},
            "Renamed a.txt to b.txt",
            id="renamed",
        ),
        pytest.param(
            "replace_content",
            {"pattern": "one", "replacement": "two", "preview": False},
            "Replaced 'one' by 'two' in 3 files",
            id="replaced",
        ),
        pytest.param(
            "write_content",
            {"items": [{"path": f"d/{at}", "content": "x"} for at in range(5)]},
            "Created 5 files in d",
            id="several-files",
        ),
    ],
)
def test_title_of_tool(
    workspace: Workspace,
    folder: Path,
    tool: str,
    arguments: dict[str, Any],
    title: str,
) -> None:
    (folder / "docs").mkdir()
    for name in ("a.txt", "docs/x.md", "docs/y.md"):
        (folder / name).write_text("one\n")

    answer = workspace.call(tool, arguments)

    assert not answer.is_error, answer.text
    assert newest_title(workspace) == title


def test_title_of_command(workspace: Workspace, folder: Path) -> None:
    command_id = workspace.begin_command()
    for number in range(3):
        (folder / f"{number}.txt").write_text("x")
    workspace.end_command(command_id, "npm run format")

    assert newest_title(workspace) == "Shell: npm run format (3 files)"


def test_title_of_client_edit(workspace: Workspace, folder: Path) -> None:
    command_id = workspace.begin_command()
    (folder / "0.txt").write_text("y")
    workspace.end_command(command_id, "", label="Edit 0.txt")

    assert newest_title(workspace) == "Edit 0.txt (1 file)"


@pytest.mark.parametrize(
    ("verbs", "sentence"),
    [
        pytest.param([], "", id="none"),
        pytest.param(["created"], "Created x", id="one"),
        pytest.param(["created", "edited"], "Created x and edited y", id="two"),
        pytest.param(
            ["created", "edited", "deleted", "moved"],
            "Created x, edited y and more",
            id="many",
        ),
    ],
)
def test_joins_phrases(verbs: list[str], sentence: str) -> None:
    phrases = [
        Phrase(verb, target)
        for verb, target in zip(verbs, "xyzw", strict=False)
    ]

    assert join_phrases(phrases) == sentence
