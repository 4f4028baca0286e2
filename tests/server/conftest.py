"""A client that speaks raw lines, and the SDK's client, against a server process of its own."""

from __future__ import annotations

import json
import os
import queue
import signal
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp_types import TextContent
from tests import processes

FAKE = Path(__file__).with_name("fake_server.py")
SECONDS = 30.0


class RawClient:
    """Lines to and from a server process; every wait is bounded."""

    def __init__(
        self,
        *arguments: str,
        env: dict[str, str] | None = None,
        command: list[str] | None = None,
    ) -> None:
        self.process = processes.start(
            [*(command or [sys.executable, str(FAKE)]), "serve", *arguments],
            env=env,
        )
        self._lines: queue.Queue[bytes] = queue.Queue()
        self.stderr = b""
        self._heard = threading.Condition()
        self._reading = threading.Event()
        self._reading.set()
        self._others: list[dict[str, Any]] = []
        self._threads = [
            threading.Thread(target=target, daemon=True)
            for target in (self._read, self._listen)
        ]
        for thread in self._threads:
            thread.start()
        self._id = 0

    def _read(self) -> None:
        assert self.process.stdout is not None
        try:
            for line in self.process.stdout:
                self._reading.wait()
                self._lines.put(line)
        except ValueError:  # the test closed it
            pass
        self._lines.put(b"")

    def _listen(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            with self._heard:
                self.stderr += line
                self._heard.notify_all()

    def pause(self) -> None:
        """Stop reading after the line at hand."""
        self._reading.clear()

    def resume(self) -> None:
        self._reading.set()

    def hears(self, text: str) -> None:
        """Wait until standard error says `text`."""
        with self._heard:
            assert self._heard.wait_for(
                lambda: text.encode() in self.stderr, SECONDS
            ), self.stderr.decode()

    def send_bytes(self, data: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, message: Any) -> None:
        self.send_bytes(json.dumps(message).encode() + b"\n")

    def receive(self) -> dict[str, Any]:
        line = self._lines.get(timeout=SECONDS)
        assert line, f"the server is gone: {self.stderr.decode()}"
        message: dict[str, Any] = json.loads(line)
        return message

    def request(self, method: str, params: dict[str, Any] | None = None) -> int:
        """Send a request and return its id without waiting."""
        self._id += 1
        message: dict[str, Any] = {
            "jsonrpc": "2.0",
            "id": self._id,
            "method": method,
        }
        if params is not None:
            message["params"] = params
        self.send(message)
        return self._id

    def answer(self, request_id: int | str | None) -> dict[str, Any]:
        """The answer with this id; other messages are kept for later."""
        for kept in self._others:
            if "method" not in kept and kept.get("id") == request_id:
                self._others.remove(kept)
                return kept
        while True:
            message = self.receive()
            if "method" not in message and message.get("id") == request_id:
                return message
            self._others.append(message)

    def ask(
        self, method: str, params: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        return self.answer(self.request(method, params))

    def call(
        self, name: str, arguments: Any = None, **meta: Any
    ) -> dict[str, Any]:
        return self.answer(self.begin(name, arguments, **meta))

    def begin(self, name: str, arguments: Any = None, **meta: Any) -> int:
        params: dict[str, Any] = {"name": name}
        if arguments is not None:
            params["arguments"] = arguments
        if meta:
            params["_meta"] = meta
        return self.request("tools/call", params)

    def notifications(self, method: str) -> list[dict[str, Any]]:
        return [kept for kept in self._others if kept.get("method") == method]

    def shake_hands(
        self, version: str = "2025-06-18", **capabilities: Any
    ) -> dict[str, Any]:
        answer = self.ask(
            "initialize",
            {
                "protocolVersion": version,
                "capabilities": capabilities,
                "clientInfo": {"name": "raw", "version": "0"},
            },
        )
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return answer

    def leave(self) -> int:
        """Close input and wait for the process to end."""
        assert self.process.stdin is not None
        self._reading.set()
        self.process.stdin.close()
        return self.process.wait(SECONDS)

    def interrupt(self, number: int = signal.SIGTERM) -> None:
        """Ask the process to end; on Windows, which has no signals between processes, by Ctrl+Break."""
        self.process.send_signal(getattr(signal, "CTRL_BREAK_EVENT", number))

    def kill(self) -> None:
        self._reading.set()
        self.process.kill()
        self.process.wait()
        for thread in self._threads:
            thread.join(SECONDS)
        for stream in (
            self.process.stdin,
            self.process.stdout,
            self.process.stderr,
        ):
            assert stream is not None
            try:
                stream.close()
            except BrokenPipeError:
                pass


def text_of(answer: dict[str, Any]) -> str:
    """The text of a tool's answer on the wire."""
    return "".join(part.get("text", "") for part in answer["result"]["content"])


def text_of_result(result: Any) -> str:
    """The text of a tool's result, as the SDK's client has it."""
    return "".join(
        part.text for part in result.content if isinstance(part, TextContent)
    )


@asynccontextmanager
async def connected(
    mode: str, *arguments: str, **options: Any
) -> AsyncIterator[Client]:
    """The SDK's client of a server of strange tools."""
    server = processes.for_client(
        [sys.executable, str(FAKE), "serve", *arguments], env={**os.environ}
    )
    async with Client(server, mode=mode, **options) as client:
        yield client


@pytest.fixture(scope="session", autouse=True)
def own_state(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A state folder of the tests: one of the user's may be of another version, and is not for tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(
            "FILEWRIGHT_STATE_DIR", str(tmp_path_factory.mktemp("state"))
        )
        yield


@pytest.fixture
def start() -> Iterator[Callable[..., RawClient]]:
    """Start a server of strange tools and a raw client; ended with the test."""
    yield from _starting()


@pytest.fixture(scope="module")
def start_shared() -> Iterator[Callable[..., RawClient]]:
    """The same, ended with the module."""
    yield from _starting()


def _starting() -> Iterator[Callable[..., RawClient]]:
    clients: list[RawClient] = []

    def begin(*arguments: str, **options: Any) -> RawClient:
        clients.append(RawClient(*arguments, **options))
        return clients[-1]

    yield begin
    for client in clients:
        client.kill()


@pytest.fixture
def client(start: Callable[..., RawClient]) -> RawClient:
    """A client that has shaken hands with a server of strange tools."""
    begun = start()
    begun.shake_hands()
    return begun


@pytest.fixture(scope="module")
def shared() -> Iterator[RawClient]:
    """One such client for all tests of a module that leave it as they found it."""
    begun = RawClient()
    begun.shake_hands()
    yield begun
    begun.kill()


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"
