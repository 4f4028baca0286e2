"""Parts of a view that are loaded on demand."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from tests.page.conftest import expect, numbered

from filewright import Workspace

if TYPE_CHECKING:
    from playwright.sync_api import Page

    Opened = Callable[..., Page]


def png(colour: tuple[int, int, int]) -> bytes:
    def chunk(name: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data))
            + name
            + data
            + struct.pack(">I", zlib.crc32(name + data))
        )

    head = struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)
    pixel = zlib.compress(b"\0" + bytes(colour))
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", head)
        + chunk(b"IDAT", pixel)
        + chunk(b"IEND", b"")
    )


def test_unfolds_lines(workspace: Workspace, opened: Opened) -> None:
    workspace.write("a.txt", numbered(600))
    workspace.edit(
        "a.txt", [{"search": "line 300\n", "replace": "line 300!\nand more\n"}]
    )
    page = opened()
    expect(
        page.get_by_role("button", name="296 unchanged lines")
    ).to_be_visible()
    page.get_by_role("button", name="296 unchanged lines").click()
    expect(page.locator("td.code", has_text="line 200")).to_be_visible()
    page.get_by_role("button", name="96 unchanged lines").click()
    expect(page.get_by_role("button", name="96 unchanged lines")).to_have_count(
        0
    )
    page.get_by_role("button", name="297 unchanged lines").click()
    last = page.locator("tr", has_text="line 500")
    expect(last.locator(".num")).to_have_text(["500", "501"])


def test_image(workspace: Workspace, folder: Path, opened: Opened) -> None:
    (folder / "dot.png").write_bytes(png((255, 0, 0)))
    answer = workspace.call("delete_items", {"paths": ["dot.png"]})
    assert not answer.is_error, answer.text
    page = opened()
    page.get_by_role("button", name="Fold dot.png").click()
    expect(page.locator("figure img")).to_have_count(1)
    # The view may be drawn again meanwhile, with another element for the image.
    page.wait_for_function(
        """() => {
          const image = document.querySelector("figure img");
          image?.scrollIntoView();
          return image?.naturalWidth === 1;
        }"""
    )


def test_pages_of_files(workspace: Workspace, opened: Opened) -> None:
    items = [
        {"path": f"d/{number:03}.txt", "content": numbered(5)}
        for number in range(200)
    ]
    assert not workspace.call("write_content", {"items": items}).is_error
    page = opened()
    expect(page.locator("article.file")).to_have_count(50)
    expect(page.locator(".about .totals")).to_contain_text("so far")
    page.locator("button.files").scroll_into_view_if_needed()
    expect(page.locator("article.file")).to_have_count(100)


def test_loads_a_large_file(
    workspace: Workspace, folder: Path, opened: Opened
) -> None:
    (folder / "large.txt").write_text(numbered(200_000))
    workspace.edit(
        "large.txt", [{"search": "line 150000\n", "replace": "line 150000!\n"}]
    )
    page = opened()
    expect(page.locator("td.code.new")).to_have_text("+line 150000!")
    assert page.locator(".unfold").count() == 0, (
        "it is too large to be unfolded"
    )


def test_loads_a_long_diff(workspace: Workspace, opened: Opened) -> None:
    workspace.write("long.txt", numbered(900))
    page = opened()
    page.get_by_role("button", name="500 more added lines").click()
    expect(page.locator("td.code.new")).to_have_count(900)
