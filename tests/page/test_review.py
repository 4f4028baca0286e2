"""The page beside an MCP server over HTTP, for those who may use that server."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import httpx2
import pytest
from tests import processes
from tests.page.conftest import expect

from filewright import Workspace

if TYPE_CHECKING:
    from playwright.sync_api import Browser

TOKEN = "a-token-of-this-server-1234"


class Server:
    """`filewright serve --http`; `log` has the lines up to where it says that the page is there."""

    def __init__(self, root: Path, state: Path, tokens: str = "") -> None:
        self.process = processes.start(
            [
                *processes.FILEWRIGHT,
                "serve",
                str(root),
                "--http",
                "127.0.0.1:0",
            ],
            env={
                **os.environ,
                "FILEWRIGHT_STATE_DIR": str(state),
                "FILEWRIGHT_HTTP_TOKENS": tokens,
            },
            text=True,
        )
        assert self.process.stderr is not None
        self.log = ""
        while "review page" not in self.log:
            line = self.process.stderr.readline()
            assert line, self.log
            self.log += line
        found = re.search(r"review page: ((http://[^/]+)\S+)", self.log)
        assert found is not None
        self.link, self.address = found.groups()


@pytest.fixture
def start(
    workspace: Workspace, folder: Path, tmp_path: Path
) -> Iterator[Callable[..., Server]]:
    workspace.write("a.txt", "one\n")
    started: list[Server] = []

    def begin(tokens: str = "") -> Server:
        started.append(Server(folder, tmp_path / "state", tokens))
        return started[-1]

    yield begin
    for server in started:
        server.process.terminate()
        assert server.process.wait(30) == 0
        for stream in (
            server.process.stdin,
            server.process.stdout,
            server.process.stderr,
        ):
            assert stream is not None
            stream.close()


def test_token_opens_the_page(
    start: Callable[..., Server], browser: Browser, folder: Path
) -> None:
    server = start(TOKEN)
    page = browser.new_page()
    page.goto(f"{server.address}/review")
    page.get_by_label("An access token").fill("not one of them 12345")
    page.get_by_role("button", name="Open").click()
    expect(page.get_by_role("alert")).to_contain_text(
        "does not know this token"
    )
    page.get_by_label("An access token").fill(TOKEN)
    page.get_by_role("button", name="Open").click()
    expect(page.locator("td.code.new")).to_have_text("+one")
    page.wait_for_load_state()  # by then the page's script hears keys
    page.keyboard.press("u")
    page.get_by_role("dialog").locator("[data-do]").click()
    expect(page.locator("#rows .row")).to_have_count(2, timeout=20_000)
    assert not (folder / "a.txt").exists()
    page.close()


def test_link_in_the_log(
    http: httpx2.Client, start: Callable[..., Server]
) -> None:
    server = start()
    address = f"{server.address}/review"
    assert http.get(f"{address}/list").status_code == 403
    token = {"token": server.link.partition("#token=")[2]}
    given = http.post(f"{address}/enter", json=token)
    assert given.status_code == 200
    key = {"x-filewright-key": given.json()["key"]}
    assert "a.txt" in http.get(f"{address}/?part=view", headers=key).text
    again = http.post(f"{address}/enter", json=token)
    assert again.status_code == 403
    assert "was used before" in again.json()["message"]


@pytest.mark.parametrize("tokens", ["", TOKEN])
def test_others_see_nothing(
    http: httpx2.Client, start: Callable[..., Server], tokens: str
) -> None:
    server = start(tokens)
    address = f"{server.address}/review"
    nothing = http.get(f"{address}/").text
    for path in (
        "/static/nope",
        "/static/",
        "/list",
        "/events",
        "/waiting",
        "/nothing",
        "/change/x?part=view",
    ):
        for headers in (
            {},
            {"authorization": f"Bearer {TOKEN}"},
            {"origin": "https://evil.example"},
        ):
            answer = http.get(f"{address}{path}", headers=headers)
            assert answer.status_code == (404 if "static" in path else 403)
            assert "<" not in answer.text
            assert "a.txt" not in answer.text
    for path in ("/change/x", "/session/x", "/since/x"):
        assert http.get(f"{address}{path}").text == nothing
    assert "a.txt" not in nothing
    bodies = [
        {"token": "wrong wrong wrong 1"},
        {"token": 5},
        {},
        [],
        {"token": TOKEN[:-1]},
        {"token": "\ud800"},
    ]
    for body in bodies:
        assert (
            http.post(f"{address}/enter", content=json.dumps(body)).status_code
            == 403
        )
    assert (
        http.post(f"{address}/enter", content=b"x" * 20_000).status_code == 403
    )
    assert (
        http.post(f"{address}/enter", content=b"[" * 16_000).status_code == 403
    )
    elsewhere = {"host": "evil.example"}
    assert (
        http.post(
            f"{address}/enter", json={"token": TOKEN}, headers=elsewhere
        ).status_code
        == 421
    )
    elsewhere = {"origin": "https://evil.example"}
    assert (
        http.post(
            f"{address}/enter", json={"token": TOKEN}, headers=elsewhere
        ).status_code
        == 403
    )
    assert http.post(f"{address}/enter", json={"token": TOKEN}).status_code == (
        200 if tokens else 403
    )
