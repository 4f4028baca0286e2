"""The documented nginx block, in a real nginx in front of a real server."""

from __future__ import annotations

import json
import re
import shutil
import socket
import subprocess
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.server.test_http import INITIALIZE, listening, post

DEPLOYING = Path(__file__).parents[2] / "docs" / "deploying.md"
PUBLIC = "https://files.example.org"


def documented() -> str:
    """The nginx block of the page."""
    found = re.search(
        r"^```nginx\n(.*?)^```",
        DEPLOYING.read_text(encoding="utf-8"),
        re.MULTILINE | re.DOTALL,
    )
    assert found is not None
    return found.group(1)


@pytest.fixture
def proxied(start: Callable[..., Any], tmp_path: Path) -> Iterator[str]:
    """The address of an nginx with the documented block in front of a server that takes OAuth tokens."""
    nginx = shutil.which(
        "nginx", path="/usr/sbin:/usr/bin:/usr/local/sbin:/usr/local/bin"
    )
    if nginx is None:
        pytest.skip("there is no nginx here")
    server = start(
        *(
            "--http",
            "127.0.0.1:0",
            "--public-url",
            PUBLIC,
            "--allow-host",
            "127.0.0.1",
        ),
        *(
            "--oauth-issuer",
            "https://auth.example",
            "--oauth-introspection",
            "http://127.0.0.1:9/introspect",
        ),
    )
    behind = listening(server).removesuffix("/mcp")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    folders = "".join(
        f"{kind}_temp_path {tmp_path}/{kind};\n"
        for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    block = documented().replace("http://127.0.0.1:8765", behind)
    (tmp_path / "nginx.conf").write_text(
        f"daemon off; pid {tmp_path}/pid; error_log stderr notice;\nevents {{}}\n"
        f"http {{ access_log off;\n{folders}server {{ listen 127.0.0.1:{port};\n{block} }} }}\n"
    )
    process = subprocess.Popen(
        [nginx, "-p", str(tmp_path), "-c", "nginx.conf", "-e", "stderr"],
        stderr=subprocess.PIPE,
    )
    try:
        assert process.stderr is not None
        assert any(
            b"start worker process" in line for line in process.stderr
        ), "nginx did not start"
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.communicate(timeout=30)


def test_documented_proxy(
    proxied: str,
) -> None:
    status, _ = post(f"{proxied}/mcp", INITIALIZE)
    assert status == 401
    with urllib.request.urlopen(
        f"{proxied}/.well-known/oauth-protected-resource", timeout=30
    ) as answer:
        assert json.load(answer)["authorization_servers"] == [
            "https://auth.example"
        ]
    with urllib.request.urlopen(f"{proxied}/health", timeout=30) as answer:
        assert answer.status == 200
