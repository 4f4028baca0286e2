"""File changes of the record of a command."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from filewright import Workspace
from filewright.boundary.boundary import Boundary
from filewright.changes.model import ChangeRecord
from filewright.progress import Task
from filewright.recording.baseline import Baseline
from filewright.recording.compare import Comparison
from filewright.recording.file_changes import FileChangeBuilder


def test_names_what_is_not_stored(workspace: Workspace, root: Path) -> None:
    (root / "large.bin").write_bytes(b"x" * (1 << 20) + b"y")
    begun = workspace.begin_command()
    (root / "large.bin").write_bytes(b"z")
    (root / "a").write_bytes(b"x")
    [record] = workspace.end_command(begun, "a command")
    assert [
        note
        for note in record.notes
        if "large.bin" in note and "cannot be undone" in note
    ]
    workspace.undo(record.id)
    assert (root / "a").read_bytes() == b"this is a\n"
    assert (root / "large.bin").read_bytes() == b"z"


def record(workspace: Workspace, command: Callable[[], object]) -> ChangeRecord:
    """Return the record of a command."""
    identifier = workspace.begin_command()
    command()
    (record,) = workspace.end_command(identifier, "a command")
    return record


def test_moved_folder_is_one_change(workspace: Workspace, root: Path) -> None:
    changes = record(
        workspace, lambda: (root / "d").rename(root / "e")
    ).file_changes
    (change,) = changes
    assert change.renamed_from is not None
    assert change.renamed_from.display_path == "d"
    assert change.path.display_path == "e"


def test_rights_keep_the_content(workspace: Workspace, root: Path) -> None:
    (change,) = record(
        workspace, lambda: (root / "a").chmod(0o700)
    ).file_changes
    assert change.action == "attributes"
    assert change.before is not None
    assert change.after is not None
    assert change.before.digest == change.after.digest


def test_link_is_deleted_and_created(workspace: Workspace, root: Path) -> None:
    (root / "link").symlink_to("a")

    def change_target() -> None:
        (root / "link").unlink()
        (root / "link").symlink_to("b")

    changes = record(workspace, change_target).file_changes
    assert [
        (change.before is None, change.after is None) for change in changes
    ] == [(False, True), (True, False)]


def test_notes_name_twenty_lost_files(
    boundary: Boundary, baseline: Baseline
) -> None:
    comparison = Comparison(boundary, (), baseline, Task(), is_same_clock=True)
    (only_root,) = boundary.roots
    builder = FileChangeBuilder(only_root, comparison, str, Task())
    assert builder.notes == ()
    builder.lost += [f"{number}.txt" for number in range(1_022)]
    notes = builder.notes
    assert len(notes) == 21
    assert notes[0].startswith("0.txt was changed too, and cannot be undone")
    assert notes[-1] == "1,002 more files cannot be undone either"
