"""Configurations are what the clients parse, and the shipping files agree with each other."""

from __future__ import annotations

import json
import os
import re
import shlex
import sys
import tomllib
from pathlib import Path

import pytest
from bench.clients.real_clients import CLIENTS as REAL_CLIENTS
from click.testing import CliRunner
from mcp import Client, StdioServerParameters
from mcp_types import TextContent
from tests import processes

from filewright import __version__
from filewright.cli.program import program
from filewright.cli.setup.clients import CLIENTS, CLIENTS_WITH_HOOKS
from filewright.recording.hooks import SHELL_TOOLS

PROJECT = Path(__file__).parents[3]
CONFIGURATIONS = Path(__file__).parent / "configurations.md"
"""The configurations of every client, as they are expected."""


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(autouse=True)
def no_state_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    """A configuration names the state folder where a variable does, as it may for other tests of this process."""
    for name in ("FILEWRIGHT_STATE_DIR", "XDG_STATE_HOME"):
        monkeypatch.delenv(name, raising=False)


def configuration(*arguments: str) -> str:
    result = CliRunner().invoke(program, ["config", *arguments])
    assert result.exit_code == 0, result.output
    assert result.stderr
    return result.stdout


def command_of(client: str, text: str) -> list[str]:
    """The words the client would start."""
    config = tomllib.loads(text) if client == "codex" else json.loads(text)
    found = config[CLIENTS[client].key]["filewright"]
    command = found["command"]
    return command if isinstance(command, list) else [command, *found["args"]]


@pytest.mark.parametrize("client", CLIENTS_WITH_HOOKS)
def test_hooks_quote_state_folder(
    client: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where that is what the table calls one of the lines."""
    folder = str(tmp_path / 'a "b\\ $end é')
    monkeypatch.setenv("FILEWRIGHT_STATE_DIR", folder)
    printed = configuration(client, "--hooks")
    strings = [
        json.loads(each) for each in re.findall(r'"(?:[^"\\\n]|\\.)*"', printed)
    ]
    if CLIENTS[client].scripts:
        strings = printed.splitlines()
    lines = [shlex.split(line) for line in strings if "--hook" in line]
    assert {line[line.index("snapshot") + 1] for line in lines} == {
        "begin",
        "end",
    }
    assert {line[line.index("--state-dir") + 1] for line in lines} == {folder}


@pytest.mark.parametrize("client", CLIENTS)
def test_command_has_options(client: str, tmp_path: Path) -> None:
    strange = tmp_path / 'a "strange" folder é'
    command = command_of(
        client,
        configuration(
            client,
            "--uvx",
            "--root",
            str(strange),
            "--read-only",
            "--dialect",
            "d",
        ),
    )
    assert command == [
        "uvx",
        "filewright",
        "serve",
        str(strange),
        "--read-only",
        "--dialect",
        "d",
    ]


@pytest.mark.anyio
async def test_command_starts_server(
    tmp_path: Path,
) -> None:
    (tmp_path / "a.txt").write_text("one\n")
    commands = {
        tuple(command_of(client, configuration(client))) for client in CLIENTS
    }
    assert len(commands) == 3, (
        "the folder is named, or is where the client starts it, or the client fills it in"
    )
    (executable,) = {executable for executable, _, _ in commands}
    assert os.path.isabs(executable)
    env = {**os.environ, "FILEWRIGHT_STATE_DIR": str(tmp_path.parent / "state")}
    for number, (_, verb, folder) in enumerate(commands):
        assert verb == "serve"
        root = {
            "${workspaceFolder}": str(tmp_path),
            os.getcwd(): str(tmp_path),
        }.get(folder, folder)
        server = StdioServerParameters(
            command=executable, args=[verb, root], env=env
        )
        if number:  # the program itself once; which folder it serves does not hang on how it is started
            server = processes.for_client(
                [*processes.FILEWRIGHT, verb, root], env
            )
        server.cwd = tmp_path
        async with Client(server) as connected:
            assert len((await connected.list_tools()).tools) == 12
            listed = await connected.call_tool("list_files", {})
            assert isinstance(listed.content[0], TextContent)
            assert "a.txt" in listed.content[0].text


_WHOLE_PATH = ("claude-desktop", "cline", "windsurf", "continue")


@pytest.mark.parametrize("client", CLIENTS)
def test_default_root(
    client: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    expected = {name: str(tmp_path) for name in _WHOLE_PATH}
    expected |= dict.fromkeys(("cursor", "vscode"), "${workspaceFolder}")
    assert command_of(client, configuration(client))[-1] == expected.get(
        client, "."
    )


def test_uses_uvx_from_its_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "CACHEDIR.TAG").touch()
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "archive-v0" / "abc"))
    assert command_of("cursor", configuration("cursor"))[:2] == [
        "uvx",
        "filewright",
    ]


@pytest.mark.parametrize(
    ("typed", "meant"), [("gemini-cli", "gemini"), ("qwen-code", "qwen")]
)
def test_knows_aliases(typed: str, meant: str) -> None:
    assert configuration(typed) == configuration(meant)
    assert configuration(typed, "--hooks") == configuration(meant, "--hooks")


@pytest.mark.parametrize("variable", ["FILEWRIGHT_STATE_DIR", "XDG_STATE_HOME"])
def test_names_state_folder(
    variable: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A client that passes no environment on would begin a second history."""
    for name in ("FILEWRIGHT_STATE_DIR", "XDG_STATE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("sys.platform", "linux")
    assert "--state-dir" not in command_of("codex", configuration("codex"))
    assert "--state-dir" not in configuration("codex", "--hooks")
    state = tmp_path / "my state"
    monkeypatch.setenv(variable, str(state))
    folder = str(
        state if variable == "FILEWRIGHT_STATE_DIR" else state / "filewright"
    )
    assert command_of("codex", configuration("codex"))[-2:] == [
        "--state-dir",
        folder,
    ]
    assert (
        configuration("codex", "--hooks").count(f" --state-dir '{folder}'") == 2
    )


def test_members_of_single_clients() -> None:
    assert (
        json.loads(configuration("vscode"))["servers"]["filewright"]["type"]
        == "stdio"
    )
    assert (
        tomllib.loads(configuration("codex"))["mcp_servers"]["filewright"][
            "required"
        ]
        is True
    )
    assert json.loads(configuration("opencode"))["mcp"][
        "filewright"
    ].keys() == {
        "type",
        "command",
        "enabled",
    }


def test_registry_entry() -> None:
    entry = json.loads((PROJECT / "server.json").read_text())
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]
    [package] = entry["packages"]
    assert entry["$schema"].endswith("/2025-12-11/server.schema.json")
    assert entry["name"] == "io.github.filewright/filewright"
    assert (
        f"<!-- mcp-name: {entry['name']} -->"
        in (PROJECT / "README.md").read_text()
    )
    assert len(entry["description"]) <= 100
    assert (package["registryType"], package["identifier"]) == (
        "pypi",
        project["name"],
    )
    assert (package["runtimeHint"], package["transport"]) == (
        "uvx",
        {"type": "stdio"},
    )
    assert {
        entry["version"],
        package["version"],
        project.get("version", __version__),
    } == {__version__}


def test_bundle_version() -> None:
    manifest = json.loads(
        (PROJECT / "packaging/mcpb/manifest.json").read_text()
    )
    environment = tomllib.loads(
        (PROJECT / "packaging/mcpb/pyproject.toml").read_text()
    )["project"]
    assert manifest["manifest_version"] == "0.4"
    assert manifest["server"]["type"] == "uv"
    assert manifest["user_config"]["root"]["type"] == "directory"
    assert manifest["version"] == environment["version"] == __version__
    assert environment["dependencies"] == [f"filewright=={__version__}"]
    assert (
        PROJECT / "packaging/mcpb" / manifest["server"]["entry_point"]
    ).is_file()


def test_documented_configurations() -> None:
    documented = CONFIGURATIONS.read_text()
    for client in CLIENTS:
        printed = configuration(
            client,
            "--uvx",
            *(("--root", "/home/me/project") * (client in _WHOLE_PATH)),
        )
        assert printed in documented, client


@pytest.mark.parametrize("client", CLIENTS_WITH_HOOKS)
def test_documented_hooks(client: str) -> None:
    if not CLIENTS[client].events:
        pytest.skip("it is a program")
    blocks = re.findall(
        r"```json\n(.*?)```", CONFIGURATIONS.read_text(), re.DOTALL
    )
    printed = configuration(client, "--hooks", "--uvx").replace(
        "uvx filewright ", "filewright "
    )
    assert json.loads(printed) in [json.loads(block) for block in blocks]


_PLACES = {
    "$CODEX_HOME": "~/.codex",
    "$COPILOT_HOME": "~/.copilot",
    "$CLINE_DIR": "~/.cline",
    "$PI_DIR": "~/.pi/agent",
}


def _shown(path: str) -> str:
    """A path of the table as the page has it."""
    for place, usual in _PLACES.items():
        path = path.replace(place, usual)
    return path


def _row(name: str) -> list[str]:
    """What the first table of `docs/clients.md` says of a client: the files that are written without an option."""
    about = tomllib.loads(
        (PROJECT / "src/filewright/cli/setup/clients.toml").read_text()
    )[name]
    places = about[CLIENTS[name].scopes[0]]

    def place(kind: str) -> str:
        path = places.get(kind)
        return f"`{_shown(path)}`" if path else "none"

    events = about.get("events", {})
    tools = {
        hook.get("matcher", "") for hooks in events.values() for hook in hooks
    } - {""}
    words = sorted(tools)[0].split("|") if tools else []
    if "pre_write_code" in events:
        words = ["run_command", "write_code"]
    if place("hooks") != "none" and not events:
        words = ["execute_command", "editor"]  # It calls hooks for all tools.
        if plug_in := about.get("plug_in"):
            script = (
                PROJECT / "src/filewright/cli/setup" / plug_in
            ).read_text()
            words = json.loads(re.findall(r"RECORDED = (\[.*?\])", script)[0])
    shell_tools = (*SHELL_TOOLS, "run_command")
    shells = [word for word in words if word in shell_tools]
    edits = ", ".join(f"`{word}`" for word in words if word not in shell_tools)
    has_shell = bool(shells) or "beforeShellExecution" in events
    assert has_shell == (place("hooks") != "none")
    return [about["title"], place("hooks"), edits or "no", place("rule")]


def _scopes(name: str) -> list[str]:
    """What the second table says of a client: where its server is, by whom it is for."""
    client = CLIENTS[name]
    cells = [client.title]
    for files in (client.local, client.user, client.shared):
        path = files.get("server", "")
        shown = f"`{_shown(path)}`" if path else "-"
        cells.append("its own file" if "$" in shown else shown)
    if name == "claude-code":
        cells[1] += ", by folder"
    return cells


def test_documented_tables() -> None:
    page = (PROJECT / "docs/clients.md").read_text()
    rows = [
        [cell.strip() for cell in line.strip("|").split(" | ")]
        for line in re.findall(r"^\|.*\|$", page, re.M)
    ]
    count = len(CLIENTS)
    assert [_row(name) for name in CLIENTS] == rows[2 : 2 + count]
    assert [_scopes(name) for name in CLIENTS] == rows[
        4 + count : 4 + 2 * count
    ]
    itself = [client.setup_name for client in REAL_CLIENTS.values()]
    others = [CLIENTS[name].title for name in CLIENTS if name not in itself]
    assert f"documentation only: {', '.join(others)}." in page
