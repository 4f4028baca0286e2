"""The refusal to write through a link names the target."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.method_tools import call_tool

from filewright import Workspace
from filewright.boundary.boundary import Boundary
from filewright.settings import Settings

PATCH = "--- a/{0}\n+++ b/{0}\n@@ -1 +1 @@\n-x\n+y\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    (root / "home" / "zsh").mkdir(parents=True)
    (root / "home" / "zsh" / "rc").write_text("x\n")
    (root / "secret").write_text("x\n")
    (root / ".agentsignore").write_text("/secret\n")
    (tmp_path / "outside").write_text("x\n")
    links = {
        ".zshrc": "home/zsh/rc",
        "chain": ".zshrc",
        "absolute": str(root / "home" / "zsh" / "rc"),
        "hidden": "secret",
        "out": "../outside",
        "dangling": "home/new",
        "loop": "loop",
        "odd": "home/v\u00a013",
    }
    for name, target in links.items():
        (root / name).symlink_to(target)
    return root


def _calls(path: str) -> list[tuple[str, dict[str, Any]]]:
    return [
        (
            "write_content",
            {"items": [{"path": path, "content": "y\n", "mode": "overwrite"}]},
        ),
        (
            "edit_content",
            {"path": path, "edits": [{"search": "x", "replace": "y"}]},
        ),
        (
            "replace_content",
            {
                "path": path,
                "pattern": "x",
                "replacement": "y",
                "preview": False,
            },
        ),
        ("apply_patch", {"patch": PATCH.format(path)}),
        ("set_permissions", {"paths": [path], "mode": "600"}),
    ]


TARGETS = {
    ".zshrc": "home/zsh/rc",
    "chain": "home/zsh/rc",
    "absolute": "home/zsh/rc",
    "dangling": "home/new",
    "odd": '"home/v\\302\\24013"',
}


@pytest.mark.parametrize("link", TARGETS)
def test_names_link_target(root: Path, tmp_path: Path, link: str) -> None:
    with Workspace(root, state_dir=tmp_path / "state") as workspace:
        for tool, arguments in _calls(link):
            result = call_tool(workspace, tool, arguments)
            if result.code == "symlink":
                assert (
                    f"it leads to {TARGETS[link]}: name that" in result.text
                ), tool
            else:
                assert result.code in ("not_found", "path_escape"), (
                    f"{tool}: {result.text}"
                )


@pytest.mark.parametrize("link", ["hidden", "out", "loop"])
def test_hides_denied_and_outer_link_target(
    root: Path, tmp_path: Path, link: str
) -> None:
    with Workspace(root, state_dir=tmp_path / "state") as workspace:
        for tool, arguments in _calls(link):
            result = call_tool(workspace, tool, arguments)
            assert result.is_error
            assert "it leads to" not in result.text
            assert "secret" not in result.text


def test_reports_removal_of_read_only_file(root: Path, tmp_path: Path) -> None:
    for name in ("kept", "other"):
        (root / name).write_text("x\n")
        (root / name).chmod(0o444)
    with Workspace(root, state_dir=tmp_path / "state") as workspace:
        deleted = workspace.call("delete_items", {"paths": ["kept"]})
        moved = workspace.call(
            "move_items",
            {"items": [{"source": "other", "destination": "elsewhere"}]},
        )
        plain = workspace.call("delete_items", {"paths": ["home/zsh/rc"]})
    assert "kept was read-only (mode 0444)" in deleted.text
    assert "read-only" in moved.text
    assert "read-only" not in plain.text


def test_link_replaced_meanwhile(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(path: bytes) -> bytes:
        raise OSError(22, "Invalid argument", path)

    boundary = Boundary([root], Settings())
    location = boundary.locate(".zshrc")
    monkeypatch.setattr("filewright.system.real_path", gone)
    assert boundary.link_refusal(location).code == "symlink"
    assert boundary.find_aliases(location) == ()
    boundary.close()
