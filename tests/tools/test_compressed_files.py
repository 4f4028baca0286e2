"""Compressed files in reads, searches, overviews and edits."""

import gzip
import os
import time

import pytest

from filewright import FilewrightError, Workspace
from filewright.settings import Settings

LINES = b"".join(
    b"2026-11-01T00:00:%02dZ %s request %d\n"
    % (number % 60, b"ERROR" if number == 20_000 else b"INFO", number)
    for number in range(40_000)
)


@pytest.fixture(params=[False, True], ids=["held", "long"])
def logs(request, root, tmp_path):
    settings = Settings(hold_bytes=100_000) if request.param else Settings()
    path = root / "app.log.gz"
    path.write_bytes(gzip.compress(LINES))
    past = time.time() - 10
    os.utime(path, (past, past))
    with Workspace(root, state_dir=tmp_path / "s", settings=settings) as opened:
        yield opened


def test_search(logs):
    for _ in range(2):
        text = logs.call(
            "search_content",
            {"path": "app.log.gz", "pattern": "ERROR", "context": 1},
        ).text
        assert "\n20001: 2026-11-01T00:00:20Z ERROR request 20000\n" in text
        assert "\n20000- " in text
        assert text.endswith("[1 matching line in 1 file, all shown]")


def test_search_of_folder(logs):
    result = logs.call("search_content", {"pattern": "request 39999"})
    assert [(hit.path, hit.line) for hit in result.results] == [
        ("app.log.gz", 40_000)
    ]


def test_cursor(logs):
    arguments = {"path": "app.log.gz", "pattern": "request", "max_results": 7}
    first = logs.call("search_content", arguments)
    second = logs.call(
        "search_content", {**arguments, "cursor": first.next_cursor}
    )
    assert [hit.line for hit in second.results] == list(range(8, 15))


@pytest.mark.parametrize(
    ("arguments", "first", "last"),
    [
        ({"limit": 2}, 1, 2),
        ({"line": 30_000, "limit": 3}, 29_999, 30_001),
        ({"pattern": "ERROR", "limit": 1}, 20_001, 20_001),
    ],
)
def test_read(logs, arguments, first, last):
    result = logs.read("app.log.gz", **arguments)
    assert (result.start_line, result.end_line) == (first, last)
    assert (
        result.content
        == b"\n".join(LINES.splitlines()[first - 1 : last]).decode()
    )
    assert "gzip, utf-8" in result.text.splitlines()[0]


def test_tail(logs):
    assert logs.read("app.log.gz", mode="tail", limit=1).rows == [
        "2026-11-01T00:00:39Z INFO request 39999"
    ]


def test_overview(logs):
    text = logs.call("get_overview", {"path": "app.log.gz"}).text
    assert text.startswith("app.log.gz: 40,000 lines, ")
    assert "first: 2026-11-01T00:00:00Z" in text


def test_never_edited(logs):
    with pytest.raises(FilewrightError, match="compressed with gzip") as caught:
        logs.edit("app.log.gz", edits=[{"search": "ERROR", "replace": "x"}])
    assert caught.value.code == "unsupported"
    assert "gunzip" in caught.value.hint


def test_never_replaced(logs, root):
    before = (root / "app.log.gz").read_bytes()
    text = logs.call(
        "replace_content",
        {
            "path": "app.log.gz",
            "pattern": "ERROR",
            "replacement": "x",
            "preview": False,
        },
    ).text
    assert text.startswith("unsupported: app.log.gz is compressed")
    assert (root / "app.log.gz").read_bytes() == before


def test_tree_replacement_leaves_them(logs, root):
    (root / "plain.log").write_text("ERROR\n")
    before = (root / "app.log.gz").read_bytes()
    logs.call(
        "replace_content",
        {"pattern": "ERROR", "replacement": "x", "preview": False},
    )
    assert (root / "app.log.gz").read_bytes() == before
    assert (root / "plain.log").read_text() == "x\n"


def test_binary_inside(logs, root):
    (root / "image.gz").write_bytes(gzip.compress(bytes(300_000)))
    with pytest.raises(FilewrightError) as caught:
        logs.read("image.gz")
    assert caught.value.code == "is_binary"


def test_early_end(logs, root):
    data = (root / "app.log.gz").read_bytes()
    (root / "cut.gz").write_bytes(data[:-30_000])
    text = logs.call(
        "search_content", {"path": "cut.gz", "pattern": "ERROR"}
    ).text
    assert "cut.gz is damaged: it ends in the middle of its data" in text
