"""Saving what undo needs, before anything is changed; and checking, by the way, what is there.

Files up to `whole_undo_bytes` are kept whole. Of a larger one that is edited, the bytes under each
splice are kept; one that is deleted or overwritten stays as it is under a second name in the state
folder, or is copied there.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import xxhash

from filewright import errors, system
from filewright.boundary import Location
from filewright.changes.content import Edited, Held
from filewright.changes.log import Intent
from filewright.changes.operations import Seal
from filewright.changes.plan import Difference, new_files
from filewright.changes.record import NO_SPANS, Entry, Place, Side, Span, Spans, content_of
from filewright.changes.rights import keeps, require_changeable
from filewright.changes.slots import OpenFolders
from filewright.changes.store import Store
from filewright.changes.tree import DEEPEST, FolderItem, Item
from filewright.errors import Code, FilewrightError, from_os_error
from filewright.progress import Task
from filewright.settings import KB, MB
from filewright.system import File, Folder, Status
from filewright.text import Identity, replacements

_KEEP_NEW_EACH = 256 * KB
_KEEP_NEW_ALL = 16 * MB
_HELD_ALL = 8 * MB
# An edit that takes more than this out of a large file is undone from the displaced file itself.
_SPLICED = 16 * MB
_PATIENCE = 0.02


@dataclass(frozen=True, slots=True)
class Saved:
    """What is known of a displaced thing: its seal, its side in history, and for a folder what it holds.

    `below` is the history of what is deleted with a folder. `spans`, `removed`, `inserted` are as in `Entry`.
    """

    seal: Seal
    side: Side
    below: tuple[Entry, ...] = ()
    spans: Spans = NO_SPANS
    removed: str | None = None
    inserted: str | None = None


class Saving:
    """What one attempt to commit saves, into an intent if it is to be undoable, and how much that is."""

    def __init__(self, store: Store, folders: OpenFolders, task: Task, intent: Intent | None) -> None:
        self._boundary, self._settings = store.boundary, store.settings
        self._folders = folders
        self._task = task
        self._intent = intent
        self._bytes = 0
        self._held = 0

    def save(self, difference: Difference) -> None:
        """Save every displaced item, and what is in displaced folders, into its `saved`; and small new contents.

        Raises `stale_version`, `in_use`, `too_large`, `no_space`, `permission_denied` …
        """
        for item in (*difference.displaced, *difference.moved):
            assert item.home is not None
            if item.home[0].on_disk().is_mount(item.home[1]):
                raise errors.mounted(item.asked, item.asked)
        for item in difference.displaced:
            self._task.check()
            try:
                item.saved = self._saved(item)
            except OSError as error:
                raise from_os_error(error, item.asked, doing="save") from error
        self._keep_new(difference.fresh)

    def _keep_new(self, fresh: Iterable[Item]) -> None:
        """Keep small new contents too, so that a diff can be shown when the file has moved on."""
        kept = 0
        for top in fresh:
            for item in new_files(top):
                assert item.content is not None
                kept += item.content.size
                if kept > _KEEP_NEW_ALL:
                    return
                if item.splices is None and item.content.size <= _KEEP_NEW_EACH:
                    item.blob = self._keep(b"".join(bytes(block) for block in item.content.blocks()))

    def _keep(self, content: bytes) -> str | None:
        """Keep a content; None if not undoable."""
        return self._intent.keep(content) if self._intent else None

    def _saved(self, item: Item) -> Saved:
        assert item.seen is not None
        assert item.home is not None
        if isinstance(item, FolderItem):
            return self._folder(item)
        if item.kind == "file":
            return self._file(item)
        return _other(item.seen, item.target)

    # Files

    def _file(self, item: Item) -> Saved:
        assert item.seen is not None
        assert item.home is not None
        with item.open() as file:
            status = file.status()
            if Identity.of(status.raw) != Identity.of(item.seen.raw):
                raise errors.stale(item.asked)
            expected = item.expected
            if (
                expected is not None
                and expected.digest is None
                and expected.identity not in (None, Identity.of(status.raw))
            ):
                raise errors.stale(item.asked)
            self._require_quiet(file, item.asked)
            edited = item.alive and item.splices is not None
            going = sum(splice.length for splice in item.splices or ())
            if edited and status.size > self._settings.whole_undo_bytes and going <= _SPLICED:
                return self._edited(item, file, status)
            folder, name = item.home
            saved, data = self._whole(file, status, folder.on_disk(), name, gone=not item.alive)
            if item.attributes is None and item.alive:
                item.attributes = file.attributes()
            # Keeping it under a second name has changed its ctime, and nothing else.
            now = file.status()
            if (now.size, now.mtime_ns) != (status.size, status.mtime_ns):
                raise errors.stale(item.asked)
            item.seen = now
        digest = expected.digest if expected is not None else None
        if digest is not None and saved.side.digest not in (None, digest.hex()):
            raise errors.stale(item.asked)
        if not edited:
            return saved
        if data is not None and isinstance(item.content, Edited) and self._held + len(data) <= _HELD_ALL:
            self._held += len(data)
            item.content = replace(item.content, base=Held(data))
        spans, inserted = self._spans(item)
        return Saved(saved.seal, saved.side, spans=spans, inserted=inserted)

    @staticmethod
    def _require_quiet(file: File, shown: str) -> None:
        pause = 0.001
        while file.written_by_others():
            # A log that is opened and closed for each line is soon closed again.
            if pause > _PATIENCE:
                raise errors.in_use(shown)
            time.sleep(pause)
            pause *= 2
        require_changeable(file, shown)

    def _spans(self, item: Item) -> tuple[Spans, str | None]:
        splices = item.splices or ()
        spans = Spans.of(Span(s.offset, s.length, len(s.replacement)) for s in splices)
        return spans, self._keep(replacements(splices))

    def _edited(self, item: Item, file: File, status: Status) -> Saved:
        """An edit of a large file: the copy loop hashes it, only the bytes that go are kept."""
        spans, inserted = self._spans(item)
        removed = bytearray()
        self._require_room(sum(span.old for span in spans), item.asked)
        for span in spans:
            old = file.read(span.offset, span.old)
            if len(old) != span.old:
                raise errors.stale(item.asked)
            removed += old
        digest = item.expected.digest.hex() if item.expected and item.expected.digest else None
        seal = Seal("file", status.size, None, None, status.inode, status.mtime_ns)
        return Saved(
            seal,
            Side.of(status, digest=digest),
            spans=spans,
            removed=self._keep(bytes(removed)),
            inserted=inserted,
        )

    def _whole(
        self, file: File, status: Status, folder: Folder, name: bytes, *, gone: bool
    ) -> tuple[Saved, bytes | None]:
        """A file kept whole; and what it holds, if that was read at once."""
        blob: str | None = None
        data: bytes | None = None
        digest: str | None = None
        if status.size <= self._settings.whole_undo_bytes:
            data = b"".join(bytes(block) for block in file.blocks())
            digest = xxhash.xxh3_128_hexdigest(data)
            self._require_room(len(data), os.fsdecode(name))
            blob = self._keep(data)
        else:
            self._require_room(status.size, os.fsdecode(name))
            # Another name of the same inode could be written to later: such a file is copied.
            if self._intent and status.links == 1:
                blob = self._intent.adopt(folder, name, status.size)
            state = xxhash.xxh3_128()

            def hashed() -> Iterator[memoryview]:
                for block in file.blocks():
                    self._task.check()
                    state.update(block)
                    yield block

            if self._intent and blob is None:
                blob = self._intent.keep_blocks(hashed())
                digest = state.hexdigest()
            elif status.size <= self._settings.identity_bytes:
                for _ in hashed():
                    pass
                digest = state.hexdigest()
        carried = file.attributes() if gone else {}
        seal = Seal("file", status.size, digest, None, status.inode, status.mtime_ns)
        return Saved(seal, Side.of(status, digest=digest, blob=blob, attributes=carried)), data

    def _require_room(self, more: int, asked: str) -> None:
        self._bytes += more
        limit = self._settings.max_undo_bytes
        if self._intent and self._bytes > limit:
            raise FilewrightError(
                Code.TOO_LARGE,
                f"undoing this change would need more than {limit} bytes (at {asked}); nothing was changed",
                hint="give undoable=false to do it without undo, or raise FILEWRIGHT_MAX_UNDO_BYTES",
                details={"path": asked, "max_undo_bytes": limit},
            )

    # Folders

    def _folder(self, top: FolderItem) -> Saved:
        """All that is in a displaced folder, parents first, but what moves out of it.

        What could not be removed later refuses the change now: a foreign entry, a mount, a protected name.
        """
        assert top.was is not None
        assert top.seen is not None
        inside: dict[bytes, Seal] = {}
        below: list[Entry] = []
        side: Side | None = None
        pending: list[tuple[Location, FolderItem | None, Status]] = [(top.was, top, top.seen)]
        while pending:
            where, loaded, seen = pending.pop()
            self._task.check()
            if len(where.parts) - len(top.was.parts) > DEEPEST:
                raise errors.too_deep(where.parts[0].decode("utf-8", "replace"), DEEPEST)
            folder = self._folders.at(where, seen.identity)
            names = folder.names()
            # What is undone may have brought rules along: only those around it count then.
            rules = (
                self._boundary.rules_for(where, folder)
                if top.holding is None
                else self._boundary.rules_for(top.was.parent).below(where.parts[len(top.was.parts) - 1 :])
            )
            if names and not folder.writable() and folder.status().uid != system.effective_user():
                raise errors.not_ours(where.shown, "belongs to another user and cannot be removed")
            require_changeable(folder, where.shown)
            made = Side.of(folder.status(), attributes=folder.attributes())
            if loaded is top:
                side = made
            else:
                below.append(Entry(Place.of(where), made, None))
            inner: list[tuple[Location, FolderItem | None, Status]] = []
            for name in names:
                item = loaded.initial.get(name) if loaded is not None else None
                if item is not None and item.alive and not item.fresh:
                    continue
                place = where.child(name)
                path = b"/".join(place.parts[len(top.was.parts) :])
                status = folder.stat(name)
                is_folder = status.kind == "folder"
                if rules.denies(name, is_folder) or rules.keeps(name, is_folder):
                    raise errors.holds_denied(top.asked)
                # What the change that is undone brought along may go.
                if top.holding is None and (rule := self._boundary.protects(place)) is not None:
                    raise errors.protected(place.shown, rule, hint="leave that folder where it is")
                if status.device != seen.device or folder.is_mount(name):
                    raise errors.mounted(top.asked, place.shown)
                if keeps(seen, status):
                    raise errors.not_ours(place.shown, "belongs to another user and cannot be removed")
                if status.kind == "folder":
                    inside[path] = Seal("folder", inode=status.inode)
                    inner.append((place, item if isinstance(item, FolderItem) else None, status))
                    continue
                saved = self._inside(folder, name, status, item, place)
                inside[path] = saved.seal
                if item is not None and item.alive:
                    item.saved = saved
                else:
                    below.append(Entry(Place.of(place), saved.side, None))
            pending += reversed(inner)
        assert side is not None
        if top.holding is not None:
            _require_holding(top, below)
        below.sort(key=lambda entry: entry.place.parts)
        return Saved(Seal("folder", inode=top.seen.inode, inside=inside), side, tuple(below))

    def _inside(
        self, folder: Folder, name: bytes, status: Status, item: Item | None, place: Location
    ) -> Saved:
        if item is not None and item.kind == "file" and item.home is not None:
            return self._file(item)
        if status.kind != "file":
            return _other(status, folder.read_link(name) if status.kind == "link" else None)
        with folder.open(name, seen=True) as file:
            self._require_quiet(file, place.shown)
            return self._whole(file, file.status(), folder, name, gone=True)[0]


def _require_holding(top: FolderItem, below: Iterable[Entry]) -> None:
    """Refuse to delete a folder that holds something else than it may."""
    assert top.was is not None
    assert top.holding is not None
    depth, count = len(top.was.parts), 0
    for entry in below:
        held = content_of(entry.before)
        if held is None or top.holding.get(b"/".join(entry.place.parts[depth:])) != held:
            raise errors.stale(entry.place.shown)
        count += 1
    if count != len(top.holding):
        raise errors.stale(top.asked)


def _other(seen: Status, target: bytes | None) -> Saved:
    side = Side.of(seen, target=target)
    return Saved(Seal(side.kind, target=target, inode=seen.inode), side)
