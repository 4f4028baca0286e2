"""Thread-safe memory within bounds: a cache, and the contents that agents have seen."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from filewright.boundary.location import Location

V = TypeVar("V")

REMEMBERED_WHOLE_BYTES = 1 << 20
"""Files up to this size are remembered whole when any part of them is shown."""

_MAX_VERSIONS = 4


class BoundedCache(Generic[V]):
    """A cache that drops its least recently used entries once their costs pass a limit.

    The cost of an entry, mostly its bytes, is given with it; `total` is their sum.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._entries: OrderedDict[Hashable, tuple[V, int]] = OrderedDict()
        self.total = 0
        self._lock = threading.Lock()

    def get(self, key: Hashable) -> V | None:
        """Return the value under `key` and mark it as used, or return None."""
        with self._lock:
            entry = self._entries.get(key)
            if entry is None:
                return None
            self._entries.move_to_end(key)
            value, _ = entry
            return value

    def put(self, key: Hashable, value: V, cost: int) -> None:
        """Store `value`, unless it alone passes the limit; drop the previous value."""
        with self._lock:
            previous = self._entries.pop(key, None)
            if previous is not None:
                self.total -= previous[1]
            if cost > self._limit:
                return
            self._entries[key] = value, cost
            self.total += cost
            while self.total > self._limit:
                _, (_, freed_cost) = self._entries.popitem(last=False)
                self.total -= freed_cost


@dataclass(frozen=True, slots=True)
class _ShownContent:
    """The content of a file, or of a range of it, that was shown at a version."""

    version: str
    content: bytes
    is_whole_file: bool


class ShownContents:
    """The contents of files as agents have seen them.

    They are the base of a three-way merge when an edit was made against an earlier
    version. Small files are remembered whole, of larger ones only the ranges that were
    shown. At most `limit` bytes are kept; the files that were not shown for the longest
    time go first.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        # The entries of each file are in order, the newest first.
        self._entries: BoundedCache[list[_ShownContent]] = BoundedCache(limit)
        self._writing = threading.Lock()

    def remember(
        self,
        location: Location,
        version: str,
        content: bytes,
        *,
        whole: bool = True,
    ) -> None:
        """Remember `content`, the file or a range of it, as shown at `version`."""
        if len(content) > self._limit:
            return
        newest = _ShownContent(version, content, whole)
        with self._writing:
            entries, total_bytes = [newest], len(content)
            for entry in self._entries.get(location) or ():
                if entry == newest:
                    continue
                is_full = len(entries) == _MAX_VERSIONS
                if is_full or total_bytes + len(entry.content) > self._limit:
                    break
                entries.append(entry)
                total_bytes += len(entry.content)
            self._entries.put(location, entries, total_bytes)

    def content_at(self, location: Location, version: str) -> bytes | None:
        """Return the whole file as shown at `version`, if it is still remembered."""
        for entry in self._entries.get(location) or ():
            if entry.is_whole_file and entry.version == version:
                return entry.content
        return None

    def contents_since(
        self, location: Location, version: str
    ) -> list[bytes] | None:
        """Return the whole files shown since `version` and at it, or None if it is gone."""
        contents: list[bytes] = []
        for entry in self._entries.get(location) or ():
            if not entry.is_whole_file:
                return None
            contents.append(entry.content)
            if entry.version == version:
                return contents
        return None

    def earlier_contents(
        self, location: Location, *, except_version: str = ""
    ) -> list[bytes]:
        """Return the contents that were shown at other versions, newest first."""
        return [
            entry.content
            for entry in self._entries.get(location) or ()
            if entry.version != except_version
        ]
