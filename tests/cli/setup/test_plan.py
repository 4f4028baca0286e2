"""Plans of `setup`: the edits of a client's files before any is written."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from filewright.cli.setup.clients import CLIENTS
from filewright.cli.setup.launch import ServerOptions
from filewright.cli.setup.plan import (
    find_foreign_content,
    find_foreign_servers_elsewhere,
    find_present_components,
    list_components,
    plan_removal,
    plan_setup,
)
from filewright.cli.setup.setup import setup

CLIENT = CLIENTS["gemini"]
OPTIONS = ServerOptions(shared=True)


@pytest.fixture(autouse=True)
def command() -> Iterator[None]:
    """Run as in a command, at whose end the files' histories are closed."""
    with click.Context(setup):
        yield


def test_plans_without_writing(empty_project: Path) -> None:
    components = list_components(CLIENT, "shared", OPTIONS)
    edits = plan_setup(components)
    assert {edit.before for edit in edits} == {None}
    assert len(edits) == len({component.path for component in components})
    assert not any(empty_project.iterdir())


def test_finds_scopes_with_server(empty_project: Path) -> None:
    assert not find_present_components([CLIENT], ["shared"], OPTIONS).components
    for edit in plan_setup(list_components(CLIENT, "shared", OPTIONS)):
        path = Path(edit.path)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(edit.after or "")
    present = find_present_components([CLIENT], ["shared", "user"], OPTIONS)
    kinds = {component.kind for component in present.components}
    assert {"server", "hooks"} <= kinds
    assert {component.scope for component in present.components} == {"shared"}


def test_removal_keeps_other_components(empty_project: Path) -> None:
    components = list_components(CLIENT, "shared", OPTIONS)
    for edit in plan_setup(components):
        path = Path(edit.path)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(edit.after or "")
    hooks = [part for part in components if part.kind == "hooks"]
    (edit,) = plan_removal(hooks, components).edits
    left = json.loads(edit.after or "")
    assert "filewright" in left["mcpServers"]
    assert "hooks" not in left
    everything = plan_removal(components, components)
    assert {edit.after for edit in everything.edits} == {None}


def test_finds_foreign_server(empty_project: Path) -> None:
    path = empty_project / ".gemini" / "settings.json"
    path.parent.mkdir()
    path.write_text('{"mcpServers": {"filewright": {"command": "mine"}}}')
    components = list_components(CLIENT, "shared", OPTIONS)
    (foreign,) = find_foreign_content(components)
    assert foreign.component.kind == "server"
    assert foreign.members
    assert not find_foreign_servers_elsewhere(CLIENT, components, OPTIONS)
    assert find_foreign_servers_elsewhere(CLIENT, [], OPTIONS)
    path.write_text("{")
    assert not find_foreign_content(components)
