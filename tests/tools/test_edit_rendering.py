"""`edit_rendering`: the text of an edit, built from values alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
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
from filewright.tools.edit_file_plan import FileEditPlan
from filewright.tools.edit_rendering import render_edit
from filewright.tools.moved_symbols import StillUsed
from filewright.tools.pipeline import Change, FileOutcome

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
    assert text.startswith("a.py: 1 edit applied; change c1\n--- a/a.py")
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
    assert "\n[edit 1: the new text has no decorator @cached]\n" in text


def test_names_files_that_use_a_moved_symbol(render: Render) -> None:
    symbol = StillUsed("rate", "a.py", ("b.py", "c.py"))
    text = render(still_used=(symbol,))
    assert "\n[rate is still used from a.py in b.py, c.py]\n" in text
