"""Calls that wait, in plain words."""

from __future__ import annotations

import pytest

from filewright.edit.diff import Diff, FileDiff, LostContent
from filewright.mailbox.calls import WaitingCall
from filewright.page.call_description import describe_call


def call(client: str = "claude-code 2.1") -> WaitingCall:
    question = "Allow delete_items on docs/?"
    return WaitingCall("id", 0.0, question, "", "session", client)


DOCS = LostContent("docs/", 42, 590_848)
README = LostContent("README.md", 1, 10)


@pytest.mark.parametrize(
    ("diff", "sentence", "loss"),
    [
        pytest.param(
            Diff(
                (FileDiff("docs/a", None), FileDiff("README.md", None)),
                lost=(DOCS, README),
            ),
            "delete docs/ (42 files) and README.md",
            "43 files, 577.0 KB",
            id="folder and file",
        ),
        pytest.param(
            Diff((FileDiff("docs/a", None),), 41, lost=(DOCS,)),
            "delete docs/ (42 files)",
            "42 files, 577.0 KB",
            id="not all shown",
        ),
        pytest.param(
            Diff((FileDiff("README.md", "README.md"),), lost=(README,)),
            "overwrite README.md",
            "1 file, 10 bytes",
            id="overwrite",
        ),
        pytest.param(
            Diff((FileDiff("a", "a"), FileDiff(None, "b"))),
            "edit a, and create b",
            "",
            id="edit and create",
        ),
        pytest.param(
            Diff(tuple(FileDiff(None, f"f{n}") for n in range(9))),
            "create f0, f1, f2 and 6 more files",
            "",
            id="many",
        ),
        pytest.param(
            Diff((FileDiff("a", "b"), FileDiff("c", "d", is_copy=True))),
            "move a to b, and copy c to d",
            "",
            id="move and copy",
        ),
        pytest.param(
            Diff((FileDiff("a", "a", mode_before=0o644, mode_after=0o755),), 3),
            "change the mode of a, and change 3 more files",
            "",
            id="mode and others",
        ),
    ],
)
def test_sentence(diff: Diff, sentence: str, loss: str) -> None:
    request = describe_call(call(), diff)
    assert request.sentence == f"Claude Code wants to {sentence}"
    assert request.loss == loss
    assert request.is_destructive == bool(loss)


@pytest.mark.parametrize(
    ("client", "name"),
    [
        ("codex 0.9", "Codex"),
        ("Visual Studio Code 1.99", "VS Code"),
        ("my-agent", "my-agent"),
        ("", "An unnamed client"),
        ("a\x1b[31m b", "a\\x1b[31m"),
    ],
)
def test_client(client: str, name: str) -> None:
    sentence = describe_call(call(client), Diff()).sentence
    assert sentence == f"{name} asks: Allow delete_items on docs/?"
