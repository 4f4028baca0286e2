"""Rotated logs as the tools take them: named by a pattern, or by one of their files."""

from __future__ import annotations

from filewright.boundary.location import Location
from filewright.errors import Code, path_error
from filewright.hints import Hint
from filewright.logs.rotated import find_members, has_wildcards
from filewright.tools.context import Context


def find_rotated(
    context: Context, location: Location, *, rotated: bool
) -> tuple[Location, ...]:
    """Return the files of a rotated log, the oldest first; none for any other path.

    A file of exactly the name wins over a pattern. Raises `not_found` if no file has a
    name that fits.
    """
    is_pattern = has_wildcards(location) and not context.exists(location)
    if not rotated and not is_pattern:
        return ()
    members = tuple(find_members(context.boundary, location, context.task))
    if not members:
        path = location.requested_path
        raise path_error(
            Code.NOT_FOUND,
            path,
            f"{path}: no file name fits",
            Hint(
                "list_files shows the files of a folder",
                shell="filewright map FOLDER shows its files",
            ),
        )
    return members
