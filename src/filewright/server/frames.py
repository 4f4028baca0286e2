"""From bytes on a pipe to JSON-RPC messages, and to refusals that name the request they answer.

A message is one line. What cannot be a message is never dropped silently: it becomes a `RefusedFrame`, with
the request's id wherever it can be found, so that no client waits for an answer that never comes.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from mcp_types import (
    INVALID_REQUEST,
    PARSE_ERROR,
    JSONRPCMessage,
    JSONRPCNotification,
    JSONRPCRequest,
    RequestId,
    jsonrpc_message_adapter,
)
from pydantic import ValidationError

from filewright.server.inbox import EDGE, Frame

_ID = rb'"id"\s*:\s*(-?\d{1,18}|"(?:[^"\\]|\\.){0,200}")'
_VERSION = rb'"jsonrpc"\s*:\s*"2\.0"'
_LEADING_ID = re.compile(rb"^\s*\{\s*(?:" + _VERSION + rb"\s*,\s*)?" + _ID + rb"\s*[,}]")
_TRAILING_ID = re.compile(
    rb",\s*(?:" + _VERSION + rb"\s*,\s*)?" + _ID + rb"(?:\s*,\s*" + _VERSION + rb")?\s*\}\s*$"
)


@dataclass(frozen=True)
class RefusedFrame:
    """The protocol error a line is answered with; `id` is None where none could be read."""

    id: RequestId | None
    code: int
    message: str


def parse(frame: Frame, *, limit: int) -> JSONRPCMessage | RefusedFrame:
    """The message in `frame`, or why it is none.

    Text with lone surrogates is a message here: the tool it is meant for answers it better than a
    parse error could.
    """
    if not frame.whole:
        return RefusedFrame(
            _edge_id(frame.head, frame.tail or b""),
            INVALID_REQUEST,
            f"too_large: the message has {frame.size} bytes, the limit is {limit}; send less in one call",
        )
    try:
        message = jsonrpc_message_adapter.validate_json(frame.head, by_name=False)
    except ValidationError:
        return _second_look(frame.head)
    if isinstance(message, JSONRPCNotification) and b'"id"' in frame.head:
        return _second_look(frame.head)
    return message


def _second_look(line: bytes | bytearray) -> JSONRPCMessage | RefusedFrame:
    """Parse what the strict parser refused: for lone surrogates, and for the id to answer."""
    try:
        decoded = json.loads(line)
    except RecursionError:
        return RefusedFrame(_edge_id(line, line), PARSE_ERROR, "Parse error: the JSON is nested too deeply")
    except (ValueError, UnicodeDecodeError) as error:
        reason = "not UTF-8" if isinstance(error, UnicodeDecodeError) else str(error)
        return RefusedFrame(_edge_id(line, line), PARSE_ERROR, f"Parse error: {reason}")
    if not isinstance(decoded, dict):
        kind = "a batch" if isinstance(decoded, list) else "not an object"
        return RefusedFrame(
            None, INVALID_REQUEST, f"Invalid request: {kind}; send one JSON-RPC object per line"
        )
    given = decoded.get("id")
    known = given if isinstance(given, (int, str)) and not isinstance(given, bool) else None
    if "id" in decoded and (known is None or not _expressible(known)):
        return RefusedFrame(None, INVALID_REQUEST, "Invalid request: id must be a string or an integer")
    problem = _problem(decoded)
    if problem is not None:
        return RefusedFrame(known, INVALID_REQUEST, f"Invalid request: {problem}")
    if "method" not in decoded:
        try:
            return jsonrpc_message_adapter.validate_python(decoded, by_name=False)
        except ValidationError:
            return RefusedFrame(known, INVALID_REQUEST, "Invalid request: neither a request nor a response")
    if known is None:
        return JSONRPCNotification(jsonrpc="2.0", method=decoded["method"], params=decoded.get("params"))
    if _depth(decoded) > _DEPTH:
        return RefusedFrame(known, PARSE_ERROR, "Parse error: the JSON is nested too deeply")
    return JSONRPCRequest(jsonrpc="2.0", id=known, method=decoded["method"], params=decoded.get("params"))


def _problem(decoded: dict[str, Any]) -> str | None:
    if decoded.get("jsonrpc") != "2.0":
        return 'jsonrpc must be "2.0"'
    method = decoded.get("method", "")
    if not isinstance(method, str) or not _expressible(method):
        return "method must be a string"
    if "method" in decoded and not isinstance(decoded.get("params"), (dict, type(None))):
        return "params must be an object"
    return None


_DEPTH = 190


def _depth(value: Any) -> int:
    """How deep `value` is nested, looking no deeper than is needed to refuse it."""
    depth, level = 0, [value]
    while level and depth <= _DEPTH:
        depth += 1
        level = [
            child
            for parent in level
            for child in (parent.values() if isinstance(parent, dict) else parent)
            if isinstance(child, (dict, list))
        ]
    return depth


def _edge_id(head: bytes | bytearray, tail: bytes | bytearray) -> RequestId | None:
    """The id of a message that is not parsed, if it is where clients write it: first or last."""
    found = _LEADING_ID.search(head[:EDGE]) or _TRAILING_ID.search(tail[-EDGE:])
    if found is None:
        return None
    try:
        value = json.loads(found.group(1))
    except ValueError:
        return None
    return value if isinstance(value, (int, str)) and _expressible(value) else None


def _expressible(value: RequestId) -> bool:
    """Whether an answer can repeat it: no UTF-8 text holds a lone surrogate."""
    return isinstance(value, int) or not any("\ud800" <= letter <= "\udfff" for letter in value)
