"""The signs of a diff before the lines of a request."""

from __future__ import annotations

from filewright.edit.repairs.model import DIFF_SIGNS, RepairedRequest


def repair_diff_signs(search: str, replacement: str) -> RepairedRequest | None:
    """Return the request without the signs of a diff, or None if it has none.

    Lines with a space before them look as if they were indented by one more.
    """
    if not _has_diff_lines(search, replacement):
        return None
    # The signs of both texts: the sides of a hunk, or lines that were all added.
    for search_signs, replacement_signs in ((" -", " +"), ("+", "+")):
        old = _remove_signs(search, search_signs)
        new = _remove_signs(replacement, replacement_signs)
        if old is not None and new is not None:
            return RepairedRequest(old, new, DIFF_SIGNS, whole_lines=True)
    return _split_hunk(search, replacement)


def _split_hunk(search: str, replacement: str) -> RepairedRequest | None:
    """Return the sides of a hunk that is the replacement, if the old one is the search.

    None if the replacement is no such hunk.
    """
    old = _remove_signs(search, " ")
    if old is None or _remove_signs(replacement, " +-") is None:
        return None
    lines = replacement.split("\n")
    # The caller sent the old lines as search, and the whole hunk as replacement.
    old_side = "\n".join(line[1:] for line in lines if line[:1] != "+")
    new_side = "\n".join(line[1:] for line in lines if line[:1] != "-")
    if old_side.strip("\n") != old.strip("\n"):
        return None
    return RepairedRequest(old, new_side, DIFF_SIGNS, whole_lines=True)


def _has_diff_lines(search: str, replacement: str) -> bool:
    """Return True if the lines of a request have signs that only a diff has.

    A dash alone also begins an item of a list. Without a plus it counts only if the
    replacement is the search text without the lines that have a dash.
    """
    old_lines, new_lines = search.split("\n"), replacement.split("\n")
    if any(line.startswith("+") for line in (*old_lines, *new_lines)):
        return True
    if not any(line.startswith("-") for line in old_lines):
        return False
    context = [
        line for line in old_lines if line.startswith(" ") and line.strip()
    ]
    return context == [line for line in new_lines if line.strip()]


def _remove_signs(text: str, signs: str) -> str | None:
    """Take one of the signs from every line; None if a line begins with another one."""
    lines = text.split("\n")
    if not all(line[:1] in signs for line in lines if line.strip()):
        return None
    return "\n".join(line[1:] for line in lines)
