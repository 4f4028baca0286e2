"""The outlines of a workspace's files: each content parsed once, in a process apart, and remembered."""

from __future__ import annotations

import time
from typing import Final

import xxhash

from filewright.boundary.launcher import Launcher
from filewright.languages import PARSED, Language, language_of
from filewright.progress import Task
from filewright.settings import Settings
from filewright.structure.definition_patterns import add_definitions
from filewright.structure.grammar_input import MAX_PARSED_BYTES
from filewright.structure.outline import Outline
from filewright.structure.wire import Request
from filewright.structure.workers import GRAMMAR_FAILED_NOTE, Workers
from filewright.text.cache import BoundedCache
from filewright.text.snapshot import Snapshot

_HEAD: Final = 64 << 10
_SYMBOL_BYTES: Final = 400  # memory of one symbol with its strings, measured
_OUTLINE_BYTES: Final = 500
_PER_LIMIT: Final = 8 << 20
_PARSED_APART: Final = 2 << 20
_SLOW_SECONDS: Final = 60.0
_SLOW_KEPT: Final = 100


class Outlines:
    """Outlines by content: parsed when first asked for, then answered from memory; thread-safe.

    One for a workspace, whose `launcher` starts the parser processes (None: one of its own). Half of
    `settings.cache_bytes` may be used. `close` ends the parser processes.
    """

    def __init__(
        self, settings: Settings, launcher: Launcher | None = None
    ) -> None:
        self._settings = settings
        self._workers = Workers(launcher or Launcher(confine=settings.landlock))
        self._known: BoundedCache[Outline] = BoundedCache(
            settings.cache_bytes // 2
        )
        self._slow: BoundedCache[tuple[float, Outline]] = BoundedCache(
            _SLOW_KEPT
        )

    def outline(
        self,
        source: bytes | Snapshot,
        language: Language | None = None,
        *,
        task: Task | None = None,
    ) -> Outline:
        """The outline of bytes (UTF-8) or of a snapshot (its own encoding).

        The language of a snapshot is found from its name unless given. Never raises for the content: of a
        text that is too large or too slow the beginning is parsed and the rest outlined by patterns; above
        `settings.parse_bytes`, for binary content and for a grammar that crashes the outline has
        `parsed=False` and a note. Raises `cancelled` or `timeout` if `task` must stop, and `io_error` if the
        file cannot be read.
        """
        if isinstance(source, bytes):
            snapshot = Snapshot(source, encoding="utf-8")
        else:
            snapshot, language = (
                source,
                language or language_of_snapshot(source),
            )
        if language not in PARSED:
            return Outline(language, parsed=False)
        if isinstance(source, Snapshot) and source.binary_type is not None:
            return Outline(
                language,
                parsed=False,
                note=f"not parsed: it is binary ({source.binary_type})",
            )
        size = snapshot.size
        data = (
            snapshot.content
            if snapshot.content is not None
            else snapshot.read(0, MAX_PARSED_BYTES)
        )
        # Of a file that is not held whole only the beginning is hashed here.
        rest = snapshot.version if size > len(data) else ""
        identity = (
            xxhash.xxh3_128_digest(data),
            rest,
            size,
            snapshot.encoding.name,
            language,
        )
        known = self._known.get(identity)
        if known is not None:
            return known
        slow = self._slow.get(identity)
        if slow is not None and time.monotonic() - slow[0] < _SLOW_SECONDS:
            return slow[1]
        outline = self._parsed(snapshot, data, language, task)
        if not outline.is_whole or (
            outline.errors.count and language.traits.definitions_fill_gaps
        ):
            outline = add_definitions(outline, snapshot, language, task)
        if outline.is_whole or outline.note == GRAMMAR_FAILED_NOTE:
            self._known.put(
                identity,
                outline,
                _OUTLINE_BYTES + _SYMBOL_BYTES * outline.count,
            )
        else:  # the time limit may be met another time, but not at once
            self._slow.put(identity, (time.monotonic(), outline), 1)
        return outline

    def _parsed(
        self,
        snapshot: Snapshot,
        data: bytes,
        language: Language,
        task: Task | None,
    ) -> Outline:
        """What the grammar reads: all of it, the beginning, or nothing with a note that says why."""
        size, limit, narrow = (
            snapshot.size,
            self._settings.parse_bytes,
            snapshot.encoding.unit_bytes == 1,
        )
        note = f"not parsed: {size} bytes are above the limit of "
        if size > limit:
            return Outline(language, parsed=False, note=f"{note}{limit}")
        head, key = data, ""
        if size > MAX_PARSED_BYTES:
            head = (
                data[: data.rfind(b"\n", 0, MAX_PARSED_BYTES) + 1]
                if narrow
                else b""
            )
            if not head:
                return Outline(
                    language,
                    parsed=False,
                    note=f"{note}{MAX_PARSED_BYTES} for such a file",
                )
        elif snapshot.location is not None:
            location = snapshot.location
            key = xxhash.xxh3_64_hexdigest(
                repr((location.root.path, location.parts)).encode()
            )
        seconds = self._settings.parse_seconds * (1 + len(head) // _PER_LIMIT)
        request = Request(language.value, snapshot.encoding.name, seconds, key)
        try:
            outline = self._workers.outline(request, head, task)
            while (
                outline.note == GRAMMAR_FAILED_NOTE
                and len(head) > _PARSED_APART
                and narrow
            ):
                # A large tree may have passed the worker's memory; of a part of it the names are known.
                head = head[: head.rfind(b"\n", 0, len(head) // 2) + 1]
                outline = (
                    self._workers.outline(request._replace(key=""), head, task)
                    if head
                    else outline
                )
        except OSError as error:
            note = f"not parsed: no parser process starts ({error.strerror or error})"
            return Outline(language, parsed=False, note=note)
        return (
            outline.truncated_at(head.count(b"\n"))
            if outline.is_whole and len(head) < size
            else outline
        )

    def prepare(self) -> None:
        """Start a parser process, so that the first outline need not wait for it."""
        self._workers.prepare()

    def close(self) -> None:
        """End the parser processes; a later call starts new ones."""
        self._workers.close()


def language_of_snapshot(snapshot: Snapshot) -> Language | None:
    """The language of a snapshot by its name and its first bytes."""
    name = snapshot.location.name if snapshot.location is not None else b""
    head = snapshot.read(0, _HEAD)
    if snapshot.encoding.unit_bytes == 2:
        head = head.decode(snapshot.encoding.name, "replace").encode()
    return language_of(name, head)
