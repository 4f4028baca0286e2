"""A snapshot is the file's bytes, its lines are ours, and every tier gives the same answers."""

import os
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from filewright.errors import Code, FilewrightError
from filewright.settings import Settings
from filewright.text import Snapshot, splice
from filewright.text.splice import Splice
from filewright.text.terminators import counted, counted_in_bulk, joined

LINE = re.compile(rb"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+\Z")
TEXTS = st.lists(
    st.sampled_from(
        [b"a", b"", b"bc", b"\r\n", b"\n", b"\r", b"\xff", "é".encode(), b"\x0b\x0c", "\u2028".encode()]
    ),
    max_size=60,
).map(b"".join)


def reference(data: bytes) -> list[bytes]:
    return LINE.findall(data)


def windowed(tmp_path, data: bytes, **options) -> Snapshot:
    path = tmp_path / "f"
    path.write_bytes(data)
    return Snapshot.of_descriptor(os.open(path, os.O_RDONLY), None, Settings(hold_bytes=0, **options))


@pytest.fixture(params=[3, 5, 256 << 10])
def block(request, monkeypatch):
    monkeypatch.setattr("filewright.text.lines.BLOCK", request.param)
    return request.param


@settings(max_examples=150)
@given(data=TEXTS, size=st.sampled_from([2, 3, 7, 1 << 18]))
def test_lines_are_what_the_three_terminators_make(data, size):
    from filewright.text import lines

    whole, lines.BLOCK = lines.BLOCK, size
    try:
        snapshot = Snapshot.of_bytes(data, encoding="latin-1")
        expected = reference(data)
        assert snapshot.line_count == len(expected)
        offset = 0
        for number, line in enumerate(expected, 1):
            assert snapshot.lines.offset_of(number) == offset
            assert snapshot.lines.has_line(number)
            for inside in range(len(line)):
                assert snapshot.lines.line_at(offset + inside) == number
            whole_line = snapshot.line_starting(offset)
            assert whole_line.body + whole_line.terminator == line
            offset += len(line)
        assert snapshot.lines.offset_of(len(expected) + 1) == len(data)
        assert not snapshot.lines.has_line(len(expected) + 1)
        assert [ln.body + ln.terminator for ln in snapshot.iter_lines()] == expected
        for count in range(1, len(expected) + 2):
            assert data[snapshot.last_lines(count) :] == b"".join(expected[-count:])
        kinds = snapshot.terminators
        assert kinds.crlf == data.count(b"\r\n")
        assert kinds.lf == data.count(b"\n") - kinds.crlf
        assert kinds.cr == data.count(b"\r") - kinds.crlf
    finally:
        lines.BLOCK = whole


@settings(max_examples=60)
@given(
    text=st.text(alphabet="ab\r\n\u2028é😀", max_size=40), codec=st.sampled_from(["utf-16-le", "utf-16-be"])
)
def test_utf16_lines_are_counted_in_units(text, codec):
    from filewright.text import lines

    whole, lines.BLOCK = lines.BLOCK, 6
    try:
        bom = b"\xff\xfe" if codec.endswith("le") else b"\xfe\xff"
        data = bom + text.encode(codec)
        snapshot = Snapshot.of_bytes(data)
        if text.startswith("\0"):
            return
        expected = [ln.encode(codec) for ln in re.findall(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+\Z", text)]
        assert snapshot.encoding.name == codec
        assert snapshot.line_count == len(expected)
        offset = 2
        for number, line in enumerate(expected, 1):
            assert snapshot.lines.offset_of(number) == offset
            assert snapshot.lines.line_at(offset) == number
            offset += len(line)
        assert b"".join(ln.body + ln.terminator for ln in snapshot.iter_lines()) == data[2:]
    finally:
        lines.BLOCK = whole


@pytest.mark.parametrize(
    ("data", "dominant", "name"),
    [
        (b"", b"\n", "none"),
        (b"x", b"\n", "none"),
        (b"a\r\nb\n", b"\r\n", "mixed"),
        (b"a\nb\r\n", b"\n", "mixed"),
        (b"a\rb\rc\n", b"\r", "mixed"),
        (b"a\r\r\n\r\n", b"\r\n", "mixed"),
        (b"a\r\n" * 3, b"\r\n", "crlf"),
    ],
)
def test_dominant_terminator(data, dominant, name, block):
    snapshot = Snapshot.of_bytes(data)
    assert snapshot.dominant == dominant
    assert snapshot.terminators.name == name


def test_first_terminator_across_a_block_border(block):
    data = b"ab\r\n" + b"x\r\ny\n"
    assert Snapshot.of_bytes(data).terminators.first == b"\r\n"
    assert joined(counted(b"ab\r", following_lf=True), counted(b"x")).crlf == 1


def test_windows_and_held_bytes_answer_alike(tmp_path):
    data = b"\xef\xbb\xbf" + b"line\r\nother\n" * 5000 + b"end"
    with windowed(tmp_path, data) as snapshot:
        held = Snapshot.of_bytes(data)
        assert snapshot.held is None
        assert held.held == data
        assert snapshot.encoding.bom == b"\xef\xbb\xbf"
        for name in ("size", "line_count", "terminators", "version", "start"):
            assert getattr(snapshot, name) == getattr(held, name)
        assert snapshot.read(5, 7) == held.read(5, 7)
        assert snapshot.read(len(data) - 2, 100) == held.read(len(data) - 2, 100) == b"nd"


def test_a_file_truncated_while_read_is_an_error_not_a_crash(tmp_path):
    with windowed(tmp_path, b"x" * 100_000) as snapshot:
        os.truncate(tmp_path / "f", 10)
        with pytest.raises(FilewrightError) as caught:
            snapshot.read(50, 10)
        assert caught.value.code == Code.IO_ERROR


def test_versions_are_bound_to_content_and_large_ones_to_identity(tmp_path):
    with windowed(tmp_path, b"abc") as small:
        token = small.version
        assert small.matches(token)
        assert token == Snapshot.of_bytes(b"abc").version
    with windowed(tmp_path, b"abc", identity_bytes=0) as large:
        by_identity = large.version
        assert by_identity.startswith("~")
        assert large.matches(by_identity)
        assert large.matches(token)
        assert not large.matches("0" * 16)
    (tmp_path / "f").write_bytes(b"abd")
    with windowed_again(tmp_path, identity_bytes=0) as changed:
        assert not changed.matches(by_identity)
        assert not changed.matches(token)


def windowed_again(tmp_path, **options) -> Snapshot:
    return Snapshot.of_descriptor(
        os.open(tmp_path / "f", os.O_RDONLY), None, Settings(hold_bytes=0, **options)
    )


@settings(max_examples=200)
@given(
    data=st.binary(max_size=80),
    cuts=st.lists(st.tuples(st.integers(0, 80), st.integers(0, 10), st.binary(max_size=5)), max_size=6),
)
def test_bytes_outside_splices_are_identical_and_the_inverse_restores(data, cuts):
    wanted, position = [], 0
    for offset, length, replacement in sorted(cuts):
        if offset < position or offset + length > len(data):
            continue
        wanted.append(Splice(offset, length, replacement))
        position = offset + length + 1
    splices = splice.ordered(wanted, len(data))
    result = splice.apply(data, splices)
    at = shift = 0
    for s in splices:
        assert result[at + shift : s.offset + shift] == data[at : s.offset]
        assert result[s.offset + shift : s.offset + shift + len(s.replacement)] == s.replacement
        shift += len(s.replacement) - s.length
        at = s.end
    assert result[at + shift :] == data[at:]
    assert splice.apply(result, splice.inverse(data, splices)) == data


@pytest.mark.parametrize(
    ("splices", "code"),
    [
        ([Splice(0, 3, b""), Splice(2, 1, b"")], Code.OVERLAP),
        ([Splice(1, 0, b"x"), Splice(1, 0, b"y")], Code.OVERLAP),
        ([Splice(4, 3, b"")], Code.INVALID_INPUT),
        ([Splice(-1, 1, b"")], Code.INVALID_INPUT),
    ],
)
def test_impossible_splices_are_refused(splices, code):
    with pytest.raises(FilewrightError) as caught:
        splice.ordered(splices, 5)
    assert caught.value.code == code


@given(data=TEXTS)
def test_counting_in_bulk_is_counting(data):
    assert counted_in_bulk(data) == counted(data)
