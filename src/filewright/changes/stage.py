"""Making the temporaries: everything that is new, complete and flushed, before a name is touched."""

from __future__ import annotations

import errno
import fcntl
import os
from dataclasses import replace
from functools import partial

import xxhash

from filewright.boundary import Location
from filewright.changes import attributes
from filewright.changes.content import Block, Content, Edited, OnDisk, digest_of
from filewright.changes.entries import fresh_entry
from filewright.changes.flushing import MANY, Flusher, start_writeback
from filewright.changes.operations import Leaf, Operation, Plan, Put, Seal, Slot
from filewright.changes.plan import Planner, fresh_seal
from filewright.changes.record import Entry, Place
from filewright.changes.refusals import stale, too_deep
from filewright.changes.slots import OpenFolders
from filewright.changes.tree import DEEPEST, Folder, Node
from filewright.errors import from_os_error
from filewright.progress import Task
from filewright.text.identity import Identity

_CREATE = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_FICLONE = 0x40049409
_CLONE_ABOVE = 1 << 20
_AT_ONCE = 16
_WRITEBACK = 8 << 20


class Stager:
    """Stages one plan: see `stage`."""

    def __init__(self, folders: OpenFolders, flusher: Flusher, task: Task) -> None:
        self._folders = folders
        self._flusher = flusher
        self._task = task
        self._pending: list[int] = []
        self._flushed = 0
        self._devices: dict[int, int] = {}

    def stage(self, planner: Planner, plan: Plan) -> Plan:
        """Make every temporary; the plan with what was found out on the way: how each thing is recognised.

        Raises `stale_version`, `no_space`, `permission_denied` …
        """
        operations: list[Operation] = list(plan.operations)
        try:
            for number, folder, node in planner.staging:
                operation = operations[number]
                assert isinstance(operation, Put)
                try:
                    leaf = self._make(folder, operation.carrier, node)
                except OSError as error:
                    raise from_os_error(error, node.asked, doing="write") from error
                before = operation.before
                if before is not None and node.saved is not None and node.saved.seal.inode == before.inode:
                    before = node.saved.seal
                operations[number] = replace(operation, after=leaf.seal, tree=leaf.below or {}, before=before)
            self._flush()
            for descriptor in self._devices.values():
                self._flusher.file_system(descriptor)
        finally:
            for descriptor in (*self._pending, *self._devices.values()):
                os.close(descriptor)
            self._pending.clear()
        return planner.plan(operations)

    def _make(self, folder: Folder, carrier: Slot, node: Node) -> Leaf:
        assert folder.was is not None
        if isinstance(node, Folder):
            return self._make_tree(folder.fd(reading=False), folder.was.child(carrier.name), node)
        return self._make_thing(folder.fd(reading=False), carrier.name, node)

    def _make_thing(self, folder: int, name: bytes, node: Node) -> Leaf:
        if node.kind != "link":
            return self._make_file(folder, name, node)
        assert node.target is not None
        os.symlink(node.target, name, dir_fd=folder)
        _, uid, gid = node.final_attributes()
        status = os.stat(name, dir_fd=folder, follow_symlinks=False)
        if (status.st_uid, status.st_gid) != (uid, gid):
            os.chown(name, uid, gid, dir_fd=folder, follow_symlinks=False)
        return Leaf(replace(fresh_seal(node), inode=status.st_ino))

    def _make_tree(self, above: int, top: Location, node: Folder) -> Leaf:
        """A folder with all that is in it. Nothing below is told by its inode, only by what it holds."""
        tree: dict[bytes, Leaf] = {}
        made: list[Entry] = []
        os.mkdir(top.name, 0o700, dir_fd=above)
        folders: list[tuple[Location, Folder]] = []
        pending = [(top, node.where(), node, tree)]
        while pending:
            where, place, folder, leaves = pending.pop()
            folders.append((where, folder))
            if len(folders) > DEEPEST and len(where.parts) - len(top.parts) > DEEPEST:
                raise too_deep(node.asked, DEEPEST)
            for name, below in folder.below():
                if not below.fresh:
                    continue
                # Asked for anew: reading what is copied may have closed it.
                descriptor, _ = self._folders.open(where)
                inside = Place(place.root, (*place.parts, name))
                if isinstance(below, Folder):
                    os.mkdir(name, 0o700, dir_fd=descriptor)
                    inner: dict[bytes, Leaf] = {}
                    leaves[name] = Leaf(Seal("folder"), inner)
                    pending.append((where.child(name), inside, below, inner))
                else:
                    leaf = self._make_thing(descriptor, name, below)
                    leaves[name] = Leaf(replace(leaf.seal, inode=None))
                made.append(fresh_entry(below, inside))
        for where, folder in reversed(folders):
            opened, identity = self._folders.open(where)
            descriptor = os.dup(opened)  # Looking at what it is a copy of may close the other.
            folder.inode = identity[1]
            try:
                _dress(descriptor, folder)
            except BaseException:
                os.close(descriptor)
                raise
            self._flush_later(descriptor)
        node.made = tuple(sorted(made, key=lambda entry: entry.place.parts))
        return Leaf(Seal("folder", inode=node.inode), tree)

    def _make_file(self, folder: int, name: bytes, node: Node) -> Leaf:
        assert node.content is not None
        descriptor = os.open(name, _CREATE, 0o600, dir_fd=folder)
        try:
            digest, size = self._fill(descriptor, node, node.content)
            if node.digest not in (None, digest):
                raise stale(node.asked)
            _dress(descriptor, node)
            node.digest = digest
            leaf = Leaf(Seal("file", size, digest, inode=os.fstat(descriptor).st_ino))
        except BaseException:
            os.close(descriptor)
            raise
        self._flush_later(descriptor)
        return leaf

    # Contents

    def _fill(self, descriptor: int, node: Node, content: Content) -> tuple[str, int]:
        if isinstance(content, OnDisk) and content.size >= _CLONE_ABOVE and _clone(descriptor, content):
            return digest_of(descriptor), os.fstat(descriptor).st_size
        if content.size >= _CLONE_ABOVE:
            _require_room(descriptor, content.size)
        state, source = xxhash.xxh3_128(), xxhash.xxh3_128()
        checked = isinstance(content, Edited) and isinstance(content.base, OnDisk) and node.home is not None
        blocks = (
            content.tapped(partial(_feed, source))
            if checked and isinstance(content, Edited)
            else content.blocks()
        )
        size = started = 0
        for block in blocks:
            state.update(block)
            size += _write(descriptor, block)
            if size - started >= _WRITEBACK:
                # Let the disk begin while we copy on; the flush at the end then finds little to do.
                start_writeback(descriptor, started, size - started)
                started = size
                self._task.report(size, content.size, node.asked)
        if checked:
            _check_source(node, source.hexdigest())
        if size < content.size:
            os.ftruncate(descriptor, size)
        return state.hexdigest(), size

    # Flushing

    def _flush_later(self, descriptor: int) -> None:
        self._flushed += 1
        if self._flushed > MANY:
            # One flush of the file system at the end costs less.
            device = os.fstat(descriptor).st_dev
            if device in self._devices:
                os.close(descriptor)
            else:
                self._devices[device] = descriptor
            return
        self._pending.append(descriptor)
        if len(self._pending) >= _AT_ONCE:
            self._flush()

    def _flush(self) -> None:
        try:
            self._flusher.all(self._pending)
        finally:
            for descriptor in self._pending:
                os.close(descriptor)
            self._pending.clear()


def _dress(descriptor: int, node: Node) -> None:
    """Give an open new thing its owner, attributes, mode and times."""
    mode, uid, gid = node.final_attributes()
    source, carried, times = node.source, node.attributes, None
    if source is not None:
        original = os.dup(source.fd()) if isinstance(source, Folder) else source.open()
        try:
            if carried is None:
                carried = attributes.read(original)
            if node.home is None:
                status = os.fstat(original)
                times = (status.st_atime_ns, status.st_mtime_ns)
        finally:
            os.close(original)
    if carried is None:
        status = os.fstat(descriptor)
        if (status.st_uid, status.st_gid) != (uid, gid):
            os.fchown(descriptor, uid, gid)
        os.fchmod(descriptor, mode)
    else:
        attributes.write(
            descriptor,
            mode=mode,
            uid=uid,
            gid=gid,
            attributes=carried,
            asked=node.asked,
            strict=node.home is not None,
        )
    if node.mtime_ns is not None:
        times = (node.mtime_ns, node.mtime_ns)
    if times is not None:
        os.utime(descriptor, ns=times)


def _check_source(node: Node, digest: str) -> None:
    """The copy loop has read the whole file: is it what the edit was made against?"""
    saved = node.saved
    assert saved is not None
    wanted = {saved.seal.digest, saved.side.digest} - {None}
    if node.expected is not None and node.expected.digest is not None:
        wanted.add(node.expected.digest.hex())
    if wanted:
        if wanted != {digest}:
            raise stale(node.asked)
    else:
        source = node.open()
        try:
            assert node.seen is not None
            if Identity.of(os.fstat(source)) != Identity.of(node.seen):
                raise stale(node.asked)
        finally:
            os.close(source)
    node.saved = replace(
        saved, seal=replace(saved.seal, digest=digest), side=replace(saved.side, digest=digest)
    )


def _clone(descriptor: int, content: OnDisk) -> bool:
    source = content.opener()
    try:
        fcntl.ioctl(descriptor, _FICLONE, source)
    except OSError:
        return False  # Most file systems have no clones; the copy loop follows.
    finally:
        os.close(source)
    return True


def _require_room(descriptor: int, size: int) -> None:
    """Refuse before a long copy what cannot fit.

    Reserving the blocks (`posix_fallocate`) would be surer, but then every block is written into a
    reserved one, which took up to twice the time once the disk writes while we copy.
    """
    left = os.fstatvfs(descriptor)
    if left.f_blocks and left.f_bavail * left.f_frsize < size:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _feed(state: xxhash.xxh3_128, block: Block) -> None:
    state.update(block)


def _write(descriptor: int, block: Block) -> int:
    view = memoryview(block)
    while view:
        view = view[os.write(descriptor, view) :]
    return len(block)
