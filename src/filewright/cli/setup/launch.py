"""The command by which a client starts filewright."""

from __future__ import annotations

import os
import sys
import sysconfig
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from filewright.cli.isolation import python_command


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """The options of `setup` and `config` that decide how filewright is started."""

    roots: Sequence[str] = ()
    read_only: bool = False
    dialect: str | None = None
    uvx: bool = False
    shared: bool = False
    guard: bool = True

    @property
    def program(self) -> Sequence[str]:
        """The words that start filewright.

        A team's configuration has the name `filewright`, which works on all its
        machines; others have the path of this program.
        """
        if self.shared and not self.uvx:
            return ["filewright"]
        return find_own_program(uvx=self.uvx)

    @property
    def state(self) -> Sequence[str]:
        """The option that names the state folder, which is local to this machine."""
        return [] if self.shared else _build_state_option()


def find_own_program(*, uvx: bool = False) -> list[str]:
    """Return the words that start this program from any folder.

    With `uvx`, return those that start its newest release.
    """
    # uvx may have started this program from its cache, which may be deleted any day.
    is_cached = any(
        (folder / "CACHEDIR.TAG").is_file()
        for folder in Path(sys.prefix).parents
    )
    if uvx or is_cached:
        return ["uvx", "filewright"]
    scripts = []
    # A name without a folder would be found in the current folder, which may hold
    # another program.
    if os.path.dirname(sys.argv[0]):
        scripts.append(os.path.abspath(sys.argv[0]))
    suffix = ".exe" if sys.platform == "win32" else ""
    folder = sysconfig.get_path("scripts")
    scripts.append(os.path.join(folder, f"filewright{suffix}"))
    for script in scripts:
        if Path(script).stem == "filewright" and os.path.isfile(script):
            return [script]
    return [*python_command()]


def _build_state_option() -> list[str]:
    """Return the option that names the state folder if the environment names one.

    A client may not pass the environment on to its server.
    """
    from filewright.changes.state_dir import state_base_folder
    from filewright.settings import Settings

    settings = Settings()
    if settings.state_dir is None and not os.environ.get("XDG_STATE_HOME"):
        return []
    return ["--state-dir", state_base_folder(settings)]
