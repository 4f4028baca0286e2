"""Context of hits in blocks of imports: the lines next to a hit, and the ends of its statement.

A caller that asks for wide context wants code. Of a list of imported names it needs the
module and the place where a name can be added.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from filewright.search.excerpts import ContextLine, HitContext

KEPT_LINES = 2
"""The lines of the block on each side of a hit that are shown."""

_IMPORT = re.compile(
    r"\s*(?:import\b|from\s+[\w.]+\s+import\b|export\b.*\bfrom\b"
    r"|use\s+[\w:{]|using\s+[\w.]+;|#\s*include\b)"
)
_OPENING = re.compile(r".*[({]\s*(?:(?:#|//).*)?$")
_NAME = re.compile(
    r"\s*(?:type\s+)?[\w.:*]+(?:\s+as\s+\w+)?\s*,?\s*(?:(?:#|//).*)?$"
)
_CLOSING = re.compile(r"\s*[)}]")


def shorten_imports(text: str, around: HitContext) -> HitContext:
    """Return the context of a hit, whose line is `text`, with less of a block of imports."""
    above = [line.text for line in around.above]
    opening = _find_opening(text, above)
    if opening is None and not _IMPORT.match(text):
        return around
    is_open = opening is not None or _opens_statement(text)
    below = _measure_below(around.below, is_open=is_open)
    block_above = 0
    for line in reversed(above):
        if not _is_of_block(line):
            break
        block_above += 1
    kept_above = [
        line
        for index, line in enumerate(around.above)
        if index < len(above) - block_above
        or index >= len(above) - KEPT_LINES
        or index == opening
    ]
    kept_below = [
        line
        for index, line in enumerate(around.below)
        if index < KEPT_LINES
        or index >= below.line_count
        or index == below.closing
    ]
    return replace(around, above=tuple(kept_above), below=tuple(kept_below))


def _find_opening(text: str, above: Sequence[str]) -> int | None:
    """Return the index of the line above that opens the list of names of a hit's line."""
    if not _NAME.match(text):
        return None
    for index in range(len(above) - 1, -1, -1):
        if _opens_statement(above[index]):
            return index
        if above[index].strip() and not _NAME.match(above[index]):
            return None
    return None


def _opens_statement(text: str) -> bool:
    """Return True if a line begins an import that goes on in the next line."""
    return bool(_IMPORT.match(text) and _OPENING.match(text))


def _is_of_block(text: str) -> bool:
    """Return True for a line that may be in a block of imports."""
    if not text.strip() or _CLOSING.match(text):
        return True
    return bool(_IMPORT.match(text) or _NAME.match(text))


@dataclass(frozen=True, slots=True)
class _BlockBelow:
    """The lines below a hit in its block, and the index of that which closes its statement."""

    line_count: int
    closing: int | None


def _measure_below(
    lines: Sequence[ContextLine], *, is_open: bool
) -> _BlockBelow:
    """Return how far a block of imports goes below a hit.

    With `is_open` the statement of the hit goes on in the next line.
    """
    closing = None
    for index, line in enumerate(lines):
        if is_open and closing is None and _CLOSING.match(line.text):
            closing = index
        elif not _is_of_block(line.text):
            return _BlockBelow(index, closing)
    return _BlockBelow(len(lines), closing)
