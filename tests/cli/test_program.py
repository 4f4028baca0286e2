"""The help, and commands that are mistyped."""

from __future__ import annotations

from collections.abc import Iterator

import click
import pytest
from click.testing import CliRunner

from filewright.cli.program import program, summarize

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
