"""The commands: what is printed where, and the exit codes 0, 1 and 2."""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from tests import processes, terminals

from filewright.boundary.names import temporary_name
from filewright.cli.program import program


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "root"
    folder.mkdir()
    (folder / "a.txt").write_bytes(b"one\r\ntwo\r\n")
    monkeypatch.setenv("FILEWRIGHT_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.delenv("FILEWRIGHT_ROOTS", raising=False)
    monkeypatch.delenv("CLAUDE_PROJECT_DIR", raising=False)
    monkeypatch.chdir(folder)
    return folder


def run(*arguments: str, stdin: str | bytes | None = None) -> Result:
    return CliRunner().invoke(program, arguments, input=stdin)


def edit(search: str, replace: str) -> Result:
    change = {
        "path": "a.txt",
        "edits": [{"search": search, "replace": replace}],
    }
    return run("call", "edit_content", json.dumps(change))


def test_call_prints_the_answer(root: Path) -> None:
    result = run("call", "read_content", '{"path": "a.txt"}')
    assert result.exit_code == 0
    assert "one" in result.stdout
    assert result.stderr == ""


def test_call_takes_its_arguments_from_standard_input(root: Path) -> None:
    result = run("call", "read_content", "-", stdin='{"path": "a.txt"}')
    assert result.exit_code == 0
    assert "two" in result.stdout


def test_call_prints_json_when_asked(root: Path) -> None:
    result = run("call", "read_content", '{"path": "a.txt"}', "--json")
    answer = json.loads(result.stdout)
    assert answer["is_error"] is False
    assert answer["code"] is None
    assert "one" in answer["text"]
    assert isinstance(answer["data"], dict)


def test_an_error_of_the_tool_is_one_on_standard_error(root: Path) -> None:
    result = run("call", "read_content", '{"path": "absent"}')
    assert result.exit_code == 1
    assert result.stdout == ""
    assert result.stderr.startswith("not_found: ")
    as_json = run("call", "read_content", '{"path": "absent"}', "--json")
    assert as_json.exit_code == 1
    assert json.loads(as_json.stderr)["code"] == "not_found"


def test_a_wrong_argument_is_an_error_of_the_tool(root: Path) -> None:
    result = run("call", "read_content", '{"path": 3}')
    assert result.exit_code == 1
    assert "path" in result.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ("call",),
        ("call", "read_content"),
        ("call", "read_content", "{"),
        ("call", "read_content", "[]"),
        ("call", "read_content", '"x"'),
        ("call", "no_such_tool", "{}"),
        ("call", "read_content", "{}", "--no-such-flag"),
        ("no-such-command",),
        ("serve", "--tools", "nonsense"),
        ("serve", "--http"),
        ("config", "no-such-client"),
        ("completion", "no-such-shell"),
    ],
)
def test_wrong_use_is_two(root: Path, arguments: tuple[str, ...]) -> None:
    result = run(*arguments)
    assert result.exit_code == 2
    assert result.stderr


def test_several_roots(root: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "b.txt").write_text("three\n")
    result = run(
        "call",
        "read_content",
        '{"path": "other:b.txt"}',
        "--root",
        str(root),
        "--root",
        str(other),
    )
    assert result.exit_code == 0, result.stderr
    assert "three" in result.stdout


def test_the_tools_and_a_schema_can_be_listed(root: Path) -> None:
    listed = run("call", "--list")
    assert listed.exit_code == 0
    assert "edit_content" in listed.stdout
    schema = run("call", "edit_content", "--schema")
    assert schema.exit_code == 0
    assert '"additionalProperties": false' in schema.stdout


def test_read_only_refuses_changes(root: Path) -> None:
    result = run(
        "call",
        "write_content",
        '{"items": [{"path": "n", "content": ""}]}',
        "--read-only",
    )
    assert result.exit_code != 0
    assert not (root / "n").exists()


def test_the_history_is_listed_shown_and_undone(root: Path) -> None:
    assert edit("one", "1").exit_code == 0
    assert edit("two", "2").exit_code == 0
    assert (root / "a.txt").read_bytes() == b"1\r\n2\r\n"
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
    assert (root / "a.txt").read_bytes() == b"1\r\ntwo\r\n"
    assert run("undo", older, "--yes").exit_code == 0
    assert (root / "a.txt").read_bytes() == b"one\r\ntwo\r\n"
    assert run("undo", "--yes").exit_code == 1


def test_undo_goes_back_step_by_step(root: Path) -> None:
    edit("one", "1")
    edit("two", "2")
    assert run("undo", "--yes").exit_code == 0
    assert (root / "a.txt").read_bytes() == b"1\r\ntwo\r\n"
    assert run("undo", "--yes").exit_code == 0
    assert (root / "a.txt").read_bytes() == b"one\r\ntwo\r\n"


def test_undo_asks_and_takes_no_for_an_answer(root: Path) -> None:
    edit("one", "1")
    refused = run("undo", stdin="n\n")
    assert refused.exit_code == 1
    assert (root / "a.txt").read_bytes() == b"1\r\ntwo\r\n"
    assert "-1" in refused.stdout
    assert run("undo", stdin="y\n").exit_code == 0
    assert (root / "a.txt").read_bytes() == b"one\r\ntwo\r\n"


def test_there_is_nothing_to_undo_at_first(root: Path) -> None:
    result = run("undo", "--yes")
    assert result.exit_code == 1
    assert "no change to undo" in result.stderr


def test_an_unknown_change_is_refused(root: Path) -> None:
    result = run("show", "no-such-change")
    assert result.exit_code == 1
    assert result.stderr.startswith(("not_found", "invalid_input"))


def test_doctor_says_what_is_here(root: Path) -> None:
    result = run("doctor")
    assert result.exit_code == 0, result.output
    for what in (
        "filewright",
        "platform",
        "beneath",
        "confine",
        "ripgrep",
        "languages",
        "state folder",
        "unfinished changes",
    ):
        assert what in result.stdout


def test_doctor_names_damage_and_goes_on(root: Path) -> None:
    assert edit("one", "1").exit_code == 0
    state = next((root.parent / "state").glob("*/state.db"))
    with contextlib.closing(sqlite3.connect(state)) as database, database:
        database.execute("UPDATE operations SET summary = 'other words'")
    (root / temporary_name().decode()).write_text("left")
    result = run("doctor")
    assert result.exit_code == 0
    assert "the record of the change" in result.stdout
    assert "is damaged" in result.stdout
    assert "unfinished changes" in result.stdout
    assert "no unfinished change names them" in result.stdout
    refused = run("doctor", "--leave", "1hv000000000a")
    assert refused.exit_code == 1
    assert "waits to be settled" in refused.stderr


def test_doctor_writes_what_it_found_before_an_error(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert edit("one", "1").exit_code == 0
    monkeypatch.setenv("FILEWRIGHT_READ_ONLY", "1")
    result = run("doctor")
    assert "log of changes      sound" in result.stdout
    assert "not looked at" in result.stdout


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_prints_a_script(shell: str) -> None:
    result = run("completion", shell)
    assert result.exit_code == 0
    assert "_FILEWRIGHT_COMPLETE" in result.stdout


@pytest.mark.parametrize(
    "command",
    [
        "serve",
        "call",
        "log",
        "show",
        "undo",
        "redo",
        "rewind",
        "restore",
        "snapshot",
        "doctor",
        "config",
        "completion",
    ],
)
def test_every_command_has_help_with_an_example(command: str) -> None:
    result = run(command, "--help")
    assert result.exit_code == 0
    assert "Example" in result.stdout
    assert f"filewright {command}" in result.stdout


def test_a_setting_that_does_not_fit_is_named(root: Path) -> None:
    environment = {**os.environ, "FILEWRIGHT_PAGE_CHARS": "many"}
    result = processes.run(
        [*processes.FILEWRIGHT, "call", "list_files", "{}"], env=environment
    )
    assert result.returncode == 2
    assert "FILEWRIGHT_PAGE_CHARS" in result.stderr


def test_a_root_that_is_not_there_is_two(root: Path) -> None:
    result = processes.run(
        [*processes.FILEWRIGHT, "call", "list_files", "{}", "--root", "absent"]
    )
    assert result.returncode == 2
    assert "absent" in result.stderr


def test_output_is_utf8_whatever_the_locale(root: Path) -> None:
    (root / "ü.txt").write_text("größe 漢\n", encoding="utf-8")
    result = subprocess.run(
        [
            sys.executable,
            "-m",
            "filewright",
            "call",
            "read_content",
            '{"path": "ü.txt"}',
        ],
        env={
            **os.environ,
            "LC_ALL": "C",
            "PYTHONUTF8": "0",
            "PYTHONIOENCODING": "ascii",
        },
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    assert "größe 漢".encode() in result.stdout


def completed(words: str) -> list[str]:
    """What bash is offered for the last word of `words`."""
    environment = {
        **os.environ,
        "_FILEWRIGHT_COMPLETE": "bash_complete",
        "COMP_WORDS": words,
        "COMP_CWORD": str(len(words.split(" ")) - 1),
    }
    done = processes.run(
        [sys.executable, "-c", "from filewright.cli import main; main()"],
        env=environment,
    )
    return [line.partition(",")[2] for line in done.stdout.splitlines()]


def test_the_shell_completes_commands_tools_and_changes(root: Path) -> None:
    edit("one", "1")
    assert completed("filewright do") == ["doctor"]
    assert completed("filewright call read_") == ["read_content"]
    assert completed("filewright call --dialect agent-tools multi") == [
        "multi_edit"
    ]
    [change] = completed("filewright show ")
    assert run("show", change).exit_code == 0


LINES = "".join(f"line {n}\n" for n in range(1, 31))


@pytest.fixture
def sessions(root: Path) -> Path:
    """Two sessions that have worked in one file, and what the first of them did besides."""
    (root / "t.txt").write_text(LINES)

    def edit(session: str, line: int, new: str) -> None:
        edits = [{"search": f"line {line}\n", "replace": new}]
        given = json.dumps({"path": "t.txt", "edits": edits})
        assert (
            run(
                "call",
                "edit_content",
                given,
                "--session",
                session,
                "--actor",
                f"Agent {session}",
            ).exit_code
            == 0
        )

    edit("first", 3, "three\n")
    edit("second", 20, "twenty\nmore\n")
    edit("first", 5, "five\n")
    assert (
        run(
            "call",
            "write_content",
            '{"items": [{"path": "fresh.txt", "content": "n"}]}',
            "--session",
            "first",
        ).exit_code
        == 0
    )
    return root / "t.txt"


def test_a_session_is_listed_shown_and_rewound(sessions: Path) -> None:
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


def test_the_log_is_filtered_and_goes_on(sessions: Path) -> None:
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


def test_a_hunk_and_a_file_of_a_change_are_undone_and_a_file_is_restored(
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


def test_hints_name_commands_and_a_conflict_shows_both_sides(
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
    assert "filewright log" in refused.stderr
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


def test_a_second_history_of_a_root_is_found(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert edit("one", "1").exit_code == 0
    assert "second history" not in run("doctor").stdout
    elsewhere = root.parent / "elsewhere"
    monkeypatch.delenv("FILEWRIGHT_STATE_DIR")
    monkeypatch.setenv("XDG_STATE_HOME", str(elsewhere))
    monkeypatch.setenv("HOME", str(root.parent / "home"))
    assert edit("two", "2").exit_code == 0
    monkeypatch.setenv("FILEWRIGHT_STATE_DIR", str(root.parent / "state"))
    found = run("doctor").stdout
    assert f"{elsewhere}/filewright has 1 change of these roots" in found


def test_a_state_folder_that_a_client_names_is_looked_at(root: Path) -> None:
    own = root.parent / "own state"
    environment = {**os.environ, "FILEWRIGHT_STATE_DIR": str(own)}
    change = '{"path": "a.txt", "edits": [{"search": "one", "replace": "1"}]}'
    assert (
        processes.run(
            [*processes.FILEWRIGHT, "call", "edit_content", change],
            env=environment,
        ).returncode
        == 0
    )
    server = {
        "command": "filewright",
        "args": ["serve", ".", "--state-dir", str(own)],
    }
    (root / ".mcp.json").write_text(
        json.dumps({"mcpServers": {"filewright": server}})
    )
    assert f"{own} has 1 change of these roots" in run("doctor").stdout


@pytest.mark.skipif(sys.platform == "win32", reason="a terminal of Unix")
def test_says_in_a_terminal_what_is_going_on(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def said() -> list[str]:
        found = terminals.run().lines
        assert found[0] == f"{root}; history: {root.parent / 'state'}"
        return found[1:]

    monkeypatch.setenv("HOME", str(root.parent / "home"))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    assert run().exit_code == 2
    assert said() == [
        "nothing has been changed here yet",
        "clients: none is configured",
        "next: filewright setup connects your agents",
    ]
    assert run("setup", "gemini", "--yes").exit_code == 0
    assert said()[-2:] == [
        "clients: Gemini CLI",
        "next: filewright setup --check tests them; then let one change a file",
    ]
    for old, new in (("one", "1"), ("two", "2")):
        assert edit(old, new).exit_code == 0
    *changes, clients, last = said()
    assert ["Edited a.txt" in change for change in changes] == [
        False,
        True,
        True,
        False,
    ], "the newest three, and a heading"
    assert clients == "clients: Gemini CLI"
    assert last.startswith("next: filewright review")
