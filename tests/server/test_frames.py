"""Lines from chunks, messages from lines, and refusals that name the request they answer."""

from __future__ import annotations

import io
import json
from typing import Any

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


class Arriving(io.RawIOBase):
    """A stream that gives a few bytes at a time, as a pipe may."""

    def __init__(self, stream: bytes, size: int) -> None:
        self._left = stream
        self._size = size

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        size = min(self._size, len(buffer))
        piece, self._left = self._left[:size], self._left[size:]
        buffer[: len(piece)] = piece
        return len(piece)


def frames(stream: bytes, size: int, limit: int) -> list[Frame]:
    lines = io.BufferedReader(Arriving(stream, size))
    return [*iter(lambda: next_frame(lines, limit), None)]


def frame(data: bytes) -> Frame:
    return Frame(data, None, len(data))


def parsed(data: bytes) -> object:
    return parse_frame(frame(data), limit=LIMIT)


@given(
    st.lists(
        st.binary(max_size=40).map(lambda line: line.replace(b"\n", b"?")),
        max_size=20,
    ),
    st.integers(1, 50),
)
@examples(17, derandomize=True)
def test_lines_do_not_depend_on_how_they_arrive(
    lines: list[bytes], size: int
) -> None:
    stream = b"\n".join(lines)
    found = [
        each.head.removesuffix(b"\n") for each in frames(stream, size, 1000)
    ]
    assert found == [line for line in lines if line.strip()]


@given(st.integers(0, 30_000), st.integers(1, 9000))
@examples(13, derandomize=True)
def test_a_line_past_the_limit_is_known_by_its_edges_only(
    size: int, chunk: int
) -> None:
    line = bytes(65 + index % 26 for index in range(size))
    found = frames(line + b"\nnext\n", chunk, 10_000)
    if not size:
        assert [each.head for each in found] == [b"next\n"]
        return
    first, second = found
    assert first.size == size + 1
    assert second.head == b"next\n"
    if size <= 10_000:
        assert first.tail is None
        assert first.head == line + b"\n"
    else:
        assert first.head == line[:4096]
        assert first.tail == line[-4095:] + b"\n"


def test_the_three_kinds_of_messages_are_told_apart() -> None:
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


def test_text_that_looks_like_json_stays_text() -> None:
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


def test_a_lone_surrogate_reaches_the_tool() -> None:
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
def test_what_is_no_message_is_refused_with_its_id(
    line: bytes, expected: object, code: int
) -> None:
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
def test_a_message_past_the_limit_is_refused_under_its_own_id(
    line: bytes,
) -> None:
    [found] = frames(line % (b"y" * 50_000) + b"\n", 9_000, 10_000)
    refused = parse_frame(found, limit=10_000)
    assert isinstance(refused, FrameError)
    assert refused.id == "a-1"
    assert "too_large" in refused.error.message


def test_an_id_inside_text_is_not_mistaken_for_the_request_s() -> None:
    text = json.dumps(
        {"jsonrpc": "2.0", "method": "m", "params": {"x": 'y,"id":5}' * 5000}}
    ).encode()
    [found] = frames(text + b"\n", 9_000, 10_000)
    refused = parse_frame(found, limit=10_000)
    assert isinstance(refused, FrameError)
    assert refused.id is None


@given(st.binary(max_size=200))
@examples(25, derandomize=True)
def test_no_line_is_more_than_refused(line: bytes) -> None:
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
def test_an_id_that_no_answer_can_repeat_is_refused_without_it(
    line: bytes,
) -> None:
    refused = parsed(line)
    assert isinstance(refused, FrameError)
    assert refused.id is None


def test_a_method_with_a_lone_surrogate_is_none() -> None:
    refused = parsed(rb'{"jsonrpc":"2.0","id":3,"method":"\ud800"}')
    assert refused == make_error(
        3, INVALID_REQUEST, "Invalid request: method must be a string"
    )


def test_a_number_of_too_many_digits_is_told_as_such() -> None:
    refused = parsed(
        b'{"jsonrpc":"2.0","id":' + b"9" * 5000 + b',"method":"ping"}'
    )
    assert isinstance(refused, FrameError)
    assert "digits" in refused.error.message
