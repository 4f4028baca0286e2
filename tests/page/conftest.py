"""A workspace with a history, the page of it in a process of its own, and a browser to look at it."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx2
import pytest
from tests import processes
from tests.server.conftest import RawClient

from filewright import Settings, Workspace

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

_BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
"""In the order of what they cost: the first takes a third of the others' time."""

CHROMIUM = next(filter(None, map(shutil.which, _BROWSERS)), None)


class Served:
    """`filewright review` of a folder; `link` opens it once."""

    def __init__(self, root: Path, state: Path, *arguments: str) -> None:
        self.process = processes.start(
            [*processes.FILEWRIGHT, "review", str(root), "--no-open", *arguments],
            env={**os.environ, "FILEWRIGHT_STATE_DIR": str(state)},
            text=True,
        )
        assert self.process.stdout is not None
        self.link = self.process.stdout.readline().strip()
        assert self.link, self.process.stderr and self.process.stderr.read()
        self._given = False
        self.address = self.link.partition("/#")[0]

    def client(self, **headers: str) -> httpx2.Client:
        """What a page that was opened with a link may ask, with these headers besides."""
        token = self.fresh_link().partition("#token=")[2]
        answer = httpx2.post(f"{self.address}/enter", json={"token": token})
        assert answer.status_code == 200
        key = {"x-filewright-key": answer.json()["key"]}
        return httpx2.Client(base_url=self.address, headers={**key, **headers})

    def fresh_link(self) -> str:
        """A link that was not used: the first, then what the terminal shows once the one before was."""
        if self._given:
            assert self.process.stderr is not None
            found = re.search(r"http\S+", self.process.stderr.readline())
            assert found is not None
            return found.group()
        self._given = True
        return self.link

    def end(self) -> int:
        self.process.terminate()
        status = self.process.wait(30)
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            assert stream is not None
            stream.close()
        return status


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    return root


@pytest.fixture
def workspace(folder: Path, tmp_path: Path) -> Iterator[Workspace]:
    with Workspace(folder, settings=Settings(state_dir=tmp_path / "state", flush=False)) as opened:
        yield opened


@pytest.fixture
def serve(folder: Path, tmp_path: Path) -> Iterator[Callable[..., Served]]:
    """Starts the page, with more arguments if they are given."""
    running: list[Served] = []

    def start(*arguments: str) -> Served:
        running.append(Served(folder, tmp_path / "state", *arguments))
        return running[-1]

    yield start
    for served in running:
        if served.process.poll() is None:
            served.end()


@pytest.fixture
def agent(folder: Path, tmp_path: Path) -> Iterator[Callable[..., RawClient]]:
    """Starts an MCP server over the folder, with more arguments, for a client with these capabilities."""
    started: list[RawClient] = []

    def start(*arguments: str, **capabilities: Any) -> RawClient:
        state = ("--state-dir", str(tmp_path / "state"))
        client = RawClient(str(folder), *state, *arguments, command=[*processes.FILEWRIGHT])
        started.append(client)
        client.shake_hands(**capabilities)
        return client

    yield start
    for each in started:
        each.kill()


def said(answer: dict[str, Any]) -> str:
    """The text of a tool's answer."""
    return "\n".join(part["text"] for part in answer["result"]["content"] if part["type"] == "text")


@pytest.fixture(scope="module")  # its event loop would be in the way of other modules' own
def browser() -> Iterator[Browser]:
    if CHROMIUM is None:
        pytest.skip("there is no Chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        yield found
        found.close()


@pytest.fixture
def opened(browser: Browser, serve: Callable[..., Served]) -> Iterator[Callable[..., Page]]:
    """Opens the page in a browser of its own; the test fails if its script or its policy complains."""
    complaints: list[str] = []
    contexts = []

    def open_page(served: Served | None = None, **options: object) -> Page:
        context = browser.new_context(**options)  # type: ignore[arg-type]
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on(
            "console",
            lambda said: complaints.append(said.text) if "Content Security Policy" in said.text else None,
        )
        page.on("dialog", lambda dialog: complaints.append(f"a dialog: {dialog.message}"))
        page.goto((served or serve()).fresh_link())
        page.wait_for_selector("body:not(.entering)")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert complaints == []
