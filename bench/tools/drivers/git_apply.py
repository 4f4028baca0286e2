"""`git apply` of a diff of one file."""

from __future__ import annotations

import os
import subprocess

from serving import RefusedError, serve


def apply(path: str, diff: str) -> str:
    """Apply the hunks of a diff to a file."""
    folder, name = os.path.split(path)
    head = f"--- a/{name}\n+++ b/{name}\n"
    run = subprocess.run(
        ["git", "apply", "--whitespace=nowarn", "-"],
        input=(head + diff).encode("utf-8", "surrogateescape"),
        cwd=folder,
        # A repository around the folder is none of its business.
        env={**os.environ, "GIT_CEILING_DIRECTORIES": os.path.dirname(folder)},
        capture_output=True,
        check=False,
    )
    if run.returncode:
        raise RefusedError(run.stderr.decode("utf-8", "replace"))
    return "applied"


serve({"apply": apply})
