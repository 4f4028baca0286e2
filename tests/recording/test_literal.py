"""Edits that are plain in the bytes of a file."""

from __future__ import annotations

import pytest

from filewright.recording.damage import Healing
from filewright.recording.literal import heal_plain_edit
from filewright.recording.tool_arguments import (
    RequestedReplacement,
    ToolEdit,
    WholeText,
)

EDIT = (RequestedReplacement("80", "8080"),)


@pytest.mark.parametrize(
    ("before", "after", "edit"),
    [
        (b"a\r\nport = 80\r\n", b"a\r\nport = 8080\r\n", EDIT),
        (
            b"a\r\n80\r\n",
            b"a\r\n1\r\n2\r\n",
            (RequestedReplacement("80", "1\n2"),),
        ),
        (b"a\r\n80\r\n", b"80\r\n", (RequestedReplacement("a\n80", "80"),)),
        (b"caf\xe9\nport = 80\n", b"caf\xe9\nport = 8080\n", EDIT),
        (
            "é 80\n".encode(),
            "é é\n".encode(),
            (RequestedReplacement("80", "é"),),
        ),
        (
            b"80 80",
            b"1 1",
            (RequestedReplacement("80", "1", is_everywhere=True),),
        ),
        (b"a\n", "é\n".encode(), WholeText("é\n")),
    ],
    ids=[
        "CRLF",
        "new line with CRLF",
        "CRLF removed",
        "Latin-1",
        "UTF-8",
        "everywhere",
        "whole",
    ],
)
def test_knows_undamaged_files(
    before: bytes, after: bytes, edit: ToolEdit
) -> None:
    assert heal_plain_edit(before, after, edit) == Healing()


@pytest.mark.parametrize(
    ("before", "after", "edit"),
    [
        (b"80\n", b"8080\n", None),
        (b"80 80\n", b"8080 80\n", EDIT),
        (b"a 80\n", b"a\n", (RequestedReplacement("b", "c"),)),
        (b"a\r\n80\n", b"a\r\n1\n2\n", (RequestedReplacement("80", "1\n2"),)),
        (b"a\r80\r", b"a\r1\n2\r", (RequestedReplacement("80", "1\n2"),)),
        (b"8\x000\x00", b"8\x001\x00", (RequestedReplacement("0", "1"),)),
        (b"\x1b$B80", b"\x1b$B8080", EDIT),
        (
            b"caf\xe9 80",
            b"caf\xe9 \xc3\xa9",
            (RequestedReplacement("80", "é"),),
        ),
        (b"# coding: latin-1", b"\xc3\xa9", (RequestedReplacement("#", "é"),)),
        (b"80", b"", (RequestedReplacement("80", "\ud800"),)),
        (b"\xef\xbb\xbfa\n", b"b\n", WholeText("b\n")),
        (b"80\n", b"8080\nmore\n", EDIT),
    ],
    ids=[
        "unknown arguments",
        "twice",
        "not there",
        "new lines among mixed ends",
        "new lines among CR",
        "UTF-16",
        "shift states",
        "not ASCII in Latin-1",
        "declared encoding",
        "lone surrogate",
        "whole with a mark",
        "a formatter, too",
    ],
)
def test_leaves_others_to_the_engine(
    before: bytes, after: bytes, edit: ToolEdit | None
) -> None:
    assert heal_plain_edit(before, after, edit) is None


def test_heals_a_large_file_that_is_plain() -> None:
    lines = "".join(f"\tcafé {number}\n" for number in range(1_000_000))
    before = f"{lines}port = 80\n"
    after = before.replace("port = 80", "port = 8080")
    healing = heal_plain_edit(
        before.encode("cp1252"),
        after.encode("cp1252").decode("utf-8", "replace").encode(),
        (RequestedReplacement("port = 80", "port = 8080"),),
    )
    assert healing is not None
    assert healing.content == after.encode("cp1252")
