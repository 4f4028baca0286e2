"""One immutable view of one file's bytes, whatever its size.

Up to `settings.hold_bytes` the content is read once and held; above, every read is a `pread` into a
fresh buffer of bounded size. Callers cannot tell the difference except by `held`. Files are read,
never mapped: a mapped file that someone truncates kills the process.
"""

from __future__ import annotations

import codecs
import os
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING

import xxhash

from filewright import errors
from filewright.errors import Code, FilewrightError, from_os_error
from filewright.progress import Task
from filewright.settings import Settings
from filewright.system import BLOCK_BYTES, Closable, File
from filewright.text import detection
from filewright.text.cache import BoundedCache
from filewright.text.codec import Encoding
from filewright.text.lines import PAGE_BYTES, LineIndex, Lines

if TYPE_CHECKING:
    from filewright.boundary.location import Location

VERSION_DIGITS = 16
"""The first digits of a content's digest are its version token."""

_UNREAD = "text/plain; charset="

_SLOW_TO_FREE = 64 << 20

_TICK = 0.02  # seconds; a second write within one tick of the clock may leave the times unchanged


@dataclass(frozen=True, slots=True)
class FileIdentity:
    """Which file, at which moment: device, inode, size and both nanosecond times when it was opened."""

    device: int
    inode: int
    size: int
    mtime_ns: int
    ctime_ns: int

    @classmethod
    def of(cls, status: os.stat_result) -> FileIdentity:
        """The identity in a `stat` result."""
        return cls(
            status.st_dev,
            status.st_ino,
            status.st_size,
            status.st_mtime_ns,
            status.st_ctime_ns,
        )


class Snapshot(Closable):
    """One file's bytes at one moment.

    `size` in bytes; `identity` None when made from bytes; `held` the whole content or None;
    `location` where it was opened. Made of bytes, which it holds, or by `of_file`. Use as a context manager, or call
    `close`.
    """

    def __init__(
        self,
        content: bytes | None,
        *,
        settings: Settings | None = None,
        file: File | None = None,
        location: Location | None = None,
        status: os.stat_result | None = None,
        encoding: str | None = None,
        indexes: BoundedCache[LineIndex] | None = None,
    ) -> None:
        self.size = (
            len(content)
            if content is not None
            else status.st_size
            if status is not None
            else 0
        )
        self.location = location
        self.status = status
        self.identity = FileIdentity.of(status) if status is not None else None
        self.settings = settings or _DEFAULTS
        self._file = file
        self._requested_encoding = encoding
        self._indexes = indexes
        self.content = content
        self._digest = ""

    @classmethod
    def of_file(
        cls,
        file: File,
        location: Location,
        settings: Settings,
        *,
        encoding: str | None = None,
        indexes: BoundedCache[LineIndex] | None = None,
        hold: bool = True,
    ) -> Snapshot:
        """A snapshot of an open regular file; takes it over, also when it raises.

        With `hold=False` nothing is read before it is asked for, whatever the size.
        """
        try:
            status = file.status().raw
            snapshot = cls(
                None,
                settings=settings,
                file=file,
                location=location,
                status=status,
                encoding=encoding,
                indexes=indexes,
            )
            if not hold or status.st_size > settings.hold_bytes:
                return snapshot
            # All of it, as it is now: a file that just grew or shrank is taken at its new size.
            parts: list[bytes] = []
            offset = 0
            while block := file.read(
                offset, BLOCK_BYTES if snapshot.size > offset else 1
            ):
                parts.append(block)
                offset += len(block)
                if offset > settings.hold_bytes + BLOCK_BYTES:
                    return snapshot  # it grows while we read: leave it to windows of the size it had
            snapshot.content, snapshot.size = b"".join(parts), offset
            return snapshot
        except BaseException as error:
            file.close()
            if isinstance(error, OSError):
                raise from_os_error(
                    error, location.requested_path, doing="read"
                ) from error
            raise

    def close(self) -> None:
        """Let go of the file. Held content stays readable."""
        file, self._file = self._file, None
        if file is None:
            return
        if self.size > _SLOW_TO_FREE:
            # If the file was replaced meanwhile, this is its last name, and freeing 1 GB takes the system
            # half a second: nobody has to wait for that.
            threading.Thread(target=file.close, daemon=True).start()
        else:
            file.close()

    def release(self) -> None:
        """Let go of the file and of its content, which nobody reads any more; no collection has to find it first."""
        self.close()
        self.content = b"" if self.content is not None else None
        self.__dict__.pop("lines", None)

    @property
    def requested_path(self) -> str:
        """The path as the caller wrote it, for messages."""
        return self.location.requested_path if self.location is not None else "the text"

    @property
    def descriptor(self) -> int | None:
        """The open descriptor, for handing to a child process; None when made from bytes."""
        return None if self._file is None else self._file.fileno()

    def read(self, offset: int, length: int) -> bytes:
        """The bytes [offset, offset + length), clipped to the snapshot.

        Raises `io_error` if the file was truncated since it was opened.
        """
        if self.content is not None:
            return self.content[offset : offset + length]
        length = max(0, min(length, self.size - offset))
        data = b""
        while len(data) < length:
            if self._file is None:
                raise FilewrightError(
                    Code.INTERNAL, f"{self.requested_path} was read after it was closed"
                )
            try:
                block = self._file.read(
                    offset + len(data), min(length - len(data), 64 * BLOCK_BYTES)
                )
            except OSError as error:
                raise from_os_error(error, self.requested_path, doing="read") from error
            if not block:
                raise errors.path_error(
                    Code.IO_ERROR,
                    self.requested_path,
                    f"{self.requested_path} was truncated while it was read: "
                    f"byte {offset + len(data)} of {self.size} is no longer there",
                    "read it again",
                )
            data += block  # The first as it is: there is nothing to copy.
        return data

    def blocks(
        self, start: int = 0, stop: int | None = None, length: int = BLOCK_BYTES
    ) -> Iterator[tuple[int, bytes]]:
        """(offset, bytes) of consecutive blocks of [start, stop)."""
        stop = self.size if stop is None else min(stop, self.size)
        for offset in range(start, stop, length):
            yield offset, self.read(offset, min(length, stop - offset))

    @cached_property
    def binary_type(self) -> str | None:
        """The media type if this is not text that can be read; else None.

        Text has no NUL at either end, or a mark of UTF-16; what is in UTF-32, or in an encoding with shift states,
        is text that cannot be read.
        """
        if self._requested_encoding is not None:
            return None
        head = self.read(0, detection.EDGE_BYTES)
        if head.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
            return f"{_UNREAD}utf-32"
        if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            return None
        if b"\0" in head or b"\0" in self.read(
            max(detection.EDGE_BYTES, self.size - detection.EDGE_BYTES),
            detection.EDGE_BYTES,
        ):
            return detection.media_type(head) or "application/octet-stream"
        if head.isascii():
            name = detection.find_stateful_encoding(
                self.read, self.size, whole=self.content is not None
            )
            return f"{_UNREAD}{name}" if name else None
        return None

    @property
    def unreadable_encoding(self) -> str:
        """The encoding of text that cannot be read here: UTF-32, or one with shift states; else ""."""
        binary = self.binary_type or ""
        return binary.removeprefix(_UNREAD) if binary.startswith(_UNREAD) else ""

    @cached_property
    def encoding(self) -> Encoding:
        """What the bytes mean: by the caller's word, the byte-order mark, strict UTF-8, the declaration, a detector."""
        name = self.location.name if self.location is not None else b""
        return detection.detect_encoding(
            self.read,
            self.size,
            whole=self.content is not None,
            asked=self._requested_encoding,
            file_name=name,
        )

    @property
    def start(self) -> int:
        """Where text begins: past the byte-order mark."""
        return len(self.encoding.bom)

    @cached_property
    def lines(self) -> Lines:
        """Where its lines are. What is counted is shared with other snapshots of the same identity."""
        # Lines that referred to a snapshot that refers to them would keep its content until a collection of cycles:
        # that of forty files in one call, if each is large.
        source = (
            self if self.content is None else _HeldText(self.content, self.encoding)
        )
        if self._indexes is None or self.identity is None or self.size <= PAGE_BYTES:
            return Lines(source)  # a page is counted again sooner than it is looked up
        key = self.identity, self.size, self.encoding.name
        share = partial(_share, self._indexes, key, self._file)
        return Lines(source, self._indexes.get(key), share)

    @property
    def is_stable(self) -> bool:
        """Whether what is learned of it holds for whoever meets its identity again."""
        return self.identity is not None and _is_settled(self._file, self.identity)

    @cached_property
    def has_no_returns(self) -> bool:
        """Whether it is held and every line ends in a newline: the usual case."""
        return self.content is not None and b"\r" not in self.content

    @cached_property
    def dominant_terminator(self) -> bytes:
        """The file's most frequent terminator; counted only where there is a choice."""
        return b"\n" if self.has_no_returns else self.lines.terminators.dominant

    @property
    def line_count(self) -> int | None:
        """The number of lines where it is known or cheap to know, else None."""
        return (
            self.lines.count_lines()
            if self.content is not None or self.lines.is_complete
            else None
        )

    def digest(self, task: Task | None = None) -> str:
        """xxh3_128 of the content in hex: one pass, which the task can cancel, the first time it is asked for."""
        if not self._digest:
            state = xxhash.xxh3_128()
            for offset in range(0, self.size, BLOCK_BYTES):
                if task is not None:
                    task.check()
                    task.report(offset, self.size, "hashing")
                state.update(self.read(offset, BLOCK_BYTES))
            self._digest = state.hexdigest()
        return self._digest

    @cached_property
    def version(self) -> str:
        """The token of this content; of a file above `settings.identity_bytes`, of its identity."""
        if (
            self.content is None
            and self.identity is not None
            and self.size > self.settings.identity_bytes
        ):
            if _was_just_written(
                self.identity
            ):  # a later write must not fit into the same tick of the clock
                time.sleep(_TICK)
            return identity_version(self.identity)
        return self.digest()[:VERSION_DIGITS]

    def matches(self, version: str) -> bool:
        """Whether `version` is a token of exactly this content (reads it all only if it must)."""
        if version.startswith("~"):
            return (
                self.identity is not None and identity_version(self.identity) == version
            )
        return self.digest()[:VERSION_DIGITS] == version


@dataclass(frozen=True, slots=True)
class _HeldText:
    """The content of a snapshot that holds it, for its lines."""

    content: bytes
    encoding: Encoding

    @property
    def size(self) -> int:
        """The number of bytes."""
        return len(self.content)

    def read(self, offset: int, length: int, /) -> bytes:
        """Return the bytes [offset, offset + length), clipped to the content."""
        return self.content[offset : offset + length]


def _share(
    indexes: BoundedCache[LineIndex],
    key: tuple[FileIdentity, int, str],
    file: File | None,
    index: LineIndex,
) -> None:
    """Keep an index for the next snapshot, unless the file is no longer what was counted."""
    known = indexes.get(key)
    if (
        known is not None
        and len(known.before) >= len(index.before)
        and known.known == index.known
    ):
        return
    if _is_settled(file, key[0]):
        indexes.put(key, index, 200 + 40 * len(index.before))  # about what it takes


def _is_settled(file: File | None, identity: FileIdentity) -> bool:
    """Whether an open file still has the identity, and another write now would change that."""
    if file is None or file.closed:
        return False
    return FileIdentity.of(file.status().raw) == identity and not _was_just_written(
        identity
    )


def _was_just_written(identity: FileIdentity) -> bool:
    """Whether another write now could leave the identity as it is."""
    return -1 < time.time() - max(identity.mtime_ns, identity.ctime_ns) / 1e9 < _TICK


def identity_version(identity: FileIdentity) -> str:
    """The token of an identity: ``~`` and 16 hex digits."""
    return "~" + xxhash.xxh3_64_hexdigest(repr(identity).encode())


_DEFAULTS = Settings.defaults()
