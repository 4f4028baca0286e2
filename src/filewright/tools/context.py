"""The context of a call: the boundary, the settings, the changes, and the caches."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from functools import partial
from typing import TYPE_CHECKING

from filewright.boundary.boundary import Boundary
from filewright.boundary.location import Location
from filewright.changes.changes import Changes
from filewright.errors import Code, FilewrightError
from filewright.progress import Task
from filewright.settings import Settings
from filewright.text import codec
from filewright.text.cache import (
    REMEMBERED_WHOLE_BYTES,
    BoundedCache,
    ShownContents,
)
from filewright.text.compressed import TextCache, view_if_compressed
from filewright.text.lines import LineIndex
from filewright.text.notebook import view_if_notebook
from filewright.text.snapshot import Snapshot
from filewright.tools.binary_files import binary_error
from filewright.tools.path_hints import explain_path_error
from filewright.tools.seen_files import SeenFiles
from filewright.tools.tool import LOADING

if TYPE_CHECKING:
    from filewright.search.searcher import Searcher
    from filewright.structure.outlines import Outlines

MAX_PREVIEWS = 64
"""The previews that are remembered, so that the change does not show the same again."""

MAX_EXPLAINED_PATHS = 5
"""The paths of a call for which likely paths are searched."""


class _Shared:
    """Objects that only some tools need, shared by all contexts of a workspace."""

    outlines: Outlines | None = None
    searcher: Searcher | None = None


class Context:
    """A workspace as a call of a tool sees it, with the call's `task`. Thread-safe."""

    def __init__(
        self, boundary: Boundary, settings: Settings, changes: Changes
    ) -> None:
        self.boundary = boundary
        self.settings = settings
        self.changes = changes
        self.task = Task()
        self._explained = 0
        self.shown = ShownContents(settings.shown_bytes)
        self.seen = SeenFiles(partial(self.open, hold=False), boundary.stat)
        changes.after_commit = self.seen.accept_own_change
        self.indexes: BoundedCache[LineIndex] = BoundedCache(
            max(1 << 20, settings.cache_bytes // 8)
        )
        self.texts = TextCache(max(1 << 20, settings.cache_bytes // 2))
        self.previews: BoundedCache[bool] = BoundedCache(MAX_PREVIEWS)
        # Copies of the context refer to this object, so that the searcher which one of
        # them makes is that of all.
        self._shared = _Shared()
        # The limits of the call that first needs a searcher must not hold for later
        # calls: it is made with the settings of the workspace.
        self._loaded_with = settings

    @property
    def outlines(self) -> Outlines:
        """The outlines by content, with the parser processes; made when first needed."""
        with LOADING:
            if self._shared.outlines is None:
                from filewright.structure.outlines import Outlines

                self._shared.outlines = Outlines(
                    self._loaded_with, self.boundary.launcher
                )
            return self._shared.outlines

    @property
    def searcher(self) -> Searcher:
        """The searcher of trees, made when first needed."""
        with LOADING:
            if self._shared.searcher is None:
                from filewright.search.searcher import Searcher

                self._shared.searcher = Searcher(
                    self.boundary, self._loaded_with, self.indexes, self.texts
                )
            return self._shared.searcher

    def close(self) -> None:
        """End the child processes of all contexts of the workspace."""
        if self._shared.outlines is not None:
            self._shared.outlines.close()

    def under(self, settings: Settings) -> Context:
        """Return the same workspace with other settings; caches and processes are shared."""
        other = copy(self)
        other.settings = settings
        return other

    def at(self, task: Task) -> Context:
        """Return the same workspace for one call with its task."""
        other = copy(self)
        other.task, other._explained = task, 0
        return other

    def exists(self, location: Location) -> bool:
        """Return True if a file, folder or link exists at a location."""
        try:
            self.boundary.stat(location)
        except FilewrightError as error:
            if error.code in (Code.NOT_FOUND, Code.NOT_A_DIRECTORY):
                return False
            raise
        return True

    def open(
        self,
        location: Location,
        *,
        encoding: str | None = None,
        hold: bool = True,
        text: bool = False,
    ) -> Snapshot:
        """Open the regular file at a location.

        With `hold`, its content is read, and `too_large` raised above
        `settings.max_file_bytes`. With `text`, `is_binary` is raised for any other file.
        Raise the errors of `Boundary.open_file` too.
        """
        name = (
            codec.require_encoding(encoding) if encoding is not None else None
        )
        file = self.boundary.open_file(location)
        snapshot = Snapshot.of_file(
            file,
            location,
            self.settings,
            encoding=name,
            indexes=self.indexes,
            hold=hold,
            launcher=self.boundary.launcher,
        )
        limit = self.settings.max_file_bytes
        if hold and limit and snapshot.size > limit:
            size = snapshot.size
            snapshot.close()
            raise FilewrightError(
                Code.TOO_LARGE,
                f"{location.requested_path} has {size:,} bytes; the limit is {limit:,}",
                "search the file instead, or ask the user to raise the limit",
                path=location.requested_path,
                size=size,
                limit=limit,
            )
        if text and snapshot.binary_type is not None:
            with snapshot:
                raise binary_error(snapshot)
        return snapshot

    def open_page(
        self,
        location: Location,
        *,
        encoding: str | None = None,
        cells: bool = True,
        headings: bool = True,
        text: bool = False,
    ) -> Snapshot:
        """Open a file as a reader sees it: the text inside a compressed file.

        A notebook is seen as its `cells`, unless `encoding` is set.
        """
        snapshot = self.open(location, encoding=encoding)
        try:
            if encoding is None and cells:
                snapshot = view_if_notebook(
                    snapshot, self.task, headings=headings
                )
            snapshot = view_if_compressed(snapshot, self.texts, self.task)
            if text and snapshot.binary_type is not None:
                raise binary_error(snapshot)
            return snapshot
        # A cancelled call never gets the snapshot, so nothing else would close it.
        except BaseException:
            snapshot.close()
            raise

    def remember(
        self, snapshot: Snapshot, shown_range: tuple[int, int] | None = None
    ) -> None:
        """Remember that the caller was shown a file, or a range of bytes of a large one.

        A later edit may name its lines without a version.
        """
        if snapshot.location is None:
            return
        self.seen.record_shown(snapshot, self.session)
        content = snapshot.content
        if content is not None and len(content) <= REMEMBERED_WHOLE_BYTES:
            self.shown.remember(snapshot.location, snapshot.version, content)
        elif shown_range is not None:
            start, stop = shown_range
            if stop - start <= REMEMBERED_WHOLE_BYTES:
                range_content = snapshot.read(start, stop - start)
                self.shown.remember(
                    snapshot.location,
                    snapshot.version,
                    range_content,
                    whole=False,
                )

    @property
    def session(self) -> str | None:
        """The session of the call."""
        return (self.task.caller or self.changes.caller).session

    def explain(self, error: FilewrightError) -> None:
        """Add hints to the error for a path that does not exist.

        Similar paths are looked for a few times in a call: each time takes a walk.
        """
        can_suggest = self._explained < MAX_EXPLAINED_PATHS
        if explain_path_error(self, error, can_suggest=can_suggest):
            self._explained += 1

    @contextmanager
    def explaining(self) -> Iterator[None]:
        """Add hints to the errors that are raised inside, as `explain` does."""
        try:
            yield
        except FilewrightError as error:
            self.explain(error)
            raise

    def check_version(self, snapshot: Snapshot, expected: str) -> None:
        """Raise `stale_version` unless `expected` is the version of a file."""
        if not snapshot.matches(expected):
            raise FilewrightError(
                Code.STALE_VERSION,
                f"{snapshot.requested_path} is at version {snapshot.version}, "
                f"not {expected}",
                "read the file again and base the edit on its current text",
                path=snapshot.requested_path,
                expected=expected,
                version=snapshot.version,
            )
