"""The merge of one change inside of lines: kept words stay the file's.

Text that is equal in search and replacement stays as the file has it; new text takes
the file's spelling. A change that fits at two places is refused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise

from filewright.edit.file_spelling import FileSpelling, Spelled, is_plain
from filewright.edit.model import AmbiguousWriteError
from filewright.edit.token_alignment import (
    MAX_COMPARED_TOKEN_PAIRS,
    TokenChange,
    align_tokens,
    number_lines,
    split_lines,
    starts_line,
)
from filewright.edit.tokens import Token, TokenPair
from filewright.text.spelling import PLAIN_CHARACTERS


@dataclass(frozen=True, slots=True)
class LineBody:
    """A merged line without its indentation.

    `row` is the matched line of the file whose beginning it has; `unproven` as in
    `Spelled`.
    """

    text: str
    row: int | None
    unproven: tuple[str, ...] = ()


def merge_change(
    rows: Sequence[int],
    pairs: Mapping[int, list[TokenPair]],
    new_lines: Sequence[list[Token]],
    spelling: FileSpelling,
) -> list[LineBody]:
    """Return the bodies of `new_lines`, which take the place of some matched lines.

    `rows` are the matched lines, `pairs` their tokens. Raise `AmbiguousWriteError` if
    the change fits at two places.
    """
    old_count = sum(len(pairs[row]) for row in rows)
    new_count = sum(map(len, new_lines))
    has_several_lines = len(rows) + len(new_lines) > 2
    if old_count * new_count > MAX_COMPARED_TOKEN_PAIRS and has_several_lines:
        return _merge_line_by_line(rows, pairs, new_lines, spelling)
    change = _collect_tokens(rows, pairs, new_lines)
    from_start = _write_change(
        change, align_tokens(change, from_end=False), spelling
    )
    from_end = _write_change(
        change, align_tokens(change, from_end=True), spelling
    )
    # Where a word occurs twice and the request removes one, either can be meant. That
    # matters only if the file spells the two differently: then the texts differ.
    if [body.text for body in from_start] == [body.text for body in from_end]:
        return from_start
    return _reconcile(from_start, from_end, new_lines)


def _collect_tokens(
    rows: Sequence[int],
    pairs: Mapping[int, list[TokenPair]],
    new_lines: Sequence[list[Token]],
) -> TokenChange:
    """Return the tokens of some matched rows, and of the lines in their place."""
    base: list[Token] = []
    ours: list[Token] = []
    token_rows: list[int] = []
    for row in rows:
        for pair in pairs[row]:
            base.append(pair.request)
            ours.append(pair.file)
            token_rows.append(row)
    theirs = list(chain.from_iterable(new_lines))
    return TokenChange(base, ours, token_rows, theirs)


def _merge_line_by_line(
    rows: Sequence[int],
    pairs: Mapping[int, list[TokenPair]],
    new_lines: Sequence[list[Token]],
    spelling: FileSpelling,
) -> list[LineBody]:
    """Merge each new line with the matched line in its place, if they are as many."""
    bodies: list[LineBody] = []
    for index, line in enumerate(new_lines):
        own_rows: Sequence[int] = ()
        if len(rows) == len(new_lines):
            own_rows = rows[index : index + 1]
        bodies += merge_change(own_rows, pairs, [line], spelling)
    return bodies


def _reconcile(
    from_start: Sequence[LineBody],
    from_end: Sequence[LineBody],
    new_lines: Sequence[list[Token]],
) -> list[LineBody]:
    """Return the lines of two readings that differ in trailing whitespace alone.

    Raise `AmbiguousWriteError` if they differ in more.
    """
    bodies: list[LineBody] = []
    for first, second, tokens in zip(
        from_start, from_end, new_lines, strict=True
    ):
        text = first.text.rstrip()
        if text != second.text.rstrip():
            raise AmbiguousWriteError(
                "the search text is spelled differently in the file, and the "
                "changed part fits at two places of it",
                "send search and replace exactly as the file has the text",
                readings=(_join_bodies(from_start), _join_bodies(from_end)),
            )
        if first.text == second.text:
            bodies.append(first)
        else:
            # The trailing whitespace of either line may be meant: write it as sent.
            bodies.append(replace(first, text=text + tokens[-1].gap))
    return bodies


def _join_bodies(bodies: Sequence[LineBody]) -> str:
    """Return the lines of one reading as text."""
    return "\n".join(body.text for body in bodies)


def _write_change(
    change: TokenChange, alignment: Mapping[int, int], spelling: FileSpelling
) -> list[LineBody]:
    """Write the replacement in the file's spelling, line by line."""
    gaps = _KeptGaps(change, alignment, is_prose=spelling.is_prose)
    uncommented = _find_uncommented(
        change, alignment, is_prose=spelling.is_prose
    )
    bodies: list[LineBody] = []
    text = ""
    unproven: list[str] = []
    row: int | None = None
    for index, token in enumerate(change.theirs):
        base_index = alignment.get(index)
        if starts_line(change.theirs, index):
            # The indentation is not written here.
            row = None
            if base_index is not None and starts_line(change.base, base_index):
                row = change.rows[base_index]
        else:
            gap = _spell_gap(token, gaps.take_gap(index), spelling)
            text += gap.text
            unproven += gap.unproven
        if token.ends_line:
            bodies.append(LineBody(text, row, tuple(dict.fromkeys(unproven))))
            text, unproven, row = "", [], None
            continue
        if base_index is not None:
            file_text = change.ours[base_index].text
            is_comment_quote = (
                index in uncommented and file_text in PLAIN_CHARACTERS
            )
            if not is_comment_quote:
                text += file_text
                continue
        spelled = spelling.spell_token(change.theirs, index)
        text += spelled.text
        unproven += spelled.unproven
    return bodies


def _spell_gap(
    token: Token, kept_gap: str | None, spelling: FileSpelling
) -> Spelled:
    """Return the whitespace before a token: the file's own, else in its spelling."""
    if kept_gap is not None:
        return Spelled(kept_gap)
    if token.ends_line:
        return Spelled(token.gap)
    return spelling.spell_gap(token.gap)


def _find_uncommented(
    change: TokenChange, alignment: Mapping[int, int], *, is_prose: bool
) -> set[int]:
    """Return the kept tokens that move from a comment line to a line of code.

    A curly quote of the comment would be no quote in the code.
    """
    if is_prose:
        return set()
    is_comment_in_base = [
        _is_comment(line) for line in split_lines(change.base)
    ]
    is_comment_in_theirs = [
        _is_comment(line) for line in split_lines(change.theirs)
    ]
    base_lines, their_lines = (
        number_lines(change.base),
        number_lines(change.theirs),
    )
    uncommented: set[int] = set()
    for their_index, base_index in alignment.items():
        was_comment = is_comment_in_base[base_lines[base_index]]
        if was_comment and not is_comment_in_theirs[their_lines[their_index]]:
            uncommented.add(their_index)
    return uncommented


def _is_comment(line: str) -> bool:
    """Return True if a line looks like a comment in any of the common languages."""
    return line.lstrip().startswith(
        ("#", "//", "/*", "*", "--", ";", "%", "<!--")
    )


class _KeptGaps:
    """The file's gaps that a request leaves alone; each is written once."""

    def __init__(
        self,
        change: TokenChange,
        alignment: Mapping[int, int],
        *,
        is_prose: bool,
    ) -> None:
        self._change = change
        self._is_prose = is_prose
        self._places = _find_places(change, alignment)
        self._taken: set[int] = set()
        base_ends = sum(token.ends_line for token in change.base)
        their_ends = sum(token.ends_line for token in change.theirs)
        self._is_reflowed = base_ends != their_ends

    def take_gap(self, index: int) -> str | None:
        """Return the file's gap before a new token, or None if the request changes it.

        A gap belongs to the token before it, or else to the token behind it.
        """
        token = self._change.theirs[index]
        # Trailing whitespace of a line of code means nothing. In prose it may be a line
        # break, or an empty cell.
        if token.ends_line and not self._is_prose:
            return None
        for base_index in self._candidates(index):
            if base_index in self._taken or base_index >= len(
                self._change.base
            ):
                continue
            base_token = self._change.base[base_index]
            # The indentation of a line is no gap inside of one.
            if starts_line(self._change.base, base_index):
                continue
            if (base_token.gap, base_token.ends_line) == (
                token.gap,
                token.ends_line,
            ):
                self._taken.add(base_index)
                gap = self._change.ours[base_index].gap
                # A no-break space holds words of one line together. Where lines are
                # joined or divided it may now hold other words.
                return gap if is_plain(gap) or not self._is_reflowed else None
        return None

    def _candidates(self, index: int) -> list[int]:
        """Return the tokens of the search text whose gap may be that of a new token."""
        candidates: list[int] = []
        previous = self._places.get(index - 1)
        if previous is not None:
            candidates.append(previous + 1)
        own = self._places.get(index)
        if own is not None:
            candidates.append(own)
        return candidates


def _find_places(
    change: TokenChange, alignment: Mapping[int, int]
) -> dict[int, int]:
    """Map new tokens to the tokens of the search text in whose place they are.

    Between two kept tokens that is one by one, if as many are replaced.
    """
    places = dict(alignment)
    anchors = [
        (-1, -1),
        *sorted(alignment.items()),
        (len(change.theirs), len(change.base)),
    ]
    for (their_index, base_index), (their_next, base_next) in pairwise(anchors):
        their_count = their_next - their_index - 1
        if 0 < their_count == base_next - base_index - 1:
            for step in range(1, their_count + 1):
                places[their_index + step] = base_index + step
    return places
