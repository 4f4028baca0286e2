"""Standard input and output as the two message streams of the SDK's dispatcher.

The SDK's own stdio transport is not used. With it `test_answers_malformed_lines`,
`test_refuses_a_long_message`, `test_ends_with_a_client_that_stopped_reading` and
`test_answers_piped_requests_before_the_end` fail: it never answers a malformed line, has
no limit for a line, waits for a client that does not read, and drops the requests that
are pending when the input ends.

One thread reads and parses lines, another writes; the event loop never touches a file
descriptor. Requests above `MAX_RUNNING_REQUESTS` wait in a backlog, so that a burst
costs only the memory of its bytes. Pings and cancellations overtake them.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
import queue
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import anyio
from anyio.streams.memory import (
    MemoryObjectReceiveStream,
    MemoryObjectSendStream,
)
from mcp.server import Server
from mcp.shared.message import ServerMessageMetadata, SessionMessage
from mcp_types import (
    INTERNAL_ERROR,
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
    RequestId,
)

from filewright.server.frames import FrameError, make_error, parse_frame
from filewright.server.inbox import Frame, Inbox, write_all

_logger = logging.getLogger(__name__)

MAX_RUNNING_REQUESTS = 64
"""Requests that the server works on at once, and messages that wait to be written.

Clients reach it only in a burst.
"""
URGENT_METHODS = frozenset({"ping", "initialize", "server/discover"})
"""The methods of requests that overtake those in the backlog."""
LINGER_SECONDS = 5.0
"""The time for which requests are still answered after the input has ended.

A shell's pipe ends right behind its last request.
"""


@dataclass(frozen=True, slots=True)
class _WaitingMessage:
    """A message that waits for the dispatcher: its number in order of arrival, and its size."""

    number: int
    message: SessionMessage
    size: int


class StdioTransport:
    """The transport to the one client on standard input and output."""

    def __init__(self, server: Server[Any], inbox: Inbox) -> None:
        self._server = server
        self._inbox = inbox
        self._scope: anyio.CancelScope | None = None
        self._urgent: deque[_WaitingMessage] = deque()
        self._backlog: deque[_WaitingMessage] = deque()
        self._numbers = itertools.count()
        self._running: set[RequestId | None] = set()
        self._outgoing: queue.Queue[JSONRPCMessage] = queue.Queue()
        self._changed = anyio.Event()
        self._has_ended = False

    def stop(self) -> None:
        """Cancel what runs, and end `run`."""
        if self._scope is not None:
            self._scope.cancel()

    async def run(self) -> None:
        """Serve until the input ends, the client stops reading, or `stop`."""
        # Without buffers: what the dispatcher has not taken waits in the backlog, where
        # a cancellation finds it.
        to_server, from_client = anyio.create_memory_object_stream[
            SessionMessage | Exception
        ](0)
        to_client, from_server = anyio.create_memory_object_stream[
            SessionMessage
        ](0)
        self._loop = asyncio.get_running_loop()
        async with anyio.create_task_group() as group:
            self._scope = group.cancel_scope
            group.start_soon(self._feed, to_server)
            group.start_soon(self._take_answers, from_server)
            connect = partial(self._inbox.connect, self._receive)
            for work in (self._write, connect):
                threading.Thread(target=work, daemon=True).start()
            try:
                options = self._server.create_initialization_options()
                await self._server.run(from_client, to_client, options)
            finally:
                group.cancel_scope.cancel()
                from_server.close()

    def _call_soon(self, work: Callable[..., None], *arguments: Any) -> bool:
        """Let the event loop call `work`; return False if it has ended."""
        try:
            self._loop.call_soon_threadsafe(work, *arguments)
        except RuntimeError:
            return False
        return True

    # Reading

    def _receive(self, frame: Frame | None) -> bool:
        """Parse a line in the thread that reads, and queue its message.

        An error is written before the next line is read, so that a client that sends
        only errors does not fill the memory.
        """
        if frame is None:
            return self._call_soon(self._queue, None, 0)
        message = parse_frame(frame, limit=self._inbox.limit)
        if not isinstance(message, FrameError):
            return self._call_soon(self._queue, message, frame.size)
        _logger.warning(
            "refused a message of %d bytes: %s",
            frame.size,
            message.error.message,
        )
        self._inbox.release(frame.size)
        self._outgoing.put(message)
        self._outgoing.join()
        return True

    def _queue(self, message: JSONRPCMessage | None, size: int) -> None:
        """Queue a message for the dispatcher; None ends the input."""
        if message is None:
            self._has_ended = True
        elif isinstance(message, JSONRPCRequest):
            metadata = ServerMessageMetadata(
                on_request_unanswered=partial(self._unanswered, message.id)
            )
            is_urgent = message.method in URGENT_METHODS
            lane = self._urgent if is_urgent else self._backlog
            lane.append(self._waiting(message, size, metadata))
        else:
            if (
                isinstance(message, JSONRPCNotification)
                and message.method == "notifications/cancelled"
            ):
                self._forget((message.params or {}).get("requestId"))
            self._urgent.append(self._waiting(message, size))
        self._wake()

    def _waiting(
        self,
        message: JSONRPCMessage,
        size: int,
        metadata: ServerMessageMetadata | None = None,
    ) -> _WaitingMessage:
        return _WaitingMessage(
            next(self._numbers), SessionMessage(message, metadata), size
        )

    def _forget(self, request_id: object) -> None:
        """Drop a waiting request that is cancelled: it must not be answered."""
        for waiting in self._backlog:
            message = waiting.message.message
            if isinstance(message, JSONRPCRequest) and message.id == request_id:
                self._backlog.remove(waiting)
                self._inbox.release(waiting.size)
                return

    async def _feed(
        self, to_server: MemoryObjectSendStream[SessionMessage | Exception]
    ) -> None:
        """Hand messages to the dispatcher until the input has ended."""
        async with to_server:
            while True:
                waiting = self._next_waiting()
                if waiting is None:
                    if self._has_ended and not self._backlog:
                        break
                    await self._changed.wait()
                    continue
                self._inbox.release(waiting.size)
                message = waiting.message.message
                if isinstance(message, JSONRPCRequest):
                    self._running.add(message.id)
                try:
                    await to_server.send(waiting.message)
                except (anyio.BrokenResourceError, anyio.ClosedResourceError):
                    return
            with anyio.move_on_after(LINGER_SECONDS):
                while self._running:
                    await self._changed.wait()

    def _next_waiting(self) -> _WaitingMessage | None:
        """Take the oldest message whose turn it is; a request only if few run."""
        lanes = [self._urgent]
        if len(self._running) < MAX_RUNNING_REQUESTS:
            lanes.append(self._backlog)
        lanes = [lane for lane in lanes if lane]
        if not lanes:
            return None
        return min(lanes, key=lambda lane: lane[0].number).popleft()

    async def _unanswered(self, request_id: RequestId) -> None:
        self._finish(request_id)

    def _finish(self, request_id: RequestId | None) -> None:
        """Count a request as done, and let a waiting one take its place."""
        self._running.discard(request_id)
        self._wake()

    def _wake(self) -> None:
        self._changed.set()
        self._changed = anyio.Event()

    # Writing

    async def _take_answers(
        self, from_server: MemoryObjectReceiveStream[SessionMessage]
    ) -> None:
        """Take the server's answers, no faster than the client reads them."""
        async with from_server:
            async for answer in from_server:
                self._outgoing.put(answer.message)
                while self._outgoing.qsize() > MAX_RUNNING_REQUESTS:
                    await self._changed.wait()

    def _write(self) -> None:
        """Write messages in a thread: a client that stops reading blocks nothing."""
        greeting = self._inbox.greeting
        is_serving = True
        while is_serving:
            message = self._outgoing.get()
            request_id = None
            if isinstance(message, (JSONRPCResponse, JSONRPCError)):
                request_id = message.id
            if request_id is not None and request_id == greeting.opening_id:
                # The greeting has sent this answer.
                greeting.opening_id = None
            else:
                try:
                    write_all(self._inbox.out, _encode(message, request_id))
                except OSError as error:
                    _logger.info("the client no longer reads: %s", error)
                    self._call_soon(self.stop)
                    return
            self._outgoing.task_done()
            is_serving = self._call_soon(self._finish, request_id)


def _encode(message: JSONRPCMessage, request_id: RequestId | None) -> bytes:
    """Return a message as one line.

    A message that cannot be encoded becomes an internal error for its request.
    """
    try:
        text = message.model_dump_json(by_alias=True, exclude_unset=True)
    except ValueError as error:
        _logger.warning("cannot encode a message: %s", error)
        failure = make_error(
            request_id,
            INTERNAL_ERROR,
            "internal: the answer could not be encoded",
        )
        return _encode(failure, request_id)
    return text.encode("utf-8", "backslashreplace") + b"\n"
