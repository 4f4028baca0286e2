"""Whether a file that parsed before a write still does: one line, bounded, never an obstacle."""

from __future__ import annotations

from collections.abc import Sequence

from filewright.errors import Code, FilewrightError
from filewright.progress import Task
from filewright.structure import language_of_snapshot
from filewright.text import Snapshot, Splice, splice
from filewright.tools.context import Context


def compared(context: Context, before: Snapshot, splices: Sequence[Splice], task: Task) -> str:
    """What to warn of when `splices` break the syntax of `before`; empty if nothing is known to break."""
    held = before.held
    if held is None or len(held) > context.settings.parse_bytes:
        return ""
    try:
        language = language_of_snapshot(before)
        if language is None:
            return ""
        after = Snapshot.of_bytes(
            splice.apply(held, splices),
            encoding=before.encoding.name,
            location=before.location,
            settings=context.settings,
        )
        broken = context.outlines.outline(after, language, task=task).errors
        if not broken.count or not (held or broken.certain):
            return ""  # of some languages a grammar knows only most: a new file may be right all the same
        if held and context.outlines.outline(before, language, task=task).errors.count:
            return ""
    except FilewrightError as error:
        if error.code == Code.CANCELLED:
            raise
        return ""
    first = broken.first[0]
    name = before.location.shown if before.location is not None else "the text"
    return f"{language} syntax error in {name} at line {first.line}"
