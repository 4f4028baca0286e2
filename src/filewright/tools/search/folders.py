"""Counts of matching lines by folder: equal counts of many folders share a row."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from filewright.tools.search.result import FolderCount, MatchedFile
from filewright.tools.search.tree import join_paths, split_common, split_path
from filewright.wording import escape_controls, pluralize

MAX_FOLDER_ROWS = 15
MIN_EQUAL_FOLDERS = 4
"""So many folders with equal counts share a row."""

MAX_NAMES_CHARS = 120
"""Names of folders with equal counts that take more characters are left out."""


def count_by_folder(files: Sequence[MatchedFile]) -> tuple[FolderCount, ...]:
    """Return the counts of the files in each folder, the largest first.

    A file that is alone in its folder is named.
    """
    files_by_folder: dict[str, list[MatchedFile]] = {}
    for file in files:
        folder, name = split_path(file.path)
        # A part of a path in quotes would not be a path.
        place = name if name.startswith('"') else folder or "./"
        files_by_folder.setdefault(place, []).append(file)
    folders = [
        FolderCount(
            path=members[0].path if len(members) == 1 else place,
            files=len(members),
            lines=sum(file.count or 0 for file in members),
        )
        for place, members in files_by_folder.items()
    ]
    return tuple(sorted(folders, key=lambda folder: -folder.lines))


def render_folders(folders: Sequence[FolderCount]) -> Iterator[str]:
    """Yield a row for each folder with its count, for the first of many.

    Folders with equal counts share a row: ``packages/*/package.json: 1 each in 64 files``.
    """
    groups: dict[tuple[int, int], list[FolderCount]] = {}
    for folder in folders:
        groups.setdefault((folder.lines, folder.files), []).append(folder)
    rows: list[tuple[FolderCount, ...]] = []
    for group in groups.values():
        is_quoted = any(folder.path.startswith('"') for folder in group)
        if len(group) >= MIN_EQUAL_FOLDERS and not is_quoted:
            rows.append(tuple(group))
        else:
            rows += [(folder,) for folder in group]
    rows.sort(key=lambda row: -row[0].lines * len(row))
    for row in rows[:MAX_FOLDER_ROWS]:
        yield _render_equal(row)
    rest = [folder for row in rows[MAX_FOLDER_ROWS:] for folder in row]
    if rest:
        lines = sum(folder.lines for folder in rest)
        files = pluralize(sum(folder.files for folder in rest), "file")
        yield f"{pluralize(len(rest), 'more folder')}: {lines:,} in {files}"


def _render_equal(folders: Sequence[FolderCount]) -> str:
    """Return the row of folders, or of files alone in theirs, with equal counts."""
    lines, files = folders[0].lines, folders[0].files
    path = escape_controls(folders[0].path)
    if len(folders) == 1:
        place = "" if files == 1 else f" in {pluralize(files, 'file')}"
        return f"{path}: {lines:,}{place}"
    noun = pluralize(len(folders), "file" if files == 1 else "folder")
    paths = [escape_controls(folder.path) for folder in folders]
    place = join_paths(paths)
    if len(place) > MAX_NAMES_CHARS:
        place = common_pattern(paths)
    return f"{place}: {lines:,} each in {noun}"


def common_pattern(paths: Sequence[str]) -> str:
    """Return the beginning and the end that paths have in common, with a star between them.

    For example ``packages/*/package.json``; two stars stand for several folders.
    """
    common = split_common(paths)
    star = "*"
    if any("/" in middle for middle in common.middles):
        star = "**"
    return common.beginning + star + common.ending
