"""What in a configuration was written by `setup`, and what only looks like it.

A project may come with a server or a hook that is called filewright and starts something else. Nothing of it is run,
and nothing of it stays in what `setup` writes.
"""

from __future__ import annotations

import json
import os
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PureWindowsPath
from typing import Any

from filewright.cli.clients import Client, Entry
from filewright.cli.launch import ServerOptions

_LOOKS_LIKE_HOOK = re.compile(r"\bfilewright\b.* snapshot (begin|end) --hook\b")
_SETTINGS = frozenset({
    "description", "disabled", "disabled_tools", "enabled", "enabled_tools", "excludeTools", "includeTools", "required",
    "startup_timeout_ms", "startup_timeout_sec", "timeout", "tool_timeout_sec",
})  # fmt: skip
"""What people set beside a server that changes neither what is started nor what is asked before it acts."""


def list_command_words(entry: Any) -> list[str]:
    """Return the words that a server is started with; none if the entry has no command."""
    command = entry.get("command") if isinstance(entry, Mapping) else None
    if isinstance(command, str):
        arguments = entry.get("args", [])
        words = [command, *arguments] if isinstance(arguments, list) else []
    else:
        words = command if isinstance(command, list) else []
    return [*words] if all(isinstance(word, str) for word in words) else []


def starts_filewright(words: Sequence[str]) -> bool:
    """Return True for a command such as `setup` writes, of this or another installation."""
    rest = _after_program(words)
    return rest is not None and rest[:1] == ["serve"]


def select_user_settings(entry: Any, ours: Entry) -> Entry:
    """Return the members of an entry that stay beside ours."""
    if not isinstance(entry, Mapping):
        return {}
    return {
        name: value
        for name, value in entry.items()
        if name in _SETTINGS and name not in ours
    }


def find_foreign_members(entry: Any, ours: Entry) -> list[str]:
    """Return the names of what `setup` did not write in an entry; none for one of an earlier `setup`."""
    if not isinstance(entry, Mapping):
        return ["its value"]
    names = [] if starts_filewright(list_command_words(entry)) else ["command"]
    for name, value in entry.items():
        # Clients write an empty environment and the usual transport themselves.
        is_usual = (
            name in ours
            or name in _SETTINGS
            or (name, value) in (("env", {}), ("type", "stdio"))
        )
        if name not in ("command", "args") and not is_usual:
            names.append(name)
    return names


def find_options(
    client: Client, entry: Any, options: ServerOptions
) -> ServerOptions | None:
    """Return the options with which `setup` would write exactly this entry; None if there are none."""
    words = list_command_words(entry)
    for program_options in list_variants(options):
        program = [*program_options.program]
        if words[: len(program)] != program or words[
            len(program) : len(program) + 1
        ] != ["serve"]:
            continue
        arguments = words[len(program) + 1 :]
        count = next(
            (at for at, word in enumerate(arguments) if word.startswith("-")),
            len(arguments),
        )
        flags = arguments[count:]
        named = client.root or os.getcwd()
        roots = [] if arguments[:count] == [named] else arguments[:count]
        dialect = (
            flags[flags.index("--dialect") + 1]
            if "--dialect" in flags[:-1]
            else None
        )
        found = ServerOptions(
            roots,
            "--read-only" in flags,
            dialect,
            program_options.uvx,
            program_options.shared,
        )
        ours = client.build_server(found)
        if {**ours, **select_user_settings(entry, ours)} == entry:
            return found
    return None


def describe_differences(entry: Any, ours: Entry) -> str:
    """Say in what an entry differs from ours. Values are spelled in ASCII: they go to a terminal."""
    if not isinstance(entry, Mapping):
        return "it is no object"
    parts = []
    for name in sorted({*entry, *ours}):
        if name not in ours and name not in _SETTINGS:
            parts.append(
                f"{json.dumps(name)}: {json.dumps(entry[name])[:200]} is not of it"
            )
        elif name in ours and entry.get(name) != ours[name]:
            parts.append(
                f"{json.dumps(name)} is {json.dumps(entry.get(name))[:200]}, not {json.dumps(ours[name])[:200]}"
            )
    return "; ".join(parts)


def is_own_hook_line(line: str) -> bool:
    """Return True for a command line such as `setup` writes into hooks: filewright alone, and nothing beside it."""
    line = line.removesuffix(" || exit 0")
    if os.name == "nt":
        words = (
            [word.strip('"') for word in shlex.split(line, posix=False)]
            if not re.search("[&|<>^%]", line)
            else []
        )
    else:
        try:
            words = shlex.split(line)
        except ValueError:
            return False
        if (
            shlex.join(words) != line
        ):  # What a shell would expand, or a second command.
            return False
    rest = _after_program(words)
    if (
        rest is None
        or rest[:1] != ["snapshot"]
        or rest[1:2] not in (["begin"], ["end"])
        or rest[2:3] != ["--hook"]
    ):
        return False
    options = rest[3:]
    return len(options) % 2 == 0 and all(
        option in ("--actor", "--guard", "--state-dir")
        for option in options[::2]
    )


def is_own_hook(hook: Any) -> bool:
    """Return True for a hook, or a group of hooks, each of which is one of ours."""
    if not isinstance(hook, Mapping):
        return False
    inner = hook.get("hooks")
    if isinstance(inner, list):
        return bool(inner) and all(map(is_own_hook, inner))
    line = hook.get("command")
    return isinstance(line, str) and is_own_hook_line(line)


def find_foreign_hook_lines(value: Any) -> Iterator[str]:
    """Yield the strings of a configuration that look like hooks of ours and are not."""
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

    They start filewright by its path, its name or uvx, with and without the guard.
    """
    for guard in (options.guard, not options.guard):
        for uvx, shared in (
            (options.uvx, options.shared),
            (False, False),
            (False, True),
            (True, False),
            (True, True),
        ):
            yield ServerOptions(
                options.roots,
                options.read_only,
                options.dialect,
                uvx,
                shared,
                guard,
            )


def _after_program(words: Sequence[str]) -> list[str] | None:
    """Return what follows the words that start filewright; None if they start something else."""
    if not words:
        return None
    name = PureWindowsPath(words[0]).stem  # It takes slashes of both kinds.
    if name == "filewright":
        return [*words[1:]]
    if [name, *words[1:2]] == ["uvx", "filewright"]:
        return [*words[2:]]
    if name.startswith("python") and [
        word for word in words[1:4] if word != "-P"
    ][:2] == [
        "-m",
        "filewright",
    ]:
        return [*words[1:]][words[1:].index("filewright") + 1 :]
    return None
