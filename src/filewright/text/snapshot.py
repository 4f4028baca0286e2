"""The immutable view of one file's bytes, whatever its size.

The content of a file up to `settings.hold_bytes` is read once and kept in memory; of a
larger file each call reads the bytes it needs. Callers notice the difference only by
`Snapshot.content`. Files are read, never mapped: if another program truncates a mapped
file, the kernel kills this process.
"""

from __future__ import annotations

import codecs
import os
import threading
import time
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING

import xxhash

from filewright import errors
from filewright.errors import Code, FilewrightError, from_os_error
from filewright.progress import Task
from filewright.settings import Settings
from filewright.system import BLOCK_BYTES, Closable, File
from filewright.system.status import CompactStat
from filewright.text import detection
from filewright.text.cache import BoundedCache
from filewright.text.codec import Encoding
from filewright.text.file_identity import FileIdentity
from filewright.text.lines import PAGE_BYTES, LineIndex, Lines, Readable

if TYPE_CHECKING:
    from filewright.boundary.launcher import Launcher
    from filewright.boundary.location import Location

VERSION_DIGITS = 16
"""Digits of the content's digest in its version token."""

# The binary type of text in an encoding that filewright does not read.
_UNREADABLE_TEXT = "text/plain; charset="

# Above this size, the last close of a deleted file takes noticeable time.
_SLOW_CLOSE_BYTES = 64 << 20

# Two writes within one tick of the file system's clock may have the same times.
_CLOCK_TICK_SECONDS = 0.02


class Snapshot(Closable):
    """One file's bytes at one moment, made from bytes or with `of_file`.

    - `size`: the number of bytes.
    - `content`: the whole content if it is in memory, else None.
    - `location`: the location at which the file was opened, if any.
    - `identity`, `status`: None for a snapshot made from bytes.

    Use it as a context manager, or call `close`.
    """

    def __init__(
        self,
        content: bytes | None,
        *,
        settings: Settings | None = None,
        file: File | None = None,
        location: Location | None = None,
        status: os.stat_result | CompactStat | None = None,
        encoding: str | None = None,
        indexes: BoundedCache[LineIndex] | None = None,
    ) -> None:
        self._size = 0
        if content is not None:
            self._size = len(content)
        elif status is not None:
            self._size = status.st_size
        self.location = location
        self.status = status
        self.identity = FileIdentity.of(status) if status is not None else None
        self.settings = settings or _DEFAULTS
        self.launcher: Launcher | None = None
        self._file = file
        self.requested_encoding = encoding
        self.indexes = indexes
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
        launcher: Launcher | None = None,
    ) -> Snapshot:
        """Return the snapshot of an open regular file, which the snapshot will close.

        The file is closed too if this raises. With `hold=False` the content is not read
        into memory, whatever the size. `launcher` starts the programs that may read the
        open file; without one, none does.
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
            snapshot.launcher = launcher
            if hold and status.st_size <= settings.hold_bytes:
                snapshot._read_content(file)
            return snapshot
        except BaseException as error:
            file.close()
            if isinstance(error, OSError):
                raise from_os_error(
                    error, location.requested_path, doing="read"
                ) from error
            raise

    def _read_content(self, file: File) -> None:
        """Read the whole content, unless the file grows past the limit meanwhile.

        A file that has just grown or shrunk gets its new size.
        """
        blocks: list[bytes] = []
        offset = 0
        while True:
            # At the expected end one byte is enough to notice that the file has grown.
            block = file.read(offset, BLOCK_BYTES if offset < self._size else 1)
            if not block:
                break
            blocks.append(block)
            offset += len(block)
            if offset > self.settings.hold_bytes + BLOCK_BYTES:
                return
        self.content, self._size = b"".join(blocks), offset

    def close(self) -> None:
        """Close the file. Content in memory stays readable."""
        file, self._file = self._file, None
        if file is None:
            return
        if self.size > _SLOW_CLOSE_BYTES:
            # If the file was replaced meanwhile, closing it frees its blocks, which
            # takes half a second for 1 GB. The call need not wait for that.
            threading.Thread(target=file.close, daemon=True).start()
        else:
            file.close()

    def release(self) -> None:
        """Close the file and drop the content, before garbage collection would."""
        self.close()
        self.content = b"" if self.content is not None else None
        self.__dict__.pop("lines", None)

    @property
    def size(self) -> int:
        """Return the number of bytes."""
        return self._size

    @property
    def known_size(self) -> int | None:
        """Return the number of bytes, or None if it costs much to find out."""
        return self._size

    @property
    def file_size(self) -> int:
        """Return the number of bytes that the file has on the disk."""
        return self._size

    @property
    def compression(self) -> str:
        """Return the format in which the file holds this text, or "" if it is plain."""
        return ""

    @property
    def problem(self) -> str:
        """Return why and where the text inside a compressed file ends early, as far as known."""
        return ""

    @property
    def text_name(self) -> bytes:
        """Return the name of the file, by which its language is known, or b""."""
        return self.location.name if self.location is not None else b""

    def clip(self, offset: int) -> int:
        """Return `offset`, or the size if that is less.

        Unlike `size` this needs no more of the content than the bytes before `offset`.
        """
        return min(offset, self.size)

    def has_byte(self, offset: int) -> bool:
        """Return True if the content has a byte at `offset`."""
        return self.clip(offset + 1) > offset

    @property
    def requested_path(self) -> str:
        """Return the path as the caller wrote it, for messages."""
        return (
            self.location.requested_path
            if self.location is not None
            else "the text"
        )

    @property
    def descriptor(self) -> int | None:
        """Return the open descriptor for a child process, or None."""
        return None if self._file is None else self._file.fileno()

    def read(self, offset: int, length: int) -> bytes:
        """Return the bytes [offset, offset + length), clipped to the snapshot.

        Raises `io_error` if the file was truncated since it was opened.
        """
        if self.content is not None:
            return self.content[offset : offset + length]
        length = max(0, min(length, self.size - offset))
        data = b""
        while len(data) < length:
            if self._file is None:
                raise FilewrightError(
                    Code.INTERNAL,
                    f"{self.requested_path} was read after it was closed",
                )
            try:
                block = self._file.read(
                    offset + len(data),
                    min(length - len(data), 64 * BLOCK_BYTES),
                )
            except OSError as error:
                raise from_os_error(
                    error, self.requested_path, doing="read"
                ) from error
            if not block:
                raise errors.path_error(
                    Code.IO_ERROR,
                    self.requested_path,
                    f"{self.requested_path} was truncated while it was read: "
                    f"byte {offset + len(data)} of {self.size} is gone",
                    "read it again",
                )
            data += block
        return data

    def peek(self, offset: int, length: int) -> bytes:
        """Return bytes as `read` does, for a pass that does not need them again."""
        return self.read(offset, length)

    def iterate_units(self, start: int) -> Generator[bytes]:
        """Yield the content from `start` on, in the units in which it is read fastest."""
        for _, block in self.blocks(start):
            yield block

    def blocks(
        self, start: int = 0, stop: int | None = None, length: int = BLOCK_BYTES
    ) -> Iterator[tuple[int, bytes]]:
        """Yield the consecutive blocks of [start, stop), each with its offset."""
        offset = start
        while stop is None or offset < stop:
            limit = length if stop is None else min(length, stop - offset)
            block = self.read(offset, limit)
            if not block:
                return
            yield offset, block
            offset += length

    @cached_property
    def binary_type(self) -> str | None:
        """Return the media type of content that cannot be read as text, else None.

        Text has no NUL near its start and end, or a byte-order mark of UTF-16. Text in
        UTF-32, or in an encoding with shift states, cannot be read.
        """
        if self.requested_encoding is not None:
            return None
        head = self.read(0, detection.EDGE_BYTES)
        if head.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
            return f"{_UNREADABLE_TEXT}utf-32"
        if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            return None
        tail_offset = max(
            detection.EDGE_BYTES, self._sampled_size - detection.EDGE_BYTES
        )
        tail = self.read(tail_offset, detection.EDGE_BYTES)
        if b"\0" in head or b"\0" in tail:
            return detection.media_type(head) or "application/octet-stream"
        if head.isascii():
            name = detection.find_stateful_encoding(
                self.read,
                self._sampled_size,
                whole=self.content is not None,
            )
            return f"{_UNREADABLE_TEXT}{name}" if name else None
        return None

    @property
    def unreadable_encoding(self) -> str:
        """Return the encoding of text that cannot be read, or "" for other content."""
        binary_type = self.binary_type or ""
        if not binary_type.startswith(_UNREADABLE_TEXT):
            return ""
        return binary_type.removeprefix(_UNREADABLE_TEXT)

    @cached_property
    def encoding(self) -> Encoding:
        """Return the encoding: the one that the caller requested, or detected."""
        return detection.detect_encoding(
            self.read,
            self._sampled_size,
            whole=self.content is not None,
            requested=self.requested_encoding,
            file_name=self.text_name,
        )

    @property
    def _sampled_size(self) -> int:
        """Return the number of bytes from which samples are taken."""
        return self.size

    @property
    def start(self) -> int:
        """Return the offset of the text, after the byte-order mark."""
        return len(self.encoding.bom)

    @cached_property
    def lines(self) -> Lines:
        """Return the lines. Their index is shared by snapshots of the same identity."""
        source: Readable = self
        if self.content is not None:
            # Lines that refer to the snapshot would form a cycle and keep the content
            # until garbage collection: too late if a call opens forty large files.
            source = _HeldText(self.content, self.encoding)
        if (
            self.indexes is None
            or self.identity is None
            or self.clip(PAGE_BYTES + 1) <= PAGE_BYTES
        ):
            # One page is counted faster than its index is looked up.
            return Lines(source)
        # The text inside a compressed file has another index than the file itself.
        key = self.identity, self.compression, self.encoding.name
        share = partial(_share, self.indexes, key, self._stability_check())
        return Lines(source, self.indexes.get(key), share)

    def _stability_check(self) -> Callable[[], bool]:
        """Return a function that tells if the file still has the identity.

        It does not refer to the snapshot, which would form a cycle.
        """
        assert self.identity is not None
        return partial(_is_stable, self._file, self.identity)

    @property
    def is_stable(self) -> bool:
        """Return True if facts about this content hold for its identity later."""
        return self.identity is not None and self._stability_check()()

    @cached_property
    def has_no_returns(self) -> bool:
        """Return True for content in memory without carriage returns (usual)."""
        return self.content is not None and b"\r" not in self.content

    @cached_property
    def dominant_terminator(self) -> bytes:
        """Return the most frequent line terminator of the file."""
        return b"\n" if self.has_no_returns else self.lines.terminators.dominant

    @property
    def line_count(self) -> int | None:
        """Return the number of lines if it is known or cheap to count, else None."""
        if self.content is None and not self.lines.is_complete:
            return None
        return self.lines.count_lines()

    def digest(self, task: Task | None = None) -> str:
        """Return the xxh3_128 of the content in hexadecimal digits, computed once."""
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
        """Return the version token.

        It is a digest of the content or, above `settings.identity_bytes`, of the
        identity.
        """
        if (
            self.content is None
            and self.identity is not None
            and self.size > self.settings.identity_bytes
        ):
            if _was_just_written(self.identity):
                # A later write must not get the same times.
                time.sleep(_CLOCK_TICK_SECONDS)
            return identity_version(self.identity)
        return self.digest()[:VERSION_DIGITS]

    def matches(self, version: str) -> bool:
        """Return True if `version` is the token of exactly this content."""
        if version.startswith("~"):
            return (
                self.identity is not None
                and identity_version(self.identity) == version
            )
        return self.digest()[:VERSION_DIGITS] == version


@dataclass(frozen=True, slots=True)
class _HeldText:
    """The content of a snapshot, for its lines."""

    content: bytes
    encoding: Encoding

    @property
    def size(self) -> int:
        """Return the number of bytes."""
        return len(self.content)

    @property
    def known_size(self) -> int:
        """Return the number of bytes."""
        return len(self.content)

    def clip(self, offset: int) -> int:
        """Return `offset`, or the size if that is less."""
        return min(offset, len(self.content))

    def read(self, offset: int, length: int, /) -> bytes:
        """Return the bytes [offset, offset + length), clipped to the content."""
        return self.content[offset : offset + length]

    peek = read


def _share(
    indexes: BoundedCache[LineIndex],
    key: tuple[FileIdentity, str, str],
    is_stable: Callable[[], bool],
    index: LineIndex,
) -> None:
    """Store an index for later snapshots, unless the file has changed since."""
    stored = indexes.get(key)
    if stored is not None:
        is_longer = len(index.before) > len(stored.before)
        if not is_longer and stored.anchor == index.anchor:
            return
    if is_stable():
        memory_bytes = 200 + 40 * len(index.before)
        indexes.put(key, index, memory_bytes)


def _is_stable(file: File | None, identity: FileIdentity) -> bool:
    """Return True if the file has the identity, and any later write would change it."""
    if file is None or file.closed:
        return False
    current_identity = FileIdentity.of(file.status().raw)
    return current_identity == identity and not _was_just_written(identity)


def _was_just_written(identity: FileIdentity) -> bool:
    """Return True if another write now might leave the identity as it is."""
    age_seconds = time.time() - max(identity.mtime_ns, identity.ctime_ns) / 1e9
    # A file from the future has a clock of its own, unless it is only a little ahead.
    return -1 < age_seconds < _CLOCK_TICK_SECONDS


def identity_version(identity: FileIdentity) -> str:
    """Return the version token of an identity: ``~`` and 16 hexadecimal digits."""
    return "~" + xxhash.xxh3_64_hexdigest(repr(identity).encode())


_DEFAULTS = Settings.defaults()
