"""Parts of a log: its end, what was appended since, and its rotated files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from filewright.boundary.location import Location
from filewright.errors import FilewrightError, invalid
from filewright.hints import Hint, fill, join_words
from filewright.text.snapshot import Snapshot
from filewright.tools.context import Context
from filewright.tools.file_facts import add_damage_hint, damage_notes
from filewright.tools.read.arguments import (
    ReadArguments,
    names_place,
    require_rotated_place,
)
from filewright.tools.read.follow import (
    FollowPoint,
    choose_appended,
    end_point,
    wait_for_appended,
    with_cursor,
)
from filewright.tools.read.lines import (
    HEADING_CHARS,
    MAX_LISTED_LINES,
    read_lines,
)
from filewright.tools.read.result import FileRead
from filewright.tools.read.times import (
    choose_member_part,
    last_time,
    unsorted_error,
)
from filewright.wording import join_limited

_FOLLOWED_LINES = 10
"""The last lines that a call with `follow` shows unless it has a limit."""


def read_end(
    context: Context,
    snapshot: Snapshot,
    arguments: ReadArguments,
    max_chars: int,
) -> FileRead:
    """Read the end of a file, or the place of the call, with a cursor for what follows."""
    point = end_point(snapshot, context.task)
    if "limit" not in arguments.model_fields_set:
        arguments = arguments.model_copy(update={"limit": _FOLLOWED_LINES})
    if not names_place(arguments):
        arguments = arguments.model_copy(update={"mode": "tail"})
    result = read_lines(context, snapshot, arguments, max_chars)
    return with_cursor(result, point)


def read_appended(
    context: Context,
    location: Location,
    arguments: ReadArguments,
    max_chars: int,
) -> FileRead:
    """Read what was appended since the answer that gave the cursor."""
    point = FollowPoint.decode(arguments.cursor or "")
    parts = wait_for_appended(context, location, point, arguments.wait_seconds)
    results: list[FileRead] = []
    for part in parts:
        share = max_chars - sum(len(result.text) for result in results)
        if results and share < 2 * HEADING_CHARS:
            break
        with context.open_page(part.location, text=True) as snapshot:
            line_range = choose_appended(
                snapshot, part, arguments, context.task
            )
            if line_range is None:
                point = FollowPoint.at(snapshot, part.offset, part.line)
                continue
            result = read_lines(
                context, snapshot, arguments, share, line_range=line_range
            )
            results.append(result)
            line = 0
            if line_range.is_counted:
                line = result.end_line + 1
            end = result.end or part.offset
            point = FollowPoint.at(snapshot, end, line)
            if end < (line_range.stop or 0):
                break
    if not results:
        path = location.display_path
        text = f"[{path}: nothing was appended]"
        results = [FileRead(text, path=path, version="", size=point.offset)]
    joined = replace(
        results[-1],
        text=join_words("\n", [result.text for result in results]),
        complete=are_complete(results),
    )
    return with_cursor(joined, point)


def read_rotated(
    context: Context,
    members: Sequence[Location],
    arguments: ReadArguments,
    max_chars: int,
) -> FileRead:
    """Read lines of a rotated log: the last ones, those of a time, or the first ones.

    The parts of the answer are in the order of time; each names its file.
    """
    if arguments.follow:
        newest = arguments.model_copy(update={"rotated": False})
        with context.open_page(members[-1], text=True) as snapshot:
            return read_end(context, snapshot, newest, max_chars)
    has_time = arguments.since is not None or arguments.until is not None
    is_tail = arguments.mode == "tail" or arguments.start < 0
    require_rotated_place(arguments)
    limit = arguments.limit
    if arguments.start < 0:
        limit = min(limit, -arguments.start)
    last = last_time(context, members) if has_time else None
    results: list[FileRead] = []
    unsorted: list[str] = []
    damage: list[str] = []
    for member in reversed(members) if is_tail else members:
        share = max_chars - sum(len(result.text) for result in results)
        if limit <= 0 or share < 2 * HEADING_CHARS:
            break
        changes: dict[str, Any] = {"limit": limit}
        if is_tail:
            changes.update(mode="tail", start=1)
        with context.open_page(member, text=True) as snapshot:
            member_arguments = arguments.model_copy(update=changes)
            line_range = None
            if has_time:
                part = choose_member_part(
                    context, snapshot, member_arguments, last
                )
                if not part.is_sorted:
                    unsorted.append(member.display_path)
                line_range = part.line_range
                if line_range is None:
                    damage += damage_notes(snapshot)
                    continue
            result = read_lines(
                context,
                snapshot,
                member_arguments,
                share,
                line_range=line_range,
            )
        limit -= result.lines_returned
        results.append(result)
    if not results:
        error = no_lines_error(arguments, unsorted)
        add_damage_hint(error, damage)
        raise error
    if is_tail:
        results.reverse()
    names = join_limited(
        [member.display_path for member in members], MAX_LISTED_LINES
    )
    texts = [result.text for result in results]
    texts += unsorted_notes(unsorted)
    texts += [f"[{note}]" for note in damage]
    texts.append(f"[the files of the log, oldest first: {names}]")
    return replace(
        results[-1],
        text=join_words("\n", texts),
        content="\n".join(result.content for result in results),
        complete=False if damage else are_complete(results),
        lines_returned=sum(result.lines_returned for result in results),
    )


def are_complete(results: Sequence[FileRead]) -> bool | None:
    """Return False if a file that was read is damaged, else None."""
    for result in results:
        if result.complete is False:
            return False
    return None


def no_lines_error(
    arguments: ReadArguments, unsorted: Sequence[str]
) -> FilewrightError:
    """Return the error for a rotated log without lines of the times of a call."""
    if unsorted:
        return unsorted_error(
            join_limited(unsorted, MAX_LISTED_LINES), arguments
        )
    return invalid(
        f"{arguments.path}: no file of this log has entries of that time",
        "search_content with rotated=true finds text in all of them",
        argument="since",
    )


def unsorted_notes(unsorted: Sequence[str]) -> list[str]:
    """Return a note on the files that are left out since their times are not in order."""
    if not unsorted:
        return []
    names = join_limited(unsorted, MAX_LISTED_LINES)
    search = Hint("search_content", shell="filewright search")
    return [
        fill(
            "[left out, since their times are not in order: {}; {} finds "
            "lines there]",
            names,
            search,
        )
    ]
