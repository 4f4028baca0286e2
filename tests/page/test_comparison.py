"""The view between two moments."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from tests.page.conftest import expect

from filewright import Workspace

if TYPE_CHECKING:
    from playwright.sync_api import Page

    Opened = Callable[..., Page]


def test_two_moments(
    history: Path, workspace: Workspace, opened: Opened
) -> None:
    page = opened()
    rows = page.locator("#rows a[data-change]")
    rows.last.click(modifiers=["Shift"])
    rows.first.click(modifiers=["Shift"])
    expect(page.locator("#view h1")).to_contain_text("The differences between")
    card = page.locator("article.file")
    expect(card).to_have_count(1)
    expect(card).to_contain_text("cart.py → shop.py")
    expect(card.locator(".code.new")).to_have_count(3)
    expect(page.get_by_role("button", name="Undo")).to_have_count(0)
    page.get_by_role("textbox", name="From").fill("")
    page.get_by_role("textbox", name="to").fill(
        rows.last.get_attribute("data-change") or ""
    )
    page.keyboard.press("Enter")
    expect(card.locator(".code.new")).to_have_count(1)
    expect(card).not_to_contain_text("→")
    page.get_by_role("textbox", name="From").fill("gibberish/..%")
    page.keyboard.press("Enter")
    expect(page.locator("#view .notice")).to_be_visible()
