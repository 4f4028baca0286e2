"""One call of `edit_content`: its path, its edits, and refusals that name them."""

from __future__ import annotations

from pathlib import Path

from filewright import Workspace


def test_no_path(root: Path, workspace: Workspace) -> None:
    refused = workspace.call(
        "edit_content", {"edits": [{"search": "a", "replace": "b"}]}
    )
    assert refused.data["code"] == "invalid_input"
    assert "a path in every edit" in refused.text


def test_one_file_by_two_names(root: Path, workspace: Workspace) -> None:
    (root / "a.py").write_text("x = 1\n")
    (root / "b.py").hardlink_to(root / "a.py")
    edits = [
        {"path": name, "search": "1", "replace": "2"}
        for name in ("a.py", "b.py")
    ]
    assert (
        workspace.call("edit_content", {"edits": edits}).data["code"]
        == "invalid_input"
    )


NOTEBOOK = """{"cells": [{"cell_type": "code", "source": ["x = 1\\n", "y = 1"]},
 {"cell_type": "code", "source": ["x = 1"]}], "nbformat": 4, "nbformat_minor": 5}"""


def test_own_path_wins(root: Path, workspace: Workspace) -> None:
    (root / "a.py").write_text("x = 1\ndef f():\n    return 1\n")
    (root / "b.py").write_text("x = 1\n")
    (root / "old.py").write_text("x = 1\n")
    (root / "c.ipynb").write_text(NOTEBOOK)
    version = workspace.read("c.ipynb").version
    workspace.run("edit_content", {
        "path": "c.ipynb",
        "cell": 2,
        "expected_version": version,
        "edits": [
            {"search": "x = 1", "replace": "x = 2"},
            {"path": "./c.ipynb", "search": "= 2", "replace": "= 3"},
            {"path": "b.py", "search": "x = 1", "replace": "x = 4"},
            {"path": "new.py", "content": "z = 1\n"},
            {"path": "old.py", "move_to": "moved.py"},
        ],
        "in_turn": True,
    })  # fmt: skip
    workspace.run("edit_content", {
        "path": "a.py",
        "edits": [{"path": "f.py", "from": {"symbol": "f"}}],
    })  # fmt: skip
    assert '["x = 1\\n", "y = 1"]' in (root / "c.ipynb").read_text()
    assert '["x = 3"]' in (root / "c.ipynb").read_text()
    assert (root / "b.py").read_text() == "x = 4\n"
    assert (root / "new.py").read_text() == "z = 1\n"
    assert (root / "moved.py").read_text() == "x = 1\n"
    assert (root / "f.py").read_text() == "def f():\n    return 1\n"
    assert (root / "a.py").read_text() == "x = 1\n"


def test_refuses_a_source_in_either_file(
    root: Path, workspace: Workspace
) -> None:
    for name in ("a.py", "b.py"):
        (root / name).write_text("def f():\n    pass\n")
    call = {
        "path": "a.py",
        "edits": [{"path": "b.py", "from": {"symbol": "f"}, "copy": True}],
    }
    refused = workspace.call("edit_content", call)
    assert "from may be of b.py or of a.py" in refused.text


def tree(root: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file()
    }


def test_names_refused_edits(shop: Path, workspace: Workspace) -> None:
    before = tree(shop)
    edits = [
        {"path": "shop.py", "search": "return", "replace": "yield"},
        {"path": "shop.py", "search": "def rate", "replace": "def price"},
        {"path": "shop.py", "search": "def cost(", "replace": "def costs("},
        {"path": "old.txt", "search": "new", "replace": "newer"},
    ]
    refused = workspace.call("edit_content", {"edits": edits})
    lines = refused.text.splitlines()
    assert lines[0].startswith(
        "ambiguous_match: shop.py: edit 1 of 4: the search text matches 3 places"
    )
    assert [line[:42] for line in lines if line.startswith("also: ")] == [
        "also: shop.py: edit 3: the search text is ",
        "also: old.txt: edit 4: the search text is ",
    ]
    assert lines[-1].startswith("hint: give start_line to choose one")
    assert tree(shop) == before


def test_counts_refused_edits(shop: Path, workspace: Workspace) -> None:
    edits = [
        {"search": f"missing {number} of them", "replace": ""}
        for number in range(40)
    ]
    refused = workspace.call(
        "edit_content", {"path": "shop.py", "edits": edits}
    )
    assert refused.text.count("\nalso: shop.py: edit ") == 10
    assert "\nalso: 29 more edits\n" in refused.text
