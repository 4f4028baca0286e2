"""One model for each kind of edit."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from filewright.tools.edit.arguments import (
    CreateFile,
    DeleteFile,
    Edit,
    EditArguments,
    MoveFile,
    MoveText,
    PlaceEdit,
    ReplaceText,
    edit_field_names,
)
from filewright.tools.schema import schema_of

ADAPTER: TypeAdapter[Any] = TypeAdapter(Edit)

KINDS = [
    ({"search": "a", "replace": "b"}, ReplaceText),
    ({"search": "", "start_line": 2, "replace": "b"}, ReplaceText),
    ({"at": {"lines": [1, 2]}, "replace": "b"}, PlaceEdit),
    ({"at": {"symbol": "f"}, "delete": True}, PlaceEdit),
    ({"at": {"after_cell": 1}, "replace": "", "cell_type": "raw"}, PlaceEdit),
    ({"from": {"symbol": "f"}}, MoveText),
    ({"from": {"start_line": 1, "end_line": 2}, "at": {"after": 3}}, MoveText),
    ({"from": {"symbol": "f"}, "content": "x", "path": "new"}, MoveText),
    ({"content": "", "path": "new"}, CreateFile),
    ({"move_to": "b", "path": "a"}, MoveFile),
    ({"delete": True, "path": "a"}, DeleteFile),
]


@pytest.mark.parametrize(("edit", "kind"), KINDS, ids=str)
def test_chooses_the_model(edit: dict[str, Any], kind: type) -> None:
    assert type(ADAPTER.validate_python(edit)) is kind


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        ({"search": "a", "replace": "b", "at": {"after": 1}}, "not go with search"),
        ({"search": "a", "replace": "b", "delete": True}, "not go with search"),
        ({"content": "a", "path": "a", "cell": 1}, "not go with content"),
        ({"delete": True, "path": "a", "start_line": 0}, "not go with delete"),
        ({"move_to": "b", "path": "a", "replace": "x"}, "not go with move_to"),
        ({"at": {"symbol": "f", "after": 1}, "replace": ""}, "at names"),
        ({"at": {"lines": [2, 1]}, "replace": ""}, "not a range"),
        ({"at": {"lines": [1]}, "replace": ""}, "not a range"),
        ({"at": {"lines": [1, 2**63]}, "replace": ""}, "not a range"),
        ({"at": {"symbol": "f"}}, "either replaces or deletes"),
        ({"at": {"after": 1}, "delete": True}, "nothing to delete"),
        ({"at": {"symbol": "f"}, "replace": "", "cell_type": "raw"}, "new cell"),
        ({"from": {"symbol": "f"}, "at": {"lines": [1, 2]}}, "moved text goes"),
        ({"from": {"symbol": "f", "start_line": 1}}, "does not name one text"),
        ({"delete": True}, "needs a path"),
        ({"move_to": "b", "path": ""}, "needs a path"),
    ],
    ids=str,
)  # fmt: skip
def test_refuses(edit: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError) as refused:
        ADAPTER.validate_python(edit)
    [problem] = refused.value.errors()
    assert problem["type"] == "argument_error"
    assert message in problem["msg"]
    assert problem["ctx"]["hint"]


@pytest.mark.parametrize("value", [1, "yes", [True]], ids=str)
def test_deletes_only_for_a_boolean(value: Any) -> None:
    with pytest.raises(ValidationError) as refused:
        ADAPTER.validate_python({"path": "a", "delete": value})
    assert [problem["loc"][-1] for problem in refused.value.errors()] == [
        "delete"
    ]


def test_names_unknown_fields_before_misplaced_ones() -> None:
    with pytest.raises(ValidationError) as refused:
        ADAPTER.validate_python(
            {"search": "a", "replace": "b", "delete": True, "junk": 1}
        )
    [problem] = refused.value.errors()
    assert problem["type"] == "extra_forbidden"
    assert problem["loc"][-1] == "junk"


def test_lists_one_flat_object() -> None:
    edit = schema_of(EditArguments)["properties"]["edits"]["items"]
    assert edit["type"] == "object"
    hidden = {"fuzzy", "end_line", "reindent", "imports"}
    assert set(edit["properties"]) == edit_field_names() - hidden
