"""The walk is complete, sorted, resumable and bounded, whatever it meets."""

from __future__ import annotations

import errno
import gc
import os
import stat
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import examples

from filewright.boundary.boundary import Boundary
from filewright.boundary.walk_model import WalkOptions
from filewright.errors import Code, FilewrightError
from filewright.progress import Task
from filewright.settings import Settings
from filewright.system import Folder, name_problem


def paths(boundary: Boundary, location: str = ".", **options: Any) -> list[str]:
    walk = boundary.walk(
        boundary.locate(location), WalkOptions(**options), task=Task()
    )
    return [os.fsdecode(entry.path) for entry in walk]


def test_tells_kinds_apart(boundary: Boundary) -> None:
    kinds = {
        entry.path: entry.kind
        for entry in boundary.walk(boundary.locate("."), task=Task())
    }
    assert kinds[b"file"] == "file"
    assert kinds[b"sub"] == "folder"
    assert kinds[b"in-folder"] == kinds[b"dangling"] == kinds[b"loop"] == "link"
    assert kinds[b"fifo"] == "fifo"
    assert kinds[b"socket"] == "socket"


@pytest.mark.skipif(sys.platform == "win32", reason="needs the usual devices")
def test_yields_devices(by_kernel: bool) -> None:
    boundary = Boundary(["/dev"], Settings(openat2=by_kernel))
    kinds = {
        entry.path: entry.kind
        for entry in boundary.walk(
            boundary.locate("."), WalkOptions(depth=1), task=Task()
        )
    }
    assert kinds[b"null"] == "device"
    boundary.close()


def test_agrees_with_find(boundary: Boundary, root: Path) -> None:
    said = subprocess.run(
        ["find", ".", "-mindepth", "1", "-print0"],
        cwd=root,
        capture_output=True,
        check=True,
    )
    expected = sorted(
        os.fsdecode(name[2:]) for name in said.stdout.split(b"\0")[:-1]
    )
    assert (
        sorted(paths(boundary, include_ignored=True, include_git=True))
        == expected
    )


@pytest.mark.skipif(not Path("/usr/lib").is_dir(), reason="needs a large tree")
def test_agrees_with_find_on_large_tree(by_kernel: bool) -> None:
    place = (
        "/usr/lib/python3"
        if Path("/usr/lib/python3").is_dir()
        else "/usr/lib/git-core"
    )
    said = subprocess.run(
        ["find", place, "-mindepth", "1", "-printf", r"%P\t%y\t%s\0"],
        capture_output=True,
        check=True,
    )
    letters = {"file": "f", "folder": "d", "link": "l"}
    boundary = Boundary([place], Settings(openat2=by_kernel))
    walk = boundary.walk(
        boundary.locate("."),
        WalkOptions(include_ignored=True, include_git=True, details=True),
        task=Task(),
    )
    ours = [
        b"%s\t%s\t%d" % (e.path, letters[e.kind].encode(), e.status.size)
        for e in walk
        if e.status
    ]
    assert sorted(ours) == sorted(said.stdout.split(b"\0")[:-1])
    boundary.close()


def test_order(
    tmp_path: Path,
) -> None:
    for name in ("a/x", "a.b", "a-", "B/y", "é", "a/c/z", "Z", ".h"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    boundary = Boundary([tmp_path], Settings())
    assert paths(boundary) == [
        ".h",
        "B",
        "B/y",
        "Z",
        "a",
        "a/c",
        "a/c/z",
        "a/x",
        "a-",
        "a.b",
        "é",
    ]
    boundary.close()


texts = st.text(st.characters(codec="utf-8"), min_size=1, max_size=3).map(
    str.encode
)
raw = texts if sys.platform == "win32" else st.binary(min_size=1, max_size=3)
names = raw.filter(
    lambda n: (
        not set(n) & {0, 0x2F}
        and n not in (b".", b"..")
        and not name_problem(n)
    )
)
trees = st.lists(
    st.lists(names, min_size=1, max_size=3), min_size=1, max_size=25
)


@examples(15, derandomize=True)
@given(trees, st.sampled_from([1, 2, 3, 1 << 16]), st.booleans())
def test_resumes_behind_any_entry(
    tmp_path_factory: pytest.TempPathFactory,
    tree: Sequence[Sequence[bytes]],
    run: int,
    details: bool,
) -> None:
    base = os.fsencode(tmp_path_factory.mktemp("tree"))
    for parts in tree:
        try:
            os.makedirs(os.path.join(base, *parts[:-1]), exist_ok=True)
            os.close(os.open(os.path.join(base, *parts), os.O_CREAT))
        except (
            FileExistsError,
            NotADirectoryError,
            IsADirectoryError,
            PermissionError,
        ):
            continue
        except FileNotFoundError:  # What Windows says of a path through a file.
            assert sys.platform == "win32"
    boundary = Boundary([base], Settings())
    with pytest.MonkeyPatch.context() as patch:
        batches = Folder.iter_batches
        patch.setattr(
            Folder, "iter_batches", lambda folder: batches(folder, run)
        )
        start = boundary.locate(".")
        options: dict[str, Any] = {
            "include_ignored": True,
            "include_git": True,
            "details": details,
        }
        whole = list(boundary.walk(start, WalkOptions(**options), task=Task()))
        every = [entry.path for entry in whole]
        assert [path.split(b"/") for path in every] == sorted(
            path.split(b"/") for path in every
        )
        assert all((entry.status is not None) == details for entry in whole)
        for index, entry in enumerate(whole):
            after = boundary.locate(entry.location.display_path)
            assert after == entry.location
            assert [
                e.path
                for e in boundary.walk(
                    start, WalkOptions(after=after, **options), task=Task()
                )
            ] == every[index + 1 :]
    boundary.close()


def test_resumes_behind_missing_entry(tmp_path: Path) -> None:
    for name in ("a/1", "a/3", "b", "d"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    boundary = Boundary([tmp_path], Settings())
    for after, rest in [
        ("a/2", ["a/3", "b", "d"]),
        ("c/x", ["d"]),
        ("a0", ["b", "d"]),
        ("b/x", ["d"]),
        ("e", []),
    ]:
        assert paths(boundary, after=boundary.locate(after)) == rest
    assert paths(boundary, "a", after=boundary.locate("b")) == ["1", "3"]
    boundary.close()


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, [".h", ".h/x", "a", "a/.x", "a/b", "a/b/c", "a/l"]),
        ({"depth": 1}, [".h", "a"]),
        ({"depth": 2}, [".h", ".h/x", "a", "a/.x", "a/b", "a/l"]),
        ({"include_hidden": False}, ["a", "a/b", "a/b/c", "a/l"]),
        ({"kinds": ["file"]}, [".h/x", "a/.x", "a/b/c"]),
        ({"kinds": ["folder"]}, [".h", "a", "a/b"]),
        ({"kinds": ["link", "file"], "depth": 2}, [".h/x", "a/.x", "a/l"]),
        ({"include_git": True, "depth": 1}, [".git", ".h", "a"]),
        ({"glob": "c"}, ["a/b/c"]),
        (
            {"glob": "*", "kinds": ["folder"], "include_hidden": False},
            ["a", "a/b"],
        ),
    ],
)
def test_options_select_entries(
    tmp_path: Path, options: dict[str, Any], expected: list[str]
) -> None:
    for name in (".h/x", "a/.x", "a/b/c", ".git/config", "a/b/.git"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    (tmp_path / "a" / "l").symlink_to("b")
    boundary = Boundary([tmp_path], Settings())
    assert paths(boundary, **options) == expected
    boundary.close()


def test_walks_requested_git_folder(boundary: Boundary) -> None:
    assert paths(boundary, ".git") == ["config"]


def test_walks_folder_through_link(
    boundary: Boundary,
) -> None:
    found = list(boundary.walk(boundary.locate("in-folder"), task=Task()))
    assert [entry.location.display_path for entry in found] == [
        "in-folder/below",
        "in-folder/below/file",
        "in-folder/file",
        "in-folder/up",
    ]
    assert all(boundary.stat(entry.location) for entry in found)


@pytest.mark.parametrize("number", [errno.EACCES, errno.EIO])
def test_counts_unreadable_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    for name in ("a/x", "locked/x", "z"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    boundary = Boundary([tmp_path], Settings())
    kind = type(boundary.roots[0].folder)
    plain = kind.open_folder_beneath

    def refusing(
        self: Folder, parts: Sequence[bytes], **options: Any
    ) -> Folder:
        if b"locked" in parts:
            raise OSError(number, os.strerror(number))
        return plain(self, parts, **options)

    monkeypatch.setattr(kind, "open_folder_beneath", refusing)
    walk = boundary.walk(boundary.locate("."), task=Task())
    assert [entry.path for entry in walk] == [b"a", b"a/x", b"locked", b"z"]
    assert walk.unreadable_count == 1
    boundary.close()


def test_leaves_out_vanished_names(tmp_path: Path, by_kernel: bool) -> None:
    for name in ("a", "b/x", "c/x", "d"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    boundary = Boundary([tmp_path], Settings(openat2=by_kernel))
    walk = iter(
        boundary.walk(
            boundary.locate("."), WalkOptions(details=True), task=Task()
        )
    )
    assert next(walk).path == b"a"
    (tmp_path / "b" / "x").unlink()
    (tmp_path / "b").rmdir()
    (tmp_path / "c").rename(tmp_path / "e")
    (tmp_path / "c").symlink_to("e")
    assert [entry.path for entry in walk] == [b"b", b"c", b"d"]
    boundary.close()


def test_counts_ignored_names(tmp_path: Path) -> None:
    for name in ("a.o", "b.o", "c"):
        (tmp_path / name).write_text("")
    (tmp_path / ".ignore").write_text("*.o\n")
    boundary = Boundary([tmp_path], Settings())
    walk = boundary.walk(boundary.locate("."), task=Task())
    assert [entry.path for entry in walk] == [b".ignore", b"c"]
    assert walk.ignored_count == 2
    boundary.close()


def test_stops_when_cancelled(boundary: Boundary) -> None:
    task = Task()
    walk = iter(boundary.walk(boundary.locate("."), task=task))
    task.cancel()
    with pytest.raises(FilewrightError) as caught:
        list(walk)
    assert caught.value.code is Code.CANCELLED


def test_details_are_of_the_entry_itself(
    boundary: Boundary, root: Path
) -> None:
    for entry in boundary.walk(
        boundary.locate("."), WalkOptions(details=True), task=Task()
    ):
        assert entry.status is not None
        status = os.lstat(os.path.join(os.fsencode(root), entry.path))
        assert entry.status.raw == status
        assert stat.S_ISLNK(status.st_mode) == (entry.kind == "link")


def test_leaves_no_descriptor_open(boundary: Boundary) -> None:
    gc.collect()  # What other tests have left.
    before = os.listdir("/proc/self/fd")
    list(
        boundary.walk(
            boundary.locate("."), WalkOptions(details=True), task=Task()
        )
    )
    walk = iter(boundary.walk(boundary.locate("."), task=Task()))
    next(walk)
    del walk
    boundary.walk(boundary.locate("."), task=Task())  # never begun
    assert os.listdir("/proc/self/fd") == before


@pytest.mark.big
def test_million_names_in_bounded_memory(tmp_path: Path) -> None:
    folder = os.open(tmp_path, os.O_RDONLY)
    for number in range(1_000_000):
        os.close(
            os.open(
                f"a-rather-long-file-name-{number:07}.txt",
                os.O_CREAT,
                dir_fd=folder,
            )
        )
    os.close(folder)
    program = """
import resource, sys
from filewright.boundary.boundary import Boundary
from filewright.boundary.walk_model import WalkOptions
from filewright.progress import Task
from filewright.settings import Settings
boundary = Boundary([sys.argv[1]], Settings())
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
walk = boundary.walk(boundary.locate("."), WalkOptions(details=True), task=Task())
count = sum(1 for _ in walk)
print(count, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""
    output = subprocess.run(
        [sys.executable, "-c", program, tmp_path],
        stdout=subprocess.PIPE,
        check=True,
        text=True,
    ).stdout
    count, grown = map(int, output.split())
    assert count == 1_000_000
    assert grown < 128 << 10  # KB
