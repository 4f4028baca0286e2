"""Names that a moved symbol uses, and that its new file neither defines nor imports."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from filewright.boundary.location import Location
from filewright.edit.changeset import FilePlan
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
    import means another file in another folder.
    """

    names: tuple[str, ...] = ()
    relative_lines: tuple[int, ...] = ()


def find_lacking_names(
    context: Context,
    symbols: Sequence[MovedSymbol],
    imports: ImportPlan,
    plan: FilePlan[Any],
    described: DescribedLines,
) -> LackingNames:
    """Return the names that the planned text of a file lacks for its new symbols."""
    own_symbols = {
        symbol.number: symbol
        for symbol in symbols
        if symbol.moves_imports
        and symbol.destination == plan.location
        and reads_imports(symbol)
    }
    before = plan.before
    if not own_symbols or before is None or before.content is None:
        return LackingNames()
    content = apply_splices(before.content, plan.splices)
    snapshot = Snapshot(
        content, location=plan.location, settings=context.settings
    )
    names: dict[str, None] = {}
    relative_lines: list[int] = []
    for text in described.placed_texts:
        symbol = own_symbols.get(text.number)
        if symbol is None:
            continue
        start = snapshot.lines.offset_of(text.first, context.task)
        end = snapshot.lines.offset_of(text.last + 1, context.task)
        facts = context.outlines.imports(
            snapshot, (symbol.name,), (start, end), task=context.task
        )
        old_names = imports.names.get(symbol.origin, frozenset())
        if not is_script(path_parts(symbol.origin)):
            # Such a name means something in any file.
            old_names -= _BUILTIN_NAMES
        names |= dict.fromkeys(
            name for name in facts.unbound if name in old_names
        )
        if _is_same_folder(symbol.origin, symbol.destination):
            continue
        for statement in facts.statements:
            is_inside = start <= statement.start < end
            if is_inside and statement.module.startswith("."):
                line = snapshot.lines.line_at(statement.start, context.task)
                relative_lines.append(line)
    return LackingNames(tuple(names), tuple(dict.fromkeys(relative_lines)))


def _is_same_folder(origin: Location, destination: Location) -> bool:
    """Return True for two files of one folder."""
    return origin.parent == destination.parent
