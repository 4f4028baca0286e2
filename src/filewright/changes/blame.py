"""The change that made each line of a file.

Lines are followed back from the file on the disk, through its versions, to the content
before the first recorded change, and from there through the commits of git. A version
may have two origins: an undo has lines of the version before it, and lines of the one
that it brings back; those keep the author that they had there. Line ends do not count.
"""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Literal

import xxhash

from filewright.changes.blobs import content_after, content_before
from filewright.changes.committed_blame import blame_commits
from filewright.changes.file_versions import (
    FileVersion,
    FileVersions,
    list_versions,
)
from filewright.changes.line_regions import LineRegion, divide_regions
from filewright.changes.model import FileState, RecordedPath
from filewright.changes.selection import find_healed_edit
from filewright.edit.linediff import count_lines, find_line_changes
from filewright.errors import Code, FilewrightError, path_error
from filewright.progress import Task
from filewright.settings import MB
from filewright.structure.git_repository import CommitFacts
from filewright.text.snapshot import Snapshot
from filewright.text.utf8_view import to_utf8_lines
from filewright.wording import format_size

if TYPE_CHECKING:
    from filewright.changes.history import History

MAX_BLAMED_BYTES = 8 * MB
"""The size above which a file is not blamed, and a version of it not looked at."""
MAX_BLAMED_LINES = 200_000

UnknownKind = Literal["unrecorded", "before", "not stored", "not read"]
"""Why the change that made a line is not known.

- `unrecorded`: another program made it, after the time `since` and without a record
- `before`: the line is older than the history, and no commit has it
- `not stored`: the contents of some changes were not stored, and one of them made it
- `not read`: for lack of time, or since the file has too many versions
"""


@dataclass(frozen=True, slots=True)
class LineOrigin:
    """The change or the commit that made a line, or why it is not known."""

    version: FileVersion | None = None
    commit: CommitFacts | None = None
    unknown: UnknownKind | None = None
    since: datetime | None = None


@dataclass(frozen=True, slots=True)
class BlamedLines:
    """Consecutive lines with one origin; `first` counts from 1."""

    first: int
    count: int
    origin: LineOrigin


@dataclass(frozen=True, slots=True)
class Blame:
    """The origins of all lines of a file, in their order.

    `content` is the file, with UTF-16 as UTF-8, and `encoding` the name of its encoding
    then. `notes` say which part of the history was not looked at.
    """

    path: RecordedPath
    content: bytes
    encoding: str
    groups: Sequence[BlamedLines]
    notes: Sequence[str] = ()

    @property
    def line_count(self) -> int:
        """The number of lines."""
        return sum(group.count for group in self.groups)

    def read_lines(self) -> list[str]:
        """Return the text of all lines, without their ends."""
        lines = self.content.removeprefix(BOM_UTF8).splitlines()
        return [line.decode(self.encoding, "replace") for line in lines]


@dataclass(frozen=True, slots=True)
class _State:
    """A content that the file had at one time; the first one has it now.

    `file` is None where the file did not exist. Lines that no earlier state has are of
    the `origin`. `source` is the index of an earlier state, other than the next one,
    that some of its lines may come from.
    """

    file: FileState | None
    origin: LineOrigin
    version: FileVersion | None = None
    is_before: bool = False
    source: int | None = None

    @property
    def is_missing(self) -> bool:
        """True if the file did not exist at that time."""
        return self.version is not None and self.file is None

    def read(self, later: _State, later_content: bytes) -> bytes | None:
        """Return the content, or None if it is not known.

        `later_content` is that of a later state, which may be the next one.
        """
        if self.version is None or self.file is None:
            return None
        digest = self.file.digest
        if later.file is not None and digest and digest == later.file.digest:
            return later_content
        change = self.version.change
        content = (
            content_before(change) if self.is_before else content_after(change)
        )
        if content is not None:
            return content
        # Of a large file only the bytes that changed are stored: the content before
        # them is known by the content after them.
        later_digest = xxhash.xxh3_128_hexdigest(later_content)
        if later_digest == digest:
            return later_content
        after = change.after
        if not self.is_before or after is None:
            return None
        if later_digest == after.digest:
            return content_before(change, later_content)
        return None


@dataclass(frozen=True, slots=True)
class _EarlierState:
    """The nearest earlier state with a known content, or an end without one.

    `index` is None at the beginning of the history, and `content` None where the file
    did not exist. `is_change_skipped` tells that the contents of a change between are
    not stored.
    """

    index: int | None
    content: bytes | None
    is_change_skipped: bool = False


def blame_file(
    history: History,
    path: RecordedPath,
    snapshot: Snapshot,
    task: Task,
    *,
    git_task: Task,
) -> Blame:
    """Return the origin of each line of the file at a path; `snapshot` is its content.

    Git is asked as long as `git_task` has time. Raise `is_binary` and `too_large`.
    """
    _require_text(snapshot)
    assert snapshot.content is not None
    versions = list_versions(history, path, task)
    blamer = _Blamer(versions, task)
    groups = blamer.blame(snapshot.content, git_task)
    encoding = snapshot.encoding.name
    if snapshot.encoding.unit_bytes > 1:
        encoding = "utf-8"
    return Blame(
        path,
        to_utf8_lines(snapshot.content),
        encoding,
        groups,
        tuple(dict.fromkeys(blamer.notes)),
    )


def _require_text(snapshot: Snapshot) -> None:
    """Raise an error for a file that has no lines, or too many."""
    path = snapshot.requested_path
    if snapshot.content is None or snapshot.size > MAX_BLAMED_BYTES:
        raise _too_large(path, format_size(snapshot.size))
    if snapshot.binary_type is not None:
        raise path_error(
            Code.IS_BINARY,
            path,
            f"{path} is binary, so it has no lines",
            f"`filewright log {path}` lists its changes",
        )
    line_count = count_lines(to_utf8_lines(snapshot.content))
    if line_count > MAX_BLAMED_LINES:
        raise _too_large(path, f"{line_count:,} lines")


def _too_large(path: str, size: str) -> FilewrightError:
    limit = f"{format_size(MAX_BLAMED_BYTES)} and {MAX_BLAMED_LINES:,} lines"
    return path_error(
        Code.TOO_LARGE,
        path,
        f"{path} has {size}; blame works up to {limit}",
        f"`filewright log -p {path}` lists its changes",
    )


class _Blamer:
    """Follows the lines of a file back through its states."""

    def __init__(self, versions: FileVersions, task: Task) -> None:
        self.notes: list[str] = []
        self._versions = versions
        self._task = task
        self._groups: list[BlamedLines] = []
        self._states = _list_states(versions.versions)
        self._pending: dict[int, list[LineRegion]] = {}
        self._next_index = 0
        self._next_content = b""

    def blame(self, content: bytes, git_task: Task) -> list[BlamedLines]:
        """Return the origins of all lines of a content."""
        line_count = count_lines(to_utf8_lines(content))
        if line_count:
            self._pending[0] = [LineRegion(0, line_count, 0)]
        previous = self._states[0]
        for index, state in enumerate(self._states):
            regions = self._pending.pop(index, [])
            if not regions:
                continue
            if self._task.expired:
                self._pending[index] = regions
                break
            if index == self._next_index > 0:
                content = self._next_content
            elif index > 0:
                stored = self._read(state, previous, content)
                if stored is None:
                    self._add(regions, LineOrigin(unknown="not stored"))
                    continue
                content = stored
            previous = state
            earlier = self._find_earlier(index, content)
            if earlier.index is None:
                self._finish(regions, content, earlier, git_task)
            else:
                self._pass_on(index, regions, content, earlier)
        for regions in self._pending.values():
            self._add(regions, LineOrigin(unknown="not read"))
            self.notes.append("time ran out before all versions were read")
        return sorted(self._groups, key=lambda group: group.first)

    def _find_earlier(self, index: int, content: bytes) -> _EarlierState:
        """Return the nearest state before one that has a content, or had no file."""
        is_skipped = False
        for earlier_index in range(index + 1, len(self._states)):
            state = self._states[earlier_index]
            if state.is_missing:
                return _EarlierState(earlier_index, None, is_skipped)
            earlier_content = self._read(state, self._states[index], content)
            if earlier_content is not None:
                return _EarlierState(earlier_index, earlier_content, is_skipped)
            is_skipped = is_skipped or not self._has_same_content(earlier_index)
        return _EarlierState(None, None, is_skipped)

    def _read(
        self, state: _State, later: _State, later_content: bytes
    ) -> bytes | None:
        """Return a content that is small enough to be compared, or None."""
        if state.file is None or state.file.size > MAX_BLAMED_BYTES:
            return None
        try:
            return state.read(later, later_content)
        except FilewrightError as error:
            self.notes.append(error.message)
            return None

    def _has_same_content(self, index: int) -> bool:
        """Return True if the state before one has the same content, or it is none."""
        if index + 1 >= len(self._states):
            return False
        file, earlier_file = (
            self._states[index].file,
            self._states[index + 1].file,
        )
        if file is None or earlier_file is None or file.digest is None:
            return False
        return file.digest == earlier_file.digest

    def _pass_on(
        self,
        index: int,
        regions: list[LineRegion],
        content: bytes,
        earlier: _EarlierState,
    ) -> None:
        """Pass lines of a state on to earlier ones, and add those that none has."""
        assert earlier.index is not None
        state = self._states[index]
        if earlier.content is not None:
            # Most lines go there: it need not be read again.
            self._next_index = earlier.index
            self._next_content = earlier.content
            regions = self._pass_to(
                earlier.index, earlier.content, regions, content
            )
        if regions and state.source is not None:
            source = self._states[state.source]
            source_content = self._read(source, state, content)
            if source_content is not None:
                regions = self._pass_to(
                    state.source, source_content, regions, content
                )
        origin = state.origin
        if earlier.is_change_skipped:
            origin = LineOrigin(unknown="not stored")
        self._add(regions, origin)

    def _pass_to(
        self,
        index: int,
        earlier_content: bytes,
        regions: list[LineRegion],
        content: bytes,
    ) -> list[LineRegion]:
        """Pass the lines that a state has on to it, and return the others."""
        changes = find_line_changes(
            to_utf8_lines(earlier_content), to_utf8_lines(content)
        )
        divided = divide_regions(regions, changes)
        self._pending.setdefault(index, []).extend(divided.unchanged)
        return divided.changed

    def _finish(
        self,
        regions: list[LineRegion],
        content: bytes,
        earlier: _EarlierState,
        git_task: Task,
    ) -> None:
        """Add the lines that are older than all versions, by git if there is git."""
        versions = self._versions
        if versions.older is not None:
            self.notes.append(
                f"this file has more than {len(versions.versions):,} changes; "
                f"those before {versions.older} were not read"
            )
            self._add(regions, LineOrigin(unknown="not read"))
            return
        path = versions.path
        begin: datetime | None = None
        if versions.versions:
            oldest = versions.versions[-1]
            path, begin = oldest.former_path, oldest.record.time
        committed = blame_commits(
            path,
            content,
            regions,
            begin,
            limit=MAX_BLAMED_BYTES,
            task=git_task,
        )
        if committed.note:
            self.notes.append(committed.note)
        for lines in committed.lines:
            self._add([lines.region], LineOrigin(commit=lines.commit))
        rest = LineOrigin(unknown="before")
        if earlier.is_change_skipped:
            rest = LineOrigin(unknown="not stored")
        self._add(committed.rest, rest)

    def _add(self, regions: Sequence[LineRegion], origin: LineOrigin) -> None:
        for region in regions:
            self._groups.append(
                BlamedLines(region.newest + 1, region.length, origin)
            )


def _list_states(versions: Sequence[FileVersion]) -> list[_State]:
    """Return the states of a file, newest first, with the sources of each."""
    newest_time = versions[0].record.time if versions else None
    unrecorded = LineOrigin(unknown="unrecorded", since=newest_time)
    if not versions:
        unrecorded = LineOrigin(unknown="before")
    states = [_State(None, unrecorded)]
    for index, version in enumerate(versions, 1):
        if version.moved_with_folder:
            # Its content is that of its neighbours, and no record knows it.
            continue
        unrecorded = LineOrigin(unknown="before")
        if index < len(versions):
            since = versions[index].record.time
            unrecorded = LineOrigin(unknown="unrecorded", since=since)
        states.append(
            _State(
                _file_only(version.change.after),
                _find_origin(version, versions),
                version,
            )
        )
        states.append(
            _State(
                _file_only(version.change.before),
                unrecorded,
                version,
                is_before=True,
            )
        )
    return _with_sources(states)


def _file_only(state: FileState | None) -> FileState | None:
    """Return the state of a file; None for a folder or a link, which has no lines."""
    if state is None or state.kind != "file":
        return None
    return state


def _find_origin(
    version: FileVersion, versions: Sequence[FileVersion]
) -> LineOrigin:
    """Return the origin of the lines of a version: of a healing, the healed edit."""
    edit_id = find_healed_edit(version.record)
    if edit_id is not None:
        for other in versions:
            if other.id == edit_id:
                return LineOrigin(other)
    return LineOrigin(version)


def _with_sources(states: Sequence[_State]) -> list[_State]:
    """Return states with their sources: what they undo, or an equal earlier content."""
    by_digest: dict[str, int] = {}
    by_change: dict[str, int] = {}
    with_sources: list[_State] = []
    # From the oldest on, so that a digest leads to the nearest earlier state.
    for index in range(len(states) - 1, -1, -1):
        state = states[index]
        version, file = state.version, state.file
        source: int | None = None
        if version is not None and file is not None and not state.is_before:
            if file.digest is not None:
                source = by_digest.get(file.digest)
            undone = [
                by_change[change_id]
                for change_id in version.record.reverts
                if change_id in by_change
            ]
            if undone:
                # The oldest undone change: the content before it comes back.
                source = max(undone)
        with_sources.append(replace(state, source=source))
        if version is not None and state.is_before:
            by_change[version.id] = index
        if file is not None and file.digest is not None:
            by_digest[file.digest] = index
    with_sources.reverse()
    return with_sources
