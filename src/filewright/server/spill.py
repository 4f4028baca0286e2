"""Results too large for one answer, kept for a while under a URI the client may read."""

from __future__ import annotations

from itertools import count

from filewright.text import BoundedCache

PREFIX = "filewright://result/"


class Spill:
    """The newest large results, up to `limit` characters in all."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._kept: BoundedCache[str] = BoundedCache(limit)
        self._numbers = count(1)

    def keep(self, text: str) -> str | None:
        """The URI under which `text` can be read; None if it alone is past the limit."""
        if len(text) > self._limit:
            return None
        uri = f"{PREFIX}{next(self._numbers)}"
        self._kept.put(uri, text, len(text))
        return uri

    def get(self, uri: str) -> str | None:
        """The text kept under `uri`; None if there is none, or no longer."""
        return self._kept.get(uri)
