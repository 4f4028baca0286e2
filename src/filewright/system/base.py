"""What an open file and an open folder do alike on every system; `posix` and `windows` do the rest.

What `posix` says of a method holds for all. A method of this module is what a system does that has nothing better.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar, Self

from filewright.system import beneath
from filewright.system.beneath import Ask, Steps
from filewright.system.handle import Handle
from filewright.system.status import BLOCK, Batch, Kind, Status


class BaseFile(Handle):
    """An open regular file. Reads and writes take an offset: nothing shares a position."""

    __slots__ = ()

    def read_into(self, buffer: bytearray | memoryview, offset: int) -> int:
        """Fill `buffer` from `offset`; how many bytes there were."""
        raise NotImplementedError

    def blocks(self, start: int = 0) -> Iterator[memoryview]:
        """The content from `start` in blocks of at most 1 MB; each is overwritten by the next."""
        # No larger than the file: clearing a megabyte costs more than reading most files.
        size = min(BLOCK, max(4096, self.status().size - start + 1))
        buffer = memoryview(bytearray(size))
        while count := self.read_into(buffer, start):
            yield buffer[:count]
            start += count

    def start_writeback(self, offset: int, length: int) -> None:  # noqa: ARG002
        """Let the disk begin with a range already written, so that the flush at the end finds little to do."""
        return

    def clone_from(self, source: BaseFile) -> bool:  # noqa: ARG002
        """Share all blocks of `source`; False where the file system cannot, and nothing was written."""
        return False

    def written_by_others(self) -> bool:
        """Whether another process has it open for writing now; False where nobody can tell."""
        return False

    @contextmanager
    def quiet(self) -> Iterator[Callable[[], bool]]:
        """Keep others from beginning to write to it, where the system has that; yields whether nobody writes."""
        yield lambda: not self.written_by_others()


class BaseFolder(Handle):
    """An open folder: names below it are asked of it, never of a path.

    A name is one part: no slash, no NUL, neither empty nor `..`; `.` only for `folder`. Nothing but
    `beneath` and `file_beneath` follows a link.
    """

    __slots__ = ()
    resolves: ClassVar[bool] = False
    """Whether the system resolves a path below it in one call; else it is walked part by part."""

    def stat(self, name: bytes) -> Status:
        """The status of what has that name, a link itself included. Raises `FileNotFoundError`."""
        raise NotImplementedError

    def batches(self) -> Iterator[Batch]:
        """All names, unsorted, some at a time."""
        raise NotImplementedError

    def _steps(self, *, listing: bool = False, file: bool = False) -> Steps:
        """How the walk part by part ends: at a folder, to be listed or only passed, or at a file."""
        raise NotImplementedError

    def _file(self, number: int, reached: tuple[bytes, ...]) -> Any:
        """What was just opened, if it is a regular file; else it is closed."""
        raise NotImplementedError

    def stat_beneath(self, parts: Sequence[bytes], *, cross: bool = True) -> Status:
        """The status of what `parts` leads to below this folder: a link itself, after links above it."""
        with self.beneath(parts[:-1], cross=cross, listing=False) as above:
            status = above.stat(parts[-1])
        if not cross and status.device != self.identity()[0]:
            raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))
        return status

    def scan(self) -> Iterator[tuple[bytes, Kind]]:
        """Every name and what it is, unsorted."""
        for batch in self.batches():
            yield from ((name, "file") for name in batch.files)
            yield from ((name, "folder") for name in batch.folders)
            yield from batch.others

    def is_mount(self, name: bytes) -> bool:  # noqa: ARG002
        """Whether something is mounted on a name in it: another file system, or another folder or file of this one."""
        return False

    def path(self) -> bytes | None:
        """Its absolute path at this moment; None if it was deleted, or the system does not say."""
        return None

    def beneath(
        self,
        parts: Sequence[bytes],
        *,
        links: bool = True,
        cross: bool = True,
        listing: bool = True,
        ask: Ask[Any] | None = None,
    ) -> Self:
        """The folder `parts` below this one, which may hold `..`; nothing leads out of this one.

        Relative links are followed unless `links` is False (`ELOOP`); other file systems are entered
        unless `cross` is False. What leads out is `EXDEV`. Without `listing` it serves only for names
        below it, which takes no right to read it where the system has handles. With `ask` it goes part by
        part on every system, and every part is put to it. `EAGAIN` if the folders above are renamed over and over.
        """
        steps, asked = self._steps(listing=listing), beneath.lending(type(self), ask)
        return type(self)(*beneath.retrying(steps, self._fd, parts, links=links, cross=cross, ask=asked))

    def file_beneath(
        self,
        parts: Sequence[bytes],
        *,
        links: bool = True,
        cross: bool = True,
        ask: Ask[Any] | None = None,
    ) -> Any:
        """The regular file `parts` below this folder, for reading: `beneath` and `open` in one."""
        steps, asked = self._steps(file=True), beneath.lending(type(self), ask)
        return self._file(*beneath.retrying(steps, self._fd, parts, links=links, cross=cross, ask=asked))


def require_file(status: os.stat_result) -> None:
    """Raise `NotAFileError` for what is no regular file."""
    if not stat.S_ISREG(status.st_mode):
        raise beneath.not_a_file(status)


def require_same(status: Status, expected: Status | None) -> None:
    """Raise `OSError(ESTALE)` for what is not the thing that was `expected`."""
    if expected is not None and (status.identity, status.kind) != (expected.identity, expected.kind):
        raise OSError(errno.ESTALE, os.strerror(errno.ESTALE))
