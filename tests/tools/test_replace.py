"""The replace tool: the expected count guards against surprises."""

from __future__ import annotations

from pathlib import Path

import pytest

from filewright import Workspace
from filewright.errors import FilewrightError
from filewright.tools.replace import check_expected


@pytest.mark.parametrize(
    ("counts", "expected", "code"),
    [
        ({"a": 2, "b": 3}, None, None),
        ({"a": 2, "b": 3}, 5, None),
        ({"a": 2, "b": 3}, 4, "invalid_input"),
        ({"a": 0}, None, "no_match"),
        ({}, None, "no_match"),
        ({}, 3, "invalid_input"),
    ],
)
def test_expected_count(
    counts: dict[str, int], expected: int | None, code: str | None
) -> None:
    if code is None:
        assert check_expected(counts, expected) == 5
        return
    with pytest.raises(FilewrightError) as caught:
        check_expected(counts, expected)
    assert caught.value.code == code


@pytest.fixture
def names(root: Path) -> Path:
    (root / "a.py").write_text("load(1)\nload_all(2)\n")
    (root / "b.py").write_text("reload = load_all = Load\n")
    (root / ".hidden").write_text("load\n")
    return root


RENAME = {
    "pattern": "load",
    "replacement": "read",
    "whole_word": True,
    "preview": False,
}


@pytest.mark.parametrize(
    ("arguments", "footer"),
    [
        pytest.param(
            {},
            "[3 files searched; no match left (hidden too)]",
            id="all",
        ),
        pytest.param(
            {"include_ignored": True},
            "no match left (hidden and ignored too)]",
            id="with ignored files",
        ),
        pytest.param({"path": "a.py"}, "[no match left]", id="one file"),
        pytest.param(
            {"replacement": "load load"}, "[3 files searched]", id="again"
        ),
        pytest.param({"preview": True}, "[3 files searched]", id="preview"),
        pytest.param(
            {
                "pattern": None,
                "replacement": None,
                "items": [
                    {"pattern": "load", "replacement": "x", "path": "."},
                    {"pattern": "Load", "replacement": "y", "path": "."},
                ],
            },
            "[3 files searched; no match left (hidden too)]",
            id="items",
        ),
    ],
)
def test_says_what_is_left(
    names: Path,
    workspace: Workspace,
    arguments: dict[str, object],
    footer: str,
) -> None:
    answer = workspace.call("replace_content", {**RENAME, **arguments})
    assert not answer.is_error, answer.text
    assert footer in answer.text


def test_names_near_words(names: Path, workspace: Workspace) -> None:
    preview = workspace.call("replace_content", {**RENAME, "preview": True})
    near = "[not matched: load_all (2), reload (1), Load (1)]"
    assert near in preview.text
    # They are as in the preview, as is the diff.
    assert near not in workspace.call("replace_content", RENAME).text


def test_shows_kinds_when_it_writes(root: Path, workspace: Workspace) -> None:
    for number in range(30):
        (root / f"{number}.py").write_text(f"use_{'x' * number}(old)\n")
    answer = workspace.call(
        "replace_content",
        {"pattern": "old", "replacement": "new", "max_count": 30},
    )
    assert "-use_(old)\n+use_(new)" in answer.text
    assert "[24 more kinds]" in answer.text


def test_shows_matches_of_several_lines_and_nested_ones(
    root: Path, workspace: Workspace
) -> None:
    lines = "".join(f"x{name} = f({name})\n" for name in "abcdefghijkl")
    (root / "a.py").write_text(lines * 20)
    (root / "b.py").write_text(
        'y = f(f(1))\nz = (\n  f(\n    2,\n    3\n  ),\n  f("[" f(4) "]")\n)\n'
    )
    (root / "c.py").write_text("".join(f"p{name} = g\n" for name in "abcdefgh"))
    arguments = {"pattern": "f($$$A)", "replacement": "g($$$A, k)"}
    text = workspace.replace(**arguments, mode="code").text
    assert (
        "over several lines or nested: b.py:1:\n-y = f(f(1))\n"
        "+y = g(g(1, k), k)\n"
    ) in text
    assert (
        "over several lines or nested: b.py:3:\n-  f(\n+  g(\n     2,\n"
        "-    3\n+    3, k\n   ),\n"
    ) in text


def test_shows_a_line_with_rare_signs(root: Path, workspace: Workspace) -> None:
    lines = [f"a{n:c} = f(total)\n" for n in range(97, 123)]
    lines.insert(13, "s = 'total'\n")
    (root / "a.py").write_text("".join(lines) + "a = f(total)\n" * 80)
    text = workspace.replace("total", "summe", diff="none").text
    assert "+s = 'summe'\n" in text


def test_writes_an_expected_count(root: Path, workspace: Workspace) -> None:
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
