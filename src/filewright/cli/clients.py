"""`filewright config` and `filewright setup`: what a client needs to start the server, printed or written."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from filewright.cli.options import Command
from filewright.cli.terminal import write

Entry = dict[str, Any]


def _standard(command: Sequence[str]) -> Entry:
    return {"command": command[0], "args": [*command[1:]]}


def _vscode(command: Sequence[str]) -> Entry:
    return {"type": "stdio", **_standard(command)}


def _codex(command: Sequence[str]) -> Entry:
    return {**_standard(command), "required": True}


def _opencode(command: Sequence[str]) -> Entry:
    return {"type": "local", "command": [*command], "enabled": True}


def _data_folder(*parts: str) -> str:
    """A path in the folder where desktop programs keep their settings."""
    if sys.platform == "darwin":
        base = "~/Library/Application Support"
    elif sys.platform == "win32":
        base = "%APPDATA%"
    else:
        base = os.environ.get("XDG_CONFIG_HOME") or "~/.config"
    return "/".join((base, *parts))


_CODEX = os.environ.get("CODEX_HOME") or "~/.codex"


@dataclass(frozen=True)
class Client:
    """A client: the files that configure it, and how a server is written into them."""

    name: str
    title: str
    keys: tuple[str, ...]
    """The members that lead to a server in the file; the last is its name."""

    note: str
    """What else it needs, for a person."""

    project: tuple[str, ...] = ()
    """Its file in a project's folder; the first is made, the others are used if they are there."""

    user: str | None = None
    """Its file for all projects."""

    user_first: bool = False
    root: str | None = None
    """What it takes for the project's folder; None: only a whole path."""

    entry: Callable[[Sequence[str]], Entry] = _standard
    rules: tuple[str | None, str | None] = (None, None)
    """The files in which it reads what is preferred: in a project, and for all projects."""


def _client(name: str, title: str, note: str, key: str = "mcpServers", **more: Any) -> Client:
    return Client(name, title, (key, "filewright"), note, **more)


CLIENTS = {
    client.name: client
    for client in (
        _client(
            "claude-desktop",
            "Claude Desktop",
            "restart it afterwards",
            user=_data_folder("Claude", "claude_desktop_config.json"),
        ),
        _client(
            "claude-code",
            "Claude Code",
            "it asks once whether the project's servers may start; /mcp shows them",
            project=(".mcp.json",),
            root=".",
            rules=("CLAUDE.md", "~/.claude/CLAUDE.md"),
        ),
        _client(
            "cursor",
            "Cursor",
            "switch the server on in its settings, under MCP",
            project=(".cursor/mcp.json",),
            user="~/.cursor/mcp.json",
            root="${workspaceFolder}",
            rules=(".cursor/rules/filewright.mdc", None),
        ),
        _client(
            "vscode",
            "VS Code",
            "start it with the command MCP: List Servers; its tools are there in agent mode",
            key="servers",
            project=(".vscode/mcp.json",),
            user=_data_folder("Code", "User", "mcp.json"),
            root="${workspaceFolder}",
            entry=_vscode,
            rules=(".github/copilot-instructions.md", None),
        ),
        _client(
            "codex",
            "Codex",
            "without `required`, the first turn begins without the tools of a server that takes over a second",
            key="mcp_servers",
            project=(".codex/config.toml",),
            user=f"{_CODEX}/config.toml",
            user_first=True,
            root=".",
            entry=_codex,
            rules=("AGENTS.md", f"{_CODEX}/AGENTS.md"),
        ),
        _client(
            "gemini",
            "Gemini CLI",
            "it starts servers only in folders that you trust; /mcp shows them",
            project=(".gemini/settings.json",),
            user="~/.gemini/settings.json",
            root=".",
            rules=("GEMINI.md", "~/.gemini/GEMINI.md"),
        ),
        _client(
            "qwen",
            "Qwen Code",
            "wait for its sign that the servers are ready before the first prompt; /mcp shows them",
            project=(".qwen/settings.json",),
            user="~/.qwen/settings.json",
            root=".",
            rules=("QWEN.md", "~/.qwen/QWEN.md"),
        ),
        _client(
            "opencode",
            "opencode",
            "`opencode mcp list` shows whether it started",
            key="mcp",
            project=("opencode.json", "opencode.jsonc"),
            user="~/.config/opencode/opencode.json",
            root=".",
            entry=_opencode,
            rules=("AGENTS.md", "~/.config/opencode/AGENTS.md"),
        ),
        _client(
            "cline",
            "Cline",
            "its extension for VS Code has a file of its own: MCP Servers, Configure; name that with --file",
            user=os.environ.get("CLINE_MCP_SETTINGS_PATH")
            or "~/.cline/data/settings/cline_mcp_settings.json",
        ),
        _client(
            "continue",
            "Continue",
            "its tools are there in agent mode",
            project=(".continue/mcpServers/filewright.json",),
            rules=(".continue/rules/filewright.md", None),
        ),
    )
}


NAMES = {
    **{name: name for name in CLIENTS},
    **{"claude": "claude-code", "codex-cli": "codex", "gemini-cli": "gemini", "qwen-code": "qwen"},
}
"""What people call each of them."""


class _ClientName(click.Choice[str]):
    """One of `NAMES`; only one name of each client is listed."""

    def __init__(self) -> None:
        super().__init__(list(CLIENTS))

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        return super().convert(NAMES.get(value, value), param, ctx)


# Hooks, by which what its shell and its own tools did is recorded


def _hooked(
    begin: str, end: Sequence[str], matcher: str, unit: int = 1, *, named: bool = False
) -> Callable[[str, str], Entry]:
    """The hooks of an agent whose events are `begin` and `end`, with time limits of 10 and 30 s in `unit`s."""

    def hooks(first: str, last: str) -> Entry:
        def one(line: str, seconds: int, word: str) -> list[Entry]:
            name = {"name": f"filewright-{word}"} if named else {}
            hook = {**name, "type": "command", "command": line, "timeout": seconds * unit}
            return [{"matcher": matcher, "hooks": [hook]}]

        before = one(first, 10, "begin")
        return {"hooks": {begin: before, **{event: one(last, 30, "end") for event in end}}}

    return hooks


def _cursor_hooks(first: str, last: str) -> Entry:
    tools = "Write|Edit|StrReplace|Delete"
    return {
        "version": 1,
        "hooks": {
            "beforeShellExecution": [{"command": first}],
            "afterShellExecution": [{"command": last}],
            "preToolUse": [{"command": first, "matcher": tools}],
            "postToolUse": [{"command": last, "matcher": tools}],
        },
    }


@dataclass(frozen=True)
class _Hooks:
    """Where an agent's hooks are configured, under which name the history has it, and the hooks: of the lines that
    are called before and after."""

    where: str
    actor: str
    of: Callable[[str, str], Entry]


HOOKS = {
    "claude-code": _Hooks(
        ".claude/settings.json",
        "claude-code",
        _hooked(
            "PreToolUse",
            ("PostToolUse", "PostToolUseFailure"),
            "Bash|Edit|MultiEdit|Write|NotebookEdit",
        ),
    ),
    "codex": _Hooks(
        ".codex/hooks.json", "codex", _hooked("PreToolUse", ("PostToolUse",), "Bash|apply_patch")
    ),
    "gemini": _Hooks(
        ".gemini/settings.json",
        "gemini-cli",
        _hooked("BeforeTool", ("AfterTool",), "run_shell_command|write_file|replace", 1000, named=True),
    ),
    "qwen": _Hooks(
        ".qwen/settings.json",
        "qwen-code",
        _hooked(
            "PreToolUse",
            ("PostToolUse", "PostToolUseFailure"),
            "run_shell_command|write_file|edit",
            1000,
        ),
    ),
    "cursor": _Hooks(".cursor/hooks.json", "cursor", _cursor_hooks),
}


def hooks_for(client: Client, *, uvx: bool) -> Entry:
    """The hooks as they are written into the client's configuration."""
    found = HOOKS[client.name]
    words = ["uvx", "filewright"] if uvx else own_command()
    joined = subprocess.list2cmdline if sys.platform == "win32" else shlex.join
    program, state = joined(words), "".join(f" {joined([word])}" for word in _state_folder())
    return found.of(
        f"{program} snapshot begin --hook{state}",
        f"{program} snapshot end --hook --actor {found.actor}{state}",
    )


def is_ours(hook: Any) -> bool:
    """Whether one of the hooks in a configuration, or a group of them, calls filewright."""
    if not isinstance(hook, Mapping):
        return False
    inner = hook.get("hooks")
    if isinstance(inner, list):
        return bool(inner) and all(map(is_ours, inner))
    line = hook.get("command")
    return (
        isinstance(line, str)
        and re.search(r"\bfilewright\b.* snapshot (begin|end) --hook\b", line) is not None
    )


# The command a client runs


def own_command() -> list[str]:
    """The words that start the program that runs now, from any folder."""
    if _in_uv_cache():
        return ["uvx", "filewright"]
    suffix = ".exe" if sys.platform == "win32" else ""
    beside = os.path.join(sysconfig.get_path("scripts"), f"filewright{suffix}")
    for script in (os.path.abspath(sys.argv[0]), beside):
        if Path(script).stem == "filewright" and os.path.isfile(script):
            return [script]
    return [sys.executable, "-m", "filewright"]


def _in_uv_cache() -> bool:
    """Whether `uvx` has started us from its cache, which may be gone tomorrow."""
    return any((folder / "CACHEDIR.TAG").is_file() for folder in Path(sys.prefix).parents)


def server_command(
    client: Client, roots: Sequence[str], flags: Sequence[str], *, uvx: bool = False
) -> list[str]:
    """The words by which `client` starts the server."""
    named = [os.path.abspath(os.path.expanduser(root)) for root in roots] or [client.root or os.getcwd()]
    return [*(["uvx", "filewright"] if uvx else own_command()), "serve", *named, *flags, *_state_folder()]


def _state_folder() -> list[str]:
    """The option that names the state folder, where our environment does: a client may not pass that on."""
    from filewright.changes import base_folder
    from filewright.settings import Settings

    settings = Settings()
    if settings.state_dir is None and not os.environ.get("XDG_STATE_HOME"):
        return []
    return ["--state-dir", str(base_folder(settings))]


def describes_server(command: Command) -> Command:
    """Add CLIENT and the options that say how the server is started."""
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


def entry_for(client: Client, roots: Sequence[str], read_only: bool, dialect: str | None, uvx: bool) -> Entry:
    """The server as it is written into the client's configuration."""
    flags = [*(["--read-only"] if read_only else []), *(["--dialect", dialect] if dialect else [])]
    return client.entry(server_command(client, roots, flags, uvx=uvx))


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
def config(
    client: str, roots: tuple[str, ...], read_only: bool, dialect: str | None, uvx: bool, hooks: bool
) -> None:
    """Print what CLIENT needs to start this filewright, ready to paste.

    The configuration goes to standard output, where it belongs to standard error.
    """
    from filewright.cli.configfile import rendered

    chosen = CLIENTS[client]
    if hooks:
        _print_hooks(chosen, uvx)
        return
    places = [*chosen.project[:1], *([chosen.user] if chosen.user else [])]
    write(f"{chosen.title}: {' or '.join(places)}; {chosen.note}", to_error=True)
    entry = entry_for(chosen, roots, read_only, dialect, uvx)
    write(rendered(chosen.keys, entry, toml=places[0].endswith(".toml")))


def _print_hooks(client: Client, uvx: bool) -> None:
    from filewright.cli.configfile import rendered

    if client.name not in HOOKS:
        raise click.BadParameter(
            f"{client.title} has no hooks that we know; these have: {', '.join(HOOKS)}", param_hint="CLIENT"
        )
    where = HOOKS[client.name].where
    write(f"{client.title}: {where} in the project, or the same below your home folder", to_error=True)
    write(rendered((), hooks_for(client, uvx=uvx)))


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
    hooks = [HOOKS[client.name].where] if client.name in HOOKS else []
    users = [*filter(None, [client.user]), *(f"~/{where}" for where in hooks)]
    if client.name == "claude-code":
        users.append("~/.claude.json")
    for file in (*client.project, *hooks, *(os.path.expandvars(os.path.expanduser(user)) for user in users)):
        with suppress(OSError):  # not there, or not ours to read: it configures nothing as far as we can tell
            yield Path(file).read_bytes()
