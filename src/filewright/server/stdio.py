"""Standard input and output as the two message streams the SDK's dispatcher drives.

The SDK's own stdio transport is not used: it never answers a malformed line, it dies of a lone
surrogate, it holds any number of requests at once, and it drops what was asked when input ends.

Here one daemon thread reads and parses (`inbox`), another writes; the event loop never touches a descriptor.
Requests past `CONCURRENT` wait as a backlog, so that a burst costs memory for its bytes only, while
pings and cancellations overtake them.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import io
import logging
import queue
import threading
from collections import deque
from functools import partial
from typing import Any

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.server import Server
from mcp.shared.message import ServerMessageMetadata, SessionMessage
from mcp_types import (
    INTERNAL_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
    RequestId,
)

from filewright.server.frames import RefusedFrame, parse
from filewright.server.inbox import Frame, Inbox, write_all

_logger = logging.getLogger(__name__)

BATCH = 1 << 20
CONCURRENT = 64
"""Requests handed to the server at once; enough that no client meets it except by a burst."""
OVERTAKING = frozenset({"ping", "initialize", "server/discover"})
LINGER = 1.0
"""Seconds that requests already read are still worked on after input ended, as it does in a shell's pipe."""


class StdioTransport:
    """The one client at the other end of standard input and output.

    A message past the limit of its `inbox` is refused unread; past as many bytes of requests that wait, reading pauses.
    """

    def __init__(self, server: Server[Any], inbox: Inbox) -> None:
        self._server = server
        self._inbox = inbox
        self._scope: anyio.CancelScope | None = None
        self._output = _Output(inbox.out)
        self._urgent: deque[tuple[SessionMessage, int]] = deque()
        self._backlog: deque[tuple[SessionMessage, int]] = deque()
        self._backlog_bytes = 0
        self._running: set[tuple[type, RequestId]] = set()
        self._changed = anyio.Event()
        self._ended = False

    def stop(self) -> None:
        """Leave; what runs is cancelled."""
        if self._scope is not None:
            self._scope.cancel()

    async def run(self) -> None:
        """Serve until input ends, the client stops accepting output, or `stop`."""
        to_server, from_client = anyio.create_memory_object_stream[SessionMessage | Exception](0)
        to_client, from_server = anyio.create_memory_object_stream[SessionMessage](0)
        loop = asyncio.get_running_loop()

        def take(frames: list[Frame], ended: bool) -> bool:
            """Hand over from the reader's thread, and wait until there is room for more."""
            sorting = self._sort([self._parsed(frames) for _ in [*frames]], ended)
            try:
                asyncio.run_coroutine_threadsafe(sorting, loop).result()
            except (
                RuntimeError,
                concurrent.futures.CancelledError,
            ):  # the loop is gone: the process is leaving
                sorting.close()
                return False
            return True

        async with anyio.create_task_group() as group:
            self._scope = group.cancel_scope
            group.start_soon(self._write, from_server)
            group.start_soon(self._feed, to_server)
            threading.Thread(target=self._inbox.connect, args=(take,), daemon=True).start()
            try:
                options = self._server.create_initialization_options()
                await self._server.run(from_client, to_client, options)
            finally:
                group.cancel_scope.cancel()
                from_server.close()

    # Reading

    def _parsed(self, frames: list[Frame]) -> tuple[JSONRPCMessage | RefusedFrame, int]:
        """What the first of some frames is; it is taken out, so that nothing of a large line outlives its parsing."""
        frame = frames.pop(0)
        return parse(frame, limit=self._inbox.limit), frame.size

    async def _sort(self, arrived: list[tuple[JSONRPCMessage | RefusedFrame, int]], ended: bool) -> None:
        """Answer refusals, queue requests, let the rest overtake, pause when too much waits."""
        while arrived:
            await self._take(*arrived.pop(0))
        while self._backlog_bytes > self._inbox.limit:
            await self._changed.wait()
        self._ended = ended
        self._wake()

    async def _take(self, message: JSONRPCMessage | RefusedFrame, size: int) -> None:
        if isinstance(message, RefusedFrame):
            _logger.warning("refused a message of %d bytes: %s", size, message.message)
            with contextlib.suppress(OSError):  # nobody reads it: the next one who writes will see that
                await self._output.write(self._line(_error(message.id, message.code, message.message)))
            return
        metadata, waits = None, False
        if isinstance(message, JSONRPCRequest):
            unanswered = partial(self._unanswered, message.id)
            metadata = ServerMessageMetadata(on_request_unanswered=unanswered)
            waits = message.method not in OVERTAKING
        elif isinstance(message, JSONRPCNotification) and message.method == "notifications/cancelled":
            self._forget(message)
        (self._backlog if waits else self._urgent).append((SessionMessage(message, metadata), size))
        self._backlog_bytes += size
        self._wake()

    async def _unanswered(self, request_id: RequestId) -> None:
        self._inbox.greeting.told.pop(request_id, None)
        self.settled(request_id)

    def _forget(self, message: JSONRPCNotification) -> None:
        """Drop a waiting request that its client cancels; it is then never answered, as it must be."""
        wanted = (message.params or {}).get("requestId")
        for entry in self._backlog:
            waiting = entry[0].message
            if isinstance(waiting, JSONRPCRequest) and waiting.id == wanted:
                self._backlog.remove(entry)
                self._inbox.greeting.told.pop(wanted, None)  # else another one of its id would go unanswered
                self._backlog_bytes -= entry[1]
                return

    async def _feed(self, to_server: MemoryObjectSendStream[SessionMessage | Exception]) -> None:
        """Hand messages to the dispatcher, requests only while fewer than `CONCURRENT` run."""
        async with to_server:
            while True:
                queued = self._urgent or (self._backlog if len(self._running) < CONCURRENT else None)
                if not queued:
                    if self._ended and not self._backlog:
                        break
                    await self._changed.wait()
                    continue
                entry, size = queued.popleft()
                self._backlog_bytes -= size
                if isinstance(entry.message, JSONRPCRequest):
                    self._running.add(_key(entry.message.id))
                try:
                    await to_server.send(entry)
                except (anyio.BrokenResourceError, anyio.ClosedResourceError):
                    return
                self._wake()
            with anyio.move_on_after(LINGER):
                while self._running:
                    await self._changed.wait()

    def settled(self, request_id: RequestId | None) -> None:
        """A request is answered, or never will be: another may take its place."""
        if request_id is not None:
            self._running.discard(_key(request_id))
        self._wake()

    def _wake(self) -> None:
        self._changed.set()
        self._changed = anyio.Event()

    # Writing

    async def _write(self, from_server: MemoryObjectReceiveStream[SessionMessage]) -> None:
        """Write what the server answers, whatever is ready in one go."""
        try:
            async with from_server:
                async for message in from_server:
                    following: SessionMessage | None = message
                    lines: list[bytes] = []
                    settled = []
                    while following is not None:
                        lines.append(self._line(following.message))
                        settled.append(_answered(following.message))
                        following = _at_once(from_server) if sum(map(len, lines)) < BATCH else None
                    await self._output.write(b"".join(lines))
                    for request_id in settled:
                        self.settled(request_id)
        except OSError as error:
            _logger.info("the client no longer reads: %s", error)
            self.stop()

    def _line(self, message: JSONRPCMessage) -> bytes:
        """The message as one line, or nothing if it was told already.

        What cannot be encoded becomes an internal error for its request.
        """
        request_id = _answered(message)
        try:
            text = message.model_dump_json(by_alias=True, exclude_unset=True)
        except ValueError as error:
            _logger.warning("cannot encode a message: %s", error)
            failed = _error(request_id, INTERNAL_ERROR, "internal: the answer could not be encoded")
            text = failed.model_dump_json(by_alias=True, exclude_unset=True)
        line = text.encode("utf-8", "backslashreplace") + b"\n"
        told = None if request_id is None else self._inbox.greeting.told.pop(request_id, None)
        if told is None:
            return line
        if told != line:
            _logger.error("the client was told %r at first, and would be told %r now", told, line)
        return b""


def _at_once(stream: MemoryObjectReceiveStream[SessionMessage]) -> SessionMessage | None:
    """The next message if there is one already."""
    try:
        return stream.receive_nowait()
    except (anyio.WouldBlock, anyio.EndOfStream, anyio.ClosedResourceError):
        return None


class _Output:
    """A file written by a daemon thread, so that a client that stops reading blocks nothing."""

    def __init__(self, file: io.FileIO) -> None:
        self._file = file
        self._jobs: queue.SimpleQueue[tuple[bytes, concurrent.futures.Future[None]]] = queue.SimpleQueue()
        threading.Thread(target=self._work, name="filewright-write", daemon=True).start()

    async def write(self, data: bytes) -> None:
        """Write all of `data`; raises `OSError` when the reader is gone."""
        done: concurrent.futures.Future[None] = concurrent.futures.Future()
        done.set_running_or_notify_cancel()  # it is written in any case, also if nobody waits any more
        self._jobs.put((data, done))
        await asyncio.wrap_future(done)

    def _work(self) -> None:
        while True:
            data, done = self._jobs.get()
            try:
                write_all(self._file, data)
            except OSError as error:
                done.set_exception(error)
            else:
                done.set_result(None)


def _key(request_id: RequestId) -> tuple[type, RequestId]:
    return type(request_id), request_id


def _answered(message: JSONRPCMessage) -> RequestId | None:
    return message.id if isinstance(message, (JSONRPCResponse, JSONRPCError)) else None


def _error(request_id: RequestId | None, code: int, text: str) -> JSONRPCError:
    return JSONRPCError(jsonrpc="2.0", id=request_id, error=ErrorData(code=code, message=text))
