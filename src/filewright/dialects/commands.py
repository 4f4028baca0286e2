"""Steps of tools whose first argument is a command: line ranges, listings, insertions."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AfterValidator, Field

from filewright.dialects.call import MAX_ENTRIES, Call
from filewright.errors import Code, FilewrightError, path_error
from filewright.settings import Settings
from filewright.tools.listing import ListedEntry
from filewright.tools.read.result import FileRead

NOTE_CHARACTERS = 100
"""The characters of an answer that are reserved for the note on the rest of a file."""

_ALL_LINES = 1_000_000_000
"""More lines than a file has; the limits of an answer decide."""

_LISTED_LEVELS = 2
_MAX_EARLIER_CHANGES = 200
"""Changes of a file among which one that is not undone is looked for."""

_OMITTED_FOLDERS = ("node_modules/",)


def check_view_range(view_range: list[int]) -> list[int]:
    """Return a range of lines. Raise `ValueError` for one that has no line."""
    start, end = view_range
    if start < 1 or (end != -1 and end < start):
        raise ValueError(
            "give [first, last] with 1 <= first <= last, or [first, -1]"
        )
    return view_range


ViewRange = Annotated[
    list[int],
    Field(
        min_length=2,
        max_length=2,
        description="[first, last] line, from 1; -1 is the end of the file.",
    ),
    AfterValidator(check_view_range),
]


def require_arguments(
    command: str, arguments: object, names: tuple[str, ...]
) -> None:
    """Raise `ValueError` if an argument that a command needs is missing."""
    for name in names:
        if getattr(arguments, name) is None:
            raise ValueError(f"{command} needs {name}")


def is_folder(call: Call, path: str) -> bool:
    """Return True if a path leads to a folder. Raise `not_found` if it leads nowhere."""
    return call.target_status(path).kind == "folder"


def read_range(call: Call, path: str, view_range: list[int] | None) -> FileRead:
    """Return the lines of a file that are in the range and fit in an answer."""
    start, end = view_range or (1, -1)
    limit = _ALL_LINES if end == -1 else end - start + 1
    try:
        return call.read(path, start=start, limit=limit)
    except FilewrightError as error:
        # Only the error for a line behind the end knows how many lines there are.
        line_count = error.details.get("line_count")
        if line_count is None:
            raise
        raise with_message(
            error,
            f"view_range starts at line {start}, "
            f"and the file has {line_count} lines",
        ) from error


def next_line(file: FileRead, view_range: list[int] | None) -> int | None:
    """Return the first line that did not fit, or None if the range is complete."""
    end = -1 if view_range is None else view_range[1]
    is_complete = end != -1 and file.end_line >= end
    if file.next is None or is_complete:
        return None
    return file.end_line + 1


def list_two_levels(call: Call, path: str) -> tuple[ListedEntry, ...]:
    """Return the entries of two levels, without hidden ones and `node_modules`."""
    listing = call.for_listing().list_files(
        path,
        depth=_LISTED_LEVELS,
        details=True,
        include_hidden=False,
        include_ignored=True,
        exclude=_OMITTED_FOLDERS,
        limit=MAX_ENTRIES,
    )
    return listing.entries


def insert_after_line(call: Call, path: str, line: int, text: str) -> None:
    """Insert text after a line as the file is now; line 0 is its beginning."""
    # The commands name no version. A save between this read and the edit is refused
    # as stale instead of moving the line.
    version = call.read(path, limit=1).version
    call.edit(
        path,
        [{"at": {"after": line}, "replace": text}],
        expected_version=version,
    )


def undo_newest_edit(call: Call, path: str) -> None:
    """Undo the newest change of a file that is not undone yet. Raise `not_found` without one."""
    undone_ids: set[str] = set()
    for change in call.get_history(path, limit=_MAX_EARLIER_CHANGES).changes:
        # An undo that was itself undone has no effect on what is left.
        if change.change_id in undone_ids:
            continue
        if change.reverts:
            undone_ids.update(change.reverts)
        else:
            # The change may have other files, which the command does not name.
            call.revert_edit(change.change_id, path=path)
            return
    raise path_error(
        Code.NOT_FOUND,
        path,
        f"No edit history found for {path}.",
    )


def view_limits(settings: Settings) -> dict[str, Any]:
    """Return the settings of a dialect of commands: a view is as long as an answer may be."""
    characters = settings.hard_chars - NOTE_CHARACTERS
    return {
        "page_chars": characters,
        "line_chars": characters,
        # The documented answers are texts.
        "image_bytes": 0,
    }


def with_message(
    error: FilewrightError, message: str, hint: str | None = None
) -> FilewrightError:
    """Return an error with the words of a vendor's documentation."""
    return FilewrightError(error.code, message, hint, details=error.details)
