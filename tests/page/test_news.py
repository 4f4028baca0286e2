"""News that reach open pages."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from starlette.requests import Request
from tests.page.conftest import Served, expect

from filewright import Workspace
from filewright.page.approvals import Approvals
from filewright.page.commenting import Commenting
from filewright.page.context import PageContext
from filewright.page.news import News

if TYPE_CHECKING:
    from playwright.sync_api import Page

    Opened = Callable[..., Page]


def test_two_tabs(
    workspace: Workspace, serve: Callable[..., Served], opened: Opened
) -> None:
    page = opened(serve())
    expect(page.locator("#view")).to_contain_text("No change is recorded yet")
    other = page.context.new_page()
    other.goto(page.url)
    workspace.write("fresh.txt", "x\n")
    for tab in (page, other):
        tab.bring_to_front()
        expect(tab.locator("#rows .row")).to_contain_text(
            "fresh.txt", timeout=20_000
        )
        expect(tab.locator("article h2")).to_have_text("fresh.txt")


def test_server_ends(
    workspace: Workspace, serve: Callable[..., Served], opened: Opened
) -> None:
    workspace.write("a.txt", "x\n")
    served = serve()
    page = opened(served)
    expect(page.locator("#live")).to_have_text("live")
    assert served.end() == 0, "a page that listens does not keep it"
    expect(page.locator("#gone")).to_be_visible(timeout=20_000)
    expect(page.locator("td.code.new")).to_have_text("+x")


@pytest.mark.anyio
async def test_stream(workspace: Workspace) -> None:
    context = PageContext(workspace)
    news = News(context, Approvals(context), Commenting(context))
    (route,) = news.routes()
    response = await route.endpoint(Request({"type": "http"}))
    lines = response.body_iterator
    assert json.loads(await anext(lines))["newest"] == ""
    workspace.write("a.txt", "x\n")
    # The next look is a second later, unless the server ends.
    news.leaving.set()
    assert [line async for line in lines] == []


@pytest.mark.anyio
async def test_sends_a_line_without_news(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("filewright.page.news.LOOK_SECONDS", 0)
    context = PageContext(workspace)
    news = News(context, Approvals(context), Commenting(context))
    (route,) = news.routes()
    response = await route.endpoint(Request({"type": "http"}))
    lines = response.body_iterator
    assert json.loads(await anext(lines))["waiting"] == 0
    assert await anext(lines) == "\n"
    workspace.write("a.txt", "x\n")
    assert json.loads(await anext(lines))["newest"] == workspace.newest()
    await lines.aclose()


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"
