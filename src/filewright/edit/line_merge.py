"""The three-way merge of an edit: search text, replacement and the file's own lines.

The search text is the base, the file's lines are ours, the replacement is theirs. One function serves every tier
and the hunks of patches. Whatever is equal in search and replacement stays as the file has it: whole lines, and
inside a changed line the words, quotes, letters and whitespace that the request leaves alone. Only the difference
is applied. New text takes the form that the match itself proves: the file's quotes for the request's quotes, its
tabs for the request's spaces, its indentation. Where the match proves nothing, text is written as it is sent. A
difference that fits at two places is refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from filewright.edit.comparison import fold, is_blank, leading_whitespace
from filewright.edit.file_spelling import Spelling
from filewright.edit.model import AmbiguousWriteError, HunkPart
from filewright.edit.reindent import map_indents, require_explained_depths
from filewright.edit.token_merge import _Body, _merged_block
from filewright.edit.tokens import TokenPair, pair_tokens, tokenize


@dataclass(frozen=True, slots=True)
class MergedLine:
    """A line to write: `row` is the file's line that stays as it is, None for a line that is changed or new.

    `unproven` are characters of it that the file spells in another way, and the match does not show in which.
    """

    text: str
    row: int | None = None
    unproven: tuple[str, ...] = ()


def merge_matched_lines(
    part: HunkPart,
    there: Sequence[str],
    same: Mapping[int, int],
    *,
    file_unit: str,
    is_prose: bool = False,
    is_numbered: bool = False,
) -> list[MergedLine]:
    """Return the lines that take the place of the matched ones.

    `there` are the file's lines, row by row, and `same` says of lines of the replacement which row they are.
    Raises `AmbiguousWriteError` where the difference fits at two places or can be indented in two ways.
    """
    indentation = part.indentation
    moves = indentation is not None and not indentation.same
    indents = (
        map_indents(indentation, part, there, same, file_unit)
        if moves and indentation
        else {}
    )
    new = _plainly_indented(part, there)
    bodies = _merged_bodies(part, new, there, same, is_prose=is_prose)
    result: list[MergedLine] = []
    for index, text in enumerate(new):
        row = same.get(index)
        if row is not None:
            result.append(MergedLine(there[row], row))
        elif index in bodies:
            result.append(_indented(part, text, bodies[index], there, indents))
        elif not text or (text in part.blanks and text not in there):
            result.append(MergedLine(""))
        else:
            forms = indentation.extended([text])[text] if moves and indentation else ()
            result.append(MergedLine((*forms, text)[0]))
    if indentation is not None:
        require_explained_depths(
            part,
            indentation,
            [line.text for line in result],
            file_unit,
            is_numbered=is_numbered,
        )
    return result


def _plainly_indented(part: HunkPart, there: Sequence[str]) -> Sequence[str]:
    """Return the new lines, with common spaces before them where the search text shows that the file has those."""
    if all(_lead(old) == leading_whitespace(old) for old in part.old) or any(
        _lead(text) != leading_whitespace(text) for text in there
    ):
        return part.new
    return [fold(_lead(text)) + text.lstrip() for text in part.new]


def _lead(line: str) -> str:
    """Return all whitespace before a line, no-break spaces too."""
    return line[: len(line) - len(line.lstrip())]


def _indented(
    part: HunkPart,
    text: str,
    body: _Body,
    there: Sequence[str],
    indents: Mapping[str, str],
) -> MergedLine:
    """Put the indentation before a merged line: the file's own where the request leaves it alone."""
    indent = leading_whitespace(text)
    if indent != _lead(text):
        return MergedLine(
            _lead(text) + body.text, None, body.unproven
        )  # wide spaces, as they are sent
    lead = indents.get(indent, indent)
    if body.row is not None and indent == leading_whitespace(part.old[body.row]):
        own = _lead(there[body.row])
        lead = own if fold(own) == lead else lead
    return MergedLine(lead + body.text, None, body.unproven)


# Inside lines


def _merged_bodies(
    part: HunkPart,
    new: Sequence[str],
    there: Sequence[str],
    same: Mapping[int, int],
    *,
    is_prose: bool,
) -> dict[int, _Body]:
    """Return the changed and new lines, by their number, without indentation."""
    changed = [
        index for index, text in enumerate(new) if index not in same and text.strip()
    ]
    if not changed:
        return {}
    pairs: dict[int, list[TokenPair]] = {}
    differs = False
    for row, (asked, text) in enumerate(zip(part.old, there, strict=False)):
        if not is_blank(asked):
            tokens = pair_tokens(asked.lstrip(), text.lstrip())
            if tokens is not None:
                pairs[row] = tokens
                differs = differs or asked.lstrip() != text.lstrip()
    result: dict[int, _Body] = {}
    spelling = Spelling(pairs.values(), is_prose=is_prose) if differs else None
    for rows, lines in _blocks(changed, same, len(part.old), len(new)):
        base_rows = [row for row in rows if not is_blank(part.old[row])]
        if spelling is None:
            first_row = base_rows[0] if base_rows else None
            for line in lines:
                result[line] = _Body(
                    new[line].lstrip(), first_row if len(lines) == 1 else None, ()
                )
            continue
        if any(row not in pairs for row in base_rows):
            raise AmbiguousWriteError(
                "the search text and the file differ in more than whitespace and typography",
                "send search and replace exactly as the file has the text",
            )
        theirs = [tokenize(new[line].lstrip()) for line in lines]
        for line, body in zip(
            lines, _merged_block(base_rows, pairs, theirs, spelling), strict=True
        ):
            result[line] = body
    return result


def _blocks(
    changed: Sequence[int], same: Mapping[int, int], rows: int, lines: int
) -> Iterator[tuple[list[int], list[int]]]:
    """Yield the file's rows and the new lines between two lines that stay."""
    stay, wanted = set(same.values()), set(changed)
    anchors = [(-1, -1), *sorted(same.items()), (lines, rows)]
    for (line, row), (next_line, next_row) in pairwise(anchors):
        between = [index for index in range(line + 1, next_line) if index in wanted]
        if between:
            yield (
                [index for index in range(row + 1, next_row) if index not in stay],
                between,
            )


# The spelling that a match proves
