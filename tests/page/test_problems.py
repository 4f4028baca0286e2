"""Errors as the page shows them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tests.page.conftest import expect

from filewright import Workspace

if TYPE_CHECKING:
    from playwright.sync_api import Page

    Opened = Callable[..., Page]


def test_unknown_address(workspace: Workspace, opened: Opened) -> None:
    workspace.write("a.txt", "x\n")
    page = opened()
    with page.expect_response(
        lambda answer: "part=view" in answer.url
    ) as shown:
        page.goto(page.url.rpartition("/")[0] + "/0000000000000")
    assert shown.value.status == 404
    expect(page.locator("#view h1")).to_contain_text("is not here")
    expect(page.locator("#rows .row")).to_have_count(1)
