"""A file that is in no folder: a text with a name, or one that is not held."""

from __future__ import annotations

from typing import Any

from filewright.boundary.location import Location, Root
from filewright.text.snapshot import Snapshot

ROOT = Root("root", b"/root", -1, (1, 1))


def named(name: str | None, content: bytes) -> Snapshot:
    """A snapshot of a file of that name; of a text without one."""
    location = None
    if name is not None:
        location = Location(ROOT, tuple(name.encode().split(b"/")), name)
    return Snapshot(content, location=location)


class Windowed(Snapshot):
    """A snapshot that holds nothing, as of a file too large for memory."""

    def __init__(self, content: bytes, **options: Any) -> None:
        super().__init__(None, **options)
        self._size = len(content)
        self._bytes = content

    def read(self, offset: int, length: int, /) -> bytes:
        return self._bytes[offset : offset + length]
