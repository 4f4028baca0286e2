"""No tool of any dialect writes to a file by which a program on the user's machine runs something."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.promises.test_denied import CALLS, Calls

from filewright import Workspace
from filewright.boundary.programs import PROGRAMS, PROTECTED

READING = {
    "check_syntax", "diff", "directory_tree", "file_stat", "get_file_info", "get_history", "get_overview", "glob", "grep",
    "list_allowed_directories", "list_dir", "list_directory", "list_directory_with_sizes", "list_files", "outline",
    "read_content", "read_enclosing", "read_file", "read_files", "read_image", "read_media_file", "read_multiple_files",
    "read_text_file", "search_content", "search_directory", "search_files", "stat_items", "tree",
}  # fmt: skip
CONTENT = "a\nx\n"

LOADED = [
    ".claude/agents/a.md", ".claude/skills/s/SKILL.md", ".claude/skills/s/run.sh", ".claude/settings.local.json",
    ".codex/hooks.json", ".codex/rules/x.rules", ".gemini/commands/c.toml", ".gemini/extensions/e/gemini-extension.json",
    ".gemini/.env", ".qwen/extensions/e/qwen-extension.json", ".qwen/commands/c.md", ".opencode/tool/x.ts",
    ".opencode/tools/x.ts", ".opencode/command/x.md", ".opencode/commands/x.md", ".opencode/plugin/x.js",
    ".opencode/plugins/x.js", ".opencode/agent/x.md", ".opencode/opencode.jsonc", "opencode.json", "kilo.jsonc",
    ".kilo/plugin/x.ts", ".kilocode/mcp.json", ".github/hooks/h.json", ".github/mcp.json", ".github/copilot/settings.json",
    ".vscode/tasks.json", "x.code-workspace", ".clinerules/hooks/PreToolUse", ".pi/extensions/e.ts", ".pi/settings.json",
    ".pi/mcp.json", ".cline/hooks/PreToolUse", ".cline/plugins/p.ts",
    ".continue/mcpServers/x.yaml", ".continue/config.yaml", ".cursor/mcp.json", ".cursor/hooks.json", ".cursor/hooks/h.sh",
    ".cursor/cli.json", ".cursor/environment.json", ".windsurf/hooks.json", ".zed/tasks.json", ".zed/settings.json",
    ".zed/debug.json", ".roo/mcp.json", ".roo/tools/t.ts", ".kiro/settings/mcp.json", ".kiro/hooks/h.kiro.hook",
    ".amp/settings.json", ".amp/plugins/p.ts", ".agents/skills/s/mcp.json", "crush.json", ".crush.json",
    ".devcontainer/devcontainer.json", ".devcontainer/python/devcontainer.json", ".devcontainer.json",
    ".idea/runConfigurations/x.xml", ".idea/workspace.xml", "x.run.xml", ".junie/mcp/mcp.json", "mise.toml", ".mise.toml",
    ".mise.local.toml", ".config/mise/config.toml", ".envrc", ".husky/pre-commit", ".git/hooks/pre-commit", ".mcp.json",
    ".nvim.lua", ".exrc", ".dir-locals.el",
]  # fmt: skip


def _example(rule: str) -> str:
    """Return a path that the rule protects."""
    path = rule.removeprefix("**/").replace("**", "a").replace("*", "x")
    return f"{path}x" if path.endswith("/") else path


EXAMPLES = list(dict.fromkeys([*map(_example, PROTECTED), *LOADED]))


def _calls(surface: str, step: int, start: int) -> Calls:
    """Return the calls that write to the examples.

    For the native tools all examples with one call in a quarter of `step`, from
    `start` on, for each dialect over them one example in `step` with all its calls.
    """
    number = list(CALLS).index(surface)
    calls: Calls = []
    for at, path in enumerate(EXAMPLES):
        # What is protected may be copied to another name.
        writing = [
            (tool, arguments)
            for tool, arguments in CALLS[surface](path)
            if tool not in READING and "free/copied" not in str(arguments)
        ]
        if number == 0:
            share = max(1, step // 4)
            calls += writing[(at + start) % share :: share]
        elif at % step == number % step:
            calls += writing
    return calls


@pytest.mark.parametrize("exists", [True, False], ids=["there", "not there"])
@pytest.mark.parametrize(
    "step", [16, pytest.param(1, marks=pytest.mark.sweep)], ids=["some", "all"]
)
@pytest.mark.parametrize("surface", CALLS)
def test_no_tool_writes(
    tmp_path: Path, surface: str, step: int, exists: bool
) -> None:
    root = tmp_path / "root"
    (root / "free").mkdir(parents=True)
    (root / "free" / "a.txt").write_text("free\n")
    # Folders first: `.git` is both an example and the folder of another one.
    for path in sorted(EXAMPLES, key=len, reverse=True) if exists else ():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        if not (root / path).is_dir():
            (root / path).write_text(CONTENT)
    before = _content(root)
    with Workspace(root, state_dir=tmp_path / "state") as workspace:
        offer = workspace.offer(None if surface == "native" else surface)
        answers = [
            f"{tool} {arguments}: {offer.call(tool, arguments).text}"
            for tool, arguments in _calls(surface, step, int(exists))
        ]
    after = _content(root)
    changed = {name for name, _ in before.items() ^ after.items()}
    assert not changed, [
        answer for answer in answers if any(name in answer for name in changed)
    ]


def _content(root: Path) -> dict[str, object]:
    return {
        path.relative_to(root).as_posix(): path.is_dir() or path.read_bytes()
        for path in root.rglob("*")
    }


@pytest.mark.parametrize(
    "program", sorted({program.name for program in PROGRAMS})
)
def test_every_program_is_documented(program: str) -> None:
    page = Path(__file__).parents[2] / "docs" / "control.md"
    assert f"- {program}: " in page.read_text(encoding="utf-8")
