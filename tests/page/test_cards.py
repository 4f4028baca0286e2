"""Many files of one change: the tree beside them, what was seen of them, and how their lines are shown."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.page.conftest import Served, expect

from filewright import Workspace

if TYPE_CHECKING:
    from playwright.sync_api import Page

    Opened = Callable[..., Page]


def made(workspace: Workspace, count: int) -> None:
    items = [
        {"path": f"d/{at % 3}/{at:04}.txt", "content": f"{at}\n" * (at % 5 + 1)}
        for at in range(count)
    ]
    answer = workspace.call("write_content", {"items": items})
    assert not answer.is_error, answer.text


def test_loads_a_chosen_file(workspace: Workspace, opened: Opened) -> None:
    made(workspace, 120)
    page = opened()
    expect(page.locator("article.file")).to_have_count(50)
    link = page.locator(".tree a", has_text="0119.txt")
    link.click()
    expect(page.locator("article.file", has_text="0119.txt")).to_be_in_viewport(
        timeout=20_000
    )


def test_file_decision_lapses(
    workspace: Workspace, serve: Callable[..., Served], opened: Opened
) -> None:
    made(workspace, 6)
    page = opened(serve())
    file = page.locator("article.file", has_text="0003.txt")
    file.get_by_role("button", name="Accept file d/0/0003.txt").click()
    expect(file.locator("table")).to_be_hidden()
    expect(page.locator(".tree a.accepted")).to_have_count(1)
    expect(page.locator(".bar")).to_contain_text("5 of 6 hunks open")
    again = opened(serve())
    file = again.locator("article.file", has_text="0003.txt")
    expect(file.locator("[data-decided]").first).to_have_text("Accepted")
    expect(file.locator("table")).to_be_hidden()
    workspace.edit(
        "d/0/0003.txt",
        [{"search": "3", "replace": "three", "replace_all": True}],
    )
    again.goto(again.url.partition("/change")[0])
    file = again.locator("article.file", has_text="0003.txt")
    expect(again.locator("h1")).to_contain_text("6 files")
    expect(file).not_to_have_class(re.compile("accepted"))
    expect(file.locator("td.code.new").first).to_be_visible()


def test_hides_whitespace(
    workspace: Workspace, folder: Path, opened: Opened
) -> None:
    (folder / "a.py").write_text("if x:\n  one()\n  two()\n")
    workspace.edit(
        "a.py",
        [{"search": "  one()\n  two()", "replace": "    one()\n    two(2)"}],
    )
    page = opened()
    expect(page.locator("td.code.old:visible")).to_have_count(2)
    page.keyboard.press("w")
    expect(page.locator("td.code.old:visible")).to_have_text(["-  two()"])
    expect(
        page.get_by_role("button", name="Hide whitespace")
    ).to_have_attribute("aria-pressed", "true")
    page.reload()
    expect(page.locator("td.code.old:visible")).to_have_text(["-  two()"])
    expect(page.locator(".about .totals")).to_have_text("+2 −2")


def test_wraps_lines(workspace: Workspace, opened: Opened) -> None:
    workspace.write("a.txt", f"{'word ' * 150}\n")
    page = opened()
    row = page.locator("td.code.new")
    wrapped = row.bounding_box()
    page.keyboard.press("l")
    unwrapped = row.bounding_box()
    assert wrapped is not None
    assert unwrapped is not None
    assert unwrapped["height"] < wrapped["height"]


EDITORS = [
    ("vscode", "vscode://file/", "/a%20b.txt:2"),
    ("cursor", "cursor://file/", "/a%20b.txt:2"),
    ("zed", "zed://file/", "/a%20b.txt:2"),
    ("jetbrains", "idea://open?file=/", "/a%20b.txt&line=2"),
    ("my://open?at={path}#{line}", "my://open?at=/", "/a%20b.txt#2"),
]


def test_opens_in_the_editor(
    workspace: Workspace,
    folder: Path,
    serve: Callable[..., Served],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (folder / "a b.txt").write_text("".join(f"{at}\n" for at in range(1, 9)))
    workspace.edit("a b.txt", [{"search": "5\n", "replace": "five\n"}])
    with serve().client() as client:
        assert "Open in editor" not in client.get("/?part=view").text
    for editor, begin, end in EDITORS:
        monkeypatch.setitem(os.environ, "FILEWRIGHT_EDITOR", editor)
        with serve().client() as client:
            shown = client.get("/?part=view").text
        link = (
            shown.partition("Open in editor")[0]
            .rpartition('href="')[2]
            .partition('"')[0]
        )
        address = link.replace("&amp;", "&")
        assert address.startswith(begin), address
        assert address.endswith(end), address


def test_copies_a_path(workspace: Workspace, opened: Opened) -> None:
    workspace.write("src/a.txt", "x\n")
    page = opened(permissions=["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy path src/a.txt").click()
    expect(page.locator("#said")).to_have_text("The path was copied.")
    assert page.evaluate("navigator.clipboard.readText()") == "src/a.txt"


def test_reads_only_listed_changes(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    from filewright.page.changelog import ChangeLog

    workspace.write("a.txt", "0\n")
    for number in range(120):
        workspace.edit(
            "a.txt", [{"search": f"{number}\n", "replace": f"{number + 1}\n"}]
        )
    read: list[str] = []
    record = Workspace.record

    def noted(self: Workspace, name: str) -> object:
        read.append(name)
        return record(self, name)

    monkeypatch.setattr(Workspace, "record", noted)
    log = ChangeLog(workspace)
    page = log.page()
    assert len(page.rows) == 50
    assert len(read) <= 50
    following = log.page(before=page.cursor)
    assert [row.change.record.id for row in page.rows] > [
        row.change.record.id for row in following.rows
    ]
    assert len(read) <= 100


def test_cells_of_a_notebook(
    workspace: Workspace, folder: Path, opened: Opened
) -> None:
    cells = [
        {
            "cell_type": "code",
            "id": f"c{at}",
            "metadata": {},
            "outputs": [],
            "execution_count": None,
        }
        | {"source": [f"first = {at}\n", "second = 2"]}
        for at in range(9)
    ]
    book = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (folder / "n.ipynb").write_text(json.dumps(book, indent=1))
    workspace.edit(
        "n.ipynb", [{"search": "first = 7", "replace": "first = 'seven'"}]
    )
    page = opened()
    expect(page.locator("td.code.old, td.code.new")).to_have_text(
        ["-first = 7", "+first = 'seven'"]
    )
    expect(page.locator("td.code", has_text="Cell 8 · code")).to_be_visible()
    page.get_by_role("button", name="unchanged lines").first.click()
    expect(page.locator("td.code", has_text="first = 0")).to_be_visible()
    expect(page.get_by_role("button", name="Undo hunk")).to_have_count(0)
    page.get_by_role("button", name="Undo", exact=True).click()
    expect(page.locator("#ask td.code.new")).to_have_text("+first = 7")


@pytest.mark.parametrize(
    ("split", "count"),
    [
        (True, 1_500),
        pytest.param(False, 20_000, marks=pytest.mark.sweep),
    ],
)
def test_windows_of_a_rewrite(
    workspace: Workspace, folder: Path, opened: Opened, split: bool, count: int
) -> None:
    (folder / "big.txt").write_text(
        "".join(f"old {at}\n" for at in range(1, count + 1))
    )
    workspace.write(
        "big.txt",
        "".join(f"new {at}\n" for at in range(1, count + 1)),
        mode="overwrite",
    )
    page = opened()
    if split:
        page.keyboard.press("s")
        expect(page.locator("table.split")).to_be_visible()
    expect(page.locator(".about .totals")).to_have_text(
        f"+{count:,} −{count:,}"
    )
    removed = page.locator("td.code.old:not(.cut)")
    expect(removed).to_have_count(200)
    windows = [f"{left:,}" for left in range(count - 200, 0, -1_000)]
    for left in windows:
        page.locator(
            "button.unfold", has_text=f"⋯ {left} more removed lines"
        ).click()
    expect(removed).to_have_count(count, timeout=20_000)
    assert removed.all_text_contents() == [
        f"-old {at}" for at in range(1, count + 1)
    ]
    if not split:  # else both sides came together
        for left in windows:
            page.locator(
                "button.unfold", has_text=f"⋯ {left} more added lines"
            ).click()
    added = page.locator("td.code.new:not(.cut)")
    expect(added).to_have_count(count, timeout=20_000)
    assert added.all_text_contents() == [
        f"+new {at}" for at in range(1, count + 1)
    ]
    assert page.locator("td.cut").count() == 0


def test_windows_of_many_changes(
    workspace: Workspace, folder: Path, opened: Opened
) -> None:
    lines = [f"line {at}\n" for at in range(3_000)]
    (folder / "far.txt").write_text("".join(lines))
    for at in range(0, 3_000, 20):
        lines[at] = f"LINE {at}\n"
    workspace.write("far.txt", "".join(lines), mode="overwrite")
    page = opened()
    expect(page.locator(".about .totals")).to_have_text("+150 −150")
    more = page.get_by_role("button", name="more change")
    expect(more).to_be_visible()
    while more.count():
        shown = page.locator("tbody.hunk").count()
        more.click()
        expect(page.locator("tbody.hunk")).not_to_have_count(shown)
    expect(page.locator("td.code.new")).to_have_count(150)
    assert page.locator("td.code.new").all_text_contents() == [
        f"+LINE {at}" for at in range(0, 3_000, 20)
    ]
    page.locator('tbody[data-hunk="125"]').get_by_role(
        "button", name="Undo hunk"
    ).click()
    expect(page.locator("#ask td.code.new")).to_have_text("+line 2480")
