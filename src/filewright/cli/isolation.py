"""Protection from the folder a command runs in: no program and no module in it is ever started or imported.

A cloned project may hold a `less`, a `filewright.py` or a `json.py`. PATH may lead to them, by `.` or by the path of
the project, and so does Python itself where a module is run with `-m`.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence


def python_command() -> Sequence[str]:
    """Return the words that run this package with this Python; `-P` keeps the current folder out of its imports."""
    return [sys.executable, "-P", "-m", "filewright"]


def drop_current_folder_from_path() -> None:
    """Remove from PATH what is relative, and the current folder with all that is in it.

    The pager, the browser and every other program that is looked up by name are found in the rest.
    """
    try:
        here = os.path.realpath(os.getcwd())
    except OSError:  # The current folder was deleted.
        here = ""
    entries = os.environ.get("PATH", os.defpath).split(os.pathsep)
    os.environ["PATH"] = os.pathsep.join(
        entry for entry in entries if not _leads_into(entry, here)
    )
    if sys.platform == "win32":
        # Windows looks into the current folder before PATH unless this is set.
        os.environ["NODEFAULTCURRENTDIRECTORYINEXEPATH"] = "1"


def _leads_into(entry: str, folder: str) -> bool:
    if not os.path.isabs(entry):
        return True
    resolved = os.path.realpath(entry)
    # With the root of the file system as the current folder nothing would be left.
    return resolved == folder or (
        len(folder) > len(os.path.abspath(os.sep))
        and resolved.startswith(folder + os.sep)
    )
