"""Other programs at the same file at the same moment: threads, processes, savers, forks, mounts."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from tests.promises import outside
from tests.promises.outside import Beside

from filewright import FilewrightError, Settings, Workspace

# What is done before a rename of the program's own changes: `before(mode)`.
HOOK = """
from filewright import system
with system.open_folder("/") as folder: kind = type(folder)
real = kind.rename
def rename(folder, name, to, to_name, mode):
    before(mode)
    real(folder, name, to, to_name, mode)
kind.rename = rename
"""


@pytest.fixture
def place() -> Iterator[Path]:
    with outside.folder() as folder:
        yield folder


# Appending beside edits

EDITOR = """
line, landed, codes = given["line"], 0, []
with Workspace(given["work"], state_dir=given["state"]) as workspace:
    say("ready")
    hear()
    for number in range(1, given["count"] + 1):
        edit = {"search": f"line {line}: {landed};", "replace": f"line {line}: {number};"}
        made = workspace.call("edit_content", {"path": "log", "edits": [edit]})
        if made.code is None: landed = number
        else: codes.append(made.code)
say([landed, codes])
"""

APPENDER = """
landed, codes = [], []
with Workspace(given["work"], state_dir=given["state"]) as workspace:
    say("ready")
    hear()
    for number in range(given["count"]):
        text = f"process {given['line']} {number}"
        made = workspace.call("write_content", {"items": [{"path": "log", "content": text + "\\n", "mode": "append"}]})
        if made.code is None: landed.append(text)
        else: codes.append(made.code)
say([landed, codes])
"""


def test_sixteen_threads_and_processes_append_beside_edits_of_the_same_file(
    place: Path,
) -> None:
    work, state, count = place / "work", place / "state", 12
    (work / "log").write_text(
        "".join(f"line {line}: 0;\n" for line in range(2))
    )
    with ExitStack() as stack:
        programs = [EDITOR, EDITOR, APPENDER, APPENDER]
        children = [
            stack.enter_context(
                Beside(
                    text,
                    {
                        "work": work,
                        "state": state,
                        "line": line % 2,
                        "count": count,
                    },
                )
            )
            for line, text in enumerate(programs)
        ]
        for child in children:
            assert child.hear() == "ready"
        for child in children:
            child.say("go")
        with (
            Workspace(work, state_dir=state) as workspace,
            ThreadPoolExecutor(16) as pool,
        ):

            def append(number: int) -> str:
                workspace.write("log", f"thread {number}\n", mode="append")
                return f"thread {number}"

            appended = list(pool.map(append, range(32)))
        answers = [child.hear() for child in children]
    lines = (work / "log").read_text().splitlines()
    appended += [text for texts, _ in answers[2:] for text in texts]
    edited = [f"line {line}: {answers[line][0]};" for line in range(2)]
    assert sorted(lines) == sorted(edited + appended)
    assert not any(codes for _, codes in answers[2:]), (
        "an addition at the end needs no refusal"
    )
    assert {code for _, codes in answers[:2] for code in codes} <= {
        "stale_version"
    }
    assert outside.unasked(work) == []


# Savers

EDIT = (
    HOOK.replace("kind.rename = rename", "")
    + """
def before(mode):
    if mode == "exchange":
        say("exchange")
        hear()
kind.rename = rename
with Workspace(given["work"], state_dir=given["state"]) as workspace:
    edit = {"search": "one", "replace": "ONE"}
    made = workspace.call("edit_content", {"path": "a.txt", "edits": [edit]})
    say([made.code, made.text])
"""
)


@pytest.mark.needs("exchange")
@pytest.mark.parametrize("saves", [1, 2])
def test_what_another_program_saved_meanwhile_is_in_the_answer(
    place: Path, saves: int
) -> None:
    work = place / "work"
    path, spare = work / "a.txt", place / "spare"
    path.write_text("one\n")
    with Beside(EDIT, {"work": work, "state": place / "state"}) as agent:
        saved = 0
        while (heard := agent.hear()) == "exchange":
            if saved < saves:
                saved += 1
                spare.write_text(f"save {saved}\n")
                spare.replace(path)
            agent.say("go")
    code, text = heard
    assert code in ("stale_version", "no_match"), (
        text
    )  # Tried again on what was saved, where "one" is no more.
    assert path.read_text() == f"save {saves}\n"
    if saves > 1:
        (beside,) = (name for name in outside.entries(work) if name != "a.txt")
        assert (work / beside).read_text() == "save 1\n"
        assert beside in text, (
            "the answer does not say where the earlier save is"
        )


# A fork in the middle of a change

FORK = (
    HOOK.replace("kind.rename = rename", "")
    + """
def before(mode):
    child = os.fork()
    if child == 0:
        while True: signal.pause()
    say(child)
    hear()
kind.rename = rename
import warnings
warnings.simplefilter("ignore")
with Workspace(given["work"], state_dir=given["state"]) as workspace:
    workspace.write("a.txt", "two\\n", mode="overwrite")
"""
)


def test_what_was_forked_during_a_change_keeps_no_lock_when_the_changer_dies(
    place: Path,
) -> None:
    work = place / "work"
    with Workspace(work, state_dir=place / "state") as workspace:
        # The first change makes the state folder, so that the next one's first rename is in the workspace.
        workspace.write("a.txt", "one\n")
    with Beside(FORK, {"work": work, "state": place / "state"}) as agent:
        forked = agent.hear()
        try:
            with Workspace(
                work,
                settings=Settings(state_dir=place / "state", lock_seconds=0.05),
            ) as workspace:
                with pytest.raises(
                    FilewrightError,
                    match=("another change locked the workspace"),
                ):
                    workspace.write("b.txt", "three\n")
                agent.kill()
                workspace.write("b.txt", "three\n")
        finally:
            os.kill(forked, signal.SIGKILL)
    assert outside.contents(work) == {"a.txt": b"one\n", "b.txt": b"three\n"}


# Mounts

ACROSS = """
import subprocess
work = given["work"]
volume = os.path.join(work, "volume")
os.mkdir(volume)
subprocess.run(["mount", "-t", "tmpfs", "tmpfs", volume], check=True)
for folder in (work, volume):
    os.makedirs(os.path.join(folder, "tree", "deep"))
    for name in ("file.txt", "tree/x.txt", "tree/deep/y.txt", "taken.txt"):
        with open(os.path.join(folder, name), "w") as file: file.write(f"{folder} {name}\\n")
def found():
    there = {}
    for above, folders, files in os.walk(work):
        for name in folders: there[os.path.relpath(os.path.join(above, name), work)] = None
        for name in files:
            with open(os.path.join(above, name)) as file:
                there[os.path.relpath(file.name, work)] = file.read()
    return there
before, answers = found(), []
with Workspace(work, state_dir=given["state"]) as workspace:
    for tool, arguments in given["calls"]:
        made = workspace.call(tool, arguments)
        after = found()
        undone = made if made.is_error else workspace.call("revert_edit", {"change_id": made.data["change_id"]})
        answers.append([made.code, made.text, after, undone.code, undone.text, found() == before])
say([before, answers])
"""


def _can_mount() -> bool:
    inside = [
        "unshare",
        "-m",
        "--propagation",
        "private",
        "mount",
        "-t",
        "tmpfs",
        "tmpfs",
        "/mnt",
    ]
    try:
        return (
            subprocess.run(inside, capture_output=True, check=False).returncode
            == 0
        )
    except FileNotFoundError:
        return False


def _pair(
    source: str, destination: str, **more: Any
) -> tuple[str, dict[str, Any]]:
    return "move_items", {
        "items": [{"source": source, "destination": destination}],
        **more,
    }


@pytest.mark.skipif(
    not _can_mount(),
    reason="needs the right to mount in a namespace of its own",
)
def test_copies_and_moves_across_a_mount_are_whole_and_come_back(
    place: Path,
) -> None:
    pairs = [
        ("file.txt", "volume/new.txt"),
        ("volume/file.txt", "new.txt"),
        ("tree", "volume/new"),
        ("volume/tree", "new"),
    ]
    calls = [
        _pair(*pair, copy=copy) for copy in (True, False) for pair in pairs
    ]
    calls += [
        _pair("file.txt", "volume/taken.txt", copy=copy, overwrite=True)
        for copy in (True, False)
    ]
    calls.append(("delete_items", {"paths": ["file.txt", "volume/file.txt"]}))
    under = ["unshare", "-m", "--propagation", "private"]
    before, answers = outside.run(
        ACROSS,
        under=under,
        work=place / "work",
        state=place / "state",
        calls=calls,
    )
    for (tool, arguments), (
        code,
        text,
        after,
        undo_code,
        undo_text,
        as_before,
    ) in zip(calls, answers, strict=True):
        assert code is None, (tool, arguments, text)
        for item in arguments.get("items", ()):
            source, destination = item["source"], item["destination"]
            moved = {
                name: held
                for name, held in before.items()
                if (name + "/").startswith(source + "/")
            }
            for name, held in moved.items():
                assert after[destination + name.removeprefix(source)] == held, (
                    tool,
                    name,
                )
                assert (name in after) == arguments["copy"], (tool, name)
        assert not any("~" in name for name in after), (tool, after)
        assert undo_code is None, (tool, arguments, undo_text)
        assert as_before, f"{tool} {arguments} was not undone"
