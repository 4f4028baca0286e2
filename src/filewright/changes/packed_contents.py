"""New contents of files, in little memory: an undo may make 100,000 files again."""

from __future__ import annotations

from typing import Any

from filewright.changes.blobs import BlobSource, StoredContent
from filewright.changes.packed_states import pack_hex, unpack_hex
from filewright.edit.changeset import ContentStream
from filewright.packed_sequence import Fields, PackedSequence


class PackedContents(PackedSequence[ContentStream]):
    """Contents in order, of which those that undo data stores by hash are packed."""

    def __init__(self) -> None:
        super().__init__()
        self._source_numbers: dict[BlobSource, int] = {}
        self._sources: list[BlobSource] = []

    def pack(self, value: ContentStream) -> Fields | None:
        """Return the fields of a stored content that is known by its name alone."""
        if not isinstance(value, StoredContent):
            return None
        blobs, name, size, state = value
        if blobs is None or state is not None:
            return None
        if blobs not in self._source_numbers:
            self._source_numbers[blobs] = len(self._sources)
            self._sources.append(blobs)
        return self._source_numbers[blobs], pack_hex(name), size

    def unpack(self, fields: Any) -> ContentStream:
        """Return the stored content with these fields."""
        source_number, packed_name, size = fields
        name = unpack_hex(packed_name) or ""
        return StoredContent(self._sources[source_number], name, size)
