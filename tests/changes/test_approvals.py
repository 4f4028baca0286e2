"""A person's word for a call that waits."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from filewright import Settings, Workspace
from filewright.changes import approvals
from filewright.changes.approvals import WaitingCall


def test_a_word_counts_once_for_two_who_take_it_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Workspace(tmp_path, settings=Settings(state_dir=tmp_path / "state")) as workspace:
        waiting = workspace.approvals
        name = "a" * 32
        waiting.ask(WaitingCall(name, time.time(), "Allow it?", "", "", ""))
        assert waiting.answer(name, "allowed")
        words, remove = [], approvals._remove

        def another_comes_first(*arguments: object) -> None:
            monkeypatch.setattr(approvals, "_remove", remove)
            words.append(waiting.take(name))

        monkeypatch.setattr(approvals, "_remove", another_comes_first)
        words.append(waiting.take(name))
        assert sorted(words, key=str) == [None, "allowed"]
