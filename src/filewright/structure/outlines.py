"""The outlines of a workspace's files: each content is parsed once, in another process."""

from __future__ import annotations

import time
from array import array
from dataclasses import dataclass, replace
from typing import Final

import xxhash

from filewright.boundary.launcher import Launcher
from filewright.languages import PARSED, WITH_SYNTAX, Language, language_of
from filewright.progress import Task
from filewright.settings import Settings
from filewright.structure.definition_patterns import add_definitions
from filewright.structure.grammar_input import MAX_PARSED_BYTES
from filewright.structure.import_statements import ImportFacts
from filewright.structure.outline import Outline
from filewright.structure.syntax_kinds import SyntaxAnswer
from filewright.structure.wire import Request
from filewright.structure.workers import GRAMMAR_FAILED_NOTE, Workers
from filewright.text.cache import BoundedCache
from filewright.text.notebook import NotebookView
from filewright.text.snapshot import Snapshot
from filewright.wording import format_size

NO_GRAMMAR_NOTE: Final = "without a grammar"
"""The note of an answer on a file that no grammar reads."""

IMPORT_LANGUAGES: Final = frozenset(
    [
        Language.PYTHON,
        Language.JAVASCRIPT,
        Language.JSX,
        Language.TYPESCRIPT,
        Language.TSX,
    ]
)
"""The languages whose imports are read."""

_HEAD_BYTES: Final = 64 << 10
"""The beginning of a text by which its language is recognised."""

_SYMBOL_BYTES: Final = 400
"""Measured memory of one symbol with its strings."""

_OUTLINE_BYTES: Final = 500
"""Memory of an outline without its symbols."""

_BYTES_PER_TIME_LIMIT: Final = 8 << 20
"""A text has the time limit of the settings once for each so many bytes."""

_MIN_RETRIED_BYTES: Final = 2 << 20
"""A text so small failed by its content, and not for want of memory."""

_RETRY_SECONDS: Final = 60.0
"""The time before a content is parsed again that could not be parsed whole."""

_MAX_INCOMPLETE_OUTLINES: Final = 100
_MAX_ANSWERS_BYTES: Final = 4 << 20
_SYNTAX_TIME_LIMITS: Final = 4
_OFFSETS_PER_SECOND: Final = 40_000
_ANSWER_BYTES: Final = 8
"""Measured memory of one code of an answer."""


@dataclass(frozen=True, slots=True)
class _IncompleteOutline:
    """An outline of a part of a content, and the time of its parse."""

    outline: Outline
    parsed_at: float


class Outlines:
    """Outlines by content, for any thread: parsed when first requested, then cached.

    A workspace has one. `launcher` starts the parser processes (default: a launcher of
    its own). The cache may use half of `settings.cache_bytes`. `close` ends the processes.
    """

    def __init__(
        self, settings: Settings, launcher: Launcher | None = None
    ) -> None:
        self._settings = settings
        self._workers = Workers(launcher or Launcher(confine=settings.landlock))
        self._complete: BoundedCache[Outline] = BoundedCache(
            settings.cache_bytes // 2
        )
        self._incomplete: BoundedCache[_IncompleteOutline] = BoundedCache(
            _MAX_INCOMPLETE_OUTLINES
        )
        self._syntax: BoundedCache[SyntaxAnswer] = BoundedCache(
            _MAX_ANSWERS_BYTES
        )

    def outline(
        self,
        source: bytes | Snapshot,
        language: Language | None = None,
        *,
        task: Task | None = None,
    ) -> Outline:
        """Return the outline of bytes in UTF-8, or of a snapshot.

        Without a `language`, the name of the snapshot's file decides. No content raises
        an error. Of a text that is too large or takes too long, the beginning is parsed,
        and the rest outlined by patterns. Above `settings.parse_bytes`, for binary
        content, and where the grammar crashes, the outline has `parsed=False` and a note.

        Raises `cancelled` or `timeout` of the task, and `io_error`.
        """
        if isinstance(source, bytes):
            snapshot = Snapshot(source, encoding="utf-8")
        else:
            snapshot = source
            language = language or language_of_snapshot(source)
        if language not in PARSED:
            return Outline(language, parsed=False)
        if isinstance(source, Snapshot) and source.binary_type is not None:
            note = f"not parsed: it is binary ({source.binary_type})"
            return Outline(language, parsed=False, note=note)
        data = _read_parsed_part(snapshot)
        key = _content_key(snapshot, data, language)
        cached = self._find_cached(key)
        if cached is not None:
            return cached
        outline = self._parse(snapshot, data, language, task)
        fills_gaps = (
            outline.errors.count > 0 and language.traits.definitions_fill_gaps
        )
        if not outline.is_whole or fills_gaps:
            outline = add_definitions(outline, snapshot, language, task)
        if outline.is_whole or outline.note == GRAMMAR_FAILED_NOTE:
            size = _OUTLINE_BYTES + _SYMBOL_BYTES * outline.count
            self._complete.put(key, outline, size)
        else:
            incomplete = _IncompleteOutline(outline, time.monotonic())
            self._incomplete.put(key, incomplete, 1)
        return outline

    def _find_cached(self, key: object) -> Outline | None:
        """Return the cached outline of a content, or None if it is to be parsed."""
        outline = self._complete.get(key)
        if outline is not None:
            return outline
        incomplete = self._incomplete.get(key)
        if incomplete is None:
            return None
        # A machine that is less busy later may parse it whole, but hardly at once.
        if time.monotonic() - incomplete.parsed_at >= _RETRY_SECONDS:
            return None
        return incomplete.outline

    def _parse(
        self,
        snapshot: Snapshot,
        data: bytes,
        language: Language,
        task: Task | None,
    ) -> Outline:
        """Return the outline of the text as far as the grammar reads it.

        If that is nothing, a note says why.
        """
        size = snapshot.size
        if size > self._settings.parse_bytes:
            return _too_large(language, size, f"{self._settings.parse_bytes}")
        head, key = data, _file_key(snapshot)
        if size > MAX_PARSED_BYTES:
            head = _take_whole_lines(snapshot, data, MAX_PARSED_BYTES)
            # A part of the file must not take the place of the tree of the whole.
            key = ""
        if size and not head:
            return _too_large(
                language, size, f"{MAX_PARSED_BYTES} for such a file"
            )
        request = self._request(snapshot, head, language, key)
        try:
            return self._parse_head(snapshot, request, head, task)
        except OSError as error:
            note = f"not parsed: no parser process starts ({error.strerror or error})"
            return Outline(language, parsed=False, note=note)

    def _parse_head(
        self,
        snapshot: Snapshot,
        request: Request,
        head: bytes,
        task: Task | None,
    ) -> Outline:
        """Return the outline of `head`, the beginning of the text, or of a part of it.

        The tree of a large text may exceed the memory of the worker, which then fails.
        The names in half of it, or in half of that, can still be found.
        """
        outline = self._workers.outline(request, head, task)
        request = replace(request, key="")
        while (
            outline.note == GRAMMAR_FAILED_NOTE
            and len(head) > _MIN_RETRIED_BYTES
        ):
            head = _take_whole_lines(snapshot, head, len(head) // 2)
            if not head:
                break
            outline = self._workers.outline(request, head, task)
        if outline.is_whole and len(head) < snapshot.size:
            return outline.truncated_at(head.count(b"\n"))
        return outline

    def _request(
        self, snapshot: Snapshot, data: bytes, language: Language, key: str
    ) -> Request:
        """Return the request to parse `data`, whose tree is kept as `key`."""
        time_limits = 1 + len(data) // _BYTES_PER_TIME_LIMIT
        return Request(
            language.value,
            snapshot.encoding.name,
            seconds=self._settings.parse_seconds * time_limits,
            key=key,
        )

    def classify(
        self,
        snapshot: Snapshot,
        spans: tuple[int, ...],
        *,
        task: Task | None = None,
    ) -> SyntaxAnswer:
        """Return the syntax of spans of a file: their starts and ends in turn.

        The note of the answer says why there is none: the file has no grammar, is
        binary or a notebook, is above `settings.parse_bytes` or took too long. Spans
        behind the part of a large file that is parsed are of no kind.

        Raises `cancelled` or `timeout` of the task, and `io_error`.
        """
        language = language_of_snapshot(snapshot)
        is_readable = (
            language in WITH_SYNTAX
            and snapshot.binary_type is None
            and not isinstance(snapshot, NotebookView)
        )
        if language is None or not is_readable:
            return SyntaxAnswer(note=NO_GRAMMAR_NOTE)
        if snapshot.size > self._settings.parse_bytes:
            limit = format_size(self._settings.parse_bytes)
            return SyntaxAnswer(note=f"not parsed: larger than {limit}")
        data = _read_parsed_part(snapshot)
        data = data[:MAX_PARSED_BYTES]
        key = (_content_key(snapshot, data, language), _hash_spans(spans))
        answer = self._syntax.get(key)
        if answer is not None:
            return answer
        # A part of the file must not take the place of the tree of the whole.
        file_key = "" if snapshot.size > len(data) else _file_key(snapshot)
        request = self._request(snapshot, data, language, file_key)
        # On a busy machine a part would be parsed, and the rest be of no kind.
        seconds = _SYNTAX_TIME_LIMITS * request.seconds
        seconds += len(spans) / _OFFSETS_PER_SECOND
        request = replace(request, seconds=seconds, spans=spans)
        try:
            answer = self._workers.classify(request, data, task)
        except OSError as error:
            return SyntaxAnswer(
                note=f"not parsed: no parser process starts ({error.strerror or error})"
            )
        if not answer.note and 0 not in answer.codes:
            self._syntax.put(key, answer, _ANSWER_BYTES * (1 + len(spans)))
        return answer

    def imports(
        self,
        snapshot: Snapshot,
        names: tuple[str, ...],
        spans: tuple[int, ...] = (),
        *,
        task: Task | None = None,
    ) -> ImportFacts:
        """Return the imports of a file and the mentions of some names.

        `spans` are the starts and ends of the ranges whose unbound names are named too.
        The note of the answer says why a file cannot be read.

        Raises `cancelled` or `timeout` of the task, and `io_error`.
        """
        language = language_of_snapshot(snapshot)
        if language not in IMPORT_LANGUAGES:
            return ImportFacts(note=NO_GRAMMAR_NOTE)
        if snapshot.encoding.unit_bytes > 1 or snapshot.encoding.is_multibyte:
            return ImportFacts(note=f"it is {snapshot.encoding.name}")
        limit = min(self._settings.parse_bytes, MAX_PARSED_BYTES)
        if snapshot.size > limit or snapshot.content is None:
            return ImportFacts(note=f"larger than {format_size(limit)}")
        request = self._request(
            snapshot, snapshot.content, language, _file_key(snapshot)
        )
        # The usual limit would leave files unread on a busy machine.
        seconds = _SYNTAX_TIME_LIMITS * request.seconds
        request = replace(request, seconds=seconds, spans=spans, names=names)
        try:
            return self._workers.imports(request, snapshot.content, task)
        except OSError as error:
            return ImportFacts(
                note=f"no parser process starts ({error.strerror or error})"
            )

    def prepare(self) -> None:
        """Start a parser process, so that the first outline does not wait for it."""
        self._workers.prepare()

    def close(self) -> None:
        """End the parser processes; a later call starts new ones."""
        self._workers.close()


def _too_large(language: Language, size: int, limit: str) -> Outline:
    """Return the outline of a text that is above a limit of bytes."""
    note = f"not parsed: {size} bytes are above the limit of {limit}"
    return Outline(language, parsed=False, note=note)


def _take_whole_lines(snapshot: Snapshot, data: bytes, max_bytes: int) -> bytes:
    """Return the lines within the first `max_bytes`, none in UTF-16.

    A line that is cut in two could be read as another definition. In UTF-16 the byte of a
    line feed may be half of another character.
    """
    if snapshot.encoding.unit_bytes > 1:
        return b""
    return data[: data.rfind(b"\n", 0, max_bytes) + 1]


def _read_parsed_part(snapshot: Snapshot) -> bytes:
    """Return the content of a file, or the beginning of a large one."""
    if snapshot.content is not None:
        return snapshot.content
    return snapshot.read(0, MAX_PARSED_BYTES)


def _hash_spans(spans: tuple[int, ...]) -> bytes:
    """Return a digest that tells spans apart."""
    return xxhash.xxh3_128_digest(array("Q", spans).tobytes())


def _content_key(
    snapshot: Snapshot, data: bytes, language: Language
) -> tuple[bytes, str, int, str, Language]:
    """Return the key of a content of which `data` is the beginning."""
    # If more follows than is in memory, the version stands for it.
    rest = snapshot.version if snapshot.size > len(data) else ""
    return (
        xxhash.xxh3_128_digest(data),
        rest,
        snapshot.size,
        # The same bytes are another text in another encoding.
        snapshot.encoding.name,
        language,
    )


def _file_key(snapshot: Snapshot) -> str:
    """Return the name under which a worker keeps the tree of a file, "" without a file."""
    location = snapshot.location
    if location is None:
        return ""
    path = repr((location.root.path, location.parts))
    return xxhash.xxh3_64_hexdigest(path.encode())


def language_of_snapshot(snapshot: Snapshot) -> Language | None:
    """Return the language of a snapshot by its name and its first bytes."""
    head = snapshot.read(0, _HEAD_BYTES)
    if snapshot.encoding.unit_bytes == 2:
        head = head.decode(snapshot.encoding.name, "replace").encode()
    return language_of(snapshot.text_name, head)
