"""Open commands are read back as they were written, and close where nobody will end them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from filewright import system
from filewright.recording import commands, new_command
from filewright.system import own_process, process_space


@pytest.mark.parametrize(
    ("known", "stays"),
    [
        ({}, True),
        ({"process": own_process(), "space": process_space()}, True),
        ({"process": f"{os.getpid()}-1", "space": process_space()}, not Path("/proc/self/stat").exists()),
        ({"process": f"{os.getpid()}-1", "space": "another machine's"}, True),
        ({"begun_ns": 1}, False),
    ],
    ids=["unknown", "running", "gone", "elsewhere", "old"],
)
def test_closes_what_never_ends(tmp_path: Path, known: dict[str, object], stays: bool) -> None:
    command = new_command("1", "shell: make", session="s", turn="t", paths=("/a",))._replace(**known)
    with system.open_folder(os.fsencode(tmp_path)) as folder:
        commands.add(folder, command)
        assert commands.read_open(folder) == [command]
        commands.close_stale(folder, but="1")
        assert commands.has_open(os.fsencode(tmp_path))
        commands.close_stale(folder, but="")
        assert bool(commands.read_open(folder)) is stays
        assert (commands.remove(folder, "1") is not None) is stays
        assert not commands.has_open(os.fsencode(tmp_path))
