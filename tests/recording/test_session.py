"""Commands that overlap, tools within them, and roots within one another: the record is what happened, in order."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests import processes
from tests.promises.histories import look
from tests.samples import one_in

from filewright import FilewrightError, Workspace
from filewright.progress import Task
from filewright.recording.model import Scan
from filewright.recording.scan import Scanner
from filewright.recording.session import new_command

Tree = dict[str, Any]


def _actions(record: Any) -> list[tuple[str, str]]:
    return [
        (entry.action, entry.path.display_path) for entry in record.file_changes
    ]


def _rewinds(
    workspace: Workspace, root: Path, moment: str, before: Tree
) -> None:
    """A rewind gives the tree at a moment, and its undo the tree of now; all that was undone may be nothing."""
    after = look(root)
    answer = workspace.call(
        "revert_edit", {"since": moment, "break_hard_links": True}
    )
    assert not answer.is_error or after == before, answer.text
    assert look(root) == before
    if not answer.is_error:
        workspace.redo()
        assert look(root) == after


# A tool in what a running command has made

MADE = "mkdir t; echo x > t/f"
APPENDS = (
    "write_content",
    {"items": [{"path": "t/f", "content": "tool\n", "mode": "append"}]},
)
WRITES = ("write_content", {"items": [{"path": "t/g", "content": "tool\n"}]})
DELETES = ("delete_items", {"paths": ["t"], "recursive": True})
MOVES = ("move_items", {"items": [{"source": "t", "destination": "t3"}]})
MOVES_FILE = ("move_items", {"items": [{"source": "t/f", "destination": "f2"}]})

WITHIN: dict[str, list[Any]] = {
    "then a command deletes it": [MADE, APPENDS, "end", "begin", "rm -r t"],
    "then a tool deletes it": [MADE, APPENDS, "end", DELETES],
    "then a tool moves it": [MADE, APPENDS, "end", MOVES],
    "then a tool moves the file out": [MADE, APPENDS, "end", MOVES_FILE, DELETES],
    "then a tool writes again": [MADE, APPENDS, "end", APPENDS],
    "then a tool deletes the file": [MADE, APPENDS, "end", ("delete_items", {"paths": ["t/f"]})],
    "a tool deletes it meanwhile": [MADE, APPENDS, DELETES],
    "a tool moves it meanwhile": [MADE, APPENDS, MOVES],
    "the command moves it": [MADE, APPENDS, "mv t t3"],
    "an empty folder, then deleted": ["mkdir t", WRITES, "end", DELETES],
    "an empty folder, then moved": ["mkdir t", WRITES, "end", MOVES],
    "an empty folder, then deleted by a command": ["mkdir t", WRITES, "end", "begin", "rm -r t"],
    "a folder that it moved": ["mv d t", APPENDS, "end", DELETES],
    "a folder that it moved into a new one": ["mkdir -p n; mv d n/d; mv n t", WRITES, "end", MOVES, "begin", "rm -r t3"],
    "another folder of the same name": ["mv d e; mkdir t; echo x > t/f", APPENDS, "rm -r t; mv e t"],
}  # fmt: skip


@pytest.mark.parametrize("case", WITHIN)
def test_tool_in_folder_of_running_command(
    workspace: Workspace, root: Path, case: str
) -> None:
    workspace.write("first", "1\n")
    moment, before = workspace.newest(), look(root)
    assert moment is not None
    begun: str | None = workspace.begin_command()
    for step in WITHIN[case]:
        if step == "begin":
            begun = workspace.begin_command()
        elif step == "end":
            assert begun is not None
            workspace.end_command(begun, "a command")
            begun = None
        elif isinstance(step, str):
            subprocess.run(step, shell=True, cwd=root, check=True)
        else:
            answer = workspace.call(*step)
            assert not answer.is_error, answer.text
    if begun is not None:
        workspace.end_command(begun, "a command")
    _rewinds(workspace, root, moment, before)


def test_records_are_in_order(workspace: Workspace, root: Path) -> None:
    begun = workspace.begin_command()
    (root / "t").mkdir()
    workspace.write("t/f", "tool\n")
    (root / "t" / "g").write_text("more\n")
    records = workspace.end_command(begun, "make")
    assert [record.summary for record in records] == [
        "shell: make",
        "shell: make",
    ]
    told = [
        (record.tool, _actions(record))
        for record in reversed(workspace.history())
    ]
    assert told == [
        ("shell", [("created", "t")]),
        ("write_content", [("created", "t/f")]),
        ("shell", [("created", "t/g")]),
    ]


def test_tool_observes_only_during_commands(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    scans = []
    scan = Scanner.scan

    def counted_scan(scanner: Scanner, last: Scan | None) -> Scan:
        scans.append(scanner)
        return scan(scanner, last)

    monkeypatch.setattr(Scanner, "scan", counted_scan)
    workspace.write("x", "1\n")
    begun = workspace.begin_command()
    workspace.write("y", "1\n")
    assert len(scans) == 2
    workspace.end_command(begun, "true")
    workspace.write("z", "1\n")
    assert len(scans) == 3


# Two commands at one time


def test_changes_of_two_commands_are_shared(
    opens: Callable[..., Workspace], root: Path
) -> None:
    one, two = opens(session="one"), opens(session="two")
    first = one.begin_command(command="make a")
    (root / "only").write_text("of the first\n")
    second = two.begin_command(command="make b")
    (root / "shared").write_text("of either\n")
    records = one.end_command(first, "make a")
    (root / "last").write_text("of the second\n")
    assert [
        (record.summary, record.session, _actions(record)) for record in records
    ] == [
        ("shell: make a", "one", [("created", "only")]),
        ("shell: make a or shell: make b", "one", [("created", "shared")]),
    ]
    records = two.end_command(second, "make b, really")
    assert [(record.summary, _actions(record)) for record in records] == [
        ("shell: make a or shell: make b, really", [("created", "shared")]),
        ("shell: make b, really", [("created", "last")]),
    ]
    assert [command.session for command in records[0].commands] == [
        "one",
        "two",
    ]


@pytest.mark.parametrize("session", ["one", "two"])
def test_refuses_undo_of_shared_changes(
    opens: Callable[..., Workspace], root: Path, session: str
) -> None:
    before = look(root)
    one, two = opens(session="one"), opens(session="two")
    first = one.begin_command()
    second = two.begin_command()
    (root / "shared").write_text("of either\n")
    [shared] = one.end_command(first, "make a")
    two.end_command(second, "make b")
    assert {each.session for each in one.sessions().sessions} == {"one", "two"}
    other = "make b" if session == "one" else "make a"
    for preview in (True, False):
        with pytest.raises(FilewrightError, match=other) as caught:
            one.revert_edit(session=session, preview=preview)
        assert caught.value.details["shared_files"] == ["shared"]
        assert "include_shared=true" in (caught.value.hint or "")
        assert "or path" in (caught.value.hint or "")
    with pytest.raises(FilewrightError, match="make a, shell: make b"):
        one.revert_edit(shared.id)
    assert look(root) != before
    undone = one.revert_edit(session=session, include_shared=True)
    assert look(root) == before
    assert undone.change_id is not None
    one.redo()
    one.revert_edit(shared.id, include_shared=True)
    assert look(root) == before


def test_command_line_option_includes_shared(
    opens: Callable[..., Workspace], root: Path, tmp_path: Path
) -> None:
    one, two = opens(session="one"), opens(session="two")
    first, second = one.begin_command(), two.begin_command()
    (root / "shared").write_text("of either\n")
    one.end_command(first, "make a")
    two.end_command(second, "make b")
    words = [
        *processes.FILEWRIGHT,
        "rewind",
        "one",
        "--yes",
        "--state-dir",
        str(tmp_path / "state"),
    ]
    refused = processes.run(words, cwd=root)
    assert (refused.returncode, "--include-shared" in refused.stderr) == (
        1,
        True,
    )
    done = processes.run([*words, "--include-shared"], cwd=root)
    assert (done.returncode, (root / "shared").exists()) == (0, False)


def test_commands_of_one_session_share(
    opens: Callable[..., Workspace], root: Path
) -> None:
    before = look(root)
    one = opens(session="one")
    first, second = one.begin_command(), one.begin_command()
    (root / "shared").write_text("of either\n")
    one.end_command(first, "make a")
    one.end_command(second, "make b")
    one.revert_edit(session="one")
    assert look(root) == before


def test_rewind_includes_shared_changes(
    opens: Callable[..., Workspace], root: Path
) -> None:
    one, two = opens(session="one"), opens(session="two")
    one.write("first", "1\n")
    moment, before = one.newest(), look(root)
    first, second = one.begin_command(), two.begin_command()
    (root / "shared").write_text("of either\n")
    one.end_command(first, "make a")
    two.end_command(second, "make b")
    one.revert_edit(since=moment)
    assert look(root) == before


def test_undoes_own_path_beside_shared_ones(
    opens: Callable[..., Workspace], root: Path
) -> None:
    one, two = opens(session="one"), opens(session="two")
    first = one.begin_command()
    (root / "only").write_text("of the first\n")
    second = two.begin_command()
    (root / "shared").write_text("of either\n")
    one.end_command(first, "make a")
    two.end_command(second, "make b")
    one.revert_edit(session="one", path="only")
    assert not (root / "only").exists()
    assert (root / "shared").exists()


def _tool(identifier: str, session: str, *paths: Path) -> Any:
    named = tuple(str(path) for path in paths)
    return new_command(
        identifier,
        f"Edit {paths[0].name}",
        session=session,
        paths=named,
        is_tool=True,
    )


@pytest.mark.parametrize("shell", [False, True])
def test_named_file_belongs_to_its_tool(
    opens: Callable[..., Workspace], root: Path, shell: bool
) -> None:
    """Unless a shell runs beside it, which may have changed anything."""
    one, two = opens(session="one"), opens(session="two")
    one.recorder.begin(_tool("1", "one", root / "a"), "", Task())
    two.recorder.begin(_tool("2", "two", root / "new" / "n"), "", Task())
    begun = opens(session="three").begin_command() if shell else None
    (root / "a").write_text("by the first\n")
    (root / "new").mkdir()
    (root / "new" / "n").write_text("by the second\n")
    (root / "b").write_text("by either\n")
    one.end_command("1", "", label="Edit a")
    two.end_command("2", "", label="Write n")
    told = {
        tuple(path for _, path in _actions(record)): len(record.commands)
        for record in one.history()
    }
    if begun is None:
        assert told == {("a",): 0, ("new", "new/n"): 0, ("b",): 2}
    else:
        assert told == {("a", "b", "new", "new/n"): 3}


BESIDE_TOOLS = {
    "a file in a folder that a tool made": ("mkdir n; touch n/t n/o", ["n/t"]),
    "a folder in a folder that a tool made": (
        "mkdir -p n/o; touch n/t n/o/x; echo 1 > b",
        ["n/t"],
    ),
    "a folder of two tools": (
        "mkdir n; touch n/t n/u; echo 1 > b",
        ["n/t", "n/u"],
    ),
    "a folder is deleted": ("rm -r d", ["d/f"]),
    "a folder is moved": ("mv d e; echo 1 >> e/f", ["d/f", "e/f"]),
    "a folder instead of a file": ("rm a; mkdir -p a/b; touch a/b/c", ["a"]),
    "a file instead of a folder": ("rm -r d; touch d", ["d"]),
    "a folder of one tool instead of a file of another": (
        "rm a; mkdir a; touch a/t",
        ["a", "a/t"],
    ),
    "names are swapped": ("mv a c; mv b a; mv c b", ["a"]),
}


@pytest.mark.parametrize("case", BESIDE_TOOLS)
def test_edit_tools_records_are_in_order(
    opens: Callable[..., Workspace], root: Path, case: str
) -> None:
    """Each is taken back on its own, from the newest down, and gives what was there before all of them."""
    workspace = opens()
    workspace.write("first", "1\n")
    before = look(root)
    command, names = BESIDE_TOOLS[case]
    names = (names * 2)[:2] if len(names) > 1 else [*names, "other"]
    for number, name in enumerate(names):
        workspace.recorder.begin(
            _tool(str(number), f"session{number}", root / name), "", Task()
        )
    subprocess.run(command, shell=True, cwd=root, check=True)
    for number in range(len(names)):
        opens(session=f"session{number}").end_command(
            str(number), "", label="Edit"
        )
    for record in workspace.history()[:-1]:
        workspace.revert_edit(record.id, include_shared=True)
    assert look(root) == before


# Roots within one another


def _nested_orders() -> list[str]:
    orders = []
    for commands in (
        "O I o i",
        "O I i o",
        "I O o i",
        "I O i o",
        "O o I i",
        "I i O o",
    ):
        first, *rest = commands.split()
        for saves in itertools.product((False, True), repeat=3):
            order, is_open = [first], {first}
            for is_saved, step in zip(saves, rest, strict=True):
                if is_saved and is_open:  # Else a person has saved it.
                    order.append("s")
                is_open ^= {step.upper()}
                order.append(step)
            orders.append(" ".join(order))
    return sorted(set(orders))


@pytest.mark.parametrize("order", one_in(6, _nested_orders()))
def test_commands_of_outer_and_inner_root(
    opens: Callable[..., Workspace], root: Path, order: str
) -> None:
    """`O` and `o` begin and end a command of the outer root, `I` and `i` one of the inner root; `s` saves a file."""
    inner = root / "d"
    outside = opens()
    outside.write("first", "1\n")
    moment, before = outside.newest(), look(root)
    inside = opens(inner)
    begun: dict[str, str] = {}
    for step in order.split():
        if step == "s":
            content = (inner / "f").read_text()
            (inner / "t").write_text(f"{content}more\n")
            (inner / "t").replace(inner / "f")
        else:
            workspace = outside if step in "Oo" else inside
            if step.isupper():
                begun[step] = workspace.begin_command()
            else:
                workspace.end_command(begun.pop(step.upper()), step)
    assert moment is not None
    _rewinds(opens(), root, moment, before)


def test_outer_tool_during_inner_command(
    opens: Callable[..., Workspace], root: Path
) -> None:
    outside, inside = opens(), opens(root / "d")
    outside.write("first", "1\n")
    moment, before = outside.newest(), look(root)
    begun = inside.begin_command()
    (root / "d" / "n").mkdir()
    outside.write("d/n/f", "by a tool\n")
    (root / "d" / "n" / "g").write_text("by the command\n")
    inside.end_command(begun, "a command")
    told = [
        _actions(record) for record in reversed(outside.history(since=moment))
    ]
    assert told == [
        [("created", "d/n")],
        [("created", "d/n/f")],
        [("created", "d/n/g")],
    ]
    assert moment is not None
    _rewinds(outside, root, moment, before)


@pytest.mark.parametrize(
    "how",
    [
        "rm -r d",
        "mv d e",
        "rm -r d; mkdir d; echo x > d/f",
        "mv d b.d; mkdir d",
    ],
)
def test_removed_inner_root_comes_back(
    opens: Callable[..., Workspace], root: Path, how: str
) -> None:
    inside = opens(root / "d")
    inside.end_command(inside.begin_command(), "true")
    inside.close()
    outside = opens()
    outside.write("first", "1\n")
    moment, before = outside.newest(), look(root)
    begun = outside.begin_command(command=how)
    subprocess.run(how, shell=True, cwd=root, check=True)
    records = outside.end_command(begun, how)
    assert [note for record in records for note in record.notes] == []
    assert moment is not None
    outside.revert_edit(since=moment)
    assert look(root) == before


@pytest.mark.parametrize("steps", ["s R s", "R s s", "s R t s", "R t s"])
def test_root_registered_during_a_command(
    opens: Callable[..., Workspace], root: Path, steps: str
) -> None:
    """`R` registers the inner root, `t` is a tool's change from there, `s` what the outer root's command saves."""
    outside = opens()
    outside.write("first", "1\n")
    moment, before = outside.newest(), look(root)
    begun = outside.begin_command()
    for number, step in enumerate(steps.split()):
        if step == "s":
            (root / "d" / "f").write_text(f"{number}\n")
            (root / "d" / f"n{number}").write_text("new\n")
        elif step == "t":
            opens(root / "d").write("h/x", "by a tool\n", mode="overwrite")
        else:
            answer = opens(root / "d").call("delete_items", {"paths": ["gone"]})
            assert answer.is_error
    records = outside.end_command(begun, "make")
    assert [note for record in outside.history() for note in record.notes] == []
    assert {path for record in records for _, path in _actions(record)} >= {
        "d/f"
    }
    assert moment is not None
    _rewinds(opens(), root, moment, before)


def test_ignored_inner_root_is_not_observed(
    opens: Callable[..., Workspace], root: Path
) -> None:
    inside = opens(root / "d")
    inside.end_command(inside.begin_command(), "true")
    (root / ".gitignore").write_text("d/\n")
    outside = opens()
    begun = outside.begin_command()
    (root / "d" / "f").write_text("ignored\n")
    assert outside.end_command(begun, "make") == ()


# Commands that never end


def _begin_in_a_process(root: Path, state: Path, identifier: str) -> None:
    """Begin a command as a hook of a client that has ended since."""
    given = {
        "session_id": "gone",
        "cwd": str(root),
        "tool_name": "Bash",
        "tool_use_id": identifier,
        "tool_input": {"command": "sleep 1"},
    }
    client = (
        "import subprocess, sys\n"
        "subprocess.run([sys.executable, '-c', 'from filewright.cli import main; main()', 'snapshot', 'begin', "
        "'--hook'], input=sys.argv[1].encode(), check=True)\n"
    )
    subprocess.run(
        [sys.executable, "-c", client, json.dumps(given)],
        env={**os.environ, "FILEWRIGHT_STATE_DIR": str(state)},
        check=True,
    )


def test_closes_command_of_ended_client(
    workspace: Workspace, root: Path, tmp_path: Path
) -> None:
    _begin_in_a_process(root, tmp_path / "state", "1")
    (root / "between").write_text("by a person, or before the client ended\n")
    begun = workspace.begin_command()
    (root / "new").write_text("by a command\n")
    [record] = workspace.end_command(begun, "make")
    assert (record.commands, _actions(record)) == ((), [("created", "new")])


def test_closes_command_of_two_days_ago(
    workspace: Workspace, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("time.time_ns", lambda: 10**18)
        workspace.begin_command()
    begun = workspace.begin_command()
    (root / "new").write_text("by a command\n")
    [record] = workspace.end_command(begun, "make")
    assert record.commands == ()


@pytest.mark.parametrize("how", ["prompt", "turn"])
def test_next_turn_closes_commands(
    workspace: Workspace, root: Path, how: str
) -> None:
    """As where a user has interrupted a command, after which clients call no hook."""
    workspace.recorder.begin(
        new_command("1", "shell: make", session="s", turn="one"), "", Task()
    )
    (root / "first").write_text("before it was interrupted\n")
    if how == "prompt":
        workspace.recorder.begin_turn("s", Task())
    workspace.recorder.begin(
        new_command("2", "shell: test", session="s", turn="two"), "", Task()
    )
    (root / "new").write_text("by a command\n")
    [record] = workspace.end_command("2", "test")
    assert (record.commands, _actions(record)) == ((), [("created", "new")])
    [_, earlier] = workspace.history()
    assert (earlier.summary, _actions(earlier)) == (
        "shell: make",
        [("created", "first")],
    )


def test_hooks_of_several_clients_record_once(
    root: Path, tmp_path: Path
) -> None:
    """Each of three agents makes files of its own in commands that overlap."""
    state = tmp_path / "state"
    words = [*processes.FILEWRIGHT, "snapshot"]
    environment = {**os.environ, "FILEWRIGHT_STATE_DIR": str(state)}

    def hook(name: str, agent: int, number: int) -> None:
        given = {
            "session_id": f"agent{agent}",
            "tool_use_id": f"{agent}-{number}",
            "tool_name": "Bash",
            "cwd": str(root),
            "tool_input": {"command": f"make {number}"},
        }
        done = processes.run(
            [*words, name, "--hook"],
            given=json.dumps(given),
            cwd=root,
            env=environment,
        )
        assert (done.returncode, done.stderr) == (0, "")

    before = look(root)
    for number in range(3):
        for agent in range(3):
            hook("begin", agent, number)
            (root / f"{agent}-{number}").write_text("x\n")
        for agent in (1, 0, 2):
            hook("end", agent, number)
    with Workspace(root, state_dir=state) as workspace:
        history = workspace.history(limit=100)
        told = sorted(
            action for record in history for action in _actions(record)
        )
        assert told == sorted(
            ("created", f"{agent}-{number}")
            for agent in range(3)
            for number in range(3)
        )
        workspace.revert_edit(since=f"{history[-1].id}^")
    assert look(root) == before
