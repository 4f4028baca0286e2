"""What a shell command did is recorded by a call before it and one after it."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest
from tests import processes

from filewright import FilewrightError, Settings, Workspace
from filewright.mailbox.prompts import PromptTexts
from filewright.progress import Task
from filewright.recording.baseline import Budget


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


@pytest.fixture
def workspace(root: Path, tmp_path: Path) -> Any:
    with Workspace(
        root, settings=Settings(state_dir=tmp_path / "state"), session="s"
    ) as made:
        yield made


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


COMMANDS = [
    "sed -i s/two/TWO/ a.txt",
    "rm a.txt && mkdir a.txt && echo x > a.txt/x",
    "mv src lib",
    "mv src/b.py src/d.py && mv src/c.py src/b.py && mv src/d.py src/c.py",
    "mv src lib && echo 'b = 2' > lib/b.py && mv lib/c.py c2.py && mkdir -p deep/er && mv lib deep/er/lib",
    "rm -r src",
    "chmod 600 a.txt && chmod 700 src",
    "ln -sf src/b.py link && ln -s gone other",
    "mkdir -p new/er && printf new > new/er/n.txt && cp -r src copied",
    "rm link && echo 'no link' > link",
    "printf 'b = 3\\n' > src/t && mv src/t src/b.py",
    "mv src lib && ln -s lib src",
    "mv src lib && chmod 600 lib/b.py && chmod 700 lib",
    "mv src ../out && ln -s ../out src",
    "rm -r src && mv ../older src",
    "mv ../older src/older && chmod 700 src/older/o",
    "ln a.txt src/again && mv src lib && mv a.txt once",
    "ln src/b.py src/c2.py && ln src/b.py b.py && mv src lib",
    "rm link && mv src link && mv a.txt src",
    "touch -r a.txt ../t; sed -i s/two/TWO/ a.txt; touch -r ../t a.txt",
    "touch -r a.txt ../t; printf 'ONE\\ntwo\\r\\nthree' > a.txt; touch -r ../t a.txt",
    "mv src t && mv ../older src && mv t ../older",
]


@pytest.mark.parametrize("command", COMMANDS)
def test_undoes_and_redoes_a_command(
    workspace: Any, root: Path, command: str
) -> None:
    before = _tree(root)
    begun = workspace.begin_command()
    subprocess.run(command, shell=True, cwd=root, check=True)
    after = _tree(root)
    [record] = workspace.end_command(begun, command)
    assert record.tool == "shell"
    assert command.split(maxsplit=1)[0] in record.summary
    assert record.notes == ()
    made = workspace.undo(record.id)
    assert _tree(root) == before
    workspace.undo(made.change_id)
    assert _tree(root) == after
    workspace.revert_edit(session="s")
    assert _tree(root) == before


@pytest.mark.parametrize(
    "command", ["rm a.txt && mkfifo a.txt", "echo unreadable > a.txt"]
)
def test_file_becomes_a_pipe_or_unreadable(
    workspace: Any, root: Path, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = _tree(root)
    begun = workspace.begin_command()
    subprocess.run(command, shell=True, cwd=root, check=True)
    monkeypatch.setattr(
        "filewright.recording.baseline.Baseline.read_current", lambda *_: None
    )
    [record] = workspace.end_command(begun, command)
    assert [entry.path.display_path for entry in record.file_changes] == [
        "a.txt"
    ]
    workspace.revert_edit(record.id, force=True)
    assert _tree(root) == before


def test_command_without_changes(workspace: Any, root: Path) -> None:
    begun = workspace.begin_command()
    os.utime(root / "a.txt")
    (root / "out").mkdir()
    (root / "out" / "built").write_text("x")
    assert list(workspace.end_command(begun, "make")) == []
    with pytest.raises(FilewrightError) as caught:
        workspace.end_command(begun, "make")
    assert caught.value.code == "not_found"


@pytest.mark.parametrize(
    ("command", "recorded"),
    [
        ("true > .gitignore", [".gitignore"]),
        ("rm .gitignore", [".gitignore"]),
        ("printf 'src/\\na.txt\\n' >> .gitignore", [".gitignore"]),
        ("rm .git/info/exclude", []),
        ("rm .agentsignore", []),
        ("mv src lib", ["lib"]),
        (
            "true > .gitignore; mv ../older . && mkdir n && echo > n/n",
            [".gitignore", "n", "n/n", "older", "older/o", "older/o/o.txt"],
        ),
    ],
)
def test_ignored_before_or_after(
    workspace: Any, root: Path, command: str, recorded: list[str]
) -> None:
    hidden = ("out/old", "src/built.o", "excluded/x", "denied/x")
    for name in (*hidden, "out/empty/", ".git/info/exclude"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        if not name.endswith("/"):
            (root / name).write_text("excluded/\n")
    (root / ".gitignore").write_text("out/\n/src/*.o\n")
    (root / ".agentsignore").write_text("denied/\n")
    begun = workspace.begin_command()
    subprocess.run(command, shell=True, cwd=root, check=True)
    changes = workspace.end_command(begun, command)
    assert [
        entry.path.display_path
        for record in changes
        for entry in record.file_changes
    ] == recorded
    for record in changes:
        workspace.undo(record.id)
    assert [(root / name).read_text() for name in hidden] == [
        "excluded/\n"
    ] * len(hidden)


@pytest.mark.parametrize("same", [True, False])
def test_clock_of_another_file_system(root: Path, same: bool) -> None:
    places = [root.parent, Path("/dev/shm"), Path("/var/tmp"), Path.home()]
    device = root.stat().st_dev
    chosen = [
        place
        for place in places
        if place.is_dir() and (place.stat().st_dev == device) is same
    ]
    if not chosen:
        pytest.skip("there is one file system only")
    (root / "out").mkdir()
    (root / "out" / "young").write_text("x")
    with (
        tempfile.TemporaryDirectory(dir=chosen[0]) as state,
        Workspace(root, settings=Settings(state_dir=Path(state))) as workspace,
    ):
        begun = workspace.begin_command()
        (root / ".gitignore").write_text("")
        [record] = workspace.end_command(begun, "git checkout")
    young = [] if same else ["out", "out/young"]
    assert [entry.path.display_path for entry in record.file_changes] == [
        ".gitignore",
        *young,
    ]


def test_tools_meanwhile_are_recorded_once(workspace: Any, root: Path) -> None:
    before = _tree(root)
    begun = workspace.begin_command()
    workspace.edit("a.txt", [{"search": "two", "replace": "2"}])
    workspace.write("n.txt", "n\n")
    (root / "src" / "b.py").write_bytes(b"b = 2\n")
    [record] = workspace.end_command(begun, "a command")
    assert [entry.path.display_path for entry in record.file_changes] == [
        "src/b.py"
    ]
    assert record.notes == ()
    workspace.revert_edit(session="s")
    assert _tree(root) == before
    begun = workspace.begin_command()
    workspace.edit("a.txt", [{"search": "two", "replace": "2"}])
    edited = _tree(root)["a.txt"]
    (root / "a.txt").write_bytes(b"another")
    [record] = workspace.end_command(begun, "a command")
    assert [entry.path.display_path for entry in record.file_changes] == [
        "a.txt"
    ]
    assert record.notes == ()
    workspace.undo(record.id)
    assert _tree(root)["a.txt"] == edited


def _goes_back_and_comes_again(
    workspace: Any,
    root: Path,
    records: Sequence[Any],
    moment: str,
    before: object,
) -> None:
    """Nothing was lost, a rewind to the moment gives what was there before, and its undo what was there after."""
    assert [note for record in records for note in record.notes] == []
    after = _tree(root)
    workspace.revert_edit(since=moment)
    assert _tree(root) == before
    workspace.redo()
    assert _tree(root) == after


@pytest.mark.parametrize("then", ["true", "echo more >> a.txt", "rm a.txt"])
@pytest.mark.parametrize(
    "first",
    [
        "printf 'another two' > a.txt",
        "chmod 600 a.txt",
        "rm a.txt; echo two > a.txt",
    ],
)
def test_command_before_a_tool(
    workspace: Any, root: Path, first: str, then: str
) -> None:
    workspace.write("first", "1\n")
    moment, before = workspace.newest(), _tree(root)
    begun = workspace.begin_command()
    subprocess.run(first, shell=True, cwd=root, check=True)
    workspace.edit("a.txt", [{"search": "two", "replace": "2"}])
    subprocess.run(then, shell=True, cwd=root, check=True)
    records = workspace.end_command(begun, "a command")
    assert len(records) == (1 if then == "true" else 2)
    _goes_back_and_comes_again(workspace, root, records, moment, before)


IN_TURN: dict[str, tuple[int, list[str]]] = {
    # how many changes are recorded of the command, and what it does (after `$`) and tools do between
    "a tool alters": (0, ["mode 600 a.txt", "mode 700 src"]),
    "a tool alters, then it writes": (1, ["mode 600 a.txt", "$ echo more >> a.txt"]),
    "it writes, then a tool alters": (1, ["$ echo more >> a.txt", "mode 600 a.txt"]),
    "both alter": (2, ["$ chmod 755 a.txt", "mode 600 a.txt", "$ chmod 711 a.txt"]),
    "it alters what a tool moves": (1, ["$ chmod 755 a.txt", "move a.txt src/a"]),
    "it makes what a tool alters": (1, ["$ echo new > n; mkdir m", "mode 600 n", "mode 700 m"]),
    "it writes between two edits": (1, ["edit a.txt", "$ echo more >> a.txt", "edit a.txt"]),
    "it writes to what a tool made": (1, ["write n", "$ echo more >> n", "edit n"]),
    "it swaps what a tool edits": (1, ["edit a.txt", "$ mv n t; mv a.txt n; mv t a.txt", "edit a.txt"]),
    "it deletes what a tool made": (1, ["write src/d/n", "$ rm -r src", "write src"]),
    "it has a folder for what a tool moves": (
        1, ["$ rm a.txt; mkdir a.txt; echo x > a.txt/x", "move a.txt m"]),
    "it has a file for what a tool moves": (1, ["$ rm -r src; echo two > src", "move src m"]),
    "it has a file for what a tool edits": (1, ["$ rm -r src; echo two > src", "edit src"]),
    "a tool deletes what it makes": (2, ["$ echo new > n", "delete n", "$ rm a.txt"]),
    "a tool deletes what it moves": (1, ["$ mv a.txt n", "delete n"]),
    "a tool deletes a folder in which it puts something": (1, ["$ mv a.txt src/a; ln -s a src/l", "delete src"]),
    "it makes and takes away what a tool edits between": (2, ["$ echo two > n", "edit n", "$ rm n a.txt"]),
    "a tool moves what is ignored": (0, ["move out/o/i k", "move out/o m"]),
    "a tool moves what is ignored, and again": (1, ["move out k", "move k m", "$ echo new > m/new"]),
}  # fmt: skip


def _tick(spare: Path) -> None:
    """Until the file system's clock has gone on."""
    spare.write_bytes(b"")
    then = spare.stat().st_mtime_ns
    while spare.stat().st_mtime_ns == then:
        spare.write_bytes(b"x")


@pytest.mark.parametrize("case", IN_TURN)
def test_command_and_tools_in_turn(
    workspace: Any, root: Path, case: str
) -> None:
    count, steps = IN_TURN[case]
    for name in ("n", "out/o/i", "out/o/j"):
        if name != "n" or "swaps" in case:
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text("another two\n")
    workspace.write("first", "1\n")
    moment, before = workspace.newest(), _tree(root)
    begun = workspace.begin_command()
    _tick(root.parent / "clock")  # As a program takes to start.
    for step in steps:
        match step.split(" "):
            case ["mode", mode, path]:
                workspace.set_permissions(path, mode=mode)
            case ["move", path, to]:
                workspace.move(path, to)
            case ["delete", path]:
                workspace.delete(path, recursive=True)
            case ["edit", path]:
                workspace.edit(
                    path, [{"search": "two", "replace": "(two)"}], fuzzy=False
                )
            case ["write", path]:
                workspace.write(path, "a\ntwo\n")
            case _:
                subprocess.run(
                    step.removeprefix("$ "), shell=True, cwd=root, check=True
                )
    records = workspace.end_command(begun, "a command")
    assert len(records) == count
    _goes_back_and_comes_again(workspace, root, records, moment, before)
    for record in workspace.history(since=moment)[2:]:
        workspace.revert_edit(record.id)
    assert _tree(root) == before


def test_rewinds_a_file_moved_to_another_root(
    root: Path, tmp_path: Path
) -> None:
    (tmp_path / "other").mkdir()
    with Workspace(
        root,
        tmp_path / "other",
        settings=Settings(state_dir=tmp_path / "state"),
    ) as both:
        both.write("first", "1\n")
        moment, before = both.newest(), _tree(root)
        begun = both.begin_command()
        (root / "n").write_text("new\n")
        both.move("n", "other:n")
        (root / "a.txt").unlink()
        both.end_command(begun, "a command")
        both.revert_edit(since=moment)
        assert os.listdir(tmp_path / "other") == []
        assert {path: _tree(root)[path] for path in before} == before


def test_command_in_two_roots_before_a_tool(root: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "b.txt").write_text("two\n")
    with Workspace(
        root, other, settings=Settings(state_dir=tmp_path / "state")
    ) as both:
        both.write("first", "1\n")
        moment, before = both.newest(), (_tree(root), _tree(other))
        begun = both.begin_command()
        for path in (root / "a.txt", other / "b.txt"):
            with path.open("a") as file:
                file.write("more\n")
        items = [
            {"path": path, "content": "tool\n", "mode": "append"}
            for path in ("a.txt", "other:b.txt")
        ]
        both.run("write_content", {"items": items})
        records = both.end_command(begun, "a command")
        assert len({record.id for record in records}) == 2
        both.revert_edit(since=moment)
        assert (_tree(root), _tree(other)) == before


@pytest.mark.parametrize(
    "command", ["true", "echo more >> m.txt", "rm m.txt", "chmod 600 m.txt"]
)
def test_tool_moves_from_another_root(
    root: Path, tmp_path: Path, command: str
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "a.txt").write_text("one\ntwo\n")
    with Workspace(
        root, other, settings=Settings(state_dir=tmp_path / "state")
    ) as both:
        both.write("first", "1\n")
        moment, before = both.newest(), (_tree(root), _tree(other))
        begun = both.begin_command()
        _tick(tmp_path / "clock")
        both.move("other:a.txt", "m.txt")
        both.edit("m.txt", [{"search": "two", "replace": "2"}])
        subprocess.run(command, shell=True, cwd=root, check=True)
        records = both.end_command(begun, command)
        assert [record.display_paths for record in records] == (
            [["m.txt"]] if command != "true" else []
        )
        both.revert_edit(since=moment)
        assert (_tree(root), _tree(other)) == before


def test_clock_goes_back(
    workspace: Any, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace.write("first", "1\n")
    moment, before = workspace.newest(), _tree(root)
    monkeypatch.setattr("time.time_ns", lambda: 10**18)
    begun = workspace.begin_command()
    (root / "n").write_text("new\n")
    workspace.delete("n")
    (root / "a.txt").unlink()
    records = workspace.end_command(begun, "a command")
    assert [record.notes for record in records] == [(), ()]
    _goes_back_and_comes_again(workspace, root, records, moment, before)


@pytest.mark.parametrize("moved", ["src", "a.txt", "src/in/out"])
def test_tool_moves_to_an_inner_root(
    root: Path, tmp_path: Path, moved: str
) -> None:
    for folder in ("inner", "src/in/out"):
        (root / folder).mkdir(parents=True)
    (root / "src/in/out/o").write_text("ignored\n")
    with Workspace(
        root, root / "inner", settings=Settings(state_dir=tmp_path / "state")
    ) as both:
        before = _tree(root)
        begun = both.begin_command()
        both.move(moved, "inner:m")
        assert both.end_command(begun, "true") == ()
        begun = both.begin_command()
        both.move("inner:m", "m")
        both.move("m", "inner:k")
        both.move("link", "l")
        assert both.end_command(begun, "true") == ()
        for _ in range(4):
            both.undo()
        assert _tree(root) == before


def test_tool_creates_what_a_command_deleted(
    workspace: Any, root: Path
) -> None:
    workspace.write("first", "1\n")
    moment, before = workspace.newest(), _tree(root)
    begun = workspace.begin_command()
    (root / "a.txt").unlink()
    workspace.write("a.txt", "by a tool\n")
    [record] = workspace.end_command(begun, "rm a.txt")
    assert [
        (entry.path.display_path, entry.action) for entry in record.file_changes
    ] == [("a.txt", "deleted")]
    workspace.revert_edit(since=moment)
    assert _tree(root) == before


OVERLAPPING = {
    "one after the other": [
        "begin 1",
        "printf 1 > a.txt",
        "begin 2",
        "end 1",
        "end 2",
    ],
    "the same file again": [
        "begin 1",
        "printf 1 > a.txt",
        "begin 2",
        "printf 2 > a.txt",
        "end 1",
        "end 2",
    ],
    "and back": [
        "begin 1",
        "printf 1 > a.txt",
        "begin 2",
        "mv src a",
        "mv a src",
        "end 1",
        "rm a.txt",
        "end 2",
    ],
    "nothing in the end": [
        "begin 1",
        "touch new",
        "begin 2",
        "rm new",
        "end 1",
        "end 2",
    ],
    "one within the other": [
        "begin 1",
        "rm a.txt",
        "begin 2",
        "mkdir a.txt",
        "end 2",
        "rmdir a.txt",
        "end 1",
    ],
    "renames": [
        "begin 1",
        "mv src a",
        "begin 2",
        "mv a/b.py src",
        "end 1",
        "mv src b",
        "end 2",
    ],
    "one that never ends": [
        "begin 0",
        "begin 1",
        "rm -r src",
        "begin 2",
        "mv a.txt src",
        "end 2",
        "end 1",
    ],
}


@pytest.mark.parametrize(
    "first",
    ["mv a.txt b.txt", "rm a.txt", "mv src a; mv a.txt src", "rm -r src a.txt"],
)
@pytest.mark.parametrize(
    "moved", [("link", "a.txt"), ("dir", "src"), ("dir", "a.txt")]
)
def test_tool_moves_over_what_a_command_deleted(
    workspace: Any, root: Path, first: str, moved: tuple[str, str]
) -> None:
    workspace.write("dir/new", "1\n")
    moment, before = workspace.newest(), _tree(root)
    begun = workspace.begin_command()
    subprocess.run(first, shell=True, cwd=root, check=True)
    with suppress(FilewrightError):
        workspace.move(*moved)
    records = workspace.end_command(begun, first)
    _goes_back_and_comes_again(workspace, root, records, moment, before)


def test_inner_root_is_recorded_once(root: Path, tmp_path: Path) -> None:
    before = _tree(root)
    settings = Settings(state_dir=tmp_path / "state")
    with Workspace(root, root / "src", settings=settings) as both:
        begun = both.begin_command()
        with Workspace(root / "src", settings=settings) as inner:
            moment = inner.write("n", "1\n").change_id
        (root / "src" / "n").unlink()
        assert len(both.end_command(begun, "rm src/n")) == 1
        both.revert_edit(since=moment)
        assert (root / "src" / "n").read_text() == "1\n"
        both.revert_edit(since=f"{moment}^")
        assert _tree(root) == before


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


def test_folder_becomes_a_root(root: Path, tmp_path: Path) -> None:
    settings = Settings(state_dir=tmp_path / "state")
    with Workspace(root, settings=settings) as alone:
        alone.end_command(alone.begin_command(), "true")
    with Workspace(root, root / "src", settings=settings) as both:
        begun = both.begin_command()
        (root / "src" / "b.py").write_text("b = 2\n")
        [record] = both.end_command(begun, "an edit")
        assert [entry.path.display_path for entry in record.file_changes] == [
            "b.py"
        ]
        both.undo()
    assert (root / "src" / "b.py").read_text() == "b = 1\n"


@pytest.mark.parametrize("moved", [("a.txt", "src/b.py"), ("src", "dir")])
def test_tool_moves_and_creates(
    workspace: Any, root: Path, moved: tuple[str, str]
) -> None:
    workspace.write("first", "1\n")
    moment, before = workspace.newest(), _tree(root)
    workspace.move(*moved, overwrite=True)
    if moved[0] == "src":
        workspace.write("src/b.py", "another\n")
    begun = workspace.begin_command()
    workspace.revert_edit(since=moment)
    assert workspace.end_command(begun, "true") == ()
    assert _tree(root) == before
    begun = workspace.begin_command()
    workspace.redo()
    assert workspace.end_command(begun, "true") == ()


@pytest.mark.parametrize("steps", OVERLAPPING.values(), ids=list(OVERLAPPING))
def test_commands_at_one_time(
    workspace: Any, root: Path, steps: list[str]
) -> None:
    workspace.write("first", "1\n")
    moment, before = workspace.newest(), _tree(root)
    begun = {}
    for step in steps:
        match step.split(" "):
            case ["begin", number]:
                begun[number] = workspace.begin_command()
            case ["end", number]:
                records = workspace.end_command(begun[number], number)
                assert [
                    note for record in records for note in record.notes
                ] == []
            case _:
                subprocess.run(step, shell=True, cwd=root, check=True)
    if (after := _tree(root)) != before:
        workspace.revert_edit(since=moment)
        assert _tree(root) == before
        workspace.redo()
    assert _tree(root) == after
    assert workspace.newest() != moment


def test_tool_as_a_command_begins(
    workspace: Any, root: Path, tmp_path: Path
) -> None:
    """Either it comes before what is noted of the tree, or it waits."""
    workspace.write("first", "1\n")
    moment, before = workspace.newest(), _tree(root)
    settings = Settings(state_dir=tmp_path / "state", lock_seconds=0.01)

    class Meanwhile(Task):
        def check(self) -> None:
            with suppress(FilewrightError):
                other.write("a.txt", "by a tool\n", mode="overwrite")

    with Workspace(root, settings=settings) as other:
        begun = workspace.under(Meanwhile()).begin_command()
        assert workspace.end_command(begun, "true") == ()
    if _tree(root) != before:
        workspace.revert_edit(since=moment)
    assert _tree(root) == before


@pytest.mark.parametrize(
    "command",
    ["true", "echo x >> lib/c.py; chmod 700 lib; mkdir src", "mv lib lib2"],
)
def test_tool_moves_meanwhile(workspace: Any, root: Path, command: str) -> None:
    begun = workspace.begin_command()
    workspace.edit("src/b.py", [{"search": "1", "replace": "2"}])
    workspace.move("src", "lib")
    made = _tree(root)
    subprocess.run(command, shell=True, cwd=root, check=True)
    after = _tree(root)
    for record in workspace.end_command(begun, command):
        assert record.notes == ()
        workspace.undo(record.id)
        assert _tree(root) == made
        workspace.redo()
        assert _tree(root) == after
    assert _tree(root) == after


LATER = {
    "rm src/b.py": "src is a link that leads out of the root now",
    "sed -i s/1/2/ src/b.py": "src is a link that leads out of the root now",
    "mv src/b.py b.py": "src is a link that leads out of the root now",
    "mv src ../elsewhere": "src is a link now",
}


@pytest.mark.parametrize("command", LATER)
def test_link_that_leads_out(
    workspace: Any, root: Path, tmp_path: Path, command: str
) -> None:
    begun = workspace.begin_command()
    subprocess.run(command, shell=True, cwd=root, check=True)
    [record] = workspace.end_command(begun, command)
    subprocess.run(
        "test ! -e src || mv src ../elsewhere; ln -s ../elsewhere src",
        shell=True,
        cwd=root,
        check=True,
    )
    outside = _tree(tmp_path / "elsewhere")
    with pytest.raises(FilewrightError, match=LATER[command]) as caught:
        workspace.revert_edit(record.id)
    assert caught.value.code == "stale_version"
    assert "force=true" in (caught.value.hint or "")
    workspace.revert_edit(record.id, force=True)
    assert (root / "src" / "b.py").read_bytes() == b"b = 1\n"
    assert _tree(tmp_path / "elsewhere") == outside


def test_rewind_keeps_edits_of_the_person(workspace: Any, root: Path) -> None:
    lines = "".join(f"line {n}\n" for n in range(1, 31))
    (root / "t.txt").write_text(lines)
    workspace.edit("t.txt", [{"search": "line 3\n", "replace": "three\n"}])
    begun = workspace.begin_command()
    (root / "t.txt").write_text(
        (root / "t.txt").read_text().replace("line 10\n", "ten\n")
    )
    workspace.end_command(begun, "sed")
    (root / "t.txt").write_text(
        (root / "t.txt").read_text().replace("line 20\n", "mine\n")
    )
    workspace.edit("t.txt", [{"search": "line 28\n", "replace": "28\n"}])
    workspace.revert_edit(session="s")
    assert (root / "t.txt").read_text() == lines.replace("line 20\n", "mine\n")


def test_names_what_is_not_stored(
    workspace: Any, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / "large.bin").write_bytes(b"x" * (1 << 20) + b"y")
    begun = workspace.begin_command()
    (root / "large.bin").write_bytes(b"z")
    (root / "a.txt").write_bytes(b"a")
    [record] = workspace.end_command(begun, "a command")
    assert [
        note
        for note in record.notes
        if "large.bin" in note and "cannot be undone" in note
    ]
    workspace.undo(record.id)
    assert (root / "a.txt").read_bytes() == b"one\ntwo\r\nthree"
    assert (root / "large.bin").read_bytes() == b"z"


def _keep_nothing(workspace: Workspace) -> None:
    workspace.recorder.budget = Budget(
        seconds=-1, named_seconds=-1, min_files=0
    )


def _git(root: Path, *words: str) -> None:
    name = ("-c", "user.name=n", "-c", "user.email=e@example.org")
    subprocess.run(
        ["git", *name, *words], cwd=root, check=True, capture_output=True
    )


@pytest.mark.parametrize("version", ["2", "3", "4"])
def test_restores_from_git(
    workspace: Any, root: Path, version: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / "large.txt").write_bytes(b"a line\n" * 200_000)
    for path in root.rglob("*.*"):
        os.utime(path, (10**9, 10**9), follow_symlinks=False)
    _git(root, "init", "-q")
    _git(root, "config", "index.version", version)
    _git(root, "add", "-A")
    if version == "3":
        (root / "later").write_bytes(b"x")
        _git(root, "add", "-N", "later")
    (root / "src" / "c.py").write_bytes(b"c = 2\n")
    before = _tree(root)
    _keep_nothing(workspace)
    begun = workspace.begin_command()
    command = "rm large.txt && sed -i s/two/TWO/ a.txt && echo x >> src/b.py && echo y >> src/c.py"
    subprocess.run(f"{command} && git add -A", shell=True, cwd=root, check=True)
    mine = (root / "src" / "c.py").read_bytes()
    [record] = workspace.end_command(begun, command)
    assert ["src/c.py" in note for note in record.notes] == [True]
    workspace.undo(record.id)
    (root / "src" / "c.py").write_bytes(b"c = 2\n")
    after = _tree(root)
    assert mine == b"c = 2\ny\n"
    assert {
        name: kept for name, kept in after.items() if ".git/" not in name
    } == {name: kept for name, kept in before.items() if ".git/" not in name}


@pytest.mark.parametrize(
    "index",
    [b"", b"DIRC", b"DIRC\0\0\0\2\xff\xff\xff\xff" + b"\1" * 200, b"\0" * 5000],
)
def test_damaged_index_of_git(
    workspace: Any, root: Path, index: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    _git(root, "init", "-q")
    (root / ".git" / "index").write_bytes(index)
    _keep_nothing(workspace)
    begun = workspace.begin_command()
    (root / "a.txt").write_bytes(b"a")
    [record] = workspace.end_command(begun, "a command")
    assert record.file_changes == ()
    assert "a.txt" in record.notes[0]


@pytest.mark.parametrize("harm", ["cut", "zeros", "gone"])
def test_damaged_cache(
    workspace: Any, root: Path, tmp_path: Path, harm: str
) -> None:
    begun = workspace.begin_command()
    [kept] = (tmp_path / "state").rglob("kept.db")
    if harm == "gone":
        kept.unlink()
    else:
        kept.write_bytes(b"" if harm == "cut" else b"\0" * kept.stat().st_size)
    (root / "a.txt").write_bytes(b"a")
    [record] = workspace.end_command(begun, "a command")
    assert record.file_changes == ()
    assert "a.txt" in record.notes[0]
    begun = workspace.begin_command()
    [listing] = (tmp_path / "state").rglob("shell/state")
    listing.write_bytes(listing.read_bytes()[:-5])
    with pytest.raises(FilewrightError) as caught:
        workspace.end_command(begun, "a command")
    assert caught.value.code == "not_found"
    begun = workspace.begin_command()
    (root / "src" / "b.py").unlink()
    assert workspace.end_command(begun, "rm")[0].file_changes


def test_cache_begun_by_another_command(
    workspace: Any, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = workspace.begin_command()
    [kept] = (tmp_path / "state").rglob("kept.db")
    kept.write_bytes(b"\0" * kept.stat().st_size)
    _keep_nothing(workspace)
    workspace.begin_command()
    workspace.recorder.budget = Budget()
    (root / "src" / "new.py").write_bytes(b"new\n")
    workspace.end_command(first, "a command")
    begun = workspace.begin_command()
    (root / "a.txt").unlink()
    [record] = workspace.end_command(begun, "rm a.txt")
    assert (len(record.file_changes), record.notes) == (1, ())


def test_stores_something_on_a_busy_machine(
    workspace: Any, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace.recorder.budget = Budget(seconds=-1, named_seconds=-1)
    begun = workspace.begin_command()
    (root / "a.txt").unlink()
    [record] = workspace.end_command(begun, "rm a.txt")
    assert (len(record.file_changes), record.notes) == (1, ())


@pytest.mark.parametrize(
    "command", ["rm -rf old", "cd old && rm *.log", "mv ./old/1.log /tmp"]
)
def test_stores_named_files_first(
    workspace: Any, root: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    """In a tree of which only a little is kept before the first command."""
    (root / "old").mkdir()
    for folder, name in (("old", "log"), ("src", "py")):
        for number in range(20):
            (root / folder / f"{number}.{name}").write_bytes(
                b"x%d" % number * 1000
            )
    for path in (root / "old").iterdir():
        os.utime(path, (10**9, 10**9))
    os.utime(root / "src" / "1.py", (10**9 + 1, 10**9 + 1))
    workspace.recorder.budget = Budget(max_bytes=30_000)
    begun = workspace.begin_command(command=command)
    (root / "old" / "1.log").unlink()
    (root / "src" / "1.py").unlink()
    [record] = workspace.end_command(begun, command)
    assert [entry.path.display_path for entry in record.file_changes] == [
        "old/1.log"
    ]
    assert "src/1.py" in record.notes[0]
    workspace.undo(record.id)
    assert (root / "old" / "1.log").read_bytes() == b"x1" * 1000


def test_stores_more_with_every_command(
    workspace: Any, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(20):
        (root / f"{number}.bin").write_bytes(b"x%d" % number * 1000)
    workspace.recorder.budget = Budget(max_bytes=10_000)
    workspace.end_command(workspace.begin_command(), "true")
    rounds = 1
    while not workspace.recorder.store_ahead(Task(), seconds=9):
        rounds += 1
    assert 2 < rounds < 9
    _keep_nothing(workspace)
    begun = workspace.begin_command()
    for path in root.glob("*.bin"):
        path.unlink()
    [record] = workspace.end_command(begun, "rm *.bin")
    assert (len(record.file_changes), record.notes) == (20, ())


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
            "cannot bring back: large.bin (1.0 MB)"
            in json.loads(begun.stdout)["systemMessage"]
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
        """Called by this process, as by a client."""
        words = [
            *processes.FILEWRIGHT,
            "snapshot",
            name,
            "--hook",
            "--state-dir",
            str(state),
        ]
        done = subprocess.run(
            words,
            cwd=root,
            input=json.dumps(given),
            capture_output=True,
            text=True,
            check=True,
        )
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


def test_keeps_the_whole_command(workspace: Workspace, root: Path) -> None:
    """The title is its first line; a heredoc is there to the last line."""
    command = "python3 - <<'EOF'\nimport sys\n" + "print('x')\n" * 200 + "EOF"
    for line in (command, "echo " + "x" * 20_000):
        identifier = workspace.begin_command(command=line)
        (root / "a.txt").write_text(line[:30])
        workspace.end_command(identifier, line)

    long, heredoc = workspace.history(limit=2)
    assert heredoc.summary == "shell: python3 - <<'EOF' …"
    assert heredoc.command == command
    assert long.summary == f"shell: echo {'x' * 94}…"
    assert len(long.command) == (8 << 10) + 1
    assert long.command.endswith("x…")


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
