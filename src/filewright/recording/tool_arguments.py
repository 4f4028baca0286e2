"""The edits that the arguments of clients' own edit tools say.

Each client has names of its own for the same few things: a path, a text and what replaces
it, a list of such, a whole content, a patch. The names are read here as they come, for any
client: a tool of the next version, or of another client, most often uses one of them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from filewright.recording.expectation import (
    PatchText,
    TextReplacement,
    ToolEdit,
    WholeText,
)

_PATHS = ("file_path", "filePath", "notebook_path", "absolute_path", "path")
_SEARCHES = ("old_string", "oldString", "old_str", "oldStr", "old_text", "oldText")
_REPLACEMENTS = ("new_string", "newString", "new_str", "newStr", "new_text", "newText")
_EVERYWHERE = ("replace_all", "replaceAll", "allow_multiple")
_CONTENTS = ("content", "contents", "file_text", "fileText")
_LISTS = ("edits", "replacements")
_PATCHES = ("patchText", "patch", "input", "command")
_IN_PATCH = re.compile(r"(?m)^\*\*\* (?:Add|Update|Delete) File: (.*\S)")


def read_tool_edits(arguments: Mapping[str, Any]) -> dict[str, ToolEdit | None]:
    """Return the edit of each file that a tool's arguments name.

    Paths are as the arguments have them. The edit is None where the arguments name a file
    and say its edit in no form that is known.
    """
    path = _first_text(arguments, _PATHS)
    for name in _PATCHES:
        text = arguments.get(name)
        if (
            path is None
            and isinstance(text, str)
            and (named := _IN_PATCH.findall(text))
        ):
            return {each: PatchText(text, each) for each in named}
    edits: dict[str, list[TextReplacement] | None] = {}
    for item in _items(arguments):
        item_path = _first_text(item, _PATHS) or path
        if item_path is None:
            continue
        replacement = _read_replacement(item)
        known = edits.setdefault(item_path, [])
        if replacement is None or known is None:
            edits[item_path] = None
        else:
            known.append(replacement)
    if edits:
        return {each: tuple(known) if known else None for each, known in edits.items()}
    if path is None:
        return {}
    replacement = _read_replacement(arguments)
    if replacement is not None:
        return {path: (replacement,)}
    content = _first_text(arguments, _CONTENTS, is_empty_allowed=True)
    return {path: None if content is None else WholeText(content)}


def _items(arguments: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the edits of a tool that takes several."""
    for name in _LISTS:
        items = arguments.get(name)
        if isinstance(items, list) and items:
            return [item for item in items if isinstance(item, dict)]
    return []


def _read_replacement(item: Mapping[str, Any]) -> TextReplacement | None:
    """Return the replacement of a text, if the arguments have one."""
    search = _first_text(item, _SEARCHES)
    replacement = _first_text(item, _REPLACEMENTS, is_empty_allowed=True)
    if search is None or replacement is None:
        return None
    is_everywhere = any(item.get(name) is True for name in _EVERYWHERE)
    return TextReplacement(search, replacement, is_everywhere)


def _first_text(
    arguments: Mapping[str, Any],
    names: tuple[str, ...],
    *,
    is_empty_allowed: bool = False,
) -> str | None:
    """Return the first of some arguments that is a text."""
    for name in names:
        value = arguments.get(name)
        if isinstance(value, str) and (value or is_empty_allowed):
            return value
    return None
