"""What every tool is handed: the boundary, the settings, what was shown, the caches, the changes."""

from __future__ import annotations

import codecs
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from functools import partial
from typing import TYPE_CHECKING

from filewright.boundary.boundary import Boundary
from filewright.boundary.location import Location
from filewright.boundary.names import quote
from filewright.changes.changes import Changes
from filewright.errors import Code, FilewrightError
from filewright.progress import Task
from filewright.settings import Settings
from filewright.text import codec, detection
from filewright.text.cache import (
    REMEMBERED_WHOLE_BYTES,
    BoundedCache,
    ShownContents,
)
from filewright.text.lines import LineIndex
from filewright.text.notebook import view_if_notebook
from filewright.text.snapshot import FileIdentity, Snapshot
from filewright.tools.suggestions import Suggestions, suggest
from filewright.tools.tool import LOADING
from filewright.wording import character_name

if TYPE_CHECKING:
    from filewright.search.searcher import Searcher
    from filewright.structure.outlines import Outlines

_PREVIEWS = 64
"""Previews that are remembered, so that the change itself need not show the same again."""


_LOOKED_AT = 16
"""Files that are looked at before an answer: each is opened and asked for its status, nothing is watched."""

_MAX_EXPLAINED = 5
_SUGGESTION_SECONDS = 0.5
"""Paths of one call for which it is looked what may have been meant, and the time for each."""

_TEXT_SAMPLE = 64 << 10
_TEXT_BYTES = bytes({*b"\t\n\f\r\x1b", *range(0x20, 0x7F), *range(0x80, 0x100)})
_MOST_NULS = 20
"""A file with more of them is no text with a slip in it."""

_MOST_SHOWN = 256
"""Files of which it is known what a session was shown."""

_VERSIONS_KNOWN = 8
"""Versions of a file that a session read or made: an undo brings back an earlier one."""


class SeenFiles:
    """The newest files shown, each with its identity and version then. Thread-safe."""

    def __init__(self, open_file: Callable[[Location], Snapshot]) -> None:
        self._open = open_file
        self._files: OrderedDict[Location, tuple[FileIdentity, str]] = (
            OrderedDict()
        )
        self._shown: BoundedCache[str] = BoundedCache(_MOST_SHOWN)
        self._known: OrderedDict[
            tuple[str | None, Location], tuple[str, ...]
        ] = OrderedDict()
        self._unsaid: list[str] = []
        self._lock = threading.Lock()

    def note(self, snapshot: Snapshot, session: str | None) -> None:
        """It was shown just now, to that session."""
        if snapshot.location is not None and snapshot.identity is not None:
            self._shown.put((session, snapshot.location), snapshot.version, 1)
            self._know(session, snapshot.location, snapshot.version)
            with self._lock:
                self._files[snapshot.location] = (
                    snapshot.identity,
                    snapshot.version,
                )
                self._files.move_to_end(snapshot.location)
                while len(self._files) > _LOOKED_AT:
                    self._files.popitem(last=False)

    def shown_to(self, session: str | None, location: Location) -> str | None:
        """The version that a session was shown last."""
        return self._shown.get((session, location))

    def made(
        self, session: str | None, location: Location, version: str
    ) -> None:
        """Note a version that a session made of a file of which it knows all."""
        self._know(session, location, version)

    def known_to(
        self, session: str | None, location: Location
    ) -> tuple[str, ...]:
        """Return the versions of a file that a session was shown or made, the newest last."""
        with self._lock:
            return self._known.get((session, location), ())

    def known_below(
        self, session: str | None, location: Location
    ) -> list[Location]:
        """Return the files at or below a path of which a session knows a version, the newest first."""
        with self._lock:
            places = [
                place
                for reader, place in reversed(self._known)
                if reader == session
            ]
        return [place for place in places if place.is_within(location)]

    def _know(
        self, session: str | None, location: Location, version: str
    ) -> None:
        key = session, location
        with self._lock:
            earlier = [
                known for known in self._known.pop(key, ()) if known != version
            ]
            self._known[key] = (*earlier[1 - _VERSIONS_KNOWN :], version)
            while len(self._known) > _MOST_SHOWN:
                self._known.popitem(last=False)

    def ours(self, touched: Sequence[Location]) -> None:
        """What was touched by a change made here, with all below it, is no news to the caller."""
        with self._lock:
            files = [*self._files.items()]
        for location, seen in files:
            if any(map(location.is_within, touched)):
                self._news(location, *seen)

    def changed(self) -> str | None:
        """One line that names the files others have changed since they were shown, until it was `said`."""
        found: dict[str, list[str]] = {}
        with self._lock:
            files = [*self._files.items()]
        for location, seen in files:
            if news := self._news(location, *seen):
                found.setdefault(news, []).append(location.display_path)
        with self._lock:
            for news, names in sorted(found.items()):
                self._unsaid.append(
                    f"{news} since you read it: {', '.join(names)}"
                )
            return "; ".join(dict.fromkeys(self._unsaid)) or None

    def said(self) -> None:
        """An answer has said what `changed` gave; one that failed has not."""
        with self._lock:
            self._unsaid.clear()

    def _news(
        self, location: Location, identity: FileIdentity, version: str
    ) -> str:
        """Whether a file is "changed" or "gone" since the last look, or neither."""
        try:
            with self._open(location) as snapshot:
                if (now := snapshot.identity) in (None, identity):
                    return ""
                with self._lock:
                    self._files[location] = now, snapshot.version
                    self._files.move_to_end(location)
                return "changed" if snapshot.version != version else ""
        except FilewrightError as error:
            with self._lock:
                self._files.pop(location, None)
            # What is denied by now, or was reached by a link that leads to it, is not spoken of.
            return "gone" if error.code is Code.NOT_FOUND else ""


class _Late:
    """What only some tools need, made when it is first asked for; the contexts of other limits share it."""

    outlines: Outlines | None = None
    searcher: Searcher | None = None


class Context:
    """One workspace as a call of a tool sees it, with the call's `task`.

    Thread-safe. What only some tools need is made when first asked for.
    """

    def __init__(
        self, boundary: Boundary, settings: Settings, changes: Changes
    ) -> None:
        self.boundary = boundary
        self.settings = settings
        self.changes = changes
        self.task = Task()
        self._explained = 0
        self.shown = ShownContents(settings.shown_bytes)
        self.seen = SeenFiles(partial(self.open, hold=False))
        changes.after_commit = self.seen.ours
        self.indexes: BoundedCache[LineIndex] = BoundedCache(
            max(1 << 20, settings.cache_bytes // 8)
        )
        self.previews: BoundedCache[bool] = BoundedCache(_PREVIEWS)
        self._late = _Late()
        self._loaded_with = settings

    @property
    def outlines(self) -> Outlines:
        """Outlines by content, and the parser processes."""
        with LOADING:
            if self._late.outlines is None:
                from filewright.structure.outlines import Outlines

                self._late.outlines = Outlines(
                    self._loaded_with, self.boundary.launcher
                )
            return self._late.outlines

    @property
    def searcher(self) -> Searcher:
        """Searches of trees."""
        with LOADING:
            if self._late.searcher is None:
                from filewright.search.searcher import Searcher

                self._late.searcher = Searcher(
                    self.boundary, self._loaded_with, self.indexes
                )
            return self._late.searcher

    def close(self) -> None:
        """End the child processes that were started, also for the contexts of other limits."""
        if self._late.outlines is not None:
            self._late.outlines.close()

    def under(self, settings: Settings) -> Context:
        """The same workspace with other limits for the tools; caches and processes are shared."""
        other = copy(self)
        other.settings = settings
        return other

    def at(self, task: Task) -> Context:
        """The same workspace for one call, whose task this is."""
        other = copy(self)
        other.task, other._explained = task, 0
        return other

    def exists(self, location: Location) -> bool:
        """Whether anything has that name."""
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
        """A snapshot of the regular file at `location`. Raises what `Boundary.open_file` raises,
        `too_large` above `settings.max_file_bytes`, if the file is opened for its content (`hold`),
        and `is_binary` for anything but `text`, if that is asked for.
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
        )
        limit = self.settings.max_file_bytes
        if hold and limit and snapshot.size > limit:
            size = snapshot.size
            snapshot.close()
            raise FilewrightError(
                Code.TOO_LARGE,
                f"{location.requested_path} has {size:,} bytes; the limit is {limit:,}",
                "search in it, or ask the user to raise the limit",
                path=location.requested_path,
                size=size,
                limit=limit,
            )
        if text and snapshot.binary_type is not None:
            with snapshot:
                raise binary(snapshot)
        return snapshot

    def open_page(
        self,
        location: Location,
        *,
        encoding: str | None = None,
        headings: bool = True,
        text: bool = False,
    ) -> Snapshot:
        """What a reader sees of the file: of a notebook its cells, unless an `encoding` asks for the file itself."""
        snapshot = self.open(location, encoding=encoding, text=text)
        try:
            return (
                snapshot
                if encoding is not None
                else view_if_notebook(snapshot, self.task, headings=headings)
            )
        except BaseException:
            snapshot.close()
            raise

    def remember(
        self, snapshot: Snapshot, shown_range: tuple[int, int] | None = None
    ) -> None:
        """Note that the caller was shown this snapshot (`shown_range` in bytes, of large files)."""
        if snapshot.location is None:
            return
        self.seen.note(snapshot, self.session)
        held = snapshot.content
        if held is not None and len(held) <= REMEMBERED_WHOLE_BYTES:
            self.shown.remember(snapshot.location, snapshot.version, held)
        elif shown_range is not None:
            start, stop = shown_range
            if stop - start <= REMEMBERED_WHOLE_BYTES:
                content = snapshot.read(start, stop - start)
                self.shown.remember(
                    snapshot.location, snapshot.version, content, whole=False
                )

    @property
    def session(self) -> str | None:
        """The session of this call."""
        return (self.task.caller or self.changes.caller).session

    def explain(self, error: FilewrightError) -> None:
        """Add to the refusal of a path that names nothing where it led, its root, and what may have been meant."""
        asked = error.details.get("path")
        is_outside = error.code == Code.PATH_ESCAPE and "roots" in error.details
        is_url = (
            error.code == Code.INVALID_INPUT
            and isinstance(asked, str)
            and asked.startswith("file:")
        )
        if not isinstance(asked, str) or not (
            error.code == Code.NOT_FOUND or is_outside or is_url
        ):
            return
        if error.details.keys() & {"strip", "alike"} or (
            error.code == Code.NOT_FOUND and "root" in error.details
        ):
            return  # it is explained
        hint, *hints = (error.hint or "").split("; ", 1)
        if error.code == Code.NOT_FOUND:
            fallback = self._add_place(error, asked)
            if fallback is None:
                return
            hint = fallback or hint
        suggestions = Suggestions()
        if self._explained < _MAX_EXPLAINED:
            self._explained += 1
            with best_effort(self.task, _SUGGESTION_SECONDS) as task:
                suggestions = suggest(self.boundary, asked, task)
        if suggestions.hint:
            # What to do about a path outside of the roots is said still.
            hint = (
                suggestions.hint
                if error.code == Code.NOT_FOUND
                else f"{suggestions.hint} {hint}"
            )
            error.details["alike"] = list(suggestions.paths)
        error.hint = "; ".join([hint, *hints])

    def _add_place(self, error: FilewrightError, asked: str) -> str | None:
        """Add to an error where its path led; return what else to do, or None if something is there."""
        try:
            location = self.boundary.locate(asked)
            missing, above = None, location
            while above.parts and not self.exists(above):
                missing, above = above, above.parent
        except FilewrightError:
            return None  # the error says what is known already
        if missing is None:
            return None
        resolved, root = quote(location.absolute), quote(location.root.path)
        # What is wrong with other files of a patch, and what to do about it, is behind it.
        message, also, others = error.message.partition("\nalso: ")
        error.message = (
            f"{message} ({resolved}, in the root {root}){also}{others}"
        )
        error.details.update(resolved=resolved, root=root)
        return (
            f"there is no {missing.display_path}; list {above.display_path} to see what is there"
            if missing != location
            else ""
        )

    @contextmanager
    def explaining(self) -> Iterator[None]:
        """Explain the error of one of several paths as that of a whole call is explained."""
        try:
            yield
        except FilewrightError as error:
            self.explain(error)
            raise

    def check_version(self, snapshot: Snapshot, expected: str) -> None:
        """Raise `stale_version` unless `expected` is a token of this content."""
        if not snapshot.matches(expected):
            raise FilewrightError(
                Code.STALE_VERSION,
                f"{snapshot.requested_path} is no longer at version {expected}; it is at {snapshot.version}",
                "read it again and make the edit against what is there now",
                path=snapshot.requested_path,
                expected=expected,
                version=snapshot.version,
            )


class _Spare(Task):
    """The time for an extra: work by the processor's clock, so that under load the same is done."""

    def __init__(self, task: Task, work: float) -> None:
        super().__init__(seconds=3 * work, caller=task.caller)
        self._call = task
        self._end = time.thread_time() + work

    def check(self) -> None:
        """Raise `timeout` when it is used up, and what the call's own task raises."""
        self._call.check()
        super().check()
        if time.thread_time() > self._end:
            raise FilewrightError(Code.TIMEOUT, "this would take too long")


@contextmanager
def best_effort(task: Task, work: float = 1) -> Iterator[Task]:
    """A task for an extra, such as a count of what is not shown: what fails, or takes longer, is left undone.

    It may take so many seconds of `work`, and three times as long in all.
    """
    try:
        yield _Spare(task, work)
    except FilewrightError as error:
        if error.code == Code.CANCELLED:
            raise


def binary(snapshot: Snapshot) -> FilewrightError:
    """Return the refusal of a file that is not text, or is text in an encoding that is not read."""
    asked, kind, size = (
        snapshot.requested_path,
        snapshot.binary_type,
        snapshot.size,
    )
    hint = "binary files can be listed, moved, copied and deleted, but not read or edited as text"
    if name := snapshot.unreadable_encoding:
        message = f"{asked} is text in {name.upper()}, {size:,} bytes, which is not read or edited"
        hint = f"convert it first, and back when it is done: iconv -f {name.upper()} -t UTF-8"
        if name != "utf-32":
            hint += '; if it is plain ASCII all the same, give encoding="ascii"'
    else:
        message = f"{asked} is not text: {kind}, {size:,} bytes"
        hint += "; if it is text all the same, read it with its encoding"
        if place := _nul_in_text(snapshot):
            hint = (
                f'{place} is all that makes it binary: with encoding="utf-8" it is read and edited '
                "as text, in which \\u0000 in the search text finds it"
            )
    return FilewrightError(
        Code.IS_BINARY, message, hint, path=asked, type=kind, size=size
    )


def _nul_in_text(snapshot: Snapshot) -> str:
    """Return where the first NUL is in what is a text but for a few of them; "" for other binary files."""
    head = snapshot.read(0, _TEXT_SAMPLE)
    controls = head.translate(None, delete=_TEXT_BYTES)
    few = controls.count(0) == len(controls) <= _MOST_NULS
    if not few or detection.media_type(head) is not None:
        return ""
    try:
        before = codecs.getincrementaldecoder("utf-8")().decode(
            head[: head.index(0)], final=True
        )
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except (UnicodeDecodeError, ValueError):
        return ""
    lines = codec.normalize_newlines(before).split("\n")
    return f"{character_name(chr(0))} at line {len(lines)}, column {len(lines[-1]) + 1}"
