"""The handlers of requests: tools, resources, and errors of the protocol."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from tests.server.conftest import text_of

Start = Callable[..., Any]


def test_passes_arguments(shared: Any) -> None:
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


def test_lists_tools(shared: Any) -> None:
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


def test_unknown_tool(shared: Any) -> None:
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


def test_hides_a_bug_in_a_tool(
    shared: Any,
) -> None:
    answer = shared.call("crash")
    assert answer["result"]["isError"] is True
    assert text_of(answer).startswith("internal: crash failed")
    assert "secret" not in text_of(answer)
    shared.hears("ZeroDivisionError: secret")


def test_protocol_errors(
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


def test_watches_no_file(start: Start) -> None:
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


def test_resources(shared: Any) -> None:
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
def test_handshake_versions(start: Start, asked: str, agreed: str) -> None:
    client = start()
    assert client.shake_hands(asked)["result"]["protocolVersion"] == agreed
    assert len(client.ask("tools/list")["result"]["tools"]) == 12
    assert text_of(client.call("echo", {"a": 1})) == '{"a": 1}'


def test_call_before_the_handshake(
    start: Start,
) -> None:
    client = start()
    assert "error" in client.call("echo")
    assert "result" in client.shake_hands()
    assert text_of(client.call("echo")) == "{}"
