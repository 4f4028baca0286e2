"""The tool `get_overview`: a file without its text, or the map of a folder."""

from __future__ import annotations

from filewright.errors import invalid
from filewright.tools.batch import check_count
from filewright.tools.context import Context
from filewright.tools.overview.arguments import (
    OverviewArguments,
    require_ranges,
)
from filewright.tools.overview.file import describe_file
from filewright.tools.overview.folder import map_folder
from filewright.tools.overview.result import (
    FolderMap,
    ManyOverviews,
    OverviewResult,
)
from filewright.tools.several import join_texts, run_for_each
from filewright.tools.tool import Tool

# The overview of one of several paths has at least so many characters.
MIN_CHARS = 300


def get_overview(
    context: Context, arguments: OverviewArguments
) -> OverviewResult | FolderMap | ManyOverviews:
    """Return the overview of a file, the map of a folder, or either of several paths."""
    if arguments.path is not None and arguments.paths is not None:
        raise invalid(
            "get_overview takes either path or paths",
            "give path for one file or folder, paths for several",
            argument="path",
        )
    max_chars = context.settings.page_chars
    if arguments.paths is None:
        path = arguments.path or "."
        return describe_path(context, arguments, path, max_chars)
    paths = arguments.paths
    check_count(context, paths)
    overviews = run_for_each(
        paths,
        max_chars,
        lambda number, share: describe_path(
            context, arguments, paths[number], max(MIN_CHARS, share)
        ),
        "{}: {}",
    )
    return ManyOverviews(
        join_texts(overviews, paths, max_chars), overviews=tuple(overviews)
    )


def describe_path(
    context: Context,
    arguments: OverviewArguments,
    path: str,
    max_chars: int,
) -> OverviewResult | FolderMap:
    """Return the overview of a file, or the map of a folder."""
    location = context.boundary.locate(path)
    if arguments.folders and context.boundary.stat(location).kind == "folder":
        return map_folder(context, location)
    require_ranges(arguments)
    return describe_file(context, location, arguments, max_chars)


GET_OVERVIEW = Tool(
    name="get_overview",
    title="Overview of a file or a folder",
    description=(
        "Map a folder: languages, entry points, key files. Outline a file: "
        "encoding, symbols, syntax errors, merge conflicts, changes since git "
        "HEAD. Summarize logs and tables."
    ),
    toolset="read",
    arguments=OverviewArguments,
    run=get_overview,
)
