"""Results too large for one answer are kept for a while."""

from __future__ import annotations

from filewright.server.spill import Spill


def test_the_newest_large_results_are_kept() -> None:
    spill = Spill(100)
    first, second = spill.keep("a" * 60), spill.keep("b" * 60)
    assert first is not None
    assert second is not None
    assert spill.get(first) is None
    assert spill.get(second) == "b" * 60
    assert spill.keep("c" * 101) is None
