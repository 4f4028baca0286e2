"""Changes as `log` lists them."""

from __future__ import annotations

import pytest

from filewright.cli.log_entries import describe_author, is_person
from filewright.progress import SETUP_CLIENT


@pytest.mark.parametrize(
    ("client", "author", "by_person"),
    [
        ("claude-code 2.4.1", "claude-code", False),
        ("agent v2", "agent", False),
        ("filewright 0.1.0", "you, in the terminal", True),
        ("filewright review", "you, on the review page", True),
        (SETUP_CLIENT, SETUP_CLIENT, True),
        (None, "an unnamed client", False),
    ],
)
def test_author(client: str | None, author: str, by_person: bool) -> None:
    assert describe_author(client) == author
    assert is_person(client) is by_person
