"""Undo, redo, rewind and restore, as a person in a terminal does them, and a script."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from tests import terminals
from tests.cli.typed import FORTY_LINES, PROMPT, agent, edit

from filewright.cli.program import program

DOWN, ENTER, ESCAPE = "\x1b[B", "\r", "\x1b"


def run(*words: str, stdin: str | None = None) -> Result:
    return CliRunner().invoke(program, words, input=stdin)


def ids() -> list[str]:
    return [line.split()[0] for line in run("log").stdout.splitlines()]


# Undo and redo


def test_offers_redo_after_an_undo(history: Path) -> None:
    undone = terminals.run("undo", keys=[("[y/N]", "y\r")])
    assert undone.status == 0
    assert "(filewright redo takes it back)" in undone.text
    assert (history / "b.txt").exists()
    left = terminals.run("undo", keys=[("is an undo", ESCAPE)])
    assert left.status == 1
    assert "redo Undid “$ make words (3 files)” (" in left.text
    redone = terminals.run(
        "undo", keys=[("is an undo", ENTER), ("Redo 3 files", "y\r")]
    )
    assert redone.status == 0
    assert not (history / "b.txt").exists()


def test_names_an_older_change(history: Path) -> None:
    assert run("undo", "--yes").exit_code == 0
    older = terminals.run(
        "undo", keys=[("is an undo", DOWN + ENTER), ("[y/N]", "n\r")]
    )
    assert "of the older change “Edited a.txt” (" in older.text
    assert older.status == 1
    # A script is told, and goes on.
    script = run("undo", "--yes")
    assert script.exit_code == 0
    assert "the newest change is an undo" in script.stderr
    assert "about an older change" in script.stderr
    assert (history / "a.txt").read_text() == FORTY_LINES
    nothing = run("undo", "--yes")
    assert nothing.exit_code == 1
    assert "`filewright redo` takes it back" in nothing.stderr


def test_undoes_the_newest_change_of_a_path(history: Path) -> None:
    with agent(history) as workspace:
        workspace.write("other.txt", "x\n")
    answer = run("undo", "--path", "b.txt", "--yes")
    assert answer.exit_code == 0
    assert (history / "b.txt").read_text() == FORTY_LINES
    assert (history / "new.txt").exists()
    unknown = run("undo", "--path", "a.tx", "--yes")
    assert unknown.exit_code == 1
    assert unknown.stderr.startswith(
        "not_found: a.tx has no history\nhint: did you mean a.txt"
    )


# Rewind and restore


def test_chooses_a_prompt(history: Path) -> None:
    screen = terminals.run(
        "rewind", keys=[("which prompt?", ENTER), ("[y/N]", "y\r")]
    )
    assert screen.status == 0
    rows = screen.lines[1:3]
    assert rows[0].startswith(f" ❯ 1) “{PROMPT}”  claude-code")
    assert rows[0].endswith("ago  3 files  +2 −41")
    assert "2) Edited a.txt  codex" in rows[1]
    assert f"“{PROMPT}” by claude-code would be undone" in screen.text
    assert (history / "b.txt").read_text() == FORTY_LINES
    assert "twenty" in (history / "a.txt").read_text()


def test_offers_everything_for_an_earlier_time(history: Path) -> None:
    refused = run("rewind", "2 days ago", "--yes")
    assert refused.exit_code == 1
    assert "before the oldest change" in refused.stderr
    screen = terminals.run(
        "rewind",
        "2 days ago",
        keys=[("Rewind everything, 2 changes?", "y\r"), ("3 files", "y\r")],
    )
    assert screen.status == 0
    assert (history / "a.txt").read_text() == FORTY_LINES


def test_chooses_a_version(history: Path) -> None:
    screen = terminals.run(
        "restore",
        "a.txt",
        keys=[("Restore a.txt", DOWN + ENTER), ("Restore 1 file?", "y\r")],
    )
    assert screen.status == 0
    assert "a.txt would be as it was right after the change" in screen.text
    assert "(+1 −1)" in screen.text
    text = (history / "a.txt").read_text()
    assert "twenty" in text
    assert "line 9\n" in text


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        pytest.param(["restore", "c.txt", "1h"], "has no history", id="path"),
        pytest.param(
            ["restore", "b.txt", "@"],
            "b.txt has not changed since @",
            id="unchanged",
        ),
        pytest.param(
            ["rewind", "foo"],
            "'foo' is no change, session or time\nhint: try 14:30",
            id="unknown",
        ),
    ],
)
def test_refuses_with_words_of_a_person(
    history: Path, words: list[str], answer: str
) -> None:
    result = run(*words, "--yes")
    assert result.exit_code == 1
    assert answer in result.stderr
    assert "get_history" not in result.stderr


# Long previews, and programs


def test_history_is_undone(folder: Path) -> None:
    assert edit("one", "1").exit_code == 0
    assert edit("two", "2").exit_code == 0
    assert (folder / "a.txt").read_bytes() == b"1\r\n2\r\n"
    logged = run("log")
    assert logged.exit_code == 0
    newest, older = [line.split()[0] for line in logged.stdout.splitlines()[:2]]
    assert len(run("log", "-n", "1").stdout.splitlines()) <= 2
    assert "a.txt" in run("log", "a.txt").stdout
    shown = run("show", newest)
    assert shown.exit_code == 0
    assert "-two" in shown.stdout
    assert "+2" in shown.stdout
    assert run("undo", "--yes").exit_code == 0
    assert (folder / "a.txt").read_bytes() == b"1\r\ntwo\r\n"
    assert run("undo", older, "--yes").exit_code == 0
    assert (folder / "a.txt").read_bytes() == b"one\r\ntwo\r\n"
    assert run("undo", "--yes").exit_code == 1


def test_goes_back_step_by_step(folder: Path) -> None:
    edit("one", "1")
    edit("two", "2")
    assert run("undo", "--yes").exit_code == 0
    assert (folder / "a.txt").read_bytes() == b"1\r\ntwo\r\n"
    assert run("undo", "--yes").exit_code == 0
    assert (folder / "a.txt").read_bytes() == b"one\r\ntwo\r\n"


def test_nothing_to_undo(folder: Path) -> None:
    result = run("undo", "--yes")
    assert result.exit_code == 1
    assert "no change to undo" in result.stderr
