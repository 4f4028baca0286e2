"""The patch of recorded changes, for `git apply`."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from filewright.boundary.walk_model import WalkOptions
from filewright.changes.blobs import content_after, content_before
from filewright.changes.history import History
from filewright.changes.model import (
    ChangeRecord,
    FileChange,
    FileState,
    RecordedPath,
    keeps_content,
)
from filewright.edit.git_patch import GitFile, format_file_patch
from filewright.errors import FilewrightError
from filewright.progress import Task
from filewright.settings import MB
from filewright.wording import pluralize, to_one_line

MAX_PATCH_BYTES = 32 * MB
MAX_PATCH_FILES = 5_000
_MAX_NAMED_FILES = 20
_LINK_MODE = 0o120000


@dataclass(frozen=True, slots=True)
class ExportedPatch:
    """A patch, and what it leaves out.

    `missing` are the files whose content is not stored, or for which there was no room,
    and moved folders whose files are not known.
    """

    content: bytes
    missing: Sequence[str] = ()


def build_patch(
    history: History, record: ChangeRecord, title: str, task: Task
) -> ExportedPatch:
    """Return the patch of a change, or of several as one, with a title above it.

    Paths are relative to their root.
    """
    missing: list[str] = []
    parts: list[bytes] = []
    size = 0
    named = {change.path for change in record.file_changes}
    for index, change in enumerate(record.file_changes):
        task.check()
        if index >= MAX_PATCH_FILES or size > MAX_PATCH_BYTES:
            missing.append(change.path.display_path)
            continue
        if _kind_of(change) == "folder":
            part = _patch_folder(history, record, change, named, task)
        else:
            part = _patch_file(change)
        if part is None:
            missing.append(change.path.display_path)
            continue
        parts.append(part)
        size += len(part)
    head = _format_head(title, missing)
    return ExportedPatch(head + b"".join(parts), missing)


def _kind_of(change: FileChange) -> str:
    state = change.after or change.before
    return "other" if state is None else state.kind


def _patch_file(change: FileChange) -> bytes | None:
    """Return the patch of a file or link, or None if its content is not stored."""
    try:
        before = _read_file(
            change, change.renamed_from or change.path, is_before=True
        )
        after = _read_file(change, change.path, is_before=False)
    except FilewrightError:
        return None
    is_known = (before is not None) == (change.before is not None)
    if is_known and (after is not None) == (change.after is not None):
        return format_file_patch(before, after)
    if not keeps_content(change):
        return None
    # Of a move or a new mode, git needs no content.
    before = _without_content(change.before, change.renamed_from or change.path)
    after = _without_content(change.after, change.path)
    return format_file_patch(before, after)


def _read_file(
    change: FileChange, path: RecordedPath, *, is_before: bool
) -> GitFile | None:
    """Return the file before or after a change, or None if it is not known."""
    state = change.before if is_before else change.after
    if state is None:
        return None
    name = b"/".join(path.parts)
    if state.kind == "link" and state.link_target is not None:
        return GitFile(name, _LINK_MODE, state.link_target)
    if state.kind != "file":
        return None
    content = content_before(change) if is_before else content_after(change)
    if content is None:
        return None
    return GitFile(name, state.mode, content)


def _without_content(
    state: FileState | None, path: RecordedPath
) -> GitFile | None:
    if state is None:
        return None
    mode = _LINK_MODE if state.kind == "link" else state.mode
    return GitFile(b"/".join(path.parts), mode, b"")


def _patch_folder(
    history: History,
    record: ChangeRecord,
    change: FileChange,
    named: Collection[RecordedPath],
    task: Task,
) -> bytes | None:
    """Return the renames of the files in a folder that was moved; None if not known.

    The history knows the folder alone. Its files are those that are in it now, as long
    as no later change touched it. Those `named` have a part of their own.
    """
    if change.renamed_from is None or change.after is None:
        return b""
    location = history.locate(change.path)
    newest = next(iter(history.numbers_touching(change.path)), 0)
    if location is None or newest != record.number:
        return None
    parts: list[bytes] = []
    options = WalkOptions(include_ignored=True, details=True)
    try:
        entries = [
            *islice(
                history.boundary.walk(location, options, task=task),
                MAX_PATCH_FILES + 1,
            )
        ]
    except FilewrightError:
        return None
    if len(entries) > MAX_PATCH_FILES:
        return None
    for entry in entries:
        if entry.kind == "folder" or entry.status is None:
            continue
        below = entry.location.parts[len(location.parts) :]
        path = RecordedPath(change.path.root, (*change.path.parts, *below))
        former_parts = (*change.renamed_from.parts, *below)
        former = RecordedPath(change.renamed_from.root, former_parts)
        if path in named:
            continue
        state = FileState.from_status(entry.status)
        file = _without_content(state, former)
        assert file is not None
        new_file = replace(file, name=b"/".join(path.parts))
        parts.append(format_file_patch(file, new_file))
    return b"".join(parts)


def _format_head(title: str, missing: Sequence[str]) -> bytes:
    """Return the lines above the patch, which git passes over."""
    lines = [f"# {to_one_line(title)}"]
    for name in missing[:_MAX_NAMED_FILES]:
        lines.append(f"# not in this patch: {to_one_line(name)}")
    rest = len(missing) - _MAX_NAMED_FILES
    if rest > 0:
        lines.append(f"# not in this patch: {pluralize(rest, 'more file')}")
    return ("\n".join(lines) + "\n").encode("utf-8", "replace")
