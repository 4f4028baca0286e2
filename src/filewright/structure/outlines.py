"""The outlines of a workspace's files: each content parsed once, in a process apart, and remembered."""

from __future__ import annotations

import time
from typing import Final

import xxhash

from filewright.boundary import Launcher
from filewright.progress import Task
from filewright.settings import Settings
from filewright.structure import wire
from filewright.structure.language import PARSED, Language, language_of
from filewright.structure.symbol import Outline
from filewright.structure.workers import FAILED, Workers
from filewright.text import BoundedCache, Snapshot

_HEAD: Final = 64 << 10
_SYMBOL_BYTES: Final = 400  # memory of one symbol with its strings, measured
_OUTLINE_BYTES: Final = 500
_SLOW_SECONDS: Final = 60.0
_SLOW_KEPT: Final = 100


class Outlines:
    """Outlines by content: parsed when first asked for, then answered from memory; thread-safe.

    One for a workspace, whose `launcher` starts the parser processes (None: one of its own). Half of
    `settings.cache_bytes` may be used. `close` ends the parser processes.
    """

    def __init__(self, settings: Settings, launcher: Launcher | None = None) -> None:
        self._settings = settings
        self._workers = Workers(launcher or Launcher(confine=settings.landlock))
        self._known: BoundedCache[Outline] = BoundedCache(settings.cache_bytes // 2)
        self._slow: BoundedCache[tuple[float, Outline]] = BoundedCache(_SLOW_KEPT)

    def outline(
        self, source: bytes | Snapshot, language: Language | None = None, *, task: Task | None = None
    ) -> Outline:
        """The outline of bytes (UTF-8) or of a snapshot (its own encoding).

        The language of a snapshot is found from its name unless given. Never raises for the content:
        without a grammar, above `settings.parse_bytes`, after `settings.parse_seconds`, for binary
        content and for a grammar that crashes, the outline has `parsed=False` and a note. Raises
        `cancelled` or `timeout` if `task` must stop, and `io_error` if the file cannot be read.
        """
        snapshot = source if isinstance(source, Snapshot) else None
        if language is None and snapshot is not None:
            language = language_of_snapshot(snapshot)
        refusal = self._refusal(source, language)
        if refusal is not None:
            return Outline(language, parsed=False, note=refusal or None)
        assert language is not None
        codec, key = "utf-8", ""
        if snapshot is not None:
            data = snapshot.read(0, snapshot.size) if snapshot.held is None else snapshot.held
            codec = snapshot.encoding.name
            if snapshot.location is not None:
                location = snapshot.location
                key = xxhash.xxh3_64_hexdigest(repr((location.root.path, location.parts)).encode())
        else:
            assert isinstance(source, bytes)
            data = source
        return self._of_content(data, codec, language, key, task)

    def _refusal(self, source: bytes | Snapshot, language: Language | None) -> str | None:
        """Why this is not parsed ("" for no grammar, which needs no words); None if it is."""
        if language not in PARSED:
            return ""
        size = source.size if isinstance(source, Snapshot) else len(source)
        if size > self._settings.parse_bytes:
            return f"not parsed: {size} bytes are above the limit of {self._settings.parse_bytes}"
        if isinstance(source, Snapshot) and source.binary is not None:
            return f"not parsed: it is binary ({source.binary})"
        return None

    def _of_content(
        self, data: bytes, codec: str, language: Language, key: str, task: Task | None
    ) -> Outline:
        identity = (xxhash.xxh3_128_digest(data), len(data), codec, language)
        known = self._known.get(identity)
        slow = self._slow.get(identity)
        if slow is not None and time.monotonic() - slow[0] < _SLOW_SECONDS:
            return slow[1]
        if known is None:
            request = wire.Request(language.value, codec, self._settings.parse_seconds, key)
            try:
                known = self._workers.outline(request, data, task)
            except OSError as error:
                reason = error.strerror or str(error)
                return Outline(
                    language, parsed=False, note=f"not parsed: no parser process starts ({reason})"
                )
            if known.parsed or known.note == FAILED:
                self._known.put(identity, known, _OUTLINE_BYTES + _SYMBOL_BYTES * known.count)
            else:  # the time limit may be met another time, but not at once
                self._slow.put(identity, (time.monotonic(), known), 1)
        return known

    def close(self) -> None:
        """End the parser processes; a later call starts new ones."""
        self._workers.close()


def language_of_snapshot(snapshot: Snapshot) -> Language | None:
    """The language of a snapshot by its name and its first bytes."""
    name = snapshot.location.name if snapshot.location is not None else b""
    head = snapshot.read(0, min(_HEAD, snapshot.size))
    if snapshot.encoding.width == 2:
        head = head.decode(snapshot.encoding.name, "replace").encode()
    return language_of(name, head)
