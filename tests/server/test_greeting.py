"""The first answers, sent before the SDK is imported, are those of the SDK, and the conversation goes on with it."""

from __future__ import annotations

import ast
import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from mcp_types.version import (
    HANDSHAKE_PROTOCOL_VERSIONS,
    MODERN_PROTOCOL_VERSIONS,
)
from tests import processes
from tests.samples import one_in

from filewright import server
from filewright.bounded_json import MAX_VALUES
from filewright.server.greeting import (
    HANDSHAKE_VERSIONS,
    MODERN_VERSION,
    FirstAnswer,
    Greeting,
)
from filewright.workspace import Workspace

Message = dict[str, Any]
CLIENTS: dict[str, list[Message]] = json.loads(
    Path(__file__).with_name("first_messages.json").read_text("utf-8")
)
"""All that real clients sent before their first tool call, recorded in November 2026."""
INITIALIZED: Message = {"jsonrpc": "2.0", "method": "notifications/initialized"}
NOBODYS: Message = {"jsonrpc": "2.0", "id": "x", "method": "nobody/knows"}
"""Begins a conversation with what only the SDK can answer."""


def ask(method: str, number: int | str, params: Any = None) -> Message:
    given = {} if params is None else {"params": params}
    return {"jsonrpc": "2.0", "id": number, "method": method, **given}


def hello(
    version: str = HANDSHAKE_VERSIONS[-1], **capabilities: Any
) -> Message:
    who = {"name": "t", "title": "T", "version": "0"}
    given = {
        "protocolVersion": version,
        "capabilities": capabilities,
        "clientInfo": who,
    }
    return ask("initialize", 1, given)


def spoken(
    place: Path, messages: list[Message], *arguments: str
) -> subprocess.CompletedProcess[str]:
    """A server that has heard the messages, and has ended."""
    root = place / "größe"
    root.mkdir(exist_ok=True)
    done = processes.run(
        [*processes.FILEWRIGHT, "serve", str(root), *arguments],
        given="".join(json.dumps(message) + "\n" for message in messages),
        env={**os.environ, "FILEWRIGHT_STATE_DIR": str(place / "state")},
    )
    assert done.returncode == 0, done.stderr
    return done


def conversation(
    place: Path, messages: list[Message], *arguments: str
) -> tuple[dict[Any, str], list[Any]]:
    """The lines of the answers by their ids, and the ids in the order of the answers."""
    done = spoken(place, messages, *arguments)
    lines = done.stdout.splitlines()
    order = [json.loads(line)["id"] for line in lines]
    assert len({*order}) == len(order), "nothing is answered twice"
    return dict(zip(order, lines, strict=True)), order


def test_versions_of_the_sdk() -> None:
    assert HANDSHAKE_VERSIONS == HANDSHAKE_PROTOCOL_VERSIONS
    assert MODERN_PROTOCOL_VERSIONS == (MODERN_VERSION,)


def envelope(**more: Any) -> Message:
    """The parameters of a modern request."""
    meta = {
        "io.modelcontextprotocol/protocolVersion": MODERN_VERSION,
        "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "0"},
        "io.modelcontextprotocol/clientCapabilities": {"sampling": {}},
    }
    return {"_meta": meta, **more}


LISTS = (
    "tools/list",
    "resources/list",
    "resources/templates/list",
    "prompts/list",
)


def opens_modern(messages: list[Message]) -> bool:
    return messages[0]["method"] != "initialize" and "_meta" in messages[0].get(
        "params", {}
    )


def both(
    place: Path, messages: list[Message], *arguments: str
) -> tuple[dict[Any, Any], dict[Any, Any]]:
    """The answers by id with the greeting, and those of the SDK alone."""
    first = (
        {**NOBODYS, "params": envelope()} if opens_modern(messages) else NOBODYS
    )
    early, _ = conversation(place, messages, *arguments)
    late, _ = conversation(place, [first, *messages], *arguments)
    del late["x"]
    answers = [
        {key: json.loads(line) for key, line in each.items()}
        for each in (early, late)
    ]
    return answers[0], answers[1]


@pytest.mark.parametrize("client", CLIENTS)
def test_answers_clients(client: str, tmp_path: Path) -> None:
    messages = CLIENTS[client]
    with Workspace(tmp_path, state_dir=tmp_path / "state") as workspace:
        greeting = Greeting(workspace.offer(), lambda: [])
        for message in messages:
            answer = greeting.answer(json.dumps(message).encode())
            assert bool(answer.line) == ("id" in message), message
    early, late = both(tmp_path, messages)
    assert early == late


@pytest.mark.parametrize(
    "params",
    [None, {}, {"_meta": {}}, {"_meta": {"progressToken": 3}}, {"cursor": "x"}],
)
@pytest.mark.parametrize("method", one_in(2, LISTS))
def test_answers_lists(
    method: str, params: Message | None, tmp_path: Path
) -> None:
    initialized = {**INITIALIZED, "params": {}}
    messages = [
        hello(),
        initialized,
        ask(method, 2, params),
        ask("ping", 3, {"_meta": {}}),
    ]
    with Workspace(tmp_path, state_dir=tmp_path / "state") as workspace:
        greeting = Greeting(workspace.offer(), lambda: [])
        settled = [
            greeting.answer(json.dumps(message).encode()).is_settled
            for message in messages
        ]
    assert settled == [False, False, True, True]
    early, late = both(tmp_path, messages)
    assert early == late


def test_answers_modern_requests(tmp_path: Path) -> None:
    messages = [ask("server/discover", 0, envelope())]
    messages += [ask(method, method, envelope()) for method in LISTS]
    early, late = both(tmp_path, messages)
    assert early == late
    assert early[0]["result"]["supportedVersions"] == [MODERN_VERSION]


def test_lists_the_newest_changes(tmp_path: Path) -> None:
    root = tmp_path / "größe"
    root.mkdir()
    with Workspace(root, state_dir=tmp_path / "state") as workspace:
        workspace.write("a.txt", "one\n")
    early, late = both(
        tmp_path, [hello(), INITIALIZED, ask("resources/list", 2)]
    )
    assert early == late
    assert len(early[2]["result"]["resources"]) == 2


OFFERS = [(), ("--read-only",), ("--tools", "edit"), ("--client-roots",)] + [
    ("--dialect", name)
    for name in ("agent-tools", "largefile", "filesystem", "official", "memory")
]


@pytest.mark.parametrize(
    ("version", "arguments"),
    [(version, ()) for version in HANDSHAKE_VERSIONS]
    + [(HANDSHAKE_VERSIONS[-1], arguments) for arguments in OFFERS[1:]],
)
def test_same_bytes_as_the_sdk(
    version: str, arguments: tuple[str, ...], tmp_path: Path
) -> None:
    can = {
        "roots": {"listChanged": True},
        "elicitation": {"form": {}},
        "sampling": {},
    }
    first = [
        hello(version, **can),
        INITIALIZED,
        ask("ping", "p"),
        ask("tools/list", 2, {}),
    ]
    early, order = conversation(tmp_path, first, *arguments)
    assert order == [1, "p", 2], (
        "answered in their order, before anything runs beside anything else"
    )
    late, _ = conversation(tmp_path, [NOBODYS, *first], *arguments)
    assert late.pop("x")
    assert early == late


ODD: list[tuple[str, list[Message]]] = [
    ("tools before a handshake", [ask("tools/list", 2), hello()]),
    ("another version", [hello("1999-01-01"), ask("tools/list", 2)]),
    (
        "two handshakes",
        [
            hello(),
            {**hello(HANDSHAKE_VERSIONS[0]), "id": 5},
            ask("tools/list", 2),
        ],
    ),
    ("capabilities of another shape", [hello(roots=3), ask("tools/list", 2)]),
    (
        "capabilities of another shape further in",
        [
            hello(tasks={"requests": {"elicitation": {"create": 3}}}),
            ask("tools/list", 2),
        ],
    ),
    (
        "a form of another shape",
        [
            hello(elicitation={"form": {"applyDefaults": "no"}}),
            ask("tools/list", 2),
        ],
    ),
    (
        "a sampling of objects",
        [hello(sampling={"tools": {"all": {}}}, experimental={"x": {"y": 1}})],
    ),
    (
        "parameters of a list",
        [
            hello(),
            ask("tools/list", 2, []),
            ask("ping", 3, {"_meta": {"progressToken": 1}}),
        ],
    ),
    (
        "no client",
        [
            ask(
                "initialize",
                1,
                {"protocolVersion": HANDSHAKE_VERSIONS[-1], "capabilities": {}},
            ),
            ask("ping", 2),
        ],
    ),
    (
        "an id that is not plain",
        [ask("ping", "ü\n"), hello(), ask("ping", 2**60)],
    ),
    ("a member more", [{**ask("ping", 2), "more": 1}, hello()]),
    (
        "two eras",
        [
            ask("server/discover", 0, envelope()),
            hello(),
            ask("tools/list", 2, envelope()),
        ],
    ),
    (
        "modern requests of another shape",
        [
            ask("server/discover", 0, envelope()),
            ask("tools/list", 2, {"_meta": {}}),
            ask(
                "tools/list",
                3,
                {"_meta": {**envelope()["_meta"], "progressToken": 1.5}},
            ),
            ask("tools/list", 4, envelope(cursor=4)),
        ],
    ),
    (
        "a cursor of another shape",
        [hello(), ask("tools/list", 2, {"cursor": 2}), ask("tools/list", 3)],
    ),
    (
        "a call at once",
        [
            hello(),
            INITIALIZED,
            ask("tools/call", 2, {"name": "list_files", "arguments": {}}),
        ],
    ),
]


@pytest.mark.parametrize(("what", "messages"), ODD)
def test_leaves_odd_messages_to_the_sdk(
    what: str, messages: list[Message], tmp_path: Path
) -> None:
    early, late = both(tmp_path, messages)
    assert early == late


OF_MANY_VALUES = hello(experimental={"x": {"y": [{}] * MAX_VALUES}})


@pytest.mark.parametrize(
    "first",
    [NOBODYS, "{nonsense", "[" * 100_000, ask("tools/list", 9), OF_MANY_VALUES],
)
def test_odd_opening_ends_it(first: Message | str, tmp_path: Path) -> None:
    with Workspace(tmp_path, state_dir=tmp_path / "state") as workspace:
        greeting = Greeting(workspace.offer(), lambda: [])
        line = first if isinstance(first, str) else json.dumps(first)
        assert greeting.answer(line.encode()) == FirstAnswer()
        assert greeting.listed.is_set()
        assert greeting.answer(json.dumps(hello()).encode()) == FirstAnswer()


@pytest.mark.parametrize(
    "odd",
    [NOBODYS, "{nonsense", "[" * 100_000, {**ask("ping", 2), "jsonrpc": "1.0"}],
)
def test_answers_after_odd_messages(odd: Message | str, tmp_path: Path) -> None:
    with Workspace(tmp_path, state_dir=tmp_path / "state") as workspace:
        greeting = Greeting(workspace.offer(), lambda: [])
        assert greeting.answer(json.dumps(hello()).encode()).line
        line = odd if isinstance(odd, str) else json.dumps(odd)
        assert greeting.answer(line.encode()) == FirstAnswer()
        assert greeting.answer(
            json.dumps(ask("tools/list", 9)).encode()
        ).is_settled


def test_id_of_a_cancelled_request_is_used_again(
    tmp_path: Path,
) -> None:
    cancelled: Message = {
        "jsonrpc": "2.0",
        "method": "notifications/cancelled",
        "params": {"requestId": 2},
    }
    call = ask("tools/call", 2, {"name": "list_files", "arguments": {}})
    said = spoken(
        tmp_path,
        [
            hello(),
            INITIALIZED,
            ask("tools/list", 2),
            cancelled,
            ask("ping", 3),
            call,
        ],
    )
    assert [json.loads(line)["id"] for line in said.stdout.splitlines()].count(
        2
    ) == 2


@pytest.mark.parametrize("module", ["greeting", "inbox", "listing", "serve"])
def test_leaves_the_sdk_unimported(module: str) -> None:
    source = Path(server.__path__[0], f"{module}.py").read_text("utf-8")
    imported: list[str] = []
    for node in ast.parse(source).body:
        if isinstance(node, ast.ImportFrom):
            imported.append(node.module or "")
        elif isinstance(node, ast.Import):
            imported += [alias.name for alias in node.names]
    assert not [name for name in imported if name.startswith("mcp")]
