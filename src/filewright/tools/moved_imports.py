"""The imports of symbols that a call moves to other files, rewritten in the same change.

All files below the root that mention a symbol are searched, as a search does it. Those of
the symbol's language are parsed. An import that certainly means the old file is rewritten
(`edit/import_rewriting`); all other uses are left as they are, and named.
"""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Final

from filewright.boundary.location import Location
from filewright.edit.import_rewriting import (
    Importer,
    StatementRewrite,
    rewrite_statement,
)
from filewright.edit.request import SpliceEdit
from filewright.errors import Code, FilewrightError, too_many
from filewright.languages import Language
from filewright.search.pattern import compile_pattern
from filewright.search.tree import TreeSearch
from filewright.search.tree_options import TreeOptions
from filewright.structure.import_statements import (
    CALL,
    NAMES,
    STAR,
    WHOLE,
    ImportedName,
    ImportFacts,
    ImportStatement,
    NameMention,
)
from filewright.structure.module_names import (
    UNRESOLVED,
    ModuleMove,
    NewModule,
    PathParts,
    find_twins,
    is_script,
    module_stem,
    python_parts,
)
from filewright.structure.outlines import (
    IMPORT_LANGUAGES,
    language_of_snapshot,
)
from filewright.text.notebook import NotebookView
from filewright.text.snapshot import Snapshot
from filewright.tools.context import Context
from filewright.tools.edit_call import IMPORT_REWRITTEN, ImportEdit
from filewright.tools.edit_moves import MovedSymbol
from filewright.tools.moved_symbols import UsePlace, reads_imports

_MAX_FILES: Final = 20_000
"""Files that mention a symbol; in a call that finds more, nothing is moved."""

_MAX_TEXT_BYTES: Final = 1 << 20
"""The part of a file in another language that is searched for names of modules."""

_MAX_UNREAD_BYTES: Final = 256 << 10
"""The text behind a syntax error that is searched for imports."""

_SYNTAX_ERROR: Final = "a syntax error is before it"
_LOOSE_IMPORTS: Final = {
    True: re.compile(
        rb"\bfrom[ \t]+(?P<module>[.\w]+)[ \t]+import[ \t]*"
        rb"(?P<names>\([^()]{0,2000}\)?|(?:[^\\\r\n]|\\[\r\n]{1,2}){0,2000})"
    ),
    False: re.compile(
        rb"\b(?:import|export)\b(?P<names>[^'\";]{0,2000}?)"
        rb"\bfrom\s{0,9}['\"](?P<module>[^'\"\r\n]{1,400})['\"]"
    ),
}
"""Imports in a text that the grammar could not read, by whether it is Python."""

_OTHER_PYTHON: Final = (b".pyx", b".pxd", b".bzl", b".star")
"""Files that Python's grammar reads, and that are no Python."""


@dataclass(frozen=True, slots=True)
class ImportPlan:
    """The rewriting of imports, by file, and the places that are left, by symbol.

    `names` are those that each old file binds at its top.
    """

    edits: Mapping[Location, Sequence[ImportEdit]] = field(default_factory=dict)
    places: Mapping[MovedSymbol, Sequence[UsePlace]] = field(
        default_factory=dict
    )
    names: Mapping[Location, frozenset[str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _SymbolMove:
    """A symbol, with the names of its old and its new module."""

    symbol: MovedSymbol
    module: ModuleMove

    @property
    def is_python(self) -> bool:
        """True for a symbol of Python."""
        return not is_script(self.module.old)


@dataclass
class _Mentions:
    """The files that mention a symbol: their paths, and those that are parsed."""

    paths: set[PathParts] = field(default_factory=set)
    importers: list[Location] = field(default_factory=list)


@dataclass
class _Findings:
    """The plan while it is built."""

    edits: dict[Location, list[ImportEdit]] = field(
        default_factory=lambda: defaultdict(list)
    )
    places: dict[MovedSymbol, list[UsePlace]] = field(
        default_factory=lambda: defaultdict(list)
    )
    names: dict[Location, frozenset[str]] = field(default_factory=dict)


def plan_imports(
    context: Context, symbols: Sequence[MovedSymbol]
) -> ImportPlan:
    """Return the rewriting of the imports of symbols of languages that are read."""
    symbols = [
        symbol
        for symbol in symbols
        if symbol.moves_imports and reads_imports(symbol)
    ]
    if not symbols:
        return ImportPlan()
    findings = _Findings()
    mentions = _search(context, symbols, findings)

    @cache
    def exists(parts: PathParts) -> bool:
        names = tuple(map(os.fsencode, parts))
        return context.exists(Location(symbols[0].origin.root, names))

    moves: list[_SymbolMove] = []
    for symbol in symbols:
        module = ModuleMove(
            path_parts(symbol.origin),
            path_parts(symbol.destination),
            exists,
            find_twins(path_parts(symbol.origin), mentions.paths),
        )
        moves.append(_SymbolMove(symbol, module))
    names = tuple(dict.fromkeys(symbol.name for symbol in symbols))
    for location in mentions.importers:
        context.task.check()
        try:
            with context.open(location, text=True) as snapshot:
                facts = context.outlines.imports(
                    snapshot, names, task=context.task
                )
                file = _ImporterFile(
                    context,
                    moves,
                    location,
                    snapshot,
                    facts,
                    language_of_snapshot(snapshot) is Language.PYTHON,
                )
                file.read(findings)
        except FilewrightError as error:
            if error.ends_call:
                raise
            _add_unread(findings, symbols, location, error)
    return ImportPlan(findings.edits, findings.places, findings.names)


def path_parts(location: Location) -> PathParts:
    """Return the parts of a path below the root as text."""
    return tuple(map(os.fsdecode, location.parts))


def _add_unread(
    findings: _Findings,
    symbols: Sequence[MovedSymbol],
    location: Location,
    error: FilewrightError,
) -> None:
    """Name a file that cannot be read, unless it is gone."""
    if error.code is Code.NOT_FOUND:
        return
    reason = str(error.code).replace("_", " ")
    for symbol in symbols:
        findings.places[symbol].append(
            UsePlace(location.display_path, 0, reason)
        )


def _search(
    context: Context, symbols: Sequence[MovedSymbol], findings: _Findings
) -> _Mentions:
    """Return the files that mention a symbol.

    Mentions in other languages, such as the configuration of a package, are added to
    the findings.
    """
    mentions = _Mentions()
    names = {symbol.name for symbol in symbols}
    pattern = compile_pattern(
        "|".join(map(re.escape, names)),
        mode="regex",
        case="sensitive",
        whole_word=True,
    )
    search = TreeSearch(
        context.searcher,
        Location(symbols[0].origin.root, ()),
        pattern,
        TreeOptions(limit=_MAX_FILES, output="files"),
        task=context.task,
    )
    for snapshot, _ in search:
        location = snapshot.location
        if location is None or snapshot.compression:
            continue
        mentions.paths.add(path_parts(location))
        if _is_importer(snapshot, symbols):
            mentions.importers.append(location)
        else:
            _add_foreign_mentions(findings, symbols, location, snapshot)
    if search.resume is not None:
        raise too_many(
            _MAX_FILES + 1,
            _MAX_FILES,
            "files that mention the symbol",
            "move it without imports",
        )
    for location in search.unreadable_files:
        for symbol in symbols:
            findings.places[symbol].append(
                UsePlace(location.display_path, 0, "cannot be read")
            )
    return mentions


def _is_importer(snapshot: Snapshot, symbols: Sequence[MovedSymbol]) -> bool:
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
    return any(
        is_python == (not is_script(path_parts(symbol.origin)))
        for symbol in symbols
    )


def _add_foreign_mentions(
    findings: _Findings,
    symbols: Sequence[MovedSymbol],
    location: Location,
    snapshot: Snapshot,
) -> None:
    """Add the first `module.name` or `module:name` of each symbol in a file."""
    text = snapshot.read(0, min(snapshot.size, _MAX_TEXT_BYTES))
    for symbol in symbols:
        stem = module_stem(path_parts(symbol.origin))
        if not stem:
            continue
        words = re.escape(os.fsencode(stem)), re.escape(symbol.name.encode())
        match = re.search(rb"(?<![\w/-])[\w.]*\b%b[.:]%b\b" % words, text)
        if match is None:
            continue
        line = text.count(b"\n", 0, match.start()) + 1
        quotation = match[0].decode("utf-8", "replace")
        findings.places[symbol].append(
            UsePlace(location.display_path, line, quotation)
        )


@dataclass(frozen=True, slots=True)
class _ImporterFile:
    """An open file that may import symbols, with the facts of its syntax tree."""

    context: Context
    moves: Sequence[_SymbolMove]
    location: Location
    snapshot: Snapshot
    facts: ImportFacts
    is_python: bool

    def read(self, findings: _Findings) -> None:
        """Add the edits and the remaining uses of the file to the findings."""
        if self.facts.note:
            self._add_unparsed(findings)
            return
        for statement in self.facts.statements:
            if statement.form == NAMES:
                self._rewrite(findings, statement)
        for move in self.moves:
            places = findings.places[move.symbol]
            if self._is_origin(move):
                places += self._own_uses(move)
                findings.names[self.location] = self._bound_names()
            else:
                places += self._other_uses(move)

    def _is_origin(self, move: _SymbolMove) -> bool:
        return move.symbol.origin == self.location

    @property
    def _parts(self) -> PathParts:
        return path_parts(self.location)

    def _place(self, offset: int, reason: str = "") -> UsePlace:
        """Return the place of an offset."""
        line = self.snapshot.lines.line_at(offset, self.context.task)
        return UsePlace(self.location.display_path, line, reason)

    def _bound_names(self) -> frozenset[str]:
        """Return the names that the file imports, or defines at its top."""
        outline = self.context.outlines.outline(
            self.snapshot, task=self.context.task
        )
        names = {symbol.name for symbol in outline.symbols}
        for statement in self.facts.statements:
            for name in statement.names:
                names.add(name.bound_name.partition(".")[0])
            names.add(statement.default_name)
        return frozenset(names)

    def _add_unparsed(self, findings: _Findings) -> None:
        """Name a file that was not parsed, at its first import of a symbol."""
        text = self.snapshot.read(0, min(self.snapshot.size, _MAX_TEXT_BYTES))
        for move in self.moves:
            name = re.escape(move.symbol.name.encode())
            match = re.search(
                rb"^[^\r\n]*\b(?:import|require)\b[^\r\n]*\b%b\b" % name,
                text,
                re.MULTILINE,
            )
            if match is not None and not self._is_origin(move):
                place = self._place(match.start(), self.facts.note)
                findings.places[move.symbol].append(place)

    # Statements that list names

    def _rewrite(self, findings: _Findings, statement: ImportStatement) -> None:
        """Add the rewrite of a statement, or the reason why it is left."""
        modules: dict[str, str | None] = {}
        moves: list[_SymbolMove] = []
        for name in statement.names:
            for move in self.moves:
                if name.name != move.symbol.name or self._is_origin(move):
                    continue
                module = self._rename(move, statement.module)
                if module is None:
                    continue
                reason = self._find_obstacle(move, statement, name, module)
                if reason:
                    findings.places[move.symbol].append(
                        self._place(name.start, reason)
                    )
                    continue
                is_own = move.symbol.destination == self.location
                modules[name.name] = None if is_own else module.text
                moves.append(move)
        if not modules:
            return
        rewrite = rewrite_statement(self._importer, statement, modules)
        if isinstance(rewrite, str):
            for move in moves:
                findings.places[move.symbol].append(
                    self._place(statement.start, rewrite)
                )
            return
        self._add_edit(findings, moves[0].symbol.number, rewrite)

    @property
    def _importer(self) -> Importer:
        content = self.snapshot.content
        assert content is not None
        terminator = self.snapshot.dominant_terminator
        return Importer(content, self.is_python, terminator)

    def _rename(self, move: _SymbolMove, module: str) -> NewModule | None:
        """Return the new module of an import, None for another module."""
        if self.is_python != move.is_python:
            return None
        return move.module.rename(self._parts, module)

    def _find_obstacle(
        self,
        move: _SymbolMove,
        statement: ImportStatement,
        name: ImportedName,
        module: NewModule,
    ) -> str:
        """Return the reason why the import of a name is left as it is, or ""."""
        symbol = move.symbol
        is_own = symbol.destination == self.location
        is_renamed = name.alias not in ("", name.name)
        if is_own and not is_renamed:
            return "" if statement.is_certain else _SYNTAX_ERROR
        if is_own:
            return f"imported as {name.alias}"
        if module.reason:
            return module.reason
        if symbol.destination.root != symbol.origin.root:
            return "the new file is in another root"
        if not move.is_python and not symbol.is_exported:
            return "the moved text does not export it"
        if not statement.is_certain:
            return _SYNTAX_ERROR
        submodule = (*move.module.old[:-1], f"{symbol.name}.py")
        is_package = move.module.old[-1] == "__init__.py"
        if is_package and move.module.exists(submodule):
            return "it may be a module"
        return self._find_write_obstacle()

    def _find_write_obstacle(self) -> str:
        """Return the reason why the file is not written, or ""."""
        try:
            self.context.boundary.require_writable(self.location)
        except FilewrightError:
            return "it may not be written"
        return ""

    def _add_edit(
        self, findings: _Findings, number: int, rewrite: StatementRewrite
    ) -> None:
        """Add the edit of one statement."""
        edit = SpliceEdit(
            start=rewrite.span.start,
            end=rewrite.span.end,
            splices=rewrite.splices,
            named=IMPORT_REWRITTEN,
            number=number,
        )
        import_edit = ImportEdit(edit, rewrite.lines, self.snapshot.version)
        findings.edits[self.location].append(import_edit)

    # Uses that are left

    def _own_uses(self, move: _SymbolMove) -> Iterator[UsePlace]:
        """Yield the places where the old file itself uses the symbol."""
        moved_lines = self._moved_lines()
        if moved_lines is None:
            return
        lines: set[int] = set()
        for mention in self._mentions(move, ("name", "exported")):
            reason = ""
            if mention.kind == "exported":
                reason = "__all__" if move.is_python else "export"
            place = self._place(mention.start, reason)
            is_moved = any(place.line in moved for moved in moved_lines)
            if not is_moved and place.line not in lines:
                lines.add(place.line)
                yield place

    def _moved_lines(self) -> list[range] | None:
        """Return the lines that leave the file, None if they are not known."""
        moved_lines: list[range] = []
        for move in self.moves:
            if not self._is_origin(move):
                continue
            if move.symbol.lines is None:
                return None
            moved_lines.append(move.symbol.lines)
        return moved_lines

    def _other_uses(self, move: _SymbolMove) -> Iterator[UsePlace]:
        """Yield the places of another file that take the symbol in other ways."""
        name = move.symbol.name
        prefixes: set[str] = set()
        if self._is_stub(move):
            for mention in [*self._mentions(move, ("name",))][:1]:
                yield self._place(mention.start, "stub of the old file")
        has_mention = any(self._mentions(move, ("name", "attribute")))
        for statement in self.facts.statements:
            prefixes |= self._find_prefixes(move, statement)
            if statement.form in (STAR, CALL) or statement.default_name == name:
                module = self._rename(move, statement.module)
                is_default = statement.default_name == name
                if module is None or not (has_mention or is_default):
                    continue
                if module.reason == UNRESOLVED and statement.form == CALL:
                    continue
                reasons = {STAR: "star import", CALL: "call"}
                reason = reasons.get(statement.form, "default import")
                yield self._place(statement.start, reason)
        packages = self._imported_packages()
        for mention in self._mentions(move, ("attribute",)):
            prefix = mention.text.removesuffix(f".{name}")
            is_full_name = (
                "." in prefix
                and prefix.partition(".")[0] in packages
                and self._rename(move, prefix) is not None
            )
            if prefix in prefixes or is_full_name:
                yield self._place(mention.start, mention.text)
        yield from self._unread_imports(move)
        stem = module_stem(move.module.old)
        for mention in self._mentions(move, ("string",)):
            words = re.split(r"[.:/#]", mention.text)
            if words[-2:] == [stem, name]:
                yield self._place(mention.start, f'"{mention.text}"')

    def _is_stub(self, move: _SymbolMove) -> bool:
        """Return True if the file has the types of the old one."""
        if not self.location.name.endswith(b".pyi") or not move.is_python:
            return False
        return python_parts(self._parts) == python_parts(move.module.old)

    def _unread_imports(self, move: _SymbolMove) -> Iterator[UsePlace]:
        """Yield the imports of the symbol behind a syntax error that hides them."""
        if self.facts.error_start is None:
            return
        start = self.facts.error_start
        content = self.snapshot.read(start, _MAX_UNREAD_BYTES)
        pattern = _LOOSE_IMPORTS[self.is_python]
        name = re.compile(rb"\b%b\b" % re.escape(move.symbol.name.encode()))
        modules_read = {
            statement.module_start for statement in self.facts.statements
        }
        for match in pattern.finditer(content):
            offset = start + match.start("module")
            if offset in modules_read or name.search(match["names"]) is None:
                continue
            module = match["module"].decode("utf-8", "replace")
            if self._rename(move, module) is not None:
                yield self._place(offset, _SYNTAX_ERROR)

    def _mentions(
        self, move: _SymbolMove, kinds: Sequence[str]
    ) -> Iterator[NameMention]:
        """Yield the mentions of a symbol of some kinds."""
        for mention in self.facts.mentions:
            if mention.name == move.symbol.name and mention.kind in kinds:
                yield mention

    def _find_prefixes(
        self, move: _SymbolMove, statement: ImportStatement
    ) -> set[str]:
        """Return the names by which a statement binds the old module itself."""
        prefixes: set[str] = set()
        if statement.form == WHOLE:
            for name in statement.names:
                module = statement.module or name.name
                if self._rename(move, module) is not None:
                    prefixes.add(name.bound_name)
        elif statement.form == NAMES and move.is_python:
            base = statement.module
            if not base.endswith("."):
                base += "."
            for name in statement.names:
                if self._rename(move, base + name.name) is not None:
                    prefixes.add(name.bound_name)
        return prefixes

    def _imported_packages(self) -> set[str]:
        """Return the first names of the modules of Python that are imported whole."""
        packages: set[str] = set()
        if self.is_python:
            for statement in self.facts.statements:
                if statement.form == WHOLE:
                    packages |= {
                        name.bound_name.partition(".")[0]
                        for name in statement.names
                    }
        return packages
