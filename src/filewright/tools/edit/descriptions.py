"""Lines of a change that an answer describes in words, since the caller knows them.

- text that was moved or copied, with the lines of its source
- the content of a new file, which is in the request
- symbols and lines that the request deletes
- the marker lines of a conflict, and the side that is not taken
- imports that were rewritten, whose new lines the answer lists

The answer says where they are. All other lines that changed are shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from filewright.edit.diff import FileDiff
from filewright.edit.import_rewriting import NewLine
from filewright.edit.model import Tier
from filewright.edit.outcome import EditOutcome
from filewright.edit.request import LineEdit
from filewright.edit.source import Source
from filewright.tools.edit.call import ImportEdit
from filewright.tools.edit.moves import LaidOutText
from filewright.wording import escape_controls, pluralize

_LINE_END = re.compile(rb"\r\n|\r|\n")


@dataclass(frozen=True, slots=True)
class PlacedText:
    """The text that edit `number` moved or copied, from its first to its last line.

    Blank lines that were added around it are not among its lines. With `is_known`, it
    has the lines of its source, and nothing but blank lines was added.
    """

    number: int
    text: LaidOutText
    first: int
    last: int
    is_known: bool

    @property
    def known_lines(self) -> range:
        """The lines that need not be shown, with the blank lines added around the text."""
        if not self.is_known:
            return range(0)
        return range(
            self.first - self.text.above, self.last + self.text.below + 1
        )

    @property
    def description(self) -> str:
        """The lines, and the differences from the source, in words."""
        parts = [_format_lines(self.first, self.last)]
        if self.text.above:
            parts.append(f"{pluralize(self.text.above, 'blank line')} above")
        if self.text.below:
            parts.append(f"{pluralize(self.text.below, 'blank line')} below")
        if self.text.form:
            parts.append(self.text.form)
        if not self.text.has_same_lines:
            parts.append("changed (see the diff)")
        return ", ".join(parts)

    @property
    def row(self) -> str:
        """A copy as one line for a reader."""
        moved_text = self.text.moved_text
        origin = escape_controls(moved_text.source.location.display_path)
        lines = _format_lines(moved_text.lines.start, moved_text.lines.stop - 1)
        label = _label(self.text)
        return f"lines {self.description}{label} copied from {origin}:{lines}"

    def shift(self, line: int, count: int) -> PlacedText:
        """Return the text after lines were inserted before a line."""
        if self.first < line:
            return self
        return replace(self, first=self.first + count, last=self.last + count)


@dataclass(frozen=True, slots=True)
class TakenSide:
    """A side of conflicts that edit `number` takes, in words, and the lines it deletes."""

    number: int
    description: str
    deleted: tuple[range, ...]


@dataclass(frozen=True, slots=True)
class DescribedLines:
    """Lines of one file that an answer describes instead of showing them in the diff.

    `removed` are lines of the file as it was, `added` lines of the new text. `moves` are
    the outcomes of edits that move a text out of the file, and `placed_texts` the texts
    that come into it. `deletions` are the outcomes of edits that delete symbols or lines,
    each with its line of the answer. `imports` are the new lines of rewritten imports, and
    `added_imports` the lines of new ones.
    """

    removed: tuple[range, ...] = ()
    added: tuple[range, ...] = ()
    moves: tuple[EditOutcome, ...] = ()
    placed_texts: tuple[PlacedText, ...] = ()
    taken_sides: tuple[TakenSide, ...] = ()
    deletions: Mapping[EditOutcome, str] = field(default_factory=dict)
    imports: tuple[NewLine, ...] = ()
    added_imports: tuple[NewLine, ...] = ()

    def omit_from(self, diff: FileDiff) -> FileDiff | None:
        """Return the diff without the lines that are described; None if all are."""
        if not self.removed and not self.added:
            return diff
        rest = diff.without_lines(self.removed, self.added)
        is_shown = rest.added or rest.removed or rest.remark
        has_both_names = diff.old_name and diff.new_name
        if not is_shown and (not has_both_names or not rest.has_new_header):
            return None
        return rest


def describe_lines(
    outcomes: Sequence[EditOutcome],
    removals: Sequence[LineEdit],
    laid_out_texts: dict[int, LaidOutText],
    taken_sides: Sequence[TakenSide],
    deletions: Mapping[int, str],
    result: Source,
) -> DescribedLines:
    """Return the lines of a planned file that are described in words.

    `result` is the new text of the file. The lines of an edit whose place was found
    loosely are not described, but shown.
    """
    removed: list[range] = []
    moves: list[EditOutcome] = []
    placed_texts: list[PlacedText] = []
    deletion_rows: dict[EditOutcome, str] = {}
    removal_names = {(edit.number, edit.named) for edit in removals}
    for outcome in outcomes:
        if outcome.tier is not Tier.EXACT:
            continue
        if (outcome.index, outcome.named) in removal_names:
            removed.append(range(outcome.first, outcome.last + 1))
            moves.append(outcome)
        elif outcome.index in laid_out_texts:
            text = laid_out_texts[outcome.index]
            placed_texts.append(find_placed_text(outcome, text, result))
        elif (
            outcome.index in deletions and outcome.new_last < outcome.new_first
        ):
            removed.append(range(outcome.first, outcome.last + 1))
            symbol = deletions[outcome.index]
            label = f", {symbol}," if symbol else ""
            deletion_rows[outcome] = (
                f"{outcome.lines}{label} deleted{outcome.remainder}"
            )
    known_sides = tuple(_find_known_sides(outcomes, taken_sides))
    for side in known_sides:
        removed += side.deleted
    return DescribedLines(
        tuple(removed),
        tuple(text.known_lines for text in placed_texts if text.is_known),
        tuple(moves),
        tuple(placed_texts),
        known_sides,
        deletion_rows,
    )


def describe_imports(
    described: DescribedLines,
    outcomes: Sequence[EditOutcome],
    imports: Sequence[ImportEdit],
) -> DescribedLines:
    """Return the described lines with those of rewritten imports.

    `outcomes` are those of `imports`, in the same order.
    """
    removed = [*described.removed]
    added = [*described.added]
    lines: list[NewLine] = []
    added_lines: list[NewLine] = []
    for outcome, rewritten in zip(outcomes, imports, strict=True):
        removed.append(range(outcome.first, outcome.last + 1))
        added.append(range(outcome.new_first, outcome.new_last + 1))
        first = outcome.new_first
        for line in rewritten.lines:
            own_lines = added_lines if rewritten.is_added else lines
            own_lines.append(
                NewLine(first + line.line, first + line.last, line.text)
            )
    lines.sort(key=lambda line: line.line)
    added_lines.sort(key=lambda line: line.line)
    return replace(
        described,
        removed=tuple(removed),
        added=tuple(added),
        imports=tuple(lines),
        added_imports=tuple(added_lines),
    )


def find_placed_text(
    outcome: EditOutcome, text: LaidOutText, result: Source
) -> PlacedText:
    """Return a text with its place, which begins at the first new line of the outcome."""
    lines = _LINE_END.split(text.data)[:-1]
    first = outcome.new_first
    # Another edit of the call may have changed the text at its new place.
    is_known = (
        text.has_same_lines and [*result.bodies(first - 1, len(lines))] == lines
    )
    return PlacedText(
        outcome.index,
        text,
        first=first + text.above,
        last=first + len(lines) - text.below - 1,
        is_known=is_known,
    )


def describe_departure(
    outcome: EditOutcome, text: PlacedText, path: str
) -> str:
    """Return one line for a text that moved to `path`, "" within its file."""
    place = f"{path}:"
    if not path:
        place = "lines " if text.last > text.first else "line "
    return (
        f"{outcome.lines}{_label(text.text)} moved to {place}"
        f"{text.description}{outcome.remainder}"
    )


def find_known_lines(
    placed_texts: Sequence[PlacedText], line_count: int
) -> tuple[range, ...]:
    """Return the lines of a new file that its caller knows: all but texts that changed."""
    known: list[range] = []
    first = 1
    changed_texts = [text for text in placed_texts if not text.is_known]
    for text in sorted(changed_texts, key=lambda text: text.first):
        known.append(range(first, text.first))
        first = text.last + 1
    return (*known, range(first, line_count + 1))


def _find_known_sides(
    outcomes: Sequence[EditOutcome], taken_sides: Sequence[TakenSide]
) -> Iterator[TakenSide]:
    """Yield the sides of the edits of which no conflict was found loosely."""
    for side in taken_sides:
        own_outcomes = [
            outcome for outcome in outcomes if outcome.index == side.number
        ]
        if all(outcome.tier is Tier.EXACT for outcome in own_outcomes):
            yield side


def _label(text: LaidOutText) -> str:
    """Return the symbol of a text between commas, or nothing for lines."""
    if text.moved_text.symbol is None:
        return ""
    return f", {text.moved_text.label},"


def _format_lines(first: int, last: int) -> str:
    return f"{first}-{last}" if last > first else f"{first}"
