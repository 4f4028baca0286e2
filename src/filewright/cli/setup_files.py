"""The files that `filewright setup` reads and changes: all of one run as one change, with what they were before.

A configuration is in the current folder, or below the home folder, or elsewhere. The history of that folder has each
change of `setup`, so that `--remove` finds out what a file was before the first of them.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from filewright.cli import open_workspace
from filewright.cli.options import ANY_PATH
from filewright.errors import Code, FilewrightError, changed_since_read
from filewright.progress import SETUP_CLIENT

if TYPE_CHECKING:
    from filewright.boundary.location import Location
    from filewright.changes.model import FileChange
    from filewright.edit.changeset import Step
    from filewright.workspace import Workspace

WRITING, REMOVING = "setup", "setup --remove"
"""The tools by which history names what was changed."""


@dataclass(frozen=True)
class Earlier:
    """What a file was before `setup` wrote into it.

    `text` None: it was not there, and `folders` were made for it. `untouched`: only `setup` has changed it since.
    """

    text: str | None
    untouched: bool
    folders: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Edit:
    """The text of a configuration before and after; None: there is no such file."""

    path: str
    before: str | None
    after: str | None


def read_configuration(path: str) -> str | None:
    """Return what is in a file; None if it is not there. Raises `unsupported` if it is not UTF-8."""
    if not os.path.lexists(path):
        return None
    with _opened([path]) as workspace:
        return _read(workspace, path)


def find_history_folder(path: str) -> str:
    """Return the folder whose history has the changes of a configuration."""
    for folder in (
        os.path.realpath(os.getcwd()),
        os.path.realpath(os.path.expanduser("~")),
    ):
        if Path(folder) in Path(path).parents and os.path.isdir(folder):
            return folder
    return next(str(folder) for folder in Path(path).parents if folder.is_dir())


def find_earlier_state(path: str, text: str) -> Earlier | None:
    """Return what the file was before `setup` wrote what is in it now; None where the history does not tell."""
    from filewright.changes.blobs import content_after, content_before

    earlier: Earlier | None = None
    later: str | None = text
    with _opened([path]) as workspace:
        location = workspace.context.boundary.locate(path)
        for record in workspace.history(path, client=SETUP_CLIENT, limit=1000):
            entry = workspace.changes.file_change_at(record, location)
            if record.tool != WRITING or entry is None:
                break
            before = (
                _decoded(content_before(entry))
                if entry.before is not None
                else None
            )
            after = (
                _decoded(content_after(entry))
                if entry.after is not None
                else None
            )
            if after is None or (before is None and entry.before is not None):
                break  # Too old: what it held is not stored any more.
            untouched = after == later and (
                earlier is None or earlier.untouched
            )
            earlier = Earlier(
                before,
                untouched,
                frozenset(_folders_made(record.file_changes, path, workspace)),
            )
            later = before
    return earlier


def change(
    edits: Sequence[Edit], tool: str, summary: str, folders: Iterable[str] = ()
) -> None:
    """Make all of the edits as one change, and delete those of the folders that nothing is left in.

    Raises `stale_version` if a file is not what it was any more.
    """
    from filewright.edit.changeset import ChangeSet, Delete

    with _opened([edit.path for edit in edits]) as workspace:
        steps: list[Step] = [_step(workspace, edit) for edit in edits]
        deleted = {edit.path for edit in edits if edit.after is None}
        for folder in sorted(folders, key=len, reverse=True):
            try:
                names = [path.name for path in Path(folder).iterdir()]
            except OSError:
                continue
            if deleted.issuperset(os.path.join(folder, name) for name in names):
                deleted.add(folder)
                steps.append(Delete(workspace.context.boundary.locate(folder)))
        workspace.changes.commit(ChangeSet(tool, summary, tuple(steps)))


def list_parent_folders(path: str) -> Iterator[str]:
    """Yield the folders of a configuration below the one whose history has it."""
    top = Path(find_history_folder(path))
    for folder in Path(path).parents:
        if folder == top:
            return
        yield str(folder)


def _step(workspace: Workspace, edit: Edit) -> Step:
    from filewright.edit.build_diff import find_splices
    from filewright.edit.changeset import Create, Delete, ExpectedState, Modify

    location = workspace.context.boundary.locate(edit.path)
    if edit.before is None:
        assert edit.after is not None
        is_of_project = find_history_folder(edit.path) == os.path.realpath(
            os.getcwd()
        )
        # Clients put keys and tokens into some of their files.
        mode = None if is_of_project else 0o600
        if edit.after.startswith("#!"):
            mode = 0o755 if is_of_project else 0o700
        return Create(location, edit.after.encode(), mode)
    with workspace.context.open(location) as snapshot:
        if snapshot.content != edit.before.encode():
            raise changed_since_read(edit.path)
        if edit.after is None:
            return Delete(
                location, expected=ExpectedState.from_snapshot(snapshot)
            )
        return Modify.from_snapshot(
            location, snapshot, find_splices(snapshot, edit.after.encode())
        )


def _read(workspace: Workspace, path: str) -> str:
    location: Location = workspace.context.boundary.locate(path)
    with workspace.context.open(location) as snapshot:
        text = _decoded(snapshot.content)
    if text is not None:
        return text
    hint = "put what `filewright config` prints into it by hand"
    raise FilewrightError(
        Code.UNSUPPORTED, f"{path} is not UTF-8, or too large", hint=hint
    )


def _decoded(content: bytes | None) -> str | None:
    try:
        return content.decode() if content is not None else None
    except UnicodeDecodeError:
        return None


def _folders_made(
    entries: Iterable[FileChange], path: str, workspace: Workspace
) -> Iterator[str]:
    """Yield the folders above a file that a change has made for it."""
    for entry in entries:
        if (
            entry.before is None
            and entry.after is not None
            and entry.after.kind == "folder"
        ):
            location = workspace.changes.locate(entry.path)
            folder = (
                os.fsdecode(location.absolute) if location is not None else ""
            )
            if Path(folder) in Path(path).parents:
                yield folder


@contextmanager
def _opened(paths: Iterable[str]) -> Iterator[Workspace]:
    """Open the folders whose histories have the changes of these files."""
    folders = tuple(dict.fromkeys(map(find_history_folder, paths)))
    with open_workspace(
        folders, actor=SETUP_CLIENT, allow_write=ANY_PATH
    ) as workspace:
        yield workspace
