"""Suggestions for a refused edit: whole edits that would have succeeded.

Each suggestion has been tried, so sending it literally succeeds. It is offered only if the
request shows that it has the effect which the caller means.

If the text is not in the file, the three texts are merged word by word: the search text is
the base, the nearest text is ours, and the replacement is theirs. The merge is suggested
only if it is clean, or if its conflicts are in words that the edit rewrites anyway, and
only if it has no word that the request misremembered.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice, takewhile

from filewright.edit.attempt import changes_file, splices_of_match
from filewright.edit.comparison import (
    RequestLines,
    is_typographic,
    leading_whitespace,
    split_words,
    word_similarity,
)
from filewright.edit.diff3 import merge_lines
from filewright.edit.linediff import align
from filewright.edit.matchers.lines import rows_with
from filewright.edit.model import ByteRange, EditMatch, TextPart, Tier
from filewright.edit.nearest import MAX_TEXT_CHARS, NearText
from filewright.edit.omission_markers import mentions_omission
from filewright.edit.repairs.propose import looks_damaged
from filewright.edit.request import TextEdit
from filewright.edit.source import Source
from filewright.errors import FilewrightError
from filewright.text.codec import normalize_newlines
from filewright.text.lines import Line
from filewright.text.splice import Splice, apply_splices

_MAX_ROWS = 400
_MAX_CONTEXT_LINES = 12
_LEAST_SHARED_WORDS = 0.4
_MAX_COMPARED_ROWS = 1_000


def first_successful(
    source: Source, edits: Iterable[TextEdit | None], *modes: bool
) -> tuple[TextEdit, ...]:
    """Return the first edit that changes the file with each of the `modes` of fuzzy."""
    for edit in edits:
        if edit is None:
            continue
        if all(
            changes_file(source, replace(edit, fuzzy=fuzzy)) for fuzzy in modes
        ):
            return (edit,)
    return ()


def suggest_choices(
    source: Source,
    edit: TextEdit,
    tier: Tier | None,
    span: ByteRange,
    line: int,
) -> Iterator[TextEdit | None]:
    """Yield the edit made clear for one place: by a start line, or by ever more context.

    Context is added only if the text occurs there exactly, by the `tier` that found it.
    """
    yield replace(edit, start_line=line)
    if tier is not Tier.EXACT:
        return
    part = TextPart(span, edit.search, edit.replace)
    match = EditMatch(edit, Tier.EXACT, (part,))
    rows = rows_of(source, span)
    for _ in range(_MAX_CONTEXT_LINES):
        yield suggest_rows(source, edit, match, rows)
        above, below = (
            source.row_before(rows[0]),
            source.row_starting_at(rows[-1].end),
        )
        rows = [above or rows[0], *rows, below or rows[-1]]


def suggest_rows(
    source: Source, edit: TextEdit, match: EditMatch, rows: Sequence[Line]
) -> TextEdit | None:
    """Return the edit with all the text of some rows as its search text.

    It writes what the match writes. None if that is not possible.
    """
    start, end = rows[0].offset, max(rows[-1].body_end, match.span.end)
    old_data = source.read(start, end)
    try:
        splices = splices_of_match(source, match)
        if len(old_data) > MAX_TEXT_CHARS:
            return None
        shifted: list[Splice] = []
        for splice in splices:
            if not start <= splice.offset <= splice.end <= end:
                return None
            offset = splice.offset - start
            shifted.append(Splice(offset, splice.length, splice.replacement))
        encoding = source.encoding.name
        search = normalize_newlines(old_data.decode(encoding))
        replacement = normalize_newlines(
            apply_splices(old_data, shifted).decode(encoding)
        )
    except (UnicodeDecodeError, FilewrightError):
        return None
    return replace(
        edit, search=search, replace=replacement, start_line=None, end_line=None
    )


def suggest_nearest(
    source: Source, edit: TextEdit, near: NearText
) -> tuple[TextEdit, ...]:
    """Return the edit carried over to the nearest text; none if that is not certain."""
    for text in (edit.search, edit.replace):
        # A damaged text would carry its damage over, and omitted lines would be deleted.
        if looks_damaged(text) or is_typographic(text):
            return ()
        if any(map(mentions_omission, text.split("\n"))):
            return ()
    if len(near.text) > MAX_TEXT_CHARS:
        return ()
    # A line of brackets only is equal in many blocks.
    if not any(map(str.isalnum, near.text)):
        return ()
    if not _corresponds(edit.search, near.text):
        return ()
    if _continues_beside(source, edit.search, near):
        return ()
    if _has_line_elsewhere(source, edit.search, near):
        return ()
    new_text = _merge_words(
        edit.search.strip("\n"), near.text, edit.replace.strip("\n")
    )
    if new_text is None or new_text == near.text:
        return ()
    choices: list[TextEdit] = []
    tails = ("\n", "") if edit.search.endswith("\n") else ("",)
    for tail in tails:
        for line in (None, near.first_line):
            choice = replace(
                edit,
                search=near.text + tail,
                replace=new_text and new_text + tail,
                start_line=line,
                end_line=None,
            )
            choices.append(choice)
    # A caller may send it as it sent the refused one, or with fuzzy=false.
    return first_successful(source, choices, True, False)


def rows_of(source: Source, span: ByteRange) -> list[Line]:
    """Return the rows that a span touches, up to some hundreds."""
    first = source.row_holding(span.start)
    following = takewhile(
        lambda row: row.offset < span.end, source.rows_from(first.end)
    )
    return [first, *islice(following, _MAX_ROWS - 1)]


def _continues_beside(source: Source, search: str, near: NearText) -> bool:
    """Return True if a line that the near text lacks is right above it or below it.

    Then the near text is only a part of the place that the request means, and the rest
    would stay beside the replacement.
    """
    searched = {_spaced_once(line) for line in search.split("\n")}
    missing = (
        searched - {_spaced_once(line) for line in near.text.split("\n")} - {""}
    )
    first_row = source.row_holding(source.offset(near.first_line - 1))
    above, _ = source.first_solid_row(source.rows_before(first_row))
    below, _ = source.first_solid_row(
        source.rows_from(source.offset(near.last_line))
    )
    return _spaced_once(above) in missing or _spaced_once(below) in missing


def _has_line_elsewhere(source: Source, search: str, near: NearText) -> bool:
    """Return True if a line that the near text lacks is elsewhere in the file.

    Then the request may mean the place of that line.
    """
    start, end = (
        source.offset(near.first_line - 1),
        source.offset(near.last_line),
    )
    missing = Counter(search.split("\n")) - Counter(near.text.split("\n"))
    for line in missing:
        if not any(map(str.isalnum, line)):
            continue
        try:
            needle = line.encode(source.encoding.name)
        except UnicodeEncodeError:
            continue
        # A text in thousands of rows names no place, and would take long to compare.
        for row in islice(rows_with(source, needle), _MAX_COMPARED_ROWS):
            is_elsewhere = not start <= row.offset < end
            if is_elsewhere and source.text(row.body) == line:
                return True
    return False


def _corresponds(search: str, near: str) -> bool:
    """Return True if each line of a near text is meant to be a line of the search text.

    Equal lines are at the same indentation, and others share some words.
    """
    search_lines, near_lines = (
        RequestLines.of(search).solid,
        RequestLines.of(near).solid,
    )
    if not search_lines or not near_lines:
        return False
    if leading_whitespace(search_lines[0]) != leading_whitespace(near_lines[0]):
        return False
    runs = align(
        [_spaced_once(line) for line in search_lines],
        [_spaced_once(line) for line in near_lines],
    )
    search_start = near_start = 0
    for run in runs:
        replaced = search_lines[search_start : run.left]
        replacing = near_lines[near_start : run.right]
        is_at_edge = near_start == 0 or run.right == len(near_lines)
        if not _may_be_meant(replaced, replacing, is_at_edge=is_at_edge):
            return False
        search_start, near_start = run.left + run.length, run.right + run.length
        # Of one or two lines a slip in the indentation is likelier than another block.
        if len(search_lines) <= 2:
            continue
        equal = zip(
            search_lines[run.left : search_start],
            near_lines[run.right : near_start],
            strict=True,
        )
        if any(
            leading_whitespace(search_line) != leading_whitespace(near_line)
            for search_line, near_line in equal
        ):
            return False
    return _may_be_meant(
        search_lines[search_start:], near_lines[near_start:], is_at_edge=True
    )


def _may_be_meant(
    search_lines: Sequence[str], file_lines: Sequence[str], *, is_at_edge: bool
) -> bool:
    """Return True if lines of the file may be what some different lines mean."""
    if file_lines and not search_lines and is_at_edge:
        return False
    return all(
        word_similarity(search_line, file_line) >= _LEAST_SHARED_WORDS
        for search_line, file_line in zip(
            search_lines, file_lines, strict=False
        )
    )


def _spaced_once(line: str) -> str:
    """Return a line trimmed, with single spaces."""
    return " ".join(line.split())


def _merge_words(search: str, near: str, replacement: str) -> str | None:
    """Return what `near` becomes by the change from `search` to `replacement`.

    None if that is not certain.
    """
    base, ours, theirs = map(split_words, (search, near, replacement))
    merged: list[str] = []
    for chunk in merge_lines(base, ours, theirs).chunks:
        our_words = ours[slice(*chunk.ours)]
        their_words = theirs[slice(*chunk.theirs)]
        if chunk.kind == "conflict":
            # The edit rewrites these words anyway, if the replacement has none that the
            # file lacks, and the file has no more words than the request knew.
            removed = _count_words(base[slice(*chunk.base)])
            unknown = _count_words(our_words)
            removed, unknown = removed - unknown, unknown - removed
            if not removed.keys().isdisjoint(their_words):
                return None
            if unknown.total() > removed.total():
                return None
        merged += (
            their_words if chunk.kind in ("theirs", "conflict") else our_words
        )
    text = "".join(merged)
    # A line that is more frequent than in either text was written by both sides.
    doubled = _count_lines(text) - (
        _count_lines(near) | _count_lines(replacement)
    )
    misremembered = _count_words(base).keys() - _count_words(ours).keys()
    if doubled or not misremembered.isdisjoint(merged):
        return None
    return text


def _count_lines(text: str) -> Counter[str]:
    """Count the lines of a text, without their indentation; blank ones do not count."""
    return Counter(line.strip() for line in text.split("\n") if line.strip())


def _count_words(words: Iterable[str]) -> Counter[str]:
    """Count words and signs."""
    return Counter(word for word in words if not word.isspace())
