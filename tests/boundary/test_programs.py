"""Files by which programs are made to run something are protected."""

from __future__ import annotations

from pathlib import Path

import pytest

from filewright.boundary.boundary import Boundary
from filewright.errors import Code, FilewrightError
from filewright.settings import Settings

MADE_TO_RUN = [
    ".mcp.json", ".claude/settings.json", ".claude/settings.local.json", ".claude/hooks/pre.sh",
    ".claude/commands/x.md", ".cursor/mcp.json", ".vscode/tasks.json", ".vscode/settings.json",
    ".vscode/launch.json", ".vscode/mcp.json", ".codex/config.toml", ".gemini/settings.json", ".envrc",
    ".github/hooks/filewright.json",
    "sub/.github/copilot/settings.local.json",
    ".clinerules/hooks/PreToolUse",
    ".husky/pre-commit",
]  # fmt: skip


EDITED_EVERY_DAY = [
    "CLAUDE.md", "AGENTS.md", ".claude/rules/x.md", ".github/workflows/ci.yml", ".cursor/rules/x.mdc",
    ".vscode/extensions.json", ".gemini/GEMINI.md", "settings.json", "tasks.json", "vscode/tasks.json",
    "codex/x", "mcp.json", ".env.example", ".gitlab-ci.yml",
]  # fmt: skip


@pytest.mark.parametrize("prefix", ["", "packages/site/"])
@pytest.mark.parametrize("requested", MADE_TO_RUN)
def test_protects_files_that_run_programs(
    root: Path, prefix: str, requested: str
) -> None:
    for spelling in (requested, requested.upper()):
        boundary = Boundary([root], Settings())
        with pytest.raises(FilewrightError) as caught:
            boundary.require_writable(boundary.locate(prefix + spelling))
        assert caught.value.code is Code.PERMISSION_DENIED
        assert "--allow-write" in (caught.value.hint or "")
        boundary.close()
    boundary = Boundary([root], Settings(allow_write=(prefix + requested,)))
    boundary.require_writable(boundary.locate(prefix + requested))
    boundary.close()


@pytest.mark.parametrize("requested", EDITED_EVERY_DAY)
def test_instructions_are_not_protected(root: Path, requested: str) -> None:
    boundary = Boundary([root], Settings())
    boundary.require_writable(boundary.locate(requested))
    boundary.close()
