"""Where a text most likely is, allowing typos."""

from __future__ import annotations

from filewright.progress import Task
from filewright.search.hit import Found
from filewright.search.onefile import search_snapshot
from filewright.search.pattern import compile as compile_pattern
from filewright.text import Snapshot


class Grams:
    """What fuzzy searches prepare for a file, kept by its version."""


def fuzzy(
    snapshot: Snapshot,
    needle: str,
    *,
    min_similarity: float = 0.8,
    limit: int = 10,
    grams: Grams | None = None,
    task: Task | None = None,
) -> Found:
    """The `limit` most similar regions."""
    return search_snapshot(snapshot, compile_pattern(needle, case="sensitive"), limit=limit, task=task)
