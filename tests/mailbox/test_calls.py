"""Answers to calls that wait for the person."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from filewright import Settings, Workspace
from filewright.mailbox.calls import CallAnswer, WaitingCall, WaitingCalls


def test_answer_is_taken_once(
    tmp_path: Path,
) -> None:
    with Workspace(
        tmp_path, settings=Settings(state_dir=tmp_path / "state")
    ) as workspace:
        waiting = WaitingCalls(workspace)
        name = "a" * 32
        waiting.add(WaitingCall(name, time.time(), "Allow it?", "", "", ""))
        assert waiting.answer(name, "allowed")
        with ThreadPoolExecutor(8) as threads:
            words = list(threads.map(waiting.take_answer, [name] * 8))
        assert sorted(words, key=str) == [
            CallAnswer("allowed"),
            *[None] * 7,
        ]
        assert waiting.take_answer(name) is None
