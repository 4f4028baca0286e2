"""Lines of a client: their ends, and the first ones before the SDK is there."""

from __future__ import annotations

import io
import json
import os
import threading
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from tests.examples import examples

from filewright import Workspace
from filewright.server.greeting import HANDSHAKE_VERSIONS, Greeting
from filewright.server.inbox import Frame, Inbox, next_frame


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


@given(
    st.lists(
        st.binary(max_size=40).map(lambda line: line.replace(b"\n", b"?")),
        max_size=20,
    ),
    st.integers(1, 50),
)
@examples(17, derandomize=True)
def test_joins_pieces_of_lines(lines: list[bytes], size: int) -> None:
    stream = b"\n".join(lines)
    found = [
        each.head.removesuffix(b"\n") for each in frames(stream, size, 1000)
    ]
    assert found == [line for line in lines if line.strip()]


@given(st.integers(0, 30_000), st.integers(1, 9000))
@examples(13, derandomize=True)
def test_keeps_ends_of_a_long_line(size: int, chunk: int) -> None:
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


def test_answers_before_a_transport_connects(tmp_path: Path) -> None:
    handshake = {
        "protocolVersion": HANDSHAKE_VERSIONS[-1],
        "capabilities": {},
        "clientInfo": {"name": "t", "version": "0"},
    }
    requests = [("initialize", handshake), ("tools/list", {})]
    lines_out, lines_in = os.pipe()
    answers_out, answers_in = os.pipe()
    received: list[Frame] = []
    has_ended = threading.Event()

    def receive(frame: Frame | None) -> bool:
        if frame is None:
            has_ended.set()
            return False
        received.append(frame)
        return True

    with (
        Workspace(tmp_path, state_dir=tmp_path / "state") as workspace,
        io.FileIO(lines_out) as source,
        io.FileIO(answers_in, "w") as out,
        open(answers_out, "rb") as answers,
    ):
        with open(lines_in, "wb", buffering=0) as lines:
            inbox = Inbox(
                (source, out),
                limit=10_000,
                greeting=Greeting(workspace.offer()),
            )
            for number, (method, params) in enumerate(requests):
                request = {
                    "jsonrpc": "2.0",
                    "id": number,
                    "method": method,
                    "params": params,
                }
                lines.write(json.dumps(request).encode() + b"\n")
                answer = json.loads(answers.readline())
                assert answer["id"] == number
                assert "result" in answer
        inbox.connect(receive)
        assert has_ended.wait(30)
    # The transport gets the handshake alone: the SDK learns from it how to answer.
    assert [json.loads(frame.head)["id"] for frame in received] == [0]


def test_reads_nothing_after_the_end(tmp_path: Path) -> None:
    received: list[Frame | None] = []

    def receive(frame: Frame | None) -> bool:
        received.append(frame)
        return len(received) < 5

    others = threading.enumerate()
    lines_out, lines_in = os.pipe()
    with (
        Workspace(tmp_path, state_dir=tmp_path / "state") as workspace,
        io.FileIO(lines_out) as source,
        open(os.devnull, "wb", buffering=0) as out,
    ):
        inbox = Inbox(
            (source, out), limit=10_000, greeting=Greeting(workspace.offer())
        )
        inbox.connect(receive)
        os.close(lines_in)
        for thread in threading.enumerate():
            if thread not in others:
                thread.join()
    assert received == [None]
