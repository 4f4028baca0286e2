"""The open commands of one root, each a small file in the root's state: `shell/ID.open`."""

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

_OPEN = b".open"
_EXPIRES_NS = 2 * 86_400 * 10**9


def open_command_name(identifier: str) -> bytes:
    """Return the name of the file of an open command."""
    return identifier.encode() + _OPEN


def has_open(shell: bytes) -> bool:
    """Return True if there are files of open commands in the folder at an absolute path."""
    try:
        with system.open_folder(shell) as folder:
            return any(name.endswith(_OPEN) for name in folder.names())
    except OSError:
        return False


def read_open(folder: Folder) -> list[Command]:
    """Return the commands that are open, in the order in which they began."""
    commands = []
    for name in folder.names():
        command = _read(folder, name) if name.endswith(_OPEN) else None
        if command is not None:
            commands.append(command)
    commands.sort(key=lambda command: (command.begun_ns, command.key))
    return commands


def close_stale(folder: Folder, *, but: str) -> None:
    """Close the commands that never ended: their client's process is gone, or they began two days ago.

    A command that ends just now is not among them.
    """
    oldest = time.time_ns() - _EXPIRES_NS
    for name in folder.names():
        if not name.endswith(_OPEN) or name == open_command_name(but):
            continue
        with suppress(FileNotFoundError):
            command = _read(folder, name)
            if command is None or command.begun_ns < oldest or _has_gone(command):
                folder.remove(name)


def add(folder: Folder, command: Command) -> None:
    """Open a command, or note what is known of it by now."""
    data = json.dumps(command._asdict()).encode()
    with temporary_file(folder, data) as fresh:
        folder.rename(fresh, folder, open_command_name(command.identifier), "replace")


def remove(folder: Folder, identifier: str) -> Command | None:
    """Close a command; return it, or None if there is no such one."""
    command = _read(folder, open_command_name(identifier))
    with suppress(FileNotFoundError):
        folder.remove(open_command_name(identifier))
    return command


def _has_gone(command: Command) -> bool:
    if command.process is None or command.space != process_namespace():
        return False
    return not is_process_running(command.process)


def _read(folder: Folder, name: bytes) -> Command | None:
    try:
        with folder.open(name) as file:
            value: Any = json.loads(file.read(0, file.status().size))
        if not isinstance(value, Mapping):
            return None
        return Command(
            **{
                **value,
                "paths": tuple(value["paths"]),
                "numbers": tuple(value["numbers"]),
            }
        )
    except (OSError, ValueError, LookupError, TypeError):
        return None
