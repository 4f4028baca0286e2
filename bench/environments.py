"""The environments of the compared tools: one folder for each, made once.

Every tool is installed at a pinned version from the registry that publishes it,
into a folder of its own below the cache, so that no two tools share a
dependency and nothing reaches the environment of this program.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import venv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

VARIABLE = "FILEWRIGHT_BENCH_CACHE"
DEFAULT = Path.home() / ".cache" / "filewright-bench"
_SECONDS = 1800
_DONE = "installed"
"""The name of a file that only a finished environment has."""


class NotInstalledError(Exception):
    """A tool that cannot be installed here."""


@dataclass(frozen=True, slots=True)
class Cache:
    """The folder of all environments."""

    folder: Path

    @classmethod
    def default(cls) -> Cache:
        """Return the cache that the environment names, or that of the user."""
        return cls(Path(os.environ.get(VARIABLE) or DEFAULT).absolute())

    def python(self, *requirements: str) -> Path:
        """Return the `python` of an environment with packages from PyPI.

        The environment has the name of the first package. Raises
        `NotInstalledError`.
        """
        folder = self._folder(requirements[0].replace("==", "-"))
        python = folder / "bin" / "python"
        if not (folder / _DONE).exists():
            shutil.rmtree(folder, ignore_errors=True)
            venv.create(folder, with_pip=True)
            pip = [str(python), "-m", "pip", "install", "--quiet"]
            _run([*pip, *requirements])
            (folder / _DONE).touch()
        return python

    def npm(self, *packages: str) -> Path:
        """Return the folder of modules with packages from npm.

        No script of a package runs. Raises `NotInstalledError`.
        """
        npm = _program("npm")
        folder = self._folder(packages[0].replace("/", "-"))
        if not (folder / _DONE).exists():
            folder.mkdir(parents=True, exist_ok=True)
            options = "--ignore-scripts --no-audit --no-fund --silent"
            words = [npm, "install", "--prefix", str(folder)]
            _run([*words, *options.split(), *packages])
            (folder / _DONE).touch()
        return folder / "node_modules"

    def cargo(self, crate: str) -> Path:
        """Return the program of a crate, `NAME@VERSION`, which is compiled.

        Raises `NotInstalledError`.
        """
        name, _, version = crate.partition("@")
        folder = self._folder(crate.replace("@", "-"))
        program = folder / "bin" / name
        if not program.exists():
            words = [_program("cargo"), "install", "--quiet", "--locked"]
            place = ["--root", str(folder), "--version", version]
            _run([*words, *place, name])
        return program

    def _folder(self, name: str) -> Path:
        return self.folder / name.replace("@", "").strip("-")


def node() -> str:
    """Return the program of Node. Raises `NotInstalledError`."""
    return _program("node")


def _program(name: str) -> str:
    """Return the path of a program. Raises `NotInstalledError`."""
    program = shutil.which(name)
    if program is None:
        raise NotInstalledError(f"there is no {name}")
    return program


def _run(words: Sequence[str]) -> None:
    """Run a package manager. Raises `NotInstalledError` if it fails."""
    try:
        run = subprocess.run(
            words,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            timeout=_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise NotInstalledError(f"{words[0]} took too long") from error
    if run.returncode:
        print(run.stderr[-2000:], file=sys.stderr)
        lines = run.stderr.strip().splitlines() or ["no reason is given"]
        raise NotInstalledError(f"{Path(words[0]).name} says: {lines[-1]}")
