"""Names that a moved symbol uses, and that its new file neither defines nor imports."""

from __future__ import annotations

import builtins
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from filewright.boundary.location import Location
from filewright.edit.changeset import FilePlan
from filewright.structure.import_statements import TOP, TYPES, ImportFacts
from filewright.structure.module_names import is_script
from filewright.text.snapshot import Snapshot
from filewright.text.splice import apply_splices
from filewright.tools.context import Context
from filewright.tools.edit.descriptions import DescribedLines
from filewright.tools.edit.importing_file import path_parts
from filewright.tools.edit.moved_imports import ImportPlan
from filewright.tools.edit.moved_symbols import reads_imports
from filewright.tools.edit.moves import MovedSymbol

_BUILTIN_NAMES: Final = frozenset(dir(builtins))


@dataclass(frozen=True, slots=True)
class LackingNames:
    """The names that a file lacks, and the lines of relative imports that moved into it.

    Only names that the old file binds at its top are certain to be lacking. A relative
    import means another file in another folder. `lacks_future`: annotations that moved
    into it are evaluated there, and fail.
    """

    names: tuple[str, ...] = ()
    relative_lines: tuple[int, ...] = ()
    lacks_future: bool = False


@dataclass(frozen=True, slots=True)
class PlacedSymbol:
    """A symbol in its new file, in the bytes from `start` to `end` of its planned text.

    `names` are those that the file lacks for it.
    """

    symbol: MovedSymbol
    start: int
    end: int
    facts: ImportFacts
    names: tuple[str, ...]


def read_result(context: Context, plan: FilePlan[Any]) -> Snapshot | None:
    """Return the planned text of a file, None if it is not in memory."""
    before = plan.before
    if before is None or before.content is None:
        return None
    content = apply_splices(before.content, plan.splices)
    return Snapshot(content, location=plan.location, settings=context.settings)


def read_placed_symbols(
    context: Context,
    symbols: Sequence[MovedSymbol],
    imports: ImportPlan,
    result: Snapshot,
    described: DescribedLines,
) -> list[PlacedSymbol]:
    """Return the symbols that move into a file, whose planned text is the result."""
    own_symbols = {
        symbol.number: symbol
        for symbol in symbols
        if symbol.moves_imports
        and symbol.destination == result.location
        and reads_imports(symbol)
    }
    placed_symbols: list[PlacedSymbol] = []
    for text in described.placed_texts:
        symbol = own_symbols.get(text.number)
        if symbol is None:
            continue
        start = result.lines.offset_of(text.first, context.task)
        end = result.lines.offset_of(text.last + 1, context.task)
        facts = context.outlines.imports(
            result, (symbol.name,), (start, end), task=context.task
        )
        origin = imports.origins.get(symbol.origin)
        old_names = frozenset[str]() if origin is None else origin.names
        if origin is not None and origin.facts.has_star:
            # What its new file lacks too, `import *` has brought there.
            old_names = frozenset(
                name for name in facts.unbound if not name.startswith("__")
            )
        if not is_script(path_parts(symbol.origin)):
            # Such a name means something in any file.
            old_names -= _BUILTIN_NAMES
        unbound = dict.fromkeys((*facts.unbound, *_find_type_names(facts)))
        names = tuple(name for name in unbound if name in old_names)
        placed_symbols.append(PlacedSymbol(symbol, start, end, facts, names))
    return placed_symbols


def _keeps_annotations(facts: ImportFacts) -> bool:
    """Return True if a file does not evaluate annotations."""
    return any(statement.keeps_annotations for statement in facts.statements)


def _find_type_names(facts: ImportFacts) -> Iterator[str]:
    """Yield the names in annotations that are evaluated, and imported for types alone."""
    if _keeps_annotations(facts):
        return
    for name in facts.free.annotations:
        blocks = {
            statement.block
            for statement in facts.statements
            if name in statement.top_names
        }
        if blocks == {TYPES} and name not in facts.free.quoted:
            yield name


def find_lacking_names(
    context: Context,
    symbols: Sequence[MovedSymbol],
    imports: ImportPlan,
    plan: FilePlan[Any],
) -> LackingNames:
    """Return the names that the planned text of a file lacks for its new symbols."""
    result = read_result(context, plan)
    if result is None:
        return LackingNames()
    placed_symbols = read_placed_symbols(
        context, symbols, imports, result, plan.result.described
    )
    names: dict[str, None] = {}
    relative_lines: list[int] = []
    lacks_future = False
    for placed in placed_symbols:
        names |= dict.fromkeys(placed.names)
        symbol = placed.symbol
        origin = imports.origins.get(symbol.origin)
        if origin is not None and placed.facts.free.annotates_itself:
            lacks_future |= _keeps_annotations(
                origin.facts
            ) and not _keeps_annotations(placed.facts)
        if _is_same_folder(symbol.origin, symbol.destination):
            continue
        for statement in placed.facts.statements:
            is_inside = placed.start <= statement.start < placed.end
            if is_inside and statement.module.startswith("."):
                line = result.lines.line_at(statement.start, context.task)
                relative_lines.append(line)
    return LackingNames(
        tuple(names), tuple(dict.fromkeys(relative_lines)), lacks_future
    )


def _is_same_folder(origin: Location, destination: Location) -> bool:
    """Return True for two files of one folder."""
    return origin.parent == destination.parent


@dataclass(frozen=True, slots=True)
class UnusedImport:
    """An import in the old file that only the moved code has used."""

    line: int
    text: str


def find_unused_imports(
    context: Context, imports: ImportPlan, plan: FilePlan[Any]
) -> tuple[UnusedImport, ...]:
    """Return the imports of an old file that nothing in it mentions any more."""
    origin = imports.origins.get(plan.location)
    result = read_result(context, plan) if origin is not None else None
    if origin is None or result is None or result.content is None:
        return ()
    content = result.content
    # What a package imports is often for others.
    if origin.path[-1] in ("__init__.py", "index.ts", "index.js"):
        return ()
    unused: list[UnusedImport] = []
    free_names = {*origin.facts.free.names}
    for statement in origin.facts.statements:
        text = origin.text.content[statement.start : statement.end]
        is_export = text.startswith(b"export")
        if statement.block != TOP or is_export or content.count(text) != 1:
            continue
        offset = content.index(text)
        rest = content[:offset] + content[offset + len(text) :]
        names = [
            name
            for name in sorted(statement.top_names & free_names)
            if not _mentions(rest, name)
        ]
        # `import a as a` is for other files.
        if not names or re.search(rb"\b(\w+)\s+as\s+\1\b", text) is not None:
            continue
        line = result.lines.line_at(offset, context.task)
        shown = ", ".join(names)
        if statement.top_names == {*names}:
            shown = " ".join(text.decode("utf-8", "replace").split())
        unused.append(UnusedImport(line, shown))
    return tuple(unused)


def _mentions(content: bytes, name: str) -> bool:
    """Return True if a text has a name as a word, also in a comment or a string."""
    word = re.escape(name.encode())
    return re.search(rb"(?<![\w$])%b(?![\w$])" % word, content) is not None
