"""Lines that `setup` prints."""

from __future__ import annotations

from pathlib import Path

import pytest

from filewright.cli.setup.clients import CLIENTS
from filewright.cli.setup.components import Component
from filewright.cli.setup.files import REMOVAL_TOOL, SETUP_TOOL, FileTextChange
from filewright.cli.setup.launch import ServerOptions
from filewright.cli.setup.plan import ForeignContent, list_components
from filewright.cli.setup.text import (
    GUARD_NOTE,
    NO_HOOKS_NOTE,
    SetupChange,
    list_notes,
    render_diff,
    render_foreign_content,
    render_foreign_server_elsewhere,
    render_nothing_to_do,
)

GEMINI = CLIENTS["gemini"]
SERVER = Component(GEMINI, "server", "/p/settings.json", {}, "user")


@pytest.mark.parametrize(
    ("tool", "words"),
    [
        (SETUP_TOOL, "nothing to do, it is configured already (a)"),
        (REMOVAL_TOOL, "not configured here (a)"),
    ],
)
def test_nothing_to_do(tool: str, words: str) -> None:
    edits = [FileTextChange("a", "x", "x")]
    change = SetupChange(tool, [SERVER, SERVER], edits)
    assert render_nothing_to_do(change) == f"Gemini CLI: {words}"


def test_foreign_words_are_ascii() -> None:
    server = ForeignContent(SERVER, members=["\x1b[2J", "é"])
    assert "(\\x1b[2J, \\xe9)" in render_foreign_content(server)
    elsewhere = render_foreign_server_elsewhere(server)
    assert "\x1b" not in elsewhere
    assert "`filewright setup gemini --user`" in elsewhere
    hooks = ForeignContent(SERVER, hook_lines=["rm \x1b", "ls"])
    assert render_foreign_content(hooks).count("leaves it in place") == 2
    assert render_foreign_content(hooks).isascii()


def test_notes(empty_project: Path) -> None:
    components = list_components(GEMINI, "shared", ServerOptions())
    notes = list_notes(GEMINI, components, is_shared=False)
    assert notes[:2] == [GEMINI.note, GUARD_NOTE]
    assert "--shared writes files for a team" in notes[2]
    assert ".gemini/settings.json" in notes[2]
    shared = list_notes(GEMINI, components, is_shared=True)
    assert shared[-1].endswith("needs `filewright` in PATH")


def test_note_of_client_without_hooks() -> None:
    client = CLIENTS["continue"]
    assert list_notes(client, [], is_shared=False)[1] == NO_HOOKS_NOTE


def test_diff(empty_project: Path) -> None:
    path = str(Path.home() / "a.json")
    diff = render_diff(FileTextChange(path, None, "new\n"))
    assert "~/a.json" in diff
    assert diff.endswith("+new\n")
    assert "-old" in render_diff(FileTextChange(path, "old\n", None))
