"""Configurations are what the clients parse, and the shipping files agree with each other."""

from __future__ import annotations

import json
import re
import shlex
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner

from filewright import __version__
from filewright.cli.clients import CLIENTS
from filewright.cli.program import program

PROJECT = Path(__file__).parents[2]


def configuration(*arguments: str) -> str:
    result = CliRunner().invoke(program, ["config", *arguments])
    assert result.exit_code == 0, result.output
    assert result.stderr
    return result.stdout


def command_of(client: str, text: str) -> list[str]:
    """The words the client would start."""
    if client == "claude-code":
        words = shlex.split(text)
        return words[words.index("--") + 1 :]
    if client == "codex":
        server = tomllib.loads(text)["mcp_servers"]["filewright"]
    else:
        server = json.loads(text)["servers" if client == "vscode" else "mcpServers"]["filewright"]
    return [server["command"], *server["args"]]


@pytest.mark.parametrize("client", CLIENTS)
def test_a_configuration_starts_the_server_on_the_roots_named(client: str, tmp_path: Path) -> None:
    strange = tmp_path / 'a "strange" folder é'
    command = command_of(
        client, configuration(client, "--root", str(strange), "--read-only", "--dialect", "d")
    )
    assert command == ["uvx", "filewright", "serve", str(strange), "--read-only", "--dialect", "d"]


@pytest.mark.parametrize(
    ("client", "expected"),
    [
        ("claude-code", "."),
        ("cursor", "."),
        ("codex", "."),
        ("vscode", "${workspaceFolder}"),
        ("claude-desktop", None),
    ],
)
def test_without_a_root_it_is_the_folder_the_client_means(
    client: str, expected: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert command_of(client, configuration(client))[-1] == (expected or str(tmp_path))


def test_vscode_is_told_the_transport() -> None:
    assert json.loads(configuration("vscode"))["servers"]["filewright"]["type"] == "stdio"


def test_the_registry_entry_names_what_is_published() -> None:
    entry = json.loads((PROJECT / "server.json").read_text())
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]
    [package] = entry["packages"]
    assert entry["$schema"].endswith("/2025-12-11/server.schema.json")
    assert entry["name"] == "io.github.filewright/filewright"
    assert f"<!-- mcp-name: {entry['name']} -->" in (PROJECT / "README.md").read_text()
    assert len(entry["description"]) <= 100
    assert (package["registryType"], package["identifier"]) == ("pypi", project["name"])
    assert (package["runtimeHint"], package["transport"]) == ("uvx", {"type": "stdio"})
    assert {entry["version"], package["version"], project.get("version", __version__)} == {__version__}


def test_the_bundle_starts_the_same_version() -> None:
    manifest = json.loads((PROJECT / "packaging/mcpb/manifest.json").read_text())
    environment = tomllib.loads((PROJECT / "packaging/mcpb/pyproject.toml").read_text())["project"]
    assert manifest["manifest_version"] == "0.4"
    assert manifest["server"]["type"] == "uv"
    assert manifest["user_config"]["root"]["type"] == "directory"
    assert manifest["version"] == environment["version"] == __version__
    assert environment["dependencies"] == [f"filewright=={__version__}"]
    assert (PROJECT / "packaging/mcpb" / manifest["server"]["entry_point"]).is_file()


def test_the_documented_configurations_are_the_printed_ones() -> None:
    documented = (PROJECT / "docs/clients.md").read_text()
    blocks = re.findall(r"```json\n(.*?)```", documented, re.DOTALL)
    assert json.loads(configuration("cursor")) in [json.loads(block) for block in blocks]
    assert json.loads(configuration("vscode")) in [json.loads(block) for block in blocks]
    assert configuration("claude-code").strip() in documented
    assert configuration("codex").strip() in documented
