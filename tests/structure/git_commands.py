"""Git as a user runs it, without the configuration of this machine."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

_ENVIRONMENT = {
    **os.environ,
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_SYSTEM": os.devnull,
    **{
        f"GIT_{who}_{what}": "x@example.com"
        for who in ("AUTHOR", "COMMITTER")
        for what in ("NAME", "EMAIL")
    },
}


def git(folder: Path, *arguments: str) -> None:
    """Run git in a folder."""
    subprocess.run(
        ["git", *arguments],
        cwd=folder,
        check=True,
        capture_output=True,
        env=_ENVIRONMENT,
    )
