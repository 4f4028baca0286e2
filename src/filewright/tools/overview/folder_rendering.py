"""The text of the map of a folder."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from filewright.hints import Hint
from filewright.tools.bounded_text import BoundedText, clip
from filewright.wording import format_size, join_limited, pluralize

if TYPE_CHECKING:
    from filewright.structure.references import CentralFile
    from filewright.tools.overview.folder import (
        DetailedFile,
        FolderNode,
        FolderSurvey,
    )

MAX_LISTED = 8
MAX_PATHS_CHARS = 900
MAX_SHOWN_FOLDERS = 24
MAX_SHOWN_NAMES = 12
MAX_NAMES_CHARS = 400
MAX_SHOWN_SYMBOLS = 10
MAX_SYMBOLS_CHARS = 300
MAX_SHOWN_LANGUAGES = 3

# The tree comes behind the central files, and one line behind the tree.
RESERVED_FOR_TREE = 1_500
RESERVED_BEHIND_TREE = 200


def render_folder_map(
    path: str,
    survey: FolderSurvey,
    *,
    entries: Sequence[str],
    central_files: Sequence[CentralFile],
    detailed_files: Sequence[DetailedFile] | None,
    max_chars: int,
) -> str:
    """Return the map of a folder: what it has, where to begin, and its tree or its files.

    `detailed_files` are the files of a small folder, or None.
    """
    text = BoundedText(max_chars)
    text.add(render_heading(path, survey))
    if not survey.top.file_count:
        text.add("(no files)" if survey.top.folders else "(empty folder)")
    tests = [
        f"{folder} ({pluralize(count, 'file')})"
        for folder, count in survey.tests.most_common()
    ]
    add_paths(text, "read first", survey.read_first)
    add_paths(text, "manifests", list(survey.manifests))
    add_paths(text, "entry points", entries)
    add_paths(text, "tests", tests)
    if central_files:
        text.add("", "most used (by how many files), with the used names:")
        text.extend(
            render_central_files(central_files), reserve=RESERVED_FOR_TREE
        )
    if detailed_files is not None:
        rows = [render_detailed_file(file) for file in detailed_files]
    else:
        rows = list(render_tree(survey.top))
    if rows:
        text.add("")
    rows_left_out = text.extend(rows, reserve=RESERVED_BEHIND_TREE)
    if rows_left_out or not survey.is_complete:
        text.add(
            Hint(
                "[cut; get_overview of a subfolder shows more, list_files all "
                "names]",
                shell="[cut; filewright map FOLDER shows more of a subfolder]",
            )
        )
    return text.text()


def render_heading(path: str, survey: FolderSurvey) -> str:
    """Return the path of a folder, its size and its languages."""
    parts = [
        f"{pluralize(survey.top.file_count, 'file')}, {format_size(survey.top.size)}"
    ]
    languages = [
        f"{name} {count}"
        for name, count in survey.languages.most_common(MAX_LISTED)
    ]
    if languages:
        parts.append(", ".join(languages))
    return f"{path}/: {'; '.join(parts)}"


def add_paths(text: BoundedText, heading: str, paths: Sequence[str]) -> None:
    """Add the first paths of one kind, if there are any."""
    if paths:
        listed = join_limited(paths, MAX_LISTED)
        text.add(clip(f"{heading}: {listed}", MAX_PATHS_CHARS))


def render_central_files(files: Sequence[CentralFile]) -> Iterator[str]:
    """Yield a line for each file that others refer to."""
    for file in files:
        row = f"  {file.path} ({file.used_by})"
        if file.names:
            row += f": {', '.join(file.names)}"
        yield row


def render_detailed_file(file: DetailedFile) -> str:
    """Return the path of a file with the names that it defines."""
    if not file.names:
        return file.path
    names = clip(join_limited(file.names, MAX_SHOWN_SYMBOLS), MAX_SYMBOLS_CHARS)
    return f"{file.path}: {names}"


def render_tree(top: FolderNode) -> Iterator[str]:
    """Yield the folders as a tree; some show their inner folders and their files."""
    opened_paths = choose_opened(top)
    pending = [(0, top)]
    while pending:
        depth, folder = pending.pop()
        if folder is not top:
            yield render_folder(folder, depth)
        if folder.path in opened_paths:
            if folder is not top and folder.names:
                yield f"{'  ' * depth}{render_names(folder)}"
            # The first of them is the next to be taken.
            for inner in sorted(
                folder.folders, key=lambda node: node.rank, reverse=True
            ):
                pending.append((depth + 1, inner))
    if top.names:
        yield render_names(top)


def choose_opened(top: FolderNode) -> set[str]:
    """Return the paths of the folders that are opened: those with most code, as rows allow."""
    opened_paths = {top.path}
    row_count = len(top.folders)
    pending = [(folder.rank, folder) for folder in top.folders]
    heapq.heapify(pending)
    while pending and row_count < MAX_SHOWN_FOLDERS:
        _, folder = heapq.heappop(pending)
        inner_rows = len(folder.folders)
        if folder.names:
            inner_rows += 1
        if inner_rows and row_count + inner_rows <= 2 * MAX_SHOWN_FOLDERS:
            opened_paths.add(folder.path)
            row_count += inner_rows
            for inner in folder.folders:
                heapq.heappush(pending, (inner.rank, inner))
    return opened_paths


def render_folder(folder: FolderNode, depth: int) -> str:
    """Return the line of a folder: its name, and the count of its files by language."""
    counts = ", ".join(
        f"{language} {count}"
        for language, count in folder.languages.most_common(MAX_SHOWN_LANGUAGES)
    )
    if folder.code_count != folder.file_count:
        files = pluralize(folder.file_count, "file")
        counts = f"{files}; {counts}" if counts else files
    name = folder.path.rpartition("/")[2]
    return f"{'  ' * (depth - 1)}{name}/ {counts}"


def render_names(folder: FolderNode) -> str:
    """Return the names of the first files in a folder."""
    return clip(
        join_limited(folder.names, MAX_SHOWN_NAMES, " "), MAX_NAMES_CHARS
    )
