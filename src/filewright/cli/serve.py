"""The commands `serve` and `review`, which start the MCP server and the review page."""

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


def _parse_toolsets(
    _context: click.Context, _parameter: click.Parameter, value: str | None
) -> tuple[str, ...] | None:
    """Return the names of the toolsets in a list with commas.

    Raises `click.BadParameter` for an unknown name, and for an empty list.
    """
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
  filewright serve .                    one folder, over standard streams
  filewright serve ~/site ~/notes       two folders
  filewright serve . --read-only        without any changes
  filewright serve . --tools read,edit  fewer tools
  FILEWRIGHT_HTTP_TOKENS=… filewright serve . --http 0.0.0.0:8765

Every setting has an environment variable FILEWRIGHT_…; flags take precedence.""",
)
@roots_argument
@click.option(
    "--http",
    "address",
    metavar="HOST:PORT",
    help="Serve streamable HTTP at /mcp, instead of standard input and output.",
)
@click.option(
    "--tools",
    "toolsets",
    callback=_parse_toolsets,
    metavar="SETS",
    help="The tools to offer: read,edit,files,history. Default: all.",
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
    help="A file of bearer tokens for HTTP; see also FILEWRIGHT_HTTP_TOKENS.",
)
@click.option(
    "--public-url",
    envvar="FILEWRIGHT_PUBLIC_URL",
    help="The URL by which clients reach the server through a proxy.",
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
    help="Accept the tokens of this authorization server.",
)
@click.option(
    "--oauth-introspection",
    envvar="FILEWRIGHT_OAUTH_INTROSPECTION",
    help="The introspection endpoint of that server; the credentials are in FILEWRIGHT_OAUTH_CLIENT_ID and _SECRET.",
)
@click.option(
    "--oauth-scope",
    "scopes",
    multiple=True,
    help="A scope that every token must have.",
)
def serve(
    *,
    roots: tuple[str, ...],
    address: str | None,
    toolsets: tuple[str, ...] | None,
    dialect: str | None,
    **options: Any,
) -> None:
    """Serve the folders ROOT to an MCP client.

    Default: the folders in FILEWRIGHT_ROOTS, or the current folder.
    """
    from filewright.server.serve import serve as run

    settings = build_settings(**options)
    access = None
    if address is not None:
        access = _http_access(address, **options)
    if access is not None and settings.client_roots:
        raise invalid(
            "--client-roots works with one client, and HTTP serves several",
            "serve on standard input and output, or leave out --client-roots",
        )
    if access is None and sys.stdin.isatty():
        write(
            "filewright: waiting for an MCP client on standard input; see: filewright config --help",
            to_error=True,
        )
    sys.exit(
        run(roots, settings, toolsets=toolsets, dialect=dialect, access=access)
    )


def _http_access(
    address: str,
    *,
    token_file: Path | None,
    public_url: str | None,
    hosts: tuple[str, ...],
    origins: tuple[str, ...],
    **oauth_options: Any,
) -> Access:
    """Return the address of an HTTP server, and the requests that it accepts.

    Other options of the command are ignored. Raises `invalid_input`.
    """
    from filewright.server.access import (
        Access,
        Bearer,
        Introspection,
        parse_address,
        read_tokens,
    )

    host, port = parse_address(address)
    tokens = read_tokens(os.environ.get("FILEWRIGHT_HTTP_TOKENS"), token_file)
    verifier: Bearer | Introspection | None = None
    if tokens:
        verifier = Bearer(tokens)
    issuer = oauth_options["oauth_issuer"]
    introspection = oauth_options["oauth_introspection"]
    if issuer or introspection:
        if tokens or not (issuer and introspection and public_url):
            raise invalid(
                "OAuth needs --oauth-issuer, --oauth-introspection and "
                "--public-url, without bearer tokens",
                "give all three, or bearer tokens alone",
            )
        verifier = Introspection(
            introspection,
            public_url,
            issuer,
            os.environ.get("FILEWRIGHT_OAUTH_CLIENT_ID", ""),
            os.environ.get("FILEWRIGHT_OAUTH_CLIENT_SECRET", ""),
            oauth_options["scopes"],
        )
    return Access(host, port, verifier, public_url, hosts, origins)


@click.command(
    short_help="Review changes in a browser, and undo any of them.",
    epilog="""\b
Examples:
  filewright review                  the changes in this folder
  filewright review ~/site --port 8765 --no-open

Each address works once; then the terminal shows another, for another browser. Stop with Ctrl-C.""",
)
@click.option(
    "--port",
    type=click.IntRange(0, 65_535),
    default=0,
    help="The port to listen on. Default: any free port.",
)
@click.option("--no-open", is_flag=True, help="Do not open a browser.")
@click.option(
    "--read-only",
    is_flag=True,
    default=None,
    help="Show changes without undo.",
)
@workspace_command(
    "read_only",
    folder_options=combine_options(
        roots_argument, setting_options("state_dir")
    ),
    status=2,
    allow_write=ANY_PATH,
)
def review(workspace: Workspace, *, port: int, no_open: bool) -> None:
    """Show the changes in the folders ROOT on a page that only this machine can open.

    Default: the current folder.
    """
    show_review(workspace, port=port, opens_browser=not no_open)


def show_review(
    workspace: Workspace, *, port: int = 0, opens_browser: bool
) -> None:
    """Serve the review page, print its address, and return when it is stopped.

    Port 0 is any free one. Raise `invalid_input` for a port that is in use.
    """
    from filewright.cli.browser import RedirectFile
    from filewright.page.review import Review

    redirect: RedirectFile | None = None

    def on_enter() -> None:
        if redirect is not None:
            redirect.remove()
        write(f"for another browser: {page.link()}", to_error=True)

    page = Review(workspace, port=port, on_enter=on_enter)
    link = page.link()
    write(link)
    try:
        if opens_browser:
            redirect = RedirectFile(link)
            redirect.open()
        page.serve()
    finally:
        if redirect is not None:
            redirect.remove()
