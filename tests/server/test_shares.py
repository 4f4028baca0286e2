"""No caller over HTTP takes all that the server has."""

from __future__ import annotations

import contextlib
import json
import os
import re
import socket
import sys
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from filewright.server.shares import MAX_REQUESTS

Start = Callable[..., Any]
TOKENS = ("a-token-of-more-than-sixteen", "another-token-of-more-than-sixteen")


@pytest.fixture
def server(start: Start) -> Any:
    return start(
        "--http",
        "127.0.0.1:0",
        env={**os.environ, "FILEWRIGHT_HTTP_TOKENS": ",".join(TOKENS)},
    )


def port_of(server: Any) -> int:
    server.hears("listening on ")
    match = re.search(
        r"listening on http://[^:]+:(\d+)", server.stderr.decode()
    )
    assert match is not None
    return int(match[1])


def head(port: int, method: str, token: str, *more: str) -> bytes:
    lines = [
        f"{method} /mcp HTTP/1.1",
        f"Host: 127.0.0.1:{port}",
        f"Authorization: Bearer {token}",
        "Accept: application/json, text/event-stream",
        "Content-Type: application/json",
        *more,
    ]
    return "\r\n".join([*lines, "", ""]).encode()


def status(connection: socket.socket) -> int:
    return int(connection.recv(1 << 16).split(b" ", 2)[1])


INITIALIZE = json.dumps(
    {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "raw", "version": "0"}}}
).encode()  # fmt: skip


def session(port: int, token: str) -> str:
    with socket.create_connection(
        ("127.0.0.1", port), timeout=60
    ) as connection:
        connection.sendall(
            head(
                port,
                "POST",
                token,
                f"Content-Length: {len(INITIALIZE)}",
                "Connection: close",
            )
            + INITIALIZE
        )
        answer = b"".join(iter(lambda: connection.recv(1 << 16), b""))
    match = re.search(rb"(?i)mcp-session-id: (\S+)", answer)
    assert match is not None, answer
    return match[1].decode()


def test_limits_streams_of_a_token(server: Any) -> None:
    port = port_of(server)
    with contextlib.ExitStack() as stack:
        statuses = []
        for _ in range(MAX_REQUESTS + 20):
            more = (
                f"Mcp-Session-Id: {session(port, TOKENS[0])}"
                if len(statuses) < MAX_REQUESTS
                else "Mcp-Session-Id: x"
            )
            connection = stack.enter_context(
                socket.create_connection(("127.0.0.1", port), timeout=60)
            )
            connection.sendall(head(port, "GET", TOKENS[0], more))
            statuses.append(status(connection))
        assert statuses == [200] * MAX_REQUESTS + [429] * 20
        assert session(port, TOKENS[1])
        with urllib.request.urlopen(
            f"http://127.0.0.1:{port}/health", timeout=60
        ) as answer:
            assert answer.status == 200
    end = time.monotonic() + 60
    while True:  # The server sees only later that they are closed.
        with contextlib.suppress(AssertionError):
            assert session(port, TOKENS[0])
            break
        assert time.monotonic() < end
        time.sleep(0.1)


@pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc")
def test_limits_bodies_of_a_token(server: Any) -> None:
    port = port_of(server)
    session(port, TOKENS[0])

    def resident() -> int:
        text = Path(f"/proc/{server.process.pid}/status").read_text()
        match = re.search(r"^RssAnon:\s+(\d+) kB", text, re.MULTILINE)
        assert match is not None
        return int(match[1]) >> 10

    before = resident()
    piece = b" " * (9 << 20)
    with contextlib.ExitStack() as stack:
        connections = []
        for _ in range(12):
            connection = stack.enter_context(
                socket.create_connection(("127.0.0.1", port), timeout=60)
            )
            connection.sendall(
                head(
                    port, "POST", TOKENS[0], f"Content-Length: {len(piece) + 1}"
                )
            )
            with contextlib.suppress(
                OSError
            ):  # It was refused before all of it was sent.
                connection.sendall(piece)
            connections.append(connection)
        statuses = []
        for connection in connections[2:]:
            with contextlib.suppress(OSError, IndexError):
                statuses.append(status(connection))
        assert {*statuses} <= {429}
        assert resident() - before < 64
        assert session(port, TOKENS[1])
    assert session(port, TOKENS[0])


def test_leaving_logs_no_traceback(server: Any) -> None:
    port = port_of(server)
    for more in ("Content-Length: 900", "Transfer-Encoding: chunked"):
        with socket.create_connection(
            ("127.0.0.1", port), timeout=60
        ) as connection:
            connection.sendall(
                head(port, "POST", TOKENS[0], more)
                + (b"{" if "900" in more else b"1\r\n{\r\n")
            )
            time.sleep(0.2)
    for path in ("enter", "act"):
        with socket.create_connection(
            ("127.0.0.1", port), timeout=60
        ) as connection:
            text = f"POST /review/{path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Length: 900\r\n\r\n{{"
            connection.sendall(text.encode())
            time.sleep(0.2)
    assert session(port, TOKENS[0])
    assert b"Traceback" not in server.stderr
    assert b"ERROR" not in server.stderr
