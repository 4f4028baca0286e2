"""A workspace with a history, the page of it in a process of its own, and a browser to look at it."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx2
import pytest
from tests import processes
from tests.server.conftest import RawClient

from filewright import Workspace

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

_BROWSERS = (
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
)
"""In the order of what they cost: the first takes a third of the others' time."""

CHROMIUM = next(filter(None, map(shutil.which, _BROWSERS)), None)


UNENCRYPTED = False
"""Of a client that is spared reading the certificates of the whole world, for what is not encrypted anyway."""


class Served:
    """`filewright review` of a folder; `link` opens it once."""

    def __init__(self, root: Path, state: Path, *arguments: str) -> None:
        self.process = processes.start(
            [
                *processes.FILEWRIGHT,
                "review",
                str(root),
                "--no-open",
                *arguments,
            ],
            env={**os.environ, "FILEWRIGHT_STATE_DIR": str(state)},
            text=True,
        )
        assert self.process.stdout is not None
        self.link = self.process.stdout.readline().strip()
        assert self.link, self.process.stderr and self.process.stderr.read()
        self._given = False
        self.address = self.link.partition("/#")[0]

    @contextmanager
    def client(self) -> Iterator[httpx2.Client]:
        """What a page that was opened with a link may ask."""
        token = self.fresh_link().partition("#token=")[2]
        with httpx2.Client(base_url=self.address, verify=UNENCRYPTED) as client:
            answer = client.post("/enter", json={"token": token})
            assert answer.status_code == 200
            client.headers["x-filewright-key"] = answer.json()["key"]
            yield client

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
        for stream in (
            self.process.stdin,
            self.process.stdout,
            self.process.stderr,
        ):
            assert stream is not None
            stream.close()
        return status


@pytest.fixture(scope="module")
def http() -> Iterator[httpx2.Client]:
    """What anybody may ask of any address."""
    with httpx2.Client(verify=UNENCRYPTED) as client:
        yield client


@pytest.fixture(scope="session")
def npm(pytestconfig: pytest.Config) -> Callable[..., Path]:
    """A folder with these packages of npm, which is kept from run to run."""
    program = shutil.which("npm")
    if program is None:
        pytest.skip("there is no npm")

    def installed(*packages: str) -> Path:
        assert pytestconfig.cache is not None
        place = pytestconfig.cache.mkdir("npm")
        kept = (
            place / hashlib.sha256(" ".join(packages).encode()).hexdigest()[:16]
        )
        if kept.exists():
            return kept
        folder = Path(tempfile.mkdtemp(dir=place))
        (folder / "package.json").write_text('{"private": true}')
        command = [program, "install", "--no-audit", "--no-fund", *packages]
        got = subprocess.run(
            command, cwd=folder, capture_output=True, text=True
        )
        if got.returncode:
            shutil.rmtree(folder)
            pytest.skip(f"npm has not {packages}: {got.stderr[-300:]}")
        try:
            folder.rename(kept)
        except OSError:  # another process was first
            shutil.rmtree(folder)
        return kept

    return installed


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    return root


@pytest.fixture
def workspace(folder: Path, tmp_path: Path) -> Iterator[Workspace]:
    with Workspace(folder, state_dir=tmp_path / "state") as opened:
        yield opened


def numbered(count: int) -> str:
    """Return a text of numbered lines."""
    return "".join(f"line {number}\n" for number in range(1, count + 1))


HOSTILE = "<img src=x onerror=alert(1)><script>alert(2)</script>"


@pytest.fixture
def history(workspace: Workspace, folder: Path) -> Path:
    """A folder with a file that was edited, moved and edited again."""
    (folder / "cart.py").write_text(
        "".join(f"line_{number} = {number}\n" for number in range(1, 40))
    )
    for number in (3, 20, 30):
        workspace.edit(
            "cart.py",
            [
                {
                    "search": f"= {number}\n",
                    "replace": f"= {number}  # {number}!\n",
                }
            ],
        )
    workspace.move("cart.py", "shop.py")
    workspace.edit(
        "shop.py", [{"search": "line_20 ", "replace": f"# {HOSTILE}\nline_20 "}]
    )
    return folder


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
        client = RawClient(
            str(folder), *state, *arguments, command=[*processes.FILEWRIGHT]
        )
        started.append(client)
        client.shake_hands(**capabilities)
        return client

    yield start
    for each in started:
        each.kill()


def expect(shown: Any) -> Any:
    """What a page has, by Playwright: only tests in a browser import it."""
    from playwright.sync_api import expect as expect_of

    return expect_of(shown)


def said(answer: dict[str, Any]) -> str:
    """The text of a tool's answer."""
    return "\n".join(
        part["text"]
        for part in answer["result"]["content"]
        if part["type"] == "text"
    )


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that look at the page in a browser."""
    for item in items:
        if "browser" in getattr(item, "fixturenames", ()):
            item.add_marker("browser")


_of_this_folder = ExitStack()
"""What the tests of this folder share: unlike what is of a session, it ends before those of another folder."""


@pytest.hookimpl(trylast=True)  # after what the test has of them
def pytest_runtest_teardown(
    item: pytest.Item, nextitem: pytest.Item | None
) -> None:
    here = Path(__file__).parent
    if nextitem is None or not nextitem.path.is_relative_to(here):
        _tab.cache_clear()
        launched.cache_clear()
        _of_this_folder.close()


@cache
def launched() -> Browser:
    """One browser for all tests of this folder; in those of another its event loop would be in the way of their own."""
    if CHROMIUM is None:
        pytest.skip("there is no Chromium")
    from playwright.sync_api import sync_playwright

    playwright = _of_this_folder.enter_context(sync_playwright())
    found = playwright.chromium.launch(
        executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"]
    )
    _of_this_folder.callback(found.close)
    return found


@pytest.fixture(scope="module")
def browser() -> Browser:
    return launched()


@cache
def _tab() -> Page:
    """The page of all tests that ask for nothing special: a new one would be a process of the browser each."""
    return launched().new_context().new_page()


def _leave(page: Page) -> None:
    """Have nothing of this test in the next."""
    page.evaluate("localStorage.clear(), sessionStorage.clear()")
    page.context.clear_cookies()
    page.goto("about:blank")
    for other in page.context.pages:
        if other is not page:
            other.close()


@pytest.fixture
def opened(
    browser: Browser, serve: Callable[..., Served]
) -> Iterator[Callable[..., Page]]:
    """Opens the page in a browser of its own; the test fails if its script or its policy complains."""
    complaints: list[str] = []
    with ExitStack() as ending:

        def open_page(
            served: Served | None = None,
            *,
            landing: bool = False,
            **options: Any,
        ) -> Page:
            """Open the page; unless at its `landing`, at the newest change."""
            shared = not options and _tab().url == "about:blank"
            page = (
                _tab() if shared else browser.new_context(**options).new_page()
            )
            hears = {
                "pageerror": lambda error: complaints.append(str(error)),
                "console": lambda said: (
                    complaints.append(said.text)
                    if "Content Security Policy" in said.text
                    else None
                ),
                "dialog": lambda dialog: complaints.append(
                    f"a dialog: {dialog.message}"
                ),
            }
            for event, heard in hears.items():
                page.on(event, heard)  # type: ignore[call-overload]
                ending.callback(page.remove_listener, event, heard)
            ending.callback(
                _leave if shared else lambda used: used.context.close(), page
            )
            page.goto((served or serve()).fresh_link())
            page.wait_for_selector("body:not(.entering)")
            newest = page.locator("#rows .row").first
            if not landing and newest.count():
                address = newest.get_attribute("href")
                page.evaluate("(address) => show(address)", address)
                page.locator(f'section[data-address="{address}"]').wait_for()
            return page

        yield open_page
    assert complaints == []
