"""Entries below a folder with the names that lead to them, and their order in a tree."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from filewright.dialects.call import Call
from filewright.tools.listing import ListedEntry


@dataclass(frozen=True, slots=True)
class PlacedEntry:
    """An entry with the names that lead to it from the listed folder."""

    parts: tuple[bytes, ...]
    entry: ListedEntry


def place_entries(
    call: Call, folder: str, entries: Iterable[ListedEntry]
) -> list[PlacedEntry]:
    """Return entries below `folder` with the names that lead to them."""
    return [
        PlacedEntry(call.parts_below(folder, entry.path), entry)
        for entry in entries
    ]


def sort_folders_first(
    entries: Iterable[PlacedEntry],
    fold: Callable[[bytes], str | bytes] = bytes,
) -> list[PlacedEntry]:
    """Return entries with the entries below each after it, folders before the rest.

    Names are compared as `fold` returns them.
    """

    def key_of(
        placed_entry: PlacedEntry,
    ) -> list[tuple[bool, str | bytes, bytes]]:
        *folders, name = placed_entry.parts
        # Of names that fold alike, the bytes decide, so that the order is always the same.
        key = [(False, fold(folder), folder) for folder in folders]
        key.append((placed_entry.entry.type != "folder", fold(name), name))
        return key

    return sorted(entries, key=key_of)
