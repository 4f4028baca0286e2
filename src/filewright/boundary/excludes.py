"""Git's global excludes file: the one file outside the roots that is read.

Where it is, is found by reading the user's own configuration, never a repository's, and without running git;
includes (`[include]`) are not followed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

from filewright import system

# A line's section, and what it says about the file: in quotes or without.
_LINE = r"""(?imx) ^ [ \t]* (?: \[ [ \t]* ([\w.-]+) [ \t]* (?: "[^"\n]*" [ \t]* )? \] [ \t]* )?
    (?: (excludesfile) [ \t]* = [ \t]* (?: "((?: [^"\\\n] | \\. )*)" | ([^\#;\n]*) ) )?"""
_CONFIG_BYTES = 1 << 20


def find_excludes_file(environment: Mapping[str, str]) -> bytes | None:
    """The path of the global excludes file, whether or not it is there; None if none is meant."""
    home = environment.get("HOME") or environment.get("USERPROFILE", "")
    # Git's own folder on Windows, where anybody may make an `\etc`.
    programs = environment.get("PROGRAMFILES")
    whole = f"{programs}/Git/etc/gitconfig" if programs else "/etc/gitconfig"
    base = environment.get("XDG_CONFIG_HOME") or (f"{home}/.config" if home else "")
    configs = [] if environment.get("GIT_CONFIG_NOSYSTEM") else [whole]
    if "GIT_CONFIG_GLOBAL" in environment:
        configs.append(environment["GIT_CONFIG_GLOBAL"])
    else:
        configs += [f"{base}/git/config"] if base else []
        configs += [f"{home}/.gitconfig"] if home else []
    path = f"{base}/git/ignore" if base else ""
    for config in configs:
        found = _core_excludes(config)
        path = path if found is None else found
    if path.startswith("~/"):
        path = home + path[1:]
    try:
        return os.fsencode(path) if system.split_path(os.fsencode(path))[0] else None
    except ValueError:
        return None


def _core_excludes(config: str) -> str | None:
    try:
        with system.open_file(config) as file:
            text = file.read(0, _CONFIG_BYTES).decode("utf-8", "surrogateescape")
    except OSError:
        return None  # Git, too, reads what it can.
    found = None
    section = ""
    for header, key, quoted, plain in re.findall(_LINE, text):
        section = header.lower() or section
        if section == "core" and key:
            found = plain.strip() or quoted.replace('\\"', '"').replace("\\\\", "\\")
    return found
