"""Edits as clients send them, in the form of their models."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic_core import PydanticCustomError

from filewright.tools.edit.arguments import edit_field_names
from filewright.tools.edit.reading import find_kind, read_call, read_edit


def read(edit: Any) -> Any:
    return read_edit(edit, edit_field_names())


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        pytest.param(
            {"symbol": "f", "replace": "x"},
            {"at": {"symbol": "f"}, "replace": "x"},
            id="place-beside",
        ),
        pytest.param(
            {"start_line": 2, "end_line": 3, "replace": ""},
            {"at": {"lines": [2, 3]}, "replace": ""},
            id="first-and-last-line",
        ),
        pytest.param(
            {"insert_line": 2, "insert_text": "x"},
            {"at": {"after": 2}, "replace": "x"},
            id="insert-line",
        ),
        pytest.param(
            {"insert_line": 0, "insert_text": "x"},
            {"at": {"before": 1}, "replace": "x"},
            id="insert-at-the-top",
        ),
        pytest.param(
            {"at": {"before": 1}, "content": "x", "path": "a"},
            {"at": {"before": 1}, "replace": "x", "path": "a"},
            id="content-at-a-place",
        ),
        pytest.param(
            {"cell": 2, "delete": True},
            {"at": {"cell": 2}, "delete": True},
            id="delete-cell",
        ),
        pytest.param(
            {"at": {"cell": 2}, "search": "a", "replace": "b"},
            {"cell": 2, "search": "a", "replace": "b"},
            id="search-in-cell",
        ),
        pytest.param(
            {"at": {"after": "f"}, "search": "", "replace": "", "content": ""},
            {"at": {"after": "f"}, "replace": ""},
            id="idle-texts",
        ),
        pytest.param(
            {"path": "a", "content": "", "replace": "", "delete": False},
            {"path": "a", "content": "", "replace": ""},
            id="empty-new-file",
        ),
        pytest.param(
            {"search": "a", "replace": "", "replace_all": False},
            {"search": "a", "replace": ""},
            id="flag-off",
        ),
        pytest.param(
            {"path": "a", "delete": True, "content": None, "copy": None},
            {"path": "a", "delete": True},
            id="nulls",
        ),
        pytest.param(
            {"at": {"symbol": "f"}, "replace": "x", "replace_all": True},
            {"at": {"symbol": "f"}, "replace": "x"},
            id="option-of-a-search",
        ),
        pytest.param("text", "text", id="not-an-object"),
    ],
)
def test_reads(edit: Any, expected: Any) -> None:
    assert read(edit) == expected


@pytest.mark.parametrize(
    "place",
    [
        {"at": {}},
        {"at": None},
        {"at": {"symbol": ""}},
        {"symbol": " "},
        {"search": ""},
        {"from": {"lines": []}},
        {"cell": None},
        {"start_line": None, "end_line": None},
    ],
    ids=str,
)
@pytest.mark.parametrize("action", [{"delete": True}, {"move_to": "b"}])
def test_refuses_a_lost_place(
    place: dict[str, Any], action: dict[str, Any]
) -> None:
    with pytest.raises(PydanticCustomError, match="whole file"):
        read({"path": "a", **place, **action})


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        ({"replace": "x"}, "no text and no place"),
        ({"cell": 1, "replace": "x"}, "names cell 1"),
        ({"start_line": 2, "replace": "x"}, "start_line only chooses"),
        ({"insert_line": -1, "insert_text": "x"}, "not a line number"),
        ({"at": {"symbol": "f"}, "lines": [1, 2]}, "at and lines both"),
    ],
)
def test_refuses(edit: dict[str, Any], message: str) -> None:
    with pytest.raises(PydanticCustomError, match=message):
        read(edit)


@pytest.mark.parametrize(
    ("fields", "kind"),
    [
        (["delete"], "DeleteFile"),
        (["delete", "at"], "PlaceEdit"),
        (["content", "from"], "MoveText"),
        (["search", "move_to"], "ReplaceText"),
        (["junk"], None),
    ],
    ids=str,
)
def test_finds_the_kind(fields: list[str], kind: str | None) -> None:
    assert find_kind(dict.fromkeys(fields)) == kind


def test_hands_the_cell_of_a_call_to_its_edits() -> None:
    call = {
        "cell": 1,
        "edits": [
            {"search": "a"},
            {"search": "b", "cell": 2},
            {"at": {"after_cell": 3}},
        ],
    }
    assert read_call(call) == {
        "edits": [
            {"search": "a", "cell": 1},
            {"search": "b", "cell": 2},
            {"at": {"after_cell": 3}},
        ]
    }
