"""What publishing, taking back and cleaning up all do: rename, exchange, alter, remove, keep.

Something that is neither as it was before nor as we made it belongs to somebody else: it is left
where it is, and what we hold of the other version is kept and reported.
"""

from __future__ import annotations

import errno
import os
import stat
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from filewright.boundary import kernel
from filewright.changes import leases
from filewright.changes.content import listed
from filewright.changes.flushing import Flusher
from filewright.changes.ground import Ground, kind_of, matches
from filewright.changes.operations import Alter, Leaf, Plan, Put, Seal, Slot
from filewright.changes.planner import is_temporary
from filewright.changes.refusals import stale

_NO_EXCHANGE = (errno.ENOSYS, errno.EINVAL, errno.EOPNOTSUPP)
_AT_ONCE, _FEW, _LITTLE = 256, 16, 64 << 20
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC

Keep = Callable[[int, bytes, str], str | None]
"""Moves (folder, name), shown as the third, into the state folder; returns where to, None if it cannot."""


@dataclass(slots=True)
class Findings:
    """What somebody else's doings made us find: `conflicts` to be told, `waiting` slots to come back to.

    `cleaned` counts what was still there to be cleaned up.
    """

    conflicts: list[str] = field(default_factory=list)
    waiting: list[str] = field(default_factory=list)
    cleaned: int = 0


class Hands:
    """Works on one plan's slots; `findings` collects what others' doings brought up."""

    def __init__(self, plan: Plan, ground: Ground, flusher: Flusher, keep: Keep, *, hash_up_to: int) -> None:
        self._plan = plan
        self._ground = ground
        self._flusher = flusher
        self._keep = keep
        self._hash_up_to = hash_up_to
        self.findings = Findings()
        self._unlinked: list[int] = []
        self._freed = 0

    def _fd(self, slot: Slot) -> int:
        descriptor = self._ground.fd(slot.folder)
        if descriptor is None:
            raise FileNotFoundError(errno.ENOENT, "its folder is gone")
        return descriptor

    def _rename(self, source: Slot, target: Slot) -> None:
        kernel.rename_noreplace(self._fd(source), source.name, self._fd(target), target.name)

    def _swap(self, operation: Put) -> Slot:
        """Exchange carrier and place; returns the slot that now holds what was displaced."""
        carrier, place, spare = operation.carrier, operation.place, operation.spare
        try:
            kernel.exchange(self._fd(carrier), carrier.name, self._fd(place), place.name)
        except OSError as error:
            if error.errno not in _NO_EXCHANGE:
                raise
        else:
            return carrier
        folder = self._fd(place)
        try:
            os.link(place.name, spare.name, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
        except OSError:
            # A folder, or a file system without links: for a moment nothing has that name.
            os.rename(place.name, spare.name, src_dir_fd=folder, dst_dir_fd=folder)
        os.rename(carrier.name, place.name, src_dir_fd=self._fd(carrier), dst_dir_fd=folder)
        return spare

    def _alter(self, operation: Alter, *, forward: bool) -> None:
        old, new = (0, 1) if forward else (1, 0)
        try:
            descriptor = os.open(
                operation.place.name,
                (kernel.O_PATH or os.O_RDONLY) | os.O_NOFOLLOW | os.O_CLOEXEC,
                dir_fd=self._fd(operation.place),
            )
        except FileNotFoundError:
            if forward:
                raise
            return
        try:
            status = os.fstat(descriptor)
            ours = status.st_ino == operation.seal.inode and kind_of(status) == operation.seal.kind
            if forward and not ours:
                raise stale(self._ground.shown(operation.place))
            seen = (status.st_uid, status.st_gid)
            before = (operation.uid[old], operation.gid[old])
            after = (operation.uid[new], operation.gid[new])
            modes = {operation.mode[old], operation.mode[0] & 0o1777}
            foreign = seen not in (before, after) or (not forward and status.st_mode & 0o7777 not in modes)
            if forward and foreign:
                raise stale(self._ground.shown(operation.place))
            if not ours or foreign:
                return  # Somebody else changed it since: theirs counts.
            if seen != after:
                os.chown(f"/proc/self/fd/{descriptor}", *after)
            kernel.chmod_descriptor(descriptor, operation.mode[new])
            self._flush_inode(descriptor)
        finally:
            os.close(descriptor)

    def _flush_inode(self, looked: int) -> None:
        try:
            descriptor = os.open(f"/proc/self/fd/{looked}", os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError:
            return  # Not readable to us: its attributes reach the disk with the next flush of its folder.
        try:
            self._flusher.one(descriptor)
        finally:
            os.close(descriptor)

    def flush(self) -> None:
        """Flush every folder the operations act in."""
        descriptors = [self._ground.fd(number) for number in range(len(self._plan.folders))]
        self._flusher.all(descriptor for descriptor in descriptors if descriptor is not None)

    def _half_linked(self, operation: Put, waiting: os.stat_result) -> bool:
        """A rename done by link and unlink that came half way: one inode, both names."""
        placed = self._ground.status(operation.place)
        return placed is not None and placed.st_ino == waiting.st_ino and placed.st_dev == waiting.st_dev

    @staticmethod
    def _known(seal: Seal) -> bool:
        return seal.kind != "file" or seal.digest is not None

    def _remove_tree(self, slot: Slot, tree: Sequence[Leaf], shown: str) -> None:
        """Remove exactly what a tree lists; what others have put there stays, or is kept."""
        folder = self._ground.fd(slot.folder)
        if folder is None or self._ground.status(slot) is None:
            return
        if self._remove_leaves(folder, slot.name, {leaf.parts: leaf.seal for leaf in tree}, (), shown):
            return
        if is_temporary(slot.name) and shown not in self.findings.waiting:
            self._rescue(folder, slot.name, shown, "was added to while it was deleted")
        elif not is_temporary(slot.name):
            self.findings.conflicts.append(f"{shown}: others have put something into it; that stays")

    def _remove_leaves(
        self,
        above: int,
        name: bytes,
        seals: dict[tuple[bytes, ...], Seal],
        parts: tuple[bytes, ...],
        shown: str,
    ) -> bool:
        try:
            descriptor = _open_to_empty(above, name)
        except FileNotFoundError:
            return True
        clean = True
        try:
            for below in listed(descriptor):
                seal = seals.get((*parts, below))
                if seal is None:
                    clean = False
                elif seal.kind == "folder":
                    clean &= self._remove_leaves(descriptor, below, seals, (*parts, below), shown)
                elif seal.kind == "file":
                    clean &= self._remove_listed(descriptor, below, seal, shown)
                else:
                    os.unlink(below, dir_fd=descriptor)
        finally:
            os.close(descriptor)
        if clean:
            os.rmdir(name, dir_fd=above)
        return clean

    def _remove_listed(self, folder: int, name: bytes, seal: Seal, shown: str) -> bool:
        if seal.inode is not None:
            return self._remove_file(folder, name, seal, shown)
        if self._known(seal) and not matches(folder, name, seal):
            return False
        os.unlink(name, dir_fd=folder)
        return True

    def _remove_file(self, folder: int, name: bytes, before: Seal, shown: str) -> bool:
        """Remove a displaced file unless somebody writes to it; keep it if somebody has written."""
        try:
            with leases.quiet(folder, name) as descriptor:
                if descriptor is None:
                    self.findings.waiting.append(shown)
                    return False
                status = os.fstat(descriptor)
                same = (status.st_ino, status.st_size, status.st_mtime_ns) == (
                    before.inode,
                    before.size,
                    before.mtime_ns,
                )
                if not (
                    same and (before.digest is None or (before.size or 0) > self._hash_up_to)
                ) and not matches(folder, name, before):
                    return self._rescue(folder, name, shown, "was written to by a program that held it open")
                os.unlink(name, dir_fd=folder)
                self._unlinked.append(os.dup(descriptor))
                self._freed += status.st_size
            if len(self._unlinked) >= _AT_ONCE:
                self._free()
        except FileNotFoundError:
            pass  # Removed before a crash, or by a person: nothing left to do.
        return True

    def _discard(self, slot: Slot) -> None:
        """Remove a temporary of ours that nobody has ever seen under another name."""
        if not is_temporary(slot.name):
            return
        folder = self._fd(slot)
        status = self._ground.status(slot)
        if status is None:
            return
        if kind_of(status) == "folder":
            remove_all(folder, slot.name)
        else:
            os.unlink(slot.name, dir_fd=folder)

    def _conflict(self, place: Slot, why: str, holder: Slot | None = None) -> None:
        shown = self._ground.shown(place)
        if holder is None:
            self.findings.conflicts.append(f"{shown} {why}")
        else:
            self._rescue(self._fd(holder), holder.name, shown, why)

    def _free(self) -> None:
        """Close what was removed; the last close frees the blocks, and nobody has to wait for many."""
        held, self._unlinked = self._unlinked, []
        much = len(held) > _FEW or self._freed > _LITTLE
        self._freed = 0
        if much:
            threading.Thread(target=_close_all, args=(held,), daemon=True).start()
        else:
            _close_all(held)

    def _rescue(self, folder: int, name: bytes, shown: str, why: str) -> bool:
        kept = self._keep(folder, name, shown)
        if kept is None:
            self.findings.waiting.append(shown)
            return False
        self.findings.conflicts.append(f"{shown} {why}; the other version is kept as {kept}")
        return True


def _close_all(descriptors: Sequence[int]) -> None:
    for descriptor in descriptors:
        os.close(descriptor)


def _open_to_empty(above: int, name: bytes) -> int:
    """Open a folder that is to be removed; what is in a read-only one could not be removed."""
    descriptor = os.open(name, _FOLDER, dir_fd=above)
    try:
        status = os.fstat(descriptor)
        if not status.st_mode & stat.S_IWUSR and status.st_uid == os.geteuid():
            os.fchmod(descriptor, stat.S_IMODE(status.st_mode) | stat.S_IRWXU)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


def remove_all(folder: int, name: bytes) -> None:
    """Remove a folder of ours with all that is in it."""
    descriptor = _open_to_empty(folder, name)
    try:
        for below in listed(descriptor):
            status = os.stat(below, dir_fd=descriptor, follow_symlinks=False)
            if kind_of(status) == "folder":
                remove_all(descriptor, below)
            else:
                os.unlink(below, dir_fd=descriptor)
    finally:
        os.close(descriptor)
    os.rmdir(name, dir_fd=folder)
