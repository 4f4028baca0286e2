"""The text of an edit, built from values alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from filewright import Workspace
from filewright.boundary.location import Location
from filewright.edit.build_diff import build_file_diff
from filewright.edit.diff import Diff, FileDiff
from filewright.edit.model import Tier
from filewright.edit.outcome import EditOutcome
from filewright.text.snapshot import Snapshot
from filewright.text.splice import Splice
from filewright.tools.change_reply import DiffView
from filewright.tools.edit.file_plan import FileEditPlan
from filewright.tools.edit.moved_symbols import StillUsed, UsePlace
from filewright.tools.edit.rendering import render_edit
from filewright.tools.file_outcome import FileOutcome
from filewright.tools.pipeline import Change

OUTCOME = EditOutcome(
    index=0,
    tier=Tier.EXACT,
    first=1,
    last=1,
    new_first=1,
    new_last=1,
    places=1,
)
Render = Callable[..., str]


@pytest.fixture
def render(workspace: Workspace) -> Render:
    """Render one edited file, a.py, whose outcome has the given fields."""
    location = Location(workspace.roots[0], (b"a.py",))
    diff = build_file_diff(
        FileDiff("a.py", "a.py"),
        Snapshot(b"one\n"),
        [Splice(0, 4, b"two\n")],
        max_lines=100,
    )

    def render_one(
        change_id: str | None = "c1",
        losses: dict[int, str] | None = None,
        still_used: tuple[StillUsed, ...] = (),
        view: DiffView | None = None,
        **fields: Any,
    ) -> str:
        plan = FileEditPlan((), (replace(OUTCOME, **fields),), losses or {})
        file = FileOutcome(plan, location, diff=diff)
        change = Change((file,), change_id, Diff((diff,)))
        return render_edit(change, still_used, view or DiffView(), 10_000)

    return render_one


def test_exact_edit_is_shown_by_its_diff(render: Render) -> None:
    text = render()
    assert text.startswith("a.py: 1 edit applied; change c1\n1:\n-")
    assert "edit 1" not in text


def test_preview_says_that_nothing_was_written(render: Render) -> None:
    text = render(change_id=None)
    assert text.startswith("a.py: 1 edit would be applied (preview; nothing")


def test_explains_how_a_text_was_found(render: Render) -> None:
    assert "\nedit 1: line 1, found by indent\n" in render(tier=Tier.INDENT)


def test_counts_the_places_of_an_edit(render: Render) -> None:
    text = render(places=3)
    assert text.startswith("a.py: 3 edits applied")
    assert "\nedit 1: 3 places from line 1, found by exact\n" in text


def test_seen_diff_needs_no_explanation(render: Render) -> None:
    text = render(tier=Tier.INDENT, view=DiffView(is_seen=True))
    assert "edit 1" not in text
    assert text.endswith("[1 line each way, as in the preview]")


def test_names_what_a_replacement_leaves_out(render: Render) -> None:
    text = render(losses={0: "the new text has no decorator @cached"})
    assert "\n[edit 1: the new text has no decorator @cached]" in text


def test_names_files_that_use_a_moved_symbol(render: Render) -> None:
    places = (
        UsePlace("b.py", 3),
        UsePlace("b.py", 7),
        UsePlace("c.py", 1, "star import"),
    )
    symbol = StillUsed("rate", "a.py", ("b.py", "c.py"), places)
    text = render(still_used=(symbol,))
    assert (
        "\n[still using rate from a.py: b.py:3,7, c.py:1 (star import)]" in text
    )


LONG = "".join(f"line {n}\n" for n in range(100))


def test_names_lines_of_edits_without_diff(
    root: Path, workspace: Workspace
) -> None:
    (root / "a.txt").write_text(LONG)
    (root / "b.txt").write_text(LONG)
    edits = [
        {
            "path": "a.txt",
            "search": LONG[LONG.index("line 20\n") :],
            "replace": "",
        }
    ]
    edits += [
        {"path": "b.txt", "search": f"line {n}\n", "replace": "row\n"}
        for n in (7, 3)
    ]
    done = workspace.call("edit_content", {"edits": edits}).text
    assert "a.txt: 1 edit (line 21) applied" in done
    assert "b.txt: 2 edits (lines 8, 4) applied" in done
    (root / "a.txt").write_text(LONG)
    assert (
        "a.txt: 1 edit applied"
        in workspace.call(
            "edit_content", {"edits": edits[:1], "diff": "none"}
        ).text
    )


def test_shows_short_diffs_beside_long_ones(
    root: Path, workspace: Workspace
) -> None:
    for name in "abcdefghijk":
        (root / f"{name}.txt").write_text(LONG)
    edits = [
        {
            "path": "a.txt",
            "search": LONG[LONG.index("line 20\n") :],
            "replace": "",
        }
    ]
    edits += [
        {"path": f"{name}.txt", "search": "line 7\n", "replace": "row\n"}
        for name in "bcdefghijk"
    ]
    done = workspace.call("edit_content", {"edits": edits}).text
    assert (
        "\nb.txt: 1 edit (line 8) applied\n8:\n-line 7\n+row\nc.txt: 1 edit (line 8)"
        in done
    )
    assert done.count("\n8:\n-line 7\n+row\n") == 10
    assert "\n-line 20" not in done
    assert (
        "[80 lines removed in 1 other file; all: get_history with this change_id"
        in done
    )


def test_exact_edit_in_a_file(root: Path, workspace: Workspace) -> None:
    long = "x" * 130
    (root / "a.py").write_text(f"zero\n{long}\nold = 1\none\ntwo\n")
    done = workspace.call(
        "edit_content",
        {
            "path": "a.py",
            "edits": [{"search": "old = 1", "replace": "new = 1"}],
        },
    )
    assert done.text.splitlines()[1:] == [
        "3:", "-old = 1", "+new = 1",
    ]  # fmt: skip
    assert done.diff.startswith(
        f"diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -1,5 +1,5 @@\n zero\n {long}\n"
    )
    loose = workspace.call("edit_content", {
        "path": "a.py", "edits": [{"search": "new  =  1", "replace": "new  =  2"}], "diff": "none",
    })  # fmt: skip
    assert "\nedit 1: line 3, found by blanks" in loose.text
    exact = workspace.call("edit_content", {
        "path": "a.py", "edits": [{"search": "two", "replace": "2"}], "diff": "none",
    })  # fmt: skip
    assert "\n" not in exact.text


def test_shows_all_small_files_of_an_edit(root, workspace):
    names = [f"{number}.txt" for number in range(9)]
    for name in names:
        (root / name).write_text("old\nrow\n")
    (root / "long.txt").write_text(LONG)
    edits = [
        {"path": name, "search": "old\nrow\n", "replace": "new\nline\n"}
        for name in names
    ]
    edits.append({"path": "long.txt", "at": {"lines": [1, 60]}, "replace": ""})
    workspace.read("long.txt")
    text = workspace.call(
        "edit_content", {"edits": edits, "preview": True}
    ).text
    assert text.count("+line") == len(names)
    assert text.endswith("[60 lines removed in 1 other file]")


@pytest.mark.parametrize(
    ("replace", "rows"),
    [
        pytest.param(
            "    def f(self):\n        return 2\n",
            ["3:", "-        return 1", "+        return 2"],
            id="as sent",
        ),
        pytest.param(
            "def f(self):\n    return 2\n",
            [
                "@@ -2,2 +2,2 @@",
                "     def f(self):",
                "-        return 1",
                "+        return 2",
            ],
            id="indented",
        ),
    ],
)
def test_shows_context_of_lines_that_were_indented(
    root: Path, workspace: Workspace, replace: str, rows: list[str]
) -> None:
    (root / "a.py").write_text("class A:\n    def f(self):\n        return 1\n")
    edit = {"at": {"symbol": "A.f"}, "replace": replace}
    answer = workspace.edit("a.py", [edit])
    assert answer.text.splitlines()[1:] == rows
