"""The open commands of one root, each a small file: `shell/ID.open`."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from filewright import system
from filewright.changes.state_dir import temporary_file
from filewright.recording.model import Command
from filewright.system import Folder, is_process_running, process_namespace

OPEN_SUFFIX = b".open"
EXPIRY_NS = 2 * 86_400 * 10**9


def open_command_name(identifier: str) -> bytes:
    """Return the name of the file of an open command."""
    return identifier.encode() + OPEN_SUFFIX


def has_open(shell: bytes) -> bool:
    """Return True if the folder at a path has files of open commands."""
    try:
        with system.open_folder(shell) as folder:
            return any(name.endswith(OPEN_SUFFIX) for name in folder.names())
    except OSError:
        return False


def read_open(folder: Folder) -> list[Command]:
    """Return the open commands in the order in which they began."""
    commands = []
    for name in folder.names():
        command = _read(folder, name) if name.endswith(OPEN_SUFFIX) else None
        if command is not None:
            commands.append(command)
    commands.sort(key=lambda command: (command.begun_ns, command.key))
    return commands


def close_stale(folder: Folder, *, except_identifier: str) -> None:
    """Close the commands whose client has ended, or that began two days ago.

    The command that ends now is not closed.
    """
    oldest = time.time_ns() - EXPIRY_NS
    for name in folder.names():
        if not name.endswith(OPEN_SUFFIX) or name == open_command_name(
            except_identifier
        ):
            continue
        # Another process may close the same command at this moment.
        with suppress(FileNotFoundError):
            command = _read(folder, name)
            # While a damaged file is here, each change of a tool looks for open
            # commands in vain.
            if (
                command is None
                or command.begun_ns < oldest
                or _has_client_ended(command)
            ):
                folder.remove(name)


def add(folder: Folder, command: Command) -> None:
    """Write the file of an open command, in place of an earlier one."""
    data = json.dumps(command._asdict()).encode()
    # A rename: other processes read either the old or the new command.
    with temporary_file(folder, data) as temporary_name:
        folder.rename(
            temporary_name,
            folder,
            open_command_name(command.identifier),
            "replace",
        )


def remove(folder: Folder, identifier: str) -> Command | None:
    """Close a command and return it, or None if it is not open."""
    command = _read(folder, open_command_name(identifier))
    with suppress(FileNotFoundError):
        folder.remove(open_command_name(identifier))
    return command


def _has_client_ended(command: Command) -> bool:
    # In another container the same number is another process.
    if command.process is None or command.space != process_namespace():
        return False
    return not is_process_running(command.process)


def _read(folder: Folder, name: bytes) -> Command | None:
    try:
        with folder.open(name) as file:
            fields: Any = json.loads(file.read(0, file.status().size))
        if not isinstance(fields, Mapping):
            return None
        # JSON turns tuples into lists, which cannot be hashed.
        return Command(
            **{
                **fields,
                "paths": tuple(fields["paths"]),
                "numbers": tuple(fields["numbers"]),
            }
        )
    except (OSError, ValueError, LookupError, TypeError):
        # Another version of filewright may have written other fields.
        return None
