"""The imports of symbols that a call moves to other files, rewritten in the same change.

All files below the root that mention a symbol are searched, as a search does it. Those of
the symbol's language are parsed. An import that certainly means the old file is rewritten
(`edit/import_rewriting`); all other uses are left as they are, and named.
"""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from itertools import islice
from typing import Final

from filewright.boundary.location import Location, Root
from filewright.errors import Code, FilewrightError, too_many
from filewright.languages import Language
from filewright.search.tree import TreeSearch
from filewright.search.tree_options import TreeOptions
from filewright.structure.import_statements import DEFAULT_EXPORT, ImportFacts
from filewright.structure.module_names import (
    ModuleMove,
    PathParts,
    find_twins,
    is_script,
    module_stem,
)
from filewright.structure.outlines import (
    IMPORT_LANGUAGES,
    language_of_snapshot,
)
from filewright.text.file_identity import FileIdentity
from filewright.text.notebook import NotebookView
from filewright.text.snapshot import Snapshot
from filewright.tools.bounded_text import clip
from filewright.tools.context import Context
from filewright.tools.edit.call import ImportEdit
from filewright.tools.edit.import_graph import ImportGraph, MovedName
from filewright.tools.edit.importing_file import (
    FileFindings,
    ImportingFile,
    OriginFile,
    SymbolMove,
    find_loose_import,
    path_parts,
)
from filewright.tools.edit.moved_symbols import (
    UsePlace,
    compile_mentions,
    reads_imports,
)
from filewright.tools.edit.moves import MovedSymbol

_MAX_FILES: Final = 20_000
"""Files that mention a symbol; in a call that finds more, nothing is moved."""

_MAX_TEXT_BYTES: Final = 1 << 20
"""The part of a file in another language that is searched for names of modules."""

_MAX_QUOTED_CHARS: Final = 60
_MAX_FOREIGN_MENTIONS: Final = 200
_MAX_LINE_BYTES: Final = 400
"""Mentions in such a file that are looked at, and the part of the line before and behind."""

_OTHER_PYTHON: Final = (b".pyx", b".pxd", b".bzl", b".star")
"""Ends of names of files that the grammar of Python reads, and that are not Python."""

_ANY_NAME: Final = ("import",)
"""A name for the reading of imports alone: nothing is named like a keyword."""

_OTHER_DEFAULT: Final = re.compile(
    rb"\bexport\s+default\b|\bas\s+default\b|\bexport\s*\{\s*default\b"
)
"""Text that may export a default."""


@dataclass(frozen=True, slots=True)
class ImportPlan:
    """The rewriting of imports by file, and the places by symbol that are left as they are.

    `origins` are the old files, and `graphs` the imports below each root after the change.
    With `is_complete`, every file that mentions a moved symbol was read as a whole.
    """

    edits: Mapping[Location, Sequence[ImportEdit]] = field(default_factory=dict)
    places: Mapping[MovedSymbol, Sequence[UsePlace]] = field(
        default_factory=dict
    )
    origins: Mapping[Location, OriginFile] = field(default_factory=dict)
    graphs: Mapping[Root, ImportGraph] = field(default_factory=dict)
    is_complete: bool = False

    def without_own_uses(self, symbols: Collection[MovedSymbol]) -> ImportPlan:
        """Return the plan without plain uses of symbols that their old files import."""
        places = {
            symbol: [
                place
                for place in places
                if place.reason
                or symbol not in symbols
                or place.path != symbol.origin.display_path
            ]
            for symbol, places in self.places.items()
        }
        return replace(self, places=places)

    @property
    def has_no_use_left(self) -> bool:
        """True if nothing takes a symbol from its old file any more, as far as is known."""
        return self.is_complete and not any(self.places.values())


@dataclass
class _MentioningFiles:
    """The files that mention a symbol: their paths, and those that are parsed."""

    paths: set[PathParts] = field(default_factory=set)
    importers: list[Location] = field(default_factory=list)


@dataclass
class _Findings:
    """An `ImportPlan` while it is built."""

    edits: dict[Location, Sequence[ImportEdit]] = field(default_factory=dict)
    places: dict[MovedSymbol, list[UsePlace]] = field(
        default_factory=lambda: defaultdict(list)
    )
    origins: dict[Location, OriginFile] = field(default_factory=dict)
    graphs: dict[Root, ImportGraph] = field(default_factory=dict)
    is_complete: bool = True

    def add(self, location: Location, file: FileFindings) -> None:
        """Add the findings of one file."""
        if file.edits:
            self.edits[location] = file.edits
        for symbol, places in file.places.items():
            self.places[symbol] += places
        self.is_complete &= file.is_parsed
        if file.origin is not None:
            self.origins[location] = file.origin


def plan_imports(
    context: Context, symbols: Sequence[MovedSymbol]
) -> ImportPlan:
    """Return the rewriting of imports for the moves that ask for it.

    Symbols of languages whose imports are not read are passed over.
    """
    symbols_by_root: dict[Root, list[MovedSymbol]] = defaultdict(list)
    for symbol in symbols:
        if symbol.moves_imports and reads_imports(symbol):
            symbols_by_root[symbol.origin.root].append(symbol)
    findings = _Findings()
    for root, symbols_of_root in symbols_by_root.items():
        _plan_root(context, root, symbols_of_root, findings)
    # Imports were searched only for the moves that ask for that.
    is_of_all = len(symbols) == sum(map(len, symbols_by_root.values()))
    return ImportPlan(
        findings.edits,
        findings.places,
        findings.origins,
        findings.graphs,
        is_complete=bool(symbols) and is_of_all and findings.is_complete,
    )


def _plan_root(
    context: Context,
    root: Root,
    symbols: Sequence[MovedSymbol],
    findings: _Findings,
) -> None:
    """Add the rewriting of imports of symbols that move out of files of one root."""

    # Many imports name the same few modules.
    @cache
    def exists(parts: PathParts) -> bool:
        names = tuple(map(os.fsencode, parts))
        try:
            return context.exists(Location(root, names))
        except FilewrightError as error:
            if error.ends_call:
                raise
            # A denied file is invisible here as everywhere.
            return False

    moves: list[SymbolMove] = []
    for symbol in symbols:
        module = ModuleMove(
            path_parts(symbol.origin), path_parts(symbol.destination), exists
        )
        obstacle = _find_obstacle(context, symbol)
        is_old_default = _is_old_default(context, symbol)
        moves.append(SymbolMove(symbol, module, obstacle, is_old_default))
    graph = findings.graphs[root] = ImportGraph(
        exists,
        partial(_read_facts, context, root),
        [
            MovedName(symbol.name, move.module.old, move.module.new)
            for symbol, move in zip(symbols, moves, strict=True)
        ],
    )
    mentions = _search(context, root, moves, findings)
    for number, move in enumerate(moves):
        twins = find_twins(move.module.old, mentions.paths)
        moves[number] = replace(move, module=replace(move.module, twins=twins))
    identities: set[FileIdentity | None] = set()
    for location in mentions.importers:
        context.task.check()
        try:
            with context.open(location, text=True) as snapshot:
                # Two names of one file would be two plans of it.
                if snapshot.identity in identities:
                    continue
                identities.add(snapshot.identity)
                file_findings = _read_file(context, moves, location, snapshot)
        except FilewrightError as error:
            if error.ends_call:
                raise
            _add_unread(findings, symbols, location, error)
            continue
        findings.add(location, file_findings)
        for symbol, places in file_findings.places.items():
            if places:
                destination = path_parts(symbol.destination)
                graph.users[destination].add(path_parts(location))


def _read_facts(
    context: Context, root: Root, parts: PathParts
) -> ImportFacts | None:
    """Return the imports of a file, None if it cannot be read."""
    location = Location(root, tuple(map(os.fsencode, parts)))
    try:
        with context.open(location, text=True) as snapshot:
            return context.outlines.imports(
                snapshot, _ANY_NAME, task=context.task
            )
    except FilewrightError as error:
        if error.ends_call:
            raise
        return None


def _find_obstacle(context: Context, symbol: MovedSymbol) -> str:
    """Return the reason why no import of a symbol is rewritten, or ""."""
    if symbol.exported_name != DEFAULT_EXPORT:
        return ""
    try:
        with context.open(symbol.destination, text=True) as snapshot:
            text = snapshot.read(0, min(snapshot.size, _MAX_TEXT_BYTES))
    except FilewrightError as error:
        if error.code is Code.NOT_FOUND:
            return ""
        raise
    if _OTHER_DEFAULT.search(text) is None:
        return ""
    return "the new file has a default export"


def _is_old_default(context: Context, symbol: MovedSymbol) -> bool:
    """Return True if the old file exports a symbol by default, in another statement."""
    if symbol.exported_name == DEFAULT_EXPORT or not is_script(
        path_parts(symbol.origin)
    ):
        return False
    with context.open(symbol.origin, text=True) as snapshot:
        text = snapshot.read(0, min(snapshot.size, _MAX_TEXT_BYTES))
    name = re.escape(symbol.name.encode())
    export = rb"\bexport\s+default\s+%b\s*(?:;|[\r\n]|\Z)|\b%b\s+as\s+default\b"
    return re.search(export % (name, name), text) is not None


def _read_file(
    context: Context,
    moves: Sequence[SymbolMove],
    location: Location,
    snapshot: Snapshot,
) -> FileFindings:
    """Return the findings of an open file."""
    names = {move.symbol.name: None for move in moves}
    if any(move.is_default for move in moves):
        names[DEFAULT_EXPORT] = None
    spans: list[int] = []
    for move in moves:
        lines = move.symbol.lines
        if move.symbol.origin == location and lines is not None:
            spans += (
                snapshot.lines.offset_of(line, context.task)
                for line in (lines.start, lines.stop)
            )
    file = ImportingFile(
        context=context,
        moves=moves,
        location=location,
        snapshot=snapshot,
        facts=context.outlines.imports(
            snapshot, tuple(names), tuple(spans), task=context.task
        ),
        is_python=language_of_snapshot(snapshot) is Language.PYTHON,
    )
    return file.read()


def _add_unread(
    findings: _Findings,
    symbols: Sequence[MovedSymbol],
    location: Location,
    error: FilewrightError,
) -> None:
    """Add a file that cannot be read to the places, unless it does not exist any more."""
    if error.code is Code.NOT_FOUND:
        return
    reason = str(error.code).replace("_", " ")
    for symbol in symbols:
        findings.places[symbol].append(
            UsePlace(location.display_path, 0, reason)
        )


def _search(
    context: Context,
    root: Root,
    moves: Sequence[SymbolMove],
    findings: _Findings,
) -> _MentioningFiles:
    """Return the files that mention a symbol, or may import it without its name.

    Mentions in other languages, such as the configuration of a package, are added to
    the findings.
    """
    mentions = _MentioningFiles()
    names = [move.symbol.name for move in moves]
    default_files = [move.module.old for move in moves if move.is_default]
    old_files = [move.module.old for move in moves]
    for pattern in compile_mentions(names, default_files, old_files):
        search = TreeSearch(
            context.searcher,
            Location(root, ()),
            pattern,
            TreeOptions(limit=_MAX_FILES, output="files"),
            task=context.task,
        )
        for snapshot, _ in search:
            location = snapshot.location
            if location is None or snapshot.compression:
                findings.is_complete = False
                continue
            parts = path_parts(location)
            if parts in mentions.paths:
                continue
            mentions.paths.add(parts)
            if _is_importer(snapshot, moves):
                mentions.importers.append(location)
            else:
                _add_foreign_mentions(findings, moves, location, snapshot)
        if not search.complete:
            findings.is_complete = False
        if search.resume is not None:
            raise too_many(
                _MAX_FILES + 1,
                _MAX_FILES,
                "files that mention the symbol",
                "move it without imports",
            )
        for location in search.unreadable_files:
            for move in moves:
                findings.places[move.symbol].append(
                    UsePlace(location.display_path, 0, "cannot be read")
                )
    # Without its lines, a symbol's own mentions are not told from others of its file.
    if any(move.symbol.lines is None for move in moves):
        findings.is_complete = False
    return mentions


def _is_importer(snapshot: Snapshot, moves: Sequence[SymbolMove]) -> bool:
    """Return True for a file in the language of one of the symbols."""
    location = snapshot.location
    if isinstance(snapshot, NotebookView) or location is None:
        return False
    if location.name.endswith(_OTHER_PYTHON):
        return False
    language = language_of_snapshot(snapshot)
    is_python = language is Language.PYTHON
    if language not in IMPORT_LANGUAGES:
        return False
    return any(move.is_python == is_python for move in moves)


def _add_foreign_mentions(
    findings: _Findings,
    moves: Sequence[SymbolMove],
    location: Location,
    snapshot: Snapshot,
) -> None:
    """Add the first import, `module.name` or `module:name` of each symbol in a text.

    The file is a notebook, or in another language than the symbols.
    """
    text = snapshot.read(0, min(snapshot.size, _MAX_TEXT_BYTES))
    if snapshot.size > _MAX_TEXT_BYTES:
        findings.is_complete = False
    for move in moves:
        mention = _find_foreign_mention(move.symbol, text)
        if mention is None and move.is_default:
            importer = path_parts(location)
            match = find_loose_import(move, importer, text)
            if match is not None:
                statement = b" ".join(match[0].split())
                mention = _quote(match.start(), statement)
        if mention is None:
            continue
        line = text.count(b"\n", 0, mention.offset) + 1
        findings.places[move.symbol].append(
            UsePlace(location.display_path, line, mention.quotation)
        )


@dataclass(frozen=True, slots=True)
class _ForeignMention:
    """A text that names a symbol with its old module."""

    offset: int
    quotation: str


def _find_foreign_mention(
    symbol: MovedSymbol, text: bytes
) -> _ForeignMention | None:
    """Return the first text that names a symbol with its old module, or None."""
    stem = module_stem(path_parts(symbol.origin))
    if not stem:
        return None
    name = re.escape(symbol.name.encode())
    module = re.compile(rb"\b%b\b" % re.escape(os.fsencode(stem)))
    qualified = re.compile(
        rb"(?<![\w/-])[\w.]*%b[.:]%b\b" % (module.pattern, name)
    )
    mentions = re.finditer(rb"\b%b\b" % name, text)
    for mention in islice(mentions, _MAX_FOREIGN_MENTIONS):
        start = max(0, mention.start() - _MAX_LINE_BYTES)
        start = max(start, text.rfind(b"\n", start, mention.start()) + 1)
        end = text.find(b"\n", mention.end(), mention.end() + _MAX_LINE_BYTES)
        if end < 0:
            end = mention.end() + _MAX_LINE_BYTES
        line = text[start:end]
        match = qualified.search(line)
        if match is not None:
            return _quote(mention.start(), match[0])
        if b"import" in line and module.search(line) is not None:
            return _quote(mention.start(), line.strip())
    return None


def _quote(offset: int, text: bytes) -> _ForeignMention:
    """Return the mention at an offset, with its text made short."""
    quotation = clip(text.decode("utf-8", "replace"), _MAX_QUOTED_CHARS)
    return _ForeignMention(offset, quotation)
