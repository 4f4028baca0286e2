"""The kinds of matching lines on a page: the rarest, and the most frequent."""

from __future__ import annotations

from filewright.hints import Hint
from filewright.search.hit_groups import HitGroups
from filewright.tools.search.arguments import SearchArguments
from filewright.tools.search.outcome import ShownKinds
from filewright.tools.search.rendering import render_kind

MAX_KINDS = 20
MAX_KINDS_CHARS = 1_500
"""The limits of kinds without `max_results`."""

MAX_PROPOSED_KINDS = 100
"""About the number of kinds that fit on a page."""

MIN_KINDS_OF_ROWS = 5
"""Fewer kinds of rows say as much as the values of a column."""


def choose_kinds(
    kinds: HitGroups,
    arguments: SearchArguments,
    *,
    max_chars: int,
    with_path: bool,
) -> ShownKinds | None:
    """Return the rarest and the most frequent kinds whose rows fit in `max_chars`.

    Return None if no line matched.
    """
    ranked = kinds.ranked(rarest_first=True)
    if not ranked:
        return None
    max_kinds = arguments.max_results
    is_default = "max_results" not in arguments.model_fields_set
    if is_default:
        max_kinds = MAX_KINDS
        max_chars = min(max_chars, MAX_KINDS_CHARS)
    rare_count = frequent_count = 0
    for number in range(min(max_kinds, len(ranked))):
        is_rare = number % 2 == 0
        index = rare_count if is_rare else -1 - frequent_count
        row = render_kind(ranked[index], with_path=with_path)
        max_chars -= len(row) + 1
        if max_chars < 0:
            break
        if is_rare:
            rare_count += 1
        else:
            frequent_count += 1
    frequent = ranked[len(ranked) - frequent_count :]
    proposed_count = min(len(ranked), MAX_PROPOSED_KINDS)
    return ShownKinds(
        kinds=(*ranked[:rare_count], *frequent),
        kind_count=len(ranked),
        line_count=kinds.lines,
        other_lines=kinds.others,
        proposed_count=proposed_count if is_default else None,
    )


def propose_column(kinds: ShownKinds, column: str) -> tuple[str, ...]:
    """Return a hint on counting rows by a column, if their kinds are many."""
    if kinds.kind_count < MIN_KINDS_OF_ROWS:
        return ()
    hint = Hint(
        f'by="{column}" counts these rows by a field',
        shell=f"--where {column}=VALUE takes these rows by a field",
    )
    return (hint,)
