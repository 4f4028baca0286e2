"""The view of a file by line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from tests.page.conftest import HOSTILE, expect

from filewright import Workspace

if TYPE_CHECKING:
    from playwright.sync_api import Page

    Opened = Callable[..., Page]


def test_blame(history: Path, workspace: Workspace, opened: Opened) -> None:
    page = opened()
    page.get_by_role("link", name="Blame shop.py").click()
    expect(page.locator("#view h1")).to_have_text(
        "Who made the lines of shop.py"
    )
    rows = page.locator("table.lines tr")
    expect(rows.nth(0)).to_contain_text("before the history")
    hostile = rows.filter(has_text=HOSTILE)
    expect(hostile.locator(".code")).to_have_text(f"# {HOSTILE}")
    rows.filter(has_text="3  # 3!").get_by_role("link").click()
    first = workspace.history(limit=9)[-1]
    expect(page.locator("#view section")).to_have_attribute(
        "data-change", first.id
    )
    page.go_back()
    expect(page.locator("table.lines")).to_be_visible()
    page.reload()
    expect(page.locator("table.lines")).to_be_visible()


def test_loads_lines_of_a_long_file(
    folder: Path, workspace: Workspace, opened: Opened
) -> None:
    workspace.write("a.txt", "".join(f"{n}\n" for n in range(1, 1201)))
    page = opened()
    page.keyboard.press("b")
    more = page.get_by_role("button", name="more lines")
    more.click()
    # While lines are loaded, the button ignores another click.
    expect(more).to_have_text("⋯ 200 more lines")
    more.click()
    expect(more).to_be_hidden()
    expect(page.locator("table.lines td.num")).to_have_count(1200)
