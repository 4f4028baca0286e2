"""The group of all commands; a command's module is imported when it is used."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Mapping

import click

from filewright import __version__
from filewright.wording import did_you_mean

_SECTIONS: Mapping[str, Mapping[str, str]] = {
    "See": {
        "review": "serve",
        "log": "log",
        "show": "log",
        "diff": "diff",
        "blame": "blame",
        "status": "status",
        "guard": "guard",
        "demo": "demo",
    },
    "Take back": {
        "undo": "undo",
        "redo": "undo",
        "rewind": "rewind",
        "restore": "rewind",
    },
    "Connect": {
        "setup": "setup.setup",
        "config": "setup.config",
        "serve": "serve",
        "snapshot": "snapshot",
    },
    "Other": {
        "doctor": "doctor",
        "call": "call",
        "read": "shell",
        "search": "shell",
        "map": "shell",
        "edit": "shell",
        "apply_patch": "shell",
        "completion": "program",
    },
}
"""The module of each command, below the headings of the help."""
_ALIASES = {"history": "log"}
"""Names of commands that people bring from other programs."""


class LazyGroup(click.Group):
    """A group that imports a command when it is used."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  click's signature
        """Return the names of the commands, in the order of the help."""
        return [name for section in _SECTIONS.values() for name in section]

    def get_command(
        self,
        ctx: click.Context,  # noqa: ARG002
        cmd_name: str,
    ) -> click.Command | None:
        """Import and return a command, or None if there is none of that name."""
        name = _ALIASES.get(cmd_name, cmd_name)
        for section in _SECTIONS.values():
            if name in section:
                module = importlib.import_module(
                    f"filewright.cli.{section[name]}"
                )
                command: click.Command = getattr(module, name)
                return command
        return None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that the arguments begin with, and the others.

        Raise `UsageError`, with the names of similar commands, if there is none.
        """
        name = args[0]
        # An option in place of a command is named by click itself.
        is_command = not name.startswith("-")
        if is_command and self.get_command(ctx, name) is None:
            names = [*self.list_commands(ctx), *_ALIASES]
            hint = did_you_mean(name, names, "--help lists the commands.")
            raise click.UsageError(f"no command {name!r}; {hint}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(
        self, ctx: click.Context, formatter: click.HelpFormatter
    ) -> None:
        """Write the commands with a line of help for each, by section."""
        width = max(map(len, self.list_commands(ctx)))
        for heading, section in _SECTIONS.items():
            rows: list[tuple[str, str]] = []
            for name in section:
                command = self.get_command(ctx, name)
                if command is not None:
                    # The columns of all sections begin at the same place.
                    rows.append((name.ljust(width), summarize(command)))
            with formatter.section(heading):
                formatter.write_dl(rows)


def summarize(command: click.Command) -> str:
    """Return the line of a command in a list: its short help, or its first sentence."""
    # click's own line is cut off where it does not fit.
    text = command.short_help or (command.help or "").partition("\n\n")[0]
    return " ".join(text.split()).removesuffix(".")


@click.group(
    cls=LazyGroup,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="""\b
Examples:
  filewright review        review all changes in a browser
  filewright log           list the changes, by prompt
  filewright undo          undo the newest change, after asking
  filewright rewind        choose a prompt and undo all of it
  filewright setup         connect your agents

Exit codes: 0 success; 1 refused, the reason on standard error; 2 wrong usage.""",
)
@click.version_option(__version__, prog_name="filewright")
@click.pass_context
def program(ctx: click.Context) -> None:
    """See what AI agents changed in your files, and take any of it back.

    In a terminal, without a command: show the state of the current folder.
    """
    if ctx.invoked_subcommand is not None:
        return
    if not (sys.stdout.isatty() and sys.stdin.isatty()):
        click.echo(ctx.get_help(), err=True)
        ctx.exit(2)
    from filewright.cli.status import status

    ctx.invoke(status)


@click.command(
    epilog="""\b
Examples:
  filewright completion bash >> ~/.bashrc
  filewright completion zsh >> ~/.zshrc
  filewright completion fish > ~/.config/fish/completions/filewright.fish"""
)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print the completion script for a shell."""
    from click.shell_completion import get_completion_class

    from filewright.cli import write

    completion_class = get_completion_class(shell)
    assert completion_class is not None  # click has all three shells.
    script = completion_class(program, {}, "filewright", "_FILEWRIGHT_COMPLETE")
    write(script.source())
