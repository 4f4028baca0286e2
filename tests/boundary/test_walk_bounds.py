"""The walk is bounded: deep trees, many rules, long globs, few descriptors."""

from __future__ import annotations

import gc
import os
import sys
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from filewright.boundary.boundary import Boundary
from filewright.boundary.matching import Rule
from filewright.boundary.names import temporary_name
from filewright.boundary.walk_model import WalkOptions
from filewright.errors import Code, FilewrightError
from filewright.progress import Task
from filewright.settings import Settings
from filewright.system import Folder, open_folder


@pytest.fixture
def deep(tmp_path: Path) -> Iterator[Callable[[bytes, int], Path]]:
    """Makes a folder with folders of one name below one another, a file and a second folder in each."""
    if sys.platform == "win32":
        pytest.skip(
            "its paths are longer than those of Windows, or than Wine's, which end where Linux' do"
        )
    made: list[tuple[Path, bytes]] = []

    def make(name: bytes, levels: int) -> Path:
        root = tmp_path / "deep"
        root.mkdir()
        made.append((root, name))
        folder = open_folder(os.fsencode(root))
        for _ in range(levels):
            folder.create(b"file").close()
            folder.make_folder(b"z")
            folder.make_folder(name)
            below = folder.open_folder(name)
            folder.close()
            folder = below
        folder.close()
        return root

    yield make
    for root, name in made:
        remove(open_folder(os.fsencode(root)), name)


def remove(folder: Folder, name: bytes) -> None:
    """Remove the tree from the bottom up: it is too deep for a path."""
    levels = 0
    while name in folder.names():
        below = folder.open_folder(name)
        folder.close()
        folder, levels = below, levels + 1
    for _ in range(levels):
        above = folder.open_parent()
        assert above is not None
        folder.close()
        folder = above
        folder.remove_folder(name)
        folder.remove_folder(b"z")
        folder.remove(b"file")
    folder.close()


def descriptors() -> int:
    return len(os.listdir("/dev/fd"))


def test_deep_tree_with_few_descriptors(
    deep: Callable[[bytes, int], Path], by_kernel: bool
) -> None:
    # More than frames of a recursion, and than a path may have bytes.
    levels = 1_050
    boundary = Boundary([deep(b"deep", levels)], Settings(openat2=by_kernel))
    gc.collect()  # What other tests have left.
    before, most = descriptors(), 0
    files = folders = 0
    for number, entry in enumerate(
        boundary.walk(
            boundary.locate("."), WalkOptions(details=True), task=Task()
        )
    ):
        files += entry.kind == "file"
        folders += entry.kind == "folder"
        if number % 200 == 0:
            most = max(most, descriptors() - before)
    assert (files, folders) == (levels, 2 * levels)
    assert most <= 8
    assert descriptors() == before
    boundary.close()


def test_deep_tree_in_bounded_memory(
    deep: Callable[[bytes, int], Path], by_kernel: bool
) -> None:
    """All of them together would be 20 MB."""
    root = deep(b"n" * 250, 400)
    boundary = Boundary([root], Settings(openat2=by_kernel))
    tracemalloc.start()
    try:
        last = b""
        for entry in boundary.walk(boundary.locate("."), task=Task()):
            last = max(last, entry.path, key=len)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert last == (b"n" * 250 + b"/") * 399 + b"n" * 250
    assert peak < 8 << 20
    boundary.close()


def test_abandoned_walk_leaves_nothing_open(
    deep: Callable[[bytes, int], Path],
) -> None:
    root = deep(b"n" * 200, 60)
    boundary = Boundary([root], Settings())
    gc.collect()  # What other tests have left.
    before = descriptors()
    walk = iter(boundary.walk(boundary.locate("."), task=Task()))
    for _ in range(100):
        next(walk)
    del walk
    assert descriptors() == before
    boundary.close()


def listed(root: Path, **options: object) -> list[bytes]:
    boundary = Boundary([root], Settings())
    try:
        return [
            entry.path
            for entry in boundary.walk(
                boundary.locate("."), WalkOptions(**options), task=Task()
            )
        ]  # type: ignore[arg-type]
    finally:
        boundary.close()


RULES = {
    "names": "file{0:05}.txt",
    "paths": "/file{0:05}.txt",
    "ends": "*{0:05}.txt",
    "starts": "file{0:05}*",
    "middles": "f*{0:05}*t",
}


@pytest.mark.parametrize("rule", RULES)
def test_many_rules_scale_with_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rule: str
) -> None:
    count = 300 if rule != "middles" else 100
    for number in range(count):
        (tmp_path / f"file{number:05}.txt").write_text("")
    (tmp_path / ".gitignore").write_text(
        "".join(RULES[rule].format(n) + "\n" for n in range(count))
    )
    tried = 0
    matches = Rule.matches

    def counted(self: Rule, name: bytes, path: bytes) -> bool:
        nonlocal tried
        tried += 1
        return matches(self, name, path)

    monkeypatch.setattr(Rule, "matches", counted)
    assert listed(tmp_path) == [b".gitignore"]
    assert tried <= 3 * count if rule != "middles" else tried <= count * count


def test_many_rules_heed_deadline(tmp_path: Path) -> None:
    for number in range(300):
        (tmp_path / f"file{number:05}x.txt").write_text("")
    (tmp_path / ".gitignore").write_text(
        "".join(f"f*{n:05}*t\n" for n in range(300))
    )
    task = Task(seconds=0.0)
    boundary = Boundary([tmp_path], Settings())
    with pytest.raises(FilewrightError) as caught:
        list(boundary.walk(boundary.locate("."), task=task))
    assert caught.value.code is Code.TIMEOUT
    boundary.close()


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"a\n" * 400_000, marks=pytest.mark.extra),
        b"".join(b"%06d\n" % number for number in range(30_000)) * 2,
    ],
    ids=["one rule again and again", "all different"],
)
def test_large_ignore_file_is_not_cached(
    tmp_path: Path, content: bytes
) -> None:
    (tmp_path / ".gitignore").write_bytes(content)
    (tmp_path / "a").write_text("")
    (tmp_path / "000077").write_text("")
    tracemalloc.start()
    try:
        assert len(listed(tmp_path)) == 2
        after, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < (48 << 20) * len(content) / 840_000
    assert after < 2 << 20


@pytest.mark.parametrize("tail", [500, 8_000])
def test_long_glob_is_fast(tmp_path: Path, tail: int) -> None:
    (tmp_path / ("a7" + "x" * 100)).write_text("")
    glob = (
        "{"
        + ",".join(f"a{number}" for number in range(1_000))
        + "}"
        + "x" * tail
    )
    if tail == 500:
        assert listed(tmp_path, glob=glob) == []
    else:
        with pytest.raises(FilewrightError) as caught:
            listed(tmp_path, glob=glob)
        assert caught.value.code is Code.TOO_LARGE
        assert len(str(caught.value)) < 2_000
    assert (
        len(listed(tmp_path, glob=glob[: glob.index("}") + 1] + "x" * 100)) == 1
    )


@pytest.mark.parametrize(
    "glob",
    [
        "{" * 5_000 + "}" * 5_000,
        "{" * 5_000,
        "{a," * 3_000,
        "[" * 20_000,
        "\\" * 9_999,
    ],
)
def test_refuses_glob_of_brackets(tmp_path: Path, glob: str) -> None:
    with pytest.raises(FilewrightError) as caught:
        listed(tmp_path, glob=glob)
    assert caught.value.code in (Code.TOO_LARGE, Code.INVALID_INPUT)


def test_leaves_out_temporary_files(tmp_path: Path) -> None:
    ours = os.fsdecode(temporary_name())
    for name in (
        "a",
        ours,
        f"sub/{ours}",
        "sub/b",
        f"{temporary_name().decode()}/inside/x",
        ".fw~short",
        "x.fw~abcdefgh",
        ".fw~abcdefgh",
        ".fw~abcdefghijklmnop",
        ".fw~0000000000000000",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    os.symlink("a", tmp_path / temporary_name().decode())
    expected = [
        b".fw~0000000000000000",
        b".fw~abcdefgh",
        b".fw~abcdefghijklmnop",
        b".fw~short",
        b"a",
        b"sub",
        b"sub/b",
        b"x.fw~abcdefgh",
    ]
    assert listed(tmp_path) == expected
    assert (
        listed(tmp_path, include_ignored=True, include_git=True, details=True)
        == expected
    )


def test_counts_folder_that_cannot_be_entered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "half").mkdir()
    (tmp_path / "half" / "x").write_text("")
    boundary = Boundary([tmp_path], Settings())
    stats = Folder.stat_names

    def refusing(self: Folder, names: list[bytes]) -> object:
        if b"x" in names:
            raise PermissionError(13, "Permission denied")
        return stats(self, names)

    monkeypatch.setattr(Folder, "stat_names", refusing)
    walk = boundary.walk(
        boundary.locate("."), WalkOptions(details=True), task=Task()
    )
    assert [(entry.path, entry.status is None) for entry in walk] == [
        (b"half", False),
        (b"half/x", True),
    ]
    assert walk.unreadable_count == 1
    boundary.close()


def test_reads_exclude_file_of_inner_repository(
    tmp_path: Path,
) -> None:
    for name in (
        "lib/.git/info/exclude",
        "lib/a.o",
        "lib/sub/b.o",
        "lib/kept.o",
        "other.o",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    (tmp_path / "lib/.git/info/exclude").write_text("*.o\n")
    (tmp_path / "lib/.gitignore").write_text("!kept.o\n")
    expected = [
        b"lib",
        b"lib/.gitignore",
        b"lib/kept.o",
        b"lib/sub",
        b"other.o",
    ]
    assert listed(tmp_path) == expected
    boundary = Boundary([tmp_path], Settings())
    walk = boundary.walk(boundary.locate("lib/sub"), task=Task())
    assert [entry.path for entry in walk] == []
    boundary.close()


def test_very_long_names_are_not_cached(
    tmp_path: Path,
) -> None:
    boundary = Boundary([tmp_path], Settings())
    tracemalloc.start()
    try:
        for number in range(64):
            with pytest.raises(FilewrightError):
                boundary.stat(boundary.locate(f".{number}" + "x" * (1 << 20)))
        kept, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert kept < 8 << 20
    boundary.close()
