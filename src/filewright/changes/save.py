"""Saving what undo needs, before anything is changed; and checking, by the way, what is there.

Files up to `whole_undo_bytes` are kept whole. Of a larger one that is edited, the bytes under each
splice are kept; one that is deleted or overwritten stays as it is under a second name in the state
folder, or is copied there.
"""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, replace

import xxhash

from filewright import errors, system
from filewright.boundary import DenyRules, Location
from filewright.changes.content import Edited, Held, digest_of, tapped
from filewright.changes.log import Intent
from filewright.changes.record import Entry, Place, Span, Spans, Stamp, content_of
from filewright.changes.slots import OpenFolders
from filewright.changes.tree import DEEPEST, Difference, Item, keeps
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
_AHEAD = 1 * MB
_PATIENCE = 0.02


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of the things of a tree, when what goes was saved and again when what comes was made.

    `saved` is what was at their places at the start, as the entries of a change that deletes it; `made` is what
    they will be. Some new contents are `held` in memory.
    """

    saved: dict[Item, Entry]
    made: dict[Item, Stamp]
    held: dict[Item, Stream]

    def content(self, item: Item) -> Stream:
        """What a new file is to hold."""
        content = self.held.get(item, item.content)
        assert content is not None
        return content

    def before(self, item: Item) -> Stamp:
        """What a displaced thing was."""
        before = self.saved[item].before
        assert before is not None
        return before

    def stamp(self, item: Item) -> Stamp:
        """What a new thing will be, as far as that is known by now."""
        if item in self.made:
            return self.made[item]
        size = self.content(item).size if item.kind == "file" else 0
        return Stamp(item.kind, *item.rights, size, target=item.target)

    def entries(self, difference: Difference) -> tuple[Entry, ...]:
        """One entry per place: made things, then moved, altered, rewritten ones, then what is gone."""
        rewritten = {Place.of(item.will_be_at): item for item in self.saved if item.fresh and item.alive}
        elsewhere = {Place.of(item.was_at) for item in rewritten.values()}
        found: list[Entry] = []
        for item in difference.fresh:
            for place, after in _spread(item.will_be_at, self.made[item]):
                if place not in rewritten:
                    found.append(Entry(place, None, after))
                    continue
                saved = self.saved[rewritten[place]]
                was = saved.place if saved.place != place else None
                found.append(replace(saved, place=place, after=after, was=was))
        for item in (*difference.moved, *(item for item in difference.altered if not item.moved)):
            assert item.seen is not None
            mode, uid, gid = item.rights
            before = Stamp.of(item.seen, target=item.target)
            was, where = Place.of(item.was_at), Place.of(item.will_be_at)
            after = replace(before, mode=mode, uid=uid, gid=gid)
            found.append(Entry(where, before, after, was if was != where else None))
        for item in difference.displaced:
            for place, stamp in _spread(item.was_at, self.before(item)):
                if place not in elsewhere:
                    found.append(Entry(place, stamp, None))
        return tuple(found)


def _spread(where: Location, stamp: Stamp) -> Iterator[tuple[Place, Stamp]]:
    """What is at a place, and all that is inside."""
    top = Place.of(where)
    yield top, stamp
    for path, below in stamp.inside.items():
        yield Place(top.root, (*top.parts, *path.split(b"/"))), below


def in_order(inside: dict[bytes, Stamp]) -> dict[bytes, Stamp]:
    """What is inside a folder by its path from there, a folder before what is in it."""
    return dict(sorted(inside.items(), key=lambda each: each[0].split(b"/")))


class Saving:
    """What one attempt to commit saves, into an intent if it is to be undoable, and how much that is."""

    def __init__(self, folders: OpenFolders, settings: Settings, task: Task, intent: Intent | None) -> None:
        self._settings = settings
        self._folders = folders
        self._task = task
        self._intent = intent
        self._bytes = 0
        self._held_bytes = 0
        self._known = Known({}, {}, {})

    def save(self, difference: Difference) -> Known:
        """Save every displaced item, and what is in displaced folders; and small new contents.

        Raises `stale_version`, `in_use`, `too_large`, `no_space`, `permission_denied` …
        """
        saved, made = self._known.saved, self._known.made
        for item in (*difference.displaced, *difference.moved):
            assert item.home is not None
            if item.home[0].on_disk().is_mount(item.home[1]):
                raise errors.mounted(item.asked, item.asked)
        for item in difference.displaced:
            self._task.check()
            assert item.seen is not None
            try:
                if item.kind == "file":
                    saved[item] = self._file(item)
                elif item.kind == "folder":
                    saved[item] = Entry(Place.of(item.was_at), self._folder(item), None)
                else:
                    saved[item] = Entry(Place.of(item.was_at), Stamp.of(item.seen, target=item.target), None)
            except OSError as error:
                raise from_os_error(error, item.asked, doing="save") from error
        total = 0
        for item in difference.made:
            stamp = made[item] = self._known.stamp(item)
            if item.kind != "file":
                continue
            content = self._known.content(item)
            total += content.size
            # Small new contents are kept too, so that a diff can be shown when the file has moved on.
            small = content.size <= _KEEP_NEW_EACH and total <= _KEEP_NEW_ALL
            if self._intent and item.splices is None and small:
                stamp = replace(stamp, blob=self._keep(b"".join(map(bytes, content.blocks()))))
            # What small ones will hold is worked out now, so that the intent is complete and needs no second flush.
            # But for what replaces a file and is not kept: recovery could not tell a part of it from somebody's save.
            kept = item in saved and self._known.before(item).blob and saved[item].inserted
            if content.size <= _AHEAD and (item.home is None or stamp.blob or kept):
                stamp = replace(stamp, digest=digest_of(content))
            made[item] = stamp
        return self._known

    def _keep(self, content: bytes) -> str | None:
        """Keep a content; None if not undoable."""
        return self._intent.keep(content) if self._intent else None

    # Files

    def _file(self, item: Item) -> Entry:
        """A file, if it still is what the steps were made against: kept whole, or as what an edit takes out of it."""
        assert item.home is not None
        assert item.seen is not None
        expected = item.expected
        known = expected.digest.hex() if expected is not None and expected.digest is not None else None
        splices = item.splices if item.alive else None
        with item.open() as file:
            now = Identity.of(file.status().raw)
            identity = expected.identity if expected is not None and known is None else None
            if now != Identity.of(item.seen.raw) or identity not in (None, now):
                raise errors.stale(item.asked)
            self._require_quiet(file, item.asked)
            spans = Spans.of(Span(each.offset, each.length, len(each.replacement)) for each in splices or ())
            going = sum(span.old for span in spans)
            large = item.seen.size > self._settings.whole_undo_bytes
            data = removed = None
            if splices is not None and large and going <= _SPLICED:
                # The copy loop hashes it; only the bytes that go are kept.
                self._require_room(going, item.asked)
                removed = b"".join(file.read(span.offset, span.old) for span in spans)
                if len(removed) != going:
                    raise errors.stale(item.asked)
                before = Stamp.of(item.seen, digest=known, attributes=file.attributes())
            else:
                folder, name = item.home
                before, data = self._whole(file, folder.on_disk(), name, hashed=splices is not None)
                # A second name has changed its ctime, and nothing else.
                if not before.untouched(file.status()) or (known and before.digest not in (None, known)):
                    raise errors.stale(item.asked)
        if splices is None:
            return Entry(Place.of(item.was_at), before, None)
        if data is not None and self._held_bytes + len(data) <= _HELD_ALL:
            assert isinstance(item.content, Edited)
            self._held_bytes += len(data)
            self._known.held[item] = replace(item.content, base=Held(data))
        kept = self._keep(removed) if removed is not None else None
        return Entry(
            Place.of(item.was_at), before, None, None, spans, kept, self._keep(replacements(splices))
        )

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

    def _whole(
        self, file: File, folder: Folder, name: bytes, *, hashed: bool = False
    ) -> tuple[Stamp, bytes | None]:
        """A file kept whole; and what it holds, if that was read at once. `hashed` however large it is."""
        status, blob, digest = file.status(), None, None
        self._require_room(status.size, os.fsdecode(name))
        if status.size <= self._settings.whole_undo_bytes:
            data = b"".join(file.blocks())
            blob, digest = self._keep(data), xxhash.xxh3_128_hexdigest(data)
            return Stamp.of(status, digest=digest, blob=blob, attributes=file.attributes()), data
        # Another name of the same inode could be written to later: such a file is copied.
        if self._intent and status.links == 1:
            blob = self._intent.adopt(folder, name, status.size)
        state = xxhash.xxh3_128()

        def seen(block: bytes | memoryview) -> None:
            self._task.check()
            state.update(block)

        blocks = tapped(file.blocks(), seen)
        if self._intent and blob is None:
            blob = self._intent.keep_blocks(blocks)
            digest = state.hexdigest()
        elif hashed or status.size <= self._settings.identity_bytes:
            deque(blocks, maxlen=0)
            digest = state.hexdigest()
        return Stamp.of(status, digest=digest, blob=blob, attributes=file.attributes()), None

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

    def _folder(self, top: Item) -> Stamp:
        """A displaced folder with all that is in it but what moves out of it.

        What could not be removed later refuses the change now: a foreign entry, a mount, a protected name.
        """
        assert top.was is not None
        assert top.seen is not None
        boundary, depth = self._folders.boundary, len(top.was.parts)
        inside: dict[bytes, Stamp] = {}
        pending: list[tuple[Location, Item | None, Status]] = [(top.was, top, top.seen)]
        while pending:
            where, loaded, seen = pending.pop()
            self._task.check()
            if len(where.parts) - depth > DEEPEST:
                raise errors.too_deep(where.parts[0].decode("utf-8", "replace"), DEEPEST)
            folder = self._folders.at(where, seen.identity)
            names, status = folder.names(), folder.status()
            # What is undone may have brought rules along: only those around it count then.
            rules = (
                boundary.rules_for(where, folder)
                if top.holding is None
                else boundary.rules_for(top.was.parent).below(where.parts[depth - 1 :])
            )
            if names and not folder.writable() and status.uid != system.effective_user():
                raise errors.not_ours(where.shown, "belongs to another user and cannot be removed")
            if folder.unchangeable():
                raise errors.immutable(where.shown)
            inside[b"/".join(where.parts[depth:])] = Stamp.of(status, attributes=folder.attributes())
            for name in names:
                item = loaded.initial.get(name) if loaded is not None else None
                if item is not None and item.alive and not item.fresh:
                    continue
                place = where.child(name)
                path = b"/".join(place.parts[depth:])
                status = folder.stat(name)
                self._require_removable(top, place, folder, seen, status, rules)
                if status.kind == "folder":
                    pending.append((place, item, status))
                elif item is not None and item.kind == "file" and item.home is not None:
                    saved = self._file(item)
                    assert saved.before is not None
                    inside[path] = saved.before
                    if item.alive:
                        self._known.saved[item] = saved
                elif status.kind == "file":
                    with folder.open(name, seen=True) as file:
                        self._require_quiet(file, place.shown)
                        inside[path] = self._whole(file, folder, name)[0]
                else:
                    target = folder.read_link(name) if status.kind == "link" else None
                    inside[path] = Stamp.of(status, target=target)
        stamp = inside.pop(b"")
        if top.holding is not None:
            left = dict(top.holding)
            for path, below in inside.items():
                held = content_of(below)
                if held is None or left.pop(path, None) != held:
                    raise errors.stale(Location.of(top.was.root, (*top.was.parts, *path.split(b"/"))).asked)
            if left:
                raise errors.stale(top.asked)
        return replace(stamp, inside=in_order(inside))

    def _require_removable(
        self,
        top: Item,
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
        if top.holding is None and (rule := self._folders.boundary.protects(place)) is not None:
            raise errors.protected(place.shown, rule, hint="leave that folder where it is")
        if status.device != above.device or folder.is_mount(name):
            raise errors.mounted(top.asked, place.shown)
        if keeps(above, status):
            raise errors.not_ours(place.shown, "belongs to another user and cannot be removed")
