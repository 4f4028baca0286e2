"""Undo through the tools, where it is easy to lose something."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.method_tools import call_tool, run_tool

from filewright import Workspace
from filewright.boundary.boundary import Boundary
from filewright.boundary.location import Location
from filewright.errors import Code, FilewrightError
from filewright.settings import Settings
from filewright.system import Status


@pytest.fixture
def root(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "root"
    folder.mkdir()
    yield folder
    # Deeper than Python's own removal of trees can go.
    subprocess.run(["rm", "-rf", folder], check=True)


@pytest.fixture
def workspace(root: Path, tmp_path: Path) -> Iterator[Workspace]:
    with Workspace(root, state_dir=tmp_path / "state") as opened:
        yield opened


def test_undoing_a_rename_with_edits_is_told_as_done(
    workspace: Workspace, root: Path
) -> None:
    (root / "b").write_text("one\ntwo\nthree\n")
    patch = (
        "*** Begin Patch\n*** Update File: b\n*** Move to: q\n@@\n one\n-two\n+22\n"
        "*** Add File: new\n+hey\n*** End Patch\n"
    )
    made = workspace.run("apply_patch", {"patch": patch})
    undone = workspace.run("revert_edit", {"change_id": made.data["change_id"]})
    assert os.listdir(root) == ["b"]
    assert (root / "b").read_text() == "one\ntwo\nthree\n"
    assert "-22\n+two\n" in undone.data["diff"]
    again = workspace.run(
        "revert_edit", {"change_id": undone.data["change_id"]}
    )
    assert (root / "q").read_text() == "one\n22\nthree\n"
    assert "-two\n+22\n" in again.data["diff"]


@pytest.mark.parametrize("hold_bytes", [0, 100])
@pytest.mark.needs("attributes")
def test_undoing_an_overwrite_of_a_large_file_keeps_its_attributes(
    root: Path, tmp_path: Path, hold_bytes: int
) -> None:
    path = root / "b"
    path.write_text("one\n" * 100)
    os.setxattr(path, "user.kept", b"1")
    with Workspace(
        root,
        settings=Settings(state_dir=tmp_path / "state", hold_bytes=hold_bytes),
    ) as workspace:
        made = workspace.run(
            "write_content",
            {"items": [{"path": "b", "content": "", "mode": "overwrite"}]},
        )
        workspace.run("revert_edit", {"change_id": made.data["change_id"]})
    assert path.read_text() == "one\n" * 100
    assert os.getxattr(path, "user.kept") == b"1"


@pytest.mark.parametrize("whole_undo_bytes", [0, 1 << 20])
@pytest.mark.parametrize("hold_bytes", [0, 1 << 20])
def test_removals_that_touch_can_be_undone_and_done_again(
    root: Path, tmp_path: Path, whole_undo_bytes: int, hold_bytes: int
) -> None:
    path = root / "b"
    path.write_bytes(b"Z\r\rtwo\rthree\r\n\n\n")
    settings = Settings(
        state_dir=tmp_path / "state",
        hold_bytes=hold_bytes,
        whole_undo_bytes=whole_undo_bytes,
    )
    with Workspace(root, settings=settings) as workspace:
        asked = {
            "pattern": "\\n",
            "mode": "regex",
            "replacement": "",
            "multiline": True,
            "preview": False,
        }
        made = workspace.run("replace_content", asked)
        assert path.read_bytes() == b"Ztwothree"
        undone = workspace.run(
            "revert_edit", {"change_id": made.data["change_id"]}
        )
        assert path.read_bytes() == b"Z\r\rtwo\rthree\r\n\n\n"
        workspace.run("revert_edit", {"change_id": undone.data["change_id"]})
        assert path.read_bytes() == b"Ztwothree"


def test_a_file_that_became_a_folder_with_itself_inside_is_undone_and_done_again(
    workspace: Workspace, root: Path
) -> None:
    (root / "a").write_text("one\n")
    (root / "x").mkdir()
    items = [
        {"source": "a", "destination": "x/y/in"},
        {"source": "x/y", "destination": "a"},
    ]
    made = workspace.run("move_items", {"items": items})
    assert (root / "a" / "in").read_text() == "one\n"
    undone = workspace.run("revert_edit", {"change_id": made.data["change_id"]})
    assert (root / "a").read_text() == "one\n"
    workspace.run("revert_edit", {"change_id": undone.data["change_id"]})
    assert (root / "a" / "in").read_text() == "one\n"


def test_a_copy_of_a_tree_with_folders_that_nobody_may_write_to_is_undone(
    workspace: Workspace, root: Path
) -> None:
    (root / "tree" / "shut").mkdir(parents=True)
    (root / "tree" / "shut" / "f").write_text("one\n")
    (root / "tree" / "shut").chmod(0o555)
    made = workspace.run(
        "move_items",
        {"items": [{"source": "tree", "destination": "other"}], "copy": True},
    )
    workspace.run("revert_edit", {"change_id": made.data["change_id"]})
    assert os.listdir(root) == ["tree"]
    assert os.listdir(root / "tree" / "shut") == ["f"]


def test_parents_are_not_made_in_a_folder_that_nobody_may_write_to(
    workspace: Workspace, root: Path
) -> None:
    (root / "shut").mkdir(mode=0o555)
    with pytest.raises(FilewrightError) as refused:
        workspace.run(
            "write_content", {"items": [{"path": "shut/a/b", "content": ""}]}
        )
    assert refused.value.code == Code.PERMISSION_DENIED
    with pytest.raises(FilewrightError) as refused:
        run_tool(workspace, "create_directories", {"paths": ["shut/a/b"]})
    assert refused.value.code == Code.PERMISSION_DENIED
    assert os.listdir(root / "shut") == []


@pytest.fixture
def unprivileged() -> Iterator[Path]:
    """A folder of its own, and no right to pass over permissions while it is used."""
    with tempfile.TemporaryDirectory() as name:
        if os.geteuid() != 0:
            yield Path(name)
            return
        os.chown(name, 65534, 65534)
        os.seteuid(65534)
        try:
            yield Path(name)
        finally:
            os.seteuid(0)


def test_a_tree_with_folders_that_nobody_may_write_to_leaves_nothing_behind(
    unprivileged: Path,
) -> None:
    root = unprivileged / "root"
    shut = root / "tree" / "shut"
    shut.mkdir(parents=True)
    (shut / "f").write_text("one\n")
    shut.chmod(0o555)
    with Workspace(root, state_dir=unprivileged / "state") as workspace:
        made = workspace.run(
            "delete_items", {"paths": ["tree"], "recursive": True}
        )
        assert os.listdir(root) == []
        workspace.run("revert_edit", {"change_id": made.data["change_id"]})
        assert os.listdir(root) == ["tree"]
        assert (shut / "f").read_text() == "one\n"
        assert shut.stat().st_mode & 0o777 == 0o555
        copied = workspace.run(
            "move_items",
            {
                "items": [{"source": "tree", "destination": "other"}],
                "copy": True,
            },
        )
        assert (root / "other" / "shut").stat().st_mode & 0o777 == 0o555
        workspace.run("revert_edit", {"change_id": copied.data["change_id"]})
        assert os.listdir(root) == ["tree"]
    shut.chmod(0o755)


# Without the kernel a path of 2,000 parts is walked 2,000 times.
@pytest.mark.parametrize(
    "levels",
    [
        60,
        pytest.param(
            390, marks=pytest.mark.sweep
        ),  # of the 400 that may be changed
        pytest.param(
            410,
            marks=[pytest.mark.needs("kernel_resolution"), pytest.mark.extra],
        ),
        pytest.param(
            700,
            marks=[pytest.mark.needs("kernel_resolution"), pytest.mark.sweep],
        ),
        pytest.param(
            2000,
            marks=[pytest.mark.needs("kernel_resolution"), pytest.mark.sweep],
        ),
    ],
)
def test_a_deep_tree_is_changed_and_undone_or_refused(
    workspace: Workspace, root: Path, levels: int
) -> None:
    deep = "/".join("d" * levels)
    (root / "d").mkdir()
    folder = os.open(root / "d", os.O_RDONLY)
    for _ in range(levels - 1):
        os.mkdir("d", dir_fd=folder)
        below = os.open("d", os.O_RDONLY, dir_fd=folder)
        os.close(folder)
        folder = below
    os.close(folder)
    calls = [
        (
            "move_items",
            {"items": [{"source": "d", "destination": "e"}], "copy": True},
        ),
        ("delete_items", {"paths": ["d"], "recursive": True}),
        ("create_directories", {"paths": [deep.replace("d", "z")]}),
        ("move_items", {"items": [{"source": "d", "destination": "x/y"}]}),
        (
            "write_content",
            {"items": [{"path": f"{deep}/f", "content": "one\n"}]},
        ),
    ]
    for name, arguments in calls:
        made = call_tool(workspace, name, arguments)
        has_limit = arguments.get("copy") or name not in (
            "move_items",
            "write_content",
        )
        if levels > 400 and has_limit:
            assert made.code in (Code.TOO_LARGE, Code.INVALID_INPUT), name
        else:
            assert not made.is_error, made.text[:200]
            undone = workspace.call(
                "revert_edit", {"change_id": made.data["change_id"]}
            )
            assert not undone.is_error, undone.text[:200]
        assert os.listdir(root) == ["d"]
        assert workspace.call("list_files", {"path": deep}).code is None


def test_a_link_that_leads_out_and_is_gone_a_moment_later_is_refused_not_a_defect(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "root"
    root.mkdir()
    look = Boundary.stat

    def looked(boundary: Boundary, where: Location) -> Status:
        try:
            return look(boundary, where)
        except FilewrightError:
            if (root / "folder").is_symlink():
                (root / "folder").unlink()
                (root / "folder").mkdir()
            raise

    with Workspace(root, state_dir=tmp_path / "state") as workspace:
        workspace.call(
            "write_content",
            {"items": [{"path": "folder/a.txt", "content": "x\n"}]},
        )
        made = workspace.call("delete_items", {"paths": ["folder/a.txt"]}).data[
            "change_id"
        ]
        shutil.rmtree(root / "folder")
        (root / "folder").symlink_to(tmp_path)
        monkeypatch.setattr(Boundary, "stat", looked)
        answer = workspace.call("revert_edit", {"change_id": made})
    assert answer.is_error
    assert answer.code != "internal", answer.text
