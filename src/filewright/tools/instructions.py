"""The workflow a model reads before its first call; it names only the tools it will find."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from filewright.wording import listed

_STEPS = (
    (
        "search_content",
        "1. Find: get_overview maps a folder and outlines a file; search_content takes several searches in a call.",
    ),
    ("read_content", "2. Read only what you need: read_content takes many places in a call."),
    (
        "edit_content",
        "3. Edit: edit_content takes edits of many files in a call. Its answer shows what has changed: do not read it "
        "again. A refusal shows the nearest text: correct the search and repeat.",
    ),
    (
        "apply_patch",
        "Over many files: replace_content for a pattern, apply_patch for a diff.",
    ),
    ("revert_edit", "Changes have a change_id: get_history lists them, revert_edit takes one back."),
)
"""What is said of the work with each tool that is offered."""


def instructions(offered: Collection[str], roots: Sequence[str]) -> str:
    """The workflow over the tools `offered` below `roots`."""
    below = listed(roots, 4, noun="root")
    lines = [f"Files below {below}. Paths are relative to it unless they begin with a root."]
    lines += [step for tool, step in _STEPS if tool in offered]
    if "edit_content" not in offered:
        lines.append("This workspace is served for reading only.")
    lines.append(
        "Results end with how to go on (cursor, next start). Errors are 'code: message' and a hint to follow."
    )
    return "\n".join(lines)
