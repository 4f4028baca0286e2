"""`git apply` and `patch`, as they are on the machine."""

from __future__ import annotations

import shutil
import subprocess

from bench.case import Patch
from bench.environments import Cache, NotInstalledError
from bench.stdio import Command
from bench.tools.tool import Call, Calls, Place, Tool, driver, own_python


def start_git(_cache: Cache, place: Place) -> Command:
    """Return the command of the driver of `git apply`."""
    return _start("git", "git_apply", place)


def start_patch(_cache: Cache, place: Place) -> Command:
    """Return the command of the driver of `patch`."""
    return _start("patch", "patch_program", place)


def _start(program: str, name: str, place: Place) -> Command:
    if shutil.which(program) is None:
        raise NotInstalledError(f"there is no {program}")
    return driver(own_python(), name, place)


def patch(path: str, request: Patch) -> Calls:
    """Yield the call of a diff."""
    yield Call("apply", {"path": path, "diff": request.hunks})


def _version(program: str) -> str:
    """Return the version of a program, the last word of its first line."""
    if shutil.which(program) is None:
        return ""
    run = subprocess.run(
        [program, "--version"], capture_output=True, text=True, check=False
    )
    return run.stdout.splitlines()[0].split()[-1]


GIT_APPLY = Tool("git apply", _version("git"), "system", start_git, patch=patch)
PATCH = Tool("patch", _version("patch"), "system", start_patch, patch=patch)
