"""Arguments of `replace_content`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.tools.replacements import item

from filewright import Workspace


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({}, "argument 'pattern' is missing"),
        ({"pattern": "a"}, "argument 'replacement' is missing"),
        ({"items": []}, "items"),
        (
            {"items": [{"pattern": "a"}]},
            "argument 'replacement' is missing",
        ),
        (
            {"items": [{"path": "a.txt"}, item("a", "b")], "pattern": "a"},
            "item 1 of 2: argument 'replacement' is missing",
        ),
        (
            {
                "items": [item("a", "b"), {"where": {"a": "1"}}],
                **item("a", "b"),
                "set": {"a": "2"},
            },
            "item 2 of 2: pattern and set are different changes",
        ),
        (
            {"items": [item("a", "b", set={"a": "2"})]},
            "pattern and set are different changes",
        ),
        (
            {"items": [item("a", "b", max_count=3)]},
            "max_count applies to all items",
        ),
        (
            {"items": [{"items": [item("a", "b")]}]},
            "items applies to all items",
        ),
        (
            {"items": [item("a", "b"), item("(", "b", mode="regex")]},
            "item 2 of 2: ",
        ),
        (
            {"items": [item("a", "b"), item("(a)", "$2", mode="regex")]},
            "item 2 of 2: ",
        ),
        (
            {"items": [item("a", "b"), item("a", "b", path="../x")]},
            "item 2 of 2: ",
        ),
        ({"items": [item("a", "b", patern="x")]}, "items[0].patern"),
    ],
)
def test_refuses(
    root: Path, workspace: Workspace, arguments: dict[str, Any], said: str
) -> None:
    (root / "a.txt").write_text("a\n")
    answer = workspace.call("replace_content", {**arguments, "preview": False})
    assert answer.is_error
    assert said in answer.text
    assert (root / "a.txt").read_text() == "a\n"


def test_items_take_what_they_do_not_give_from_the_call(
    root: Path, workspace: Workspace
) -> None:
    (root / "a.py").write_text("old = 1  # old\nolder = old\n")
    (root / "b.md").write_text("old new\n")
    (root / "c.csv").write_text("id;name\n1;old\n2;old\n")
    answer = workspace.call("replace_content", {
        "preview": False,
        **item("old", "new", whole_word=True, path="a.py"),
        "items": [
            {"only": ["code"]},
            {"only": ["comments"], "replacement": "was"},
            item("(new)", "[$1]", mode="regex", path="b.md", glob="*.md"),
            {"path": "c.csv", "where": {"id": "2"}, "set": {"name": "x"}},
        ],
    })  # fmt: skip
    assert not answer.is_error, answer.text
    assert (root / "a.py").read_text() == "new = 1  # was\nolder = new\n"
    assert (root / "b.md").read_text() == "old [new]\n"
    assert (root / "c.csv").read_text() == "id;name\n1;old\n2;x\n"
