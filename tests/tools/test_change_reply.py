"""The text of a change is made from its values alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from filewright import Workspace
from filewright.edit.build_diff import build_file_diff
from filewright.edit.diff import Diff, FileDiff
from filewright.text.snapshot import Snapshot
from filewright.text.splice import Splice
from filewright.tools.change_reply import ChangeReply, DiffView
from filewright.tools.pipeline import Change


def make_diff(name: str, lines: int) -> FileDiff:
    before = Snapshot(b"one\n")
    splices = [Splice(0, 4, b"two\n" * lines)]
    return build_file_diff(FileDiff(name, name), before, splices, max_lines=900)


def reply(change_id: str | None, lines: int, **view: Any) -> str:
    diff = Diff((make_diff("a.txt", lines),))
    change: Change[None] = Change((), change_id, diff)
    text = ChangeReply(10_000, change, DiffView(**view))
    text.add(text.status("changed"))
    text.finish()
    return text.text()


def test_a_preview_says_that_nothing_was_written() -> None:
    text = reply(None, 1)
    assert text.startswith("would be changed (preview; nothing was written)")
    assert "+two" in text


def test_a_change_names_its_id() -> None:
    assert reply("c1", 1).startswith("changed; change c1\n")


@pytest.mark.parametrize(
    ("view", "says"),
    [
        pytest.param(
            {}, "[90 lines added, 1 removed; all: get_history with", id="long"
        ),
        pytest.param(
            {"is_seen": True},
            "[90 lines added, 1 removed, as in the preview]",
            id="seen",
        ),
        pytest.param({"mode": "full"}, "+two", id="full"),
    ],
)
def test_a_long_diff_is_counted_unless_it_is_wanted(
    view: dict[str, Any], says: str
) -> None:
    text = reply("c1", 90, **view)
    assert says in text
    assert ("+two" in text) is (view.get("mode") == "full")


def test_no_diff_is_shown_if_none_is_wanted() -> None:
    assert reply("c1", 1, mode="none") == "changed; change c1"


LONG = "".join(f"line {n}\n" for n in range(100))


def test_leaves_out_context(root: Path, workspace: Workspace) -> None:
    (root / "a.txt").write_text(LONG)
    edits = [
        {"search": f"line {n}\n", "replace": f"row {n}\n"}
        for n in range(10, 90, 10)
    ]
    done = workspace.call(
        "edit_content", {"path": "a.txt", "edits": edits}
    ).text
    assert "81:\n-line 80\n+row 80" in done
    assert "\n line" not in done
    assert " added, " not in done


def test_names_the_way_to_a_long_diff(root: Path, workspace: Workspace) -> None:
    (root / "a.txt").write_text(LONG)
    asked = {"pattern": "line", "replacement": "row"}
    assert (
        "[100 lines each way]" in workspace.call("replace_content", asked).text
    )
    assert (
        "\n+row 99"
        in workspace.call("replace_content", {**asked, "diff": "full"}).text
    )
    (root / "a.txt").write_text(
        LONG.replace("line 7\n", "line seven\n")
    )  # so that no preview showed it
    done = workspace.call("replace_content", {**asked, "preview": False})
    change = done.data["change_id"]
    assert "; all: get_history with this change_id]" in done.text
    assert (
        "+row 50" in workspace.call("get_history", {"change_id": change}).text
    )
    assert "@@" not in workspace.call("write_content", {
        "items": [{"path": "a.txt", "content": "short\n", "mode": "overwrite"}], "diff": "none",
    }).text  # fmt: skip
