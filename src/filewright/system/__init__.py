"""What an operating system does: folders and files as objects with a handle, locks, flushing, identity.

The only room that knows the platform: no other imports `fcntl`, `ctypes`, `resource` or `msvcrt`, or
asks `os` for anything on names. It knows nothing of roots, encodings or changes, and raises plain
`OSError`, which the rooms above translate.

More than a third of it is Windows, whose folders, links, rights and flushing have a kernel interface of their
own (`nt`, `windows`); much of the rest is for paths that never leave a folder also where the kernel does not see to it.

In: a path that the user named (`open_folder`), then names below it. Out: a `Folder` (names, opening,
making, renaming, locking), a `File` (reading and writing at an offset), their `Status`. What this
system has beyond every Unix is in `can`; `FILEWRIGHT_SYSTEM=posix` does without all of it.
"""

from __future__ import annotations

import os
import sys

from filewright.system.base import (
    BLOCK,
    Batch,
    Capabilities,
    Closing,
    Kind,
    LeadsOutError,
    NotAFileError,
    Rename,
    Status,
    end_threads,
    flush_all,
    stamp_of,
)
from filewright.system.standard import (
    claim_standard,
    client_process,
    is_running,
    own_process,
    process_space,
)

if sys.platform == "win32":
    from filewright.system.windows import (
        File,
        Folder,
        absolute,
        can,
        effective_group,
        effective_user,
        end_processes,
        groups,
        kept_of_mode,
        limit_process,
        make_folder,
        open_file,
        open_folder,
        resolved,
        status_of,
        umask,
    )
    from filewright.system.windows_names import (
        name_problem,
        path_of_url,
        split_path,
        url_of_path,
    )
else:
    from filewright.system.posix import (
        File,
        Folder,
        absolute,
        effective_group,
        effective_user,
        end_processes,
        groups,
        kept_of_mode,
        limit_process,
        make_folder,
        name_problem,
        open_file,
        path_of_url,
        resolved,
        split_path,
        status_of,
        url_of_path,
    )

    if os.environ.get("FILEWRIGHT_SYSTEM") == "posix":
        from filewright.system.posix import can, open_folder, umask
    elif sys.platform == "linux":
        from filewright.system.linux import can, open_folder, umask
    else:
        from filewright.system.darwin import can, open_folder, umask

HAS_GROUPS = sys.platform != "win32"
"""Whether children are in groups, which have to be ended; else each is bound to this process by the system."""

PRIVATE = 0o700 if HAS_GROUPS else 0o777
"""The mode of a folder for its user alone; on Windows that is for the rights it inherits to say."""

__all__ = [
    "BLOCK",
    "HAS_GROUPS",
    "PRIVATE",
    "Batch",
    "Capabilities",
    "Closing",
    "File",
    "Folder",
    "Kind",
    "LeadsOutError",
    "NotAFileError",
    "Rename",
    "Status",
    "absolute",
    "can",
    "claim_standard",
    "client_process",
    "effective_group",
    "effective_user",
    "end_processes",
    "end_threads",
    "flush_all",
    "groups",
    "is_running",
    "kept_of_mode",
    "limit_process",
    "make_folder",
    "name_problem",
    "open_file",
    "open_folder",
    "own_process",
    "path_of_url",
    "process_space",
    "resolved",
    "split_path",
    "stamp_of",
    "status_of",
    "umask",
    "url_of_path",
]
