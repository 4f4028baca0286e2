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
            "items[0]: argument 'replacement' is missing",
        ),
        (
            {"items": [item("a", "b")], "pattern": "c"},
            "argument 'pattern' is of one replacement",
        ),
        (
            {"items": [item("a", "b")], "replacement": "c"},
            "argument 'replacement' is of one replacement",
        ),
        (
            {"items": [item("a", "b", max_count=3)]},
            "max_count is of all items",
        ),
        ({"items": [{"items": [item("a", "b")]}]}, "items is of all items"),
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
