"""Files that still refer to a moved symbol in its old file."""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from filewright.boundary.location import Location
from filewright.search.pattern import compile_pattern
from filewright.search.tree import TreeSearch
from filewright.search.tree_options import TreeOptions
from filewright.structure.references import References
from filewright.tools.best_effort import best_effort
from filewright.tools.context import Context
from filewright.tools.edit_moves import MovedSymbol

# Files that are searched, and bytes of each.
_MAX_SEARCHED_FILES: Final = 1_000
_MAX_SEARCHED_BYTES: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class StillUsed:
    """A symbol that was moved out of `path`, with the files that take it from there."""

    name: str
    path: str
    files: tuple[str, ...]


@dataclass
class _Mentions:
    """The files that mention symbols: display paths, and paths by symbol name.

    `qualified` are mentions behind a dot, an arrow or a colon, as in `module.name`.
    """

    references: References = field(default_factory=References)
    display_paths: dict[str, str] = field(default_factory=dict)
    mentioned: dict[str, set[str]] = field(
        default_factory=lambda: defaultdict(set)
    )
    qualified: dict[str, set[str]] = field(
        default_factory=lambda: defaultdict(set)
    )


def find_still_used(
    context: Context, symbols: Sequence[MovedSymbol]
) -> tuple[StillUsed, ...]:
    """Return the moved symbols that files still take from their old places.

    Files that mention a symbol are searched for a second of work at most, and their
    imports are followed.
    """
    if not symbols:
        return ()
    mentions = _find_mentions(context, symbols)
    still_used = []
    for symbol in symbols:
        users = _find_users(mentions, symbol)
        if users:
            files = sorted(mentions.display_paths[path] for path in users)
            still_used.append(
                StillUsed(symbol.name, symbol.origin.display_path, tuple(files))
            )
    return tuple(still_used)


def _find_mentions(
    context: Context, symbols: Sequence[MovedSymbol]
) -> _Mentions:
    """Return the files that mention one of the symbols, as far as the time goes."""
    mentions = _Mentions()
    names = {symbol.name for symbol in symbols}
    with best_effort(context.task) as task:
        pattern = compile_pattern(
            "|".join(names), mode="regex", case="sensitive", whole_word=True
        )
        search = TreeSearch(
            context.searcher,
            Location(symbols[0].origin.root, ()),
            pattern,
            TreeOptions(limit=_MAX_SEARCHED_FILES, output="files"),
            task=task,
        )
        for snapshot, _ in search:
            assert snapshot.location is not None
            size = min(snapshot.size, _MAX_SEARCHED_BYTES)
            _add_mentions(
                mentions, snapshot.location, snapshot.read(0, size), names
            )
    return mentions


def _add_mentions(
    mentions: _Mentions, location: Location, text: bytes, names: set[str]
) -> None:
    """Add the mentions of names in one file."""
    path = _path(location)
    mentions.display_paths[path] = location.display_path
    mentions.references.add(path, text)
    for name in names:
        signs = {*re.findall(rb"([.:>]?)\b%b\b" % name.encode(), text)}
        if signs:
            mentions.mentioned[name].add(path)
        if signs - {b""}:
            mentions.qualified[name].add(path)


def _find_users(mentions: _Mentions, symbol: MovedSymbol) -> set[str]:
    """Return the paths of the files that take a symbol from its old place."""
    references = mentions.references
    old_path = _path(symbol.origin)
    new_path = _path(symbol.destination)
    for path in (old_path, new_path):
        references.add(path, b"", counts=False)
    users = set()
    for importer in references.find_importers(old_path, symbol.name):
        is_qualified = importer.path in mentions.qualified[symbol.name]
        if importer.takes_name or is_qualified:
            users.add(importer.path)
    importers = {
        importer.path
        for importer in references.find_importers(new_path, symbol.name)
    }
    # The old file itself uses the symbol, and does not import it.
    if (
        old_path in mentions.mentioned[symbol.name]
        and old_path not in importers
    ):
        users.add(old_path)
    return users


def _path(location: Location) -> str:
    """Return a path below the root as text."""
    return os.fsdecode(b"/".join(location.parts))
