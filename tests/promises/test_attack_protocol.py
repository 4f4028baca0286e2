"""Messages made to end the server, each followed by one that must be answered."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator

import pytest
from tests import processes


@pytest.fixture(scope="module")
def server(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[subprocess.Popen[bytes]]:
    tmp_path = tmp_path_factory.mktemp("attacked")
    root = tmp_path / "root"
    root.mkdir()
    words = [
        *processes.FILEWRIGHT,
        "serve",
        str(root),
        "--state-dir",
        str(tmp_path / "state"),
    ]
    process = processes.start(words, heard=False)
    assert process.stdin is not None
    assert process.stdout is not None
    with process.stdin, process.stdout:
        params = {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "x", "version": "0"},
        }
        request = {
            "jsonrpc": "2.0",
            "id": 0,
            "method": "initialize",
            "params": params,
        }
        process.stdin.write(json.dumps(request).encode() + b"\n")
        process.stdin.write(
            b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n'
        )
        process.stdin.flush()
        process.stdout.readline()
        yield process
        process.stdin.close()
        process.wait(60)


@pytest.mark.parametrize(
    "line",
    [
        rb'{"jsonrpc":"2.0","id":"\ud800","method":"ping"}',
        rb'{"jsonrpc":"2.0","id":1,"method":"\ud800"}',
        rb'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"\ud800","arguments":{}}}',
        rb'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read_content",'
        rb'"arguments":{"paths":["\ud800"]},"_meta":{"progressToken":"\udfff"}}}',
        rb'{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"filewright://file/\ud800"}}',
    ],
)
def test_a_lone_surrogate_anywhere_is_answered(
    server: subprocess.Popen[bytes], line: bytes
) -> None:
    assert server.stdin is not None
    assert server.stdout is not None
    server.stdin.write(line + b"\n")
    server.stdin.flush()
    answer = json.loads(server.stdout.readline())
    assert answer["id"] in (1, None)
    assert "internal" not in json.dumps(answer).lower()
    server.stdin.write(b'{"jsonrpc":"2.0","id":2,"method":"ping"}\n')
    server.stdin.flush()
    assert json.loads(server.stdout.readline())["id"] == 2
