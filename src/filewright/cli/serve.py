"""`filewright serve` and `filewright review`: the MCP server, and what the agent did, in a browser."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from filewright.cli import build_settings, write
from filewright.cli.options import (
    ANY_PATH,
    combine_options,
    dialect_option,
    roots_argument,
    setting_options,
    workspace_command,
)
from filewright.errors import invalid

if TYPE_CHECKING:
    from filewright.server.access import Access
    from filewright.workspace import Workspace

TOOLSETS = ("read", "edit", "files", "history")


def _toolsets(
    _context: click.Context, _parameter: click.Parameter, value: str | None
) -> tuple[str, ...] | None:
    if value is None:
        return None
    names = tuple(name.strip() for name in value.split(",") if name.strip())
    unknown = [name for name in names if name not in TOOLSETS]
    if unknown or not names:
        raise click.BadParameter(
            f"{', '.join(unknown) or 'nothing'}; choose from {', '.join(TOOLSETS)}"
        )
    return names


@click.command(
    short_help="Start an MCP server.",
    epilog="""\b
Examples:
  filewright serve .                                    one folder, on standard input and output
  filewright serve ~/site ~/notes --read-only           two folders, nothing is changed
  filewright serve . --tools read,edit                  fewer tools
  FILEWRIGHT_HTTP_TOKENS=… filewright serve . --http 0.0.0.0:8765

Every setting has an environment variable FILEWRIGHT_…; flags win.""",
)
@roots_argument
@click.option(
    "--http",
    "address",
    metavar="HOST:PORT",
    help="Serve streamable HTTP at /mcp instead of stdio.",
)
@click.option(
    "--tools",
    "toolsets",
    callback=_toolsets,
    metavar="SETS",
    help="read,edit,files,history; default all.",
)
@dialect_option
@setting_options(
    "read_only",
    "deny",
    "allow_write",
    "worktrees",
    "client_roots",
    "strict_paths",
    "confirm",
)
@setting_options("state_dir", "log_level")
@click.option(
    "--no-landlock",
    "landlock",
    flag_value=False,
    default=None,
    help="Do not let the kernel confine the server to its roots.",
)
@click.option(
    "--token-file",
    type=click.Path(path_type=Path, dir_okay=False),
    envvar="FILEWRIGHT_TOKEN_FILE",
    help="Bearer tokens for HTTP; also FILEWRIGHT_HTTP_TOKENS.",
)
@click.option(
    "--public-url",
    envvar="FILEWRIGHT_PUBLIC_URL",
    help="How clients reach the server through a proxy.",
)
@click.option(
    "--allow-host",
    "hosts",
    multiple=True,
    help="Accept this Host header as well.",
)
@click.option(
    "--allow-origin",
    "origins",
    multiple=True,
    help="Accept this Origin header as well.",
)
@click.option(
    "--oauth-issuer",
    envvar="FILEWRIGHT_OAUTH_ISSUER",
    help="Accept tokens of this authorization server.",
)
@click.option(
    "--oauth-introspection",
    envvar="FILEWRIGHT_OAUTH_INTROSPECTION",
    help="Its introspection endpoint; credentials in FILEWRIGHT_OAUTH_CLIENT_ID and _SECRET.",
)
@click.option(
    "--oauth-scope", "scopes", multiple=True, help="A scope every token needs."
)
def serve(
    *,
    roots: tuple[str, ...],
    address: str | None,
    toolsets: tuple[str, ...] | None,
    dialect: str | None,
    **given: Any,
) -> None:
    """Serve the folders ROOT to an MCP client (default: FILEWRIGHT_ROOTS, or the current folder)."""
    from filewright.server.serve import serve as run

    settings = build_settings(**given)
    access = None if address is None else _access(address, **given)
    if access is not None and settings.client_roots:
        raise invalid(
            "--client-roots is for one client, and HTTP serves several",
            "serve on standard input and output, or leave it out",
        )
    if access is None and sys.stdin.isatty():
        write(
            "filewright: waiting for an MCP client on standard input; see: filewright config --help",
            to_error=True,
        )
    sys.exit(
        run(roots, settings, toolsets=toolsets, dialect=dialect, access=access)
    )


def _access(
    address: str,
    *,
    token_file: Path | None,
    public_url: str | None,
    hosts: tuple[str, ...],
    origins: tuple[str, ...],
    oauth_issuer: str | None,
    oauth_introspection: str | None,
    scopes: tuple[str, ...],
    **_: object,
) -> Access:
    from filewright.server.access import (
        Access,
        Bearer,
        Introspection,
        parse_address,
        read_tokens,
    )

    host, port = parse_address(address)
    tokens = read_tokens(os.environ.get("FILEWRIGHT_HTTP_TOKENS"), token_file)
    verifier: Bearer | Introspection | None = Bearer(tokens) if tokens else None
    if oauth_issuer or oauth_introspection:
        if not (oauth_issuer and oauth_introspection and public_url) or tokens:
            raise invalid(
                "OAuth needs --oauth-issuer, --oauth-introspection and --public-url, without own tokens",
                "give all three, or bearer tokens alone",
            )
        client, secret = (
            os.environ.get(f"FILEWRIGHT_OAUTH_CLIENT_{each}", "")
            for each in ("ID", "SECRET")
        )
        verifier = Introspection(
            oauth_introspection,
            public_url,
            oauth_issuer,
            client,
            secret,
            scopes,
        )
    return Access(host, port, verifier, public_url, hosts, origins)


@click.command(
    short_help="See what was changed in a browser, and take it back.",
    epilog="""\b
Examples:
  filewright review                  of this folder
  filewright review ~/site --port 8765 --no-open

The address opens the page once; the terminal shows another for the next browser. End with Ctrl-C.""",
)
@click.option(
    "--port",
    type=click.IntRange(0, 65_535),
    default=0,
    help="Default: any that is free.",
)
@click.option("--no-open", is_flag=True, help="Do not open a browser.")
@click.option(
    "--read-only",
    is_flag=True,
    default=None,
    help="Show changes, and offer to undo none.",
)
@workspace_command(
    "read_only",
    where=combine_options(roots_argument, setting_options("state_dir")),
    status=2,
    allow_write=ANY_PATH,
)
def review(workspace: Workspace, *, port: int, no_open: bool) -> None:
    """Show the changes of the folders ROOT on a page of this machine's own (default: the current folder)."""
    from filewright.cli.browser import RedirectFile
    from filewright.page.review import Review

    leading: RedirectFile | None = None

    def on_enter() -> None:
        if leading is not None:
            leading.remove()
        write(f"for another browser: {page.link()}", to_error=True)

    page = Review(workspace, port=port, on_enter=on_enter)
    link = page.link()
    write(link)
    try:
        if not no_open:
            leading = RedirectFile(link)
            leading.open()
        page.serve()
    finally:
        if leading is not None:
            leading.remove()
