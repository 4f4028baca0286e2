"""The search in the contents of the history, `log --grep`."""

from __future__ import annotations

from pathlib import Path

from tests.cli.typed import run

from filewright import Workspace


def test_grep(empty_project: Path) -> None:
    with Workspace(empty_project, client="claude-code 2") as workspace:
        workspace.write("a.txt", "one\ntwo\n")
        workspace.edit("a.txt", [{"search": "one", "replace": "1"}])
        workspace.write("d/b.txt", "other two\x1b\n")
    rows = run("log", "--grep", "two").stdout.splitlines()
    assert "  d/b.txt  claude-code, " in rows[0]
    assert "a.txt and d/b.txt" in rows[0]
    assert rows[1] == "+ 1: other two\\x1b"
    assert rows[3] == "+ 2: two"
    assert rows[-1] == "2 files with 'two' in all 3 changes"
    assert "nothing with" in run("log", "--grep", "TWO").stdout
    only = run("log", "a.txt", "--grep", "two").stdout
    assert "other two" not in only
