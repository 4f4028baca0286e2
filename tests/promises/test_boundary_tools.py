"""Every tool that takes a path, against every trap: nothing outside is read, listed or changed."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests import processes
from tests.method_tools import call_tool

from filewright import Workspace
from filewright.settings import Settings

Arguments = Callable[[str], dict[str, Any]]

READING: dict[str, tuple[str, Arguments]] = {
    "list": ("list_files", lambda path: {"path": path}),
    "list a tree": (
        "list_files",
        lambda path: {
            "path": path,
            "depth": 0,
            "details": True,
            "include_ignored": True,
        },
    ),
    "list by glob": (
        "list_files",
        lambda path: {"path": path, "depth": 0, "glob": "**/*"},
    ),
    "stat": ("stat_items", lambda path: {"paths": [path]}),
    "overview": ("get_overview", lambda path: {"path": path}),
    "search": (
        "search_content",
        lambda path: {"path": path, "pattern": "SECRET"},
    ),
    "search by regex": (
        "search_content",
        lambda path: {"path": path, "pattern": "S.*T", "mode": "regex"},
    ),
    "search fuzzily": (
        "search_content",
        lambda path: {"path": path, "pattern": "SECRETS", "mode": "fuzzy"},
    ),
    "count": (
        "search_content",
        lambda path: {"path": path, "pattern": "E", "output": "counts"},
    ),
    "read": ("read_content", lambda path: {"path": path}),
    "read several": ("read_content", lambda path: {"paths": [path, "file"]}),
    "read the tail": (
        "read_content",
        lambda path: {"path": path, "mode": "tail"},
    ),
    "history": ("get_history", lambda path: {"path": path}),
}
EDIT = {"search": "SECRET", "replace": "changed"}
CHANGING: dict[str, tuple[str, Arguments]] = {
    "edit": ("edit_content", lambda path: {"path": path, "edits": [EDIT]}),
    "preview an edit": (
        "edit_content",
        lambda path: {"path": path, "edits": [EDIT], "preview": True},
    ),
    "patch": (
        "apply_patch",
        lambda path: {
            "patch": f"--- {path}\n+++ {path}\n@@ -1 +1 @@\n-SECRET\n+changed\n"
        },
    ),
    "patch by envelope": (
        "apply_patch",
        lambda path: {
            "patch": f"*** Begin Patch\n*** Update File: {path}\n@@\n-SECRET\n+changed\n*** End Patch\n"
        },
    ),
    "replace": (
        "replace_content",
        lambda path: {
            "path": path,
            "pattern": "SECRET",
            "replacement": "changed",
            "preview": False,
        },
    ),
    "create": (
        "write_content",
        lambda path: {"items": [{"path": path, "content": "x"}]},
    ),
    "overwrite": (
        "write_content",
        lambda path: {
            "items": [{"path": path, "content": "x", "mode": "overwrite"}]
        },
    ),
    "append": (
        "write_content",
        lambda path: {
            "items": [{"path": path, "content": "x", "mode": "append"}]
        },
    ),
    "create below": (
        "write_content",
        lambda path: {"items": [{"path": f"{path}/new", "content": "x"}]},
    ),
    "create far below": (
        "write_content",
        lambda path: {"items": [{"path": f"{path}/a/b/new", "content": "x"}]},
    ),
    "make a folder": ("create_directories", lambda path: {"paths": [path]}),
    "make folders below": (
        "create_directories",
        lambda path: {"paths": [f"{path}/a/b/c"]},
    ),
    "move from": (
        "move_items",
        lambda path: {"items": [{"source": path, "destination": "taken"}]},
    ),
    "move to": (
        "move_items",
        lambda path: {"items": [{"source": "file", "destination": path}]},
    ),
    "move into": (
        "move_items",
        lambda path: {
            "items": [{"source": "file", "destination": f"{path}/file"}]
        },
    ),
    "move over": (
        "move_items",
        lambda path: {
            "items": [{"source": "file", "destination": path}],
            "overwrite": True,
        },
    ),
    "copy from": (
        "copy_items",
        lambda path: {"items": [{"source": path, "destination": "taken"}]},
    ),
    "copy into": (
        "copy_items",
        lambda path: {
            "items": [{"source": "sub", "destination": f"{path}/sub"}]
        },
    ),
    "copy over": (
        "copy_items",
        lambda path: {
            "items": [{"source": "file", "destination": path}],
            "overwrite": True,
        },
    ),
    "delete": ("delete_items", lambda path: {"paths": [path]}),
    "delete a tree": (
        "delete_items",
        lambda path: {"paths": [path], "recursive": True},
    ),
    "set a mode": (
        "set_permissions",
        lambda path: {"paths": [path], "mode": "600"},
    ),
    "undo": ("revert_edit", lambda path: {"path": path}),
}
TOOLS = READING | CHANGING

OUTSIDE = [
    "..", "../outside", "../outside/secret", "../rooted/secret", "sub/../../outside/secret",
    "{outside}", "{outside}/secret", "{root}/../outside/secret", "{root}ed/secret", "/", "/etc/passwd",
    "~/secret", "~root/secret", '"../outside/secret"', '"\\056./outside/secret"', "/proc/self/root{outside}/secret",
]  # fmt: skip
LINKS = [
    "out-file", "out-file/", "out-folder", "out-folder/", "out-folder/secret", "out-folder/deep/secret",
    "out-root/outside/secret", "abs-file", "abs-folder/secret", "proc-root/etc/passwd", "dangling-out",
    "chain/secret", "loop", "loop/x", "sub/../out-folder/secret", "out-folder/../outside/secret",
]  # fmt: skip
NAMES = [
    "%2e%2e/outside/secret",
    "\uff0e\uff0e/outside/secret",
    "..\\outside\\secret",
    "..;/outside/secret",
    "....//outside",
]
NO_PATHS = ["file\0", "half \ud800", '"open', "file://{outside}/secret"]


def record(folder: Path) -> dict[str, tuple[object, ...]]:
    """Everything about a folder and what is below it that a tool could change."""
    found: dict[str, tuple[object, ...]] = {}
    for path in [folder, *sorted(folder.rglob("*"))]:
        status = path.lstat()
        content = path.read_bytes() if path.is_file() else b""
        found[str(path)] = (
            status.st_mode,
            status.st_ino,
            status.st_mtime_ns,
            status.st_nlink,
            content,
        )
    return found


@pytest.fixture
def outside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "outside"
    (folder / "deep").mkdir(parents=True)
    for place in (
        folder / "secret",
        folder / "deep" / "secret",
        folder / "hidden-name",
    ):
        place.write_text("SECRET\n")
    monkeypatch.setenv("HOME", str(folder))
    return folder


@pytest.fixture
def root(tmp_path: Path, outside: Path) -> Path:
    root = tmp_path / "root"
    root.mkdir()
    lay_out(root, outside)
    (tmp_path / "rooted").mkdir()
    (tmp_path / "rooted" / "secret").write_text("SECRET\n")
    return root


def lay_out(root: Path, outside: Path) -> None:
    """Put into the root what it holds before a call, instead of all that is there."""
    for path in root.iterdir():
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()
    (root / "sub").mkdir()
    (root / "file").write_text("inside\n")
    (root / "sub" / "file").write_text("inside\n")
    for name, target in {
        "out-file": "../outside/secret",
        "out-folder": "../outside",
        "out-root": "..",
        "abs-file": str(outside / "secret"),
        "abs-folder": str(outside),
        "proc-root": "/proc/self/root",
        "dangling-out": "../outside/nothing",
        "chain": "out-folder/deep",
        "loop": "loop",
    }.items():
        (root / name).symlink_to(target)


@pytest.fixture(params=[True, False], ids=["openat2", "component-wise"])
def workspace(
    root: Path, tmp_path: Path, request: pytest.FixtureRequest
) -> Iterator[Workspace]:
    # What survives a power failure is no question here.
    settings = Settings(openat2=request.param, flush=False)
    with Workspace(
        root, state_dir=tmp_path / "state", settings=settings
    ) as workspace:
        yield workspace


def opened_one_way(
    rows: Collection[str], parts: int = 1
) -> pytest.MarkDecorator:
    """Give the test each row in one of the two ways of opening, in the sweep in both.

    With several parts, each part of the tools has the row in another way.
    """
    params = []
    for at, asked in enumerate(rows):
        for part in range(parts):
            for beneath in (True, False):
                is_short = (at + part) % 2 == beneath
                row = (beneath, asked, part) if parts > 1 else (beneath, asked)
                way = "openat2" if beneath else "component-wise"
                params.append(
                    pytest.param(
                        *row,
                        marks=[] if is_short else pytest.mark.sweep,
                        id="-".join(map(str, (way, *row[1:]))),
                    )
                )
    names = ("workspace", "asked", "part")[: len(params[0].values)]
    return pytest.mark.parametrize(names, params, indirect=["workspace"])


def answer(
    workspace: Workspace, tool: str, arguments: dict[str, Any]
) -> tuple[str | None, str]:
    """The code of a refusal (of the first item, where one was refused), and all that the result says."""
    result = call_tool(workspace, tool, arguments)
    said = result.text + json.dumps(result.data, default=str)
    said.encode()
    code = result.code
    if code is None and isinstance(result.data, dict):
        rows = [
            row
            for value in result.data.values()
            if isinstance(value, list)
            for row in value
        ]
        rows = [
            row.get("error") or row for row in rows if isinstance(row, dict)
        ]
        codes = [row["code"] for row in rows if row.get("code")]
        code = codes[0] if codes else None
    return code, said


@opened_one_way(OUTSIDE)
def test_a_path_outside_is_refused_by_every_tool(
    workspace: Workspace, root: Path, outside: Path, asked: str
) -> None:
    path = asked.replace("{root}", str(root))
    path = path.replace("{outside}", str(outside))
    rooted = root.with_name("rooted")
    before = record(root), record(outside), record(rooted)
    for way, (tool, arguments) in TOOLS.items():
        if "patch" in way and path == "/":
            continue  # a slash alone is no name in a patch's header
        code, said = answer(workspace, tool, arguments(path))
        # A quoted form with more behind it is malformed.
        cut = path.startswith('"') and ("below" in way or "into" in way)
        assert code == "path_escape" or (cut and code == "invalid_input"), (
            way,
            said,
        )
        assert "SECRET\n" not in said, way
        assert "hidden-name" not in said, way
    assert (record(root), record(outside), record(rooted)) == before


def test_a_link_outwards_is_a_way_out_for_no_tool_that_reads(
    workspace: Workspace, root: Path, outside: Path
) -> None:
    for asked in LINKS:
        for way in READING:
            _leads_nowhere(workspace, root, outside, asked, way)


@opened_one_way(LINKS, parts=2)
def test_a_link_outwards_is_a_way_out_for_no_tool_that_changes(
    workspace: Workspace, root: Path, outside: Path, asked: str, part: int
) -> None:
    for way in list(CHANGING)[part::2]:
        lay_out(root, outside)
        _leads_nowhere(workspace, root, outside, asked, way)


def _leads_nowhere(
    workspace: Workspace, root: Path, outside: Path, asked: str, way: str
) -> None:
    tool, arguments = TOOLS[way]
    before = record(outside)
    code, said = answer(workspace, tool, arguments(asked))
    assert code != "internal", (asked, way, said)
    assert record(outside) == before, (asked, way)
    assert "hidden-name" not in said, (asked, way)
    if "search" not in way and "patch" not in way:
        assert "SECRET\\n" not in said, (asked, way)
        assert "SECRET\n" not in said, (asked, way)
    if "search" in way or way == "count":
        assert code is not None or '"matches": []' in said or "0" in said
    if (root / "taken").is_file() and not (root / "taken").is_symlink():
        assert (root / "taken").read_text() != "SECRET\n"


@opened_one_way(NAMES)
def test_names_that_only_look_like_a_way_out_are_names(
    workspace: Workspace, root: Path, outside: Path, asked: str
) -> None:
    before = record(outside)
    for way, (tool, arguments) in TOOLS.items():
        lay_out(root, outside)
        code, said = answer(workspace, tool, arguments(asked))
        assert code != "internal", (way, said)
        assert "hidden-name" not in said, way
        assert record(outside) == before, way


@opened_one_way(NO_PATHS)
def test_what_is_no_path_is_invalid_for_every_tool(
    workspace: Workspace, root: Path, outside: Path, asked: str
) -> None:
    path = asked.replace("{outside}", str(outside))
    before = record(root), record(outside)
    for way, (tool, arguments) in TOOLS.items():
        code, said = answer(workspace, tool, arguments(path))
        if "patch" in way:
            # The patch itself may be malformed by it.
            assert code is not None, (way, said)
        else:
            assert code == "invalid_input", (way, said)
    assert (record(root), record(outside)) == before


@opened_one_way(["pipes/fifo", "pipes/fifo/x", "pipes"])
def test_no_tool_waits_for_a_fifo(
    workspace: Workspace, root: Path, outside: Path, asked: str
) -> None:
    for way, (tool, arguments) in TOOLS.items():
        lay_out(root, outside)
        (root / "pipes").mkdir()
        os.mkfifo(root / "pipes" / "fifo")
        code, said = answer(workspace, tool, arguments(asked))
        assert code != "internal", (way, said)


@opened_one_way([".", "", "sub/..", "{root}"])
def test_no_tool_changes_the_root_itself(
    workspace: Workspace, root: Path, outside: Path, asked: str
) -> None:
    path = asked.replace("{root}", str(root))
    before = root.lstat()
    for way, (tool, arguments) in CHANGING.items():
        lay_out(root, outside)
        code, said = answer(workspace, tool, arguments(path))
        assert code != "internal", (way, said)
        after = root.lstat()
        assert (after.st_ino, after.st_mode) == (
            before.st_ino,
            before.st_mode,
        ), way
        assert (root / "sub").is_dir(), way


@pytest.mark.parametrize(
    "asked",
    [
        ".git",
        ".git/config",
        ".GIT/config",
        "git-link/config",
        "sub/.git/hooks/pre-push",
    ],
)
def test_no_tool_changes_what_is_protected(
    workspace: Workspace, root: Path, asked: str
) -> None:
    (root / ".git").mkdir()
    (root / ".git" / "config").write_text("SECRET\n")
    (root / "git-link").symlink_to(".git")
    for way in CHANGING:
        _no_tool_changes(workspace, root, asked, way)


def _no_tool_changes(
    workspace: Workspace, root: Path, asked: str, way: str
) -> None:
    before, protected = record(root), record(root / ".git")
    tool, arguments = CHANGING[way]
    code, said = answer(workspace, tool, arguments(asked))
    if way.startswith("copy from") and (root / "taken").exists():
        workspace.undo()
        assert not (root / "taken").exists()
    else:
        assert record(root) == before
    assert record(root / ".git") == protected
    assert not (root / "sub" / ".git").exists()
    assert not (root / ".GIT").exists()
    if not way.startswith("copy from"):
        assert code in (
            "permission_denied",
            "not_found",
            "no_match",
            "patch_failed",
            "not_a_directory",
        ), said


def test_a_read_only_workspace_offers_and_does_nothing(
    root: Path, tmp_path: Path
) -> None:
    before = record(root)
    with Workspace(
        root, state_dir=tmp_path / "state", read_only=True
    ) as workspace:
        offered = {tool.name for tool in workspace.tools()}
        for way, (tool, arguments) in CHANGING.items():
            assert tool not in offered
            code, said = answer(workspace, tool, arguments("file"))
            assert code == "read_only", (way, said)
    assert record(root) == before


SWAP = """
import os, sys
from filewright.system import linux
folder = os.open(sys.argv[1], os.O_RDONLY)
print("swapping", flush=True)
while True:
    linux.renameat2(folder, b"swap", folder, b"link", linux.RENAME_EXCHANGE)
"""


@pytest.fixture
def swapping(root: Path, outside: Path) -> Iterator[None]:
    (root / "swap" / "deep").mkdir(parents=True)
    for name in ("secret", "deep/secret", "spare"):
        (root / "swap" / name).write_text("inside\n")
    (root / "link").symlink_to("../outside")
    process = processes.start(
        [sys.executable, "-c", SWAP, str(root)], heard=False
    )
    assert process.stdin is not None
    assert process.stdout is not None
    with process.stdin, process.stdout:
        assert process.stdout.readline() == b"swapping\n"
        yield
        assert process.poll() is None
        process.send_signal(signal.SIGKILL)
        process.wait()


def _item(path: str, content: str, mode: str) -> dict[str, Any]:
    return {"items": [{"path": path, "content": content, "mode": mode}]}


def _pair(source: str, destination: str) -> dict[str, Any]:
    return {
        "items": [{"source": source, "destination": destination}],
        "overwrite": True,
    }


RACED: dict[str, list[tuple[str, dict[str, Any]]]] = {
    "read": [("read_content", {"paths": ["swap/secret", "swap/deep/secret"]})],
    "list": [("list_files", {"path": "swap", "depth": 0, "details": True}), ("list_files", {"depth": 0})],
    "stat": [("stat_items", {"paths": ["swap/secret", "swap/hidden-name"]})],
    "search": [("search_content", {"pattern": "(?i)secret", "mode": "regex", "path": "swap"})],
    "edit": [
        ("edit_content", {"path": "swap/secret", "edits": [{"search": "inside", "replace": "edited"}]}),
        ("edit_content", {"path": "swap/secret", "edits": [{"search": "edited", "replace": "inside"}]}),
    ],
    "write": [
        ("write_content", _item("swap/secret", "inside\n", "overwrite")),
        ("write_content", _item("swap/deep/new/file", "inside\n", "overwrite")),
        ("write_content", _item("swap/spare", "inside\n", "append")),
    ],
    "replace": [
        ("replace_content", {"pattern": "inside", "replacement": "inside!", "path": "swap", "preview": False}),
        ("replace_content", {"pattern": "inside!+", "replacement": "inside", "mode": "regex", "path": "swap", "preview": False}),
    ],
    "move": [("move_items", _pair("swap/spare", "swap/deep/moved")), ("move_items", _pair("swap/deep/moved", "swap/spare"))],
    "copy": [("copy_items", _pair("swap/deep", "swap/copied")), ("copy_items", _pair("swap/secret", "copied"))],
    "delete": [
        ("write_content", _item("swap/more/file", "inside\n", "overwrite")),
        ("delete_items", {"paths": ["swap/more", "swap/hidden-name"], "recursive": True, "atomic": False}),
    ],
    "make folders": [("create_directories", {"paths": ["swap/a/b/c"]}), ("delete_items", {"paths": ["swap/a"], "recursive": True})],
    "set modes": [("set_permissions", {"paths": ["swap/secret", "swap/deep"], "mode": "u=rwx,go="})],
}  # fmt: skip


def race(workspace: Workspace, way: str, rounds: int) -> Counter[str]:
    seen: Counter[str] = Counter()
    for _ in range(rounds):
        for tool, arguments in RACED[way]:
            code, said = answer(workspace, tool, arguments)
            assert code != "internal", said
            assert "SECRET" not in said
            if "hidden-name" not in str(arguments):
                assert "hidden-name" not in said
            seen[code or "done"] += 1
    return seen


@pytest.mark.usefixtures("swapping")
@opened_one_way(RACED)
def test_no_tool_loses_the_race(
    workspace: Workspace, root: Path, outside: Path, asked: str
) -> None:
    before = record(outside)
    race(workspace, asked, 8)
    assert record(outside) == before
    assert (
        not (root / "copied").exists()
        or (root / "copied").read_text() == "inside\n"
    )


@pytest.mark.sweep
@pytest.mark.timeout(900)
@pytest.mark.usefixtures("swapping")
@pytest.mark.parametrize("way", RACED)
def test_no_tool_loses_the_race_in_many_rounds(
    workspace: Workspace, root: Path, outside: Path, way: str
) -> None:
    before = record(outside)
    race(workspace, way, 2000)
    assert record(outside) == before
