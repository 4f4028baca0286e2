"""The workflow a model reads before its first call; it names only the tools it will find."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from filewright.wording import listed

LIMIT = 1_500


def instructions(offered: Collection[str], roots: Sequence[str]) -> str:
    """The workflow over the tools `offered` below `roots`; at most `LIMIT` characters."""
    lines = [f"Files below {_roots(roots)}. Paths are relative to it unless they begin with a root."]
    if "search_content" in offered:
        lines.append(
            "1. Find: get_overview maps a folder and outlines a file; search_content finds text, regex or fuzzy, "
            "several patterns in a call, with context if the hits are few."
        )
    if "read_content" in offered:
        lines.append(
            "2. Read only what you need: read_content by lines or symbol, many places in a call (items). Every "
            "read shows a version."
        )
    if "edit_content" in offered:
        lines.append(
            "3. Edit: edit_content with the text as it is, or with a symbol or the lines of a version instead of the "
            "text; edits of several files go in one call, all or none. The answer is a diff: check it instead of "
            "reading again. A refusal shows the nearest text: correct the search and repeat."
        )
    if "apply_patch" in offered:
        lines.append(
            "Over many files: apply_patch for a unified diff, replace_content for one pattern (whole_word for "
            "a name; it previews first, unless max_count allows it). Whole files: write_content."
        )
    if "move_items" in offered:
        lines.append("move_items (also copies) and delete_items act on names, not content.")
    if "revert_edit" in offered:
        lines.append("Every change has a change_id: get_history lists them, revert_edit takes one back.")
    if "edit_content" not in offered:
        lines.append("This workspace is served for reading only.")
    lines.append(
        "Results end with how to go on (cursor, next start). Errors are 'code: message' and a hint that says "
        "what to do next."
    )
    return "\n".join(lines)[:LIMIT]


def _roots(roots: Sequence[str]) -> str:
    return listed(roots, 4, noun="root")
