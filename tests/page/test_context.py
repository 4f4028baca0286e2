"""Values and answers that the parts of the page share."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from starlette.requests import Request

from filewright import Workspace
from filewright.errors import Code, FilewrightError
from filewright.page.context import PageContext, part_response
from filewright.page.parts import Picture
from filewright.page.requests import PageRequest, ViewedRequest

BODY = b'{"newest": "0000000000000"}'

Post = Callable[..., Any]


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def request(body: bytes = b"", **scope: Any) -> Request:
    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body, "more_body": False}

    return Request({"type": "http", "headers": [], **scope}, receive)


def handle(_request: Request, body: PageRequest) -> str:
    return f"seen {body.model_dump()['newest'][:1]}"


@pytest.mark.anyio
async def test_post_says_text(workspace: Workspace) -> None:
    route = PageContext(workspace).post("/seen", ViewedRequest, handle)
    answer = await route.endpoint(request(BODY))
    assert json.loads(answer.body) == {"said": "seen 0"}
    assert route.methods == {"POST"}


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("body", "message"),
    [
        pytest.param(b"{", "the body: ", id="no-json"),
        pytest.param(b"{}", "newest: Field required", id="no-field"),
        pytest.param(BODY + b" " * (1 << 18), "the body: ", id="too-long"),
    ],
)
async def test_post_names_the_field(
    workspace: Workspace, body: bytes, message: str
) -> None:
    route = PageContext(workspace).post("/seen", ViewedRequest, handle)
    with pytest.raises(FilewrightError, match=message) as refusal:
        await route.endpoint(request(body))
    assert refusal.value.code is Code.INVALID_INPUT


@pytest.mark.anyio
async def test_read_only(folder: Path, tmp_path: Path) -> None:
    with Workspace(
        folder, state_dir=tmp_path / "state", read_only=True
    ) as workspace:
        context = PageContext(workspace)
        act = context.post("/act", ViewedRequest, handle)
        look = context.post("/look", ViewedRequest, handle, only_reads=True)
        with pytest.raises(FilewrightError) as refusal:
            await act.endpoint(request(BODY))
        assert refusal.value.code is Code.READ_ONLY
        assert (await look.endpoint(request(BODY))).status_code == 200
        assert context.shared_values(request())["acting"] is False


def test_selects_again_after_a_change(workspace: Workspace) -> None:
    context = PageContext(workspace)
    workspace.write("a.txt", "x\n")
    first = context.select("change", "@")
    assert context.select("change", "@") is first
    workspace.write("b.txt", "x\n")
    (change,) = context.select("change", "@").record.file_changes
    assert change.path.display_path == "b.txt"


def test_touched_paths(workspace: Workspace) -> None:
    workspace.write("a.txt", "x\n")
    context = PageContext(workspace)
    name = workspace.record("@").id
    (path,) = context.touched_paths(name)
    assert path.display_path == "a.txt"
    assert context.touched_paths("0" * 13) == []


def test_shared_values(workspace: Workspace) -> None:
    workspace.write("a.txt", "x\n")
    context = PageContext(workspace)
    cookie = [(b"cookie", b"filewright_split=1")]
    values = context.shared_values(
        request(root_path="/p", headers=cookie), context.select("change", "@")
    )
    assert values["source"] == "/p/change/%40"
    assert values["newest"] == workspace.newest()
    assert values["split"] is True
    assert "newest" not in context.shared_values(request())


def test_image_cannot_run_scripts() -> None:
    answer = part_response(Picture("image/svg+xml", b"<svg/>"))
    assert answer.media_type == "image/svg+xml"
    assert "sandbox" in answer.headers["content-security-policy"]
    assert "content-security-policy" not in part_response("<p>").headers
