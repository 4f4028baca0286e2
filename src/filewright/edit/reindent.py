"""The indentation of a replacement, in the file's own units.

Lines that stay show how the request's indents become the file's; new lines follow the same map. Where it can be
read in two ways the edit is refused, and both readings are shown.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from filewright.edit.comparison import (
    WHITESPACE,
    indent_width,
    is_blank,
    leading_whitespace,
    word_similarity,
)
from filewright.edit.indentation import Indentation
from filewright.edit.linediff import align
from filewright.edit.model import AmbiguousWriteError, HunkPart

#: A line that opens a block, one that closes one, and an item of a list.
OPENING = re.compile(
    r"(?:[:{(\[]|=>|->|\b(?:then|do|begin|else|try))(?:\s+(?:#|//).*|\s*)$"
)
CLOSING = re.compile(r"\s*(?:[)}\]]|end\b)")
ITEM = re.compile(r"\s*(?:[-*+]|\d+[.)])\s")
#: Pairs of changed lines that are compared to tell which new line is which old one.
_MOST_COMPARED = 10_000
_ALIKE = 0.5


def map_indents(
    indentation: Indentation,
    part: HunkPart,
    there: Sequence[str],
    same: Mapping[int, int],
    file_unit: str,
) -> dict[str, str]:
    """What each indent of the replacement becomes, none where it is the file's.

    The replacement is written in the request's indentation, and is mapped as the search text was; or in
    the file's already. Lines that stay by their text tell which, where they are moved in one of the two:
    all of them must say the same. What a line that is new opens a block for is moved in any case.
    """
    asked, solid = (
        [line for line in lines if not is_blank(line)] for lines in (part.old, part.new)
    )
    if not solid:
        return {}
    known = indentation.known
    # In their order: of two as short the first is the base, whatever order a set of them has in this process.
    indents = dict.fromkeys(map(leading_whitespace, solid))
    base, first = min(indents, key=len), min(known, key=len)
    either = {indent: (known.get(indent, indent), indent) for indent in indents}
    old, new = ([line.strip() for line in lines] for lines in (part.old, part.new))
    told = dict(same)
    for run in align(old, new):
        told |= {
            run.right + step: run.left + step
            for step in range(run.length)
            if run.right + step not in same
        }
    moved = [
        _Moved(
            leading_whitespace(part.old[at]),
            leading_whitespace(text),
            leading_whitespace(part.new[to]),
            new[to],
        )
        for to, at in told.items()
        if (text := there[at])
        and new[to]
        and leading_whitespace(part.old[at]) != leading_whitespace(text)
    ]
    told_of = {*told.values()}
    changed = [
        line
        for at, line in enumerate(part.old)
        if at not in told_of and not is_blank(line)
    ]
    changed = changed if len(changed) * len(new) <= _MOST_COMPARED else []
    inside = _opened(
        solid,
        {
            text
            for to, text in enumerate(new)
            if to in told
            or any(word_similarity(text, line) > _ALIKE for line in changed)
        },
    )
    outside = [one for one in moved if one.text not in inside]
    # A new line further left than all matched ones is written as the search text is, and what it opens with it.
    shallow = (
        indent_width(base) < min(map(indent_width, known.values()))
        and solid[0].strip() not in old
    )
    is_wrapped = bool(not first and shallow and inside and not outside)
    mapped = any(one.wanted == one.asked for one in moved) or is_wrapped
    # Where it begins and ends as the search text does, indents and all, it is written as that is. In the file's own
    # indentation it would move both by just what the search text is wrong by, below no line that opens a block.
    frames = (solid[0], solid[-1]) == (asked[0], asked[-1])
    if mapped and not frames and not is_wrapped:
        # A closing bracket may be another one.
        tells = len({one.asked for one in outside}) > 1 or any(
            re.search(r"\w", one.text) for one in outside
        )
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
        if (
            given
            and base == known[first]
            and (base != first or len({one.asked for one in moved}) > 1)
        ):
            return {}
        raise _unclear(part.new, either)
    readings = indentation.extended(indents, file_unit)
    if base != first and solid[0].rstrip() != asked[0].rstrip():
        # Nothing says in which indentation the replacement is written.
        readings = {
            indent: tuple(dict.fromkeys((*forms, indent)))
            for indent, forms in readings.items()
        }
    clipped = [
        indent
        for indent in readings
        if indent and indent not in known and "" in readings[indent]
    ]
    if len(clipped) > ("" not in known.values()) or any(
        len(forms) != 1 for forms in readings.values()
    ):
        raise _unclear(part.new, readings)
    return {indent: forms[0] for indent, forms in readings.items()}


class _Moved(NamedTuple):
    """The indents of a line that stays by its text: in the search text, in the file and in the replacement."""

    asked: str
    found: str
    wanted: str
    text: str


def _unclear(
    new: Sequence[str], readings: Mapping[str, tuple[str, ...]]
) -> AmbiguousWriteError:
    texts = [
        "\n".join(
            (readings.get(leading_whitespace(line)) or ("",))[place]
            + line.lstrip(WHITESPACE)
            for line in new
        )
        for place in (0, -1)
    ]
    if texts[0] == texts[1]:
        texts[1] = "\n".join(new)
    return AmbiguousWriteError(
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
            opening = leading_whitespace(line)
        elif opening is not None and len(leading_whitespace(line)) > len(opening):
            result.add(text)
        else:
            opening = None
    return result


def require_explained_depths(
    part: HunkPart,
    indentation: Indentation,
    made: Sequence[str],
    file_unit: str,
    *,
    is_numbered: bool,
) -> None:
    """Refuse a new line that is indented as no line of either text is, and as no step explains.

    A step is how deep a block is: in the file, or in both where the margin is the same in both. Where no line is
    moved nothing is in doubt, unless numbers were taken away: they may be set off otherwise in the replacement.
    """
    known = indentation.known
    asked = [text for text in part.old if not is_blank(text)]
    solid = [at for at, text in enumerate(part.new) if not is_blank(text)]
    wanted, lines = [part.new[at] for at in solid], [made[at] for at in solid]
    if not indentation.same and _lacks_a_block(asked, wanted):
        raise AmbiguousWriteError(
            "the search text is indented otherwise than the file, and a new line of the replacement opens a block "
            "with no deeper line below it",
            "send search and replace with the file's own indentation",
            readings=("\n".join(made),),
        )
    if not indentation.same and _leaves_its_block(asked, wanted):
        raise AmbiguousWriteError(
            "the search text is indented otherwise than the file, and the replacement otherwise than the search text",
            "send search and replace with the file's own indentation",
        )
    doubtful = [
        at for at, text in enumerate(wanted) if leading_whitespace(text) not in known
    ]
    tabs = "\t" in "".join((*known, *known.values()))
    if not doubtful or (not is_numbered and (indentation.same or tabs)):
        return
    unit = file_unit
    step, deep = 0, len(unit) if unit.strip("\t") else 2
    if not is_numbered and known.get("") == "":
        step, deep = min(
            (indent_width(asked), indent_width(there))
            for asked, there in known.items()
            if asked
        )
    for at in (
        doubtful if step else doubtful[:1]
    ):  # what is below the first is written as that is
        deeper = indent_width(lines[at]) - indent_width(lines[at - 1])
        if step:
            fits = (
                indent_width(wanted[at]) - indent_width(wanted[at - 1]),
                deeper,
            ) == (
                step,
                deep,
            )
        else:
            fits = (
                deeper % deep == 0 or deeper > 8 or wanted[at].lstrip().startswith("*")
            )
        if not (at and fits) and (
            step or leading_whitespace(lines[at]) not in known.values()
        ):
            raise AmbiguousWriteError(
                f"nothing says how deep {wanted[at].strip()!r} belongs: it would be indented by "
                f"{len(leading_whitespace(lines[at]))}, as no line of the file or of the search text is",
                "send search and replace with the file's own indentation",
            )


def _lacks_a_block(asked: Sequence[str], wanted: Sequence[str]) -> bool:
    """Return whether a new line opens a block and the line below it is no deeper: the request lost its nesting."""
    known = {line.strip() for line in asked}
    for above, line in pairwise(wanted):
        opens = OPENING.search(above) is not None and above.strip() not in known
        if (
            opens
            and indent_width(line) == indent_width(above)
            and not (CLOSING.match(line) or ITEM.match(line))
        ):
            return True
    return False


def _leaves_its_block(asked: Sequence[str], wanted: Sequence[str]) -> bool:
    """Whether of two lines that stay together the one further left is moved, and the other is not with it."""
    beside = {
        (one.strip(), other.strip()): (indent_width(one), indent_width(other))
        for one, other in pairwise(asked)
    }
    for one, other in pairwise(wanted):
        before = beside.get((one.strip(), other.strip()))
        if before is not None and before[0] != before[1]:
            moved = indent_width(one) - before[0], indent_width(other) - before[1]
            if moved[before[0] > before[1]] and moved[0] != moved[1]:
                return True
    return False
