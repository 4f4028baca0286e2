"""What is remembered within bounds, whatever the thread: what can be made again, and what a caller was last shown."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Hashable
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

if TYPE_CHECKING:
    from filewright.boundary.location import Location

V = TypeVar("V")


class BoundedCache(Generic[V]):
    """Least recently used first out, bounded by the sum of the costs (bytes) its entries were given."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._entries: OrderedDict[Hashable, tuple[V, int]] = OrderedDict()
        self.total = 0  # the sum of the costs now
        self._lock = threading.Lock()

    def get(self, key: Hashable) -> V | None:
        """The entry under `key`, now the most recently used, or None."""
        with self._lock:
            found = self._entries.get(key)
            if found is None:
                return None
            self._entries.move_to_end(key)
            return found[0]

    def put(self, key: Hashable, value: V, cost: int) -> None:
        """Keep `value`; entries that alone pass the limit are not kept."""
        with self._lock:
            old = self._entries.pop(key, None)
            if old is not None:
                self.total -= old[1]
            if cost > self._limit:
                return
            self._entries[key] = value, cost
            self.total += cost
            while self.total > self._limit:
                _, (_, freed) = self._entries.popitem(last=False)
                self.total -= freed


REMEMBERED_WHOLE_BYTES = 1 << 20
"""Files up to this size are remembered whole when any part of them is shown."""

_VERSIONS = 4


class _Remembered(NamedTuple):
    version: str
    content: bytes
    whole: bool


class ShownContents:
    """The base of a three-way merge when a request was made against an older version. Small files
    are remembered whole, of larger ones only the ranges that were shown.

    Up to `limit` bytes of shown content, the files least recently shown first out. Thread-safe."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._files: BoundedCache[list[_Remembered]] = BoundedCache(
            limit
        )  # of each the newest first
        self._recording = threading.Lock()

    def remember(
        self, location: Location, version: str, content: bytes, *, whole: bool = True
    ) -> None:
        """Remember `content`, the file or a range of it, as shown of `location` at `version`."""
        if len(content) > self._limit:
            return
        new = _Remembered(version, content, whole)
        with self._recording:
            kept, cost = [new], len(content)
            for entry in self._files.get(location) or ():
                if entry == new:
                    continue
                if len(kept) == _VERSIONS or cost + len(entry.content) > self._limit:
                    break
                kept.append(entry)
                cost += len(entry.content)
            self._files.put(location, kept, cost)

    def content_at(self, location: Location, version: str) -> bytes | None:
        """The whole file at `version`, if it was shown and is still remembered."""
        for entry in self._files.get(location) or ():
            if entry.whole and entry.version == version:
                return entry.content
        return None

    def earlier_contents(
        self, location: Location, *, except_version: str = ""
    ) -> list[bytes]:
        """What was shown of the file at other versions than `except_version`, newest first."""
        found = []
        for entry in self._files.get(location) or ():
            if entry.version != except_version:
                found.append(entry.content)
        return found
