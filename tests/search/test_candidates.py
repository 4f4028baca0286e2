"""The cost of searches: the first match decides a line, and huge files are not read whole."""

import os
import subprocess

import pytest

from filewright.boundary.boundary import Boundary
from filewright.errors import Code, FilewrightError
from filewright.progress import Task
from filewright.search.hits import count_hits, search_snapshot
from filewright.search.matches import find_matches
from filewright.search.pattern import compile_pattern
from filewright.search.searcher import Searcher
from filewright.search.tree import TreeSearch
from filewright.search.tree_options import TreeOptions
from filewright.settings import Settings
from filewright.text.snapshot import Snapshot


class Reads(Snapshot):
    """A snapshot that counts what is asked of it."""

    asked_for = 0

    def read(self, offset: int, length: int) -> bytes:
        self.asked_for += 1
        return super().read(offset, length)


@pytest.mark.parametrize("mode", ["literal", "regex"])
def test_first_match_decides_a_long_line(mode):
    content = b"ab" * (8 << 20)
    snapshot = Reads(content)
    assert (
        count_hits(
            snapshot, compile_pattern("ab", mode=mode), task=Task(seconds=60)
        )
        == 1
    )
    assert snapshot.asked_for < 2_000  # there are eight million matches


def test_line_that_matches_in_its_middle():
    content = (
        b"x" * (3 << 20) + b"ab" * 1000 + b"y" * (2 << 20) + b"ab\nab\n\nab"
    )
    snapshot = Snapshot(content)
    assert count_hits(snapshot, compile_pattern("ab")) == 3
    assert count_hits(snapshot, compile_pattern("ab"), invert=True) == 1
    assert [
        hit.line
        for hit in search_snapshot(
            snapshot, compile_pattern("ab"), limit=100, invert=True
        ).hits
    ] == [3]


class CancelledOnTheWay(Task):
    """A task that is cancelled when it has been asked for the third time whether it is."""

    asked = 0

    def check(self) -> None:
        self.asked += 1
        if self.asked == 3:
            self.cancel()
        super().check()


def test_cancels_a_slow_pattern():
    slow = compile_pattern(r"(?:[a-z]+[a-z0-9]+[0-9a-z]+){300}!", mode="regex")
    with pytest.raises(FilewrightError) as caught:
        list(
            find_matches(
                Snapshot(b"abcdefgh0" * 4_000_000),
                slow,
                task=CancelledOnTheWay(),
            )
        )
    assert caught.value.code is Code.CANCELLED


@pytest.fixture(params=["with rg", "without"])
def searcher(request, tmp_path):
    options = Settings(landlock=request.param == "with rg")
    boundary = Boundary([tmp_path], options)
    made = Searcher(boundary, options)
    yield made
    boundary.close()


def names(searcher: Searcher, pattern: str, **options: object) -> list[str]:
    compiled = compile_pattern(
        pattern, multiline=bool(options.pop("multiline", False))
    )
    search = TreeSearch(
        searcher,
        searcher.boundary.locate("."),
        compiled,
        TreeOptions(limit=100, **options),
        task=Task(seconds=100),
    )
    return [snapshot.location.display_path for snapshot, _ in search]


@pytest.mark.parametrize("multiline", [False, True])
def test_sparse_image_is_not_read_to_its_end(tmp_path, searcher, multiline):
    with (tmp_path / "disk.img").open("wb") as image:
        image.truncate(1 << 42)
    (tmp_path / "notes.txt").write_text("a needle here\n")
    assert names(searcher, "needle", multiline=multiline) == ["notes.txt"]


def test_large_text_that_rg_leaves_out(tmp_path, searcher):
    (tmp_path / "large.txt").write_bytes(
        b"some text\n" * 2_000_000 + b"a needle\n"
    )
    assert names(searcher, "needle", multiline=True) == ["large.txt"]


@pytest.mark.skipif(
    os.mkdir not in os.supports_dir_fd,
    reason="so deep a tree is made by descriptors",
)
def test_deep_files(tmp_path, searcher):
    folder = os.open(tmp_path, os.O_RDONLY)
    for _ in range(700):
        os.mkdir("deep", dir_fd=folder)
        below = os.open("deep", os.O_RDONLY, dir_fd=folder)
        os.close(folder)
        folder = below
    with open(
        os.open("found.txt", os.O_CREAT | os.O_WRONLY, dir_fd=folder), "w"
    ) as file:
        file.write("a needle\n")
    os.close(folder)
    (found,) = names(searcher, "needle")
    subprocess.run(
        ["rm", "-rf", tmp_path / "deep"], check=True
    )  # deeper than Python's own removal can go
    assert found.endswith("found.txt")


def test_rg_that_cannot_start(tmp_path, monkeypatch):
    (tmp_path / "notes.txt").write_text("a needle here\n")
    boundary = Boundary([tmp_path], Settings())

    def refuse(*_arguments, **_options):
        raise BlockingIOError(11, "Resource temporarily unavailable")

    monkeypatch.setattr("subprocess.Popen", refuse)
    searcher = Searcher(boundary, Settings())
    assert names(searcher, "needle") == ["notes.txt"]
    boundary.close()


def test_line_longer_than_rg_may_hold(tmp_path, searcher):
    (tmp_path / "short.txt").write_text("a needle here\n")
    with (tmp_path / "long.txt").open("wb") as file:
        for _ in range(60):
            file.write(b"x" * (1 << 20))
        file.write(b" needle\n")
    assert names(searcher, "needle") == ["long.txt", "short.txt"]
