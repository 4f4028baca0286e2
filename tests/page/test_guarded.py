"""What the guard healed, in the list and in the view of its session."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from filewright import Settings, Workspace
from filewright.recording.tool_arguments import RequestedReplacement

BEFORE = b"# caf\xe9\r\nport = 80\r\n"
DAMAGED = b"# caf\xef\xbf\xbd\nport = 8080\n"


@pytest.fixture
def guarded(folder: Path, tmp_path: Path) -> None:
    """An edit of a client that the guard healed, and a change after it."""
    settings = Settings(guard="heal", state_dir=str(tmp_path / "state"))
    path = folder / "app.ini"
    path.write_bytes(BEFORE)
    with Workspace(
        folder, settings=settings, session="s1", client="claude-code"
    ) as workspace:
        identifier = workspace.begin_command()
        path.write_bytes(DAMAGED)
        records = workspace.end_command(
            identifier, "", turn="t1", label="Edit app.ini"
        )
        edits = {
            os.fspath(path): (RequestedReplacement("port = 80", "port = 8080"),)
        }
        workspace.heal(records, edits)
        assert path.read_bytes() == BEFORE.replace(b"80", b"8080")


def text_of(html: str) -> list[str]:
    """The texts of a page, one by one."""
    return [
        text
        for text in (
            part.strip() for part in re.sub(r"<[^>]*>", "\n", html).split("\n")
        )
        if text
    ]


def test_healing_is_below_its_edit(
    guarded: None, serve: Callable[..., Any]
) -> None:
    with serve().client() as client:
        html = client.get("/list").text
    rows = re.findall(
        r'<a class="(row[^"]*)".*?class="summary">([^<]*)', html, re.DOTALL
    )
    edit, healing = rows
    assert edit[0] == "row"
    assert healing == (
        "row healing",
        "Healed app.ini: replaced-bytes, line-endings",
    )
    # One edit is no prompt of two changes.
    assert "one prompt" not in html


def test_edit_and_healing_name_each_other(
    guarded: None, serve: Callable[..., Any]
) -> None:
    with serve().client() as client:
        newest = re.findall(r'data-change="(\w+)"', client.get("/list").text)[0]
        edit = client.get(f"/change/{newest}?part=view").text
        [healing_id] = re.findall(r"healed by (\w+)", edit)
        healing = client.get(f"/change/{healing_id}?part=view").text
    edit_id = re.findall(r'data-change="(\w+)"', edit)[0]
    assert f"heals {edit_id}" in healing
    assert ">Undo</button>" in healing


def test_session_counts_what_was_healed(
    guarded: None, serve: Callable[..., Any]
) -> None:
    with serve().client() as client:
        texts = text_of(client.get("/session/s1?part=view").text)
    assert "The guard: 1 edit healed" in texts
    assert "claude-code, Edit, replaced-bytes: 1 healed" in texts


@pytest.mark.skipif(
    shutil.which("git", path=os.defpath) is None, reason="git is not installed"
)
def test_title_of_what_a_check_healed(
    folder: Path, tmp_path: Path, serve: Callable[..., Any]
) -> None:
    def git(*words: str) -> None:
        names = ("-c", "user.name=x", "-c", "user.email=x@example.com")
        subprocess.run(["git", *names, *words], cwd=folder, check=True)

    git("init", "-q")
    (folder / "a.txt").write_bytes(b"one\r\ntwo\r\n")
    git("add", ".")
    git("commit", "-qm", "a file")
    (folder / "a.txt").write_bytes(b"one\ntwo\n")
    with Workspace(folder, state_dir=tmp_path / "state") as workspace:
        assert workspace.check_guard(fix=True).healing is not None
    with serve().client() as client:
        assert "Healed a.txt: line-endings" in client.get("/list").text


def test_session_without_damage_counts_nothing(
    folder: Path, tmp_path: Path, serve: Callable[..., Any]
) -> None:
    with Workspace(
        folder, state_dir=tmp_path / "state", session="s2"
    ) as workspace:
        workspace.write("a.txt", "x\n")
    with serve().client() as client:
        assert "The guard" not in client.get("/session/s2?part=view").text
