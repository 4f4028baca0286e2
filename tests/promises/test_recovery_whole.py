"""After a kill at any instant, the first thing anybody does next sees a whole tree.

And recovery gives up on nothing silently: what it cannot settle it keeps, names and says again.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from mcp import Client
from tests import processes
from tests.promises import outside
from tests.promises.outside import Beside

from filewright import Settings, Workspace

WRITER = (
    outside.MAY_BE_TRACED
    + """
with Workspace(given["work"], state_dir=given["state"]) as workspace:
    say("opened")
    hear()
    items = [{"path": name, "content": "new\\n", "mode": "overwrite"} for name in given["names"]]
    answer = workspace.call("write_content", {"items": items})
    say(answer.is_error)
"""
)
OLD, NEW = b"old\n" * 30, b"new\n"
FILES = [f"folder/f{number:02d}.txt" for number in range(40)]

pytestmark = outside.needs_tracing


@pytest.fixture
def place() -> Iterator[Path]:
    with outside.folder() as folder:
        yield folder


def _furnish(place: Path) -> None:
    shutil.rmtree(place / "work")
    shutil.rmtree(place / "state", ignore_errors=True)
    (place / "work" / "folder").mkdir(parents=True)
    (place / "work" / "other.txt").write_bytes(b"not part of it\n")
    for name in FILES:
        (place / "work" / name).write_bytes(OLD)


def _mixed(work: Path) -> bool:
    return len({path.read_bytes() for path in work.rglob("f*.txt")}) > 1


def _interrupted(
    place: Path, name: str, before: Callable[[], None] = lambda: None
) -> Beside:
    """A process that got the signal of that name when some of its files were published and some were not."""
    log = place / "log"
    for call in ("renameat2", "renameat", "rename", "linkat"):
        log.write_text("")
        _furnish(place)
        before()
        given = {
            "work": place / "work",
            "state": place / "state",
            "names": FILES,
        }
        at = f"inject={call}:signal={name}:when={len(FILES) // 2}"
        child = Beside(WRITER, given)
        child.hear()
        child.trace("-o", str(log), "-e", f"trace={call}", "-e", at)
        child.say("go")
        while child.running and "stopped by SIGSTOP" not in log.read_text():
            time.sleep(0.002)
        if _mixed(place / "work"):
            return child
        child.__exit__()
    raise AssertionError(
        "no process could be interrupted in the middle of its change"
    )


@pytest.fixture
def torn(place: Path) -> Path:
    """A place whose change was killed half published."""
    with _interrupted(place, "KILL"):
        return place


def _reads(workspace: Workspace) -> bool:
    text = workspace.read(paths=FILES, limit=1).text
    return not ("old" in text and "new" in text)


def _searches(workspace: Workspace) -> bool:
    answers = [
        workspace.call("search_content", {"pattern": p, "output": "files"})
        for p in ("old", "new")
    ]
    named = [set(re.findall(r"f\d\d\.txt", answer.text)) for answer in answers]
    return sorted(map(len, named)) == [0, len(FILES)] and not any(
        "~" in a.text for a in answers
    )


def _lists(workspace: Workspace) -> bool:
    text = workspace.list_files("folder", depth=0, include_ignored=True).text
    return "~" not in text and all(
        os.path.basename(name) in text for name in FILES
    )


def _looks(workspace: Workspace) -> bool:
    sizes = {
        row["stats"]["size"] for row in workspace.stat(*FILES).data["results"]
    }
    return len(sizes) == 1


def _counts(workspace: Workspace) -> bool:
    text = workspace.call(
        "search_content", {"pattern": "e", "output": "counts", "mode": "regex"}
    ).text
    return "~" not in text


FIRST = {
    "read": _reads,
    "search": _searches,
    "list": _lists,
    "stat": _looks,
    "count": _counts,
}


@pytest.mark.parametrize("first", FIRST)
def test_the_first_thing_after_a_kill_sees_a_whole_tree(
    torn: Path, first: str
) -> None:
    with Workspace(torn / "work", state_dir=torn / "state") as workspace:
        assert FIRST[first](workspace), (
            f"the first {first} after a kill shows a torn tree"
        )
    assert not _mixed(torn / "work")
    assert outside.unasked(torn / "work") == []


def test_a_workspace_that_was_open_all_the_time_reads_a_whole_tree_after_anothers_kill(
    place: Path,
) -> None:
    opened: list[Workspace] = []

    def open_first() -> None:
        if opened:
            opened.pop().close()
        opened.append(Workspace(place / "work", state_dir=place / "state"))

    with _interrupted(place, "KILL", open_first):
        for first, whole in FIRST.items():
            assert whole(opened[0]), (
                f"the {first} after another process was killed shows a torn tree"
            )
    opened.pop().close()


def test_the_command_line_reads_a_whole_tree_after_a_kill(torn: Path) -> None:
    listed = outside.command(torn, "call", "list_files", '{"path": "folder"}')
    assert listed.returncode == 0, listed.stderr
    assert "~" not in listed.stdout
    assert not _mixed(torn / "work")


@pytest.mark.anyio
async def test_a_server_reads_a_whole_tree_after_a_kill(torn: Path) -> None:
    words = [*processes.FILEWRIGHT, "serve", str(torn / "work")]
    server = processes.for_client(
        words, {"FILEWRIGHT_STATE_DIR": str(torn / "state")}
    )
    async with Client(server) as client:
        answer = await client.call_tool(
            "read_content", {"paths": FILES, "limit": 1}
        )
        text = "".join(getattr(part, "text", "") for part in answer.content)
    assert not ("old" in text and "new" in text), "the server shows a torn tree"
    assert not _mixed(torn / "work")


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def test_temporaries_of_a_living_change_are_never_shown(place: Path) -> None:
    settings = Settings(state_dir=place / "state", lock_seconds=0.2)
    with (
        _interrupted(place, "STOP") as child,
        Workspace(place / "work", settings=settings) as reader,
    ):
        listed = reader.call(
            "list_files", {"path": "folder", "include_ignored": True}
        )
        found = reader.call(
            "search_content",
            {"pattern": "e", "path": "folder", "output": "files"},
        )
        overview = reader.call("get_overview", {"path": "folder"})
        for answer in (listed, found, overview):
            assert not answer.is_error or answer.code in (
                "in_use",
                "timeout",
                "not_a_file",
            ), answer.text
            assert "~" not in answer.text, (
                "a temporary of a change that is being made is shown"
            )
        child.signal(signal.SIGCONT)
        assert child.hear() is False
        assert child.ended() == 0
    assert {path.read_bytes() for path in (place / "work").rglob("f*.txt")} == {
        NEW
    }


def test_read_only_writes_nothing_and_refuses_only_what_is_torn(
    torn: Path,
) -> None:
    before = outside.contents(torn)
    with Workspace(
        torn / "work", state_dir=torn / "state", read_only=True
    ) as workspace:
        refused = {
            name: workspace.call("read_content", {"path": name}).code
            for name in FILES
        }
        assert "not part of it" in workspace.read("other.txt").text
        assert (
            "~" not in workspace.list_files("folder", include_ignored=True).text
        )
    assert set(refused.values()) == {"in_use"}
    assert outside.contents(torn) == before


# What cannot be settled


def _doctor(place: Path) -> str:
    said = outside.command(place, "doctor")
    assert said.returncode in (0, 1), said.stderr
    return said.stdout + said.stderr


def _whole_or_named(place: Path, said: str) -> bool:
    """Whether the change is all there or not at all, or else each file on one side is named."""
    stands = {
        path.name: path.read_bytes()
        for path in (place / "work").rglob("f*.txt")
    }
    sides = [
        [name for name, content in stands.items() if content == side]
        for side in (OLD, NEW)
    ]
    return any(all(name in said for name in side) for side in sides)


def test_a_folder_renamed_after_the_crash_is_found_and_settled(
    torn: Path,
) -> None:
    (torn / "work" / "folder").rename(torn / "work" / "renamed")
    said = _doctor(torn)
    assert not _mixed(torn / "work"), said
    assert outside.unasked(torn / "work") == []
    assert sorted(os.listdir(torn / "work" / "renamed")) == [
        os.path.basename(name) for name in FILES
    ]


def _delete_temporaries(place: Path) -> None:
    for name in outside.unasked(place / "work"):
        (place / "work" / name).unlink()


def _move_out(place: Path) -> None:
    (place / "work" / "folder").rename(place / "elsewhere")


@pytest.mark.parametrize("harm", [_delete_temporaries, _move_out])
def test_what_recovery_cannot_settle_is_named_and_said_again(
    torn: Path, harm: Callable[[Path], None]
) -> None:
    harm(torn)
    if harm is _move_out:
        first, second = _doctor(torn), _doctor(torn)
        assert all("folder/" in said for said in (first, second)), (
            "a change that is not settled is forgotten"
        )
        (torn / "elsewhere").rename(torn / "work" / "folder")
        _doctor(torn)
        assert not _mixed(torn / "work"), (
            "the folder came back, and its change was not settled"
        )
        return
    for said in (_doctor(torn), _doctor(torn)):
        assert _whole_or_named(torn, said), said


@pytest.mark.parametrize("harm", [_delete_temporaries, _move_out])
def test_an_unsettled_change_blocks_no_other_file(
    torn: Path, harm: Callable[[Path], None]
) -> None:
    harm(torn)
    _doctor(torn)
    with Workspace(torn / "work", state_dir=torn / "state") as workspace:
        workspace.write("other.txt", "edited\n", mode="overwrite")
        workspace.undo()
    assert (torn / "work" / "other.txt").read_bytes() == b"not part of it\n"


# Killed at any system call

PATCH = "".join(
    f"--- a/edit{n}.txt\n+++ b/edit{n}.txt\n@@ -1,2 +1,2 @@\n-line 0 of {n}\n+LINE 0 OF {n}\n line 1 of {n}\n"
    for n in range(4)
)
PATCH += "--- /dev/null\n+++ b/new/deep/made.txt\n@@ -0,0 +1 @@\n+made\n"
PATCH += "--- a/gone.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-to be deleted\n"
PATCH += "diff --git a/old-name.txt b/new-name.txt\nsimilarity index 100%\n"
PATCH += "rename from old-name.txt\nrename to new-name.txt\n"

PATCHER = (
    outside.MAY_BE_TRACED
    + """
say("begun")
hear()
with Workspace(given["work"], state_dir=given["state"]) as workspace:
    answer = workspace.call("apply_patch", {"patch": given["patch"]})
    assert not answer.is_error, answer.text
"""
)
CALLS = (
    "renameat2",
    "renameat",
    "rename",
    "fsync",
    "unlinkat",
    "unlink",
    "mkdirat",
    "mkdir",
    "linkat",
    "ftruncate",
    "write",
    "pwrite64",
    "fchmod",
    "openat2",
)


def _patchable(place: Path) -> None:
    shutil.rmtree(place / "work")
    shutil.rmtree(place / "state", ignore_errors=True)
    (place / "work").mkdir()
    for number in range(4):
        text = "".join(f"line {line} of {number}\n" for line in range(50))
        (place / "work" / f"edit{number}.txt").write_text(text)
    (place / "work" / "gone.txt").write_text("to be deleted\n")
    (place / "work" / "old-name.txt").write_text("to be moved\n")


def _traced(place: Path, *options: str) -> int:
    _patchable(place)
    given = {"work": place / "work", "state": place / "state", "patch": PATCH}
    with Beside(PATCHER, given) as child:
        child.hear()
        if options:
            child.trace(*options)
        child.say("go")
        return child.ended()


FIRST_CALLS: dict[str, tuple[str, dict[str, object]]] = {
    "list": ("list_files", {"path": ".", "depth": 0, "include_ignored": True}),
    "search": ("search_content", {"pattern": "o", "output": "files"}),
    "read": (
        "read_content",
        {"paths": [f"edit{n}.txt" for n in range(4)], "limit": 2},
    ),
}


def _kill_everywhere(place: Path, points: int | None) -> int:
    """Kill at `points` system calls spread over all; the first thing done then sees one of two trees."""
    log = place / "log"
    assert _traced(place, "-e", f"trace={','.join(CALLS)}", "-o", str(log)) == 0
    after = outside.contents(place / "work")
    shown: dict[str, list[str]] = {}
    for first, (tool, arguments) in FIRST_CALLS.items():
        shown[first] = []
        for fresh in (True, False):
            if fresh:
                _patchable(place)
            else:
                assert _traced(place) == 0
            with Workspace(
                place / "work", state_dir=place / "state"
            ) as workspace:
                shown[first].append(workspace.call(tool, arguments).text)
    _patchable(place)
    before = outside.contents(place / "work")
    counts = {
        call: len(re.findall(rf"\b{call}\(", log.read_text())) for call in CALLS
    }
    every = [
        (call, number)
        for call, count in counts.items()
        for number in range(1, count + 1)
    ]
    chosen = every if points is None else every[:: max(1, len(every) // points)]
    killed = 0
    for turn, (call, number) in enumerate(chosen):
        kill = [
            "-e",
            f"trace={call}",
            "-e",
            f"inject={call}:signal=KILL:when={number}",
        ]
        killed += _traced(place, "-o", os.devnull, *kill) != 0
        first = list(FIRST_CALLS)[turn % len(FIRST_CALLS)]
        tool, arguments = FIRST_CALLS[first]
        with Workspace(place / "work", state_dir=place / "state") as workspace:
            text = workspace.call(tool, arguments).text
        assert text in shown[first], (
            f"killed at {call} {number}, the first {first} shows a torn tree"
        )
        assert outside.contents(place / "work") in (before, after), (
            f"killed at {call} {number}"
        )
    assert killed > len(chosen) // 2, "most runs ended before their call"
    return len(chosen)


def test_killed_at_a_system_call_the_next_read_sees_a_whole_tree(
    place: Path,
) -> None:
    _kill_everywhere(place, 12)


@pytest.mark.sweep
def test_killed_at_any_system_call_the_next_read_sees_a_whole_tree(
    place: Path,
) -> None:
    print(
        f"\nstrace: {_kill_everywhere(place, None)} kill points, each followed by a read"
    )


def test_a_change_after_a_kill_finds_a_whole_tree(torn: Path) -> None:
    with Workspace(torn / "work", state_dir=torn / "state") as workspace:
        workspace.write("other.txt", "edited\n", mode="overwrite")
    assert not _mixed(torn / "work")
    assert outside.unasked(torn / "work") == []
