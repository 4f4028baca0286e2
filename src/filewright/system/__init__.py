"""What an operating system does: folders and files as objects with a handle, locks, flushing, identity.

The only room that knows the platform: no other imports `fcntl`, `ctypes`, `resource` or `msvcrt`, or
asks `os` for anything on names. It knows nothing of roots, encodings or changes, and raises plain
`OSError`, which the rooms above translate.

More than a third of it is Windows, whose folders, links, rights and flushing have a kernel interface of their
own (`nt`, `windows`); much of the rest is for paths that never leave a folder also where the kernel does not see to it.

In: a path that the user named (`open_folder`), then names below it. Out: a `Folder` (names, opening,
making, renaming, locking), a `File` (reading and writing at an offset), their `Status`. What this
system has beyond every Unix is in `capabilities`; `FILEWRIGHT_SYSTEM=posix` does without all of it.
"""

from __future__ import annotations

import os
import sys

from filewright.system.base import BLOCK_BYTES, Batch, Closable, RenameMode
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
from filewright.system.streams import claim_standard_streams

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
"""Whether children are in groups, which have to be ended; else each is bound to this process by the system."""

PRIVATE_FOLDER_MODE = 0o700 if HAS_PROCESS_GROUPS else 0o777
"""The mode of a folder for its user alone; on Windows that is for the rights it inherits to say."""

__all__ = [
    "BLOCK_BYTES",
    "HAS_PROCESS_GROUPS",
    "PRIVATE_FOLDER_MODE",
    "Batch",
    "Capabilities",
    "Closable",
    "EscapesFolderError",
    "File",
    "FileKind",
    "Folder",
    "NotAFileError",
    "RenameMode",
    "Status",
    "absolute_path",
    "capabilities",
    "claim_standard_streams",
    "client_process_key",
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
