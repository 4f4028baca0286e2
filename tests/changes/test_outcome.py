"""The outcome of a rollback or a clean-up."""

from __future__ import annotations

import errno
import os

import pytest

from filewright.changes.outcome import Outcome, describe_error
from filewright.errors import FilewrightError, invalid


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (OSError(errno.EIO, "a bad disk"), "a bad disk"),
        (FileNotFoundError(errno.ENOENT, os.strerror(2)), os.strerror(2)),
        (invalid("a wrong path"), "a wrong path"),
    ],
)
def test_describes_error(error: OSError | FilewrightError, text: str) -> None:
    assert describe_error(error) == text


def test_outcomes_share_nothing() -> None:
    Outcome().conflicts.append("a conflict")
    assert Outcome() == Outcome(conflicts=[])
