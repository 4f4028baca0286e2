"""The help, and commands that are mistyped."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from tests import processes
from tests.cli.typed import edit, run

from filewright import Workspace
from filewright.cli.program import program, summarize
from filewright.settings import Settings

WIDTH = 80


def commands(
    group: click.Group = program, names: tuple[str, ...] = ()
) -> Iterator[tuple[str, ...]]:
    """Every command, with the groups above it."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        yield (*names, name)
        if isinstance(command, click.Group):
            yield from commands(command, (*names, name))


def help_of(*words: str) -> str:
    result = CliRunner().invoke(
        program, [*words, "--help"], terminal_width=WIDTH
    )
    assert result.exit_code == 0
    return result.stdout


@pytest.mark.parametrize(
    "words", [pytest.param(words, id=" ".join(words)) for words in commands()]
)
def test_help_fits(words: tuple[str, ...]) -> None:
    for line in help_of(*words).splitlines():
        assert len(line) <= WIDTH, line
        assert "..." not in line.replace("]...", "")


def test_groups_commands() -> None:
    lines = help_of().splitlines()
    headings = [line for line in lines if line and line[0] != " "]
    assert headings == [
        "Usage: program [OPTIONS] [COMMAND] [ARGS]...",
        "Options:",
        "See:",
        "Take back:",
        "Connect:",
        "Other:",
    ]
    assert "what AI agents changed in your files" in lines[2]
    context = click.Context(program)
    for name in program.list_commands(context):
        command = program.get_command(context, name)
        assert command is not None
        [row] = [line for line in lines if line.startswith(f"  {name} ")]
        assert " ".join(row.split()) == f"{name} {summarize(command)}"


@pytest.mark.parametrize(
    ("typed", "answer"),
    [
        ("rewidn", "no command 'rewidn'; did you mean rewind?"),
        ("hisotry", "did you mean history?"),
        ("setpu", "did you mean setup?"),
        ("xyzzy", "--help lists the commands"),
    ],
)
def test_suggests_commands(typed: str, answer: str) -> None:
    result = CliRunner().invoke(program, [typed])
    assert result.exit_code == 2
    assert answer in result.stderr


def test_takes_an_alias() -> None:
    assert "filewright log" in help_of("history")


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        (
            ["setup", "clade-code"],
            "no client 'clade-code'; did you mean claude-code?",
        ),
        (
            ["config", "xyzzy"],
            "no client 'xyzzy'; the clients are claude-desktop,",
        ),
        (
            ["call", "edit_contnet", "{}"],
            "no tool 'edit_contnet'; did you mean edit_content?",
        ),
        (["call", "xyzzy", "{}"], "no tool 'xyzzy'; the tools are list_files,"),
        (["log", "--clent", "x"], "Did you mean '--client'?"),
    ],
)
def test_suggests_names(
    empty_project: Path, words: list[str], answer: str
) -> None:
    result = CliRunner().invoke(program, words)
    assert result.exit_code == 2
    assert answer in " ".join(result.stderr.split())


def complete(shell: str, words: str) -> list[str]:
    """What a shell is offered for the last word of `words`, in the form of its script."""
    environment = {
        **os.environ,
        "_FILEWRIGHT_COMPLETE": f"{shell}_complete",
        "COMP_WORDS": words,
        "COMP_CWORD": str(len(words.split(" ")) - 1)
        if shell == "zsh"
        else words.rpartition(" ")[2],
    }
    done = processes.run(
        [sys.executable, "-c", "from filewright.cli import main; main()"],
        env=environment,
    )
    return done.stdout.splitlines()


def test_completion_describes(empty_project: Path) -> None:
    (empty_project / "a.txt").write_text("one\n")
    settings = Settings(flush=False)
    with Workspace(
        empty_project, settings=settings, session="s1", client="codex 2.1"
    ) as workspace:
        workspace.edit("a.txt", [{"search": "one", "replace": "1"}])
        change_id = workspace.history()[0].id
    assert complete("zsh", "filewright undo ")[:2] == ["plain", change_id]
    assert re.fullmatch(
        r"\d+ s ago  Edited a.txt", complete("zsh", "filewright undo ")[2]
    )
    [fish] = complete("fish", "filewright log --client ")
    assert re.fullmatch(r"plain,codex\t\d+ s ago", fish)
    sessions = complete("fish", "filewright rewind ")
    assert [line.partition("\t")[0] for line in sessions] == [
        "plain,last",
        "plain,s1",
    ]
    assert complete("zsh", "filewright restore ")[0] == "file"


@pytest.mark.parametrize(
    "arguments",
    [
        ("call",),
        ("call", "read_content"),
        ("call", "read_content", "{"),
        ("call", "read_content", "[]"),
        ("call", "read_content", '"x"'),
        ("call", "no_such_tool", "{}"),
        ("call", "read_content", "{}", "--no-such-flag"),
        ("no-such-command",),
        ("serve", "--tools", "nonsense"),
        ("serve", "--http"),
        ("config", "no-such-client"),
        ("completion", "no-such-shell"),
    ],
)
def test_wrong_use_is_two(folder: Path, arguments: tuple[str, ...]) -> None:
    result = run(*arguments)
    assert result.exit_code == 2
    assert result.stderr


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_prints_completion(shell: str) -> None:
    result = run("completion", shell)
    assert result.exit_code == 0
    assert "_FILEWRIGHT_COMPLETE" in result.stdout


@pytest.mark.parametrize(
    "command",
    [
        "serve",
        "call",
        "log",
        "show",
        "undo",
        "redo",
        "rewind",
        "restore",
        "snapshot",
        "doctor",
        "config",
        "completion",
    ],
)
def test_help_has_example(command: str) -> None:
    result = run(command, "--help")
    assert result.exit_code == 0
    assert "Example" in result.stdout
    assert f"filewright {command}" in result.stdout


def completed(words: str) -> list[str]:
    """What bash is offered for the last word of `words`."""
    environment = {
        **os.environ,
        "_FILEWRIGHT_COMPLETE": "bash_complete",
        "COMP_WORDS": words,
        "COMP_CWORD": str(len(words.split(" ")) - 1),
    }
    done = processes.run(
        [sys.executable, "-c", "from filewright.cli import main; main()"],
        env=environment,
    )
    return [line.partition(",")[2] for line in done.stdout.splitlines()]


def test_completes_names(folder: Path) -> None:
    edit("one", "1")
    assert completed("filewright do") == ["doctor"]
    assert completed("filewright call read_") == ["read_content"]
    assert completed("filewright call --dialect agent-tools multi") == [
        "multi_edit"
    ]
    [change] = completed("filewright show ")
    assert run("show", change).exit_code == 0
