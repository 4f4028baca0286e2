"""From a root's descriptor and a path below it to an open descriptor, without ever leaving the root.

Two resolvers with the same answers: the kernel's `openat2`, and a walk component by component with
`O_NOFOLLOW` that resolves relative links itself. Both refuse an absolute link wherever it points,
a link or `..` that leads above the root (`EXDEV`), and the kernel's magic links.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass

from filewright.system import kernel

# The kernel's own limit on links met in one resolution.
_LINKS = 40
# `EAGAIN` means that a rename crossed a `..`; it is rare unless someone races us on purpose.
_RETRIES = 128
# What one call may hold (PATH_MAX with its NUL), with room to spare.
_PATH_BYTES = 4000

_O_PATH = kernel.O_PATH or os.O_RDONLY
_LOOK = _O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC
_STEP = _O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class _RacedError(OSError):
    """What was a folder a moment ago is something else now; the walk starts again."""


@dataclass(frozen=True, slots=True)
class Resolver:
    """How paths are opened: with `openat2` if `by_kernel`, crossing mounts if `cross_devices`."""

    by_kernel: bool
    cross_devices: bool

    def open(
        self, root: int, parts: Sequence[bytes], flags: int, mode: int = 0, *, links: bool = True
    ) -> int:
        """Open `parts` below the descriptor `root`; `()` is the root itself.

        Relative links are followed inside the root, the last one too unless `flags` holds
        `O_NOFOLLOW`; with `links=False` any link is refused (`ELOOP`). Raises `OSError`; `EXDEV`
        means that the path leads out.
        """
        if not self.by_kernel:
            return self._walk_retrying(root, parts, flags, mode, links)
        resolve = kernel.RESOLVE_BENEATH | kernel.RESOLVE_NO_MAGICLINKS
        if not links:
            resolve |= kernel.RESOLVE_NO_SYMLINKS
        if not self.cross_devices:
            resolve |= kernel.RESOLVE_NO_XDEV
        path = b"/".join(parts) or b"."
        if len(path) > _PATH_BYTES:
            # More than one call can hold: a link in the middle may lead anywhere inside the root.
            return self._walk_retrying(root, parts, flags, mode, links)
        for _ in range(_RETRIES):
            try:
                return kernel.openat2(root, path, flags, resolve, mode)
            except OSError as error:
                if error.errno not in (errno.EAGAIN, errno.EINTR):
                    raise
        return self._walk_retrying(root, parts, flags, mode, links)

    def open_folder(self, root: int, parts: Sequence[bytes], flags: int) -> tuple[int, tuple[bytes, ...]]:
        """Open the folder `parts`, which may hold `..`, and say where it really is below the root.

        The names returned hold no link and no `..`: they were found in the walk that opened the
        descriptor, not before or after it.
        """
        if b".." not in parts:
            try:
                return self.open(root, parts, flags | os.O_DIRECTORY, links=False), tuple(parts)
            except OSError as error:
                if error.errno != errno.ELOOP:
                    raise
        for _ in range(_RETRIES):
            try:
                folder, names = self._walk(
                    root, (*parts, b"."), flags | os.O_DIRECTORY | os.O_CLOEXEC, 0, True
                )
            except _RacedError:
                continue
            return folder, tuple(names)
        raise OSError(errno.EAGAIN, "the folders above it are being renamed")

    def _walk_retrying(self, root: int, parts: Sequence[bytes], flags: int, mode: int, links: bool) -> int:
        for _ in range(_RETRIES):
            try:
                return self._walk(root, parts, flags | os.O_CLOEXEC, mode, links)[0]
            except _RacedError:
                continue
        raise OSError(errno.EAGAIN, "the folders above it are being renamed")

    def _walk(
        self, root: int, parts: Sequence[bytes], flags: int, mode: int, links: bool
    ) -> tuple[int, list[bytes]]:
        """The walk itself: the descriptor, and the names from the root to the folder it was found in.

        For a folder opened as `…/.` these names are its own path.
        """
        device = None if self.cross_devices else os.fstat(root).st_dev
        pending = [part for part in reversed(parts) if part != b""] or [b"."]
        names: list[bytes] = []
        followed = 0
        folder = os.open(b".", _STEP, dir_fd=root)
        try:
            while True:
                part = pending.pop()
                if part == b".":
                    if not pending:
                        return self._open_here(folder, flags), names
                    continue
                if part == b"..":
                    if not names:
                        raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))
                    names.pop()
                    above = self._descend(root, names, device)
                    os.close(folder)
                    folder = above
                    if not pending:
                        return self._open_here(folder, flags), names
                    continue
                last = not pending
                try:
                    found = os.open(part, _LOOK, dir_fd=folder)
                except FileNotFoundError:
                    if not (last and flags & os.O_CREAT):
                        raise
                    return os.open(part, flags | os.O_NOFOLLOW, mode, dir_fd=folder), names
                try:
                    status = os.fstat(found)
                    if device is not None and status.st_dev != device:
                        raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))
                    if stat.S_ISLNK(status.st_mode) and not (last and flags & os.O_NOFOLLOW):
                        followed += 1
                        if not links or followed > _LINKS:
                            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
                        target = os.readlink(b"", dir_fd=found)
                        if target.startswith(b"/"):
                            raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))
                        steps = [step for step in target.split(b"/") if step]
                        if target.endswith(b"/"):
                            steps.append(b".")
                        pending.extend(reversed(steps))
                        continue
                    if last:
                        return self._open_last(folder, part, (found, status), flags, mode), names
                    if not stat.S_ISDIR(status.st_mode):
                        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
                    names.append(part)
                    folder, found = found, folder
                finally:
                    os.close(found)
        finally:
            os.close(folder)

    @staticmethod
    def _open_here(folder: int, flags: int) -> int:
        return os.open(b".", flags & ~os.O_CREAT, dir_fd=folder)

    @staticmethod
    def _open_last(folder: int, name: bytes, seen: tuple[int, os.stat_result], flags: int, mode: int) -> int:
        found, status = seen
        if flags & _O_PATH == _O_PATH and kernel.O_PATH:
            if flags & os.O_DIRECTORY and not stat.S_ISDIR(status.st_mode):
                raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
            return os.dup(found)
        try:
            descriptor = os.open(name, flags | os.O_NOFOLLOW, mode, dir_fd=folder)
        except OSError as error:
            if error.errno == errno.ELOOP and not stat.S_ISLNK(status.st_mode):
                raise _RacedError(errno.EAGAIN, os.strerror(errno.EAGAIN)) from error
            raise
        return descriptor

    @staticmethod
    def _descend(root: int, names: Sequence[bytes], device: int | None) -> int:
        folder = os.open(b".", _STEP, dir_fd=root)
        for name in names:
            try:
                below = os.open(name, _STEP, dir_fd=folder)
            except OSError as error:
                raise _RacedError(errno.EAGAIN, os.strerror(errno.EAGAIN)) from error
            finally:
                os.close(folder)
            folder = below
            if device is not None and os.fstat(folder).st_dev != device:
                os.close(folder)
                raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))
        return folder
