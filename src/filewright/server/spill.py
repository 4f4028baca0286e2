"""Results too large for one answer, kept for a while under a URI the client may read."""

from __future__ import annotations

import threading
from collections import OrderedDict

PREFIX = "filewright://result/"


class Spill:
    """The newest large results, up to `limit` characters in all."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._kept: OrderedDict[str, str] = OrderedDict()
        self._size = 0
        self._count = 0
        self._lock = threading.Lock()

    def keep(self, text: str) -> str | None:
        """The URI under which `text` can be read; None if it alone is past the limit."""
        if len(text) > self._limit:
            return None
        with self._lock:
            self._count += 1
            uri = f"{PREFIX}{self._count}"
            self._kept[uri] = text
            self._size += len(text)
            while self._size > self._limit:
                self._size -= len(self._kept.popitem(last=False)[1])
            return uri

    def get(self, uri: str) -> str | None:
        """The text kept under `uri`; None if there is none, or no longer."""
        with self._lock:
            return self._kept.get(uri)
