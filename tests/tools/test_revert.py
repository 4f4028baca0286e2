"""Undo of several files and hunks of a selection as one change."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.tools.utf16 import MARKS, WIDE_TEXT, wide

from filewright import FilewrightError, Workspace
from filewright.errors import Code
from filewright.progress import Caller, Task

LINES = "".join(f"line {number}\n" for number in range(1, 61))


def agent(workspace: Workspace, session: str = "s1") -> Workspace:
    """Return the workspace as an agent of a session uses it."""
    return workspace.under(Task(caller=Caller(session, "agent 1.0", "t1")))


@pytest.fixture
def prompt(workspace: Workspace, root: Path) -> str:
    """Make a prompt of four changes; return the id of its first."""
    for name in ("a.txt", "b.txt", "gone.txt"):
        (root / name).write_text(LINES)
    tools = agent(workspace)
    first = tools.edit(
        "a.txt",
        [
            {"search": f"line {number}\n", "replace": f"LINE {number}\n"}
            for number in (5, 25, 45)
        ],
    )
    tools.edit("b.txt", [{"search": "line 9\n", "replace": "LINE 9\n"}])
    tools.write("new.txt", "new\n")
    tools.delete("gone.txt")
    assert first.change_id is not None
    return first.change_id


def test_undoes_hunks_and_files_as_one_change(
    workspace: Workspace,
    root: Path,
    prompt: str,
    contents: Callable[[], dict[str, object]],
) -> None:
    other = agent(workspace, "s2")
    other.edit("a.txt", [{"search": "line 60\n", "replace": "another's\n"}])
    after_agents = contents()

    undo = workspace.revert_edit(
        prompt=prompt,
        parts=[
            {"path": "a.txt", "hunks": [1, 3]},
            {"path": "new.txt"},
            {"path": "gone.txt"},
        ],
    )

    text = (root / "a.txt").read_text()
    assert text == LINES.replace("line 25\n", "LINE 25\n").replace(
        "line 60\n", "another's\n"
    )
    assert "LINE 9" in (root / "b.txt").read_text()
    assert not (root / "new.txt").exists()
    assert (root / "gone.txt").read_text() == LINES
    (record,) = workspace.history(limit=1)
    assert record.partial
    assert "hunks 1, 3 of a.txt" in record.summary
    assert "hunks 1, 3 of a.txt" in undo.text.partition("\n")[0]

    workspace.redo()
    assert contents() == after_agents


@pytest.mark.parametrize(
    ("parts", "code"),
    [
        pytest.param(
            [{"path": "a.txt", "hunks": [4]}], Code.NOT_FOUND, id="no-hunk"
        ),
        pytest.param([{"path": "c.txt"}], Code.NOT_FOUND, id="no-file"),
        pytest.param(
            [{"path": "new.txt", "hunks": [1]}],
            Code.UNSUPPORTED,
            id="created-file",
        ),
        pytest.param(
            [{"path": "a.txt", "hunks": [0]}], Code.INVALID_INPUT, id="zero"
        ),
        pytest.param([], Code.INVALID_INPUT, id="no-parts"),
        pytest.param(
            [{"path": "a.txt", "hunks": []}],
            Code.INVALID_INPUT,
            id="none-of-the-hunks",
        ),
    ],
)
def test_refuses_parts_that_are_not_there(
    workspace: Workspace,
    prompt: str,
    contents: Callable[[], dict[str, object]],
    parts: list[dict[str, Any]],
    code: Code,
) -> None:
    before = contents()

    with pytest.raises(FilewrightError) as error:
        workspace.revert_edit(prompt=prompt, parts=parts)

    assert error.value.code is code
    assert contents() == before


def test_names_every_file_of_a_preview(
    workspace: Workspace, root: Path
) -> None:
    items = [
        {"path": f"d/{number}.txt", "content": LINES * 10}
        for number in range(60)
    ]
    workspace.call("write_content", {"items": items})

    preview = workspace.revert_edit(workspace.newest(), preview=True)

    assert preview.difference.omitted_files
    planned = preview.difference.planned
    assert {file.action for file in planned} == {"deleted"}
    assert {file.path for file in planned} == {
        "d/",
        *(f"d/{number}.txt" for number in range(60)),
    }
    assert len(planned) == 61


def test_is_brief_after_its_preview(workspace: Workspace, root: Path) -> None:
    for name in ("a.txt", "b.txt"):
        (root / name).write_text(LINES)
    change = workspace.replace("line 9\n", "x\n", preview=False).change_id
    (root / "b.txt").write_text("mine\n" + (root / "b.txt").read_text())
    arguments = {"change_id": change, "preview": True}
    preview = workspace.call("revert_edit", arguments).text
    assert "\na.txt:9, b.txt:10:\n-x\n+line 9" in preview
    undo = workspace.call("revert_edit", {"change_id": change})
    assert undo.text.splitlines()[1:] == [
        "[later changes stay (merged): b.txt:1 mine (another program)]",
        "[2 files, as in the preview]",
    ]


def test_says_that_it_undid_a_part(workspace: Workspace, root: Path) -> None:
    (root / "a.txt").write_text(LINES)
    change = workspace.edit(
        "a.txt",
        [
            {"search": "line 9\n", "replace": "x\n"},
            {"search": "line 40\n", "replace": "y\n"},
        ],
    ).change_id
    (root / "a.txt").write_text((root / "a.txt").read_text().replace("y", "z"))
    undo = workspace.call("revert_edit", {"change_id": change, "partial": True})
    assert undo.text.startswith(f"undid {change}, in part: ")
    assert "\n[later changes stay (merged): a.txt]\n" in undo.text


def test_names_files_by_action(workspace: Workspace, root: Path) -> None:
    for name in ("a.txt", "b.txt"):
        (root / name).write_text(LINES)
    since = workspace.write("first.txt", "1\n").change_id
    workspace.replace("line", "row", glob="?.txt", preview=False)
    workspace.write("c.txt", "new\n")
    undo = workspace.call("revert_edit", {"since": since})
    lines = undo.text.splitlines()
    assert "modified: a.txt, b.txt" in lines
    assert "deleted: c.txt" in lines


LONG = "".join(f"line {n}\n" for n in range(100))


def test_shows_what_it_merged(root: Path, workspace: Workspace) -> None:
    (root / "a.txt").write_text(LONG)
    (root / "b.txt").write_text("line\n")
    change = workspace.replace(
        "line", "row", glob="a.txt", preview=False
    ).change_id
    undone = workspace.call("revert_edit", {"change_id": change})
    assert "modified: a.txt" in undone.text
    assert "@@" not in undone.text
    again = workspace.replace(
        "line 5\n", "row 5\n", path="a.txt", preview=False
    ).change_id
    workspace.edit("a.txt", [{"search": "line 90\n", "replace": "kept\n"}])
    merged = workspace.call("revert_edit", {"change_id": again})
    assert "(merged)" in merged.text
    assert "\n+line 5" in merged.text


@pytest.mark.parametrize(
    ("count", "later_line", "shows"),
    [
        pytest.param(2, "line 90", True, id="few lines"),
        pytest.param(5, "line 90", False, id="more lines"),
        pytest.param(5, "row 13", False, id="line beside"),
    ],
)
def test_shows_merged_file_if_that_tells_something(
    root: Path, workspace: Workspace, count: int, later_line: str, shows: bool
) -> None:
    (root / "a.txt").write_text(LONG)
    edits = [
        {"search": f"line {number}\n", "replace": f"row {number}\n"}
        for number in range(13, 13 + 2 * count, 2)
    ]
    change = workspace.edit("a.txt", edits).change_id
    text = (root / "a.txt").read_text()
    (root / "a.txt").write_text(
        text.replace(f"{later_line}\n", f"{later_line}\nmore\n")
    )
    undone = workspace.call("revert_edit", {"change_id": change})
    assert "[later changes stay (merged): a.txt:" in undone.text
    assert ("+line 13" in undone.text) is shows
    assert ("modified: a.txt" in undone.text) is not shows
    assert (root / "a.txt").read_text() == LONG.replace(
        later_line.replace("row", "line") + "\n",
        later_line.replace("row", "line") + "\nmore\n",
    )


def test_shows_merged_files_first(root, workspace):
    (root / "a.txt").write_text("line\n" * 3)
    (root / "b.txt").write_text(LONG)
    change = workspace.replace("line", "row", preview=False).change_id
    (root / "a.txt").write_text("row\n" * 3 + "mine\n")
    text = workspace.call("revert_edit", {"change_id": change}).text
    assert "\na.txt:1:\n-row\n" in text
    assert "\nb.txt:" not in text
    assert "100 lines each way in 1 other file" in text


def test_preview_shows_short_files(root, workspace):
    (root / "a.txt").write_text(LONG)
    (root / "b.txt").write_text("line\n")
    change = workspace.replace("line", "row", preview=False).change_id
    arguments = {"change_id": change, "preview": True}
    text = workspace.call("revert_edit", arguments).text
    assert "\n-row\n+line\n" in text
    assert "[100 lines each way in 1 other file]" in text


def test_preview_names_actions(workspace: Workspace, root: Path) -> None:
    created = workspace.write("n.txt", "new\n").change_id
    assert "deleted: n.txt" in workspace.revert_edit(created, preview=True).text
    deleted = workspace.delete("n.txt").change_id
    assert "created: n.txt" in workspace.revert_edit(deleted, preview=True).text
    workspace.revert_edit(deleted)
    moved = workspace.move("n.txt", "m.txt").change_id
    assert (
        "moved: m.txt → n.txt"
        in workspace.revert_edit(moved, preview=True).text
    )


def test_preview_names_each_file_once(workspace: Workspace, root: Path) -> None:
    made = workspace.write("new/deep/a.txt", "new\n").change_id
    assert (
        workspace.revert_edit(made, preview=True).diff.count(
            "deleted file mode"
        )
        == 1
    )


def test_merges_with_later_changes(root, workspace):
    lines = [f"line {n}\n" for n in range(20)]
    (root / "f").write_text("".join(lines))
    edit = workspace.edit("f", [{"search": "line 3\n", "replace": "LINE 3\n"}])
    (root / "f").write_text(
        (root / "f").read_text().replace("line 15\n", "someone else\n")
    )
    result = workspace.undo(edit.data["change_id"])
    assert (root / "f").read_text() == "".join(lines).replace(
        "line 15\n", "someone else\n"
    )
    assert "merge" in result.text

    edit = workspace.edit("f", [{"search": "line 3\n", "replace": "LINE 3\n"}])
    theirs = (root / "f").read_text().replace("LINE 3\n", "not yours\n")
    (root / "f").write_text(theirs)
    with pytest.raises(FilewrightError) as caught:
        workspace.undo(edit.data["change_id"])
    assert caught.value.code == "stale_version"
    assert (root / "f").read_text() == theirs
    workspace.run(
        "revert_edit", {"change_id": edit.data["change_id"], "force": True}
    )
    assert "line 3\n" in (root / "f").read_text()


def test_ids_within_a_moment(root, workspace):
    (root / "f").write_text("0\n")
    ids = [
        workspace.edit(
            "f", [{"search": f"{n}\n", "replace": f"{n + 1}\n"}]
        ).data["change_id"]
        for n in range(12)
    ]
    assert ids == sorted(set(ids))
    for change in reversed(ids):
        workspace.undo(change)
    assert (root / "f").read_text() == "0\n"


@pytest.mark.parametrize("codec", MARKS)
def test_merges_in_utf16(codec: str, root: Path, workspace: Workspace) -> None:
    text = "".join(f"line {number} \u0a0a\u000a" for number in range(12))
    (root / "f").write_bytes(wide(text, codec))
    workspace.edit("f", [{"search": "line 2 ", "replace": "line two "}])
    others = text.replace("line 2 ", "line two ").replace("line 9", "line nine")
    (root / "f").write_bytes(wide(others, codec))
    workspace.undo()
    assert (root / "f").read_bytes() == wide(
        text.replace("line 9", "line nine"), codec
    )


@pytest.mark.parametrize("codec", MARKS)
def test_conflict_in_utf16(
    codec: str, root: Path, workspace: Workspace
) -> None:
    (root / "f").write_bytes(wide(WIDE_TEXT, codec))
    made = workspace.edit("f", [{"search": "日本", "replace": "東京"}])
    (root / "f").write_bytes(wide(WIDE_TEXT.replace("日本", "大阪"), codec))
    answer = workspace.call("revert_edit", {"change_id": made.change_id})
    assert answer.is_error
    assert "大阪" in answer.text
    assert "日本" in answer.text


@pytest.mark.parametrize("codec", MARKS)
def test_hunk_in_utf16(codec: str, root: Path, workspace: Workspace) -> None:
    text = "".join(f"line {number} \u0a0a\r\n" for number in range(30))
    (root / "f").write_bytes(wide(text, codec))
    edits = [
        {"search": f"line {n} ", "replace": f"line {n} new "} for n in (2, 25)
    ]
    made = workspace.edit("f", edits)
    assert made.diff.count("@@ -") == 2
    answer = workspace.call(
        "revert_edit", {"change_id": made.change_id, "path": "f", "hunk": 1}
    )
    assert not answer.is_error, answer.text
    assert (root / "f").read_bytes() == wide(
        text.replace("line 25 ", "line 25 new "), codec
    )
    shown = workspace.call("get_history", {"change_id": made.change_id}).text
    assert "+line 25 new" in shown
