"""The guard around edits of a client's own tool, by the hooks that a client calls."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

BEFORE = b"# caf\xe9\r\nport = 80\r\nlast"
DAMAGED = b"# caf\xef\xbf\xbd\nport = 8080\nlast\n"
HEALED = b"# caf\xe9\r\nport = 8080\r\nlast"
EDIT = {"old_string": "port = 80", "new_string": "port = 8080"}


class Client:
    """A client whose hooks run around the edits of its own tool."""

    def __init__(self, folder: Path) -> None:
        self.project = folder / "project"
        self.project.mkdir()
        self.state = folder / "state"
        self.options = ["--guard", "heal"]
        self.uses = 0

    def write(self, name: str, content: bytes) -> Path:
        path = self.project / name
        path.write_bytes(content)
        return path

    def run(self, *words: str, told: object = None) -> str:
        done = subprocess.run(
            [sys.executable, "-m", "filewright", *words],
            input=None if told is None else json.dumps(told),
            cwd=self.project,
            env={**os.environ, "FILEWRIGHT_STATE_DIR": str(self.state)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout + done.stderr

    def edit(
        self, path: Path, damage: Callable[[], object], **arguments: Any
    ) -> str:
        """Edit a file as a client does: hook, tool, hook; return what the model is told."""
        self.uses += 1
        told = {
            "session_id": "s1",
            "cwd": str(self.project),
            "prompt_id": "t1",
            "tool_name": "Edit",
            "tool_use_id": f"u{self.uses}",
            "tool_input": {"file_path": str(path), **(arguments or EDIT)},
        }
        before = {**told, "hook_event_name": "PreToolUse"}
        self.run("snapshot", "begin", "--hook", told=before)
        damage()
        after = {**told, "hook_event_name": "PostToolUse"}
        words = (
            "snapshot",
            "end",
            "--hook",
            "--actor",
            "claude-code",
            *self.options,
        )
        said = self.run(*words, told=after)
        if not said:
            return ""
        return str(json.loads(said)["hookSpecificOutput"]["additionalContext"])


@pytest.fixture
def client(tmp_path: Path) -> Client:
    return Client(tmp_path)


def test_heals_and_tells_the_model(client: Client) -> None:
    path = client.write("a.ini", BEFORE)
    said = client.edit(path, lambda: path.write_bytes(DAMAGED))
    assert path.read_bytes() == HEALED
    assert "kept the encoding (cp1252)" in said
    assert "the line ends" in said
    assert said.endswith("of a.ini; your edit is in")


def test_undo_of_the_edit_takes_the_healing_along(client: Client) -> None:
    path = client.write("a.ini", BEFORE)
    client.edit(path, lambda: path.write_bytes(DAMAGED))
    client.run("undo", "--yes")
    assert path.read_bytes() == BEFORE
    client.run("redo", "--yes")
    assert path.read_bytes() == HEALED


def test_rewind_takes_the_healing_along(client: Client) -> None:
    path = client.write("a.ini", BEFORE)
    client.edit(path, lambda: path.write_bytes(DAMAGED))
    client.run("rewind", "last", "--yes")
    assert path.read_bytes() == BEFORE


def test_log_names_the_guard(client: Client) -> None:
    path = client.write("a.ini", BEFORE)
    client.edit(path, lambda: path.write_bytes(DAMAGED))
    edit, healing = client.run("log").splitlines()
    assert "  Edit a.ini" in edit
    assert healing.startswith(
        "  guard: a.ini: replaced-bytes, line-endings, final-newline  ["
    )
    # Without its edit it is a row like any other.
    (row,) = client.run("log", "-n", "1").splitlines()[:-1]
    assert "  guard: a.ini: replaced-bytes" in row
    assert "[undoes some of " in row


def test_warns(client: Client) -> None:
    client.options = ["--guard", "warn"]
    path = client.write("a.ini", BEFORE)
    said = client.edit(path, lambda: path.write_bytes(DAMAGED))
    assert path.read_bytes() == DAMAGED
    assert "damaged 3 untouched lines" in said
    assert "filewright undo" in said


def test_is_off_by_default(client: Client) -> None:
    client.options = []
    path = client.write("a.ini", BEFORE)
    assert client.edit(path, lambda: path.write_bytes(DAMAGED)) == ""
    assert path.read_bytes() == DAMAGED


def test_leaves_excluded_files(client: Client) -> None:
    path = client.write("a.ini", BEFORE)
    os.environ["FILEWRIGHT_GUARD_EXCLUDE"] = "*.ini"
    try:
        client.edit(path, lambda: path.write_bytes(DAMAGED))
    finally:
        del os.environ["FILEWRIGHT_GUARD_EXCLUDE"]
    assert path.read_bytes() == DAMAGED


def test_two_edits_of_one_file(client: Client) -> None:
    path = client.write("a.ini", BEFORE)
    client.edit(path, lambda: path.write_bytes(DAMAGED))
    again = HEALED.replace(b"\xe9", b"\xef\xbf\xbd").replace(b"last", b"first")
    second = {"old_string": "last", "new_string": "first"}
    client.edit(path, lambda: path.write_bytes(again), **second)
    assert path.read_bytes() == HEALED.replace(b"last", b"first")
    client.run("undo", "--yes")
    assert path.read_bytes() == HEALED
    client.run("undo", "--yes")
    assert path.read_bytes() == BEFORE


def test_keeps_what_a_formatter_did(client: Client) -> None:
    path = client.write("a.ini", b"# caf\xe9\nport = 80\nlist = [1,2]\n")
    formatted = b"# caf\xef\xbf\xbd\nport = 8080\nlist = [1, 2]\n"
    client.edit(path, lambda: path.write_bytes(formatted))
    assert path.read_bytes() == b"# caf\xe9\nport = 8080\nlist = [1, 2]\n"


def test_gives_back_permissions(client: Client) -> None:
    path = client.write("run.sh", b"port = 80\n")
    path.chmod(0o755)

    def replace() -> None:
        path.unlink()
        path.write_bytes(b"port = 8080\n")
        path.chmod(0o644)

    assert "the permissions" in client.edit(path, replace)
    assert path.stat().st_mode & 0o777 == 0o755
    assert path.read_bytes() == b"port = 8080\n"


@pytest.mark.parametrize(
    "name", ["created", "deleted", "renamed", "linked", "binary"]
)
def test_leaves_other_changes(client: Client, name: str) -> None:
    other = client.write("other", b"other\n")
    path = client.write("a.ini", b"\x00\xff" if name == "binary" else BEFORE)
    new = client.project / "b.ini"

    def change() -> None:
        match name:
            case "created":
                new.write_bytes(DAMAGED)
            case "deleted":
                path.unlink()
            case "renamed":
                path.rename(new)
            case "linked":
                path.unlink()
                path.symlink_to(other)
            case _:
                path.write_bytes(b"\x00\xff\n")

    client.edit(path, change)
    assert "guard:" not in client.run("log")


def test_large_file(client: Client) -> None:
    path = client.write("a.ini", BEFORE + b"\n#" * (9 << 20))
    damaged = DAMAGED + b"#\n" * (9 << 20)
    said = client.edit(path, lambda: path.write_bytes(damaged))
    assert path.read_bytes() == damaged
    assert "up to 16 MB" in said


def test_shell_commands_are_not_healed(client: Client) -> None:
    path = client.write("a.ini", BEFORE)
    told = {
        "session_id": "s1", "cwd": str(client.project), "tool_name": "Bash",
        "tool_use_id": "u1", "tool_input": {"command": "dos2unix a.ini"},
    }  # fmt: skip
    client.run(
        "snapshot",
        "begin",
        "--hook",
        told={**told, "hook_event_name": "PreToolUse"},
    )
    path.write_bytes(BEFORE.replace(b"\r\n", b"\n"))
    words = ("snapshot", "end", "--hook", "--guard", "heal")
    client.run(*words, told={**told, "hook_event_name": "PostToolUse"})
    assert path.read_bytes() == BEFORE.replace(b"\r\n", b"\n")
