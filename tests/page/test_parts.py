"""Parts of a view that are loaded on demand."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from starlette.requests import Request
from tests.page.conftest import expect, numbered

from filewright import Workspace
from filewright.changes.selection import Scope
from filewright.errors import Code, FilewrightError
from filewright.page.context import PageContext
from filewright.page.parts import (
    Picture,
    Subject,
    ViewPart,
    read_number,
    scope_of,
)

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


def answer(workspace: Workspace, **query: object) -> str | Picture:
    """Return a part of the view of the newest change."""
    selection = workspace.select(scope_of("change", "@"))
    return ViewPart(
        workspace,
        Subject("change", "@", selection),
        {name.rstrip("_"): str(value) for name, value in query.items()},
        PageContext(workspace).shared_values(
            Request({"type": "http", "headers": []}),
            Subject("change", "@", selection),
        ),
    ).answer()


@pytest.mark.parametrize(
    ("kind", "scope"),
    [
        ("change", Scope(change_id="x")),
        ("new", Scope(since="x")),
        ("since", Scope(since="x")),
        ("session", Scope(session="x")),
        ("prompt", Scope(prompt="x")),
    ],
)
def test_scope_of_address(kind: str, scope: Scope) -> None:
    assert scope_of(kind, "x") == scope


def test_unknown_address() -> None:
    with pytest.raises(FilewrightError, match="no such page"):
        scope_of("nothing", "x")


@pytest.mark.parametrize(
    "text", ["", "x", "-1", "1.5", "1" * 13, "\u0661", "1\n", " 1"]
)
def test_refuses_other_numbers(text: str) -> None:
    with pytest.raises(FilewrightError) as refusal:
        read_number({"at": text}, "at")
    assert refusal.value.code is Code.INVALID_INPUT


def test_numbers() -> None:
    assert read_number({"at": "007"}, "at") == 7
    assert read_number({"at": "-3"}, "at", minimum=-5) == -3


def test_files_and_file(workspace: Workspace) -> None:
    workspace.write("a.txt", "one\n")
    for html in (
        answer(workspace, part="files", start=0),
        answer(workspace, part="file", index=0),
    ):
        assert isinstance(html, str)
        assert 'data-path="a.txt"' in html


def test_folded_and_hidden_lines(workspace: Workspace, folder: Path) -> None:
    (folder / "a.txt").write_text(numbered(9))
    workspace.edit("a.txt", [{"search": "line 9", "replace": "LINE 9"}])
    folded = answer(workspace, part="lines", index=0, from_=2, to=3, shift=40)
    hidden = answer(
        workspace, part="lines", index=0, old=9, old_count=1, new=9, new_count=1
    )
    assert isinstance(folded, str)
    assert isinstance(hidden, str)
    assert folded.count("<tr") == 2
    assert ">42<" in folded
    assert ">2<" in folded
    assert "line 2" in folded
    assert "line 9" in hidden
    assert "LINE 9" in hidden


def test_image_before_and_after(workspace: Workspace, folder: Path) -> None:
    (folder / "a.svg").write_bytes(b"<svg/>")
    workspace.write("a.svg", "<svg></svg>", mode="overwrite")
    image = Picture("image/svg+xml", b"<svg></svg>")
    assert answer(workspace, part="image", index=0) == image
    before = answer(workspace, part="image", index=0, side="before")
    assert before == Picture("image/svg+xml", b"<svg/>")


@pytest.mark.parametrize(
    "query",
    [
        pytest.param({}, id="no-part"),
        pytest.param({"part": "file", "index": 1}, id="index"),
        pytest.param({"part": "image", "index": 0}, id="no-image"),
        pytest.param({"part": "output", "index": 0, "output": 0}, id="output"),
    ],
)
def test_names_nothing(workspace: Workspace, query: dict[str, object]) -> None:
    workspace.write("a.txt", "one\n")
    with pytest.raises(FilewrightError) as refusal:
        answer(workspace, **query)
    assert refusal.value.code is Code.NOT_FOUND
