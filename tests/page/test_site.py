"""The page in a browser: its views, and the ways between them."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from tests.page.conftest import expect, numbered

from filewright import Workspace
from filewright.boundary.names import quote
from filewright.progress import Caller, Task

if TYPE_CHECKING:
    from playwright.sync_api import Page

    Opened = Callable[..., Page]


def test_shows_the_newest_change(workspace: Workspace, opened: Opened) -> None:
    workspace.write("src/cart.py", "def total(lines):\n    return sum(lines)\n")
    workspace.edit(
        "src/cart.py",
        [{"search": "sum(lines)", "replace": "round(sum(lines), 2)"}],
    )
    page = opened()
    expect(page.locator("#rows .row")).to_have_count(2)
    expect(page.locator("#rows .row[aria-current]")).to_contain_text(
        "Edited src/cart.py"
    )
    expect(page.locator("#rows .row .counts")).to_have_text(["+1 −1", "+2 −0"])
    file = page.locator("article.file")
    expect(file.locator("h2")).to_have_text("src/cart.py")
    expect(file.locator("td.code.new")).to_have_text(
        "+    return round(sum(lines), 2)"
    )
    marked = "".join(file.locator("td.code.new .word").all_inner_texts())
    assert sorted(marked) == sorted("round(, 2)")
    expect(file.locator("td.code.old .word")).to_have_count(0)
    expect(page.locator(".about .totals")).to_have_text("+1 −1")
    expect(page.locator(".tree")).to_have_count(0)  # a single file needs none


def test_split_and_unified(workspace: Workspace, opened: Opened) -> None:
    workspace.write("a.txt", numbered(3))
    workspace.edit("a.txt", [{"search": "line 2", "replace": "line two"}])
    page = opened()
    page.keyboard.press("s")
    expect(page.locator("table.split tr:not(.head)")).to_have_count(3)
    page.reload()
    expect(page.locator("table.split")).to_have_count(1)
    page.get_by_role("button", name="Unified").click()
    expect(page.locator("table.diff:not(.split) tr:not(.head)")).to_have_count(
        4
    )


def test_encodings(workspace: Workspace, folder: Path, opened: Opened) -> None:
    lines = "".join(f"line {number} 表\r\n" for number in range(1, 31))
    encodings = ("utf-8", "utf-16", "utf-16-be")
    for encoding in encodings:
        mark = b"\xfe\xff" if encoding == "utf-16-be" else b""
        (folder / f"{encoding}.txt").write_bytes(mark + lines.encode(encoding))
        workspace.edit(
            f"{encoding}.txt", [{"search": "line 15 ", "replace": "LINE 15 "}]
        )
    page = opened()
    for encoding in reversed(encodings):
        expect(page.locator("article.file h2")).to_have_text(f"{encoding}.txt")
        expect(page.locator("td.code.new")).to_contain_text("LINE 15 ")
        page.get_by_role("button", name="11 unchanged lines").click()
        expect(page.locator("td.code").first).to_have_text(
            lines.splitlines()[0], use_inner_text=True
        )
        page.keyboard.press("j")


HOSTILE = [
    "<script>document.title = 'owned'</script>",
    "<img src=x onerror=\"document.title='owned'\">",
    "\"><svg onload=document.title='owned'>",
    "{{ 7 * 7 }}{% raw %}",
    "\x1b[31mred\x1b]0;title\x07",
    "\u202eevil\u2066",
    "a\u200bb\u2028c",
    "&amp; &lt;b&gt;",
    "' onmouseover='document.title=1",
]


def test_runs_no_script_of_names(
    workspace: Workspace, folder: Path, opened: Opened
) -> None:
    for number, hostile in enumerate(HOSTILE):
        (folder / f"{hostile.replace('/', '∕')}.html").write_text("x\n")
        path = quote(f"{hostile.replace('/', '∕')}.html".encode())
        workspace.edit(path, [{"search": "x", "replace": hostile}])
        task = Task(caller=Caller("s", hostile, hostile))
        workspace.under(task).write(f"second{number}.md", f"{hostile}\n")
    page = opened()
    title = page.title()
    rows = page.locator("#rows .row")
    expect(rows).to_have_count(2 * len(HOSTILE))
    for row in range(2 * len(HOSTILE)):
        rows.nth(row).click()
        expect(rows.nth(row)).to_have_attribute("aria-current", "true")
        summary = rows.nth(row).locator(".summary").inner_text()
        named = re.search(r"second\d\.md", summary)
        name = named[0] if named else ".html"
        expect(page.locator("article.file h2")).to_contain_text(name)
        expect(page.locator("td.code.new").first).to_be_visible()
        assert (
            page.locator(
                "main script, main img, main svg, nav script, nav img"
            ).count()
            == 0
        ), name
        shown = page.locator("body").inner_text()
        assert not set(shown) & set("\x1b\x07\u202e\u2066\u200b\u2028"), name
        assert "49" not in page.locator("td.code").first.inner_text()
        assert page.title() == title, name
    page.wait_for_timeout(200)
    assert page.title() == title


def test_badges(workspace: Workspace, folder: Path, opened: Opened) -> None:
    (folder / "latin.txt").write_bytes("café\r\nthé\r\n".encode("latin-1") * 20)
    (folder / "run.sh").write_text("#!/bin/sh\n")
    (folder / "old.txt").write_text("x\n")
    (folder / "blob.bin").write_bytes(bytes(range(256)))
    workspace.edit(
        "latin.txt", [{"search": "thé", "replace": "the", "replace_all": True}]
    )
    page = opened()
    address = page.url.partition("/change")[0]
    badges = page.locator("article .badge")
    expect(badges).to_contain_text(["CRLF"])
    for arguments, expected in (
        (
            {"items": [{"source": "old.txt", "destination": "new.txt"}]},
            ("moved", "old.txt"),
        ),
        ({"paths": ["blob.bin"]}, ("deleted", "binary")),
    ):
        tool = "move_items" if "items" in arguments else "delete_items"
        answer = workspace.call(tool, arguments)
        assert not answer.is_error, answer.text
        page.goto(address)
        page.locator("#rows .row").first.click()
        expect(page.locator("article.file")).to_have_count(1)
        if "deleted" in expected:
            page.get_by_role("button", name="Fold blob.bin").click()
        for word in expected:
            expect(
                page.locator("article header, article .body").first
            ).to_contain_text(word)


def test_filters_the_list(workspace: Workspace, opened: Opened) -> None:
    workspace.write("a.txt", "0\n")
    for number in range(60):
        workspace.edit(
            "a.txt", [{"search": f"{number}\n", "replace": f"{number + 1}\n"}]
        )
    workspace.write("needle.txt", "x\n")
    page = opened()
    expect(page.locator("#rows .row")).to_have_count(50)
    page.keyboard.press("/")
    page.keyboard.type("needle")
    expect(page.locator("#rows .row")).to_have_count(1)
    page.keyboard.press("Escape")
    expect(page.locator("#rows .row")).to_have_count(50)
    page.locator("#rows .row").last.scroll_into_view_if_needed()
    expect(page.locator("#rows .row")).to_have_count(62)
    page.keyboard.press("/")
    page.keyboard.type("no such thing")
    expect(page.locator("#rows")).to_have_text("No change matches the filter.")


def test_keys(workspace: Workspace, opened: Opened) -> None:
    for name in ("one", "two", "three"):
        workspace.write(f"{name}.txt", "x\n")
    page = opened()
    title = page.locator("h1")
    expect(title).to_contain_text("three.txt")
    page.keyboard.press("j")
    expect(title).to_contain_text("two.txt")
    page.keyboard.press("j")
    expect(title).to_contain_text("one.txt")
    page.keyboard.press("j")
    expect(title).to_contain_text("one.txt")
    page.keyboard.press("k")
    expect(title).to_contain_text("two.txt")
    page.go_back()
    expect(title).to_contain_text("one.txt")
    page.keyboard.press("?")
    expect(
        page.get_by_role("dialog", name="Keyboard shortcuts")
    ).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_hidden()


def test_narrow_window(workspace: Workspace, opened: Opened) -> None:
    workspace.write("a.txt", "x\n")
    workspace.write("b.txt", "x\n")
    page = opened(viewport={"width": 420, "height": 700})
    expect(page.locator("#rows .row").first).not_to_be_in_viewport()
    page.get_by_role("button", name="Changes", exact=True).click()
    page.locator("#rows .row", has_text="a.txt").click()
    expect(page.locator("h1")).to_contain_text("a.txt")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
