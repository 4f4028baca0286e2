"""The replace tool: the expected count guards against surprises."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.tools.sources import SHOP

from filewright import FilewrightError, Settings, Workspace
from filewright.edit.replacements import compile_replacement
from filewright.search.pattern import compile_pattern
from filewright.tools.replace.replace import replace_in_order, require_expected


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
        require_expected(counts, expected)
        return
    with pytest.raises(FilewrightError) as caught:
        require_expected(counts, expected)
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
            {"glob": "*.py"},
            "no match left in the files of the glob (hidden too)]",
            id="glob",
        ),
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
    assert "[27 more kinds]" in answer.text


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


def test_whole_words_in_either_mode(root, workspace):
    (root / "a.py").write_text("total subtotal total_of total\n")
    done = workspace.call(
        "replace_content",
        {
            "pattern": "total",
            "replacement": "sum",
            "whole_word": True,
            "preview": False,
        },
    )
    assert done.data["count"] == 2
    assert (root / "a.py").read_text() == "sum subtotal total_of sum\n"
    workspace.call(
        "replace_content",
        {
            "pattern": "(s)(um)",
            "replacement": "$2$1",
            "mode": "regex",
            "whole_word": True,
            "preview": False,
        },
    )
    assert (root / "a.py").read_text() == "ums subtotal total_of ums\n"


@pytest.mark.parametrize("held", [1_000, 1_000_000])
def test_replaces_in_order(tmp_path, held):
    (tmp_path / "r").mkdir()
    lines = "".join(f"line {number} alpha beta\r\n" for number in range(500))
    (tmp_path / "r/a.txt").write_bytes(lines.encode())
    patterns = [
        compile_pattern(text, case="sensitive")
        for text in ("alpha", "beta", "ALPHA gamma")
    ]
    texts = ("ALPHA beta", "gamma", "x")
    with Workspace(
        tmp_path / "r",
        state_dir=tmp_path / "s",
        settings=Settings(hold_bytes=held),
    ) as workspace:
        pairs = [
            (each, compile_replacement(text, each))
            for each, text in zip(patterns, texts, strict=True)
        ]
        replace_in_order(workspace.context, "a.txt", pairs)
    assert (tmp_path / "r/a.txt").read_bytes() == lines.replace(
        "alpha beta", "x gamma"
    ).encode()


def test_writes_up_to_max_count(shop: Path, workspace: Workspace) -> None:
    asked = {"pattern": "lines", "replacement": "rows", "whole_word": True}
    seen = workspace.call("replace_content", {**asked, "max_count": 3})
    assert not seen.is_error, seen.text
    more = "4 matches in 1 file are more than max_count=3 (preview; nothing was written; max_count=4 writes)"
    assert more in seen.text
    flat = workspace.call(
        "replace_content", {**asked, "max_count": 3, "preview": False}
    )
    assert more in flat.text, (
        "preview=false does not write either, and is not advised"
    )
    assert (shop / "shop.py").read_text() == SHOP
    looked = workspace.call(
        "replace_content", {**asked, "max_count": 4, "preview": True}
    )
    assert "nothing was written" in looked.text
    done = workspace.call("replace_content", {**asked, "max_count": 4})
    assert "4 matches in 1 file replaced; change" in done.text, done.text
    assert (shop / "shop.py").read_text() == SHOP.replace("lines", "rows")


COOKIE = "# -*- coding: latin-1 -*-\n"


def test_declared_encoding(root: Path, workspace: Workspace) -> None:
    (root / "a.xml").write_text(
        '<?xml version="1.0" encoding="koi8-r"?>\n<a>x</a>\n'
    )
    workspace.replace(
        "x", "ж", path="a.xml", whole_word=True, preview=False, max_files=1
    )
    (root / "a.py").write_text(COOKIE)
    workspace.write("a.py", "x = 'é'\n", mode="append")
    assert "<a>ж</a>".encode("koi8-r") in (root / "a.xml").read_bytes()
    assert (root / "a.py").read_bytes().endswith(b"x = '\xe9'\n")
