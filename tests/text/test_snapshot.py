"""Snapshots: the same answers from memory and from the file, versions and indexes."""

import os
from dataclasses import replace

import pytest

from filewright import system
from filewright.errors import Code, FilewrightError
from filewright.settings import Settings
from filewright.text.cache import BoundedCache
from filewright.text.snapshot import Snapshot


def windowed(tmp_path, data: bytes, **options) -> Snapshot:
    path = tmp_path / "f"
    path.write_bytes(data)
    return Snapshot.of_file(
        system.open_file(os.fsencode(path)),
        None,
        Settings(hold_bytes=0, **options),
    )


CONTENTS = {
    "empty": b"",
    "one-byte": b"x",
    "line-feed": b"\n",
    "bom": b"\xef\xbb\xbf",
    "bom-and-lines": b"\xef\xbb\xbf" + b"line\r\nother\n" * 5000 + b"end",
    "bom-and-damage": b"\xef\xbb\xbfone \xff byte\n",
    "all-terminators": b"a\rb\r\nc\nd\r",
    "carriage-returns": b"\r" * 1000 + b"\n" * 1000,
    "long-line": b"x" * 3_000_000 + b"\nend",
    "nul-at-start": b"binary\0content",
    "nul-in-middle": b"text" * 5000 + b"\0" + b"text" * 5000,
    "koi8-r": "Привет, мир, как дела?\n".encode("koi8-r") * 20,
    "cp932": "日本語のテキストです。\n".encode("cp932") * 50,
    "utf-16-le": "\ufeffwide\r\nlines\n\u0a0a\u0d0d\r\n".encode("utf-16-le")
    * 30,
    "utf-16-be": "\ufeffwide\nlines\n".encode("utf-16-be"),
    "utf-32-le": "\ufefftext\n".encode("utf-32-le"),
}


def described(snapshot: Snapshot) -> list[object]:
    """Return the answers of all methods of a snapshot."""
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
        [
            line
            for line, _ in zip(
                lines.read_lines(limit=50), range(300), strict=False
            )
        ]
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


@pytest.mark.parametrize("content", CONTENTS.values(), ids=CONTENTS)
def test_same_answers_without_content(tmp_path, content):
    with windowed(tmp_path, content) as snapshot:
        held = Snapshot(content)
        assert snapshot.content is None or not content
        assert held.content == content
        assert described(snapshot) == described(held)


def test_holds_up_to_16_mb(tmp_path):
    path = tmp_path / "f"
    for size, held in ((16 << 20, True), ((16 << 20) + 1, False)):
        with path.open("wb") as file:
            file.truncate(size)
        with Snapshot.of_file(
            system.open_file(os.fsencode(path)), None, Settings()
        ) as snapshot:
            assert (snapshot.content is not None) == held


def test_reports_truncated_file(tmp_path):
    with windowed(tmp_path, b"x" * 100_000) as snapshot:
        os.truncate(tmp_path / "f", 10)
        with pytest.raises(FilewrightError) as caught:
            snapshot.read(50, 10)
        assert caught.value.code == Code.IO_ERROR


def test_version(tmp_path):
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
    """Open the file once more, without writing it."""
    return Snapshot.of_file(
        system.open_file(os.fsencode(tmp_path / "f")),
        None,
        Settings(hold_bytes=0, **options),
    )


def open_with_indexes(path, indexes, **options) -> Snapshot:
    return Snapshot.of_file(
        system.open_file(os.fsencode(path)),
        None,
        Settings(hold_bytes=0, **options),
        indexes=indexes,
    )


def test_shares_line_index(tmp_path):
    """The count of the start of a file must not pass for one of the whole file."""
    content = b"unix line\n" * 60_000 + b"dos line\r\n" * 200_000
    path = tmp_path / "f"
    path.write_bytes(content)
    os.utime(path, ns=(10**18, 10**18))
    indexes = BoundedCache(1 << 20)
    with open_with_indexes(path, indexes) as first:
        assert first.lines.offset_of(500) == 499 * 10
    with (
        open_with_indexes(path, indexes) as second,
        open_with_indexes(path, indexes) as third,
    ):
        assert second.lines.offset_of(200_000) == 60_000 * 10 + 139_999 * 10
        assert not second.lines.is_complete
        assert third.lines.count_lines() == 260_000
        for snapshot in (second, third):
            assert snapshot.lines.terminators.counts() == {
                "lf": 60_000,
                "crlf": 200_000,
                "cr": 0,
            }
            assert snapshot.dominant_terminator == b"\r\n"


def test_drops_line_index_of_changed_file(tmp_path):
    path = tmp_path / "f"
    path.write_bytes(b"a\n" * 500_000)
    indexes = BoundedCache(1 << 20)
    with open_with_indexes(path, indexes) as snapshot:
        with path.open("ab") as file:
            file.write(b"more\n")
        assert snapshot.lines.count_lines() == 500_000
    assert indexes.total == 0
