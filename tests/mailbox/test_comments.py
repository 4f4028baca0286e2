"""Comments of the person, and their delivery."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from filewright import Workspace
from filewright.mailbox.comments import (
    Comment,
    Comments,
    format_as_prompt,
    format_comments,
)


def make_comment(words: str = "Why?") -> Comment:
    return Comment("/change/x", "a.txt", False, 2, 3, "two\nthree", words)


@pytest.fixture
def comments(tmp_path: Path) -> Iterator[Comments]:
    (tmp_path / "root").mkdir()
    with Workspace(tmp_path / "root", state_dir=tmp_path / "state") as opened:
        yield Comments(opened)


def test_is_delivered_once(comments: Comments) -> None:
    comments.add(make_comment(), "s", "agent 1")
    assert comments.take("other") == []
    assert [comment.words for comment in comments.take("s")] == ["Why?"]
    assert comments.take("s") == []
    (comment,) = comments.on_page("/change/x")
    assert comment.delivered is not None
    assert not comments.edit(comment.id, "Late")


def test_is_delivered_to_a_client(comments: Comments) -> None:
    comments.add(make_comment(), "s", "agent 1")
    assert comments.take("other", "agen")


def test_edits_resolves_and_deletes(comments: Comments) -> None:
    comments.add(make_comment(), "s", "agent 1")
    state = comments.state()
    (comment,) = comments.open_comments()
    assert comments.edit(comment.id, "How?")
    assert comments.resolve(comment.id, is_done=True)
    assert comments.open_comments() == []
    assert comments.state() != state
    assert comments.delete(comment.id)
    assert not comments.delete(comment.id)


def test_text_for_the_agent() -> None:
    text = format_comments([make_comment("Why?\nNow")])
    begin, *body, end = text.splitlines()
    assert body == [
        "on a.txt, lines 2–3:",
        "> two",
        "> three",
        "Why?",
        "Now",
    ]
    assert end.strip("[]").partition(":")[0] in begin


def test_prompt() -> None:
    assert "1. a.txt, lines 2–3:\n   > two" in format_as_prompt(
        [make_comment()]
    )
