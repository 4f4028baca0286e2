"""The text of a replacement: its first line, its files, and its diff."""

from __future__ import annotations

from pathlib import Path

from filewright import Workspace

LONG = "".join(f"line {n}\n" for n in range(100))


def test_shows_no_examples_with_expected_count(
    root: Path, workspace: Workspace
) -> None:
    (root / "a.txt").write_text(LONG)
    asked = {"pattern": "line", "replacement": "row", "preview": False}
    done = workspace.call(
        "replace_content", {**asked, "expected_count": 100}
    ).text
    assert " like a.txt:" not in done
    (root / "a.txt").write_text(LONG)
    assert (
        "100 like a.txt:1:\n-line 0\n+row 0"
        in workspace.call("replace_content", asked).text
    )


def test_one_line_without_diff(root: Path, workspace: Workspace) -> None:
    for number in range(9):
        (root / f"{number}.txt").write_text("old old\n")
    done = workspace.replace("old", "new", max_count=50, diff="none")
    assert done.text.splitlines()[0] == (
        f"18 matches in 9 files replaced; change {done.change_id} "
        "(0.txt: 2, 1.txt: 2, 2.txt: 2 and 6 more files)"
    )
    assert "6.txt" not in done.text
    assert len(done.files) == 9


def test_names_files_once(root: Path, workspace: Workspace) -> None:
    for n in range(3):
        (root / f"m{n}.py").write_text("a\nb\nold\nc\nd\n" * 2)
    done = workspace.call(
        "replace_content",
        {"pattern": "old", "replacement": "new", "max_count": 6},
    )
    assert done.text.splitlines()[1:3] == [
        "[3 files searched; no match left (hidden too)]",
        "m0.py:3,8, m1.py:3,8, m2.py:3,8:",
    ]
    assert done.text.count("m0.py") == 1
    for n in range(30):
        (root / f"n{n:02}.py").write_text("a\nb\nold\n" * 3)
    many = workspace.call(
        "replace_content",
        {"pattern": "old", "replacement": "new", "max_count": 90},
    )
    assert many.text.splitlines()[0].endswith(f"change {many.change_id}")
    assert "\n90 like n00.py:3:\n" in many.text


def test_names_a_file_once_above_its_kinds_of_lines(
    root: Path, workspace: Workspace
) -> None:
    words = ["ash", "birch", "cedar"]
    lines = [f"old {word} {word * 300}\n" for word in words]
    (root / "a.txt").write_text("".join(lines))
    (root / "b.txt").write_text(f"an {lines[0]}")
    done = workspace.replace("old", "new", preview=False)
    rows = [row for row in done.text.split("\n") if row.endswith(":")]
    assert rows == ["a.txt:1:", "2:", "3:", "b.txt:1:"]


def test_wide_replacement(root, workspace):
    for number in range(40):
        (root / f"m{number:02}.py").write_text(
            f"import old\n{'# filler' * 9}\n" * 5
        )
    preview = workspace.call(
        "replace_content", {"pattern": "old", "replacement": "new"}
    )
    assert preview.text.startswith("200 matches in 40 files")
    assert len(preview.text) < 8_000
    assert "\n[200 lines each way]" in preview.text
    whole = workspace.call(
        "replace_content",
        {"pattern": "old", "replacement": "new", "diff": "full"},
    )
    assert "narrower path or glob" in whole.text
