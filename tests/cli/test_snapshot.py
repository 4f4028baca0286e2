"""The commands that record what a command of a person's own shell changes."""

from __future__ import annotations

from pathlib import Path

from tests.cli.typed import run


def test_records_a_command(folder: Path) -> None:
    identifier = run("snapshot", "begin").stdout.strip()
    (folder / "a.txt").write_bytes(b"one\n")
    ended = run("snapshot", "end", identifier, "--command", "make format")
    assert ended.exit_code == 0, ended.output
    assert ended.stdout.endswith("  shell: make format\n")
    assert run("undo", "--yes").exit_code == 0
    assert (folder / "a.txt").read_bytes() == b"one\r\ntwo\r\n"


def test_records_nothing_of_an_idle_command(folder: Path) -> None:
    identifier = run("snapshot", "begin").stdout.strip()
    assert run("snapshot", "end", identifier).stdout == "nothing was changed\n"


def test_refuses_an_unknown_command(folder: Path) -> None:
    refused = run("snapshot", "end", "0" * 16)
    assert refused.exit_code == 1
    assert refused.stderr.startswith("not_found: ")
