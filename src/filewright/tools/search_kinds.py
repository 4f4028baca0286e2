"""Kinds of matching lines: lines that differ only in numbers count as one kind."""

from __future__ import annotations

from dataclasses import dataclass

from filewright.search.hit_groups import HitGroup, HitGroups
from filewright.tools.search_rendering import render_kind


@dataclass(frozen=True, slots=True)
class ShownKinds:
    """The kinds of lines on a page, the rarest first, of `kind_count` kinds with `line_count` lines.

    `largest` is the most frequent kind if it is not on the page. `other_lines` are of
    kinds that were not told apart, because there are too many.
    """

    kinds: tuple[HitGroup, ...]
    kind_count: int
    line_count: int
    other_lines: int
    largest: HitGroup | None


def choose_kinds(
    kinds: HitGroups, *, max_kinds: int, max_chars: int, with_path: bool
) -> ShownKinds | None:
    """Return the rarest kinds whose rows fit in `max_chars`; None if no line matched."""
    ranked = kinds.ranked(rarest_first=True)
    if not ranked:
        return None
    shown_count = 0
    for kind in ranked[:max_kinds]:
        max_chars -= len(render_kind(kind, with_path=with_path)) + 1
        if max_chars < 0:
            break
        shown_count += 1
    largest = None
    if shown_count < len(ranked):
        largest = ranked[-1]
    return ShownKinds(
        kinds=tuple(ranked[:shown_count]),
        kind_count=len(ranked),
        line_count=kinds.lines,
        other_lines=kinds.others,
        largest=largest,
    )
