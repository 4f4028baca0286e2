"""The explanation of a refusal: why an edit has no place, and which text is near.

A refusal is an error with a bounded text, and the same as data. The nearest text is always
shown; an edit that would succeed is offered only if it is certain (`suggestions`).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from filewright.edit.comparison import RequestLines
from filewright.edit.locate import locate
from filewright.edit.matchers.exact import find_occurrences
from filewright.edit.matchers.lines import find_regions
from filewright.edit.model import (
    AmbiguousWriteError,
    EditMatch,
    NotLocated,
    Tier,
)
from filewright.edit.nearest import (
    MAX_LINE_CHARS,
    MAX_TEXT_CHARS,
    NearText,
    compare_with_rows,
    find_nearest,
    replace_undecodable,
    show_whitespace,
)
from filewright.edit.request import SpliceEdit, TextEdit
from filewright.edit.source import Source
from filewright.edit.suggestions import (
    first_successful,
    rows_of,
    suggest_choices,
    suggest_nearest,
    suggest_rows,
)
from filewright.errors import Code, FilewrightError
from filewright.hints import Hint, join_hints
from filewright.wording import to_one_line

_MAX_LISTED_LINES = 8
_MAX_SHOWN_LINES = 12
_MAX_SUGGESTED_CHOICES = 3
_MAX_NAMED_ROWS = 201
_MIN_KNOWN_CHARS = 4
"""The letters and digits that a replacement must have to be recognised in the file."""

_MAX_CHECKED_BYTES = 8 << 20
"""In larger files no suggestion is made that needs a second search of the file."""

_LIKELY_SIMILARITY = 0.6
"""The least similarity of a text that is offered to be used."""

_SIMILARITY_MARGIN = 0.1
"""The lead that such a text must have over the next one: twins are never offered."""


def explain_refusal(source: Source, missed: NotLocated) -> FilewrightError:
    """Return the refusal of an edit, with what is near and what would succeed."""
    edit = missed.edit
    lines = tuple(source.line_number(span.start) for span in missed.spans)
    if missed.unclear is not None:
        return _explain_ambiguous_write(source, missed, missed.unclear)
    match missed.code:
        case Code.NO_CHANGE:
            return _refusal(
                missed,
                "the edits would not alter the file",
                "correct the replacement, or leave out the edit",
            )
        case Code.OVERLAP:
            return _explain_overlap(missed, lines)
        case Code.STALE_VERSION:
            return _explain_stale(source, missed, lines)
        case Code.ALREADY_APPLIED if lines:
            return _explain_applied(missed, lines)
    # Only a text can be missing or ambiguous; lines past the end are invalid input.
    assert isinstance(edit, TextEdit)
    if missed.code is Code.AMBIGUOUS_MATCH:
        return _explain_ambiguous(source, missed, edit, lines)
    # A caller that repeats an edit should stop. Offered the nearest text, it would make
    # the change a second time.
    applied_lines = _lines_with_replacement(source, edit)
    if applied_lines:
        return _explain_applied(missed, applied_lines)
    if edit.end_line is not None:
        return _explain_elsewhere(source, missed, edit, lines)
    return _explain_missing(source, missed, edit)


def _refusal(
    missed: NotLocated,
    message: str,
    hint: str,
    lines: Sequence[int] = (),
    near: Sequence[NearText] = (),
    suggestions: Sequence[TextEdit] = (),
    text_found: str | None = None,
) -> FilewrightError:
    """Return a refusal: some dozens of lines for a reader, and the same as values.

    `lines` are those of the places of an ambiguous text, or of an applied change.
    `suggestions` are edits with the smallest change that makes them succeed, best first.
    `text_found` is the text on the lines that the edit names.
    """
    message_lines = [message]
    for conflict in missed.conflicts:
        message_lines += ["as shown before:", *_quoted(conflict["shown"])]
        message_lines += ["as it is now:", *_quoted(conflict["there"])]
        message_lines += ["after the edit:", *_quoted(conflict["wanted"])]
    for candidate in near:
        line_names = _named_lines(candidate.first_line, candidate.last_line)
        message_lines.append(
            f"nearest: {line_names}, {candidate.similarity:.0%} alike"
        )
        if candidate.differs_at is not None:
            message_lines.append(
                f"  first difference at line {candidate.differs_at}:"
            )
            message_lines.append(f"    asked: {candidate.asked}")
            message_lines.append(f"    found: {candidate.found}")
    if near and suggestions and suggestions[0].search != "":
        message_lines += ["the text of the file:", *_quoted(near[0].text)]
    return FilewrightError(
        missed.code,
        "\n".join(message_lines),
        hint,
        details={"code": str(missed.code), "message": message, "hint": hint},
        edit=missed.edit.number,
        reached=None if missed.reached is None else str(missed.reached),
        lines=[*lines],
        nearest=[candidate.data() for candidate in near],
        conflicts=[*missed.conflicts],
        suggestions=[_edit_data(edit) for edit in suggestions],
        other_edit=missed.other if missed.other != missed.edit.number else None,
        text_found=text_found,
    )


# The reasons


def _explain_ambiguous_write(
    source: Source, missed: NotLocated, reason: AmbiguousWriteError
) -> FilewrightError:
    """Return the refusal of an edit whose place is certain and whose text is not."""
    rows = rows_of(source, missed.spans[0])
    near = compare_with_rows(source, rows, missed.edit.search.split("\n"), 1.0)
    message = reason.message
    for reading in reason.readings:
        if reading:
            message += "\nit could become:\n" + "\n".join(_quoted(reading))
    return _refusal(missed, message, reason.hint, (near.first_line,), (near,))


def _explain_overlap(
    missed: NotLocated, lines: Sequence[int]
) -> FilewrightError:
    """Return the refusal of an edit that changes what another one changes."""
    number = missed.edit.number
    if missed.other == number:
        message = (
            f"edit {number + 1} would move text into itself, at line {lines[0]}"
        )
        return _refusal(
            missed, message, "name a place outside of the moved text", lines
        )
    other = (missed.other or 0) + 1
    if isinstance(missed.edit, SpliceEdit):
        message = (
            f"edit {other} changes an import that edit {number + 1} "
            f"rewrites, at line {lines[0]}"
        )
        return _refusal(missed, message, f"leave out edit {other}", lines)
    both = f"{other} and {number + 1}"
    message = f"edits {both} overlap at line {lines[0]}"
    return _refusal(missed, message, f"join edits {both} into one", lines)


def _explain_stale(
    source: Source, missed: NotLocated, lines: Sequence[int]
) -> FilewrightError:
    """Return the refusal of an edit of a text that another process has changed."""
    place = f" around line {lines[0]}" if lines else ""
    return _refusal(
        missed,
        "the file has changed, since it was shown, in the text that the edit "
        f"changes{place}",
        "read the file again and base the edit on its current text",
        lines,
        find_nearest(source, missed.edit.search),
    )


def _explain_applied(
    missed: NotLocated, lines: Sequence[int]
) -> FilewrightError:
    """Return the refusal of an edit whose replacement is in the file already."""
    place = f"lines {', '.join(map(str, lines))}"
    if len(lines) == 1:
        place = f"line {lines[0]}"
    return _refusal(
        replace(missed, code=Code.ALREADY_APPLIED),
        f"the file has the replacement already, at {place}, and the search "
        "text nowhere",
        f"if {place} is the intended place, the edit is done: leave it out",
        lines,
    )


def _lines_with_replacement(source: Source, edit: TextEdit) -> tuple[int, ...]:
    """Return the lines where the replacement is in the file.

    Only the named lines count, or any if the replacement says enough to recognise it.
    """
    if edit.start_line is not None and edit.end_line is not None:
        replacement_lines = edit.replace.removesuffix("\n").split("\n")
        bodies = source.bodies(edit.start_line - 1, len(replacement_lines))
        file_lines = [source.text(body) for body in bodies]
        return (
            (edit.start_line,)
            if replacement_lines != [""] and replacement_lines == file_lines
            else ()
        )
    char_count = sum(char.isalnum() for char in edit.replace)
    if char_count < _MIN_KNOWN_CHARS or edit.replace.strip() in edit.search:
        return ()
    starts = [span.start for span in find_occurrences(source, edit.replace, 4)]
    if not starts:
        regions = find_regions(source, RequestLines.of(edit.replace)).strictest
        starts = [region.start for region in regions]
    # A short text such as `return None` that occurs often was hardly written by the edit.
    is_one_line = "\n" not in edit.replace.strip("\n")
    if len(starts) > 1 and is_one_line:
        return ()
    return tuple(source.line_number(start) for start in starts[:3])


def _explain_ambiguous(
    source: Source, missed: NotLocated, edit: TextEdit, lines: Sequence[int]
) -> FilewrightError:
    """Return the refusal of a text with several places, and what would choose one."""
    listed = ", ".join(map(str, lines[:_MAX_LISTED_LINES]))
    if missed.has_more or len(lines) > _MAX_LISTED_LINES:
        listed += " and more"
    tier = "" if missed.reached is Tier.EXACT else f" (tier {missed.reached})"
    count = f"more than {len(lines)}" if missed.has_more else str(len(lines))
    message = f"the search text matches {count} places{tier}: at lines {listed}"
    suggestions: list[TextEdit] = []
    modes = () if source.size > _MAX_CHECKED_BYTES else (edit.fuzzy,)
    places = list(zip(missed.spans, lines, strict=True))[
        :_MAX_SUGGESTED_CHOICES
    ]
    for span, line in places:
        choices = suggest_choices(source, edit, missed.reached, span, line)
        suggestions += first_successful(source, choices, *modes)
    hint = (
        "add lines of context to search and replace until the text occurs once"
    )
    if suggestions and suggestions[0].start_line is not None:
        starts = ", ".join(str(choice.start_line) for choice in suggestions)
        choice = f"to choose one ({starts}), or add lines of context to search and replace"
        hint = Hint(
            f"give start_line {choice}",
            shell=f"give --line LINE {choice}",
            plain=hint,
        )
    elif suggestions:
        example = show_whitespace(suggestions[0].search.replace("\n", "⏎"))
        hint = f"add context to search and replace, for example search for «{example}»"
    if edit.start_line is not None:
        start = (
            f"start_line {edit.start_line} does not choose exactly one of them"
        )
        hint = join_hints([start, hint]) or start
    return _refusal(missed, message, hint, lines, suggestions=suggestions)


def _explain_elsewhere(
    source: Source, missed: NotLocated, edit: TextEdit, lines: Sequence[int]
) -> FilewrightError:
    """Return the refusal of a text that is not on the lines that the edit names."""
    start, end = edit.start_line or 1, edit.end_line or 1
    rows = source.rows_at(start - 1, min(end - start + 1, _MAX_NAMED_ROWS))
    text = "\n".join(replace_undecodable(source.text(row.body)) for row in rows)
    message = (
        f"the search text is not on {_named_lines(start, end)} of the file"
    )
    if end > source.count:
        message += f", which has {source.count} lines"
    near: tuple[NearText, ...] = ()
    if rows and len(text) <= MAX_TEXT_CHARS:
        search_lines = edit.search.removesuffix("\n").split("\n")
        near = (compare_with_rows(source, rows, search_lines, 0.0),)
    choices: list[TextEdit] = []
    if len(lines) == 1:
        line = lines[0]
        last = line + edit.search.removesuffix("\n").count("\n")
        line_names = _named_lines(line, last)
        hint: str = Hint(
            f"the text is on {line_names}: use start_line={line}, end_line={last}",
            shell=f"the text is on {line_names}: use --line {line}",
        )
        choices = [
            replace(edit, start_line=line, end_line=last),
            replace(edit, start_line=None, end_line=None),
        ]
    elif lines:
        hint = f"the text is at lines {', '.join(map(str, lines))}: choose one"
    else:
        hint = (
            "copy search from these lines, or leave out the lines to find it "
            "in the whole file"
        )
        if near:
            choices = [
                replace(suggestion, start_line=start, end_line=end)
                for suggestion in suggest_nearest(source, edit, near[0])
            ]
    suggestions = first_successful(source, choices, True)
    return _refusal(missed, message, hint, lines, near, suggestions, text)


def _explain_missing(
    source: Source, missed: NotLocated, edit: TextEdit
) -> FilewrightError:
    """Return the refusal of a text that is not in the file."""
    near: tuple[NearText, ...]
    suggestions: tuple[TextEdit, ...] = ()
    loose_match = (
        None if edit.fuzzy else locate(source, replace(edit, fuzzy=True))
    )
    if isinstance(loose_match, EditMatch):
        rows = rows_of(source, loose_match.span)
        near = (compare_with_rows(source, rows, edit.search.split("\n"), 1.0),)
        tier = loose_match.tier
        message = f"the file has the search text only loosely (tier {tier})"
        hint: str = Hint(
            "leave out fuzzy=false, or copy search from the file exactly",
            shell="leave out --exact, or copy search from the file exactly",
        )
        suggestion = suggest_rows(source, edit, loose_match, rows)
        suggestions = first_successful(source, [suggestion], False)
    else:
        near = find_nearest(source, edit.search)
        message = (
            "the search text is not in the file (tried: every tier up to "
            f"{missed.reached})"
        )
        hint = (
            "copy search from the file exactly"
            if near
            else "read the file again"
        )
    for normalised_edit in _in_other_normal_forms(source, edit):
        message += (
            "; the file has it in another Unicode normalisation form "
            "(composed or decomposed letters)"
        )
        hint = (
            "copy the text from the file, with its letters as they are "
            "composed there"
        )
        if not suggestions:
            suggestions = first_successful(source, [normalised_edit], True)
    if not suggestions and near and source.size <= _MAX_CHECKED_BYTES:
        best = near[0]
        # Of two similar functions the nearer one need not be the one that is meant.
        is_distinct = best.similarity - best.next_best >= _SIMILARITY_MARGIN
        if best.similarity >= _LIKELY_SIMILARITY and is_distinct:
            suggestions = suggest_nearest(source, edit, best)
    if not suggestions and near:
        hint = "compare with the nearest text, and copy search from the file"
    return _refusal(missed, message, hint, (), near, suggestions)


def _in_other_normal_forms(source: Source, edit: TextEdit) -> list[TextEdit]:
    """Return the edit in each Unicode normal form in which the file has its text."""
    if edit.search.isascii() or source.size > _MAX_CHECKED_BYTES:
        return []
    edits: list[TextEdit] = []
    for composed in (True, False):
        form = unicodedata.normalize("NFC" if composed else "NFD", edit.search)
        if find_occurrences(source, form, 1):
            edits.append(replace(edit, search=form))
    return edits


# Wording


def _named_lines(first: int, last: int) -> str:
    """Return lines in words."""
    return f"line {first}" if first == last else f"lines {first}-{last}"


def _quoted(text: str) -> list[str]:
    """Return the first lines of a text as quoted lines."""
    lines = text.split("\n")
    quoted = [
        f"  | {to_one_line(line[:MAX_LINE_CHARS])}"
        for line in lines[:_MAX_SHOWN_LINES]
    ]
    if len(lines) > _MAX_SHOWN_LINES:
        quoted.append(f"  | … {len(lines) - _MAX_SHOWN_LINES} more lines")
    return quoted


def _edit_data(edit: TextEdit) -> dict[str, Any]:
    """Return the fields of an edit that were given."""
    names = ("search", "replace", "replace_all", "start_line", "end_line")
    fields = {name: getattr(edit, name) for name in names}
    return {
        name: value
        for name, value in fields.items()
        if value not in (None, False)
    }
