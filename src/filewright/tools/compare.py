"""Two files compared, as a unified diff; not listed natively."""

from __future__ import annotations

from dataclasses import dataclass

from filewright.edit import diff
from filewright.errors import Code, FilewrightError
from filewright.progress import Task
from filewright.text import Snapshot
from filewright.tools.context import Context
from filewright.tools.registry import ToolResult
from filewright.tools.rendering import clip, visible


@dataclass(frozen=True, slots=True)
class Comparing:
    """The two files."""

    before: str
    after: str


def compare_files(context: Context, arguments: Comparing, task: Task) -> ToolResult:
    """The unified diff of two text files; `data` has `identical` and `diff`.

    Raises `too_large` for files that are not held in memory.
    """
    before, after = context.boundary.locate(arguments.before), context.boundary.locate(arguments.after)
    with context.open_text(before) as old, context.open_text(after) as new:
        task.check()
        old_bytes, new_bytes = _whole(context, old), _whole(context, new)
        identical = old_bytes == new_bytes
        shown = diff.unified(
            before.shown,
            after.shown,
            old,
            diff.splices_between(old, new_bytes),
            max_lines=context.settings.diff_lines,
        )
        at = max(0, shown.text.find("--- "))
        text = clip(
            shown.text[at:], context.settings.page_chars, note="\n[cut: the diff is longer than shown]"
        )
        if shown.truncated:
            text += "[the diff is longer than shown]"
        data = {"identical": identical, "diff": shown.text, "truncated": shown.truncated}
        return ToolResult(visible(text), data)


def _whole(context: Context, snapshot: Snapshot) -> bytes:
    if snapshot.held is None:
        raise FilewrightError(
            Code.TOO_LARGE,
            f"{snapshot.asked} is too large to be compared",
            hint="read the parts in question",
            details={"path": snapshot.asked, "size": snapshot.size, "limit": context.settings.hold_bytes},
        )
    return snapshot.held
