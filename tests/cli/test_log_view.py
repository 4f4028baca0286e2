"""Lines in which the command line shows changes."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from filewright.cli.log_view import format_when, quote_title


@pytest.mark.parametrize(
    ("title", "quoted"),
    [
        ("Edited a.txt", "“Edited a.txt”"),
        ("Undid “Edited a.txt”", "Undid “Edited a.txt”"),
        ("a\nb", "“a\\x0ab”"),
    ],
)
def test_quotes_titles(title: str, quoted: str) -> None:
    assert quote_title(title) == quoted


def test_moment_of_today_has_its_age() -> None:
    now = datetime.now(UTC)
    assert format_when(now - timedelta(hours=3)) == "3 h ago"
    earlier = now - timedelta(days=3)
    assert format_when(earlier) == f"{earlier.astimezone():%Y-%m-%d %H:%M}"
