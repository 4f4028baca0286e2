"""Names that a replacement leaves in the files that it reads, and their lines.

A pattern of code leaves those in strings and comments, and `only` those of other kinds.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from filewright.edit.overlay import Overlay
from filewright.edit.source import Source
from filewright.progress import Task
from filewright.search.matches import find_matches
from filewright.search.pattern import compile_pattern
from filewright.text.snapshot import Snapshot
from filewright.text.splice import Splice
from filewright.wording import escape_controls, join_limited, pluralize

_MAX_CHECKED_BYTES: Final = 64 << 20
"""The bytes of new texts that are searched for names."""

_MAX_COUNTED_LINES: Final = 1_000
_MAX_NAMED_LINES: Final = 3
_MAX_NAMED_FILES: Final = 3
"""The lines of a file that are counted, and the lines and files that are named."""

_NAME: Final = re.compile(r"[^\W\d]\w*(?:\.\w+)*")


def find_replaced_name(
    pattern: str, replacement: str, *, is_code: bool
) -> str | None:
    """Return the name that a pattern replaces whole, or None.

    Return None for a name that the new text has too: it stays everywhere.
    """
    name = pattern.removeprefix(r"\b").removesuffix(r"\b")
    if is_code:
        name = pattern.partition("(")[0]
    if _NAME.fullmatch(name) is None:
        return None
    if re.search(rf"\b{re.escape(name)}\b", replacement) is not None:
        return None
    return name


@dataclass(slots=True)
class LeftWords:
    """The numbers of the lines that still have a replaced name, by name and path."""

    lines_by_name: dict[str, dict[str, list[int]]] = field(default_factory=dict)
    remaining_bytes: int = _MAX_CHECKED_BYTES

    def add_file(
        self,
        snapshot: Snapshot,
        splices: Sequence[Splice],
        names: Iterable[str | None],
        task: Task,
    ) -> None:
        """Add the lines of a file with `splices` that have one of the names."""
        for name in dict.fromkeys(names):
            if name is None:
                continue
            self.remaining_bytes -= snapshot.size
            if self.remaining_bytes < 0:
                return
            result = Source(Overlay(snapshot, splices)).snapshot
            pattern = compile_pattern(name, case="sensitive", whole_word=True)
            lines: list[int] = []
            for match in find_matches(result, pattern, once=True, task=task):
                lines.append(result.lines.line_at(match.offset))
                if len(lines) == _MAX_COUNTED_LINES:
                    break
            if lines:
                paths = self.lines_by_name.setdefault(name, {})
                paths[snapshot.requested_path] = lines

    def rows(self) -> list[str]:
        """Return a row for each name that is left, with the first places."""
        rows: list[str] = []
        for name, lines_by_path in self.lines_by_name.items():
            places: list[str] = []
            for path, lines in lines_by_path.items():
                if len(lines) > _MAX_NAMED_LINES:
                    places.append(f"{path} ({pluralize(len(lines), 'line')})")
                else:
                    places.append(f"{path}:{','.join(map(str, lines))}")
            named = join_limited(places, _MAX_NAMED_FILES, noun="file")
            rows.append(
                escape_controls(f"{name} left in changed files: {named}")
            )
        return rows
