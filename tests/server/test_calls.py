"""Worker threads: lanes, time limits that begin with the work, cancellation before and during it."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest
from tests.server.conftest import text_of

from filewright.errors import Code, FilewrightError
from filewright.progress import Task
from filewright.server import calls as module
from filewright.server.calls import CallRunner

pytestmark = pytest.mark.anyio
PATIENCE = 30.0


@pytest.fixture
def calls() -> Iterator[CallRunner]:
    made = CallRunner(workers=1, seconds=60.0)
    yield made
    assert made.close(PATIENCE)


def until_cancelled(task: Task) -> None:
    cancelled = threading.Event()
    while not cancelled.wait(0.005):
        task.check()


async def test_returns_answer_and_error(calls: CallRunner) -> None:
    assert await calls.run(lambda _task: 3) == 3
    with pytest.raises(ZeroDivisionError):
        await calls.run(lambda _task: 1 // 0)


async def test_cancels_running_work(calls: CallRunner) -> None:
    begun, left = threading.Event(), threading.Event()

    def work(task: Task) -> None:
        begun.set()
        try:
            until_cancelled(task)
        finally:
            left.set()

    async with anyio.create_task_group() as group:
        group.start_soon(calls.run, work)
        await anyio.to_thread.run_sync(begun.wait, PATIENCE)
        group.cancel_scope.cancel()
    assert await anyio.to_thread.run_sync(left.wait, PATIENCE)


async def test_cancels_waiting_work(
    calls: CallRunner,
) -> None:
    begun, gate = threading.Event(), threading.Event()
    done: list[str] = []

    def first(_task: Task) -> None:
        begun.set()
        gate.wait(PATIENCE)

    async with anyio.create_task_group() as group:
        group.start_soon(calls.run, first)
        await anyio.to_thread.run_sync(begun.wait, PATIENCE)
        async with anyio.create_task_group() as waiting:
            waiting.start_soon(calls.run, lambda _task: done.append("second"))
            await anyio.lowlevel.checkpoint()
            waiting.cancel_scope.cancel()
        gate.set()
    await calls.run(lambda _task: done.append("third"))
    assert done == ["third"]


async def test_limit_begins_with_the_work() -> None:
    short = CallRunner(workers=1, seconds=60.0)
    gate, begun = threading.Event(), threading.Event()
    ends: list[float] = []
    deadlines: list[float] = []

    def first(_task: Task) -> None:
        begun.set()
        gate.wait(0.1)
        ends.append(time.monotonic())

    def second(task: Task) -> None:
        assert task.remaining is not None
        deadlines.append(time.monotonic() + task.remaining)

    async with anyio.create_task_group() as group:
        group.start_soon(short.run, first)
        await anyio.to_thread.run_sync(begun.wait, PATIENCE)
        await short.run(second)
    # Not earlier, however long this process was not scheduled.
    assert deadlines[0] >= ends[0] + 59.999
    assert short.close(PATIENCE)


@pytest.mark.parametrize(
    ("writes", "hint"), [(False, "narrow the request"), (True, "get_history")]
)
async def test_answers_for_work_without_checks(
    monkeypatch: pytest.MonkeyPatch, writes: bool, hint: str
) -> None:
    monkeypatch.setattr(module, "GRACE_SECONDS", 0.05)
    short = CallRunner(workers=1, seconds=0.05)
    gate = threading.Event()
    with pytest.raises(FilewrightError) as refusal:
        await short.run(lambda _task: gate.wait(PATIENCE), writes=writes)
    assert refusal.value.code is Code.TIMEOUT
    assert hint in (refusal.value.hint or "")
    assert not short.close(0.01)
    gate.set()


async def test_reads_and_writes_run_side_by_side(calls: CallRunner) -> None:
    gate, begun = threading.Event(), threading.Event()

    def read(_task: Task) -> bool:
        begun.set()
        return gate.wait(PATIENCE)

    async with anyio.create_task_group() as group:
        group.start_soon(calls.run, read)
        await anyio.to_thread.run_sync(begun.wait, PATIENCE)
        with anyio.fail_after(PATIENCE):
            assert (
                await calls.run(lambda _task: "written", writes=True)
                == "written"
            )
        gate.set()


Start = Callable[..., Any]


def test_full_readers_delay_no_change(client: Any, tmp_path: Path) -> None:
    for _ in range(40):
        client.begin("wait")
    client.hears("waiting")
    assert (
        text_of(client.call("commit", {"path": str(tmp_path / "f")}))
        == "committed"
    )
    assert "result" in client.ask("ping")


def test_progress_increases(
    shared: Any,
) -> None:
    shared.call("echo", {}, progressToken="quick")
    request_id = shared.begin("wait", progressToken="slow")
    seen = []
    while len(seen) < 3:
        message = shared.receive()
        assert message["method"] == "notifications/progress"
        seen.append(message["params"])
    shared.send(
        {
            "jsonrpc": "2.0",
            "method": "notifications/cancelled",
            "params": {"requestId": request_id},
        }
    )
    assert {params["progressToken"] for params in seen} == {"slow"}
    values = [params["progress"] for params in seen]
    assert values == sorted(set(values))
    assert seen[-1]["total"] == 1000
    assert seen[-1]["message"].startswith("step ")


def test_progress_of_a_silent_call(shared: Any) -> None:
    shared.call("silent", {"seconds": 1.3}, progressToken=1)
    values = [
        message["params"]["progress"]
        for message in shared.notifications("notifications/progress")
    ]
    assert len(values) >= 1
    assert values == sorted(set(values))


def test_timeout(start: Start) -> None:
    client = start(env={**os.environ, "FILEWRIGHT_CALL_SECONDS": "0.3"})
    client.shake_hands()
    answer = client.call("wait")
    assert answer["result"]["isError"] is True
    assert text_of(answer).startswith("timeout: ")
