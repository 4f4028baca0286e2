"""Words of the page for clients and moments."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from filewright.page.words import (
    format_day,
    format_moment,
    name_client,
    show_client,
    strip_version,
)


@pytest.mark.parametrize(
    ("client", "name"),
    [
        ("claude-code 2.4.1", "Claude Code"),
        ("Visual Studio Code 1.99", "VS Code"),
        ("my agent 1", "my agent"),
        ("", "An unnamed client"),
    ],
)
def test_names_clients(client: str, name: str) -> None:
    assert name_client(client) == name


def test_client_as_it_is() -> None:
    assert show_client("agent\u202e 1") == "agent\\u202e 1"
    assert show_client(None) == "unnamed client"
    assert strip_version("agent") == "agent"


def test_moments() -> None:
    now = datetime.now().astimezone().replace(hour=12)
    assert format_moment(now) == f"{now:%H:%M}"
    assert format_day(now) == "Today"
    assert format_day(now - timedelta(days=1)) == "Yesterday"
    earlier = now - timedelta(days=9)
    assert format_moment(earlier) == f"{earlier:%b %d %H:%M}"
