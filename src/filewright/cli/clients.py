"""`filewright config`, and what is known of each client: `clients.toml` says how it is configured."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import sysconfig
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any

import click

from filewright.cli.options import Command
from filewright.cli.terminal import write

Entry = dict[str, Any]


def _filled(shape: Any, words: Mapping[str, Any]) -> Any:
    """A shape of the table with the words that it names."""
    if isinstance(shape, dict):
        return {name: _filled(value, words) for name, value in shape.items()}
    if isinstance(shape, list):
        return [_filled(value, words) for value in shape]
    return words.get(shape, shape)


@dataclass(frozen=True)
class Client:
    """A row of the table, which says what each column is."""

    name: str
    title: str
    note: str
    names: Sequence[str] = ()
    key: str = "mcpServers"
    project: Sequence[str] = ()
    user: str | None = None
    first: str = "project"
    root: str | None = None
    server: Mapping[str, Any] = field(default_factory=lambda: {"command": "$program", "args": "$arguments"})
    rule: str | None = None
    user_rule: str | None = None
    hooks: str | None = None
    user_hooks: str | None = None
    actor: str = ""
    events: Mapping[str, Any] = field(default_factory=dict)
    more: Mapping[str, Any] = field(default_factory=dict)

    @property
    def keys(self) -> tuple[str, str]:
        """The members that lead to the server in its file."""
        return self.key, "filewright"

    def entry(self, roots: Sequence[str], read_only: bool, dialect: str | None, uvx: bool) -> Entry:
        """The server of those options, as it is written into the client's configuration."""
        flags = [*(["--read-only"] if read_only else []), *(["--dialect", dialect] if dialect else [])]
        served = [os.path.abspath(os.path.expanduser(root)) for root in roots] or [self.root or os.getcwd()]
        words = [*_program(uvx=uvx), "serve", *served, *flags, *_state_folder()]
        made: Entry = _filled(self.server, {"$program": words[0], "$arguments": words[1:], "$words": words})
        return made

    def hooks_for(self, everyone: bool) -> str | None:
        """The file of its hooks, in the project or for all of them."""
        return (self.user_hooks or f"~/{self.hooks}") if self.hooks and everyone else self.hooks

    def hooked(self, *, uvx: bool) -> Entry:
        """The hooks as they are written into the client's configuration, by their events; of a plug-in its lines."""
        joined = subprocess.list2cmdline if sys.platform == "win32" else shlex.join
        program, state = joined(_program(uvx=uvx)), "".join(f" {joined([word])}" for word in _state_folder())
        lines = {
            "$begin": f"{program} snapshot begin --hook{state}",
            "$end": f"{program} snapshot end --hook --actor {self.actor}{state}",
        }
        return _filled(self.events, lines) if self.events else lines

    def plug_in(self, lines: Entry) -> str:
        """The same as a program that the client runs."""
        text = files(__package__).joinpath(f"{self.name}.js").read_text("utf-8")
        for name, line in lines.items():
            text = text.replace(name, json.dumps(line))
        return text


CLIENTS = {
    name: Client(name, **row)
    for name, row in tomllib.loads(files(__package__).joinpath("clients.toml").read_text("utf-8")).items()
}
LINE = re.compile(r"\bfilewright\b.* snapshot (begin|end) --hook\b")
"""What hooks of ours call."""
HOOKS = [client.name for client in CLIENTS.values() if client.hooks]
"""Those that have hooks."""


def whole(path: str) -> str:
    """The whole path of a file that the table or a user names, behind links."""
    place, slash, rest = path.partition("/")
    return os.path.realpath(os.path.expandvars(os.path.expanduser(_place(place) + slash + rest)))


def _place(name: str) -> str:
    if name == "$CONFIG":  # where desktop programs keep their settings
        usual = {"darwin": "~/Library/Application Support", "win32": "%APPDATA%"}.get(sys.platform)
        return usual or os.environ.get("XDG_CONFIG_HOME") or "~/.config"
    usual = {
        "$CODEX_HOME": "~/.codex",
        "$CLINE_MCP_SETTINGS_PATH": "~/.cline/data/settings/cline_mcp_settings.json",
    }.get(name)
    return name if usual is None else os.environ.get(name[1:]) or usual


class _ClientName(click.Choice[str]):
    """A client by any of its names, of which one is listed."""

    def __init__(self) -> None:
        super().__init__(list(CLIENTS))

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        meant = next((client.name for client in CLIENTS.values() if value in client.names), value)
        return super().convert(meant, param, ctx)


def is_ours(hook: Any) -> bool:
    """Whether one of the hooks in a configuration, or a group of them, calls filewright."""
    if not isinstance(hook, Mapping):
        return False
    inner = hook.get("hooks")
    if isinstance(inner, list):
        return bool(inner) and all(map(is_ours, inner))
    line = hook.get("command")
    return isinstance(line, str) and LINE.search(line) is not None


# The command a client runs


def _program(*, uvx: bool) -> list[str]:
    """The words that start the program that runs now, from any folder; or its newest release."""
    # `uvx` may have started us from its cache, which may be gone tomorrow.
    if uvx or any((folder / "CACHEDIR.TAG").is_file() for folder in Path(sys.prefix).parents):
        return ["uvx", "filewright"]
    suffix = ".exe" if sys.platform == "win32" else ""
    beside = os.path.join(sysconfig.get_path("scripts"), f"filewright{suffix}")
    for script in (os.path.abspath(sys.argv[0]), beside):
        if Path(script).stem == "filewright" and os.path.isfile(script):
            return [script]
    return [sys.executable, "-m", "filewright"]


def _state_folder() -> list[str]:
    """The option that names the state folder, where our environment does: a client may not pass that on."""
    from filewright.changes import base_folder
    from filewright.settings import Settings

    settings = Settings()
    if settings.state_dir is None and not os.environ.get("XDG_STATE_HOME"):
        return []
    return ["--state-dir", str(base_folder(settings))]


def describes_server(command: Command) -> Command:
    """Add CLIENT and the options that say how the server is started, which `Client.entry` takes."""
    for option in reversed(
        (
            click.argument("client", type=_ClientName()),
            click.option(
                "--root", "roots", multiple=True, metavar="DIR", help="A folder to serve; may be repeated."
            ),
            click.option("--read-only", is_flag=True, help="Serve for reading only."),
            click.option("--dialect", metavar="NAME", help="Offer another system's tool names."),
            click.option("--uvx", is_flag=True, help="Start the newest release with uvx, not this program."),
        )
    ):
        command = option(command)
    return command


@click.command(
    short_help="Print what a client needs to start filewright.",
    epilog="""\b
Examples:
  filewright config claude-code
  filewright config claude-desktop --root ~/project
  filewright config vscode --read-only
  filewright config gemini --hooks""",
)
@describes_server
@click.option(
    "--hooks", is_flag=True, help="Print the hooks that record what its shell and its own tools change."
)
def config(client: str, hooks: bool, **server: Any) -> None:
    """Print what CLIENT needs to start this filewright, ready to paste.

    The configuration goes to standard output, where it belongs to standard error.
    """
    from filewright.cli.configfile import with_entry

    chosen = CLIENTS[client]
    if not hooks:
        places = [*chosen.project[:1], *([whole(chosen.user)] if chosen.user else [])]
        write(f"{chosen.title}: {' or '.join(places)}; {chosen.note}", to_error=True)
        toml = places[0].endswith(".toml")
        write(with_entry("", chosen.keys, chosen.entry(**server), toml=toml))
        return
    if not chosen.hooks:
        raise click.BadParameter(
            f"{chosen.title} has no hooks that we know; these have: {', '.join(HOOKS)}", param_hint="CLIENT"
        )
    both = f"{chosen.hooks} in the project, or {chosen.hooks_for(everyone=True)}"
    write(f"{chosen.title}: {both}", to_error=True)
    hooked = chosen.hooked(uvx=server["uvx"])
    own = {**chosen.more, "hooks": hooked}
    write(with_entry("", (), own) if chosen.events else chosen.plug_in(hooked))


# What is configured


def configured() -> list[str]:
    """The titles of clients whose configuration names filewright; for `doctor`."""
    return [
        client.title for client in CLIENTS.values() if any(b"filewright" in text for text in _texts(client))
    ]


def state_folders() -> set[str]:
    """The state folders that clients' configurations name."""
    named = re.compile(rb"""--state-dir(?:",\s*"([^"]+)| '([^']+)| ([^\s"']+))""")
    return {
        os.fsdecode(b"".join(each))
        for client in CLIENTS.values()
        for text in _texts(client)
        for each in named.findall(text)
    }


def _texts(client: Client) -> Iterator[bytes]:
    """What is in the files that configure a client."""
    hooks = [path for everyone in (False, True) if (path := client.hooks_for(everyone))]
    users = [*([client.user] if client.user else []), *(["~/.claude.json"] * (client.name == "claude-code"))]
    for file in map(Path, map(whole, (*client.project, *hooks, *users))):
        with suppress(OSError):  # not ours to read: it configures nothing as far as we can tell
            yield file.read_bytes() if file.is_file() else b""
