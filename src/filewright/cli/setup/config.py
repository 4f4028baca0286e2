"""The command `config`, which prints what `setup` would write."""

from __future__ import annotations

from typing import Any

import click

from filewright.cli import write
from filewright.cli.setup.client_options import CLIENT, server_options
from filewright.cli.setup.clients import (
    CLIENTS,
    CLIENTS_WITH_HOOKS,
    resolve_path,
)
from filewright.cli.setup.components import Component
from filewright.cli.setup.launch import ServerOptions


@click.command(
    short_help="Print what a client needs to start filewright.",
    epilog="""\b
Examples:
  filewright config claude-code
  filewright config claude-desktop --root ~/project
  filewright config vscode --read-only
  filewright config gemini --hooks""",
)
@click.argument("client", type=CLIENT, metavar="CLIENT")
@server_options
@click.option(
    "--hooks",
    is_flag=True,
    help="Print the hooks that record what its shell and its own tools change.",
)
@click.option(
    "--shared",
    is_flag=True,
    help="For all users of a project; the command is `filewright`.",
)
def config(client: str, hooks: bool, **server: Any) -> None:
    """Print the configuration with which CLIENT starts this filewright, ready to paste.

    The configuration goes to standard output, the path of its file to standard error.
    """
    row, kind = CLIENTS[client], "hooks" if hooks else "server"
    if hooks and not row.has_hooks:
        raise click.BadParameter(
            f"no hooks are written for {row.title}; the clients with hooks are {', '.join(CLIENTS_WITH_HOOKS)}",
            param_hint="CLIENT",
        )
    paths = []
    if kind in row.shared:
        paths.append(row.shared[kind])
    if kind in row.user:
        paths.append(resolve_path(row.user[kind]))
    note = "" if hooks else f"; {row.note}"
    write(f"{row.title}: {' or '.join(paths)}{note}", to_error=True)
    options = ServerOptions(**server)
    if not hooks:
        contents = [row.build_server(options)]
    elif row.scripts:
        contents = [row.build_hooks(options, name) for name in row.scripts]
    else:
        contents = [row.build_hooks(options)]
    for content in contents:
        write(Component(row, kind, paths[0], content).add_to(""))
