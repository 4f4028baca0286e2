"""The hooks that clients run around commands and prompts."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests import processes

from filewright import Settings, Workspace
from filewright.mailbox.prompts import PromptTexts
from filewright.progress import Task


@pytest.fixture
def root(tmp_path: Path) -> Path:
    made = tmp_path / "work"
    (made / "src").mkdir(parents=True)
    (made / "a.txt").write_bytes(b"one\ntwo\r\nthree")
    (made / "src" / "b.py").write_bytes(b"b = 1\n")
    (made / "src" / "c.py").write_bytes(b"c = 1\n")
    (made / "link").symlink_to("a.txt")
    (made / ".gitignore").write_text("out/\n")
    (tmp_path / "older" / "o").mkdir(parents=True)
    (tmp_path / "older" / "o" / "o.txt").write_text("from elsewhere")
    return made


def _tree(root: Path) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for folder, folders, files in os.walk(root):
        for name in folders + files:
            path = Path(folder, name)
            shown = str(path.relative_to(root))
            if path.is_symlink():
                found[shown] = ("link", os.readlink(path))
            else:
                found[shown] = (
                    path.stat().st_mode,
                    path.read_bytes() if path.is_file() else None,
                )
    return found


def _git(root: Path, *words: str) -> None:
    name = ("-c", "user.name=n", "-c", "user.email=e@example.org")
    subprocess.run(
        ["git", *name, *words], cwd=root, check=True, capture_output=True
    )


def _hook(
    name: str, root: Path, state: Path, given: object, *more: str
) -> subprocess.CompletedProcess[str]:
    return processes.run(
        [*processes.FILEWRIGHT, "snapshot", name, "--hook", *more],
        given=given if isinstance(given, str) else json.dumps(given),
        cwd=root,
        env={**os.environ, "FILEWRIGHT_STATE_DIR": str(state)},
    )


CALLS = {
    "claude-code": {
        "session_id": "abc-1",
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": "rm a.txt", "description": "x"},
        "tool_use_id": "toolu_1",
    },
    "gemini-cli": {
        "session_id": "abc-1",
        "hook_event_name": "BeforeTool",
        "tool_name": "run_shell_command",
        "tool_input": {"command": "rm a.txt"},
    },
    "codex": {
        "session_id": "abc-1",
        "turn_id": "t1",
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_use_id": "call_1",
        "tool_input": {"command": "rm a.txt"},
    },
    "cursor": {
        "conversation_id": "abc-1",
        "generation_id": "t1",
        "hook_event_name": "beforeShellExecution",
        "command": "rm a.txt",
    },
    "vscode": {
        "session_id": "abc-1",
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": "rm a.txt"},
    },
    "vscode local": {
        "sessionId": "abc-1",
        "hookEventName": "PreToolUse",
        "tool_name": "run_in_terminal",
        "tool_input": {"command": "rm a.txt", "isBackground": False},
        "tool_use_id": "call_1",
    },
}


@pytest.mark.parametrize("agent", CALLS)
def test_hooks_record_commands(root: Path, tmp_path: Path, agent: str) -> None:
    state = tmp_path / "state"
    given = {**CALLS[agent], "cwd": str(root / "src")}
    if agent == "cursor":
        given["workspace_roots"] = [str(root)]
    else:
        given["cwd"] = str(root)
    begun = _hook("begin", root, state, given)
    assert (begun.returncode, begun.stdout, begun.stderr) == (0, "", "")
    (root / "a.txt").unlink()
    ended = _hook(
        "end",
        root,
        state,
        {**given, "tool_response": {}, "output": ""},
        "--actor",
        agent,
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")
    with Workspace(root, settings=Settings(state_dir=state)) as workspace:
        [record] = workspace.history()
        assert (record.tool, record.summary, record.client) == (
            "shell",
            "shell: rm a.txt",
            agent,
        )
        assert record.session == "abc-1"
        workspace.revert_edit(session="abc-1")
    assert (root / "a.txt").read_bytes() == b"one\ntwo\r\nthree"


def test_tool_with_another_name_afterwards(root: Path, tmp_path: Path) -> None:
    """And hooks that are called twice, since an agent reads two files of them, record it once."""
    state = tmp_path / "state"
    given = {
        "session_id": "abc-1",
        "cwd": str(root),
        "tool_input": {"path": str(root / "a.txt"), "file_text": "x"},
    }
    for _ in range(2):
        _hook(
            "begin",
            root,
            state,
            {**given, "hook_event_name": "PreToolUse", "tool_name": "Write"},
        )
    (root / "a.txt").write_text("x")
    for _ in range(2):
        _hook(
            "end",
            root,
            state,
            {**given, "hook_event_name": "PostToolUse", "tool_name": "create"},
        )
    with Workspace(root, settings=Settings(state_dir=state)) as workspace:
        [record] = workspace.history()
        assert (record.summary, record.session) == ("Edit a.txt", "abc-1")


def test_many_folders(root: Path, tmp_path: Path) -> None:
    """The hooks' records tell what has changed, come and gone in each."""
    state = tmp_path / "state"
    folders = [root / f"folder{number}" for number in range(12)]
    for folder in folders:
        folder.mkdir()
        for number in range(50):
            (
                folder / f"{number}-with-a-rather-long-name-of-forty-characters"
            ).write_text(f"{number}")

    def command(number: int, change: Callable[[], object]) -> None:
        given = {
            **CALLS["claude-code"],
            "cwd": str(root),
            "tool_use_id": str(number),
        }
        assert _hook("begin", root, state, given).stderr == ""
        change()
        assert _hook("end", root, state, given).stderr == ""

    command(1, lambda: None)
    Workspace(root, settings=Settings(state_dir=state)).recorder.store_ahead(
        Task(), seconds=60
    )
    names = [
        f"{number}-with-a-rather-long-name-of-forty-characters"
        for number in (0, 1)
    ]
    command(
        2,
        lambda: [(folder / names[0]).write_text("other") for folder in folders],
    )
    command(
        3,
        lambda: [
            (folder / names[0]).rename(folder / "moved")
            for folder in folders[2:4]
        ],
    )
    command(4, lambda: [shutil.rmtree(folder) for folder in folders[:2]])
    command(5, lambda: [(folder / "new").mkdir() for folder in folders[6:8]])
    with Workspace(root, settings=Settings(state_dir=state)) as workspace:
        found = [
            (len(record.file_changes), record.notes)
            for record in workspace.history()
        ]
        assert found == [(2, ()), (102, ()), (2, ()), (12, ())]
        workspace.revert_edit(session="abc-1")
    assert all((folder / names[0]).read_text() == "0" for folder in folders)
    assert sum(len(list(folder.iterdir())) for folder in folders) == 600


def test_ends_in_another_folder(root: Path, tmp_path: Path) -> None:
    state = tmp_path / "state"
    given = CALLS["claude-code"]
    assert _hook("begin", root, state, {**given, "cwd": str(root)}).stderr == ""
    (root / "a.txt").unlink()
    assert (
        _hook(
            "end", root / "src", state, {**given, "cwd": str(root / "src")}
        ).stderr
        == ""
    )
    with Workspace(root, settings=Settings(state_dir=state)) as workspace:
        [record] = workspace.history()
        assert [entry.path.display_path for entry in record.file_changes] == [
            "a.txt"
        ]


@pytest.mark.parametrize(
    "given",
    [
        "",
        "{",
        "[1]",
        '{"tool_input": 3, "session_id": {}}',
        '{"cwd": "/gone/x"}',
    ],
)
def test_hook_never_fails(root: Path, tmp_path: Path, given: str) -> None:
    for name in ("begin", "end"):
        done = _hook(name, root, tmp_path / "state", given)
        assert (done.returncode, done.stdout) == (0, "")
        assert "Traceback" not in done.stderr
    (tmp_path / "file").write_text("")
    done = _hook("begin", root, tmp_path / "file", CALLS["codex"])
    assert done.returncode == 0
    assert done.stderr


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("rm -r src large.bin", True),
        ("git clean -f && mv *.bin /tmp", True),
        ("cat large.bin", False),
        ("rm a.txt", False),
    ],
)
def test_warns_of_what_could_not_be_restored(
    root: Path, tmp_path: Path, command: str, said: bool
) -> None:
    (root / "large.bin").write_bytes(b"x" * (1 << 20) + b"y")
    given = {
        **CALLS["claude-code"],
        "cwd": str(root),
        "tool_input": {"command": command},
    }
    begun = _hook("begin", root, tmp_path / "state", given)
    assert (begun.returncode, begun.stderr) == (0, "")
    if said:
        assert (
            "not stored, so a change of these files cannot be undone: "
            "large.bin (1.0 MB)" in json.loads(begun.stdout)["systemMessage"]
        )
    else:
        assert begun.stdout == ""


def test_warns_of_nothing_that_git_has(root: Path, tmp_path: Path) -> None:
    (root / "large.bin").write_bytes(b"x" * (1 << 20) + b"y")
    os.utime(root / "large.bin", (10**9, 10**9))
    _git(root, "init", "-q")
    _git(root, "add", "-A")
    given = {
        **CALLS["claude-code"],
        "cwd": str(root),
        "tool_input": {"command": "rm large.bin"},
    }
    assert _hook("begin", root, tmp_path / "state", given).stdout == ""


def test_hook_before_a_prompt(root: Path, tmp_path: Path) -> None:
    state = tmp_path / "state"
    about = {
        "session_id": "abc-1",
        "cwd": str(root),
        "hook_event_name": "UserPromptSubmit",
    }
    turns = []

    def hook(name: str, given: object) -> str:
        done = _hook(name, root, state, given)
        return done.stdout + done.stderr

    for prompt in ("one", "", "two"):
        assert hook("begin", {**about, "prompt": prompt}) == ""
        given = {
            **CALLS["claude-code"],
            "cwd": str(root),
            "tool_use_id": prompt,
        }
        assert hook("begin", given) == ""
        (root / "a.txt").write_text(f"after {prompt or 'more'}")
        assert hook("end", given) == ""
        with Workspace(root, settings=Settings(state_dir=state)) as workspace:
            turns.append(workspace.history()[0].turn)
    assert turns[0]
    assert turns[0] == turns[1], "an empty prompt is none: the turn goes on"
    assert turns[2] not in (None, turns[0])
    with Workspace(root, settings=Settings(state_dir=state)) as workspace:
        texts = [PromptTexts(workspace).find("abc-1", turn) for turn in turns]
    assert texts == ["one", "one", "two"]


@pytest.mark.parametrize("hook", [False, True])
def test_lists_again_without_the_inner_root(
    root: Path, tmp_path: Path, hook: bool
) -> None:
    """Else nobody would see what a command does in the folder that was a root then."""
    state = tmp_path / "state"
    settings = Settings(state_dir=state)

    def command(line: str) -> None:
        given = {
            **CALLS["claude-code"],
            "cwd": str(root),
            "tool_use_id": line[-5:],
        }
        with Workspace(root, settings=settings) as alone:
            begun = None if hook else alone.begin_command()
            assert not hook or _hook("begin", root, state, given).stderr == ""
            subprocess.run(line, shell=True, cwd=root, check=True)
            assert not hook or _hook("end", root, state, given).stderr == ""
            if begun is not None:
                alone.end_command(begun, line)

    command("true")
    (root / "src" / "new").write_text("by a person")
    with Workspace(root, root / "src", settings=settings) as both:
        both.end_command(both.begin_command(), "true")
    before = _tree(root)
    command("mv a.txt src; rm src/b.py")
    with Workspace(root, settings=settings) as alone:
        found = {
            (entry.action, entry.path.display_path)
            for record in alone.history()
            for entry in record.file_changes
        }
        assert found == {
            ("deleted", "a.txt"),
            ("created", "src/a.txt"),
            ("deleted", "src/b.py"),
        }
        for _ in alone.history():
            alone.undo()
    assert _tree(root) == before


@pytest.mark.sweep
@pytest.mark.timeout(900)
def test_restores_200_of_100_000_files(root: Path, tmp_path: Path) -> None:
    """Kept in the background from the first prompt on, and within the budget of bytes."""
    for folder in range(500):
        (root / f"folder{folder}").mkdir()
        for file in range(200):
            (root / f"folder{folder}" / f"{file}.txt").write_text(
                f"{folder} {file}\n" * 40
            )
    for path in (
        root / "folder7"
    ).iterdir():  # the last ones that would be kept
        os.utime(path, (10**9, 10**9))
    before = _tree(root / "folder7")
    state = tmp_path / "state"
    _hook(
        "begin",
        root,
        state,
        {"session_id": "abc-1", "cwd": str(root), "prompt": "Tidy up"},
    )
    deadline, kept_files = time.monotonic() + 300, 0  # five minutes
    while kept_files < 100_000:
        assert time.monotonic() < deadline, f"{kept_files} files are kept"
        time.sleep(3)
        for cache in state.rglob("kept.db"):
            with closing(
                sqlite3.connect(f"file:{cache}?mode=ro", uri=True)
            ) as reading:
                [(kept_files,)] = reading.execute("SELECT count(*) FROM kept")
    given = {
        **CALLS["claude-code"],
        "cwd": str(root),
        "tool_input": {"command": "find . -name '7*' -delete"},
    }
    assert _hook("begin", root, state, given).stdout == ""
    shutil.rmtree(root / "folder7")
    assert _hook("end", root, state, given).stderr == ""
    with Workspace(root, settings=Settings(state_dir=state)) as workspace:
        [record] = workspace.history()
        assert (len(record.file_changes), record.notes) == (201, ())
        workspace.undo(record.id)
    assert _tree(root / "folder7") == before
    kept = sum(
        path.stat().st_size for path in state.rglob("*") if path.is_file()
    )
    assert kept < 256 << 20
