"""Saving what undo needs, before anything is changed; and checking, by the way, what is there.

Files up to `whole_undo_bytes` are kept whole. Of a larger one that is edited, the bytes under each
splice are kept; one that is deleted or overwritten stays as it is under a second name in the state
folder, or is copied there.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from dataclasses import replace

import xxhash

from filewright import errors, system
from filewright.boundary import Boundary, DenyRules, Location
from filewright.changes.content import Edited, Held
from filewright.changes.log import Intent
from filewright.changes.operations import Stamp
from filewright.changes.plan import Difference, Known, Saved
from filewright.changes.record import Entry, Place, Side, Span, Spans, content_of
from filewright.changes.slots import OpenFolders
from filewright.changes.steps import keeps
from filewright.changes.tree import DEEPEST, FolderItem, Item
from filewright.edit import Stream
from filewright.errors import Code, FilewrightError, from_os_error
from filewright.progress import Task
from filewright.settings import KB, MB, Settings
from filewright.system import File, Folder, Status
from filewright.text import Identity, replacements

_KEEP_NEW_EACH = 256 * KB
_KEEP_NEW_ALL = 16 * MB
_HELD_ALL = 8 * MB
# An edit that takes more than this out of a large file is undone from the displaced file itself.
_SPLICED = 16 * MB
_PATIENCE = 0.02


class Saving:
    """What one attempt to commit saves, into an intent if it is to be undoable, and how much that is."""

    def __init__(self, folders: OpenFolders, settings: Settings, task: Task, intent: Intent | None) -> None:
        self._boundary: Boundary = folders.boundary
        self._settings = settings
        self._folders = folders
        self._task = task
        self._intent = intent
        self._bytes = 0
        self._held_bytes = 0
        self._saved: dict[Item, Saved] = {}
        self._held: dict[Item, Stream] = {}

    def save(self, difference: Difference) -> Known:
        """Save every displaced item, and what is in displaced folders; and small new contents.

        Raises `stale_version`, `in_use`, `too_large`, `no_space`, `permission_denied` …
        """
        for item in (*difference.displaced, *difference.moved):
            assert item.home is not None
            if item.home[0].on_disk().is_mount(item.home[1]):
                raise errors.mounted(item.asked, item.asked)
        for item in difference.displaced:
            self._task.check()
            assert item.seen is not None
            try:
                if isinstance(item, FolderItem):
                    saved = self._folder(item)
                elif item.kind == "file":
                    saved = self._file(item)
                else:
                    saved = Saved.of(item.seen, target=item.target)
            except OSError as error:
                raise from_os_error(error, item.asked, doing="save") from error
            self._saved[item] = saved
        return Known(self._saved, self._held, self._kept_new(difference))

    def _kept_new(self, difference: Difference) -> dict[Item, str]:
        """Keep small new contents too, so that a diff can be shown when the file has moved on."""
        blobs: dict[Item, str] = {}
        total = 0
        pending = [*reversed(difference.fresh)]
        while pending and self._intent:
            item = pending.pop()
            if isinstance(item, FolderItem):
                pending += [below for below in item.entries.values() if below is not None and below.fresh]
                continue
            content = self._held.get(item, item.content)
            total += content.size if content is not None else 0
            if total > _KEEP_NEW_ALL:
                break
            if content is not None and item.splices is None and content.size <= _KEEP_NEW_EACH:
                blobs[item] = self._intent.keep(b"".join(map(bytes, content.blocks())))
        return blobs

    def _keep(self, content: bytes) -> str | None:
        """Keep a content; None if not undoable."""
        return self._intent.keep(content) if self._intent else None

    # Files

    def _file(self, item: Item) -> Saved:
        assert item.seen is not None
        assert item.home is not None
        expected = item.expected
        digest = expected.digest if expected is not None else None
        with item.open() as file:
            status = file.status()
            now = Identity.of(status.raw)
            if now != Identity.of(item.seen.raw):
                raise errors.stale(item.asked)
            if expected is not None and digest is None and expected.identity not in (None, now):
                raise errors.stale(item.asked)
            self._require_quiet(file, item.asked)
            splices = item.splices if item.alive else None
            going = sum(splice.length for splice in splices or ())
            if splices is not None and status.size > self._settings.whole_undo_bytes and going <= _SPLICED:
                return self._edited(item, file, status)
            folder, name = item.home
            saved, data = self._whole(file, status, folder.on_disk(), name, gone=not item.alive)
            # Keeping it under a second name has changed its ctime, and nothing else.
            status = file.status()
            if not saved.stamp.untouched(status):
                raise errors.stale(item.asked)
            attributes = file.attributes() if item.attributes is None and item.alive else None
            saved = replace(saved, status=status, attributes=attributes)
        if digest is not None and saved.side.digest not in (None, digest.hex()):
            raise errors.stale(item.asked)
        if splices is None:
            return saved
        if (
            data is not None
            and isinstance(item.content, Edited)
            and self._held_bytes + len(data) <= _HELD_ALL
        ):
            self._held_bytes += len(data)
            self._held[item] = replace(item.content, base=Held(data))
        return self._with_spans(item, saved)

    def _with_spans(self, item: Item, saved: Saved) -> Saved:
        splices = item.splices or ()
        spans = Spans.of(Span(each.offset, each.length, len(each.replacement)) for each in splices)
        return replace(saved, spans=spans, inserted=self._keep(replacements(splices)))

    def _require_quiet(self, file: File, shown: str) -> None:
        """Refuse what another program writes to, and what is immutable."""
        pause = 0.001
        while file.written_by_others():
            # A log that is opened and closed for each line is soon closed again.
            if pause > _PATIENCE:
                raise errors.in_use(shown)
            time.sleep(pause)
            pause *= 2
        if file.unchangeable():
            raise errors.immutable(shown)

    def _edited(self, item: Item, file: File, status: Status) -> Saved:
        """An edit of a large file: the copy loop hashes it, only the bytes that go are kept."""
        digest = item.expected.digest.hex() if item.expected and item.expected.digest else None
        known = Saved.of(status)
        saved = self._with_spans(item, replace(known, side=replace(known.side, digest=digest)))
        removed = bytearray()
        self._require_room(sum(span.old for span in saved.spans), item.asked)
        for span in saved.spans:
            old = file.read(span.offset, span.old)
            if len(old) != span.old:
                raise errors.stale(item.asked)
            removed += old
        return replace(saved, removed=self._keep(bytes(removed)))

    def _whole(
        self, file: File, status: Status, folder: Folder, name: bytes, *, gone: bool
    ) -> tuple[Saved, bytes | None]:
        """A file kept whole; and what it holds, if that was read at once."""
        blob: str | None = None
        data: bytes | None = None
        digest: str | None = None
        self._require_room(status.size, os.fsdecode(name))
        if status.size <= self._settings.whole_undo_bytes:
            data = b"".join(file.blocks())
            digest = xxhash.xxh3_128_hexdigest(data)
            blob = self._keep(data)
        else:
            # Another name of the same inode could be written to later: such a file is copied.
            if self._intent and status.links == 1:
                blob = self._intent.adopt(folder, name, status.size)
            state = xxhash.xxh3_128()

            def hashed() -> Iterator[bytes]:
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
        return Saved.of(status, digest, blob=blob, attributes=carried), data

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
        depth = len(top.was.parts)
        inside: dict[bytes, Stamp] = {}
        below: list[Entry] = []
        side: Side | None = None
        pending: list[tuple[Location, FolderItem | None, Status]] = [(top.was, top, top.seen)]
        while pending:
            where, loaded, seen = pending.pop()
            self._task.check()
            if len(where.parts) - depth > DEEPEST:
                raise errors.too_deep(where.parts[0].decode("utf-8", "replace"), DEEPEST)
            folder = self._folders.at(where, seen.identity)
            names, status = folder.names(), folder.status()
            # What is undone may have brought rules along: only those around it count then.
            rules = (
                self._boundary.rules_for(where, folder)
                if top.holding is None
                else self._boundary.rules_for(top.was.parent).below(where.parts[depth - 1 :])
            )
            if names and not folder.writable() and status.uid != system.effective_user():
                raise errors.not_ours(where.shown, "belongs to another user and cannot be removed")
            if folder.unchangeable():
                raise errors.immutable(where.shown)
            made = Side.of(status, attributes=folder.attributes())
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
                path = b"/".join(place.parts[depth:])
                status = folder.stat(name)
                self._require_removable(top, place, folder, seen, status, rules)
                if status.kind == "folder":
                    inside[path] = Stamp("folder", inode=status.inode)
                    inner.append((place, item if isinstance(item, FolderItem) else None, status))
                    continue
                if item is not None and item.kind == "file" and item.home is not None:
                    saved = self._file(item)
                elif status.kind != "file":
                    saved = Saved.of(status, target=folder.read_link(name) if status.kind == "link" else None)
                else:
                    with folder.open(name, seen=True) as file:
                        self._require_quiet(file, place.shown)
                        saved = self._whole(file, file.status(), folder, name, gone=True)[0]
                inside[path] = saved.stamp
                if item is not None and item.alive:
                    self._saved[item] = saved
                else:
                    below.append(Entry(Place.of(place), saved.side, None))
            pending += reversed(inner)
        assert side is not None
        if top.holding is not None:
            left = dict(top.holding)
            for entry in below:
                held = content_of(entry.before)
                if held is None or left.pop(b"/".join(entry.place.parts[depth:]), None) != held:
                    raise errors.stale(entry.place.shown)
            if left:
                raise errors.stale(top.asked)
        below.sort(key=lambda entry: entry.place.parts)
        stamp = Stamp("folder", inode=top.seen.inode, inside=inside or None)
        return Saved(stamp, side, top.seen, tuple(below))

    def _require_removable(
        self,
        top: FolderItem,
        place: Location,
        folder: Folder,
        above: Status,
        status: Status,
        rules: DenyRules,
    ) -> None:
        """Refuse a name in a folder that goes, which `above` is the status of."""
        name, is_folder = place.name, status.kind == "folder"
        if rules.denies(name, is_folder) or rules.keeps(name, is_folder):
            raise errors.holds_denied(top.asked)
        # What the change that is undone brought along may go.
        if top.holding is None and (rule := self._boundary.protects(place)) is not None:
            raise errors.protected(place.shown, rule, hint="leave that folder where it is")
        if status.device != above.device or folder.is_mount(name):
            raise errors.mounted(top.asked, place.shown)
        if keeps(above, status):
            raise errors.not_ours(place.shown, "belongs to another user and cannot be removed")
