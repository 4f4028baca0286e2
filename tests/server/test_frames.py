"""Lines from chunks, messages from lines, and refusals that name the request they answer."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mcp_types import INVALID_REQUEST, PARSE_ERROR, JSONRPCNotification, JSONRPCRequest, JSONRPCResponse

from filewright.server.frames import RefusedFrame, parse
from filewright.server.inbox import Frame, LineAssembler

LIMIT = 1 << 20


def frame(data: bytes) -> Frame:
    return Frame(data, None, len(data))


def parsed(data: bytes) -> object:
    return parse(frame(data), limit=LIMIT)


@given(
    st.lists(st.binary(max_size=40).map(lambda line: line.replace(b"\n", b"?")), max_size=20),
    st.integers(1, 50),
)
@settings(max_examples=200, deadline=None, derandomize=True)
def test_lines_do_not_depend_on_how_they_arrive(lines: list[bytes], size: int) -> None:
    stream = b"\n".join(lines)
    assembler = LineAssembler(1000)
    found = []
    for start in range(0, len(stream), size):
        found += assembler.feed(stream[start : start + size])
    found += assembler.feed(b"")
    assert [each.head for each in found] == [line for line in lines if line.strip()]


@given(st.integers(0, 30_000), st.integers(1, 9000))
@settings(max_examples=100, deadline=None, derandomize=True)
def test_a_line_past_the_limit_is_known_by_its_edges_only(size: int, chunk: int) -> None:
    line = bytes(65 + index % 26 for index in range(size))
    assembler = LineAssembler(10_000)
    stream = line + b"\nnext\n"
    found = []
    for start in range(0, len(stream), chunk):
        found += assembler.feed(stream[start : start + chunk])
    if not size:
        assert [each.head for each in found] == [b"next"]
        return
    first, second = found
    assert first.size == size
    assert second.head == b"next"
    if size <= 10_000:
        assert first.whole
        assert first.head == line
    else:
        assert not first.whole
        assert first.head == line[:4096]
        assert first.tail == line[-4096:]


def test_the_three_kinds_of_messages_are_told_apart() -> None:
    assert isinstance(parsed(b'{"jsonrpc":"2.0","id":1,"method":"ping"}'), JSONRPCRequest)
    assert isinstance(parsed(b'{"jsonrpc":"2.0","method":"notifications/initialized"}'), JSONRPCNotification)
    assert isinstance(parsed(b'{"jsonrpc":"2.0","id":1,"result":{}}'), JSONRPCResponse)


def test_text_that_looks_like_json_stays_text() -> None:
    message = parsed(
        b'{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":"null","b":"1","c":null,"d":[1.5,"{}"]}}'
    )
    assert isinstance(message, JSONRPCRequest)
    assert message.params == {"a": "null", "b": "1", "c": None, "d": [1.5, "{}"]}


def test_a_lone_surrogate_reaches_the_tool() -> None:
    message = parsed(b'{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":"\\ud800"}}')
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


@pytest.mark.parametrize(("line", "expected", "code"), REFUSED, ids=range(len(REFUSED)))
def test_what_is_no_message_is_refused_with_its_id(line: bytes, expected: object, code: int) -> None:
    refusal = parsed(line)
    assert isinstance(refusal, RefusedFrame)
    assert (refusal.id, refusal.code) == (expected, code)


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
def test_a_message_past_the_limit_is_refused_under_its_own_id(line: bytes) -> None:
    assembler = LineAssembler(10_000)
    [found] = assembler.feed(line % (b"y" * 50_000) + b"\n")
    refusal = parse(found, limit=10_000)
    assert isinstance(refusal, RefusedFrame)
    assert refusal.id == "a-1"
    assert "too_large" in refusal.message


def test_an_id_inside_text_is_not_mistaken_for_the_request_s() -> None:
    text = json.dumps({"jsonrpc": "2.0", "method": "m", "params": {"x": 'y,"id":5}' * 5000}}).encode()
    [found] = LineAssembler(10_000).feed(text + b"\n")
    refusal = parse(found, limit=10_000)
    assert isinstance(refusal, RefusedFrame)
    assert refusal.id is None


@given(st.binary(max_size=200))
@settings(max_examples=300, deadline=None, derandomize=True)
def test_no_line_is_more_than_refused(line: bytes) -> None:
    assert parsed(line) is not None


@pytest.mark.parametrize(
    "line",
    [
        rb'{"jsonrpc":"2.0","id":"\ud800","method":"ping"}',
        rb'{"jsonrpc":"2.0","id":"\ud800","method":5}',
        rb'{"jsonrpc":"2.0","id":"\ud800","method":"ping","params":' + b"[" * 10_000 + b"]" * 10_000 + b"}",
    ],
)
def test_an_id_that_no_answer_can_repeat_is_refused_without_it(line: bytes) -> None:
    refused = parsed(line)
    assert isinstance(refused, RefusedFrame)
    assert refused.id is None


def test_a_method_with_a_lone_surrogate_is_none() -> None:
    refused = parsed(rb'{"jsonrpc":"2.0","id":3,"method":"\ud800"}')
    assert refused == RefusedFrame(3, INVALID_REQUEST, "Invalid request: method must be a string")


def test_a_number_of_too_many_digits_is_told_as_such() -> None:
    refused = parsed(b'{"jsonrpc":"2.0","id":' + b"9" * 5000 + b',"method":"ping"}')
    assert isinstance(refused, RefusedFrame)
    assert "digits" in refused.message
