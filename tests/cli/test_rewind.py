"""Rewind and restore, of sessions that worked in one file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.typed import LINES, run


def test_rewinds_session(sessions: Path) -> None:
    listed = run("log", "--sessions").stdout.splitlines()
    assert [row.split()[0] for row in listed] == ["first", "second"]
    assert "3 changes" in listed[0]
    assert "Agent second" in listed[1]
    assert "+2 -1" in listed[1]
    shown = run("show", "--session", "first").stdout
    assert "+three" in shown
    assert "+twenty" not in shown
    before = sessions.read_text()
    preview = run("rewind", "first", "--dry-run")
    assert "-three" in preview.stdout
    assert run("rewind", "last", stdin="n\n").exit_code == 1
    assert sessions.read_text() == before
    assert run("rewind", "last", "--yes").exit_code == 0
    assert sessions.read_text() == LINES.replace("line 20\n", "twenty\nmore\n")
    assert not sessions.with_name("fresh.txt").exists()
    assert "(3 undone)" in run("log", "--sessions").stdout
    assert run("redo", "--yes").exit_code == 0
    assert sessions.read_text() == before
    assert run("rewind", "@~4", "--yes").exit_code == 0
    assert sessions.read_text() == LINES.replace("line 3\n", "three\n").replace(
        "line 20\n", "twenty\nmore\n"
    )


def test_undoes_hunk_and_restores_file(
    sessions: Path,
) -> None:
    edits = [
        {"search": f"line {n}\n", "replace": f"{n}!\n"} for n in (1, 15, 30)
    ]
    run("call", "edit_content", json.dumps({"path": "t.txt", "edits": edits}))
    before = sessions.read_text()
    assert run("undo", "@", "--hunk", "2", "--yes").exit_code == 0
    assert sessions.read_text() == before.replace("15!\n", "line 15\n")
    gone = run("undo", "@~1", "--hunk", "4", "--yes")
    assert gone.exit_code == 1
    assert "no hunk 4" in gone.stderr
    assert run("restore", "t.txt", "@~1^", "--yes").exit_code == 0
    assert "line 30\n" in sessions.read_text()
    sessions.unlink()
    assert run("restore", "t.txt", "@~6^", "--yes").exit_code == 0
    assert sessions.read_text() == LINES


@pytest.mark.parametrize(
    "words", [["undo"], ["rewind", "@^"]], ids=["undo", "rewind"]
)
def test_undoes_in_part(sessions: Path, words: list[str]) -> None:
    other = sessions.with_name("u.txt")
    other.write_text("one\n")
    items = [
        {"path": name, "content": "two\n", "mode": "overwrite"}
        for name in ("t.txt", "u.txt")
    ]
    run("call", "write_content", json.dumps({"items": items}))
    sessions.write_text("outside\n")
    refused = run(*words, "--yes")
    assert refused.exit_code == 1
    assert "give --partial" in refused.stderr
    answer = run(*words, "--partial", "--yes")
    assert answer.exit_code == 0
    assert "<<<<<<< now\noutside\n" in answer.stdout
    assert sessions.read_text() == "outside\n"
    assert other.read_text() == "one\n"


def test_conflict_shows_both_sides(
    sessions: Path,
) -> None:
    sessions.write_text(sessions.read_text().replace("three\n", "outside\n"))
    before = sessions.read_text()
    refused = run("rewind", "first", "--yes")
    assert refused.exit_code == 1
    assert (
        "<<<<<<< now\noutside\n=======\nline 3\n>>>>>>> undone"
        in refused.stderr
    )
    assert "filewright show CHANGE" in refused.stderr
    assert "give --force" in refused.stderr
    assert "get_history" not in refused.stderr
    assert sessions.read_text() == before
    for words, said in (
        (
            ["rewind", "nobody", "--yes"],
            "'nobody' is no change, session or time",
        ),
        (["log", "--since", "nobody"], "'nobody' is no change or time"),
        (["rewind", "1999-01-01", "--yes"], "before the oldest change"),
        (
            ["show", "--session", "nobody"],
            "newest sessions are first (filewright",
        ),
        (["restore", "t.txt", "first", "--yes"], "filewright rewind"),
        (["restore", "other.txt", "@~1", "--yes"], "other.txt"),
        (["redo", "--yes"], "no undo"),
    ):
        answer = run(*words)
        assert answer.exit_code == 1, words
        assert said in answer.stderr, words
