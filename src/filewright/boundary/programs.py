"""Which programs we start, and where they are."""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig
from functools import lru_cache

PROGRAMS = ("rg", "git")
"""All that is started besides this Python."""


@lru_cache(maxsize=len(PROGRAMS))
def program(name: str) -> str | None:
    """The absolute path of `rg` (this Python's own, else one on the PATH) or `git`; None if there is none."""
    if name == "git":
        return shutil.which("git", path=os.defpath)  # the system's own: a PATH may begin in a workspace
    file = f"{name}.exe" if os.name == "nt" else name
    folders = [os.path.dirname(sys.executable), sysconfig.get_path("scripts")]
    folders += [os.path.dirname(os.path.realpath(sys.executable))]
    folders += [
        sysconfig.get_path("scripts", scheme) for scheme in sysconfig.get_scheme_names() if "user" in scheme
    ]
    for folder in folders:
        found = shutil.which(file, path=folder) if folder else None
        if found is not None:
            return os.path.abspath(found)
    found = shutil.which(file)
    return os.path.abspath(found) if found else None
