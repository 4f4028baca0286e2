"""The state of a folder, on a terminal."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from tests import terminals
from tests.cli.typed import edit, run


@pytest.mark.skipif(sys.platform == "win32", reason="a terminal of Unix")
def test_says_what_is_next(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def said() -> list[str]:
        found = terminals.run().lines
        assert found[0] == f"{folder}; history: {folder.parent / 'state'}"
        return found[1:]

    monkeypatch.setenv("HOME", str(folder.parent / "home"))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    assert run().exit_code == 2
    assert said() == [
        "nothing has been changed here yet",
        "clients: none is configured",
        "next: filewright setup connects your agents",
    ]
    assert run("setup", "gemini", "--yes").exit_code == 0
    assert said()[-2:] == [
        "clients: Gemini CLI",
        "next: filewright setup --check tests them; then let one change a file",
    ]
    for old, new in (("one", "1"), ("two", "2")):
        assert edit(old, new).exit_code == 0
    *changes, clients, last = said()
    assert ["Edited a.txt" in change for change in changes] == [
        False,
        True,
        True,
        False,
    ], "the newest three, and a heading"
    assert clients == "clients: Gemini CLI"
    assert last.startswith("next: filewright review")
