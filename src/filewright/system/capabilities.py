"""The abilities of a system beyond those of every Unix."""

from __future__ import annotations


class Capabilities:
    """What this system offers beyond what every Unix has. `docs/platforms.md` names the substitute for each."""

    def __init__(self, **given: bool) -> None:
        vars(self).update(given)

    kernel_resolution: bool = False
    """Paths are resolved below a folder inside the kernel; else part by part."""
    exchange: bool = False
    """Two names are swapped in one step; else renamed one after the other."""
    exclusive_rename: bool = False
    """A rename that never replaces is one step; else a hard link and an unlink."""
    path_handles: bool = False
    """A thing that may not be read can still be held: folders that may only be entered, modes of unreadable files."""
    handle_paths: bool = False
    """A held folder knows its present path; else its path is what was walked to reach it."""
    lease: bool = False
    """The kernel says whether another process writes to a file; else nobody knows."""
    attributes: bool = False
    """Extended attributes and access control lists are carried over."""
    immutable_flags: bool = False
    """What is immutable is known before it is changed; else only when the system refuses."""
    clone: bool = False
    """A file can share its blocks with a copy, where the file system has that."""
    birth_times: bool = False
    """When a thing was made is known."""
    flush_file_system: bool = False
    """A whole file system is flushed in one call; else file by file."""
    confinement: bool = False
    """The kernel confines a process to folders (Landlock)."""
