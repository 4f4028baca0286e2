"""`filewright completion`: the script that teaches a shell our commands."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from filewright.cli import write


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
    from filewright.cli.program import program

    kind = get_completion_class(shell)
    if kind is None:
        raise click.BadParameter(f"no completion for {shell}", param_hint="SHELL")
    write(kind(program, {}, "filewright", "_FILEWRIGHT_COMPLETE").source())
