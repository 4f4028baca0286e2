"""A change that is refused, at whatever moment and by whatever rule, never stops the next one."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from tests import processes
from tests.method_tools import call_tool, run_tool

from filewright import FilewrightError, Workspace
from filewright.errors import Code


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    (root / ".git").mkdir(parents=True)
    (root / "keys").mkdir()
    (root / "keys" / "old").write_text("k")
    (root / ".agentsignore").write_text("keys/\n")
    return root


LINKS = {
    # links that are there, and the path that is written to
    "to a folder that is not there": ({"d": ".git/hooks"}, "d/x"),
    "to a link to one": ({"d": "e/hooks", "e": ".git"}, "d/x"),
    "to the protected folder": ({"d": ".git"}, "d/x"),
    "to a protected name that is not there": ({"d": ".codex"}, "d/x"),
    "several levels": ({"d": "./.git/../.git/a"}, "d/b/c/x"),
    "to a denied folder": ({"d": "keys/new"}, "d/x"),
    "to what a link leads back to": (
        {"d": "sub/way/hooks", "sub/way": "../.git"},
        "d/x",
    ),
}


@pytest.mark.parametrize("case", LINKS)
def test_a_link_to_where_nothing_is_written_is_refused_before_anything_is_begun(
    root: Path, tmp_path: Path, case: str
) -> None:
    links, path = LINKS[case]
    (root / "sub").mkdir()
    for name, target in links.items():
        (root / name).symlink_to(target)
    before = sorted(root.rglob("*"))
    with Workspace(root, state_dir=tmp_path / "state") as workspace:
        for _ in range(2):
            with pytest.raises(FilewrightError) as refused:
                workspace.write(path, "x\n")
            assert refused.value.code is Code.PERMISSION_DENIED
            assert "taken back" not in (refused.value.hint or "")
        assert sorted(root.rglob("*")) == before
        assert not list((tmp_path / "state").rglob("intent"))
        workspace.write("plain.txt", "x\n")
        workspace.undo()


def test_a_link_that_a_change_moves_into_the_way_is_followed_to_where_it_leads(
    root: Path, tmp_path: Path
) -> None:
    (root / ".git" / "hooks").mkdir()
    (root / "f").symlink_to(".git")
    (root / "d").symlink_to("e/hooks")
    patch = (
        "diff --git a/f b/e\nsimilarity index 100%\nrename from f\nrename to e\n"
        "--- /dev/null\n+++ b/d/x\n@@ -0,0 +1 @@\n+evil\n"
    )
    with Workspace(root, state_dir=tmp_path / "state") as workspace:
        assert workspace.call("apply_patch", {"patch": patch}).is_error
        moved: list[dict[str, Any]] = [
            {"source": "f", "destination": "e"},
            {"source": "d", "destination": "g"},
        ]
        workspace.run("move_items", {"items": moved})
        with pytest.raises(FilewrightError):
            workspace.write("g/x", "evil\n")
        workspace.write("plain.txt", "x\n")
    assert list((root / ".git" / "hooks").iterdir()) == []


MOVED = [("x", "d/tasks.json"), ("d", ".vscode")]
TOGETHER: dict[str, tuple[str, list[tuple[str, str]]]] = {
    # a tool, and what it is given in one call, of which no single step is refused for its name
    "a protected name by two moves": ("move_items", MOVED),
    "a protected name by two copies": ("copy_items", MOVED),
    "in a folder that is all new": (
        "move_items",
        [("x", "new/settings.json"), ("new", ".claude")],
    ),
    "in one of another folder": (
        "move_items",
        [("x", "new/settings.json"), ("new", "sub/.claude")],
    ),
    "by three": (
        "move_items",
        [("x", "new/a"), ("new/a", "n/settings.json"), ("n", ".claude")],
    ),
    "a folder with what is in it": (
        "move_items",
        [("tasks", "new/.vscode"), ("new", "sub/new")],
    ),
    "what is in a folder in a new one": (
        "move_items",
        [("tasks", "new/hooks"), ("new", "sub/.claude")],
    ),
    "a denied name": ("move_items", [("x", "d/keys.txt"), ("d", "secret")]),
    "what may only be read": ("move_items", [("x", "d/keep"), ("d", "ro")]),
    "the same, there already": ("move_items", [("kept", "ro")]),
    "the same, copied": ("copy_items", [("kept", "ro")]),
    "a folder with a protected one": ("copy_items", [("repo", "other")]),
    "a moved link to a protected folder": (
        "move_items",
        [("deep/l", "l"), ("x", "l/pre-commit")],
    ),
    "a copied link to a protected folder": (
        "copy_items",
        [("deep/l", "l"), ("x", "l/pre-commit")],
    ),
    "a moved link to what may only be read": (
        "move_items",
        [("deep/m", "m"), ("x", "m/new")],
    ),
    "a copied link to what may only be read": (
        "copy_items",
        [("deep/m", "m"), ("x", "m/new")],
    ),
    "a copied link, over a file behind it": (
        "copy_items",
        [("deep/m", "m"), ("x", "m/f")],
    ),
    "a moved link to nothing": (
        "move_items",
        [("deep/n", "n"), ("x", "n/new")],
    ),
}


@pytest.mark.parametrize("case", TOGETHER)
def test_what_only_the_steps_together_would_do_is_refused_before_anything_is_begun(
    root: Path, tmp_path: Path, case: str
) -> None:
    tool, pairs = TOGETHER[case]
    for name in (
        ".git/hooks/a",
        "x",
        "tasks/tasks.json",
        "kept/keep",
        "closed/f",
        "repo/.git/config",
    ):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(name)
    for name in ("d", "sub", "deep"):
        (root / name).mkdir()
    (root / ".agentsignore").write_text("keys/\n/secret/keys.txt\n")
    (root / ".agentsreadonly").write_text("/ro/keep\n/closed/\n")
    for name, target in (
        ("l", ".git/hooks"),
        ("m", "closed"),
        ("n", ".git/none"),
    ):
        (root / "deep" / name).symlink_to(target)
    before = sorted(root.rglob("*"))
    items = [
        {"source": source, "destination": destination}
        for source, destination in pairs
    ]
    with Workspace(root, state_dir=tmp_path / "state") as workspace:
        result = call_tool(workspace, tool, {"items": items, "overwrite": True})
        assert result.code == Code.PERMISSION_DENIED, result.text
        assert "taken back" not in result.text
        assert sorted(root.rglob("*")) == before
        assert not list((tmp_path / "state").rglob("intent"))
        workspace.write("plain.txt", "x\n")
        workspace.undo()


def test_a_repository_is_moved_and_copied_out_of_as_before(
    root: Path, tmp_path: Path
) -> None:
    (root / "repo" / ".git").mkdir(parents=True)
    (root / "repo" / ".git" / "config").write_text("c")
    (root / "repo" / ".vscode").mkdir()
    (root / "repo" / ".vscode" / "tasks.json").write_text("t")
    with Workspace(root, state_dir=tmp_path / "state") as workspace:
        for tool, pairs in (
            (
                "copy_items",
                [("repo/.git/config", "c"), ("repo/.vscode/tasks.json", "t")],
            ),
            ("move_items", [("repo", "new/repo"), ("new", "other")]),
        ):
            items = [
                {"source": source, "destination": destination}
                for source, destination in pairs
            ]
            run_tool(workspace, tool, {"items": items})
        assert (root / "other" / "repo" / ".git" / "config").read_text() == "c"
        workspace.undo()
        assert (root / "repo" / ".git" / "config").read_text() == "c"


def test_what_is_denied_after_it_was_changed_is_in_the_way_of_nothing_else(
    root: Path, tmp_path: Path
) -> None:
    """Changes are settled some time after they were made: by then their folder may be closed."""
    with Workspace(root, state_dir=tmp_path / "state") as workspace:
        for number in range(20):
            workspace.write(f"d/{number}.txt", "x\n")
        for rule in (".agentsignore", ".agentsreadonly"):
            (root / rule).write_text("d/\n")
            for number in range(25):
                workspace.write(f"{rule[1:]}-{number}.txt", "x\n")
    with Workspace(root, state_dir=tmp_path / "state") as workspace:
        workspace.write("after.txt", "x\n")
        assert not workspace.recover().unsettled


KILLED = """
import os, sys
from filewright import Workspace
from filewright.changes import commit
at = sys.argv[3]
found = getattr(commit, at)
def killed(*given, **named):
    if at == "publish":
        os._exit(9)
    made = found(*given, **named)
    os._exit(9)
setattr(commit, at, killed)
with Workspace(sys.argv[1], state_dir=sys.argv[2]) as workspace:
    workspace.write("d/new.txt", "x\\n")
"""


@pytest.mark.parametrize("at", ["stage", "publish"])
@pytest.mark.parametrize("rule", [".agentsignore", ".agentsreadonly"])
def test_a_crash_in_a_folder_that_is_closed_before_the_recovery_stops_only_changes_there(
    root: Path, tmp_path: Path, rule: str, at: str
) -> None:
    (root / "d").mkdir()
    state = tmp_path / "state"
    program = [sys.executable, "-c", KILLED, str(root), str(state), at]
    assert processes.run(program).returncode == 9
    before = (root / rule).read_text() if (root / rule).exists() else ""
    (root / rule).write_text("d/\n")
    with Workspace(root, state_dir=state) as workspace:
        workspace.write("a.txt", "x\n")
        workspace.write("b.txt", "x\n")
        with pytest.raises(FilewrightError):
            workspace.write("d/new.txt", "y\n")
        (root / rule).write_text(before)
        workspace.write("d/new.txt", "y\n")
    assert [path.name for path in (root / "d").iterdir()] == ["new.txt"]


def test_configuration_of_a_package_does_not_become_that_of_the_project(
    root: Path, tmp_path: Path
) -> None:
    """What makes agents run something is protected wherever it is: to be moved as it is is another thing."""
    for place in ("pkg/.claude", "pkg/tool/.vscode"):
        (root / place).mkdir(parents=True)
    (root / "pkg/.claude/settings.json").write_text("{}")
    (root / "pkg/tool/.vscode/tasks.json").write_text("{}")
    with Workspace(root, state_dir=tmp_path / "state") as workspace:
        for tool in ("move_items", "copy_items"):
            for source, name in (
                ("pkg/.claude", ".claude"),
                ("pkg/tool/.vscode", ".vscode"),
            ):
                made = call_tool(
                    workspace,
                    tool,
                    {"items": [{"source": source, "destination": name}]},
                )
                assert made.code == "permission_denied", (tool, source)
        moved = {"items": [{"source": "pkg", "destination": "vendor/package"}]}
        assert not workspace.call("move_items", moved).is_error
        workspace.undo()
    assert not (root / ".claude").exists()
