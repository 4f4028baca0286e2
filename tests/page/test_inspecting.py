"""Versions of a file, its lines, two moments, and the search in contents, in a browser."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from tests.page.conftest import Served
from tests.page.test_accessible import SMALL, STILL, axe, violations

from filewright import Workspace

__all__ = ["axe"]

Opened = Callable[..., Page]
HOSTILE = "<img src=x onerror=alert(1)><script>alert(2)</script>"


@pytest.fixture
def history(workspace: Workspace, folder: Path) -> Path:
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


def test_lines_of_a_long_file_come_by_and_by(
    folder: Path, workspace: Workspace, opened: Opened
) -> None:
    workspace.write("a.txt", "".join(f"{n}\n" for n in range(1, 1201)))
    page = opened()
    page.keyboard.press("b")
    more = page.get_by_role("button", name="more lines")
    more.click()
    more.click()
    expect(more).to_be_hidden()
    expect(page.locator("table.lines td.num")).to_have_count(1200)


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


def test_two_moments(
    history: Path, workspace: Workspace, opened: Opened
) -> None:
    page = opened()
    rows = page.locator("#rows a[data-change]")
    rows.last.click(modifiers=["Shift"])
    rows.first.click(modifiers=["Shift"])
    expect(page.locator("#view h1")).to_contain_text("What differs between")
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


@pytest.mark.parametrize(
    "address",
    [
        "/blame/nothing.txt?part=view",
        "/blame/../../etc/passwd?part=view",
        "/blame/shop.py?part=lines&start=x",
        "/blame/shop.py?part=none",
        "/file/nothing.txt?part=view",
        "/file/shop.py?part=compared&first=now&last=0",
        "/file/shop.py?part=compared",
        "/file/shop.py?part=more&start=-1",
        "/between/a..b?part=view",
        "/between/begin..?part=files&start=99999999999999",
        "/find/x?part=more&before=now",
        "/find/%ff%00?part=view",
    ],
)
def test_bad_requests(
    history: Path, serve: Callable[..., Served], address: str
) -> None:
    served = serve()
    with served.client() as client:
        status = client.get(address).status_code
    assert status == 200 if "%ff" in address else 400 <= status < 500


@pytest.mark.parametrize("width", [1440, 390])
def test_axe_finds_nothing(
    history: Path, opened: Opened, axe: str, width: int
) -> None:
    page = opened(
        viewport={"width": width, "height": 900},
        bypass_csp=True,
        color_scheme="dark" if width == 390 else "light",
    )
    page.context.add_init_script(axe)
    base = re.sub(r"/change/.*", "", page.url)
    for address in (
        "/blame/shop.py",
        "/file/shop.py",
        "/between/",
        "/between/@~3..@",
        "/find/",
        "/find/line",
    ):
        page.goto(base + address)
        page.wait_for_selector("body:not(.entering) h1")
        page.evaluate(STILL)
        assert violations(page) == [], address
        assert page.evaluate(SMALL) == [], address
        assert page.evaluate(
            "document.getElementById('view').scrollWidth <= innerWidth"
        )
