"""Patches of trees that have moved on: below a folder, in part, to where a file has gone."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.tools.utf16 import MARKS, wide

from filewright import Workspace
from filewright.settings import Settings

FIT = "--- a/one.py\n+++ b/one.py\n@@ -1,2 +1,2 @@\n x = 1\n-y = 2\n+y = 3\n"
LOST = "--- a/two.py\n+++ b/two.py\n@@ -1,2 +1,2 @@\n p = 1\n-q = 2\n+q = 3\n"


@pytest.fixture
def tree(root: Path) -> Path:
    (root / "one.py").write_text("# new\nx = 1\ny = 2\n")
    (root / "two.py").write_text("p = 1\nq = 7\n")
    return root


def test_what_fits_is_applied_and_the_rest_comes_back_as_a_patch(
    tree: Path, workspace: Workspace
) -> None:
    made = workspace.call("apply_patch", {"patch": FIT + LOST, "partial": True})
    assert not made.is_error, made.text
    assert "modified: one.py (1 line below its number)" in made.text
    assert "refused: hunk 1 of two.py" in made.text
    assert (tree / "one.py").read_text() == "# new\nx = 1\ny = 3\n"
    assert (tree / "two.py").read_text() == "p = 1\nq = 7\n"
    assert made.data["rest"] == LOST
    mended = made.data["rest"].replace("q = 2", "q = 7")
    assert not workspace.call("apply_patch", {"patch": mended}).is_error


@pytest.mark.parametrize(
    ("numbers", "moves"),
    [
        pytest.param((2, 6), "modified: a.txt", id="none"),
        pytest.param(
            (1, 5),
            "modified: a.txt (1 line below their numbers)",
            id="all alike",
        ),
        pytest.param(
            (2, 5), "modified: a.txt (hunk 2 1 line below)", id="one of them"
        ),
        pytest.param(
            (1, 8),
            "modified: a.txt (hunk 1 1 line below; hunk 2 2 lines above)",
            id="both unlike",
        ),
    ],
)
def test_moves(
    root: Path, workspace: Workspace, numbers: tuple[int, int], moves: str
) -> None:
    (root / "a.txt").write_text("0\na\nb\n1\n2\nc\nd\n")
    first, second = numbers
    patch = (
        "--- a/a.txt\n+++ b/a.txt\n"
        f"@@ -{first},2 +{first},2 @@\n a\n-b\n+B\n"
        f"@@ -{second},2 +{second},2 @@\n c\n-d\n+D\n"
    )
    answer = workspace.call("apply_patch", {"patch": patch})
    assert answer.text.split("\n")[1:] == [moves]


def test_shows_the_hunks_that_are_not_in_the_request(
    root: Path, workspace: Workspace
) -> None:
    (root / "a.txt").write_text("0\na\nb\n1\n2\n3\n4\n5\n6\n7\nc  d\ne\nf\n")
    patch = (
        "--- a/a.txt\n+++ b/a.txt\n"
        "@@ -1,2 +1,2 @@\n a\n-b\n+B\n@@ -11,2 +11,2 @@\n c d\n-e\n+E\n"
        "--- /dev/null\n+++ b/n.txt\n@@ -0,0 +1 @@\n+new\n"
    )
    answer = workspace.call("apply_patch", {"patch": patch})
    assert answer.text.split("\n")[1:] == [
        "modified: a.txt (hunk 2 at line 11, matched by blanks; hunk 1 1 line below)",
        "@@ -11,3 +11,3 @@", " c  d", "-e", "+E", " f",
        "created: n.txt",
    ]  # fmt: skip
    workspace.undo()
    (root / "fix.patch").write_text(patch)
    answer = workspace.call("apply_patch", {"patch_path": "fix.patch"})
    assert answer.text.split("\n")[1:-3] == [
        "modified: a.txt (hunk 2 at line 11, matched by blanks)",
        "3:", "-b", "+B", "@@ -11,3 +11,3 @@", " c  d", "-e", "+E", " f",
    ]  # fmt: skip
    workspace.undo()
    (root / "fix.patch").write_text(patch.replace(" c d", " c  d"))
    answer = workspace.call("apply_patch", {"patch_path": "fix.patch"})
    assert answer.text.split("\n")[1:] == [
        "modified: a.txt", "3:", "-b", "+B", "12:", "-e", "+E",
        "created: n.txt", "@@ -0,0 +1 @@", "+new",
    ]  # fmt: skip


def test_without_partial_it_is_all_or_none(
    tree: Path, workspace: Workspace
) -> None:
    assert (
        workspace.call("apply_patch", {"patch": FIT + LOST}).data["code"]
        == "patch_failed"
    )
    assert "y = 2" in (tree / "one.py").read_text()


def test_the_second_part_of_a_file_that_is_named_twice_comes_back(
    tree: Path, workspace: Workspace
) -> None:
    again = (
        "--- a/one.py\n+++ b/one.py\n@@ -1,2 +1,2 @@\n # new\n-x = 1\n+x = 2\n"
    )
    assert (
        workspace.call("apply_patch", {"patch": FIT + again}).data["code"]
        == "invalid_input"
    )
    made = workspace.call(
        "apply_patch", {"patch": FIT + again, "partial": True}
    )
    assert "refused: one.py: the patch names one file twice" in made.text
    assert (tree / "one.py").read_text() == "# new\nx = 1\ny = 3\n"
    assert made.data["rest"] == again


def test_what_is_applied_already_is_named(
    tree: Path, workspace: Workspace
) -> None:
    workspace.apply_patch(FIT)
    (tree / "two.py").write_text("p = 1\nq = 2\n")
    made = workspace.call("apply_patch", {"patch": FIT + LOST, "partial": True})
    assert "applied already: one.py" in made.text
    assert (tree / "two.py").read_text() == "p = 1\nq = 3\n"
    again = workspace.call(
        "apply_patch", {"patch": FIT + LOST, "partial": True}
    )
    assert again.data["code"] == "already_applied"


def test_nothing_that_fits_is_the_first_refusal(
    tree: Path, workspace: Workspace
) -> None:
    assert (
        workspace.call("apply_patch", {"patch": LOST, "partial": True}).data[
            "code"
        ]
        == "patch_failed"
    )


TWICE = FIT + "@@ -5,2 +5,2 @@\n five\n-six\n+6\n@@ -8 +8 @@\n-eight\n+8\n"


def test_every_file_and_every_hunk_is_told_of_where_no_file_fits(
    tree: Path, workspace: Workspace
) -> None:
    (tree / "one.py").write_text("x = 1\ny = 3\n\n\nfive\n66\n\n88\n")
    made = workspace.call(
        "apply_patch", {"patch": TWICE + LOST, "partial": True}
    )
    assert made.data["code"] == "patch_failed"
    for said in (
        "refused: hunk 2 of one.py (line 7 of the patch) does not apply",
        "refused: hunk 3 of one.py (line 11 of the patch) does not apply",
        "hunk 1 is applied already, at line 1",
        "refused: hunk 1 of two.py",
        "line 2 is 'q = 7', where the hunk has 'q = 2'",
    ):
        assert said in made.text
    refused = made.data["refused"]
    assert [
        (part["path"], part["error"]["hunk"], part["error"]["reason"])
        for part in refused
    ] == [
        ("one.py", 2, "no_match"),
        ("one.py", 3, "no_match"),
        ("two.py", 1, "no_match"),
    ]
    assert refused[2]["error"]["nearest_line"] == 1
    assert (tree / "one.py").read_text().endswith("66\n\n88\n")


def test_applies_the_hunks_that_fit_of_each_file(
    tree: Path, workspace: Workspace
) -> None:
    (tree / "one.py").write_text("x = 1\ny = 2\n\n\nfive\nsix\n\n88\n")
    (tree / "two.py").write_text("p = 1\nq = 2\n")
    longer = TWICE.replace("+6\n", "+6\n+7\n")
    made = workspace.call(
        "apply_patch", {"patch": longer + LOST, "partial": True}
    )
    assert "modified: two.py" in made.text
    assert "modified: one.py (hunk 2 at line 5, counts repaired)" in made.text
    assert "refused: hunk 3 of one.py" in made.text
    assert (tree / "one.py").read_text() == (
        "x = 1\ny = 3\n\n\nfive\n6\n7\n\n88\n"
    )
    # The number of the hunk is that of its line behind the one that was added.
    rest = "--- a/one.py\n+++ b/one.py\n@@ -9 +8 @@\n-eight\n+8\n"
    assert made.data["rest"] == rest
    corrected = rest.replace("-eight", "-88")
    assert not workspace.call("apply_patch", {"patch": corrected}).is_error


def test_corrects_the_context_of_the_rest_if_one_reading_is_certain(
    root: Path, workspace: Workspace
) -> None:
    (root / "m.py").write_text(
        "def send(text, host):\r\n    write(text)\r\n\r\n\r\ndef stop():\r\n    pass\r\n",
        newline="",
    )
    patch = (
        "--- a/m.py\n+++ b/m.py\n@@ -1,2 +1,2 @@\n def send(text, server):\n"
        "-    write(text)\n+    write(text.encode())\n@@ -5,2 +5,3 @@\n"
        " def stop():\n-    pass\n+    close()\n+    return\n"
    )
    made = workspace.call("apply_patch", {"patch": patch, "partial": True})
    assert "modified: m.py; crlf kept" in made.text
    assert "line 1 is 'def send(text, host):', where the hunk has" in made.text
    assert "hint: send it as the rest shows it" in made.text
    assert " def send(text, host):\n-    write(text)\n" in made.data["rest"]
    again = workspace.call("apply_patch", {"patch": made.data["rest"]})
    assert not again.is_error, again.text
    assert (root / "m.py").read_bytes() == (
        b"def send(text, host):\r\n    write(text.encode())\r\n\r\n\r\n"
        b"def stop():\r\n    close()\r\n    return\r\n"
    )


@pytest.mark.parametrize(
    ("content", "added"),
    [
        pytest.param("def a(x):\n    go(x)\n" * 2, "gone(x)", id="twice"),
        pytest.param("def a(x):\n    go(x)\n", "gone(y)", id="word in use"),
        pytest.param("def a(x):\n\n    go(x)\n", "gone(x)", id="apart"),
    ],
)
def test_corrects_no_context_that_is_not_certain(
    root: Path, workspace: Workspace, content: str, added: str
) -> None:
    (root / "m.py").write_text(content)
    patch = (
        "--- a/m.py\n+++ b/m.py\n@@ -1,2 +1,2 @@\n def a(y):\n-    go(x)\n"
        f"+    {added}\n"
    )
    made = workspace.call("apply_patch", {"patch": patch, "partial": True})
    assert "as the rest shows it" not in made.text
    assert "hint: " in made.text


def test_a_rename_with_a_hunk_that_does_not_fit_is_refused_whole(
    tree: Path, workspace: Workspace
) -> None:
    rename = (
        "diff --git a/one.py b/uno.py\nrename from one.py\nrename to uno.py\n"
    )
    patch = rename + FIT + "@@ -9 +9 @@\n-nine\n+9\n"
    patch = patch.replace("+++ b/one.py", "+++ b/uno.py")
    made = workspace.call("apply_patch", {"patch": patch, "partial": True})
    assert made.data["code"] == "patch_failed"
    assert "hunk 1 fits at line 2" in made.text
    assert (tree / "one.py").exists()


def test_what_is_kept_of_a_file_that_is_not_plain_is_said(
    tree: Path, workspace: Workspace
) -> None:
    (tree / "one.py").write_bytes(
        "# né\r\nx = 1\r\ny = 2\r\n".encode("latin-1")
    )
    made = workspace.call("apply_patch", {"patch": FIT})
    assert "modified: one.py (1 line below its number); " in made.text
    assert "and crlf kept" in made.text
    assert (
        tree / "one.py"
    ).read_bytes() == "# né\r\nx = 1\r\ny = 3\r\n".encode("latin-1")


def test_nothing_is_said_to_be_kept_of_what_goes(
    tree: Path, workspace: Workspace
) -> None:
    (tree / "one.py").write_bytes(b"x = 1\r\ny = 2\r\n")
    (tree / "two.py").write_bytes(b"\xef\xbb\xbfp = 1\nq = 2\n")
    gone = "--- a/one.py\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-x = 1\n-y = 2\n"
    bare = "--- a/two.py\n+++ b/two.py\n@@ -1,2 +1,2 @@\n-\ufeffp = 1\n+p = 1\n q = 2\n"
    made = workspace.call("apply_patch", {"patch": gone + bare})
    assert not made.is_error, made.text
    assert "kept" not in made.text
    assert (tree / "two.py").read_bytes() == b"p = 1\nq = 2\n"


@pytest.mark.parametrize("is_partial", [True, False], ids=["partial", "whole"])
def test_a_hunk_that_is_applied_already_is_passed_over(
    tree: Path, workspace: Workspace, is_partial: bool
) -> None:
    (tree / "one.py").write_text("x = 1\ny = 3\n\n\nfive\nsix\n\neight\n")
    made = workspace.call(
        "apply_patch", {"patch": TWICE, "partial": is_partial}
    )
    assert "(hunk 1 at line 1, applied already)" in made.text, made.text
    assert [hunk["tier"] for hunk in made.data["files"][0]["hunks"]] == [
        "already_applied",
        "exact",
        "exact",
    ]
    assert not made.data.get("rest")
    assert (tree / "one.py").read_text() == "x = 1\ny = 3\n\n\nfive\n6\n\n8\n"


def test_what_stands_where_a_hunk_does_not_belong_does_not_say_that_it_is_applied(
    tree: Path, workspace: Workspace
) -> None:
    elsewhere = "p\nx = 1\ny = 7\n\nfive\nsix\n\neight\n\nx = 1\ny = 3\n"
    (tree / "one.py").write_text(elsewhere)
    made = workspace.call("apply_patch", {"patch": TWICE, "partial": True})
    assert "refused: hunk 1 of one.py" in made.text
    assert (tree / "one.py").read_text() == elsewhere.replace(
        "six", "6"
    ).replace("eight", "8")
    assert made.data["rest"] == FIT


def test_an_envelope_comes_back_as_one(
    tree: Path, workspace: Workspace
) -> None:
    patch = (
        "*** Begin Patch\n*** Update File: one.py\n@@\n x = 1\n-y = 2\n+y = 3\n"
        "*** Update File: two.py\n@@\n p = 1\n-q = 2\n+q = 3\n*** End Patch\n"
    )
    rest = workspace.call(
        "apply_patch", {"patch": patch, "partial": True}
    ).data["rest"]
    assert rest.startswith("*** Begin Patch\n*** Update File: two.py\n")
    (tree / "two.py").write_text("p = 1\nq = 2\n")
    assert not workspace.call("apply_patch", {"patch": rest}).is_error


@pytest.mark.parametrize("odd", ["\f", "\u2028", "\x85"])
def test_the_rest_is_cut_at_lines_only(
    tree: Path, workspace: Workspace, odd: str
) -> None:
    (tree / "one.py").write_text(f"x{odd} = 1\ny = 2\n", encoding="utf-8")
    patch = FIT.replace("x =", f"x{odd} =") + LOST.replace("p =", f"p{odd} =")
    made = workspace.call("apply_patch", {"patch": patch, "partial": True})
    assert made.data["rest"] == LOST.replace("p =", f"p{odd} =")


def test_a_patch_is_read_from_a_file(tree: Path, workspace: Workspace) -> None:
    (tree / "fix.patch").write_bytes(FIT.encode())
    made = workspace.call("apply_patch", {"patch_path": "fix.patch"})
    assert not made.is_error, made.text
    assert (tree / "one.py").read_text() == "# new\nx = 1\ny = 3\n"
    (tree / "lost.patch").write_bytes(
        (FIT.replace("y =", "z =") + LOST).encode("utf-16")
    )
    (tree / "one.py").write_text("x = 1\nz = 2\n")
    made = workspace.call(
        "apply_patch", {"patch_path": "lost.patch", "partial": True}
    )
    assert made.data["rest"] == LOST


def test_a_patch_comes_from_one_place_below_the_roots_and_of_a_size(
    tree: Path, root: Path, tmp_path: Path
) -> None:
    (tree / "fix.patch").write_bytes(FIT.encode())
    with Workspace(
        root,
        state_dir=tmp_path / "elsewhere",
        settings=Settings(max_input_bytes=1024),
    ) as small:
        both = small.call(
            "apply_patch", {"patch": LOST, "patch_path": "fix.patch"}
        )
        assert (both.data["code"], both.data["argument"]) == (
            "invalid_input",
            "patch_path",
        )
        assert (
            small.call("apply_patch", {"patch_path": "../fix.patch"}).data[
                "code"
            ]
            == "path_escape"
        )
        assert (
            small.call("apply_patch", {"patch_path": "none.patch"}).data["code"]
            == "not_found"
        )
        assert small.call("apply_patch", {}).data["code"] == "invalid_input"
        (tree / "fix.patch").write_bytes(FIT.encode() * 40)
        assert (
            small.call("apply_patch", {"patch_path": "fix.patch"}).data["code"]
            == "too_large"
        )


def test_a_refusal_says_of_each_file_what_is_wrong(
    root: Path, workspace: Workspace
) -> None:
    """So that one call mends all: what is elsewhere now, what is there already, what has changed."""
    (root / "a_new.py").write_text("one\n")
    (root / "b.py").write_text("TWO\n")
    (root / "c.py").write_text("other\n")
    names = {
        "a.py": ("one", "ONE"),
        "b.py": ("two", "TWO"),
        "c.py": ("three", "THREE"),
    }
    patch = "".join(
        f"--- a/{name}\n+++ b/{name}\n@@ -1 +1 @@\n-{old}\n+{new}\n"
        for name, (old, new) in names.items()
    )
    answer = workspace.call("apply_patch", {"patch": patch})
    assert answer.code == "not_found"
    assert answer.text.count("\nalso: ") == 2
    assert "\nalso: hunk 1 of c.py" in answer.text
    assert "\nalso: skipped, as applied already: b.py\n" in answer.text
    hints = answer.text.partition("hint: ")[2]
    assert hints.startswith("a.py: its hunks fit only a_new.py")
    assert "; hunk 1 of c.py: read the file again" in hints
    assert not workspace.history()
    patch = patch.replace("a.py", "d.py").replace("-one", "-neither")
    first, *others = workspace.call(
        "apply_patch", {"patch": patch}
    ).text.splitlines()
    assert first.startswith("not_found: cannot open d.py")
    assert first.endswith(f", in the root {root})")
    assert others[-1].startswith("hint: d.py: did you mean ")
    assert (
        "; hunk 1 of c.py: read the file again and make the hunk from its "
        "current text" in others[-1]
    )
    many = "".join(
        f"--- a/{n}\n+++ b/{n}\n@@ -1 +1 @@\n-x\n+y\n" for n in range(20)
    )
    assert (
        "also: 14 more problems"
        in workspace.call("apply_patch", {"patch": many}).text
    )


def test_a_hunk_that_changes_nothing_is_passed_over_with_a_note(
    tree: Path, workspace: Workspace
) -> None:
    patch = "*** Begin Patch\n*** Update File: one.py\n@@\n x = 1\n@@\n-y = 2\n+y = 3\n*** End Patch\n"
    made = workspace.call("apply_patch", {"patch": patch})
    assert (tree / "one.py").read_text() == "# new\nx = 1\ny = 3\n"
    assert "note: hunk 1 of one.py changes nothing and was skipped" in made.text


@pytest.mark.parametrize("codec", MARKS)
def test_keeps_the_mark_of_utf16(
    codec: str, root: Path, workspace: Workspace
) -> None:
    (root / "f").write_bytes(wide("a\nb\n", codec))
    workspace.apply_patch(
        "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n-\ufeffa\n-b\n+a\n+B\n"
    )
    assert (root / "f").read_bytes() == wide("a\nB\n", codec)
