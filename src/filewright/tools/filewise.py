"""Every match of several patterns, one after the other, in one file; not listed natively, it serves a dialect."""

from __future__ import annotations

from collections.abc import Sequence

from filewright.edit import Overlay, Replaced, Replacement, replace_matches
from filewright.errors import Code, FilewrightError
from filewright.search import Pattern
from filewright.text import Snapshot, Splice, splice
from filewright.tools.context import Context
from filewright.tools.pipeline import Change, change_text


def replace_in_order(
    context: Context, path: str, replacements: Sequence[tuple[Pattern, Replacement]]
) -> Change[Replaced]:
    """Every replacement on the result of the one before it, as one change; none if nothing matches."""

    def replaced(snapshot: Snapshot) -> Replaced:
        splices: Sequence[Splice] = ()
        current = snapshot
        total = unchanged = 0
        for pattern, new in replacements:
            made = replace_matches(current, pattern, new, task=context.task)
            total, unchanged = total + made.count, unchanged + made.unchanged
            if not made.splices:
                continue
            splices = Overlay(snapshot, splices).composed(made.splices) if splices else made.splices
            if len(replacements) > 1:
                current = _with(context, snapshot, splices)
        return Replaced(total, unchanged, splices)

    return change_text(context, "replace_content", path, replaced)


def _with(context: Context, snapshot: Snapshot, splices: Sequence[Splice]) -> Snapshot:
    """The snapshot as the replacements so far leave it."""
    if snapshot.held is None:
        raise FilewrightError(
            Code.TOO_LARGE,
            f"{snapshot.asked} is too large for several operations in one call",
            "send one operation per call",
            path=snapshot.asked,
            size=snapshot.size,
            limit=context.settings.hold_bytes,
        )
    return Snapshot.of_bytes(
        splice.apply(snapshot.held, splices),
        encoding=snapshot.encoding.name,
        location=snapshot.location,
        settings=context.settings,
    )
