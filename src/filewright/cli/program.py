"""The group of all commands; a command's module is imported when it is used."""

from __future__ import annotations

import importlib
import sys

import click

from filewright import __version__

_MODULES = {
    "serve": "serve",
    "read": "shell",
    "search": "shell",
    "map": "shell",
    "edit": "shell",
    "apply_patch": "shell",
    "call": "call",
    "log": "log",
    "show": "log",
    "undo": "undo",
    "redo": "undo",
    "rewind": "undo",
    "restore": "undo",
    "review": "serve",
    "guard": "guard",
    "snapshot": "snapshot",
    "doctor": "doctor",
    "config": "setup",
    "setup": "setup",
    "completion": "program",
}
"""The module of each command, in the order of the help."""


class LazyGroup(click.Group):
    """A group that imports a command when it is used."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  click's signature
        """Return the names of the commands, in the order of the help."""
        return list(_MODULES)

    def get_command(
        self,
        ctx: click.Context,  # noqa: ARG002
        cmd_name: str,
    ) -> click.Command | None:
        """Import and return a command, or None if there is none of that name."""
        if cmd_name not in _MODULES:
            return None
        module = importlib.import_module(f"filewright.cli.{_MODULES[cmd_name]}")
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
  filewright serve .                              start an MCP server for this folder
  filewright setup claude-code                    connect a client
  filewright call search_content '{"pattern": "def main"}'
  filewright log                                  list the changes
  filewright undo                                 undo the newest change
  filewright rewind last                          undo the newest session
  filewright review                               review all changes in a browser

Exit codes: 0 success; 1 refused, with the reason on standard error; 2 wrong usage.""",
)
@click.version_option(__version__, prog_name="filewright")
@click.pass_context
def program(ctx: click.Context) -> None:
    """See what AI agents changed in your files, and undo any part of it.

    In a terminal, without a command: show the state of the current folder.
    """
    if ctx.invoked_subcommand is not None:
        return
    if not (sys.stdout.isatty() and sys.stdin.isatty()):
        click.echo(ctx.get_help(), err=True)
        ctx.exit(2)
    from filewright.cli.status import show_status

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

    completion_class = get_completion_class(shell)
    assert completion_class is not None  # click has all three shells.
    script = completion_class(program, {}, "filewright", "_FILEWRIGHT_COMPLETE")
    write(script.source())
