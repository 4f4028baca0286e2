"""Arguments of `read_content`."""

import gzip

import pytest

from filewright import FilewrightError

LINES = [
    f"2026-11-28 10:{number // 60:02}:{number % 60:02} request {number}\n"
    for number in range(600)
]


@pytest.fixture
def logs(root, workspace):
    (root / "app.log.2.gz").write_bytes(
        gzip.compress("".join(LINES[:200]).encode())
    )
    (root / "app.log.1").write_text("".join(LINES[200:400]))
    (root / "app.log").write_text("".join(LINES[400:]))
    return workspace


@pytest.mark.parametrize(
    "arguments",
    [
        {"since": "2026-11-28 23:00"},
        {"since": "soon"},
        {"since": "1m", "line": 3},
    ],
    ids=str,
)
def test_refuses(logs, arguments):
    with pytest.raises(FilewrightError) as caught:
        logs.read("app.log", **arguments)
    assert caught.value.code == "invalid_input"
