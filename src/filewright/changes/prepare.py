"""What a change needs before a name is touched: what undo needs is saved, and everything new is made, out of sight.

Saving comes before the intent, and checks by the way what is there. Files up to `whole_undo_bytes` are kept whole. Of
a larger one that is edited, the bytes under each splice are kept; one that is deleted or overwritten stays as it is
under a second name in the state folder, or is copied there. Staging comes after the intent: complete and flushed.
`Planning` tells in which order the names are then touched.
"""

from __future__ import annotations

import errno
import os
import time
from collections import deque
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import xxhash

from filewright import errors, system
from filewright.boundary.location import Location
from filewright.boundary.names import temporary_name
from filewright.boundary.protection import Alias
from filewright.boundary.rules import DenyRules
from filewright.changes.blobs import (
    BlobWriter,
    DiskContent,
    MemoryContent,
    SplicedContent,
    compute_digest,
    tap_blocks,
)
from filewright.changes.database import Flusher
from filewright.changes.flushing import FlushQueue
from filewright.changes.model import (
    FileChange,
    FileState,
    RecordedPath,
    pack_spans,
    unpack_spans,
)
from filewright.changes.rename_plan import (
    OperationKind,
    PlanFolder,
    RenameOperation,
    RenamePlan,
    Slot,
)
from filewright.changes.tree import DEEPEST, ChangeTree, TreeNode, keeps
from filewright.errors import Code, FilewrightError, from_os_error
from filewright.progress import Task
from filewright.settings import KB, MB, Settings
from filewright.system import File, Folder, Status
from filewright.text.snapshot import Identity
from filewright.text.splice import apply, replacements

_KEEP_NEW_EACH = 256 * KB
_KEEP_NEW_ALL = 16 * MB
_HELD_ALL = 8 * MB
# An edit that takes more than this out of a large file is undone from the displaced file itself.
_SPLICED = 16 * MB
_AHEAD = 1 * MB
_PATIENCE = 0.02
_WRITEBACK = 8 << 20
_WHOLE = 1 << 16
"""What is handed to the disk ends at a multiple of this."""


class Preparation:
    """What is known of the things of a tree: when what goes was saved, and more when what comes was made.

    `before` is what a displaced thing was, `made` what new things will be. What an edit does to a file on the disk is
    in `_edits`: its spans, and the names of what it takes out and puts in. What some edited files will hold is `_held`
    in memory.
    """

    def __init__(
        self, tree: ChangeTree, settings: Settings, flusher: Flusher, task: Task
    ) -> None:
        self._tree = tree
        self._folders = tree.folders
        self._settings = settings
        self._flushing = FlushQueue(flusher)
        self._task = task
        self._intent: BlobWriter | None = None
        self._bytes = 0
        self._held_bytes = 0
        self.before: dict[TreeNode, FileState] = {}
        self._edits: dict[TreeNode, tuple[bytes, str | None, str | None]] = {}
        self.made: dict[TreeNode, FileState] = {}
        self._held: dict[TreeNode, MemoryContent] = {}

    def entries(self) -> tuple[FileChange, ...]:
        """One entry per place: made things, then moved, altered, rewritten ones, then what is gone."""
        rewritten: dict[RecordedPath, TreeNode] = {}
        elsewhere: set[RecordedPath] = set()
        for item in self.before:
            if item.fresh and item.alive:
                rewritten[RecordedPath.from_location(item.will_be_at)] = item
                elsewhere.add(RecordedPath.from_location(item.was))
        found: list[FileChange] = []
        for fresh in self._tree.fresh:
            for place, after in _spread(fresh.will_be_at, self.made[fresh]):
                old = rewritten.get(place)
                if old is None:
                    found.append(FileChange(place, None, after))
                    continue
                was, edit = (
                    RecordedPath.from_location(old.was),
                    self._edits.get(old, ()),
                )
                found.append(
                    FileChange(
                        place,
                        self.before[old],
                        after,
                        was if was != place else None,
                        *edit,
                    )
                )
        for item in dict.fromkeys((*self._tree.moved, *self._tree.altered)):
            assert item.seen is not None
            before = FileState.from_status(item.seen, link_target=item.target)
            mode, uid, gid = item.rights
            was, where = (
                RecordedPath.from_location(item.was),
                RecordedPath.from_location(item.will_be_at),
            )
            after = before._replace(mode=mode, uid=uid, gid=gid)
            found.append(
                FileChange(where, before, after, was if was != where else None)
            )
        for item in self._tree.displaced:
            for place, stamp in _spread(item.was, self.before[item]):
                if place not in elsewhere:
                    found.append(FileChange(place, stamp, None))
        return tuple(found)

    # Saving

    def save(self, intent: BlobWriter | None) -> None:
        """Save every displaced thing, and what is in displaced folders; and small new contents. Into an intent, if the
        change is to be undoable.

        Raises `stale_version`, `in_use`, `too_large`, `no_space`, `permission_denied` …
        """
        self._intent = intent
        displaced = self._tree.displaced
        for item in (*displaced, *self._tree.moved):
            assert item.home is not None
            if item.home[0].on_disk().is_mount(item.home[1]):
                raise errors.contains_mount(item.asked, item.asked)
        for item in displaced:
            self._task.check()
            assert item.seen is not None
            try:
                if item.kind == "file":
                    self.before[item] = self._save_file(item)
                elif item.kind == "folder":
                    self.before[item] = self._save_folder(item, item.seen)
                else:
                    self.before[item] = FileState.from_status(
                        item.seen, link_target=item.target
                    )
            except OSError as error:
                raise from_os_error(error, item.asked, doing="save") from error
        total = 0
        for item in self._tree.made:
            content = self._held.get(item, item.content)
            size = content.size if content is not None else 0
            stamp = FileState(item.kind, *item.rights, size, link_target=item.target)
            if content is not None:
                total += size
                # Small new contents are kept too, so that a diff can be shown when the file has moved on.
                small = size <= _KEEP_NEW_EACH and total <= _KEEP_NEW_ALL
                if intent and item.splices is None and small:
                    stamp = stamp._replace(
                        blob=intent.store(b"".join(map(bytes, content.blocks())))
                    )
                # What small ones will hold is worked out now, so that the intent needs no second flush. But for what
                # replaces a file and is not kept: recovery could not tell a part of it from somebody's save.
                kept = (
                    item in self._edits
                    and self._edits[item][-1]
                    and self.before[item].blob
                )
                if size <= _AHEAD and (item.seen is None or stamp.blob or kept):
                    stamp = stamp._replace(digest=compute_digest(content))
            self.made[item] = stamp

    def _save_file(self, item: TreeNode) -> FileState:
        """A file, if it still is what the steps were made against: kept whole, or as what an edit takes out of it."""
        assert item.home is not None
        assert item.seen is not None
        (folder, name), expected = item.home, item.expected
        known = expected.digest if expected is not None else None
        splices = item.splices if item.alive else None
        spans = pack_spans(() if splices is None else splices)
        data = removed = None
        whole, size = True, item.seen.size
        if splices is not None and size > self._settings.whole_undo_bytes:
            going = sum(span.removed_bytes for span in unpack_spans(spans))
            if going <= _SPLICED:
                whole, size = False, going
        with item.open() as file:
            now = Identity.of(file.status().raw)
            identity = (
                expected.identity if expected is not None and known is None else None
            )
            if now != Identity.of(item.seen.raw) or identity not in (None, now):
                raise errors.changed_since_read(item.asked)
            self._require_savable(file, size, item.asked)
            self._require_as_given_back(file, item)
            if whole:
                before, data = self._save_whole(
                    file,
                    folder.on_disk(),
                    name,
                    hashed=bool(splices is not None or known),
                )
                # A second name has changed its ctime, and nothing else.
                if not before.matches_status(file.status()) or (
                    known and before.digest not in (None, known)
                ):
                    raise errors.changed_since_read(item.asked)
            else:
                # The copy loop hashes it; only the bytes that go are kept.
                removed = b"".join(
                    file.read(span.offset, span.removed_bytes)
                    for span in unpack_spans(spans)
                )
                if len(removed) != size:
                    raise errors.changed_since_read(item.asked)
                before = FileState.from_status(
                    item.seen, digest=known, attributes=file.extended_attributes()
                )
        if splices is None:
            return before
        if data is not None:
            assert isinstance(item.content, SplicedContent)
            # Whether all of it is of its encoding is asked when it is copied.
            if (
                not item.content.codec
                and self._held_bytes + item.content.size <= _HELD_ALL
            ):
                self._held_bytes += item.content.size
                self._held[item] = MemoryContent(apply(data, splices))
        kept = inserted = None
        if self._intent:
            kept = self._intent.store(removed) if removed is not None else None
            inserted = self._intent.store(replacements(splices))
        self._edits[item] = spans, kept, inserted
        return before

    def _require_as_given_back(self, file: File, item: TreeNode) -> None:
        """Refuse what another program has saved since an attempt at this change was taken back.

        It may have read the file while it was changed: made again, the change would be there twice. A log that has
        grown meanwhile tells nothing of that.
        """
        content = self._task.restored_contents.get(RecordedPath.from_location(item.was))
        if (
            content is not None
            and compute_digest(file, size=content.size) != content.digest
        ):
            raise errors.saved_meanwhile(item.asked)

    def _require_savable(self, file: File, size: int, shown: str) -> None:
        """Refuse what another program writes to, what is immutable, and more than undo may take with so many bytes."""
        pause = 0.001
        while True:
            with file.watch_for_writers() as nobody_writes:
                if nobody_writes():
                    break
            # A log that is opened and closed for each line is soon closed again.
            if pause > _PATIENCE:
                raise errors.in_use(shown)
            time.sleep(pause)
            pause *= 2
        if file.is_immutable():
            raise errors.immutable(shown)
        self._bytes += size
        limit = self._settings.max_undo_bytes
        if self._intent and self._bytes > limit:
            raise FilewrightError(
                Code.TOO_LARGE,
                f"undoing this change would need more than {limit} bytes (at {shown}); nothing was changed",
                hint="give undoable=false to do it without undo, or raise FILEWRIGHT_MAX_UNDO_BYTES",
                details={"path": shown, "max_undo_bytes": limit},
            )

    def _save_whole(
        self, file: File, folder: Folder, name: bytes, *, hashed: bool = False
    ) -> tuple[FileState, bytes | None]:
        """A file kept whole; and what it holds, if that was read at once. `hashed` however large it is."""
        status, blob, digest, data = file.status(), None, None, None
        if status.size <= self._settings.whole_undo_bytes:
            data = b"".join(file.blocks())
            blob = self._intent.store(data) if self._intent else None
            digest = xxhash.xxh3_128_hexdigest(data)
        else:
            # Another name of the same inode could be written to later: such a file is copied.
            if self._intent and status.link_count == 1:
                blob = self._intent.link_file(folder, name, status.size)
            state = xxhash.xxh3_128()

            def seen(block: bytes | memoryview) -> None:
                self._task.check()
                state.update(block)

            blocks = tap_blocks(file.blocks(), seen)
            if self._intent and blob is None:
                blob = self._intent.store_blocks(blocks)
                digest = state.hexdigest()
            elif hashed or status.size <= self._settings.identity_bytes:
                deque(blocks, maxlen=0)
                digest = state.hexdigest()
        return FileState.from_status(
            status, digest=digest, blob=blob, attributes=file.extended_attributes()
        ), data

    def _save_folder(self, top: TreeNode, seen: Status) -> FileState:
        """A displaced folder with all that is in it but what moves out of it.

        What could not be removed later refuses the change now: a foreign entry, a mount, a protected name.
        """
        assert top.home is not None
        was = top.was
        depth = len(was.parts)
        inside: dict[bytes, FileState] = {}
        aliases = self._folders.boundary.find_aliases(was)
        pending: list[tuple[Location, TreeNode | None, Status, DenyRules]] = [
            (was, top, seen, top.home[0].rules_where_it_was())
        ]
        while pending:
            where, loaded, seen, rules = pending.pop()
            self._task.check()
            if len(where.parts) - depth > DEEPEST:
                raise errors.too_deep(
                    where.parts[0].decode("utf-8", "replace"), DEEPEST
                )
            folder = self._folders.reopen(where, seen.identity)
            names, status = folder.names(), folder.status()
            # What is undone may have brought rules along: only those around it count then.
            rules = rules.entered(where.name, None if top.emptied else folder)
            if (
                names
                and not folder.is_writable()
                and status.uid != system.effective_user_id()
            ):
                raise errors.not_permitted(
                    where.display_path, "belongs to another user and cannot be removed"
                )
            if folder.is_immutable():
                raise errors.immutable(where.display_path)
            inside[b"/".join(where.parts[depth:])] = FileState.from_status(
                status, attributes=folder.extended_attributes()
            )
            for name in names:
                item = loaded.initial.get(name) if loaded is not None else None
                if item is not None and item.alive and not item.fresh:
                    continue
                place, status = where.child(name), folder.stat(name)
                path = b"/".join(place.parts[depth:])
                self._require_removable(
                    top, place, folder, seen, status, rules, aliases
                )
                if top.emptied and (item is None or item.place == item.home):
                    raise errors.changed_since_read(top.asked)
                if status.kind == "folder":
                    pending.append((place, item, status, rules))
                elif item is not None and item.kind == "file":
                    inside[path] = self._save_file(item)
                    if item.alive:
                        self.before[item] = inside[path]
                elif status.kind == "file":
                    with folder.open(name, known_file=True) as file:
                        self._require_savable(file, status.size, place.display_path)
                        inside[path] = self._save_whole(file, folder, name)[0]
                else:
                    target = folder.read_link(name) if status.kind == "link" else None
                    inside[path] = FileState.from_status(status, link_target=target)
        return inside.pop(b"")._replace(descendants=_in_order(inside))

    def _require_removable(
        self,
        top: TreeNode,
        place: Location,
        folder: Folder,
        above: Status,
        status: Status,
        rules: DenyRules,
        aliases: Sequence[Alias],
    ) -> None:
        """Refuse a name in a folder that goes, which `above` is the status of."""
        name, is_folder = place.name, status.kind == "folder"
        if rules.denies(name, is_folder) or rules.keeps(name, is_folder):
            raise (
                errors.contains_denied(top.asked)
                if rules.broken is None
                else rules.refusal(top.asked)
            )
        # What the change that is undone brought along may go.
        is_link = status.kind == "link"
        rule = self._folders.boundary.protection_rule(
            place, link=is_link, aliases=aliases
        )
        if not top.emptied and rule is not None:
            raise errors.protected(
                place.display_path, rule, hint="leave that folder where it is"
            )
        if status.device != above.device or folder.is_mount(name):
            raise errors.contains_mount(top.asked, place.display_path)
        if keeps(above, status):
            raise errors.not_permitted(
                place.display_path, "belongs to another user and cannot be removed"
            )

    # Staging

    def stage(self, planning: Planning) -> None:
        """Make everything new under its temporary name; when this ends, it is on the disk.

        Raises `stale_version`, `no_space`, `permission_denied` …
        """
        try:
            for how, carrier, _, _, item, _ in planning.puts:
                if how is not OperationKind.STAGED:
                    continue
                above, name = planning.folders[carrier.folder], carrier.name
                try:
                    folder = above.on_disk(reading=False)
                    if item.kind == "folder":
                        self._make_folder(folder, above.was.child(name), item)
                    else:
                        self.made[item] = self._make_thing(
                            folder, name, item, self.made[item]
                        )
                except OSError as error:
                    raise from_os_error(error, item.asked, doing="write") from error
            self._flushing.flush()
        except BaseException:
            self._flushing.close()
            raise

    def _make_folder(self, folder: Folder, top: Location, item: TreeNode) -> None:
        """Make a folder with all that is new in it, and know what it is recognised by."""
        folder.make_folder(top.name, 0o700)
        inside: dict[bytes, FileState] = {}
        made: list[tuple[Location, TreeNode]] = []
        pending = [(top, item)]
        while pending:
            where, each = pending.pop()
            made.append((where, each))
            if len(where.parts) - len(top.parts) > DEEPEST:
                raise errors.too_deep(item.asked, DEEPEST)
            above, _ = self._folders.open(where)
            for inner, below in each.below():
                if not below.fresh:
                    continue
                at = where.child(inner)
                stamp = self.made.get(below) or FileState(
                    below.kind, *below.rights, link_target=below.target
                )
                if below.kind == "folder":
                    above.make_folder(inner, 0o700)
                    pending.append((at, below))
                else:
                    # Nothing below is known by its inode, only by what it holds.
                    stamp = self._make_thing(above, inner, below, stamp)._replace(
                        inode=None
                    )
                inside[b"/".join(at.parts[len(top.parts) :])] = stamp
        for where, each in reversed(made):
            # Opened once more while it can be, and kept until it is flushed.
            handle = self._folders.open(where)[0].open_folder(b".")
            self._set_attributes(handle, each)
            if each in self.made:
                self.made[each] = self.made[each]._replace(inode=handle.status().inode)
            self._flushing.add(handle)
        self.made[item] = self.made[item]._replace(descendants=_in_order(inside))

    def _make_thing(
        self, folder: Folder, name: bytes, item: TreeNode, stamp: FileState
    ) -> FileState:
        """A file or link, of which that much is known; what is known of it then."""
        if item.target is not None:
            folder.make_link(name, item.target)
            status = folder.stat(name)
            if (status.uid, status.gid) != (stamp.uid, stamp.gid):
                folder.set_owner(name, stamp.uid, stamp.gid)
            return stamp._replace(inode=status.inode)
        file = folder.create(name)
        try:
            digest, size = self._fill(file, item)
            if stamp.digest not in (None, digest):
                raise errors.changed_since_read(item.asked)
            self._set_attributes(file, item)
            stamp = stamp._replace(digest=digest, size=size, inode=file.status().inode)
        except BaseException:
            file.close()
            raise
        self._flushing.add(file)
        return stamp

    def _fill(self, file: File, item: TreeNode) -> tuple[str, int]:
        """Write a content, and check on the way what it is an edit of; its digest and size."""
        content, state, read = (
            self._held.get(item, item.content),
            xxhash.xxh3_128(),
            None,
        )
        assert content is not None
        if content.size >= _AHEAD:
            if isinstance(content, DiskContent):
                with content.opener() as source:
                    if file.clone_from(
                        source
                    ):  # Most file systems have no clones; the copy loop follows.
                        return compute_digest(file), file.status().size
            # Reserving the blocks (`posix_fallocate`) would be surer, but then every block is written into a
            # reserved one, which took up to twice the time once the disk writes while we copy.
            room = file.free_bytes()
            if room is not None and room < content.size:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        blocks = content.blocks()
        if isinstance(content, SplicedContent) and item.splices is not None:
            read = xxhash.xxh3_128()
            blocks = content.blocks(read.update)
        size = started = 0
        for block in blocks:
            state.update(block)
            file.write(block, size)
            size += len(block)
            if size - started >= _WRITEBACK:
                # Let the disk begin while we copy on; the flush at the end then finds little to do.
                # Whole pages only: writing on in one that is on its way to the disk waits for it, which
                # made a copy take a third longer.
                whole = size - size % _WHOLE
                file.start_writeback(started, whole - started)
                started = whole
                self._task.report(size, content.size, item.asked)
        if read is not None:
            self._check_source(item, read.hexdigest())
        return state.hexdigest(), size

    def _check_source(self, item: TreeNode, digest: str) -> None:
        """The copy loop has read the whole file: is it what the edit was made against?"""
        before = self.before[item]
        if before.digest is None:
            assert item.seen is not None
            with item.open() as source:
                same = Identity.of(source.status().raw) == Identity.of(item.seen.raw)
        else:
            same = before.digest == digest
        if not same:
            raise errors.changed_since_read(item.asked)
        self.before[item] = before._replace(digest=digest)

    def _set_attributes(self, made: File | Folder, item: TreeNode) -> None:
        """Give a new thing its owner, extended attributes, mode and times: in this order, since a chown clears setuid.

        Raises `permission_denied` naming what could not be kept: a file is never taken over silently. A copy
        leaves out the extended attributes that only the system may give.
        """
        mode, uid, gid = item.rights
        source, carried = item.origin, item.attributes
        times = (item.mtime_ns, item.mtime_ns) if item.mtime_ns is not None else None
        if item.seen is not None:
            carried = self.before[item].attributes if carried is None else carried
        elif source is not None:
            with (
                source.on_disk().open_folder(b".")
                if source.kind == "folder"
                else source.open() as original
            ):
                carried = original.extended_attributes() if carried is None else carried
                status = original.status()
                times = times or (status.atime_ns, status.mtime_ns)
        what = "owner"
        try:
            now = made.status()
            if (now.uid, now.gid) != (uid, gid):
                made.set_own_owner(uid, gid)
            if carried is not None:
                what = "extended attribute"
                made.set_extended_attributes(carried, strict=item.seen is not None)
            what = "mode"
            made.set_own_mode(mode)
        except OSError as error:
            if carried is None or error.errno not in (
                errno.EPERM,
                errno.EACCES,
                errno.EOPNOTSUPP,
            ):
                raise
            lost = f"{what} {error.filename}" if error.filename else what
            raise FilewrightError(
                Code.PERMISSION_DENIED,
                f"{item.asked}: its {lost} cannot be kept when it is replaced ({error.strerror}); nothing was changed",
                hint="ask the user who owns it to make the change",
                details={"path": item.asked, "lost": lost},
            ) from error
        if times:
            made.set_times(*times)


def _spread(
    where: Location, stamp: FileState
) -> Iterator[tuple[RecordedPath, FileState]]:
    """What is at a place, and all that is inside."""
    top = RecordedPath.from_location(where)
    yield top, stamp
    for path, below in stamp.descendants.items():
        yield RecordedPath(top.root, (*top.parts, *path.split(b"/"))), below


def _in_order(inside: dict[bytes, FileState]) -> dict[bytes, FileState]:
    """What is inside a folder by its path from there, a folder before what is in it."""
    return dict(sorted(inside.items(), key=lambda each: each[0].split(b"/")))


# From a tree to operations on names


class _Bringing(NamedTuple):
    """A put, before it is known what becomes of things: what is brought, and what it displaces."""

    how: OperationKind
    carrier: Slot
    place: Slot
    spare: Slot
    item: TreeNode
    occupant: TreeNode | None = None


class Planning:
    """From a tree to operations on names, in an order in which every folder is where it is needed.

    Top-down: a thing is put into a folder only after that folder is in its final place. What is in the
    way is exchanged if it goes, or aside to a temporary name if it moves on. What is deleted is taken
    away last, so that moves out of it come first.
    """

    def __init__(self, tree: ChangeTree) -> None:
        self.folders: list[TreeNode] = []
        self.puts: list[_Bringing] = []
        self.known: dict[int, tuple[Location, tuple[int, int]]] = {}
        """Where the plan's folders are at the start, by number."""
        self._numbers: dict[TreeNode, int] = {}
        self._aside: dict[TreeNode, Slot] = {}
        self._handled: set[TreeNode] = set()
        for folder in tree.living:
            for name, item in sorted(folder.entries.items()):
                if item is None:
                    continue
                if item.fresh:
                    if folder.seen is not None:
                        self._put(
                            OperationKind.STAGED,
                            self._slot(folder, temporary_name()),
                            folder,
                            name,
                            item,
                        )
                elif item.place != item.home:
                    self._move(item, folder, name)
        for item in tree.displaced:
            if item not in self._handled:
                # At the end, what goes is brought to a temporary name beside.
                assert item.home is not None
                aside = self._slot(item.home[0], temporary_name())
                self.puts.append(
                    _Bringing(
                        OperationKind.DELETED,
                        self._slot(*item.home),
                        aside,
                        aside,
                        item,
                    )
                )
        for item in tree.altered:
            assert item.place is not None
            place = self._slot(*item.place)
            self.puts.append(_Bringing(OperationKind.RIGHTS, place, place, place, item))

    def plan(self, preparation: Preparation) -> RenamePlan:
        """The plan, by what is known of things by now."""
        operations: list[RenameOperation] = []
        before_of, made = preparation.before, preparation.made
        for how, carrier, place, spare, item, occupant in self.puts:
            before = before_of[occupant] if occupant is not None else None
            if how is OperationKind.STAGED:
                after = made[item]
            elif how is OperationKind.DELETED:
                after = before_of[item]
            else:
                # What keeps its inode is recognised by that.
                assert item.seen is not None
                seen = item.seen
                after = FileState(
                    item.kind, *item.rights, link_target=item.target, inode=seen.inode
                )
                if how is OperationKind.RIGHTS:
                    before = after._replace(mode=seen.mode, uid=seen.uid, gid=seen.gid)
            operations.append(
                RenameOperation(how, carrier, place, spare, after, before)
            )
        references: list[PlanFolder] = []
        for folder in (
            self.folders
        ):  # Grows: the slot of a folder may be in one that has no number yet.
            end = folder.home or folder.place
            root = folder.was.root.resolved_path if end is None else None
            inode = folder.seen.inode if folder.seen is not None else made[folder].inode
            slot = self._slot(*end) if end is not None else None
            references.append(PlanFolder(inode, root, folder.seen is None, slot))
        return RenamePlan(tuple(references), tuple(operations))

    def _slot(self, folder: TreeNode, name: bytes) -> Slot:
        number = self._numbers.setdefault(folder, len(self.folders))
        if number == len(self.folders):
            self.folders.append(folder)
            if folder.seen is not None:
                self.known[number] = folder.was, folder.seen.identity
        return Slot(number, name)

    def _move(self, item: TreeNode, folder: TreeNode, name: bytes) -> None:
        """Bring something from where it was to its place."""
        assert item.home is not None
        blocked = folder.initial.get(name)
        # No system exchanges a folder with what is below it.
        if (
            blocked is not None
            and not blocked.moved
            and blocked not in self._handled
            and item not in self._aside
            and item.home[0].within(blocked, at_first=True)
        ):
            self._move_aside(item, folder)
        self._put(
            OperationKind.MOVED,
            self._aside.get(item) or self._slot(*item.home),
            folder,
            name,
            item,
        )
        self._handled.add(item)

    def _put(
        self,
        how: OperationKind,
        carrier: Slot,
        folder: TreeNode,
        name: bytes,
        item: TreeNode,
    ) -> None:
        occupant = folder.initial.get(name)
        if occupant in self._handled:
            occupant = None  # It has been brought away, or is displaced by another.
        if occupant is not None:
            if occupant.moved:
                self._move_aside(occupant, folder)
                occupant = None
            else:
                self._handled.add(occupant)
        place, spare = self._slot(folder, name), self._slot(folder, temporary_name())
        self.puts.append(_Bringing(how, carrier, place, spare, item, occupant))

    def _move_aside(self, item: TreeNode, folder: TreeNode) -> None:
        """Move an item out of the way, or out of a folder that goes, to a temporary name."""
        assert item.home is not None
        aside = self._aside[item] = self._slot(folder, temporary_name())
        spare = self._slot(folder, temporary_name())
        self.puts.append(
            _Bringing(OperationKind.MOVED, self._slot(*item.home), aside, spare, item)
        )
        self._handled.add(item)
