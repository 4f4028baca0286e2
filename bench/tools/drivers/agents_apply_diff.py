"""The `apply_diff` of the OpenAI Agents SDK, with files read and written as its examples do."""

from __future__ import annotations

from pathlib import Path

from agents import apply_diff
from serving import serve


def apply(path: str, diff: str) -> str:
    """Apply a diff to a file."""
    file = Path(path)
    file.write_text(apply_diff(file.read_text("utf-8"), diff), "utf-8")
    return "applied"


serve({"apply": apply})
