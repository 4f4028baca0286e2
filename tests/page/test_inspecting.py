"""Requests for views of a file, of two moments and of a search that name nothing; and their accessibility."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.page.conftest import Served
from tests.page.test_accessible import SMALL, STILL, axe, violations

if TYPE_CHECKING:
    from playwright.sync_api import Page

    Opened = Callable[..., Page]

__all__ = ["axe"]


@pytest.mark.parametrize(
    "address",
    [
        "/blame/nothing.txt?part=view",
        "/blame/../../etc/passwd?part=view",
        "/blame/shop.py?part=lines&start=x",
        "/blame/shop.py?part=none",
        "/file/nothing.txt?part=view",
        "/file/shop.py?part=compared&first=now&last=0",
        "/file/shop.py?part=compared",
        "/file/shop.py?part=more&start=-1",
        "/between/a..b?part=view",
        "/between/begin..?part=files&start=99999999999999",
        "/find/x?part=more&before=now",
        "/find/%ff%00?part=view",
    ],
)
def test_bad_requests(
    history: Path, serve: Callable[..., Served], address: str
) -> None:
    served = serve()
    with served.client() as client:
        status = client.get(address).status_code
    assert status == 200 if "%ff" in address else 400 <= status < 500


@pytest.mark.parametrize("width", [1440, 390])
def test_axe(history: Path, opened: Opened, axe: str, width: int) -> None:
    page = opened(
        viewport={"width": width, "height": 900},
        bypass_csp=True,
        color_scheme="dark" if width == 390 else "light",
    )
    page.context.add_init_script(axe)
    base = re.sub(r"/change/.*", "", page.url)
    for address in (
        "/blame/shop.py",
        "/file/shop.py",
        "/between/",
        "/between/@~3..@",
        "/find/",
        "/find/line",
    ):
        page.goto(base + address)
        page.wait_for_selector("body:not(.entering) h1")
        page.evaluate(STILL)
        assert violations(page) == [], address
        assert page.evaluate(SMALL) == [], address
        assert page.evaluate(
            "document.getElementById('view').scrollWidth <= innerWidth"
        )
