"""The command line: the server, the tools, the history and undo from a shell.

This package parses arguments, and prints results, refusals and colours. Commands change
no files themselves: each calls a `Workspace` or starts a server. The module of a command
is imported when the command is used, so `serve` starts without the others.

Exit codes: 0 for success; 1 for a refused call or change, with the reason on standard
error; 2 for wrong usage, and for a command that could not start.
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
    """Write a text, with a line feed at its end, as UTF-8 in every locale.

    Lone surrogates, which UTF-8 cannot encode, are escaped.
    """
    stream = sys.stderr if to_error else sys.stdout
    if not text.endswith("\n"):
        text += "\n"
    stream.flush()
    stream.buffer.write(text.encode("utf-8", "backslashreplace"))
    stream.buffer.flush()


def build_settings(**options: Any) -> Settings:
    """Return the settings of a command line; other options are ignored.

    An option without a value leaves its setting to the environment, or to the default.
    Raises as `Settings`.
    """
    from filewright.settings import SETTINGS, Settings

    values = {}
    for name in SETTINGS:
        value = options.get(name)
        if value not in (None, ()):
            values[name] = value
    return Settings(**values)


def open_workspace(
    roots: Sequence[str],
    session: str | None = None,
    actor: str | None = None,
    **options: Any,
) -> Workspace:
    """Return a workspace over `roots`, or over the default roots if there are none.

    The options are those of `build_settings`.
    """
    settings = build_settings(**options)
    from filewright import __version__
    from filewright.workspace import Workspace

    client = actor or f"filewright {__version__}"
    return Workspace(*roots, settings=settings, session=session, client=client)


def main() -> None:
    """Run the command line: the entry point of the console script."""
    if sys.argv[1:2] == ["snapshot"]:
        # Agents wait for their hooks, so a hook does without click, which takes long to
        # import. Collecting the garbage of imports takes 20 of a hook's 110 ms.
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
