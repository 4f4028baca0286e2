"""The list of changes, by session and by prompt."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.page.conftest import expect

from filewright import Workspace
from filewright.changes.model import ChangeRecord
from filewright.changes.selection import group_by_prompt
from filewright.progress import Caller, Task

if TYPE_CHECKING:
    from playwright.sync_api import Page

    Opened = Callable[..., Page]

MINUTE = 60 * 10**9


def agent(workspace: Workspace, session: str, turn: str | None = None) -> Any:
    return workspace.under(Task(caller=Caller(session, f"{session} 1.0", turn)))


def head(
    number: int,
    minutes: float,
    session: str | None = "s",
    turn: str | None = None,
) -> ChangeRecord:
    return ChangeRecord(
        int(minutes * MINUTE), "t", str(number), (), session=session, turn=turn
    )


@pytest.mark.parametrize(
    ("heads", "expected"),
    [
        ([head(2, 19), head(1, 9.5), head(0, 0)], [["2", "1", "0"]]),
        ([head(2, 20), head(1, 9.5), head(0, 0)], [["2"], ["1", "0"]]),
        (
            [head(2, 90, turn="a"), head(1, 1, turn="a"), head(0, 0, turn="b")],
            [["2", "1"], ["0"]],
        ),
        ([head(1, 1, turn="a"), head(0, 0)], [["1"], ["0"]]),
        (
            [
                head(3, 3, "a"),
                head(2, 2, "b"),
                head(1, 1, "a"),
                head(0, 0, "b"),
            ],
            [["3", "1"], ["2", "0"]],
        ),
        ([], []),
    ],
)
def test_groups_by_turn_or_pause(
    heads: list[ChangeRecord], expected: list[list[str]]
) -> None:
    assert [
        [each.summary for each in group] for group in group_by_prompt(heads)
    ] == expected


def test_interleaved_sessions(workspace: Workspace, opened: Opened) -> None:
    for number in range(3):
        for session in ("one", "two"):
            agent(workspace, session).write(f"{session}{number}.txt", "x\n")
    page = opened()
    expect(page.locator("#rows .session .client")).to_have_text(
        ["two 1.0", "one 1.0"]
    )
    expect(page.locator("#rows .prompt .summary")).to_have_text(
        ["Created 3 files"] * 2
    )
    shown = page.locator("#rows .row .summary").all_inner_texts()
    assert shown == [
        f"Created {session}{at}.txt"
        for session in ("two", "one")
        for at in (2, 1, 0)
    ]


def test_undoes_a_prompt(
    workspace: Workspace, folder: Path, opened: Opened
) -> None:
    (folder / "a.txt").write_text("one\ntwo\nthree\n")
    first, second = (
        agent(workspace, "s", "first"),
        agent(workspace, "s", "second"),
    )
    first.edit("a.txt", [{"search": "one", "replace": "ONE"}])
    second.edit("a.txt", [{"search": "two", "replace": "2"}])
    agent(workspace, "other").write("other.txt", "x\n")
    second.edit("a.txt", [{"search": "2\n", "replace": "TWO\n"}])
    second.write("b.txt", "b\n")
    page = opened()
    prompt = page.locator("#rows .prompt")
    expect(prompt).to_have_count(1)
    prompt.click()
    expect(page.locator("h1")).to_have_text("Edited a.txt and created b.txt")
    expect(page.locator("article.file h2")).to_have_text(["a.txt", "b.txt"])
    expect(page.locator("td.code.new")).to_have_text(["+TWO", "+b"])
    expect(page.locator("td.code.old")).to_have_text(["-two"])
    page.get_by_role("button", name="Undo this prompt").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.locator("h1")).to_contain_text(
        "Edited a.txt and created b.txt"
    )
    dialog.locator("[data-do]").click()
    expect(dialog).to_be_hidden()
    assert (folder / "a.txt").read_text() == "ONE\ntwo\nthree\n"
    assert not (folder / "b.txt").exists()
    assert (folder / "other.txt").exists()


def test_goes_back_to_a_prompt(
    workspace: Workspace, folder: Path, opened: Opened
) -> None:
    for name, turn in (("a", "1"), ("b", "1"), ("c", "2"), ("d", "2")):
        agent(workspace, "s", turn).write(f"{name}.txt", f"{name}\n")
    page = opened()
    page.locator("#rows .prompt").last.click()
    expect(page.locator("h1")).to_have_text("Created a.txt and b.txt")
    page.get_by_role("link", name="everything since").click()
    expect(page.locator("article.file h2")).to_have_text(["c.txt", "d.txt"])
    page.go_back()
    page.get_by_role("button", name="Go back to this point").click()
    page.get_by_role("dialog").locator("[data-do]").click()
    expect(page.get_by_role("dialog")).to_be_hidden()
    assert sorted(os.listdir(folder)) == ["a.txt", "b.txt"]


def test_titles_of_undo_and_redo(workspace: Workspace, opened: Opened) -> None:
    workspace.write("a.txt", "x\n")
    workspace.undo()
    workspace.redo()
    page = opened()
    expect(page.locator("#rows .row .summary")).to_have_text(
        ["Redid “Created a.txt”", "Undid “Created a.txt”", "Created a.txt"]
    )


def test_whole_command_of_a_shell_change(
    workspace: Workspace, folder: Path, opened: Opened
) -> None:
    line = "for f in *.js; do\n  sed -i s/a/b/ $f\ndone\n" + "# why\n" * 40
    identifier = workspace.begin_command()
    (folder / "a.js").write_text("b\n")
    workspace.end_command(identifier, line)
    page = opened()
    expect(page.locator("#view h2, #view h1").first).to_contain_text(
        "for f in *.js; do …"
    )
    page.locator("details.whole summary").click()
    shown = page.locator("details.whole pre")
    expect(shown).to_contain_text("sed -i s/a/b/ $f")
    assert shown.inner_text().count("# why") == 40
