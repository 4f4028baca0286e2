"""Imports that moved code needs: those of its old file are added to its new file.

An import is added only if it certainly binds the same as in the old file, and if it
certainly closes no import cycle (`import_graph`). All other names are told as lacking.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from filewright.edit.import_insertion import NewImport, insert_imports
from filewright.edit.import_rewriting import ImporterText, build_statement
from filewright.edit.request import SpliceEdit
from filewright.structure.free_names import FreeNames
from filewright.structure.import_statements import (
    CALL,
    FUTURE,
    NAMES,
    REQUIRE,
    TOP,
    TYPES,
    WHOLE,
    ImportedName,
    ImportFacts,
    ImportStatement,
)
from filewright.structure.module_names import (
    PathParts,
    is_script,
    rebase_module,
)
from filewright.text.snapshot import Snapshot
from filewright.text.splice import Splice
from filewright.tools.edit.call import IMPORT_REWRITTEN, ImportEdit
from filewright.tools.edit.file_names import ModuleText, import_names
from filewright.tools.edit.import_graph import ImportGraph
from filewright.tools.edit.importing_file import OriginFile

_CONDITION: Final = re.compile(rb"if[ \t]+((?:(\w+)\.)?TYPE_CHECKING)[ \t]*:")
_BLANK_LINE: Final = re.compile(rb"(?:\r\n|\n|\r)[ \t]*(?:\r\n|\n|\r)")
_TYPING_MODULES: Final = ("typing", "typing_extensions")
_TYPESCRIPT: Final = (".ts", ".tsx", ".mts", ".cts")
_MODULES_ONLY: Final = (".mjs", ".mts")
_REQUIRE_ONLY: Final = (".cjs", ".cts")
_REACT: Final = "React"


@dataclass(frozen=True, slots=True)
class PlacedCode:
    """Code that moved from one file, and what it takes from outside.

    `names` are those that the new file lacks.
    """

    origin: OriginFile
    free: FreeNames
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NewFileText:
    """The file that the code moved to, before and after the other edits.

    The code begins at the offset `limit` of the text as it was.
    """

    path: PathParts
    before: Snapshot
    facts: ImportFacts
    result: Snapshot
    splices: Sequence[Splice]
    limit: int
    is_new: bool

    @property
    def is_python(self) -> bool:
        """True for a file of Python."""
        return not is_script(self.path)

    @property
    def base(self) -> Snapshot:
        """The text that `facts` and the offsets of new imports are of."""
        return self.result if self.is_new else self.before


@dataclass(frozen=True, slots=True)
class CarriedImports:
    """Finds the imports to add to one file."""

    graph: ImportGraph
    target: NewFileText
    moved_names: frozenset[str]
    used_origins: frozenset[PathParts]

    def find(self, codes: Sequence[PlacedCode]) -> list[NewImport]:
        """Return the imports for the code, in the order of the old files."""
        imports: dict[NewImport, None] = {}
        bound: set[str] = set()
        for code in codes:
            finder = _ImportFinder(self, code)
            names = [name for name in code.names if name not in bound]
            imports |= dict.fromkeys(finder.find(names))
            bound |= finder.found
        return sorted(imports, key=_is_no_future)


def _is_no_future(new: NewImport) -> bool:
    """Return False for an import that must be the first."""
    return not new.text.startswith(f"from {FUTURE} ")


@dataclass(frozen=True, slots=True)
class _ImportFinder:
    """Finds the imports for the code of one old file."""

    carried: CarriedImports
    code: PlacedCode
    found: set[str] = field(default_factory=set)

    @property
    def _origin(self) -> OriginFile:
        return self.code.origin

    @property
    def _target(self) -> NewFileText:
        return self.carried.target

    def find(self, names: Sequence[str]) -> Iterator[NewImport]:
        """Yield the imports of names that are certain."""
        yield from self._find_future()
        names = [*names, *self._find_jsx_names()]
        names_by_statement: dict[ImportStatement, list[ImportedName]] = {}
        own_names: list[str] = []
        for name in names:
            statements = self._find_statements(name)
            if not statements and self._is_own_name(name):
                own_names.append(name)
            for statement in statements:
                listed = names_by_statement.setdefault(statement, [])
                listed += [
                    imported
                    for imported in statement.all_names
                    if imported.bound_name.partition(".")[0] == name
                    and imported not in listed
                ]
        previous_end: int | None = None
        for statement in sorted(
            names_by_statement, key=lambda statement: statement.start
        ):
            listed = names_by_statement[statement]
            listed.sort(key=lambda imported: imported.start)
            between = b""
            if previous_end is not None:
                content = self._origin.text.content
                between = content[previous_end : statement.start]
            for new in self._carry(statement, listed):
                is_apart = _BLANK_LINE.search(between) is not None
                yield replace(new, is_apart=is_apart)
                previous_end = statement.end
        if own_names:
            yield from self._import_own_names(own_names)

    def _find_jsx_names(self) -> Iterator[str]:
        """Yield `React` if the old file imports it for elements of JSX alone."""
        content = self._origin.text.content
        if not self.code.free.has_jsx or self._binds(_REACT):
            return
        for statement in self._find_statements(_REACT):
            rest = content[: statement.start] + content[statement.end :]
            if re.search(rb"\bReact\b", rest) is None:
                yield _REACT

    def _find_statements(self, name: str) -> list[ImportStatement]:
        """Return the imports that bind a name in the old file, if that is certain."""
        facts, text = self._origin.facts, self._origin.text
        if name in self.code.free.assigned:
            return []
        statements = [
            statement
            for statement in facts.statements
            if name in statement.top_names
            and statement.form in (NAMES, WHOLE, REQUIRE)
            and statement.module != FUTURE
            and not text.content.startswith(b"export", statement.start)
        ]
        is_certain = all(
            statement.is_certain and statement.block in (TOP, TYPES)
            for statement in statements
        )
        # A declaration with `require` defines its names.
        is_certain = is_certain and not any(
            defined.is_rebound or statement.form != REQUIRE
            for defined in facts.defined
            for statement in statements
            if defined.name == name
        )
        if not is_certain:
            return []
        # `import a.b` and `import a.c` bind `a` together.
        are_parts = text.is_python and all(
            statement.form == WHOLE and statement.block == TOP
            for statement in statements
        )
        return statements if len(statements) < 2 or are_parts else []

    def _carry(
        self, statement: ImportStatement, names: Sequence[ImportedName]
    ) -> Iterator[NewImport]:
        """Yield the import of some names of a statement, if it is certain."""
        origin, target = self._origin, self._target
        if not self._fits_module_system(statement):
            return
        module = statement.module
        if statement.form != WHOLE or not target.is_python:
            rebased = rebase_module(
                module, origin.path, target.path, self.carried.graph.exists
            )
            if rebased.reason:
                return
            module = rebased.text
        elif any(
            rebase_module(
                name.name, origin.path, target.path, self.carried.graph.exists
            ).reason
            for name in names
        ):
            return
        data = build_statement(origin.text, statement, module, names)
        if data is None or not data.isascii():
            return
        condition = ""
        bound = {name.bound_name.partition(".")[0] for name in names}
        if statement.block == TYPES:
            # Annotations that are evaluated would fail.
            is_quoted = bound <= {*self.code.free.quoted}
            if not (is_quoted or self._has_future()):
                return
            yield from self._find_condition(statement)
            condition = self._read_condition(statement)
            if not condition or not self._has_condition(condition):
                return
        elif not self._is_safe(statement, data):
            return
        self.found.update(bound)
        yield NewImport(data.decode(), condition)

    def _is_safe(self, statement: ImportStatement, data: bytes) -> bool:
        """Return True if an import certainly closes no cycle. Then it is added."""
        if data.startswith(b"import type "):
            return True
        graph = self.carried.graph
        files = [*graph.find_files(self._origin.path, statement)]
        if not graph.is_safe(self._target.path, files):
            return False
        graph.add(self._target.path, files)
        return True

    def _fits_module_system(self, statement: ImportStatement) -> bool:
        """Return True if the new file may import in this way."""
        target = self._target
        if target.is_python:
            return True
        name = target.path[-1]
        is_typescript = name.endswith(_TYPESCRIPT)
        if is_typescript != self._origin.path[-1].endswith(_TYPESCRIPT):
            return False
        forms = {
            other.form == REQUIRE
            for other in target.facts.statements
            if other.form != CALL and other.block == TOP
        }
        is_require = statement.form == REQUIRE and not (
            self._origin.text.content.startswith(b"import", statement.start)
        )
        if name.endswith(_MODULES_ONLY if is_require else _REQUIRE_ONLY):
            return False
        if is_require and is_typescript:
            return False
        return not forms or is_require in forms

    # Imports of types alone

    def _read_condition(self, statement: ImportStatement) -> str:
        """Return the condition of the block of types that a statement is in."""
        match = _CONDITION.match(
            self._origin.text.content, statement.block_start
        )
        return "" if match is None else match[1].decode()

    def _find_condition(
        self, statement: ImportStatement
    ) -> Iterator[NewImport]:
        """Yield the import of the name of a condition, if the new file lacks it."""
        condition = self._read_condition(statement)
        name = condition.partition(".")[0]
        if (
            not condition
            or _find_types_block(self._target)
            or self._binds(name)
        ):
            return
        for origin_statement in self._find_statements(name):
            if origin_statement.block != TOP:
                continue
            if not _is_of_typing(origin_statement, name):
                continue
            listed = [
                imported
                for imported in origin_statement.names
                if imported.bound_name == name
            ]
            yield from self._carry(origin_statement, listed)

    def _binds(self, name: str) -> bool:
        """Return True if the new file binds a name at its top."""
        facts = self._target.facts
        return any(name == defined.name for defined in facts.defined) or any(
            name in statement.top_names for statement in facts.statements
        )

    def _has_condition(self, condition: str) -> bool:
        """Return True if the condition of a block of types is known in the new file."""
        if _find_types_block(self._target):
            return True
        name = condition.partition(".")[0]
        if name in self.found:
            return True
        return any(
            name in statement.top_names and _is_of_typing(statement, name)
            for statement in self._target.facts.statements
            if statement.block == TOP
        )

    # from __future__ import annotations

    def _has_future(self) -> bool:
        """Return True if annotations are not evaluated in the new file."""
        return _has_future(self._target.facts) or self._brings_future()

    def _brings_future(self) -> bool:
        """Return True if the new file is to be as the old one is in this."""
        return (
            self._target.is_new
            and self._target.is_python
            and bool(self.code.free.annotations)
            and _has_future(self._origin.facts)
        )

    def _find_future(self) -> Iterator[NewImport]:
        """Yield the import that keeps the annotations of a new file unevaluated."""
        if self._brings_future() and not _has_future(self._target.facts):
            yield NewImport(f"from {FUTURE} import annotations")

    # Names that the old file itself defines

    def _is_own_name(self, name: str) -> bool:
        """Return True if the old file defines a name once, and keeps it."""
        return (
            name not in self.carried.moved_names
            and name not in self.code.free.assigned
            and self._origin_text.keeps(name)
        )

    @property
    def _origin_text(self) -> ModuleText:
        origin = self._origin
        return ModuleText(origin.path, origin.text.content, origin.facts)

    def _import_own_names(self, names: Sequence[str]) -> Iterator[NewImport]:
        """Yield the import of names that the old file defines, if it is certain."""
        if self._origin.path in self.carried.used_origins:
            return
        target = self._target
        imports = import_names(
            self.carried.graph,
            ModuleText(target.path, target.base.content or b"", target.facts),
            self._origin_text,
            names,
            self._origin.kinds,
        )
        if imports:
            self.found.update(names)
            yield from imports


def _find_types_block(target: NewFileText) -> bool:
    """Return True if the file as it was has a block of imports for types."""
    return any(
        statement.block == TYPES and statement.is_certain
        for statement in target.facts.statements
    )


def _is_of_typing(statement: ImportStatement, name: str) -> bool:
    """Return True if a statement binds `typing`, or its constant, to a name."""
    for imported in statement.names:
        if imported.bound_name == name:
            if statement.form == WHOLE:
                return imported.name in _TYPING_MODULES
            return (
                statement.module in _TYPING_MODULES
                and imported.name == "TYPE_CHECKING"
            )
    return False


def _has_future(facts: ImportFacts) -> bool:
    """Return True if a file does not evaluate annotations."""
    return any(statement.keeps_annotations for statement in facts.statements)


def build_added_imports(
    target: NewFileText, imports: Sequence[NewImport], number: int
) -> list[ImportEdit]:
    """Return the edits that add imports, none if their place is not certain.

    Their offsets are those of the file as it was; of a new file, those of its text
    without them.
    """
    content = target.base.content
    if content is None or not imports:
        return []
    facts = target.facts
    if facts.note or facts.error_start is not None:
        return []
    text = ImporterText(
        content, target.is_python, target.result.dominant_terminator
    )

    def following(offset: int) -> bytes:
        """Return the text behind the place of new imports, after the other edits."""
        result = target.result.content or b""
        if target.is_new:
            return result[offset:]
        shift = 0
        for splice in target.splices:
            # What others insert at this very place comes behind it.
            if splice.offset < offset:
                shift += len(splice.replacement) - splice.length
        return result[offset + shift :]

    insertions = insert_imports(text, facts, imports, target.limit, following)
    edits: list[ImportEdit] = []
    for insertion in insertions or ():
        edit = SpliceEdit(
            start=insertion.offset,
            end=insertion.offset,
            splices=(Splice(insertion.offset, 0, insertion.data),),
            named=IMPORT_REWRITTEN,
            number=number,
        )
        version = target.before.version
        edits.append(ImportEdit(edit, insertion.lines, version, is_added=True))
    return edits
