"""`--client-roots`: the client's roots narrow what is served, follow its changes, and never widen it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests import processes
from tests.server.conftest import RawClient

Start = Callable[..., RawClient]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name in ("one/a.txt", "one/deep/b.txt", "two [x]/c.txt", "top.txt"):
        path = tmp_path / "root" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{name}\n")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "d.txt").write_text("d\n")
    return tmp_path / "root"


@pytest.fixture
def begun(root: Path, tmp_path: Path, start: Start) -> Callable[..., RawClient]:
    def begin(*flags: str, **capabilities: Any) -> RawClient:
        state = ("--state-dir", str(tmp_path / "state"))
        client = start(
            str(root), *state, *flags, command=[*processes.FILEWRIGHT]
        )
        client.shake_hands(**capabilities)
        return client

    return begin


def give(client: RawClient, *folders: Path, host: str = "") -> None:
    """Answer the request for roots, which must come next, with folders of a host."""
    while (message := client.receive()).get("method") != "roots/list":
        client._others.append(message)
    roots = [
        {"uri": folder.as_uri().replace("file://", f"file://{host}")}
        for folder in folders
    ]
    client.send(
        {"jsonrpc": "2.0", "id": message["id"], "result": {"roots": roots}}
    )


def said(client: RawClient, request: int) -> tuple[bool, str]:
    result = client.answer(request)["result"]
    return result["isError"], result["content"][0]["text"]


def readable(client: RawClient, root: Path) -> set[str]:
    names = ["one/a.txt", "one/deep/b.txt", "two [x]/c.txt", "top.txt"]
    return {
        n
        for n in names
        if not said(client, client.begin("read_content", {"path": n}))[0]
    }


NARROWED = [
    (["one"], {"one/a.txt", "one/deep/b.txt"}),
    (["one/deep"], {"one/deep/b.txt"}),
    (["one/deep", "two [x]"], {"one/deep/b.txt", "two [x]/c.txt"}),
    (["one", "one/deep"], {"one/a.txt", "one/deep/b.txt"}),
    (["."], {"one/a.txt", "one/deep/b.txt", "two [x]/c.txt", "top.txt"}),
    ([".."], {"one/a.txt", "one/deep/b.txt", "two [x]/c.txt", "top.txt"}),
    (["../outside"], set()),
    ([], set()),
]


@pytest.mark.parametrize(("folders", "served"), NARROWED)
def test_serves_roots_of_the_client_only(
    begun: Callable[..., RawClient],
    root: Path,
    folders: list[str],
    served: set[str],
) -> None:
    client = begun("--client-roots", roots={"listChanged": True})
    first = client.begin("read_content", {"path": "../outside/d.txt"})
    give(client, *((root / folder).resolve() for folder in folders))
    assert said(client, first)[0]
    assert readable(client, root) == served
    listed = said(client, client.begin("list_files", {"depth": 0}))[1]
    assert {
        line for line in listed.splitlines() if line.endswith(".txt")
    } == served


HOSTS = {
    "": True,
    "localhost": True,
    "LOCALHOST": True,
    "otherhost": False,
    "evil.example.org": False,
}


@pytest.mark.parametrize("host", HOSTS)
def test_folders_of_other_hosts(
    begun: Callable[..., RawClient], root: Path, host: str
) -> None:
    client = begun("--client-roots", roots={"listChanged": True})
    first = client.begin("read_content", {"path": "one/a.txt"})
    give(client, root.resolve(), host=host)
    assert said(client, first)[0] is not HOSTS[host]
    assert bool(readable(client, root)) is HOSTS[host]


def test_follows_changed_roots(
    begun: Callable[..., RawClient], root: Path
) -> None:
    client = begun("--client-roots", roots={"listChanged": True})
    first = client.begin("list_files", {})
    give(client, root / "one")
    client.answer(first)
    client.send(
        {"jsonrpc": "2.0", "method": "notifications/roots/list_changed"}
    )
    second = client.begin("read_content", {"path": "one/a.txt"})
    give(client, root / "two [x]")
    assert said(client, second)[0]
    assert readable(client, root) == {"two [x]/c.txt"}


def test_no_answer_serves_nothing(
    begun: Callable[..., RawClient], root: Path
) -> None:
    client = begun("--client-roots", roots={})
    first = client.begin("read_content", {"path": "one/a.txt"})
    while (message := client.receive()).get("method") != "roots/list":
        client._others.append(message)
    error = {"code": -32603, "message": "no"}
    client.send({"jsonrpc": "2.0", "id": message["id"], "error": error})
    is_error, text = said(client, first)
    assert is_error
    assert "did not say which of its roots" in text


def test_serves_all_without_flag_or_capability(
    begun: Callable[..., RawClient], root: Path
) -> None:
    for client in (begun(roots={"listChanged": True}), begun("--client-roots")):
        assert len(readable(client, root)) == 4
