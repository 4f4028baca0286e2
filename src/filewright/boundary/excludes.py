"""Git's global excludes file: the only file outside of the roots that is read.

It is found by reading the user's own git configuration, never a repository's, and
without running git. Includes (`[include]`) are not followed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

from filewright import system

# A section's header, and the value of `excludesfile` with or without quotes.
_LINE = r"""(?imx) ^ [ \t]*
    (?: \[ [ \t]* ([\w.-]+) [ \t]* (?: "[^"\n]*" [ \t]* )? \] [ \t]* )?
    (?: (excludesfile) [ \t]* = [ \t]*
        (?: "((?: [^"\\\n] | \\. )*)" | ([^\#;\n]*) )
    )?"""
_MAX_CONFIG_BYTES = 1 << 20


def find_excludes_file(environment: Mapping[str, str]) -> bytes | None:
    """Return the path of the global excludes file, or None if none is configured.

    The file itself need not exist.
    """
    home = environment.get("HOME") or environment.get("USERPROFILE", "")
    config_folder = environment.get("XDG_CONFIG_HOME", "")
    if not config_folder and home:
        config_folder = f"{home}/.config"
    path = f"{config_folder}/git/ignore" if config_folder else ""
    for config in _config_files(environment, home, config_folder):
        configured_path = _read_excludes_setting(config)
        if configured_path is not None:
            path = configured_path
    if path.startswith("~/"):
        path = home + path[1:]
    try:
        anchor, _ = system.split_path(os.fsencode(path))
    except ValueError:
        return None
    return os.fsencode(path) if anchor else None


def _config_files(
    environment: Mapping[str, str], home: str, config_folder: str
) -> list[str]:
    """Return the paths of git's system-wide and global configuration, weakest first."""
    configs = []
    if not environment.get("GIT_CONFIG_NOSYSTEM"):
        # On Windows any user may make an `\etc`, so git's own folder is taken.
        programs = environment.get("PROGRAMFILES")
        configs.append(
            f"{programs}/Git/etc/gitconfig" if programs else "/etc/gitconfig"
        )
    if "GIT_CONFIG_GLOBAL" in environment:
        configs.append(environment["GIT_CONFIG_GLOBAL"])
        return configs
    if config_folder:
        configs.append(f"{config_folder}/git/config")
    if home:
        configs.append(f"{home}/.gitconfig")
    return configs


def _read_excludes_setting(config: str) -> str | None:
    """Return the value of `core.excludesFile` in a configuration file, or None."""
    try:
        with system.open_file(config) as file:
            text = file.read(0, _MAX_CONFIG_BYTES).decode(
                "utf-8", "surrogateescape"
            )
    except OSError:
        return None  # Git, too, goes on without a file that it cannot read.
    value = None
    section = ""
    for header, key, quoted, plain in re.findall(_LINE, text):
        section = header.lower() or section
        if section == "core" and key:
            value = plain.strip() or quoted.replace('\\"', '"').replace(
                "\\\\", "\\"
            )
    return value
