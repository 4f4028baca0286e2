"""The tool `stat_items`: the status of entries, one for each path."""

from tests.method_tools import run_tool


def test_repeated_paths(entries, workspace):
    result = run_tool(workspace, "stat_items", {"paths": ["a", "gone", "a"]})
    assert [item["status"] for item in result.data["results"]] == [
        "success",
        "error",
        "success",
    ]
