"""The tool `list_directory`."""

from __future__ import annotations

from collections import Counter
from typing import Annotated

from pydantic import Field

from filewright.boundary.names import quote
from filewright.dialects.call import MAX_ENTRIES, Call
from filewright.dialects.entries import place_entries, sort_folders_first
from filewright.dialects.json_answers import Json, count_fitting_json
from filewright.dialects.largefile.arguments import FolderPath
from filewright.tools.arguments import Arguments

EXCLUDED_FOLDERS = ("__pycache__/", "node_modules/")

_ENVELOPE_CHARACTERS = 1_000
"""Characters of an answer beside its entries."""


class ListDirectory(Arguments):
    """Arguments of `list_directory`."""

    path: FolderPath
    max_depth: Annotated[int, Field(ge=1)] = 1
    max_entries: Annotated[int, Field(ge=1, le=10_000)] = 200
    include_hidden: bool = False


def list_directory(call: Call, arguments: ListDirectory) -> Json:
    """Return the entries of a directory, folders first on each level."""
    # One level more has the entries that a folder of the last level is said to have.
    listing = call.for_listing().list_files(
        arguments.path,
        details=True,
        include_hidden=arguments.include_hidden,
        include_ignored=True,
        exclude=EXCLUDED_FOLDERS,
        depth=arguments.max_depth + 1,
        limit=MAX_ENTRIES,
    )
    placed_entries = place_entries(call, arguments.path, listing.entries)
    child_counts = Counter(
        placed_entry.parts[:-1] for placed_entry in placed_entries
    )
    entries: list[Json] = []
    for placed_entry in sort_folders_first(placed_entries, fold=_fold):
        if len(placed_entry.parts) > arguments.max_depth:
            continue
        name = quote(b"/".join(placed_entry.parts))
        if placed_entry.entry.type == "folder":
            entry: Json = {
                "name": name,
                "type": "dir",
                "size_bytes": 0,
                "child_count": child_counts[placed_entry.parts],
            }
        else:
            entry = {
                "name": name,
                "type": "file",
                "size_bytes": placed_entry.entry.size,
                "child_count": None,
            }
        entries.append(entry)
    fitting_count = count_fitting_json(
        entries, call.max_characters - _ENVELOPE_CHARACTERS
    )
    shown_entries = entries[: min(arguments.max_entries, fitting_count)]
    is_cut = len(shown_entries) < len(entries)
    types = Counter(entry["type"] for entry in shown_entries)
    return {
        "path": arguments.path,
        "entries": shown_entries,
        "total_files": types["file"],
        "total_dirs": types["dir"],
        "truncated": is_cut or listing.next_cursor is not None,
        "truncated_at": entries[len(shown_entries)]["name"] if is_cut else None,
    }


def _fold(name: bytes) -> str:
    return quote(name).lower()
