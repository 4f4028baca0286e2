"""Diffs and notes that are not shown twice."""

from __future__ import annotations

from pathlib import Path

import pytest

from filewright import Workspace

LONG = "".join(f"line {n}\n" for n in range(100))


def test_a_short_diff_is_shown_once_and_a_change_as_previewed_is_counted(
    root: Path, workspace: Workspace
) -> None:
    (root / "a.py").write_text("old = 1\nprint(old)\n")
    asked = {"pattern": "old", "replacement": "new", "whole_word": True}
    preview = workspace.call("replace_content", asked)
    assert "\n-old = 1\n" in preview.text
    done = workspace.call(
        "replace_content", {**asked, "preview": False, "expected_count": 2}
    )
    assert done.text.startswith("2 matches in 1 file replaced; change ")
    assert "[2 lines each way, as in the preview]" in done.text
    assert "\n-old" not in done.text


@pytest.mark.parametrize("tool", ["edit_content", "apply_patch"])
def test_edits_and_patches_do_not_repeat_their_preview_either(
    root: Path, workspace: Workspace, tool: str
) -> None:
    (root / "a.py").write_text("old = 1\n")
    asked = {
        "edit_content": {
            "path": "a.py",
            "edits": [{"search": "old", "replace": "new"}],
        },
        "apply_patch": {
            "patch": "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-old = 1\n+new = 1\n"
        },
    }[tool]
    assert "\n+new = 1" in workspace.call(tool, {**asked, "preview": True}).text
    done = workspace.call(tool, asked).text
    assert "as in the preview" in done
    assert "+new = 1" not in done


def test_what_is_no_longer_as_previewed_is_shown(
    root: Path, workspace: Workspace
) -> None:
    (root / "a.py").write_text("old = 1\n")
    asked = {"pattern": "old", "replacement": "new"}
    workspace.call("replace_content", asked)
    (root / "a.py").write_text("# changed since\nold = 1\n")
    assert (
        "\n-old = 1\n"
        in workspace.call("replace_content", {**asked, "preview": False}).text
    )


def test_a_diff_that_is_long_by_its_context_is_shown_without(
    root: Path, workspace: Workspace
) -> None:
    (root / "a.txt").write_text(LONG)
    edits = [
        {"search": f"line {n}\n", "replace": f"row {n}\n"}
        for n in range(10, 90, 10)
    ]
    done = workspace.call(
        "edit_content", {"path": "a.txt", "edits": edits}
    ).text
    assert "@@ -81 +81 @@\n-line 80\n+row 80" in done
    assert "\n line" not in done
    assert " added, " not in done


def test_a_long_diff_is_counted_with_the_way_to_it(
    root: Path, workspace: Workspace
) -> None:
    (root / "a.txt").write_text(LONG)
    asked = {"pattern": "line", "replacement": "row"}
    assert (
        "[100 lines each way]" in workspace.call("replace_content", asked).text
    )
    assert (
        "\n+row 99"
        in workspace.call("replace_content", {**asked, "diff": "full"}).text
    )
    (root / "a.txt").write_text(
        LONG.replace("line 7\n", "line seven\n")
    )  # so that no preview showed it
    done = workspace.call("replace_content", {**asked, "preview": False})
    change = done.data["change_id"]
    assert "; all: get_history with this change_id]" in done.text
    assert (
        "+row 50" in workspace.call("get_history", {"change_id": change}).text
    )
    assert "@@" not in workspace.call("write_content", {
        "items": [{"path": "a.txt", "content": "short\n", "mode": "overwrite"}], "diff": "none",
    }).text  # fmt: skip


def test_edits_whose_diff_is_not_shown_name_their_lines(
    root: Path, workspace: Workspace
) -> None:
    (root / "a.txt").write_text(LONG)
    (root / "b.txt").write_text(LONG)
    edits = [
        {
            "path": "a.txt",
            "search": LONG[LONG.index("line 20\n") :],
            "replace": "",
        }
    ]
    edits += [
        {"path": "b.txt", "search": f"line {n}\n", "replace": "row\n"}
        for n in (7, 3)
    ]
    done = workspace.call("edit_content", {"edits": edits}).text
    assert "a.txt: 1 edit (line 21) applied" in done
    assert "b.txt: 2 edits (lines 8, 4) applied" in done
    (root / "a.txt").write_text(LONG)
    assert (
        "a.txt: 1 edit applied"
        in workspace.call(
            "edit_content", {"edits": edits[:1], "diff": "none"}
        ).text
    )


def test_of_a_diff_that_is_long_the_files_whose_diffs_are_short_are_shown(
    root: Path, workspace: Workspace
) -> None:
    for name in "abcdefghijk":
        (root / f"{name}.txt").write_text(LONG)
    edits = [
        {
            "path": "a.txt",
            "search": LONG[LONG.index("line 20\n") :],
            "replace": "",
        }
    ]
    edits += [
        {"path": f"{name}.txt", "search": "line 7\n", "replace": "row\n"}
        for name in "bcdefghijk"
    ]
    done = workspace.call("edit_content", {"edits": edits}).text
    assert (
        "\nb.txt: 1 edit (line 8) applied\n--- a/b.txt\n+++ b/b.txt\n@@ -8 +8 @@\n-line 7\n+row\nc.txt: 1 edit (line 8)"
        in done
    )
    assert done.count("\n@@ -8 +8 @@\n-line 7\n+row\n") == 10
    assert "\n-line 20" not in done
    assert (
        "[80 lines removed in 1 other file; all: get_history with this change_id"
        in done
    )


def test_whoever_gives_the_count_is_shown_no_examples(
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


def test_an_undo_names_its_files_and_shows_what_it_merged(
    root: Path, workspace: Workspace
) -> None:
    (root / "a.txt").write_text(LONG)
    (root / "b.txt").write_text("line\n")
    change = workspace.replace(
        "line", "row", glob="a.txt", preview=False
    ).change_id
    undone = workspace.call("revert_edit", {"change_id": change})
    assert "modified: a.txt" in undone.text
    assert "@@" not in undone.text
    again = workspace.replace(
        "line 5\n", "row 5\n", path="a.txt", preview=False
    ).change_id
    workspace.edit("a.txt", [{"search": "line 90\n", "replace": "kept\n"}])
    merged = workspace.call("revert_edit", {"change_id": again})
    assert "(merged)" in merged.text
    assert "\n+line 5\n" in merged.text


def test_undo_shows_merged_files_first(root, workspace):
    (root / "a.txt").write_text("line\n" * 3)
    (root / "b.txt").write_text(LONG)
    change = workspace.replace("line", "row", preview=False).change_id
    (root / "a.txt").write_text("row\n" * 3 + "mine\n")
    text = workspace.call("revert_edit", {"change_id": change}).text
    assert "--- a/a.txt" in text
    assert "--- a/b.txt" not in text
    assert "100 lines each way in 1 other file" in text


def test_preview_of_an_undo_shows_short_files(root, workspace):
    (root / "a.txt").write_text(LONG)
    (root / "b.txt").write_text("line\n")
    change = workspace.replace("line", "row", preview=False).change_id
    arguments = {"change_id": change, "preview": True}
    text = workspace.call("revert_edit", arguments).text
    assert "\n-row\n+line\n" in text
    assert "[100 lines each way in 1 other file]" in text


def test_a_long_preview_shows_a_line_of_each_kind(
    root: Path, workspace: Workspace
) -> None:
    for n in range(60):
        (root / f"m{n:02}.py").write_bytes(
            f"rates = rate({n})\r\n# rate is slow {n}\r\n".encode()
        )
    (root / "z.py").write_text('NAMES = ["rate"]\n')
    asked = {"pattern": "rate", "replacement": "fetch", "whole_word": True}
    text = workspace.call("replace_content", asked).text
    assert (
        "60 like m00.py:1:\n-rates = rate(0)\n+rates = fetch(0)\n"
        "60 like m00.py:2:\n-# rate is slow 0\n+# fetch is slow 0\n"
        'z.py:1:\n-NAMES = ["rate"]\n+NAMES = ["fetch"]\n'
    ) in text
    assert (
        "like"
        not in workspace.call(
            "replace_content", {**asked, "preview": False}
        ).text
    )
    assert len(text) < 900


def test_history_names_up_to_three_files_of_a_change(
    root: Path, workspace: Workspace
) -> None:
    for n in range(5):
        (root / f"m{n}.py").write_text("old\n")
    workspace.replace("old", "new", preview=False)
    workspace.edit("m0.py", [{"search": "new", "replace": "newer"}])
    rows = workspace.get_history().text.splitlines()
    assert rows[0].endswith("edit m0.py: 1 edit")
    assert "[m0.py, m1.py, m2.py and 2 more files]" in rows[1]


def test_broken_syntax_is_told_of_behind_the_diffs_that_are_shown(
    workspace: Workspace, root: Path
) -> None:
    for number in range(4):
        (root / f"m{number}.py").write_text("x = (1)\n" * 200)
    made = workspace.replace("(1)", "(1", preview=False)
    assert len(made.warnings) == 4


def test_the_preview_of_an_undo_names_what_the_undo_does(
    workspace: Workspace, root: Path
) -> None:
    created = workspace.write("n.txt", "new\n").change_id
    assert "deleted: n.txt" in workspace.revert_edit(created, preview=True).text
    deleted = workspace.delete("n.txt").change_id
    assert "created: n.txt" in workspace.revert_edit(deleted, preview=True).text
    workspace.revert_edit(deleted)
    moved = workspace.move("n.txt", "m.txt").change_id
    assert (
        "moved: m.txt → n.txt"
        in workspace.revert_edit(moved, preview=True).text
    )


def test_the_preview_of_an_undo_names_each_file_below_a_folder_once(
    workspace: Workspace, root: Path
) -> None:
    made = workspace.write("new/deep/a.txt", "new\n").change_id
    assert (
        workspace.revert_edit(made, preview=True).diff.count(
            "deleted file mode"
        )
        == 1
    )


def test_a_count_that_is_expected_is_carried_out_at_once(
    root: Path, workspace: Workspace
) -> None:
    (root / "a.txt").write_text("old old\n")
    asked = {"pattern": "old", "replacement": "new"}
    refused = workspace.call("replace_content", {**asked, "expected_count": 3})
    assert refused.code == "invalid_input"
    shown = workspace.call(
        "replace_content", {**asked, "expected_count": 2, "preview": True}
    )
    assert "preview" in shown.text
    assert (root / "a.txt").read_text() == "old old\n"
    done = workspace.call("replace_content", {**asked, "expected_count": 2})
    assert "2 matches in 1 file replaced; change" in done.text
    assert (root / "a.txt").read_text() == "new new\n"


def test_matches_are_counted_where_lines_have_several_as_a_replacement_expects_them(
    root: Path, workspace: Workspace
) -> None:
    (root / "a.txt").write_text("old old\nold\n")
    (root / "b.txt").write_text("one old\n")
    found = workspace.search("old")
    assert "[3 matching lines (4 matches) in 2 files, all shown" in found.text
    assert (
        "[1 matching line in 1 file, all shown" in workspace.search("one").text
    )
    done = workspace.replace("old", "new", expected_count=4)
    assert done.count == 4
    assert done.change_id is not None


def test_a_replacement_without_a_diff_is_told_in_one_line(
    root: Path, workspace: Workspace
) -> None:
    for number in range(9):
        (root / f"{number}.txt").write_text("old old\n")
    done = workspace.replace("old", "new", max_count=50, diff="none")
    assert done.text.splitlines()[0] == (
        f"18 matches in 9 files replaced; change {done.change_id} "
        "(0.txt: 2, 1.txt: 2, 2.txt: 2 and 6 more files)"
    )
    assert "6.txt" not in done.text
    assert len(done.files) == 9


def test_history_says_whose_a_change_is(root: Path, tmp_path: Path) -> None:
    (root / "a.txt").write_text("a")
    with Workspace(
        root, state_dir=tmp_path / "state", session="me", client="agent 1"
    ) as mine:
        mine.write("b.txt", "b")
        for client in ("agent 2", "filewright review", None):
            with Workspace(
                root, state_dir=tmp_path / "state", session="x", client=client
            ) as theirs:
                theirs.write(f"{client}.txt", "c")
        found = mine.get_history()
        assert [change.by for change in found.changes] == [
            "another",
            "a person",
            "another",
            "this session",
        ]
        rows = found.text.splitlines()
        assert rows[0].endswith("[another, session x]")
        assert rows[1].endswith("[a person, by filewright review]")
        assert rows[2].endswith("[agent 2, session x]")
        assert rows[3].endswith("created b.txt")
        assert rows[4] == "[those without a name: this session]"


def test_of_an_edit_that_was_found_as_given_nothing_but_its_diff_is_said(
    root: Path, workspace: Workspace
) -> None:
    long = "x" * 130
    (root / "a.py").write_text(f"zero\n{long}\nold = 1\none\ntwo\n")
    done = workspace.call(
        "edit_content",
        {
            "path": "a.py",
            "edits": [{"search": "old = 1", "replace": "new = 1"}],
        },
    )
    assert done.text.splitlines()[1:] == [
        "--- a/a.py", "+++ b/a.py", "@@ -3,2 +3,2 @@", "-old = 1", "+new = 1", " one",
    ]  # fmt: skip
    assert done.diff.startswith(
        f"diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -1,5 +1,5 @@\n zero\n {long}\n"
    )
    loose = workspace.call("edit_content", {
        "path": "a.py", "edits": [{"search": "new  =  1", "replace": "new  =  2"}], "diff": "none",
    })  # fmt: skip
    assert "\nedit 1: line 3, found by blanks" in loose.text
    exact = workspace.call("edit_content", {
        "path": "a.py", "edits": [{"search": "two", "replace": "2"}], "diff": "none",
    })  # fmt: skip
    assert "\n" not in exact.text


def test_a_replacement_names_its_files_once(
    root: Path, workspace: Workspace
) -> None:
    for n in range(3):
        (root / f"m{n}.py").write_text("a\nb\nold\nc\nd\n" * 2)
    done = workspace.call(
        "replace_content",
        {"pattern": "old", "replacement": "new", "max_count": 6},
    )
    assert done.text.splitlines()[1:3] == [
        "[3 files searched; no match left (hidden too)]",
        "--- a/m0.py",
    ]
    assert done.text.count("m0.py") == 2
    for n in range(30):
        (root / f"n{n:02}.py").write_text("a\nb\nold\n" * 3)
    many = workspace.call(
        "replace_content",
        {"pattern": "old", "replacement": "new", "max_count": 90},
    )
    assert many.text.splitlines()[0].endswith(
        " (n00.py: 3, n01.py: 3, n02.py: 3 and 27 more files)"
    )


def test_what_stays_of_a_file_is_named_in_full(
    root: Path, workspace: Workspace
) -> None:
    (root / "mixed.txt").write_bytes(b"one\r\ntwo\n")
    (root / "page.py").write_bytes(
        "# coding: cp1252\nx = 'é'\n".encode("cp1252")
    )
    edit = {"edits": [{"search": "one", "replace": "1"}]}
    assert (
        "; mixed line endings kept"
        in workspace.call("edit_content", {"path": "mixed.txt", **edit}).text
    )
    edit = {"edits": [{"search": "x", "replace": "y"}]}
    assert (
        "; encoding cp1252 kept"
        in workspace.call("edit_content", {"path": "page.py", **edit}).text
    )


def test_one_line_is_no_lines(root: Path, workspace: Workspace) -> None:
    (root / "a.txt").write_text("x\n")
    asked = {"pattern": "x", "replacement": "y"}
    workspace.call("replace_content", asked)
    done = workspace.call("replace_content", {**asked, "preview": False}).text
    assert "[1 line each way, as in the preview]" in done


def test_shows_all_small_files_of_an_edit(root, workspace):
    names = [f"{number}.txt" for number in range(9)]
    for name in names:
        (root / name).write_text("old\nrow\n")
    (root / "long.txt").write_text(LONG)
    edits = [
        {"path": name, "search": "old\nrow\n", "replace": "new\nline\n"}
        for name in names
    ]
    edits.append({"path": "long.txt", "at": {"lines": [1, 60]}, "replace": ""})
    workspace.read("long.txt")
    text = workspace.call(
        "edit_content", {"edits": edits, "preview": True}
    ).text
    assert text.count("+line") == len(names)
    assert text.endswith("[60 lines removed in 1 other file]")
