"""After `setup` and `--remove` every byte is what it was, whatever the configuration looked like."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from tests.samples import one_in

from filewright import Workspace
from filewright.cli.program import program

SERVER = ("--shared", "--no-hooks", "--no-rule")
HOOKS = ("--shared", "--no-rule")
RULE = ("--shared", "--no-hooks")


@pytest.fixture
def project(empty_project: Path) -> Path:
    return empty_project


def setup(*arguments: str) -> Result:
    return CliRunner().invoke(program, ["setup", *arguments, "--yes"])


def tree(folder: Path) -> dict[str, tuple[int, object]]:
    """Modes and contents of all that is below a folder."""

    def entries() -> Iterator[tuple[str, tuple[int, object]]]:
        for path in folder.rglob("*"):
            status = path.lstat()
            content: object = "folder"
            if path.is_symlink():
                content = os.readlink(path)
            elif path.is_file():
                content = path.read_bytes()
            yield (
                str(path.relative_to(folder)),
                (stat.S_IMODE(status.st_mode), content),
            )

    return dict(entries())


JSON = {
    "plain": '{"mcpServers":{"other":{"command":"o"}}}',
    "empty servers": '{"mcpServers": {}}\n',
    "empty servers, spaced": '{\n  "mcpServers": {\n  }\n}\n',
    "empty object": "{}\n",
    "empty file": "",
    "blank": "\n\n",
    "remarks": '{\n  // mine\n  "mcpServers": {\n    "other": {"command": "o"}, // beside\n  },\n  "x": [1, 2,],\n}\n',
    "remark only": "// mine\n",
    "remark in object": "{\n  // keep me\n}\n",
    "remark in servers": '{\n  "mcpServers": {\n    // my disabled server: "old"\n  }\n}\n',
    "block remarks": '{ /* a */ "mcpServers" /* b */ : /* c */ { /* d */ } /* e */ }\n',
    "tabs": '{\n\t"mcpServers": {\n\t\t"a": {\n\t\t\t"command": "b"\n\t\t}\n\t}\n}\n',
    "mark": '\ufeff{"a": 1}\n',
    "crlf": '{\r\n  "a": 1,\r\n  "mcpServers": {\r\n    "o": {"command": "x"}\r\n  }\r\n}\r\n',
    "crlf, no end": '{\r\n  "a": 1\r\n}',
    "mixed ends": '{\r\n  "a": 1,\n  "b": 2\r\n}\n',
    "lone cr": '{\r  "a": 1\r}\r',
    "numbers": '{"a": 1.0, "b": 1e2, "c": 12345678901234567890.5, "d": -0.0, "mcpServers": {}}\n',
    "escapes": '{"a": "\\u00e9é\\ud83d\\ude00", "b": "\\/"}\n',
    "slashes in strings": '{"a": "http://x//y /* no */", "mcpServers": {"q": {"url": "https://z//"}}}\n',
    "blank lines behind": '{"a": 1}   \n\n\n',
    "list": "[1]\n",
    "servers are text": '{"mcpServers": "no"}\n',
    "servers are null": '{"mcpServers": null}\n',
    "servers are a list": '{"mcpServers": []}\n',
    "invalid": '{"a": \n',
    "nested": "[" * 5000 + "]" * 5000,
    "not numbers": '{"a": NaN, "b": Infinity}\n',
    "remark behind": '{"a": 1} // tail\n',
    "remark before the end": '{\n  "a": 1\n  // last\n}\n',
    "empty name": '{"": 1}\n',
    "comma in a line": '{\n  "a": 1\n  ,\n}\n',
    "own entry": '{"mcpServers": {"filewright": {"command": "uvx", "args": ["filewright", "serve", "/x"]}}}\n',
    "own entry, laid out": '{\n  "mcpServers": {\n    "filewright": {"command": "filewright", // mine\n      "args": ["serve"]}\n  }\n}\n',
    "entry of another": '{"mcpServers": {"filewright": {"command": "sh", "env": {"A": "1"}, "url": "x"}}}\n',
}
SETTINGS = {
    "empty hooks": '{"hooks": {}}\n',
    "empty event": '{"hooks": {"PreToolUse": []}}\n',
    "another hook": '{\n  "hooks": {\n    "PreToolUse": [\n      // my lint\n      {"matcher": "Bash", "hooks": [{"type": "command", "command": "lint"}]} // beside\n    ]\n  }\n}\n',
    "another in the group": '{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type":"command","command":"lint"},{"type":"command","command":"filewright snapshot begin --hook"}]}]}}\n',
    "hooks null": '{"hooks": null}\n',
    "event is text": '{"hooks": {"PreToolUse": "x"}}\n',
    "remark": '{\n  // perms\n  "permissions": {"deny": []}\n}\n',
}
TOML_TEXT = 'model = "x"  # mine\n\n[mcp_servers.other]\ncommand = "o"\nargs = ["a", "b"]\n'
TOML = {
    "plain": TOML_TEXT,
    "no end": TOML_TEXT[:-1],
    "blank lines behind": TOML_TEXT + "\n\n",
    "crlf": TOML_TEXT.replace("\n", "\r\n"),
    "mark": "\ufeff" + TOML_TEXT,
    "inline": 'mcp_servers = { other = { command = "o" } }\n',
    "dotted": 'mcp_servers.other.command = "o"\n',
    "parent": '[mcp_servers]\nother = { command = "o" }\n',
    "text like a table": 'x = """\n[mcp_servers.filewright]\ncommand = "a"\n"""\n',
    "table in a text": "[a]\nx = '''\n[b]\n'''\n# end\n",
    "array of tables": "[[p]]\na=1\n",
    "invalid": "a = \n",
    "empty": "",
    "remark only": "# mine\n",
    "nested lists": "[a]\nx = [\n  [1, 2],\n  [3],\n]\n",
    "values": "a = 1e400\nb = nan\nc = 0x10\nd = 1979-05-27T07:32:00Z\n",
    "own entry": '[mcp_servers.filewright]\ncommand = "uvx" # mine\nargs = ["filewright", "serve", "/x"]\n\n[tui]\nx = 1\n',
}
RULES = {
    "no end": "# Mine",
    "plain": "# Mine\n",
    "blank line": "# Mine\n\n",
    "empty": "",
    "crlf": "# Mine\r\nx\r\n",
    "mark": "\ufeff# M\n",
    "only blank": "\n",
    "cr": "a\rb\r",
    "spaces": "  ",
    "spaces behind": "# M  \n  \n",
    "not utf-8": "caf\udce9\n",
}
CASES = [
    *(pytest.param("claude-code", SERVER, "project/.mcp.json", text, id=f"json {name}") for name, text in JSON.items()),
    *(pytest.param("claude-code", HOOKS, "project/.claude/settings.json", text, id=f"hooks {name}") for name, text in SETTINGS.items()),
    *(pytest.param("cursor", HOOKS, "project/.cursor/hooks.json", text, id=f"cursor {text}") for text in ('{"version": 1}\n', '{"version": 1, "hooks": {}}\n', '// team hooks\n{"version": 1}\n', '{"hooks": {"stop": []}}\n')),
    *(pytest.param("claude-code", RULE, "project/CLAUDE.md", text, id=f"rule {name}") for name, text in RULES.items()),
    *(pytest.param("codex", SERVER[1:], "home/.codex/config.toml", text, id=f"toml {name}") for name, text in TOML.items()),
]  # fmt: skip


@pytest.mark.parametrize(
    ("client", "options", "path", "text"), one_in(3, CASES)
)
def test_removal_restores_bytes(
    client: str, options: tuple[str, ...], path: str, text: str, project: Path
) -> None:
    file = project.parent / path
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(text.encode("utf-8", "surrogateescape"))
    before = tree(project.parent)
    first = setup(client, *options)
    there = tree(project.parent)
    assert (there != before) == (first.exit_code == 0), first.output
    again = setup(client, *options)
    assert (
        "nothing to do" in again.stdout
        or again.exit_code == first.exit_code != 0
    )
    assert tree(project.parent) == there
    setup(client, *options, "--remove")
    assert tree(project.parent) == before


@pytest.mark.parametrize(
    "links", [{".mcp.json": "conf/m.json"}, {".mcp.json": "gone/m.json"}]
)
@pytest.mark.parametrize("mode", [0o444, 0o600, 0o644])
def test_removal_restores_links_and_modes(
    links: Mapping[str, str], mode: int, project: Path
) -> None:
    (project / "conf").mkdir()
    (project / "conf" / "m.json").write_text('{"a":1}\n')
    (project / "conf" / "m.json").chmod(mode)
    for name, target in links.items():
        (project / name).symlink_to(target)
    before = tree(project)
    setup("claude-code", *SERVER)
    setup("claude-code", *SERVER, "--remove")
    assert tree(project) == before


def appended(text: str) -> Callable[[bytes], bytes]:
    return lambda content: content + text.encode()


def inserted(text: str, behind: str) -> Callable[[bytes], bytes]:
    return lambda content: content.replace(
        behind.encode(), (behind + text).encode(), 1
    )


MEANWHILE = {
    "remark above the next table": ("toml", TOML_TEXT, appended('\n# do not lose me: token rotates monthly\n[profiles.work]\nmodel = "y"\n'), appended('\n# do not lose me: token rotates monthly\n[profiles.work]\nmodel = "y"\n')),
    "table that is a remark": ("toml", TOML_TEXT, appended('\n# [mcp_servers.old]\n# command = "precious"\n'), appended('\n# [mcp_servers.old]\n# command = "precious"\n')),
    "array of tables": ("toml", TOML_TEXT, appended("\n[[x]]\na = 1\n"), appended("\n[[x]]\na = 1\n")),
    "remark behind our values": ("toml", TOML_TEXT, appended("# note to self: keep\n"), appended("# note to self: keep\n")),
    "new member": ("json", "{}\n", inserted('\n  "a": 1,', "{"), lambda _: b'{\n  "a": 1}\n'),
    "empty servers": ("json", '{"mcpServers": {}}\n', appended("\n"), appended("\n")),
    "remark in our servers": ("json", '{\n  "a": 1\n}\n', inserted('\n    // old: "db": {"command": "psql"}', '"mcpServers": {'), lambda _: b'{\n  "a": 1,\n  "mcpServers": {\n    // old: "db": {"command": "psql"}\n  }\n}\n'),
    "own entry": ("json", '{"mcpServers": {"filewright": {"command": "uvx", "args": ["filewright", "serve"]}}}\n', appended("\n"), appended("\n")),
}  # fmt: skip


@pytest.mark.parametrize("case", MEANWHILE)
def test_keeps_later_edits(case: str, project: Path) -> None:
    kind, text, edit, expected = MEANWHILE[case]
    file = (
        project / ".mcp.json"
        if kind == "json"
        else project.parent / "home" / ".codex" / "config.toml"
    )
    client, options = (
        ("claude-code", SERVER) if kind == "json" else ("codex", SERVER[1:])
    )
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(text.encode())
    assert setup(client, *options).exit_code == 0
    file.write_bytes(edit(file.read_bytes()))
    removed = setup(client, *options, "--remove")
    assert removed.exit_code == 0, removed.output
    assert file.read_bytes() == expected(text.encode())


def test_is_one_change(project: Path) -> None:
    """Three files of two folders, and the folder that was made for one of them."""
    before = tree(project.parent)
    made = setup("claude-code")
    assert made.exit_code == 0, made.output
    assert {*tree(project)} == {
        ".claude",
        ".claude/settings.local.json",
        "CLAUDE.local.md",
    }
    assert {*tree(project.parent / "home")} == {
        ".claude",
        ".claude.json",
        ".claude/commands",
        ".claude/commands/filewright-review.md",
        ".claude/commands/filewright-rewind.md",
    }
    with Workspace(project, os.environ["HOME"]) as workspace:
        [record] = workspace.history()
        assert len(record.display_paths) == 7
    assert setup("claude-code", "--remove").exit_code == 0
    assert tree(project.parent) == before


def test_keeps_existing_folder(project: Path) -> None:
    (project / ".claude").mkdir()
    before = tree(project.parent)
    setup("claude-code")
    setup("claude-code", "--remove")
    assert tree(project.parent) == before


def test_removes_without_a_history(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = tree(project.parent)
    setup("claude-code")
    monkeypatch.setenv(
        "FILEWRIGHT_STATE_DIR",
        str(project.parent.parent / f"{project.parent.name}-other"),
    )
    assert setup("claude-code", "--remove").exit_code == 0
    assert tree(project.parent) == before


def test_removes_two_runs(project: Path) -> None:
    (project / ".mcp.json").write_text("{}\n")
    before = tree(project.parent)
    setup("claude-code", *SERVER)
    setup("claude-code", *SERVER, "--read-only")
    setup("claude-code", *SERVER[:1])
    setup("claude-code", *SERVER[:1], "--remove")
    assert tree(project.parent) == before


def test_removes_one_component(project: Path) -> None:
    """Both are in one file."""
    setup("gemini", "--shared")
    setup("gemini", "--shared", "--remove", "--no-hooks")
    text = (project / ".gemini" / "settings.json").read_text()
    assert "snapshot begin --hook" in text
    assert "mcpServers" not in text
    setup("gemini", "--shared", "--remove")
    assert tree(project) == {}
