"""Bodies of requests that the page refuses."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING

from tests.page.conftest import Served

from filewright import Workspace

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
