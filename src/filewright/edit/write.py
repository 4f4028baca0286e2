"""The one writer: a located edit as splices. Search is the base, the file is ours, replace is theirs.

Lines that search and replace share keep the file's own bytes: whitespace, typography, terminators.
Changed and new lines are the caller's, in the file's indentation and with its dominant terminator.
What was looked past to find the place is looked past in the whole replacement, or the edit is refused:
`UnclearError`. What comes out are splices of the lines that really differ, so nothing else can change.

Four rules hold for every edit, whichever way its place was found. A line that the request keeps is the file's line,
byte for byte, wherever it goes. A new line's indentation is one that either text holds, moved as all lines are.
What is damaged in the search text is undone in the replacement, and nothing else is. Damage that only the
replacement has is refused (`filewright.edit.damage`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from itertools import pairwise
from typing import NamedTuple

from filewright.edit.damage import UNNUMBERED, check
from filewright.edit.filetext import FileText, find_exact
from filewright.edit.linediff import align, line_splices
from filewright.edit.locate.indentation import Indentation
from filewright.edit.locate.request import (
    WHITESPACE,
    Literal,
    Located,
    NewLines,
    RequestLines,
    Rows,
    UnclearError,
    WholeLines,
    indent_of,
    is_blank,
    is_typographic,
    plain_but_for,
    width_of,
    words_shared,
)
from filewright.errors import Code
from filewright.text import Splice, encoded

_MOST_COMPARED = 160_000
"""Pairs of lines of search and replace that are aligned longest run first."""
_WORD_BYTES = 256
_ALIKE = 0.5
_LONGEST_INDENT = 1 << 16  # a line may be as long as the file


def checked(source: FileText, located: Located) -> tuple[Splice, ...]:
    """The splices of a located edit, in order; none if it changes nothing.

    Raises `unencodable`, and `UnclearError` where nobody can say what is to be written.
    """
    literal = not located.edit.fuzzy
    if not literal:
        check(source, located)
    result: list[Splice] = []
    for part in located.parts:
        match part:
            case NewLines():
                result += part.splices
            case Literal():
                if not literal and not located.edit.replace_all:
                    _check_indent(source, part)
                    _check_word(source, part)
                result += write_exact(source, part.span.start, part.span.end, part.search, part.replace)
            case WholeLines() | Rows():
                rows = part if isinstance(part, Rows) else row_by_row(part)
                numbered = UNNUMBERED in located.repairs
                result += _rows(source, rows, numbered=numbered, literal=literal)
    return tuple(result)


def meant(source: FileText, located: Located) -> tuple[Splice, ...] | None:
    """What `checked` gives; None where nobody can say what is to be written."""
    try:
        return checked(source, located)
    except UnclearError:
        return None


def write_exact(source: FileText, start: int, end: int, search: str, replace: str) -> Sequence[Splice]:
    """The splices that put `replace` where `search` is literally in [start, end).

    Lines equal in both keep their terminators. Raises `unencodable`.
    """
    theirs = encoded(replace, source.encoding, argument="replace")
    if "\n" not in search and "\n" not in replace:
        return () if source.read(start, end) == theirs else (Splice(start, end - start, theirs),)
    lines = theirs.split(b"\n")
    return _lines_put(source, start, end, lines, [*[None] * (len(lines) - 1), b""])


def _lines_put(
    source: FileText, start: int, end: int, lines: Sequence[bytes], ends: Sequence[bytes | None]
) -> tuple[Splice, ...]:
    """The splices that put lines at [start, end): of those that differ.

    One without an end of its own has the end of the line there that it is, or else the file's usual one. What is
    behind the last end is no line, so it never is one.
    """
    old, endings = source.read(start, end), [*ends]
    # What earlier edits left may have none of the returns that are usual in the file.
    if None in ends and (b"\r" in old or source.snapshot.dominant != b"\n"):
        there = [line for line in old.splitlines(keepends=True) if line.endswith((b"\n", b"\r"))]
        whole = lines[:-1] if ends[-1] == b"" else lines
        for run in align([line.rstrip(b"\r\n") for line in there], whole):
            for at, line in enumerate(there[run.left : run.left + run.length], run.right):
                endings[at] = endings[at] or line[len(lines[at]) :]
    made = bytearray()  # to add to bytes copies all of them
    for body, ending in zip(lines, endings, strict=True):
        line = body + (source.snapshot.dominant if ending is None else ending)
        # A newline behind a lone return would be one line end with it.
        made += b"\r" if line == b"\n" and made.endswith(b"\r") else line
    return line_splices(old, bytes(made), start)


def whole_lines(source: FileText, start: int, end: int, new: bytes) -> Splice:
    """The splice that puts the lines `new` in place of those in [start, end).

    At the end of a file whose last line has no end the last one has none either; what is put behind that line ends it.
    """
    if new and end == source.size > source.start and source.read(end - 1, end) not in (b"\n", b"\r"):
        body = new.removesuffix(b"\n").removesuffix(b"\r")
        new = new if body[-1:] in b"\r\n" else body  # a blank one would be no line
        new = source.snapshot.dominant + new if start == end else new
    return Splice(start, end - start, new)


# Whole lines


def row_by_row(part: WholeLines) -> Rows:
    """Lines that mean a region, as the rows they are: with blank lines as the file has them, where they stay."""
    region, search, replace = part.region, part.search, part.replace
    same, gap_of = _paired(part)
    kept: dict[int, int] = {}
    new = [*replace.before[len(search.before) :]]
    for index, text in enumerate(replace.solid):
        if index:
            wanted, gap = replace.blank[index - 1], gap_of.get(index - 1, -1)
            rows, stays = range(0), 0
            if gap >= 0:
                rows, asked = range(region.solid[gap] + 1, region.solid[gap + 1]), search.blank[gap]
                beside = same.get(index - 1) == gap or same.get(index) == gap + 1
                if wanted == asked and (beside or len(rows) == len(asked)):
                    wanted, stays = ("",) * len(rows), len(rows)
                elif len(wanted) != len(asked):
                    stays = min(len(wanted), len(rows))
            kept |= enumerate(rows[:stays], len(new))
            new += wanted
        if index in same:
            kept[len(new)] = region.solid[same[index]]
        new.append(text)
    new += replace.after[len(search.after) :]
    if not replace.solid:
        new = [""] * max(0, len(replace.after) - len(search.before) - len(search.after))
    old = [""] * len(region.rows)
    for at, text in zip(region.solid, search.solid, strict=True):
        old[at] = text
    blanks = frozenset(text for texts in search.blank for text in texts)
    return Rows(
        region.rows,
        part.span,
        tuple(old),
        tuple(new),
        kept,
        region.indentation,
        ended=bool(region.rows[-1].terminator),
        blanks=blanks,
    )


def _paired(part: WholeLines) -> tuple[dict[int, int], dict[int, int]]:
    """Of the solid lines of the replacement, and of the gaps between them, which they are of the search text."""
    search, replace = part.search, part.replace
    mine, theirs = _places(search), _places(replace)
    same: dict[int, int] = {}
    gap_of: dict[int, int] = {}
    runs: Sequence[tuple[int, int, int]]
    if len(search.lines) * len(replace.lines) > _MOST_COMPARED:
        runs = align(search.lines, replace.lines)
    else:  # how a person reads a change
        runs = SequenceMatcher(None, search.lines, replace.lines, autojunk=False).get_matching_blocks()
    for left, right, length in runs:
        for (at, solid), (to, _) in zip(
            mine[left : left + length], theirs[right : right + length], strict=True
        ):
            (same if solid else gap_of)[to] = at
    same |= _moved(search.solid, replace.solid, same)
    taken = {*gap_of.values()}
    # Gaps without a blank line in common go with the gap beside the lines they lie between.
    for index in reversed(range(len(replace.blank))):
        beside = same.get(index + 1, 0) - 1, same.get(index, -1)
        free = [gap for gap in beside if 0 <= gap < len(search.blank) and gap not in taken]
        if free and index not in gap_of:
            # The one the caller left as it was; of two, the one with more blank lines in the file;
            # of equals, the one before the line that follows.
            unchanged = [gap for gap in free if search.blank[gap] == replace.blank[index]] or free[:1]
            places = part.region.solid
            gap_of[index] = max(unchanged, key=lambda gap: places[gap + 1] - places[gap])
            taken.add(gap_of[index])
    return same, gap_of


def _places(block: RequestLines) -> list[tuple[int, bool]]:
    """For each line of `block.lines`: the number of the solid line, or of the gap, that it is (in)."""
    result: list[tuple[int, bool]] = []
    for index in range(len(block.solid)):
        if index:
            result += [(index - 1, False)] * len(block.blank[index - 1])
        result.append((index, True))
    return result


def _moved(old: Sequence[str], new: Sequence[str], same: Mapping[int, int]) -> dict[int, int]:
    """The new lines that are old ones elsewhere, beside the `same`: a line that is moved stays itself."""
    free: dict[str, list[int]] = {}
    taken = set(same.values())
    for index, text in enumerate(old):
        if index not in taken and text.strip():
            free.setdefault(text, []).append(index)
    return {
        index: free[text].pop(0) for index, text in enumerate(new) if index not in same and free.get(text)
    }


def _rows(source: FileText, part: Rows, *, numbered: bool, literal: bool) -> tuple[Splice, ...]:
    """The splices that make the new lines of rows: those that stay, as they are; others as the file writes them.

    At the end of the file the last line has a terminator as the part says, or as it was before; where all lines
    go there, the terminator before them goes too, if the file's last has none.
    """
    rows, start, end = part.rows, part.span.start, part.span.end
    texts = [source.text(row.body) for row in rows]
    same = {**part.kept}
    if part.terminators is None:
        same |= _moved(part.old, part.new, same)
    own = "".join(texts)
    # What is there literally has no characters that are looked past.
    folds = not literal and is_typographic("".join({*"".join(part.old)} - {*own}))
    indentation = part.indentation if part.indentation is not None and not part.indentation.same else None
    forms: dict[str, str] = {}
    if indentation is not None:
        forms = _forms(source, indentation, part, texts, same)
    made: list[str] = []
    for index, text in enumerate(part.new):
        indent = indent_of(text)
        body = text[len(indent) :]
        if index in same:
            made.append(texts[same[index]])
        elif body.strip():
            made.append(forms.get(indent, indent) + (_plain(source, body, own) if folds else body))
        elif not text or (text in part.blanks and text not in texts):
            made.append("")
        else:
            made.append(text if indentation is None else (*indentation.extended([text])[text], text)[0])
    if not literal and part.indentation is not None:
        _check_depths(source, part, part.indentation, made, numbered=numbered)
    lines: list[bytes] = []
    ends: list[bytes | None] = []
    for index, text in enumerate(made):
        if index in same:
            row = rows[same[index]]
            lines.append(row.body)
            ends.append(row.terminator or None)
        else:
            lines.append(encoded(text, source.encoding, argument="replace"))
            ends.append((part.terminators[index] or None) if part.terminators else None)
    was_ended = not rows or bool(rows[-1].terminator)
    if end == source.size and made:
        ended, last = part.ended, same.get(len(made) - 1)
        if ended is None:
            ended = was_ended if last is None else bool(rows[last].terminator)
        ends[-1] = ends[-1] if ended else b""
    elif end == source.size and not was_ended and start > source.start and not part.ended:
        start -= 2 if source.read(start - 2, start) == b"\r\n" else 1
    return _lines_put(source, start, end, lines, ends)


def _plain(source: FileText, body: str, own: str) -> str:
    """New text in plain characters, but for those that the file's lines have."""
    body, unclear = plain_but_for(body, own)
    if any(not find_exact(source, char, 1) for char in unclear):
        raise UnclearError(
            "the search text is there in plain characters, and the replacement holds "
            f"{unclear[0]!r} (U+{ord(unclear[0]):04X}), for which nobody can say what was typed",
            "send search and replace in the characters that the file has",
            Code.NO_MATCH,
        )
    return body


# Indentation


def _forms(
    source: FileText,
    indentation: Indentation,
    part: Rows,
    there: Sequence[str],
    same: Mapping[int, int],
) -> dict[str, str]:
    """What each indent of the replacement becomes, none where it is the file's.

    The replacement is written in the request's indentation, and is mapped as the search text was; or in
    the file's already. Lines that stay by their text tell which, where they are moved in one of the two:
    all of them must say the same. What a line that is new opens a block for is moved in any case.
    """
    asked, solid = ([line for line in lines if not is_blank(line)] for lines in (part.old, part.new))
    if not solid:
        return {}
    known = indentation.known
    # In their order: of two as short the first is the base, whatever order a set of them has in this process.
    indents = dict.fromkeys(map(indent_of, solid))
    base, first = min(indents, key=len), min(known, key=len)
    either = {indent: (known.get(indent, indent), indent) for indent in indents}
    old, new = ([line.strip() for line in lines] for lines in (part.old, part.new))
    told = dict(same)
    for run in align(old, new):
        told |= {
            run.right + step: run.left + step for step in range(run.length) if run.right + step not in same
        }
    moved = [
        _Moved(indent_of(part.old[at]), indent_of(text), indent_of(part.new[to]), new[to])
        for to, at in told.items()
        if (text := there[at]) and new[to] and indent_of(part.old[at]) != indent_of(text)
    ]
    told_of = {*told.values()}
    changed = [line for at, line in enumerate(part.old) if at not in told_of and not is_blank(line)]
    changed = changed if len(changed) * len(new) <= _MOST_COMPARED // 16 else []
    inside = _opened(
        solid,
        {
            text
            for to, text in enumerate(new)
            if to in told or any(words_shared(text, line) > _ALIKE for line in changed)
        },
    )
    outside = [one for one in moved if one.text not in inside]
    mapped = any(one.wanted == one.asked for one in moved)
    # Where it begins and ends as the search text does, indents and all, it is written as that is. In the file's own
    # indentation it would move both by just what the search text is wrong by, below no line that opens a block.
    frames = (solid[0], solid[-1]) == (asked[0], asked[-1])
    if mapped and not frames:
        # A closing bracket may be another one.
        tells = len({one.asked for one in outside}) > 1 or any(re.search(r"\w", one.text) for one in outside)
        # Spaces where the file has tabs, or the other way round, are never the file's own indentation.
        alike = ("\t" in "".join(known.values())) == ("\t" in "".join(indents))
        if (len(outside) < len(moved) and not tells and alike) or any(
            one.wanted == one.found for one in outside
        ):
            raise _unclear(part.new, either)
    if moved and not mapped:
        # A line before the others may open a block for them. And where the first indent is the same in
        # both, one line may be in the file's by being moved there.
        given = all(one.wanted == one.found for one in moved) and solid[0].strip() in {
            one.text for one in moved
        }
        if given and base == known[first] and (base != first or len({one.asked for one in moved}) > 1):
            return {}
        raise _unclear(part.new, either)
    readings = indentation.extended(indents, source.indent_unit)
    if base != first and solid[0].rstrip() != asked[0].rstrip():
        # Nothing says in which indentation the replacement is written.
        readings = {indent: tuple(dict.fromkeys((*forms, indent))) for indent, forms in readings.items()}
    clipped = [indent for indent in readings if indent and indent not in known and "" in readings[indent]]
    if len(clipped) > ("" not in known.values()) or any(len(forms) != 1 for forms in readings.values()):
        raise _unclear(part.new, readings)
    return {indent: forms[0] for indent, forms in readings.items()}


class _Moved(NamedTuple):
    """The indents of a line that stays by its text: in the search text, in the file and in the replacement."""

    asked: str
    found: str
    wanted: str
    text: str


def _unclear(new: Sequence[str], readings: Mapping[str, tuple[str, ...]]) -> UnclearError:
    texts = [
        "\n".join((readings.get(indent_of(line)) or ("",))[place] + line.lstrip(WHITESPACE) for line in new)
        for place in (0, -1)
    ]
    if texts[0] == texts[1]:
        texts[1] = "\n".join(new)
    return UnclearError(
        "the search text is indented otherwise than the file, and the indentation of the replacement "
        "can be read in several ways",
        "send search and replace with the file's own indentation",
        readings=tuple(texts),
    )


def _opened(new: Sequence[str], known: set[str]) -> set[str]:
    """Of the lines that are `known`, those that stand deeper below a line that is new."""
    result: set[str] = set()
    opening: str | None = None
    for line in new:
        text = line.strip()
        if text not in known:
            opening = indent_of(line)
        elif opening is not None and len(indent_of(line)) > len(opening):
            result.add(text)
        else:
            opening = None
    return result


def _check_depths(
    source: FileText,
    part: Rows,
    indentation: Indentation,
    made: Sequence[str],
    *,
    numbered: bool,
) -> None:
    """Refuse a new line that is indented as no line of either text is, and as no step explains.

    A step is how deep a block is: in the file, or in both where the margin is the same in both. Where no line is
    moved nothing is in doubt, unless numbers were taken away: they may be set off otherwise in the replacement.
    """
    known = indentation.known
    asked = [text for text in part.old if not is_blank(text)]
    solid = [at for at, text in enumerate(part.new) if not is_blank(text)]
    wanted, lines = [part.new[at] for at in solid], [made[at] for at in solid]
    if not indentation.same and _leaves_its_block(asked, wanted):
        raise UnclearError(
            "the search text is indented otherwise than the file, and the replacement otherwise than the search text",
            "send search and replace with the file's own indentation",
        )
    doubtful = [at for at, text in enumerate(wanted) if indent_of(text) not in known]
    tabs = "\t" in "".join((*known, *known.values()))
    if not doubtful or (not numbered and (indentation.same or tabs)):
        return
    unit = source.indent_unit
    step, deep = 0, len(unit) if unit.strip("\t") else 2
    if not numbered and known.get("") == "":
        step, deep = min((width_of(asked), width_of(there)) for asked, there in known.items() if asked)
    for at in doubtful if step else doubtful[:1]:  # what is below the first is written as that is
        deeper = width_of(lines[at]) - width_of(lines[at - 1])
        if step:
            fits = (width_of(wanted[at]) - width_of(wanted[at - 1]), deeper) == (step, deep)
        else:
            fits = deeper % deep == 0 or deeper > 8 or wanted[at].lstrip().startswith("*")
        if not (at and fits) and (step or indent_of(lines[at]) not in known.values()):
            raise UnclearError(
                f"nothing says how deep {wanted[at].strip()!r} belongs: it would be indented by "
                f"{len(indent_of(lines[at]))}, as no line of the file or of the search text is",
                "send search and replace with the file's own indentation",
            )


def _leaves_its_block(asked: Sequence[str], wanted: Sequence[str]) -> bool:
    """Whether of two lines that stay together the one further left is moved, and the other is not with it."""
    beside = {
        (one.strip(), other.strip()): (width_of(one), width_of(other)) for one, other in pairwise(asked)
    }
    for one, other in pairwise(wanted):
        before = beside.get((one.strip(), other.strip()))
        if before is not None and before[0] != before[1]:
            moved = width_of(one) - before[0], width_of(other) - before[1]
            if moved[before[0] > before[1]] and moved[0] != moved[1]:
                return True
    return False


# A text inside a line


def _check_indent(source: FileText, part: Literal) -> None:
    """Refuse a text found inside a line that would put text of the line at another indent.

    The first line of the search text lacks some of its indent. Taken literally, the line would be
    moved, where the replacement has its indent, or another line before it; nobody asked for that.
    """
    first, *others = part.search.split("\n")
    start = part.span.start
    begin = source.begin_of(start)
    if start - begin > _LONGEST_INDENT:
        return
    lead = source.text(source.read(begin, start))
    indent = lead + indent_of(first)
    if not lead or lead.strip(WHITESPACE) or not first.strip():
        return
    new, *more = part.replace.split("\n")
    text, bare, given = first.strip(), new.strip(), indent_of(first)
    moved = bool(bare) and (new in others or indent_of(new) == indent != given)
    moved = moved or (bare == text and indent_of(new) != given)
    alone = True
    for line in others:
        # Another line than the first is kept, in its place.
        moved = moved or (line.strip() == bare != "" and line not in (lead + new, *more))
        alone = alone and is_blank(line)
    for line in more:
        moved = moved or (line.strip() == text and line not in others and indent_of(line) != indent)
        # Of one line nothing says how those are indented that come behind it.
        moved = moved or (alone and not is_blank(line) and indent_of(line) == given)
    if moved:
        raise UnclearError(
            f"the search text begins inside the indent of its line, and {text!r}, or a line beside it, would be moved",
            "send search and replace with the whole indent of their first line",
        )


def _check_word(source: FileText, part: Literal) -> None:
    """Refuse a text found inside a word of which the replacement has all: a part of the word would be there twice."""
    search, new, start, end = part.search, part.replace, part.span.start, part.span.end
    before = source.text(source.read(start - _WORD_BYTES, start))
    after = source.text(source.read(end, end + _WORD_BYTES))
    for left, right, holds in (
        (before, search, new.startswith),
        (search[-_WORD_BYTES:], after, new.endswith),
    ):
        ending, beginning = re.search(r"\w+\Z", left), re.match(r"\w+", right)
        if ending and beginning and holds(ending[0] + beginning[0]):
            raise UnclearError(
                f"the search text has only a part of the word {ending[0] + beginning[0]!r}, "
                "and the replacement all of it",
                "send search and replace with the same parts of the line",
            )
