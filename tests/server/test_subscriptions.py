"""`resources/subscribe`: a client hears of each change of a file it subscribed to, and of no other."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.server.conftest import RawClient

UPDATED = "notifications/resources/updated"
FILE = "filewright://file/"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    root.mkdir()
    for name in ("a b.txt", "other.txt"):
        (root / name).write_text("1\n")
    return root


@pytest.fixture
def client(root: Path, tmp_path: Path, start: Callable[..., RawClient]) -> RawClient:
    begun = start(
        str(root), "--state-dir", str(tmp_path / "state"), command=[sys.executable, "-m", "filewright"]
    )
    assert begun.shake_hands()["result"]["capabilities"]["resources"]["subscribe"] is True
    return begun


def hears(client: RawClient) -> str:
    while (message := client.receive()).get("method") != UPDATED:
        assert "method" in message, message
    return str(message["params"]["uri"])


@pytest.mark.parametrize("name", ["a b.txt", "a%20b.txt", "not-yet.txt"])
def test_a_change_by_another_program_is_heard_of(client: RawClient, root: Path, name: str) -> None:
    path = root / name.replace("%20", " ")
    assert client.ask("resources/subscribe", {"uri": FILE + name})["result"] == {}
    (root / "other.txt").write_text("22\n")
    path.write_text("22\n")
    assert hears(client) == FILE + name
    path.unlink()
    assert hears(client) == FILE + name
    path.with_suffix(".new").write_text("333\n")
    path.with_suffix(".new").rename(path)
    assert hears(client) == FILE + name


def test_after_unsubscribing_nothing_is_heard(client: RawClient, root: Path) -> None:
    for name in ("a%20b.txt", "other.txt"):
        client.ask("resources/subscribe", {"uri": FILE + name})
    client.ask("resources/unsubscribe", {"uri": FILE + "a%20b.txt"})
    (root / "a b.txt").write_text("22\n")
    (root / "other.txt").write_text("22\n")
    assert hears(client) == FILE + "other.txt"
    assert not client.notifications(UPDATED)


@pytest.mark.parametrize(
    "uri", ["filewright://history/x", "file:///etc/passwd", FILE + "../x", FILE + "denied.txt"]
)
def test_what_is_no_file_here_is_refused(client: RawClient, root: Path, uri: str) -> None:
    (root / ".agentsignore").write_text("denied.txt\n")
    assert client.ask("resources/subscribe", {"uri": uri})["error"]["code"] == -32602


def test_what_is_denied_later_is_not_heard_of(client: RawClient, root: Path) -> None:
    for name in ("a%20b.txt", "other.txt"):
        client.ask("resources/subscribe", {"uri": FILE + name})
    (root / ".agentsignore").write_text("a b.txt\n")
    (root / "a b.txt").write_text("22\n")
    (root / "other.txt").write_text("22\n")
    assert hears(client) == FILE + "other.txt"
