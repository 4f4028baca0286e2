"""The encoding, the line ending and the version of a file, as results name them."""

from __future__ import annotations

import bz2
import gzip
import itertools
import lzma
import os
import re
import time
from pathlib import Path

import pytest
from tests.samples import one_in

from filewright import FilewrightError, Workspace
from filewright.settings import Settings


def test_names_the_kept_form(root: Path, workspace: Workspace) -> None:
    (root / "mixed.txt").write_bytes(b"one\r\ntwo\n")
    (root / "page.py").write_bytes(
        "# coding: cp1252\nx = 'é'\n".encode("cp1252")
    )
    edit = {"edits": [{"search": "one", "replace": "1"}]}
    assert (
        "; mixed line endings kept"
        in workspace.call("edit_content", {"path": "mixed.txt", **edit}).text
    )
    edit = {"edits": [{"search": "x", "replace": "y"}]}
    assert (
        "; encoding cp1252 kept"
        in workspace.call("edit_content", {"path": "page.py", **edit}).text
    )


try:
    from compression import zstd
except ImportError:
    from backports import zstd


DAMAGED_LINES = [
    b'{"time":"2026-11-01T00:%02d:%02dZ","level":"%s","n":%d,"id":"%x"}\n'
    % (
        number // 60,
        number % 60,
        b"ERROR" if number % 100 == 0 else b"INFO",
        number,
        number * 7919**3 % 268435399,
    )
    for number in range(600)
]


DAMAGED_TEXT = b"".join(DAMAGED_LINES)


CHECKED = {zstd.CompressionParameter.checksum_flag: 1}


FORMATS = {
    "gz": gzip.compress,
    "zst": lambda data: zstd.compress(data, options=CHECKED),
    "bz2": lambda data: bz2.compress(data, 1),
    "xz": lzma.compress,
}


def flip(data, index):
    """Return the data with a byte changed."""
    changed = bytearray(data)
    changed[index] ^= 0x55
    return bytes(changed)


def with_damaged_member(data, compress):
    """Return two members, of which the second one is damaged."""
    half = len(DAMAGED_TEXT) // 2
    first, second = compress(DAMAGED_TEXT[:half]), compress(DAMAGED_TEXT[half:])
    return first + flip(second, len(second) // 2)


DAMAGES = {
    "truncated": lambda data, _: data[: len(data) // 2],
    "flipped": lambda data, _: flip(data, len(data) // 2),
    "checksum": lambda data, _: flip(data, -6),
    "garbage": lambda data, _: data + b"other data " * 3,
    "member": with_damaged_member,
}


def damage(suffix, name):
    """Return the compressed text with a damage."""
    compress = FORMATS[suffix]
    return DAMAGES[name](compress(DAMAGED_TEXT), compress)


def save(path, data):
    """Save a file whose identity is old enough for its facts to be shared."""
    path.write_bytes(data)
    past = time.time() - 10
    os.utime(path, (past, past))


@pytest.fixture(params=[None, 10_000], ids=["held", "long"])
def tiered(request, root, tmp_path):
    settings = Settings(hold_bytes=request.param) if request.param else None
    with Workspace(root, state_dir=tmp_path / "s", settings=settings) as opened:
        yield opened


SEARCHES = [
    {"pattern": "ERROR", "max_results": 100},
    {"pattern": "ERR[A-Z]R", "mode": "regex", "max_results": 100},
    {"pattern": "nothing like this"},
    {"pattern": "ERROR", "output": "counts"},
    {"pattern": "ERROR", "output": "kinds"},
    {"where": {"level": "ERROR"}, "max_results": 100},
    {"by": ["level"]},
    {"pattern": '"level":"ERRROR"', "mode": "fuzzy"},
]


def require_search_tells(tiered, path, search):
    result = tiered.call("search_content", {"path": path, **search})
    assert result.code is None, result.text
    assert result.complete is False, search
    assert f"{path} " in result.text
    assert "nothing after byte " in result.text
    assert "all shown" not in result.text
    assert "[the search is incomplete]" in result.text


@pytest.mark.parametrize(
    ("suffix", "name"), one_in(3, [*itertools.product(FORMATS, DAMAGES)])
)
def test_each_damage(tiered, root, suffix, name):
    path = f"app.log.{suffix}"
    save(root / path, damage(suffix, name))
    require_search_tells(tiered, path, SEARCHES[0])
    require_search_tells(tiered, path, {"by": ["level"]})
    tail = tiered.call("read_content", {"path": path, "mode": "tail"})
    overview = tiered.call("get_overview", {"path": path})
    for result in (tail, overview):
        assert result.data["complete"] is False
        assert f"[{path} " in result.text
        assert "nothing after byte " in result.text
        assert result.data["notes"]


@pytest.fixture
def truncated(tiered, root):
    save(root / "app.log.gz", damage("gz", "truncated"))
    return tiered


@pytest.mark.parametrize("search", SEARCHES, ids=str)
def test_each_search(truncated, search):
    require_search_tells(truncated, "app.log.gz", search)


def test_follow(truncated):
    result = truncated.read("app.log.gz", follow=True)
    assert result.complete is False
    result = truncated.read("app.log.gz", cursor=result.cursor)
    assert "nothing was appended" in result.text


def test_place(truncated):
    text = truncated.call(
        "search_content", {"path": "app.log.gz", "pattern": "nothing"}
    ).text
    end = sum(len(line) for line in DAMAGED_LINES[:296])
    match = re.fullmatch(
        r"no match in the text that could be read\n"
        r"\[the search is incomplete\]\n"
        r"\[app\.log\.gz is damaged: it ends in the middle of its data; "
        r"nothing after byte ([\d,]+) of its text, in line 297 was read\]",
        text,
    )
    assert 0 < int(match[1].replace(",", "")) - end < len(DAMAGED_LINES[296])


def test_count(truncated):
    text = truncated.call(
        "search_content", {"path": "app.log.gz", "pattern": "ERROR"}
    ).text
    assert "matching lines in 1 file in the text that could be read; " in text


def test_line_behind_damage(truncated):
    with pytest.raises(FilewrightError, match="line 590 is past") as caught:
        truncated.read("app.log.gz", start=590)
    assert "app.log.gz is damaged" in caught.value.hint
    assert caught.value.details["complete"] is False


def test_text_behind_damage(truncated):
    with pytest.raises(FilewrightError) as caught:
        truncated.read("app.log.gz", pattern="zzzzzz zzzzzz")
    assert "app.log.gz is damaged" in caught.value.hint


def test_piece(truncated):
    result = truncated.read("app.log.gz", start=-1, column=2)
    assert result.complete is False
    assert "app.log.gz is damaged" in result.text


def test_times(truncated):
    arguments = {"path": "app.log.gz", "since": "2026-11-01T00:01:00Z"}
    for tool in ("search_content", "read_content"):
        text = truncated.call(tool, arguments).text
        assert "app.log.gz is damaged" in text


def test_without_text(tiered, root):
    save(root / "empty.gz", gzip.compress(DAMAGED_TEXT)[:10])
    result = tiered.read("empty.gz")
    assert result.complete is False
    assert "empty.gz is damaged" in result.text
    text = tiered.call(
        "search_content", {"path": "empty.gz", "since": "2026-11-01"}
    ).text
    assert "empty.gz is damaged" in text


def test_several(truncated, root):
    save(root / "whole.gz", gzip.compress(DAMAGED_TEXT))
    paths = ["whole.gz", "app.log.gz"]
    result = truncated.call("read_content", {"paths": paths, "limit": 5_000})
    whole, damaged = result.data["files"]
    assert "complete" not in whole
    assert damaged["complete"] is False
    overviews = truncated.call("get_overview", {"paths": paths})
    assert [item.complete for item in overviews.overviews] == [None, False]
    items = [{"path": path, "pattern": "ERROR"} for path in paths]
    searches = truncated.call("search_content", {"items": items})
    assert searches.complete is False
    assert [search.complete for search in searches.searches] == [True, False]


def test_folder(truncated, root):
    save(root / "whole.gz", gzip.compress(DAMAGED_TEXT))
    (root / "plain.log").write_bytes(DAMAGED_TEXT)
    result = truncated.call(
        "search_content", {"pattern": "ERROR", "output": "counts"}
    )
    assert result.complete is False
    assert {file.path: file.count for file in result.files}["plain.log"] == 6
    assert result.text.count("app.log.gz is damaged") == 1


def test_whole_file(tiered, root):
    save(root / "app.log.gz", gzip.compress(DAMAGED_TEXT))
    for search in SEARCHES[:-1]:
        arguments = {"path": "app.log.gz", **search}
        assert tiered.call("search_content", arguments).complete is True
    result = tiered.read("app.log.gz", mode="tail")
    assert "complete" not in result.data


@pytest.fixture
def rotated(tiered, root):
    (root / "app.log").write_bytes(b"".join(DAMAGED_LINES[120:240]))
    middle = gzip.compress(b"".join(DAMAGED_LINES[60:120]))
    save(root / "app.log.1.gz", middle[: len(middle) // 2])
    save(root / "app.log.2.gz", gzip.compress(b"".join(DAMAGED_LINES[:60])))
    return tiered


def test_rotated_search(rotated):
    for search in SEARCHES[:-1]:
        result = rotated.call("search_content", {"path": "app.log*", **search})
        assert result.complete is False, search
        assert "app.log.1.gz is damaged" in result.text
    counts = rotated.call(
        "search_content",
        {"path": "app.log*", "pattern": "ERROR", "output": "counts"},
    )
    by_path = {file.path: file.count for file in counts.files}
    assert (by_path["app.log.2.gz"], by_path["app.log"]) == (1, 1)


@pytest.mark.parametrize(
    "arguments",
    [
        {"mode": "tail", "limit": 130},
        {"limit": 80},
        {"since": "2026-11-01T00:00:50Z", "limit": 80},
    ],
    ids=["tail", "head", "times"],
)
def test_rotated_read(rotated, arguments):
    result = rotated.read("app.log*", **arguments)
    assert result.complete is False
    assert "app.log.1.gz is damaged" in result.text


def test_rotated_read_of_missing_times(rotated, root):
    (root / "app.log").write_bytes(DAMAGED_LINES[-1])
    arguments = {
        "since": "2026-11-01T00:01:50Z",
        "until": "2026-11-01T00:01:55Z",
    }
    text = rotated.call("read_content", {"path": "app.log*", **arguments}).text
    assert "app.log.1.gz is damaged" in text
