"""Edits of named lines: applied exactly there, or refused with the text that is there."""

from __future__ import annotations

from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import examples

from filewright.edit.line_search import make_line_edit
from filewright.edit.planning import plan_edits
from filewright.errors import FilewrightError
from filewright.text.snapshot import Snapshot
from filewright.text.splice import apply_splices


class Block(NamedTuple):
    search: str
    replace: str
    start: int
    end: int | None = None
    insert: bool = False


ABC = b"a\nb\nc\nd\n"


def result(
    content: bytes, *blocks: Block, encoding: str | None = None
) -> bytes:
    return apply_splices(
        content,
        plan_edits(
            Snapshot(content, encoding=encoding),
            [
                make_line_edit(*block[:4], insert=block.insert)
                for block in blocks
            ],
            fuzzy=False,
        ).splices,
    )


def refusal(content: bytes, *blocks: Block) -> FilewrightError:
    with pytest.raises(FilewrightError) as caught:
        result(content, *blocks)
    return caught.value


@pytest.mark.parametrize(
    ("content", "blocks", "expected"),
    [
        (ABC, [Block("b", "B", 2, 2)], b"a\nB\nc\nd\n"),
        (ABC, [Block("b\n", "B\n", 2, 2)], b"a\nB\nc\nd\n"),
        (ABC, [Block("b\n", "B", 2, 2)], b"a\nB\nc\nd\n"),
        (ABC, [Block("b\nc", "X\nY\nZ", 2, 3)], b"a\nX\nY\nZ\nd\n"),
        (ABC, [Block("b\nc", "b", 2, 3)], b"a\nb\nd\n"),
        (ABC, [Block("b\nc", "", 2, 3)], b"a\nd\n"),
        (ABC, [Block("b", "B", 2)], b"a\nB\nc\nd\n"),
        (
            ABC,
            [Block("d", "D", 4, 4), Block("a", "A\nA", 1, 1)],
            b"A\nA\nb\nc\nD\n",
        ),
        (ABC, [Block("a", "A", 1, 1), Block("b", "B", 2, 2)], b"A\nB\nc\nd\n"),
        (ABC, [Block("", "n", 1, insert=True)], b"n\na\nb\nc\nd\n"),
        (ABC, [Block("", "n\nm\n", 3, 2, True)], b"a\nb\nn\nm\nc\nd\n"),
        (ABC, [Block("", "n", 5, insert=True)], b"a\nb\nc\nd\nn\n"),
        (
            ABC,
            [Block("", "n", 2, insert=True), Block("", "m", 2, insert=True)],
            b"a\nn\nm\nb\nc\nd\n",
        ),
        (ABC, [Block("c", "n", 3, insert=True)], b"a\nb\nn\nc\nd\n"),
        (
            ABC,
            [Block("b", "B", 2, 2), Block("", "n", 2, insert=True)],
            b"a\nn\nB\nc\nd\n",
        ),
        (b"", [Block("", "n", 1, insert=True)], b"n\n"),
        (b"a", [Block("", "n", 2, insert=True)], b"a\nn"),
        (b"a\nb", [Block("b", "B", 2, 2)], b"a\nB"),
        (b"a\nb", [Block("b\n", "B\nC\n", 2, 2)], b"a\nB\nC"),
        (b"a\nb", [Block("b", "", 2, 2)], b"a\n"),
        (
            b"a\r\nb\r\nc\r\n",
            [Block("b\nc", "b\nX\nc", 2, 3)],
            b"a\r\nb\r\nX\r\nc\r\n",
        ),
        (
            b"a\r\nb\nc\r\n",
            [Block("a\r\nb\r\nc", "a\nb\nC", 1, 3)],
            b"a\r\nb\nC\r\n",
        ),
        (
            b"\xef\xbb\xbfa\nb\xff\n",
            [Block("a", "ä", 1, 1)],
            b"\xef\xbb\xbf\xc3\xa4\nb\xff\n",
        ),
        (b"a\n\nb\n", [Block("", "x", 2, 1, True)], b"a\nx\n\nb\n"),
        (b"a\n\nb\n", [Block("a\n\nb", "a\nb", 1, 3)], b"a\nb\n"),
    ],
)
def test_replaces_named_lines(
    content: bytes, blocks: list[Block], expected: bytes
) -> None:
    assert result(content, *blocks) == expected


def test_keeps_file_encoding() -> None:
    text = "größe\nb\n".encode("cp1252")
    assert result(
        text, Block("b", "maß", 2, 2), encoding="cp1252"
    ) == "größe\nmaß\n".encode("cp1252")


@pytest.mark.parametrize(
    ("blocks", "code", "said"),
    [
        ([], "invalid_input", "no edits"),
        ([Block("b", "B", 0, 0)], "invalid_input", "below 1"),
        ([Block("b", "B", 3, 2)], "invalid_input", "before start_line"),
        ([Block("", "B", 2, 2)], "invalid_input", "empty"),
        ([Block("", "", 2, 1, True)], "invalid_input", "nothing to insert"),
        ([Block("", "n", 6, 5, True)], "invalid_input", "past the end"),
        ([Block("\ud800", "B", 2, 2)], "invalid_input", "surrogate"),
        ([Block("x", "B", 2, 2)], "no_match", "not on line 2"),
        ([Block("b ", "B", 2, 2)], "no_match", "not on line"),
        ([Block("b\nc", "B", 2, 2)], "no_match", "not on line"),
        ([Block("x", "B", 9, 9)], "no_match", "which has 4 lines"),
        ([Block("x", "b", 2, 2)], "already_applied", "line 2"),
        ([Block("b", "b", 2, 2)], "no_change", "would not alter"),
        (
            [Block("b\nc", "B", 2, 3), Block("c", "C", 3, 3)],
            "overlap",
            "edits 1 and 2",
        ),
        (
            [Block("b", "B", 2, 2), Block("b", "C", 2, 2)],
            "overlap",
            "edits 1 and 2",
        ),
    ],
)
def test_refuses_blocks(blocks: list[Block], code: str, said: str) -> None:
    error = refusal(ABC, *blocks)
    assert error.code == code
    assert said in error.message
    assert error.hint


def test_names_text_there_and_place_of_block() -> None:
    error = refusal(ABC, Block("c\nd", "X", 1, 2))
    assert error.details["text_found"] == "a\nb"
    assert error.details["lines"] == [3]
    assert "start_line=3, end_line=4" in (error.hint or "")
    assert result(ABC, Block("c\nd", "X", 3, 4)) == b"a\nb\nX\n"


def test_lists_equal_places() -> None:
    error = refusal(b"x\na\nx\n", Block("x", "y", 2, 2))
    assert error.details["lines"] == [1, 3]


@given(
    lines=st.lists(
        st.sampled_from([b"a", b"b", b"", b" c"]), min_size=1, max_size=8
    ),
    ends=st.lists(
        st.sampled_from([b"\n", b"\r\n", b"\r"]), min_size=8, max_size=8
    ),
    start=st.integers(1, 8),
    count=st.integers(1, 4),
    new=st.lists(st.sampled_from(["a", "b", "x", "y"]), min_size=1, max_size=4),
)
@examples(25, derandomize=True)
def test_changes_only_named_lines(
    lines: list[bytes],
    ends: list[bytes],
    start: int,
    count: int,
    new: list[str],
) -> None:
    content = b"".join(
        line + end for line, end in zip(lines, ends, strict=False)
    )
    rows = content.splitlines()
    pieces = content.splitlines(keepends=True)
    end = start + count - 1
    if end > len(rows):
        return
    search = "\n".join(row.decode() for row in rows[start - 1 : end]) + "\n"
    block = Block(search, "\n".join(new) + "\n", start, end)
    if search == block.replace:
        return
    after = result(content, block)
    head, tail = b"".join(pieces[: start - 1]), b"".join(pieces[end:])
    assert after.startswith(head)
    assert after.endswith(tail)
    middle = after[len(head) : len(after) - len(tail)]
    assert [row.decode() for row in middle.splitlines()] == new
