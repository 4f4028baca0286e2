"""The outcome of an undo in words: every file it touches, by action."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from filewright.changes.model import ChangeRecord
from filewright.edit.diff import Diff, PlannedFile
from filewright.page.names import readable_path
from filewright.page.requests import UndoRequest
from filewright.page.titles import is_folder
from filewright.page.words import ACTION_WORDS
from filewright.wording import pluralize


@dataclass(frozen=True, slots=True)
class OutcomeGroup:
    """The files with one action; `unlisted` counts those without a name."""

    action: str
    files: Sequence[PlannedFile]
    unlisted: int = 0

    @property
    def count(self) -> int:
        """The number of files."""
        return len(self.files) + self.unlisted

    @property
    def text(self) -> str:
        """The number of files, and the action: "2 files edited"."""
        noun = "file"
        if self.files and all(file.path.endswith("/") for file in self.files):
            noun = "folder"
        return f"{pluralize(self.count, noun)} {self.action}"

    @property
    def heading(self) -> str:
        """The action and the number of files: "Edited (2)"."""
        return f"{self.action.capitalize()} ({self.count:,})"


@dataclass(frozen=True, slots=True)
class UndoOutcome:
    """All that an undo would do, by action."""

    groups: Sequence[OutcomeGroup]

    @property
    def count(self) -> int:
        """The number of files of all actions."""
        return sum(group.count for group in self.groups)

    @property
    def sentence(self) -> str:
        """All actions with their numbers of files."""
        texts = [group.text for group in self.groups]
        return ", ".join(texts) or "nothing"

    def button(self, request: UndoRequest) -> str:
        """Return the text of the button that does it, with the number of files."""
        if request.force and request.kind == "since":
            return "Set it to this version"
        if request.hunk is not None:
            return "Undo 1 hunk"
        if request.kind == "since" and request.path is None:
            return f"Go back: {pluralize(self.count, 'file')}"
        return f"Undo {pluralize(self.count, 'file')}"


def describe_outcome(diff: Diff) -> UndoOutcome:
    """Return all that a planned undo would do: its files, or folders if it has none."""
    files = [file for file in diff.planned if not file.path.endswith("/")]
    if not files:
        files = [*diff.planned]
    groups: list[OutcomeGroup] = []
    for action, action_words in ACTION_WORDS.items():
        action_files = [file for file in files if file.action == action]
        if action_files:
            groups.append(OutcomeGroup(action_words.undone, action_files))
    if diff.unlisted:
        groups.append(OutcomeGroup("changed as well", (), diff.unlisted))
    return UndoOutcome(groups)


def describe_undo(record: ChangeRecord, request: UndoRequest) -> str:
    """Return a sentence about a finished undo, which is shown for a moment."""
    changes = record.file_changes
    path = readable_path(request.path) if request.path is not None else ""
    if request.force and request.kind == "since":
        return f"{path} is as it was in that version."
    if request.hunk is not None:
        return f"Undid hunk {request.hunk} of {path}."
    file_count = sum(not is_folder(change) for change in changes)
    count_text = pluralize(file_count, "file")
    if not file_count:
        count_text = pluralize(len(changes), "folder")
    if request.path is not None and file_count == 1:
        return f"Undid {path}, 1 file."
    return f"Undid {count_text}."
