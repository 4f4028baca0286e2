"""Bodies of requests that the page refuses."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest
from pydantic import ValidationError
from tests.page.conftest import Served

from filewright import Workspace
from filewright.page.requests import (
    AnswerRequest,
    CommentRequest,
    DecisionRequest,
    PageRequest,
    UndoRequest,
    ViewedRequest,
)

if TYPE_CHECKING:
    from playwright.sync_api import Page

    Opened = Callable[..., Page]


BAD = [
    {},
    {"kind": "change", "name": "x", "accept": 5},
    {"kind": "nothing", "name": "x", "accept": True},
    {"kind": "change", "name": "x", "accept": True, "files": ["a b"]},
    {"kind": "change", "name": "\ud800", "accept": True},
]


def test_refuses_bad_decisions(
    workspace: Workspace, serve: Callable[..., Served]
) -> None:

    with serve().client() as client:
        for bad in BAD:
            assert (
                client.post("/decide", content=json.dumps(bad)).status_code
                == 400
            )
        assert client.get("/nothing/x").status_code == 404
        assert client.get("/nothing/x?part=view").status_code == 404


COMMENT = {
    "kind": "change",
    "name": "x",
    "index": 0,
    "before": False,
    "first": 1,
    "last": 1,
    "words": "x",
}
DECISION = {"kind": "new", "name": "x", "accept": True}
KEY = "0" * 32


@pytest.mark.parametrize(
    ("model", "body"),
    [
        pytest.param(CommentRequest, COMMENT, id="comment"),
        pytest.param(DecisionRequest, DECISION, id="decision"),
        pytest.param(
            DecisionRequest, {**DECISION, "hunks": [f"{KEY}.1", KEY]}, id="keys"
        ),
        pytest.param(ViewedRequest, {"newest": "0" * 13}, id="viewed"),
        pytest.param(AnswerRequest, {"call": "x", "allow": False}, id="answer"),
    ],
)
def test_accepts(model: type[PageRequest], body: dict[str, Any]) -> None:
    assert model.model_validate(body).model_dump(exclude_unset=True) == body


@pytest.mark.parametrize(
    ("model", "body", "field"),
    [
        (UndoRequest, {**DECISION, "hunk": 0}, "hunk"),
        (UndoRequest, {**DECISION, "preview": "no"}, "preview"),
        (UndoRequest, {**DECISION, "newest": "x" * 101}, "newest"),
        (CommentRequest, {**COMMENT, "words": " \n"}, "words"),
        (CommentRequest, {**COMMENT, "index": True}, "index"),
        (ViewedRequest, {"newest": "0" * 13 + "\n"}, "newest"),
        (AnswerRequest, {"call": "x", "allow": 1}, "allow"),
        (DecisionRequest, {**DECISION, "hunks": [f"{KEY}."]}, "hunks"),
        (DecisionRequest, {**DECISION, "files": [KEY] * 5_001}, "files"),
    ],
)
def test_refuses(
    model: type[PageRequest], body: dict[str, Any], field: str
) -> None:
    with pytest.raises(ValidationError) as refusal:
        model.model_validate(body)
    assert {problem["loc"][0] for problem in refusal.value.errors()} == {field}
