"""The lines that `setup` prints: its edits, what else is there, and notes for the user."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from filewright.cli.setup.clients import Client
from filewright.cli.setup.components import Component
from filewright.cli.setup.files import (
    REMOVAL_TOOL,
    FileTextChange,
    find_history_folder,
)
from filewright.cli.setup.plan import ForeignContent

GUARD_NOTE = (
    "bytes that its own edit tools damage are put back after each edit (the guard; "
    "--no-guard leaves it out)"
)
NO_HOOKS_NOTE = "no hooks are written for it: what its shell and its own tools change is not recorded"


@dataclass(frozen=True, slots=True)
class SetupChange:
    """The edits of one run, and the folders to delete if they become empty."""

    tool: str
    components: Sequence[Component]
    edits: Sequence[FileTextChange]
    folders: frozenset[str] = frozenset()


def join_distinct(names: Iterable[str]) -> str:
    """Return names as a list without repetitions."""
    return ", ".join(dict.fromkeys(names))


def render_nothing_configured() -> str:
    """Return the line for a folder without any component, with the next step."""
    return "no client is configured here: filewright setup CLIENT"


def render_nothing_to_do(change: SetupChange) -> str:
    """Return the line for a change that leaves every file as it is."""
    titles = join_distinct(
        component.client.title for component in change.components
    )
    paths = ", ".join(edit.path for edit in change.edits)
    if change.tool == REMOVAL_TOOL:
        return f"{titles}: not configured here ({paths})"
    return f"{titles}: nothing to do, it is configured already ({paths})"


def render_foreign_content(content: ForeignContent) -> str:
    """Return a line for the foreign server, or for each foreign hook."""
    path = content.component.path
    if content.members:
        return (
            f"{path}: setup did not write the server filewright that is there ({_escape(content.members)}): the "
            "whole entry is replaced, and --remove restores it"
        )
    lines = [
        f"{path}: setup did not write this hook and leaves it in place: {line!a}"
        for line in content.hook_lines
    ]
    return "\n".join(lines)


def render_foreign_server_elsewhere(content: ForeignContent) -> str:
    """Return the line for a foreign server in a file that is not written now."""
    component = content.component
    client = component.client
    command = f"filewright setup {client.name}"
    if component.scope != client.scopes[0]:
        command += f" --{component.scope}"
    return (
        f"{component.path}: setup did not write the server filewright that is there ({_escape(content.members)}), and "
        f"the client may start it: take it out, or replace it with `{command}`"
    )


def _escape(names: Iterable[str]) -> str:
    """Return names as a list, in ASCII: they come from a project and go to a terminal."""
    return ", ".join(ascii(name)[1:-1] for name in names)


def list_notes(
    client: Client, components: Sequence[Component], *, is_shared: bool
) -> list[str]:
    """Return what the user has to know or do after `setup`."""
    notes = [client.note]
    has_guard = any(
        "--guard heal" in str(component.content) for component in components
    )
    if not client.has_hooks:
        notes.append(NO_HOOKS_NOTE)
    elif has_guard:
        notes.append(GUARD_NOTE)
    if is_shared:
        notes.append("each user of the project needs `filewright` in PATH")
        return notes
    paths = [
        os.path.relpath(component.path)
        for component in components
        if _is_in_current_folder(component.path)
    ]
    if paths:
        reason = (
            "contain a path of this machine (--shared writes files for a team)"
        )
        if components[0].scope == "local":
            reason = "are for you alone"
        notes.append(
            f"do not commit these files, which {reason}: {', '.join(paths)}"
        )
    return notes


def _is_in_current_folder(path: str) -> bool:
    folder = os.path.realpath(os.getcwd())
    return os.path.realpath(path).startswith(folder + os.sep)


def render_diff(edit: FileTextChange) -> str:
    """Return the edit as a unified diff."""
    from filewright.edit.build_diff import build_file_diff, find_splices
    from filewright.edit.diff import FileDiff
    from filewright.text.snapshot import Snapshot

    name = _shorten_path(edit.path)
    snapshot = Snapshot((edit.before or "").encode())
    splices = find_splices(snapshot, (edit.after or "").encode())
    header = FileDiff(
        None if edit.before is None else name,
        None if edit.after is None else name,
    )
    return build_file_diff(header, snapshot, splices).text


def _shorten_path(path: str) -> str:
    """Return a path relative to the current or the home folder."""
    folder = find_history_folder(path)
    name = os.path.relpath(path, folder)
    home = os.path.realpath(os.path.expanduser("~"))
    if folder == home and not _is_in_current_folder(path):
        return f"~/{name}"
    return name
