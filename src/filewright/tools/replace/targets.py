"""Files of a replacement: where the items of a call may match."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from filewright.boundary.location import Location
from filewright.errors import (
    Code,
    FilewrightError,
)
from filewright.search.near_words import NearWords
from filewright.search.tree import TreeSearch
from filewright.tools.batch import naming_item
from filewright.tools.context import Context
from filewright.tools.replace.findings import ReplaceFindings
from filewright.tools.replace.items import ReplaceItem
from filewright.tools.search.notes import (
    left_out_notes,
    name_spelling_notes,
    skip_notes,
    spelling_notes,
)


def find_targets(
    context: Context,
    items: Sequence[ReplaceItem],
    max_files: int,
    findings: ReplaceFindings,
) -> dict[Location, list[int]]:
    """Return the files with a match, each with the indexes of the items that match.

    Raise `too_large` for more files than the caller allows.
    """
    targets: dict[Location, list[int]] = {}
    for index, item in enumerate(items):
        with naming_item(index, len(items)):
            for location in _find_files(context, item, findings):
                targets.setdefault(location, []).append(index)
                findings.files_by_item[index] += 1
    if len(targets) > max_files:
        raise FilewrightError(
            Code.TOO_LARGE,
            f"the pattern is in more than {max_files} files; nothing was changed",
            "narrow it with path or glob, or raise max_files",
            limit=max_files,
        )
    return targets


def _find_files(
    context: Context, item: ReplaceItem, findings: ReplaceFindings
) -> Iterator[Location]:
    """Yield the files in which an item may match, and add notes on those left out."""
    notes = findings.notes
    near_words = None
    # The notes on `only` count the matches that it leaves out.
    if item.selection is None and item.syntax_filter is None:
        near_words = NearWords.around(item.pattern)
    if near_words is not None:
        findings.near_words.append(near_words)
    if not _is_folder(context, item):
        if context.searcher.accepts(item.location, item.options, context.task):
            yield item.location
        else:
            notes.append(f"glob leaves out {item.location.display_path}")
        return
    search = TreeSearch(
        context.searcher,
        item.location,
        item.pattern,
        item.options,
        task=context.task,
        near=near_words,
        selection=item.selection,
    )
    for snapshot, _ in search:
        assert snapshot.location is not None
        yield snapshot.location
        snapshot.release()
    findings.searched.append(search.searched_count)
    if not item.options.include_ignored:
        findings.includes_ignored = False
    if item.options.glob is not None:
        findings.has_glob = True
    search_notes = skip_notes(search)
    if not search.matched_count:
        search_notes += left_out_notes(search)
    if not search.searched_count:
        search_notes += name_spelling_notes(
            context, item.location, item.options.glob
        )
    for note in search_notes:
        if note not in notes:
            notes.append(note)


def _is_folder(context: Context, item: ReplaceItem) -> bool:
    return context.boundary.stat(item.location).kind == "folder"


def find_other_spellings(
    context: Context, item: ReplaceItem, count: int
) -> list[str]:
    """Return notes on lines with the text of an item in another spelling.

    `count` is the number of its matches.
    """
    open_file = None
    if not _is_folder(context, item):
        open_file = partial(
            context.open_page, item.location, headings=False, text=True
        )
    search = TreeSearch(
        context.searcher,
        item.location,
        item.pattern,
        item.options,
        task=context.task,
        open_file=open_file,
    )
    # The matches were counted already, and the notes depend on their number.
    search.hit_count = count
    return spelling_notes(search)
