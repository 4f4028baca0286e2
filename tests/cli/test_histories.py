"""A person and a client work in one folder, and a variable that names the history's folder is set for one of them."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from tests import processes

PERSON, CLIENT = "person", "client"
TEXT = "one\n" + "far apart\n" * 9 + "two\n"


class Machine:
    """A project, and the two who work in it, each in an environment of its own."""

    def __init__(self, place: Path, variable: str, set_for: str) -> None:
        self.project = place / "project"
        self.project.mkdir()
        (self.project / "a.txt").write_text(TEXT)
        self.elsewhere = place / "elsewhere"
        cleared = (
            "FILEWRIGHT_STATE_DIR",
            "XDG_STATE_HOME",
            "XDG_CONFIG_HOME",
            "CODEX_HOME",
            "FILEWRIGHT_ROOTS",
        )
        bare = {
            name: value
            for name, value in os.environ.items()
            if name not in cleared
        }
        bare |= {"HOME": str(place), "USERPROFILE": str(place)}
        self.environments = {PERSON: bare, CLIENT: bare}
        self.environments[set_for] = {**bare, variable: str(self.elsewhere)}

    def run(
        self, *words: str, by: str = PERSON
    ) -> subprocess.CompletedProcess[str]:
        return processes.run(
            [*processes.FILEWRIGHT, *words],
            cwd=self.project,
            env=self.environments[by],
        )

    def edit(self, by: str, old: str, new: str) -> str:
        """An edit, by the command line or by the server as it is configured; what that says on standard error."""
        edit = {"path": "a.txt", "edits": [{"search": old, "replace": new}]}
        if by == PERSON:
            return self.run("call", "edit_content", json.dumps(edit)).stderr
        projects = json.loads(
            (self.project.parent / ".claude.json").read_text()
        )["projects"]
        entry = projects[str(self.project)]["mcpServers"]["filewright"]
        about = {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "c", "version": "1"},
        }
        messages = (
            {
                "jsonrpc": "2.0",
                "id": 1,
                "method": "initialize",
                "params": about,
            },
            {
                "jsonrpc": "2.0",
                "id": 2,
                "method": "tools/call",
                "params": {"name": "edit_content", "arguments": edit},
            },
        )
        words = [*processes.FILEWRIGHT, *entry["args"]]
        server = processes.start(
            words, cwd=self.project, env=self.environments[CLIENT], text=True
        )
        assert server.stdin is not None
        assert server.stdout is not None
        assert server.stderr is not None
        with server.stdin, server.stdout, server.stderr:
            for message in messages:
                server.stdin.write(json.dumps(message) + "\n")
                server.stdin.flush()
                answer = json.loads(server.stdout.readline())
            server.stdin.close()
            assert answer["result"]["isError"] is False
            said: str = server.stderr.read()
        server.wait(60)
        return said

    @property
    def text(self) -> str:
        return (self.project / "a.txt").read_text()


def ways() -> Iterator[Any]:
    """Of the variable, whom it is set for and who opens first, each two values together; all three in the sweep."""
    for number, (variable, set_for, first) in enumerate(
        product(
            ("XDG_STATE_HOME", "FILEWRIGHT_STATE_DIR"),
            (PERSON, CLIENT),
            (PERSON, CLIENT),
        )
    ):
        marks = [] if number in (0, 3, 5, 6) else [pytest.mark.sweep]
        yield pytest.param(variable, set_for, first, marks=marks)


@pytest.mark.parametrize(("variable", "set_for", "first"), [*ways()])
def test_state_folder_of_person_and_client(
    variable: str, set_for: str, first: str, tmp_path: Path
) -> None:
    machine = Machine(tmp_path, variable, set_for)
    assert (
        machine.run(
            "setup", "claude-code", "--yes", "--no-hooks", "--no-rule"
        ).returncode
        == 0
    )
    second = CLIENT if first == PERSON else PERSON
    said = machine.edit(first, "one", "1") + machine.edit(second, "two", "2")
    assert "history in" in said, "the server says which one it uses"
    both = TEXT.replace("one", "1").replace("two", "2")
    assert machine.text == both
    if set_for == PERSON:  # setup has written the folder into the configuration
        assert str(machine.elsewhere) in said
        assert "second history" not in machine.run("doctor").stdout
        assert machine.run("undo", "--yes").returncode == 0
        assert machine.text == both.replace("2", "two"), (
            "the newest, whoever made it"
        )
        assert machine.run("undo", "--yes").returncode == 0
        assert machine.text == TEXT
    else:
        found = machine.run("doctor", by=CLIENT).stdout
        assert (
            f"{tmp_path / '.local/state/filewright'} has 1 change of these roots"
            in found
        )
        assert "--state-dir" in found
        assert machine.run("undo", "--yes").returncode == 0
        assert machine.text == (
            both.replace("1", "one")
            if first == PERSON
            else both.replace("2", "two")
        )
        assert machine.run("undo", "--yes").returncode == 1, (
            "what is not in this history is not taken back"
        )
        assert machine.run("undo", "--yes", by=CLIENT).returncode == 0
        assert machine.text == TEXT
