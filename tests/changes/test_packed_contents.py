"""New contents in little memory: each comes back as it was added."""

from __future__ import annotations

from typing import Any, cast

from filewright.changes.blobs import (
    BlobSource,
    BlobStore,
    MemoryContent,
    StoredContent,
)
from filewright.changes.model import FileState
from filewright.changes.packed_contents import PackedContents
from filewright.edit.changeset import ContentStream
from filewright.packed_sequence import MAX_PLAIN_VALUES


def test_returns_contents_as_they_were() -> None:
    store: Any = object()
    sources = [
        BlobSource(cast(BlobStore, store), name, 100) for name in ("a", "b")
    ]
    contents: list[ContentStream] = [
        StoredContent(sources[0], "0f" * 32, 5),
        StoredContent(sources[1], "0f" * 32, 2**40),
        StoredContent(sources[0], "=a-1", 5, FileState("file", size=5)),
        StoredContent(None, "00" * 32),
        MemoryContent(b"new"),
    ]
    packed = PackedContents()
    for content in [contents[0]] * MAX_PLAIN_VALUES + contents:
        packed.append(content)
    assert packed[MAX_PLAIN_VALUES:] == contents
