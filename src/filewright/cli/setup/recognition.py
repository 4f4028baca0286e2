"""Recognition of servers and hooks that `setup` wrote.

A project may come with a server or a hook that is named filewright and starts something
else. Nothing of it is run, and nothing of it stays in what `setup` writes.
"""

from __future__ import annotations

import json
import os
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import PureWindowsPath
from typing import Any

from filewright.cli.setup.clients import Client, Entry
from filewright.cli.setup.launch import ServerOptions

_LOOKS_LIKE_HOOK = re.compile(r"\bfilewright\b.* snapshot (begin|end) --hook\b")
_SETTINGS = frozenset({
    "description", "disabled", "disabled_tools", "enabled", "enabled_tools", "excludeTools", "includeTools", "required",
    "startup_timeout_ms", "startup_timeout_sec", "timeout", "tool_timeout_sec",
})  # fmt: skip
"""Settings of a server that the user may have added.

They change neither the program that is started nor the questions before it acts.
"""
_OWN_HOOK_OPTIONS = ("--actor", "--guard", "--state-dir")
_MAX_VALUE_CHARACTERS = 200


def list_command_words(entry: Any) -> list[str]:
    """Return the words that start a server; none if the entry has no command."""
    if not isinstance(entry, Mapping):
        return []
    command = entry.get("command")
    words: list[Any] = []
    if isinstance(command, list):
        words = command
    elif isinstance(command, str):
        arguments = entry.get("args", [])
        if isinstance(arguments, list):
            words = [command, *arguments]
    if not all(isinstance(word, str) for word in words):
        return []
    return [*words]


def starts_filewright(words: Sequence[str]) -> bool:
    """Return True for a command such as `setup` writes, for any installation."""
    arguments = _strip_program(words)
    return arguments is not None and arguments[:1] == ["serve"]


def select_user_settings(entry: Any, own_entry: Entry) -> Entry:
    """Return the settings of an entry that the user may have added to ours."""
    if not isinstance(entry, Mapping):
        return {}
    settings = {}
    for name, value in entry.items():
        if name in _SETTINGS and name not in own_entry:
            settings[name] = value
    return settings


def find_foreign_members(entry: Any, own_entry: Entry) -> list[str]:
    """Return the names of the members of an entry that `setup` did not write.

    An entry of an earlier `setup` has none.
    """
    if not isinstance(entry, Mapping):
        return ["its value"]
    names = []
    if not starts_filewright(list_command_words(entry)):
        names.append("command")
    for name, value in entry.items():
        is_ours = name in own_entry or name in ("command", "args")
        # Clients write an empty environment and the default transport themselves.
        is_default = (name, value) in (("env", {}), ("type", "stdio"))
        if not is_ours and name not in _SETTINGS and not is_default:
            names.append(name)
    return names


def find_options(
    client: Client, entry: Any, options: ServerOptions
) -> ServerOptions | None:
    """Return the options with which `setup` would write this entry, or None."""
    words = list_command_words(entry)
    for variant in list_variants(options):
        start = [*variant.program, "serve"]
        if words[: len(start)] != start:
            continue
        arguments = words[len(start) :]
        candidate = _parse_options(client, arguments, variant)
        own_entry = client.build_server(candidate)
        if {**own_entry, **select_user_settings(entry, own_entry)} == entry:
            return candidate
    return None


def _parse_options(
    client: Client, arguments: Sequence[str], variant: ServerOptions
) -> ServerOptions:
    """Return the options that the arguments of `serve` come from."""
    roots: list[str] = []
    for argument in arguments:
        if argument.startswith("-"):
            break
        roots.append(argument)
    flags = arguments[len(roots) :]
    if roots == [client.root or os.getcwd()]:
        roots = []
    dialect = None
    if "--dialect" in flags[:-1]:
        dialect = flags[flags.index("--dialect") + 1]
    return ServerOptions(
        roots=roots,
        read_only="--read-only" in flags,
        dialect=dialect,
        uvx=variant.uvx,
        shared=variant.shared,
    )


def describe_differences(entry: Any, own_entry: Entry) -> str:
    """Return the differences of an entry from ours, in ASCII: they go to a terminal."""
    if not isinstance(entry, Mapping):
        return "it is not an object"
    differences = []
    for name in sorted({*entry, *own_entry}):
        if name not in own_entry and name not in _SETTINGS:
            differences.append(
                f"{json.dumps(name)}: {_render_value(entry[name])} does not "
                "belong there"
            )
        elif name in own_entry and entry.get(name) != own_entry[name]:
            value = _render_value(entry.get(name))
            own_value = _render_value(own_entry[name])
            differences.append(
                f"{json.dumps(name)} is {value}, not {own_value}"
            )
    return "; ".join(differences)


def _render_value(value: Any) -> str:
    return json.dumps(value)[:_MAX_VALUE_CHARACTERS]


def is_own_hook_line(line: str) -> bool:
    """Return True for a command line of hooks such as `setup` writes.

    It starts filewright alone: no second command, and nothing that a shell expands.
    """
    words = _split_plain_line(line.removesuffix(" || exit 0"))
    arguments = _strip_program(words)
    if arguments is None:
        return False
    command, options = arguments[:3], arguments[3:]
    if command not in (
        ["snapshot", "begin", "--hook"],
        ["snapshot", "end", "--hook"],
    ):
        return False
    has_values = len(options) % 2 == 0
    return has_values and all(
        option in _OWN_HOOK_OPTIONS for option in options[::2]
    )


def _split_plain_line(line: str) -> list[str]:
    """Return the words of a command line; none if a shell would do more than start them."""
    if os.name == "nt":
        if re.search("[&|<>^%]", line):
            return []
        return [word.strip('"') for word in shlex.split(line, posix=False)]
    try:
        words = shlex.split(line)
    except ValueError:
        return []
    # Quoted again, only a line without expansions and operators is the same.
    return words if shlex.join(words) == line else []


def is_own_hook(hook: Any) -> bool:
    """Return True for a hook of ours, and for a group of hooks that are all ours."""
    if not isinstance(hook, Mapping):
        return False
    group = hook.get("hooks")
    if isinstance(group, list):
        return bool(group) and all(map(is_own_hook, group))
    line = hook.get("command")
    return isinstance(line, str) and is_own_hook_line(line)


def find_foreign_hook_lines(value: Any) -> Iterator[str]:
    """Yield the strings of a configuration that look like our hooks and are not."""
    if isinstance(value, str):
        if _LOOKS_LIKE_HOOK.search(value) and not is_own_hook_line(value):
            yield value
    elif isinstance(value, Mapping):
        for member in value.values():
            yield from find_foreign_hook_lines(member)
    elif isinstance(value, list):
        for member in value:
            yield from find_foreign_hook_lines(member)


def list_variants(options: ServerOptions) -> Iterator[ServerOptions]:
    """Yield the options with each form of the commands that `setup` writes.

    The commands start filewright by its path, its name or uvx, with and without the
    guard. The form of `options` is the first.
    """
    for guard in (options.guard, not options.guard):
        yield replace(options, guard=guard)
        for uvx in (False, True):
            for shared in (False, True):
                yield replace(options, uvx=uvx, shared=shared, guard=guard)


def _strip_program(words: Sequence[str]) -> list[str] | None:
    """Return the words after those that start filewright.

    Return None if they start another program.
    """
    if not words:
        return None
    # The class for Windows takes slashes of both kinds.
    name = PureWindowsPath(words[0]).stem
    if name == "filewright":
        return [*words[1:]]
    if name == "uvx" and words[1:2] == ["filewright"]:
        return [*words[2:]]
    if name.startswith("python"):
        for start in (["-P", "-m", "filewright"], ["-m", "filewright"]):
            if [*words[1 : len(start) + 1]] == start:
                return [*words[len(start) + 1 :]]
    return None
