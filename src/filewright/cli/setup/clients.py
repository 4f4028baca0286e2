"""The clients that `setup` can configure: the rows of `clients.toml`, and their files."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any

from filewright.cli.setup.launch import ServerOptions
from filewright.cli.setup.slash_commands import COMMANDS, render_command

Entry = dict[str, Any]
SCOPES = ("local", "shared", "user")
"""The scopes of a client's files.

The files are for one user in the current folder, for all users of the folder, or for
one user in all folders.
"""

_SCRIPT = """\
#!/bin/sh
# Written by `filewright setup {name}`: records changes by {title}'s shell and its own edit tools.
{line}
"""
"""The text of a hook that is a script."""

_MAX_BYTES = 16 << 20
"""The size above which a file is not read as a configuration.

Some clients keep their histories in the same file, so the limit is high.
"""

_VARIABLES = {
    # The folder in which desktop programs store their settings.
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
"""The variables of the table: the environment variable of each, and the default."""


def resolve_path(path: str) -> str:
    """Return the absolute path of a file that the table or a user names.

    Resolve variables of the table, `~` and links.
    """
    first, slash, rest = path.partition("/")
    if first in _VARIABLES:
        variable, default = _VARIABLES[first]
        first = os.environ.get(variable) or default
    return os.path.realpath(os.path.expanduser(first + slash + rest))


def _fill_in(template: str, **values: Any) -> str:
    """Return JSON or a program with values in place of the `$names` in its strings.

    A string that is a name only may be replaced by a list.
    """

    def replace_name(match: re.Match[str]) -> str:
        whole_string, name_in_string = match.groups()
        value = json.dumps(values[whole_string or name_in_string])
        return value if whole_string else value[1:-1]

    return re.sub(r'"\$(\w+)"|\$(\w+)', replace_name, template)


@dataclass(frozen=True, slots=True)
class ClientFile:
    """A file of a client that has its server, its hooks or its rule."""

    kind: str
    path: str
    """The absolute path."""
    name: str
    """The path as the table names it."""


@dataclass(frozen=True, slots=True)
class LinkOutside:
    """A file of a client that a link in the current folder leads out of it."""

    file: ClientFile

    @property
    def reason(self) -> str:
        """The sentence that says so."""
        return f"{self.file.name} leads out of the current folder, to {self.file.path}"


@dataclass(frozen=True, slots=True)
class ClientContents:
    """The contents of a client's files, and why some were not read."""

    content: bytes
    unread_reasons: Sequence[str]


@dataclass(frozen=True, slots=True)
class HookLines:
    """The command lines that hooks run before and after what they record."""

    begin: str
    end: str


@dataclass(frozen=True)
class Client:
    """A row of `clients.toml`, which describes each column."""

    name: str
    title: str
    note: str
    found_by: Sequence[str]
    aliases: Sequence[str] = ()
    key: str = "mcpServers"
    local: Mapping[str, str] = field(default_factory=dict)
    user: Mapping[str, str] = field(default_factory=dict)
    shared: Mapping[str, str] = field(default_factory=dict)
    projects_key: str | None = None
    default_scope: str | None = None
    root: str | None = None
    server: Mapping[str, Any] = field(
        default_factory=lambda: {"command": "$program", "args": "$arguments"}
    )
    actor: str = ""
    events: Mapping[str, Any] = field(default_factory=dict)
    hook_settings: Mapping[str, Any] = field(default_factory=dict)
    scripts: Mapping[str, str] = field(default_factory=dict)
    plug_in: str | None = None
    command_arguments: str = "$ARGUMENTS"

    def keys(self, scope: str) -> tuple[str, ...]:
        """Return the keys that lead to the server in the file of a scope."""
        keys = (self.key, "filewright")
        if scope != "local" or self.projects_key is None:
            return keys
        project = Path(os.path.realpath(os.getcwd())).as_posix()
        return (self.projects_key, project, *keys)

    def is_installed(self) -> bool:
        """Return True if a program or a file of the client is found."""
        return any(
            os.path.exists(resolve_path(name))
            if name[0] in "~$"
            else shutil.which(name) is not None
            for name in self.found_by
        )

    @property
    def has_hooks(self) -> bool:
        """True if hooks are written for the client on this system."""
        if self.scripts and sys.platform == "win32":
            # Cline's hooks would be scripts of PowerShell there.
            return False
        return any(
            "hooks" in files for files in (self.local, self.shared, self.user)
        )

    @property
    def scopes(self) -> list[str]:
        """The scopes for which the client has files; the first is the default."""
        scopes = [scope for scope in SCOPES if getattr(self, scope)]
        return sorted(scopes, key=lambda scope: scope != self.default_scope)

    def files(self, scope: str) -> list[ClientFile]:
        """Return the files of a scope, without those that links lead outside."""
        outside = {link.file.path for link in self.find_links_outside(scope)}
        return [
            file for file in self._list_files(scope) if file.path not in outside
        ]

    def find_links_outside(self, scope: str) -> list[LinkOutside]:
        """Return the files of the current folder that links lead out of it.

        A cloned project may have links to any file of the user: `setup` reads and
        writes nothing through them.
        """
        current = Path(os.path.realpath(os.getcwd()))
        links = []
        for file in self._list_files(scope):
            is_absolute = os.path.isabs(file.name) or file.name[0] in "~$"
            if not is_absolute and current not in Path(file.path).parents:
                links.append(LinkOutside(file))
        return links

    def _list_files(self, scope: str) -> list[ClientFile]:
        """Return the files of a scope.

        The file of servers is the one that ends in `.jsonc`, if it exists. Hooks that
        are scripts have a file for each event, and slash commands one for each command.
        """
        files = []
        for kind, name in getattr(self, scope).items():
            names = [name]
            if kind == "server" and os.path.lexists(f"{resolve_path(name)}c"):
                names = [f"{name}c"]
            if kind == "hooks" and not self.has_hooks:
                names = []
            elif kind == "hooks" and self.scripts:
                names = [f"{name}/{event}" for event in self.scripts]
            elif kind == "commands":
                names = [name.replace("$name", command) for command in COMMANDS]
            for file_name in names:
                path = resolve_path(file_name)
                files.append(ClientFile(kind, path, file_name))
        return files

    def read_files(self, scope: str) -> ClientContents:
        """Return the contents of the files with servers and hooks, joined."""
        contents: list[bytes] = []
        unread_reasons: list[str] = []
        for client_file in self.files(scope):
            path = client_file.path
            if client_file.kind == "rule" or not os.path.isfile(path):
                continue
            try:
                with open(path, "rb") as file:
                    content = file.read(_MAX_BYTES + 1)
            except PermissionError:
                unread_reasons.append(f"{path} may not be read")
                continue
            if len(content) > _MAX_BYTES:
                unread_reasons.append(f"{path} is too large")
            else:
                contents.append(content)
        return ClientContents(b"".join(contents), unread_reasons)

    def build_server(self, options: ServerOptions) -> Entry:
        """Return the entry of the server with these options."""
        roots = [
            os.path.abspath(os.path.expanduser(root)) for root in options.roots
        ]
        if not roots:
            roots = [self.root or os.getcwd()]
        arguments = ["serve", *roots]
        if options.read_only:
            arguments.append("--read-only")
        if options.dialect:
            arguments += ["--dialect", options.dialect]
        arguments += options.state
        program, *program_arguments = options.program
        entry = _fill_in(
            json.dumps(self.server),
            program=program,
            arguments=[*program_arguments, *arguments],
            words=[*options.program, *arguments],
        )
        return dict(json.loads(entry))

    def build_hooks(self, options: ServerOptions, path: str = "") -> Any:
        """Return the hooks by event, or the text of a plug-in or of the script at `path`."""
        if not self.has_hooks:
            return None
        lines = self.build_hook_lines(options)
        if self.scripts:
            event = os.path.basename(path)
            line = self.scripts[event]
            for place, text in (("$begin", lines.begin), ("$end", lines.end)):
                if line.startswith(place):
                    line = text + line.removeprefix(place)
                    break
            return _SCRIPT.format(name=self.name, title=self.title, line=line)
        if self.events:
            template = json.dumps(self.events)
            return json.loads(
                _fill_in(template, begin=lines.begin, end=lines.end)
            )
        plug_in = files(__package__).joinpath(self.plug_in or "")
        template = plug_in.read_text("utf-8")
        return _fill_in(
            template, begin=lines.begin, end=lines.end, client=self.name
        )

    def build_command(self, options: ServerOptions, path: str) -> str:
        """Return the text of the slash command whose file is at `path`."""
        return render_command(
            # VS Code's files end in .prompt.md.
            os.path.basename(path).partition(".")[0],
            is_toml=path.endswith(".toml"),
            client=self.name,
            arguments=self.command_arguments,
            options=options,
        )

    def build_hook_lines(self, options: ServerOptions) -> HookLines:
        """Return the command lines of the hooks."""
        join = (
            subprocess.list2cmdline if sys.platform == "win32" else shlex.join
        )
        state = "".join(f" {join([word])}" for word in options.state)
        snapshot = f"{join(options.program)} snapshot"
        guard = " --guard heal" if options.guard else ""
        return HookLines(
            begin=f"{snapshot} begin --hook{state}",
            end=f"{snapshot} end --hook --actor {self.actor}{guard}{state}",
        )


def _read_table() -> dict[str, Client]:
    # A table, so that a new client needs no code.
    table = files(__package__).joinpath("clients.toml").read_text("utf-8")
    return {
        name: Client(name, **row) for name, row in tomllib.loads(table).items()
    }


CLIENTS = _read_table()
CLIENTS_WITH_HOOKS = [
    client.name for client in CLIENTS.values() if client.has_hooks
]
"""The names of the clients that hooks are written for."""


_CONFIGURED = re.compile(
    rb"\"filewright\"|\bfilewright\]|\bfilewright\b.* snapshot begin --hook"
)


_STATE_FOLDER = re.compile(
    rb"""--state-dir(?:",\s*"([^"]+)| '([^']+)| ([^\s"']+))"""
)


def find_configured_titles() -> list[str]:
    """Return the titles of the clients whose configuration names filewright."""
    titles = []
    for client in CLIENTS.values():
        for scope in SCOPES:
            if _CONFIGURED.search(client.read_files(scope).content):
                titles.append(client.title)
                break
    return titles


def find_named_state_folders() -> set[str]:
    """Return the state folders that clients' configurations name."""
    folders = set()
    for client in CLIENTS.values():
        for scope in SCOPES:
            content = client.read_files(scope).content
            for match in _STATE_FOLDER.finditer(content):
                folders.add(os.fsdecode(match[match.lastindex or 0]))
    return folders
