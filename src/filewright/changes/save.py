"""Saving what undo needs, before anything is changed; and checking, by the way, what is there.

Files up to `whole_undo_bytes` are kept whole. Of a larger one that is edited, the bytes under each
splice are kept; one that is deleted or overwritten stays as it is under a second name in the state
folder, or is copied there.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass

import xxhash

from filewright.boundary import Location
from filewright.changes import attributes, leases
from filewright.changes.blobs import BlobStore
from filewright.changes.content import listed, read_blocks
from filewright.changes.draft import DEEPEST, Draft, Folder, Node, too_deep
from filewright.changes.identifiers import number_of
from filewright.changes.operations import Leaf, Seal
from filewright.changes.record import Entry, Place, Side, Span
from filewright.changes.recordfile import Writer
from filewright.changes.refusals import stale
from filewright.errors import Code, FilewrightError, from_os_error
from filewright.progress import Task
from filewright.settings import KB, MB, Settings
from filewright.text import Identity

_INLINE_EACH = 256 * KB
_INLINE_ALL = 16 * MB
# An edit that takes more than this out of a large file is undone from the displaced file itself.
_SPLICED = 16 * MB
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


@dataclass(frozen=True, slots=True)
class Saved:
    """What is known of a displaced thing: its seal, its side in history, and for a folder what it holds.

    `tree` lists everything physically in a displaced folder, `below` the history of what is deleted
    with it. `spans`, `removed`, `inserted` are as in `Entry`.
    """

    seal: Seal
    side: Side
    tree: tuple[Leaf, ...] = ()
    below: tuple[Entry, ...] = ()
    spans: tuple[Span, ...] = ()
    removed: str | None = None
    inserted: str | None = None


def place_of(folder: Folder, name: bytes) -> Place:
    """The path of a name in a folder of the disk, as it was at the start."""
    assert folder.where is not None
    root = folder.where.root
    return Place(root.resolved or root.path, (*folder.where.parts, name))


class Saver:
    """Saves for one change; `adopted` are the blobs to be dropped if the change is taken back."""

    def __init__(
        self,
        draft: Draft,
        settings: Settings,
        writer: Writer,
        blobs: BlobStore,
        identifier: str,
        *,
        undoable: bool,
        task: Task,
    ) -> None:
        self._draft = draft
        self._settings = settings
        self._writer = writer
        self._blobs = blobs
        self._identifier = identifier
        self._number = number_of(identifier) or 0
        self._undoable = undoable
        self._task = task
        self._bytes = 0
        self.adopted: list[str] = []
        self.inside: dict[int, Saved] = {}

    def node(self, node: Node) -> Saved:
        """Save a displaced node. Raises `stale_version`, `in_use`, `too_large`, `no_space` …"""
        self._task.check()
        assert node.home is not None
        folder, name = node.home
        try:
            return self._saved(node, folder, name)
        except OSError as error:
            raise from_os_error(error, node.asked, doing="save") from error

    def keep(self, content: bytes) -> str | None:
        """Keep a content in the record itself, or beside it if it is large; None if not undoable."""
        if not self._undoable:
            return None
        if len(content) <= _INLINE_EACH and self._writer.size < _INLINE_ALL:
            return self._writer.section(content)
        return self._blobs.save([content], self._number)

    def _saved(self, node: Node, folder: Folder, name: bytes) -> Saved:
        assert node.seen is not None
        if isinstance(node, Folder):
            return self._folder(node, node.seen, node.fd(), node.where)
        if node.kind == "file":
            return self._file(node, folder, name)
        return self._other(node.kind, node.seen, node.target)

    @staticmethod
    def _other(kind: str, seen: os.stat_result, target: bytes | None) -> Saved:
        side = Side(
            kind="link" if kind == "link" else "other",
            mode=stat.S_IMODE(seen.st_mode),
            uid=seen.st_uid,
            gid=seen.st_gid,
            mtime_ns=seen.st_mtime_ns,
            target=target,
        )
        return Saved(Seal(side.kind, target=target, inode=seen.st_ino), side)

    # Files

    def _file(self, node: Node, folder: Folder, name: bytes) -> Saved:
        descriptor = node.open()
        try:
            status = os.fstat(descriptor)
            assert node.seen is not None
            if Identity.of(status) != Identity.of(node.seen):
                raise stale(node.asked)
            self._expect_identity(node, status)
            if leases.written_by_others(descriptor):
                raise FilewrightError(
                    Code.IN_USE,
                    f"{node.asked} is open for writing in another program",
                    hint="wait until it is closed, or stop that program",
                    details={"path": node.asked},
                )
            edited = node.alive and node.splices is not None
            going = sum(splice.length for splice in node.splices or ())
            if edited and status.st_size > self._settings.whole_undo_bytes and going <= _SPLICED:
                return self._edited(node, descriptor, status)
            saved = self._whole(descriptor, status, folder, name, gone=not node.alive)
            # Keeping it under a second name has changed its ctime, and nothing else.
            now = os.fstat(descriptor)
            if (now.st_size, now.st_mtime_ns) != (status.st_size, status.st_mtime_ns):
                raise stale(node.asked)
            node.seen = now
        finally:
            os.close(descriptor)
        expected = node.expected.digest if node.expected is not None else None
        if expected is not None and saved.side.digest not in (None, expected.hex()):
            raise stale(node.asked)
        if not edited:
            return saved
        spans, inserted = self._spans(node)
        return Saved(saved.seal, saved.side, spans=spans, inserted=inserted)

    def _expect_identity(self, node: Node, status: os.stat_result) -> None:
        expected = node.expected
        if expected is None or expected.digest is not None or expected.identity is None:
            return
        if expected.identity != Identity.of(status):
            raise stale(node.asked)

    def _spans(self, node: Node) -> tuple[tuple[Span, ...], str | None]:
        splices = node.splices or ()
        spans: list[Span] = []
        for s in splices:
            span = Span(s.offset, s.length, len(s.replacement))
            if spans and spans[-1].offset + spans[-1].old == span.offset:
                # Undoing two removals that touch would insert twice at one place, in no order.
                last = spans.pop()
                span = Span(last.offset, last.old + span.old, last.new + span.new)
            spans.append(span)
        return tuple(spans), self.keep(b"".join(s.replacement for s in splices))

    def _edited(self, node: Node, descriptor: int, status: os.stat_result) -> Saved:
        """An edit of a large file: the copy loop hashes it, only the bytes that go are kept."""
        spans, inserted = self._spans(node)
        removed: list[bytes] = []
        self._require_room(sum(span.old for span in spans), node.asked)
        for span in spans:
            old = os.pread(descriptor, span.old, span.offset)
            if len(old) != span.old:
                raise stale(node.asked)
            removed.append(old)
        digest = node.expected.digest.hex() if node.expected and node.expected.digest else None
        side = self._side(status, digest, None)
        seal = Seal("file", status.st_size, None, None, status.st_ino, status.st_mtime_ns)
        return Saved(seal, side, (), (), spans, self.keep(b"".join(removed)), inserted)

    def _whole(
        self, descriptor: int, status: os.stat_result, folder: Folder | int, name: bytes, *, gone: bool
    ) -> Saved:
        blob: str | None = None
        if status.st_size <= self._settings.whole_undo_bytes:
            data = b"".join(bytes(block) for block in read_blocks(descriptor))
            digest: str | None = xxhash.xxh3_128_hexdigest(data)
            if self._undoable:
                self._require_room(len(data), os.fsdecode(name))
                blob = self.keep(data)
        else:
            digest = None
            if self._undoable:
                self._require_room(status.st_size, os.fsdecode(name))
                # Another name of the same inode could be written to later: such a file is copied.
                if status.st_nlink == 1:
                    blob = self._adopt(folder if isinstance(folder, int) else folder.fd(), name)
            state = xxhash.xxh3_128()
            if self._undoable and blob is None:

                def hashed() -> Iterator[memoryview]:
                    for block in read_blocks(descriptor):
                        state.update(block)
                        yield block

                blob = self._blobs.save(hashed(), self._number)
                digest = state.hexdigest()
            elif status.st_size <= self._settings.identity_bytes:
                for block in read_blocks(descriptor):
                    state.update(block)
                digest = state.hexdigest()
        carried = attributes.read(descriptor) if gone else {}
        seal = Seal("file", status.st_size, digest, None, status.st_ino, status.st_mtime_ns)
        return Saved(seal, self._side(status, digest, blob, carried))

    def _adopt(self, folder: int, name: bytes) -> str | None:
        blob = f"={self._identifier}-{len(self.adopted)}"
        self.adopted.append(blob)
        if self._blobs.adopt(folder, name, blob):
            return blob
        return None

    @staticmethod
    def _side(
        status: os.stat_result, digest: str | None, blob: str | None, carried: dict[str, bytes] | None = None
    ) -> Side:
        return Side(
            kind="file",
            mode=stat.S_IMODE(status.st_mode),
            uid=status.st_uid,
            gid=status.st_gid,
            size=status.st_size,
            mtime_ns=status.st_mtime_ns,
            digest=digest,
            blob=blob,
            attributes=carried or {},
        )

    def _require_room(self, more: int, asked: str) -> None:
        self._bytes += more
        limit = self._settings.max_undo_bytes
        if self._undoable and self._bytes > limit:
            raise FilewrightError(
                Code.TOO_LARGE,
                f"undoing this change would need more than {limit} bytes (at {asked}); nothing was changed",
                hint="give undoable=false to do it without undo, or raise FILEWRIGHT_MAX_UNDO_BYTES",
                details={"path": asked, "max_undo_bytes": limit},
            )

    # Folders

    def _folder(self, node: Folder, seen: os.stat_result, descriptor: int, where: Location | None) -> Saved:
        assert where is not None
        leaves: list[Leaf] = []
        below: list[Entry] = []
        self._walk(descriptor, node, where, (), leaves, below)
        return Saved(
            Seal("folder", inode=seen.st_ino), self._folder_side(descriptor), tuple(leaves), tuple(below)
        )

    @staticmethod
    def _folder_side(descriptor: int) -> Side:
        status = os.fstat(descriptor)
        return Side(
            "folder",
            stat.S_IMODE(status.st_mode),
            status.st_uid,
            status.st_gid,
            mtime_ns=status.st_mtime_ns,
            attributes=attributes.read(descriptor),
        )

    def _walk(
        self,
        descriptor: int,
        folder: Folder | None,
        where: Location,
        above: tuple[bytes, ...],
        leaves: list[Leaf],
        below: list[Entry],
    ) -> None:
        """All that is in a displaced folder, parents first, but what moves out of it."""
        self._task.check()
        if len(above) > DEEPEST:
            raise too_deep(where.root.name if not where.parts else where.parts[0].decode("utf-8", "replace"))
        for name in listed(descriptor):
            node = folder.initial.get(name) if folder is not None else None
            if node is not None and node.alive and not node.fresh:
                continue
            place = where.child(name)
            rule = self._draft.boundary.protects(place)
            if rule is not None:
                raise FilewrightError(
                    Code.PERMISSION_DENIED,
                    f"{place.shown} is protected: nothing is written to {rule}",
                    hint="leave that folder where it is",
                    details={"path": place.shown, "protected": rule},
                )
            parts = (*above, name)
            status = os.stat(name, dir_fd=descriptor, follow_symlinks=False)
            if stat.S_ISDIR(status.st_mode):
                child = os.open(name, _FOLDER, dir_fd=descriptor)
                try:
                    side = self._folder_side(child)
                    leaves.append(Leaf(parts, Seal("folder", inode=status.st_ino)))
                    below.append(Entry(self._place(place), side, None))
                    loaded = node if isinstance(node, Folder) else None
                    self._walk(child, loaded, place, parts, leaves, below)
                finally:
                    os.close(child)
                continue
            saved = self._inside(descriptor, name, status, node, place)
            leaves.append(Leaf(parts, saved.seal))
            if node is not None and node.alive:
                self.inside[id(node)] = saved
            else:
                below.append(Entry(self._place(place), saved.side, None))

    def _inside(
        self, folder: int, name: bytes, status: os.stat_result, node: Node | None, place: Location
    ) -> Saved:
        if node is not None and node.kind == "file" and node.home is not None:
            return self._file(node, node.home[0], name)
        if stat.S_ISREG(status.st_mode):
            flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
            descriptor = os.open(name, flags, dir_fd=folder)
            try:
                if leases.written_by_others(descriptor):
                    raise FilewrightError(
                        Code.IN_USE,
                        f"{place.shown} is open for writing in another program",
                        hint="wait until it is closed, or stop that program",
                        details={"path": place.shown},
                    )
                return self._whole(descriptor, os.fstat(descriptor), folder, name, gone=True)
            finally:
                os.close(descriptor)
        if stat.S_ISLNK(status.st_mode):
            return self._other("link", status, os.readlink(name, dir_fd=folder))
        return self._other("other", status, None)

    @staticmethod
    def _place(where: Location) -> Place:
        return Place(where.root.resolved or where.root.path, where.parts)
