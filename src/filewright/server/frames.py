"""From lines to JSON-RPC messages, and to refusals that name the request they answer.

What cannot be a message is never dropped silently: it becomes a `FrameError`, with the request's id wherever it can be
found, so that no client waits for an answer that never comes.
"""

from __future__ import annotations

import json
import re

from mcp_types import (
    INVALID_REQUEST,
    PARSE_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCNotification,
    JSONRPCRequest,
    RequestId,
    jsonrpc_message_adapter,
)
from pydantic import ValidationError

from filewright.server.inbox import EDGE, Frame
from filewright.visible import encodable

_ID = rb'"id"\s*:\s*(-?\d{1,18}|"(?:[^"\\]|\\.){0,200}")'
_VERSION = rb'"jsonrpc"\s*:\s*"2\.0"'
_LEADING_ID = re.compile(rb"^\s*\{\s*(?:" + _VERSION + rb"\s*,\s*)?" + _ID + rb"\s*[,}]")
_TRAILING_ID = re.compile(
    rb",\s*(?:" + _VERSION + rb"\s*,\s*)?" + _ID + rb"(?:\s*,\s*" + _VERSION + rb")?\s*\}\s*$"
)
_TOO_DEEP = "Parse error: the JSON is nested too deeply"


class FrameError(JSONRPCError):
    """The protocol error a line is answered with; the `id` is None where none could be read."""


def refusal(request_id: RequestId | None, code: int, text: str) -> FrameError:
    """Such an error."""
    return FrameError(jsonrpc="2.0", id=request_id, error=ErrorData(code=code, message=text))


def parse(frame: Frame, *, limit: int) -> JSONRPCMessage:
    """The message in `frame`, or the `FrameError` of what is none.

    Text with lone surrogates is a message here: the tool it is meant for answers it better than a
    parse error could.
    """
    line = frame.head
    if frame.tail is not None:
        text = f"too_large: the message has {frame.size} bytes, the limit is {limit}; send less in one call"
        return refusal(_edge_id(line, frame.tail), INVALID_REQUEST, text)
    try:
        message = jsonrpc_message_adapter.validate_json(line, by_name=False)
        if isinstance(message, JSONRPCNotification) and b'"id"' in line:
            return _second_look(line)
    except ValidationError as error:
        return _second_look(line, deep="recursion limit" in error.errors(include_input=False)[0]["msg"])
    return message


def _second_look(line: bytes, *, deep: bool = False) -> JSONRPCMessage:
    """Parse what the strict parser refused: for lone surrogates, and for the id to answer."""
    try:
        decoded = json.loads(line)
    except (ValueError, RecursionError) as error:
        text = _TOO_DEEP if isinstance(error, RecursionError) else f"Parse error: {error}"
        text = "Parse error: not UTF-8" if isinstance(error, UnicodeDecodeError) else text
        return refusal(_edge_id(line, line), PARSE_ERROR, text)
    if not isinstance(decoded, dict):
        kind = "a batch" if isinstance(decoded, list) else "not an object"
        text = f"Invalid request: {kind}; send one JSON-RPC object per line"
        return refusal(None, INVALID_REQUEST, text)
    problem = None
    known, method, params = decoded.get("id"), decoded.get("method", ""), decoded.get("params")
    if "id" in decoded and not _is_id(known):
        known, problem = None, "id must be a string or an integer"
    elif decoded.get("jsonrpc") != "2.0":
        problem = 'jsonrpc must be "2.0"'
    elif not isinstance(method, str) or encodable(method) != method:
        problem = "method must be a string"
    elif "method" in decoded and not isinstance(params, dict | None):
        problem = "params must be an object"
    if problem is None and "method" not in decoded:
        try:
            return jsonrpc_message_adapter.validate_python(decoded, by_name=False)
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
    return type(value) is int or (isinstance(value, str) and encodable(value) == value)
