"""Symbols that their old file still uses after they have moved, and its imports of them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from filewright.boundary.location import Location
from filewright.edit.import_insertion import NewImport
from filewright.structure.import_statements import NAMES, TOP, ImportFacts
from filewright.structure.module_names import ModuleMove
from filewright.text.snapshot import Snapshot
from filewright.tools.context import Context
from filewright.tools.edit.file_names import ModuleText, import_names
from filewright.tools.edit.import_graph import ImportGraph
from filewright.tools.edit.importing_file import OriginFile, path_parts
from filewright.tools.edit.moves import MovedSymbol


@dataclass(frozen=True, slots=True)
class RemainingUses:
    """The symbols that the planned text of their old file uses.

    Some are `imported` there from their new files. Others are `lacking`; the offset
    `first` is not behind the first use of them.
    """

    imported: tuple[MovedSymbol, ...] = ()
    lacking: tuple[MovedSymbol, ...] = ()
    first: int = 0


def find_remaining_uses(
    context: Context,
    symbols: Sequence[MovedSymbol],
    graph: ImportGraph,
    result: Snapshot,
) -> RemainingUses:
    """Return the symbols that moved out of a file, whose planned text is the result."""
    own_symbols = [
        symbol
        for symbol in symbols
        if symbol.moves_imports
        and symbol.origin == result.location
        and symbol.destination.root is symbol.origin.root
    ]
    if not own_symbols:
        return RemainingUses()
    counts = Counter(symbol.name for symbol in own_symbols)
    facts = context.outlines.imports(
        result, tuple(counts), (0, result.size), task=context.task
    )
    if facts.note or facts.error_start is not None or facts.has_star:
        return RemainingUses()
    # Names that the file binds in other ways are no free names of its whole text.
    lacking = tuple(
        symbol
        for symbol in own_symbols
        if symbol.name in facts.free.names
        and symbol.name not in facts.free.assigned
        and counts[symbol.name] == 1
    )
    lacking_names = {symbol.name for symbol in lacking}
    uses = [
        mention.start
        for mention in facts.mentions
        if mention.name in lacking_names and mention.kind == "name"
    ]
    imported = tuple(
        symbol for symbol in own_symbols if _is_imported(symbol, facts, graph)
    )
    return RemainingUses(imported, lacking, min(uses, default=result.size))


def _is_imported(
    symbol: MovedSymbol, facts: ImportFacts, graph: ImportGraph
) -> bool:
    """Return True if a file certainly binds a symbol by importing it from its new file."""
    new_path = path_parts(symbol.destination)
    # A module that moves to itself is told from all others.
    module = ModuleMove(new_path, new_path, graph.exists)
    binding = [
        statement
        for statement in facts.statements
        if symbol.name in statement.top_names
    ]
    if len(binding) != 1 or any(
        defined.name == symbol.name for defined in facts.defined
    ):
        return False
    (statement,) = binding
    found = module.find_new_module(path_parts(symbol.origin), statement.module)
    return (
        statement.form == NAMES
        and statement.block == TOP
        and found is not None
        and not found.reason
        and any(
            (name.name, name.bound_name) == (symbol.exported_name, symbol.name)
            for name in statement.all_names
        )
    )


def import_lacking(
    uses: RemainingUses,
    graph: ImportGraph,
    origin: OriginFile,
    new_files: Mapping[Location, ModuleText],
) -> tuple[list[NewImport], list[MovedSymbol]]:
    """Return the imports that an old file can certainly have, and their symbols.

    `new_files` are those whose text is planned: only of them all imports are known.
    """
    importer = ModuleText(origin.path, origin.text.content, origin.facts)
    by_file: dict[Location, list[MovedSymbol]] = defaultdict(list)
    for symbol in uses.lacking:
        new_file = new_files.get(symbol.destination)
        if new_file is not None and new_file.keeps(symbol.name):
            by_file[symbol.destination].append(symbol)
    imports: list[NewImport] = []
    imported: list[MovedSymbol] = []
    for location, symbols in by_file.items():
        names = [symbol.name for symbol in symbols]
        new_imports = import_names(
            graph, importer, new_files[location], names, origin.kinds
        )
        if new_imports:
            imports += new_imports
            imported += symbols
    return imports, imported
