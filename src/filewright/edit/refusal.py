"""Refusing well: why an edit goes nowhere, what is there instead, and what would make it succeed.

A `Refusal` is data; `text` is the same for a reader, bounded. Its suggestions are whole edits, offered
only where they would do what was meant as far as the request tells it (see `suggestion`); each was
located before, so following one literally succeeds. The nearest text is shown in any case.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice, takewhile
from typing import Any

from filewright.edit.filetext import FileText
from filewright.edit.find import ByteRange, find_exact, find_regions
from filewright.edit.lastcheck import checked
from filewright.edit.locate.cascade import locate
from filewright.edit.locate.located import Located, MergeConflict, Missed, UnclearError
from filewright.edit.locate.request import Edit, RequestLines, Tier
from filewright.edit.nearest import NearText, clean, compared, nearest
from filewright.edit.suggestion import MOST_CHARS, at_place, succeeds, suggested
from filewright.edit.visible import LINE_CHARS, visible
from filewright.errors import Code, FilewrightError
from filewright.text import Line, Splice, apply, normalised
from filewright.visible import one_line

_LINES_LISTED = 8
_SHOWN_LINES = 12
_CHECKED_BYTES = 8 << 20
"""In larger files suggestions that need a second look through the file are not made."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why edit number `index` (0-based) of a call goes nowhere.

    `lines` are those of the equal regions of an ambiguous text, or where an applied change is.
    `suggestions` are the edit with the smallest change that makes it succeed, best first. `there` is
    what is on the lines of an edit that named its lines.
    """

    index: int
    code: Code
    message: str
    hint: str
    reached: Tier | None = None
    lines: tuple[int, ...] = ()
    nearest: tuple[NearText, ...] = ()
    conflicts: tuple[MergeConflict, ...] = ()
    suggestions: tuple[Edit, ...] = ()
    other: int | None = None
    there: str | None = None

    def data(self) -> dict[str, Any]:
        """The refusal as plain values."""
        return {
            "edit": self.index,
            "code": str(self.code),
            "message": self.message,
            "hint": self.hint,
            "reached": None if self.reached is None else str(self.reached),
            "lines": list(self.lines),
            "nearest": [candidate.data() for candidate in self.nearest],
            "conflicts": [
                {"shown": c.shown, "there": c.there, "wanted": c.wanted}
                for c in map(_bounded, self.conflicts)
            ],
            "suggestions": [_edit_data(edit) for edit in self.suggestions],
            "other_edit": self.other,
            "text_found": self.there,
        }

    @property
    def text(self) -> str:
        """The refusal for a reader, without its code: some dozens of lines at most."""
        parts = [self.message]
        for conflict in map(_bounded, self.conflicts):
            parts += ["as shown before:", *_quoted(conflict.shown)]
            parts += ["as it is now:", *_quoted(conflict.there)]
            parts += ["as the edit wants it:", *_quoted(conflict.wanted)]
        for candidate in self.nearest:
            where = _lines(candidate.first_line, candidate.last_line)
            parts.append(f"nearest: {where}, {candidate.similarity:.0%} alike")
            if candidate.differs_at is not None:
                parts.append(f"  first difference at line {candidate.differs_at}:")
                parts += [f"    asked: {candidate.asked}", f"    found: {candidate.found}"]
        if self.nearest and self.suggestions and self.suggestions[0].search != "":
            parts.append("the text that is there:")
            parts += _quoted(self.nearest[0].text)
        return "\n".join(parts)

    def error(self, asked: str, count: int = 1) -> FilewrightError:
        """The error of a call of `count` edits on the file the caller named `asked`."""
        which = "" if count == 1 else f" edit {self.index + 1} of {count}:"
        return FilewrightError(
            self.code, f"{asked}:{which} {self.text}", hint=self.hint, details={"path": asked, **self.data()}
        )


def explained(source: FileText, missed: Missed, index: int = 0, *, fuzzy: bool = True) -> Refusal:
    """The refusal of a missed edit, with what is near and what would succeed."""
    if missed.code is Code.AMBIGUOUS_MATCH:
        return _ambiguous(source, missed, index, fuzzy=fuzzy)
    if missed.code is Code.ALREADY_APPLIED:
        lines = tuple(source.line_number(span.start) for span in missed.spans)
        return _applied(index, lines, missed.reached)
    edit = missed.edit
    if missed.code is Code.NO_CHANGE:
        return unchanged(index)
    if missed.code is Code.STALE_VERSION:
        lines = tuple(source.line_number(span.start) for span in missed.spans)
        where = f" around line {lines[0]}" if lines else ""
        return Refusal(
            index,
            Code.STALE_VERSION,
            f"the file has changed since it was shown, where the edit changes it{where}",
            "read the file again and make the edit anew from the text that is there now",
            missed.reached,
            lines,
            nearest(source, edit.search),
            missed.conflicts,
        )
    if edit.end_line is not None:
        return _elsewhere(source, missed, index)
    applied = _already(source, edit)
    if applied:
        return _applied(index, applied, missed.reached)
    return _nowhere(source, missed, index, fuzzy=fuzzy)


def _applied(index: int, lines: tuple[int, ...], reached: Tier) -> Refusal:
    where = f"line {lines[0]}" if len(lines) == 1 else f"lines {', '.join(map(str, lines))}"
    message = f"the replacement is there already, at {where}, and the search text is not in the file"
    hint = f"if {where} is the place that was meant, nothing is left to do"
    return Refusal(index, Code.ALREADY_APPLIED, message, hint, reached, lines)


def unchanged(index: int = 0) -> Refusal:
    """The refusal of edits whose result is what is there."""
    return Refusal(
        index,
        Code.NO_CHANGE,
        "the result would leave the file as it is",
        "correct the replacement, or leave the edit out",
    )


def overlapping(index: int, other: int, line: int) -> Refusal:
    """The refusal of an edit that touches what an earlier one changes."""
    if index == other:
        message = f"edit {index + 1} moves text into itself, at line {line}"
        return Refusal(index, Code.OVERLAP, message, "name a place outside of what is moved", None, (line,))
    return Refusal(
        index,
        Code.OVERLAP,
        f"edits {other + 1} and {index + 1} overlap at line {line}",
        f"join edits {other + 1} and {index + 1} into one",
        None,
        (line,),
        other=other,
    )


def _ambiguous(source: FileText, missed: Missed, index: int, *, fuzzy: bool) -> Refusal:
    edit = missed.edit
    lines = tuple(source.line_number(span.start) for span in missed.spans)
    listed = ", ".join(map(str, lines[:_LINES_LISTED]))
    more = " and more" if missed.more or len(lines) > _LINES_LISTED else ""
    how = "" if missed.reached is Tier.EXACT else f" (by the tier {missed.reached})"
    count = f"more than {len(lines)}" if missed.more else str(len(lines))
    message = f"the search text matches {count} places{how}: at lines {listed}{more}"
    suggestions = tuple(_choices(source, missed, lines, fuzzy=fuzzy))
    if suggestions and suggestions[0].start_line is not None:
        starts = ", ".join(str(edit.start_line) for edit in suggestions)
        hint = f"give start_line to choose one ({starts}), or add lines of context to search and replace"
    elif suggestions:
        hint = f"add context to search and replace, for example search for {_short(suggestions[0].search)}"
    else:
        hint = "add lines of context to search and replace until the text occurs once"
    if edit.start_line is not None:
        hint = f"none of them begins at line {edit.start_line}, or several do; {hint}"
    return Refusal(index, Code.AMBIGUOUS_MATCH, message, hint, missed.reached, lines, suggestions=suggestions)


def _choices(source: FileText, missed: Missed, lines: tuple[int, ...], *, fuzzy: bool) -> Iterator[Edit]:
    """The edit made clear for each of the first regions: by a start line, or by context."""
    if source.size > _CHECKED_BYTES:
        yield from (replace(missed.edit, start_line=line) for line in lines[:3])
        return
    for span, line in list(zip(missed.spans, lines, strict=True))[:3]:
        chosen = replace(missed.edit, start_line=line)
        if succeeds(source, chosen, fuzzy=fuzzy):
            yield chosen
        elif missed.reached is Tier.EXACT:
            wider = _with_context(source, missed.edit, span)
            if wider is not None and succeeds(source, wider, fuzzy=fuzzy):
                yield wider


def _with_context(source: FileText, edit: Edit, span: ByteRange) -> Edit | None:
    """The edit with as much of the text around `span` as occurs there only once."""
    first, last = source.row_at(span.start), source.row_at(max(span.start, span.end - 1))
    for _ in range(12):
        start, end = first.offset, max(last.body_end, span.end)
        before = source.text(source.read(start, span.start))
        after = source.text(source.read(span.end, end))
        plain = f"{before}{edit.search}{after}".replace("\r\n", "\n").replace("\r", "\n")
        if len(plain) > MOST_CHARS:
            return None
        if len(find_exact(source, plain, 2)) == 1:
            new = f"{before}{edit.replace}{after}".replace("\r\n", "\n").replace("\r", "\n")
            return replace(edit, search=plain, replace=new, start_line=None)
        first = source.row_before(first) or first
        last = source.row_from(last.end) or last
    return None


def _already(source: FileText, edit: Edit) -> tuple[int, ...]:
    """The lines where the replacement is, if it says enough to know it again."""
    if sum(char.isalnum() for char in edit.replace) < 4 or edit.replace.strip() in edit.search:
        return ()
    spans = find_exact(source, edit.replace, 4)
    if not spans:
        regions = find_regions(source, RequestLines.of(edit.replace)).strictest
        spans = [ByteRange(region.start, region.end) for region in regions[:4]]
    if not spans or (len(spans) > 1 and "\n" not in edit.replace.strip("\n")):
        return ()
    return tuple(source.line_number(span.start) for span in spans[:3])


def _elsewhere(source: FileText, missed: Missed, index: int) -> Refusal:
    """The refusal of a text that is not on the lines it was said to be on."""
    edit = missed.edit
    start, end = edit.start_line or 1, edit.end_line or 1
    count = source.snapshot.lines.count
    wanted = edit.replace.removesuffix("\n")
    new = _rows(source, start, start + wanted.count("\n"))
    if wanted and wanted == "\n".join(source.text(row.body) for row in new):
        return _applied(index, (start,), Tier.EXACT)
    rows = _rows(source, start, end)
    there = "\n".join(clean(source.text(row.body)) for row in rows)
    message = f"the text is not on {_lines(start, end)} of the file"
    if end > count:
        message += f", which has {count} lines"
    near: tuple[NearText, ...] = ()
    if rows and len(there) <= MOST_CHARS:
        near = (compared(source, rows, edit.search.removesuffix("\n").split("\n"), 0.0),)
    suggestions: list[Edit] = []
    hint = "use the text that is there, or leave out the lines to look for the text in the whole file"
    places = tuple(source.line_number(span.start) for span in missed.spans)
    if len(places) == 1:
        line = places[0]
        last = line + edit.search.removesuffix("\n").count("\n")
        suggestions.append(replace(edit, start_line=line, end_line=last))
        if not succeeds(source, suggestions[0]):
            suggestions = [replace(edit, start_line=None, end_line=None)]
        hint = f"the text is on {_lines(line, last)}: use start_line={line}, end_line={last}"
    elif places:
        hint = f"the text is at lines {', '.join(map(str, places))}: choose one"
    elif near:
        better = at_place(source, edit, near[0])
        suggestions += [replace(one, start_line=start, end_line=end) for one in better]
    return Refusal(
        index,
        Code.NO_MATCH,
        message,
        hint,
        Tier.EXACT,
        places,
        near,
        suggestions=tuple(one for one in suggestions if succeeds(source, one)),
        there=there,
    )


def _rows(source: FileText, start: int, end: int) -> list[Line]:
    rows = source.rows_from(source.snapshot.lines.offset_of(start))
    return list(islice(rows, max(0, min(end - start, 200) + 1)))


def _nowhere(source: FileText, missed: Missed, index: int, *, fuzzy: bool) -> Refusal:
    edit = missed.edit
    found = None if fuzzy else locate(source, edit)
    near: tuple[NearText, ...]
    exact: tuple[Edit, ...] = ()
    if isinstance(found, Located):
        rows = _rows_of(source, found.start, found.end)
        near = (compared(source, rows, edit.search.split("\n"), 1.0),)
        message = f"the text is not there exactly; it is by the tier {found.tier}"
        hint = "leave out fuzzy=false, or use exactly the text that is there"
        exact = _exactly(source, edit, found, rows)
    else:
        near = nearest(source, edit.search)
        message = f"the search text is not in the file (looked for by every tier up to {missed.reached})"
        hint = "use exactly the text that is there" if near else "read the file again"
    if _differs_in_form(source, edit.search):
        message += "; it is there in another Unicode normalisation form (composed and decomposed letters)"
        hint = "use exactly the text that is there, letter by letter as the file has it"
        exact = exact or _as_the_file_has_it(source, edit, near)
    suggestions = exact or suggested(source, edit, near)
    if not suggestions and near:
        hint = "look at what differs, and make search and replace anew from the text that is there"
    return Refusal(index, Code.NO_MATCH, message, hint, missed.reached, (), near, suggestions=suggestions)


def _as_the_file_has_it(source: FileText, edit: Edit, near: tuple[NearText, ...]) -> tuple[Edit, ...]:
    """The edit with its search text in the Unicode form that the file has."""
    wanted = unicodedata.normalize("NFC", edit.search)
    lengths = {len(unicodedata.normalize(form, edit.search)) for form in ("NFC", "NFD")}
    for text in [one.text for one in near if len(one.text) <= MOST_CHARS]:
        for start in range(len(text)):
            for length in lengths:
                raw = text[start : start + length]
                better = replace(edit, search=raw)
                if unicodedata.normalize("NFC", raw) == wanted and succeeds(source, better):
                    return (better,)
    return ()


def _exactly(source: FileText, edit: Edit, found: Located, rows: list[Line]) -> tuple[Edit, ...]:
    """The edit that writes what a looser tier would, in the text that is there."""
    start, end = rows[0].offset, rows[-1].body_end
    old = source.read(start, end)
    try:
        splices = [splice for splice in checked(source, found) if start <= splice.offset <= splice.end <= end]
        moved = [Splice(splice.offset - start, splice.length, splice.replacement) for splice in splices]
        new = apply(old, moved).decode(source.encoding.name)
        there = old.decode(source.encoding.name)
    except (UnclearError, UnicodeDecodeError, FilewrightError):
        return ()
    better = replace(edit, search=normalised(there), replace=normalised(new))
    if len(there) > MOST_CHARS or len(splices) < len(checked(source, found)):
        return ()
    return (better,) if succeeds(source, better, fuzzy=False) else ()


def unclear(source: FileText, found: Located, why: UnclearError, index: int) -> Refusal:
    """The refusal of an edit whose place is certain, and of which nobody can say what it writes there."""
    rows = _rows_of(source, found.start, found.end)
    there = compared(source, rows, found.edit.search.split("\n"), 1.0)
    lines = (there.first_line,)
    readings = "".join(
        f"\nit could become:\n{chr(10).join(_quoted(reading))}" for reading in why.readings if reading
    )
    return Refusal(index, why.code, why.message + readings, why.hint, found.tier, lines, (there,))


def _rows_of(source: FileText, start: int, end: int) -> list[Line]:
    first = source.row_at(start)
    more = takewhile(lambda row: row.offset < end, source.rows_from(first.end))
    return [first, *islice(more, 399)]


def _differs_in_form(source: FileText, search: str) -> bool:
    """Whether the text is there but for the Unicode normalisation form."""
    if search.isascii() or source.held is None or source.size > _CHECKED_BYTES:
        return False
    text = source.text(source.held)
    return unicodedata.normalize("NFC", search) in unicodedata.normalize("NFC", text)


def _lines(first: int, last: int) -> str:
    return f"line {first}" if first == last else f"lines {first}-{last}"


def _short(text: str) -> str:
    shown = visible(text.replace("\n", "⏎"))
    return f"«{shown}»"


def _quoted(text: str) -> list[str]:
    lines = text.split("\n")
    shown = [f"  | {one_line(line[:LINE_CHARS])}" for line in lines[:_SHOWN_LINES]]
    if len(lines) > _SHOWN_LINES:
        shown.append(f"  | … {len(lines) - _SHOWN_LINES} more lines")
    return shown


def _bounded(conflict: MergeConflict) -> MergeConflict:
    sides = (conflict.shown, conflict.there, conflict.wanted)
    return MergeConflict(*(clean(side[:MOST_CHARS]) for side in sides))


def _edit_data(edit: Edit) -> dict[str, Any]:
    data: dict[str, Any] = {"search": edit.search, "replace": edit.replace}
    if edit.replace_all:
        data["replace_all"] = True
    if edit.start_line is not None:
        data["start_line"] = edit.start_line
    if edit.end_line is not None:
        data["end_line"] = edit.end_line
    return data
