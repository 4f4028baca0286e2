"""`docs/platforms.md` names a substitute for each capability that a system may lack."""

from __future__ import annotations

import re
from pathlib import Path

from filewright.system import Capabilities

PROJECT = Path(__file__).parents[2]
CAPABILITIES = set(Capabilities.__annotations__)


def rows() -> dict[str, list[str]]:
    """Return the cells of each capability in the table of the page."""
    page = (PROJECT / "docs/platforms.md").read_text(encoding="utf-8")
    cells = re.findall(r"^\| `(\w+)` \|(.*)\|$", page, re.MULTILINE)
    return {
        name: [cell.strip() for cell in rest.split("|")] for name, rest in cells
    }


def needed() -> set[str]:
    """Return every capability that a test needs."""
    texts = (
        path.read_text(encoding="utf-8")
        for path in (PROJECT / "tests").rglob("test_*.py")
    )
    calls = [
        call
        for text in texts
        for call in re.findall(r"pytest\.mark\.needs\(([^)]*)\)", text)
    ]
    return set(re.findall(r'"(\w+)"', " ".join(calls)))


def test_page_lists_every_capability() -> None:
    assert rows().keys() == CAPABILITIES


def test_page_rows_are_complete() -> None:
    short = {
        name: cells
        for name, cells in rows().items()
        if len(cells) != 3 or not all(cells)
    }
    assert not short, (
        "a row says what it gives, which systems have it, and what there is without it"
    )


def test_needs_marks_name_capabilities() -> None:
    assert needed() <= CAPABILITIES
    assert needed()
