"""Undo: the inverse of one change, or of several as one, as a change set of its own.

A file that has changed since is merged: a clean merge is applied and reported, a
conflict refuses the undo. A file that was deleted or moved away since comes back. With
`force` each file gets its earlier content, over what is there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

from filewright.boundary.location import Location
from filewright.changes.change_tree import ChangeTree, DeferredChangeSet
from filewright.changes.model import FileChange, RecordedPath, hold_few
from filewright.changes.selection import Selection
from filewright.changes.undo_plan import UndoOptions, UndoPlanner
from filewright.changes.undo_report import (
    Conflict,
    LaterLines,
    ReportBuilder,
    UndoReport,
    build_refusal,
)
from filewright.edit.changeset import Step
from filewright.edit.diff import Diff
from filewright.errors import Code, FilewrightError

# The end of the summary of an undo that leaves something as it is.
_IN_PART = " (in part)"


class Reversal:
    """The undo of a selection.

    Its change set is worked out on the tree of its commit, or of its preview, each time
    that one is tried: `report` is that of the last try. `refused_conflicts` are those
    of files that stay as they are, `diff` is that of a preview.

    Raise `unsupported` if nothing was stored, `path_escape` for a file beyond the
    roots.
    """

    def __init__(
        self,
        selected: Selection,
        options: UndoOptions,
        *,
        break_hard_links: bool,
        refused_conflicts: Sequence[Conflict] = (),
    ) -> None:
        if not selected.record.undoable:
            raise _undoable_false_error(selected)
        self.selected = selected
        self.refused_conflicts = tuple(refused_conflicts)
        self.diff = Diff(())
        self.report = UndoReport()
        self._options = options
        # Many file changes are read again for each pass, and located again: to hold
        # them with their locations would take as much memory as the contents.
        self._file_changes = selected.record.file_changes
        self._root_notes: list[str] = []
        for change in selected.record.file_changes:
            locations = [options.locate(path) for path in change.paths]
            if _is_of_root(change):
                root = locations[0].requested_path.rstrip(":")
                self._root_notes.append(
                    f"{root} is a root of the workspace, so its mode and "
                    "owner stay; to restore them, serve only the folder "
                    "above it"
                )
        if self._root_notes:
            self._file_changes = _select(
                selected.record.file_changes,
                lambda change: not _is_of_root(change),
            )
        self.change_set = DeferredChangeSet(
            "revert_edit",
            selected.summary,
            (),
            break_hard_links or options.force,
            reverts=selected.change_ids,
            partial=selected.partial,
            build_steps=self._build_steps,
            list_locations=self._list_locations,
        )

    @property
    def merged(self) -> tuple[str, ...]:
        """The files in which later changes were kept by a merge."""
        return self.report.merged

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes for the user."""
        return self.report.notes

    @property
    def conflicts(self) -> tuple[Conflict, ...]:
        """The conflicts that have refused the undo."""
        return self.report.conflicts

    @property
    def remaining_conflicts(self) -> tuple[Conflict, ...]:
        """The conflicts of files and of lines that stay as they are."""
        return (*self.refused_conflicts, *self.report.left_conflicts)

    @property
    def _refused_paths(self) -> set[str]:
        """The refused files that not even a part can be undone of."""
        paths = {conflict.path for conflict in self.conflicts}
        return paths - self.report.divisible_paths

    def _list_locations(self) -> Iterator[Location]:
        """Yield the locations of all paths that the undo may touch."""
        for change in self._file_changes:
            for path in change.paths:
                yield self._options.locate(path)

    def name_authors(
        self, find_author: Callable[[Location, LaterLines], str]
    ) -> None:
        """Add the authors of the later changes that stay to the notes."""
        locations: dict[str, Location] = {}
        if self.report.later_lines:
            for change in self._file_changes:
                location = self._options.locate(change.path)
                if location.display_path in self.report.later_lines:
                    locations[location.display_path] = location

        def find_author_of_path(path: str, lines: LaterLines) -> str:
            # A file that the undo moves is not looked up.
            location = locations.get(path)
            return find_author(location, lines) if location else ""

        self.report = self.report.with_authors(find_author_of_path)

    def list_refused(self) -> tuple[Conflict, ...]:
        """Return the conflicts so far of files that stay as they are."""
        conflicts = [*self.refused_conflicts]
        for conflict in self.conflicts:
            if conflict.path in self._refused_paths:
                conflicts.append(conflict)
        return tuple(conflicts)

    def rest(self) -> Selection | None:
        """Return the selection without the files that refused; None if it is empty.

        Files of which a part can be undone stay in it.
        """
        refused = self._refused_paths

        def is_possible(change: FileChange) -> bool:
            display_paths = {
                self._options.locate(path).display_path for path in change.paths
            }
            return refused.isdisjoint(display_paths)

        remaining_changes = _select(self._file_changes, is_possible)
        is_shorter = len(remaining_changes) < len(self._file_changes)
        if not remaining_changes or not (
            is_shorter or self.report.divisible_paths
        ):
            return None
        summary = self.selected.summary
        if not summary.endswith(_IN_PART):
            summary += _IN_PART
        return replace(
            self.selected,
            record=replace(
                self.selected.record, file_changes=remaining_changes
            ),
            summary=summary,
            partial=True,
        )

    def list_conflict_paths(self) -> list[RecordedPath]:
        """Return the paths of the files in conflict."""
        conflict_paths = {conflict.path for conflict in self.conflicts}
        paths: dict[RecordedPath, None] = {}
        for change in self._file_changes:
            for path in change.paths:
                display_path = self._options.locate(path).display_path
                if display_path in conflict_paths:
                    paths[path] = None
        return list(paths)

    def _build_steps(self, tree: ChangeTree) -> Sequence[Step]:
        """Apply the undo to names in a tree; return the steps for contents and rights.

        Raise `stale_version` with the conflicts in its details, and `no_change` if
        nothing is left to do.
        """
        builder = ReportBuilder()
        for note in self._root_notes:
            builder.add_note(note)
        planner = UndoPlanner(tree, self._file_changes, self._options, builder)
        steps: Sequence[Step] = ()
        try:
            steps = planner.plan()
        except FilewrightError:
            # An error that follows from a conflict says less than the conflict.
            if not builder.build().conflicts:
                raise
        self.report = builder.build()
        if self.conflicts:
            raise build_refusal(self.selected, self.conflicts)
        if not (steps or planner.changes_names):
            raise FilewrightError(
                Code.NO_CHANGE,
                f"there is nothing left to undo of {self.selected.description}",
                hint="; ".join(self.notes[:5]) or None,
                details=self.selected.details,
            )
        return steps


def _is_of_root(change: FileChange) -> bool:
    """Return True for the rights of a root, which never change.

    A folder of an outer root may be a root here.
    """
    return change.action == "attributes" and not change.path.parts


def _select(
    file_changes: Sequence[FileChange],
    is_selected: Callable[[FileChange], bool],
) -> Sequence[FileChange]:
    """Return those file changes that are selected; many are not held in memory."""
    return hold_few(partial(filter, is_selected, file_changes))


def _undoable_false_error(selected: Selection) -> FilewrightError:
    subject = selected.description
    if len(selected.change_ids) > 1:
        subject = f"a part of {subject}"
    return FilewrightError(
        Code.UNSUPPORTED,
        f"{subject} was made without undo: no earlier content is stored",
        details=selected.details,
    )
