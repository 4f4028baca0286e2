"""The wire: strange messages, strange tools, strange clients, and a server that answers all of them."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.server.conftest import text_of

Start = Callable[..., Any]


def test_printed_text_stays_off_the_wire(shared: Any) -> None:
    assert text_of(shared.call("noisy")) == "quiet ''"
    shared.hears("written to descriptor 1")
    shared.hears("from a child")


def test_answers_malformed_lines(shared: Any) -> None:
    shared.send_bytes(b"{nonsense\n\n   \n\xff\n[]\n")
    codes = [shared.receive()["error"]["code"] for _ in range(3)]
    assert codes == [-32700, -32700, -32600]
    shared.send_bytes(
        b'{"jsonrpc":"2.0","id":"deep","method":"tools/call","params":{"name":"echo","arguments":'
    )
    shared.send_bytes(b'{"a":' * 10_000 + b"1" + b"}" * 10_000 + b"}}\n")
    assert shared.answer("deep")["error"]["code"] == -32700
    assert "result" in shared.ask("ping")


def test_refuses_a_long_message(
    start: Start,
) -> None:
    client = start(env={**os.environ, "FILEWRIGHT_MESSAGE_BYTES": "100000"})
    client.shake_hands()
    error = client.call("echo", {"a": "x" * 300_000})["error"]
    assert "too_large" in error["message"]
    assert (
        text_of(client.call("echo", {"a": "x" * 40_000})).count("x") == 40_000
    )


def test_refuses_a_message_of_too_many_values(
    client: Any,
) -> None:
    error = client.call("echo", {"a": [{}] * 300_000})["error"]
    assert "too_large" in error["message"]
    assert text_of(client.call("echo", {"a": 1})) == '{"a": 1}'


def test_ping_overtakes_calls(client: Any) -> None:
    waiting = [client.begin("wait") for _ in range(6)]
    client.hears("waiting")
    assert "result" in client.ask("ping")
    assert text_of(client.call("echo", {"a": 1})) == '{"a": 1}'
    for request_id in waiting:
        client.send(
            {
                "jsonrpc": "2.0",
                "method": "notifications/cancelled",
                "params": {"requestId": request_id},
            }
        )
    client.hears("left")


def test_answers_no_cancelled_call(client: Any) -> None:
    request_id = client.begin("wait")
    client.hears("waiting")
    client.send(
        {
            "jsonrpc": "2.0",
            "method": "notifications/cancelled",
            "params": {"requestId": request_id},
        }
    )
    client.hears("left")
    assert "result" in client.ask("ping")
    assert not [kept for kept in client._others if kept.get("id") == request_id]


def test_cancels_a_waiting_call(start: Start) -> None:
    client = start(env={**os.environ, "FILEWRIGHT_WORKERS": "1"})
    client.shake_hands()
    first = client.begin("wait")
    client.hears("waiting")
    rest = [client.begin("echo", {"n": n}) for n in range(200)]
    for request_id in [*rest[:100], first]:
        client.send(
            {
                "jsonrpc": "2.0",
                "method": "notifications/cancelled",
                "params": {"requestId": request_id},
            }
        )
    answered = [client.answer(request_id)["id"] for request_id in rest[100:]]
    assert answered == rest[100:]
    assert not [kept for kept in client._others if kept.get("id") in rest[:100]]


def test_answers_a_burst(shared: Any) -> None:
    count = 1000
    sender = threading.Thread(
        target=lambda: [shared.begin("echo", {"n": n}) for n in range(count)]
    )
    first = shared._id + 1
    sender.start()
    ids = {shared.receive()["id"] for _ in range(count)}
    sender.join()
    assert ids == set(range(first, first + count))


@pytest.mark.parametrize(
    "count", [1_000, pytest.param(10_000, marks=pytest.mark.sweep)]
)
def test_thousands_of_calls_before_an_answer_is_read(
    shared: Any, count: int
) -> None:
    shared.pause()
    line = b'{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"echo","arguments":{"n":%d}}}\n'
    shared.send_bytes(
        b"".join(line % (n, n) for n in range(1000, 1000 + count))
    )
    shared.resume()
    assert {shared.receive()["id"] for _ in range(count)} == set(
        range(1000, 1000 + count)
    )


def test_client_pauses_reading(
    shared: Any,
) -> None:
    shared.pause()
    ids = [shared.begin("echo", {"text": "x" * 5000}) for _ in range(200)]
    shared.resume()
    assert {shared.receive()["id"] for _ in ids} == set(ids)


def test_ends_with_a_client_that_stopped_reading(
    client: Any,
) -> None:
    client.pause()
    for _ in range(100):
        client.begin("echo", {"text": "x" * 20_000})
    client.process.stdout.close()
    client.process.stdin.close()
    assert client.process.wait(30) == 0


def test_cancels_calls_of_a_client_that_left(client: Any) -> None:
    client.begin("wait")
    client.hears("waiting")
    assert client.leave() == 0
    client.hears("left")
    client.hears("closed")


def test_makes_a_cancelled_change(client: Any, tmp_path: Path) -> None:
    target = tmp_path / "f"
    request_id = client.begin("commit", {"path": str(target)})
    client.hears("commit begun")
    client.send(
        {
            "jsonrpc": "2.0",
            "method": "notifications/cancelled",
            "params": {"requestId": request_id},
        }
    )
    assert client.leave() == 0
    assert target.read_text() == "committed"


def test_answers_piped_requests_before_the_end(
    start: Start,
) -> None:
    client = start()
    client.shake_hands()
    request_id = client.begin("echo", {"a": 1})
    client.process.stdin.close()
    assert text_of(client.answer(request_id)) == '{"a": 1}'
    assert client.process.wait(30) == 0


def test_empty_input(start: Start) -> None:
    assert start().leave() == 0
