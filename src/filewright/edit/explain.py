"""The refusal of an edit: why it has no place, what is there, and what would succeed."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice, takewhile
from typing import Any

from filewright.edit.comparison import (
    RequestLines,
    is_typographic,
    leading_whitespace,
    split_words,
    word_similarity,
)
from filewright.edit.diff3 import merge_lines
from filewright.edit.linediff import align
from filewright.edit.locate import locate
from filewright.edit.matchers.exact import find_occurrences
from filewright.edit.matchers.lines import find_regions
from filewright.edit.merge import try_merge
from filewright.edit.model import (
    AmbiguousWriteError,
    ByteRange,
    EditMatch,
    NotLocated,
    TextPart,
    Tier,
)
from filewright.edit.nearest import (
    LINE_CHARS,
    MOST_CHARS,
    NearText,
    compare_with_rows,
    find_nearest,
    replace_undecodable,
    show_whitespace,
)
from filewright.edit.omission_markers import mentions_omission
from filewright.edit.repairs.propose import looks_damaged
from filewright.edit.request import Edit
from filewright.edit.source import Source
from filewright.errors import Code, FilewrightError
from filewright.text.codec import normalised
from filewright.text.lines import Line
from filewright.text.splice import Splice, apply
from filewright.wording import to_one_line

_LINES_LISTED = 8


_SHOWN_LINES = 12


_CHECKED_BYTES = 8 << 20
"""In larger files suggestions that need a second look through the file are not made."""


_LIKELY, _APART = 0.6, 0.1
"""How alike a region must be for its text to be offered, and how much more than the next best."""


def _refusal(
    missed: NotLocated,
    message: str,
    hint: str,
    lines: Sequence[int] = (),
    near: Sequence[NearText] = (),
    suggestions: Sequence[Edit] = (),
    there: str | None = None,
) -> FilewrightError:
    """Why an edit of a call goes nowhere: for a reader some dozens of lines at most, and as values.

    `lines` are those of the equal regions of an ambiguous text, or where an applied change is.
    `suggestions` are the edit with the smallest change that makes it succeed, best first. `there` is
    what is on the lines of an edit that named its lines.
    """
    parts = [message]
    for conflict in missed.conflicts:
        for side, said in (("shown", "as shown before:"), ("there", "as it is now:")):
            parts += [said, *_quoted(conflict[side])]
        parts += ["as the edit wants it:", *_quoted(conflict["wanted"])]
    for candidate in near:
        where = _lines(candidate.first_line, candidate.last_line)
        parts.append(f"nearest: {where}, {candidate.similarity:.0%} alike")
        if candidate.differs_at is not None:
            parts.append(f"  first difference at line {candidate.differs_at}:")
            parts += [f"    asked: {candidate.asked}", f"    found: {candidate.found}"]
    if near and suggestions and suggestions[0].search != "":
        parts += ["the text that is there:", *_quoted(near[0].text)]
    return FilewrightError(
        missed.code,
        "\n".join(parts),
        hint,
        details={"code": str(missed.code), "message": message, "hint": hint},
        edit=missed.edit.number,
        reached=None if missed.reached is None else str(missed.reached),
        lines=[*lines],
        nearest=[candidate.data() for candidate in near],
        conflicts=[*missed.conflicts],
        suggestions=[_edit_data(edit) for edit in suggestions],
        other_edit=missed.other if missed.other != missed.edit.number else None,
        text_found=there,
    )


def explain_refusal(source: Source, missed: NotLocated) -> FilewrightError:
    """The refusal of a missed edit, with what is near and what would succeed."""
    edit, code = missed.edit, missed.code
    lines = tuple(source.line_number(span.start) for span in missed.spans)
    if missed.unclear is not None:
        return _unclear(source, missed, missed.unclear)
    if code is Code.NO_CHANGE:
        message = "the result would leave the file as it is"
        return _refusal(
            missed, message, "correct the replacement, or leave the edit out"
        )
    if code is Code.OVERLAP and missed.other == edit.number:
        message = f"edit {edit.number + 1} moves text into itself, at line {lines[0]}"
        return _refusal(missed, message, "name a place outside of what is moved", lines)
    if code is Code.OVERLAP:
        both = f"{(missed.other or 0) + 1} and {edit.number + 1}"
        return _refusal(
            missed,
            f"edits {both} overlap at line {lines[0]}",
            f"join edits {both} into one",
            lines,
        )
    if code is Code.AMBIGUOUS_MATCH:
        return _ambiguous(source, missed, lines)
    if code is Code.STALE_VERSION:
        where = f" around line {lines[0]}" if lines else ""
        message = (
            f"the file has changed since it was shown, where the edit changes it{where}"
        )
        hint = (
            "read the file again and make the edit anew from the text that is there now"
        )
        return _refusal(missed, message, hint, lines, find_nearest(source, edit.search))
    if applied := lines if code is Code.ALREADY_APPLIED else _already(source, edit):
        where = (
            f"line {applied[0]}"
            if len(applied) == 1
            else f"lines {', '.join(map(str, applied))}"
        )
        message = f"the replacement is there already, at {where}, and the search text is not in the file"
        hint = f"if {where} is the place that was meant, nothing is left to do"
        return _refusal(
            replace(missed, code=Code.ALREADY_APPLIED), message, hint, applied
        )
    return (
        _nowhere(source, missed)
        if edit.end_line is None
        else _elsewhere(source, missed, lines)
    )


def _unclear(
    source: Source, missed: NotLocated, why: AmbiguousWriteError
) -> FilewrightError:
    """The refusal of an edit whose place is certain, and of which nobody can say what it writes there."""
    there = compare_with_rows(
        source, _rows_of(source, missed.spans[0]), missed.edit.search.split("\n"), 1.0
    )
    readings = "".join(
        f"\nit could become:\n{chr(10).join(_quoted(reading))}"
        for reading in why.readings
        if reading
    )
    return _refusal(
        missed, why.message + readings, why.hint, (there.first_line,), (there,)
    )


def _already(source: Source, edit: Edit) -> tuple[int, ...]:
    """The lines where the replacement is: those named, or any if it says enough to know it again."""
    if edit.start_line is not None and edit.end_line is not None:
        wanted = edit.replace.removesuffix("\n").split("\n")
        there = map(source.text, source.bodies(edit.start_line - 1, len(wanted)))
        return (edit.start_line,) if wanted != [""] and wanted == [*there] else ()
    if (
        sum(char.isalnum() for char in edit.replace) < 4
        or edit.replace.strip() in edit.search
    ):
        return ()
    starts = [span.start for span in find_occurrences(source, edit.replace, 4)]
    if not starts:
        starts = [
            region.start
            for region in find_regions(source, RequestLines.of(edit.replace)).strictest
        ]
    if len(starts) > 1 and "\n" not in edit.replace.strip("\n"):
        return ()
    return tuple(map(source.line_number, starts[:3]))


# Suggestions: what would succeed


def _first_run(
    source: Source, edits: Iterable[Edit | None], *modes: bool
) -> tuple[Edit, ...]:
    """The first of some edits that changes the file, sent as it is with each of the `modes` of fuzzy; if any does."""
    for edit in edits:
        if edit is not None and all(
            _succeeds(source, replace(edit, fuzzy=fuzzy)) for fuzzy in modes
        ):
            return (edit,)
    return ()


def _succeeds(source: Source, edit: Edit) -> bool:
    try:
        found = locate(source, edit)
        return isinstance(found, EditMatch) and bool(try_merge(source, found))
    except FilewrightError:
        return False


def _ambiguous(
    source: Source, missed: NotLocated, lines: tuple[int, ...]
) -> FilewrightError:
    listed = ", ".join(map(str, lines[:_LINES_LISTED]))
    more = " and more" if missed.more or len(lines) > _LINES_LISTED else ""
    how = "" if missed.reached is Tier.EXACT else f" (by the tier {missed.reached})"
    count = f"more than {len(lines)}" if missed.more else str(len(lines))
    message = f"the search text matches {count} places{how}: at lines {listed}{more}"
    modes = () if source.size > _CHECKED_BYTES else (missed.edit.fuzzy,)
    suggestions = tuple(
        chosen
        for span, line in list(zip(missed.spans, lines, strict=True))[:3]
        for chosen in _first_run(source, _choices(source, missed, span, line), *modes)
    )
    if suggestions and suggestions[0].start_line is not None:
        starts = ", ".join(str(edit.start_line) for edit in suggestions)
        hint = f"give start_line to choose one ({starts}), or add lines of context to search and replace"
    elif suggestions:
        example = show_whitespace(suggestions[0].search.replace("\n", "⏎"))
        hint = f"add context to search and replace, for example search for «{example}»"
    else:
        hint = "add lines of context to search and replace until the text occurs once"
    if missed.edit.start_line is not None:
        hint = f"none of them begins at line {missed.edit.start_line}, or several do; {hint}"
    return _refusal(missed, message, hint, lines, suggestions=suggestions)


def _choices(
    source: Source, missed: NotLocated, span: ByteRange, line: int
) -> Iterator[Edit | None]:
    """The edit made clear for one region: by a start line, or by ever more context."""
    yield replace(missed.edit, start_line=line)
    if missed.reached is Tier.EXACT:
        part = TextPart(span, missed.edit.search, missed.edit.replace)
        found = EditMatch(missed.edit, Tier.EXACT, (part,))
        rows = _rows_of(source, span)
        for _ in range(12):
            yield _as_there(source, found, rows)
            above, below = (
                source.row_before(rows[0]),
                source.row_starting_at(rows[-1].end),
            )
            rows = [above or rows[0], *rows, below or rows[-1]]


def _as_there(source: Source, found: EditMatch, rows: Sequence[Line]) -> Edit | None:
    """The edit that has all the text of some rows as its search text, and writes there what was located."""
    start, end = rows[0].offset, max(rows[-1].body_end, found.span.end)
    old = source.read(start, end)
    try:
        splices = try_merge(source, found)
        if splices is None or len(old) > MOST_CHARS:
            return None
        if not all(start <= one.offset <= one.end <= end for one in splices):
            return None
        new = apply(
            old,
            [
                Splice(one.offset - start, one.length, one.replacement)
                for one in splices
            ],
        )
        search, wanted = (
            normalised(text.decode(source.encoding.name)) for text in (old, new)
        )
    except (UnicodeDecodeError, FilewrightError):
        return None
    return replace(
        found.edit, search=search, replace=wanted, start_line=None, end_line=None
    )


def _elsewhere(
    source: Source, missed: NotLocated, places: tuple[int, ...]
) -> FilewrightError:
    """The refusal of a text that is not on the lines it was said to be on."""
    edit = missed.edit
    start, end = edit.start_line or 1, edit.end_line or 1
    rows = source.rows_at(start - 1, min(end - start + 1, 201))
    there = "\n".join(replace_undecodable(source.text(row.body)) for row in rows)
    message = f"the text is not on {_lines(start, end)} of the file"
    if end > source.count:
        message += f", which has {source.count} lines"
    near: tuple[NearText, ...] = ()
    if rows and len(there) <= MOST_CHARS:
        near = (
            compare_with_rows(
                source, rows, edit.search.removesuffix("\n").split("\n"), 0.0
            ),
        )
    choices: Iterable[Edit] = ()
    hint = "use the text that is there, or leave out the lines to look for the text in the whole file"
    if len(places) == 1:
        line = places[0]
        last = line + edit.search.removesuffix("\n").count("\n")
        hint = f"the text is on {_lines(line, last)}: use start_line={line}, end_line={last}"
        both = ((line, last), (None, None))
        choices = [
            replace(edit, start_line=first, end_line=final) for first, final in both
        ]
    elif places:
        hint = f"the text is at lines {', '.join(map(str, places))}: choose one"
    elif near:
        choices = [
            replace(one, start_line=start, end_line=end)
            for one in _carried(source, edit, near[0])
        ]
    offered = _first_run(source, choices, True)
    return _refusal(missed, message, hint, places, near, offered, there)


def _nowhere(source: Source, missed: NotLocated) -> FilewrightError:
    edit = missed.edit
    found = None if edit.fuzzy else locate(source, replace(edit, fuzzy=True))
    near: tuple[NearText, ...]
    suggestions: tuple[Edit, ...] = ()
    if isinstance(found, EditMatch):
        rows = _rows_of(source, found.span)
        near = (compare_with_rows(source, rows, edit.search.split("\n"), 1.0),)
        message = f"the text is not there exactly; it is by the tier {found.tier}"
        hint = "leave out fuzzy=false, or use exactly the text that is there"
        suggestions = _first_run(source, [_as_there(source, found, rows)], False)
    else:
        near = find_nearest(source, edit.search)
        message = f"the search text is not in the file (looked for by every tier up to {missed.reached})"
        hint = "use exactly the text that is there" if near else "read the file again"
    for form in (
        ("NFC", "NFD")
        if not edit.search.isascii() and source.size <= _CHECKED_BYTES
        else ()
    ):
        other = replace(edit, search=unicodedata.normalize(form, edit.search))
        if find_occurrences(source, other.search, 1):
            message += "; it is there in another Unicode normalisation form (composed and decomposed letters)"
            hint = "use exactly the text that is there, letter by letter as the file has it"
            suggestions = suggestions or _first_run(source, [other], True)
    if not suggestions and near and source.size <= _CHECKED_BYTES:
        best = near[0]
        if best.similarity >= _LIKELY and best.similarity - best.next_best >= _APART:
            suggestions = _carried(source, edit, best)
    if not suggestions and near:
        hint = "look at what differs, and make search and replace anew from the text that is there"
    return _refusal(missed, message, hint, (), near, suggestions)


def _carried(source: Source, edit: Edit, there: NearText) -> tuple[Edit, ...]:
    """The edit with the text that is there and the replacement carried over to it; none if that is not certain."""
    for text in (
        edit.search,
        edit.replace,
    ):  # that bears damage, or means more than it says
        if (
            looks_damaged(text)
            or is_typographic(text)
            or any(map(mentions_omission, text.split("\n")))
        ):
            return ()
    if len(there.text) > MOST_CHARS:
        return ()
    if not _corresponds(edit.search, there.text) or _goes_on(
        source, edit.search, there
    ):
        return ()
    new = _merged(edit.search.strip("\n"), there.text, edit.replace.strip("\n"))
    if new is None or new == there.text:
        return ()
    choices = [
        replace(
            edit,
            search=there.text + tail,
            replace=new and new + tail,
            start_line=line,
            end_line=None,
        )
        for tail in dict.fromkeys(("\n" if edit.search.endswith("\n") else "", ""))
        for line in (None, there.first_line)
    ]
    # It is sent as the refused one was, or without fuzzy.
    return _first_run(source, choices, True, False)


def _goes_on(source: Source, search: str, there: NearText) -> bool:
    """Whether a line that the search text has and the region lacks is right beside the region.

    Then the region is not all that is meant, and a line of it is none of the search text's.
    """
    missing = set(map(_key, search.split("\n"))) - set(
        map(_key, there.text.split("\n"))
    )
    before = source.rows_before(source.row_holding(source.offset(there.first_line - 1)))
    after = source.rows_from(source.offset(there.last_line))
    return any(
        _key(source.first_solid_row(rows)[0]) in missing - {""}
        for rows in (before, after)
    )


def _corresponds(search: str, there: str) -> bool:
    """Whether each line of a region is, or was meant to be, a line of the search text, at the same indent."""
    asked, found = RequestLines.of(search).solid, RequestLines.of(there).solid
    if not (asked and found) or leading_whitespace(asked[0]) != leading_whitespace(
        found[0]
    ):
        return False
    i = j = 0
    for match in [
        *align([_key(line) for line in asked], [_key(line) for line in found]),
        None,
    ]:
        to_i, to_j = (match.left, match.right) if match else (len(asked), len(found))
        mine, theirs = asked[i:to_i], found[j:to_j]
        at_edge = j == 0 or to_j == len(found)
        if theirs and not mine and at_edge:
            return False
        if (
            mine
            and theirs
            and any(
                word_similarity(a, b) < 0.4 for a, b in zip(mine, theirs, strict=False)
            )
        ):
            return False
        if match:
            pairs = zip(
                asked[to_i : to_i + match.length],
                found[to_j : to_j + match.length],
                strict=True,
            )
            if (
                any(leading_whitespace(a) != leading_whitespace(b) for a, b in pairs)
                and len(asked) > 2
            ):
                return False
            i, j = to_i + match.length, to_j + match.length
    return True


def _key(line: str) -> str:
    return " ".join(line.split())


def _merged(search: str, there: str, wanted: str) -> str | None:
    """What `there` becomes by the change from `search` to `wanted`; None if that is not certain."""
    base, ours, theirs = map(split_words, (search, there, wanted))
    result: list[str] = []
    for chunk in merge_lines(base, ours, theirs).chunks:
        mine, new = ours[slice(*chunk.ours)], theirs[slice(*chunk.theirs)]
        if chunk.kind == "conflict":
            # It was to be written anew, if it keeps nothing that was misremembered.
            gone, unknown = _words(base[slice(*chunk.base)]), _words(mine)
            gone, unknown = gone - unknown, unknown - gone
            if not gone.keys().isdisjoint(new) or unknown.total() > gone.total():
                return None
        result += new if chunk.kind in ("theirs", "conflict") else mine
    text = "".join(result)
    twice = _lines_of(text) - (_lines_of(there) | _lines_of(wanted))
    misremembered = _words(base).keys() - _words(ours).keys()
    return text if not twice and misremembered.isdisjoint(result) else None


def _lines_of(text: str) -> Counter[str]:
    return Counter(line.strip() for line in text.split("\n") if line.strip())


def _words(tokens: Iterable[str]) -> Counter[str]:
    return Counter(token for token in tokens if not token.isspace())


# Words


def _rows_of(source: Source, span: ByteRange) -> list[Line]:
    first = source.row_holding(span.start)
    more = takewhile(lambda row: row.offset < span.end, source.rows_from(first.end))
    return [first, *islice(more, 399)]


def _lines(first: int, last: int) -> str:
    return f"line {first}" if first == last else f"lines {first}-{last}"


def _quoted(text: str) -> list[str]:
    lines = text.split("\n")
    shown = [f"  | {to_one_line(line[:LINE_CHARS])}" for line in lines[:_SHOWN_LINES]]
    if len(lines) > _SHOWN_LINES:
        shown.append(f"  | … {len(lines) - _SHOWN_LINES} more lines")
    return shown


def _edit_data(edit: Edit) -> dict[str, Any]:
    return {
        name: given
        for name in ("search", "replace", "replace_all", "start_line", "end_line")
        if (given := getattr(edit, name)) not in (None, False)
    }
