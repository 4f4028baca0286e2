"""The flow of a change: plans, the commit, and attempts while other programs save."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.method_tools import call_tool, run_tool

from filewright import Code, FilewrightError, Workspace
from filewright.edit.changeset import FilePlan
from filewright.edit.text_plan import to_file_plan
from filewright.text.splice import Splice
from filewright.tools.context import Context
from filewright.tools.pipeline import (
    MAX_ATTEMPTS,
    Change,
    ChangeArguments,
    StalePlanError,
    commit_change,
    plan_change,
    retry_stale_plan,
)


class Prefix:
    """The plan of a text that puts a letter at its beginning."""

    splices = (Splice(0, 0, b"x"),)


def plan(context: Context, path: str, *, is_preview: bool = False) -> Change:
    location = context.boundary.locate(path)

    def plan_file() -> Iterator[FilePlan[Any]]:
        with context.open(location, text=True) as snapshot:
            yield to_file_plan(snapshot, Prefix())

    return plan_change(context, plan_file(), is_preview=is_preview)


def commit(context: Context, change: Change) -> Change:
    return commit_change(context, change, "test", "a test", ChangeArguments())


@pytest.fixture
def context(workspace: Workspace, root: Path) -> Context:
    (root / "a.txt").write_text("one\n")
    return workspace.context


def test_a_plan_writes_nothing(context: Context, root: Path) -> None:
    change = plan(context, "a.txt", is_preview=True)
    assert change.id is None
    assert "+xone" in change.diff.text
    assert (root / "a.txt").read_text() == "one\n"


def test_a_commit_has_the_diff_of_its_plan(
    context: Context, root: Path
) -> None:
    planned = plan(context, "a.txt")
    change = commit(context, planned)
    assert change.id is not None
    assert change.diff == planned.diff
    assert change.files[0].version == planned.files[0].version
    assert (root / "a.txt").read_text() == "xone\n"


def test_a_change_without_steps_is_returned_as_it_is(
    context: Context,
) -> None:
    nothing = plan_change(context, [])
    assert commit(context, nothing) is nothing


def test_a_save_in_between_makes_a_plan_stale(
    context: Context, root: Path
) -> None:
    change = plan(context, "a.txt")
    (root / "a.txt").write_text("two\n")
    with pytest.raises(StalePlanError) as refused:
        commit(context, change)
    assert refused.value.code is Code.STALE_VERSION
    assert (root / "a.txt").read_text() == "two\n"


@pytest.mark.parametrize("saves", [1, 5])
def test_a_stale_plan_is_made_again(
    context: Context, root: Path, saves: int
) -> None:
    attempts = 0

    def plan_and_commit() -> Change:
        nonlocal attempts
        attempts += 1
        change = plan(context, "a.txt")
        if attempts <= saves:
            (root / "a.txt").write_text(f"save {attempts}\n")
        return commit(context, change)

    change = retry_stale_plan(context, plan_and_commit)
    assert change.id is not None
    assert attempts == saves + 1
    assert (root / "a.txt").read_text() == f"xsave {saves}\n"


def test_the_last_attempt_has_the_conflicts_of_all(context: Context) -> None:
    attempts = 0

    def fail() -> Change:
        nonlocal attempts
        attempts += 1
        raise StalePlanError(
            Code.STALE_VERSION,
            "a.txt has changed",
            "read it",
            conflicts=[f"save {attempts}"],
        )

    with pytest.raises(StalePlanError) as refused:
        retry_stale_plan(context, fail)
    assert attempts == MAX_ATTEMPTS
    conflicts = refused.value.details["conflicts"]
    assert conflicts == [f"save {n}" for n in range(1, MAX_ATTEMPTS + 1)]
    assert refused.value.hint is not None
    assert refused.value.hint.endswith("; read it")


def test_a_refusal_is_not_tried_again(context: Context) -> None:
    attempts = 0

    def refuse() -> Change:
        nonlocal attempts
        attempts += 1
        raise FilewrightError(Code.STALE_VERSION, "the version is another")

    with pytest.raises(FilewrightError):
        retry_stale_plan(context, refuse)
    assert attempts == 1


def test_parallel_edits_of_one_file(root, workspace):
    (root / "f").write_text(
        "".join(f"slot {n:02} = empty\n" for n in range(20))
    )
    failures = []

    def edit(n: int) -> None:
        result = workspace.call(
            "edit_content",
            {
                "path": "f",
                "edits": [
                    {
                        "search": f"slot {n:02} = empty",
                        "replace": f"slot {n:02} = taken",
                    }
                ],
            },
        )
        if result.is_error:
            failures.append(result.text)

    threads = [threading.Thread(target=edit, args=(n,)) for n in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert (root / "f").read_text() == "".join(
        f"slot {n:02} = taken\n" for n in range(20)
    )


EDITED = {"path": "a", "edits": [{"search": "A", "replace": "X"}]}


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("edit_content", EDITED),
        (
            "replace_content",
            {"pattern": "A", "replacement": "X", "path": "a", "preview": False},
        ),
        ("apply_patch", {"patch": "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-A\n+X\n"}),
        (
            "write_content",
            {"items": [{"path": "a", "content": "X", "mode": "overwrite"}]},
        ),
    ],
)
def test_breaks_hard_links_when_asked(entries, workspace, tool, arguments):
    os.link(entries / "a", entries / "other")
    assert call_tool(workspace, tool, arguments).code == "hard_linked"
    result = run_tool(workspace, tool, {**arguments, "break_hard_links": True})
    assert (
        "[a had 2 hard links; the other names keep the old content]"
        in result.text
    )
    assert (entries / "other").read_text() == "A"
    assert (entries / "a").read_text().startswith("X")


def test_many_lost_links(entries, workspace):
    for number in range(100):
        (entries / f"n{number}").write_text("A\n")
        os.link(entries / f"n{number}", entries / f"linked{number}")
    wanted = {
        "pattern": "A",
        "replacement": "B",
        "glob": "n*",
        "preview": False,
        "break_hard_links": True,
    }
    said = workspace.run("replace_content", wanted).text
    assert "[n0 had 2 hard links; the other names keep the old content]" in said
    assert " more notes]\n" in said
    assert said.splitlines()[-1].startswith(
        "[100 lines each way; all: get_history with this change_id"
    )
