"""The files that `filewright setup` reads and changes, and their history.

One run of `setup` is one change. A configuration is in the current folder, below the
home folder, or elsewhere, and the history of that folder has the change. By it
`--remove` finds the state of a file before the first run.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from filewright.cli import open_workspace
from filewright.cli.options import ANY_PATH
from filewright.errors import Code, FilewrightError, changed_since_read
from filewright.progress import SETUP_CLIENT

if TYPE_CHECKING:
    from filewright.changes.model import FileChange
    from filewright.edit.changeset import Step
    from filewright.workspace import Workspace

SETUP_TOOL, REMOVAL_TOOL = "setup", "setup --remove"
"""The names under which the history has additions and removals."""
_MAX_CHANGES = 1000
"""Runs of `setup` that are followed back to the first."""


@dataclass(frozen=True, slots=True)
class StateBeforeSetup:
    """The state of a file before `setup` wrote into it.

    `text` is None if the file did not exist; `folders` were created for it then.
    """

    text: str | None
    is_untouched: bool
    """True if only `setup` has changed the file since."""
    folders: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class FileTextChange:
    """The text of a file before and after a change; None if there is no file."""

    path: str
    before: str | None
    after: str | None

    @property
    def changes_file(self) -> bool:
        """True if the texts differ."""
        return self.before != self.after


def read_configuration(path: str) -> str | None:
    """Return the text of a file, or None if it does not exist.

    Raise `unsupported` if the file is not UTF-8 or is too large.
    """
    if not os.path.lexists(path):
        return None
    workspace = _open_histories([path])
    location = workspace.context.boundary.locate(path)
    with workspace.context.open(location) as snapshot:
        text = _decode(snapshot.content)
    if text is None:
        raise FilewrightError(
            Code.UNSUPPORTED,
            f"{path} is not UTF-8, or too large",
            hint="edit it by hand: `filewright config` prints the entry to add",
        )
    return text


def find_history_folder(path: str) -> str:
    """Return the folder whose history records changes of a configuration.

    It is the current folder, the home folder, or the nearest folder above the file.
    """
    parents = Path(path).parents
    current = os.path.realpath(os.getcwd())
    home = os.path.realpath(os.path.expanduser("~"))
    for folder in (current, home):
        if Path(folder) in parents and os.path.isdir(folder):
            return folder
    return next(str(folder) for folder in parents if folder.is_dir())


def find_earlier_state(path: str, text: str) -> StateBeforeSetup | None:
    """Return the state of a file before `setup` wrote its current text.

    Follow the changes by `setup` back from the newest. Return None if the history has
    none, or no longer stores the text.
    """
    earlier: StateBeforeSetup | None = None
    text_after_change: str | None = text
    workspace = _open_histories([path])
    location = workspace.context.boundary.locate(path)
    for record in workspace.history(
        path, client=SETUP_CLIENT, limit=_MAX_CHANGES
    ):
        file_change = workspace.changes.file_change_at(record, location)
        if record.tool != SETUP_TOOL or file_change is None:
            break
        before, after = _read_stored_texts(file_change)
        # Behind a content that is not stored any more nothing can be restored.
        is_lost = before is None and file_change.before is not None
        if after is None or is_lost:
            break
        is_untouched = after == text_after_change
        if earlier is not None and not earlier.is_untouched:
            is_untouched = False
        folders = _list_created_folders(record.file_changes, path, workspace)
        earlier = StateBeforeSetup(before, is_untouched, frozenset(folders))
        text_after_change = before
    return earlier


def _read_stored_texts(
    file_change: FileChange,
) -> tuple[str | None, str | None]:
    """Return the texts before and after a change; None for a text that is not stored."""
    from filewright.changes.blobs import content_after, content_before

    before = after = None
    if file_change.before is not None:
        before = _decode(content_before(file_change))
    if file_change.after is not None:
        after = _decode(content_after(file_change))
    return before, after


def commit_edits(
    edits: Sequence[FileTextChange],
    tool: str,
    summary: str,
    folders: Iterable[str] = (),
) -> None:
    """Commit the edits as one change, and delete those `folders` that become empty.

    Raise `stale_version` if a file has changed since it was read.
    """
    from filewright.edit.changeset import ChangeSet, Delete

    workspace = _open_histories([edit.path for edit in edits])
    steps: list[Step] = [_build_step(workspace, edit) for edit in edits]
    deleted = {edit.path for edit in edits if edit.after is None}
    # The deepest folder first: its parent may become empty by that.
    for folder in sorted(folders, key=len, reverse=True):
        try:
            names = [path.name for path in Path(folder).iterdir()]
        except OSError:
            continue
        if deleted.issuperset(os.path.join(folder, name) for name in names):
            deleted.add(folder)
            location = workspace.context.boundary.locate(folder)
            steps.append(Delete(location))
    workspace.changes.commit(ChangeSet(tool, summary, tuple(steps)))


def list_parent_folders(path: str) -> Iterator[str]:
    """Yield the folders above a configuration, below the folder of its history."""
    top = Path(find_history_folder(path))
    for folder in Path(path).parents:
        if folder == top:
            return
        yield str(folder)


def _build_step(workspace: Workspace, edit: FileTextChange) -> Step:
    """Return the step of a change set that makes an edit."""
    from filewright.edit.build_diff import find_splices
    from filewright.edit.changeset import Create, Delete, ExpectedState, Modify

    location = workspace.context.boundary.locate(edit.path)
    if edit.before is None:
        assert edit.after is not None
        mode = _choose_mode(edit.path, edit.after)
        return Create(location, edit.after.encode(), mode)
    with workspace.context.open(location) as snapshot:
        if snapshot.content != edit.before.encode():
            raise changed_since_read(edit.path)
        if edit.after is None:
            expected = ExpectedState.from_snapshot(snapshot)
            return Delete(location, expected=expected)
        splices = find_splices(snapshot, edit.after.encode())
        return Modify.from_snapshot(location, snapshot, splices)


def _choose_mode(path: str, text: str) -> int | None:
    """Return the mode of a new file; None for the default."""
    is_script = text.startswith("#!")
    if find_history_folder(path) == os.path.realpath(os.getcwd()):
        return 0o755 if is_script else None
    # Clients put keys and tokens into some of their files.
    return 0o700 if is_script else 0o600


def _decode(content: bytes | None) -> str | None:
    if content is None:
        return None
    try:
        return content.decode()
    except UnicodeDecodeError:
        return None


def _list_created_folders(
    file_changes: Iterable[FileChange], path: str, workspace: Workspace
) -> Iterator[str]:
    """Yield the folders above a file that a change created."""
    parents = Path(path).parents
    for file_change in file_changes:
        after = file_change.after
        if file_change.before is not None or after is None:
            continue
        location = workspace.changes.locate(file_change.path)
        if after.kind == "folder" and location is not None:
            folder = os.fsdecode(location.absolute)
            if Path(folder) in parents:
                yield folder


def _open_histories(paths: Iterable[str]) -> Workspace:
    """Return a workspace over the folders whose histories record changes of the files.

    The workspace stays open to the end of the command: one run reads a dozen files of
    the same two folders, and every opening would look for interrupted changes.
    """
    folders = tuple(dict.fromkeys(map(find_history_folder, paths)))
    command = click.get_current_context().find_root()
    workspaces: dict[tuple[str, ...], Workspace] = command.meta.setdefault(
        __name__, {}
    )
    if folders not in workspaces:
        workspaces[folders] = command.with_resource(
            open_workspace(folders, actor=SETUP_CLIENT, allow_write=ANY_PATH)
        )
    return workspaces[folders]
