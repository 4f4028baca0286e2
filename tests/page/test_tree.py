"""The tree of the files beside the diffs."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tests.page.conftest import expect

from filewright import Workspace

if TYPE_CHECKING:
    from playwright.sync_api import Page

    Opened = Callable[..., Page]


def test_tree(workspace: Workspace, opened: Opened) -> None:
    items = [
        {"path": f"d/{at % 3}/{at:04}.txt", "content": f"{at}\n" * (at % 5 + 1)}
        for at in range(6)
    ]
    assert not workspace.call("write_content", {"items": items}).is_error
    page = opened()
    links = page.locator(".tree a")
    expect(links).to_have_count(6)
    expect(
        page.locator(".tree a", has_text="0004.txt").locator(".plus")
    ).to_have_text("+5")
    links.last.click()
    expect(page.locator("article.file").last.locator(".fold")).to_be_focused()
    page.locator(".tree summary").get_by_text("0/", exact=False).first.press(
        "Enter"
    )
    expect(page.locator(".tree a", has_text="0000.txt")).to_be_hidden()
    expect(page.locator(".tree a", has_text="0004.txt")).to_be_visible()
