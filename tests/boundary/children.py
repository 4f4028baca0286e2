"""Which processes a launcher runs."""

from __future__ import annotations

from pathlib import Path

from filewright.boundary import Launcher


def children_of(launcher: Launcher) -> list[int]:
    """The process numbers of the children that its helper started and that still run. Waits for the first."""
    (helper,) = launcher._helpers
    number = helper.process.pid
    found: list[str] = []
    while not found:
        found = Path(f"/proc/{number}/task/{number}/children").read_text().split()
    return [int(child) for child in found]
