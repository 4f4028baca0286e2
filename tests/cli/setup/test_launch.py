"""The command by which a client starts filewright."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from filewright.cli.isolation import python_command
from filewright.cli.setup.launch import ServerOptions, find_own_program

UVX = ["uvx", "filewright"]


@pytest.mark.parametrize(
    ("options", "program"),
    [
        pytest.param(ServerOptions(shared=True), ["filewright"], id="shared"),
        pytest.param(ServerOptions(uvx=True), UVX, id="uvx"),
        pytest.param(ServerOptions(uvx=True, shared=True), UVX, id="both"),
    ],
)
def test_names_program(options: ServerOptions, program: list[str]) -> None:
    assert options.program == program


def test_finds_own_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = tmp_path / "filewright"
    script.write_text("")
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "cache" / "env"))
    monkeypatch.setattr(sys, "argv", [str(script)])
    assert ServerOptions().program == [str(script)]
    (tmp_path / "CACHEDIR.TAG").write_text("")
    assert find_own_program() == UVX, "a cache of uvx may be deleted"


@pytest.mark.parametrize("name", ["filewright", "./pytest"])
def test_trusts_no_bare_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    # A program of the current folder may be another one.
    (tmp_path / Path(name).name).write_text("")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", [name])
    found = find_own_program()
    assert str(tmp_path) not in found[0]
    assert found == [*python_command()] or Path(found[0]).stem == "filewright"


@pytest.mark.parametrize("shared", [False, True])
def test_names_state_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, shared: bool
) -> None:
    monkeypatch.setenv("FILEWRIGHT_STATE_DIR", str(tmp_path))
    state = [] if shared else ["--state-dir", str(tmp_path)]
    assert ServerOptions(shared=shared).state == state


def test_default_state_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("FILEWRIGHT_STATE_DIR", "XDG_STATE_HOME"):
        monkeypatch.delenv(name, raising=False)
    assert ServerOptions().state == []
