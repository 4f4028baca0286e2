"""What a file is to hold, as a stream of blocks that never needs the whole file in memory; and flushing it."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property

import xxhash

from filewright import system
from filewright.annotations import TYPE_CHECKING, NamedTuple
from filewright.errors import Code, FilewrightError
from filewright.system import File, Folder

if TYPE_CHECKING:
    from filewright.edit import Stream
    from filewright.text import Splice

BLOCK = 1 << 20
MANY = 128
"""Above so many, one flush of the whole file system costs less than one for each."""
_AT_ONCE = 16

Block = bytes | memoryview
"""Part of a content; valid until the next one."""


class Held(NamedTuple):
    """Bytes in memory."""

    data: bytes

    @property
    def size(self) -> int:
        """How many bytes."""
        return len(self.data)

    def blocks(self) -> Iterator[Block]:
        """The bytes, in views of at most a block."""
        view = memoryview(self.data)
        for start in range(0, len(view), BLOCK):
            yield view[start : start + BLOCK]


class Edited:
    """Another content with splices applied on the way.

    `codec` names the encoding that the content before must decode by; it was only sampled when
    the replacements were encoded. Raises `unencodable` if the guess was wrong.
    """

    def __init__(
        self, base: Stream, splices: Sequence[Splice], codec: str | None = None, asked: str = ""
    ) -> None:
        self.base = base
        self.splices = splices
        self.codec = codec
        self.asked = asked

    @cached_property
    def size(self) -> int:
        """How many bytes."""
        return self.base.size + sum(len(s.replacement) - s.length for s in self.splices)

    def blocks(self, tap: Callable[[Block], None] | None = None) -> Iterator[Block]:
        """The bytes from the start; `tap` sees every block of the content before on its way."""
        blocks = self.base.blocks()
        if tap is not None:
            blocks = tapped(blocks, tap)
        return spliced(validated(blocks, self.codec, self.asked) if self.codec else blocks, self.splices)


def tapped(blocks: Iterable[Block], tap: Callable[[Block], None]) -> Iterator[Block]:
    """`blocks` unchanged, each shown to `tap` on its way."""
    for block in blocks:
        tap(block)
        yield block


def spliced(blocks: Iterable[Block], splices: Sequence[Splice]) -> Iterator[Block]:
    """`blocks` with ordered `splices` applied: `text.splice.apply` for streams."""
    position = cursor = 0
    left = iter(splices)
    splice = next(left, None)
    for block in blocks:
        view = memoryview(block)
        end = position + len(view)
        while splice is not None and splice.offset < end:
            if splice.offset > cursor:
                yield view[cursor - position : splice.offset - position]
            if splice.replacement:
                yield splice.replacement
            cursor = splice.end
            splice = next(left, None)
        if cursor < end:
            yield view[cursor - position :]
            cursor = end
        position = end
    while splice is not None:
        if splice.replacement:
            yield splice.replacement
        splice = next(left, None)


def validated(blocks: Iterable[Block], codec: str, asked: str) -> Iterator[Block]:
    """`blocks` unchanged, decoded by `codec` on the way to see whether it is theirs."""
    decoder = codecs.getincrementaldecoder(codec)()
    try:
        for block in blocks:
            decoder.decode(bytes(block))
            yield block
        decoder.decode(b"", True)
    except UnicodeDecodeError as error:
        raise FilewrightError(
            Code.UNENCODABLE,
            f"{asked} is not {codec} throughout, though its first and last parts are",
            hint="give the file's encoding, or a replacement that is plain ASCII",
            details={"path": asked, "encoding": codec},
        ) from error


def digest_of(content: File | Stream, *, size: int | None = None) -> str:
    """xxh3_128 of all blocks of something, or of its first `size` bytes, in hex."""
    state = xxhash.xxh3_128()
    for block in content.blocks():
        state.update(block if size is None else block[:size])
        if size is not None:
            size = max(0, size - len(block))
            if not size:
                break
    return state.hexdigest()


class OnDisk(NamedTuple):
    """What a file holds on the disk; `opener` opens it once more each time."""

    opener: Callable[[], File]
    size: int

    def blocks(self) -> Iterator[Block]:
        """The bytes, to the file's end whatever its size has become."""
        with self.opener() as file:
            yield from file.blocks()


def copy_blocks(file: File, fresh: File) -> None:
    """Write all that a file holds into a new one, and flush it."""
    offset = 0
    for block in file.blocks():
        fresh.write(block, offset)
        offset += len(block)
    fresh.flush()


class Flusher:
    """Flushes where flushing is on (it is switched off to test the tests of power cuts)."""

    def __init__(self, *, enabled: bool) -> None:
        self.enabled = enabled
        self.count = 0

    def all(self, handles: Sequence[File | Folder]) -> None:
        """Flush files' contents and folders' entries, side by side; all are tried, the first error is raised."""
        if self.enabled:
            self.count += len(handles)
            system.flush_all(handles)

    def one(self, handle: File | Folder) -> None:
        """Flush a file's content or a folder's entries."""
        self.all((handle,))

    def file_system(self, handle: File | Folder) -> None:
        """Flush everything on the file system of an open file or folder, where the system can."""
        if self.enabled:
            self.count += handle.flush_file_system()


class Flushing:
    """Flushes open files and folders, each once and some together; many by their file systems, where the system can.

    What is added is let go of when it is flushed, and so closed if nobody else holds it.
    """

    def __init__(self, flusher: Flusher, *, many: bool = False) -> None:
        self._flusher = flusher
        self._by_file_system = many and system.can.flush_file_system
        self._flushed: set[tuple[int, int | None]] = set()
        self._pending: list[File | Folder] = []

    def has(self, identity: tuple[int, int]) -> bool:
        """Whether it is flushed, or will be at the end."""
        return self._key(identity) in self._flushed

    def add(self, handle: File | Folder) -> None:
        """Flush it, at the end at the latest. Raises `OSError`."""
        if len(self._flushed) >= MANY and system.can.flush_file_system and not self._by_file_system:
            self.end()
            self._by_file_system = True
        identity = handle.identity()
        if not self.has(identity):
            self._flushed.add(self._key(identity))
            self._pending.append(handle)
            if len(self._pending) >= _AT_ONCE and not self._by_file_system:
                self.end()

    def end(self) -> None:
        """Flush what is not flushed yet. Raises `OSError`."""
        if self._by_file_system:
            for handle in self._pending:
                self._flusher.file_system(handle)
        else:
            self._flusher.all(self._pending)
        self._pending.clear()

    def close(self) -> None:
        """Close what was not flushed."""
        for handle in self._pending:
            handle.close()

    def _key(self, identity: tuple[int, int]) -> tuple[int, int | None]:
        return identity[0], None if self._by_file_system else identity[1]
