"""The abilities of a system beyond those of every Unix."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Capabilities:
    """The abilities of this system beyond those of every Unix.

    `docs/platforms.md` names the substitute for each one that is missing.
    """

    kernel_resolution: bool = False
    """The kernel resolves paths below a folder; else they are walked part by part."""
    exchange: bool = False
    """Two names are swapped in one step; else renamed one after the other."""
    exclusive_rename: bool = False
    """A rename that never replaces is one step; else a hard link and an unlink."""
    path_handles: bool = False
    """A file that may not be read can still be held open.

    This serves folders that may only be entered, and the modes of unreadable files.
    """
    handle_paths: bool = False
    """An open folder knows its present path; else only the path walked to reach it."""
    lease: bool = False
    """The kernel tells whether another process writes to a file; else it is unknown."""
    attributes: bool = False
    """Extended attributes and access control lists are carried over."""
    immutable_flags: bool = False
    """An immutable file is known before it is changed; else the change is refused."""
    clone: bool = False
    """A copy can share its blocks with the original, if the file system can."""
    birth_times: bool = False
    """The time at which a file was created is known."""
    flush_file_system: bool = False
    """A whole file system is flushed in one call; else file by file."""
    confinement: bool = False
    """The kernel confines a process to folders (Landlock)."""
