"""Protection from the current folder: no program in it is started, no module imported.

A cloned project may hold a `less`, a `filewright.py` or a `json.py`. PATH may lead to
them, by `.` or by the path of the project. Python imports from the current folder when
it runs a module with `-m`.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence


def python_command() -> Sequence[str]:
    """Return the words that run this package with this Python."""
    # -P keeps the current folder out of the imports.
    return [sys.executable, "-P", "-m", "filewright"]


def drop_current_folder_from_path() -> None:
    """Remove from PATH relative folders, the current folder, and all folders in it.

    The pager, the browser and all other programs are then found in the rest.
    """
    try:
        current = os.path.realpath(os.getcwd())
    except OSError:
        # The current folder was deleted.
        current = ""
    entries = os.environ.get("PATH", os.defpath).split(os.pathsep)
    os.environ["PATH"] = os.pathsep.join(
        entry for entry in entries if not _leads_into(entry, current)
    )
    if sys.platform == "win32":
        # Windows searches the current folder before PATH unless this is set.
        os.environ["NODEFAULTCURRENTDIRECTORYINEXEPATH"] = "1"


def _leads_into(entry: str, folder: str) -> bool:
    """Return True for a relative entry of PATH, and for one at or below a folder."""
    if not os.path.isabs(entry):
        return True
    resolved = os.path.realpath(entry)
    # In the root of the file system all of PATH would be below the current folder.
    return resolved == folder or (
        len(folder) > len(os.path.abspath(os.sep))
        and resolved.startswith(folder + os.sep)
    )
