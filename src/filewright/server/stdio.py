"""Standard input and output as the two message streams the SDK's dispatcher drives.

The SDK's own stdio transport is not used: it never answers a malformed line, it dies of a lone
surrogate, it holds any number of requests at once, and it drops what was asked when input ends.

Here one daemon thread reads (`inbox`) and parses (`parse`), another writes; the event loop never touches a descriptor.
Requests past `CONCURRENT` wait as a backlog, so that a burst costs memory for its bytes only, while
pings and cancellations overtake them.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import logging
import queue
import re
import threading
from collections import deque
from collections.abc import Callable
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
    INVALID_REQUEST,
    PARSE_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
    RequestId,
    jsonrpc_message_adapter,
)
from pydantic import ValidationError

from filewright.bounded_json import MAX_VALUES, has_too_many_values, parse_json
from filewright.server.inbox import EDGE, Frame, Inbox, write_all
from filewright.wording import escape_surrogates

_logger = logging.getLogger(__name__)

CONCURRENT = 64
"""Requests handed to the server at once, and messages that wait to be written; no client meets it except by a burst."""
OVERTAKING = frozenset({"ping", "initialize", "server/discover"})
LINGER = 1.0
"""Seconds that requests already read are still worked on after input ended, as it does in a shell's pipe."""


_Waiting = tuple[int, SessionMessage, int]
"""The number of a message in the order in which it came, the message, and its size."""


class StdioTransport:
    """The one client at the other end of standard input and output."""

    def __init__(self, server: Server[Any], inbox: Inbox) -> None:
        self._server = server
        self._inbox = inbox
        self._scope: anyio.CancelScope | None = None
        self._urgent: deque[_Waiting] = deque()
        self._backlog: deque[_Waiting] = deque()
        self._numbers = itertools.count()
        self._running: set[RequestId | None] = set()
        self._outgoing: queue.Queue[JSONRPCMessage] = queue.Queue()
        self._changed = anyio.Event()
        self._ended = False

    def stop(self) -> None:
        """Leave; what runs is cancelled."""
        if self._scope is not None:
            self._scope.cancel()

    async def run(self) -> None:
        """Serve until input ends, the client stops accepting output, or `stop`."""
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
            for work in (self._write, partial(self._inbox.connect, self._take)):
                threading.Thread(target=work, daemon=True).start()
            try:
                options = self._server.create_initialization_options()
                await self._server.run(from_client, to_client, options)
            finally:
                group.cancel_scope.cancel()
                from_server.close()

    def _call_soon(self, work: Callable[..., None], *given: Any) -> bool:
        """Have the event loop do something, for one of the threads; False: the process is leaving."""
        try:
            self._loop.call_soon_threadsafe(work, *given)
        except RuntimeError:
            return False
        return True

    # Reading

    def _take(self, frame: Frame | None) -> bool:
        """Parse a line, in the thread that reads; what is no message is answered before the next is read."""
        if frame is None:
            return self._call_soon(self._queue, None, 0)
        message = parse(frame, limit=self._inbox.limit)
        if not isinstance(message, FrameError):
            return self._call_soon(self._queue, message, frame.size)
        _logger.warning(
            "refused a message of %d bytes: %s",
            frame.size,
            message.error.message,
        )
        self._inbox.released(frame.size)
        self._outgoing.put(message)
        self._outgoing.join()
        return True

    def _queue(self, message: JSONRPCMessage | None, size: int) -> None:
        """Let a request wait for its turn; all else overtakes those that wait for others to be answered."""
        self._ended = message is None
        metadata, lane = None, self._urgent
        if isinstance(message, JSONRPCRequest):
            metadata = ServerMessageMetadata(
                on_request_unanswered=partial(self._unanswered, message.id)
            )
            lane = (
                self._urgent if message.method in OVERTAKING else self._backlog
            )
        elif (
            isinstance(message, JSONRPCNotification)
            and message.method == "notifications/cancelled"
        ):
            self._forget((message.params or {}).get("requestId"))
        if message is not None:
            lane.append(
                (next(self._numbers), SessionMessage(message, metadata), size)
            )
        self._wake()

    def _forget(self, wanted: object) -> None:
        """Drop a waiting request that its client cancels; it is then never answered, as it must be."""
        for waiting in self._backlog:
            message = waiting[1].message
            if isinstance(message, JSONRPCRequest) and message.id == wanted:
                self._backlog.remove(waiting)
                self._inbox.released(waiting[2])
                return

    async def _feed(
        self, to_server: MemoryObjectSendStream[SessionMessage | Exception]
    ) -> None:
        """Hand messages to the dispatcher in their order, requests only while fewer than `CONCURRENT` run."""
        async with to_server:
            while True:
                open_lanes = [
                    self._urgent,
                    *(
                        [self._backlog]
                        if len(self._running) < CONCURRENT
                        else []
                    ),
                ]
                if lanes := [lane for lane in open_lanes if lane]:
                    _, entry, size = min(
                        lanes, key=lambda lane: lane[0][0]
                    ).popleft()
                    self._inbox.released(size)
                    if isinstance(entry.message, JSONRPCRequest):
                        self._running.add(entry.message.id)
                    try:
                        await to_server.send(entry)
                    except (
                        anyio.BrokenResourceError,
                        anyio.ClosedResourceError,
                    ):
                        return
                elif self._ended and not self._backlog:
                    break
                else:
                    await self._changed.wait()
            with anyio.move_on_after(LINGER):
                while self._running:
                    await self._changed.wait()

    async def _unanswered(self, request_id: RequestId) -> None:
        self._settle(request_id)

    def _settle(self, request_id: RequestId | None) -> None:
        """A request is answered, or never will be: another may take its place."""
        self._running.discard(request_id)
        self._wake()

    def _wake(self) -> None:
        self._changed.set()
        self._changed = anyio.Event()

    # Writing

    async def _take_answers(
        self, from_server: MemoryObjectReceiveStream[SessionMessage]
    ) -> None:
        """Take what the server answers, no faster than the client does."""
        async with from_server:
            async for answer in from_server:
                self._outgoing.put(answer.message)
                while self._outgoing.qsize() > CONCURRENT:
                    await self._changed.wait()

    def _write(self) -> None:
        """Write messages, in a thread of its own, so that a client that stops reading blocks nothing."""
        greeting, going_on = self._inbox.greeting, True
        while going_on:
            message = self._outgoing.get()
            answered = (
                message.id
                if isinstance(message, (JSONRPCResponse, JSONRPCError))
                else None
            )
            try:
                if answered is None or answered != greeting.opening_id:
                    write_all(self._inbox.out, _line(message, answered))
                else:
                    greeting.opening_id = (
                        None  # the client has been given this answer
                    )
            except OSError as error:
                _logger.info("the client no longer reads: %s", error)
                self._call_soon(self.stop)
                return
            self._outgoing.task_done()
            going_on = self._call_soon(self._settle, answered)


def _line(message: JSONRPCMessage, answered: RequestId | None) -> bytes:
    """The message as one line; what cannot be encoded becomes an internal error for its request."""
    try:
        text = message.model_dump_json(by_alias=True, exclude_unset=True)
    except ValueError as error:
        _logger.warning("cannot encode a message: %s", error)
        failed = refusal(
            answered,
            INTERNAL_ERROR,
            "internal: the answer could not be encoded",
        )
        return _line(failed, answered)
    return text.encode("utf-8", "backslashreplace") + b"\n"


# From lines to messages, and to refusals that name the request they answer. What cannot be a message is never dropped
# silently: it becomes a `FrameError`, with the request's id wherever it can be found, so that no client waits for an
# answer that never comes.

_ID = rb'"id"\s*:\s*(-?\d{1,18}|"(?:[^"\\]|\\.){0,200}")'
_VERSION = rb'"jsonrpc"\s*:\s*"2\.0"'
_LEADING_ID = re.compile(
    rb"^\s*\{\s*(?:" + _VERSION + rb"\s*,\s*)?" + _ID + rb"\s*[,}]"
)
_TRAILING_ID = re.compile(
    rb",\s*(?:"
    + _VERSION
    + rb"\s*,\s*)?"
    + _ID
    + rb"(?:\s*,\s*"
    + _VERSION
    + rb")?\s*\}\s*$"
)
_TOO_DEEP = "Parse error: the JSON is nested too deeply"


class FrameError(JSONRPCError):
    """The protocol error a line is answered with; the `id` is None where none could be read."""


def refusal(request_id: RequestId | None, code: int, text: str) -> FrameError:
    """Such an error."""
    return FrameError(
        jsonrpc="2.0", id=request_id, error=ErrorData(code=code, message=text)
    )


def parse(frame: Frame, *, limit: int) -> JSONRPCMessage:
    """The message in `frame`, or the `FrameError` of what is none.

    Text with lone surrogates is a message here: the tool it is meant for answers it better than a
    parse error could.
    """
    line = frame.head
    if frame.tail is not None:
        text = f"too_large: the message has {frame.size} bytes, the limit is {limit}; send less in one call"
        return refusal(_edge_id(line, frame.tail), INVALID_REQUEST, text)
    if has_too_many_values(line):
        text = f"too_large: the message has more than {MAX_VALUES} values; send less in one call"
        return refusal(_edge_id(line, line), INVALID_REQUEST, text)
    try:
        message = jsonrpc_message_adapter.validate_json(line, by_name=False)
        if isinstance(message, JSONRPCNotification) and b'"id"' in line:
            return _second_look(line)
    except ValidationError as error:
        return _second_look(
            line,
            deep="recursion limit"
            in error.errors(include_input=False)[0]["msg"],
        )
    return message


def _second_look(line: bytes, *, deep: bool = False) -> JSONRPCMessage:
    """Parse what the strict parser refused: for lone surrogates, and for the id to answer."""
    try:
        decoded = parse_json(line)
    except (ValueError, RecursionError) as error:
        text = (
            _TOO_DEEP
            if isinstance(error, RecursionError)
            else f"Parse error: {error}"
        )
        text = (
            "Parse error: not UTF-8"
            if isinstance(error, UnicodeDecodeError)
            else text
        )
        return refusal(_edge_id(line, line), PARSE_ERROR, text)
    if not isinstance(decoded, dict):
        kind = "a batch" if isinstance(decoded, list) else "not an object"
        text = f"Invalid request: {kind}; send one JSON-RPC object per line"
        return refusal(None, INVALID_REQUEST, text)
    problem = None
    known, method, params = (
        decoded.get("id"),
        decoded.get("method", ""),
        decoded.get("params"),
    )
    if "id" in decoded and not _is_id(known):
        known, problem = None, "id must be a string or an integer"
    elif decoded.get("jsonrpc") != "2.0":
        problem = 'jsonrpc must be "2.0"'
    elif not isinstance(method, str) or escape_surrogates(method) != method:
        problem = "method must be a string"
    elif "method" in decoded and not isinstance(params, dict | None):
        problem = "params must be an object"
    if problem is None and "method" not in decoded:
        try:
            return jsonrpc_message_adapter.validate_python(
                decoded, by_name=False
            )
        except ValidationError:
            problem = "neither a request nor a response"
    if problem is not None:
        return refusal(known, INVALID_REQUEST, f"Invalid request: {problem}")
    if known is None:
        return JSONRPCNotification(jsonrpc="2.0", method=method, params=params)
    if deep:
        return refusal(known, PARSE_ERROR, _TOO_DEEP)
    return JSONRPCRequest(jsonrpc="2.0", id=known, method=method, params=params)


def _edge_id(head: bytes, tail: bytes) -> RequestId | None:
    """The id of a message that is not parsed, if it is where clients write it: first or last."""
    found = _LEADING_ID.search(head[:EDGE]) or _TRAILING_ID.search(tail[-EDGE:])
    try:
        value = json.loads(found[1]) if found else None
    except ValueError:
        return None
    return value if _is_id(value) else None


def _is_id(value: object) -> bool:
    """Whether it is a number or a text that an answer can repeat: no UTF-8 text holds a lone surrogate."""
    return type(value) is int or (
        isinstance(value, str) and escape_surrogates(value) == value
    )
