"""Messages from lines, and refusals that name the request they answer."""

from __future__ import annotations

import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp_types import (
    INVALID_REQUEST,
    PARSE_ERROR,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
)
from tests.examples import examples

from filewright.server.frames import FrameError, make_error, parse_frame
from filewright.server.inbox import Frame, next_frame

LIMIT = 1 << 20


def make_frame(data: bytes) -> Frame:
    return Frame(data, None, len(data))


def parsed(data: bytes) -> object:
    return parse_frame(make_frame(data), limit=LIMIT)


def test_kinds_of_messages() -> None:
    assert isinstance(
        parsed(b'{"jsonrpc":"2.0","id":1,"method":"ping"}'), JSONRPCRequest
    )
    assert isinstance(
        parsed(b'{"jsonrpc":"2.0","method":"notifications/initialized"}'),
        JSONRPCNotification,
    )
    assert isinstance(
        parsed(b'{"jsonrpc":"2.0","id":1,"result":{}}'), JSONRPCResponse
    )


def test_text_like_json() -> None:
    message = parsed(
        b'{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":"null","b":"1","c":null,"d":[1.5,"{}"]}}'
    )
    assert isinstance(message, JSONRPCRequest)
    assert message.params == {
        "a": "null",
        "b": "1",
        "c": None,
        "d": [1.5, "{}"],
    }


def test_lone_surrogate() -> None:
    message = parsed(
        b'{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":"\\ud800"}}'
    )
    assert isinstance(message, JSONRPCRequest)
    assert message.params == {"a": "\ud800"}


DEEP = b'{"jsonrpc":"2.0","id":%d,"method":"m","params":{"a":%s}}'

REFUSED = [
    (b"{bad", None, PARSE_ERROR),
    (b'{"jsonrpc":"2.0","id":7,"method":"m","params":{', 7, PARSE_ERROR),
    (b'{"jsonrpc":"2.0","id":"x","method":', "x", PARSE_ERROR),
    (b'\xff\xfe{"id":1}', None, PARSE_ERROR),
    (b"[]", None, INVALID_REQUEST),
    (b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]', None, INVALID_REQUEST),
    (b"3", None, INVALID_REQUEST),
    (b'{"id":3,"method":"ping"}', 3, INVALID_REQUEST),
    (b'{"jsonrpc":"1.0","id":3,"method":"ping"}', 3, INVALID_REQUEST),
    (b'{"jsonrpc":"2.0","id":3,"method":4}', 3, INVALID_REQUEST),
    (b'{"jsonrpc":"2.0","id":3,"method":"m","params":[1]}', 3, INVALID_REQUEST),
    (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', None, INVALID_REQUEST),
    (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', None, INVALID_REQUEST),
    (b'{"jsonrpc":"2.0","id":true,"method":"ping"}', None, INVALID_REQUEST),
    (b'{"jsonrpc":"2.0","id":9}', 9, INVALID_REQUEST),
    (DEEP % (5, b"[" * 300 + b"]" * 300), 5, PARSE_ERROR),
    (DEEP % (6, b"[" * 10_000 + b"]" * 10_000), 6, PARSE_ERROR),
    (DEEP % (8, b'{"a":' * 100_000 + b"1" + b"}" * 100_000), 8, PARSE_ERROR),
]


@pytest.mark.parametrize(("line", "expected", "code"), REFUSED)
def test_refuses_with_the_id(line: bytes, expected: object, code: int) -> None:
    refused = parsed(line)
    assert isinstance(refused, FrameError)
    assert (refused.id, refused.error.code) == (expected, code)


@pytest.mark.parametrize(
    "line",
    [
        b'{"jsonrpc":"2.0","id":"a-1","method":"tools/call","params":{"x":"%s"}}',
        b'{"id":"a-1","jsonrpc":"2.0","method":"tools/call","params":{"x":"%s"}}',
        b'{"method":"tools/call","params":{"x":"%s"},"jsonrpc":"2.0","id":"a-1"}',
        b'{"method":"tools/call","params":{"x":"%s"},"id":"a-1","jsonrpc":"2.0"}',
        b'{ "method": "tools/call", "params": {"x": "%s"}, "id" : "a-1" }',
    ],
)
def test_refuses_long_message_with_the_id(
    line: bytes,
) -> None:
    frame = next_frame(io.BytesIO(line % (b"y" * 50_000) + b"\n"), 10_000)
    assert frame is not None
    refused = parse_frame(frame, limit=10_000)
    assert isinstance(refused, FrameError)
    assert refused.id == "a-1"
    assert "too_large" in refused.error.message


def test_id_inside_text() -> None:
    text = json.dumps(
        {"jsonrpc": "2.0", "method": "m", "params": {"x": 'y,"id":5}' * 5000}}
    ).encode()
    frame = next_frame(io.BytesIO(text + b"\n"), 10_000)
    assert frame is not None
    refused = parse_frame(frame, limit=10_000)
    assert isinstance(refused, FrameError)
    assert refused.id is None


@given(st.binary(max_size=200))
@examples(25, derandomize=True)
def test_any_line(line: bytes) -> None:
    assert parsed(line) is not None


@pytest.mark.parametrize(
    "line",
    [
        rb'{"jsonrpc":"2.0","id":"\ud800","method":"ping"}',
        rb'{"jsonrpc":"2.0","id":"\ud800","method":5}',
        rb'{"jsonrpc":"2.0","id":"\ud800","method":"ping","params":'
        + b"[" * 10_000
        + b"]" * 10_000
        + b"}",
    ],
)
def test_unrepeatable_id(
    line: bytes,
) -> None:
    refused = parsed(line)
    assert isinstance(refused, FrameError)
    assert refused.id is None


def test_method_with_lone_surrogate() -> None:
    refused = parsed(rb'{"jsonrpc":"2.0","id":3,"method":"\ud800"}')
    assert refused == make_error(
        3, INVALID_REQUEST, "Invalid request: method must be a string"
    )


def test_number_of_too_many_digits() -> None:
    refused = parsed(
        b'{"jsonrpc":"2.0","id":' + b"9" * 5000 + b',"method":"ping"}'
    )
    assert isinstance(refused, FrameError)
    assert "digits" in refused.error.message
