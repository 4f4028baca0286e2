"""`batch`: all items or none, or one by one; results in order; undone as one."""

import os

import pytest
from tests.method_tools import call_tool, run_tool

from filewright import FilewrightError, Settings, Workspace
from filewright.edit.replacements import compile_replacement
from filewright.search.pattern import compile_pattern
from filewright.tools.replace import replace_in_order


@pytest.fixture
def place(root):
    (root / "a").write_text("A")
    (root / "b").write_text("B")
    (root / "dir").mkdir()
    (root / "dir/inside").write_text("I")
    (root / "run.sh").write_text("#!")
    (root / "run.sh").chmod(0o644)
    return root


FAILING = [
    (
        "write_content",
        {
            "items": [
                {"path": "new", "content": "x"},
                {"path": "a", "content": "x"},
            ]
        },
    ),
    ("create_directories", {"paths": ["x/y", "a/z"]}),
    (
        "move_items",
        {
            "items": [
                {"source": "a", "destination": "c"},
                {"source": "gone", "destination": "d"},
            ]
        },
    ),
    (
        "move_items",
        {
            "items": [
                {"source": "a", "destination": "c"},
                {"source": "a", "destination": "b"},
            ],
            "copy": True,
        },
    ),
    ("delete_items", {"paths": ["a", "gone"]}),
    ("set_permissions", {"paths": ["a", "gone"], "mode": "600"}),
]


@pytest.mark.parametrize(("tool", "arguments"), FAILING)
def test_atomic_is_all_or_none(place, workspace, contents, tool, arguments):
    before = contents()
    result = call_tool(workspace, tool, arguments)
    assert result.is_error
    assert contents() == before


@pytest.mark.parametrize(("tool", "arguments"), FAILING)
def test_otherwise_each_item_is_on_its_own(
    place, workspace, contents, tool, arguments
):
    before = contents()
    result = call_tool(workspace, tool, {**arguments, "atomic": False})
    assert not result.is_error
    assert ["error" in item for item in result.data["results"]] == [False, True]
    assert contents() != before
    workspace.undo()
    assert contents() == before


WORKING = [
    ("write_content", {"items": [{"path": "n/m", "content": "x"}, {"path": "a", "content": "x", "mode": "overwrite"}]}),
    ("create_directories", {"paths": ["x/y", "x/z", "dir"]}),
    ("move_items", {"items": [{"source": "a", "destination": "p/q/a"}, {"source": "dir", "destination": "moved"}]}),
    ("move_items", {"items": [{"source": "a", "destination": "b"}], "overwrite": True}),
    ("move_items", {"items": [{"source": "a", "destination": "t"}, {"source": "b", "destination": "a"}, {"source": "t", "destination": "b"}]}),
    ("move_items", {"items": [{"source": "dir", "destination": "copy"}, {"source": "a", "destination": "copy/a"}], "copy": True}),
    ("move_items", {"items": [{"source": "a", "destination": "b"}], "overwrite": True, "copy": True}),
    ("delete_items", {"paths": ["a", "dir"], "recursive": True}),
    ("delete_items", {"paths": ["gone", "a"], "missing_ok": True}),
    ("set_permissions", {"paths": ["a", "run.sh"], "mode": "u+x"}),
    ("set_permissions", {"paths": ["dir"], "mode": "0700"}),
]  # fmt: skip


@pytest.mark.parametrize(("tool", "arguments"), WORKING)
def test_every_batch_can_be_undone(place, workspace, contents, tool, arguments):
    before = contents()
    result = run_tool(workspace, tool, arguments)
    after = contents()
    assert after != before
    workspace.run("revert_edit", {"change_id": result.data["change_id"]})
    assert contents() == before
    workspace.run(
        "revert_edit", {"change_id": workspace.history(limit=1)[0].id}
    )
    assert contents() == after


def test_results_are_positional_also_for_repeated_paths(place, workspace):
    result = run_tool(workspace, "stat_items", {"paths": ["a", "gone", "a"]})
    assert [item["status"] for item in result.data["results"]] == [
        "success",
        "error",
        "success",
    ]


@pytest.mark.needs("attributes")
def test_a_copy_keeps_mode_times_and_attributes(place, workspace):
    (place / "run.sh").chmod(0o751)
    os.utime(place / "run.sh", ns=(10**18, 10**18 + 5))
    try:
        os.setxattr(place / "run.sh", "user.colour", b"red")
        attributes = {"user.colour": b"red"}
    except OSError:
        attributes = {}
    workspace.copy("run.sh", "copy.sh")
    status = (place / "copy.sh").stat()
    assert status.st_mode & 0o7777 == 0o751
    assert status.st_mtime_ns == 10**18 + 5
    assert {
        name: os.getxattr(place / "copy.sh", name) for name in attributes
    } == attributes


EDITED = {"path": "a", "edits": [{"search": "A", "replace": "X"}]}


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("edit_content", EDITED),
        (
            "replace_content",
            {"pattern": "A", "replacement": "X", "path": "a", "preview": False},
        ),
        ("apply_patch", {"patch": "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-A\n+X\n"}),
        (
            "write_content",
            {"items": [{"path": "a", "content": "X", "mode": "overwrite"}]},
        ),
    ],
)
def test_hard_links_are_broken_only_when_asked_and_that_is_said(
    place, workspace, tool, arguments
):
    os.link(place / "a", place / "other")
    assert call_tool(workspace, tool, arguments).code == "hard_linked"
    result = run_tool(workspace, tool, {**arguments, "break_hard_links": True})
    assert (
        "[a had 2 hard links; the other names keep the old content]"
        in result.text
    )
    assert (place / "other").read_text() == "A"
    assert (place / "a").read_text().startswith("X")


def test_many_lost_links_leave_room_for_the_diff(place, workspace):
    for number in range(400):
        (place / f"n{number}").write_text("A\n")
        os.link(place / f"n{number}", place / f"linked{number}")
    wanted = {
        "pattern": "A",
        "replacement": "B",
        "glob": "n*",
        "preview": False,
        "break_hard_links": True,
    }
    said = workspace.run("replace_content", wanted).text
    assert "[n0 had 2 hard links; the other names keep the old content]" in said
    assert " more notes]\n" in said
    assert said.splitlines()[-1].startswith(
        "[400 lines each way; all: get_history with this change_id"
    )


def test_an_edit_says_as_data_how_many_names_a_file_had(place, workspace):
    os.link(place / "a", place / "other")
    assert (
        workspace.run(
            "edit_content", {**EDITED, "break_hard_links": True}
        ).data["hard_links"]
        == 2
    )


def test_a_read_only_workspace_offers_and_does_nothing(
    place, tmp_path, contents
):
    before = contents()
    with Workspace(
        place, read_only=True, state_dir=tmp_path / "s"
    ) as workspace:
        names = {tool.name for tool in workspace.tools()}
        assert names == {
            "list_files",
            "get_overview",
            "search_content",
            "read_content",
            "get_history",
        }
        for tool, arguments in WORKING:
            assert call_tool(workspace, tool, arguments).code == "read_only"
    assert contents() == before
    assert not (tmp_path / "s").exists()


@pytest.mark.parametrize(
    "held", [".vscode/settings.json", ".mcp.json", ".agentsreadonly"]
)
def test_a_copy_of_a_folder_that_holds_what_is_protected_can_be_undone(
    place, workspace, held
):
    path = place / "src" / held
    path.parent.mkdir(parents=True)
    path.write_text("*.lock\n")
    (place / "src" / "x.lock").write_text("kept\n")
    made = workspace.copy("src", "copy")
    assert (place / "copy" / held).read_text() == "*.lock\n"
    workspace.undo(made.change_id)
    assert not (place / "copy").exists()
    assert path.exists()


def test_what_the_user_keeps_from_changes_meanwhile_is_not_taken_away_by_an_undo(
    place, workspace
):
    (place / "src").mkdir()
    (place / "src" / "x.lock").write_text("kept\n")
    made = workspace.copy("src", "copy")
    (place / ".agentsreadonly").write_text("*.lock\n")
    with pytest.raises(
        FilewrightError, match="contains paths that the user's rules deny"
    ):
        workspace.undo(made.change_id)
    assert (place / "copy" / "x.lock").exists()


@pytest.mark.parametrize("held", [1_000, 1_000_000])
def test_replacements_follow_one_another_in_a_file_of_any_size(tmp_path, held):
    (tmp_path / "r").mkdir()
    lines = "".join(f"line {number} alpha beta\r\n" for number in range(500))
    (tmp_path / "r/a.txt").write_bytes(lines.encode())
    patterns = [
        compile_pattern(text, case="sensitive")
        for text in ("alpha", "beta", "ALPHA gamma")
    ]
    texts = ("ALPHA beta", "gamma", "x")
    with Workspace(
        tmp_path / "r",
        state_dir=tmp_path / "s",
        settings=Settings(hold_bytes=held),
    ) as workspace:
        pairs = [
            (each, compile_replacement(text, each))
            for each, text in zip(patterns, texts, strict=True)
        ]
        replace_in_order(workspace.context, "a.txt", pairs)
    assert (tmp_path / "r/a.txt").read_bytes() == lines.replace(
        "alpha beta", "x gamma"
    ).encode()
