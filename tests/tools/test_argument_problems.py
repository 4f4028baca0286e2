"""The refusal of arguments that do not fit the model of a tool."""

import pytest
from tests.method_tools import call_tool


def test_index_of_the_item(workspace):
    edits = [{"search": "a", "replace": "b"}, {"search": 1, "replace": "b"}]
    answer = workspace.call("edit_content", {"path": "a.txt", "edits": edits})
    assert answer.error.details["index"] == 1


def nested(levels):
    value = {}
    for _ in range(levels):
        value = {"from": value}
    return value


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("edit_content", ["a.txt"]),
        ("edit_content", {"path": "a.txt", "edits": [nested(20_000)]}),
        (
            "get_overview",
            {
                "path": "a.txt",
                "changed_lines": [[1, 1]],
                "changed_kinds": ["added", "added"],
            },
        ),
    ],
)
def test_no_call_at_all(odd_files, workspace, tool, arguments):
    made = call_tool(workspace, tool, arguments)
    assert made.code == "invalid_input"
    assert "\nhint: " in made.text
