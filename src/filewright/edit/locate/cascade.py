"""The cascade: tier after tier over the whole file, each needing exactly one region.

*Elision* (tier 3): lines of the request that mean text left out.

Why it cannot be wrong: search and replacement leave text out equally often; each kept stretch occurs
in the file once, by its strictest tier, in the order of the request; and the text between two of
them does not leave the block in which the elision begins, unless the request itself shows, by its
indentation, that it is left. What is left out is in no splice.

A request whose elision does leave its block says something untrue of the file: of two blocks it makes
one. Which of the two is meant decides where the change goes, unless all of it lies before the mark,
beside the name of its block, and changes lines that occur nowhere else. Then what follows the mark is
context only, and there is no second place where those lines could be changed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import takewhile

from filewright.edit.filetext import Source, find_exact
from filewright.edit.find import Region, find_regions
from filewright.edit.line_endings import choose_terminator, whole_lines_splice
from filewright.edit.linediff import diff_lines
from filewright.edit.locate.request import (
    ByteRange,
    Edit,
    EditMatch,
    Literal,
    NewLines,
    NotLocated,
    Part,
    RequestLines,
    Tier,
    WholeLines,
    has_invisible,
    is_blank,
    is_invisible,
    valid,
    width_of,
)
from filewright.edit.merge import try_merge
from filewright.edit.omission_markers import is_omission_marker
from filewright.edit.repairs.diff_signs import repair_diff_signs
from filewright.edit.repairs.model import RepairedRequest
from filewright.edit.repairs.propose import propose_repairs, remove_characters
from filewright.edit.repairs.wrappers import fence_at_edge
from filewright.errors import Code, FilewrightError, invalid
from filewright.languages import Language
from filewright.text.codec import encoded, normalised

MOST_LISTED = 50
"""Equal regions counted before an ambiguous answer says «more»."""
_LINES_NAMED = 20
MOST_REPLACED = 1_000_000
"""Occurrences one `replace_all` takes."""


_COMPARED_BYTES = 1 << 20
"""Of longer stretches the lines that stay are not looked for."""
_MOST_OMITTED = 1 << 20
"""Bytes of omitted text that are looked at; more is refused."""


def locate(source: Source, request: Edit) -> EditMatch | NotLocated:
    """Where `request` goes in `source`, or why nowhere.

    Pure: reads the snapshot, nothing else. The drift tier
    needs what the caller was shown: see `filewright.edit.drift`. Raises `invalid_input`,
    `is_binary`, `too_large`.
    """
    edit = valid(request)
    if edit.named or not (edit.search or edit.end_line):
        return _of_lines(source, edit)
    if edit.start_line is not None and edit.end_line is not None:
        return _anchored(source, edit, edit.start_line, edit.end_line)
    if edit.replace_all:
        return _all(edit, find_exact(source, edit.search, MOST_REPLACED + 1))
    exact = find_exact(source, edit.search, MOST_LISTED + 1)
    if len(exact) == 1:
        return EditMatch(
            edit, Tier.EXACT, (Literal(exact[0], edit.search, edit.replace),)
        )
    if exact:
        return _one(
            source,
            edit,
            Tier.EXACT,
            [Literal(span, edit.search, edit.replace) for span in exact],
        )
    if not edit.fuzzy:
        return NotLocated(edit, Code.NO_MATCH, Tier.EXACT)
    return _tolerant(source, edit)


def _tolerant(source: Source, edit: Edit) -> EditMatch | NotLocated:
    unseen = (
        {char for char in edit.search if is_invisible(char)}
        if has_invisible(edit.search)
        else set()
    )
    missing = {char for char in unseen if not find_exact(source, char, 1)}
    if missing:
        better = remove_characters(edit.search, edit.replace, missing)
        strict = _strict(source, better) if better.search.strip() else None
        if strict is not None:
            tier, parts, more = strict
            answer = _one(source, edit, Tier.REPAIRED, parts, more=more)
            if isinstance(answer, EditMatch):
                answer = replace(answer, inner=tier, repairs=(better.what,))
            return _unapplied(source, answer)
    block, wanted = RequestLines.of(edit.search), RequestLines.of(edit.replace)
    if not block.solid:
        return NotLocated(edit, Code.NO_MATCH, Tier.EXACT)
    found = find_regions(source, block)
    regions = found.strictest
    signed = repair_diff_signs(edit.search, edit.replace)
    if signed is not None and any(region.tier is Tier.INDENT for region in regions):
        # Lines with the sign of a diff before them look as if they were indented by one more.
        is_signed = find_exact(source, signed.search.strip("\n"), 1)
        regions = [] if is_signed else regions
    if regions:
        tier = max(
            Tier.TRAILING,
            *(region.tier for region in regions),
            key=lambda tier: tier.rank,
        )
        if tier is not Tier.TRAILING and not any(
            map(str.isalnum, "".join(block.solid))
        ):
            return NotLocated(
                edit, Code.NO_MATCH, tier
            )  # brackets alone say nothing of their place
        parts = [WholeLines(region, block, wanted) for region in regions]
        return _unapplied(source, _one(source, edit, tier, parts, more=found.more))
    elided = find_elided(source, edit.search, edit.replace)
    if elided is not None:
        inner = max((part.region.tier for part in elided), key=lambda tier: tier.rank)
        return EditMatch(edit, Tier.ELISION, tuple(elided), inner)
    repaired = _repaired(source, edit)
    if repaired is not None:
        return _unapplied(source, repaired)
    return NotLocated(edit, Code.NO_MATCH, Tier.REPAIRED)


def _repaired(source: Source, edit: Edit) -> EditMatch | NotLocated | None:
    """The repaired request where it matches by the strictest tier of all repairs.

    Two repairs that match equally well must mean the same: one place, and one text there.
    """
    found: dict[int, list[EditMatch | NotLocated]] = {}
    for better in propose_repairs(edit.search, edit.replace):
        strict = _strict(source, better)
        if strict is not None:
            tier, parts, more = strict
            answer = _one(source, edit, Tier.REPAIRED, parts, more=more)
            if isinstance(answer, EditMatch):
                answer = replace(answer, inner=tier, repairs=(better.what,))
            found.setdefault(tier.rank, []).append(answer)
    answers = found[min(found)] if found else []
    located = [answer for answer in answers if isinstance(answer, EditMatch)]
    if not located or len(located) < len(answers):
        return next(
            (answer for answer in answers if isinstance(answer, NotLocated)), None
        )
    first, *others = located
    made = try_merge(source, first) if others else None
    for other in others:
        # The same damage with and without a blank behind it: the blank is the damage's.
        alike = try_merge(source, other) == made or (
            made is not None and first.repairs == other.repairs
        )
        if not alike or first.span != other.span:
            spans = sorted(
                (part.span for part in (*first.parts, *other.parts)),
                key=lambda span: span.start,
            )
            return NotLocated(edit, Code.AMBIGUOUS_MATCH, Tier.REPAIRED, tuple(spans))
    return first


def _unapplied(source: Source, found: EditMatch | NotLocated) -> EditMatch | NotLocated:
    """`found`, unless the replacement is at that place already and reaches beyond it.

    A loosely matched text may be what a change left of it: the lines that an insertion follows.
    """
    if isinstance(found, NotLocated) or not isinstance(found.parts[0], WholeLines):
        return found
    part = found.parts[0]
    if _lost_a_line(source, part):
        return NotLocated(found.edit, Code.NO_MATCH, found.tier)
    if len(part.replace.solid) <= len(part.search.solid):
        return found
    for region in find_regions(source, part.replace).regions:
        if any(
            region.start < edge < region.end
            for edge in (part.region.start, part.region.end)
        ):
            return NotLocated(
                found.edit,
                Code.ALREADY_APPLIED,
                found.tier,
                (ByteRange(region.start, region.end),),
            )
    return found


def _lost_a_line(source: Source, part: WholeLines) -> bool:
    """Whether the search text has a blank line at its edge in the place of a line of the file.

    It is indented, as lines are that lost their text; or the replacement adds that line of the file. What the
    replacement puts there would come beside the line, and not in its place.
    """
    search, replace = part.search, part.replace
    for asked, wanted, ahead in (
        (search.before, replace.before, False),
        (search.after, replace.after, True),
    ):
        if len(asked) <= len(wanted):
            continue
        text, between = _solid_beside(source, part.region, ahead=ahead)
        if not text or len(asked) <= between:
            continue
        added = Counter(map(str.strip, replace.solid)) - Counter(
            map(str.strip, search.solid)
        )
        if "".join(asked) or text.strip() in added:
            return True
    return False


def _solid_beside(source: Source, region: Region, *, ahead: bool) -> tuple[str, int]:
    """The text of the first line with text behind a region, or before it; and how many blank ones lie between."""
    rows = source.rows_from(region.end) if ahead else source.rows_before(region.rows[0])
    return source.first_solid(rows)


def _strict(
    source: Source, better: RepairedRequest
) -> tuple[Tier, list[Part], bool] | None:
    """What a repaired request means by tiers 1 and 2, and whether there may be more."""
    if not better.whole_lines:
        spans = find_exact(source, better.search, MOST_LISTED + 1)
        if spans:
            return (
                Tier.EXACT,
                [Literal(span, better.search, better.replace) for span in spans],
                False,
            )
    block, replace = RequestLines.of(better.search), RequestLines.of(better.replace)
    everything = find_regions(source, block)
    if not everything.regions:
        return None
    regions = everything.strictest
    if better.first_number is not None:
        # A number confirms a place. It never chooses between equals: it may be of an older text.
        number = better.first_number + len(block.before)
        if number not in (source.line_number(region.start) for region in regions):
            return None
    if "fence" in better.what and any(
        fence_at_edge(_solid_beside(source, region, ahead=ahead)[0])
        for region in regions
        for ahead in (False, True)
    ):
        return None  # the block in which the text is has fences, of which these may be
    parts: list[Part] = [WholeLines(region, block, replace) for region in regions]
    return regions[0].tier, parts, everything.more


def _one(
    source: Source,
    edit: Edit,
    tier: Tier,
    parts: Sequence[Part],
    *,
    more: bool = False,
) -> EditMatch | NotLocated:
    """The one region; of several the one at the start line, if it was given.

    With `more` the file was not looked through to its end, and one region is not the only one.
    """
    chosen, line = list(parts), edit.start_line
    more = more or len(chosen) > MOST_LISTED
    if len(chosen) > 1 and line is not None:
        part = chosen[0]
        if more and isinstance(part, Literal):  # not all of them are known
            spans = find_exact(source, part.search, MOST_LISTED + 1, line=line)
            chosen = [replace(part, span=span) for span in spans] or chosen
        begin, end = source.offset(line - 1), source.offset(line)
        at_line = [part for part in chosen if begin <= part.span.start < end]
        chosen = at_line if len(at_line) == 1 else chosen
    if len(chosen) > 1 or (more and line is None):
        listed = tuple(part.span for part in chosen[:MOST_LISTED])
        return NotLocated(edit, Code.AMBIGUOUS_MATCH, tier, listed, more)
    return EditMatch(edit, tier, (chosen[0],))


def _all(edit: Edit, spans: list[ByteRange]) -> EditMatch | NotLocated:
    if not spans:
        return NotLocated(edit, Code.NO_MATCH, Tier.EXACT)
    if len(spans) > MOST_REPLACED:
        message = f"the search text occurs more than {MOST_REPLACED} times"
        raise FilewrightError(Code.TOO_LARGE, message, "search for a longer text")
    parts: list[Part] = []
    end = -1
    for span in spans:
        if span.start >= end:
            parts.append(Literal(span, edit.search, edit.replace))
            end = span.end
    return EditMatch(edit, Tier.EXACT, tuple(parts))


def _of_lines(source: Source, edit: Edit) -> EditMatch:
    """Whole lines, whatever they hold."""
    first, inserts = edit.start_line or 0, edit.end_line is None
    last = edit.end_line or first - 1
    if first < 1 or not (source.offset(last - 1) < source.size if last else first == 1):
        count = source.count
        message, hint = (
            f"the lines {first}-{last} are not all in the file",
            f"use lines from 1 to {count}",
        )
        if edit.named and inserts:
            message = f"line {last} is past the end of the file"
        elif inserts:
            message, hint = (
                f"start_line {first} is past the end of the file",
                f"{hint}; {count + 1} appends",
            )
        message += f", which has {count} lines"
        raise invalid(message, hint, argument="start_line", line_count=count)
    start, end, text = source.offset(first - 1), source.offset(last), edit.replace
    text = text if text.endswith("\n") or not (text or inserts) else text + "\n"
    if inserts or not text or end - start > _COMPARED_BYTES:
        new = edit.data or encoded(
            text, source.encoding, choose_terminator(source, start), argument="replace"
        )
        splices = (whole_lines_splice(source, start, end, new),)
        return EditMatch(edit, Tier.EXACT, (NewLines(ByteRange(start, end), splices),))
    data = source.read(start, end)
    body = data.removesuffix(b"\n").removesuffix(b"\r")
    if (
        body
        and not body.endswith((b"\n", b"\r"))
        and (body != data or text[-2:-1] not in "\n")
    ):
        # The last line keeps its terminator; at the end of a file it may have none.
        data, text = body, text.removesuffix("\n")
    old = normalised(source.text(data))
    part = Literal(ByteRange(start, start + len(data)), old, text)
    return EditMatch(replace(edit, search=old), Tier.EXACT, (part,))


def _anchored(
    source: Source, edit: Edit, start: int, end: int
) -> EditMatch | NotLocated:
    """Exactly the search text at exactly these lines, a final newline of it aside."""
    search, new = edit.search, edit.replace
    wanted = search.removesuffix("\n").split("\n")
    rows = source.rows_at(start - 1, min(end - start, len(wanted)) + 1)
    if (
        len(rows) == end - start + 1
        and [source.text(row.body) for row in rows] == wanted
    ):
        last = rows[-1]
        if search.endswith("\n") and not last.terminator:
            search, new = search.removesuffix("\n"), new.removesuffix("\n")
        span = ByteRange(
            rows[0].offset, last.end if search.endswith("\n") else last.body_end
        )
        return EditMatch(edit, Tier.EXACT, (Literal(span, search, new),))
    text = "\n".join(wanted)
    elsewhere = find_exact(source, text, _LINES_NAMED) if text.strip() else []
    spans = [span for span in elsewhere if _is_whole(source, span)]
    return NotLocated(
        edit,
        Code.NO_MATCH,
        Tier.EXACT,
        tuple(spans or elsewhere[: len(elsewhere) == 1]),
    )


def _is_whole(source: Source, span: ByteRange) -> bool:
    """Whether a span begins and ends where lines do."""
    begins = span.start == source.start or source.read(span.start - 1, span.start) in (
        b"\n",
        b"\r",
    )
    return begins and source.read(span.end, span.end + 1) in (b"", b"\n", b"\r")


# Elision


def find_elided(source: Source, search: str, replace: str) -> list[WholeLines] | None:
    """The parts of an edit whose texts leave text out alike; None if it is not such an edit."""
    asked, marks = _stretches(search, source.language)
    wanted, _ = _stretches(replace, source.language)
    if len(asked) < 2 or len(asked) != len(wanted):
        return None
    if any(
        find_regions(source, RequestLines.of_lines([mark])).regions for mark in marks
    ):
        return None  # a line of the file is text
    parts: list[WholeLines] = []
    after = source.start
    crossed = False
    for index, (one, other) in enumerate(zip(asked, wanted, strict=True)):
        mine, theirs = RequestLines.of_lines(one), RequestLines.of_lines(other)
        if not mine.solid:
            if theirs.solid:
                return None
            continue
        best = find_regions(source, mine).strictest
        if len(best) != 1 or best[0].start < after:
            return None
        part = WholeLines(best[0], mine, theirs)
        if (
            parts
            and not crossed
            and not _is_inside(source, parts[-1], part, marks[index - 1])
        ):
            if not all(
                _is_settled(source, before, width_of(marks[index - 1]))
                for before in parts
            ):
                return None
            crossed = True
        if crossed and mine.lines != theirs.lines:
            return None
        after = part.region.end
        parts.append(part)
    return parts or None


def _is_settled(source: Source, part: WholeLines, level: int) -> bool:
    """Whether a stretch above a mark at `level` says by itself where it is changed: by lines that occur once."""
    old, new = part.search.lines, part.replace.lines
    if old == new:
        return True
    if len(find_regions(source, part.search).regions) != 1:
        return False

    def is_single(lines: Sequence[str]) -> bool:
        solid = [line for line in lines if not is_blank(line)]
        return any(
            len(find_regions(source, RequestLines.of_lines([line])).regions) == 1
            for line in solid
        )

    # The last line further left than the mark names its block, or one that opens a block or a section.
    opening = -1
    for at, line in enumerate(old):
        opens = width_of(line) < level or line.rstrip().endswith(("{", "(", "[", ":"))
        if not is_blank(line) and (opens or _is_section(source, line)):
            opening = at
    for change in diff_lines(old, new):
        gone = old[change.start : change.end]
        if gone and not any(map(str.strip, gone)):
            gone = ()
        beside = old if change.start <= opening else old[opening + 1 :]
        if not is_single(gone or beside):
            return False
    return True


def _is_section(source: Source, line: str) -> bool:
    """Whether a line begins a section that no indentation shows: a heading, a table's name in brackets."""
    section = source.language.traits.section if source.language else ""
    return bool(section) and re.match(section, line) is not None


def _is_inside(
    source: Source, before: WholeLines, after: WholeLines, mark: str
) -> bool:
    """Whether the text between two stretches stays in the block in which the mark between them is."""
    start, end = before.region.end, after.region.start
    if end - start > _MOST_OMITTED:
        return False
    above, below = (
        width_of(before.search.solid[-1]),
        _block_width(after.search.solid[0]),
    )
    level, mine = width_of(mark), width_of(before.region.texts[-1])
    stays = level >= above and below >= above
    named = _is_section(source, after.search.solid[0])
    if below < above:
        # The request shows that the block is left, and how far.
        least = min(_block_width(after.region.texts[0]) - max(0, below - level), mine)
    elif level > above:
        least = mine + 1
    elif above in (level, below):
        below_it, _ = source.first_solid(source.rows_from(start))
        least = mine + (below > above and width_of(below_it) > mine)
    else:
        least = mine - (
            above - level
        )  # the mark is outside of the block of the line above it
    depth = 0
    for row in takewhile(lambda row: row.offset < end, source.rows_from(start)):
        text = source.text(row.body)
        if not is_blank(text):
            depth += sum(text.count(char) for char in "([{") - sum(
                text.count(char) for char in ")]}"
            )
            if (
                width_of(text) < least
                or (stays and depth < 0)
                or (not named and _is_section(source, text))
            ):
                return False
    return True


def _block_width(line: str) -> int:
    """The width of a line, less the blank by which a comment's later lines are aligned with its first."""
    return width_of(line) - bool(re.match(r"\s+\*(?:\s|/|$)", line))


def _stretches(
    text: str, language: Language | None
) -> tuple[list[list[str]], list[str]]:
    """The lines between those that mean omitted text, and these."""
    lines = text.split("\n")
    if len(lines) > 1 and is_blank(lines[-1]):
        lines.pop()
    result: list[list[str]] = [[]]
    marks: list[str] = []
    for line in lines:
        if is_omission_marker(line, language):
            marks.append(line)
            result.append([])
        else:
            result[-1].append(line)
    return result, marks
