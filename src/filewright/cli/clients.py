"""What is known of each client: `clients.toml` says how it is configured, and what calls filewright is made here."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import sysconfig
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any

import click

from filewright.cli.isolation import python_command
from filewright.cli.options import together

Entry = dict[str, Any]
SCOPES = ("project", "user")
"""For what a client's file is: the current folder, or all projects."""

_PLACES = {
    # where desktop programs keep their settings
    "$CONFIG": {"darwin": ("", "~/Library/Application Support"), "win32": ("APPDATA", "")}.get(
        sys.platform, ("XDG_CONFIG_HOME", "~/.config")
    ),
    "$CODEX_HOME": ("CODEX_HOME", "~/.codex"),
    "$CLINE_MCP_SETTINGS_PATH": (
        "CLINE_MCP_SETTINGS_PATH",
        "~/.cline/data/settings/cline_mcp_settings.json",
    ),
}
"""The places of the table: the variable that names each, and what it is without."""


def whole(path: str) -> str:
    """The whole path of a file that the table or a user names, behind links."""
    place, slash, rest = path.partition("/")
    if place in _PLACES:
        variable, usual = _PLACES[place]
        place = os.environ.get(variable) or usual
    return os.path.realpath(os.path.expanduser(place + slash + rest))


def _filled(text: str, **words: Any) -> str:
    """JSON, or a program, with what its strings name in their place: a list for a whole one."""

    def word(found: re.Match[str]) -> str:
        made = json.dumps(words[found[1] or found[2]])
        return made if found[1] else made[1:-1]

    return re.sub(r'"\$(\w+)"|\$(\w+)', word, text)


@dataclass(frozen=True)
class Client:
    """A row of the table, which says what each column is."""

    name: str
    title: str
    note: str
    names: Sequence[str] = ()
    key: str = "mcpServers"
    project: Mapping[str, str] = field(default_factory=dict)
    user: Mapping[str, str] = field(default_factory=dict)
    first: str = "project"
    root: str | None = None
    server: Mapping[str, Any] = field(default_factory=lambda: {"command": "$program", "args": "$arguments"})
    actor: str = ""
    events: Mapping[str, Any] = field(default_factory=dict)
    more: Mapping[str, Any] = field(default_factory=dict)

    @property
    def keys(self) -> tuple[str, str]:
        """The members that lead to the server in its file."""
        return self.key, "filewright"

    @property
    def hooks(self) -> bool:
        """Whether it has hooks."""
        return "hooks" in {**self.project, **self.user}

    @property
    def scopes(self) -> list[str]:
        """Those for which it can have a server; the first is meant where nothing is said."""
        order = sorted(SCOPES, key=lambda scope: scope != self.first)
        return [scope for scope in order if "server" in getattr(self, scope)]

    def files(self, scope: str) -> dict[str, str]:
        """Its files in the current folder (project), or those for all projects (user), by what is in them."""
        found = {what: whole(path) for what, path in getattr(self, scope).items()}
        if os.path.lexists(f"{found.get('server')}c"):
            found["server"] += "c"
        return found

    def said(self, scope: str) -> tuple[bytes, list[str]]:
        """What these files say of servers and hooks, and those that are not ours to read."""
        found, unread = b"", []
        for what, path in self.files(scope).items():
            if what != "rule" and os.path.isfile(path):
                try:
                    found += Path(path).read_bytes()
                except PermissionError:
                    unread.append(path)
        return found, unread

    def entry(self, roots: Sequence[str], read_only: bool, dialect: str | None, uvx: bool) -> Entry:
        """The server of those options, as it is written into the client's configuration."""
        flags = ["--read-only"] * read_only + (["--dialect", dialect] if dialect else [])
        served = [os.path.abspath(os.path.expanduser(root)) for root in roots] or [self.root or os.getcwd()]
        words = [*_program(uvx=uvx), "serve", *served, *flags, *_state_folder()]
        made = _filled(json.dumps(self.server), program=words[0], arguments=words[1:], words=words)
        return dict(json.loads(made))

    def hooked(self, *, uvx: bool) -> Any:
        """The hooks as they are written into the client's configuration, by their events; of a plug-in its text."""
        if not self.hooks:
            return None
        joined = subprocess.list2cmdline if sys.platform == "win32" else shlex.join
        program, state = joined(_program(uvx=uvx)), "".join(f" {joined([word])}" for word in _state_folder())
        plug_in = files(__package__).joinpath(f"{self.name}.js")
        made = _filled(
            json.dumps(self.events) if self.events else plug_in.read_text("utf-8"),
            begin=f"{program} snapshot begin --hook{state}",
            end=f"{program} snapshot end --hook --actor {self.actor}{state}",
        )
        return json.loads(made) if self.events else made


CLIENTS = {
    name: Client(name, **row)
    for name, row in tomllib.loads(files(__package__).joinpath("clients.toml").read_text("utf-8")).items()
}
HOOKS = [client.name for client in CLIENTS.values() if client.hooks]
"""Those that have hooks."""


def configured() -> list[str]:
    """The titles of clients whose configuration names filewright."""
    return [
        client.title
        for client in CLIENTS.values()
        if any(b"filewright" in client.said(scope)[0] for scope in SCOPES)
    ]


def state_folders() -> set[str]:
    """The state folders that clients' configurations name."""
    named = re.compile(rb"""--state-dir(?:",\s*"([^"]+)| '([^']+)| ([^\s"']+))""")
    said = b"\n".join(client.said(scope)[0] for client in CLIENTS.values() for scope in SCOPES)
    return {os.fsdecode(b"".join(each)) for each in named.findall(said)}


# The command a client runs


def _program(*, uvx: bool) -> list[str]:
    """The words that start the program that runs now, from any folder; or its newest release."""
    # `uvx` may have started us from its cache, which may be gone tomorrow.
    if uvx or any((folder / "CACHEDIR.TAG").is_file() for folder in Path(sys.prefix).parents):
        return ["uvx", "filewright"]
    suffix = ".exe" if sys.platform == "win32" else ""
    beside = os.path.join(sysconfig.get_path("scripts"), f"filewright{suffix}")
    # A name without a folder would be one in the current folder, which did not start us.
    started = os.path.abspath(sys.argv[0]) if os.path.dirname(sys.argv[0]) else ""
    for script in (started, beside):
        if Path(script).stem == "filewright" and os.path.isfile(script):
            return [script]
    return [*python_command()]


def _state_folder() -> list[str]:
    """The option that names the state folder, where our environment does: a client may not pass that on."""
    from filewright.changes import base_folder
    from filewright.settings import Settings

    settings = Settings()
    if settings.state_dir is None and not os.environ.get("XDG_STATE_HOME"):
        return []
    return ["--state-dir", base_folder(settings)]


# What commands take


def _bare(name: str) -> str:
    """A name as it counts: "VS Code", "vs-code" and "vscode" are one."""
    return re.sub(r"[\W_]", "", name.lower())


class _ClientName(click.Choice[str]):
    """A client by any of its names, of which one is listed."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        for client in CLIENTS.values():
            if _bare(value) in map(_bare, (client.name, client.title, *client.names)):
                return client.name
        return super().convert(value, param, ctx)


CLIENT = _ClientName([*CLIENTS])
"""The type of an argument that names a client."""


describes_server = together(
    click.option("--root", "roots", multiple=True, metavar="DIR", help="A folder to serve; may be repeated."),
    click.option("--read-only", is_flag=True, help="Serve for reading only."),
    click.option("--dialect", metavar="NAME", help="Offer another system's tool names."),
    click.option("--uvx", is_flag=True, help="Start the newest release with uvx, not this program."),
)
"""The options that say how the server is started, which `Client.entry` takes."""
