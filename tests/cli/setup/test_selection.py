"""Clients, scopes and components of one run of `setup`."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import click
import pytest

from filewright.cli.setup.clients import CLIENTS, SCOPES
from filewright.cli.setup.launch import ServerOptions
from filewright.cli.setup.selection import (
    SetupSelection,
    list_excluded_kinds,
    select_scopes,
)

ALL = SetupSelection(
    client=None,
    scopes=SCOPES,
    options=ServerOptions(),
    excluded_kinds=frozenset(),
    file=None,
)


def select(name: str, **fields: Any) -> SetupSelection:
    """Return a selection of one client."""
    return dataclasses.replace(ALL, client=CLIENTS[name], **fields)


@pytest.mark.parametrize(
    ("user", "shared", "scopes"),
    [
        (True, False, ["user"]),
        (False, True, ["shared"]),
        (False, False, [*SCOPES]),
    ],
)
def test_scopes_of_options(user: bool, shared: bool, scopes: list[str]) -> None:
    assert select_scopes(user=user, shared=shared) == scopes


@pytest.mark.parametrize(
    ("options", "kinds"),
    [
        pytest.param({}, {"skill"}, id="default"),
        pytest.param({"remove": True}, set(), id="remove"),
        pytest.param(
            {"hooks": True, "rule": False}, {"hooks", "skill"}, id="no"
        ),
        pytest.param(
            {"shell": True}, {"server", "hooks", "rule", "commands"}, id="shell"
        ),
    ],
)
def test_excluded_kinds(options: dict[str, bool], kinds: set[str]) -> None:
    values = {"shell": False, "remove": False, **options}
    assert list_excluded_kinds(**values) == kinds


def test_clients() -> None:
    assert [*ALL.clients] == [*CLIENTS.values()]
    assert select("gemini").clients == [CLIENTS["gemini"]]


@pytest.mark.parametrize(
    ("name", "scopes", "option"),
    [
        ("claude-desktop", ["shared"], "--shared"),
        ("continue", ["user"], "--user"),
    ],
)
def test_client_without_scope(
    name: str, scopes: list[str], option: str
) -> None:
    selection = select(name, scopes=scopes)
    with pytest.raises(click.UsageError, match=f"leave {option} out"):
        selection.default_scope(CLIENTS[name])


def test_nothing_present_is_the_default(empty_project: Path) -> None:
    selection = select("gemini", scopes=["shared"])
    present = selection.find_present()
    assert present.components == selection.list_default(CLIENTS["gemini"])
    everything = dataclasses.replace(ALL, scopes=["shared"])
    assert not everything.find_present().components


def test_file_of_the_user(empty_project: Path) -> None:
    selection = select("gemini", file="~/own.json")
    (component,) = selection.find_present().components
    assert component.kind == "server"
    assert component.path == str(Path.home() / "own.json")
    assert selection.find_links_outside() == []


def test_leaves_out_kinds(empty_project: Path) -> None:
    selection = select("gemini", excluded_kinds=frozenset(("hooks", "rule")))
    components = selection.list_default(CLIENTS["gemini"])
    rest = selection.without_excluded(components)
    kinds = {component.kind for component in components}
    assert {component.kind for component in rest} == kinds - {"hooks", "rule"}


def test_links_outside(empty_project: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    for name in (".gemini", "GEMINI.md"):
        (empty_project / name).symlink_to(tmp_path / "elsewhere")
    outside = CLIENTS["gemini"].find_links_outside("shared")
    assert "rule" in {link.file.kind for link in outside}
    links = select("gemini", scopes=["shared"]).find_links_outside()
    assert links
    assert len({link.reason for link in links}) == len(links)
    assert all(link.file.kind != "rule" for link in links)
