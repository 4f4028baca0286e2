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
