"""Lists of entries: sorted, bounded, continued by cursor, the same files that a search finds."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from filewright import Workspace
from filewright.settings import Settings


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    root = tmp_path_factory.mktemp("tree")
    for n in range(700):
        place = root / f"d{n % 7}"
        place.mkdir(exist_ok=True)
        path = place / f"file{n:04}.txt"
        path.write_bytes(b"x" * (n * 37 % 501))
        os.utime(path, ns=(10**18, 10**18 + n * 7919 % 10_007 * 10**9))
    return root


@pytest.fixture(scope="module")
def listing(tree, tmp_path_factory):
    """Return a workspace over the tree, which no test changes."""
    state = tmp_path_factory.mktemp("state")
    with Workspace(tree, state_dir=state) as opened:
        yield opened


@pytest.mark.parametrize("sort", ["name", "modified", "size"])
@pytest.mark.parametrize("limit", [50, 10_000])
def test_pages_hold_every_file_once_in_order(tree, listing, sort, limit):
    found, cursor = [], None
    for _ in range(100):
        result = listing.list_files(
            glob="**/*.txt",
            sort=sort,
            limit=limit,
            details=True,
            **({"cursor": cursor} if cursor else {}),
        )
        assert len(result.text) <= listing.settings.page_chars
        found += result.data["entries"]
        cursor = result.data["next_cursor"]
        if cursor is None:
            break
    names = [entry["path"] for entry in found]
    assert len(names) == len(set(names)) == 700
    if sort == "name":
        assert names == sorted(names)
    elif sort == "size":
        assert [e["size"] for e in found] == sorted(
            (e["size"] for e in found), reverse=True
        )
    else:
        times = [os.stat(tree / name).st_mtime_ns for name in names]
        assert times == sorted(times, reverse=True)


def test_one_level_and_all_levels(listing):
    assert [e["path"] for e in listing.list_files().data["entries"]] == [
        f"d{n}/" for n in range(7)
    ]
    assert (
        len(
            listing.list_files(
                depth=0, limit=10_000, sort="name"
            ).text.splitlines()
        )
        > 300
    )


def test_kinds_and_odd_names(root, workspace):
    (root / "folder").mkdir()
    (root / "link").symlink_to("folder")
    os.mkfifo(root / "pipe")
    (root / b"bad\xff\nname".decode("utf-8", "surrogateescape")).write_bytes(
        b"inside"
    )
    text = workspace.list_files().text
    assert text.splitlines() == [
        '"bad\\377\\nname"',
        "folder/",
        "link -> folder",
        "pipe (fifo)",
    ]
    assert "inside" in workspace.read('"bad\\377\\nname"').text


def test_the_folder_is_told_empty(root, workspace):
    assert "(empty folder)" in workspace.list_files().text
    assert "(nothing matches)" in workspace.list_files(glob="*.none").text


@pytest.mark.parametrize("glob", ["../*", "a/../../*", "..", "{a,..}/*"])
def test_globs_cannot_climb_out(root, workspace, glob):
    assert workspace.call("list_files", {"glob": glob}).code in (
        "path_escape",
        "invalid_input",
    )


def test_quoted_names_are_read_back(root, workspace):
    names = [
        b"new\nline",
        b"esc\x1b[31m",
        b"bad\xff",
        "bidi\u202e".encode(),
        b'q"uote',
        b"tab\there",
    ]
    for name in names:
        (root / os.fsdecode(name)).write_bytes(
            b"found " + name.hex().encode() + b"\n"
        )
    listed = workspace.call("list_files", {}).text.splitlines()
    assert len(listed) == len(names)
    assert not any(char in line for line in listed for char in "\x1b\u202e\t")
    for shown in listed:
        assert "found" in workspace.call("read_content", {"path": shown}).text
    hits = workspace.call(
        "search_content", {"pattern": "found", "output": "files"}
    ).text
    assert set(listed) <= set(hits.splitlines())


def test_quotes_misleading_names(root, workspace):
    names = ["==> b.txt <==", "zero\u200bwidth", "tag\U000e0041s"]
    for name in names:
        (root / name).write_text("x\n")
    entries = workspace.list_files().entries
    assert all(entry.path.startswith('"') for entry in entries)
    assert not any(
        mark in entry.path
        for entry in entries
        for mark in ("\u200b", "\U000e0041")
    )
    assert [workspace.read(entry.path).content for entry in entries] == [
        "x"
    ] * 3


DEPTH = 1_050  # more than frames of a recursion


on_unix = pytest.mark.skipif(
    sys.platform == "win32", reason="paths are shorter there"
)


@pytest.fixture(scope="module")
def deep(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    top = tmp_path_factory.mktemp("deep") / "top"
    top.mkdir()
    folder = os.open(top, os.O_RDONLY)
    for number in range(DEPTH):
        name = f"folder_{number:04}"  # so long that few levels fill a page: each page is a walk from the top
        os.mkdir(name, dir_fd=folder)
        inner = os.open(name, os.O_RDONLY, dir_fd=folder)
        os.close(folder)
        folder = inner
    os.close(folder)
    (top / "z.txt").write_text("x\n")
    yield top
    subprocess.run(
        ["rm", "-rf", str(top)], check=True
    )  # deeper than Python's own removal goes


@on_unix
def test_deep_tree(deep: Path, tmp_path: Path) -> None:
    settings = Settings(state_dir=tmp_path / "state")
    with Workspace(deep, settings=settings) as workspace:
        names: list[str] = []
        cursor = None
        pages = 0
        while True:
            page = workspace.list_files(".", depth=0, cursor=cursor)
            assert len(page.text) <= workspace.settings.page_chars
            names += [entry.path for entry in page.entries]
            cursor = page.next_cursor
            if cursor is None:
                break
            assert cursor in page.text
            pages += 1
    assert pages > 1
    assert names[-1] == "z.txt"
    assert len(names) > 200
    assert len(set(names)) == len(names)
    assert f"[{DEPTH + 1 - len(names)} paths too long to be shown" in page.text


@on_unix
@pytest.mark.extra
@pytest.mark.parametrize(
    ("dialect", "tool", "arguments"),
    [
        ("filesystem", "list_files", {"recursive": True}),
        ("agent-tools", "tree", {"depth": 64}),
        ("agent-tools", "glob", {"pattern": "**/*.txt"}),
        (
            "largefile",
            "list_directory",
            {"absolute_dir_path": "<>", "max_depth": 300},
        ),
        ("official", "directory_tree", {"path": "."}),
        ("official", "search_files", {"path": ".", "pattern": "*.txt"}),
    ],
)
def test_deep_tree_by_dialect(
    deep: Path,
    tmp_path: Path,
    dialect: str,
    tool: str,
    arguments: dict[str, object],
) -> None:
    given = {
        name: str(deep) if value == "<>" else value
        for name, value in arguments.items()
    }
    with Workspace(
        deep, settings=Settings(state_dir=tmp_path / "state", call_seconds=60)
    ) as workspace:
        answer = workspace.offer(dialect).call(tool, given)
    assert not answer.is_error, answer.text[:300]
    assert len(answer.text) <= workspace.settings.hard_chars
