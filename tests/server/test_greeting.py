"""What is said before the SDK is there is what the SDK would have said, and the conversation goes on with it."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from tests import processes

from filewright.server.greeting import VERSIONS, Greeting
from filewright.workspace import Workspace

Message = dict[str, Any]
INITIALIZED: Message = {"jsonrpc": "2.0", "method": "notifications/initialized"}
NOBODYS: Message = {"jsonrpc": "2.0", "id": "x", "method": "nobody/knows"}
"""Begins a conversation with what only the SDK can answer."""


def ask(method: str, number: int | str, params: Any = None) -> Message:
    given = {} if params is None else {"params": params}
    return {"jsonrpc": "2.0", "id": number, "method": method, **given}


def hello(version: str = VERSIONS[-1], **capabilities: Any) -> Message:
    who = {"name": "t", "title": "T", "version": "0"}
    given = {"protocolVersion": version, "capabilities": capabilities, "clientInfo": who}
    return ask("initialize", 1, given)


def spoken(place: Path, messages: list[Message], *arguments: str) -> subprocess.CompletedProcess[str]:
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


def conversation(place: Path, messages: list[Message], *arguments: str) -> tuple[dict[Any, str], list[Any]]:
    """The lines of the answers by their ids, and the ids in the order of the answers."""
    done = spoken(place, messages, *arguments)
    lines = done.stdout.splitlines()
    order = [json.loads(line)["id"] for line in lines]
    assert len({*order}) == len(order), "nothing is answered twice"
    return dict(zip(order, lines, strict=True)), order


def test_the_versions_are_those_of_the_sdk() -> None:
    assert VERSIONS == HANDSHAKE_PROTOCOL_VERSIONS


OFFERS = [(), ("--read-only",), ("--tools", "edit"), ("--client-roots",)] + [
    ("--dialect", name) for name in ("agent-tools", "largefile", "filesystem", "official")
]


@pytest.mark.parametrize(
    ("version", "arguments"),
    [(version, ()) for version in VERSIONS] + [(VERSIONS[-1], arguments) for arguments in OFFERS[1:]],
)
def test_the_first_answers_are_the_bytes_of_the_sdk(
    version: str, arguments: tuple[str, ...], tmp_path: Path
) -> None:
    can = {"roots": {"listChanged": True}, "elicitation": {"form": {}}, "sampling": {}}
    first = [hello(version, **can), INITIALIZED, ask("ping", "p"), ask("tools/list", 2, {})]
    early, order = conversation(tmp_path, first, *arguments)
    assert order == [1, "p", 2], "answered in their order, before anything runs beside anything else"
    late, _ = conversation(tmp_path, [NOBODYS, *first], *arguments)
    assert late.pop("x")
    assert early == late


ODD: list[tuple[str, list[Message]]] = [
    ("tools before a handshake", [ask("tools/list", 2), hello()]),
    ("another version", [hello("1999-01-01"), ask("tools/list", 2)]),
    ("two handshakes", [hello(), {**hello(VERSIONS[0]), "id": 5}, ask("tools/list", 2)]),
    ("capabilities of another shape", [hello(roots=3), ask("tools/list", 2)]),
    (
        "capabilities of another shape further in",
        [hello(tasks={"requests": {"elicitation": {"create": 3}}}), ask("tools/list", 2)],
    ),
    ("a form of another shape", [hello(elicitation={"form": {"applyDefaults": "no"}}), ask("tools/list", 2)]),
    ("a sampling of objects", [hello(sampling={"tools": {"all": {}}}, experimental={"x": {"y": 1}})]),
    (
        "parameters of a list",
        [hello(), ask("tools/list", 2, []), ask("ping", 3, {"_meta": {"progressToken": 1}})],
    ),
    (
        "no client",
        [ask("initialize", 1, {"protocolVersion": VERSIONS[-1], "capabilities": {}}), ask("ping", 2)],
    ),
    ("an id that is not plain", [ask("ping", "ü\n"), hello(), ask("ping", 2**60)]),
    ("a member more", [{**ask("ping", 2), "more": 1}, hello()]),
    ("a call at once", [hello(), INITIALIZED, ask("tools/call", 2, {"name": "list_files", "arguments": {}})]),
]


@pytest.mark.parametrize(("what", "messages"), ODD)
def test_what_is_not_plain_is_answered_by_the_sdk(what: str, messages: list[Message], tmp_path: Path) -> None:
    early, _ = conversation(tmp_path, messages)
    late, _ = conversation(tmp_path, [NOBODYS, *messages])
    del late["x"]
    assert early == late


def test_after_what_is_not_for_it_nothing_is_said_early(tmp_path: Path) -> None:
    with Workspace(tmp_path) as workspace:
        for other in (NOBODYS, "{nonsense", "[" * 100_000, {**ask("ping", 2), "jsonrpc": "1.0"}):
            greeting = Greeting(workspace.offer())
            assert greeting.answer(json.dumps(hello()).encode())[0]
            line = other if isinstance(other, str) else json.dumps(other)
            assert greeting.answer(line.encode()) == (b"", False)
            assert greeting.answer(json.dumps(ask("ping", 9)).encode()) == (b"", False)


def test_a_request_that_was_answered_and_then_cancelled_does_not_silence_another_of_its_id(
    tmp_path: Path,
) -> None:
    cancelled: Message = {
        "jsonrpc": "2.0",
        "method": "notifications/cancelled",
        "params": {"requestId": 2},
    }
    call = ask("tools/call", 2, {"name": "list_files", "arguments": {}})
    said = spoken(tmp_path, [hello(), INITIALIZED, ask("tools/list", 2), cancelled, ask("ping", 3), call])
    assert [json.loads(line)["id"] for line in said.stdout.splitlines()].count(2) == 2
