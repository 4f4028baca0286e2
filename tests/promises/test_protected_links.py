"""No link leads a write of an agent to a protected path."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from tests.method_tools import call_tool

from filewright import Workspace
from filewright.boundary.programs import PROTECTED
from filewright.settings import Settings

HOOKS = '{"hooks": {"SessionStart": []}}'
RENAME = "diff --git a/{0} b/{1}\nsimilarity index 100%\nrename from {0}\nrename to {1}\n"
COPY = "diff --git a/{0} b/{1}\nsimilarity index 100%\ncopy from {0}\ncopy to {1}\n"


def _write(path: str) -> tuple[str, dict[str, Any]]:
    return "write_content", {
        "items": [{"path": path, "content": HOOKS, "mode": "overwrite"}]
    }


def _move(
    source: str, destination: str, **options: Any
) -> tuple[str, dict[str, Any]]:
    return "move_items", {
        "items": [{"source": source, "destination": destination}],
        **options,
    }


def _project(root: Path) -> None:
    """A project with links to folders, at harmless names."""
    (root / "v2" / "below").mkdir(parents=True)
    (root / "v2" / "settings.json").write_text("{}")
    (root / "v2" / "tasks.json").write_text("{}")
    (root / "link").symlink_to("v2")
    (root / "dangling").symlink_to("later")
    (root / "holder").mkdir()
    (root / "holder" / "copilot").symlink_to("../v2")
    (root / "nested").mkdir()


def _state(root: Path) -> dict[str, object]:
    """Every name with what it holds or leads to."""
    return {
        str(path.relative_to(root)): os.readlink(path)
        if path.is_symlink()
        else path.is_dir() or path.read_bytes()
        for path in sorted(root.rglob("*"))
    }


WAYS: dict[str, tuple[str | None, str, dict[str, Any]]] = {
    "moved": (None, *_move("link", ".claude")),
    "copied": (None, *_move("link", ".claude", copy=True)),
    "other case": (None, *_move("link", ".Claude")),
    "trailing dot": (None, *_move("link", ".vscode.")),
    "fullwidth": (None, *_move("link", "\uff0evscode")),
    "nested": (None, *_move("link", "nested/.vscode")),
    "in a new folder": (None, *_move("link", "new/deep/.cursor")),
    "behind a link": (None, *_move("dangling", "link/.gemini")),
    "two levels": (None, *_move("link", ".github/copilot")),
    "target is made later": (None, *_move("dangling", ".claude")),
    "folder that holds one": (None, *_move("holder", ".github")),
    "copied folder that holds one": (
        None,
        *_move("holder", ".github", copy=True),
    ),
    "edit with move_to": (
        None,
        "edit_content",
        {"edits": [{"path": "link", "move_to": ".claude"}]},
    ),
    "patch": (None, "apply_patch", {"patch": RENAME.format("link", ".claude")}),
    "patch that copies": (
        None,
        "apply_patch",
        {"patch": COPY.format("link", ".claude")},
    ),
    "official": (
        "official",
        "move_file",
        {"source": "link", "destination": ".claude"},
    ),
    "filesystem": (
        "filesystem",
        "move_items",
        {"operations": [{"source": "link", "destination": ".claude"}]},
    ),
    "agent-tools": (
        "agent-tools",
        "move",
        {"source": "link", "destination": ".claude"},
    ),
}


@pytest.mark.parametrize("way", WAYS)
def test_link_gets_no_protected_name(tmp_path: Path, way: str) -> None:
    root = tmp_path / "root"
    _project(root)
    before = _state(root)
    dialect, tool, arguments = WAYS[way]
    with Workspace(root, state_dir=tmp_path / "state") as workspace:
        result = workspace.offer(dialect).call(tool, arguments)
    # One dialect answers each item by itself.
    assert result.is_error or "permission_denied" in result.text
    assert _state(root) == before


def _folders_on_the_way() -> list[str]:
    """Every folder name on the way to something protected by default."""
    ways = set()
    for rule in PROTECTED:
        parts = rule.removeprefix("**/").rstrip("/").split("/")
        ways.update("/".join(parts[:depth]) for depth in range(1, len(parts)))
    return sorted(ways)


@pytest.mark.parametrize("name", _folders_on_the_way())
def test_every_folder_on_the_way(tmp_path: Path, name: str) -> None:
    root = tmp_path / "root"
    _project(root)
    before = _state(root)
    with Workspace(root, state_dir=tmp_path / "state") as workspace:
        for place in (name, f"nested/{name.upper()}"):
            result = workspace.call(*_move("link", place))
            assert result.code == "permission_denied", result.text
    assert _state(root) == before


SEVERAL_STEPS = {
    "through a harmless name": [
        _move("link", "other"),
        _move("other", ".claude"),
    ],
    "the usual instructions": [
        ("write_content", {"items": [{"path": "AGENTS.md", "content": "x"}]}),
        _move("CLAUDE.md", ".claude", copy=True),
        ("delete_items", {"paths": ["AGENTS.md"]}),
        _write("AGENTS.md/settings.json"),
    ],
    "the folder above is renamed": [
        _move("holder/copilot", "holder/hooks"),
        _move("holder", ".claude"),
    ],
    "two moves in one call": [
        (
            "move_items",
            {
                "items": [
                    {"source": "link", "destination": "aside"},
                    {"source": "aside", "destination": ".vscode"},
                ],
                "atomic": True,
            },
        )
    ],
}


@pytest.mark.parametrize("name", SEVERAL_STEPS)
def test_no_sequence_of_calls_reaches_protected_files(
    tmp_path: Path, name: str
) -> None:
    root = tmp_path / "root"
    _project(root)
    (root / "CLAUDE.md").symlink_to("AGENTS.md")
    with Workspace(root, state_dir=tmp_path / "state") as workspace:
        for tool, arguments in SEVERAL_STEPS[name]:
            call_tool(workspace, tool, arguments)
    for folder in (".claude", ".vscode", ".github"):
        assert not (root / folder).is_symlink()
    assert not (root / ".claude" / "hooks").exists()
    assert not (root / ".claude" / "settings.json").exists()


def _linked_by_a_person(root: Path) -> None:
    """A project whose protected names are links that the user made."""
    (root / "conf" / "editor").mkdir(parents=True)
    (root / "conf" / "editor" / "tasks.json").write_text("{}")
    (root / "conf" / "mcp.json").write_text("{}")
    (root / "free").write_text("free")
    (root / "made" / "claude").mkdir(parents=True)
    (root / "made" / "claude" / "settings.json").write_text(HOOKS)
    (root / ".vscode").symlink_to("conf/editor")
    (root / ".claude").symlink_to("later/claude")
    (root / ".mcp.json").symlink_to("conf/mcp.json")
    (root / ".codex").symlink_to(root / "codex-home")


BEHIND = {
    "through the link": _write(".vscode/tasks.json"),
    "through a dangling link": _write(".claude/settings.json"),
    "the target's own name": _write("conf/editor/tasks.json"),
    "the target in another case": _write("conf/editor/Settings.json"),
    "a target that is not there yet": _write("later/claude/settings.json"),
    "an absolute target": _write("codex-home/config.toml"),
    "a file that a link leads to": _write("conf/mcp.json"),
    "edited": (
        "edit_content",
        {
            "path": "conf/mcp.json",
            "edits": [{"search": "{}", "replace": "{1}"}],
        },
    ),
    "moved there": _move("free", "later/claude/settings.json"),
    "a folder moved there": _move("made", "later"),
    "a folder copied there": _move("made/claude", "later/claude", copy=True),
    "deleted": ("delete_items", {"paths": ["conf/mcp.json"]}),
    "the link replaced": _move("free", ".vscode", overwrite=True),
    "the link deleted": ("delete_items", {"paths": [".vscode"]}),
    "the link moved away": _move(".vscode", "vscode"),
}


@pytest.mark.parametrize("name", BEHIND)
def test_what_a_link_of_the_user_makes_protected(
    tmp_path: Path, name: str
) -> None:
    root = tmp_path / "root"
    _linked_by_a_person(root)
    before = _state(root)
    tool, arguments = BEHIND[name]
    with Workspace(root, state_dir=tmp_path / "state") as workspace:
        result = call_tool(workspace, tool, arguments)
    assert result.code == "permission_denied", result.text
    assert _state(root) == before


def test_folder_of_a_git_file(tmp_path: Path) -> None:
    root = tmp_path / "root"
    (root / "store" / "hooks").mkdir(parents=True)
    (root / ".git").write_text("gitdir: ./store\n")
    with Workspace(root, state_dir=tmp_path / "state") as workspace:
        assert (
            workspace.call(*_write("store/hooks/pre-commit")).code
            == "permission_denied"
        )
        assert not workspace.call(*_write("stores/hooks/pre-commit")).is_error


def test_other_files_behind_such_a_link_are_free(tmp_path: Path) -> None:
    root = tmp_path / "root"
    _linked_by_a_person(root)
    with Workspace(root, state_dir=tmp_path / "state") as workspace:
        for path in (
            "conf/editor/notes.md",
            "conf/other.json",
            "later/claude/CLAUDE.md",
            ".claude/x.md",
        ):
            result = workspace.call(*_write(path))
            assert not result.is_error, result.text


def test_links_of_instructions_stay_free(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / "AGENTS.md").write_text("rules\n")
    (root / "CLAUDE.md").symlink_to("AGENTS.md")
    with Workspace(root, state_dir=tmp_path / "state") as workspace:
        for tool, arguments in (
            _write("AGENTS.md"),
            _move("CLAUDE.md", "GEMINI.md"),
            _move("GEMINI.md", "docs/.github.md", copy=True),
            ("delete_items", {"paths": ["GEMINI.md"]}),
        ):
            result = call_tool(workspace, tool, arguments)
            assert not result.is_error, result.text


def test_allowed_by_the_user(tmp_path: Path) -> None:
    root = tmp_path / "root"
    _project(root)
    with Workspace(
        root,
        state_dir=tmp_path / "state",
        settings=Settings(allow_write=(".claude",)),
    ) as workspace:
        result = workspace.call(*_move("link", ".claude"))
    assert not result.is_error, result.text
    with Workspace(
        root,
        state_dir=tmp_path / "state",
        settings=Settings(allow_write=(".vscode/tasks.json",)),
    ) as workspace:
        result = workspace.call(*_move(".claude", ".vscode"))
    assert result.is_error, result.text


def test_undo_brings_back_no_such_link(tmp_path: Path) -> None:
    root = tmp_path / "root"
    _project(root)
    state = tmp_path / "state"
    with Workspace(
        root, state_dir=state, settings=Settings(allow_write=("**",))
    ) as workspace:
        assert not workspace.call(*_move("link", ".claude")).is_error
        assert not workspace.call(*_move(".claude", "link")).is_error
        newest = workspace.history(limit=1)[0].id
    with Workspace(root, state_dir=state) as workspace:
        result = workspace.call("revert_edit", {"change_id": newest})
    assert result.code == "permission_denied", result.text
    assert not (root / ".claude").is_symlink()


def test_folder_with_such_a_link_is_not_deleted(tmp_path: Path) -> None:
    root = tmp_path / "root"
    _project(root)
    (root / "nested" / ".claude").symlink_to("../v2")
    before = _state(root)
    with Workspace(root, state_dir=tmp_path / "state") as workspace:
        result = workspace.call(
            "delete_items", {"paths": ["nested"], "recursive": True}
        )
        assert result.code == "permission_denied", result.text
    assert _state(root) == before


def test_rules_of_the_user_hold_too(tmp_path: Path) -> None:
    root = tmp_path / "root"
    _project(root)
    with Workspace(
        root,
        state_dir=tmp_path / "state",
        settings=Settings(protected=("docs/made/*.html",)),
    ) as workspace:
        for place in ("docs", "docs/made"):
            assert (
                workspace.call(*_move("link", place)).code
                == "permission_denied"
            )
        result = workspace.call(*_move("link", "nested/docs"))
        assert not result.is_error, result.text


def test_hard_link_of_a_protected_file(tmp_path: Path) -> None:
    root = tmp_path / "root"
    _project(root)
    (root / ".vscode").mkdir()
    (root / ".vscode" / "tasks.json").write_text("{}")
    os.link(root / ".vscode" / "tasks.json", root / "other.json")
    with Workspace(root, state_dir=tmp_path / "state") as workspace:
        for tool, arguments in (
            _write("other.json"),
            (
                "write_content",
                {
                    "items": [
                        {
                            "path": "other.json",
                            "content": HOOKS,
                            "mode": "append",
                        }
                    ]
                },
            ),
            (
                "edit_content",
                {
                    "path": "other.json",
                    "edits": [{"search": "{}", "replace": HOOKS}],
                },
            ),
            ("set_permissions", {"paths": ["other.json"], "mode": "777"}),
        ):
            for breaks in (False, True):
                call_tool(
                    workspace, tool, {**arguments, "break_hard_links": breaks}
                )
        workspace.call(
            *_move("other.json", ".vscode/tasks.json", overwrite=True)
        )
    assert (root / ".vscode" / "tasks.json").read_text() == "{}"
    assert (root / ".vscode" / "tasks.json").stat().st_mode & 0o777 != 0o777


def test_links_from_another_root(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    (first / "conf").mkdir(parents=True)
    second.mkdir()
    (second / ".vscode").symlink_to(first / "conf")
    with Workspace(first, second, state_dir=tmp_path / "state") as workspace:
        assert (
            workspace.call(*_write("conf/tasks.json")).code
            == "permission_denied"
        )
        assert not workspace.call(*_write("conf/notes.json")).is_error


def test_link_in_a_folder_of_protected_files(tmp_path: Path) -> None:
    root = tmp_path / "root"
    (root / ".claude").mkdir(parents=True)
    (root / "conf").mkdir()
    (root / ".claude" / "settings.local.json").symlink_to("../conf/local.json")
    (root / ".claude" / "hooks").symlink_to("../conf/scripts")
    with Workspace(root, state_dir=tmp_path / "state") as workspace:
        for path in ("conf/local.json", "conf/scripts/pre.sh"):
            assert workspace.call(*_write(path)).code == "permission_denied"
        assert not workspace.call(*_write("conf/other.json")).is_error


def test_link_made_while_the_workspace_is_open(tmp_path: Path) -> None:
    root = tmp_path / "root"
    _project(root)
    with Workspace(root, state_dir=tmp_path / "state") as workspace:
        assert not workspace.call(*_write("v2/settings.json")).is_error
        (root / ".claude").symlink_to("v2")
        assert (
            workspace.call(*_write("v2/settings.json")).code
            == "permission_denied"
        )
        (root / ".claude").unlink()
        assert not workspace.call(*_write("v2/settings.json")).is_error


def test_nested_project_with_a_link(tmp_path: Path) -> None:
    root = tmp_path / "root"
    _project(root)
    (root / "nested" / "conf").mkdir()
    (root / "nested" / ".claude").symlink_to("conf")
    before = _state(root)
    with Workspace(root, state_dir=tmp_path / "state") as workspace:
        for call in (
            _write("nested/conf/settings.json"),
            _write("nested/.claude/settings.json"),
            _move("nested", "elsewhere"),
            _move("nested", "elsewhere", copy=True),
            _move("nested/.claude", "nested/other"),
        ):
            assert call_tool(workspace, *call).code == "permission_denied"
    assert _state(root) == before


def test_undo_and_redo_write_nothing_behind_a_link(tmp_path: Path) -> None:
    root = tmp_path / "root"
    _project(root)
    with Workspace(root, state_dir=tmp_path / "state") as workspace:
        first = workspace.call(*_write("v2/settings.json"))
        assert not first.is_error
        change = workspace.newest()
        (root / ".claude").symlink_to("v2")
        for _ in range(2):
            result = workspace.call(
                "revert_edit", {"change_id": change, "force": True}
            )
            assert result.code == "permission_denied", result.text
    assert (root / "v2" / "settings.json").read_text() == HOOKS
