"""The view of a file's versions."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from tests.page.conftest import HOSTILE, expect

if TYPE_CHECKING:
    from playwright.sync_api import Page

    Opened = Callable[..., Page]


def test_versions(history: Path, opened: Opened) -> None:
    page = opened()
    page.keyboard.press("t")
    expect(page.locator("#view h1")).to_have_text("Versions of shop.py")
    compared = page.locator(".compared")
    expect(compared).to_contain_text(HOSTILE)
    versions = page.locator(".versions tbody tr")
    expect(versions).to_have_count(6)
    expect(versions.nth(2)).to_contain_text("moved")
    # From the first change to the newest one.
    versions.nth(5).locator('[name="first"]').check()
    expect(compared.locator("tr .old")).not_to_have_count(0)
    expect(compared).to_contain_text("# 30!")
    expect(compared.locator(".code.new")).to_have_count(3)
    slider = page.get_by_role("slider")
    slider.focus()
    page.keyboard.press("End")
    expect(compared.locator(".code.new")).to_have_count(1)
    expect(compared).to_contain_text("# 20!")
    versions.nth(4).get_by_role("button", name="Restore").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("Set shop.py to this version")
    dialog.get_by_role("button", name="Set it to this version").click()
    expect(dialog).to_be_hidden()
    # It had another name then.
    text = (history / "cart.py").read_text()
    assert ("# 20!" in text, "# 30!" in text, HOSTILE in text) == (
        True,
        False,
        False,
    )
