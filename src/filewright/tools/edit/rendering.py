"""The text of an `edit_content` result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Self

from filewright.edit.diff import Diff, FileDiff
from filewright.edit.model import Tier
from filewright.edit.outcome import EditOutcome
from filewright.hints import Hint, fill
from filewright.tools.bounded_text import clip
from filewright.tools.change_reply import ChangeReply, DiffView
from filewright.tools.edit.descriptions import (
    DescribedLines,
    PlacedText,
    describe_departure,
)
from filewright.tools.edit.file_plan import FileEditPlan
from filewright.tools.edit.moved_symbols import StillUsed
from filewright.tools.file_outcome import FileOutcome
from filewright.tools.pipeline import Change
from filewright.wording import join_limited, pluralize

_MAX_NAMED: Final = 10
# Characters that the lines about the edits of a file leave for the diff.
_RESERVED_CHARS: Final = 2_000
_MAX_IMPORT_CHARS: Final = 200
_IMPORTS_HINT: Final = Hint(
    "; imports: true in the move rewrites imports",
    shell='; "imports": true in the move rewrites imports',
)


def render_edit(
    change: Change[FileEditPlan],
    still_used: Sequence[StillUsed],
    view: DiffView,
    max_characters: int,
    *,
    has_no_use_left: bool = False,
) -> str:
    """Return a line for each file, the edits that need an explanation, and the diff.

    With `has_no_use_left`, the answer says that nothing uses a moved symbol by its old
    file any more.
    """
    known_lines = _KnownLines.find(change, view)
    shown_change = replace(change, diff=known_lines.omit_from(change.diff))
    reply = ChangeReply(max_characters, shown_change, view)
    for position, file in enumerate(change.files):
        if file.result.outcomes:
            _add_file(reply, file, known_lines, is_first=position == 0)
        elif change.id is None:
            _add_importer(reply, file)
    if change.id is not None and not view.is_seen:
        _add_imports(reply, change)
    _add_new_imports(reply, change)
    _add_lacking_names(reply, change)
    losses: dict[int, str] = {}
    for file in change.files:
        losses |= file.result.losses
    for number, loss in sorted(losses.items()):
        reply.add(f"[edit {number + 1}: {loss}]")
    sides: dict[str, None] = {}
    for file in change.files:
        sides |= dict.fromkeys(file.result.sides)
    if sides and not view.is_seen:
        reply.add(f"[{join_limited([*sides], _MAX_NAMED, '; ')}]")
    _add_uses_left(reply, still_used)
    if has_no_use_left and not view.is_seen:
        reply.add("[no other import or use found]")
    reply.finish()
    return reply.text()


@dataclass(frozen=True, slots=True)
class _KnownLines:
    """The lines of a call's files that are described in words.

    `described_by_path` is by the path of the diff. `placed_texts` are by the number of
    their edit, and so are `paths`, those of their files.
    """

    described_by_path: Mapping[str, DescribedLines]
    placed_texts: Mapping[int, PlacedText]
    paths: Mapping[int, str]

    @classmethod
    def find(cls, change: Change[FileEditPlan], view: DiffView) -> Self:
        """Return the lines to describe: none for a preview, which shows all lines."""
        described_by_path: dict[str, DescribedLines] = {}
        placed_texts: dict[int, PlacedText] = {}
        paths: dict[int, str] = {}
        is_brief = change.id is not None and view.mode == "auto"
        for file in change.files:
            if file.diff is None or view.is_seen or not is_brief:
                continue
            described = file.result.described
            described_by_path[file.diff.path] = described
            for text in described.placed_texts:
                placed_texts[text.number] = text
                paths[text.number] = file.location.display_path
        return cls(described_by_path, placed_texts, paths)

    def omit_from(self, diff: Diff) -> Diff:
        """Return a diff without the lines that are described."""
        files: list[FileDiff] = []
        for file in diff.files:
            described = self.described_by_path.get(file.path)
            rest = file if described is None else described.omit_from(file)
            if rest is not None:
                files.append(rest)
        return replace(diff, files=tuple(files))

    def described_outcomes(
        self, file: FileOutcome[FileEditPlan]
    ) -> set[EditOutcome]:
        """Return the outcomes that have a line of `describe`, and all moves."""
        described = file.result.described
        outcomes = set(described.moves)
        if file.diff is not None and file.diff.path in self.described_by_path:
            outcomes |= described.deletions.keys()
        return outcomes

    def describe(self, file: FileOutcome[FileEditPlan]) -> list[str]:
        """Return a line for each part of the file that is described.

        These are texts that left the file, copies that came into it, deleted symbols and
        lines, and sides of conflicts that were taken.
        """
        if file.diff is None or file.diff.path not in self.described_by_path:
            return []
        described = file.result.described
        rows: list[str] = []
        for outcome in described.moves:
            text = self.placed_texts.get(outcome.index)
            if text is None:
                rows.append(outcome.text)
                continue
            path = self.paths[outcome.index]
            if path == file.location.display_path:
                path = ""
            rows.append(describe_departure(outcome, text, path))
        rows += [
            text.row for text in described.placed_texts if text.text.is_copy
        ]
        rows += described.deletions.values()
        rows += [side.description for side in described.taken_sides]
        return rows


def _add_imports(reply: ChangeReply, change: Change[FileEditPlan]) -> None:
    """Add the new lines of imports that were rewritten."""
    rows: list[str] = []
    for file in change.files:
        path = file.location.display_path
        for line in file.result.described.imports:
            lines = f"{line.line}"
            if line.last > line.line:
                lines = f"{line.line}-{line.last}"
            rows.append(f"{path}:{lines}: {clip(line.text, _MAX_IMPORT_CHARS)}")
    reply.extend(rows, reserve=_RESERVED_CHARS, noun="import")


def _add_importer(reply: ChangeReply, file: FileOutcome[FileEditPlan]) -> None:
    """Add a file of a preview of which only imports change."""
    count = pluralize(file.result.import_count, "import")
    path = file.location.display_path
    reply.add(f"{path}: {count} {reply.status('rewritten')}")
    if file.diff is not None and reply.is_brief:
        reply.add_short_diff(file.diff)


def _add_new_imports(reply: ChangeReply, change: Change[FileEditPlan]) -> None:
    """Add the imports that a move adds, and those that it leaves unused."""
    for file in change.files:
        path = file.location.display_path
        texts = [
            clip(line.text, _MAX_IMPORT_CHARS)
            for line in file.result.described.added_imports
        ]
        if texts:
            reply.add(
                f"added to {path}: {join_limited(texts, _MAX_NAMED, '; ')}"
            )
        unused = file.result.unused_imports
        if unused:
            lines = ",".join(f"{one.line}" for one in unused)
            texts = [clip(one.text, _MAX_IMPORT_CHARS) for one in unused]
            listed = join_limited(texts, _MAX_NAMED, "; ")
            reply.add(f"[{path}:{lines} no longer uses: {listed}]")


def _add_lacking_names(
    reply: ChangeReply, change: Change[FileEditPlan]
) -> None:
    """Add the names that moved texts use and their new files do not have."""
    for file in change.files:
        path, lacking = file.location.display_path, file.result.lacking
        if lacking.names:
            names = join_limited(lacking.names, _MAX_NAMED)
            reply.add(f"[{path} does not define or import {names}]")
        if lacking.lacks_future:
            reply.add(
                f"[{path} needs from __future__ import annotations: "
                "a moved class is in its own annotations]"
            )
        if lacking.relative_lines:
            places = [f"{path}:{line}" for line in lacking.relative_lines]
            reply.add(
                "[relative imports moved to another folder: "
                f"{join_limited(places, _MAX_NAMED)}]"
            )


def _add_uses_left(reply: ChangeReply, still_used: Sequence[StillUsed]) -> None:
    """Add the places that still take moved symbols from their old files."""
    for symbol in still_used:
        users = join_limited(symbol.describe_places(), _MAX_NAMED)
        text = f"still using {symbol.name} from {symbol.path}: {users}"
        if symbol.can_rewrite:
            reply.add(fill("[{}{}]", text, _IMPORTS_HINT))
        elif symbol.language:
            reply.add(
                f"[{text}; imports of {symbol.language} are not rewritten]"
            )
        else:
            reply.add(f"[{text}]")


def _add_file(
    reply: ChangeReply,
    file: FileOutcome[FileEditPlan],
    known_lines: _KnownLines,
    *,
    is_first: bool,
) -> None:
    """Add the line of one file, the edits to explain, and notes on damaged lines."""
    path = file.location.display_path
    # The change is named once for all files.
    if file.diff is not None and file.diff.old_name is None:
        lines = pluralize(file.diff.added or 0, "line")
        status = reply.status(
            f"created, {lines}", file.kept_form, names_change=is_first
        )
        reply.add(f"{path}: {status}")
    else:
        edits = _count_edits(file, with_lines=not reply.shows_diff)
        status = reply.status("applied", file.kept_form, names_change=is_first)
        reply.add(f"{path}: {edits} {status}")
    rows: list[str] = []
    if not reply.is_seen:
        rows += known_lines.describe(file)
        described_outcomes = known_lines.described_outcomes(file)
        for outcome in file.result.outcomes:
            if outcome in described_outcomes:
                continue
            if _needs_explanation(outcome, shows_diff=reply.shows_diff):
                rows.append(outcome.text)
    for outcome in file.result.outcomes:
        rows += [f"note: {note}" for note in outcome.notes]
    reply.extend(rows, reserve=_RESERVED_CHARS)
    if file.diff is not None and reply.is_brief:
        reply.add_short_diff(file.diff)


def _count_edits(file: FileOutcome[FileEditPlan], *, with_lines: bool) -> str:
    """Return the number of places that changed, with their lines if no diff shows them."""
    outcomes = file.result.outcomes
    count = pluralize(sum(outcome.places for outcome in outcomes), "edit")
    if not with_lines:
        return count
    lines = join_limited([outcome.first for outcome in outcomes], _MAX_NAMED)
    noun = "lines" if len(outcomes) > 1 else "line"
    return f"{count} ({noun} {lines})"


def _needs_explanation(outcome: EditOutcome, *, shows_diff: bool) -> bool:
    """Return True for an edit whose lines neither the request nor the diff shows."""
    is_exact = outcome.tier is Tier.EXACT and outcome.places == 1
    if not is_exact or outcome.on_result or outcome.note:
        return True
    # The diff shows how far a symbol goes.
    has_lines = outcome.first <= outcome.last
    return outcome.is_of_symbol and has_lines and not shows_diff
