"""The search in added and removed lines."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from tests.page.conftest import HOSTILE, expect

if TYPE_CHECKING:
    from playwright.sync_api import Page

    Opened = Callable[..., Page]


def test_search(history: Path, opened: Opened) -> None:
    page = opened()
    page.keyboard.press("/")
    page.keyboard.type("onerror=ALERT"[:7])
    page.keyboard.press("Enter")
    hit = page.locator(".hit")
    expect(hit).to_have_count(1)
    expect(hit).to_contain_text(HOSTILE)
    expect(page.locator("#view")).to_contain_text("All changes down to")
    page.locator(".about").get_by_label("Text").fill("# 3!/?#&%")
    page.keyboard.press("Enter")
    expect(hit).to_have_count(0)
    expect(page.locator("#view h1")).to_contain_text("# 3!/?#&%")
    page.reload()
    expect(page.locator("#view h1")).to_contain_text("# 3!/?#&%")
    page.locator(".about").get_by_label("Text").fill("# 3!")
    page.keyboard.press("Enter")
    hit.get_by_role("link", name="cart.py").click()
    expect(page.locator("#view section")).to_have_attribute(
        "data-kind", "change"
    )
