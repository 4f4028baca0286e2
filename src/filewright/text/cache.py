"""A bounded, thread-safe memory of things that can be made again."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, TypeVar

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
