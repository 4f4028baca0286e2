"""The preview of an undo, the question, and what is done."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests import terminals
from tests.cli.typed import FORTY_LINES, agent, edit, run

from filewright.changes.undo_report import Conflict
from filewright.cli.reversal import (
    ConfirmedReversal,
    describe_result,
    render_done,
    render_preview,
    render_question,
)
from filewright.edit.diff import Diff, PlannedFile
from filewright.tools.revert import RevertResult


def test_asks_with_numbers(history: Path) -> None:
    answer = run("undo", stdin="n\n")
    assert "Undo 3 files (1 created, 1 deleted)? [y/N]" in answer.stderr
    assert "created: b.txt\n" in answer.stdout
    assert "deleted: new.txt\n" in answer.stdout
    assert "modified: a.txt\n" in answer.stdout
    assert answer.exit_code == 1


@pytest.mark.parametrize(
    "words",
    [["rewind"], ["restore", "a.txt"], ["undo", "-p"]],
    ids=["rewind", "restore", "undo"],
)
def test_asks_nothing_without_a_terminal(
    history: Path, words: list[str]
) -> None:
    result = run(*words)
    assert result.exit_code == 2
    assert "filewright log" in result.stderr or "--hunk" in result.stderr


def test_a_preview_is_complete_and_paged(root: Path, tmp_path: Path) -> None:
    with agent(root) as workspace:
        items = [
            {"path": f"{number}.txt", "content": "line\n" * 30}
            for number in range(111)
        ]
        workspace.call("write_content", {"items": items})
        workspace.delete("a.txt")
    pager = tmp_path / "pager"
    pager.write_text("#!/bin/sh\necho PAGER\ncat\n")
    pager.chmod(0o755)
    screen = terminals.run(
        "rewind", "last", env={"PAGER": str(pager)}, keys=[("[y/N]", "n\r")]
    )
    assert "PAGER" in screen.text
    assert screen.text.count("\ndeleted: ") == 111
    assert screen.text.count("\n-line") == 111 * 30
    assert "diff=full" not in screen.text
    assert "Rewind 112 files (1 created, 111 deleted)? [y/N]" in screen.text


def test_is_json(history: Path) -> None:
    preview = json.loads(run("rewind", "last", "-n", "--json").stdout)
    assert preview["change_id"] is None
    assert {file["path"]: file["action"] for file in preview["files"]} == {
        "a.txt": "modified",
        "b.txt": "created",
        "new.txt": "deleted",
    }
    assert "+line 9" in preview["diff"]
    done = json.loads(run("undo", "-y", "--json").stdout)
    assert done["change_id"] == run("log").stdout.split()[0]
    assert len(done["files"]) == 3
    assert run("undo", "--json").exit_code == 2


def test_undoes_in_part_and_names_the_rest(history: Path) -> None:
    (history / "new.txt").write_text("mine\n")
    result = run("rewind", "last", "--partial", "--yes", "--json")
    done = json.loads(result.stdout)
    assert [conflict["path"] for conflict in done["conflicts"]] == ["new.txt"]
    assert (history / "new.txt").read_text() == "mine\n"
    assert (history / "b.txt").read_text() == FORTY_LINES


def test_takes_no_for_an_answer(folder: Path) -> None:
    edit("one", "1")
    refused = run("undo", stdin="n\n")
    assert refused.exit_code == 1
    assert (folder / "a.txt").read_bytes() == b"1\r\ntwo\r\n"
    assert "-1" in refused.stdout
    assert run("undo", stdin="y\n").exit_code == 0
    assert (folder / "a.txt").read_bytes() == b"one\r\ntwo\r\n"


def test_describes_undo_without_its_record(root: Path) -> None:
    with agent(root) as workspace:
        workspace.delete("a.txt")
        undo = workspace.undo()
        described = describe_result(workspace, undo)
        assert [file["path"] for file in described["files"]] == ["a.txt"]
        pruned = replace(undo, change_id="0000000000000")
        assert describe_result(workspace, pruned)["files"] == []


def result_of(*files: PlannedFile, **fields: Any) -> RevertResult:
    """Return the undo of two changes, or its preview."""
    difference = Diff(planned=files, unlisted=fields.pop("unlisted", 0))
    values: dict[str, Any] = {
        "text": "undid it\nand more",
        "change_id": None,
        "reverted": ("2", "1"),
        "notes": (),
        **fields,
    }
    return RevertResult(difference=difference, what="", files=(), **values)


def reversal(verb: str = "Undo", **fields: Any) -> ConfirmedReversal:
    return ConfirmedReversal(verb, lambda preview: result_of(), **fields)


A, B = PlannedFile("a", "modified"), PlannedFile("b", "modified")
GONE, FOLDER = PlannedFile("c", "deleted"), PlannedFile("d/", "created")


@pytest.mark.parametrize(
    ("files", "fields", "question"),
    [
        pytest.param([], {}, "Undo this?", id="none"),
        pytest.param([FOLDER], {}, "Undo this?", id="folder"),
        pytest.param([A, B], {}, "Undo 2 files?", id="modified"),
        pytest.param([GONE], {}, "Undo 1 file (deleted)?", id="all-deleted"),
        pytest.param([A, GONE], {}, "Undo 2 files (1 deleted)?", id="mixed"),
        pytest.param(
            [A, PlannedFile("e", "attributes")],
            {},
            "Undo 2 files (1 with another mode)?",
            id="mode",
        ),
        pytest.param(
            [A, GONE],
            {"unlisted": 1_200},
            "Undo 1,202 files (1 deleted)?",
            id="unlisted",
        ),
    ],
)
def test_question(
    files: list[PlannedFile], fields: dict[str, Any], question: str
) -> None:
    assert render_question(reversal(), result_of(*files, **fields)) == question


def test_question_names_target() -> None:
    rewind = reversal("Rewind", target="of the session")
    assert render_question(rewind, result_of(A)) == (
        "Rewind 1 file of the session?"
    )


def test_preview_names_every_file() -> None:
    moved = PlannedFile("new", "moved", "old")
    conflict = Conflict("x", "was deleted")
    preview = result_of(
        A, moved, unlisted=2, notes=("a note",), conflicts=(conflict,)
    )
    assert render_preview(reversal(subject="it"), preview).splitlines() == [
        "it would be undone (preview; nothing was written): 2 changes",
        "[a note]",
        "unchanged, since the file has changed since:",
        "x was deleted",
        "modified: a",
        "moved: old → new",
        "2 more files",
        "",
    ]


def test_headlines() -> None:
    preview = result_of(part="hunk 2 of a", reverted=("1",))
    part = reversal(subject="the edit")
    assert render_preview(part, preview).startswith(
        "hunk 2 of a of the edit would be undone (preview; nothing was written)\n"
    )
    assert render_preview(reversal(), preview).startswith("undid it\n")
    own = reversal(headline=lambda preview: "its own")
    assert render_preview(own, preview).startswith("its own\n")


def test_done() -> None:
    done = result_of(A, change_id="x1")
    assert render_done(reversal(), done) == "undid it\nand more"
    assert render_done(reversal(subject="the prompt"), done) == (
        "undid the prompt: 2 changes; change x1\nand more"
    )
