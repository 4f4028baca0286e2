"""Who still takes a symbol from the file that it was moved out of: what the answer to a move names."""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from filewright.boundary import Location
from filewright.search import TreeOptions, TreeSearch, compile_pattern
from filewright.structure import References
from filewright.tools.context import Context, spare_time

_FILES = 1_000
_LOOKED_AT = 1 << 20


@dataclass(frozen=True, slots=True)
class StillUsed:
    """A symbol that was moved out of the file `path`, and `files` that import or use it as if it were there."""

    name: str
    path: str
    files: tuple[str, ...]


def still_used(context: Context, moved: Sequence[tuple[str, Location, Location]]) -> tuple[StillUsed, ...]:
    """The files that take each of the symbols `moved` (its name, from where, to where) from its old place.

    What mentions a symbol is searched for, for a second of work at most, and its imports are followed.
    """
    origin, names = moved[0][1], {name for name, _, _ in moved}
    references = References()
    shown: dict[str, str] = {}
    mentioned: dict[str, set[str]] = defaultdict(set)
    dotted: dict[str, set[str]] = defaultdict(set)
    with spare_time(context.task) as task:
        pattern = compile_pattern("|".join(names), mode="regex", case="sensitive", whole_word=True)
        options = TreeOptions(limit=_FILES, output="files")
        for snapshot, _ in TreeSearch(
            context.searcher, Location(origin.root, ()), pattern, options, task=task
        ):
            assert snapshot.location is not None
            path, text = _path(snapshot.location), snapshot.read(0, min(snapshot.size, _LOOKED_AT))
            shown[path] = snapshot.location.shown
            references.add(path, text)
            for name in names:
                before_it = {*re.findall(rb"([.:>]?)\b%b\b" % name.encode(), text)}
                if before_it:
                    mentioned[name].add(path)
                if before_it - {b""}:
                    dotted[name].add(path)
    made = []
    for name, before, after in moved:
        old, new = _path(before), _path(after)
        for path in (old, new):
            references.add(path, b"", counts=False)
        users = {path for path, by_name in references.importing(old, name) if by_name or path in dotted[name]}
        if old in mentioned[name] and old not in {path for path, _ in references.importing(new, name)}:
            users.add(old)
        if users:
            files = sorted(shown[path] for path in users)
            made.append(StillUsed(name, before.shown, tuple(files)))
    return tuple(made)


def _path(location: Location) -> str:
    return os.fsdecode(b"/".join(location.parts))
