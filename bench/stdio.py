"""A tool as a child process that is spoken to in lines of JSON, as MCP has it."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import IO, Any

PATIENCE = 120.0
"""The seconds that one call may take."""


@dataclass(frozen=True, slots=True)
class Command:
    """The words that start a tool, and what they add to the environment."""

    words: Sequence[str]
    environment: Mapping[str, str] = field(default_factory=dict)
    folder: Path | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a call."""

    text: str
    is_error: bool = False
    seconds: float = 0.0


class ServerGoneError(Exception):
    """A server that ended or answers no more."""


class Server:
    """A running server."""

    def __init__(self, command: Command, *, patience: float = PATIENCE) -> None:
        self._patience = patience
        self._number = 0
        self.process = subprocess.Popen(
            command.words,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=command.folder,
            env={**os.environ, **command.environment},
            start_new_session=True,
        )
        assert self.process.stdout is not None
        self._messages: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self._reader = threading.Thread(
            target=_read, args=(self.process.stdout, self._messages)
        )
        self._reader.start()
        try:
            self.request(
                "initialize",
                {
                    "protocolVersion": "2025-06-18",
                    "capabilities": {},
                    "clientInfo": {"name": "bench", "version": "1"},
                },
            )
            self._send({"method": "notifications/initialized"})
        except ServerGoneError:
            self.close()
            raise

    def __enter__(self) -> Server:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def call(self, tool: str, arguments: Mapping[str, Any]) -> Answer:
        """Call a tool. Raises `ServerGoneError`."""
        started = time.perf_counter()
        message = self.request(
            "tools/call", {"name": tool, "arguments": arguments}
        )
        seconds = time.perf_counter() - started
        if "error" in message:
            return Answer(str(message["error"]), True, seconds)
        result = message["result"]
        parts = [part.get("text", "") for part in result.get("content", ())]
        is_error = bool(result.get("isError"))
        return Answer("\n".join(parts), is_error, seconds)

    def request(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        """Return the message that answers a request. Raises `ServerGoneError`."""
        self._number += 1
        self._send({"id": self._number, "method": method, "params": params})
        deadline = time.monotonic() + self._patience
        while True:
            try:
                message = self._messages.get(
                    timeout=deadline - time.monotonic()
                )
            except (queue.Empty, ValueError) as error:
                reason = f"no answer in {self._patience:.0f} s"
                raise ServerGoneError(reason) from error
            if message is None:
                raise ServerGoneError("the server ended")
            if message.get("id") == self._number and "method" not in message:
                return message
            if "method" in message and "id" in message:
                refusal = {"code": -32601, "message": "not offered"}
                self._send({"id": message["id"], "error": refusal})

    def _send(self, message: Mapping[str, Any]) -> None:
        line = json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n"
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(line)
            self.process.stdin.flush()
        except OSError as error:
            raise ServerGoneError("the server ended") from error

    def peak_bytes(self) -> int:
        """Return the sum of the highest memory of the server's processes."""
        total = 0
        pending = [self.process.pid]
        while pending:
            process = pending.pop()
            pending += children(process)
            total += _peak(process)
        return total

    def close(self) -> None:
        """End the server and all that it has started."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        with contextlib.suppress(OSError):
            self.process.stdin.close()
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            pass
        with contextlib.suppress(OSError):
            os.killpg(self.process.pid, 9)
        self.process.wait()
        self._reader.join(10)
        self.process.stdout.close()


def children(process: int) -> list[int]:
    """Return the processes that a process has started."""
    path = Path(f"/proc/{process}/task/{process}/children")
    try:
        return [int(child) for child in path.read_text().split()]
    except OSError:
        return []


def _peak(process: int) -> int:
    try:
        status = Path(f"/proc/{process}/status").read_text()
    except OSError:
        return 0
    for line in status.splitlines():
        if line.startswith("VmHWM"):
            return int(line.split()[1]) * 1024
    return 0


def _read(
    stream: IO[bytes], messages: queue.Queue[dict[str, Any] | None]
) -> None:
    """Put the messages of a server into a queue, and None at its end."""
    for line in stream:
        # Some servers print other things.
        with contextlib.suppress(ValueError):
            message = json.loads(line)
            if isinstance(message, dict):
                messages.put(message)
    messages.put(None)
