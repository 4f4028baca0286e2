"""Cursors: they hold a position, and no other call takes them."""

from __future__ import annotations

import os

import pytest

from filewright import FilewrightError
from filewright.boundary.location import Location, Root
from filewright.errors import Code
from filewright.tools.cursors import (
    decode_cursor,
    decode_path,
    encode_cursor,
    encode_path,
)

TYPES = (int, str)


def decode(cursor: str, tool: str = "list", kind: str = "name") -> list[object]:
    return decode_cursor(cursor, tool, kind, noun="sort order", types=TYPES)


def test_round_trip() -> None:
    cursor = encode_cursor("list", "name", [7, "a/b"])
    assert decode(cursor) == [7, "a/b"]
    assert cursor.isascii()
    assert "=" not in cursor


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param({"tool": "search"}, "not one that this tool", id="tool"),
        pytest.param({"kind": "size"}, "another sort order", id="kind"),
    ],
)
def test_refuses_other_cursor(arguments: dict[str, str], message: str) -> None:
    cursor = encode_cursor("list", "name", [7, "a/b"])
    with pytest.raises(FilewrightError, match=message):
        decode(cursor, **arguments)


@pytest.mark.parametrize(
    "cursor",
    [
        pytest.param("", id="empty"),
        pytest.param("rubbish", id="rubbish"),
        pytest.param("ü", id="not-ascii"),
        pytest.param(encode_cursor("list", "name", ["7", "a"]), id="types"),
        pytest.param(encode_cursor("list", "name", [7]), id="too-short"),
    ],
)
def test_refuses_text(cursor: str) -> None:
    with pytest.raises(FilewrightError) as caught:
        decode(cursor)
    assert caught.value.details["argument"] == "cursor"


def test_path_of_any_bytes(workspace) -> None:
    root: Root = workspace.roots[0]
    top = Location(root, (b"top",))
    location = Location(root, (b"top", b"a\xff", b"b"))
    assert decode_path(top, encode_path(top, location)) == location
    assert decode_path(top, "") == top


@pytest.mark.parametrize("where", ["app.log", "."])
def test_cursor_of_another_file(root, workspace, where):
    log = root / "app.log"
    log.write_text("needle old\n" * 20)
    cursor = workspace.search("needle", path=where, max_results=5).data[
        "next_cursor"
    ]
    with log.open("a") as file:
        file.write("needle new\n")  # a log that only grows is the same file
    assert (
        workspace.search("needle", path=where, cursor=cursor).data["results"][
            -1
        ]["text"]
        == "needle new"
    )
    os.rename(log, root / "app.log.1.gz")
    log.write_text("needle rotated\n" * 2)
    with pytest.raises(FilewrightError) as caught:
        workspace.search("needle", path=where, cursor=cursor)
    assert caught.value.code is Code.STALE_VERSION
    assert "app.log" in caught.value.message
    log.write_text("another text of the same name, rewritten in place\n" * 20)
    with pytest.raises(FilewrightError) as caught:
        workspace.search("needle", path=where, cursor=cursor)
    assert caught.value.code is Code.STALE_VERSION


@pytest.mark.parametrize(
    "cursor", ["garbage", "WyJzZWFyY2giLCJtYXRjaGVzIixbMSwiLCwiLCIiXV0"]
)
def test_search_refuses_text(root, workspace, cursor):
    (root / "f").write_text("needle\n")
    with pytest.raises(FilewrightError) as caught:
        workspace.search("needle", cursor=cursor)
    assert caught.value.code is Code.INVALID_INPUT
