"""The search for a text in added and removed lines of the history.

The newest changes are searched first, while there is time; the answer says how far the
search went, and where to continue. A content without the text is not compared at all,
so most of the time goes into reading the stored contents.
"""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

from filewright.changes.blobs import content_after, content_before
from filewright.changes.diffs import DiffBuilder
from filewright.changes.model import (
    ChangeRecord,
    FileChange,
    FileState,
    RecordedPath,
    keeps_content,
)
from filewright.edit.diff import DiffRow
from filewright.edit.linediff import find_line_changes
from filewright.errors import FilewrightError
from filewright.progress import Task
from filewright.text.snapshot import Snapshot
from filewright.text.utf8_view import to_utf8_lines
from filewright.wording import to_one_line

if TYPE_CHECKING:
    from filewright.changes.history import History

MAX_HIT_ROWS = 3
"""The most lines of one file that a hit shows."""
MAX_COMPARED_ROWS = 20_000
"""The most changed lines of a file that are searched."""
MAX_SEARCHED_FILES = 1_000
"""The most files of one change that are searched."""
_ENCODINGS = ("utf-8", "latin-1", "utf-16-le", "utf-16-be")
"""The encodings in which a content may hold the text, roughly; lines decide."""


@dataclass(frozen=True, slots=True)
class HistoryHit:
    """Changed lines of one file with the text: the first of them, and their number.

    `record` has no file changes.
    """

    record: ChangeRecord
    path: str
    rows: tuple[DiffRow, ...]
    row_count: int


@dataclass(frozen=True, slots=True)
class HistorySearch:
    """Hits, newest first, and the extent of the search.

    `searched` counts the changes, and `oldest` is the last of them. With `cursor`, the
    id of a change, older changes were not searched. `skipped` counts files whose
    content is not stored, or too large.
    """

    hits: Sequence[HistoryHit]
    searched: int
    oldest: ChangeRecord | None
    cursor: str | None
    skipped: int = 0


@dataclass(frozen=True, slots=True)
class SearchFilter:
    """Which changes are searched; None for any.

    `path` is a file or folder, `session` a full name, `client` the begin of a name;
    `after` is a number, and `before` the id of a change.
    """

    path: RecordedPath | None = None
    session: str | None = None
    client: str | None = None
    after: int = 0
    before: str | None = None


class _Needle:
    """A text to search for; letters of either case match if it has no capitals."""

    def __init__(self, text: str) -> None:
        self._folds_case = text == text.lower()
        self._text = text
        encoded: list[bytes] = []
        for encoding in _ENCODINGS:
            content = text.encode(encoding, "ignore")
            if len(content) >= len(text):
                encoded.append(content)
        # Other capitals than those of ASCII are not found by lower-case bytes.
        self._encoded = encoded if text.isascii() else []

    def may_be_in(self, content: bytes) -> bool:
        """Return False if no line of a content can have the text."""
        if not self._encoded:
            return True
        if self._folds_case:
            content = content.lower()
        return any(part in content for part in self._encoded)

    def is_in(self, line: str) -> bool:
        """Return True if a line has the text."""
        if self._folds_case:
            line = line.lower()
        return self._text in line


def search_history(
    history: History,
    text: str,
    task: Task,
    *,
    limit: int,
    only: SearchFilter = SearchFilter(),
) -> HistorySearch:
    """Search changes for a text, the newest first, up to `limit` hits."""
    searcher = _Searcher(history, _Needle(text), only.path)
    hits: list[HistoryHit] = []
    oldest: ChangeRecord | None = None
    searched = 0
    for head in _iter_heads(history, only):
        if len(hits) >= limit or (searched and task.expired):
            cursor = oldest.id if oldest is not None else None
            return HistorySearch(
                hits, searched, oldest, cursor, searcher.skipped
            )
        hits += searcher.search_change(head, task)
        oldest = head
        searched += 1
    return HistorySearch(hits, searched, oldest, None, searcher.skipped)


def _iter_heads(history: History, only: SearchFilter) -> Iterator[ChangeRecord]:
    """Yield the changes that a filter lets through, newest first."""
    touching: set[int] | None = None
    if only.path is not None:
        touching = {*history.numbers_touching(only.path)}
    session = () if only.session is None else (only.session,)
    client = None if only.client is None else only.client.casefold()
    for head in history.heads(None, *session):
        if head.number <= only.after:
            return
        if only.before is not None and head.id >= only.before:
            continue
        if touching is not None and head.number not in touching:
            continue
        name = (head.client or "").casefold()
        if client is None or name.startswith(client):
            yield head


class _Searcher:
    """Searches single changes, and counts the files that it cannot search."""

    def __init__(
        self, history: History, needle: _Needle, path: RecordedPath | None
    ) -> None:
        self.skipped = 0
        self._path = path
        self._digests_without_text: set[str] = set()
        self._history = history
        self._needle = needle
        # A match behind the end of a shortened line must be found, too.
        settings = history.settings.replace(line_chars=1 << 20)
        self._diffs = DiffBuilder(history.boundary, settings)

    def search_change(
        self, head: ChangeRecord, task: Task
    ) -> Iterator[HistoryHit]:
        """Yield the hits of one change, a file each."""
        try:
            changes = self._history.record(head.id).file_changes
        except FilewrightError:
            self.skipped += 1
            return
        self.skipped += max(len(changes) - MAX_SEARCHED_FILES, 0)
        for change in islice(changes, MAX_SEARCHED_FILES):
            if self._path is not None and not change.touches(self._path):
                continue
            if task.expired:
                self.skipped += 1
                continue
            rows = self._search_file(change)
            if rows:
                yield HistoryHit(
                    record=replace(head, file_changes=()),
                    path=change.path.display_path,
                    rows=tuple(rows[:MAX_HIT_ROWS]),
                    row_count=len(rows),
                )

    def _search_file(self, change: FileChange) -> list[DiffRow]:
        """Return the added and removed lines of a file that have the text."""
        states = (change.before, change.after)
        is_file = any(
            state is not None and state.kind == "file" for state in states
        )
        if not is_file or keeps_content(change):
            return []
        try:
            if self._lacks_text(change):
                return []
            before = content_before(change)
            after = content_after(change)
        except FilewrightError:
            self.skipped += 1
            return []
        is_known = (change.before is None or before is not None) and (
            change.after is None or after is not None
        )
        if is_known:
            return self._search_contents(before or b"", after or b"")
        return self._search_diff(change)

    def _lacks_text(self, change: FileChange) -> bool:
        """Return True if neither content of a file has the text."""
        return self._is_without_text(
            change.before, partial(content_before, change)
        ) and self._is_without_text(
            change.after, partial(content_after, change)
        )

    def _is_without_text(
        self, state: FileState | None, read: Callable[[], bytes | None]
    ) -> bool:
        """Return True if a content is known not to have the text.

        The content after a change is that before the next, and is read once.
        """
        if state is None:
            return True
        if state.digest in self._digests_without_text:
            return True
        content = read()
        if content is None or self._needle.may_be_in(content):
            return False
        if state.digest is not None:
            self._digests_without_text.add(state.digest)
        return True

    def _search_contents(self, before: bytes, after: bytes) -> list[DiffRow]:
        """Return the lines with the text that only one of two contents has."""
        needle = self._needle
        old_text, new_text = _TextLines.of(before), _TextLines.of(after)
        if old_text is None or new_text is None:
            return []
        rows: list[DiffRow] = []
        for change in find_line_changes(old_text.content, new_text.content):
            for index in range(change.start, change.end):
                line = old_text.decode(index)
                if needle.is_in(line):
                    rows.append(
                        DiffRow("-", to_one_line(line), index + 1, None)
                    )
            for index in range(change.new_start, change.new_end):
                line = new_text.decode(index)
                if needle.is_in(line):
                    rows.append(
                        DiffRow("+", to_one_line(line), None, index + 1)
                    )
        return rows

    def _search_diff(self, change: FileChange) -> list[DiffRow]:
        """Return the changed lines with the text of a file that is not stored whole."""
        difference = self._diffs.diff_file_change(
            change, max_lines=MAX_COMPARED_ROWS
        )
        rows: list[DiffRow] = []
        for diff in difference.diffs:
            for hunk in diff.hunks:
                for row in hunk.rows:
                    if row.sign != " " and self._needle.is_in(row.text):
                        rows.append(row)
            self.skipped += diff.added is None
        return rows


@dataclass(frozen=True, slots=True)
class _TextLines:
    """The lines of a text, in bytes that `encoding` decodes."""

    content: bytes
    lines: list[bytes]
    encoding: str

    @classmethod
    def of(cls, content: bytes) -> _TextLines | None:
        """Return the lines of a content, or None if it is binary."""
        snapshot = Snapshot(content)
        if snapshot.binary_type is not None:
            return None
        encoding = snapshot.encoding.name
        if snapshot.encoding.unit_bytes > 1:
            content, encoding = to_utf8_lines(content), "utf-8"
        content = content.removeprefix(BOM_UTF8)
        return cls(content, content.splitlines(), encoding)

    def decode(self, index: int) -> str:
        """Return a line as text."""
        return self.lines[index].decode(self.encoding, "replace")
