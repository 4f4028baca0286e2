"""The guard, which repairs the damage of clients' edit tools after each edit.

A client's hook runs around each edit that its own tool makes, and the edit is
recorded with the bytes before it. The guard rebuilds the file that the edit
alone would have made (`healing`), and commits the difference as a change of its
own, by the tool `guard`. That change takes back a part of the edit: undoing the
edit takes the healing along.

Never touched are files that have changed again since the tool wrote them, files
that hold no text, files above 16 MB, and what no agent may see or write.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from filewright.boundary.boundary import Boundary
from filewright.boundary.location import Location
from filewright.boundary.rules import DenyRules
from filewright.changes.blobs import content_before
from filewright.changes.changes import Changes
from filewright.changes.model import ChangeRecord, FileChange
from filewright.edit.changeset import ChangeSet, Modify, SetMode, Step
from filewright.edit.linediff import find_line_splices
from filewright.errors import FilewrightError
from filewright.progress import Caller, Task
from filewright.recording.expectation import expect
from filewright.recording.healing import Damage, Healing, heal
from filewright.recording.tool_arguments import ToolEdit
from filewright.settings import MB, Settings
from filewright.text.snapshot import Snapshot
from filewright.wording import pluralize

GUARD_TOOL = "guard"
MAX_HEALED_BYTES = 16 * MB

_NAMES = {
    Damage.REPLACED_BYTES: "the encoding",
    Damage.ENCODING: "the encoding",
    Damage.LINE_ENDINGS: "the line ends",
    Damage.BYTE_ORDER_MARK: "the byte-order mark",
    Damage.INDENTATION: "the indentation",
    Damage.TRAILING_WHITESPACE: "the trailing whitespace",
    Damage.FINAL_NEWLINE: "the end of the last line",
    Damage.NORMALISATION: "the form of its letters",
    Damage.QUOTES: "the quotes",
    Damage.TRUNCATED: "the end of the file",
    Damage.MODE: "the permissions",
}
"""The repaired properties of a file, as a note names them."""


@dataclass(frozen=True, slots=True)
class GuardNote:
    """A text for the model about one file, and the change that healed it."""

    path: str
    text: str
    change_id: str | None = None


class Guard:
    """A guard of the files that clients' edit tools change."""

    def __init__(
        self, boundary: Boundary, changes: Changes, settings: Settings
    ) -> None:
        self._boundary = boundary
        self._changes = changes
        self._mode = settings.guard
        self._settings = settings
        self._excluded = DenyRules.from_settings(settings.guard_exclude)

    def check(
        self,
        records: Sequence[ChangeRecord],
        edits: Mapping[str, ToolEdit | None],
    ) -> list[GuardNote]:
        """Heal the damage in the files of some changes, or warn of it.

        `edits` are the edits that the tool was told to make, by absolute path.
        A file that is not among them is left alone.
        """
        if self._mode == "off":
            return []
        notes = []
        for record in records:
            task = Task(seconds=self._settings.call_seconds)
            # The healing belongs to the same turn, so that undoing the turn
            # takes it back.
            task.caller = Caller(record.session, record.client, record.turn)
            for file_change in record.file_changes:
                path = os.fsdecode(
                    b"/".join((file_change.path.root, *file_change.path.parts))
                )
                # The tool cannot have damaged bytes of a new file.
                if path not in edits or file_change.before is None:
                    continue
                try:
                    note = self._check_file(
                        record, file_change, edits[path], task
                    )
                except FilewrightError as error:
                    # Another process's save, or a file that no agent may write.
                    note = GuardNote(
                        path,
                        f"filewright left {path} as it is: {error.message}",
                    )
                if note is not None:
                    notes.append(note)
        return notes

    def _check_file(
        self,
        record: ChangeRecord,
        file_change: FileChange,
        edit: ToolEdit | None,
        task: Task,
    ) -> GuardNote | None:
        """Heal one file, or warn of its damage; None if there is none."""
        location = file_change.path.locate(self._boundary.roots)
        before, after = file_change.before, file_change.after
        if location is None or self._is_excluded(location):
            return None
        assert before is not None
        if before.kind != "file" or after is None or after.kind != "file":
            return None
        if max(before.size, after.size) > MAX_HEALED_BYTES:
            return GuardNote(
                location.display_path,
                f"{location.display_path} is too large for filewright's guard",
            )
        content = content_before(file_change)
        if content is None:
            return None
        with Snapshot.of_file(
            self._boundary.open_file(location), location, self._settings
        ) as snapshot:
            if snapshot.content is None or snapshot.digest() != after.digest:
                return (
                    None  # Another process has saved it since: its save wins.
                )
            healing = self._heal(content, snapshot, location, edit, task)
            steps: list[Step] = []
            if healing.content is not None:
                splices = find_line_splices(snapshot.content, healing.content)
                steps.append(Modify.from_snapshot(location, snapshot, splices))
            damage = list(healing.damage)
            if before.mode != after.mode:
                steps.append(SetMode(location, f"{before.mode:o}"))
                damage.append(Damage.MODE)
            if not steps:
                return (
                    GuardNote(location.display_path, healing.doubt)
                    if healing.doubt
                    else None
                )
            return self._act(record, location, healing, damage, steps, task)

    def _heal(
        self,
        content: bytes,
        snapshot: Snapshot,
        location: Location,
        edit: ToolEdit | None,
        task: Task,
    ) -> Healing:
        """Return the healing of a file whose earlier content is `content`."""
        original = Snapshot(content, settings=self._settings, location=location)
        if original.binary_type or snapshot.content is None:
            return Healing()
        expected = None if edit is None else expect(original, edit, task)
        return heal(content, snapshot.content, original.encoding, expected)

    def _act(
        self,
        record: ChangeRecord,
        location: Location,
        healing: Healing,
        damage: Sequence[Damage],
        steps: Sequence[Step],
        task: Task,
    ) -> GuardNote:
        """Commit the steps that heal a file, or only warn of the damage."""
        display_path = location.display_path
        kinds = ", ".join(damage)
        lines = (
            pluralize(healing.lines, "untouched line")
            if healing.lines
            else "it"
        )
        if self._mode == "warn":
            text = (
                f"your edit of {display_path} damaged {lines} ({kinds}); "
                f"undo it with filewright undo {record.id}"
            )
            return GuardNote(display_path, text)
        change = ChangeSet(
            GUARD_TOOL,
            f"guard: {display_path}: {kinds}",
            tuple(steps),
            reverts=(record.id,),
            partial=True,
        )
        healed = self._changes.commit(change, task=task)
        # Two kinds of damage have the name `the encoding`.
        properties = list(dict.fromkeys(_NAMES[kind] for kind in damage))
        encoding = f"the encoding ({healing.encoding})"
        properties = [
            encoding if name == "the encoding" else name for name in properties
        ]
        text = f"filewright kept {_join(properties)} of {display_path}; your edit is in"
        return GuardNote(display_path, text, healed.id)

    def _is_excluded(self, location: Location) -> bool:
        """Return True if a setting excludes the file or a folder above it."""
        rules = self._excluded
        for name in location.parts[:-1]:
            if rules.denies(name, True):
                return True
            rules = rules.below([name])
        return rules.denies(location.parts[-1], False)


def _join(names: Sequence[str]) -> str:
    """Return names as a sentence lists them."""
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"
