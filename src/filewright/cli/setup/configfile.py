"""Edits of the text of a client's configuration, in JSON or TOML.

JSON may have comments and trailing commas, as editors write it. An edit changes only
the value that it is about: all other characters stay. The result is parsed and compared
with the configuration that it should be, so that a form that the edit does not know is
refused and not spoiled.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from filewright.cli.setup import json_text, toml_text
from filewright.cli.setup.json_text import KeyPath


def parse_configuration(text: str, *, toml: bool = False) -> Any:
    """Return the configuration in a text; an empty text is an empty object.

    Raise `ValueError` if the text cannot be parsed.
    """
    return toml_text.parse(text) if toml else json_text.parse(text)


def set_value(
    text: str, path: KeyPath, value: Any, *, toml: bool = False
) -> str:
    """Return the text with a value at `path`.

    The value replaces another one, or is added after the values beside it. Raise
    `ValueError` if the text cannot be parsed, or has a form that is not known here.
    """
    before = parse_configuration(text, toml=toml)
    if find_value(before, path) == value:
        return text
    expected = json_text.insert_value(before, path, value)
    if toml:
        after = toml_text.set_value(text, path, value)
    else:
        after = json_text.set_value(text, path, value)
    if parse_configuration(after, toml=toml) != expected:
        raise ValueError("the entry cannot be put into it safely")
    return after


def remove_value(
    text: str, path: KeyPath, *, toml: bool = False, kept_levels: int = 0
) -> str:
    """Return the text without the value at `path`, and without objects that become empty.

    The `kept_levels` outermost objects around the value stay. Raise `ValueError` if the
    text cannot be parsed, or has a form that is not known here.
    """
    before = parse_configuration(text, toml=toml)
    value = find_value(before, path)
    if value is None:
        return text
    if toml:
        after = toml_text.remove_table(text, path)
    else:
        after = json_text.remove_value(text, path, kept_levels)
    # With the value put back, the result must be the original configuration.
    remainder = parse_configuration(after, toml=toml)
    if json_text.insert_value(remainder, path, value) != before:
        raise ValueError("the entry cannot be taken out of it safely")
    return after


def set_members(
    text: str,
    path: Sequence[str],
    members: Mapping[str, Any],
    *,
    toml: bool = False,
) -> str:
    """Return the text with these members in the object at `path`.

    Other members of the object stay. Raise `ValueError` as `set_value` does.
    """
    names = [*members]
    if toml:
        # A new value becomes the first of its table.
        names.reverse()
    for name in names:
        text = set_value(text, (*path, name), members[name], toml=toml)
    return text


def find_value(configuration: Any, path: KeyPath) -> Any:
    """Return the value at `path` of a configuration, or None."""
    value = configuration
    for key in path:
        try:
            value = value[key]
        except (LookupError, TypeError):
            return None
    return value


def count_levels(configuration: Any, path: KeyPath) -> int:
    """Return the number of values along `path` that the configuration has."""
    for depth in range(len(path)):
        if find_value(configuration, path[: depth + 1]) is None:
            return depth
    return len(path)


def is_blank(text: str) -> bool:
    """Return True for JSON or TOML without values and comments."""
    return "".join(text.lstrip("\ufeff").split()) in ("", "{}")


def append_lines(text: str, lines: str) -> str:
    """Return the text with lines after an empty one.

    The last line ends with a line feed only if the text did.
    """
    return toml_text.append_lines(text, lines)
