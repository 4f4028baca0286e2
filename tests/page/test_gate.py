"""The gate of the page: no other program and no other site gets in."""

from __future__ import annotations

import re
import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

import httpx2
import pytest
from tests import processes
from tests.page.conftest import Served, expect

from filewright import Workspace

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    root, state = (
        tmp_path_factory.mktemp("project"),
        tmp_path_factory.mktemp("state"),
    )
    with Workspace(root, state_dir=state) as workspace:
        workspace.write("a.txt", "one\n")
        workspace.write(
            "x.svg",
            '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
        )
    found = Served(root, state)
    yield found
    found.end()


def test_link_works_once(http: httpx2.Client, served: Served) -> None:
    token = {"token": served.fresh_link().partition("#token=")[2]}
    assert http.post(f"{served.address}/enter", json=token).status_code == 200
    assert (
        http.post(f"{served.address}/enter", json=token).status_code == 403
    ), "it was used"
    with served.client() as other:  # the terminal shows another
        assert "a.txt" in other.get("/list").text


def test_cookies(http: httpx2.Client, served: Served) -> None:
    """Cookies of 127.0.0.1 go to all its ports: whoever listens on another would have the page."""
    with served.client() as client:
        for path in (
            "/",
            "/list",
            "/?part=view",
            "/static/page.js",
            "/nothing",
        ):
            assert "set-cookie" not in client.get(path).headers
        key = client.headers["x-filewright-key"]
    for name in ("filewright", "filewright_key", "x-filewright-key"):
        for path in ("/list", "/?part=view"):
            assert (
                http.get(
                    served.address + path, headers={"cookie": f"{name}={key}"}
                ).status_code
                == 403
            )


PARTS = [
    "/?part=view",
    "/about",
    "/list",
    "/events",
    "/change/x?part=view",
    "/change",
    "/change/x?part=image&index=0&side=after",
    "/session/x?part=files",
    "/since/x?part=",
    "/waiting",
    "/waiting/x",
    "/act",
    "/word",
    "/enter",
    "/nothing",
    "/static",
    "//",
    "/%2e%2e/list",
]


@pytest.mark.parametrize("path", PARTS)
def test_shows_nothing_without_the_key(
    http: httpx2.Client, served: Served, path: str
) -> None:
    for method in ("GET", "HEAD", "POST", "PUT", "OPTIONS"):
        for key in (None, "", "0" * 43, "é"):
            headers = {} if key is None else {"x-filewright-key": key.encode()}
            answer = http.request(
                method, served.address + path, headers=headers
            )
            assert answer.status_code == 403, (method, key)
            assert "<" not in answer.text
            assert "a.txt" not in answer.text


def test_empty_page(http: httpx2.Client, served: Served) -> None:
    pages = {
        http.get(f"{served.address}{path}").text
        for path in (
            "/",
            "/change/x",
            "/session/last",
            "/since/x",
            "/change/",
            "/change/x/file/0",
        )
    }
    assert len(pages) == 1
    with served.client() as client:
        assert client.get("/").text in pages


@pytest.mark.parametrize(
    "name", ["nope", "", "review.py", "%2e%2e%2fguard.py", "//etc/passwd"]
)
def test_static_files(http: httpx2.Client, served: Served, name: str) -> None:
    with served.client() as client:
        for asking in (client, http):
            answer = asking.get(f"{served.address}/static/{name}")
            assert (answer.status_code, answer.text) == (
                404,
                "There is no such file.\n",
            )


def test_other_port_learns_nothing(
    http: httpx2.Client, served: Served, browser: Browser
) -> None:
    """Another server of this machine, visited by the person for whom the page is open."""
    heard: list[dict[str, str]] = []
    port = httpx2.URL(served.address).port

    class Other(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            heard.append(
                {name.lower(): value for name, value in self.headers.items()}
            )
            self.send_response(200)
            self.send_header("content-type", "text/html")
            self.end_headers()
            self.wfile.write(
                f"""<iframe src="http://127.0.0.1:{port}/"></iframe><img src="http://127.0.0.1:{port}/static/nope">
                <script>(async () => {{
                  const told = [];
                  for (const path of ["/list", "/?part=view", "/about", "/events"])
                    for (const mode of ["cors", "no-cors"])
                      try {{
                        const answer = await fetch("http://127.0.0.1:{port}" + path, {{mode, credentials: "include"}});
                        told.push(answer.type + (await answer.text()));
                      }} catch {{ told.push("nothing"); }}
                  new BroadcastChannel("filewright ").postMessage({{asked: true}});
                  document.title = "told " + told.join() + Object.keys(sessionStorage).join();
                }})()</script>""".encode()
            )

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    other = ThreadingHTTPServer(("127.0.0.1", 0), Other)
    threading.Thread(target=other.serve_forever, daemon=True).start()
    context = browser.new_context()
    try:
        page = context.new_page()
        page.goto(served.fresh_link())
        expect(page.locator("#rows .row").first).to_be_visible()
        assert page.evaluate("key.length") > 40
        visited = context.new_page()
        visited.goto(f"http://127.0.0.1:{other.server_port}/")
        expect(visited).to_have_title(re.compile("^told"))
        assert set(visited.title().removeprefix("told ").split(",")) <= {
            "nothing",
            "opaque",
        }
        assert [frame.url for frame in visited.frames[1:]] == [
            "chrome-error://chromewebdata/"
        ]
        assert context.cookies() == []
        visited.goto(f"http://127.0.0.1:{other.server_port}/")
        for headers in heard:
            assert "cookie" not in headers
            stolen = {
                name: value for name, value in headers.items() if name != "host"
            }
            assert (
                http.get(f"{served.address}/list", headers=stolen).status_code
                == 403
            )
    finally:
        context.close()
        other.shutdown()
        other.server_close()


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
def test_answers_its_own_requests_only(
    served: Served, headers: dict[str, str], status: int
) -> None:
    with served.client() as client:
        sent = {
            name: value.replace("SELF", served.address)
            for name, value in headers.items()
        }
        assert client.get("/list", headers=sent).status_code == status


def test_link_from_another_site(http: httpx2.Client, served: Served) -> None:
    token = {"token": served.fresh_link().partition("#token=")[2]}
    for headers in (
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ):
        assert (
            http.post(
                f"{served.address}/enter", json=token, headers=headers
            ).status_code
            == 403
        )
    assert http.post(f"{served.address}/enter", json=token).status_code == 200


@pytest.mark.parametrize(
    "path", ["/enter", "/", "/static/page.js", "/static/nope", "/nothing"]
)
def test_content_policy(http: httpx2.Client, served: Served, path: str) -> None:
    policy = http.get(served.address + path).headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self'" in policy
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy


def test_svg_cannot_run(served: Served) -> None:
    with served.client() as client:
        change = (
            client.get("/list")
            .text.partition('data-change="')[2]
            .partition('"')[0]
        )
        answer = client.get(f"/change/{change}?part=image&index=0&side=after")
    assert answer.headers["content-type"] == "image/svg+xml"
    policy = answer.headers["content-security-policy"]
    assert policy == "default-src 'none'; style-src 'unsafe-inline'; sandbox"


def test_port_in_use(folder: object, tmp_path: object) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        command = [
            *processes.FILEWRIGHT,
            "review",
            str(folder),
            "--port",
            str(port),
            "--no-open",
        ]
        done = processes.run(command)
    assert done.returncode == 2
    assert f"cannot listen on 127.0.0.1:{port}" in done.stderr
    assert "--port" in done.stderr


def test_unfinished_requests(http: httpx2.Client, served: Served) -> None:
    """The person's own browser is answered while another program of the machine holds what connections it can."""
    port = int(served.address.rpartition(":")[2])
    begun = []
    for _ in range(600):
        connection = socket.create_connection(("127.0.0.1", port), timeout=60)
        connection.sendall(b"GET / HTTP/1.1\r\nHost: x")
        begun.append(connection)
    try:
        assert http.get(f"{served.address}/").status_code == 200
        with served.client() as client:
            assert client.get("/list").status_code == 200
    finally:
        for connection in begun:
            connection.close()
