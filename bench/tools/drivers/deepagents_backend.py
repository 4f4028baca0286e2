"""The backend of deepagents that keeps its files on the disk."""

from __future__ import annotations

import os
import sys

from deepagents.backends import FilesystemBackend
from serving import RefusedError, serve

ROOT = sys.argv[1]
BACKEND = FilesystemBackend(ROOT, virtual_mode=True)


def edit(path: str, old: str, new: str) -> str:
    """Replace a text of a file."""
    return _done(BACKEND.edit(_virtual(path), old, new))


def write(path: str, content: str) -> str:
    """Write the whole text of a file."""
    return _done(BACKEND.write(_virtual(path), content))


def _virtual(path: str) -> str:
    return "/" + os.path.relpath(path, ROOT)


def _done(result: object) -> str:
    error = getattr(result, "error", None)
    if error:
        raise RefusedError(error)
    return str(result)


serve({"edit": edit, "write": write})
