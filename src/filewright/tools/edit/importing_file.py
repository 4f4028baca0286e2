"""One file that may import symbols which move: its new imports, and its other uses."""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from filewright.boundary.location import Location
from filewright.edit.import_rewriting import (
    ImporterText,
    StatementRewrite,
    rewrite_statement,
)
from filewright.edit.request import SpliceEdit
from filewright.errors import FilewrightError
from filewright.structure.import_statements import (
    CALL,
    DEFAULT_EXPORT,
    NAMES,
    REQUIRE,
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
    is_script,
    module_stem,
    python_parts,
    specifier_pattern,
)
from filewright.text.snapshot import Snapshot
from filewright.tools.context import Context
from filewright.tools.edit.call import IMPORT_REWRITTEN, ImportEdit
from filewright.tools.edit.moved_symbols import UsePlace
from filewright.tools.edit.moves import MovedSymbol

# The beginning of a file that was not parsed, in which its imports are searched.
_MAX_TEXT_BYTES: Final = 1 << 20

_MAX_UNREAD_BYTES: Final = 256 << 10
"""The text behind a syntax error that is searched for imports."""

_MAX_WORD_BYTES: Final = 20
_SYNTAX_ERROR: Final = "behind a syntax error"
_LOOSE_IMPORTS: Final = {
    True: re.compile(
        rb"\bfrom[ \t]+(?P<module>[.\w]+)[ \t]+import[ \t]*"
        rb"(?P<names>\((?:[^()#]|#[^\r\n]*){0,2000}|(?:[^\\\r\n]|\\[\r\n]{1,2}){0,2000})"
    ),
    False: re.compile(
        rb"\b(?:import|export)\b(?P<names>[^'\";]{0,2000}?)"
        rb"\bfrom\s{0,9}['\"](?P<module>[^'\"\r\n]{1,400})['\"]"
    ),
}
"""Imports in a text that the grammar could not read, by whether it is Python."""

_DOCTEST_LINE: Final = re.compile(
    rb"(?<![^\r\n])[ \t]*(?:>>>|\.\.\.)[ \t]+(?P<code>[^\r\n]*)"
)
"""A line of an example in a docstring of Python."""

_DEFAULT_IMPORT: Final = re.compile(
    rb"\A\s+(?:type\s+)?[\w$]+\s*(?:,|\Z)|\bdefault\b"
)
"""The text of a default import between `import` and `from`."""


@dataclass(frozen=True, slots=True)
class SymbolMove:
    """A symbol that moves, with its old and its new module.

    `obstacle` is a reason why no import of it is rewritten, or "". With `is_old_default`,
    the old file exports it by default in another statement, which stays there.
    """

    symbol: MovedSymbol
    module: ModuleMove
    obstacle: str = ""
    is_old_default: bool = False

    @property
    def is_python(self) -> bool:
        """True for a symbol of Python."""
        return not is_script(self.module.old)

    @property
    def is_default(self) -> bool:
        """True for the default export of its file, which has any name elsewhere."""
        is_own_default = self.symbol.exported_name == DEFAULT_EXPORT
        return is_own_default or self.is_old_default

    @property
    def imported_names(self) -> set[str]:
        """The names by which files may import it."""
        names = {self.symbol.name, self.symbol.exported_name}
        return names | {DEFAULT_EXPORT} if self.is_default else names


@dataclass(frozen=True, slots=True)
class OriginFile:
    """A file that symbols leave, as it was.

    `facts` are of the lines that leave it. `names` are those that it binds at its top, and
    `kinds` those of its symbols.
    """

    path: PathParts
    display_path: str
    text: ImporterText
    facts: ImportFacts
    names: frozenset[str]
    kinds: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class FileFindings:
    """The edits of one file, and the places in it, by symbol, that are left as they are.

    `origin` is the file itself, if a symbol moves out of it.
    """

    edits: list[ImportEdit] = field(default_factory=list)
    places: dict[MovedSymbol, list[UsePlace]] = field(
        default_factory=lambda: defaultdict(list)
    )
    origin: OriginFile | None = None
    is_parsed: bool = True


@dataclass(frozen=True, slots=True)
class ImportingFile:
    """An open file that may import symbols, with the facts of its syntax tree."""

    context: Context
    moves: Sequence[SymbolMove]
    location: Location
    snapshot: Snapshot
    facts: ImportFacts
    is_python: bool

    def read(self) -> FileFindings:
        """Return the edits of the file and its remaining uses."""
        findings = FileFindings()
        if self.facts.note:
            self._add_unparsed(findings)
            return replace(findings, is_parsed=False)
        for statement in self.facts.statements:
            if statement.form == NAMES or statement.default is not None:
                self._rewrite(findings, statement)
        is_origin = False
        for move in self.moves:
            places = findings.places[move.symbol]
            if self._is_origin(move):
                is_origin = True
                places += self._find_own_uses(move)
            else:
                places += self._find_other_uses(move)
        if is_origin:
            findings = replace(findings, origin=self._read_origin())
        return findings

    def _is_origin(self, move: SymbolMove) -> bool:
        return move.symbol.origin == self.location

    @property
    def _importer_path(self) -> PathParts:
        return path_parts(self.location)

    def _place_at(self, offset: int, reason: str = "") -> UsePlace:
        """Return the place of an offset."""
        line = self.snapshot.lines.line_at(offset, self.context.task)
        return UsePlace(self.location.display_path, line, reason)

    def _read_origin(self) -> OriginFile:
        """Return the file, which symbols leave, with the names that it binds at its top."""
        outline = self.context.outlines.outline(
            self.snapshot, task=self.context.task
        )
        names = {symbol.name for symbol in outline.symbols}
        for statement in self.facts.statements:
            for name in statement.all_names:
                names.add(name.bound_name.partition(".")[0])
        return OriginFile(
            self._importer_path,
            self.location.display_path,
            self._importer,
            self.facts,
            frozenset(names),
            {symbol.name: symbol.kind for symbol in outline.symbols},
        )

    def _add_unparsed(self, findings: FileFindings) -> None:
        """Add the first line that may import each symbol, in a file that was not parsed."""
        data = self.snapshot.read(0, min(self.snapshot.size, _MAX_TEXT_BYTES))
        text = data.decode(self.snapshot.encoding.name, "replace")
        path = self.location.display_path
        for move in self.moves:
            if self._is_origin(move):
                continue
            word = re.compile(rf"\b{re.escape(move.symbol.name)}\b")
            if move.is_default:
                word = re.compile(specifier_pattern(move.module.old))
            for number, line in enumerate(text.split("\n"), 1):
                is_import = "import" in line or "require" in line
                if is_import and word.search(line) is not None:
                    place = UsePlace(path, number, self.facts.note)
                    findings.places[move.symbol].append(place)
                    break

    # Statements that list names

    def _rewrite(
        self, findings: FileFindings, statement: ImportStatement
    ) -> None:
        """Add the rewrite of a statement, or the reason why it is left."""
        modules: dict[str, str | None] = {}
        moves: list[SymbolMove] = []
        for name in statement.all_names:
            for move in self.moves:
                is_symbol = name.name in move.imported_names
                if not is_symbol or self._is_origin(move):
                    continue
                module = self._find_new_module(move, statement.module)
                if module is None:
                    continue
                reason = self._find_obstacle(move, statement, name, module)
                if reason:
                    findings.places[move.symbol].append(
                        self._place_at(name.start, reason)
                    )
                    continue
                is_new_file = move.symbol.destination == self.location
                modules[name.name] = None if is_new_file else module.text
                moves.append(move)
        if not modules:
            return
        rewrite = rewrite_statement(self._importer, statement, modules)
        if isinstance(rewrite, str):
            for move in moves:
                findings.places[move.symbol].append(
                    self._place_at(statement.start, rewrite)
                )
            return
        self._add_edit(findings, moves[0].symbol.number, rewrite)

    @property
    def _importer(self) -> ImporterText:
        content = self.snapshot.content
        assert content is not None
        terminator = self.snapshot.dominant_terminator
        return ImporterText(content, self.is_python, terminator)

    def _find_new_module(
        self, move: SymbolMove, module: str
    ) -> NewModule | None:
        """Return the new module of an import, None for another module."""
        if self.is_python != move.is_python:
            return None
        return move.module.find_new_module(self._importer_path, module)

    def _find_obstacle(
        self,
        move: SymbolMove,
        statement: ImportStatement,
        name: ImportedName,
        module: NewModule,
    ) -> str:
        """Return the reason why the import of a name is left as it is, or ""."""
        symbol = move.symbol
        is_new_file = symbol.destination == self.location
        is_renamed = name.bound_name not in (name.name, symbol.name)
        if statement.form == WHOLE and statement.names:
            return "import of all names"
        if is_new_file and not is_renamed:
            return "" if statement.is_certain else _SYNTAX_ERROR
        if is_new_file:
            return f"imported as {name.alias}"
        if module.reason:
            return module.reason
        if symbol.destination.root != symbol.origin.root:
            return "the new file is in another root"
        if move.obstacle:
            return move.obstacle
        if name.name != symbol.exported_name:
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
            return "write-protected"
        return ""

    def _add_edit(
        self, findings: FileFindings, number: int, rewrite: StatementRewrite
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
        findings.edits.append(import_edit)

    # Uses that are left

    def _find_own_uses(self, move: SymbolMove) -> Iterator[UsePlace]:
        """Yield the places where the old file itself uses the symbol."""
        moved_lines = self._moved_lines()
        if moved_lines is None:
            return
        lines: set[int] = set()
        for mention in self._select_mentions(move, ("name", "exported")):
            reason = ""
            if mention.kind == "exported":
                reason = "__all__" if move.is_python else "export"
            place = self._place_at(mention.start, reason)
            is_moved = any(
                place.line in line_range for line_range in moved_lines
            )
            if not is_moved and place.line not in lines:
                lines.add(place.line)
                yield place
        for place in self._find_doctest_uses(move):
            if any(place.line in line_range for line_range in moved_lines):
                # Its line in the new file is not known yet.
                new_path = move.symbol.destination.display_path
                yield UsePlace(new_path, 0, place.reason)
            else:
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

    def _find_other_uses(self, move: SymbolMove) -> Iterator[UsePlace]:
        """Yield the places of another file that take the symbol in other ways."""
        name = move.symbol.name
        prefixes: set[str] = set()
        if self._is_stub(move):
            for mention in [*self._select_mentions(move, ("name",))][:1]:
                yield self._place_at(mention.start, "stub of the old file")
        for statement in self.facts.statements:
            prefixes |= self._find_prefixes(move, statement)
            module = self._find_new_module(move, statement.module)
            if module is not None:
                reason = self._describe_unnamed_use(move, statement, module)
                if reason:
                    yield self._place_at(statement.start, reason)
        packages = self._imported_packages()
        for mention in self._select_mentions(move, ("attribute",)):
            prefix = mention.text.removesuffix(f".{mention.name}")
            is_full_name = (
                "." in prefix
                and prefix.partition(".")[0] in packages
                and self._find_new_module(move, prefix) is not None
            )
            if prefix in prefixes or is_full_name:
                yield self._place_at(mention.start, mention.text)
        yield from self._find_unread_imports(move)
        yield from self._find_doctest_uses(move)
        stem = module_stem(move.module.old)
        for mention in self._select_mentions(move, ("string",)):
            words = re.split(r"[.:/#]", mention.text)
            if words[-2:] == [stem, name]:
                yield self._place_at(mention.start, f'"{mention.text}"')

    def _describe_unnamed_use(
        self, move: SymbolMove, statement: ImportStatement, module: NewModule
    ) -> str:
        """Return how a statement takes the symbol without naming it, or ""."""
        if statement.form == STAR or self._is_export_of_all(statement):
            return "star import" if self._is_taken_by_star(move) else ""
        if statement.form == CALL:
            # `lazy(() => import("./a"))` takes the default export without its name.
            is_use = self._has_mention(move) or move.is_default
            is_certain = module.reason != UNRESOLVED
            return "imported by a call" if is_use and is_certain else ""
        default = statement.default
        if default is None or move.is_default:
            return ""
        is_same_name = default.alias == move.symbol.name
        return "default import" if is_same_name else ""

    def _is_export_of_all(self, statement: ImportStatement) -> bool:
        """Return True for `export * as names from "./a"`."""
        is_export = self.snapshot.read(statement.start, 6) == b"export"
        return statement.form == WHOLE and is_export

    def _is_taken_by_star(self, move: SymbolMove) -> bool:
        """Return True if a star import takes the symbol, perhaps for other files."""
        symbol = move.symbol
        if symbol.exported_name == DEFAULT_EXPORT:
            return False  # No star stands for a default export.
        if self._has_mention(move):
            return True
        if move.is_python:
            # Only `__all__` makes a name with an underscore part of a star.
            return not symbol.name.startswith("_")
        return symbol.exported_name == symbol.name

    def _has_mention(self, move: SymbolMove) -> bool:
        """Return True if the file names the symbol in its code."""
        if any(self._select_mentions(move, ("name", "attribute"))):
            return True
        # `const { a: b } = require("./m")` names it as a key.
        return any(
            name.name in move.imported_names
            for statement in self.facts.statements
            if statement.form == REQUIRE
            for name in statement.names
        )

    def _is_stub(self, move: SymbolMove) -> bool:
        """Return True if the file is the stub, `.pyi`, of the old one."""
        if not self.location.name.endswith(b".pyi") or not move.is_python:
            return False
        return python_parts(self._importer_path) == python_parts(
            move.module.old
        )

    def _find_doctest_uses(self, move: SymbolMove) -> Iterator[UsePlace]:
        """Yield the lines of examples in docstrings that take the symbol."""
        content = self.snapshot.content
        if not move.is_python or not self.is_python or content is None:
            return
        name = re.escape(move.symbol.name.encode())
        qualified = re.compile(rb"(?<![\w.])([\w.]+)\.%b\b" % name)
        for line in _DOCTEST_LINE.finditer(content):
            code = line["code"]
            modules: list[bytes] = []
            match = _LOOSE_IMPORTS[True].match(code)
            if match is not None and _takes_symbol(move, match["names"]):
                modules.append(match["module"])
            modules += qualified.findall(code)
            for module in modules:
                text = module.decode("utf-8", "replace")
                if self._find_new_module(move, text) is not None:
                    yield self._place_at(line.start(), "doctest")
                    break

    def _find_unread_imports(self, move: SymbolMove) -> Iterator[UsePlace]:
        """Yield the imports of the symbol behind a syntax error that hides them."""
        if self.facts.error_start is None:
            return
        # The error may be behind the first word of the import.
        start = max(
            self.snapshot.start, self.facts.error_start - _MAX_WORD_BYTES
        )
        content = self.snapshot.read(start, _MAX_UNREAD_BYTES)
        pattern = _LOOSE_IMPORTS[self.is_python]
        modules_read = {
            statement.module_start for statement in self.facts.statements
        }
        for match in pattern.finditer(content):
            offset = start + match.start("module")
            if offset in modules_read or not _takes_symbol(
                move, match["names"]
            ):
                continue
            module = match["module"].decode("utf-8", "replace")
            if self._find_new_module(move, module) is not None:
                yield self._place_at(offset, _SYNTAX_ERROR)

    def _select_mentions(
        self, move: SymbolMove, kinds: Sequence[str]
    ) -> Iterator[NameMention]:
        """Yield the mentions of a symbol of some kinds."""
        for mention in self.facts.mentions:
            is_symbol = mention.name == move.symbol.name
            if mention.kind == "attribute":
                is_symbol = mention.name in move.imported_names
            if is_symbol and mention.kind in kinds:
                yield mention

    def _find_prefixes(
        self, move: SymbolMove, statement: ImportStatement
    ) -> set[str]:
        """Return the names by which a statement binds the old module itself."""
        prefixes: set[str] = set()
        if statement.form == WHOLE:
            for name in statement.names:
                module = statement.module or name.name
                if self._find_new_module(move, module) is not None:
                    prefixes.add(name.bound_name)
        elif statement.form == NAMES and move.is_python:
            package_prefix = statement.module
            if not package_prefix.endswith("."):
                package_prefix += "."
            for name in statement.names:
                if (
                    self._find_new_module(move, package_prefix + name.name)
                    is not None
                ):
                    prefixes.add(name.bound_name)
        return prefixes

    def _imported_packages(self) -> set[str]:
        """Return the first names of modules that a file of Python imports as a whole."""
        packages: set[str] = set()
        if self.is_python:
            for statement in self.facts.statements:
                if statement.form == WHOLE:
                    packages |= {
                        name.bound_name.partition(".")[0]
                        for name in statement.names
                    }
        return packages


def find_loose_import(
    move: SymbolMove, importer: PathParts, text: bytes
) -> re.Match[bytes] | None:
    """Return the first import of a script's symbol in a text of another language."""
    for match in _LOOSE_IMPORTS[False].finditer(text):
        module = match["module"].decode("utf-8", "replace")
        if not _takes_symbol(move, match["names"]):
            continue
        if move.module.find_new_module(importer, module) is not None:
            return match
    return None


def _takes_symbol(move: SymbolMove, names: bytes) -> bool:
    """Return True if the text between `import` and `from` takes a symbol."""
    name = re.escape(move.symbol.name.encode())
    if re.search(rb"\b%b\b" % name, names) is not None:
        return True
    return move.is_default and _DEFAULT_IMPORT.search(names) is not None


def path_parts(location: Location) -> PathParts:
    """Return the parts of a path below the root as text."""
    return tuple(map(os.fsdecode, location.parts))
