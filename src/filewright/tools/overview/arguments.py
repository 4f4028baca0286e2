"""Arguments of `get_overview`."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from filewright.errors import invalid
from filewright.tools.arguments import RARE, Arguments


class OverviewArguments(Arguments):
    """Arguments of `get_overview`."""

    path: str | None = None
    """a file to outline, or a folder to map: languages, entry points, tests,
    the most used files, the tree; default: the first root"""
    paths: Annotated[list[str] | None, Field(min_length=1)] = None
    """several files or folders"""
    symbol: str | None = None
    """only the members of this definition, in full"""
    max_symbols: Annotated[int, Field(ge=0, le=5000), RARE] = 300
    """maximum number of symbols in the outline"""
    lines: Annotated[
        list[int] | None,
        Field(min_length=2, max_length=2, description="[first, last]"),
    ] = None
    """`[first, last]`: the outline of these lines, in full; a short outline names the lines that continue it"""
    depth: Annotated[int, Field(ge=0, le=64)] = 0
    """levels of the outline; 0: all"""
    changed_lines: Annotated[
        list[Annotated[list[int], Field(min_length=2, max_length=2)]] | None,
        Field(description="[first, last] ranges"),
        RARE,
    ] = None
    """line ranges `[first, last]`: list the symbols in them"""
    changed_kinds: SkipJsonSchema[
        list[Literal["added", "modified", "removed"]] | None
    ] = None
    since: Annotated[str | None, Field(description="git revision"), RARE] = (
        "HEAD"
    )
    """the revision of git to compare with"""
    folders: SkipJsonSchema[bool] = True
    """False: refuse a folder"""


def require_ranges(arguments: OverviewArguments) -> None:
    """Raise `invalid_input` for ranges of lines that are not in order."""
    changed_lines = arguments.changed_lines or []
    if arguments.lines is not None:
        require_range("lines", arguments.lines)
    for lines in changed_lines:
        require_range("changed_lines", lines)
    kinds = arguments.changed_kinds
    if kinds is not None and len(kinds) != len(changed_lines):
        raise invalid(
            "changed_kinds and changed_lines differ in length",
            "give both lists in the same length",
            argument="changed_kinds",
        )


def require_range(argument: str, lines: list[int]) -> None:
    """Raise `invalid_input` unless two numbers are a range of lines."""
    first, last = lines
    if not 1 <= first <= last:
        raise invalid(
            f"{argument}: [{first}, {last}] is not a range of lines",
            "give [first, last] with 1 <= first <= last",
            argument=argument,
        )
