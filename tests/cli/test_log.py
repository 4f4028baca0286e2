"""The list of changes: by prompt on a terminal, a line for each in a pipe, and as JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from tests import terminals

from filewright import Workspace
from filewright.cli.program import program
from filewright.mailbox.prompts import PromptTexts
from filewright.settings import Settings

PROMPT = (
    "Speed up the reply path, and make the log of it shorter than it is now"
)

COMMAND = "python3 - <<'END'\nopen('5.js', 'w').write('fast')\nEND"


@pytest.fixture
def root(empty_project: Path) -> Path:
    for number in range(12):
        name = f"{number}.js"
        (empty_project / name).write_text("line\nsecond\n")
    return empty_project


def agent(root: Path, name: str) -> Workspace:
    settings = Settings(flush=False)
    return Workspace(
        root, settings=settings, session=name, client=f"{name} 2.1"
    )


def shell(
    workspace: Workspace, line: str, act: Callable[[], object], turn: str
) -> None:
    identifier = workspace.begin_command(command=line)
    act()
    workspace.end_command(identifier, line, turn=turn)


@pytest.fixture
def history(root: Path) -> Path:
    """Two prompts of an agent, and one of another without words."""
    with agent(root, "claude-code") as workspace:
        for number in (0, 1):
            path = root / f"{number}.js"
            shell(
                workspace,
                f"sed -i s/line/fast/ {number}.js && echo {'long ' * 9}",
                lambda path=path: path.write_text("fast\nsecond\n"),  # type: ignore[misc]  # its default
                PROMPT,
            )
    with agent(root, "codex") as workspace:
        workspace.write("new/größe 漢字.txt", "a\nb\n")
        workspace.delete("2.js", "3.js")
    return root


def run(*words: str) -> Result:
    return CliRunner().invoke(program, words)


def test_groups_by_prompt(history: Path) -> None:
    lines = terminals.run("log").lines
    assert re.fullmatch(
        r"codex \(no prompt known\) +\d+ s ago  3 files  \+2 −4", lines[0]
    )
    assert re.fullmatch(
        r"  [0-9a-z]{4,}  Deleted 2.js and 3.js +2 files  \+0 −4", lines[1]
    )
    assert re.fullmatch(
        r"  [0-9a-z]{4,}  Created new/größe 漢字.txt +\+2 −0", lines[2]
    )
    assert re.fullmatch(
        r"claude-code  “Speed up the .*…  \d+ s ago  2 files  \+2 −2", lines[3]
    )
    assert re.fullmatch(
        r"  [0-9a-z]{4,}  \$ sed -i s/line/fast/ 1.js && echo .*… +\+1 −1",
        lines[4],
    )
    assert len(lines) == 6
    assert max(map(len, lines)) <= terminals.COLUMNS


def test_twenty_changes_fit_a_screen(root: Path) -> None:
    for number in range(20):
        with agent(root, f"agent-{number}") as workspace:
            path = root / f"{number}.txt"
            turn = (
                f"Please do number {number} of the things now, and do it well"
            )
            shell(
                workspace,
                f"touch {number}.txt",
                lambda path=path: path.write_text("1"),  # type: ignore[misc]  # its default
                turn,
            )
    screen = terminals.run("log")
    assert len(screen.lines) <= 30
    # The ages and the widest session decide how much of the words is shown: on a busy
    # machine, less of their end.
    assert all(f"number {number} " in screen.text for number in range(20))


def test_lists_sessions(history: Path) -> None:
    lines = terminals.run("log", "--sessions").lines
    assert re.fullmatch(
        r"codex  codex +\d+ s ago  2 changes  3 files  \+2 −4", lines[0]
    )
    assert len(lines[1]) == terminals.COLUMNS


def test_colours_a_terminal(history: Path) -> None:
    coloured = terminals.run("log", "-n", "1")
    assert "\x1b[33m" in coloured.raw
    assert "\x1b[32m" in coloured.raw
    plain = terminals.run("log", "-n", "1", env={"NO_COLOR": "1"})
    assert "\x1b[3" not in plain.raw
    # The age may differ by a second.
    assert plain.text.split()[:2] == coloured.text.split()[:2]


def test_short_ids_name_changes(history: Path) -> None:
    for line in terminals.run("log").lines:
        if line.startswith("  "):
            short_id, title = line.split()[:2]
            shown = run("show", short_id)
            assert shown.exit_code == 0
            assert shown.stdout.split()[0].endswith(short_id)
            assert title in shown.stdout


def test_marks_what_is_undone(history: Path) -> None:
    assert run("undo", "--yes").exit_code == 0
    lines = terminals.run("log").lines
    [undone] = [line for line in lines if "  Deleted 2.js" in line]
    assert "undone" in undone
    assert any("Undid “Deleted 2.js and 3.js”" in line for line in lines)


def test_has_a_line_for_each_in_a_pipe(history: Path) -> None:
    lines = run("log").stdout.splitlines()
    assert len(lines) == 4
    for line in lines:
        assert re.match(
            r"[0-9a-z]{13}  \d{4}-\d\d-\d\d \d\d:\d\d:\d\d \(", line
        )
    assert lines[0].endswith("Deleted 2.js and 3.js  [codex 2.1 codex]")
    assert lines[3].endswith(f"[claude-code 2.1 claude-code]  “{PROMPT}”")
    assert "$ sed -i s/line/fast/ 0.js" in lines[3]
    # The whole of it on a terminal, too.
    full = terminals.run("log", "--full", columns=1000).lines
    assert [line.split()[0] for line in full] == [
        line.split()[0] for line in lines
    ]


def test_is_json(history: Path) -> None:
    page = json.loads(run("log", "--json", "-n", "3").stdout)
    newest, _, command = page["changes"]
    assert page["next_cursor"] == command["change_id"]
    assert newest["title"] == "Deleted 2.js and 3.js"
    assert newest["prompt"] is None
    assert newest["removed"] == 4
    assert command["prompt"] == PROMPT
    assert command["command"].startswith("sed -i s/line/fast/ 1.js && echo")
    assert [file["path"] for file in command["files"]] == ["1.js"]
    sessions = json.loads(run("log", "--sessions", "--json").stdout)
    assert [row["session"] for row in sessions["sessions"]] == [
        "codex",
        "claude-code",
    ]
    found = json.loads(run("log", "--grep", "fast", "--json").stdout)
    assert [hit["path"] for hit in found["hits"]] == ["1.js", "0.js"]
    assert found["hits"][0]["rows"][0]["text"] == "fast"
    compared = json.loads(run("diff", "codex", "--json").stdout)
    assert len(compared["change_ids"]) == 2
    assert {file["action"] for file in compared["files"]} == {
        "created",
        "deleted",
    }
    shown = json.loads(run("show", "--json").stdout)
    assert shown["change"]["change_id"] == newest["change_id"]
    assert "-line\n" in shown["diff"]
    together = json.loads(run("show", "--session", "codex", "--json").stdout)
    assert together["change"] is None
    assert len(together["change_ids"]) == 2
    assert {file["path"]: file["added"] for file in together["files"]} == {
        "2.js": 0,
        "3.js": 0,
        "new/größe 漢字.txt": 2,
    }


@pytest.mark.parametrize(
    ("words", "status", "answer"),
    [
        pytest.param(["log"], 0, "nothing has been changed here yet", id="log"),
        pytest.param(
            ["show"], 1, "nothing has been changed here yet", id="show"
        ),
        pytest.param(
            ["rewind", "last"],
            1,
            "nothing has been changed here yet",
            id="last",
        ),
        pytest.param(
            ["rewind", "foo"], 1, "nothing has been changed here yet", id="foo"
        ),
        pytest.param(["log", "0.jsx"], 1, "did you mean 0.js", id="path"),
    ],
)
def test_explains_an_empty_history(
    root: Path, words: list[str], status: int, answer: str
) -> None:
    result = run(*words)
    assert result.exit_code == status
    assert answer in result.output


def test_shows_prompt_and_command_whole(root: Path) -> None:
    with agent(root, "claude-code") as workspace:
        text = f"{PROMPT}\nas soon as it goes"
        PromptTexts(workspace).add("claude-code", "t1", text)
        shell(
            workspace,
            COMMAND,
            lambda: (root / "5.js").write_text("fast"),
            "t1",
        )
    listed = terminals.run("log", columns=140).lines
    assert f"“{PROMPT} …”" in listed[0]
    assert "  $ python3 - <<'END' …  " in listed[1]
    [change] = json.loads(run("log", "--json").stdout)["changes"]
    assert change["prompt"] == f"{PROMPT}\nas soon as it goes"
    assert change["command"] == COMMAND
    shown = terminals.run("show").text
    assert f"prompt:\n  {PROMPT}\n  as soon as it goes\n" in shown
    assert "command:\n  python3 - <<'END'\n  open('5.js'" in shown


def test_names_no_change(history: Path) -> None:
    assert (
        run("log", "--since", "1 s ago", "4.js").stdout == "no change matches\n"
    )
    unknown = run("log", "5.js")
    assert unknown.exit_code == 1
    assert "5.js has no history" in unknown.stderr


def test_refuses_unknown_change(folder: Path) -> None:
    result = run("show", "no-such-change")
    assert result.exit_code == 1
    assert result.stderr.startswith(("not_found", "invalid_input"))


def test_filters_and_goes_on(sessions: Path) -> None:
    newest, *_ = (row.split()[0] for row in run("log").stdout.splitlines())
    assert len(run("log", "--session", "first").stdout.splitlines()) == 3
    assert len(run("log", "--client", "agent S").stdout.splitlines()) == 1
    assert len(run("log", "--since", "@~2").stdout.splitlines()) == 2
    assert (
        len(run("log", "--since", "1 h ago", "t.txt").stdout.splitlines()) == 3
    )
    first = run("log", "-n", "2").stdout.splitlines()
    assert first[0].startswith(newest)
    cursor = first[-1].split()[-1]
    assert first[-1] == f"more: add --cursor {cursor}"
    rest = run("log", "--cursor", cursor).stdout.splitlines()
    assert [row.split()[0] for row in first[:2] + rest] == [
        row.split()[0] for row in run("log").stdout.splitlines()
    ]
    assert "modified   t.txt  +2 -1" in run("log", "--stat").stdout
    assert "+twenty" in run("log", "-p").stdout
    assert newest in run("show").stdout
    assert newest in run("show", newest[:12]).stdout
    assert "[Agent second second]" in run("log").stdout
