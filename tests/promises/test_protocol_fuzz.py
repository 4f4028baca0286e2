"""Whatever a client sends, every request that can be told is answered and the server stays alive.

The default run is a few seconds of each era; `-m sweep` fuzzes for a minute.
"""

from __future__ import annotations

import json
import os
import queue
import random
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests import processes

SECONDS = 60.0
NAMES = (
    *(
        "list_files",
        "get_overview",
        "search_content",
        "read_content",
        "edit_content",
    ),
    *(
        "apply_patch",
        "replace_content",
        "write_content",
        "move_items",
    ),
    *(
        "delete_items",
        "get_history",
        "revert_edit",
        "no_such_tool",
    ),
)
ARGUMENTS = (
    *(
        "path",
        "paths",
        "pattern",
        "edits",
        "items",
        "patch",
        "replacement",
        "mode",
        "limit",
        "start",
        "cursor",
    ),
    *(
        "preview",
        "change_id",
        "glob",
        "expected_version",
        "depth",
        "encoding",
        "nonsense",
        "_meta",
        "",
    ),
)
ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "fuzz", "version": "0"},
}


class Server:
    """A server process and a client that only counts what comes back."""

    def __init__(self, root: Path, state: Path, *, modern: bool) -> None:
        quiet = ("--state-dir", str(state), "--log-level", "error")
        self.process = processes.start(
            [*processes.FILEWRIGHT, "serve", str(root), *quiet], heard=False
        )
        self.modern = modern
        self.answers: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()
        self.sent = 0
        if not modern:
            self.request(
                "initialize",
                {
                    "protocolVersion": "2025-06-18",
                    "capabilities": {},
                    "clientInfo": {"name": "fuzz", "version": "0"},
                },
            )
            self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        self.is_alive()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            message = json.loads(line)
            assert message["jsonrpc"] == "2.0"
            self.answers.put(message)
        self.answers.put(None)

    def send_bytes(self, data: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, message: Any) -> None:
        self.send_bytes(json.dumps(message).encode() + b"\n")

    def request(self, method: str, params: dict[str, Any] | None = None) -> int:
        self.sent += 1
        self.send(self.framed(self.sent, method, params))
        return self.sent

    def framed(
        self, request_id: Any, method: str, params: Any
    ) -> dict[str, Any]:
        if self.modern and isinstance(params, (dict, type(None))):
            params = {**(params or {}), "_meta": ENVELOPE}
        message = {"jsonrpc": "2.0", "id": request_id, "method": method}
        return message if params is None else {**message, "params": params}

    def is_alive(self) -> None:
        """A request that must be answered is, after whatever came before."""
        wanted = self.request("server/discover" if self.modern else "ping")
        limit = time.monotonic() + SECONDS
        while True:
            answer = self.answers.get(
                timeout=max(0.1, limit - time.monotonic())
            )
            assert answer is not None, "the server has died"
            if answer.get("id") == wanted:
                assert "result" in answer
                return

    def leave(self) -> int:
        assert self.process.stdin is not None
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            pass
        return self.process.wait(SECONDS)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
        self.reader.join(SECONDS)
        for stream in (self.process.stdin, self.process.stdout):
            assert stream is not None
            try:
                stream.close()
            except BrokenPipeError:
                pass


class Chaos:
    """Random messages; the same ones for the same seed."""

    def __init__(self, seed: int, server: Server) -> None:
        self.random = random.Random(seed)
        self.server = server

    def value(self, depth: int = 0) -> Any:
        pick = self.random
        kind = pick.randrange(14 if depth < 3 else 10)
        if kind == 0:
            return None
        if kind == 1:
            return pick.choice([True, False])
        if kind == 2:
            return pick.choice(
                [0, 1, -1, 2**31, 2**63, -(2**63), 10**30, 1.5, 1e308]
            )
        if kind < 6:
            return pick.choice(
                [
                    "a.txt",
                    ".",
                    "sub",
                    "sub/b.py",
                    "../outside",
                    "/etc/passwd",
                    "absent",
                    "pipe",
                    "~",
                ]
            )
        if kind < 8:
            alphabet = "abc \n\t\\\"'{}[]()*?.^$|\x00\x1b\x7f\u202e\u200b\ud800\udfffé漢😀"
            return "".join(pick.choices(alphabet, k=pick.randrange(30)))
        if kind == 8:
            return pick.choice(
                [
                    "(a+)+$",
                    "(",
                    "[",
                    "(?P<x",
                    "a{1000}{1000}",
                    "\\",
                    "(?=x)",
                    "x" * 20_000,
                ]
            )
        if kind == 9:
            return pick.choice(
                [
                    "lines",
                    "literal",
                    "regex",
                    "fuzzy",
                    "create",
                    "overwrite",
                    "head",
                    "utf-16",
                    "0777",
                ]
            )
        if kind < 12:
            return [self.value(depth + 1) for _ in range(pick.randrange(4))]
        return {
            pick.choice(ARGUMENTS): self.value(depth + 1)
            for _ in range(pick.randrange(4))
        }

    def call(self) -> dict[str, Any]:
        arguments = {
            self.random.choice(ARGUMENTS): self.value()
            for _ in range(self.random.randrange(5))
        }
        return {"name": self.random.choice(NAMES), "arguments": arguments}

    def line(self) -> bytes:
        """A message that is whole, or was."""
        self.server.sent += 1
        message = self.server.framed(
            self.server.sent, "tools/call", self.call()
        )
        data = bytearray(json.dumps(message).encode())
        for _ in range(self.random.choice([0, 0, 1, 5])):
            place = self.random.randrange(len(data))
            choice = self.random.randrange(3)
            if choice == 0:
                data[place] = self.random.randrange(256)
            elif choice == 1:
                del data[place : place + self.random.randrange(1, 20)]
            else:
                data[place:place] = self.random.randbytes(
                    self.random.randrange(1, 8)
                )
            if not data:
                break
        return bytes(data).replace(b"\n", b" ") + b"\n"

    def step(self) -> None:
        server, pick = self.server, self.random
        kind = pick.randrange(12)
        if kind < 5:
            server.send_bytes(self.line())
        elif kind == 5:
            server.request("tools/call", self.call())
            server.send(
                {
                    "jsonrpc": "2.0",
                    "method": "notifications/cancelled",
                    "params": {
                        "requestId": pick.choice(
                            [server.sent, server.sent - 3, "x", None, 10**20]
                        )
                    },
                }
            )
        elif kind == 6:
            server.request(
                pick.choice(
                    [
                        "tools/list",
                        "resources/list",
                        "no/method",
                        "",
                        "initialize",
                    ]
                ),
                {},
            )
        elif kind == 7:
            server.request(
                pick.choice(
                    ["resources/read", "completion/complete", "prompts/get"]
                ),
                {
                    "uri": f"filewright://{self.value()}",
                    "ref": self.value(),
                    "argument": self.value(),
                },
            )
        elif kind == 8:
            deep = pick.randrange(1, 20_000)
            server.send_bytes(
                b'{"jsonrpc":"2.0","id":"deep","method":"tools/call","params":'
                + b'{"a":' * deep
                + b"1"
                + b"}" * deep
            )
            server.send_bytes(b"}\n")
        elif kind == 9:
            path = pick.choice(["a.txt", "big.txt"])
            text = "y" * pick.randrange(2_000_000)
            item = {"path": path, "content": text, "mode": "overwrite"}
            server.request(
                "tools/call",
                {"name": "write_content", "arguments": {"items": [item]}},
            )
        elif kind == 10:
            server.send_bytes(pick.randbytes(pick.randrange(200)) + b"\n")
        else:
            server.send_bytes(
                pick.choice(
                    [
                        b"\n",
                        b"[]\n",
                        b"null\n",
                        b"{}\n",
                        b'{"jsonrpc":"2.0","id":1,"result":{}}\n',
                        b"\xff\n",
                    ]
                )
            )


@pytest.fixture
def tree(tmp_path: Path) -> Iterator[Path]:
    root = tmp_path / "root"
    (root / "sub").mkdir(parents=True)
    (root / "a.txt").write_bytes(b"one\r\ntwo\nthree \xff\n")
    (root / "sub" / "b.py").write_text("def f():\n    return 1\n")
    if sys.platform != "win32":
        os.mkfifo(root / "pipe")
    outside = tmp_path / "outside"
    outside.write_text("untouched")
    yield root
    assert outside.read_text() == "untouched"


def fuzz(
    root: Path, state: Path, seed: int, rounds: int, *, modern: bool
) -> None:
    server = Server(root, state, modern=modern)
    chaos = Chaos(seed, server)
    try:
        for _ in range(rounds):
            for _ in range(25):
                chaos.step()
            server.is_alive()
        for _ in range(50):
            server.send_bytes(chaos.line())
        assert server.leave() == 0
    finally:
        server.kill()


@pytest.mark.parametrize("modern", [False, True], ids=["handshake", "2026"])
def test_no_message_ends_the_server(
    tree: Path, tmp_path: Path, modern: bool
) -> None:
    fuzz(tree, tmp_path / "state", 1, 6, modern=modern)


@pytest.mark.sweep
@pytest.mark.parametrize("modern", [False, True], ids=["handshake", "2026"])
def test_none_of_very_many_messages_ends_the_server(
    tree: Path, tmp_path: Path, modern: bool
) -> None:
    fuzz(tree, tmp_path / "state", random.randrange(2**32), 600, modern=modern)


def test_clients_that_disappear_mid_call_leave_nothing_behind(
    tree: Path, tmp_path: Path
) -> None:
    for seed in range(3):
        server = Server(tree, tmp_path / "state", modern=False)
        chaos = Chaos(seed, server)
        try:
            for _ in range(30):
                server.request("tools/call", chaos.call())
            server.send_bytes(b'{"jsonrpc":"2.0","id":99,"meth')
            assert server.leave() == 0
        finally:
            server.kill()
