"""Saving what undo needs, before anything is changed; and checking, by the way, what is there.

Files up to `whole_undo_bytes` are kept whole. Of a larger one that is edited, the bytes under each
splice are kept; one that is deleted or overwritten stays as it is under a second name in the state
folder, or is copied there.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import xxhash

from filewright.boundary import Boundary, Location
from filewright.changes import attributes, leases
from filewright.changes.blobs import BlobStore
from filewright.changes.content import listed, read_blocks
from filewright.changes.identifiers import number_of
from filewright.changes.operations import Leaf, Seal, Tree
from filewright.changes.plan import new_files
from filewright.changes.record import Entry, Place, Side, Span
from filewright.changes.recordfile import Writer
from filewright.changes.refusals import in_use, on_another_device, stale, too_deep
from filewright.changes.rights import keeps, may_write_folder, require_changeable
from filewright.changes.slots import OpenFolders, kind_of
from filewright.changes.tree import DEEPEST, Folder, Node
from filewright.errors import Code, FilewrightError, from_os_error
from filewright.progress import Task
from filewright.settings import KB, MB, Settings
from filewright.text.identity import Identity

_INLINE_EACH = 256 * KB
_INLINE_ALL = 256 * MB
_KEEP_NEW_ALL = 16 * MB
# An edit that takes more than this out of a large file is undone from the displaced file itself.
_SPLICED = 16 * MB
_PATIENCE = 0.02
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


@dataclass(frozen=True, slots=True)
class Saved:
    """What is known of a displaced thing: its seal, its side in history, and for a folder what it holds.

    `tree` is everything physically in a displaced folder, `below` the history of what is deleted
    with it. `spans`, `removed`, `inserted` are as in `Entry`.
    """

    seal: Seal
    side: Side
    tree: Tree = field(default_factory=dict)
    below: tuple[Entry, ...] = ()
    spans: tuple[Span, ...] = ()
    removed: str | None = None
    inserted: str | None = None


class Saver:
    """Saves for one change; `adopted` are the blobs to be dropped if the change is taken back."""

    def __init__(
        self,
        boundary: Boundary,
        folders: OpenFolders,
        settings: Settings,
        writer: Writer,
        blobs: BlobStore,
        identifier: str,
        *,
        undoable: bool,
        task: Task,
    ) -> None:
        self._boundary = boundary
        self._folders = folders
        self._settings = settings
        self._writer = writer
        self._blobs = blobs
        self._identifier = identifier
        self._number = number_of(identifier) or 0
        self._undoable = undoable
        self._task = task
        self._bytes = 0
        self.adopted: list[str] = []

    def save(self, displaced: Iterable[Node]) -> None:
        """Save every displaced node, and what is in displaced folders, into its `saved`.

        Raises `stale_version`, `in_use`, `too_large`, `no_space`, `permission_denied` …
        """
        for node in displaced:
            self._task.check()
            try:
                node.saved = self._saved(node)
            except OSError as error:
                raise from_os_error(error, node.asked, doing="save") from error

    def keep_new(self, fresh: Iterable[Node]) -> None:
        """Keep small new contents too, so that a diff can be shown when the file has moved on."""
        kept = 0
        for top in fresh:
            for node in new_files(top):
                assert node.content is not None
                kept += node.content.size
                if kept > _KEEP_NEW_ALL:
                    return
                if node.splices is None and node.content.size <= _INLINE_EACH:
                    node.blob = self._keep(b"".join(bytes(block) for block in node.content.blocks()))

    def _keep(self, content: bytes) -> str | None:
        """Keep a content in the record itself, or beside it if it is large; None if not undoable."""
        if not self._undoable:
            return None
        if len(content) <= _INLINE_EACH and self._writer.size < _INLINE_ALL:
            return self._writer.section(content)
        return self._blobs.save([content], self._number)

    def _saved(self, node: Node) -> Saved:
        assert node.seen is not None
        assert node.home is not None
        if isinstance(node, Folder):
            return self._folder(node)
        if node.kind == "file":
            return self._file(node)
        return _other(node.seen, node.target)

    # Files

    def _file(self, node: Node) -> Saved:
        assert node.seen is not None
        assert node.home is not None
        descriptor = node.open()
        try:
            status = os.fstat(descriptor)
            if Identity.of(status) != Identity.of(node.seen):
                raise stale(node.asked)
            expected = node.expected
            by_identity = expected is not None and expected.digest is None and expected.identity is not None
            if by_identity and expected is not None and expected.identity != Identity.of(status):
                raise stale(node.asked)
            self._require_quiet(descriptor, node.asked)
            edited = node.alive and node.splices is not None
            going = sum(splice.length for splice in node.splices or ())
            if edited and status.st_size > self._settings.whole_undo_bytes and going <= _SPLICED:
                return self._edited(node, descriptor, status)
            folder, name = node.home
            saved = self._whole(descriptor, status, folder.fd(), name, gone=not node.alive)
            # Keeping it under a second name has changed its ctime, and nothing else.
            now = os.fstat(descriptor)
            if (now.st_size, now.st_mtime_ns) != (status.st_size, status.st_mtime_ns):
                raise stale(node.asked)
            node.seen = now
        finally:
            os.close(descriptor)
        digest = expected.digest if expected is not None else None
        if digest is not None and saved.side.digest not in (None, digest.hex()):
            raise stale(node.asked)
        if not edited:
            return saved
        spans, inserted = self._spans(node)
        return Saved(saved.seal, saved.side, spans=spans, inserted=inserted)

    @staticmethod
    def _require_quiet(descriptor: int, shown: str) -> None:
        pause = 0.001
        while leases.written_by_others(descriptor):
            # A log that is opened and closed for each line is soon closed again.
            if pause > _PATIENCE:
                raise in_use(shown)
            time.sleep(pause)
            pause *= 2
        require_changeable(descriptor, shown)

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
        return tuple(spans), self._keep(b"".join(s.replacement for s in splices))

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
        seal = Seal("file", status.st_size, None, None, status.st_ino, status.st_mtime_ns)
        return Saved(
            seal,
            _file_side(status, digest, None),
            spans=spans,
            removed=self._keep(b"".join(removed)),
            inserted=inserted,
        )

    def _whole(
        self, descriptor: int, status: os.stat_result, folder: int, name: bytes, *, gone: bool
    ) -> Saved:
        blob: str | None = None
        digest: str | None = None
        if status.st_size <= self._settings.whole_undo_bytes:
            data = b"".join(bytes(block) for block in read_blocks(descriptor))
            digest = xxhash.xxh3_128_hexdigest(data)
            if self._undoable:
                self._require_room(len(data), os.fsdecode(name))
                blob = self._keep(data)
        else:
            if self._undoable:
                self._require_room(status.st_size, os.fsdecode(name))
                # Another name of the same inode could be written to later: such a file is copied.
                if status.st_nlink == 1:
                    blob = self._adopt(folder, name)
            state = xxhash.xxh3_128()

            def hashed() -> Iterator[memoryview]:
                for block in read_blocks(descriptor):
                    self._task.check()
                    state.update(block)
                    yield block

            if self._undoable and blob is None:
                blob = self._blobs.save(hashed(), self._number)
                digest = state.hexdigest()
            elif status.st_size <= self._settings.identity_bytes:
                for _ in hashed():
                    pass
                digest = state.hexdigest()
        carried = attributes.read(descriptor) if gone else {}
        seal = Seal("file", status.st_size, digest, None, status.st_ino, status.st_mtime_ns)
        return Saved(seal, _file_side(status, digest, blob, carried))

    def _adopt(self, folder: int, name: bytes) -> str | None:
        blob = f"={self._identifier}-{len(self.adopted)}"
        self.adopted.append(blob)
        return blob if self._blobs.adopt(folder, name, blob) else None

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

    def _folder(self, top: Folder) -> Saved:
        """All that is in a displaced folder, parents first, but what moves out of it.

        What could not be removed later refuses the change now: a foreign entry, a mount, a protected name.
        """
        assert top.was is not None
        assert top.seen is not None
        tree: dict[bytes, Leaf] = {}
        below: list[Entry] = []
        side: Side | None = None
        pending = [(top.was, top, top.seen, tree)]
        while pending:
            where, loaded, seen, leaves = pending.pop()
            self._task.check()
            if len(where.parts) - len(top.was.parts) > DEEPEST:
                raise too_deep(where.parts[0].decode("utf-8", "replace"), DEEPEST)
            folder = self._folders.at(where, (seen.st_dev, seen.st_ino))
            names = listed(folder)
            self._require_removable(folder, where, names)
            made = _folder_side(folder)
            if loaded is top:
                side = made
            else:
                below.append(Entry(_place(where), made, None))
            inner: list[tuple[Location, Folder | None, os.stat_result, dict[bytes, Leaf]]] = []
            for name in names:
                node = loaded.initial.get(name) if loaded is not None else None
                if node is not None and node.alive and not node.fresh:
                    continue
                place = where.child(name)
                status = os.stat(name, dir_fd=folder, follow_symlinks=False)
                self._refuse(place, seen, status)
                if stat.S_ISDIR(status.st_mode):
                    entries: dict[bytes, Leaf] = {}
                    leaves[name] = Leaf(Seal("folder", inode=status.st_ino), entries)
                    inner.append((place, node if isinstance(node, Folder) else None, status, entries))
                    continue
                saved = self._inside(folder, name, status, node, place)
                leaves[name] = Leaf(saved.seal)
                if node is not None and node.alive:
                    node.saved = saved
                else:
                    below.append(Entry(_place(place), saved.side, None))
            pending += reversed(inner)  # type: ignore[arg-type]
        assert side is not None
        below.sort(key=lambda entry: entry.place.parts)
        return Saved(Seal("folder", inode=top.seen.st_ino), side, tree, tuple(below))

    def _refuse(self, place: Location, folder: os.stat_result, entry: os.stat_result) -> None:
        rule = self._boundary.protects(place)
        if rule is not None:
            raise FilewrightError(
                Code.PERMISSION_DENIED,
                f"{place.shown} is protected: nothing is written to {rule}",
                hint="leave that folder where it is",
                details={"path": place.shown, "protected": rule},
            )
        if entry.st_dev != folder.st_dev:
            raise on_another_device(place)
        if keeps(folder, entry):
            raise _kept(place)

    @staticmethod
    def _require_removable(folder: int, where: Location, names: list[bytes]) -> None:
        if names and not may_write_folder(folder) and os.fstat(folder).st_uid != os.geteuid():
            raise _kept(where)
        require_changeable(folder, where.shown)

    def _inside(
        self, folder: int, name: bytes, status: os.stat_result, node: Node | None, place: Location
    ) -> Saved:
        if node is not None and node.kind == "file" and node.home is not None:
            return self._file(node)
        if not stat.S_ISREG(status.st_mode):
            target = os.readlink(name, dir_fd=folder) if stat.S_ISLNK(status.st_mode) else None
            return _other(status, target)
        descriptor = os.open(name, _READ, dir_fd=folder)
        try:
            self._require_quiet(descriptor, place.shown)
            return self._whole(descriptor, os.fstat(descriptor), folder, name, gone=True)
        finally:
            os.close(descriptor)


def _other(seen: os.stat_result, target: bytes | None) -> Saved:
    kind = "link" if kind_of(seen) == "link" else "other"
    mode = stat.S_IMODE(seen.st_mode)
    side = Side(kind, mode, seen.st_uid, seen.st_gid, mtime_ns=seen.st_mtime_ns, target=target)  # type: ignore[arg-type]
    return Saved(Seal(kind, target=target, inode=seen.st_ino), side)


def _file_side(
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
        attributes=carried or _NONE,
    )


def _folder_side(descriptor: int) -> Side:
    status = os.fstat(descriptor)
    return Side(
        "folder",
        stat.S_IMODE(status.st_mode),
        status.st_uid,
        status.st_gid,
        mtime_ns=status.st_mtime_ns,
        attributes=attributes.read(descriptor) or _NONE,
    )


_NONE: dict[str, bytes] = {}


def _place(where: Location) -> Place:
    return Place(where.root.resolved or where.root.path, where.parts)


def _kept(where: Location) -> FilewrightError:
    return FilewrightError(
        Code.PERMISSION_DENIED,
        f"{where.shown} belongs to another user and cannot be removed; nothing was changed",
        hint="ask the user who owns it to do it",
        details={"path": where.shown},
    )
