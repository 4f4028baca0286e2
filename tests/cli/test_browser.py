"""The browser is handed a file of its user's own, and no command line has the token of the page."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from tests import processes

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="xdg-open stands for the browser"
)

BROWSER = '#!/bin/sh\nstat -c "%a %U" "$1" "$(dirname "$1")" > "$SEEN/modes"; cp "$1" "$SEEN/page"; echo "$@" > "$SEEN/words"\n'


def wait_for(there: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not there():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_token_is_in_a_private_file(tmp_path: Path) -> None:
    for name in ("bin", "seen", "root", "tmp"):
        (tmp_path / name).mkdir()
    (tmp_path / "bin" / "xdg-open").write_text(BROWSER)
    (tmp_path / "bin" / "xdg-open").chmod(0o755)
    seen = tmp_path / "seen"
    environment = {
        **os.environ, "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}", "SEEN": str(seen), "TMPDIR": str(tmp_path / "tmp"),
        "FILEWRIGHT_STATE_DIR": str(tmp_path / "state"),
    }  # fmt: skip
    server = processes.start(
        [*processes.FILEWRIGHT, "review"],
        cwd=tmp_path / "root",
        env=environment,
        text=True,
    )
    assert server.stdout is not None
    link = server.stdout.readline().strip()
    port, token = re.fullmatch(
        r"http://127\.0\.0\.1:(\d+)/#token=(\S+)", link
    ).groups()  # type: ignore[union-attr]
    wait_for((seen / "words").exists)
    assert token not in (seen / "words").read_text()
    assert link in (seen / "page").read_text()
    assert [
        line.split()[0] for line in (seen / "modes").read_text().splitlines()
    ] == [
        "600",
        "700",
    ]
    assert [*(tmp_path / "tmp").iterdir()] != []
    page = http.client.HTTPConnection("127.0.0.1", int(port), timeout=60)
    page.request(
        "POST",
        "/enter",
        json.dumps({"token": token}),
        {"content-type": "application/json"},
    )
    assert json.loads(page.getresponse().read())["key"]
    page.close()
    wait_for(lambda: not [*(tmp_path / "tmp").iterdir()])
    server.send_signal(signal.SIGTERM)
    server.wait(60)
    for stream in (server.stdin, server.stdout, server.stderr):
        assert stream is not None
        stream.close()
