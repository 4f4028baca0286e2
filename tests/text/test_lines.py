"""Lines: their starts, ends, numbers and terminators."""

import itertools
import re
import threading
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import examples

from filewright.errors import Code, FilewrightError
from filewright.progress import Task
from filewright.text.codec import Encoding
from filewright.text.lines import (
    MAX_INDEX_ENTRIES,
    Lines,
    ReadSizes,
    count_terminators,
)

PARTS = [
    b"a",
    b"",
    b"bc",
    b"\r\n",
    b"\n",
    b"\r",
    b"\xff",
    "é".encode(),
    b"\x0b\x0c",
    "\u2028".encode(),
    b"x" * 9,
]
TEXTS = st.lists(st.sampled_from(PARTS), max_size=60).map(b"".join)
WIDE_TEXTS = st.text(alphabet="ab\r\n\u2028\u0a00\u0d0aé😀", max_size=40)


@dataclass
class Source:
    """Bytes to read; `longest_read` is the most that was read at once."""

    content: bytes
    encoding: Encoding = field(default_factory=lambda: Encoding("latin-1"))
    start: int = 0
    longest_read: int = 0

    @property
    def size(self) -> int:
        return len(self.content)

    @property
    def known_size(self) -> int:
        return len(self.content)

    def clip(self, offset: int) -> int:
        return min(offset, len(self.content))

    def read(self, offset: int, length: int) -> bytes:
        assert offset >= 0
        assert length >= 0
        self.longest_read = max(self.longest_read, length)
        return self.content[offset : offset + length]

    peek = read


@pytest.fixture(scope="module", params=[2, 4, 6, 64, None], ids=str)
def sizes(request):
    """Sizes of reads, most of them so small that each text crosses their edges."""
    size = request.param
    if size is None:
        return ReadSizes()
    return ReadSizes(block=size, page=size, first=size, longest=size, near=size)


def naive(content: bytes) -> list[bytes]:
    return re.findall(rb"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+\Z", content)


def body(line: bytes) -> bytes:
    return line.rstrip(b"\r\n")


@examples(13)
@given(content=TEXTS)
def test_finds_each_line(sizes, content):
    expected = naive(content)
    index = Lines(Source(content), read_sizes=sizes)
    assert index.count_lines() == len(expected)
    assert index.is_complete
    assert index.ends_in_terminator() == content.endswith((b"\r", b"\n"))
    offset = 0
    for number, line in enumerate(expected, 1):
        end = offset + len(line)
        assert index.has_line(number)
        assert index.offset_of(number) == offset
        for inside in range(offset, end):
            assert index.line_at(inside) == number
            assert index.line_start(inside) == offset
            assert index.line_end(inside) == end
        actual = index.read_line(offset, limit=len(content))
        assert (actual.body, actual.terminator, actual.end) == (
            body(line),
            line[len(body(line)) :],
            end,
        )
        assert actual.is_whole
        offset = end
    assert not index.has_line(0)
    assert not index.has_line(len(expected) + 1)
    assert index.offset_of(len(expected) + 1) == len(content)
    kinds = index.terminators
    assert kinds.crlf == content.count(b"\r\n")
    assert kinds.lf == content.count(b"\n") - kinds.crlf
    assert kinds.cr == content.count(b"\r") - kinds.crlf
    ended = [line[len(body(line)) :] for line in expected if body(line) != line]
    assert kinds.first == (ended[0] if ended else b"")


@examples(13)
@given(content=TEXTS, data=st.data())
def test_reads_lines_in_range(sizes, content, data):
    expected = naive(content)
    index = Lines(Source(content), read_sizes=sizes)
    assert [
        line.body + line.terminator
        for line in index.read_lines(limit=len(content))
    ] == expected
    first = data.draw(st.integers(0, len(expected)))
    start = sum(map(len, expected[:first]))
    stop = data.draw(st.integers(start, len(content)))
    limit = data.draw(st.integers(0, 4))
    found = list(index.read_lines(start, stop, limit=limit))
    offsets = [line.offset for line in found]
    begins = [
        sum(map(len, expected[:number])) for number in range(len(expected))
    ]
    assert offsets == [begin for begin in begins if start <= begin < stop]
    for line in found:
        piece = expected[begins.index(line.offset)]
        assert line.body == body(piece)[:limit]
        assert (line.length, line.body_end) == (
            len(body(piece)),
            line.offset + len(body(piece)),
        )
        assert line.is_whole == (len(body(piece)) <= limit)
    for count in range(len(expected) + 2):
        assert content[index.line_start_before(count) :] == b"".join(
            expected[len(expected) - count :]
            if count < len(expected)
            else expected
        )


@examples(13)
@given(
    content=TEXTS,
    questions=st.lists(
        st.tuples(st.sampled_from(["at", "of"]), st.integers(0, 90)),
        max_size=12,
    ),
)
def test_answers_in_any_order(sizes, content, questions):
    expected = naive(content)
    index = Lines(Source(content), read_sizes=sizes)
    for kind, value in questions:
        if kind == "at":
            inside = min(value, len(content))
            assert index.line_at(inside) == 1 + sum(
                1
                for n in range(1, len(expected) + 1)
                if sum(map(len, expected[:n])) <= inside
                and body(expected[n - 1]) != expected[n - 1]
            )
        else:
            assert index.offset_of(value) == sum(
                map(len, expected[: max(0, value - 1)])
            )


@examples(13)
@given(
    text=WIDE_TEXTS,
    codec=st.sampled_from(["utf-16-le", "utf-16-be"]),
    odd=st.booleans(),
)
def test_counts_utf16_units(sizes, text, codec, odd):
    mark = "\ufeff".encode(codec)
    content = mark + text.encode(codec) + (b"\0" if odd else b"")
    index = Lines(
        Source(content, Encoding(codec, mark), start=2), read_sizes=sizes
    )
    expected = [
        line.encode(codec)
        for line in re.findall(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+\Z", text)
    ]
    if odd:
        if expected and not text.endswith(("\r", "\n")):
            expected[-1] += b"\0"
        else:
            expected.append(b"\0")
    assert index.count_lines() == len(expected)
    offset = 2
    for number, line in enumerate(expected, 1):
        assert index.offset_of(number) == offset
        assert index.line_at(offset) == number
        assert index.line_start(offset + len(line) - 1) == offset
        assert index.line_end(offset) == offset + len(line)
        offset += len(line)
    assert [
        line.body + line.terminator
        for line in index.read_lines(limit=len(content))
    ] == expected
    for count in range(1, len(expected) + 1):
        assert content[index.line_start_before(count) :] == b"".join(
            expected[-count:]
        )


@examples(13)
@given(content=TEXTS, cuts=st.lists(st.integers(0, 200), max_size=6))
def test_adds_counts_of_parts(content, cuts):
    edges = sorted(
        {0, len(content), *(cut for cut in cuts if cut < len(content))}
    )
    total = count_terminators(b"")
    for start, stop in itertools.pairwise(edges):
        total += count_terminators(content, start, stop)
    assert total == count_terminators(content)


@pytest.mark.parametrize(
    ("content", "dominant", "name"),
    [
        (b"", b"\n", "none"),
        (b"x", b"\n", "none"),
        (b"a\r\nb\n", b"\r\n", "mixed"),
        (b"a\nb\r\n", b"\n", "mixed"),
        (b"a\rb\n", b"\r", "mixed"),
        (b"a\r\nb\r", b"\r\n", "mixed"),
        (b"a\nb\r\nc\rd\ne\r\nf\r", b"\n", "mixed"),
        (b"a\rb\nc\r\nd\r\n", b"\r\n", "mixed"),
        (b"a\rb\rc\n", b"\r", "mixed"),
        (b"a\r\r\n\r\n", b"\r\n", "mixed"),
        (b"a\r\n" * 3, b"\r\n", "crlf"),
    ],
    ids=[
        "empty",
        "no-terminator",
        "crlf-then-lf",
        "lf-then-crlf",
        "cr-then-lf",
        "crlf-then-cr",
        "two-of-each",
        "most-crlf",
        "most-cr",
        "cr-before-crlf",
        "all-crlf",
    ],
)
def test_dominant_terminator(sizes, content, dominant, name):
    terminators = Lines(Source(content), read_sizes=sizes).terminators
    assert terminators.dominant == dominant
    assert terminators.name == name


def test_stops_at_reach():
    source = Source(b"short\n" + b"x" * 1_000_000 + b"\nend\n")
    index = Lines(source)
    found = list(index.read_lines(limit=10, reach=100_000))
    assert [(line.offset, line.body, line.is_unfinished) for line in found] == [
        (0, b"short", False),
        (6, b"x" * 10, True),
    ]
    assert found[1].end == 100_006
    assert [line.body for line in index.read_lines(limit=3)] == [
        b"sho",
        b"xxx",
        b"end",
    ]


@pytest.mark.parametrize(
    "terminator", [b"\n", b"\r\n", b"\r"], ids=["lf", "crlf", "cr"]
)
def test_reads_long_line_in_parts(terminator):
    """Answer each question about a line of 60 MB with reads of at most 1 MB."""
    source = Source(
        b"first" + terminator + b"x" * (60 << 20) + terminator + b"last"
    )
    long = len(b"first" + terminator)
    last = source.size - 4
    index = Lines(source)
    assert index.count_lines() == 3
    assert index.line_start(last - 1) == long
    assert index.line_end(long) == last
    assert index.offset_of(3) == last
    assert index.line_at(last) == 3
    assert index.line_at(last - 100) == 2
    assert index.line_start_before(1) == last
    assert index.line_start_before(2) == long
    assert [
        (line.length, len(line.body)) for line in index.read_lines(limit=50)
    ] == [
        (5, 5),
        (60 << 20, 50),
        (4, 4),
    ]
    assert source.longest_read <= (1 << 20) + 16


@pytest.mark.parametrize(
    "offset",
    [
        0,
        (256 << 10) - 1,
        256 << 10,
        (1 << 20) - 1,
        1 << 20,
        (1 << 20) + (256 << 10) - 1,
    ],
)
@pytest.mark.parametrize(
    "ending", [b"\r", b"\r\n", b"\rx"], ids=["cr", "crlf", "cr-letter"]
)
def test_counts_late_carriage_return(offset, ending):
    """Count right although the counting changes at the first carriage return."""
    content = bytearray(b"ab\n" * 600_000)
    content[offset : offset + len(ending)] = ending
    assert Lines(Source(bytes(content))).terminators == count_terminators(
        bytes(content)
    )


def test_counts_in_threads(tmp_path):
    content = b"".join(
        b"%07d %s\n" % (n, b"x" * (n % 90)) for n in range(60_000)
    )
    expected = content.count(b"\n")
    for _ in range(8):
        index = Lines(Source(content))
        wrong: list[object] = []
        gate = threading.Barrier(4)

        def ask(
            seed: int,
            index: Lines = index,
            wrong: list[object] = wrong,
            gate: threading.Barrier = gate,
        ) -> None:
            gate.wait()
            for number in range(seed, expected, 7919):
                offset = index.offset_of(number + 1)
                if (
                    content[offset : offset + 7] != b"%07d" % number
                    or index.line_at(offset) != number + 1
                ):
                    wrong.append(number)
            if (
                index.count_lines() != expected
                or index.terminators.lf != expected
            ):
                wrong.append(index.count_lines())

        threads = [
            threading.Thread(target=ask, args=(seed,)) for seed in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert wrong == []


def test_resumes_cancelled_count():
    source = Source(b"line\n" * 4_000_000)
    index = Lines(source)
    task = Task(report=lambda *_: task.cancel())
    with pytest.raises(FilewrightError) as caught:
        index.count_lines(task)
    assert caught.value.code == Code.CANCELLED
    assert not index.is_complete
    assert index.count_lines(Task()) == 4_000_000


def test_limits_index_entries():
    block = ReadSizes().block_for(1 << 44)
    assert (1 << 44) // block <= MAX_INDEX_ENTRIES
