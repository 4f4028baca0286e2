"""Parsing of a client's lines into messages, or into errors that name the request.

A line that holds no message is never dropped: it becomes a `FrameError` with the id of
the request wherever that can be found, so that no client waits for an answer for ever.
The SDK's parser drops such a line or ends at it: with it alone
`test_answers_malformed_lines` and `test_refuses_with_the_id` fail.
"""

from __future__ import annotations

import json
import re
from typing import Any

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

from filewright.bounded_json import MAX_VALUES, has_too_many_values, parse_json
from filewright.server.inbox import EDGE_BYTES, Frame
from filewright.wording import escape_surrogates

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
    """The error that answers a line; its `id` is None if none could be read."""


def make_error(
    request_id: RequestId | None, code: int, text: str
) -> FrameError:
    """Return the error that answers a request."""
    return FrameError(
        jsonrpc="2.0", id=request_id, error=ErrorData(code=code, message=text)
    )


def parse_frame(frame: Frame, *, limit: int) -> JSONRPCMessage:
    """Return the message in a line, or the `FrameError` that answers it.

    Text with lone surrogates makes a message: the tool that it is meant for answers
    it better than a parse error could.
    """
    line = frame.head
    if frame.tail is not None:
        return make_error(
            _find_id(line, frame.tail),
            INVALID_REQUEST,
            f"too_large: the message has {frame.size} bytes, "
            f"the limit is {limit}; send less in one call",
        )
    if has_too_many_values(line):
        return make_error(
            _find_id(line, line),
            INVALID_REQUEST,
            f"too_large: the message has more than {MAX_VALUES} values; "
            "send less in one call",
        )
    try:
        message = jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValidationError as error:
        problem = error.errors(include_input=False)[0]["msg"]
        return _parse_leniently(line, is_too_deep="recursion limit" in problem)
    # The adapter makes a notification of a request whose id has the wrong type.
    if isinstance(message, JSONRPCNotification) and b'"id"' in line:
        return _parse_leniently(line)
    return message


def _parse_leniently(
    line: bytes, *, is_too_deep: bool = False
) -> JSONRPCMessage:
    """Parse a line that the strict parser refuses.

    Such a line may have lone surrogates, or an id that the error can name.
    """
    try:
        message = parse_json(line)
    except RecursionError:
        return make_error(_find_id(line, line), PARSE_ERROR, _TOO_DEEP)
    except UnicodeDecodeError:
        text = "Parse error: not UTF-8"
        return make_error(_find_id(line, line), PARSE_ERROR, text)
    except ValueError as error:
        text = f"Parse error: {error}"
        return make_error(_find_id(line, line), PARSE_ERROR, text)
    if not isinstance(message, dict):
        kind = "a batch" if isinstance(message, list) else "not an object"
        text = f"Invalid request: {kind}; send one JSON-RPC object per line"
        return make_error(None, INVALID_REQUEST, text)
    request_id = message.get("id")
    problem = _find_problem(message)
    if problem is None and "method" not in message:
        try:
            return jsonrpc_message_adapter.validate_python(
                message, by_name=False
            )
        except ValidationError:
            problem = "neither a request nor a response"
    if problem is not None:
        return make_error(
            request_id if _is_id(request_id) else None,
            INVALID_REQUEST,
            f"Invalid request: {problem}",
        )
    method, params = message["method"], message.get("params")
    if request_id is None:
        return JSONRPCNotification(jsonrpc="2.0", method=method, params=params)
    if is_too_deep:
        return make_error(request_id, PARSE_ERROR, _TOO_DEEP)
    return JSONRPCRequest(
        jsonrpc="2.0", id=request_id, method=method, params=params
    )


def _find_problem(message: dict[str, Any]) -> str | None:
    """Return the reason why an object is no JSON-RPC message, or None."""
    if "id" in message and not _is_id(message["id"]):
        return "id must be a string or an integer"
    if message.get("jsonrpc") != "2.0":
        return 'jsonrpc must be "2.0"'
    if "method" not in message:
        return None
    method = message["method"]
    if not isinstance(method, str) or escape_surrogates(method) != method:
        return "method must be a string"
    if not isinstance(message.get("params"), dict | None):
        return "params must be an object"
    return None


def _find_id(head: bytes, tail: bytes) -> RequestId | None:
    """Return the id of a message that is not parsed, if it is first or last in it.

    Clients write it in one of these places.
    """
    match = _LEADING_ID.search(head[:EDGE_BYTES])
    if match is None:
        match = _TRAILING_ID.search(tail[-EDGE_BYTES:])
    if match is None:
        return None
    try:
        request_id = json.loads(match[1])
    except ValueError:
        return None
    return request_id if _is_id(request_id) else None


def _is_id(value: object) -> bool:
    """Return True for a number, or a text that an answer can repeat.

    No UTF-8 text holds a lone surrogate.
    """
    if isinstance(value, str):
        return escape_surrogates(value) == value
    return type(value) is int
