"""The imports that a call adds to one file, for symbols that move into it or out of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from filewright.boundary.location import Location
from filewright.edit.changeset import FilePlan
from filewright.edit.overlay import Overlay
from filewright.structure.free_names import FreeNames
from filewright.tools.context import Context
from filewright.tools.edit.call import FileEdits, ImportEdit
from filewright.tools.edit.carried_imports import (
    CarriedImports,
    NewFileText,
    PlacedCode,
    build_added_imports,
)
from filewright.tools.edit.file_names import ModuleText
from filewright.tools.edit.importing_file import path_parts
from filewright.tools.edit.lacking_names import (
    PlacedSymbol,
    read_placed_symbols,
    read_result,
)
from filewright.tools.edit.moved_imports import ImportPlan
from filewright.tools.edit.moves import MovedSymbol
from filewright.tools.edit.remaining_uses import (
    RemainingUses,
    find_remaining_uses,
    import_lacking,
)


@dataclass(frozen=True, slots=True)
class AddedImports:
    """The edits that add imports to a file.

    `symbols` moved out of it, and are imported by the edits; those that are
    `imported_before` are imported without them.
    """

    edits: Sequence[ImportEdit] = ()
    symbols: Sequence[MovedSymbol] = ()
    imported_before: Sequence[MovedSymbol] = ()


def find_added_imports(
    context: Context,
    symbols: Sequence[MovedSymbol],
    imports: ImportPlan,
    plan: FilePlan[Any],
    file: FileEdits,
    new_files: Mapping[Location, ModuleText],
) -> AddedImports:
    """Return the imports to add to a planned file.

    They are for symbols that move into it, and for those that move out of it to
    `new_files` and that it still uses.
    """
    before, result = plan.before, read_result(context, plan)
    graph = imports.graphs.get(file.location.root)
    if before is None or result is None or graph is None:
        return AddedImports()
    placed_symbols = read_placed_symbols(
        context, symbols, imports, result, plan.result.described
    )
    origin = imports.origins.get(file.location)
    uses = RemainingUses()
    # A file that moves itself is imported, and imports, by other names.
    if origin is not None and file.whole is None:
        uses = find_remaining_uses(context, symbols, graph, result)
    if not placed_symbols and not uses.lacking:
        return AddedImports(imported_before=uses.imported)
    limits = [placed.start for placed in placed_symbols]
    if uses.lacking:
        limits.append(uses.first)
    if file.is_new:
        facts, limit = placed_symbols[0].facts, min(limits)
    else:
        facts = context.outlines.imports(
            before, (symbols[0].name,), (0, 0), task=context.task
        )
        limit = Overlay(before, plan.splices).original_offset(min(limits))
    path = path_parts(file.location)
    target = NewFileText(
        path, before, facts, result, plan.splices, limit, file.is_new
    )
    carried = CarriedImports(
        graph,
        target,
        frozenset(symbol.name for symbol in symbols),
        frozenset(graph.users[path]),
    )
    new_imports = carried.find(_join_codes(imports, placed_symbols, file))
    imported: list[MovedSymbol] = []
    if origin is not None:
        own_imports, imported = import_lacking(uses, graph, origin, new_files)
        new_imports += own_imports
    numbers = [placed.symbol.number for placed in placed_symbols]
    numbers += [symbol.number for symbol in imported]
    edits = build_added_imports(target, new_imports, min(numbers, default=0))
    return AddedImports(edits, imported, uses.imported)


def read_new_file(
    context: Context,
    symbols: Sequence[MovedSymbol],
    imports: ImportPlan,
    plan: FilePlan[Any],
) -> ModuleText | None:
    """Return the planned text of a file if symbols move into it, and note its imports."""
    graph = imports.graphs.get(plan.location.root)
    result = read_result(context, plan)
    if graph is None or result is None or result.content is None:
        return None
    own_symbols = [
        symbol for symbol in symbols if symbol.destination == plan.location
    ]
    if not own_symbols:
        return None
    facts = context.outlines.imports(
        result, (own_symbols[0].name,), (0, 0), task=context.task
    )
    path = path_parts(plan.location)
    graph.read_links(path, facts)
    return ModuleText(path, result.content, facts)


def _join_codes(
    imports: ImportPlan,
    placed_symbols: Sequence[PlacedSymbol],
    file: FileEdits,
) -> list[PlacedCode]:
    """Return the code that moved into a file, joined by the file that it was in."""
    codes: dict[Location, PlacedCode] = {}
    for placed in placed_symbols:
        location = placed.symbol.origin
        origin = imports.origins.get(location)
        if origin is None or location.root is not file.location.root:
            continue
        code = codes.get(location, PlacedCode(origin, FreeNames(), ()))
        codes[location] = PlacedCode(
            origin,
            code.free.joined(placed.facts.free),
            tuple(dict.fromkeys((*code.names, *placed.names))),
        )
    return [*codes.values()]
