"""Denied paths are invisible to every tool of every dialect, and no answer shows them."""

from __future__ import annotations

import base64
import json
import os
import re
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests import processes
from tests.method_tools import call_tool
from tests.samples import in_part

from filewright import FilewrightError, Workspace
from filewright.boundary.boundary import Boundary
from filewright.boundary.walk_model import WalkOptions
from filewright.changes.selection import Scope
from filewright.dialects.providers import DIALECT_NAMES
from filewright.progress import Caller, Task
from filewright.settings import Settings
from filewright.tools.catalogue import load_tool, read_catalogue

Calls = list[tuple[str, dict[str, Any]]]

CANARY = "canary-of-what-is-denied"
RULES = "# the user's\nsecret.txt\n/private/\n*.key\n!public.key\n"

DENIED = {
    "secret.txt": f"{CANARY} one\n",
    "private/inner.txt": f"{CANARY} two\n",
    "private/deep/more.txt": f"{CANARY} three\n",
    "sub/secret.txt": f"{CANARY} four\n",
    "sub/hidden.py": f"def f():\n    return '{CANARY}'\n",
    "sub/a.key": f"{CANARY} five\n",
}
OFFERED = {
    "open.txt": "plain\nword\n",
    "public.key": "word\n",
    "sub/open.py": "def f():\n    return 'word'\n",
    "free/a.txt": "word\n",
}
DENIED_PATHS = [
    "secret.txt",
    "./secret.txt",
    "SECRET.txt",
    "{root}/secret.txt",
    "sub/../secret.txt",
    "private",
    "private/",
    "private/inner.txt",
    "private/no-such.txt",
    "private/deep",
    "private/../open.txt",
    "sub/hidden.py",
    "sub/a.key",
    "no-such.key",
    "no-such/b.key",
    "way/inner.txt",
    "way/no-such.txt",
    "peek",
    "peek-below",
    ".agentsignore",
    "sub/.agentsignore",
    "free/.agentsignore",
    "free/.AgentsIgnore",
]


LINKS = ("peek", "peek-below")


def build(root: Path, *, denied: bool) -> None:
    shutil.rmtree(root, ignore_errors=True)
    files = {
        **OFFERED,
        ".agentsignore": RULES,
        "sub/.agentsignore": "hidden.*\n",
        **(DENIED if denied else {}),
    }
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    (root / "way").symlink_to("private")
    (root / "peek").symlink_to("secret.txt")
    (root / "peek-below").symlink_to("sub/hidden.py")
    for path in [root, *root.rglob("*")]:
        os.utime(path, (1_700_000_000, 1_700_000_000), follow_symlinks=False)


def native(path: str) -> Calls:
    patch = f"--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n-x\n+y\n"
    return [
        ("list_files", {"path": path}),
        (
            "list_files",
            {
                "path": path,
                "details": True,
                "depth": 0,
                "include_ignored": True,
            },
        ),
        ("stat_items", {"paths": [path]}),
        ("get_overview", {"path": path}),
        ("get_overview", {"path": path, "since": "HEAD"}),
        ("search_content", {"pattern": "canary", "path": path}),
        (
            "search_content",
            {"pattern": "canary", "path": path, "mode": "fuzzy"},
        ),
        ("read_content", {"path": path}),
        ("read_content", {"paths": [path, "open.txt"]}),
        (
            "edit_content",
            {"path": path, "edits": [{"search": "a", "replace": "b"}]},
        ),
        ("apply_patch", {"patch": patch}),
        (
            "apply_patch",
            {"patch": f"--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n+y\n"},
        ),
        (
            "apply_patch",
            {
                "patch": f"*** Begin Patch\n*** Delete File: {path}\n*** End Patch\n"
            },
        ),
        ("replace_content", {"pattern": "a", "replacement": "b", "path": path}),
        ("write_content", {"items": [{"path": path, "content": "x"}]}),
        (
            "write_content",
            {"items": [{"path": path, "content": "x", "mode": "overwrite"}]},
        ),
        (
            "write_content",
            {"items": [{"path": path, "content": "x", "mode": "append"}]},
        ),
        ("create_directories", {"paths": [path]}),
        ("create_directories", {"paths": [f"{path}/new"]}),
        (
            "move_items",
            {"items": [{"source": path, "destination": "free/moved"}]},
        ),
        (
            "move_items",
            {
                "items": [{"source": "free/a.txt", "destination": path}],
                "overwrite": True,
            },
        ),
        (
            "move_items",
            {
                "items": [{"source": path, "destination": "free/copied"}],
                "copy": True,
            },
        ),
        (
            "move_items",
            {
                "items": [{"source": "free/a.txt", "destination": path}],
                "copy": True,
            },
        ),
        ("delete_items", {"paths": [path], "recursive": True}),
        ("delete_items", {"paths": [path], "missing_ok": True}),
        ("set_permissions", {"paths": [path], "mode": "600"}),
        ("get_history", {"path": path}),
        ("revert_edit", {"path": path}),
    ]


def agent_tools(path: str) -> Calls:
    edit = {"old_string": "a", "new_string": "b"}
    return [
        ("read_file", {"path": path}),
        ("read_files", {"paths": [path, "open.txt"]}),
        ("read_image", {"path": path}),
        ("list_dir", {"path": path}),
        ("glob", {"path": path, "pattern": "**"}),
        ("tree", {"path": path}),
        ("grep", {"path": path, "pattern": "canary"}),
        ("file_stat", {"path": path}),
        ("outline", {"path": path}),
        ("check_syntax", {"path": path}),
        ("diff", {"from": path, "to": "open.txt"}),
        ("diff", {"from": "open.txt", "to": path}),
        ("edit_file", {"path": path, **edit}),
        ("multi_edit", {"path": path, "edits": [edit]}),
        (
            "apply_patch",
            {
                "patch": f"*** Begin Patch\n*** Add File: {path}\n+x\n*** End Patch\n"
            },
        ),
        ("write_file", {"path": path, "content": "x"}),
        ("replace", {"pattern": "a", "replacement": "b", "path": path}),
        ("move", {"source": path, "destination": "free/moved"}),
        (
            "move",
            {"source": "free/a.txt", "destination": path, "overwrite": True},
        ),
        ("copy", {"source": path, "destination": "free/copied"}),
        (
            "copy",
            {"source": "free/a.txt", "destination": path, "overwrite": True},
        ),
        ("mkdir", {"path": path}),
        ("remove", {"path": path}),
    ]


def largefile(path: str) -> Calls:
    where = {"absolute_file_path": path}
    return [
        ("get_overview", where),
        ("search_content", {**where, "pattern": "canary"}),
        (
            "search_content",
            {**where, "pattern": "canary", "count_only": True, "fuzzy": False},
        ),
        ("read_content", where),
        ("read_enclosing", {**where, "line": 1}),
        (
            "edit_content",
            {
                **where,
                "search_text": "a",
                "replace_text": "b",
                "preview": False,
            },
        ),
        ("revert_edit", where),
        ("list_directory", {"absolute_dir_path": path}),
        ("search_directory", {"absolute_dir_path": path, "pattern": "canary"}),
    ]


def filesystem(path: str) -> Calls:
    change = {
        "path": path,
        "start_line": 1,
        "search_pattern": "a",
        "replace_content": "b",
    }
    diff = {"search": "a", "replace": "b", "start_line": 1, "end_line": 1}
    return [
        ("list_files", {"path": path, "include_stats": True}),
        ("stat_items", {"paths": [path]}),
        ("read_content", {"paths": [path, "open.txt"]}),
        ("write_content", {"items": [{"path": path, "content": "x"}]}),
        (
            "write_content",
            {"items": [{"path": path, "content": "x", "append": True}]},
        ),
        ("delete_items", {"paths": [path]}),
        ("create_directories", {"paths": [path]}),
        ("chmod_items", {"paths": [path], "mode": "600"}),
        (
            "chown_items",
            {"paths": [path], "uid": os.getuid(), "gid": os.getgid()},
        ),
        (
            "move_items",
            {"operations": [{"source": path, "destination": "free/moved"}]},
        ),
        (
            "move_items",
            {
                "operations": [{"source": "free/a.txt", "destination": path}],
                "overwrite": True,
            },
        ),
        (
            "copy_items",
            {"operations": [{"source": path, "destination": "free/copied"}]},
        ),
        (
            "copy_items",
            {"operations": [{"source": "free/a.txt", "destination": path}]},
        ),
        ("search_files", {"path": path, "regex": "canary"}),
        (
            "replace_content",
            {"paths": [path], "operations": [{"search": "a", "replace": "b"}]},
        ),
        ("apply_diff", {"changes": [{"path": path, "diffs": [diff]}]}),
        ("edit_file", {"changes": [change]}),
    ]


def official(path: str) -> Calls:
    return [
        ("read_file", {"path": path}),
        ("read_text_file", {"path": path, "head": 3}),
        ("read_media_file", {"path": path}),
        ("read_multiple_files", {"paths": [path, "open.txt"]}),
        ("write_file", {"path": path, "content": "x"}),
        (
            "edit_file",
            {"path": path, "edits": [{"oldText": "a", "newText": "b"}]},
        ),
        ("create_directory", {"path": path}),
        ("list_directory", {"path": path}),
        ("list_directory_with_sizes", {"path": path}),
        ("directory_tree", {"path": path}),
        ("move_file", {"source": path, "destination": "free/moved"}),
        ("move_file", {"source": "free/a.txt", "destination": path}),
        ("search_files", {"path": path, "pattern": "**"}),
        ("get_file_info", {"path": path}),
        ("list_allowed_directories", {}),
    ]


def editor_commands(tool: str, path: str) -> Calls:
    """Return the commands that a text editor and a memory tool share."""
    text = "inserted"
    commands: list[dict[str, Any]] = [
        {"command": "view", "path": path},
        {"command": "view", "path": path, "view_range": [1, 2]},
        {"command": "create", "path": path, "file_text": "x"},
        {"command": "str_replace", "path": path, "old_str": "a"},
        {
            "command": "insert",
            "path": path,
            "insert_line": 0,
            "insert_text": text,
        },
    ]
    return [(tool, command) for command in commands]


def text_editor(path: str) -> Calls:
    return editor_commands("str_replace_based_edit_tool", path)


def text_editor_20250124(path: str) -> Calls:
    undo = {"command": "undo_edit", "path": path}
    calls = editor_commands("str_replace_editor", path)
    return [*calls, ("str_replace_editor", undo)]


def memory(path: str) -> Calls:
    path = f"/memories/{path}"
    away = {
        "command": "rename",
        "old_path": path,
        "new_path": "/memories/free/moved",
    }
    there = {
        "command": "rename",
        "old_path": "/memories/free/a.txt",
        "new_path": path,
    }
    return [
        *editor_commands("memory", path),
        ("memory", away),
        ("memory", there),
        ("memory", {"command": "delete", "path": path}),
    ]


def apply_patch(path: str) -> Calls:
    operations = [
        {"type": "create_file", "path": path, "diff": "+x"},
        {"type": "update_file", "path": path, "diff": "@@\n-a\n+b"},
        {"type": "delete_file", "path": path},
    ]
    patch = f"*** Begin Patch\n*** Delete File: {path}\n*** End Patch"
    return [
        *(
            ("apply_patch", {"operation": operation})
            for operation in operations
        ),
        ("apply_patch", {"input": patch}),
    ]


def gemini(path: str) -> Calls:
    edit = {"old_string": "a", "new_string": "b"}
    several = {**edit, "expected_replacements": 2}
    return [
        ("list_directory", {"dir_path": path}),
        ("read_file", {"file_path": path}),
        ("search_file_content", {"pattern": "canary|word", "dir_path": path}),
        ("glob", {"pattern": "**", "dir_path": path}),
        ("replace", {"file_path": path, **edit}),
        ("replace", {"file_path": path, **several}),
        ("replace", {"file_path": path, "old_string": "", "new_string": "b"}),
        ("write_file", {"file_path": path, "content": "x"}),
    ]


CALLS: dict[str, Callable[[str], Calls]] = {
    "native": native,
    "agent-tools": agent_tools,
    "largefile": largefile,
    "filesystem": filesystem,
    "official": official,
    "text-editor": text_editor,
    "text-editor-20250124": text_editor_20250124,
    "memory": memory,
    "apply-patch": apply_patch,
    "gemini": gemini,
}


def whole_tree(surface: str) -> Calls:
    """The calls that look at everything below the root."""
    calls: dict[str, Calls] = {
        "native": [
            ("list_files", {"path": "."}),
            (
                "list_files",
                {
                    "path": ".",
                    "details": True,
                    "depth": 0,
                    "include_ignored": True,
                },
            ),
            ("search_content", {"pattern": "canary|word", "mode": "regex"}),
            (
                "search_content",
                {
                    "pattern": "canary of what is denied",
                    "mode": "fuzzy",
                    "min_similarity": 0.3,
                },
            ),
            ("search_content", {"pattern": "canary", "output": "counts"}),
            (
                "search_content",
                {"pattern": "zzz", "invert": True, "output": "files"},
            ),
            (
                "replace_content",
                {"pattern": "canary", "replacement": "x", "path": "."},
            ),
            (
                "replace_content",
                {
                    "pattern": "word",
                    "replacement": "x",
                    "path": ".",
                    "preview": True,
                },
            ),
            ("read_content", {"path": "secret.tx"}),
            ("read_content", {"path": "sub/hidden.p"}),
            ("read_content", {"path": "privat/inner.txt"}),
        ],
        "agent-tools": [
            ("list_dir", {"path": "."}),
            ("glob", {"pattern": "**/*", "respect_gitignore": False}),
            ("tree", {"path": ".", "depth": 5}),
            ("grep", {"pattern": "canary|word"}),
            ("grep", {"pattern": "canary|word", "output_mode": "count"}),
        ],
        "largefile": [
            (
                "list_directory",
                {
                    "absolute_dir_path": "{root}",
                    "max_depth": 5,
                    "include_hidden": True,
                },
            ),
            (
                "search_directory",
                {
                    "absolute_dir_path": "{root}",
                    "pattern": "canary",
                    "include_hidden": True,
                },
            ),
        ],
        "filesystem": [
            ("list_files", {"path": ".", "recursive": True}),
            ("search_files", {"path": ".", "regex": "canary|word"}),
        ],
        "official": [
            ("list_directory", {"path": "."}),
            ("list_directory_with_sizes", {"path": "."}),
            ("directory_tree", {"path": "."}),
            ("search_files", {"path": ".", "pattern": "**/*"}),
        ],
        "text-editor": [
            ("str_replace_based_edit_tool", {"command": "view", "path": "."}),
        ],
        "text-editor-20250124": [
            ("str_replace_editor", {"command": "view", "path": "."}),
        ],
        "memory": [("memory", {"command": "view", "path": "/memories"})],
        "apply-patch": [],
        "gemini": [
            ("list_directory", {"path": "."}),
            ("search_file_content", {"pattern": "canary|word"}),
            ("glob", {"pattern": "**/*"}),
        ],
    }
    return calls[surface]


def placed(value: Any, root: Path) -> Any:
    return json.loads(json.dumps(value).replace("{root}", str(root)))


def answers(root: Path, state: Path, surface: str, calls: Calls) -> list[str]:
    """What each call is answered, in the words of the surface, as text and as data, times aside."""
    found = []
    with Workspace(root, state_dir=state, session="table") as workspace:
        offer = workspace.offer(None if surface == "native" else surface)
        for tool, arguments in placed(calls, root):
            if surface == "native":
                result = call_tool(workspace, tool, arguments)
            else:
                result = offer.call(tool, arguments)
            said = f"{tool} {arguments} -> {result.is_error} {result.code}\n{result.text}\n{result.data}"
            found.append(
                re.sub(
                    r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ|\d\d:\d\d:\d\d GMT|\d{4}-\d\d-\d\dT[\d:.]+(Z|\+00:00)|\d{19}|\d+ s ago|\b1[0-9a-z]{12}\b",
                    "(time)",
                    said,
                )
            )
    return found


def on_disk(root: Path) -> dict[str, bytes]:
    return {
        str(p.relative_to(root)): p.read_bytes()
        for p in sorted(root.rglob("*"))
        if p.is_file()
    }


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "root"


def test_every_tool_of_every_dialect_is_in_the_table(
    root: Path, tmp_path: Path
) -> None:
    build(root, denied=True)
    assert set(CALLS) == {"native", *DIALECT_NAMES}
    with Workspace(root, state_dir=tmp_path / "state") as workspace:
        for surface, calls in CALLS.items():
            offer = workspace.offer(None if surface == "native" else surface)
            names = {tool.name for tool in offer.tools()}
            if surface == "native":
                names = set(read_catalogue().modules) - {"copy_items"}
            assert {tool for tool, _ in calls("x")} == names


@pytest.mark.parametrize("surface", CALLS)
@pytest.mark.parametrize(
    "paths",
    [
        [path for path in DENIED_PATHS if path not in LINKS],
        LINKS,
    ],
    ids=["paths", "links"],
)
@in_part(3)
def test_a_denied_path_is_answered_the_same_whether_or_not_it_is_there(
    root: Path, tmp_path: Path, surface: str, paths: Sequence[str], share: int
) -> None:
    number = list(CALLS).index(surface)
    parts = min(share, 2 if number == 0 else len(paths))
    calls: Calls = []
    for at, path in enumerate(paths):
        if number == 0:
            # Each path with another part of the calls.
            calls += CALLS[surface](path)[at % parts :: parts]
        elif at % parts == number % parts:
            calls += CALLS[surface](path)
    said = []
    for denied in (True, False):
        build(root, denied=denied)
        before = on_disk(root)
        said.append(answers(root, tmp_path / f"state-{denied}", surface, calls))
        after = on_disk(root)
        if paths is LINKS:
            # A link of that name is the agent's, but not what it leads to.
            before, after = (
                {name: d[name] for name in DENIED if name in d}
                for d in (before, after)
            )
        assert after == before
    for there, not_there in zip(*said, strict=True):
        assert there == not_there
        assert CANARY not in there


@pytest.mark.parametrize("surface", CALLS)
def test_looking_at_everything_shows_counts_and_suggests_nothing_that_is_denied(
    root: Path, tmp_path: Path, surface: str
) -> None:
    said = []
    for denied in (True, False):
        build(root, denied=denied)
        said.append(
            answers(
                root, tmp_path / f"state-{denied}", surface, whole_tree(surface)
            )
        )
    for there, not_there in zip(*said, strict=True):
        assert there == not_there
        assert CANARY not in there


@pytest.mark.parametrize(
    "path", [path for path in DENIED_PATHS if not path.startswith("{")]
)
def test_reading_a_denied_path_is_refused_in_one_sentence(
    root: Path, tmp_path: Path, path: str
) -> None:
    build(root, denied=True)
    with Workspace(root, state_dir=tmp_path / "state") as workspace:
        result = workspace.call("read_content", {"path": path})
    assert (result.code, result.text.partition("\n")[0]) == (
        "permission_denied",
        f"permission_denied: {path} is denied to agents by the user's rules",
    )


@pytest.mark.parametrize("tool", ["move_items", "copy_items", "delete_items"])
@pytest.mark.parametrize("folder", ["sub", "above", "with-rules"])
def test_a_folder_that_holds_something_denied_stays_where_and_as_it_is(
    root: Path, tmp_path: Path, tool: str, folder: str
) -> None:
    build(root, denied=True)
    (root / "above" / "deep").mkdir(parents=True)
    (root / "above" / "deep" / "x.key").write_text("x")
    (root / "with-rules" / "deep").mkdir(parents=True)
    (root / "with-rules" / "deep" / ".agentsignore").write_text("\n")
    before = on_disk(root)
    with Workspace(root, state_dir=tmp_path / "state") as workspace:
        pair = {"items": [{"source": folder, "destination": "free/there"}]}
        result = call_tool(
            workspace,
            tool,
            {"paths": [folder], "recursive": True}
            if tool == "delete_items"
            else pair,
        )
    assert result.code == "permission_denied", result.text
    assert "x.key" not in result.text
    assert "hidden" not in result.text
    assert on_disk(root) == before


def test_a_folder_is_not_moved_to_where_a_rule_would_deny_what_is_in_it(
    root: Path, tmp_path: Path
) -> None:
    build(root, denied=False)
    (root / ".agentsignore").write_text("/there/a.txt\n")
    with Workspace(root, state_dir=tmp_path / "state") as workspace:
        result = workspace.call(
            "move_items",
            {"items": [{"source": "free", "destination": "there"}]},
        )
    assert result.code == "permission_denied", result.text


def test_history_resources_and_undo_are_silent_about_what_was_denied_later(
    root: Path, tmp_path: Path
) -> None:
    root.mkdir()
    with Workspace(root, state_dir=tmp_path / "state") as workspace:
        both = [
            {"path": p, "content": f"{CANARY}\n"}
            for p in ("secret.txt", "open.txt")
        ]
        together = workspace.call("write_content", {"items": both}).data[
            "change_id"
        ]
        alone = workspace.call(
            "write_content", {"items": [{"path": "x.key", "content": CANARY}]}
        ).data
        (root / "open.txt").write_text("open\n")
        (root / ".agentsignore").write_text(RULES)
        listed = workspace.call("get_history", {})
        assert [change["change_id"] for change in listed.data["changes"]] == [
            together
        ]
        assert listed.data["changes"][0]["file_count"] == 1
        one = workspace.call("get_history", {"change_id": together})
        resource = str(
            workspace.resource(f"filewright://history/{together}")[1]
        )
        for text in (
            listed.text,
            str(listed.data),
            one.text,
            str(one.data),
            resource,
        ):
            assert "secret" not in text
            assert ".key" not in text
        assert (
            workspace.call(
                "get_history", {"change_id": alone["change_id"]}
            ).code
            == "not_found"
        )
        for change in (together, alone["change_id"]):
            undone = workspace.call(
                "revert_edit", {"change_id": change, "force": True}
            )
            assert undone.is_error
            assert "secret" not in undone.text
            assert ".key" not in undone.text
        for path in ("secret.txt", "way/x", "no-such.key", ".agentsignore"):
            with pytest.raises(FilewrightError) as caught:
                workspace.resource(f"filewright://file/{path}")
            assert caught.value.code in ("permission_denied", "not_found")
        assert (root / "secret.txt").read_text() == f"{CANARY}\n"


def test_the_setting_denies_in_every_root_and_no_file_opens_what_it_denies(
    tmp_path: Path,
) -> None:
    for name in ("one", "two"):
        (tmp_path / name / "deep").mkdir(parents=True)
        (tmp_path / name / ".agentsignore").write_text("!*.pem\n!/deep/\n")
        (tmp_path / name / "deep" / "a.pem").write_text(CANARY)
        (tmp_path / name / "b.txt").write_text("b\n")
    settings = Settings(
        deny=("*.pem", "/deep/nothing/"), state_dir=tmp_path / "state"
    )
    with Workspace(
        tmp_path / "one", tmp_path / "two", settings=settings
    ) as workspace:
        for path in (
            "deep/a.pem",
            "two:deep/a.pem",
            "two:x.PEM",
            "deep/nothing",
            "two:deep/nothing/x",
        ):
            assert (
                workspace.call("read_content", {"path": path}).code
                == "permission_denied"
            )
        assert "b" in workspace.call("read_content", {"path": "two:b.txt"}).text


@pytest.mark.parametrize("deny", ["a[", "../x", "a//b", "./x", "/", "x\\", "!"])
def test_a_setting_that_can_match_nothing_is_refused_in_one_sentence(
    tmp_path: Path, deny: str
) -> None:
    with pytest.raises(FilewrightError) as caught:
        Workspace(
            tmp_path,
            settings=Settings(deny=("ok", deny), state_dir=tmp_path / "state"),
        )
    assert (
        caught.value.message
        == f"the setting FILEWRIGHT_DENY has a rule that can match nothing: {deny!r}"
    )


UNUSABLE: dict[str, tuple[Callable[[Path], object], str]] = {
    "an open bracket": (
        lambda f: f.write_text("ok\nsecret[\n"),
        "has a rule in line 2 that can match nothing",
    ),
    "the root": (
        lambda f: f.write_text("/\n"),
        "has a rule in line 1 that can match nothing",
    ),
    "dots": (
        lambda f: f.write_text("./secret.txt\n"),
        "has a rule in line 1 that can match nothing",
    ),
    "UTF-16": (
        lambda f: f.write_bytes("secret.txt\n".encode("utf-16")),
        "holds NUL bytes",
    ),
    "huge": (
        lambda f: f.write_text("secret.txt\n" * 10_000),
        "has 110,000 bytes, more than 65,536",
    ),
    "a link": (lambda f: f.symlink_to("elsewhere"), "is a link"),
    "a folder": (lambda f: f.mkdir(), "is a folder"),
    "a pipe": (os.mkfifo, "is a fifo"),
}


@pytest.mark.parametrize("how", UNUSABLE)
def test_a_deny_file_that_cannot_be_used_denies_its_folder_and_says_why(
    tmp_path: Path, root: Path, how: str
) -> None:
    make, why = UNUSABLE[how]
    (root / "sub" / "below").mkdir(parents=True)
    (root / "a.txt").write_text("a\n")
    (root / "sub" / "a.txt").write_text(f"{CANARY}\n")
    make(root / "sub" / ".agentsignore")
    with Workspace(root, state_dir=tmp_path / "state") as workspace:
        said = []
        for path in ("sub/a.txt", "sub/nothing", "sub/below/nothing"):
            result = workspace.call("read_content", {"path": path})
            assert result.code == "permission_denied"
            said.append(result.text.replace(path, "PATH"))
        assert len(set(said)) == 1
        assert f"PATH is not accessible: sub/.agentsignore {why}" in said[0]
        assert (
            workspace.call("list_files", {"path": "sub"}).code
            == "permission_denied"
        )
        assert (
            CANARY
            not in workspace.call(
                "search_content", {"pattern": CANARY}
            ).text.partition("\n")[2]
        )
        assert "a" in workspace.call("read_content", {"path": "a.txt"}).text


def test_rules_take_effect_as_soon_as_the_user_writes_them(
    root: Path, tmp_path: Path
) -> None:
    build(root, denied=True)
    with Workspace(root, state_dir=tmp_path / "state") as workspace:
        assert not workspace.call(
            "read_content", {"path": "free/a.txt"}
        ).is_error
        (root / "free" / ".agentsignore").write_text("*.txt\n")
        assert (
            workspace.call("read_content", {"path": "free/a.txt"}).code
            == "permission_denied"
        )
        (root / "free" / ".agentsignore").write_text("*.txt\n!a.txt\n")
        assert not workspace.call(
            "read_content", {"path": "free/a.txt"}
        ).is_error
        (root / "free" / ".agentsignore").unlink()
        assert not workspace.call(
            "read_content", {"path": "free/a.txt"}
        ).is_error


@pytest.mark.parametrize(
    "rules", ["*\n!*/\n!*.txt\n", "*\n!open.txt\n!free/\n!free/*\n"]
)
def test_rules_may_deny_all_but_a_few(
    root: Path, tmp_path: Path, rules: str
) -> None:
    build(root, denied=True)
    (root / "sub" / ".agentsignore").unlink()
    (root / ".agentsignore").write_text(rules)
    with Workspace(root, state_dir=tmp_path / "state") as workspace:
        assert (
            "word"
            in workspace.call("read_content", {"path": "free/a.txt"}).text
        )
        for path in ("sub/open.py", "public.key", "sub/nothing.py"):
            assert (
                workspace.call("read_content", {"path": path}).code
                == "permission_denied"
            )


READ_ONLY_CALLS: Calls = [
    call for call in native("docs/a.md") if load_tool(call[0]).writes
]


@pytest.mark.parametrize("call", READ_ONLY_CALLS, ids=lambda call: call[0])
def test_what_is_read_only_is_read_and_never_changed(
    root: Path, tmp_path: Path, call: tuple[str, dict[str, Any]]
) -> None:
    for name, text in {
        "docs/a.md": "a\n",
        "free/a.txt": "x\n",
        ".agentsreadonly": "docs/*.md\n",
    }.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    with Workspace(root, state_dir=tmp_path / "state") as workspace:
        assert "a" in workspace.call("read_content", {"path": "docs/a.md"}).text
        before = on_disk(root)
        result = call_tool(workspace, *call)
        copied_out = (
            call[1].get("copy", False)
            and call[1]["items"][0]["source"] == "docs/a.md"
        )
        assert result.is_error != copied_out, result.text
        after = on_disk(root)
        after.pop("free/copied", None)
        assert after == before
        for path in ("docs", "."):
            for tool in ("move_items", "delete_items"):
                pair = {"items": [{"source": path, "destination": "there"}]}
                arguments = (
                    {"paths": [path], "recursive": True}
                    if tool == "delete_items"
                    else pair
                )
                assert (
                    call_tool(workspace, tool, arguments).code
                    == "permission_denied"
                )
        for path in (
            ".agentsreadonly",
            "docs/.agentsreadonly",
            "docs/new.md",
            "docs/.AGENTSREADONLY",
        ):
            written = workspace.call(
                "write_content",
                {"items": [{"path": path, "content": "", "mode": "overwrite"}]},
            )
            assert written.code == "permission_denied"


BROUGHT = [
    ("lib/x.lock",),
    ("lib/sub/x",),
    ("lib/e/x.lock",),
    ("lib/e/new/x.lock",),
    ("then", "then/x.lock"),
]


@pytest.mark.parametrize("tool", ["move_items", "copy_items"])
@pytest.mark.parametrize("ends", BROUGHT, ids=lambda ends: ends[-1])
def test_what_a_folder_brings_along_is_read_only_for_the_same_call_too(
    root: Path, tmp_path: Path, tool: str, ends: tuple[str, ...]
) -> None:
    for name, text in {
        "src/e/f": "f\n",
        "src/.agentsreadonly": "*.lock\nsub/\n",
        "x": "x\n",
    }.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    pairs = [
        ("src", "lib"),
        *zip(("lib",), ends[:-1], strict=False),
        ("x", ends[-1]),
    ]
    with Workspace(root, state_dir=tmp_path / "state") as workspace:
        before = on_disk(root)
        items = [
            {"source": source, "destination": destination}
            for source, destination in pairs
        ]
        result = call_tool(workspace, tool, {"items": items})
        assert result.code == "permission_denied", result.text
        assert on_disk(root) == before
        items[-1]["destination"] = f"{items[-2]['destination']}/e/x"
        assert not call_tool(workspace, tool, {"items": items}).is_error


SWAP = """
import os, sys
from filewright.system import linux
folder = os.open(sys.argv[1], os.O_RDONLY)
print("swapping", flush=True)
while True:
    linux.renameat2(folder, b"with-rules", folder, b"without", linux.RENAME_EXCHANGE)
"""


@pytest.fixture(params=[True, False], ids=["openat2", "component-wise"])
def swapped(root: Path, request: pytest.FixtureRequest) -> Iterator[Boundary]:
    """A folder with a deny file that another process exchanges all the time with one that has none."""
    for name, rules in (("with-rules", "secret.txt\n"), ("without", None)):
        (root / name / "deep").mkdir(parents=True)
        text = f"{CANARY}\n" if rules else "free\n"
        (root / name / "secret.txt").write_text(text)
        (root / name / "deep" / "secret.txt").write_text(text)
        if rules:
            (root / name / ".agentsignore").write_text(rules)
    boundary = Boundary([root], Settings(openat2=request.param))
    process = processes.start(
        [sys.executable, "-c", SWAP, str(root)], heard=False
    )
    assert process.stdin is not None
    assert process.stdout is not None
    with process.stdin, process.stdout:
        assert process.stdout.readline() == b"swapping\n"
        yield boundary
        assert process.poll() is None
        process.kill()
        process.wait()
    boundary.close()


@pytest.mark.needs("exchange")
def test_no_swap_of_folders_hides_a_rule(swapped: Boundary) -> None:
    seen = {"read": 0, "permission_denied": 0}
    while min(seen.values()) < 200:
        for name in ("with-rules", "without"):
            for path in (f"{name}/secret.txt", f"{name}/deep/secret.txt"):
                try:
                    with swapped.open_file(swapped.locate(path)) as file:
                        assert file.read(0, 100) == b"free\n"
                    seen["read"] += 1
                except FilewrightError as error:
                    seen[error.code] = seen.get(error.code, 0) + 1
            with_rules = 0
            for entry in swapped.walk(
                swapped.locate("."), WalkOptions(kinds=["file"]), task=Task()
            ):
                try:
                    with swapped.open_file(entry.location) as file:
                        assert file.read(0, 100) == b"free\n"
                    with_rules += 1
                except FilewrightError:
                    continue


def test_an_image_that_is_denied_is_not_shown(
    root: Path, tmp_path: Path
) -> None:
    build(root, denied=False)
    dot = base64.b64decode(
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
    )
    (root / "a.key").write_bytes(dot)
    with Workspace(root, state_dir=tmp_path / "state") as workspace:
        assert not workspace.call("read_content", {"path": "a.key"}).images


def test_a_rule_that_comes_between_two_changes_holds_for_the_second(
    tmp_path: Path,
) -> None:
    """Rules of a folder are not remembered beyond the call."""
    (tmp_path / "root" / "d").mkdir(parents=True)
    with Workspace(
        tmp_path / "root", state_dir=tmp_path / "state"
    ) as workspace:
        workspace.write("d/a.txt", "one\n")
        (tmp_path / "root" / ".agentsreadonly").write_text("d/\n")
        kept = workspace.call(
            "write_content",
            {
                "items": [
                    {"path": "d/a.txt", "content": "two\n", "mode": "overwrite"}
                ]
            },
        )
        assert kept.code == "permission_denied"
        (tmp_path / "root" / ".agentsreadonly").unlink()
        (tmp_path / "root" / ".agentsignore").write_text("d/\n")
        denied = workspace.call(
            "write_content",
            {"items": [{"path": "d/b.txt", "content": "two\n"}]},
        )
        assert denied.code == "permission_denied"
        assert (
            workspace.call("read_content", {"path": "d/a.txt"}).code
            == "permission_denied"
        )
    assert (tmp_path / "root/d/a.txt").read_text() == "one\n"


OUTER = [
    # rules of the outer root, what is read and what is changed through the root that lies in it
    (
        ".agentsignore",
        "/sub/secret\n",
        "secret",
        "permission_denied",
        "permission_denied",
    ),
    (
        ".agentsignore",
        "secret\n",
        "deep/secret",
        "permission_denied",
        "permission_denied",
    ),
    (
        ".agentsignore",
        "/sub/\n",
        "plain",
        "permission_denied",
        "permission_denied",
    ),
    (".agentsignore", "/sub/*\n!/sub/plain\n", "plain", None, None),
    (
        ".agentsreadonly",
        "/sub/deep/\n",
        "deep/secret",
        None,
        "permission_denied",
    ),
    (".agentsreadonly", "sub/\n", "plain", None, "permission_denied"),
    (".agentsignore", "/secret\n", "secret", None, None),
]


@pytest.mark.parametrize(("file", "rules", "path", "read", "changed"), OUTER)
def test_a_root_that_lies_in_another_keeps_its_rules(
    tmp_path: Path,
    file: str,
    rules: str,
    path: str,
    read: str | None,
    changed: str | None,
) -> None:
    outer = tmp_path / "outer"
    (outer / "sub" / "deep").mkdir(parents=True)
    for name in ("plain", "secret", "deep/secret"):
        (outer / "sub" / name).write_text("TOKEN\n")
    (outer / file).write_text(rules)
    with Workspace(
        outer, outer / "sub", state_dir=tmp_path / "state"
    ) as workspace:
        asked = {"pattern": "TOKEN", "path": "sub:.", "output": "files"}
        found = workspace.call("search_content", asked).text.splitlines()
        assert (f"sub:{path}" in found) == (read is None), found
        for place in (
            f"sub:{path}",
            f"outer:sub/{path}",
            str(outer / "sub" / path),
        ):
            assert (
                workspace.call("read_content", {"path": place}).code == read
            ), place
            item = {"path": place, "content": "x\n", "mode": "overwrite"}
            assert (
                workspace.call("write_content", {"items": [item]}).code
                == changed
            ), place


def test_history_names_nothing_that_was_denied_since(
    root: Path, tmp_path: Path
) -> None:
    (root / "sec").mkdir(parents=True)
    with Workspace(
        root, settings=Settings(state_dir=tmp_path / "state")
    ) as workspace:
        (root / "sec/key").write_text("same")
        mixed = workspace.write_all(
            [
                {"path": "pub", "content": "p\n"},
                {"path": "sec/more", "content": "p\n"},
            ]
        ).change_id
        calls: Calls = [
            ("write_content", {"items": [{"path": "a", "content": "p"}, {"path": "sec/key", "content": "same", "mode": "overwrite"}]}),
            ("create_directories", {"paths": ["sec", "fresh"]}),
            ("delete_items", {"paths": ["sec/none", "fresh"], "missing_ok": True}),
            ("move_items", {"items": [{"source": "sec/key", "destination": "copy"}], "copy": True}),
            ("write_content", {"items": [{"path": "sec/other", "content": "p"}]}),
        ]  # fmt: skip
        made = [
            call_tool(workspace, tool, arguments).data["change_id"]
            for tool, arguments in calls
        ]
        (root / ".agentsignore").write_text("/sec/\n")
        asked: Calls = [
            ("get_history", {}),
            ("get_history", {"change_id": made[-1][:1]}),
            ("revert_edit", {"change_id": mixed, "hunk": 1}),
            ("revert_edit", {"change_id": mixed, "path": "pub"}),
            ("get_history", {}),
        ]
        answers = [
            call_tool(workspace, tool, arguments).text
            for tool, arguments in asked
        ]
    assert [
        answer for answer in answers if "sec" in answer or made[-1] in answer
    ] == []
    assert "several files" not in answers[2]
    assert not (root / "pub").exists()


def test_what_several_changes_did_names_nothing_that_was_denied_since(
    root: Path, tmp_path: Path
) -> None:
    caller = Caller("s1", "agent")
    root.mkdir()
    with Workspace(
        root, settings=Settings(state_dir=tmp_path / "state")
    ) as workspace:
        (root / "secret.zz").write_text("x\n")
        agent = workspace.under(Task(caller=caller))
        agent.move("secret.zz", "public.txt")
        agent.write("other.txt", "y\n")
        first = workspace.history()[-1].id
    (root / ".agentsignore").write_text("*.zz\n")
    with Workspace(
        root, settings=Settings(state_dir=tmp_path / "state")
    ) as workspace:
        for scope in (
            Scope(session="s1"),
            Scope(prompt=first),
            Scope(since=f"{first}^"),
        ):
            record = workspace.record(scope)
            assert {
                entry.path.display_path for entry in record.file_changes
            } == {
                "public.txt",
                "other.txt",
            }
            assert all(
                entry.renamed_from is None for entry in record.file_changes
            )
            assert "secret" not in workspace.diff(scope).text


@pytest.mark.parametrize(
    "rules",
    [
        {"deny": [".*"]},
        {".agentsreadonly": "/*\n!/n\n"},
        {".agentsignore": "/*\n!/n\n"},
    ],
)
def test_no_rule_is_about_the_names_that_a_change_has_in_between(
    tmp_path: Path, rules: dict[str, Any]
) -> None:
    root = tmp_path / "root"
    root.mkdir()
    for name in [name for name in rules if name.startswith(".")]:
        (root / name).write_text(rules[name])
    settings = Settings(
        deny=rules.get("deny", ()), state_dir=str(tmp_path / "state")
    )
    before = sorted(root.rglob("*"))
    with Workspace(root, settings=settings) as workspace:
        workspace.write("n/m/x.txt", "x\n")
        workspace.run("delete_items", {"paths": ["n"], "recursive": True})
        workspace.undo()
        assert (root / "n" / "m" / "x.txt").read_text() == "x\n"
        workspace.run(
            "move_items",
            {"items": [{"source": "n/m", "destination": "n/o"}], "copy": True},
        )
        assert (root / "n" / "o" / "x.txt").exists()
        for path in (
            ".fw~abcdefgh",
            ".fw~abcdefgh/x",
        ):  # as little as any other name for who asks for it
            with pytest.raises(FilewrightError) as refused:
                workspace.write(path, "x\n")
            assert refused.value.code == "permission_denied"
        shutil.rmtree(root / "n")
    assert sorted(root.rglob("*")) == before
