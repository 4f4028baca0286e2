"""Options that several commands share, and the workspace they describe."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, TypeVar

import click

from filewright.cli import open_workspace, write
from filewright.cli.terminal import render_for_shell
from filewright.errors import FilewrightError
from filewright.settings import SETTINGS

Command = TypeVar("Command", bound=Callable[..., Any])

ANY_PATH = ("**",)
"""`allow_write` of what a person does: what is protected by default is kept from agents, not from the user."""


def combine_options(
    *options: Callable[[Command], Command],
) -> Callable[[Command], Command]:
    """These options as one, in their order."""

    def add(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return add


def setting_options(*names: str) -> Callable[[Command], Command]:
    """Add an option for each of these settings, whose table says what they do and what they may be."""

    options = []
    for name in names:
        field = SETTINGS[name]
        more: dict[str, Any] = {"metavar": "GLOB", "multiple": True}
        if isinstance(field.default, bool):
            more = {"is_flag": True, "default": None}
        elif field.choices:
            more = {"type": click.Choice(field.choices)}
        elif field.default is None:
            more = {"type": click.Path(file_okay=False)}
        description = f"{field.description[0].upper()}{field.description[1:]}."
        options.append(
            click.option(
                f"--{name.replace('_', '-')}", help=description, **more
            )
        )
    return combine_options(*options)


workspace_options = combine_options(
    click.option(
        "--root",
        "roots",
        multiple=True,
        metavar="DIR",
        help="A folder of the workspace; may be repeated. Default: the current folder.",
    ),
    setting_options("state_dir"),
)
"""Where a command works: `--root` and `--state-dir`."""
caller_options = combine_options(
    click.option(
        "--session",
        envvar="FILEWRIGHT_SESSION",
        metavar="NAME",
        help="The session it belongs to, which can be rewound as a whole.",
    ),
    click.option(
        "--actor",
        envvar="FILEWRIGHT_ACTOR",
        metavar="NAME",
        help="Who changes something, for the history.",
    ),
)
"""Under which names the history records what is changed."""
dialect_option = click.option(
    "--dialect",
    envvar="FILEWRIGHT_DIALECT",
    metavar="NAME",
    help="Other tool names: agent-tools, largefile, filesystem, official, "
    "text-editor, memory, apply-patch, gemini.",
)
yes_option = click.option("-y", "--yes", is_flag=True, help="Do not ask.")
dry_run_option = click.option(
    "-n",
    "--dry-run",
    is_flag=True,
    help="Show what would happen, and change nothing.",
)
roots_argument = click.argument("roots", nargs=-1, metavar="[ROOT]...")


@contextmanager
def report_refusals(status: int = 1) -> Iterator[None]:
    """Say what is refused inside, and end the command with `status`."""
    try:
        yield
    except FilewrightError as error:
        write(render_for_shell(error), to_error=True)
        sys.exit(status)


def workspace_command(
    *names: str,
    where: Callable[..., Callable[..., None]] = workspace_options,
    status: int = 1,
    **always: Any,
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command a workspace as its first argument, and the options that say `where` that is.

    It has further options of the command, of these `names`, and those `always` given. What is refused in it is said,
    and ends it with `status`.
    """

    def with_workspace(command: Callable[..., None]) -> Callable[..., None]:
        @wraps(command)
        def opened(**given: Any) -> None:
            chosen = {
                name: given.pop(name) for name in ("roots", "state_dir", *names)
            }
            with (
                open_workspace(**chosen, **always) as workspace,
                report_refusals(status),
            ):
                command(workspace, **given)

        return where(opened)

    return with_workspace
