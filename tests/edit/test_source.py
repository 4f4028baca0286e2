"""Texts that are held and files that are read by pages are located alike."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import examples
from tests.files import Windowed

from filewright import system
from filewright.edit.locate import locate
from filewright.edit.model import EditMatch, NotLocated, Tier
from filewright.edit.planning import plan_edits
from filewright.edit.request import TextEdit
from filewright.edit.source import Source
from filewright.errors import Code, FilewrightError
from filewright.settings import Settings
from filewright.text.snapshot import Snapshot
from filewright.text.splice import apply_splices

LINES = [
    "a",
    "b",
    "  a",
    "a b",
    "a  b",
    "",
    " ",
    "word",
    "# the word of it",
    "x" * 40,
]


texts = st.lists(
    st.tuples(st.sampled_from(LINES), st.sampled_from(["\n", "\r\n", "\r"])),
    min_size=1,
    max_size=14,
).map(lambda parts: "".join(line + end for line, end in parts))


asked = st.lists(st.sampled_from(LINES), min_size=1, max_size=4).map("\n".join)


def described(snapshot: Snapshot, edit: TextEdit) -> Any:
    found = locate(Source(snapshot), edit)
    if isinstance(found, NotLocated):
        return found.code, found.reached, found.spans
    return found.tier, [part.span for part in found.parts]


@examples(34, derandomize=True)
@given(texts, asked)
def test_pages_match_as_held_text(text: str, search: str) -> None:
    edit = TextEdit(search or "a", "new")
    streamed = described(Windowed(text.encode()), edit)
    assert streamed == described(Snapshot(text.encode()), edit)


@examples(25, derandomize=True)
@given(texts)
def test_rows_from_both_sides(text: str) -> None:
    data = text.encode()
    expected = [
        (line.offset, line.body, line.terminator)
        for line in Snapshot(data).lines.read_lines()
    ]
    for snapshot in (Windowed(data), Snapshot(data)):
        source = Source(snapshot)
        assert [
            (row.offset, row.body, row.terminator) for row in source.rows()
        ] == expected
        for offset in range(len(data)):
            row = source.row_holding(offset)
            assert row.offset <= offset < row.end
            assert (row.offset, row.body, row.terminator) in expected
        row = source.row_holding(len(data) - 1)
        back = [row.offset]
        while (before := source.row_before(row)) is not None:
            row = before
            back.append(row.offset)
        assert back[::-1] == [offset for offset, _, _ in expected]


@pytest.mark.parametrize("kind", [Windowed, Snapshot])
def test_overlong_line(
    kind: type[Snapshot],
) -> None:
    data = b"  start\n" + b"x" * 1_500_000 + b"\n  end\n"
    found = locate(Source(kind(data)), TextEdit("end  ", "fin"))
    assert isinstance(found, EditMatch)
    assert data[found.span.start : found.span.end] == b"  end\n"
    for length in (1 << 20, 1_499_999):
        assert isinstance(
            locate(Source(kind(data)), TextEdit("x" * length + " \n", "y")),
            NotLocated,
        )


@pytest.fixture
def file(tmp_path: Path) -> Iterator[Any]:
    opened: list[Snapshot] = []

    def make(data: bytes) -> Snapshot:
        path = tmp_path / "file"
        path.write_bytes(data)
        location: Any = SimpleNamespace(asked="file", name=b"file")
        opened.append(
            Snapshot.of_file(
                system.open_file(os.fsencode(path)),
                location,
                Settings(hold_bytes=0),
            )
        )
        return opened[-1]

    yield make
    for snapshot in opened:
        snapshot.close()


def test_edits_file_read_by_pages(file: Any) -> None:
    text = (
        "".join(f"line {i} of many\n" for i in range(30_000))
        + "def f(a):  \n\n\treturn a\n"
    )
    edits = [
        TextEdit("line 29999 of many\n", "line 29999 of many\nand one more\n"),
        TextEdit("def f(a):\n    return a\n", "def f(a):\n    return 0\n"),
        TextEdit("and one more\ndef f(a):  \n", "and no more\ndef f(a):\n"),
    ]
    made = plan_edits(file(text.encode()), edits)
    assert [outcome.tier for outcome in made.outcomes] == [
        Tier.EXACT,
        Tier.BLANK_LINES,
        Tier.EXACT,
    ]
    result = apply_splices(text.encode(), made.splices).decode()
    assert result == text.replace(
        "def f(a):  \n", "and no more\ndef f(a):\n"
    ).replace("return a", "return 0")


def test_refuses_search_text_longer_than_pages(file: Any) -> None:
    with pytest.raises(FilewrightError) as caught:
        plan_edits(
            file(b"x" * (9 << 20)), [TextEdit("x" * (8 << 20) + "y", "z")]
        )
    assert caught.value.code == Code.TOO_LARGE
