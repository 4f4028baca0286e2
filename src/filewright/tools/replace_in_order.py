"""Several replacements in order in each of several named files; not listed natively."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from filewright.edit.overlay import Overlay
from filewright.edit.replace import Replacement, replace_matches, replacement
from filewright.errors import Code, FilewrightError
from filewright.progress import Task
from filewright.search import Pattern, compile_pattern
from filewright.text import Snapshot, Splice, splice
from filewright.tools.context import Context
from filewright.tools.registry import ToolResult
from filewright.tools.splicing import Planned, each, splice_file


@dataclass(frozen=True, slots=True)
class Operation:
    """Replace every match of `pattern`; `replacement` is a template in regex mode only."""

    pattern: str
    replacement: str
    mode: Literal["literal", "regex"] = "literal"
    case: Literal["sensitive", "insensitive"] = "sensitive"
    multiline: bool = False


@dataclass(frozen=True, slots=True)
class Replacing:
    """The files, and what is replaced in each of them, in this order."""

    paths: Sequence[str]
    operations: Sequence[Operation]


def replace_in_order(context: Context, arguments: Replacing, task: Task) -> ToolResult:
    """Every operation on the result of the one before it; one change per file, none if nothing matches.

    Each result has `replacements`. Raises `invalid_input` for a pattern or replacement that is wrong.
    """
    compiled = [_compiled(context, operation) for operation in arguments.operations]

    def change(path: str) -> dict[str, Any]:
        def plan(snapshot: Snapshot) -> Planned[int]:
            return _planned(context, snapshot, compiled, task)

        made = splice_file(context, "replace_content", path, plan, task)
        return {**made.data(), "replacements": made.told, "modified": made.record is not None}

    return each(context, arguments.paths, str, change)


def _compiled(context: Context, operation: Operation) -> tuple[Pattern, Replacement]:
    pattern = compile_pattern(
        operation.pattern,
        mode=operation.mode,
        case=operation.case,
        multiline=operation.multiline,
        max_chars=context.settings.max_pattern_chars,
    )
    return pattern, replacement(operation.replacement, pattern)


def _planned(
    context: Context, snapshot: Snapshot, compiled: Sequence[tuple[Pattern, Replacement]], task: Task
) -> Planned[int]:
    splices: tuple[Splice, ...] = ()
    current = snapshot
    total = 0
    for pattern, new in compiled:
        made = replace_matches(current, pattern, new, task=task)
        total += made.count
        if not made.splices:
            continue
        splices = Overlay(snapshot, splices).composed(made.splices) if splices else made.splices
        if len(compiled) > 1:
            current = _with(context, snapshot, splices)
    return Planned(splices, total)


def _with(context: Context, snapshot: Snapshot, splices: Sequence[Splice]) -> Snapshot:
    """The snapshot as the operations so far leave it."""
    if snapshot.held is None:
        raise FilewrightError(
            Code.TOO_LARGE,
            f"{snapshot.asked} is too large for several operations in one call",
            hint="send one operation per call",
            details={"path": snapshot.asked, "size": snapshot.size, "limit": context.settings.hold_bytes},
        )
    return Snapshot.of_bytes(
        splice.apply(snapshot.held, splices),
        encoding=snapshot.encoding.name,
        location=snapshot.location,
        settings=context.settings,
    )
