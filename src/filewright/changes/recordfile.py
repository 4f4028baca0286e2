"""The file form of a change: undo data, then a sealed record of what is to be done.

::

    header   "FWCHANG1", offset of the first frame (8 bytes, big endian; 0 while it is being written)
    sections compressed contents, one after the other, found through the intent's table
    frames   kind (1 byte: I intent, P prepared, N notes), length (8 bytes), JSON, seal (32 bytes)

The seal is HMAC-SHA256 under the state folder's key, over kind, offset and JSON: a frame that was
torn by a crash, copied from elsewhere or written by hand is told from ours. Sections are named by
the SHA-256 of their content, which is checked whenever one is read.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import struct
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

from filewright.changes.operations import CommitPlan, Seal
from filewright.changes.record import ChangeRecord, Entry, Side
from filewright.changes.state import write_all

MAGIC = b"FWCHANG1"
_HEADER = struct.Struct(">8sQ")
_FRAME = struct.Struct(">cQ")
_SEAL = 32
_MAX_FRAME = 1 << 30
_PIECE = 1 << 18


class TornError(Exception):
    """The file is not a whole record sealed with our key."""


class UnfinishedError(TornError):
    """The record was being written: nothing of its change can have reached the workspace."""


@dataclass(frozen=True, slots=True)
class Section:
    """Where a content lies in a record file; `codec` is 1 for zlib, 0 for stored."""

    offset: int
    length: int
    codec: int


def _seal(key: bytes, kind: bytes, offset: int, payload: bytes) -> bytes:
    return hmac.new(key, kind + offset.to_bytes(8, "big") + payload, hashlib.sha256).digest()


def read_exact(descriptor: int, length: int, offset: int) -> bytes:
    """`pread` until `length` bytes are read. Raises `TornError` at a premature end."""
    parts: list[bytes] = []
    while length > 0:
        data = os.pread(descriptor, min(length, 1 << 20), offset)
        if not data:
            raise TornError("the file ends too early")
        parts.append(data)
        length -= len(data)
        offset += len(data)
    return b"".join(parts)


class Writer:
    """Writes a record file over what `descriptor` held before; nothing is valid until `intent`."""

    def __init__(self, descriptor: int, key: bytes) -> None:
        self._descriptor = descriptor
        self._key = key
        self._end = _HEADER.size
        self.sections: dict[str, Section] = {}
        os.ftruncate(descriptor, 0)
        write_all(descriptor, _HEADER.pack(MAGIC, 0), 0)

    @property
    def size(self) -> int:
        """Bytes written so far."""
        return self._end

    def section(self, content: bytes) -> str:
        """Keep a content, once; returns its SHA-256 in hex."""
        name = hashlib.sha256(content).hexdigest()
        if name not in self.sections:
            packed, codec = zlib.compress(content, 1), 1
            if len(packed) >= len(content):
                packed, codec = content, 0
            write_all(self._descriptor, packed, self._end)
            self.sections[name] = Section(self._end, len(packed), codec)
            self._end += len(packed)
        return name

    def intent(self, record: ChangeRecord, plan: CommitPlan) -> None:
        """Write the intent and make the file valid."""
        start = self._end
        sections = {name: [s.offset, s.length, s.codec] for name, s in self.sections.items()}
        self._frame(b"I", chain(_body(record, plan), [',"sections":', _dumps(sections)]))
        write_all(self._descriptor, _HEADER.pack(MAGIC, start), 0)

    def prepared(self, record: ChangeRecord, plan: CommitPlan) -> None:
        """Add what staging found out."""
        self._frame(b"P", _body(record, plan))

    def _frame(self, kind: bytes, body: Iterable[str]) -> None:
        """A JSON object, written in pieces: a change of 30,000 files is never held as text."""
        start = self._end + _FRAME.size
        end = start
        seal = hmac.new(self._key, kind + self._end.to_bytes(8, "big"), hashlib.sha256)
        for piece in _gathered(chain("{", body, "}")):
            seal.update(piece)
            write_all(self._descriptor, piece, end)
            end += len(piece)
        write_all(self._descriptor, seal.digest(), end)
        write_all(self._descriptor, _FRAME.pack(kind, end - start), self._end)
        self._end = end + _SEAL


def _dumps(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))


def _body(record: ChangeRecord, plan: CommitPlan) -> Iterator[str]:
    yield '"record":'
    yield from record.json_pieces()
    yield ',"plan":'
    yield from plan.json_pieces()


def _gathered(pieces: Iterable[str]) -> Iterator[bytes]:
    """The same text in pieces of some size."""
    held: list[str] = []
    size = 0
    for piece in pieces:
        held.append(piece)
        size += len(piece)
        if size > _PIECE:
            yield "".join(held).encode()
            held.clear()
            size = 0
    yield "".join(held).encode()


def _revived(value: dict[str, Any]) -> Any:
    """What a record has thousands of becomes a value as soon as it is read, not a dict first."""
    if "mode" in value and "uid" in value and isinstance(value.get("kind"), str):
        return Side.from_json(value)
    if "spans" in value and "place" in value:
        return Entry.from_json(value)
    if isinstance(value.get("kind"), str):
        return Seal.from_json(value)
    return value


@dataclass(frozen=True, slots=True)
class RecordFile:
    """A record file as read: `prepared` tells whether its plan's digests are final."""

    path: bytes
    record: ChangeRecord
    plan: CommitPlan
    sections: Mapping[str, Section]
    size: int

    @classmethod
    def read(cls, path: bytes, key: bytes) -> RecordFile:
        """Read and check everything but the sections. Raises `TornError`, `OSError`."""
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            size = os.fstat(descriptor).st_size
            if size < _HEADER.size:
                raise UnfinishedError("the file has no header")
            magic, offset = _HEADER.unpack(read_exact(descriptor, _HEADER.size, 0))
            if magic == MAGIC and offset == 0:
                raise UnfinishedError("the change was still being saved")
            if magic != MAGIC or not _HEADER.size <= offset < size:
                raise TornError("the header is not one of ours")
            frames: dict[bytes, dict[str, Any]] = {}
            while offset < size:
                try:
                    kind, value, offset = cls._frame(descriptor, key, offset, size)
                except TornError:
                    if not frames:
                        raise
                    break  # A later frame was torn: it does not count, the intent does.
                frames[kind] = value
            try:
                return cls._of(path, frames, size)
            except (KeyError, ValueError, TypeError, AttributeError, IndexError) as error:
                raise TornError(f"the record makes no sense: {error!r}") from error
        finally:
            os.close(descriptor)

    @staticmethod
    def _frame(descriptor: int, key: bytes, offset: int, size: int) -> tuple[bytes, dict[str, Any], int]:
        kind, length = _FRAME.unpack(read_exact(descriptor, _FRAME.size, offset))
        start = offset + _FRAME.size
        if length > _MAX_FRAME or start + length + _SEAL > size:
            raise TornError("a frame is cut short")
        payload = read_exact(descriptor, length, start)
        seal = read_exact(descriptor, _SEAL, start + length)
        if not hmac.compare_digest(seal, _seal(key, kind, offset, payload)):
            raise TornError("a seal is not ours")
        return kind, json.loads(payload, object_hook=_revived), start + length + _SEAL

    @classmethod
    def _of(cls, path: bytes, frames: Mapping[bytes, Mapping[str, Any]], size: int) -> RecordFile:
        intent = frames[b"I"]
        latest = frames.get(b"P", intent)
        record = ChangeRecord.from_json(latest["record"])
        if b"N" in frames:
            record = replace(record, notes=tuple(frames[b"N"]["notes"]))
        sections = {name: Section(*map(int, place)) for name, place in intent["sections"].items()}
        return cls(path, record, CommitPlan.from_json(latest["plan"]), sections, size)

    def content(self, name: str) -> bytes:
        """A section's content, checked against its name. Raises `KeyError`, `TornError`, `OSError`."""
        section = self.sections[name]
        descriptor = os.open(self.path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            packed = read_exact(descriptor, section.length, section.offset)
        finally:
            os.close(descriptor)
        try:
            content = zlib.decompress(packed) if section.codec else packed
        except zlib.error as error:
            raise TornError("a section is damaged") from error
        if hashlib.sha256(content).hexdigest() != name:
            raise TornError("a section is damaged")
        return content

    def annotate(self, key: bytes, notes: tuple[str, ...]) -> None:
        """Append notes to the record; losing them to a crash loses nothing else."""
        descriptor = os.open(self.path, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            end = os.fstat(descriptor).st_size
            payload = json.dumps({"notes": notes}, separators=(",", ":")).encode()
            frame = _FRAME.pack(b"N", len(payload)) + payload + _seal(key, b"N", end, payload)
            write_all(descriptor, frame, end)
        finally:
            os.close(descriptor)
