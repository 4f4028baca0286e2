"""Previews that were shown: the change itself does not show the same diff again."""

from __future__ import annotations

from typing import Any

import xxhash

from filewright.tools.arguments import Arguments
from filewright.tools.change_reply import DiffView
from filewright.tools.context import Context
from filewright.tools.pipeline import Change

# Arguments that may differ between a preview and the change that follows it.
_IGNORED_ARGUMENTS = frozenset(
    ["preview", "diff", "expected_count", "max_count", "expected_version"]
)


def find_diff_view(
    context: Context,
    arguments: Arguments,
    change: Change[Any],
    outcome: str = "",
    *,
    shows_small_files: bool = False,
) -> DiffView:
    """Return how to show the diff of a change, and note a preview for the next call.

    `shows_small_files` is that of the view. `outcome` is what the
    preview and the change must have in common beside the diff.
    """
    is_seen = False
    # A change need not be compared if there was no preview at all.
    if change.id is None or context.previews.total:
        is_seen = _is_seen(context, arguments, change, outcome)
    return DiffView(
        mode=getattr(arguments, "diff", "auto"),
        is_seen=is_seen,
        shows_small_files=shows_small_files,
    )


def _is_seen(
    context: Context, arguments: Arguments, change: Change[Any], outcome: str
) -> bool:
    """Return True if a preview of the same call had the same diff; note a preview."""
    request = arguments.model_dump(exclude=set(_IGNORED_ARGUMENTS))
    # The diff too: if the file has changed since the preview, the reader has not seen it.
    text = f"{request}{outcome}{change.diff.text}"
    key = xxhash.xxh3_128_digest(text.encode("utf-8", "surrogatepass"))
    if change.id is None:
        context.previews.put(key, True, 1)
        return False
    return bool(context.previews.get(key))
