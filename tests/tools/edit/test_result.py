"""The result of `edit_content`: the facts of its edits, for programs."""

import os

EDITED = {"path": "a", "edits": [{"search": "A", "replace": "X"}]}


def test_count_of_hard_links(entries, workspace):
    os.link(entries / "a", entries / "other")
    assert (
        workspace.run(
            "edit_content", {**EDITED, "break_hard_links": True}
        ).data["hard_links"]
        == 2
    )
