"""The command group; each command's module is imported when the command is named."""

from __future__ import annotations

import importlib
import sys

import click

from filewright import __version__

_COMMANDS = {
    "serve": "filewright.cli.serve:serve",
    "call": "filewright.cli.call:call",
    "log": "filewright.cli.history:log",
    "show": "filewright.cli.history:show",
    "undo": "filewright.cli.history:undo",
    "redo": "filewright.cli.history:redo",
    "rewind": "filewright.cli.history:rewind",
    "restore": "filewright.cli.history:restore",
    "review": "filewright.cli.review:review",
    "snapshot": "filewright.cli.snapshot:snapshot",
    "doctor": "filewright.cli.doctor:doctor",
    "config": "filewright.cli.setup:config",
    "setup": "filewright.cli.setup:setup",
    "completion": "filewright.cli.completion:completion",
}


class LazyGroup(click.Group):
    """A group whose commands are found by name in `_COMMANDS`."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  click's signature
        """The commands in the order a reader needs them."""
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Import the command called `cmd_name`; None if there is none."""
        if cmd_name not in _COMMANDS:
            return None
        module, _, attribute = _COMMANDS[cmd_name].partition(":")
        command: click.Command = getattr(importlib.import_module(module), attribute)
        return command


@click.group(
    cls=LazyGroup,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="""\b
Examples:
  filewright serve .                              an MCP server for this folder
  filewright setup claude-code                    let a client start it
  filewright call search_content '{"pattern": "def main"}'
  filewright log                                  what was changed
  filewright undo                                 take the newest change back
  filewright rewind last                          take a whole session back
  filewright review                               see all of it in a browser

Exit codes: 0 done; 1 refused, with the reason on standard error; 2 used wrongly.""",
)
@click.version_option(__version__, prog_name="filewright")
@click.pass_context
def program(ctx: click.Context) -> None:
    """File tools for AI agents that never change a byte nobody asked to change.

    In a terminal, without a command, it says what is going on in the current folder.
    """
    if ctx.invoked_subcommand is not None:
        return
    if not (sys.stdout.isatty() and sys.stdin.isatty()):
        click.echo(ctx.get_help(), err=True)
        ctx.exit(2)
    from filewright.cli.history import say_what_is_going_on

    say_what_is_going_on()
