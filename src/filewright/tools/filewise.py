"""What serves dialects and is not listed natively: several replacements in turn, and two files compared."""

from __future__ import annotations

from collections.abc import Sequence

from filewright.edit import Overlay, Replaced, Replacement, replace_matches, splices_between, unified
from filewright.errors import Code, FilewrightError
from filewright.search import Pattern
from filewright.text import Narrowed, Snapshot, Splice
from filewright.tools.context import Context
from filewright.tools.pipeline import Change, change_text
from filewright.tools.result import clip
from filewright.wording import visible


def replace_in_order(
    context: Context, path: str, replacements: Sequence[tuple[Pattern, Replacement]]
) -> Change[Replaced]:
    """Every replacement on the result of the one before it, as one change; none if nothing matches."""

    def replaced(snapshot: Snapshot) -> Replaced:
        current, splices = snapshot, tuple[Splice, ...]()
        total = unchanged = 0
        for pattern, new in replacements:
            made = replace_matches(current, pattern, new, task=context.task)
            total, unchanged = total + made.count, unchanged + made.unchanged
            if made.splices:
                splices = tuple(made.splices)
                if isinstance(current, Overlay):
                    splices = current.composed(splices)
                current = Overlay(snapshot, splices)
        return Replaced(total, unchanged, splices)

    return change_text(context, "replace_content", path, replaced)


def compare_files(context: Context, before: str, after: str) -> str:
    """The unified diff of two texts without their line ends; empty if they are the same.

    Raises `too_large` for files that are not held in memory.
    """
    was, now = context.boundary.locate(before), context.boundary.locate(after)
    with context.open_text(was) as old, context.open_text(now) as new:
        plain, other = _plain(context, old), _plain(context, new)
        splices = splices_between(plain, other)
        if not splices:
            return ""
        shown = unified(was.shown, now.shown, plain, splices, max_lines=context.settings.diff_lines)
        at = max(0, shown.text.find("--- "))
        text = clip(
            shown.text[at:], context.settings.page_chars, note="\n[cut: the diff is longer than shown]"
        )
        return visible(f"{text}[the diff is longer than shown]" if shown.truncated else text)


def _plain(context: Context, snapshot: Snapshot) -> Snapshot:
    """What is compared of a text: its lines, ended by newlines whatever they end with in the file."""
    if snapshot.held is None:
        raise FilewrightError(
            Code.TOO_LARGE,
            f"{snapshot.asked} is too large to be compared",
            "read the parts in question",
            path=snapshot.asked,
            size=snapshot.size,
            limit=context.settings.hold_bytes,
        )
    narrow = Narrowed(snapshot).snapshot if snapshot.encoding.width > 1 else snapshot
    return Snapshot.of_bytes(
        narrow.read(narrow.start, narrow.size).replace(b"\r\n", b"\n").replace(b"\r", b"\n"),
        encoding=narrow.encoding.name,
        location=snapshot.location,
        settings=context.settings,
    )
