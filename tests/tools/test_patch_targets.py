"""The files that a patch names, at the paths in the patch or elsewhere."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.platforms.unix_only import not_on_wine

from filewright import Workspace
from filewright.errors import Code
from filewright.settings import Settings

FIT = "--- a/one.py\n+++ b/one.py\n@@ -1,2 +1,2 @@\n x = 1\n-y = 2\n+y = 3\n"


LOST = "--- a/two.py\n+++ b/two.py\n@@ -1,2 +1,2 @@\n p = 1\n-q = 2\n+q = 3\n"


@pytest.fixture
def tree(root: Path) -> Path:
    (root / "one.py").write_text("# new\nx = 1\ny = 2\n")
    (root / "two.py").write_text("p = 1\nq = 7\n")
    return root


def test_finds_a_file_elsewhere(tree: Path, workspace: Workspace) -> None:
    for folder, text in (("lib", "x = 1\ny = 2\n"), ("old", "x = 1\ny = 7\n")):
        (tree / folder).mkdir()
        (tree / folder / "one.py").write_text(text)
    (tree / "one.py").unlink()
    assert (
        workspace.call("apply_patch", {"patch": FIT}).data["code"]
        == "not_found"
    )
    made = workspace.call("apply_patch", {"patch": FIT, "partial": True})
    assert "modified: lib/one.py, found for one.py" in made.text, made.text
    assert (tree / "lib/one.py").read_text() == "x = 1\ny = 3\n"
    assert (tree / "old/one.py").read_text() == "x = 1\ny = 7\n"
    for folder in ("lib", "old"):
        (tree / folder / "one.py").write_text("x = 1\ny = 2\n")
    made = workspace.call("apply_patch", {"patch": FIT, "partial": True})
    assert made.data["code"] == "not_found"  # two files could be meant


PLACES = [
    # root, strip, a prefix that the patch's names have
    ("app", 0, ""),
    (".", 0, "app/"),
    (".", 1, "app/"),
    (".", 3, "vendor/lib/app/"),
    ("app", 2, "old/"),
    ("app", 1, ""),
    ("app/", 0, ""),
]


@pytest.mark.parametrize(("folder", "strip", "prefix"), PLACES)
def test_root_and_strip(
    root: Path, workspace: Workspace, folder: str, strip: int, prefix: str
) -> None:
    (root / "app").mkdir()
    (root / "app/one.py").write_text("x = 1\ny = 2\n")
    patch = FIT.replace("/one.py", f"/{prefix}one.py")
    made = workspace.call(
        "apply_patch", {"patch": patch, "root": folder, "strip": strip}
    )
    assert not made.is_error, made.text
    assert (root / "app/one.py").read_text() == "x = 1\ny = 3\n"


def test_quoted_name(root: Path, workspace: Workspace) -> None:
    (root / "app").mkdir()
    (root / "app" / "größe.py").write_text("x = 1\ny = 2\n")
    name = "old/gr\\303\\266\\303\\237e.py"
    patch = FIT.replace("a/one.py", f'"a/{name}"').replace(
        "b/one.py", f'"b/{name}"'
    )
    made = workspace.call(
        "apply_patch", {"patch": patch, "root": "app", "strip": 2}
    )
    assert not made.is_error, made.text
    assert (root / "app" / "größe.py").read_text() == "x = 1\ny = 3\n"


def test_strip_counts_parts_of_the_patch(
    root: Path, workspace: Workspace
) -> None:
    """Without a/ and b/ the first part is the folder; a rename and a new file are stripped like others."""
    (root / "app").mkdir()
    (root / "app/one.py").write_text("x = 1\ny = 2\n")
    bare = FIT.replace("a/one.py", "src/app/one.py").replace(
        "b/one.py", "src/app/one.py"
    )
    assert not workspace.call(
        "apply_patch", {"patch": bare, "strip": 1}
    ).is_error
    git = (
        "diff --git a/src/app/one.py b/src/app/two.py\nsimilarity index 100%\n"
        "rename from src/app/one.py\nrename to src/app/two.py\n"
        "diff --git a/src/app/new.py b/src/app/new.py\nnew file mode 100644\n"
        "--- /dev/null\n+++ b/src/app/new.py\n@@ -0,0 +1 @@\n+z = 3\n"
    )
    made = workspace.call("apply_patch", {"patch": git, "strip": 2})
    assert not made.is_error, made.text
    assert sorted(path.name for path in (root / "app").iterdir()) == [
        "new.py",
        "two.py",
    ]


@pytest.mark.parametrize(
    ("prefix", "strip", "fits"),
    [("src/app/", 0, 2), ("src/app/", 1, 2), ("x/y/app/", 2, 3)],
)
def test_names_the_strip_that_fits(
    root: Path, workspace: Workspace, prefix: str, strip: int, fits: int
) -> None:
    (root / "app").mkdir()
    (root / "app/one.py").write_text("x = 1\ny = 2\n")
    patch = FIT.replace("/one.py", f"/{prefix}one.py")
    made = workspace.call("apply_patch", {"patch": patch, "strip": strip})
    assert made.data["code"] == "not_found"
    assert made.text.endswith(
        f"hint: with strip={fits} the path is app/one.py, which exists"
    ), made.text
    assert not workspace.call(
        "apply_patch", {"patch": patch, "strip": fits}
    ).is_error


@pytest.mark.parametrize("strip", [2, 7])
def test_strip_beyond_the_path(
    tree: Path, workspace: Workspace, strip: int
) -> None:
    made = workspace.call("apply_patch", {"patch": FIT, "strip": strip})
    assert made.data["code"] == "invalid_input"
    assert "use a strip up to 1" in made.text


def test_root_does_not_lead_out(tree: Path, workspace: Workspace) -> None:
    assert (
        workspace.call("apply_patch", {"patch": FIT, "root": "../.."}).data[
            "code"
        ]
        == "path_escape"
    )


@not_on_wine("nothing is found below a folder that was renamed meanwhile")
def test_finds_a_moved_file(tree: Path, workspace: Workspace) -> None:
    workspace.move("one.py", "lib/first.py")
    workspace.move("lib", "library")
    made = workspace.call("apply_patch", {"patch": FIT})
    assert not made.is_error, made.text
    assert "modified: library/first.py, where one.py was moved to" in made.text
    assert (tree / "library/first.py").read_text() == "# new\nx = 1\ny = 3\n"
    created = "--- /dev/null\n+++ b/one.py\n@@ -0,0 +1 @@\n+new\n"
    assert not workspace.call("apply_patch", {"patch": created}).is_error
    assert (tree / "one.py").read_text() == "new\n"
    (tree / "one.py").unlink()
    (tree / "library/first.py").unlink()
    assert (
        workspace.call("apply_patch", {"patch": FIT}).data["code"]
        == "not_found"
    )


@not_on_wine("nothing is found below a folder that was renamed meanwhile")
def test_finds_a_file_in_another_root(
    tmp_path: Path,
) -> None:
    roots = tmp_path / "A", tmp_path / "B"
    for path in ("A/src/one.py", "A/lib/one.py"):
        (tmp_path / path).parent.mkdir(parents=True)
        (tmp_path / path).write_text("x = 1\ny = 2\n")
    roots[1].mkdir()
    with Workspace(
        *roots, settings=Settings(state_dir=tmp_path / "state")
    ) as workspace:
        workspace.move("A:src/one.py", "B:lib/one.py")
        made = workspace.call(
            "apply_patch", {"patch": FIT.replace("one.py", "src/one.py")}
        )
        assert (
            "modified: B:lib/one.py, where src/one.py was moved to" in made.text
        )
    assert (roots[0] / "lib/one.py").read_text() == "x = 1\ny = 2\n"
    assert (roots[1] / "lib/one.py").read_text() == "x = 1\ny = 3\n"


def test_another_file_of_the_name(tree: Path, workspace: Workspace) -> None:
    workspace.move("one.py", "kept.py")
    workspace.write("one.py", "x = 1\ny = 2\n")
    workspace.delete("one.py")
    assert (
        workspace.call("apply_patch", {"patch": FIT}).data["code"]
        == "not_found"
    )
    assert "y = 2" in (tree / "kept.py").read_text()


def test_reads_history_once(
    tree: Path, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(20):
        workspace.write(f"old/f{number}.txt", "1\n")
    workspace.move("old", "new")
    read = []
    history = workspace.context.changes.history
    monkeypatch.setattr(
        workspace.context.changes,
        "history",
        lambda **asked: read.append(asked) or history(**asked),
    )
    parts = [
        f"--- a/old/f{n}.txt\n+++ b/old/f{n}.txt\n@@ -1 +1 @@\n-1\n+2\n"
        for n in range(20)
    ]
    workspace.apply_patch("".join(parts))
    assert {(tree / "new" / f"f{n}.txt").read_text() for n in range(20)} == {
        "2\n"
    }
    assert len(read) == 1


def test_walks_once(
    tree: Path, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tree / "new").mkdir()
    for number in range(20):
        (tree / f"new/f{number}.txt").write_text("1\n")
    walked = []
    walk = workspace.context.boundary.walk
    monkeypatch.setattr(
        workspace.context.boundary,
        "walk",
        lambda where, options, **asked: (
            walked.append(where) or walk(where, options, **asked)
        ),
    )
    parts = [
        f"--- a/old/f{n}.txt\n+++ b/old/f{n}.txt\n@@ -1 +1 @@\n-1\n+2\n"
        for n in range(20)
    ]
    workspace.apply_patch("".join(parts), partial=True)
    assert {(tree / "new" / f"f{n}.txt").read_text() for n in range(20)} == {
        "2\n"
    }
    assert len(walked) == 1


def test_patch_in_a_folder(workspace: Workspace, root: Path) -> None:
    (root / "net").mkdir()
    for place in ("net/a.txt", "net/b.txt"):
        (root / place).write_text("one\n")
    hunk = "--- a/{0}\n+++ b/{0}\n@@ -1 +1 @@\n-one\n+two\n"
    (root / "net/fix.patch").write_text(
        hunk.format("a.txt")
        + "--- /dev/null\n+++ b/c.txt\n@@ -0,0 +1 @@\n+new\n"
    )
    made = workspace.call("apply_patch", {"patch_path": "net/fix.patch"})
    assert not made.is_error, made.text
    assert "net/a.txt" in made.text
    assert (
        (root / "net/a.txt").read_text(),
        (root / "net/c.txt").read_text(),
    ) == (
        "two\n",
        "new\n",
    )
    # One that is at the root is meant there.
    (root / "b.txt").write_text("one\n")
    (root / "net/fix.patch").write_text(hunk.format("b.txt"))
    assert not workspace.call(
        "apply_patch", {"patch_path": "net/fix.patch"}
    ).is_error
    assert ((root / "b.txt").read_text(), (root / "net/b.txt").read_text()) == (
        "two\n",
        "one\n",
    )
    (root / "net/fix.patch").write_text(hunk.format("nowhere.txt"))
    refused = workspace.call("apply_patch", {"patch_path": "net/fix.patch"})
    assert refused.data["code"] == "not_found"


def test_names_a_renamed_file(tree: Path, workspace: Workspace) -> None:
    (tree / "lib").mkdir()
    (tree / "one.py").rename(tree / "lib" / "first one.py")
    (tree / "two.py").write_text("p = 1\nq = 2\n")
    (tree / "fix.patch").write_text(FIT + LOST)
    names = {"one.py": "lib/first one.py"}
    made = workspace.call(
        "apply_patch", {"patch_path": "fix.patch", "names": names}
    )
    assert "modified: lib/first one.py, for one.py\n" in made.text, made.text
    assert (
        tree / "lib" / "first one.py"
    ).read_text() == "# new\nx = 1\ny = 3\n"
    assert not (tree / "one.py").exists()
    workspace.undo()
    assert (
        tree / "lib" / "first one.py"
    ).read_text() == "# new\nx = 1\ny = 2\n"
    for wrong, code in (
        ({"one.py": "lib/gone.py"}, "not_found"),
        ({"one.py": "two.py"}, "invalid_input"),  # which the patch names itself
        ({"one.py": "../one.py"}, "path_escape"),
        ({"one.py": 1}, "invalid_input"),
    ):
        refused = workspace.call(
            "apply_patch", {"patch_path": "fix.patch", "names": wrong}
        )
        assert refused.data["code"] == code, refused.text
    assert (tree / "two.py").read_text() == "p = 1\nq = 2\n"


def test_name_of_a_renamed_file(root: Path, workspace: Workspace) -> None:
    for folder in ("net/lib", "lib"):
        (root / folder).mkdir(parents=True)
    (root / "net/b.txt").write_text("one\n")
    hunks = "".join(
        f"--- a/{name}\n+++ b/{name}\n@@ -1 +1 @@\n-one\n+two\n"
        for name in ("b.txt", "lib/a.txt")
    )
    (root / "net/fix.patch").write_text(hunks)
    for names in (
        {"net/lib/a.txt": "net/lib/z.txt"},
        {"lib/a.txt": "lib/z.txt"},
        {"lib/a.txt": "net/lib/z.txt"},
    ):
        (root / "net/lib/z.txt").write_text("one\n")
        (root / "lib/z.txt").write_text(
            "one\n"
        )  # another, which is meant by none
        made = workspace.call(
            "apply_patch", {"patch_path": "net/fix.patch", "names": names}
        )
        assert "modified: net/lib/z.txt, for net/lib/a.txt\n" in made.text, (
            made.text
        )
        assert (root / "net/lib/z.txt").read_text() == "two\n"
        assert (root / "lib/z.txt").read_text() == "one\n"
        workspace.undo()
    below = {
        "patch": hunks,
        "root": "net/",
        "names": {"lib/a.txt": "lib/z.txt"},
    }
    assert (
        "modified: net/lib/z.txt, for net/lib/a.txt"
        in workspace.call("apply_patch", below).text
    )
    workspace.undo()
    made = workspace.call(
        "apply_patch",
        {
            "patch_path": "net/fix.patch",
            "names": {"net/lib/a.txt": "lib/z.txt"},
        },
    )
    assert "modified: lib/z.txt, for net/lib/a.txt\n" in made.text, made.text


def test_longer_name(tree: Path, workspace: Workspace) -> None:
    lines = [f"value_{n} = {n}\n" for n in range(30)]
    (tree / "authentication.py").write_text("".join(lines))
    (tree / "auth_tests.py").write_text("".join(lines[:10]))
    patch = "--- a/auth.py\n+++ b/auth.py\n@@ -20,3 +20,3 @@\n value_19 = 19\n-value_20 = 20\n+value_20 = 0\n value_21 = 21\n"
    refused = workspace.call("apply_patch", {"patch": patch})
    assert refused.code == Code.NOT_FOUND
    assert "its hunks fit only authentication.py; partial=true" in refused.text
    made = workspace.call("apply_patch", {"patch": patch, "partial": True})
    assert (
        "authentication.py, found for auth.py by its name and content"
        in made.text
    )
    assert "value_20 = 0\n" in (tree / "authentication.py").read_text()
    workspace.undo()
    for partial in (False, True):
        other = workspace.call(
            "apply_patch",
            {"patch": patch.replace("auth.py", "login.py"), "partial": partial},
        )
        assert other.code == Code.NOT_FOUND
        assert (
            'its hunks fit only authentication.py; names={"login.py": "authentication.py"} applies'
            in other.text
        )
    (tree / "auth_tests.py").write_text("".join(lines))
    for partial in (False, True):
        refused = workspace.call(
            "apply_patch", {"patch": patch, "partial": partial}
        )
        assert refused.code == Code.NOT_FOUND
        assert "hunks fit" not in refused.text


def test_too_many_files_of_a_name(tree: Path, workspace: Workspace) -> None:
    """Sixty of a name, of which the first and the last fit."""
    for n in range(60):
        (tree / f"p{n:02}").mkdir()
        (tree / f"p{n:02}/setup.txt").write_text(
            "one\ntwo\nthree\n" if n in (0, 59) else "other\n"
        )
    patch = "--- a/setup.txt\n+++ b/setup.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n"
    for partial in (False, True):
        refused = workspace.call(
            "apply_patch", {"patch": patch, "partial": partial}
        )
        assert refused.code == Code.NOT_FOUND
        assert "hunks fit" not in refused.text


def test_one_call_corrects_all_names(root: Path, workspace: Workspace) -> None:
    (root / "new.py").write_text("one\ntwo\n")
    code = "def f(c):\n    d = {}\n    values['a'] = c\n    return d\n"
    (root / "code.py").write_text(code)
    patch = (
        "--- a/old.py\n+++ b/old.py\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n"
        "--- a/code.py\n+++ b/code.py\n@@ -1,3 +1,4 @@\n def f(c):\n"
        "     d = {}\n     rv['a'] = c\n+    rv['b'] = 1\n"
    )
    refused = workspace.call("apply_patch", {"patch": patch})
    call = 'names={"old.py": "new.py", "rv": "values"} applies the whole patch'
    assert call in refused.text
    names = {"old.py": "new.py", "rv": "values"}
    made = workspace.call("apply_patch", {"patch": patch, "names": names})
    assert "code.py (hunk 1 at line 1, with values for rv)" in made.text
    assert (root / "new.py").read_text() == "one\n2\n"
    assert (root / "code.py").read_text() == code.replace(
        "c\n", "c\n    values['b'] = 1\n"
    ).replace("(c)", "(c)")
