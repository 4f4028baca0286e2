"""`internal` is a bug by definition: what a caller, a file system or a limit does has a code of its own."""

from __future__ import annotations

import base64
import gc
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.method_tools import call_tool
from tests.promises import outside
from tests.promises.outside import NOBODY, needs_others

from filewright import Workspace


@pytest.fixture
def place() -> Iterator[Path]:
    with outside.folder() as folder:
        for number in range(5):
            (folder / "work" / f"f{number}.txt").write_text("one\n" * 5)
        yield folder


def _cursor(value: Any) -> str:
    return (
        base64.urlsafe_b64encode(json.dumps(value).encode())
        .decode()
        .rstrip("=")
    )


FORGED = [
    "WyJsaXN0IiwibmFtZSIsWzAsInp6Il1d",
    "",
    "x",
    "%%%",
    "é",
    "A" * 10_000,
    *map(
        _cursor,
        [
            None,
            {},
            [],
            5,
            "list",
            ["list"],
            ["list", "name"],
            ["list", "name", []],
            ["list", "name", [0]],
            ["list", "name", [0, "6"]],
            ["list", "name", [0, None]],
            ["list", "name", ["x", "66"]],
            ["list", "size", [0, "66"]],
            ["list", "name", [1e400, "66"]],
            ["list", "name", [10**400, "66"]],
            ["search", 1],
            ["search", "x", []],
            ["search", [0, "66", 1]],
            ["history", "zz"],
            ["history", None],
            [[[[[[]]]]]],
        ],
    ),
]


def test_a_forged_cursor_is_invalid_input(place: Path) -> None:
    with Workspace(place / "work", state_dir=place / "state") as workspace:
        wrong = []
        for tool, arguments in (
            ("list_files", {"limit": 2}),
            ("search_content", {"pattern": "one", "max_results": 2}),
            ("get_history", {"limit": 2}),
        ):
            for cursor in FORGED:
                answer = call_tool(
                    workspace, tool, {**arguments, "cursor": cursor}
                )
                if answer.is_error and answer.code not in (
                    "invalid_input",
                    "not_found",
                ):
                    wrong.append(f"{tool} {cursor[:40]}: {answer.text[:80]}")
    assert wrong == []


CALLS: list[tuple[str, dict[str, Any]]] = [
    ("list_files", {}),
    ("stat_items", {"paths": ["f0.txt"]}),
    ("get_overview", {"path": "f0.txt"}),
    ("search_content", {"pattern": "one"}),
    ("search_content", {"pattern": "one", "path": "f0.txt"}),
    ("read_content", {"path": "f0.txt"}),
    ("read_content", {"paths": ["f0.txt", "f1.txt"]}),
    (
        "edit_content",
        {
            "path": "f0.txt",
            "edits": [{"search": "one\none", "replace": "x", "start_line": 1}],
        },
    ),
    (
        "apply_patch",
        {"patch": "--- /dev/null\n+++ b/n.txt\n@@ -0,0 +1 @@\n+n\n"},
    ),
    (
        "replace_content",
        {"pattern": "one", "replacement": "two", "preview": False},
    ),
    ("write_content", {"items": [{"path": "n2.txt", "content": ""}]}),
    ("create_directories", {"paths": ["d"]}),
    ("move_items", {"items": [{"source": "f1.txt", "destination": "g1.txt"}]}),
    (
        "move_items",
        {
            "items": [{"source": "f2.txt", "destination": "g2.txt"}],
            "copy": True,
        },
    ),
    ("delete_items", {"paths": ["f3.txt"]}),
    ("set_permissions", {"paths": ["f4.txt"], "mode": "600"}),
    ("get_history", {}),
    ("revert_edit", {"path": "f0.txt"}),
]


def test_a_closed_workspace_says_that_it_is_closed(place: Path) -> None:
    workspace = Workspace(place / "work", state_dir=place / "state")
    workspace.close()
    workspace.close()
    wrong = [
        f"{tool}: {answer.text[:80]}"
        for tool, arguments in CALLS
        if (answer := call_tool(workspace, tool, arguments)).code
        != "invalid_input"
    ]
    assert wrong == []


AS_USER = """
with Workspace(given["work"], state_dir=given["state"]) as workspace:
    answers = []
    for dialect, tool, arguments in given["calls"]:
        answer = workspace.offer(dialect).call(tool, arguments)
        answers.append([answer.is_error, answer.text])
say(answers)
"""


@needs_others
@pytest.mark.parametrize(
    "mode", [0o444, 0o744, 0o000, 0o111, 0o333], ids="{:03o}".format
)
def test_a_folder_that_may_not_be_entered_is_listed_or_refused(
    place: Path, mode: int
) -> None:
    sub = place / "work" / "sub"
    (sub / "deep").mkdir(parents=True)
    (sub / "f.txt").write_text("one\n")
    sub.chmod(mode)
    (place / "state").mkdir()
    (place / "state").chmod(0o777)
    whole = str(place / "work")
    calls: list[tuple[str | None, str, dict[str, Any]]] = [
        (None, "list_files", {"details": True, "depth": 0}),
        (None, "list_files", {"details": True, "path": "sub"}),
        (None, "list_files", {"glob": "**/*.txt", "sort": "size"}),
        (None, "search_content", {"pattern": "one"}),
        (None, "read_content", {"paths": ["sub/f.txt"]}),
        ("agent-tools", "tree", {"path": "."}),
        ("agent-tools", "list_dir", {"path": "sub"}),
        ("agent-tools", "glob", {"pattern": "**/*"}),
        ("largefile", "list_directory", {"absolute_dir_path": whole}),
        ("largefile", "list_directory", {"absolute_dir_path": f"{whole}/sub"}),
    ]
    given = {"work": place / "work", "state": place / "state", "calls": calls}
    answers = outside.run(AS_USER, user=NOBODY, **given)
    assert len(answers) == len(calls)
    # What is above it is listed.
    assert not answers[0][0], answers[0]
    for call, (_, text) in zip(calls, answers, strict=True):
        assert "internal" not in text, (call, text)


def test_a_failed_opening_leaks_no_descriptor(place: Path) -> None:
    import os

    from filewright import FilewrightError, Settings

    gc.collect()  # What other tests have left.
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(5):
        for arguments in (
            {"state_dir": "/dev/null/x"},
            {"settings": Settings(protected=("a\udcffb",))},
        ):
            try:
                Workspace(place / "work", **arguments).close()  # type: ignore[arg-type]
            except (FilewrightError, OSError, ValueError):
                pass
        with pytest.raises(FilewrightError):
            Workspace(place / "work", place / "not there")
    assert len(os.listdir("/proc/self/fd")) <= before
