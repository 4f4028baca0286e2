"""The signs of a diff before the lines of a request."""

from __future__ import annotations

from filewright.edit.repairs.model import (
    DIFF_SIGNS,
    RepairedRequest,
)


def repair_diff_signs(search: str, replacement: str) -> RepairedRequest | None:
    """Return the request without the signs of a diff, if it has them.

    Lines with a space before them look as if they were indented by one more.
    """
    old, new = _without_signs(search, " -"), _without_signs(replacement, " +")
    if old is None or new is None:
        old, new = _without_signs(search, "+"), _without_signs(replacement, "+")
    if old is None or new is None:
        old, new = _sides_of_hunk(search, replacement)
    if old is None or new is None or not _has_diff_lines(search, replacement):
        return None
    return RepairedRequest(old, new, DIFF_SIGNS, whole_lines=True)


def _sides_of_hunk(search: str, replacement: str) -> tuple[str | None, str | None]:
    """Return both sides of a hunk that is the replacement, if its old side is the search text; else None twice."""
    old = _without_signs(search, " ")
    if old is None or _without_signs(replacement, " +-") is None:
        return None, None
    lines = replacement.split("\n")
    before = [line[1:] for line in lines if line[:1] != "+"]
    after = [line[1:] for line in lines if line[:1] != "-"]
    if "\n".join(before).strip("\n") != old.strip("\n"):
        return None, None
    return old, "\n".join(after)


def _has_diff_lines(search: str, replacement: str) -> bool:
    """Return True if the lines of a request have signs that only a diff has.

    A dash alone also begins an item of a list. Without a plus it counts only where what the replacement keeps is the
    rest of the search text.
    """
    texts = search.split("\n"), replacement.split("\n")
    if any(line[:1] == "+" for lines in texts for line in lines):
        return True
    kept = [line for line in texts[0] if line[:1] == " " and line.strip()]
    removed = any(line[:1] == "-" for line in texts[0])
    return removed and kept == [line for line in texts[1] if line.strip()]


def _without_signs(text: str, signs: str) -> str | None:
    """Take the sign of a diff from every line; None if a line has none."""
    lines = text.split("\n")
    if not all(line[:1] in signs for line in lines if line.strip()):
        return None
    return "\n".join(line[1:] for line in lines)
