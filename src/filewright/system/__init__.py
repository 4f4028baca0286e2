"""Access to the operating system: open files and folders, locks, flushing, processes.

This is the only package that knows the platform: no other imports `fcntl`, `ctypes`,
`resource` or `msvcrt`, or calls the functions of `os` that take file names. It does not
know roots, encodings or changes, and raises plain `OSError`.

In: a path that the user named (`open_folder`), then names below it. Out: a `Folder`
(listing, opening, making, renaming, locking), a `File` (reading and writing at an
offset), and their `Status`. `capabilities` says what this system has beyond every Unix;
`FILEWRIGHT_SYSTEM=posix` does without all of it.

The names below are those of the platform at hand, the same on every platform.

- `base`: the methods of open files and folders that all systems share
- `status`: the status of one file or folder
- `errors`: errors with more facts than an `errno`
- `capabilities`: the abilities that a system may lack
- `beneath`: the walk from a folder to a path below it, where the kernel cannot do it
- `posix`: files and folders of every Unix
- `linux`: files and folders of Linux, with the calls that it has beyond Unix
- `darwin`: files and folders of macOS, with the calls that it has beyond Unix
- `nt`: the calls of Windows on files and folders
- `windows_names`: the rules of Windows for names and paths
- `windows`: files and folders of Windows
- `flushing`: flushing many files side by side
- `landlock`: confinement of a process by the Linux kernel
- `processes`: keys by which processes recognize each other
- `streams`: the standard streams of this process
- `watchdog`: a process that ends the children of one that was killed
"""

from __future__ import annotations

import os
import sys

from filewright.system.base import BLOCK_BYTES, Closable, NameBatch, RenameMode
from filewright.system.capabilities import Capabilities
from filewright.system.errors import EscapesFolderError, NotAFileError
from filewright.system.flushing import flush_all, stop_flush_threads
from filewright.system.processes import (
    client_process_key,
    is_process_running,
    own_process_key,
    process_namespace,
)
from filewright.system.status import FileKind, Status, file_signature
from filewright.system.streams import (
    claim_standard_streams,
    discard_standard_output,
)

if sys.platform == "win32":
    from filewright.system.windows import (
        File,
        Folder,
        absolute_path,
        capabilities,
        effective_group_id,
        effective_user_id,
        group_ids,
        kill_process_tree,
        limit_process,
        make_folder,
        open_file,
        open_folder,
        real_path,
        stat_path,
        storable_mode,
        umask,
    )
    from filewright.system.windows_names import (
        name_problem,
        path_from_file_url,
        path_to_file_url,
        split_path,
    )
else:
    from filewright.system.posix import (
        File,
        Folder,
        absolute_path,
        effective_group_id,
        effective_user_id,
        group_ids,
        kill_process_tree,
        limit_process,
        make_folder,
        name_problem,
        open_file,
        path_from_file_url,
        path_to_file_url,
        real_path,
        split_path,
        stat_path,
        storable_mode,
    )

    if os.environ.get("FILEWRIGHT_SYSTEM") == "posix":
        from filewright.system.posix import capabilities, open_folder, umask
    elif sys.platform == "linux":
        from filewright.system.linux import capabilities, open_folder, umask
    else:
        from filewright.system.darwin import capabilities, open_folder, umask

HAS_PROCESS_GROUPS = sys.platform != "win32"
"""True if child processes are in groups that must be killed.

Otherwise the system binds each child to this process (see `limit_process`).
"""

PRIVATE_FOLDER_MODE = 0o700 if HAS_PROCESS_GROUPS else 0o777
"""The mode of a folder that only its user may enter.

On Windows inherited access control lists decide instead.
"""

__all__ = [
    "BLOCK_BYTES",
    "HAS_PROCESS_GROUPS",
    "PRIVATE_FOLDER_MODE",
    "Capabilities",
    "Closable",
    "EscapesFolderError",
    "File",
    "FileKind",
    "Folder",
    "NameBatch",
    "NotAFileError",
    "RenameMode",
    "Status",
    "absolute_path",
    "capabilities",
    "claim_standard_streams",
    "client_process_key",
    "discard_standard_output",
    "effective_group_id",
    "effective_user_id",
    "file_signature",
    "flush_all",
    "group_ids",
    "is_process_running",
    "kill_process_tree",
    "limit_process",
    "make_folder",
    "name_problem",
    "open_file",
    "open_folder",
    "own_process_key",
    "path_from_file_url",
    "path_to_file_url",
    "process_namespace",
    "real_path",
    "split_path",
    "stat_path",
    "stop_flush_threads",
    "storable_mode",
    "umask",
]
