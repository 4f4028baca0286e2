"""Rows of text within the dialect's cap of bytes, and the footers that say how to go on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from filewright.dialects.dialect import Call
from filewright.tools.registry import ToolResult
from filewright.tools.rendering import visible

_FOOTER = 300


def room(call: Call) -> int:
    """Bytes of rows that fit, a footer left room for."""
    settings = call.context.settings
    return max(200, min(settings.agent_output_bytes, settings.hard_chars) - _FOOTER)


def fitting(rows: Iterable[str], limit: int) -> list[str]:
    """The first of `rows` that fit in `limit` bytes; at least one, cut inside no character."""
    kept: list[str] = []
    used = 0
    for row in rows:
        size = len(row.encode("utf-8", "replace")) + 1
        if used + size > limit:
            if not kept:
                kept.append(row.encode("utf-8", "replace")[: limit - 5].decode("utf-8", "ignore") + " […]")
            break
        kept.append(row)
        used += size
    return kept


def answered(call: Call, rows: Sequence[str], *footers: str, empty: str = "") -> ToolResult:
    """The rows that fit, then what is said of them; `empty` if there are none."""
    if not rows:
        return ToolResult("\n".join([empty, *footers]))
    kept = fitting(rows, room(call))
    notes = list(footers)
    if len(kept) < len(rows):
        notes.insert(0, f"({len(rows) - len(kept)} more, not shown; narrow the request)")
    return ToolResult("\n".join([*kept, *notes]))


def page(rows: Sequence[str], offset: int, limit: int, head_limit: int | None) -> tuple[list[str], int]:
    """The rows from `offset` on that fit in `limit` bytes and `head_limit`, and the offset that follows them."""
    wanted = rows[offset : None if head_limit is None else offset + head_limit]
    kept = fitting(wanted, limit) if wanted else []
    return kept, offset + len(kept)


def shown(text: str) -> str:
    """Text of a file as it is shown: nothing that moves a cursor or hides."""
    return visible(text)
