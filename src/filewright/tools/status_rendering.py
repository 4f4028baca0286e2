"""The text of a `stat_items` result."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from filewright.tools.bounded_text import BoundedText, clip
from filewright.wording import pluralize

if TYPE_CHECKING:
    from filewright.tools.status import FileStatus, StatItem

# The line that names the first path that is not shown.
RESERVED_CHARS = 280


def render_status(
    items: Sequence[StatItem], paths: Sequence[str], *, max_chars: int
) -> str:
    """Return a line for each path, as many as fit, and the path to continue with."""
    page = BoundedText(max_chars)
    rows = []
    for path, item in zip(paths, items, strict=True):
        if item.stats is not None:
            rows.append(f"{path}: {render_file_status(item.stats)}")
        elif item.error is not None:
            rows.append(f"{path}: {item.error.code}: {item.error.message}")
    rest = page.extend(rows, reserve=RESERVED_CHARS)
    if rest:
        next_path = clip(paths[-rest], 200)
        count = pluralize(rest, "more path")
        page.add(f"[{count} not shown; continue with paths from {next_path}]")
    return page.text()


def render_file_status(status: FileStatus) -> str:
    """Return the facts of one file, separated by semicolons."""
    parts = [status.type]
    if status.type == "link":
        parts.append(f"to {status.target}")
    if status.type == "file":
        parts.append(f"{status.size:,} bytes")
    parts.append(f"mode {status.mode} {status.owner}:{status.group}")
    parts.append(f"modified {status.modified}")
    if status.type == "file" and status.hard_links > 1:
        parts.append(f"{status.hard_links} hard links")
    if status.binary:
        parts.append(f"binary, {status.binary}")
    if status.encoding:
        bom = " with BOM" if status.bom else ""
        parts.append(f"{status.encoding}{bom}, {status.line_ending}")
    if status.unreadable:
        parts.append(f"not readable: {status.unreadable}")
    if status.version:
        parts.append(f"version {status.version}")
    return "; ".join(parts)
