"""The commits that made the lines of a file, read from git's objects.

Git is asked which commits changed the file, and for its content in them; the lines are
compared here. So no filter, text converter or hook of the repository runs, which `git
blame` would start.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from filewright.boundary.repository import find_repository
from filewright.changes.line_regions import LineRegion, divide_regions
from filewright.changes.model import RecordedPath
from filewright.edit.linediff import find_line_changes
from filewright.errors import Code, FilewrightError
from filewright.progress import Task
from filewright.structure.git_conversion import to_stored_ends
from filewright.structure.git_repository import (
    CommitFacts,
    FileCommit,
    GitRepository,
)
from filewright.text.utf8_view import to_utf8_lines

MAX_COMMITS = 10_000
"""The most commits of a file that are looked at."""
_MAX_START_COMMITS = 200
"""The newest commits in which the content that a blame begins with is looked for."""
_HASHES = {40: "sha1", 64: "sha256"}
"""The hash of a repository's objects, by the length of their names."""


@dataclass(frozen=True, slots=True)
class CommittedLines:
    """Lines of the newest version, and the commit that made them."""

    region: LineRegion
    commit: CommitFacts


@dataclass(frozen=True, slots=True)
class CommittedBlame:
    """The lines that commits made, and `rest`, the lines that no commit has.

    `note` says why git was not asked about all of them, if it was not.
    """

    lines: Sequence[CommittedLines] = ()
    rest: Sequence[LineRegion] = ()
    note: str = ""


def blame_commits(
    path: RecordedPath,
    content: bytes,
    regions: Sequence[LineRegion],
    before: datetime | None,
    *,
    limit: int,
    task: Task,
) -> CommittedBlame:
    """Return the commits that made regions of a content.

    `content` is that of the file at a path, of a time `before` which it was committed,
    if it was. Contents of commits may have up to `limit` bytes.
    """
    absolute_path = b"/".join((path.root.rstrip(b"/"), *path.parts))
    folders = find_repository(absolute_path.rpartition(b"/")[0])
    if folders is None:
        # A folder that exists no more may have been in the repository of its root.
        folders = find_repository(path.root)
    top = b"" if folders is None else folders.top.rstrip(b"/") + b"/"
    if folders is None or not absolute_path.startswith(top):
        return CommittedBlame(rest=regions)
    try:
        with GitRepository(folders, task) as repository:
            blamer = _CommitBlamer(repository, limit, task)
            return blamer.blame(
                absolute_path.removeprefix(top), content, regions, before
            )
    except FilewrightError as error:
        if error.code is Code.CANCELLED:
            raise
        return CommittedBlame(rest=regions, note=f"git: {error.message}")


@dataclass(slots=True)
class _PathHistory:
    """The commits of one path, and the regions of each that are not blamed yet."""

    path: bytes
    commits: Sequence[FileCommit]
    regions: dict[str, list[LineRegion]] = field(default_factory=dict)


class _CommitBlamer:
    """Follows lines back through the commits of a repository."""

    def __init__(
        self, repository: GitRepository, limit: int, task: Task
    ) -> None:
        self._repository = repository
        self._limit = limit
        self._task = task
        self._lines: list[CommittedLines] = []

    def blame(
        self,
        path: bytes,
        content: bytes,
        regions: Sequence[LineRegion],
        before: datetime | None,
    ) -> CommittedBlame:
        """Return the commits that made regions of a content."""
        head = self._repository.resolve("HEAD")
        if head is None:
            return CommittedBlame(rest=regions)
        commits = self._list_commits(head, path)
        start = self._find_start(commits, path, content, before)
        if start is None:
            return CommittedBlame(rest=regions)
        committed = self._read_lines(start, path)
        divided = divide_regions(
            regions, find_line_changes(committed, to_utf8_lines(content))
        )
        first = _PathHistory(path, commits)
        first.regions[start] = divided.unchanged
        unread: list[LineRegion] = []
        pending = [first]
        # Grows while it is read: a file may have had several names before.
        for history in pending:
            self._follow(history, pending)
        for history in pending:
            # What the limit of commits, or of time, has left.
            for left_over in history.regions.values():
                unread += left_over
        note = ""
        if unread:
            note = "git: time ran out before all commits were read"
        return CommittedBlame(self._lines, [*divided.changed, *unread], note)

    def _list_commits(self, commit: str, path: bytes) -> list[FileCommit]:
        return [*self._repository.iter_file_commits(commit, path, MAX_COMMITS)]

    def _find_start(
        self,
        commits: Sequence[FileCommit],
        path: bytes,
        content: bytes,
        before: datetime | None,
    ) -> str | None:
        """Return the commit that has a content, or the newest one `before` a time."""
        names = set(_object_names(content))
        if commits and len(commits[0].id) not in _HASHES:
            return None
        newest_before: str | None = None
        for commit in commits[:_MAX_START_COMMITS]:
            self._task.check()
            stored = self._repository.read_file_at(commit.id, path, self._limit)
            if stored is None:
                continue
            if stored.name in names:
                return commit.id
            if newest_before is None:
                facts = self._repository.read_commit(commit.id)
                is_before = before is None
                if facts is not None and before is not None:
                    is_before = facts.time <= before
                if is_before:
                    newest_before = commit.id
        return newest_before

    def _follow(
        self, history: _PathHistory, pending: list[_PathHistory]
    ) -> None:
        """Follow the regions of the commits of a path, while there is time.

        Where the path is the new name of a file, its former name becomes pending.
        """
        for commit in history.commits:
            if self._task.expired:
                return
            regions = history.regions.pop(commit.id, None)
            if not regions:
                continue
            rest = self._pass_to_parents(history, commit, regions)
            if rest and not commit.parents:
                rest = self._pass_to_former_path(
                    commit.id, history.path, rest, pending
                )
            self._attribute(commit.id, rest)

    def _pass_to_parents(
        self,
        history: _PathHistory,
        commit: FileCommit,
        regions: list[LineRegion],
    ) -> list[LineRegion]:
        """Pass the lines of a commit that its parents have on to them.

        Return the lines that no parent has.
        """
        content = self._read_lines(commit.id, history.path)
        for parent in commit.parents:
            if not regions:
                break
            earlier = self._read_lines(parent, history.path)
            divided = divide_regions(
                regions, find_line_changes(earlier, content)
            )
            history.regions.setdefault(parent, []).extend(divided.unchanged)
            regions = divided.changed
        return regions

    def _pass_to_former_path(
        self,
        commit: str,
        path: bytes,
        regions: list[LineRegion],
        pending: list[_PathHistory],
    ) -> list[LineRegion]:
        """Pass the lines of a file that a commit renamed on to its former path.

        Return the lines that the file did not have there.
        """
        former_path = self._repository.find_former_path(commit, path)
        parent = self._repository.resolve(f"{commit}^")
        if former_path is None or parent is None:
            return regions
        commits = self._list_commits(parent, former_path)
        if not commits:
            return regions
        newest = commits[0].id
        divided = divide_regions(
            regions,
            find_line_changes(
                self._read_lines(newest, former_path),
                self._read_lines(commit, path),
            ),
        )
        former = _PathHistory(former_path, commits)
        former.regions[newest] = divided.unchanged
        pending.append(former)
        return divided.changed

    def _attribute(self, commit: str, regions: Sequence[LineRegion]) -> None:
        """Record a commit as the one that made lines."""
        if not regions:
            return
        facts = self._repository.read_commit(commit)
        if facts is None:
            epoch = datetime.fromtimestamp(0, UTC)
            facts = CommitFacts(commit, author="", time=epoch, title="")
        for region in regions:
            self._lines.append(CommittedLines(region, facts))

    def _read_lines(self, commit: str, path: bytes) -> bytes:
        """Return a file of a commit as its lines are compared; b"" if not stored."""
        stored = self._repository.read_file_at(commit, path, self._limit)
        if stored is None or stored.content is None:
            return b""
        return to_utf8_lines(stored.content)


def _object_names(content: bytes) -> Iterator[str]:
    """Yield the names that git may have for a content, with its line ends unified."""
    for stored in {content, to_stored_ends(content)}:
        for algorithm in _HASHES.values():
            digest = hashlib.new(algorithm, usedforsecurity=False)
            digest.update(b"blob %d\0" % len(stored))
            digest.update(stored)
            yield digest.hexdigest()
