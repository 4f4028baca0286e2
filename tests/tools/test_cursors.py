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
    find_path,
    shorten_path,
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
        pytest.param(
            {"tool": "search"}, "this tool did not give that cursor", id="tool"
        ),
        pytest.param({"kind": "size"}, "another sort order", id="kind"),
    ],
)
def test_refuses_other_cursor(arguments: dict[str, str], message: str) -> None:
    cursor = encode_cursor("list", "name", [7, "a/b"])
    with pytest.raises(FilewrightError, match=message):
        decode(cursor, **arguments)


def test_refuses_cursor_of_each_other_kind() -> None:
    cursor = encode_cursor("list", "name", [7, "a/b"])
    for number in range(1_000):
        with pytest.raises(FilewrightError, match="another sort order"):
            decode(cursor, kind=f"name {number}")


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
    "arguments",
    [{"pattern": "b"}, {"glob": "b*"}, {"path": "b"}, {"mode": "regex"}],
    ids=lambda arguments: next(iter(arguments)),
)
def test_cursor_of_another_search(root, workspace, arguments):
    """Its pages would not join to the result of either search."""
    for name in "abc":
        (root / name).write_text("ab\n" * 3)
    call = {"pattern": "a", "max_results": 4}
    cursor = workspace.call("search_content", call).data["next_cursor"]
    call["cursor"] = cursor
    result = workspace.call("search_content", {**call, "path": "./"})
    assert len(result.data["results"]) == 4
    result = workspace.call("search_content", {**call, **arguments})
    assert result.data["message"] == "the cursor belongs to another search"


@pytest.mark.parametrize(
    "arguments",
    [{"glob": "b*"}, {"path": "c"}, {"depth": 0}, {"sort": "size"}],
    ids=lambda arguments: next(iter(arguments)),
)
def test_cursor_of_another_list(root, workspace, arguments):
    for name in "abc":
        (root / name).mkdir()
    call = {"limit": 2}
    call["cursor"] = workspace.call("list_files", call).data["next_cursor"]
    assert len(workspace.call("list_files", call).data["entries"]) == 1
    result = workspace.call("list_files", {**call, **arguments})
    assert result.data["message"] == "the cursor belongs to another list"


def test_cursor_of_a_renamed_file(root, workspace):
    """Under its new name the file would be searched a second time."""
    for name in "ab":
        (root / name).write_text("needle\n" * 3)
    cursor = workspace.search("needle", max_results=5).next_cursor
    os.rename(root / "b", root / "c")
    with pytest.raises(FilewrightError) as caught:
        workspace.search("needle", max_results=5, cursor=cursor)
    assert caught.value.code is Code.STALE_VERSION


@pytest.mark.parametrize(
    "cursor", ["garbage", "WyJzZWFyY2giLCJtYXRjaGVzIixbMSwiLCwiLCIiXV0"]
)
def test_search_refuses_text(root, workspace, cursor):
    (root / "f").write_text("needle\n")
    with pytest.raises(FilewrightError) as caught:
        workspace.search("needle", cursor=cursor)
    assert caught.value.code is Code.INVALID_INPUT


@pytest.mark.parametrize(
    "position",
    [
        [],
        [0, -1, 127, 128, -129, 1 << 63, -(1 << 63)],
        ["", "a\xff\0", "x" * 300],
        [1, "a", -2, "b"],
    ],
    ids=["none", "numbers", "texts", "both"],
)
def test_values(position) -> None:
    types = tuple(type(value) for value in position)
    cursor = encode_cursor("list", "name", position)
    values = decode_cursor(cursor, "list", "name", noun="call", types=types)
    assert values == position
    assert not cursor.startswith("-")


def test_marks_of_a_long_path(workspace) -> None:
    root: Root = workspace.roots[0]
    top = Location(root, (b"top",))
    parts = (b"packages", b"effect", b"source", b"Predicate.ts")
    location = Location(root, (*top.parts, *parts))
    siblings = [b"aa", b"packages", b"effect", b"source", b"Predicate.ts"]

    def list_folder(folder: Location) -> list[Location]:
        return [folder.child(name) for name in siblings]

    short = shorten_path(top, location)
    assert len(short) == 13
    assert find_path(top, short, list_folder) == location
    assert find_path(top, short, lambda folder: []) is None
    siblings += [b"packages"]
    assert find_path(top, short, list_folder) is None
    assert shorten_path(top, Location(root, (b"top", b"a.ts"))) == "a.ts"


def test_length_of_a_cursor(root, workspace) -> None:
    folder = root / "packages" / "effect" / "source" / "internal"
    folder.mkdir(parents=True)
    for number in range(30):
        (folder / f"a_long_name_of_a_file_{number}.ts").write_text(
            "needle\n" * 9
        )
    result = workspace.search("needle", max_results=15)
    assert len(result.next_cursor) <= 44
    following = workspace.search("needle", cursor=result.next_cursor)
    assert following.results[0].line == 7
    for path in folder.iterdir():
        path.unlink()
    with pytest.raises(FilewrightError, match="search stopped is gone"):
        workspace.search("needle", cursor=result.next_cursor)
