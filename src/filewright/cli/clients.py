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
from filewright.cli.options import combine_options

Entry = dict[str, Any]
SCOPES = ("local", "shared", "user")
"""Whom a client's file is for: one person in the current folder, everybody in the folder, one person everywhere."""

_SCRIPT = """\
#!/bin/sh
# Written by `filewright setup {name}`: has what {title}'s shell and its own edit tools change recorded.
{line}
"""
"""A hook that is a program of its own."""

_MAX_BYTES = 16 << 20
"""The size past which no file is taken for a configuration."""

_PLACES = {
    # where desktop programs keep their settings
    "$CONFIG": {
        "darwin": ("", "~/Library/Application Support"),
        "win32": ("APPDATA", ""),
    }.get(sys.platform, ("XDG_CONFIG_HOME", "~/.config")),
    "$CODEX_HOME": ("CODEX_HOME", "~/.codex"),
    "$CLINE_MCP_SETTINGS_PATH": (
        "CLINE_MCP_SETTINGS_PATH",
        "~/.cline/data/settings/cline_mcp_settings.json",
    ),
    "$CLINE_DIR": ("CLINE_DIR", "~/.cline"),
    "$COPILOT_HOME": ("COPILOT_HOME", "~/.copilot"),
    "$PI_DIR": ("PI_CODING_AGENT_DIR", "~/.pi/agent"),
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


@dataclass(frozen=True, slots=True)
class ClientFile:
    """A file of a client: its whole path, and whether it is its server, its hooks or its rule."""

    what: str
    path: str
    name: str
    """The path as the table names it."""


@dataclass(frozen=True)
class Client:
    """A row of the table, which says what each column is."""

    name: str
    title: str
    note: str
    names: Sequence[str] = ()
    key: str = "mcpServers"
    local: Mapping[str, str] = field(default_factory=dict)
    user: Mapping[str, str] = field(default_factory=dict)
    shared: Mapping[str, str] = field(default_factory=dict)
    under: str | None = None
    first: str | None = None
    root: str | None = None
    server: Mapping[str, Any] = field(
        default_factory=lambda: {"command": "$program", "args": "$arguments"}
    )
    actor: str = ""
    events: Mapping[str, Any] = field(default_factory=dict)
    more: Mapping[str, Any] = field(default_factory=dict)
    scripts: Mapping[str, str] = field(default_factory=dict)
    plug_in: str | None = None

    def keys(self, scope: str) -> tuple[str, ...]:
        """Return the members that lead to the server in the file of a scope."""
        own = (self.key, "filewright")
        if scope != "local" or self.under is None:
            return own
        return (
            self.under,
            Path(os.path.realpath(os.getcwd())).as_posix(),
            *own,
        )

    @property
    def hooks(self) -> bool:
        """True if it has hooks."""
        # On Windows Cline's would be scripts of PowerShell.
        is_possible = not self.scripts or sys.platform != "win32"
        return is_possible and "hooks" in {
            **self.local,
            **self.shared,
            **self.user,
        }

    @property
    def scopes(self) -> list[str]:
        """The scopes for which it can have a server or hooks; the first is the default."""
        order = sorted(SCOPES, key=lambda scope: scope != self.first)
        return [scope for scope in order if getattr(self, scope)]

    def files(self, scope: str) -> list[ClientFile]:
        """Return its files of a scope, without those of `links_out`."""
        outside = {file.path for file, _ in self.links_out(scope)}
        return [file for file in self._named(scope) if file.path not in outside]

    def links_out(self, scope: str) -> list[tuple[ClientFile, str]]:
        """Return its files of the current folder that lead out of it; each with where it leads.

        A cloned project may have links to any file of the user's there: nothing is read or written through them.
        """
        here = Path(os.path.realpath(os.getcwd()))
        outside = []
        for file in self._named(scope):
            is_of_project = (
                not os.path.isabs(file.name) and file.name[0] not in "~$"
            )
            if is_of_project and here not in Path(file.path).parents:
                reason = f"{file.name} leads out of the current folder, to {file.path}"
                outside.append((file, reason))
        return outside

    def _named(self, scope: str) -> list[ClientFile]:
        """Return its files of a scope; `.jsonc` where that is there, and each script of a folder of hooks."""
        files = []
        for what, name in getattr(self, scope).items():
            names = [name]
            if what == "server" and os.path.lexists(f"{whole(name)}c"):
                names = [f"{name}c"]
            if what == "hooks" and not self.hooks:
                names = []
            elif what == "hooks" and self.scripts:
                names = [f"{name}/{event}" for event in self.scripts]
            files += [ClientFile(what, whole(each), each) for each in names]
        return files

    def content(self, scope: str) -> tuple[bytes, list[str]]:
        """Return what its files of servers and hooks hold, one after the other, and what of them is not read."""
        content, unread = b"", []
        for configuration in self.files(scope):
            path = configuration.path
            if configuration.what != "rule" and os.path.isfile(path):
                try:
                    with open(path, "rb") as file:
                        read = file.read(_MAX_BYTES + 1)
                except PermissionError:
                    unread.append(f"{path} may not be read")
                    continue
                if len(read) > _MAX_BYTES:
                    unread.append(f"{path} is too large")
                else:
                    content += read
        return content, unread

    def entry(self, options: ServerOptions) -> Entry:
        """Return the server of those options, as it is written into the client's configuration."""
        flags = ["--read-only"] * options.read_only
        flags += ["--dialect", options.dialect] if options.dialect else []
        roots = [
            os.path.abspath(os.path.expanduser(root)) for root in options.roots
        ]
        arguments = [
            "serve",
            *(roots or [self.root or os.getcwd()]),
            *flags,
            *options.state,
        ]
        return self.entry_of([*options.program, *arguments])

    def entry_of(self, words: Sequence[str]) -> Entry:
        """Return the server that is started by these words, as it is written into the client's configuration."""
        entry = _filled(
            json.dumps(self.server),
            program=words[0],
            arguments=words[1:],
            words=words,
        )
        return dict(json.loads(entry))

    def hooked(self, options: ServerOptions, path: str = "") -> Any:
        """Return the hooks as they are written into a file of theirs: by event, or the text of a plug-in or script."""
        if not self.hooks:
            return None
        begin, end = self.hook_lines(options)
        if self.scripts:
            words = {"begin": begin, "end": end}
            line = re.sub(
                r"\$(\w+)",
                lambda place: words[place[1]],
                self.scripts[os.path.basename(path)],
            )
            return _SCRIPT.format(name=self.name, title=self.title, line=line)
        if self.events:
            return json.loads(
                _filled(json.dumps(self.events), begin=begin, end=end)
            )
        plug_in = files(__package__).joinpath(self.plug_in or "")
        text = plug_in.read_text("utf-8")
        return _filled(text, begin=begin, end=end, client=self.name)

    def hook_lines(self, options: ServerOptions) -> tuple[str, str]:
        """Return the command lines that its hooks run before and after what they record."""
        joined = (
            subprocess.list2cmdline if sys.platform == "win32" else shlex.join
        )
        state = "".join(f" {joined([word])}" for word in options.state)
        start = f"{joined(options.program)} snapshot"
        guard = " --guard heal" if options.guard else ""
        return (
            f"{start} begin --hook{state}",
            f"{start} end --hook --actor {self.actor}{guard}{state}",
        )


CLIENTS = {
    name: Client(name, **row)
    for name, row in tomllib.loads(
        files(__package__).joinpath("clients.toml").read_text("utf-8")
    ).items()
}
CLIENTS_WITH_HOOKS = [
    client.name for client in CLIENTS.values() if client.hooks
]
"""Those that have hooks."""


_CONFIGURED = re.compile(
    rb"\"filewright\"|\bfilewright\]|\bfilewright\b.* snapshot begin --hook"
)


def find_configured_titles() -> list[str]:
    """Return the titles of the clients whose configuration names filewright."""
    titles = []
    for client in CLIENTS.values():
        contents = [client.content(scope)[0] for scope in SCOPES]
        if any(map(_CONFIGURED.search, contents)):
            titles.append(client.title)
    return titles


def find_named_state_folders() -> set[str]:
    """The state folders that clients' configurations name."""
    named = re.compile(
        rb"""--state-dir(?:",\s*"([^"]+)| '([^']+)| ([^\s"']+))"""
    )
    contents = b"\n".join(
        client.content(scope)[0]
        for client in CLIENTS.values()
        for scope in SCOPES
    )
    return {os.fsdecode(b"".join(each)) for each in named.findall(contents)}


# The command a client runs


@dataclass(frozen=True)
class ServerOptions:
    """How a server is started: the options of `setup` and `config`."""

    roots: Sequence[str] = ()
    read_only: bool = False
    dialect: str | None = None
    uvx: bool = False
    shared: bool = False
    guard: bool = True

    @property
    def program(self) -> Sequence[str]:
        """The words that start filewright: by its name, which every machine of a team has, or by its path here."""
        if self.shared and not self.uvx:
            return ["filewright"]
        return own_program(uvx=self.uvx)

    @property
    def state(self) -> Sequence[str]:
        """The option that names the state folder, which is one of this machine."""
        return [] if self.shared else _state_folder()


def own_program(*, uvx: bool = False) -> list[str]:
    """Return the words that start the program that runs now, from any folder; or its newest release."""
    # `uvx` may have started us from its cache, which may be gone tomorrow.
    if uvx or any(
        (folder / "CACHEDIR.TAG").is_file()
        for folder in Path(sys.prefix).parents
    ):
        return ["uvx", "filewright"]
    suffix = ".exe" if sys.platform == "win32" else ""
    beside = os.path.join(sysconfig.get_path("scripts"), f"filewright{suffix}")
    # A name without a folder would be one in the current folder, which did not start us.
    started = (
        os.path.abspath(sys.argv[0]) if os.path.dirname(sys.argv[0]) else ""
    )
    for script in (started, beside):
        if Path(script).stem == "filewright" and os.path.isfile(script):
            return [script]
    return [*python_command()]


def _state_folder() -> list[str]:
    """The option that names the state folder, where our environment does: a client may not pass that on."""
    from filewright.changes.state_dir import state_base_folder
    from filewright.settings import Settings

    settings = Settings()
    if settings.state_dir is None and not os.environ.get("XDG_STATE_HOME"):
        return []
    return ["--state-dir", state_base_folder(settings)]


# What commands take


def _bare(name: str) -> str:
    """A name as it counts: "VS Code", "vs-code" and "vscode" are one."""
    return re.sub(r"[\W_]", "", name.lower())


class _ClientName(click.Choice[str]):
    """A client by any of its names, of which one is listed."""

    def convert(
        self,
        value: Any,
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> str:
        for client in CLIENTS.values():
            if _bare(value) in map(
                _bare, (client.name, client.title, *client.names)
            ):
                return client.name
        return super().convert(value, param, ctx)


CLIENT = _ClientName([*CLIENTS])
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
