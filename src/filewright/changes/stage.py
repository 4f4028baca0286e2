"""Making the temporaries: everything that is new, complete and flushed, before a name is touched."""

from __future__ import annotations

import errno
import os
from contextlib import nullcontext
from dataclasses import replace

import xxhash

from filewright import system
from filewright.boundary import Location
from filewright.changes.content import MANY, Edited, Flusher, Held, OnDisk, digest_of
from filewright.changes.operations import CommitPlan, Put, Stamp
from filewright.changes.plan import Difference, Known, Staging
from filewright.changes.record import Entry, Place
from filewright.changes.slots import OpenFolders
from filewright.changes.tree import DEEPEST, FolderItem, Item
from filewright.errors import Code, FilewrightError, from_os_error, stale, too_deep
from filewright.progress import Task
from filewright.system import File, Folder
from filewright.text import Identity

_CLONE_ABOVE = 1 << 20
_AHEAD = 1 << 20
_AT_ONCE = 16
_WRITEBACK = 8 << 20
_WHOLE = 1 << 16
"""What is handed to the disk ends at a multiple of this."""


def digested_ahead(difference: Difference, known: Known) -> Known:
    """Work out what small new files will hold, so that the intent is complete and needs no second flush.

    But for what replaces a file and is not kept: recovery could not tell a part of it from somebody's save.
    """
    digests: dict[Item, str] = {}
    for item in difference.fresh:
        if item.content is None or item.content.size > _AHEAD:
            continue
        saved = known.saved.get(item)
        if item.home is None or item in known.blobs or (saved and saved.side.blob and saved.inserted):
            digests[item] = digest_of(known.content(item))
    return replace(known, digests=digests)


def stage(
    flusher: Flusher, folders: OpenFolders, task: Task, plan: CommitPlan, staging: Staging, known: Known
) -> tuple[CommitPlan, Known]:
    """Make every temporary; the plan, and what is known, with what was found out on the way.

    Raises `stale_version`, `no_space`, `permission_denied` …
    """
    operations = list(plan.operations)
    with _Making(flusher, folders, task, known) as making:
        for number, (folder, item) in staging.made.items():
            operation = operations[number]
            assert isinstance(operation, Put)
            after = making.make(folder, operation.carrier.name, item)
            before = operation.before
            saved = making.saved.get(item)
            if before is not None and saved is not None and saved.stamp.inode == before.inode:
                before = saved.stamp
            operations[number] = replace(operation, after=after, before=before)
    references = (
        replace(reference, inode=making.inodes.get(folder, reference.inode))
        for reference, folder in zip(plan.folders, staging.folders, strict=True)
    )
    return CommitPlan(tuple(references), tuple(operations)), making.known


class _Making:
    """Makes the new things of one attempt; all are on the disk when it ends."""

    def __init__(self, flusher: Flusher, folders: OpenFolders, task: Task, known: Known) -> None:
        self._folders = folders
        self._flusher = flusher
        self._task = task
        self._pending: list[File | Folder] = []
        self._flushed = 0
        self._devices: dict[int, File | Folder] = {}
        self.saved = dict(known.saved)
        self.digests = dict(known.digests)
        self.made: dict[Item, tuple[Entry, ...]] = {}
        self.inodes: dict[Item, int] = {}
        self.known = Known(self.saved, known.held, known.blobs, self.digests, self.made)

    def __enter__(self) -> _Making:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            if kind is None:
                self._flush()
                for handle in self._devices.values():
                    self._flusher.file_system(handle)
        finally:
            for handle in (*self._pending, *self._devices.values()):
                handle.close()

    def make(self, folder: FolderItem, name: bytes, item: Item) -> Stamp:
        """Make one thing; what it is recognised by."""
        assert folder.was is not None
        above = folder.on_disk(reading=False)
        try:
            if isinstance(item, FolderItem):
                return self._make_tree(above, folder.was.child(name), item)
            return self._make_thing(above, name, item)
        except OSError as error:
            raise from_os_error(error, item.asked, doing="write") from error

    def _make_thing(self, folder: Folder, name: bytes, item: Item) -> Stamp:
        if item.kind != "link":
            return self._make_file(folder, name, item)
        assert item.target is not None
        folder.make_link(name, item.target)
        _, uid, gid = item.rights()
        status = folder.stat(name)
        if (status.uid, status.gid) != (uid, gid):
            folder.set_owner(name, uid, gid)
        return Stamp("link", target=item.target, inode=status.inode)

    def _make_tree(self, above: Folder, top: Location, item: FolderItem) -> Stamp:
        """A folder with all that is in it. Nothing below is known by its inode, only by what it holds."""
        inside: dict[bytes, Stamp] = {}
        made: list[Entry] = []
        above.make(top.name, 0o700)
        folders: list[tuple[Location, FolderItem]] = []
        pending = [(top, Place.of(item.will_be_at), item, b"")]
        while pending:
            where, place, folder, prefix = pending.pop()
            folders.append((where, folder))
            if len(folders) > DEEPEST and len(where.parts) - len(top.parts) > DEEPEST:
                raise too_deep(item.asked, DEEPEST)
            made_folder, _ = self._folders.open(where)
            for name, below in folder.below():
                if not below.fresh:
                    continue
                to = Place(place.root, (*place.parts, name))
                if isinstance(below, FolderItem):
                    made_folder.make(name, 0o700)
                    inside[prefix + name] = Stamp("folder")
                    pending.append((where.child(name), to, below, prefix + name + b"/"))
                else:
                    inside[prefix + name] = replace(self._make_thing(made_folder, name, below), inode=None)
                made.append(self.known.entry(below, to))
        for where, folder in reversed(folders):
            # Opened once more while it can be, and kept until it is flushed.
            handle = self._folders.open(where)[0].folder(b".")
            self.inodes[folder] = handle.identity()[1]
            self._set_attributes(handle, folder)
            self._flush_later(handle)
        self.made[item] = tuple(sorted(made, key=lambda entry: entry.place.parts))
        return Stamp("folder", inode=self.inodes[item], inside=inside or None)

    def _make_file(self, folder: Folder, name: bytes, item: Item) -> Stamp:
        file = folder.create(name)
        try:
            digest, size = self._fill(file, item)
            if self.digests.setdefault(item, digest) != digest:
                raise stale(item.asked)
            self._set_attributes(file, item)
            stamp = Stamp("file", size, digest, inode=file.identity()[1])
        except BaseException:
            file.close()
            raise
        self._flush_later(file)
        return stamp

    # Contents

    def _fill(self, file: File, item: Item) -> tuple[str, int]:
        """Write a content, and check on the way what it is an edit of; its digest and size."""
        content = self.known.content(item)
        if content.size >= _CLONE_ABOVE:
            if isinstance(content, OnDisk):
                with content.opener() as source:
                    cloned = file.clone_from(
                        source
                    )  # Most file systems have no clones; the copy loop follows.
                if cloned:
                    return digest_of(file), file.status().size
            # Reserving the blocks (`posix_fallocate`) would be surer, but then every block is written into a
            # reserved one, which took up to twice the time once the disk writes while we copy.
            room = file.room()
            if room is not None and room < content.size:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        if isinstance(content, Edited) and isinstance(content.base, Held):
            data = b"".join(content.blocks())
            file.write(data, 0)
            return xxhash.xxh3_128_hexdigest(data), len(data)
        state, read = xxhash.xxh3_128(), xxhash.xxh3_128()
        size = started = 0
        for block in content.blocks(read.update) if isinstance(content, Edited) else content.blocks():
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
        if item.splices is not None:
            self._check_source(item, read.hexdigest())
        return state.hexdigest(), size

    def _check_source(self, item: Item, digest: str) -> None:
        """The copy loop has read the whole file: is it what the edit was made against?"""
        saved = self.saved[item]
        wanted = {saved.stamp.digest, saved.side.digest} - {None}
        if item.expected is not None and item.expected.digest is not None:
            wanted.add(item.expected.digest.hex())
        if not wanted:
            with item.open() as source:
                if Identity.of(source.status().raw) != Identity.of(saved.status.raw):
                    raise stale(item.asked)
        elif wanted != {digest}:
            raise stale(item.asked)
        stamp, side = replace(saved.stamp, digest=digest), replace(saved.side, digest=digest)
        self.saved[item] = replace(saved, stamp=stamp, side=side)

    def _set_attributes(self, made: File | Folder, item: Item) -> None:
        """Give a new thing its owner, extended attributes, mode and times: in this order, since a chown clears setuid.

        Raises `permission_denied` naming what could not be kept: a file is never taken over silently. A copy
        leaves out the extended attributes that only the system may give.
        """
        mode, uid, gid = item.rights()
        source, carried, times = item.source, item.attributes, None
        if item.home is not None and carried is None:
            carried = self.saved[item].attributes
        if source is not None and (carried is None or item.home is None):
            with (
                nullcontext(source.on_disk()) if isinstance(source, FolderItem) else source.open() as original
            ):
                if carried is None:
                    carried = original.attributes()
                if item.home is None:
                    status = original.status()
                    times = (status.atime_ns, status.mtime_ns)
        what = "owner"
        try:
            now = made.status()
            if (now.uid, now.gid) != (uid, gid):
                made.set_own_owner(uid, gid)
            if carried is not None:
                what = "extended attribute"
                made.set_attributes(carried, strict=item.home is not None)
            what = "mode"
            made.set_own_mode(mode)
        except OSError as error:
            if carried is None or error.errno not in (errno.EPERM, errno.EACCES, errno.EOPNOTSUPP):
                raise
            lost = f"{what} {error.filename}" if error.filename else what
            raise FilewrightError(
                Code.PERMISSION_DENIED,
                f"{item.asked}: its {lost} cannot be kept when it is replaced ({error.strerror}); nothing was changed",
                hint="ask the user who owns it to make the change",
                details={"path": item.asked, "lost": lost},
            ) from error
        if item.mtime_ns is not None:
            times = (item.mtime_ns, item.mtime_ns)
        if times is not None:
            made.set_times(*times)

    # Flushing

    def _flush_later(self, handle: File | Folder) -> None:
        """Flush it with others, and close it then."""
        self._flushed += 1
        if self._flushed > MANY and system.can.flush_file_system:
            # One flush of the file system at the end costs less.
            device = handle.identity()[0]
            if device in self._devices:
                handle.close()
            else:
                self._devices[device] = handle
            return
        self._pending.append(handle)
        if len(self._pending) >= _AT_ONCE:
            self._flush()

    def _flush(self) -> None:
        try:
            self._flusher.all(self._pending)
        finally:
            for handle in self._pending:
                handle.close()
            self._pending.clear()
