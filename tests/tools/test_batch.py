"""`batch`: all items or none, or one by one; results in order; undone as one."""

import pytest
from tests.method_tools import call_tool, run_tool

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
def test_atomic_is_all_or_none(entries, workspace, contents, tool, arguments):
    before = contents()
    result = call_tool(workspace, tool, arguments)
    assert result.is_error
    assert contents() == before


@pytest.mark.parametrize(("tool", "arguments"), FAILING)
def test_otherwise_each_item_is_on_its_own(
    entries, workspace, contents, tool, arguments
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
def test_every_batch_can_be_undone(
    entries, workspace, contents, tool, arguments
):
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
