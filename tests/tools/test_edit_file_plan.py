"""`edit_file_plan`: edits at lines and symbols, insertions, and text that moves."""

from __future__ import annotations

from pathlib import Path

from filewright import Workspace


def lines_of(text: str, first: int, last: int) -> str:
    return "".join(text.splitlines(keepends=True)[first - 1 : last])


def test_edits_of_several_files_are_one_change(
    root: Path, workspace: Workspace
) -> None:
    for name in "abc":
        (root / f"{name}.py").write_text(f"{name} = 1\n")
    edits = [
        {"path": f"{name}.py", "search": "= 1", "replace": "= 2"}
        for name in "abc"
    ]
    done = workspace.edit(None, edits)
    assert [file.path for file in done.files] == ["a.py", "b.py", "c.py"]
    assert len(workspace.get_history().changes) == 1
    workspace.undo()
    assert (root / "c.py").read_text() == "c = 1\n"
    refused = workspace.call(
        "edit_content",
        {"edits": [*edits[:2], {**edits[2], "search": "nowhere at all"}]},
    )
    assert refused.data["code"] == "no_match"
    assert "c.py: edit 3 of 3" in refused.text
    assert (root / "a.py").read_text() == "a = 1\n"
