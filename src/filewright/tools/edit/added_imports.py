"""The imports that a call adds to one file, for the symbols that move into it."""

from __future__ import annotations

from collections.abc import Sequence
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
from filewright.tools.edit.importing_file import path_parts
from filewright.tools.edit.lacking_names import (
    PlacedSymbol,
    read_placed_symbols,
    read_result,
)
from filewright.tools.edit.moved_imports import ImportPlan
from filewright.tools.edit.moves import MovedSymbol


def find_added_imports(
    context: Context,
    symbols: Sequence[MovedSymbol],
    imports: ImportPlan,
    plan: FilePlan[Any],
    file: FileEdits,
) -> list[ImportEdit]:
    """Return the edits that add imports to a planned file."""
    before, result = plan.before, read_result(context, plan)
    graph = imports.graphs.get(file.location.root)
    if before is None or result is None or graph is None:
        return []
    placed_symbols = read_placed_symbols(
        context, symbols, imports, result, plan.result.described
    )
    if not placed_symbols:
        return []
    first = min(placed_symbols, key=lambda placed: placed.start)
    if file.is_new:
        facts, limit = first.facts, first.start
    else:
        facts = context.outlines.imports(
            before, (first.symbol.name,), (0, 0), task=context.task
        )
        limit = Overlay(before, plan.splices).original_offset(first.start)
    path = path_parts(file.location)
    target = NewFileText(
        path, before, facts, result, plan.splices, limit, file.is_new
    )
    codes = _join_codes(imports, placed_symbols, file)
    carried = CarriedImports(
        graph,
        target,
        frozenset(symbol.name for symbol in symbols),
        frozenset(graph.users[path]),
    )
    new_imports = carried.find(codes)
    return build_added_imports(target, new_imports, first.symbol.number)


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
