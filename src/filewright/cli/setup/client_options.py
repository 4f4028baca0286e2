"""Arguments and options of the commands that configure a client."""

from __future__ import annotations

import re
from typing import Any

import click

from filewright.cli.options import combine_options
from filewright.cli.setup.clients import CLIENTS
from filewright.wording import did_you_mean


class ClientName(click.Choice[str]):
    """The name of a client, or its title or an alias in any spelling."""

    def convert(
        self,
        value: Any,
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> str:
        """Return the name of the client that the user means."""
        typed_name = _normalize(value)
        for client in CLIENTS.values():
            names = (client.name, client.title, *client.aliases)
            if typed_name in map(_normalize, names):
                return client.name
        names_hint = did_you_mean(
            value, CLIENTS, f"the clients are {', '.join(CLIENTS)}"
        )
        message = f"there is no client {value!r}; {names_hint}"
        raise click.BadParameter(message, ctx=ctx, param=param)


def _normalize(name: str) -> str:
    """Return a name without case, spaces and signs: "VS Code" and "vs-code" are equal."""
    return re.sub(r"[\W_]", "", name.lower())


CLIENT = ClientName([*CLIENTS])
"""The type of an argument that names a client."""


server_options = combine_options(
    click.option(
        "--root",
        "roots",
        multiple=True,
        metavar="DIR",
        help="A folder to serve; may be repeated.",
    ),
    click.option("--read-only", is_flag=True, help="Serve for reading only."),
    click.option(
        "--dialect", metavar="NAME", help="Offer another system's tool names."
    ),
    click.option(
        "--uvx",
        is_flag=True,
        help="Start the newest release with uvx, not this program.",
    ),
)
"""The options of `ServerOptions`."""
