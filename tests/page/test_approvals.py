"""A person's word for a call that waits."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from filewright import Settings, Workspace
from filewright.page.words import WaitingCall, Words


def test_a_word_counts_once_for_many_who_take_it_together(
    tmp_path: Path,
) -> None:
    with Workspace(
        tmp_path, settings=Settings(state_dir=tmp_path / "state")
    ) as workspace:
        waiting = Words(workspace)
        name = "a" * 32
        waiting.ask(WaitingCall(name, time.time(), "Allow it?", "", "", ""))
        assert waiting.answer(name, "allowed")
        with ThreadPoolExecutor(8) as threads:
            words = list(threads.map(waiting.take, [name] * 8))
        assert sorted(words, key=str) == [None] * 7 + ["allowed"]
        assert waiting.take(name) is None
