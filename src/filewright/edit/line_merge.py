"""The three-way merge of an edit whose lines were matched loosely.

The search text is the base, the lines of the file are ours, the replacement is theirs.
Whole lines that are equal in search and replacement stay as the file has them; inside
of a changed line the words, quotes, letters and whitespace that the request leaves
alone stay (`token_merge`). New text takes the form that the match proves: the file's
quotes for the request's quotes, its tabs for the request's spaces, its indentation.
Where the match proves nothing, text is written as it is sent.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from filewright.edit.comparison import fold, is_blank, leading_whitespace
from filewright.edit.depth_check import require_explained_depths
from filewright.edit.file_spelling import FileSpelling
from filewright.edit.model import AmbiguousWriteError, HunkPart
from filewright.edit.reindent import map_indents
from filewright.edit.token_merge import LineBody, merge_change
from filewright.edit.tokens import TokenPair, pair_tokens, tokenize


@dataclass(frozen=True, slots=True)
class MergedLine:
    """A line to write.

    `row` is the line of the file that stays as it is, None for a changed or new line.
    `unproven` are characters that the file spells in another way, and for which the
    match does not show how.
    """

    text: str
    row: int | None = None
    unproven: tuple[str, ...] = ()


def merge_matched_lines(
    match: HunkPart,
    file_lines: Sequence[str],
    kept_rows: Mapping[int, int],
    *,
    file_unit: str,
    is_prose: bool = False,
    is_numbered: bool = False,
) -> list[MergedLine]:
    """Return the lines that take the place of the matched ones.

    `file_lines` are the texts of `match.rows`, and `kept_rows` maps lines of the
    replacement to the rows that they are. Raise `AmbiguousWriteError` where a change
    fits at two places or can be indented in two ways.
    """
    indentation = match.indentation
    moves_indents = indentation is not None and not indentation.same
    indents: Mapping[str, str] = {}
    if indentation is not None and moves_indents:
        indents = map_indents(
            indentation, match, file_lines, kept_rows, file_unit
        )
    new_lines = _fold_indents(match, file_lines)
    bodies = _merge_bodies(
        match, new_lines, file_lines, kept_rows, is_prose=is_prose
    )
    merged: list[MergedLine] = []
    for index, text in enumerate(new_lines):
        row = kept_rows.get(index)
        if row is not None:
            merged.append(MergedLine(file_lines[row], row))
        elif index in bodies:
            merged.append(
                _indent_line(match, text, bodies[index], file_lines, indents)
            )
        elif not text or (text in match.blanks and text not in file_lines):
            # The whitespace on a blank line of the request is no text of the file.
            merged.append(MergedLine(""))
        else:
            # Other whitespace alone is an indent of the request, and moves as one.
            if indentation is not None and moves_indents:
                forms = indentation.extended([text])[text]
                text = forms[0] if forms else text
            merged.append(MergedLine(text))
    if indentation is not None:
        require_explained_depths(
            match,
            indentation,
            [line.text for line in merged],
            file_unit,
            is_numbered=is_numbered,
        )
    return merged


def _fold_indents(match: HunkPart, file_lines: Sequence[str]) -> Sequence[str]:
    """Return the new lines, with common spaces before them if the file has those.

    A model may send no-break spaces as indentation. The search text shows it: it has
    them where the file has spaces.
    """
    is_request_plain = all(
        _lead_of(line) == leading_whitespace(line) for line in match.old
    )
    is_file_plain = all(
        _lead_of(line) == leading_whitespace(line) for line in file_lines
    )
    if is_request_plain or not is_file_plain:
        return match.new
    return [fold(_lead_of(line)) + line.lstrip() for line in match.new]


def _lead_of(line: str) -> str:
    """Return all whitespace before a line, no-break spaces too."""
    return line[: len(line) - len(line.lstrip())]


def _indent_line(
    match: HunkPart,
    text: str,
    body: LineBody,
    file_lines: Sequence[str],
    indents: Mapping[str, str],
) -> MergedLine:
    """Put the indentation before a merged line: the file's, if it is kept."""
    indent = leading_whitespace(text)
    if indent != _lead_of(text):
        # Wide spaces that the file has too, or that are meant: write them as sent.
        return MergedLine(_lead_of(text) + body.text, None, body.unproven)
    lead = indents.get(indent, indent)
    if body.row is not None and indent == leading_whitespace(
        match.old[body.row]
    ):
        file_lead = _lead_of(file_lines[body.row])
        # Equal but for the kind of spaces: the file's indentation stays byte for byte.
        if fold(file_lead) == lead:
            lead = file_lead
    return MergedLine(lead + body.text, None, body.unproven)


def _merge_bodies(
    match: HunkPart,
    new_lines: Sequence[str],
    file_lines: Sequence[str],
    kept_rows: Mapping[int, int],
    *,
    is_prose: bool,
) -> dict[int, LineBody]:
    """Return the changed and new lines without indentation, by their number."""
    changed = [
        index
        for index, text in enumerate(new_lines)
        if index not in kept_rows and text.strip()
    ]
    if not changed:
        return {}
    pairs = _pair_rows(match, file_lines)
    # Where search text and file spell alike, no word has another form in the file.
    spelling: FileSpelling | None = None
    if _is_spelled_differently(match, file_lines, pairs):
        spelling = FileSpelling(pairs.values(), is_prose=is_prose)
    bodies: dict[int, LineBody] = {}
    for block in _split_blocks(
        changed, kept_rows, len(match.old), len(new_lines)
    ):
        rows = [row for row in block.rows if not is_blank(match.old[row])]
        texts = [new_lines[line].lstrip() for line in block.lines]
        if spelling is None:
            merged = _copy_bodies(rows, texts)
        else:
            if any(row not in pairs for row in rows):
                raise AmbiguousWriteError(
                    "the search text and the file differ in more than whitespace "
                    "and typography",
                    "send search and replace exactly as the file has the text",
                )
            merged = merge_change(
                rows, pairs, list(map(tokenize, texts)), spelling
            )
        bodies.update(zip(block.lines, merged, strict=True))
    return bodies


def _pair_rows(
    match: HunkPart, file_lines: Sequence[str]
) -> dict[int, list[TokenPair]]:
    """Return the paired tokens of each matched row whose two texts compare as equal."""
    pairs: dict[int, list[TokenPair]] = {}
    for row, (old, text) in enumerate(zip(match.old, file_lines, strict=False)):
        if is_blank(old):
            continue
        tokens = pair_tokens(old.lstrip(), text.lstrip())
        if tokens is not None:
            pairs[row] = tokens
    return pairs


def _is_spelled_differently(
    match: HunkPart,
    file_lines: Sequence[str],
    pairs: Mapping[int, list[TokenPair]],
) -> bool:
    """Return True if a paired row differs from the request in more than indentation."""
    return any(
        match.old[row].lstrip() != file_lines[row].lstrip() for row in pairs
    )


def _copy_bodies(rows: Sequence[int], texts: Sequence[str]) -> list[LineBody]:
    """Return new lines as sent: the request spells the text as the file does."""
    # A single line that takes the place of others keeps the indentation of the first.
    row = rows[0] if rows and len(texts) == 1 else None
    return [LineBody(text, row) for text in texts]


@dataclass(frozen=True, slots=True)
class _Block:
    """Rows of the file, and the new lines that come in their place."""

    rows: Sequence[int]
    lines: Sequence[int]


def _split_blocks(
    changed: Sequence[int],
    kept_rows: Mapping[int, int],
    row_count: int,
    line_count: int,
) -> Iterator[_Block]:
    """Yield what is between two lines that stay, if a new line is among it."""
    staying, new = set(kept_rows.values()), set(changed)
    anchors = [(-1, -1), *sorted(kept_rows.items()), (line_count, row_count)]
    for (line, row), (next_line, next_row) in pairwise(anchors):
        lines = [index for index in range(line + 1, next_line) if index in new]
        if lines:
            rows = [
                index
                for index in range(row + 1, next_row)
                if index not in staying
            ]
            yield _Block(rows, lines)
