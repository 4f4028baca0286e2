"""`filewright config`: the configuration a client needs, ready to paste."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from filewright.cli.terminal import write


@dataclass(frozen=True)
class Client:
    """A client: where its configuration stands and how a server is written into it."""

    name: str
    title: str
    where: str
    snippet: Callable[[Sequence[str]], str]
    relative_root: bool
    """Whether the client starts servers in the project's folder, so that `.` names it."""


def _json(key: str, **extra: str) -> Callable[[Sequence[str]], str]:
    def snippet(command: Sequence[str]) -> str:
        server = {**extra, "command": command[0], "args": list(command[1:])}
        return json.dumps({key: {"filewright": server}}, indent=2, ensure_ascii=False)

    return snippet


def _claude_code(command: Sequence[str]) -> str:
    words = " ".join(_shell_word(word) for word in command)
    return f"claude mcp add filewright --scope project -- {words}"


def _codex(command: Sequence[str]) -> str:
    arguments = ", ".join(json.dumps(word, ensure_ascii=False) for word in command[1:])
    program = json.dumps(command[0], ensure_ascii=False)
    return f"[mcp_servers.filewright]\ncommand = {program}\nargs = [{arguments}]"


def _shell_word(word: str) -> str:
    import shlex

    return shlex.quote(word)


def _claude_desktop_file() -> str:
    if sys.platform == "darwin":
        return "~/Library/Application Support/Claude/claude_desktop_config.json"
    if sys.platform == "win32":
        return r"%APPDATA%\Claude\claude_desktop_config.json"
    return "~/.config/Claude/claude_desktop_config.json"


CLIENTS = {
    client.name: client
    for client in (
        Client("claude-desktop", "Claude Desktop", _claude_desktop_file(), _json("mcpServers"), False),
        Client("claude-code", "Claude Code", "run this in the project's folder", _claude_code, True),
        Client(
            "cursor",
            "Cursor",
            ".cursor/mcp.json in the project, or ~/.cursor/mcp.json",
            _json("mcpServers"),
            True,
        ),
        Client("vscode", "VS Code", ".vscode/mcp.json in the project", _json("servers", type="stdio"), True),
        Client("codex", "Codex", "~/.codex/config.toml", _codex, True),
    )
}


def command_line(client: Client, roots: Sequence[str], flags: Sequence[str], *, installed: bool) -> list[str]:
    """The words that start the server for `client`."""
    if roots:
        named = [os.path.abspath(os.path.expanduser(root)) for root in roots]
    elif client.name == "vscode":
        named = ["${workspaceFolder}"]
    else:
        named = ["."] if client.relative_root else [os.getcwd()]
    own = shutil.which("filewright") if installed else None
    start = [own] if own else ["uvx", "filewright"]
    return [*start, "serve", *named, *flags]


@click.command(
    epilog="""\b
Examples:
  filewright config claude-code
  filewright config claude-desktop --root ~/project
  filewright config vscode --read-only"""
)
@click.argument("client", type=click.Choice(list(CLIENTS)))
@click.option("--root", "roots", multiple=True, metavar="DIR", help="A folder to serve; may be repeated.")
@click.option("--read-only", is_flag=True, help="Serve for reading only.")
@click.option("--dialect", help="Offer another system's tool names.")
@click.option("--installed", is_flag=True, help="Start this installation instead of uvx.")
def config(
    client: str, roots: tuple[str, ...], read_only: bool, dialect: str | None, installed: bool
) -> None:
    """Print what CLIENT needs to start filewright, ready to paste.

    The configuration goes to standard output, where it belongs to standard error.
    """
    chosen = CLIENTS[client]
    flags = [*(["--read-only"] if read_only else []), *(["--dialect", dialect] if dialect else [])]
    command = command_line(chosen, roots, flags, installed=installed)
    write(f"{chosen.title}: {chosen.where}", to_error=True)
    write(chosen.snippet(command))


def configured() -> list[str]:
    """The titles of clients whose configuration names filewright; for `doctor`."""
    places = {
        "Claude Desktop": [Path(os.path.expandvars(_claude_desktop_file())).expanduser()],
        "Claude Code": [Path(".mcp.json"), Path.home() / ".claude.json"],
        "Cursor": [Path(".cursor/mcp.json"), Path.home() / ".cursor" / "mcp.json"],
        "VS Code": [Path(".vscode/mcp.json")],
        "Codex": [Path.home() / ".codex" / "config.toml"],
    }
    return [title for title, files in places.items() if any(_mentions(file) for file in files)]


def _mentions(file: Path) -> bool:
    try:
        return b"filewright" in file.read_bytes()
    except OSError:  # not there, or not ours to read: nothing is configured as far as we can tell
        return False
