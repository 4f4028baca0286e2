"""Hints in the words of tools and in those of the command line."""

from __future__ import annotations

import pickle

import pytest

from filewright import errors
from filewright.hints import Hint, for_shell, join_hints, names_tools

FORCE = Hint("give force=true", shell="give --force")


def test_is_text_of_tools() -> None:
    assert FORCE == "give force=true"
    assert names_tools(FORCE)


@pytest.mark.parametrize(
    ("hints", "text", "shell"),
    [
        pytest.param([], None, None, id="none"),
        pytest.param(["wait", "wait"], "wait", "wait", id="repeated"),
        pytest.param(
            ["wait", FORCE],
            "wait; give force=true",
            "wait; give --force",
            id="mixed",
        ),
    ],
)
def test_joins(hints: list[str], text: str | None, shell: str | None) -> None:
    joined = join_hints(hints)
    assert joined == text
    assert (None if joined is None else for_shell(joined)) == shell


def test_plain_hints_join_plainly() -> None:
    joined = join_hints(["wait", "try again"])
    assert joined is not None
    assert not names_tools(joined)


def test_text_of_user_stays() -> None:
    error = errors.not_in_change("get_history", "revert_edit")
    assert error.hint is not None
    assert "get_history" in error.message
    assert for_shell(error.hint).startswith("filewright log")


def test_words_survive_pickling() -> None:
    error = errors.hunk_needs_path("the change")
    restored = pickle.loads(pickle.dumps(error))
    assert for_shell(restored.hint) == "name the file with --path"
