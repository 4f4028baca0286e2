"""Everybody can use the page: what axe-core finds, the keyboard, the focus of dialogs, sizes, motion and zoom."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.page.conftest import Served, expect
from tests.server.conftest import RawClient

from filewright import Workspace

if TYPE_CHECKING:
    from playwright.sync_api import Page

    Opened = Callable[..., Page]

WIDTHS = (1440, 1024, 390)
LOOKS: dict[str, dict[str, Any]] = {
    "light": {"color_scheme": "light"},
    "dark": {"color_scheme": "dark"},
    "contrast": {"forced_colors": "active"},
}
SMALL = """() => [...document.querySelectorAll("button, a, input, textarea, select, summary")].filter((each) => {
  const box = each.getBoundingClientRect();
  const label = each.closest("label")?.getBoundingClientRect() ?? box;
  const inText = each.matches("p a, .facts a");
  return each.checkVisibility() && box.width && !inText && (label.width < 24 || label.height < 24) && !each.matches(".skip");
}).map((each) => `${each.outerHTML.slice(0, 80)} ${JSON.stringify(each.getBoundingClientRect())}`)"""

STILL = """() => Promise.allSettled(document.getAnimations()
  .filter((each) => each.effect.getComputedTiming().endTime < Infinity).map((each) => each.finished))"""


@pytest.fixture(scope="session")
def axe(npm: Callable[..., Path]) -> str:
    """The checker, as npm has it."""
    return (npm("axe-core@4") / "node_modules/axe-core/axe.min.js").read_text()


def violations(page: Page) -> list[str]:
    """What axe finds in the dialog that is open, else on the page: behind a dialog it has looked before."""
    where = 'document.querySelector("dialog[open]") ?? document'
    found = page.evaluate(
        f"async () => (await window.axe.run({where}, {{resultTypes: ['violations']}})).violations"
    )
    return [
        f"{each['id']}: {each['nodes'][0]['html'][:160]} {each['nodes'][0]['failureSummary'][:300]}"
        for each in found
    ]


@pytest.fixture
def history(workspace: Workspace, folder: Path) -> None:
    (folder / "cart.py").write_text(
        "".join(f"line_{at} = {at}  # a comment\n" for at in range(1, 60))
    )
    (folder / "gone.txt").write_text("gone\n")
    (folder / "blob.bin").write_bytes(bytes(range(256)))
    items = [
        {"path": f"src/shop/{name}.py", "content": "def f(x):\n\treturn 'x'\n"}
        for name in "abcd"
    ]
    workspace.call("write_content", {"items": items})
    workspace.call("delete_items", {"paths": ["gone.txt", "blob.bin"]})
    workspace.undo()
    workspace.edit(
        "cart.py", [{"search": "line_30 = 30", "replace": "line_30 = 3  "}]
    )


def each_view(page: Page) -> list[str]:
    """What axe finds in every view of the page, in turn."""
    found: list[str] = []

    def look(name: str) -> None:
        page.evaluate(STILL)
        found.extend(f"{name}: {each}" for each in violations(page))
        found.extend(
            f"{name}: too small: {each}" for each in page.evaluate(SMALL)
        )

    page.locator("td.code.new").first.wait_for()
    look("change")
    page.keyboard.press("c")
    dialog = page.get_by_role("form", name="Comment on")
    expect(dialog.get_by_role("textbox", name="Your comment")).to_be_focused()
    look("comment form")
    dialog.get_by_role("textbox", name="Your comment").fill("Why?")
    dialog.get_by_role("button", name="Comment").click()
    page.locator(".comment").first.wait_for()
    look("comment")
    page.keyboard.press("s")
    page.locator("table.split").first.wait_for()
    look("split")
    page.keyboard.press("s")
    page.locator("table:not(.split)").first.wait_for()
    page.keyboard.press("u")
    expect(
        page.get_by_role("dialog").get_by_role("button", name="Cancel")
    ).to_be_focused()
    look("undo")
    page.keyboard.press("Escape")
    page.goto(
        page.url.partition("/change")[0]
        + "/session/"
        + str(page.locator(".row").first.get_attribute("data-session"))
    )
    page.locator(".tree summary").first.wait_for()
    look("session")
    show = page.get_by_role("button", name="Changes", exact=True)
    if show.is_visible():
        show.click()
        look("list")
    if page.locator(".waiting").count():
        page.locator(".waiting").first.click()
        page.get_by_role("dialog").get_by_role(
            "button", name="Later"
        ).wait_for()
        look("approval")
        page.keyboard.press("Escape")
    page.keyboard.press("?")
    look("shortcuts")
    return found


@pytest.mark.parametrize(
    ("width", "look"),
    [
        # The widest and the narrowest, all of them in the sweep.
        pytest.param(
            width,
            look,
            marks=[]
            if (width, look) in ((1440, "dark"), (390, "contrast"))
            else pytest.mark.sweep,
        )
        for at, width in enumerate(WIDTHS)
        for place, look in enumerate(LOOKS)
    ],
)
def test_axe(
    workspace: Workspace,
    history: None,
    agent: Callable[..., RawClient],
    opened: Opened,
    axe: str,
    look: str,
    width: int,
) -> None:
    agent("--confirm", "always").call(
        "delete_items", {"paths": ["src"], "recursive": True}
    )
    page = opened(
        viewport={"width": width, "height": 900}, bypass_csp=True, **LOOKS[look]
    )
    page.context.add_init_script(axe)
    page.reload()
    page.locator(".waiting").first.wait_for(state="attached")
    found = each_view(page)
    assert found == []


def test_axe_on_landing_and_locked_page(
    workspace: Workspace,
    history: None,
    serve: Callable[..., Served],
    opened: Opened,
    axe: str,
) -> None:
    served = serve()
    page = opened(
        served,
        landing=True,
        viewport={"width": 1440, "height": 900},
        bypass_csp=True,
    )
    page.context.add_init_script(axe)
    page.reload()
    expect(page.locator(".bar")).to_contain_text("hunks open")
    page.keyboard.press("]")
    page.keyboard.press("y")
    expect(page.locator(".file.accepted")).to_have_count(1)
    assert violations(page) == []
    assert page.evaluate(SMALL) == []
    page.evaluate("sessionStorage.clear()")
    page.goto(f"{served.address}/")
    expect(page.get_by_role("heading", name="Open the review")).to_be_visible()
    assert violations(page) == []


def test_keyboard_alone(
    workspace: Workspace, history: None, folder: Path, opened: Opened
) -> None:
    page = opened()
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the change")).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("n")
    page.keyboard.press("v")
    expect(page.locator("article.file")).to_have_class(re.compile("accepted"))
    page.keyboard.press("v")
    expect(page.locator("td.code.new").first).to_be_visible()
    page.keyboard.press("c")
    page.keyboard.type("Why?")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    expect(
        page.locator(".saying").get_by_role("button", name="Comment")
    ).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator(".comment .words")).to_have_text("Why?")
    page.keyboard.press("u")
    expect(
        page.get_by_role("dialog").get_by_role("button", name="Cancel")
    ).to_be_focused()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_be_hidden()
    assert "line_30 = 30 " in (folder / "cart.py").read_text()


def test_reduced_motion(
    workspace: Workspace, history: None, opened: Opened
) -> None:
    page = opened(reduced_motion="reduce")
    moving = "[...document.querySelectorAll('*')].map(each => getComputedStyle(each)).filter(each => each.animationName !== 'none' || parseFloat(each.transitionDuration))"
    assert page.evaluate(f"{moving}.length") == 0


def test_zoom(workspace: Workspace, history: None, opened: Opened) -> None:
    page = opened(viewport={"width": 320, "height": 256}, device_scale_factor=4)
    page.locator("td.code.new").first.wait_for()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.evaluate(
        "document.getElementById('view').scrollWidth <= innerWidth"
    )
    for name in ("Undo", "Accept the rest", "Comment"):
        button = page.get_by_role("button", name=name, exact=True)
        button.scroll_into_view_if_needed()
        expect(button).to_be_in_viewport()
    button = page.get_by_role("button", name="Undo", exact=True)
    button.click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("button", name="Undo 1 file")).to_be_in_viewport()
