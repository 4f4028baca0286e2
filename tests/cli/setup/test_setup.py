"""Configurations are written into the clients' files, and nothing else in them changes."""

from __future__ import annotations

import json
import os
import sys
import tempfile
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from tests.samples import one_in

from filewright.cli.program import program
from filewright.cli.setup.clients import CLIENTS, CLIENTS_WITH_HOOKS
from filewright.cli.setup.components import RULE

SHARED = ("--shared", "--yes", "--no-hooks", "--no-rule")


def setup(*arguments: str, answer: str | None = None) -> Result:
    return CliRunner().invoke(program, ["setup", *arguments], input=answer)


def files(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.mark.parametrize("name", CLIENTS)
def test_writes_once(name: str, project: Path) -> None:
    only = ("--yes", "--no-hooks", "--no-rule", "--no-commands")
    result = setup(name, *only)
    assert result.exit_code == 0, result.output
    made = {**files(project), **files(project.parent / "home")}
    [(path, content)] = made.items()
    config = (
        tomllib.loads(content.decode())
        if path.endswith(".toml")
        else json.loads(content)
    )
    if name == "claude-code":
        config = config["projects"][str(project)]
    server = config[CLIENTS[name].key]["filewright"]
    assert "serve" in (server.get("args") or server["command"])
    assert "nothing to do" in setup(name, *only).stdout
    assert {**files(project), **files(project.parent / "home")} == made


def test_is_undone_only_by_name(project: Path) -> None:
    """An undo right after `setup` means the work on files before it."""
    (project / "cart.py").write_text("total = 1\n")
    edit = {
        "path": "cart.py",
        "edits": [{"search": "total = 1", "replace": "total = 2"}],
    }
    run = CliRunner()
    for taking_back in (["undo", "--yes"], ["rewind", "last", "--yes"]):
        (project / "cart.py").write_text("total = 1\n")
        assert (
            run.invoke(
                program, ["call", "edit_content", json.dumps(edit)]
            ).exit_code
            == 0
        )
        assert setup("claude-code", *SHARED).exit_code == 0
        result = run.invoke(program, taking_back)
        assert result.exit_code == 0, result.output
        assert (project / "cart.py").read_text() == "total = 1\n"
        assert "filewright" in (project / ".mcp.json").read_text()
        (project / ".mcp.json").unlink()
    configured = run.invoke(
        program, ["log", "--client", "filewright setup"]
    ).stdout.split()[0]
    assert run.invoke(program, ["log"]).stdout.count("filewright setup") == 2
    assert setup("claude-code", *SHARED).exit_code == 0
    newest = run.invoke(
        program, ["log", "--client", "filewright setup"]
    ).stdout.split()[0]
    assert newest != configured
    assert run.invoke(program, ["undo", newest, "--yes"]).exit_code == 0
    assert not (project / ".mcp.json").exists()


def test_is_no_session(
    project: Path,
) -> None:
    assert setup("claude-code", *SHARED).exit_code == 0
    result = CliRunner().invoke(program, ["rewind", "last", "--yes"])
    assert result.exit_code == 1
    assert "no agent session here has changes left to undo" in result.stderr
    assert "setup" in result.stderr


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("cursor", '{"mcpServers": [1]}'),
        ("cursor", '{"mcpServers": {},,}'),
        ("cursor", '{"a": 1} {"b": 2}'),
        ("cursor", "[" * 100_000),
        ("cursor", b'{"a": "\xff"}'),
        ("codex", 'mcp_servers = {other = {command = "x"}}\n'),
        ("codex", "[mcp_servers\n"),
        ("codex", 'mcp_servers.filewright.command = "x"\n'),
    ],
)
def test_refuses_unknown_forms(
    name: str, content: str | bytes, project: Path
) -> None:
    file = project / ("config.toml" if name == "codex" else "mcp.json")
    file.write_bytes(
        content if isinstance(content, bytes) else content.encode()
    )
    before = files(project)
    result = setup(name, "--file", str(file), "--yes")
    assert result.exit_code != 0
    assert "by hand" in result.stderr
    assert files(project) == before


def test_shows_and_asks(
    project: Path,
) -> None:
    file = project.parent / "home" / ".codex" / "config.toml"
    file.parent.mkdir()
    file.write_bytes(b'model = "x"\n')
    file.chmod(0o600)
    shown = setup("codex", "--dry-run")
    assert "+required = true" in shown.stdout
    only = ("--no-hooks", "--no-rule", "--no-commands")
    assert setup("codex", *only, answer="n\n").exit_code == 1
    assert files(file.parent) == {"config.toml": b'model = "x"\n'}
    result = setup("codex", *only, answer="y\n")
    assert result.exit_code == 0, result.output
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.read_bytes().startswith(
        b'model = "x"\n\n[mcp_servers.filewright]\n'
    )
    assert [*files(file.parent)] == ["config.toml"], (
        "what it was is in the history"
    )


@pytest.mark.parametrize(
    ("client", "link", "what"),
    [
        ("claude-code", ".mcp.json", "server"),
        ("claude-code", "CLAUDE.md", "rule"),
        ("claude-code", ".claude", "hooks"),
        ("claude-code", ".claude/commands", "commands"),
        ("cursor", ".cursor/rules/filewright.mdc", "rule"),
        ("opencode", "opencode.jsonc", "server"),
    ],
)
def test_refuses_links_outside(
    client: str, link: str, what: str, project: Path
) -> None:
    outside = project.parent / "outside"
    (project / link).parent.mkdir(parents=True, exist_ok=True)
    (project / link).symlink_to(outside)
    if link.startswith(".claude"):
        outside.mkdir()
    else:
        outside.write_text('{"mcpServers": {"filewright": {}}}')
    before = everything(project.parent)
    result = setup(client, "--shared", "--yes")
    assert result.exit_code != 0
    assert f"{link}" in result.stderr
    assert "leads out of the current folder" in result.stderr
    assert setup(client, "--remove", "--yes").exit_code == 0
    checked = setup(client, "--check")
    assert ("leads out" in checked.stdout) == (what != "rule")
    assert everything(project.parent) == before
    if what != "server":
        without = (f"--no-{what}", "--no-commands")
        assert setup(client, "--shared", "--yes", *without).exit_code == 0


def test_follows_links_of_user(
    project: Path,
) -> None:
    real = project.parent / "dotfiles" / "mcp.json"
    real.parent.mkdir()
    real.write_bytes(b'\xef\xbb\xbf{"mcpServers": {}}\r\n')
    (Path.home() / ".claude.json").symlink_to(real)
    assert setup("claude-code", "--user", "--yes").exit_code == 0
    assert (Path.home() / ".claude.json").is_symlink()
    assert real.read_bytes().startswith(
        b'\xef\xbb\xbf{"mcpServers": {"filewright": {'
    )
    assert [*files(real.parent)] == ["mcp.json"]


def test_is_undone_by_user_only(
    project: Path,
) -> None:
    (project / ".mcp.json").write_text('{"mcpServers": {}}\n')
    setup("claude-code", *SHARED)
    refused = CliRunner().invoke(
        program, ["call", "revert_edit", '{"change_id": "@"}']
    )
    assert "protected" in refused.stderr
    undone = CliRunner().invoke(program, ["undo", "@", "--yes"])
    assert undone.exit_code == 0, undone.output
    assert (project / ".mcp.json").read_text() == '{"mcpServers": {}}\n'


def test_writes_scopes(project: Path) -> None:
    (project / "opencode.jsonc").write_text("{}")
    only = ("--yes", "--no-hooks", "--no-rule", "--no-commands")
    setup("opencode", "--shared", *only)
    setup("opencode", "--user", *only)
    setup("codex", "--shared", *only)
    made = {
        name for name in files(project.parent) if not name.startswith("state")
    }
    assert made == {
        "project/opencode.jsonc",
        "home/.config/opencode/opencode.json",
        "project/.codex/config.toml",
    }
    assert setup("claude-desktop", "--shared", "--yes").exit_code == 2
    assert setup("continue", "--user", "--yes").exit_code == 2


# Hooks, a rule, and taking all out again


def everything(project: Path) -> dict[str, bytes]:
    return {
        **files(project),
        **{f"~/{n}": c for n, c in files(project.parent / "home").items()},
    }


@pytest.mark.parametrize("scope", ["--shared", "--user"])
@pytest.mark.parametrize("name", one_in(2, CLIENTS))
def test_writes_all_and_removes_all(
    name: str, scope: str, project: Path
) -> None:
    if setup(name, scope, "--dry-run").exit_code == 2:
        pytest.skip("the client has no such file")
    result = setup(name, scope, "--yes")
    assert result.exit_code == 0, result.output
    made = everything(project)
    text = b"\n".join(made.values()).decode()
    assert ("no hooks are written for it" in result.stderr) == (
        name not in CLIENTS_WITH_HOOKS
    )
    assert ("snapshot begin --hook" in text) == (name in CLIENTS_WITH_HOOKS)
    files = CLIENTS[name].user if scope == "--user" else CLIENTS[name].shared
    assert (RULE in text) == ("rule" in files)
    assert "nothing to do" in setup(name, scope, "--yes").stdout
    assert everything(project) == made
    removed = setup(name, scope, "--remove", "--yes")
    assert removed.exit_code == 0, removed.output
    assert everything(project) == {}
    assert (
        "not configured here" in setup(name, scope, "--remove", "--yes").stdout
    )


THEIRS = {
    "hooks of their own, with remarks": (
        ".claude/settings.json",
        '{\n  // mine\n  "hooks": {\n    "PreToolUse": [\n      {"matcher": "Bash", "hooks": [{"type": "command", '
        '"command": "./check.sh"}]} // keep\n    ],\n    "Stop": [],\n  },\n  "model": "x"\n}\n',
    ),
    "settings without hooks": (
        ".claude/settings.json",
        '{\r\n\t"model": "x"\r\n}\r\n',
    ),
    "empty hooks": (".claude/settings.json", '{\n  "hooks": {}\n}\n'),
    "a rule file that ends in the middle of a line": (
        "CLAUDE.md",
        "# Rules\n\nBe kind.",
    ),
    "a rule file of Windows": ("CLAUDE.md", "# Rules\r\n\r\nBe kind.\r\n"),
    "servers of their own": (
        ".mcp.json",
        '{\n  "mcpServers": {\n    "other": {"command": "x"}\n  }\n}\n',
    ),
    "servers in one line": (
        ".mcp.json",
        '{"mcpServers": {"other": {"command": "x"}}, "a": [1, 2]}',
    ),
    "a setting in one line": (".claude/settings.json", '{"model":"x"}\n'),
    "hooks in one line": (
        ".claude/settings.json",
        '{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "./check.sh"}]}]}}',
    ),
    "no servers": (".mcp.json", '{\n  "a": 1\n}\n'),
}


@pytest.mark.parametrize("case", THEIRS)
def test_removal_restores_bytes(case: str, project: Path) -> None:
    path, text = THEIRS[case]
    (project / path).parent.mkdir(exist_ok=True)
    (project / path).write_bytes(text.encode())
    assert setup("claude-code", "--shared", "--yes").exit_code == 0
    after = (project / path).read_bytes().decode()
    rest = iter(after)
    assert all(character in rest for character in text)
    assert after != text
    assert setup("claude-code", "--shared", "--remove", "--yes").exit_code == 0
    left = everything(project)
    assert left == {path: text.encode()}
    if "in one line" in case:
        assert "\n" not in after.strip()


def test_replaces_edited_hook(
    project: Path,
) -> None:
    setup("claude-code", "--shared", "--yes")
    settings = project / ".claude" / "settings.json"
    settings.write_text(
        settings.read_text().replace('"timeout": 10', '"timeout": 99')
    )
    checked = setup("claude-code", "--shared", "--check")
    assert "hooks: in " in checked.stdout
    assert "not as setup writes it, and not run" in checked.stdout
    setup("claude-code", "--shared", "--yes")
    assert '"timeout": 99' not in settings.read_text()
    setup("claude-code", "--shared", "--remove", "--yes")
    assert everything(project) == {}


def test_check_tries_components(project: Path) -> None:
    missing = setup("claude-code", "--shared", "--check")
    assert missing.exit_code == 1
    assert missing.stdout.count("LOOK") == 5
    setup("claude-code", "--shared", "--yes")
    found = setup("claude-code", "--shared", "--check")
    assert found.exit_code == 0, found.output
    assert "answers a call" in found.stdout
    assert "they record what a command changes" in found.stdout
    file = project / ".mcp.json"
    file.write_text(file.read_text().replace('"serve"', '"swerve"'))
    broken = setup("claude-code", "--shared", "--check")
    assert broken.exit_code == 1
    assert "not as setup writes it, and not started" in broken.stdout


@pytest.mark.parametrize(
    "content",
    ['{"hooks": []}', '{"hooks": {"PreToolUse": {}}}', "[1]", "no json"],
)
def test_refuses_other_hook_shapes(content: str, project: Path) -> None:
    (project / ".claude").mkdir()
    (project / ".claude" / "settings.json").write_text(content)
    result = setup("claude-code", "--shared", "--yes")
    assert result.exit_code != 0
    assert "settings.json was not changed" in result.stderr
    assert everything(project) == {".claude/settings.json": content.encode()}


def test_names_read_only_file(
    project: Path,
) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may write to it")
    (project / ".mcp.json").write_text("{}\n")
    (project / ".mcp.json").chmod(0o400)
    assert ".mcp.json" in setup("claude-code", "--shared", "--yes").stderr


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0,
    reason="only root can be two users",
)
@pytest.mark.parametrize(
    ("writable", "hint"),
    [
        (False, "ask the user who owns the file to do this"),
        (True, "ask the user who owns it to make the change"),
    ],
    ids=["False", "True"],
)
def test_names_file_of_other_user(
    project: Path, monkeypatch: pytest.MonkeyPatch, writable: bool, hint: str
) -> None:
    import concurrent.futures.thread  # noqa: F401  somebody else may not read Python's own files

    somebody = 54_321
    with tempfile.TemporaryDirectory() as name:
        folder, home = Path(name, "project"), Path(name, "home")
        for made in (folder, home):
            made.mkdir()
            os.chown(made, somebody, somebody)
        Path(name).chmod(0o755)
        (folder / ".mcp.json").write_text('{"mcpServers": {}}\n')
        (folder / ".mcp.json").chmod(0o666 if writable else 0o644)
        setup("claude-code", *SHARED)  # imports what it needs, as root
        monkeypatch.setenv("FILEWRIGHT_STATE_DIR", str(home / "state"))
        monkeypatch.setenv("HOME", str(home))
        monkeypatch.chdir(folder)
        os.setegid(somebody)
        os.seteuid(somebody)
        try:
            result = setup("claude-code", *SHARED)
        finally:
            os.seteuid(0)
            os.setegid(0)
        there = (folder / ".mcp.json").read_text()
        assert result.exit_code == 1
        assert ".mcp.json" in result.stderr
        assert hint in result.stderr
        assert there == '{"mcpServers": {}}\n'


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0,
    reason="only root can be two users",
)
def test_names_unreadable_file(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        (Path(name) / ".mcp.json").write_text(
            '{"mcpServers": {"filewright": {}}}\n'
        )
        (Path(name) / ".mcp.json").chmod(0o600)
        monkeypatch.setenv("HOME", name)
        monkeypatch.chdir(name)
        os.seteuid(54_321)
        try:
            checked, removed = setup("--check"), setup("--remove", "--yes")
        finally:
            os.seteuid(0)
        for result in (checked, removed):
            assert f"LOOK {name}/.mcp.json may not be read" in result.stdout
        assert checked.exit_code == 1
        assert "filewright" in (Path(name) / ".mcp.json").read_text()


@pytest.mark.parametrize("end", one_in(3, ["", "\n", "\n\n\n"]))
@pytest.mark.parametrize(
    ("name", "path", "text"),
    [
        (
            "codex",
            ".codex/config.toml",
            'model = "x"\n\n[mcp_servers.other]\ncommand = "y"',
        ),
        ("claude-code", "CLAUDE.md", "Be nice.\r\nAlways."),
        (
            "claude-code",
            ".mcp.json",
            '{\n  // mine\n  "mcpServers": {"other": {"command": "x"}}, // keep\n}',
        ),
        (
            "claude-code",
            ".mcp.json",
            '{"a": 1, "mcpServers": {"other": {"args": ["x"]}}}',
        ),
        (
            "claude-code",
            ".mcp.json",
            '{\n\t"mcpServers": {\n\t\t"other": {},\n\t}, "a": {}\n}',
        ),
    ],
)
def test_removal_keeps_file_end(
    name: str, path: str, text: str, end: str, project: Path
) -> None:
    (project / path).parent.mkdir(exist_ok=True)
    (project / path).write_bytes((text + end).encode())
    assert setup(name, "--shared", "--yes").exit_code == 0
    assert b"filewright" in (project / path).read_bytes()
    assert setup(name, "--shared", "--remove", "--yes").exit_code == 0
    assert (project / path).read_bytes() == (text + end).encode()


# Whatever is where a configuration should be


BAD = {
    "no JSON": b"servers: []\n",
    "a list": b"[1]\n",
    "a number": b"7",
    "cut off": b'{"mcpServers": {',
    "not UTF-8": b'{"a": "\xff"}',
    "UTF-16": '{"mcpServers": {}}'.encode("utf-16"),
    "nested deeply": b"[" * 100_000,
    "servers that are none": b'{"mcpServers": [1], "hooks": 3}',
    "servers that are nothing": b'{"mcpServers": null, "hooks": null}',
    "an entry without a command": b'{"mcpServers": {"filewright": {}}}',
    "an entry that is text": b'{"mcpServers": {"filewright": "x"}}',
    "a command that is a number": b'{"mcpServers": {"filewright": {"command": 3, "args": "x"}}}',
    "a command that is not there": b'{"mcpServers": {"filewright": {"command": "/no/such/program", "args": []}}}',
    "hooks of another shape": b'{"hooks": {"PreToolUse": {"a": 1}}}',
    "a hook of ours that does not run": (
        b'{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", '
        b'"command": "/no/filewright snapshot begin --hook"}]}]}}'
    ),
    "remarks only": b"// mine\n",
}


@pytest.mark.parametrize("case", BAD)
@pytest.mark.parametrize("path", [".mcp.json", ".claude/settings.json"])
def test_names_bad_configuration(path: str, case: str, project: Path) -> None:
    (project / ".claude").mkdir()
    (project / path).write_bytes(BAD[case])
    checked = setup("claude-code", "--shared", "--check")
    assert checked.exit_code == 1, checked.output
    assert isinstance(checked.exception, SystemExit), "every part is looked at"
    assert checked.stdout.count("LOOK") == 5
    removed = setup("claude-code", "--shared", "--remove", "--yes")
    if removed.exit_code:
        assert path in removed.stderr
    elif b"filewright" not in BAD[case]:
        assert (project / path).read_bytes() == BAD[case]


@pytest.mark.parametrize("option", ["--check", "--remove", "--yes"])
@pytest.mark.parametrize(
    "kind", ["folder", "dangling link", "loop", "fifo", "unreadable"]
)
def test_names_special_file(kind: str, option: str, project: Path) -> None:
    file = project / ".mcp.json"
    if kind == "folder":
        file.mkdir()
    elif kind == "dangling link":
        file.symlink_to("nowhere/at/all.json")
    elif kind == "loop":
        file.symlink_to(".mcp.json")
    elif kind == "fifo":
        os.mkfifo(file)
    else:
        if os.geteuid() == 0:
            pytest.skip("root may read it")
        file.write_text("{}")
        file.chmod(0)
    result = setup(
        "claude-code",
        "--shared",
        option,
        *(["--yes"] if option == "--remove" else []),
        "--no-hooks",
        "--no-rule",
    )
    if kind == "dangling link":  # It is followed to where the file would be.
        assert result.exit_code == (1 if option == "--check" else 0), (
            result.output
        )
        return
    assert result.exit_code != 0
    assert ".mcp.json" in (
        result.stdout if option == "--check" else result.stderr
    )
    assert isinstance(result.exception, SystemExit)


# Without a client's name


@pytest.mark.extra
def test_all_configured_clients(
    project: Path,
) -> None:
    assert "no client is configured" in setup("--check").stdout
    assert setup("--check").exit_code == 1
    assert setup("--remove", "--yes").exit_code == 0
    (project / "CLAUDE.md").write_text("Speak of filewright.\n")
    theirs = everything(project)
    for words in (["gemini", "--shared"], ["cursor", "--user"], ["vscode"]):
        assert setup(*words, "--yes").exit_code == 0
    found = setup("--check")
    assert found.exit_code == 0, found.output
    titles = [line for line in found.stdout.splitlines() if line.endswith(":")]
    assert titles == ["Cursor:", "VS Code:", "Gemini CLI:"], (
        "each with what is configured, in the order of the table"
    )
    assert (
        f"ok   server: in {project.parent / 'home'}/.cursor/mcp.json; it starts"
        in found.stdout
    )
    kept = setup("--remove", "--shared", "--dry-run")
    assert ".gemini/settings.json" in kept.stdout
    assert ".cursor/mcp.json" not in kept.stdout
    assert setup("--remove", answer="n\n").exit_code == 1
    assert setup("--remove", "--yes").exit_code == 0
    assert everything(project) == theirs
    assert setup("--yes").exit_code == 2
    assert "name a CLIENT: claude-desktop, claude-code" in setup().stderr


def test_finds_user_scope(
    project: Path,
) -> None:
    """Also by name, without saying again where it was written."""
    for name in ("cursor", "codex"):
        setup(name, "--user", "--yes")
        assert setup(name, "--check").exit_code == 0
    setup("codex", "--shared", "--yes")
    for name in ("cursor", "codex"):
        assert setup(name, "--remove", "--yes").exit_code == 0
    assert everything(project) == {}


def test_refuses_concurrent_change(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As any refusal it ends with one: two is for a command that was used wrongly."""
    (project / ".mcp.json").write_text("{}\n")

    def confirm(*_: object, **__: object) -> bool:
        (project / ".mcp.json").write_text('{"a": 1}\n')
        return True

    monkeypatch.setattr("click.confirm", confirm)
    result = setup("claude-code", "--shared")
    assert result.exit_code == 1
    assert result.stderr.startswith("stale_version: ")
    assert files(project) == {".mcp.json": b'{"a": 1}\n'}


def test_names_huge_file(project: Path) -> None:
    with (project / ".mcp.json").open("wb") as file:
        file.truncate(1 << 33)
    for option in ("--check", "--remove"):
        result = setup(option, "--yes")
        assert ".mcp.json is too large" in result.stdout
        assert result.exit_code == (option == "--check")


# The guard, and hooks that are programs of their own


@pytest.mark.parametrize("name", one_in(3, CLIENTS_WITH_HOOKS))
def test_guard_option(name: str, project: Path) -> None:
    result = setup(name, "--yes", "--no-rule")
    text = b"\n".join(everything(project).values())
    assert b"--guard heal" in text
    assert "(the guard; --no-guard leaves it out)" in result.stderr
    setup(name, "--remove", "--yes")
    result = setup(name, "--yes", "--no-rule", "--no-guard")
    text = b"\n".join(everything(project).values())
    assert b"snapshot end --hook" in text
    assert b"--guard" not in text
    assert "--no-guard leaves it out" not in result.stderr


SCRIPTS = ("TaskStart", "PreToolUse", "PostToolUse")


def test_scripts_are_executable(project: Path) -> None:
    setup("cline", "--yes")
    setup("cline", "--shared", "--yes")
    for folder in (project.parent / "home/.cline", project / ".clinerules"):
        for script in SCRIPTS:
            path = folder / "hooks" / script
            assert path.read_text().startswith("#!/bin/sh\n")
            assert os.access(path, os.X_OK)


def test_keeps_script_of_user(project: Path) -> None:
    hooks = project.parent / "home" / ".cline" / "hooks"
    hooks.mkdir(parents=True)
    (hooks / "PreToolUse").write_text("#!/bin/sh\n./check\n")
    before = everything(project)
    result = setup("cline", "--yes")
    assert result.exit_code == 1
    assert "PreToolUse was not changed: the file is not a hook" in result.stderr
    assert everything(project) == before
    (hooks / "PreToolUse").unlink()
    setup("cline", "--yes")
    (hooks / "PreToolUse").write_text("#!/bin/sh\n./check\n")
    result = setup("cline", "--remove", "--yes")
    assert result.exit_code == 0, result.output
    assert everything(project) == before


@pytest.mark.skipif(sys.platform == "win32", reason="a terminal of Unix")
def test_chooses_clients(project: Path) -> None:
    from tests import terminals

    home = project.parent / "home"
    (home / ".gemini").mkdir()
    session = terminals.run(
        "setup",
        "--user",
        "--yes",
        keys=[("Which clients", " \r")],
        env={"HOME": str(home), "PATH": "/nowhere"},
        cwd=project,
    )
    assert session.status == 0, session.text
    assert "Gemini CLI, found here" in session.text
    assert (home / ".gemini" / "settings.json").exists()


def test_needs_a_client_without_terminal(project: Path) -> None:
    result = setup("--yes")
    assert result.exit_code == 2
    assert "name a CLIENT: claude-desktop, claude-code" in result.output
    assert everything(project) == {}


def test_check_as_json(project: Path) -> None:
    setup("gemini", "--shared", "--yes", "--no-hooks", "--no-commands")
    (project / "GEMINI.md").unlink()
    result = setup(
        "gemini", "--shared", "--check", "--json", "--no-hooks", "--no-commands"
    )
    assert result.exit_code == 1
    answer = json.loads(result.stdout)
    assert answer["warnings"] == []
    works = {row["kind"]: row["works"] for row in answer["components"]}
    assert works == {"server": True, "rule": False}
