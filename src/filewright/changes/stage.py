"""Making the temporaries: everything that is new, complete and flushed, before a name is touched."""

from __future__ import annotations

import errno
import fcntl
import os
import stat
from dataclasses import replace
from functools import partial

import xxhash

from filewright.changes import attributes
from filewright.changes.content import Block, Content, Edited, OnDisk, digest_of
from filewright.changes.draft import Folder, Node
from filewright.changes.flushing import Flusher
from filewright.changes.operations import Seal, Slot
from filewright.changes.planner import Planner, Staging, fresh_seal
from filewright.changes.refusals import stale
from filewright.changes.save import Saved
from filewright.changes.survey import final_attributes
from filewright.errors import from_os_error
from filewright.progress import Task
from filewright.text import Identity

_CREATE = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FICLONE = 0x40049409
_CLONE_ABOVE = 1 << 20
_AT_ONCE = 256
_WRITEBACK, _PAGE = 8 << 20, 1 << 16


class Stager:
    """Stages one plan.

    `seals` holds by carrier, and path below it, how the new things are recognised; `before`, by the
    seals they had so far, the digests of edited files, known once they had been copied.
    """

    def __init__(self, planner: Planner, saved: dict[int, Saved], flusher: Flusher, task: Task) -> None:
        self._planner = planner
        self._saved = saved
        self._flusher = flusher
        self._task = task
        self._pending: list[int] = []
        self.seals: dict[Slot, dict[tuple[bytes, ...], Seal]] = {}
        self.before: dict[Seal, str] = {}
        self.status: dict[int, os.stat_result] = {}

    def stage(self) -> None:
        """Make every temporary. Raises `stale_version`, `no_space`, `permission_denied` …"""
        try:
            for staging in self._planner.staging:
                self._stage(staging)
            self._flush()
        finally:
            for descriptor in self._pending:
                os.close(descriptor)
            self._pending.clear()

    def _stage(self, staging: Staging) -> None:
        carrier, node = staging.carrier, staging.node
        folder = self._planner.folders[carrier.folder].fd()
        found: dict[tuple[bytes, ...], Seal] = {}
        try:
            self._make(folder, carrier.name, node, (), found)
        except OSError as error:
            raise from_os_error(error, node.asked, doing="write") from error
        status = self.status[id(node)]
        found[()] = replace(found[()], inode=status.st_ino)
        self.seals[carrier] = found

    def _make(
        self,
        folder: int,
        name: bytes,
        node: Node,
        parts: tuple[bytes, ...],
        found: dict[tuple[bytes, ...], Seal],
    ) -> None:
        if isinstance(node, Folder):
            self._make_folder(folder, name, node, parts, found)
        elif node.kind == "link":
            assert node.target is not None
            os.symlink(node.target, name, dir_fd=folder)
            _, uid, gid = final_attributes(node)
            status = os.stat(name, dir_fd=folder, follow_symlinks=False)
            if (status.st_uid, status.st_gid) != (uid, gid):
                os.chown(name, uid, gid, dir_fd=folder, follow_symlinks=False)
            found[parts] = fresh_seal(node)
            self.status[id(node)] = status
        else:
            self._make_file(folder, name, node, parts, found)

    def _make_folder(
        self,
        above: int,
        name: bytes,
        node: Folder,
        parts: tuple[bytes, ...],
        found: dict[tuple[bytes, ...], Seal],
    ) -> None:
        os.mkdir(name, 0o700, dir_fd=above)
        node.descriptor = os.open(name, _FOLDER, dir_fd=above)
        for below in sorted(node.entries):
            child = node.entries[below]
            if child is not None and child.fresh:
                self._make(node.descriptor, below, child, (*parts, below), found)
        self._dress(node.descriptor, node)
        found[parts] = Seal("folder")
        self.status[id(node)] = os.fstat(node.descriptor)
        self._flush_later(os.dup(node.descriptor))

    def _make_file(
        self,
        folder: int,
        name: bytes,
        node: Node,
        parts: tuple[bytes, ...],
        found: dict[tuple[bytes, ...], Seal],
    ) -> None:
        assert node.content is not None
        descriptor = os.open(name, _CREATE, 0o600, dir_fd=folder)
        try:
            digest, size = self._fill(descriptor, node, node.content)
            if node.digest not in (None, digest):
                raise stale(node.asked)
            self._dress(descriptor, node)
            found[parts] = Seal("file", size, digest)
            self.status[id(node)] = os.fstat(descriptor)
        except BaseException:
            os.close(descriptor)
            raise
        self._flush_later(descriptor)

    def _fill(self, descriptor: int, node: Node, content: Content) -> tuple[str, int]:
        if isinstance(content, OnDisk) and content.size >= _CLONE_ABOVE and self._clone(descriptor, content):
            return digest_of(descriptor), os.fstat(descriptor).st_size
        if content.size >= _CLONE_ABOVE:
            self._require_room(descriptor, content.size)
        state = xxhash.xxh3_128()
        source = xxhash.xxh3_128()
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
                # Whole pages only: writing on in one that is on its way to the disk has to wait for it.
                whole = size - size % _PAGE
                os.posix_fadvise(descriptor, started, whole - started, os.POSIX_FADV_DONTNEED)
                started = whole
                self._task.report(size, content.size, node.asked)
        if checked:
            self._check_source(node, source.hexdigest())
        if size < content.size:
            os.ftruncate(descriptor, size)
        return state.hexdigest(), size

    def _check_source(self, node: Node, digest: str) -> None:
        """The copy loop has read the whole file: is it what the edit was made against?"""
        saved = self._saved[id(node)]
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
        if saved.seal.digest == digest:
            return
        self.before[saved.seal] = digest
        self._saved[id(node)] = replace(
            saved, seal=replace(saved.seal, digest=digest), side=replace(saved.side, digest=digest)
        )

    @staticmethod
    def _clone(descriptor: int, content: OnDisk) -> bool:
        source = content.opener()
        try:
            fcntl.ioctl(descriptor, _FICLONE, source)
        except OSError:
            return False  # Most file systems have no clones; the copy loop follows.
        finally:
            os.close(source)
        return True

    @staticmethod
    def _require_room(descriptor: int, size: int) -> None:
        """Refuse before a long copy what cannot fit.

        Reserving the blocks (`posix_fallocate`) would be surer, but then every block is written
        into a reserved one, which took up to twice the time once the disk writes while we copy.
        """
        left = os.fstatvfs(descriptor)
        if left.f_blocks and left.f_bavail * left.f_frsize < size:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def _dress(self, descriptor: int, node: Node) -> None:
        """Owner, attributes, mode, times."""
        mode, uid, gid = final_attributes(node)
        source = node if node.home is not None else node.like
        while source is not None and source.home is None:
            source = source.like
        if node.attributes is None and source is None:
            status = os.fstat(descriptor)
            if (status.st_uid, status.st_gid) != (uid, gid):
                os.fchown(descriptor, uid, gid)
            os.fchmod(descriptor, mode)
        else:
            carried = node.attributes
            times: tuple[int, int] | None = None
            if source is not None:
                original = source.open() if not isinstance(source, Folder) else os.dup(source.fd())
                try:
                    if carried is None:
                        carried = attributes.read(original)
                    if node.home is None:
                        status = os.fstat(original)
                        times = (status.st_atime_ns, status.st_mtime_ns)
                finally:
                    os.close(original)
            attributes.write(
                descriptor,
                mode=mode,
                uid=uid,
                gid=gid,
                attributes=carried or {},
                asked=node.asked,
                strict=node.home is not None,
            )
            if times is not None:
                os.utime(descriptor, ns=times)
        if node.mtime_ns is not None:
            os.utime(descriptor, ns=(node.mtime_ns, node.mtime_ns))

    def _flush_later(self, descriptor: int) -> None:
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


def _feed(state: xxhash.xxh3_128, block: Block) -> None:
    state.update(block)


def _write(descriptor: int, block: Block) -> int:
    view = memoryview(block)
    while view:
        view = view[os.write(descriptor, view) :]
    return len(block)


def mode_of(status: os.stat_result) -> int:
    """Permission bits of a status."""
    return stat.S_IMODE(status.st_mode)
