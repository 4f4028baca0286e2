"""Making the temporaries: everything that is new, complete and flushed, before a name is touched."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable
from contextlib import nullcontext
from dataclasses import replace

import xxhash

from filewright import system
from filewright.boundary import Location
from filewright.changes.content import MANY, Edited, Flusher, Held, OnDisk, digest_of
from filewright.changes.record import Stamp
from filewright.changes.save import Known, in_order
from filewright.changes.slots import OpenFolders
from filewright.changes.tree import DEEPEST, Item
from filewright.errors import Code, FilewrightError, from_os_error, stale, too_deep
from filewright.progress import Task
from filewright.system import File, Folder
from filewright.text import Identity

_CLONE_ABOVE = 1 << 20
_AT_ONCE = 16
_WRITEBACK = 8 << 20
_WHOLE = 1 << 16
"""What is handed to the disk ends at a multiple of this."""


def stage(
    flusher: Flusher,
    folders: OpenFolders,
    task: Task,
    made: Iterable[tuple[Item, bytes, Item]],
    known: Known,
) -> Known:
    """Make every temporary; what is known, with what was found out on the way.

    Raises `stale_version`, `no_space`, `permission_denied` …
    """
    with _Making(flusher, folders, task, known) as making:
        for folder, name, item in made:
            making.make(folder, name, item)
        return making.known


class _Making:
    """Makes the new things of one attempt; all are on the disk when it ends."""

    def __init__(self, flusher: Flusher, folders: OpenFolders, task: Task, known: Known) -> None:
        self._folders = folders
        self._flusher = flusher
        self._task = task
        self._pending: list[File | Folder] = []
        self._flushed = 0
        self._devices: dict[int, File | Folder] = {}
        self.known = Known({**known.saved}, {**known.made}, known.held)

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

    def make(self, folder: Item, name: bytes, item: Item) -> None:
        """Make one thing, and know what it is recognised by."""
        assert folder.was is not None
        above = folder.on_disk(reading=False)
        try:
            if item.kind == "folder":
                above.make(name, 0o700)
                inside = self._make_inside(folder.was.child(name), item)
                self.known.made[item] = replace(self.known.made[item], inside=inside)
            else:
                self.known.made[item] = self._make_thing(above, name, item)
        except OSError as error:
            raise from_os_error(error, item.asked, doing="write") from error

    def _make_thing(self, folder: Folder, name: bytes, item: Item) -> Stamp:
        """A file or link; what is known of it then."""
        stamp = self.known.stamp(item)
        if item.target is not None:
            folder.make_link(name, item.target)
            status = folder.stat(name)
            if (status.uid, status.gid) != (stamp.uid, stamp.gid):
                folder.set_owner(name, stamp.uid, stamp.gid)
            return replace(stamp, inode=status.inode)
        file = folder.create(name)
        try:
            digest, size = self._fill(file, item)
            if stamp.digest not in (None, digest):
                raise stale(item.asked)
            self._set_attributes(file, item)
            stamp = replace(stamp, digest=digest, size=size, inode=file.identity()[1])
        except BaseException:
            file.close()
            raise
        self._flush_later(file)
        return stamp

    def _make_inside(self, top: Location, item: Item) -> dict[bytes, Stamp]:
        """All that is in a new folder. Nothing below is known by its inode, only by what it holds."""
        inside: dict[bytes, Stamp] = {}
        folders: list[tuple[Location, Item]] = []
        pending = [(top, item)]
        while pending:
            where, folder = pending.pop()
            folders.append((where, folder))
            if len(where.parts) - len(top.parts) > DEEPEST:
                raise too_deep(item.asked, DEEPEST)
            made, _ = self._folders.open(where)
            for name, below in folder.below():
                if not below.fresh:
                    continue
                at = where.child(name)
                if below.kind == "folder":
                    made.make(name, 0o700)
                    stamp = self.known.stamp(below)
                    pending.append((at, below))
                else:
                    stamp = replace(self._make_thing(made, name, below), inode=None)
                inside[b"/".join(at.parts[len(top.parts) :])] = stamp
        for where, folder in reversed(folders):
            # Opened once more while it can be, and kept until it is flushed.
            handle = self._folders.open(where)[0].folder(b".")
            self._set_attributes(handle, folder)
            if folder in self.known.made:
                self.known.made[folder] = replace(self.known.made[folder], inode=handle.identity()[1])
            self._flush_later(handle)
        return in_order(inside)

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
        before, expected, seen = self.known.before(item), item.expected, item.seen
        assert seen is not None
        wanted = {before.digest}
        if expected is not None and expected.digest is not None:
            wanted.add(expected.digest.hex())
        if wanted == {None}:
            with item.open() as source:
                if Identity.of(source.status().raw) != Identity.of(seen.raw):
                    raise stale(item.asked)
        elif wanted - {None} != {digest}:
            raise stale(item.asked)
        self.known.saved[item] = replace(self.known.saved[item], before=replace(before, digest=digest))

    def _set_attributes(self, made: File | Folder, item: Item) -> None:
        """Give a new thing its owner, extended attributes, mode and times: in this order, since a chown clears setuid.

        Raises `permission_denied` naming what could not be kept: a file is never taken over silently. A copy
        leaves out the extended attributes that only the system may give.
        """
        mode, uid, gid = item.rights
        source, carried, times = item.origin, item.attributes, None
        if carried is None and item in self.known.saved:
            carried = self.known.before(item).attributes
        if source is not None and (carried is None or item.seen is None):
            with nullcontext(source.on_disk()) if source.kind == "folder" else source.open() as original:
                if carried is None:
                    carried = original.attributes()
                if item.seen is None:
                    status = original.status()
                    times = (status.atime_ns, status.mtime_ns)
        what = "owner"
        try:
            now = made.status()
            if (now.uid, now.gid) != (uid, gid):
                made.set_own_owner(uid, gid)
            if carried is not None:
                what = "extended attribute"
                made.set_attributes(carried, strict=item.seen is not None)
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
