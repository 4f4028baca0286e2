"""Rows of text within the bytes that an answer may have."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from filewright.dialects.call import Call
from filewright.dialects.json_answers import count_fitting
from filewright.wording import escape_controls

CUT_MARK = " [... line truncated ...]"

_FOOTER_BYTES = 600
"""Bytes that are reserved for footers, such as the next offset."""

_MIN_BYTES = 200
"""Bytes of rows under any limit, so that an answer has a line."""


def bytes_for_rows(call: Call) -> int:
    """Return the bytes that rows may have, with room for a footer."""
    return max(_MIN_BYTES, call.settings.page_chars - _FOOTER_BYTES)


def row_bytes(row: str) -> int:
    """Return the bytes of a row and its line feed."""
    return len(row.encode("utf-8", "replace")) + 1


def fit_rows(rows: Sequence[str], limit: int) -> list[str]:
    """Return the first rows that fit in `limit` bytes: at least one, which may be cut."""
    count = count_fitting(map(row_bytes, rows), limit)
    if rows and not count:
        # A cut character would be replaced by others.
        first_row = rows[0].encode("utf-8", "replace")[: limit - len(CUT_MARK)]
        return [first_row.decode("utf-8", "ignore") + CUT_MARK]
    return list(rows[:count])


def render_rows(
    call: Call,
    rows: Sequence[str],
    footers: Iterable[str] = (),
    *,
    empty: str = "",
) -> str:
    """Return the rows that fit, or `empty` if there are none, and then the footers."""
    lines = fit_rows(rows, bytes_for_rows(call)) or [empty]
    if len(lines) < len(rows):
        lines.append(
            f"[... output truncated: {len(lines)} of {len(rows)} lines shown; "
            "narrow the request ...]"
        )
    lines += footers
    return "\n".join(lines)


def render_change(
    call: Call, rows: Sequence[str], diff: str, warnings: Iterable[str | None]
) -> str:
    """Return what was done, what no longer parses, and the diff."""
    lines = list(rows)
    for warning in warnings:
        if warning:
            lines.append(f"warning: {escape_controls(warning)}")
    for diff_line in diff.splitlines():
        lines.append(escape_controls(diff_line))
    return render_rows(call, lines)
