"""Options that several commands share, and the workspace that they describe."""

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
"""The value of `allow_write` for commands of a person.

The default protections are for agents, not for the user.
"""


def combine_options(
    *options: Callable[[Command], Command],
) -> Callable[[Command], Command]:
    """Return one decorator that adds several options, in their order."""

    def add(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return add


def setting_options(*names: str) -> Callable[[Command], Command]:
    """Return a decorator that adds an option for each of some settings."""
    return combine_options(*(_setting_option(name) for name in names))


def _setting_option(name: str) -> Callable[[Command], Command]:
    """Return the option of a setting, described as the setting itself."""
    setting = SETTINGS[name]
    attributes: dict[str, Any]
    if isinstance(setting.default, bool):
        attributes = {"is_flag": True, "default": None}
    elif setting.choices:
        attributes = {"type": click.Choice(setting.choices)}
    elif setting.default is None:
        attributes = {"type": click.Path(file_okay=False)}
    else:
        attributes = {"metavar": "GLOB", "multiple": True}
    description = setting.description
    return click.option(
        f"--{name.replace('_', '-')}",
        help=f"{description[0].upper()}{description[1:]}.",
        **attributes,
    )


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
"""The options for the folders of a command: `--root` and `--state-dir`."""
caller_options = combine_options(
    click.option(
        "--session",
        envvar="FILEWRIGHT_SESSION",
        metavar="NAME",
        help="Record the changes in this session, which can be rewound as a whole.",
    ),
    click.option(
        "--actor",
        envvar="FILEWRIGHT_ACTOR",
        metavar="NAME",
        help="Record this name as the author of the changes.",
    ),
)
"""The options for the names that the history records with a change."""
dialect_option = click.option(
    "--dialect",
    envvar="FILEWRIGHT_DIALECT",
    metavar="NAME",
    help="Use other tool names: agent-tools, largefile, filesystem, official, "
    "text-editor, memory, apply-patch, gemini.",
)
yes_option = click.option("-y", "--yes", is_flag=True, help="Do not ask.")
dry_run_option = click.option(
    "-n",
    "--dry-run",
    is_flag=True,
    help="Show what would happen, and change nothing.",
)
encoding_option = click.option(
    "--encoding",
    metavar="NAME",
    help="Take the file to be in this encoding.",
)
stat_option = click.option(
    "--stat",
    "has_files",
    is_flag=True,
    help="List the files, with the lines added and removed.",
)
json_option = click.option(
    "--json", "as_json", is_flag=True, help="Print the result as JSON."
)
roots_argument = click.argument("roots", nargs=-1, metavar="[ROOT]...")


@contextmanager
def report_refusals(status: int = 1) -> Iterator[None]:
    """Write an error of the body to standard error, and exit with `status`."""
    try:
        yield
    except FilewrightError as error:
        write(render_for_shell(error), to_error=True)
        sys.exit(status)


def workspace_command(
    *option_names: str,
    folder_options: Callable[
        [Callable[..., None]], Callable[..., None]
    ] = workspace_options,
    status: int = 1,
    **settings: Any,
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Return a decorator that passes a command a workspace as its first argument.

    It adds `folder_options` to the command. The workspace is opened with these, with the
    command's options of `option_names`, and with fixed `settings`. An error in the
    command is reported, and ends it with `status`.
    """

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        @wraps(command)
        def run(**arguments: Any) -> None:
            workspace_arguments = {
                name: arguments.pop(name)
                for name in ("roots", "state_dir", *option_names)
            }
            with (
                open_workspace(**workspace_arguments, **settings) as workspace,
                report_refusals(status),
            ):
                command(workspace, **arguments)

        return folder_options(run)

    return decorate
