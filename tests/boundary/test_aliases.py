from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from filewright import Workspace
from filewright.system import Folder


def _append_to(workspace: Workspace, count: int) -> None:
    items = [
        {"path": f"deep/f{number}", "content": "two\n", "mode": "append"}
        for number in range(count)
    ]
    assert not workspace.call("write_content", {"items": items}).is_error


def test_searches_once_per_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "root"
    (root / "deep").mkdir(parents=True)
    for number in range(20):
        (root / "deep" / f"f{number}").write_text("one\n")
    looks = []
    contains_any = Folder.contains_any

    def counted(folder: Folder, paths: Iterable[bytes]) -> bool:
        names = list(paths)
        if b".vscode" in names:
            looks.append(folder)
        return contains_any(folder, names)

    monkeypatch.setattr(Folder, "contains_any", counted)
    counts = []
    with Workspace(root, state_dir=tmp_path / "state") as workspace:
        for files in (1, 20, 20):
            looks.clear()
            _append_to(workspace, files)
            counts.append(len(looks))
    # However many files, and however old the folder is; at most two folders, for the plan and for the commit.
    assert counts[0] == counts[1] == counts[2] <= 4


def test_sees_link_made_just_before(tmp_path: Path) -> None:
    root = tmp_path / "root"
    (root / "conf").mkdir(parents=True)
    file = {
        "path": "conf/settings.json",
        "content": "{}\n",
        "mode": "overwrite",
    }
    with Workspace(root, state_dir=tmp_path / "state") as workspace:
        for _ in range(20):
            assert not workspace.call(
                "write_content", {"items": [file]}
            ).is_error
            (root / ".claude").symlink_to("conf")
            assert (
                workspace.call("write_content", {"items": [file]}).code
                == "permission_denied"
            )
            (root / ".claude").unlink()
