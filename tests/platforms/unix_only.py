"""What tests ask of Unix and this system has not: a test that asks for it is left out, with the reason.

Used by `conftest.py` on Windows alone, so that the same tests run there as far as they can: none is
left out by its name, only by what it does.
"""

from __future__ import annotations

import ast
import builtins
import errno
import io
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import pytest

from filewright.system.windows_names import name_problem

ON_WINE = sys.platform == "win32" and "WINEPREFIX" in os.environ

_MODULES = {"fcntl", "grp", "pty", "pwd", "resource", "termios"}
_ROOMS = {"beneath", "darwin", "landlock", "linux", "posix"}
_CALLS = {
    "chown": "Windows has no owners by number",
    "fork": "Windows has no fork",
    "geteuid": "Windows has no numbers for users",
    "getuid": "Windows has no numbers for users",
    "getxattr": "Windows has no extended attributes",
    "killpg": "Windows has no groups of processes",
    "mkfifo": "Windows has no named pipes in folders",
    "mknod": "Windows has no devices in folders",
    "setxattr": "Windows has no extended attributes",
    "statvfs": "Windows has no statvfs",
    "umask": "Windows has no umask",
}
_MODES = (0o444, 0o666)
_PROGRAMS = {"git", "patch", "sh"}
_OTHERS = {"find"}
"""Windows has programs of these names that do something else."""


def not_on_wine(lack: str) -> pytest.MarkDecorator:
    """Leaves a test out on Wine, which lacks what it needs and Windows has: see `wine.py`."""
    return pytest.mark.skipif(ON_WINE, reason=f"Wine: {lack}")


def imports_unix(module: Path) -> bool:
    """Whether a test module cannot even be imported, because of a module that it imports at its top."""
    found: set[str] = set()
    for node in ast.parse(module.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {
                node.module,
                *(f"{node.module}.{alias.name}" for alias in node.names),
            }
    return bool(
        found & (_MODULES | {f"filewright.system.{room}" for room in _ROOMS})
    )


def leave_out() -> None:
    """Make what is missing skip the test that calls it."""
    for name, reason in _CALLS.items():
        if name == "umask" or not hasattr(os, name):
            setattr(os, name, _skipping(reason))
    symlink, chmod = os.symlink, os.chmod

    def make_link(
        source: Any, place: Any, *arguments: Any, **options: Any
    ) -> None:
        try:
            symlink(source, place, *arguments, **options)
        except FileExistsError:
            raise
        except (OSError, NotImplementedError):
            pass
        # Pytest links to the newest of its own temporary folders, and can do without.
        if not os.path.islink(place) and not os.fsdecode(place).endswith(
            "current"
        ):
            pytest.skip("no link can be made here")

    def set_mode(path: Any, mode: int, **options: Any) -> None:
        if mode & 0o7777 not in _MODES:
            pytest.skip(f"Windows has no mode {mode:o}")
        chmod(path, mode, **options)

    os.symlink, os.chmod = make_link, set_mode
    # Not what is tested, which asks the system itself, but what a test puts there.
    builtins.open, io.open, os.mkdir = map(
        _with_possible_name, (builtins.open, io.open, os.mkdir)
    )
    subprocess.Popen.__init__ = _with_programs(subprocess.Popen.__init__)  # type: ignore[method-assign]


def _with_possible_name(real: Callable[..., Any]) -> Callable[..., Any]:
    def call(path: Any, *arguments: Any, **options: Any) -> Any:
        try:
            return real(path, *arguments, **options)
        except OSError as error:
            given = (
                b""
                if isinstance(path, int)
                else os.fsencode(os.path.basename(path))
            )
            if error.errno == errno.EINVAL and name_problem(given):
                pytest.skip(f"Windows has no such name: {given!r}")
            raise

    return call


def _with_programs(real: Callable[..., None]) -> Callable[..., None]:
    def call(
        process: Any, command: Any, *arguments: Any, **options: Any
    ) -> None:
        program = command if isinstance(command, str) else command[0]
        if program in _OTHERS:
            pytest.skip(f"{program} is another program on Windows")
        try:
            real(process, command, *arguments, **options)
        except FileNotFoundError:
            if program in _PROGRAMS:
                pytest.skip(f"there is no {program} here")
            raise

    return call


def _skipping(reason: str) -> Callable[..., NoReturn]:
    def call(*_: Any, **__: Any) -> NoReturn:
        pytest.skip(reason)

    return call
