"""The result of `edit_content`: the facts of its edits, for programs."""

from __future__ import annotations

from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from filewright.edit.outcome import EditOutcome
from filewright.tools.edit.file_plan import FileEditPlan
from filewright.tools.edit.moved_symbols import StillUsed
from filewright.tools.pipeline import Change
from filewright.tools.result import ChangeResult, optional


@dataclass(frozen=True, slots=True)
class EditedFile:
    """A file of the call, with the number of places changed and its new version."""

    path: str
    changes_made: int
    version: str | None


@dataclass(frozen=True, slots=True)
class RewrittenImport:
    """A new line of an import, which followed a symbol to its new file."""

    path: str
    line: int
    text: str


@dataclass(frozen=True, kw_only=True)
class EditResult(ChangeResult):
    """The outcomes of a call's edits.

    `results` has one outcome for each edit in the order of the request, two for a move.
    Lines are counted from 1 in the file as it was. `similarity` is the lowest of all
    edits, 1.0 for exact text, and `tier` tells how the first edit was located. `version`
    is the version of the file afterwards. If several files changed, `path`, `version` and
    `hard_links` are those of the first, and `files` has all. `still_used` are the symbols
    that moved to another file and are still taken from the old one, and
    `rewritten_imports` the new lines of imports. `added_imports` are those that the moved
    symbols need in their new files, and those of old files that still use them.
    """

    path: str
    changes_made: int
    line_number: int
    similarity: float
    tier: str
    results: tuple[EditOutcome, ...]
    version: str | None
    hard_links: int
    syntax_warning: str | None
    files: tuple[EditedFile, ...] = optional(())
    still_used: tuple[StillUsed, ...] = optional(())
    rewritten_imports: tuple[RewrittenImport, ...] = optional(())
    added_imports: tuple[RewrittenImport, ...] = optional(())

    @property
    def data(self) -> dict[str, Any]:
        """The facts as JSON values."""
        return {
            **super().data,
            "results": [outcome.data() for outcome in self.results],
        }


def to_result(
    change: Change[FileEditPlan],
    still_used: tuple[StillUsed, ...],
    text: str,
) -> EditResult:
    """Return the facts of a change, with its text."""
    outcomes: list[EditOutcome] = []
    files = []
    imports: list[RewrittenImport] = []
    added_imports: list[RewrittenImport] = []
    for file in change.files:
        outcomes += file.result.outcomes
        changes_made = sum(outcome.places for outcome in file.result.outcomes)
        path = file.location.display_path
        for line in file.result.described.imports:
            imports.append(RewrittenImport(path, line.line, line.text))
        for line in file.result.described.added_imports:
            added_imports.append(RewrittenImport(path, line.line, line.text))
        changes_made += file.result.import_count
        files.append(EditedFile(path, changes_made, file.version))
    first = change.files[0]
    first_lines = [outcome.first for outcome in first.result.outcomes]
    outcomes.sort(key=attrgetter("index"))
    return EditResult(
        text=text,
        change_id=change.id,
        difference=change.diff,
        preview=change.id is None,
        path=files[0].path,
        changes_made=sum(file.changes_made for file in files),
        line_number=min(first_lines),
        similarity=min(outcome.similarity for outcome in outcomes),
        tier=str(outcomes[0].tier),
        results=tuple(outcomes),
        version=files[0].version,
        hard_links=first.hard_links,
        syntax_warning="; ".join(change.warnings) or None,
        files=tuple(files) if len(files) > 1 else (),
        still_used=still_used,
        rewritten_imports=tuple(imports),
        added_imports=tuple(added_imports),
    )
