"""The wire: strange messages, strange tools, strange clients, and a server that answers all of them."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.platforms.unix_only import ON_WINE, not_on_wine

from filewright.listening import on_exit_signal, record_exit_signals

Start = Callable[..., Any]


def text_of(answer: dict[str, Any]) -> str:
    return "".join(part.get("text", "") for part in answer["result"]["content"])


def test_arguments_arrive_as_they_were_sent(shared: Any) -> None:
    arguments = {
        "content": "null",
        "n": "1",
        "list": "[1]",
        "nothing": None,
        "deep": {"a": [1, 2.5, True]},
    }
    answer = shared.call("echo", arguments)
    assert answer["result"]["isError"] is False
    import json

    assert json.loads(text_of(answer)) == arguments


def test_the_tools_are_listed_in_order_with_all_four_hints(shared: Any) -> None:
    tools = shared.ask("tools/list")["result"]["tools"]
    assert [tool["name"] for tool in tools][:3] == ["echo", "wait", "silent"]
    hints = {
        "readOnlyHint",
        "destructiveHint",
        "idempotentHint",
        "openWorldHint",
    }
    assert all(set(tool["annotations"]) == hints for tool in tools)
    by_name = {tool["name"]: tool["annotations"] for tool in tools}
    assert by_name["destroy"]["destructiveHint"] is True
    assert by_name["destroy"]["readOnlyHint"] is False
    assert by_name["echo"]["readOnlyHint"] is True


def test_an_unknown_tool_is_a_protocol_error_with_a_hint(shared: Any) -> None:
    error = shared.call("echoo")["error"]
    assert error["code"] == -32602
    assert "did you mean echo?" in error["message"]


@pytest.mark.parametrize("arguments", [[1], "{}", 3, True])
def test_names_arguments_that_are_no_object(
    shared: Any, arguments: Any
) -> None:
    error = shared.call("echo", arguments)["error"]
    assert error["code"] == -32602
    assert "arguments must be an object" in error["message"]


def test_nothing_printed_reaches_the_wire(shared: Any) -> None:
    assert text_of(shared.call("noisy")) == "quiet ''"
    shared.hears("written to descriptor 1")
    shared.hears("from a child")


def test_what_cannot_be_encoded_is_spelled_out(shared: Any) -> None:
    text = text_of(shared.call("dirty"))
    assert (
        text
        == "lone \\ud800 surrogate, \\u001b[31mred\\u001b[0m, nul \\u0000, c1 \\u009b, umlaut ü"
    )


def test_an_unexpected_error_is_internal_and_tells_the_client_nothing_more(
    shared: Any,
) -> None:
    answer = shared.call("crash")
    assert answer["result"]["isError"] is True
    assert text_of(answer).startswith("internal: crash failed")
    assert "secret" not in text_of(answer)
    shared.hears("ZeroDivisionError: secret")


def test_a_refusal_is_a_complete_text(shared: Any) -> None:
    answer = shared.call("refuse")
    assert answer["result"]["isError"] is True
    assert text_of(answer) == "not_found: no \\udc80 such\nhint: look"


def test_an_image_is_image_content_alone(shared: Any) -> None:
    [part] = shared.call("picture")["result"]["content"]
    assert part == {
        "type": "image",
        "data": "iVBORw==",
        "mimeType": "image/png",
    }


def test_a_large_result_is_cut_and_the_whole_can_be_read(shared: Any) -> None:
    text, link = shared.call("huge")["result"]["content"]
    assert len(text["text"]) <= 49_500
    assert text["text"].endswith("the whole result is the linked resource]")
    [whole] = shared.ask("resources/read", {"uri": link["uri"]})["result"][
        "contents"
    ]
    assert whole["text"].count("\n") == 100_000
    assert link["size"] == len(whole["text"].encode())


def test_clients_from_before_links_get_the_cut_text_alone(start: Start) -> None:
    old = start()
    old.shake_hands("2025-03-26")
    [text] = old.call("huge")["result"]["content"]
    assert text["text"].endswith("ask for less]")


def test_malformed_lines_are_answered_and_survived(shared: Any) -> None:
    shared.send_bytes(b"{nonsense\n\n   \n\xff\n[]\n")
    codes = [shared.receive()["error"]["code"] for _ in range(3)]
    assert codes == [-32700, -32700, -32600]
    shared.send_bytes(
        b'{"jsonrpc":"2.0","id":"deep","method":"tools/call","params":{"name":"echo","arguments":'
    )
    shared.send_bytes(b'{"a":' * 10_000 + b"1" + b"}" * 10_000 + b"}}\n")
    assert shared.answer("deep")["error"]["code"] == -32700
    assert "result" in shared.ask("ping")


def test_unknown_methods_and_bad_params_are_protocol_errors(
    shared: Any,
) -> None:
    assert shared.ask("no/such")["error"]["code"] == -32601
    assert shared.ask("tools/call", {})["error"]["code"] == -32602
    assert shared.ask("tools/call", {"name": 5})["error"]["code"] == -32602
    assert (
        shared.ask("resources/read", {"uri": "filewright://history/none"})[
            "error"
        ]["code"]
        == -32002
    )


def test_hides_a_bug_outside_a_tool(
    shared: Any,
) -> None:
    error = shared.ask("resources/read", {"uri": "filewright://file/crash"})[
        "error"
    ]
    assert error["code"] == -32603
    assert "secret" not in error["message"]
    shared.hears("ZeroDivisionError: secret")


def test_a_message_past_the_limit_is_refused_and_the_next_is_served(
    start: Start,
) -> None:
    client = start(env={**os.environ, "FILEWRIGHT_MESSAGE_BYTES": "100000"})
    client.shake_hands()
    error = client.call("echo", {"a": "x" * 300_000})["error"]
    assert "too_large" in error["message"]
    assert (
        text_of(client.call("echo", {"a": "x" * 40_000})).count("x") == 40_000
    )


def test_a_message_of_too_many_values_is_refused_and_the_next_is_served(
    client: Any,
) -> None:
    error = client.call("echo", {"a": [{}] * 300_000})["error"]
    assert "too_large" in error["message"]
    assert text_of(client.call("echo", {"a": 1})) == '{"a": 1}'


def test_a_ping_and_other_calls_overtake_long_ones(client: Any) -> None:
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


def test_reads_that_fill_their_lane_do_not_delay_a_change(
    client: Any, tmp_path: Path
) -> None:
    for _ in range(40):
        client.begin("wait")
    client.hears("waiting")
    assert (
        text_of(client.call("commit", {"path": str(tmp_path / "f")}))
        == "committed"
    )
    assert "result" in client.ask("ping")


def test_a_cancelled_call_ends_and_is_never_answered(client: Any) -> None:
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


def test_a_waiting_call_can_be_cancelled_before_it_begins(start: Start) -> None:
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


def test_progress_comes_only_for_long_calls_and_always_increases(
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


def test_a_silent_call_shows_that_it_is_alive(shared: Any) -> None:
    shared.call("silent", {"seconds": 1.3}, progressToken=1)
    values = [
        message["params"]["progress"]
        for message in shared.notifications("notifications/progress")
    ]
    assert len(values) >= 1
    assert values == sorted(set(values))


def test_a_call_past_its_limit_is_a_timeout(start: Start) -> None:
    client = start(env={**os.environ, "FILEWRIGHT_CALL_SECONDS": "0.3"})
    client.shake_hands()
    answer = client.call("wait")
    assert answer["result"]["isError"] is True
    assert text_of(answer).startswith("timeout: ")


def test_a_burst_of_calls_is_answered_one_for_one(shared: Any) -> None:
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
def test_thousands_of_calls_written_before_any_answer_is_read(
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


def test_a_client_that_stops_reading_for_a_while_loses_nothing(
    shared: Any,
) -> None:
    shared.pause()
    ids = [shared.begin("echo", {"text": "x" * 5000}) for _ in range(200)]
    shared.resume()
    assert {shared.receive()["id"] for _ in ids} == set(ids)


def test_a_client_that_stops_reading_and_leaves_takes_the_server_with_it(
    client: Any,
) -> None:
    client.pause()
    for _ in range(100):
        client.begin("echo", {"text": "x" * 20_000})
    client.process.stdout.close()
    client.process.stdin.close()
    assert client.process.wait(30) == 0


def test_a_client_that_disappears_cancels_what_runs(client: Any) -> None:
    client.begin("wait")
    client.hears("waiting")
    assert client.leave() == 0
    client.hears("left")
    client.hears("closed")


@not_on_wine("what was started from Linux has no console to send Ctrl+Break by")
def test_a_change_that_is_being_made_is_finished_before_the_process_ends(
    client: Any, tmp_path: Path
) -> None:
    target = tmp_path / "f"
    client.begin("commit", {"path": str(target)})
    client.hears("commit begun")
    client.interrupt()
    assert client.process.wait(30) == 0
    assert target.read_text() == "committed"


@not_on_wine("what was started from Linux has no console to send Ctrl+Break by")
@pytest.mark.parametrize(
    "number",
    [signal.SIGTERM, signal.SIGINT, getattr(signal, "SIGHUP", signal.SIGTERM)],
)
def test_a_signal_ends_the_process_in_order(client: Any, number: int) -> None:
    client.interrupt(number)
    assert client.process.wait(30) == 0
    client.hears("closed")


# Wine at times says of a socket with room that it is full, and what waits wakes up all the same.
@pytest.mark.filterwarnings("ignore:.*signal wakeup fd" if ON_WINE else "error")
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK"])
@pytest.mark.parametrize("early", [False, True])
def test_a_signal_wakes_what_waits_for_messages_also_one_that_came_before(
    name: str, early: bool
) -> None:
    if not hasattr(signal, name):
        pytest.skip(f"this system has no {name}")
    number = getattr(signal, name)

    async def wait() -> None:
        asked = asyncio.Event()
        on_exit_signal(asked.set, noted)
        if not early:
            await asyncio.to_thread(signal.raise_signal, number)
        await asyncio.wait_for(asked.wait(), 30)

    before = {each: signal.getsignal(each) for each in signal.valid_signals()}
    try:
        noted = record_exit_signals()
        if early:
            signal.raise_signal(number)
        asyncio.run(wait())
    finally:
        for each, handler in before.items():
            if signal.getsignal(each) != handler:
                signal.signal(each, handler)


def test_a_cancelled_change_is_still_made(client: Any, tmp_path: Path) -> None:
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


def test_requests_that_are_piped_in_are_answered_before_the_end(
    start: Start,
) -> None:
    client = start()
    client.shake_hands()
    request_id = client.begin("echo", {"a": 1})
    client.process.stdin.close()
    assert text_of(client.answer(request_id)) == '{"a": 1}'
    assert client.process.wait(30) == 0


def test_input_that_ends_at_once_ends_the_server(start: Start) -> None:
    assert start().leave() == 0


def test_no_file_is_watched_for_a_client(start: Start) -> None:
    client = start()
    assert "subscribe" not in {
        name
        for name, offered in client.shake_hands()["result"]["capabilities"][
            "resources"
        ].items()
        if offered
    }
    for method in ("resources/subscribe", "resources/unsubscribe"):
        assert (
            client.ask(method, {"uri": "filewright://file/text"})["error"][
                "code"
            ]
            == -32601
        )


def test_resources_templates_and_completion(shared: Any) -> None:
    [app, change] = shared.ask("resources/list")["result"]["resources"]
    assert app["uri"] == "ui://filewright/change"
    assert change["uri"] == "filewright://history/c1"
    templates = shared.ask("resources/templates/list")["result"][
        "resourceTemplates"
    ]
    assert [template["uriTemplate"] for template in templates] == [
        "filewright://file/{+path}",
        "filewright://history/{change_id}",
    ]
    [text] = shared.ask("resources/read", {"uri": "filewright://file/text"})[
        "result"
    ]["contents"]
    assert text["text"] == "text \\udcff"
    [binary] = shared.ask(
        "resources/read", {"uri": "filewright://file/binary"}
    )["result"]["contents"]
    assert binary["blob"] == "AP8="
    completion = shared.ask(
        "completion/complete",
        {
            "ref": {
                "type": "ref/resource",
                "uri": "filewright://history/{change_id}",
            },
            "argument": {"name": "change_id", "value": "c"},
        },
    )
    assert completion["result"]["completion"]["values"] == ["c1"]


@pytest.mark.parametrize(
    ("asked", "agreed"),
    [
        ("2024-11-05", "2024-11-05"),
        ("2025-03-26", "2025-03-26"),
        ("2025-11-25", "2025-11-25"),
        ("1999-01-01", "2025-11-25"),
    ],
)
def test_every_handshake_version_is_spoken(
    start: Start, asked: str, agreed: str
) -> None:
    client = start()
    assert client.shake_hands(asked)["result"]["protocolVersion"] == agreed
    assert len(client.ask("tools/list")["result"]["tools"]) == 12
    assert text_of(client.call("echo", {"a": 1})) == '{"a": 1}'


def test_a_call_before_the_handshake_is_refused_and_survived(
    start: Start,
) -> None:
    client = start()
    assert "error" in client.call("echo")
    assert "result" in client.shake_hands()
    assert text_of(client.call("echo")) == "{}"
