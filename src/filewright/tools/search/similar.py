"""One fuzzy search: the most similar text of a file or a tree, on one page."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from filewright.errors import FilewrightError
from filewright.search.searcher import SimilarHits
from filewright.search.tree_options import TreeOptions
from filewright.tools.context import Context
from filewright.tools.search.arguments import require_fuzzy_arguments
from filewright.tools.search.notes import problem_notes
from filewright.tools.search.outcome import SearchOutcome
from filewright.tools.search.page import SearchPage
from filewright.wording import escape_controls, pluralize

if TYPE_CHECKING:
    from filewright.tools.search.once import SearchTarget


def search_similar(
    context: Context,
    target: SearchTarget,
    options: TreeOptions,
    page: SearchPage,
) -> SearchOutcome:
    """Search for the most similar text, by similarity, until the page is full."""
    arguments = page.arguments
    require_fuzzy_arguments(arguments)
    similar = context.searcher.search_similar(
        target.location,
        arguments.pattern or "",
        options,
        open_file=target.open_file,
        min_similarity=arguments.min_similarity,
        seconds=context.settings.fuzzy_seconds,
        task=context.task,
    )
    is_tree = target.open_file is None
    notes = similarity_notes(similar, is_tree=is_tree)
    notes += problem_notes(similar.problems)
    is_complete = similar.complete
    if arguments.output == "matches":
        left_out_count = add_similar_hits(context, similar, page)
        if left_out_count:
            is_complete = False
            notes.append(
                f"{pluralize(left_out_count, 'less similar hit')} left out"
            )
    else:
        counts = Counter(
            located.location.display_path for located in similar.hits
        )
        for path, count in counts.items():
            page.add_file(path, count)
    return replace(
        page.outcome(is_tree=is_tree),
        is_complete=is_complete,
        has_damage=bool(similar.problems),
        notes=tuple(notes),
    )


def similarity_notes(similar: SimilarHits, *, is_tree: bool) -> list[str]:
    """Return notes on equally similar hits, on the next best, and on the search."""
    notes = []
    if similar.tied > 1:
        notes.append(f"{similar.tied} places are equally similar")
    if similar.runner_up is not None:
        notes.append(f"the next best is at similarity {similar.runner_up:.2f}")
    if similar.reason:
        notes.append(escape_controls(similar.reason))
    if is_tree:
        notes.append(f"{pluralize(similar.searched, 'file')} searched")
    return notes


def add_similar_hits(
    context: Context, similar: SimilarHits, page: SearchPage
) -> int:
    """Collect similar hits; return the number of those that do not fit."""
    for index, located in enumerate(similar.hits):
        # A file that was deleted meanwhile is left out.
        with (
            suppress(FilewrightError),
            context.open_page(
                located.location, headings=False, text=True
            ) as snapshot,
        ):
            if page.add_hits(snapshot, [located.hit]) is not None:
                return len(similar.hits) - index
    return 0
