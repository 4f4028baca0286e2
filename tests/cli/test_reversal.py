"""The preview of an undo, the question, and what is done."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from tests import terminals
from tests.cli.typed import FORTY_LINES, agent, edit, run

from filewright.cli.reversal import describe_result


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
