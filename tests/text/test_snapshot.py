"""A snapshot is the file's bytes, its lines are ours, and every tier gives the same answers."""

import os
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import examples
from tests.rows import each_row

from filewright import system
from filewright.errors import Code, FilewrightError
from filewright.settings import Settings
from filewright.text import splice
from filewright.text.snapshot import Snapshot
from filewright.text.splice import Splice


def windowed(tmp_path, data: bytes, **options) -> Snapshot:
    path = tmp_path / "f"
    path.write_bytes(data)
    return Snapshot.of_file(
        system.open_file(os.fsencode(path)), None, Settings(hold_bytes=0, **options)
    )


CONTENTS = [
    b"",
    b"x",
    b"\n",
    b"\xef\xbb\xbf",
    b"\xef\xbb\xbf" + b"line\r\nother\n" * 5000 + b"end",
    b"\xef\xbb\xbfone \xff byte\n",
    b"a\rb\r\nc\nd\r",
    b"\r" * 1000 + b"\n" * 1000,
    b"x" * 3_000_000 + b"\nend",
    b"binary\0content",
    b"text" * 5000 + b"\0" + b"text" * 5000,
    "Привет, мир, как дела?\n".encode("koi8-r") * 20,
    "日本語のテキストです。\n".encode("cp932") * 50,
    "\ufeffwide\r\nlines\n\u0a0a\u0d0d\r\n".encode("utf-16-le") * 30,
    "\ufeffwide\nlines\n".encode("utf-16-be"),
    "\ufefftext\n".encode("utf-32-le"),
]


def described(snapshot: Snapshot) -> list[object]:
    """Everything that can be asked of a snapshot."""
    lines = snapshot.lines
    facts: list[object] = [
        snapshot.size,
        snapshot.binary_type,
        replace(snapshot.encoding, is_sampled=False),
        snapshot.start,
        snapshot.version,
    ]
    facts += [
        lines.count_lines(),
        lines.terminators,
        snapshot.dominant_terminator,
        lines.ends_in_terminator(),
        snapshot.digest(),
    ]
    facts += [
        [line for line, _ in zip(lines.read_lines(limit=50), range(300), strict=False)]
    ]
    offsets = [
        *range(0, 12),
        *range(12, snapshot.size, max(1, snapshot.size // 40)),
        snapshot.size,
    ]
    for offset in offsets:
        facts += [
            snapshot.read(offset, 7),
            lines.line_at(offset),
            lines.line_start(offset),
            lines.line_end(offset),
        ]
    for number in [
        *range(12),
        lines.count_lines() // 2,
        lines.count_lines(),
        lines.count_lines() + 1,
    ]:
        facts += [
            lines.has_line(number),
            lines.offset_of(number),
            lines.line_start_before(number),
        ]
    facts += [
        snapshot.matches(snapshot.version),
        snapshot.matches("0" * 16),
        list(snapshot.blocks(1, 9, 3)),
    ]
    return facts


@each_row("content", CONTENTS)
def test_windows_and_held_bytes_answer_alike(tmp_path, content):
    with windowed(tmp_path, content) as snapshot:
        held = Snapshot(content)
        assert snapshot.content is None or not content
        assert held.content == content
        assert described(snapshot) == described(held)


def test_files_above_sixteen_megabytes_are_not_held(tmp_path):
    path = tmp_path / "f"
    for size, held in ((16 << 20, True), ((16 << 20) + 1, False)):
        with path.open("wb") as file:
            file.truncate(size)
        with Snapshot.of_file(
            system.open_file(os.fsencode(path)), None, Settings()
        ) as snapshot:
            assert (snapshot.content is not None) == held


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
        assert token == Snapshot(b"abc").version
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
    return Snapshot.of_file(
        system.open_file(os.fsencode(tmp_path / "f")),
        None,
        Settings(hold_bytes=0, **options),
    )


@examples(33)
@given(
    data=st.binary(max_size=80),
    cuts=st.lists(
        st.tuples(st.integers(0, 80), st.integers(0, 10), st.binary(max_size=5)),
        max_size=6,
    ),
)
def test_bytes_outside_splices_are_identical(data, cuts):
    wanted, position = [], 0
    for offset, length, replacement in sorted(cuts):
        if offset < position or offset + length > len(data):
            continue
        wanted.append(Splice(offset, length, replacement))
        position = offset + length + 1
    splices = splice.sort_splices(wanted, len(data))
    result = splice.apply_splices(data, splices)
    at = shift = 0
    for s in splices:
        assert result[at + shift : s.offset + shift] == data[at : s.offset]
        assert (
            result[s.offset + shift : s.offset + shift + len(s.replacement)]
            == s.replacement
        )
        shift += len(s.replacement) - s.length
        at = s.end
    assert result[at + shift :] == data[at:]


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
        splice.sort_splices(splices, 5)
    assert caught.value.code == code
