"""A row of the table of benchmarks, and the rows' shared way of measuring."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Row:
    """One piece of work against a reference in the same run.

    Both are seconds, or counts if they are integers; `goal` is the highest
    ratio.
    """

    work: str
    ours: float
    reference: float
    goal: float = float("inf")

    @property
    def ratio(self) -> float:
        """The ratio of ours to the reference; work that failed has none."""
        if not self.reference:
            return float("nan")
        return self.ours / self.reference

    @property
    def is_met(self) -> bool:
        """Whether the ratio is within the goal."""
        return self.ratio <= self.goal


def fastest_in_turns(
    ours: Callable[[], object],
    reference: Callable[[], object],
    rounds: int,
) -> tuple[float, float]:
    """Run both in turns and return the fewest seconds of each.

    What else the machine does then meets both alike.
    """
    fastest = [float("inf"), float("inf")]
    for _ in range(rounds):
        for index, work in enumerate((ours, reference)):
            started = time.perf_counter()
            work()
            seconds = time.perf_counter() - started
            fastest[index] = min(fastest[index], seconds)
    return fastest[0], fastest[1]
