"""The workflow a model reads before its first call; it names only the tools it will find."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from filewright.wording import listed

LIMIT = 1_500


_STEPS = (
    (
        "search_content",
        "1. Find: get_overview maps a folder and outlines a file; search_content takes several patterns in a call, "
        "and shows what is around few hits.",
    ),
    ("read_content", "2. Read only what you need: read_content takes many places in a call (items)."),
    (
        "edit_content",
        "3. Edit: edit_content takes edits of several files in a call, all or none. The answer is a diff: check it "
        "instead of reading again. A refusal shows the nearest text: correct the search and repeat.",
    ),
    (
        "apply_patch",
        "Over many files: apply_patch for a unified diff, replace_content for one pattern. Whole files: "
        "write_content.",
    ),
    ("move_items", "move_items (also copies) and delete_items act on names, not content."),
    ("revert_edit", "Every change has a change_id: get_history lists them, revert_edit takes one back."),
)
"""What is said of the work with each tool that is offered."""


def instructions(offered: Collection[str], roots: Sequence[str]) -> str:
    """The workflow over the tools `offered` below `roots`; at most `LIMIT` characters."""
    below = listed(roots, 4, noun="root")
    lines = [f"Files below {below}. Paths are relative to it unless they begin with a root."]
    lines += [step for tool, step in _STEPS if tool in offered]
    if "edit_content" not in offered:
        lines.append("This workspace is served for reading only.")
    lines.append(
        "Results end with how to go on (cursor, next start). Errors are 'code: message' and a hint to follow."
    )
    return "\n".join(lines)[:LIMIT]
