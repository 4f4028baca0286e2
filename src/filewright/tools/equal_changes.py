"""Equal replacements of lines in several places, each shown once below its places."""

from __future__ import annotations

from collections.abc import Sequence

from filewright.edit.diff import FileDiff

# The places of each replacement by path, and the replacement as rows of a diff.
_PlacesByRows = dict[str, dict[str, list[int]]]


def group_equal_changes(files: Sequence[FileDiff]) -> str:
    """Return whole diffs with equal replacements of a line as one, or "".

    It is "" unless every hunk replaces lines by as many others in place.
    """
    places_by_rows: _PlacesByRows = {}
    for file in files:
        if not _add_replacements(file, places_by_rows):
            return ""
    texts: list[str] = []
    path = ""
    for rows, places in places_by_rows.items():
        headings: list[str] = []
        for name, lines in places.items():
            numbers = ",".join(map(str, lines))
            # A path is not repeated for the lines below each other.
            is_next = [*places] == [path]
            headings.append(numbers if is_next else f"{name}:{numbers}")
        path = [*places][-1]
        texts.append(f"{', '.join(headings)}:\n{rows}")
    return "".join(texts)


def _add_replacements(file: FileDiff, places_by_rows: _PlacesByRows) -> bool:
    """Add the replaced lines of a file; return False for other changes."""
    if file.has_new_header or file.remark or not file.hunks:
        return False
    for hunk in file.hunks:
        for part in hunk.narrow(0):
            removed = [row for row in part.rows if row.sign == "-"]
            added = [row for row in part.rows if row.sign == "+"]
            if part.old != part.new or len(removed) != len(added):
                return False
            for line, (old, new) in enumerate(
                zip(removed, added, strict=True), part.new
            ):
                rows = old.diff_text + new.diff_text
                places = places_by_rows.setdefault(rows, {})
                places.setdefault(file.path, []).append(line)
    return True
