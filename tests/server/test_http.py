"""The transport over HTTP: access, refusals, both eras, and an orderly end."""

from __future__ import annotations

import http.client
import json
import os
import re
import socket
import sys
import time
import urllib.error
import urllib.request
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from tests.platforms.unix_only import not_on_wine
from tests.server.conftest import text_of_result

from filewright.settings import Settings

TOKEN = "a-token-of-more-than-sixteen"
RESOURCE = "https://files.example/mcp"
Start = Callable[..., Any]


def listening(client: Any) -> str:
    client.hears("listening on ")
    found = re.search(r"listening on (\S+)", client.stderr.decode())
    assert found is not None
    return found.group(1)


def post(url: str, message: Any, **headers: str) -> tuple[int, bytes]:
    data = (
        message if isinstance(message, bytes) else json.dumps(message).encode()
    )
    request = urllib.request.Request(
        url,
        data,
        {
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            **{
                name.replace("_", "-"): value for name, value in headers.items()
            },
        },
    )
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read()


@pytest.fixture(scope="module")
def url(start_shared: Start) -> str:
    """One server for all tests that leave it as they found it."""
    return listening(
        start_shared(
            *("--http", "127.0.0.1:0"),
            *(
                "--allow-host",
                "tools.example",
                "--allow-origin",
                "https://app.example",
            ),
        )
    )


def modern_call(
    tool: str, arguments: dict[str, Any]
) -> tuple[dict[str, Any], dict[str, str]]:
    """A self-contained 2026 request, and its headers."""
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    params = {"name": tool, "arguments": arguments, "_meta": meta}
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    return call, {
        "MCP_Protocol_Version": "2026-07-28",
        "Mcp_Method": "tools/call",
        "Mcp_Name": tool,
    }


INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "raw", "version": "0"},
    },
}


@asynccontextmanager
async def connected(
    url: str, mode: str, token: str | None = None
) -> AsyncIterator[Client]:
    import httpx2

    headers = {"Authorization": f"Bearer {token}"} if token else {}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=30) as http,
        Client(
            streamable_http_client(url, http_client=http), mode=mode
        ) as client,
    ):
        yield client


@pytest.mark.anyio
@pytest.mark.parametrize("mode", ["legacy", "auto", "2026-07-28"])
async def test_both_eras(url: str, mode: str) -> None:
    async with connected(url, mode) as client:
        listed = await client.list_tools()
        assert listed.tools[0].name == "echo"
        assert (
            text_of_result(await client.call_tool("echo", {"text": "null"}))
            == '{"text": "null"}'
        )
        crashed = await client.call_tool("crash", {})
        assert crashed.is_error
        assert client.protocol_version == (
            "2026-07-28" if mode != "legacy" else "2025-11-25"
        )


@pytest.mark.anyio
async def test_serves_several_clients(url: str) -> None:
    import anyio

    answers: list[str] = []

    async def one(number: int) -> None:
        async with connected(url, "auto" if number % 2 else "legacy") as client:
            for step in range(5):
                answers.append(
                    text_of_result(
                        await client.call_tool("echo", {"n": [number, step]})
                    )
                )

    async with anyio.create_task_group() as group:
        for number in range(6):
            group.start_soon(one, number)
    assert sorted(answers) == sorted(
        json.dumps({"n": [n, s]}) for n in range(6) for s in range(5)
    )


def test_requires_token(start: Start) -> None:
    server = start(
        "--http",
        "127.0.0.1:0",
        env={**os.environ, "FILEWRIGHT_HTTP_TOKENS": TOKEN},
    )
    url = listening(server)
    assert post(url, INITIALIZE)[0] == 401
    assert (
        post(url, INITIALIZE, Authorization="Bearer wrong-token-wrong-token")[0]
        == 401
    )
    assert post(url, INITIALIZE, Authorization=f"Basic {TOKEN}")[0] == 401
    assert post(url, INITIALIZE, Authorization=f"Bearer {TOKEN}")[0] == 200
    assert TOKEN.encode() not in server.stderr


@pytest.mark.anyio
async def test_token_in_both_eras(start: Start, tmp_path: Path) -> None:
    file = tmp_path / "tokens"
    file.write_text(f"# ours\n{TOKEN}\nanother-token-that-is-long\n")
    file.chmod(0o600)
    url = listening(start("--http", "127.0.0.1:0", "--token-file", str(file)))
    for mode in ("legacy", "auto"):
        async with connected(url, mode, "another-token-that-is-long") as client:
            assert text_of_result(await client.call_tool("echo", {})) == "{}"


def test_session_belongs_to_its_token(start: Start) -> None:
    tokens = f"{TOKEN},another-token-that-is-long"
    url = listening(
        start(
            "--http",
            "127.0.0.1:0",
            env={**os.environ, "FILEWRIGHT_HTTP_TOKENS": tokens},
        )
    )
    request = urllib.request.Request(
        url,
        json.dumps(INITIALIZE).encode(),
        {
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            "Authorization": f"Bearer {TOKEN}",
        },
    )
    with urllib.request.urlopen(request, timeout=30) as answer:
        session = answer.headers["mcp-session-id"]
    listing = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}
    stolen = post(
        url,
        listing,
        Authorization="Bearer another-token-that-is-long",
        Mcp_Session_Id=session,
    )
    own = post(
        url, listing, Authorization=f"Bearer {TOKEN}", Mcp_Session_Id=session
    )
    assert (stolen[0], own[0]) == (404, 200)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "evil.example"}, 421),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Host": "tools.example"}, 200),
        ({"Origin": "https://app.example"}, 200),
        ({"Host": "localhost:1"}, 421),
    ],
)
def test_checks_host_and_origin(
    url: str, headers: dict[str, str], status: int
) -> None:
    assert post(url, INITIALIZE, **headers)[0] == status


def test_refuses_long_body(start: Start) -> None:
    url = listening(
        start(
            "--http",
            "127.0.0.1:0",
            env={**os.environ, "FILEWRIGHT_MESSAGE_BYTES": "100000"},
        )
    )
    assert post(url, b"x" * 200_000)[0] == 413
    assert post(url, INITIALIZE)[0] == 200


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b"null", b"\xff", b'{"id":1}', b"[" * 5000]
)
def test_answers_malformed_bodies(url: str, body: bytes) -> None:
    assert 400 <= post(url, body)[0] < 500
    assert 400 <= post(url, body, MCP_Protocol_Version="2026-07-28")[0] < 500
    assert post(url, INITIALIZE)[0] == 200


@pytest.mark.parametrize("address", ["0.0.0.0:0", "[::]:0"])
def test_refuses_open_server(start: Start, address: str) -> None:
    server = start("--http", address)
    assert server.process.wait(30) == 2
    server.hears("refusing to serve")


def test_refuses_weak_tokens_and_bad_addresses(start: Start) -> None:
    weak = start(
        "--http",
        "127.0.0.1:0",
        env={**os.environ, "FILEWRIGHT_HTTP_TOKENS": "short"},
    )
    assert weak.process.wait(30) == 2
    wrong = start("--http", "nowhere")
    assert wrong.process.wait(30) == 2
    wrong.hears("is not HOST:PORT")


@not_on_wine("what was started from Linux has no console to send Ctrl+Break by")
def test_finishes_change_before_stopping(start: Start, tmp_path: Path) -> None:
    import threading

    server = start("--http", "127.0.0.1:0")
    url = listening(server)
    target = tmp_path / "f"
    call, headers = modern_call("commit", {"path": str(target)})
    answers: list[tuple[int, bytes]] = []
    caller = threading.Thread(
        target=lambda: answers.append(post(url, call, **headers))
    )
    caller.start()
    server.hears("commit begun")
    server.interrupt()
    assert server.process.wait(30) == 0
    caller.join(30)
    assert target.read_text() == "committed"
    assert answers[0][0] == 200
    assert b'"committed"' in answers[0][1]


@not_on_wine("what was started from Linux has no console to send Ctrl+Break by")
@pytest.mark.anyio
@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_stops_beside_listening_clients(start: Start, mode: str) -> None:
    import anyio

    server = start("--http", "127.0.0.1:0")
    async with connected(listening(server), mode) as client:
        await client.call_tool("echo", {})
        server.interrupt()
        assert await anyio.to_thread.run_sync(server.process.wait, 30) == 0
    server.hears("closed")
    assert b"Traceback" not in server.stderr


def test_sends_small_answers_at_once() -> None:
    from filewright.listening import listen

    with (
        listen("127.0.0.1", 0) as listening_socket,
        socket.create_connection(listening_socket.getsockname()),
    ):
        accepted, _ = listening_socket.accept()
        with accepted:
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_hanging_up_cancels_the_call(start: Start) -> None:
    server = start("--http", "127.0.0.1:0")
    port = int(listening(server).rpartition(":")[2].partition("/")[0])
    call, headers = modern_call("wait", {})
    body = json.dumps(call).encode()
    head = [
        "POST /mcp HTTP/1.1",
        f"Host: 127.0.0.1:{port}",
        "Content-Type: application/json",
        "Accept: application/json, text/event-stream",
        f"Content-Length: {len(body)}",
        *(
            f"{name.replace('_', '-')}: {value}"
            for name, value in headers.items()
        ),
    ]
    with socket.create_connection(
        ("127.0.0.1", port), timeout=30
    ) as connection:
        connection.sendall("\r\n".join([*head, "", ""]).encode() + body)
        server.hears("waiting")
    server.hears("left")


def test_oauth_metadata(start: Start) -> None:
    server = start(
        *("--http", "127.0.0.1:0", "--public-url", RESOURCE),
        *(
            "--oauth-issuer",
            "https://auth.example",
            "--oauth-introspection",
            "http://127.0.0.1:9/introspect",
        ),
    )
    url = listening(server)
    status, _ = post(url, INITIALIZE, Authorization="Bearer whatever-it-may-be")
    assert status == 401
    metadata = (
        url.removesuffix("/mcp") + "/.well-known/oauth-protected-resource/mcp"
    )
    with urllib.request.urlopen(metadata, timeout=30) as answer:
        described = json.load(answer)
    assert described["resource"] == RESOURCE
    assert described["authorization_servers"] == ["https://auth.example"]


def test_ignores_case_of_host(url: str) -> None:
    status, _ = post(url, INITIALIZE, Host="Tools.EXAMPLE")
    assert status == 200


def test_health_needs_no_token(start: Start) -> None:
    server = start(
        "--http",
        "127.0.0.1:0",
        env={**os.environ, "FILEWRIGHT_HTTP_TOKENS": TOKEN},
    )
    with urllib.request.urlopen(
        listening(server).removesuffix("/mcp") + "/health", timeout=30
    ) as answer:
        assert (answer.status, answer.read()) == (200, b"ok\n")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_refuses_too_many_values(encoding: str, url: str) -> None:
    call, headers = modern_call("echo", {"a": [{}] * 300_000})
    status, body = post(url, json.dumps(call).encode(encoding), **headers)
    assert (status, "too_large" in json.loads(body)["error"]["message"]) == (
        400,
        True,
    )
    call, headers = modern_call("echo", {"a": "[{}]," * 300_000})
    assert post(url, call, **headers)[0] == 200


def test_refuses_batch(url: str) -> None:
    status, body = post(url, b" [" + json.dumps(INITIALIZE).encode() + b"]")
    assert status == 400
    assert (
        json.loads(body)["error"]["message"]
        == "batches are not supported; send one message a request"
    )


@pytest.mark.parametrize(
    "begun",
    [
        b"",
        b"POST /mcp HTTP/1.1\r\nHost: tools.example\r\nContent-Type: application/json\r\n",
    ],
)
def test_unfinished_requests(url: str, begun: bytes) -> None:
    """More half-sent requests than the server has places; the oldest of them make room."""
    port = int(url.rsplit(":", 1)[1].removesuffix("/mcp"))
    half = []
    try:
        for _ in range(520):
            waiting = socket.create_connection(("127.0.0.1", port), timeout=30)
            waiting.sendall(begun)
            half.append(waiting)
        status, _ = post(url, INITIALIZE)
        assert status == 200
    finally:
        for waiting in half:
            waiting.close()


@pytest.mark.skipif(
    sys.platform != "linux", reason="other systems have one loopback address"
)
def test_unfinished_requests_of_many_addresses(
    url: str,
) -> None:
    port = int(url.rsplit(":", 1)[1].removesuffix("/mcp"))
    half = []
    try:
        for address in range(2, 12):
            for _ in range(64):
                source = f"127.0.0.{address}", 0
                waiting = socket.create_connection(
                    ("127.0.0.1", port), timeout=30, source_address=source
                )
                waiting.sendall(
                    b"POST /mcp HTTP/1.1\r\nHost: tools.example\r\n"
                )
                half.append(waiting)
        assert [post(url, INITIALIZE)[0] for _ in range(3)] == [200] * 3
    finally:
        for waiting in half:
            waiting.close()


def test_limits_and_ends_sessions(start: Start) -> None:
    limits = {
        "FILEWRIGHT_HTTP_SESSIONS": "3",
        "FILEWRIGHT_HTTP_IDLE_SECONDS": "2",
    }
    url = listening(
        start("--http", "127.0.0.1:0", env={**os.environ, **limits})
    )
    statuses = [post(url, INITIALIZE)[0] for _ in range(4)]
    assert statuses == [200, 200, 200, 503]
    until = time.monotonic() + 30
    while post(url, INITIALIZE)[0] == 503:
        assert time.monotonic() < until


@pytest.mark.skipif(
    sys.platform != "linux", reason="memory and descriptors are read from /proc"
)
def test_memory_of_sessions(
    start: Start,
) -> None:
    """As many as there are by default would take at most 64 MB, and no session holds a descriptor."""
    most = 300
    server = start(
        "--http",
        "127.0.0.1:0",
        env={**os.environ, "FILEWRIGHT_HTTP_SESSIONS": str(most)},
    )
    url = listening(server)
    post(url, INITIALIZE)
    process = Path("/proc", str(server.process.pid))

    def resident() -> int:
        found = re.search(
            r"^RssAnon:\s+(\d+) kB",
            (process / "status").read_text(),
            re.MULTILINE,
        )
        assert found is not None
        return int(found.group(1)) << 10

    before = resident()
    connection = http.client.HTTPConnection(
        "127.0.0.1", urlsplit(url).port, timeout=30
    )
    headers = {
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
    }
    statuses = []
    for _ in range(most + 10):
        connection.request("POST", "/mcp", json.dumps(INITIALIZE), headers)
        answer = connection.getresponse()
        statuses.append(answer.status)
        answer.read()
    connection.close()
    assert statuses == [200] * (most - 1) + [503] * 11
    assert (resident() - before) / most * Settings().http_sessions < 64 << 20
    assert len(list((process / "fd").iterdir())) <= 64


def test_unfinished_bodies(url: str) -> None:
    port = int(url.rsplit(":", 1)[1].removesuffix("/mcp"))
    head = b"POST /mcp HTTP/1.1\r\nHost: tools.example\r\nContent-Type: application/json\r\nContent-Length: 900\r\n\r\n{"
    half = []
    try:
        for _ in range(520):
            waiting = socket.create_connection(("127.0.0.1", port), timeout=30)
            waiting.sendall(head)
            half.append(waiting)
        status, _ = post(url, INITIALIZE)
        assert status == 200
    finally:
        for waiting in half:
            waiting.close()
