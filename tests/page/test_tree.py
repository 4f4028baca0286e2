"""The tree of the files beside the diffs."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tests.page.conftest import expect

from filewright import Workspace
from filewright.mailbox.marks import ACCEPTED, Mark
from filewright.page.decisions import Decisions, file_key
from filewright.page.tree import FileTree, TreeFolder, build_tree

if TYPE_CHECKING:
    from playwright.sync_api import Page

    Opened = Callable[..., Page]


def test_tree(workspace: Workspace, opened: Opened) -> None:
    items = [
        {"path": f"d/{at % 3}/{at:04}.txt", "content": f"{at}\n" * (at % 5 + 1)}
        for at in range(6)
    ]
    assert not workspace.call("write_content", {"items": items}).is_error
    page = opened()
    links = page.locator(".tree a")
    expect(links).to_have_count(6)
    expect(
        page.locator(".tree a", has_text="0004.txt").locator(".plus")
    ).to_have_text("+5")
    links.last.click()
    expect(page.locator("article.file").last.locator(".fold")).to_be_focused()
    page.locator(".tree summary").get_by_text("0/", exact=False).first.press(
        "Enter"
    )
    expect(page.locator(".tree a", has_text="0000.txt")).to_be_hidden()
    expect(page.locator(".tree a", has_text="0004.txt")).to_be_visible()


def build(workspace: Workspace, **marks: str) -> FileTree:
    """Return the tree of the newest change, with decisions by paths."""
    record = workspace.record("@")
    decided = {
        file_key(change): Mark(marks[change.path.display_path], "")
        for change in record.file_changes
        if change.path.display_path in marks
    }
    return build_tree(workspace, record, Decisions.in_effect(decided, {}))


def outline(folder: TreeFolder) -> list[object]:
    """Return the names in a folder, and below it those of its folders."""
    folders = [[child.name, *outline(child)] for child in folder.folders]
    return [*folders, *(file.name for file in folder.files)]


def write(workspace: Workspace, *paths: str) -> None:
    items = [{"path": path, "content": "x\ny\n"} for path in paths]
    assert not workspace.call("write_content", {"items": items}).is_error


def test_joins_chains_and_sorts_naturally(workspace: Workspace) -> None:
    write(workspace, "b.txt", "src/main/a/10", "src/main/a/9", "src/main/b/1")
    tree = build(workspace)
    assert outline(tree.root) == [
        ["src/main", ["a", "9", "10"], ["b", "1"]],
        "b.txt",
    ]
    assert tree.root.count == 4
    assert tree.more == 0


def test_file(workspace: Workspace) -> None:
    write(workspace, "a", "z")
    first, last = build(workspace, a=ACCEPTED).root.files
    assert (first.letter, first.added, first.removed) == ("A", 2, 0)
    assert (first.decision, last.decision) == ("accepted", "")
    assert first.index == 0


def test_moved_file_has_no_counts(workspace: Workspace) -> None:
    write(workspace, "a")
    workspace.move("a", "<b>")
    (file,) = build(workspace).root.files
    assert (file.name, file.letter) == ("&lt;b&gt;", "R")
    assert (file.added, file.removed) == (None, None)
