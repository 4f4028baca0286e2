"""The changes of a shell command are recorded by a call before it and one after it, also beside those of tools."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from tests.samples import one_in

from filewright import FilewrightError, Settings, Workspace
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


BEFORE_A_TOOL = [
    (first, then)
    for first in (
        "printf 'another two' > a.txt",
        "chmod 600 a.txt",
        "rm a.txt; echo two > a.txt",
    )
    for then in ("true", "echo more >> a.txt", "rm a.txt")
]


@pytest.mark.parametrize(("first", "then"), one_in(2, BEFORE_A_TOOL))
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


MOVES_OVER_DELETED = [
    (first, moved)
    for moved in (("link", "a.txt"), ("dir", "src"), ("dir", "a.txt"))
    for first in (
        "mv a.txt b.txt",
        "rm a.txt",
        "mv src a; mv a.txt src",
        "rm -r src a.txt",
    )
]


@pytest.mark.parametrize(("first", "moved"), one_in(3, MOVES_OVER_DELETED))
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
    "rm src/b.py": "src is now a link that leads out of the root",
    "sed -i s/1/2/ src/b.py": "src is now a link that leads out of the root",
    "mv src/b.py b.py": "src is now a link that leads out of the root",
    "mv src ../elsewhere": "src is now a link",
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


def _keep_nothing(workspace: Workspace) -> None:
    workspace.recorder.budget = Budget(
        seconds=-1, named_seconds=-1, min_files=0
    )


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
