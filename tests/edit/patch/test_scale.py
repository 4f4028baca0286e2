"""Patches of any size and any nonsense: linear work, one kind of error, never a hang."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.edit.work import assert_linear
from tests.examples import examples

from filewright.edit.patch.reader import parse_patch
from filewright.errors import FilewrightError

MANY = [
    200,
    *(
        pytest.param(hunks, marks=pytest.mark.sweep)
        for hunks in (2_000, 10_000, 100_000)
    ),
]
"""Hunks of a patch; that the work grows as they do is counted in `tests/promises/test_work_grows_evenly.py`."""


def numbered(count: int) -> dict[str, bytes]:
    return {"x": b"".join(b"line %d\n" % index for index in range(count))}


@pytest.mark.parametrize("hunks", MANY)
@pytest.mark.parametrize(
    "numbers", [True, False], ids=["with line numbers", "without"]
)
def test_very_many_hunks(
    numbers: bool, hunks: int, tree: Callable[..., object]
) -> None:
    parts = ["--- a/x\n+++ b/x\n"]
    for index in range(1, 3 * hunks, 3):
        head = f"@@ -{index},3 +{index},3 @@" if numbers else "@@ @@"
        parts.append(
            f"{head}\n line {index - 1}\n-line {index}\n+changed {index}\n line {index + 1}\n"
        )
    after = tree(numbered(3 * hunks + 5)).patched("".join(parts))["x"]  # type: ignore[attr-defined]
    assert after.count(b"changed") == hunks


@pytest.mark.parametrize("count", MANY[:3])
def test_very_many_equal_hunks(count: int, tree: Callable[..., object]) -> None:
    patch = "--- a/x\n+++ b/x\n" + "@@ @@\n-same\n+other\n" * count
    assert tree({"x": b"same\n" * count}).patched(patch) == {
        "x": b"other\n" * count
    }  # type: ignore[attr-defined]
    error = tree({"x": b"same\n" * (count + 1)}).refusal(patch)  # type: ignore[attr-defined]
    assert error.details["reason"] == "ambiguous_match"


@pytest.mark.parametrize("hunks", MANY)
@pytest.mark.parametrize("head", ["@@ -9,9 +9,9 @@", "@@ -1 +1 @@", "@@"])
def test_very_many_unplaced_hunks(
    head: str, hunks: int, tree: Callable[..., object]
) -> None:
    patch = "--- a/x\n+++ b/x\n" + f"{head}\n-same\n+other\n" * hunks
    error = tree({"x": b"same\n" * 5}).refusal(patch)  # type: ignore[attr-defined]
    assert error.code in ("patch_failed", "invalid_input")


def envelope(*lines: str) -> str:
    return "\n".join(["*** Begin Patch", *lines, "*** End Patch", ""])


def applied_already(size: int) -> tuple[str, bytes]:
    patch = "--- a/x\n+++ b/x\n" + "@@ @@\n-same\n+other\n" * size
    return patch, b"other\n" * size


def all_at_the_end(size: int) -> tuple[str, bytes]:
    hunk = "@@ @@\n-same\n\\ No newline at end of file\n+other\n"
    return "--- a/x\n+++ b/x\n" + hunk * size, b"same\n" * size


def heading_each(size: int) -> tuple[str, bytes]:
    hunks = (f"@@ head {number}\n-same\n+other" for number in range(2 * size))
    patch = envelope("*** Update File: x", *hunks)
    return patch, b"head 1\n" + b"same\n" * 2 * size


def heading_everywhere(size: int) -> tuple[str, bytes]:
    hunks = ["@@ head\n-same\n+other"] * (size // 2)
    patch = envelope("*** Update File: x", *hunks)
    return patch, b"head\n\tsame\n" * 2 * size + b"same\n" * 2 * size


def huge_hunk(size: int) -> tuple[str, bytes]:
    rows = "".join(f" row {number % size}\n" for number in range(10 * size))
    content = b"".join(b"row %d\n" % (n % size) for n in range(5 * size))
    return f"--- a/x\n+++ b/x\n@@ @@\n{rows}-a\n+b\n", content


def refuse(
    tree: Callable[..., object],
    make: Callable[[int], tuple[str, bytes]],
    size: int,
) -> None:
    patch, content = make(size)
    error = tree({"x": content}).refusal(patch)  # type: ignore[attr-defined]
    assert error.code in ("patch_failed", "already_applied")


@pytest.mark.parametrize(
    "size", [200, pytest.param(5_000, marks=pytest.mark.sweep)]
)
@pytest.mark.parametrize(
    "make", [applied_already, all_at_the_end, heading_each]
)
def test_hostile_patches_are_linear(
    make: Callable[[int], tuple[str, bytes]],
    size: int,
    tree: Callable[..., object],
) -> None:
    assert_linear(lambda size: refuse(tree, make, size), size)


@pytest.mark.parametrize(
    "size", [500, pytest.param(5_000, marks=pytest.mark.sweep)]
)
@pytest.mark.parametrize("make", [heading_everywhere, huge_hunk])
@pytest.mark.timeout(30)
def test_hostile_patches_have_limits(
    make: Callable[[int], tuple[str, bytes]],
    size: int,
    tree: Callable[..., object],
) -> None:
    refuse(tree, make, size)


BLANK = {
    "lines": (
        "*** Begin Patch\n*** Update File: x\n@@\n-a\n+b\n",
        "\n" * 150_000,
        "*** X\n",
    ),
    "lines after a name": (
        "*** Begin Patch\n*** Update File: x\n*** Move to: y\n",
        "\n" * 150_000,
        "*** X\n",
    ),
    "name": (
        "*** Begin Patch\n*** Add File: a",
        " " * 150_000,
        "b\n*** X\n",
    ),
    "line": ("", " " * 150_000, "\n*** Begin Patch\n"),
    "line and a word": ("", " " * 150_000, "x\n*** Begin Patch\n"),
}


@pytest.mark.parametrize("name", BLANK)
@pytest.mark.timeout(30)
def test_reads_long_blank_once(name: str, tree: Callable[..., object]) -> None:
    error = tree({"x": b"a\n"}).refusal("".join(BLANK[name]))  # type: ignore[attr-defined]
    assert error.code == "invalid_input"


@pytest.mark.parametrize(
    "count", [100, pytest.param(1_000, marks=pytest.mark.sweep)]
)
def test_very_many_files(count: int, tree: Callable[..., object]) -> None:
    files = {f"f{index}": b"a\nb\n" for index in range(count)}
    patch = "".join(
        f"--- a/{name}\n+++ b/{name}\n@@ -1,2 +1,2 @@\n-a\n+A\n b\n"
        for name in files
    )
    assert set(tree(files).patched(patch).values()) == {b"A\nb\n"}  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "count", [2_000, pytest.param(20_000, marks=pytest.mark.sweep)]
)
def test_one_hunk_of_many_equal_lines(
    count: int, tree: Callable[..., object]
) -> None:
    patch = "--- a/x\n+++ b/x\n@@ @@\n" + " same\n" * count + "-last\n+LAST\n"
    files = {"x": b"same\n" * 2 * count + b"last\n"}
    assert tree(files).patched(patch)["x"].endswith(b"same\nLAST\n")  # type: ignore[attr-defined]


LINES = st.sampled_from(
    [
        "--- a/x",
        "+++ b/x",
        "--- /dev/null",
        "+++ /dev/null",
        "@@ -1,2 +1,2 @@",
        "@@ -1 +1 @@",
        "@@",
        "@@ -0,0 +1 @@",
        "@@ @@",
        "@@ def f():",
        " a",
        "-a",
        "+A",
        "-b",
        "+b",
        "",
        " ",
        "+",
        "-",
        "\\ No newline at end of file",
        "diff --git a/x b/x",
        "diff --git a/x b/y",
        "rename from x",
        "rename to y",
        "new file mode 100644",
        "deleted file mode 100644",
        "old mode 100644",
        "new mode 100755",
        "index 1234567..89abcde 100644",
        "similarity index 100%",
        "copy from x",
        "copy to y",
        "GIT binary patch",
        "*** Begin Patch",
        "*** End Patch",
        "*** Update File: x",
        "*** Add File: z",
        "*** Delete File: y",
        "*** Move to: w",
        "*** End of File",
        "```",
        "-- ",
        '--- "a/x',
        '+++ "b/\\377"',
        "+++ b/x\t1970-01-01 00:00:00",
        "\r",
        " a\r",
        "-a\rb",
        "words",
        "diff --git ",
        '"',
    ]
)


@given(
    lines=st.lists(
        st.one_of(LINES, LINES, LINES, st.text(max_size=12)), max_size=14
    ),
    end=st.sampled_from(["\n", "\r\n", ""]),
)
@examples(67, derandomize=True)
def test_plans_or_refuses_any_text(
    lines: list[str], end: str, tree: Callable[..., object]
) -> None:
    files = {"x": b"a\nb\n", "y": b"a\r\nb"}
    try:
        tree(files).patched("\n".join(lines) + end)  # type: ignore[attr-defined]
    except FilewrightError as error:
        assert str(error)  # noqa: PT017


@given(st.text(max_size=200))
@examples(25, derandomize=True)
def test_reads_or_refuses_any_string(text: str) -> None:
    for patch in (
        text,
        f"*** Begin Patch\n{text}\n*** End Patch",
        f"--- a/x\n+++ b/x\n@@ -1 +1 @@\n{text}",
    ):
        try:
            parse_patch(patch)
        except FilewrightError as error:
            assert str(error)  # noqa: PT017
