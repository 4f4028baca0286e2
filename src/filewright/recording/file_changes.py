"""The entries of a change record, built of pairs of things, with the contents that undo needs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from posixpath import basename, dirname

import xxhash

from filewright.boundary.location import Location, Root
from filewright.changes.model import FileChange, FileState, RecordedPath
from filewright.progress import Task
from filewright.recording.compare import Comparison
from filewright.recording.model import LARGE_BYTES, ObservedFile, Pair, ScannedState
from filewright.settings import KB, MB

_AFTER_EACH_BYTES, _AFTER_ALL_BYTES = 256 * KB, 16 * MB
"""How large a file may be whose content after a command is kept too, and all of these together."""
_HASHED_BYTES = 64 * MB
_MAX_NAMED_LOST = 20


class FileChangeBuilder:
    """Builds the entries of one change; `keep` stores a content for undo and returns its name.

    `lost` are the files whose earlier content is stored nowhere, so that they cannot be undone. A command may go on
    while its files are read: `contents` are those that were read, with the stamps of the scan, and `missing` the paths
    that were gone by then. What follows in the journal goes by them.
    """

    def __init__(
        self,
        root: Root,
        comparison: Comparison,
        keep: Callable[[bytes], str],
        task: Task,
    ) -> None:
        self.lost: list[str] = []
        self.contents: list[tuple[bytes, ScannedState, bytes]] = []
        self.missing: set[bytes] = set()
        self._root = root
        self._comparison = comparison
        self._keep = keep
        self._task = task
        self._room = _AFTER_ALL_BYTES

    def build(self, pairs: Iterable[Pair]) -> tuple[FileChange, ...]:
        """Return the entries of some pairs, ordered by place."""
        entries: list[FileChange] = []
        for old, now in pairs:
            entries += self._entries(old, now)
        return tuple(sorted(entries, key=lambda entry: entry.path.parts))

    @property
    def notes(self) -> tuple[str, ...]:
        """A note for each file that cannot be undone, the first of them by name."""
        notes = []
        for path in self.lost[:_MAX_NAMED_LOST]:
            notes.append(
                f"{path} was changed too, and cannot be undone: what the command found there was not kept"
            )
        if len(self.lost) > _MAX_NAMED_LOST:
            notes.append(f"nor can {len(self.lost) - _MAX_NAMED_LOST:,} more files")
        return tuple(notes)

    def _entries(
        self, old: ObservedFile | None, now: ObservedFile | None
    ) -> Iterator[FileChange]:
        """Yield what became of a thing; what cannot be brought back is among the `lost` instead."""
        if old and now and old.kind == now.kind:
            yield from self._alterations(old, now)
            return
        if old and (before := self._side(old)):
            yield FileChange(self._place(old), before, None)
        if now and (after := self._side(now, is_now=True)):
            yield FileChange(self._place(now), None, after)

    def _alterations(
        self, old: ObservedFile, now: ObservedFile
    ) -> Iterator[FileChange]:
        if self._comparison.is_content_unchanged(old, now):
            was = self._place(old) if old.path != now.path else None
            # What is in a folder that was moved goes along.
            is_along = self._comparison.moves.get(dirname(old.path)) == dirname(
                now.path
            )
            is_carried = is_along and basename(old.path) == basename(now.path)
            has_other_rights = (
                now.kind != "link"
                and old.state.mode_and_owner != now.state.mode_and_owner
            )
            if (was is not None and not is_carried) or has_other_rights:
                same = replace(
                    now.state,
                    digest=old.state.digest,
                    link_target=old.state.link_target,
                )
                yield FileChange(
                    self._place(now), replace(old.state, blob=None), same, was
                )
        elif (before := self._side(old)) is not None:
            after = self._side(now, is_now=True)
            if after is None:
                if now.path in self.missing:
                    yield FileChange(self._place(old), before, None)
                    return
                after = now.state  # Another kind than files and links.
            if old.kind == "link":
                if before.link_target != after.link_target:
                    yield FileChange(self._place(old), before, None)
                    yield FileChange(self._place(now), None, after)
            elif (before.digest, before.mode_and_owner) != (
                after.digest,
                after.mode_and_owner,
            ):
                yield FileChange(self._place(now), before, after)

    def _side(self, thing: ObservedFile, *, is_now: bool = False) -> FileState | None:
        """Return the stamp of a thing with its content kept: of what there is now, if that is small.

        None for what was not stored or is gone by now, and for what cannot be made again, such as a pipe.
        """
        state = thing.state
        if state.kind in ("folder", "other"):
            return state if state.kind == "folder" else None
        self._task.check()
        if is_now and thing.scanned is not None:
            if self._comparison.is_gone_now(thing):
                self.missing.add(thing.path)
                return None
            if state.kind == "file" and state.size > LARGE_BYTES:
                digest = (
                    self._comparison.digest(thing)
                    if state.size <= _HASHED_BYTES
                    else None
                )
                return replace(state, digest=digest)
        content = state.link_target or thing.read_content()
        if content is None:
            if is_now:
                return state
            self.lost.append(
                Location(self._root, tuple(thing.path.split(b"/"))).display_path
            )
            return None
        if state.kind == "link":
            return replace(state, link_target=content)
        blob = None
        if not is_now or len(content) <= _AFTER_EACH_BYTES:
            self._room -= len(content) if is_now else 0
            blob = self._keep(content) if not is_now or self._room >= 0 else None
        if is_now and thing.scanned is not None and self._room >= 0:
            self.contents.append((thing.path, thing.scanned, content))
        return replace(
            state,
            size=len(content),
            digest=xxhash.xxh3_128_hexdigest(content),
            blob=blob,
        )

    def _place(self, thing: ObservedFile) -> RecordedPath:
        return RecordedPath.from_location(
            Location(self._root, tuple(thing.path.split(b"/")))
        )
