"""Replacements of a call: their patterns, new texts and conditions, ready to be applied."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from filewright.boundary.location import Location
from filewright.edit.replacements import (
    Replacement,
    compile_replacement,
)
from filewright.edit.row_values import RowChange
from filewright.errors import invalid
from filewright.logs.selection import EntrySelection
from filewright.search.pattern import Pattern, compile_pattern
from filewright.search.tree_options import TreeOptions
from filewright.tools.batch import naming_item
from filewright.tools.context import Context
from filewright.tools.replace.arguments import (
    ReplaceArguments,
    split_replacements,
)
from filewright.tools.replace.left_words import find_replaced_name
from filewright.tools.replace.rows import (
    build_row_change,
    describe_row_change,
    select_rows,
)
from filewright.tools.syntax_filter import (
    SyntaxFilter,
    combine_kinds,
    syntax_notes,
)


@dataclass(frozen=True, slots=True)
class ReplaceItem:
    """One of the replacements of a call; `only` are the words of that argument.

    `replaced_name` is the name that it replaces in some kinds of syntax only, or None.
    """

    location: Location
    pattern: Pattern
    replacement: Replacement
    options: TreeOptions
    summary: str
    selection: EntrySelection | None = None
    row_change: RowChange | None = None
    only: tuple[str, ...] = ()
    syntax_filter: SyntaxFilter | None = None
    replaced_name: str | None = None

    @property
    def syntax_notes(self) -> list[str]:
        """Notes on the matches that `only` left out."""
        if self.syntax_filter is None:
            return []
        return syntax_notes(self.syntax_filter.files, self.only)


def compile_items(
    context: Context, arguments: ReplaceArguments
) -> list[ReplaceItem]:
    """Return the replacements of a call. Raise for a pattern that is not valid."""
    requests = split_replacements(arguments)
    items: list[ReplaceItem] = []
    for index, request in enumerate(requests):
        with naming_item(index, len(requests)):
            items.append(_compile_item(context, request))
    return items


def _compile_item(context: Context, request: ReplaceArguments) -> ReplaceItem:
    """Return one replacement of a call."""
    selection = select_rows(request.where, request.case)
    row_change = build_row_change(selection, request.set)
    summary = f"{request.pattern!r} by {request.replacement!r}"
    syntax_filter = None
    replaced_name = None
    if row_change is not None:
        if request.only is not None:
            raise invalid(
                "only needs a pattern, and set has none",
                "leave out only or set",
                argument="only",
            )
        pattern = compile_pattern("^", mode="regex")
        replacement = Replacement(())
        summary = describe_row_change(request.where, row_change.values)
    else:
        pattern = compile_pattern(
            request.pattern or "",
            mode=request.mode,
            case=request.case,
            whole_word=request.whole_word,
            multiline=request.multiline,
            max_chars=context.settings.max_pattern_chars,
        )
        replacement = compile_replacement(request.replacement or "", pattern)
        if request.only is not None:
            syntax_filter = SyntaxFilter(
                context.outlines,
                combine_kinds(request.only),
                is_code_pattern=pattern.code is not None,
            )
        is_code = pattern.code is not None
        if selection is None and (is_code or syntax_filter is not None):
            replaced_name = find_replaced_name(
                pattern.text, request.replacement or "", is_code=is_code
            )
        if selection is not None:
            selection = replace(selection, has_pattern=True)
    options = TreeOptions(
        # One file more than allowed is enough to refuse the call.
        limit=request.max_files + 1,
        output="files",
        glob=request.glob,
        include_ignored=request.include_ignored,
    )
    return ReplaceItem(
        location=context.boundary.locate(request.path),
        pattern=replace(pattern, selector=syntax_filter),
        replacement=replacement,
        options=options,
        summary=summary,
        selection=selection,
        row_change=row_change,
        only=tuple(request.only or ()),
        syntax_filter=syntax_filter,
        replaced_name=replaced_name,
    )


def is_of_rows(items: Sequence[ReplaceItem]) -> bool:
    """Return True if all items change rows, so that the counts are of rows."""
    return all(item.row_change is not None for item in items)
