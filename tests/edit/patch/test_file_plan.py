"""The plan of one file: its steps, its encoding, its mode, and the outcome of each hunk."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from filewright.edit.changeset import SetMode

H = "--- a/x\n+++ b/x\n"
ABC = b"a\nb\nc\nd\ne\nf\ng\nh\n"
EDIT = "@@ -1,2 +1,2 @@\n-a\n+A\n b\n"
RENAME = (
    "diff --git a/x b/y\nsimilarity index 100%\nrename from x\nrename to y\n"
)


def test_refuses_patch_without_changes(tree: Callable[..., object]) -> None:
    error = tree({"x": ABC}).refusal(H + "@@ -1,2 +1,2 @@\n-a\n+a\n b\n")  # type: ignore[attr-defined]
    assert error.code == "no_change"


def test_only_renames_binary_files(
    tree: Callable[..., object],
) -> None:
    files = {"x": b"\0\1\2", "u": "a\nb\n".encode("utf-16") + b"x"}
    assert tree(files).refusal(H + EDIT).code == "is_binary"  # type: ignore[attr-defined]
    wide = "--- a/u\n+++ b/u\n" + EDIT
    assert tree(files).refusal(wide).code == "is_binary"  # type: ignore[attr-defined]
    assert tree(files).patched(RENAME) == {"y": b"\0\1\2", "u": files["u"]}  # type: ignore[attr-defined]


def test_refuses_unencodable_characters(tree: Callable[..., object]) -> None:
    made = tree({"x": "é\nb\n".encode("cp1252")}, encoding="cp1252")
    error = made.refusal(H + "@@ -1,2 +1,2 @@\n é\n-b\n+日\n")  # type: ignore[attr-defined]
    assert error.code == "unencodable"


@pytest.mark.parametrize("encoding", ["cp1252", "shift_jis", "gb18030"])
def test_keeps_encoding(encoding: str, tree: Callable[..., object]) -> None:
    word = {"cp1252": "Größe", "shift_jis": "日本語表", "gb18030": "汉字测试"}[
        encoding
    ]
    content = f"{word}\nb\n{word}{word}\n".encode(encoding)
    made = tree({"x": content}, encoding=encoding)
    patch = f"{H}@@ -1,3 +1,3 @@\n {word}\n-b\n+{word}!\n {word}{word}\n"
    assert made.patched(patch) == {
        "x": f"{word}\n{word}!\n{word}{word}\n".encode(encoding)
    }  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("mode", "wanted", "bits"),
    [
        (0o600, "100755", "700"),
        (0o644, "100755", "755"),
        (0o750, "100644", "640"),
        (0o755, "100755", None),
    ],
)
def test_sets_only_executable_bits(
    mode: int, wanted: str, bits: str | None, tree: Callable[..., object]
) -> None:
    made = tree({"x": ABC}, {"x": mode})
    head = f"diff --git a/x b/x\nold mode 100644\nnew mode {wanted}\n"
    planned = made.plan(head + H + "@@ -1,2 +1,2 @@\n-a\n+A\n b\n")  # type: ignore[attr-defined]
    assert [
        step.mode
        for file in planned
        for step in file.steps
        if isinstance(step, SetMode)
    ] == ([bits] if bits else [])


def test_outcome_of_each_hunk(tree: Callable[..., object]) -> None:
    made = tree({"x": ABC})
    planned = made.plan(
        H + "@@ -4,9 +4,9 @@\n c\n-d\n+D\n e\n@@ -7,2 +7,2 @@\n g \n-h\n+H\n"
    )  # type: ignore[attr-defined]
    first, second = planned[0].result.hunks
    assert (first.line, first.moved, first.tier, first.repaired) == (
        3,
        -1,
        "exact",
        True,
    )
    assert (second.line, second.moved, second.tier, second.repaired) == (
        7,
        0,
        "trailing",
        False,
    )
    assert (planned[0].result.operation, planned[0].old_name) == (
        "modified",
        "x",
    )
