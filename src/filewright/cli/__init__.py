"""The command line: `filewright serve`, and every tool, the history and undo from a shell.

This room owns words typed and lines printed: arguments, exit codes, colours. It does nothing with files
itself; every command is a call on a `Workspace`, or starts a server. Commands live in a module each and
load when they are used, so that `serve` starts without any of the others.

Exit codes: 0 done, 1 the tool or the change was refused (the reason is on standard error), 2 the command
was used wrongly or could not begin.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from filewright.settings import Settings
    from filewright.workspace import Workspace

__all__ = ["main", "open_workspace", "settings_from", "write"]


def write(text: str, *, to_error: bool = False) -> None:
    """Write `text` and a line feed as UTF-8, whatever the locale; what cannot be encoded is spelled out."""
    stream = sys.stderr if to_error else sys.stdout
    data = (text if text.endswith("\n") else f"{text}\n").encode(
        "utf-8", "backslashreplace"
    )
    stream.flush()
    stream.buffer.write(data)
    stream.buffer.flush()


def build_settings(**given: Any) -> Settings:
    """Settings from those flags that were given for one, then the environment, then defaults. Raises as `Settings`."""
    from filewright.settings import SETTINGS, Settings

    return Settings(
        **{
            name: given[name]
            for name in SETTINGS
            if given.get(name) not in (None, ())
        }
    )


def open_workspace(
    roots: Sequence[str],
    session: str | None = None,
    actor: str | None = None,
    **given: Any,
) -> Workspace:
    """The workspace over `roots` (none: the default) with the settings `given`."""
    settings = build_settings(**given)
    from filewright import __version__
    from filewright.workspace import Workspace

    client = actor or f"filewright {__version__}"
    return Workspace(*roots, settings=settings, session=session, client=client)


def main() -> None:
    """The console script."""
    if sys.argv[1:2] == ["snapshot"]:
        # An agent waits for its hooks: they need none of the command line's parsing.
        # Collecting the garbage of imports takes 20 of a hook's 110 ms.
        gc.disable()
        from filewright.cli.hook import run_hook

        if run_hook(sys.argv[2:]):
            os._exit(0)
        gc.enable()
    from filewright.cli.isolation import drop_current_folder_from_path
    from filewright.cli.program import program
    from filewright.errors import FilewrightError

    drop_current_folder_from_path()
    try:
        program(prog_name="filewright")
    except FilewrightError as error:
        write(f"filewright: {error}", to_error=True)
        sys.exit(2)
