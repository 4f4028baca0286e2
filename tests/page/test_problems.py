"""Errors as the page shows them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest
from starlette.exceptions import HTTPException
from starlette.requests import Request
from tests.page.conftest import expect

from filewright import Workspace
from filewright.errors import Code, FilewrightError, invalid, read_only
from filewright.hints import Hint
from filewright.page.problems import show_error, show_refusal
from filewright.page.requests import UndoRequest

if TYPE_CHECKING:
    from playwright.sync_api import Page

    Opened = Callable[..., Page]


def test_unknown_address(workspace: Workspace, opened: Opened) -> None:
    workspace.write("a.txt", "x\n")
    page = opened()
    with page.expect_response(
        lambda answer: "part=view" in answer.url
    ) as shown:
        page.goto(page.url.rpartition("/")[0] + "/0000000000000")
    assert shown.value.status == 404
    expect(page.locator("#view h1")).to_contain_text("is not here")
    expect(page.locator("#rows .row")).to_have_count(1)


def shown(error: Exception, **scope: object) -> tuple[int, str]:
    """Return the status and the HTML of an error."""
    request = Request({"type": "http", "path_params": {}, **scope})
    response = show_error(request, error)
    return response.status_code, bytes(response.body).decode()


@pytest.mark.parametrize(
    ("error", "status", "message"),
    [
        pytest.param(invalid("<b> is bad"), 400, "&lt;b&gt; is bad", id="own"),
        pytest.param(read_only(), 403, "read-only", id="read-only"),
        pytest.param(
            FilewrightError(Code.IS_BINARY, "x is binary"),
            422,
            "x is binary",
            id="other-code",
        ),
        pytest.param(
            HTTPException(405, "Method Not Allowed"), 405, "Method", id="http"
        ),
        pytest.param(KeyError("secret"), 500, "a bug in filewright", id="bug"),
    ],
)
def test_status(error: Exception, status: int, message: str) -> None:
    actual_status, html = shown(error)
    assert actual_status == status
    assert message in html
    assert "secret" not in html


def test_change_that_is_gone() -> None:
    error = FilewrightError(Code.NOT_FOUND, "no such id", "list them")
    _, html = shown(error, path_params={"kind": "change"}, root_path="/p")
    assert "not here (any more)" in html
    assert "list them" not in html
    assert 'href="/p/"' in html


def test_hints_for_people_only() -> None:
    assert "try it" in shown(invalid("x", "try it"))[1]
    hint = Hint("call get_history", shell="filewright log")
    assert "get_history" not in shown(invalid("x", hint))[1]


@pytest.mark.parametrize(
    ("details", "fields", "can_force"),
    [
        pytest.param({}, {}, True, id="stale"),
        pytest.param({"can_force": False}, {}, False, id="cannot"),
        pytest.param({}, {"force": True}, False, id="forced"),
        pytest.param({}, {"path": "a", "hunk": 1}, False, id="hunk"),
    ],
)
def test_refusal_offers_force(
    details: dict[str, Any], fields: dict[str, Any], can_force: bool
) -> None:
    body = UndoRequest(kind="change", name="x", **fields)
    conflict = {"path": "<a>", "why": "changed", "lines": [2, 3], "now": None}
    error = FilewrightError(
        Code.STALE_VERSION,
        "it changed",
        "force it",
        conflicts=[conflict],
        **details,
    )
    response = show_refusal(body, error)
    html = bytes(response.body).decode()
    assert response.status_code == 409
    assert "&lt;a&gt;" in html
    assert "lines 2–3" in html
    assert "force it" not in html
    assert ("data-force" in html) is can_force
