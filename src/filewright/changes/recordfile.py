"""The file form of a change: undo data, then a sealed record of what is to be done.

::

    header   "FWCHANG2", offset of the first frame (8 bytes, big endian; 0 while it is being written)
    sections contents, one after the other; an entry names one by its SHA-256, and where it is
    frames   kind (1 byte: I intent, P prepared, N notes), length (8 bytes), body, seal (32 bytes)

The body of an intent is lines, as `rows` says: the entries, then the plan; then a head, one JSON
object, and its length (8 bytes). All of it is written and read in pieces. Notes are one JSON object.

The seal is HMAC-SHA256 under the state folder's key, over kind, offset and body: a frame that was
torn by a crash, copied from elsewhere or written by hand is known not to be ours. A content is checked
against its SHA-256 whenever it is read.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import re
import struct
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

from filewright.changes import firstversion
from filewright.changes.operations import CommitPlan
from filewright.changes.record import ChangeRecord, Entries, Entry
from filewright.changes.rows import Roots, as_json, entries_of, entry_lines, plan_lines, plan_of
from filewright.changes.state import open_file
from filewright.errors import from_os_error
from filewright.system import File

MAGIC, _FIRST_MAGIC = b"FWCHANG2", b"FWCHANG1"
_HEADER = struct.Struct(">8sQ")
_FRAME = struct.Struct(">cQ")
_LENGTH = struct.Struct(">Q")
_SEAL = 32
_MOST_HEAD = 64 << 20
_PIECE = 1 << 18
_TINY = 64
"""Bytes that take longer to compress than to write."""
_HELD = 512
"""Entries of a record that are held as values; more are read anew each time."""
_CONTENT = re.compile(r"([0-9a-f]{64})@([0-9]{1,18})\+([0-9]{1,18})(z?)")
_NOT_MOVED: Mapping[bytes, bytes] = {}


class TornError(Exception):
    """The file is not a whole record sealed with our key."""


class UnfinishedError(TornError):
    """The record was being written: nothing of its change can have reached the workspace."""


_NO_SENSE = (KeyError, ValueError, TypeError, AttributeError, IndexError, StopIteration, RuntimeError)


@dataclass(frozen=True, slots=True)
class _Frame:
    """Where a sealed frame's body is, and where its entries and its plan are in it; its `head`."""

    start: int
    end: int
    head: Mapping[str, Any]
    roots: tuple[bytes, ...]

    @property
    def plan_start(self) -> int:
        return self.start + int(self.head["entry_bytes"])


# Writing


class Writer:
    """Writes a record file over what `file` held before; nothing is valid until `intent`."""

    def __init__(self, file: File, key: bytes) -> None:
        self._file = file
        self._key = key
        self._end = _HEADER.size
        self._kept: dict[bytes, str] = {}
        self._frame: _Frame | None = None
        file.truncate(0)
        file.write(_HEADER.pack(MAGIC, 0), 0)

    @property
    def size(self) -> int:
        """Bytes written so far."""
        return self._end

    def section(self, content: bytes) -> str:
        """Keep a content, once; returns how an entry names it."""
        digest = hashlib.sha256(content).digest()
        name = self._kept.get(digest)
        if name is None:
            packed = zlib.compress(content, 1) if len(content) > _TINY else content
            smaller = len(packed) < len(content)
            packed = packed if smaller else content
            self._file.write(packed, self._end)
            name = firstversion.content_name(digest.hex(), self._end, len(packed), smaller)
            self._kept[digest] = name
            self._end += len(packed)
        return name

    def intent(self, record: ChangeRecord, plan: CommitPlan) -> None:
        """Write the intent and make the file valid."""
        start = self._end
        self._write(b"I", record, plan)
        self._file.write(_HEADER.pack(MAGIC, start), 0)

    def prepared(self, record: ChangeRecord, plan: CommitPlan) -> None:
        """Add what staging found out."""
        self._write(b"P", record, plan)

    def written(self, path: bytes, record: ChangeRecord, plan: CommitPlan) -> RecordFile:
        """What was written, now at `path`."""
        assert self._frame is not None
        if len(record.entries) > _HELD:
            record = replace(record, entries=_entries(path, self._frame, record.id))
        return RecordFile(path, record, self._frame.roots, lambda: plan)

    def _write(self, kind: bytes, record: ChangeRecord, plan: CommitPlan) -> None:
        start = self._end + _FRAME.size
        out = _Sealing(self._file, start, hmac.new(self._key, _sealed_head(kind, self._end), "sha256"))
        roots = Roots()
        out.add(entry_lines(record.entries, roots))
        head = {
            "id": record.id,
            "time": record.time_ns,
            "tool": record.tool,
            "summary": record.summary,
            "session": record.session,
            "client": record.client,
            "turn": record.turn,
            "reverts": list(record.reverts),
            "partial": record.partial,
            "undoable": record.undoable,
            "hard_links": dict(record.hard_links),
            "notes": list(record.notes),
            "roots": [os.fsdecode(path) for path in roots.paths],
            "entries": len(record.entries),
            "entry_bytes": out.end - start,
            "folders": len(plan.folders),
            "operations": len(plan.operations),
        }
        out.add(plan_lines(plan))
        text = as_json(head)
        out.add([text, _LENGTH.pack(len(text))])
        end = out.finish(kind)
        self._end = end + _SEAL
        self._frame = _Frame(start, end, head, tuple(roots.paths))


class _Sealing:
    """Writes the body of a frame from an offset on, in pieces gathered to some size, and then what is around it."""

    def __init__(self, file: File, offset: int, seal: hmac.HMAC) -> None:
        self._file = file
        self._start = self._written = offset
        self._seal = seal
        self._held = bytearray()

    @property
    def end(self) -> int:
        """The offset after what was added."""
        return self._written + len(self._held)

    def add(self, pieces: Iterable[bytes]) -> None:
        for piece in pieces:
            self._held += piece
            if len(self._held) > _PIECE:
                self._flush()

    def _flush(self) -> None:
        self._seal.update(self._held)
        self._file.write(memoryview(self._held), self._written)
        self._written += len(self._held)
        self._held = bytearray()

    def finish(self, kind: bytes) -> int:
        """Write what is left, the seal and, before all of it, the head of a frame; returns where the seal begins."""
        if self._written > self._start:
            self._flush()
        end = self.end
        self._seal.update(self._held)
        head = _FRAME.pack(kind, end - self._start)
        if self._written == self._start:  # One write for most.
            self._file.write(head + self._held + self._seal.digest(), self._start - _FRAME.size)
        else:
            self._file.write(self._seal.digest(), end)
            self._file.write(head, self._start - _FRAME.size)
        return end


def _sealed_head(kind: bytes, offset: int) -> bytes:
    return kind + offset.to_bytes(8, "big")


# Reading


@dataclass(frozen=True)
class RecordFile:
    """A record file as read. `roots` are those of its entries; the plan is read when it is asked for; at `end`
    its last whole frame ends."""

    path: bytes
    record: ChangeRecord
    roots: tuple[bytes, ...]
    read_plan: Callable[[], CommitPlan]
    end: int = 0

    @cached_property
    def plan(self) -> CommitPlan:
        """What the change does to names. Raises `TornError`, `OSError`."""
        try:
            return self.read_plan()
        except _NO_SENSE as error:
            raise TornError(f"the plan makes no sense: {error!r}") from error

    @cached_property
    def _near(self) -> _Near:
        return _Near(self.path)

    @classmethod
    def read(cls, path: bytes, key: bytes, moved: Mapping[bytes, bytes] = _NOT_MOVED) -> RecordFile:
        """Read and check everything but the contents; `moved` says where roots are now that have moved.

        Raises `TornError`, `OSError`.
        """
        with open_file(path) as file:
            size = file.status().size
            if size < _HEADER.size:
                raise UnfinishedError("the file has no header")
            magic, offset = _HEADER.unpack(_read_exact(file, _HEADER.size, 0))
            if magic in (MAGIC, _FIRST_MAGIC) and offset == 0:
                raise UnfinishedError("the change was still being saved")
            if magic not in (MAGIC, _FIRST_MAGIC) or not _HEADER.size <= offset < size:
                raise TornError("the header is not one of ours")
            bodies: dict[bytes, tuple[int, int]] = {}
            while offset < size:
                try:
                    kind, start, end = _sealed(file, key, offset, size)
                except TornError:
                    if not bodies:
                        raise
                    break  # A later frame was torn: it does not count, the intent does.
                bodies[kind] = start, end
                offset = end + _SEAL
            try:
                notes = json.loads(_body(file, bodies[b"N"]))["notes"] if b"N" in bodies else None
                if magic == _FIRST_MAGIC:
                    first = _of_the_first_version(path, file, bodies, notes, moved)
                    return replace(first, end=offset)
                frame = _frame(file, *bodies.get(b"P", bodies[b"I"]), moved)
                record = _record(path, frame, notes)
            except _NO_SENSE as error:
                raise TornError(f"the record makes no sense: {error!r}") from error
            return cls(path, record, frame.roots, partial(_plan, path, frame, moved), offset)

    def content(self, name: str) -> bytes:
        """A content by its name, checked. Raises `KeyError`, `TornError`, `OSError`."""
        found = _CONTENT.fullmatch(name)
        if found is None:
            raise KeyError(name)
        digest, offset, length, zipped = found.groups()
        packed = self._near.read(int(offset), int(length))
        try:
            content = zlib.decompress(packed) if zipped else packed
        except zlib.error as error:
            raise TornError("a section is damaged") from error
        if hashlib.sha256(content).hexdigest() != digest:
            raise TornError("a section is damaged")
        return content

    def annotate(self, key: bytes, notes: Iterable[str]) -> None:
        """Add notes to the record's; losing them to a crash loses nothing else. Raises `TornError`, `OSError`."""
        now = RecordFile.read(self.path, key)
        with open_file(self.path, write=True) as file:
            end = now.end
            file.truncate(end)  # Of notes that a crash has cut short, nothing is left to hide these.
            body = as_json({"notes": [*now.record.notes, *notes]})
            seal = hmac.digest(key, _sealed_head(b"N", end) + body, "sha256")
            file.write(_FRAME.pack(b"N", len(body)) + body + seal, end)


class _Near:
    """Reads a record file with what is near: contents that are kept together are asked for together."""

    def __init__(self, path: bytes) -> None:
        self._path = path
        self._piece = 0, b""

    def read(self, offset: int, length: int) -> bytes:
        """Some bytes. Raises `TornError`, `OSError`."""
        start, data = self._piece
        if not start <= offset <= offset + length <= start + len(data):
            with _open(self._path) as file:
                if length >= _PIECE:
                    return _read_exact(file, length, offset)
                start, data = self._piece = offset, file.read(offset, _PIECE)
        if offset - start + length > len(data):
            raise TornError("the file ends too early")
        return data[offset - start : offset - start + length]


def _sealed(file: File, key: bytes, offset: int, size: int) -> tuple[bytes, int, int]:
    """The frame at an offset: its kind, and where its body begins and ends. Raises `TornError`."""
    kind, length = _FRAME.unpack(_read_exact(file, _FRAME.size, offset))
    start = offset + _FRAME.size
    if start + length + _SEAL > size:
        raise TornError("a frame is cut short")
    seal = hmac.new(key, _sealed_head(kind, offset), "sha256")
    for piece in _pieces(file, start, start + length):
        seal.update(piece)
    if not hmac.compare_digest(seal.digest(), _read_exact(file, _SEAL, start + length)):
        raise TornError("a seal is not ours")
    return kind, start, start + length


def _frame(file: File, start: int, end: int, moved: Mapping[bytes, bytes]) -> _Frame:
    end -= _LENGTH.size
    (length,) = _LENGTH.unpack(_read_exact(file, _LENGTH.size, end))
    if length > min(_MOST_HEAD, end - start):
        raise ValueError("a head that is too long")
    head = json.loads(_read_exact(file, length, end - length))
    paths = map(os.fsencode, head["roots"])
    return _Frame(start, end - length, head, tuple(moved.get(path, path) for path in paths))


def _record(path: bytes, frame: _Frame, notes: Sequence[str] | None) -> ChangeRecord:
    head = frame.head
    return ChangeRecord(
        id=str(head["id"]),
        time_ns=int(head["time"]),
        tool=str(head["tool"]),
        summary=str(head["summary"]),
        entries=_entries(path, frame, str(head["id"])),
        session=head["session"],
        client=head["client"],
        turn=head["turn"],
        reverts=firstversion.reverts_of(head["reverts"]),
        partial=bool(head.get("partial")),
        undoable=bool(head["undoable"]),
        hard_links={str(path): int(count) for path, count in head["hard_links"].items()},
        notes=tuple(head["notes"] if notes is None else notes),
    )


def _entries(path: bytes, frame: _Frame, change_id: str) -> Sequence[Entry]:
    count = int(frame.head["entries"])

    def read() -> Iterator[Entry]:
        try:
            yield from entries_of(_lines(path, frame.start, frame.plan_start), frame.roots)
        except OSError as error:
            raise from_os_error(error, f"the record of the change {change_id}", doing="read") from error

    return tuple(read()) if count <= _HELD else Entries(count, read)


def _plan(path: bytes, frame: _Frame, moved: Mapping[bytes, bytes]) -> CommitPlan:
    lines = _lines(path, frame.plan_start, frame.end)
    return plan_of(lines, int(frame.head["folders"]), int(frame.head["operations"])).relocated(moved)


def _of_the_first_version(
    path: bytes,
    file: File,
    bodies: Mapping[bytes, tuple[int, int]],
    notes: Sequence[str] | None,
    moved: Mapping[bytes, bytes],
) -> RecordFile:
    intent = json.loads(_body(file, bodies[b"I"]))
    latest = json.loads(_body(file, bodies[b"P"])) if b"P" in bodies else intent
    record = firstversion.record_of(latest, intent, notes, moved)
    plan = firstversion.plan_of(latest).relocated(moved)
    roots = dict.fromkeys(end.root for entry in record.entries for end in (entry.place, entry.was) if end)
    return RecordFile(path, record, tuple(roots), lambda: plan)


def _open(path: bytes) -> File:
    """Open a record file for reading, wherever in the state folder it has got to since it was found."""
    folder, name = os.path.split(path)
    settled = name.split(b".")[0] + b".settled"
    above = os.path.dirname(folder)
    for place in (path, os.path.join(above, b"journal", settled), os.path.join(above, b"history", settled)):
        try:
            return open_file(place)
        except FileNotFoundError:
            continue
    raise FileNotFoundError(2, "No such file or directory", os.fsdecode(path))


def _lines(path: bytes, start: int, end: int) -> Iterator[bytes]:
    """The lines between two offsets."""
    with _open(path) as file:
        left = b""
        for piece in _pieces(file, start, end):
            *lines, left = (left + piece).split(b"\n")
            yield from lines


def _body(file: File, where: tuple[int, int]) -> bytes:
    return b"".join(_pieces(file, *where))


def _pieces(file: File, offset: int, end: int) -> Iterator[bytes]:
    """The bytes between two offsets. Raises `TornError` at a premature end."""
    while offset < end:
        data = file.read(offset, min(end - offset, _PIECE))
        if not data:
            raise TornError("the file ends too early")
        yield data
        offset += len(data)


def _read_exact(file: File, length: int, offset: int) -> bytes:
    return b"".join(_pieces(file, offset, offset + length))
