"""Nobody but the person at the terminal gets the page, and no other site can act through their browser."""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import httpx2
import pytest
from tests.page.conftest import Served

from filewright import Settings, Workspace


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    root, state = tmp_path_factory.mktemp("project"), tmp_path_factory.mktemp("state")
    with Workspace(root, settings=Settings(state_dir=state, flush=False)) as workspace:
        workspace.write("a.txt", "one\n")
        workspace.write("x.svg", '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')
    found = Served(root, state)
    yield found
    found.end()


@contextmanager
def entered(served: Served) -> Iterator[httpx2.Client]:
    """Somebody for whom the page has opened."""
    with httpx2.Client(base_url=served.address) as client:
        assert client.get(served.fresh_link()).status_code == 200
        yield client


def test_the_link_opens_the_page_once(served: Served) -> None:
    link = served.fresh_link()
    with httpx2.Client(base_url=served.address) as client:
        assert client.get("/").status_code == 403
        assert client.get(link).status_code == 200
        assert "a.txt" in client.get("/").text
    with httpx2.Client() as other:
        assert other.get(link).status_code == 403, "it was used"
        assert other.get(served.fresh_link()).status_code == 200, "the terminal shows another"


def test_the_cookie_is_out_of_reach_of_scripts_and_other_sites(served: Served) -> None:
    cookie = httpx2.get(served.fresh_link()).headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie


PARTS = [
    "/",
    "/list",
    "/events",
    "/change/x",
    "/change/x/file/0",
    "/change/x?part=image&index=0&side=after",
    "/nothing",
]


@pytest.mark.parametrize("path", PARTS)
@pytest.mark.parametrize("cookie", [None, "", "0" * 64, "é"])
def test_nothing_is_shown_without_the_cookie(served: Served, path: str, cookie: str | None) -> None:
    name = f"filewright_review_{httpx2.URL(served.address).port}"
    headers = {} if cookie is None else {"cookie": f"{name}={cookie}".encode()}
    answer = httpx2.get(served.address + path, headers=headers)
    assert answer.status_code == 403
    assert "a.txt" not in answer.text


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"origin": "SELF", "sec-fetch-site": "same-origin"}, 200),
        ({"sec-fetch-site": "none"}, 200),
        ({"sec-fetch-site": "cross-site"}, 403),
        ({"sec-fetch-site": "same-site"}, 403),
        ({"origin": "https://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": "http://127.0.0.1:1"}, 403),
        ({"host": "evil.example"}, 421),
        ({"host": "127.0.0.1:1"}, 421),
        ({"host": ""}, 421),
    ],
)
def test_only_the_page_itself_is_answered(served: Served, headers: dict[str, str], status: int) -> None:
    with entered(served) as client:
        sent = {name: value.replace("SELF", served.address) for name, value in headers.items()}
        assert client.get("/", headers=sent).status_code == status


def test_a_link_is_no_part_of_another_page(served: Served) -> None:
    link = served.fresh_link()
    for wanted in ("iframe", "image", "script", "empty"):
        assert httpx2.get(link, headers={"sec-fetch-dest": wanted}).status_code == 403
    from_elsewhere = {"sec-fetch-dest": "document", "sec-fetch-site": "cross-site"}
    assert httpx2.get(link, headers=from_elsewhere).status_code == 200


@pytest.mark.parametrize("path", ["/enter", "/", "/static/review.js", "/nothing"])
def test_every_answer_forbids_scripts_of_others(served: Served, path: str) -> None:
    policy = httpx2.get(served.address + path).headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self'" in policy
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy


def test_an_svg_that_is_opened_by_itself_cannot_run(served: Served) -> None:
    with entered(served) as client:
        change = client.get("/list").text.partition('data-change="')[2].partition('"')[0]
        answer = client.get(f"/change/{change}?part=image&index=0&side=after")
    assert answer.headers["content-type"] == "image/svg+xml"
    policy = answer.headers["content-security-policy"]
    assert policy == "default-src 'none'; style-src 'unsafe-inline'; sandbox"


@pytest.mark.parametrize("name", ["../guard.py", "review.py", "%2e%2e/guard.py", "/etc/passwd", ""])
def test_only_its_own_files_are_static(served: Served, name: str) -> None:
    with entered(served) as client:
        assert client.get(f"/static/{name}").status_code == 404


def test_a_port_that_is_taken_is_refused(folder: object, tmp_path: object) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        command = [
            sys.executable,
            "-m",
            "filewright",
            "review",
            str(folder),
            "--port",
            str(port),
            "--no-open",
        ]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert f"cannot listen on 127.0.0.1:{port}" in done.stderr
    assert "--port" in done.stderr
