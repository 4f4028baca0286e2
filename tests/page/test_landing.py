"""The landing view: all that the person has not decided, by prompt."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from filewright import Workspace
from filewright.page.context import PageContext
from filewright.page.decisions import file_key
from filewright.page.landing import (
    Landing,
    find_landing,
    landing_address,
    make_sections,
)

Write = Callable[..., None]


@pytest.fixture
def write(folder: Path, tmp_path: Path) -> Write:
    """Write a file as a client does."""

    def write(name: str, client: str | None, session: str = "s") -> None:
        with Workspace(
            folder,
            state_dir=tmp_path / "state",
            client=client,
            session=session,
        ) as workspace:
            workspace.write(name, f"{session}\n", mode="append")

    return write


def land(context: PageContext) -> Landing | None:
    name = landing_address(context)
    return None if name is None else find_landing(context, name)


@pytest.mark.parametrize(
    ("clients", "agents"),
    [
        pytest.param(["claude-code 2.4.1"], " by claude-code", id="one"),
        pytest.param(["claude-code 2", "codex 1"], " by 2 agents", id="two"),
        pytest.param(["codex-mcp-client 2", "codex 1"], " by codex", id="same"),
        pytest.param([""], " by an unnamed client", id="unnamed"),
        pytest.param(["filewright 0.1.0"], "", id="person"),
    ],
)
def test_names_the_agents(
    workspace: Workspace, write: Write, clients: list[str], agents: str
) -> None:
    for number, client in enumerate(clients):
        write(f"{number}.txt", client, session=f"s{number}")
    landing = land(PageContext(workspace))
    assert landing is not None
    files = "1 file" if len(clients) == 1 else f"{len(clients)} files"
    assert landing.title.partition(" since ")[0] == f"{files}{agents}"


def test_leaves_out_accepted_files(workspace: Workspace, write: Write) -> None:
    write("a.txt", "codex 1")
    write("b.txt", "codex 1")
    context = PageContext(workspace)
    landing = land(context)
    assert landing is not None
    (change,) = [
        change
        for change in landing.subject.record.file_changes
        if change.path.display_path == "a.txt"
    ]
    context.marks.decide({file_key(change): "a.txt"}, "accepted")
    landing = land(context)
    assert landing is not None
    assert (landing.file_count, landing.accepted_count) == (1, 1)


def test_groups_files_by_the_newest_prompt(
    workspace: Workspace, write: Write
) -> None:
    write("a.txt", "codex 1", session="first")
    write("b.txt", "codex 1", session="first")
    write("a.txt", "codex 1", session="second")
    landing = land(PageContext(workspace))
    assert landing is not None
    assert [len(group.indexes) for group in landing.groups] == [1, 1]
    assert make_sections(landing, []) == []


def test_has_nothing_without_changes(workspace: Workspace) -> None:
    assert land(PageContext(workspace)) is None
