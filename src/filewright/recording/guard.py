"""The guard, which repairs the damage of clients' edit tools after each edit.

A client's hook runs around each edit that its own tool makes, and the edit is
recorded with the bytes before it. The guard rebuilds the file that the edit
alone would have made, and commits the difference as a change of its own, by the
tool `guard`. That change takes back a part of the edit: undoing the edit takes
the healing along. Damage that it does not heal is a note of the edit.

Never touched are files that have changed again since the tool wrote them, files
that hold no text, files above 16 MB, and what no agent may see or write.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import xxhash

from filewright.boundary.boundary import Boundary
from filewright.boundary.location import Location
from filewright.boundary.names import quote
from filewright.boundary.rules import DenyRules
from filewright.changes.blobs import content_before
from filewright.changes.changes import Changes
from filewright.changes.model import (
    ChangeRecord,
    FileChange,
    RecordedPath,
    states_match,
)
from filewright.changes.selection import GUARD_TOOL
from filewright.errors import FilewrightError
from filewright.progress import Caller, Task
from filewright.recording.damage import (
    Damage,
    GuardSentence,
    Healing,
    join_names,
)
from filewright.recording.literal import heal_plain_edit
from filewright.recording.tool_arguments import ToolEdit
from filewright.settings import KB, MB, Settings
from filewright.system import Status
from filewright.wording import pluralize

if TYPE_CHECKING:
    from filewright.edit.changeset import Modify
    from filewright.text.splice import Splice

MAX_HEALED_BYTES = 16 * MB
MAX_NAMED_BYTES = 64 * KB
"""The largest file whose encoding is looked for only to name it."""
CLIENTS_COMPARING_TIMES = ("qwen",)
"""The clients that refuse to edit a file whose size or time is not as they left it."""

_PROPERTIES = {
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


@dataclass(frozen=True, slots=True)
class _FileEdit:
    """The edit of one file, by the recorded changes that make it up.

    `records` and `changes` belong together, oldest first: another command may
    have been recorded between the parts of one edit.
    """

    location: Location
    arguments: ToolEdit | None
    records: tuple[ChangeRecord, ...]
    changes: tuple[FileChange, ...]

    @property
    def path(self) -> str:
        """The path below the root, for people."""
        return self.location.display_path

    @property
    def record(self) -> ChangeRecord:
        """The newest record of the edit."""
        return self.records[-1]

    @property
    def hard_links(self) -> int:
        """The number of names of the file, if one of them was replaced."""
        path = self.changes[0].path.display_path
        return max(record.hard_links.get(path, 0) for record in self.records)

    @property
    def is_large(self) -> bool:
        """Return True if the file is or was too large to be healed."""
        states = [self.changes[0].before, self.changes[-1].after]
        sizes = [state.size for state in states if state is not None]
        return max(sizes, default=0) > MAX_HEALED_BYTES


@dataclass(frozen=True, slots=True)
class _CurrentFile:
    """The content of a file now, its status and its digest."""

    content: bytes
    status: Status
    digest: str


@dataclass(frozen=True, slots=True)
class _Finding:
    """The damage of one edit, and the content that repairs it, if any."""

    damage: tuple[Damage, ...]
    healing: Healing

    @property
    def kinds(self) -> str:
        """The names of the kinds of damage."""
        return ", ".join(self.damage)

    @property
    def lines(self) -> str:
        """The damaged part of the file, for a sentence."""
        if self.healing.lines:
            return pluralize(self.healing.lines, "untouched line")
        return "it"


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
        notes: list[GuardNote] = []
        if self._mode == "off" or not records:
            return notes
        for path, arguments in edits.items():
            try:
                notes += self._check_path(path, arguments, records)
            except FilewrightError as error:
                notes.append(_left_alone(path, error.message))
            # A failure of the guard never fails the hook: the edit is on record.
            except Exception as error:  # noqa: BLE001
                notes.append(_left_alone(path, f"the guard failed: {error!r}"))
        return notes

    def _check_path(
        self,
        path: str,
        arguments: ToolEdit | None,
        records: Sequence[ChangeRecord],
    ) -> Iterator[GuardNote]:
        """Heal or warn of the damage to the file at an absolute path."""
        parts = tuple(os.fsencode(path).strip(b"/").split(b"/"))
        recorded_path = RecordedPath(b"/", parts)
        location = recorded_path.locate(self._boundary.roots)
        if location is None or is_excluded(self._excluded, location):
            return
        edit = _find_edit(location, arguments, records)
        if edit is not None:
            yield from self._check_edit(edit)
        elif _is_lost(location, records):
            text = (
                f"the guard does not check {location.display_path}: it is "
                f"above {MAX_HEALED_BYTES // MB} MB"
            )
            yield GuardNote(location.display_path, text)

    def _check_edit(self, edit: _FileEdit) -> Iterator[GuardNote]:
        """Heal one edit, or warn of its damage."""
        before, after = edit.changes[0].before, edit.changes[-1].after
        # The tool cannot have damaged bytes of a new file, and a file that it
        # deleted or replaced by a folder or a link has none.
        if before is None or after is None or after.kind != "file":
            return
        if before.kind == "link":
            yield self._warn_of_link(edit, before.link_target or b"")
            return
        if before.kind != "file":
            return
        names = edit.hard_links
        if names:
            yield self._warn_of_hard_links(edit, names)
        if edit.is_large:
            yield self._leave(
                edit, f"it is larger than {MAX_HEALED_BYTES // MB} MB"
            )
            return
        content = content_before(edit.changes[0])
        if content is None:
            return
        current = self._read(edit.location)
        if current.digest != after.digest:
            if not self._was_healed(edit, current):
                yield self._leave(edit, "another program has saved it since")
            return
        healing = self._heal(edit, content, current.content)
        damage = healing.damage
        if before.mode != after.mode:
            damage = (*damage, Damage.MODE)
        if damage:
            yield self._act(edit, _Finding(damage, healing), current)
        elif healing.doubt:
            yield self._leave(edit, healing.doubt)

    def _read(self, location: Location) -> _CurrentFile:
        """Return the content of a file now."""
        with self._boundary.open_file(location) as file:
            status = file.status()
            content = file.read(0, MAX_HEALED_BYTES + 1)
        digest = xxhash.xxh3_128_hexdigest(content)
        return _CurrentFile(content, status, digest)

    def _was_healed(self, edit: _FileEdit, current: _CurrentFile) -> bool:
        """Return True if the guard itself has written the file since."""
        # Two edits of one file that run at the same time share a record.
        for record in self._changes.records_after(edit.record.number):
            if record.tool != GUARD_TOOL:
                continue
            for change in record.file_changes:
                after = change.after
                if after is not None and after.digest == current.digest:
                    return True
        return False

    def _heal(self, edit: _FileEdit, before: bytes, after: bytes) -> Healing:
        """Return the healing of an edit that turned `before` into `after`."""
        healing = heal_plain_edit(before, after, edit.arguments)
        if healing is not None:
            if Damage.REPLACED_BYTES not in healing.damage:
                return healing
            if len(before) > MAX_NAMED_BYTES:
                return healing
        # The engine of edits is imported only for the few edits that need it.
        from filewright.recording.rebuild import rebuild
        from filewright.text.snapshot import Snapshot

        original = Snapshot(
            before, settings=self._settings, location=edit.location
        )
        if healing is not None:
            return replace(healing, encoding=original.encoding.name)
        task = Task(seconds=self._settings.call_seconds)
        return rebuild(original, after, edit.arguments, task)

    def _act(
        self, edit: _FileEdit, finding: _Finding, current: _CurrentFile
    ) -> GuardNote:
        """Commit the steps that heal a file, or only warn of the damage."""
        damaged = f"your edit of {edit.path} damaged {finding.lines} ({finding.kinds})"
        undo = f"undo it with filewright undo {edit.record.id}"
        if self._mode == "warn":
            self._add_note(edit, finding.damage, undo)
            return GuardNote(edit.path, f"{damaged}; {undo}")
        try:
            healed_id = self._commit(edit, finding, current)
        except FilewrightError as error:
            # Another process's save, or a file that no agent may replace.
            self._add_note(edit, finding.damage, error.message)
            text = (
                f"{damaged}, and could not be healed: {error.message}; {undo}"
            )
            return GuardNote(edit.path, text)
        properties: list[str] = []
        # Two kinds of damage are damage to the encoding.
        for name in dict.fromkeys(_PROPERTIES[kind] for kind in finding.damage):
            if name == "the encoding" and finding.healing.encoding:
                name += f" ({finding.healing.encoding})"
            properties.append(name)
        text = (
            f"filewright kept {join_names(properties)} of {edit.path}; your "
            "edit stays"
        )
        if _is_comparing_times(edit) and _changes_size(finding, current):
            text += "; read the file again before you edit it"
        return GuardNote(edit.path, text, healed_id)

    def _commit(
        self, edit: _FileEdit, finding: _Finding, current: _CurrentFile
    ) -> str:
        """Commit the healing of an edit; return the id of the change."""
        from filewright.edit.changeset import ChangeSet, SetMode, Step

        steps: list[Step] = []
        if finding.healing.content is not None:
            steps.append(_build_step(edit, current, finding.healing.content))
        if Damage.MODE in finding.damage:
            before = edit.changes[0].before
            assert before is not None
            steps.append(SetMode(edit.location, f"{before.mode:o}"))
        change_set = ChangeSet(
            GUARD_TOOL,
            str(GuardSentence(edit.path, finding.damage)),
            tuple(steps),
            reverts=tuple(record.id for record in reversed(edit.records)),
            partial=True,
        )
        task = Task(seconds=self._settings.call_seconds)
        # The healing belongs to the same turn, so that undoing the turn takes
        # it back.
        record = edit.record
        task.caller = Caller(record.session, record.client, record.turn)
        return self._changes.commit(change_set, task=task).id

    # Damage that stays

    def _warn_of_link(self, edit: _FileEdit, target: bytes) -> GuardNote:
        """Warn that a link was replaced by a file."""
        name = quote(target)
        advice = (
            f"undo it with filewright undo {edit.record.id}, then edit {name}"
        )
        self._add_note(edit, (Damage.SYMLINK,), advice)
        text = (
            f"{edit.path} was a symbolic link to {name}, and your edit put a "
            f"file in its place (symlink); {advice}"
        )
        return GuardNote(edit.path, text)

    def _warn_of_hard_links(self, edit: _FileEdit, names: int) -> GuardNote:
        """Warn that the other names of a file have its earlier content."""
        advice = "link its other names to it again (ln -f)"
        self._add_note(edit, (Damage.HARD_LINK,), advice)
        text = (
            f"{edit.path} had {names} names (hard links), and your edit left "
            f"the others with the earlier content (hard-link); {advice}"
        )
        return GuardNote(edit.path, text)

    def _leave(self, edit: _FileEdit, reason: str) -> GuardNote:
        """Note that a file is left as the tool wrote it."""
        self._add_note(edit, (), reason)
        return _left_alone(edit.path, reason)

    def _add_note(
        self, edit: _FileEdit, damage: Sequence[Damage], advice: str
    ) -> None:
        """Add a note to the record of an edit."""
        sentence = GuardSentence(edit.path, tuple(damage), advice)
        self._changes.add_notes(edit.record.number, [str(sentence)])


def _find_edit(
    location: Location,
    arguments: ToolEdit | None,
    records: Sequence[ChangeRecord],
) -> _FileEdit | None:
    """Return the edit of a file, or None if no record has one.

    It consists of the newest changes of the file that follow each other: after
    a healing between two of them, only the later ones count.
    """
    parts = RecordedPath.from_location(location).absolute_parts
    pairs: list[tuple[ChangeRecord, FileChange]] = []
    for record in records:
        for change in record.file_changes:
            if change.path.absolute_parts != parts:
                continue
            if pairs and not states_match(pairs[-1][1].after, change.before):
                pairs.clear()
            pairs.append((record, change))
    if not pairs:
        return None
    # A link that became a file has two changes in one record.
    edit_records = {record.number: record for record, _ in pairs}
    changes = tuple(change for _, change in pairs)
    return _FileEdit(location, arguments, tuple(edit_records.values()), changes)


def _is_lost(location: Location, records: Sequence[ChangeRecord]) -> bool:
    """Return True if records say that a file's earlier content is not stored."""
    path = RecordedPath.from_location(location).display_path
    beginning = f"{path} was changed too"
    return any(
        note.startswith(beginning)
        for record in records
        for note in record.notes
    )


def is_excluded(rules: DenyRules, location: Location) -> bool:
    """Return True if rules exclude a file from the guard, or a folder above it."""
    for name in location.parts[:-1]:
        if rules.denies(name, True):
            return True
        rules = rules.below([name])
    return rules.denies(location.parts[-1], False)


def _left_alone(path: str, reason: str) -> GuardNote:
    """Return a note that a file stays as the tool wrote it."""
    return GuardNote(path, f"filewright did not heal {path}: {reason}")


def _is_comparing_times(edit: _FileEdit) -> bool:
    """Return True if the client compares the size and time of files."""
    return (edit.record.client or "").startswith(CLIENTS_COMPARING_TIMES)


def _changes_size(finding: _Finding, current: _CurrentFile) -> bool:
    """Return True if a healing changes the size of a file."""
    content = finding.healing.content
    return content is not None and len(content) != len(current.content)


def _build_step(
    edit: _FileEdit, current: _CurrentFile, healed: bytes
) -> Modify:
    """Return the step that gives a file its healed content."""
    from filewright.edit.changeset import ExpectedState, Modify
    from filewright.text.file_identity import FileIdentity

    status = current.status
    mtime_ns = None
    # The client then finds size and time as it left them, and edits on.
    if _is_comparing_times(edit) and len(healed) == status.size:
        mtime_ns = status.mtime_ns
    return Modify(
        edit.location,
        ExpectedState(status.size, FileIdentity.of(status.raw), current.digest),
        _find_splices(current.content, healed),
        mtime_ns=mtime_ns,
    )


def _find_splices(content: bytes, healed: bytes) -> Sequence[Splice]:
    """Return the splices that turn a content into the healed one."""
    from filewright.recording.changed_span import find_changed_span
    from filewright.text.splice import Splice

    span = find_changed_span(content, healed)
    lines = content[span.start : span.end].splitlines(keepends=True)
    healed_lines = healed[span.start : span.other_end].splitlines(keepends=True)
    if len(lines) != len(healed_lines):
        from filewright.edit.linediff import find_line_splices

        return find_line_splices(content, healed)
    # Line by line: most damage leaves the lines where they are, and a diff of
    # a large file takes longer.
    splices: list[Splice] = []
    offset = start = span.start
    run: list[bytes] = []
    for line, healed_line in zip(
        [*lines, b""], [*healed_lines, b""], strict=True
    ):
        if line != healed_line:
            run.append(healed_line)
        else:
            if run:
                splices.append(Splice(start, offset - start, b"".join(run)))
                run = []
            start = offset + len(line)
        offset += len(line)
    return splices
