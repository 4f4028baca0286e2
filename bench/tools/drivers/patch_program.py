"""The program `patch` with a diff of one file."""

from __future__ import annotations

import os
import subprocess

from serving import RefusedError, serve


def apply(path: str, diff: str) -> str:
    """Apply the hunks of a diff to a file."""
    folder, name = os.path.split(path)
    head = f"--- a/{name}\n+++ b/{name}\n"
    run = subprocess.run(
        ["patch", "--batch", "--forward", "--no-backup-if-mismatch", name],
        input=(head + diff).encode("utf-8", "surrogateescape"),
        cwd=folder,
        capture_output=True,
        check=False,
    )
    text = (run.stdout + run.stderr).decode("utf-8", "replace")
    if run.returncode:
        raise RefusedError(text)
    return text


serve({"apply": apply})
