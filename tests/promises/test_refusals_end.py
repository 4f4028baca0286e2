"""A change that is refused, at whatever moment and by whatever rule, never stops the next one."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

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
    "to what a link leads back to": ({"d": "sub/way/hooks", "sub/way": "../.git"}, "d/x"),
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
    assert subprocess.run(program, check=False).returncode == 9
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
