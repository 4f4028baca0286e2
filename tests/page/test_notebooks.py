"""Notebooks by their cells, and images before and after."""

from __future__ import annotations

import base64
import json
import struct
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.page.conftest import expect
from tests.page.test_accessible import SMALL, STILL, axe, violations

from filewright import Workspace
from filewright.page.notebooks import (
    find_language,
    list_images,
    pair_changed_images,
    parse_heading,
)

if TYPE_CHECKING:
    from playwright.sync_api import Page

    Opened = Callable[..., Page]

__all__ = ["axe"]

SVG = (
    "<svg xmlns='http://www.w3.org/2000/svg' width='8' height='8' "
    "onload='alert(1)'><script>alert(2)</script><rect width='8' height='8'/></svg>"
)


def png(width: int, height: int, colour: bytes) -> bytes:
    """Return an image of one colour."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        checksum = struct.pack(">I", zlib.crc32(kind + data))
        return struct.pack(">I", len(data)) + kind + data + checksum

    rows = (b"\0" + colour * width) * height
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"".join(
        (
            b"\x89PNG\r\n\x1a\n",
            chunk(b"IHDR", header),
            chunk(b"IDAT", zlib.compress(rows)),
            chunk(b"IEND", b""),
        )
    )


def notebook(source: str, colour: bytes = b"\xff\0\0") -> str:
    image = base64.b64encode(png(40, 20, colour)).decode()
    outputs: list[dict[str, Any]] = [
        {"output_type": "display_data", "data": {"image/png": image}},
        {"output_type": "display_data", "data": {"image/svg+xml": [SVG]}},
        {"output_type": "stream", "text": ["<script>alert(3)</script>"]},
    ]
    cells = [
        {"cell_type": "markdown", "id": "m", "metadata": {}, "source": ["# T"]},
        {
            "cell_type": "code",
            "id": "c",
            "metadata": {},
            "execution_count": 1,
            "outputs": outputs,
            "source": [source],
        },
    ]
    metadata = {
        "kernelspec": {"display_name": "R", "language": "R", "name": "ir"},
        "language_info": {"name": "R"},
    }
    return json.dumps(
        {
            "cells": cells,
            "metadata": metadata,
            "nbformat": 4,
            "nbformat_minor": 5,
        },
        indent=1,
    )


def test_headings() -> None:
    heading = parse_heading("# %% cell 2: code, id c1, 2 outputs of 6 bytes")
    assert heading is not None
    assert (heading.number, heading.kind) == (2, "code")
    assert (heading.identifier, heading.outputs) == (
        "c1",
        "2 outputs of 6 bytes",
    )
    assert parse_heading("# %% cell 2") is None
    assert parse_heading("x # %% cell 2: code") is None


@pytest.mark.parametrize(
    ("content", "language"),
    [
        pytest.param(notebook("x").encode(), "r", id="kernel"),
        pytest.param(
            b'{"metadata": {"language_info": {"name": "julia"}}}',
            "julia",
            id="info",
        ),
        pytest.param(b"{}", "python", id="none"),
        pytest.param(b'"kernelspec":{' * 5_000, "python", id="hostile"),
    ],
)
def test_language(content: bytes, language: str) -> None:
    assert find_language(content) == language


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"[]",
        b'{"cells": {}}',
        b'{"cells": [1, {"outputs": [2, {"data": {"image/png": 5}}]}]}',
        b"[" * 100_000,
        b'{"cells": "\xff"}',
    ],
    ids=["empty", "list", "no cells", "no outputs", "deep", "bytes"],
)
def test_images_of_other_content(content: bytes) -> None:
    assert list_images(content) == []


def test_changed_images() -> None:
    before = list_images(notebook("x").encode())
    after = list_images(notebook("x", b"\0\0\xff").encode())
    assert [image.media_type for image in before] == [
        "image/png",
        "image/svg+xml",
    ]
    (pair,) = pair_changed_images(before, after)
    assert (pair.before, pair.after) == (before[0], after[0])
    assert pair_changed_images(before, before) == []
    assert len(pair_changed_images([], after)) == 2


def test_shows_cells(
    folder: Path, workspace: Workspace, opened: Opened
) -> None:
    (folder / "n.ipynb").write_text(notebook("x <- 1  # one"))
    identifier = workspace.begin_command()
    text = notebook("y <- function(a) 2  # two", b"\0\0\xff")
    (folder / "n.ipynb").write_text(text)
    workspace.end_command(identifier, "run")
    page = opened()
    heads = page.locator(".cell-head")
    expect(heads.last).to_contain_text("Cell 2 · code · 3 outputs")
    # The colours are those of the language of the kernel.
    expect(page.locator(".code.new .c1")).to_have_text("# two")
    expect(page.locator(".code.new .kr, .code.new .k").first).to_have_text(
        "function"
    )
    images = page.locator(".images img")
    expect(images).to_have_count(2)
    for index in range(2):
        images.nth(index).scroll_into_view_if_needed()
    expect(page.locator(".dimensions").last).to_have_text(" · 40 × 20")


def test_runs_no_script_of_an_output(
    folder: Path, workspace: Workspace, opened: Opened
) -> None:
    # The fixture fails the test if a dialog opens, or the policy is broken.
    workspace.write("n.ipynb", notebook("x"))
    page = opened()
    image = page.locator(".images img").last
    image.scroll_into_view_if_needed()
    expect(page.locator(".dimensions").last).to_have_text(" · 8 × 8")
    address = str(image.get_attribute("data-src"))
    answer = page.evaluate(
        """async (address) => {
          const answer = await ask(address);
          return answer.headers.get("content-security-policy");
        }""",
        address,
    )
    assert "sandbox" in answer


@pytest.mark.parametrize("width", [1280, 390])
def test_compares_images(
    folder: Path, workspace: Workspace, opened: Opened, axe: str, width: int
) -> None:
    (folder / "a.png").write_bytes(png(300, 100, b"\xff\0\0"))
    identifier = workspace.begin_command()
    (folder / "a.png").write_bytes(png(300, 120, b"\0\xff\0"))
    workspace.end_command(identifier, "draw")
    page = opened(viewport={"width": width, "height": 800}, bypass_csp=True)
    page.context.add_init_script(axe)
    page.reload()
    expect(page.locator(".before .dimensions")).to_have_text(" · 300 × 100")
    expect(page.locator(".after .dimensions")).to_have_text(" · 300 × 120")
    before, after = (
        page.locator(f".{side} img").bounding_box()
        for side in ("before", "after")
    )
    assert before is not None
    assert after is not None
    is_column = before["x"] == after["x"]
    assert is_column == (width == 390)
    page.get_by_role("button", name="Swipe").click()
    slider = page.get_by_role("slider", name="From before to after")
    expect(slider).to_be_focused()
    page.keyboard.press("Home")
    clip = page.locator(".after img").evaluate(
        "image => getComputedStyle(image).clipPath"
    )
    assert "100%" in clip
    page.get_by_role("button", name="Fade").click()
    page.keyboard.press("End")
    page.evaluate(STILL)
    assert violations(page) == []
    assert page.evaluate(SMALL) == []
