"""The edits that the arguments of clients' own edit tools describe.

Each client has its own names for the same few arguments: a path, a text and its
replacement, a list of such pairs, the content of a whole file, a patch. All
names are accepted from every client, because a new version or a new client
mostly uses known ones.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from filewright.recording.json_fields import first_text


@dataclass(frozen=True, slots=True)
class RequestedReplacement:
    """A text that the tool was told to replace, once or everywhere."""

    search: str
    replacement: str
    is_everywhere: bool = False


@dataclass(frozen=True, slots=True)
class WholeText:
    """A text that the tool was told to write as the whole file."""

    content: str


@dataclass(frozen=True, slots=True)
class PatchText:
    """A patch that the tool was told to apply, and its name for the file."""

    patch: str
    name: str


ToolEdit = tuple[RequestedReplacement, ...] | WholeText | PatchText


_PATHS = ("file_path", "filePath", "notebook_path", "absolute_path", "path")
_SEARCHES = (
    "old_string",
    "oldString",
    "old_str",
    "oldStr",
    "old_text",
    "oldText",
)
_REPLACEMENTS = (
    "new_string",
    "newString",
    "new_str",
    "newStr",
    "new_text",
    "newText",
)
_EVERYWHERE = ("replace_all", "replaceAll", "allow_multiple")
_CONTENTS = ("content", "contents", "file_text", "fileText")
_LISTS = ("edits", "replacements")
_PATCHES = ("patchText", "patch", "input", "command")
_IN_PATCH = re.compile(r"(?m)^\*\*\* (?:Add|Update|Delete) File: (.*\S)")


def read_tool_edits(arguments: Mapping[str, Any]) -> dict[str, ToolEdit | None]:
    """Return the edit of each file that a tool's arguments name.

    Paths are as in the arguments. The edit of a file is None if the arguments
    describe it in an unknown form.
    """
    path = first_text(arguments, _PATHS)
    if path is None:
        patch_edits = _read_patch(arguments)
        if patch_edits:
            return patch_edits
    item_edits = _read_items(arguments, path)
    if item_edits:
        return item_edits
    if path is None:
        return {}
    replacement = _read_replacement(arguments)
    if replacement is not None:
        return {path: (replacement,)}
    content = first_text(arguments, _CONTENTS, is_empty_allowed=True)
    return {path: None if content is None else WholeText(content)}


def _read_patch(arguments: Mapping[str, Any]) -> dict[str, ToolEdit | None]:
    """Return the edits of the files that a patch among the arguments names."""
    for name in _PATCHES:
        text = arguments.get(name)
        if isinstance(text, str):
            paths = _IN_PATCH.findall(text)
            if paths:
                return {path: PatchText(text, path) for path in paths}
    return {}


def _read_items(
    arguments: Mapping[str, Any], path: str | None
) -> dict[str, ToolEdit | None]:
    """Return the edits of a list, each of `path` or of a path of its own."""
    replacements: dict[str, list[RequestedReplacement]] = {}
    unknown: set[str] = set()
    for item in _items(arguments):
        item_path = first_text(item, _PATHS) or path
        if item_path is None:
            continue
        replacements.setdefault(item_path, [])
        replacement = _read_replacement(item)
        if replacement is None:
            unknown.add(item_path)
        else:
            replacements[item_path].append(replacement)
    # Of a file with one edit in an unknown form, no edit is certain.
    return {
        item_path: None if item_path in unknown else tuple(known)
        for item_path, known in replacements.items()
    }


def _items(arguments: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the list of edits among the arguments."""
    for name in _LISTS:
        items = arguments.get(name)
        if isinstance(items, list) and items:
            return [item for item in items if isinstance(item, dict)]
    return []


def _read_replacement(item: Mapping[str, Any]) -> RequestedReplacement | None:
    """Return the replacement that arguments describe, or None."""
    search = first_text(item, _SEARCHES)
    replacement = first_text(item, _REPLACEMENTS, is_empty_allowed=True)
    if search is None or replacement is None:
        return None
    is_everywhere = any(item.get(name) is True for name in _EVERYWHERE)
    return RequestedReplacement(search, replacement, is_everywhere)
