"""The tools and the dialects answer as the first version did, and leave the same bytes, but for what is explained."""

import pytest
from tests.recording.comparison import compare, tell


@pytest.mark.needs("confine")  # without it git is not asked, and the first version asked it
def test_every_recorded_call_is_as_it_was_or_its_difference_is_explained() -> None:
    report = compare(processes=2)  # each begins with imports, and the other worker has tests of its own
    unexplained = [*report.unexplained, *report.stale]
    assert not unexplained, (
        tell(report)
        + "\n\nIf a difference is meant, explain it in a module of tests/recording/explained/; "
        + "`python -m tests.recording` prints this again, `python -m tests.recording CALL` one call before and now."
    )
