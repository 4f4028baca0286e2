"""The command group; each command's module is imported when the command is named."""

from __future__ import annotations

import importlib
import sys

import click

from filewright import __version__

_COMMANDS = {
    "serve": "serve",
    "call": "call",
    "log": "history",
    "show": "history",
    "undo": "history",
    "redo": "history",
    "rewind": "history",
    "restore": "history",
    "review": "serve",
    "guard": "guard",
    "snapshot": "snapshot",
    "doctor": "doctor",
    "config": "setup",
    "setup": "setup",
    "completion": "program",
}


class LazyGroup(click.Group):
    """A group whose commands are found by name in `_COMMANDS`."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  click's signature
        """The commands in the order a reader needs them."""
        return list(_COMMANDS)

    def get_command(
        self,
        ctx: click.Context,  # noqa: ARG002
        cmd_name: str,
    ) -> click.Command | None:
        """Import the command called `cmd_name`; None if there is none."""
        if cmd_name not in _COMMANDS:
            return None
        module = importlib.import_module(
            f"filewright.cli.{_COMMANDS[cmd_name]}"
        )
        command: click.Command = getattr(module, cmd_name)
        return command


@click.group(
    cls=LazyGroup,
    invoke_without_command=True,
    context_settings={
        "help_option_names": ["-h", "--help"],
        "max_content_width": 100,
    },
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
    from filewright.cli.history import show_status

    show_status()


@click.command(
    epilog="""\b
Examples:
  filewright completion bash >> ~/.bashrc
  filewright completion zsh >> ~/.zshrc
  filewright completion fish > ~/.config/fish/completions/filewright.fish"""
)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print the completion script for SHELL."""
    from click.shell_completion import get_completion_class

    from filewright.cli import write

    kind = get_completion_class(shell)
    assert kind is not None  # of each of these there is one
    write(kind(program, {}, "filewright", "_FILEWRIGHT_COMPLETE").source())
