"""The survey of a name: each of its uses in the files of a search, read once.

A parser says which uses are imports, definitions, calls, comments and strings; the text
around them tells the module of an import, the receiver of a call and the number of its
arguments. Work is bounded by bytes and by time; uses in the files that are left are
counted without being told apart.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice

from filewright.boundary.location import Location, Root
from filewright.errors import Code, FilewrightError
from filewright.languages import Language
from filewright.progress import Task
from filewright.search.code_tokens import Tokens, scan_tokens
from filewright.search.matches import Match, find_matches
from filewright.search.pattern import Pattern
from filewright.search.tree import ResumePoint, short_fingerprint
from filewright.structure.outlines import language_of_snapshot
from filewright.structure.syntax_kinds import SyntaxKind, decode_span_syntax
from filewright.text.snapshot import Snapshot
from filewright.tools.best_effort import ExtraTask
from filewright.tools.context import Context
from filewright.tools.search.notes import display_path
from filewright.tools.search.uses_calls import read_call
from filewright.tools.search.uses_imports import (
    READ_LANGUAGES,
    ModuleFiles,
    SurveyedImport,
    find_import,
    read_import,
)
from filewright.tools.search.uses_names import compile_names
from filewright.tools.search.uses_summary import (
    NameUse,
    UseKind,
    UsesSurvey,
    summarize_uses,
)
from filewright.tools.syntax_filter import narrowest_kind

MAX_USES = 20_000
MAX_PARSED_BYTES = 32 << 20
SURVEY_SECONDS = 10.0
"""The processor time of a survey. The limit of bytes comes first but on a busy machine."""

MAX_ALIASES = 50
MAX_SOURCES = 5
"""Imported files in which the name is looked for."""

MAX_WORD_BYTES = 60
"""The bytes before and behind a match that are read for the word around it."""

MAX_LINK_BYTES = 20
"""The bytes before a name in which a dot or an arrow is looked for."""

SHOWN_BYTES_BEFORE = 40
SHOWN_BYTES = 110

_WORD_BYTES = re.compile(rb"[\w$\x80-\xff]+")
_KINDS = {
    SyntaxKind.COMMENT: UseKind.COMMENT,
    SyntaxKind.STRING: UseKind.STRING,
    SyntaxKind.IMPORT: UseKind.IMPORT,
    SyntaxKind.DEFINITION: UseKind.DEFINITION,
    SyntaxKind.CALL: UseKind.CALL,
    SyntaxKind.CODE: UseKind.CODE,
}


@dataclass(slots=True)
class _UseReader:
    """The text of one file with matches, for reading what is around them."""

    snapshot: Snapshot
    path: str
    language: Language | None
    data: bytes
    task: Task
    owners: dict[str, str] = field(default_factory=dict)
    _tokens: Tokens | None = None
    _line: range = range(0)

    @property
    def tokens(self) -> Tokens:
        """The brackets, strings and comments of the file, read when first needed."""
        if self._tokens is None:
            self._tokens = scan_tokens(self.data, self.language)
        return self._tokens

    @classmethod
    def of(cls, snapshot: Snapshot, path: str, task: Task) -> _UseReader:
        """Return the reader of an open file."""
        data = b""
        if snapshot.encoding.unit_bytes == 1 and snapshot.content is not None:
            data = snapshot.content
        language = language_of_snapshot(snapshot)
        return cls(snapshot, path, language, data, task)

    def find(self, pattern: Pattern, limit: int) -> list[Match]:
        """Return the first matches of a pattern."""
        matches = find_matches(self.snapshot, pattern, task=self.task)
        return list(islice(matches, limit))

    def line_of(self, offset: int) -> int:
        """Return the number of the line at an offset."""
        return self.snapshot.lines.line_at(offset, self.task)

    def excerpt(self, match: Match) -> str:
        """Return the line of a match, or the part of a long one around it."""
        # A long line may have thousands of matches.
        if match.offset not in self._line:
            lines = self.snapshot.lines
            self._line = range(
                lines.line_start(match.offset, self.task),
                lines.line_end(match.offset, self.task),
            )
        start, stop = self._line.start, self._line.stop
        first = start
        if stop - start > SHOWN_BYTES:
            first = max(start, match.offset - SHOWN_BYTES_BEFORE)
        last = min(stop, first + SHOWN_BYTES)
        body = self.snapshot.read(first, last - first)
        # A piece may begin or end inside of a character.
        text = body.decode(self.snapshot.encoding.name, "ignore").strip()
        before = "…" if first > start else ""
        after = "…" if last < stop else ""
        return f"{before}{text}{after}"


@dataclass(slots=True)
class UsesCollector:
    """The uses of names in the files of a search, in their order.

    A match that is a part of another word is a use of the kind `PART`.
    """

    context: Context
    names: tuple[str, ...]
    max_parsed_bytes: int = MAX_PARSED_BYTES
    max_uses: int = MAX_USES
    seconds: float = SURVEY_SECONDS
    _uses: dict[str, list[NameUse]] = field(default_factory=dict)
    _unparsed: dict[str, int] = field(default_factory=dict)
    _broken: list[str] = field(default_factory=list)
    _unread_imports: list[str] = field(default_factory=list)
    _use_count: int = 0
    _file_count: int = 0
    _first_unread: ResumePoint | None = None
    _alias_count: int = 0
    _modules: dict[int, ModuleFiles] = field(default_factory=dict)
    _task: ExtraTask | None = None

    def __len__(self) -> int:
        return self._use_count + len(self._unparsed)

    def add_file(self, snapshot: Snapshot, pattern: Pattern) -> None:
        """Add the uses in a file, which the pattern finds."""
        if self._task is None:
            self._task = ExtraTask(self.context.task, self.seconds)
        path = display_path(snapshot)
        room = self.max_uses - self._use_count
        self.max_parsed_bytes -= snapshot.file_size
        self._file_count += 1
        if room <= 0 or self.max_parsed_bytes < 0 or self._task.ran_out:
            self._leave_unread(snapshot, path, pattern)
            return
        task = self._task
        reader = _UseReader.of(snapshot, path, task)
        try:
            uses = self._read(reader, pattern, room)
        except FilewrightError as error:
            if error.code is not Code.TIMEOUT or not task.ran_out:
                raise
            self._leave_unread(snapshot, path, pattern)
            return
        if len(uses) >= room:
            self._count(snapshot, path, pattern, read_count=room)
        for name, use in uses:
            self._uses.setdefault(name, []).append(use)
            self._use_count += 1

    @property
    def resume(self) -> ResumePoint | None:
        """Return the first file beyond the limits, where a survey may go on."""
        return self._first_unread

    def _leave_unread(
        self, snapshot: Snapshot, path: str, pattern: Pattern
    ) -> None:
        """Count the matches of a file beyond the limits.

        A survey does not go on at its first file, which would be beyond them again.
        """
        self._count(snapshot, path, pattern)
        is_first = self._first_unread is None and self._file_count > 1
        if is_first and snapshot.location is not None:
            self._first_unread = ResumePoint(
                snapshot.location, 0, short_fingerprint(snapshot, 0)
            )

    def _count(
        self,
        snapshot: Snapshot,
        path: str,
        pattern: Pattern,
        *,
        read_count: int = 0,
    ) -> None:
        """Count the matches of a file that are not read, those after `read_count`."""
        matches = find_matches(snapshot, pattern, task=self.context.task)
        count = sum(1 for _ in islice(matches, read_count, None))
        if count:
            self._unparsed[path] = count

    def _read(
        self, reader: _UseReader, pattern: Pattern, room: int
    ) -> list[tuple[str, NameUse]]:
        """Return the uses in a file, each with its name."""
        matches = reader.find(pattern, room)
        uses = list(self._read_matches(reader, matches))
        aliases = {
            (use.imported.alias, name): None
            for name, use in uses
            if use.imported is not None and use.imported.alias
        }
        for alias, name in aliases:
            if self._alias_count < MAX_ALIASES:
                self._alias_count += 1
                for use in self._read_alias(reader, alias):
                    uses.append((name, use))
        return uses

    def _read_matches(
        self, reader: _UseReader, matches: Sequence[Match]
    ) -> Iterator[tuple[str, NameUse]]:
        """Yield the use of each match, with its name."""
        kinds = self._classify(reader, matches)
        for index, (match, kind) in enumerate(zip(matches, kinds, strict=True)):
            next_start = None
            if index + 1 < len(matches):
                next_start = matches[index + 1].offset
            yield self._read_use(reader, match, kind, next_start)

    def _classify(
        self, reader: _UseReader, matches: Sequence[Match]
    ) -> list[UseKind]:
        """Return the kind of each match in a file."""
        spans: list[int] = []
        for match in matches:
            spans += (match.offset, match.end)
        if not spans:
            return []
        answer = self.context.outlines.classify(
            reader.snapshot, tuple(spans), task=reader.task
        )
        if answer.note:
            return [UseKind.UNKNOWN] * len(matches)
        if answer.has_errors and reader.path not in self._broken:
            self._broken.append(reader.path)
        kinds = []
        for code in answer.codes:
            syntax = decode_span_syntax(code)
            kind = UseKind.UNKNOWN
            if syntax.is_known:
                kind = _KINDS[narrowest_kind(syntax)]
            kinds.append(kind)
        return kinds

    def _read_use(
        self,
        reader: _UseReader,
        match: Match,
        kind: UseKind,
        next_start: int | None,
    ) -> tuple[str, NameUse]:
        """Return the use that a match is, with its name."""
        word = self._word_at(reader, match)
        name = next((name for name in self.names if name == word), "")
        line = reader.line_of(match.offset)
        if not name:
            text = word.lower()
            name = next(
                (name for name in self.names if name.lower() in text),
                self.names[0],
            )
            return name, NameUse(reader.path, line, UseKind.PART, spelling=word)
        if kind is UseKind.CALL:
            return name, self._read_call(reader, match, line, next_start)
        use = NameUse(reader.path, line, kind, text=reader.excerpt(match))
        if kind is UseKind.IMPORT:
            return name, self._add_import(reader, match, name, use)
        return name, use

    def _read_call(
        self,
        reader: _UseReader,
        match: Match,
        line: int,
        next_start: int | None,
    ) -> NameUse:
        """Return the use of a call."""
        if not reader.data:
            text = reader.excerpt(match)
            return NameUse(reader.path, line, UseKind.CODE, text=text)
        form = read_call(
            reader.data, match.offset, match.end, reader.tokens, reader.language
        )
        has_name_inside = next_start is not None and next_start < form.end
        is_long = b"\n" in reader.data[match.offset : form.end]
        return NameUse(
            reader.path,
            line,
            UseKind.CALL,
            spelling=form.spelling,
            arguments=form.arguments,
            owner=form.owner,
            is_spread=is_long or has_name_inside,
            source=self._find_owner(reader, form.owner),
        )

    def _find_owner(self, reader: _UseReader, owner: str) -> str:
        """Return the file or module from which the owner of a call is imported, or ""."""
        if owner not in reader.owners:
            source = ""
            imported = None
            if owner:
                imported = find_import(
                    reader.data, owner, reader.path, reader.language
                )
            if imported is not None:
                module, name = imported.module, imported.original or owner
                # In Python the name may be that of a module in a package.
                inner = f"{module.rstrip('.')}.{name}"
                if module.endswith("."):
                    inner = module + name
                if reader.language is Language.PYTHON:
                    source = self._find_module(reader, inner, name)
                source = source or self._find_module(reader, module, name)
                source = source or module
            reader.owners[owner] = source
        return reader.owners[owner]

    def _word_at(self, reader: _UseReader, match: Match) -> str:
        """Return the match with the rest of the word around it."""
        snapshot = reader.snapshot
        start = max(snapshot.start, match.offset - MAX_WORD_BYTES)
        if snapshot.encoding.unit_bytes > 1:
            start = match.offset
        text = snapshot.read(start, match.end - start)
        index = match.offset - start
        if index:
            before = re.search(rb"[\w$\x80-\xff]*\Z", text[:index])
            assert before is not None
            text = before[0] + text[index:]
        if snapshot.encoding.unit_bytes == 1:
            after = _WORD_BYTES.match(snapshot.read(match.end, MAX_WORD_BYTES))
            text += after[0] if after is not None else b""
        return text.decode(snapshot.encoding.name, "replace")

    def _add_import(
        self, reader: _UseReader, match: Match, name: str, use: NameUse
    ) -> NameUse:
        """Return the use of an import with its module."""
        if reader.language not in READ_LANGUAGES:
            language = str(reader.language)
            if language not in self._unread_imports:
                self._unread_imports.append(language)
        imported = SurveyedImport()
        if reader.data:
            imported = read_import(
                reader.data,
                match.offset,
                match.end,
                reader.path,
                reader.language,
            )
        source = ""
        if imported.module:
            source = self._find_module(reader, imported.module, name)
        return NameUse(
            use.path,
            use.line,
            use.kind,
            text=use.text,
            imported=imported,
            source=source or imported.module,
        )

    def _find_module(self, reader: _UseReader, module: str, name: str) -> str:
        """Return the path of the file of a module, or "" if it is not known."""
        location = reader.snapshot.location
        assert location is not None
        root, boundary = location.root, self.context.boundary

        def has_file(path: str) -> bool:
            try:
                return boundary.stat(_location_of(root, path)).kind == "file"
            except FilewrightError:
                return False

        files = self._modules.get(root.index)
        if files is None:
            files = self._modules[root.index] = ModuleFiles(has_file)
        importer = os.fsdecode(location.path)
        path = files.find(module, name, importer, reader.language)
        return _location_of(root, path).display_path if path else ""

    def _read_alias(self, reader: _UseReader, alias: str) -> Iterator[NameUse]:
        """Yield the uses of the bare name `alias` in a file."""
        pattern = compile_names([alias])
        matches = reader.find(pattern, MAX_USES)
        kinds = self._classify(reader, matches)
        for match, kind in zip(matches, kinds, strict=True):
            if kind not in (UseKind.CALL, UseKind.CODE):
                continue
            start = max(0, match.offset - MAX_LINK_BYTES)
            before = reader.data[start : match.offset]
            # A member of another object has the same name by chance.
            if before.rstrip().endswith((b".", b"::", b"->")):
                continue
            line = reader.line_of(match.offset)
            yield NameUse(
                reader.path,
                line,
                kind,
                text=reader.excerpt(match),
                alias=alias,
            )

    def survey(self) -> UsesSurvey:
        """Return the uses of each name, in the order in which names were given."""
        summaries = []
        for name in self.names:
            uses = self._uses.get(name, [])
            without_name = self._sources_without_name(name, uses)
            summaries.append(
                summarize_uses(name, uses, sources_without_name=without_name)
            )
        return UsesSurvey(
            names=tuple(summaries),
            unparsed=dict(self._unparsed),
            broken=tuple(self._broken),
            unread_imports=tuple(self._unread_imports),
        )

    def _sources_without_name(
        self, name: str, uses: Sequence[NameUse]
    ) -> list[str]:
        """Return the files from which the name is imported, and that do not have it now."""
        sources: dict[str, None] = {}
        for use in uses:
            imported = use.imported
            if imported is None or use.source in ("", imported.module):
                continue
            if not imported.original and not imported.is_module:
                sources.setdefault(use.source)
        defining = {use.path for use in uses}
        pattern = compile_names([name])
        missing = []
        for source in islice(sources, MAX_SOURCES):
            if source in defining:
                continue
            with suppress(FilewrightError):
                location: Location = self.context.boundary.locate(source)
                with self.context.open(location) as snapshot:
                    matches = find_matches(
                        snapshot, pattern, task=self.context.task
                    )
                    if next(matches, None) is None:
                        missing.append(source)
        return missing


def _location_of(root: Root, path: str) -> Location:
    """Return the location of a path below a root."""
    return Location(root, tuple(os.fsencode(path).split(b"/")))
