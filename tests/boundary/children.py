"""Which processes a launcher runs."""

from __future__ import annotations

from filewright.boundary.launcher import Launcher


def children_of(launcher: Launcher) -> list[int]:
    """The process numbers of the children that it started and that were not let go of yet."""
    return sorted(launcher._running)
