"""What is remembered within bounds, whatever the thread: what can be made again, and what a caller was last shown."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from filewright.boundary import Location

V = TypeVar("V")


class BoundedCache(Generic[V]):
    """Least recently used first out, bounded by the sum of the costs (bytes) its entries were given."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._entries: OrderedDict[Hashable, tuple[V, int]] = OrderedDict()
        self._total = 0
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
                self._total -= old[1]
            if cost > self._limit:
                return
            self._entries[key] = (value, cost)
            self._total += cost
            while self._total > self._limit:
                _, (_, freed) = self._entries.popitem(last=False)
                self._total -= freed

    @property
    def total(self) -> int:
        """The sum of the costs now."""
        return self._total


SHOWN_WHOLE_BYTES = 1 << 20
"""Files up to this size are remembered whole when any part of them is shown."""

_VERSIONS = 4


@dataclass(frozen=True, slots=True)
class _Remembered:
    version: str
    content: bytes
    whole: bool


class Shown:
    """The base of a three-way merge when a request was made against an older version. Small files
    are remembered whole, of larger ones only the ranges that were shown.

    Up to `limit` bytes of shown content, least recently shown first out. Thread-safe."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._files: OrderedDict[Location, list[_Remembered]] = OrderedDict()
        self._total = 0
        self._lock = threading.Lock()

    def record(self, location: Location, version: str, content: bytes, *, whole: bool = True) -> None:
        """Remember `content`, the file or a range of it, as shown of `location` at `version`."""
        if len(content) > self._limit:
            return
        entry = _Remembered(version, content, whole)
        with self._lock:
            kept = self._files.setdefault(location, [])
            self._files.move_to_end(location)
            if entry in kept:
                kept.remove(entry)
                kept.append(entry)
                return
            kept.append(entry)
            self._total += len(content)
            if len(kept) > _VERSIONS:
                self._total -= len(kept.pop(0).content)
            while self._total > self._limit:
                oldest, entries = next(iter(self._files.items()))
                self._total -= len(entries.pop(0).content)
                if not entries:
                    del self._files[oldest]

    def at(self, location: Location, version: str) -> bytes | None:
        """The whole file at `version`, if it was shown and is still remembered."""
        with self._lock:
            kept = self._files.get(location, [])
            return next((e.content for e in kept if e.whole and e.version == version), None)

    def bases(self, location: Location, *, except_version: str = "") -> tuple[bytes, ...]:
        """What was shown of the file at other versions than `except_version`, newest first."""
        with self._lock:
            kept = self._files.get(location, [])
            return tuple(e.content for e in reversed(kept) if e.version != except_version)

    @property
    def total(self) -> int:
        """Bytes remembered now."""
        return self._total
