"""The program `apply_patch` that `filewright setup --shell` puts on PATH.

Models start it as `apply_patch <<'EOF'`. It passes the patch to `filewright apply_patch`.
"""

from __future__ import annotations

import os
import shlex

from filewright.cli import write
from filewright.cli.setup.clients import resolve_path
from filewright.cli.setup.files import (
    REMOVAL_TOOL,
    SETUP_TOOL,
    FileTextChange,
    commit_edits,
    read_configuration,
)
from filewright.cli.setup.launch import find_own_program
from filewright.cli.terminal import confirm_or_exit
from filewright.errors import Code, FilewrightError

NAME = "apply_patch"
DEFAULT_FOLDER = "~/.local/bin"
_REMARK = "# Written by `filewright setup --shell`."


def add_shim(folder: str | None, *, assume_yes: bool, dry_run: bool) -> None:
    """Write the program into a folder, after asking.

    Raise `already_exists` for another program of that name, and `invalid_input` if no
    folder is named and the default one is not on PATH.
    """
    edit = _plan(_choose_folder(folder), _render_program())
    if not edit.changes_file:
        write(f"{edit.path}: nothing to do, it exists already")
        return
    write(f"{edit.path}: to be written\n{edit.after}")
    if not _commit(edit, SETUP_TOOL, assume_yes=assume_yes, dry_run=dry_run):
        return
    write(f"{edit.path}: written")
    if not _is_on_path(os.path.dirname(edit.path)):
        write(f"put {os.path.dirname(edit.path)} on PATH", to_error=True)


def remove_shim(folder: str | None, *, assume_yes: bool, dry_run: bool) -> None:
    """Remove the program from a folder, after asking.

    Raise `already_exists` for another program of that name.
    """
    edit = _plan(folder or DEFAULT_FOLDER, None)
    if not edit.changes_file:
        write(f"{edit.path}: nothing to do, it does not exist")
        return
    write(f"{edit.path}: to be deleted")
    if _commit(edit, REMOVAL_TOOL, assume_yes=assume_yes, dry_run=dry_run):
        write(f"{edit.path}: deleted")


def remove_shims(*, assume_yes: bool, dry_run: bool) -> None:
    """Remove our programs from the default folder and from those of PATH, after asking."""
    folders = [resolve_path(DEFAULT_FOLDER), *_list_path_folders()]
    for folder in dict.fromkeys(map(os.path.realpath, folders)):
        if _has_own_shim(folder):
            remove_shim(folder, assume_yes=assume_yes, dry_run=dry_run)


def _has_own_shim(folder: str) -> bool:
    """Return True if a folder has the program that setup wrote."""
    path = os.path.join(folder, NAME)
    if os.path.islink(path) or not os.path.isfile(path):
        return False
    try:
        return _REMARK in (read_configuration(path) or "")
    except FilewrightError:
        # A program that cannot be read as text is not ours.
        return False


def _plan(folder: str, program: str | None) -> FileTextChange:
    """Return the edit that puts a program into a folder, or removes ours with None.

    Raise `already_exists` for a program that setup did not write.
    """
    path = os.path.join(resolve_path(folder), NAME)
    before = None
    is_foreign = os.path.islink(path)
    if not is_foreign:
        before = read_configuration(path)
        is_foreign = before is not None and _REMARK not in before
    if is_foreign:
        raise FilewrightError(
            Code.ALREADY_EXISTS,
            f"{path} is another program, which stays as it is",
            "name another folder with --bin",
            path=path,
        )
    return FileTextChange(path, before, program)


def _render_program() -> str:
    """Return the text of the program."""
    command = shlex.join([*find_own_program(), NAME])
    return f'#!/bin/sh\n{_REMARK}\nexec {command} "$@"\n'


def _commit(
    edit: FileTextChange, tool: str, *, assume_yes: bool, dry_run: bool
) -> bool:
    """Ask, and commit an edit; return False for a dry run."""
    if dry_run:
        return False
    if not assume_yes:
        confirm_or_exit(f"Change {edit.path}?")
    commit_edits([edit], tool, f"{tool} {NAME}")
    return True


def _choose_folder(folder: str | None) -> str:
    """Return the named folder, or the default one if it is on PATH."""
    if folder is not None:
        return folder
    if not _is_on_path(resolve_path(DEFAULT_FOLDER)):
        raise FilewrightError(
            Code.INVALID_INPUT,
            f"{DEFAULT_FOLDER} is not on PATH",
            f"name a folder of PATH: filewright setup --shell --bin DIR; or put {DEFAULT_FOLDER} on PATH",
        )
    return DEFAULT_FOLDER


def _is_on_path(folder: str) -> bool:
    """Return True if programs are looked up in a folder."""
    entries = map(os.path.realpath, _list_path_folders())
    return os.path.realpath(folder) in entries


def _list_path_folders() -> list[str]:
    """Return the folders in which programs are looked up."""
    entries = os.environ.get("PATH", os.defpath).split(os.pathsep)
    return [entry for entry in entries if entry]
