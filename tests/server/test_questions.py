"""The text of questions before a call."""

from __future__ import annotations

from typing import Any

import pytest

from filewright.edit.diff import Diff
from filewright.server.questions import (
    MAX_QUESTION_CHARS,
    ask,
    ask_with_diff,
)
from filewright.tools.catalogue import read_catalogue

TOOL = read_catalogue().tools["delete_items"]


@pytest.mark.parametrize(
    ("arguments", "question"),
    [
        pytest.param({}, "the workspace", id="nothing"),
        pytest.param({"paths": ["a", "b", "a"]}, "a, b", id="distinct"),
        pytest.param(
            {"items": [{"source": "a", "destination": "b"}]}, "a → b", id="move"
        ),
        pytest.param({"path": "a\x1b[31m"}, "a\\u001b[31m", id="control"),
        pytest.param(
            {"paths": [f"f{number}" for number in range(9)]},
            "f0, f1, f2, f3, f4 and 4 more files",
            id="many",
        ),
    ],
)
def test_names_the_arguments(arguments: dict[str, Any], question: str) -> None:
    expected = f"Allow delete_items on {question}?"
    assert ask(TOOL, arguments, "no diff") == expected
    assert ask(TOOL, arguments, Diff()) == expected


def test_is_short() -> None:
    assert len(ask(TOOL, {"path": "x" * 5_000}, "")) <= MAX_QUESTION_CHARS


def test_has_the_words_below() -> None:
    text = ask_with_diff(TOOL, {"path": "a"}, "refused\ud800\n")
    assert text == "Allow delete_items on a?\n\nrefused\\ud800"
