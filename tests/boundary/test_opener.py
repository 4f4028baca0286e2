"""Opening below a root: every trap, by every way in, with `openat2` and without."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from filewright import Workspace, system
from filewright.boundary.boundary import Boundary
from filewright.boundary.location import Location
from filewright.boundary.walk_model import WalkOptions
from filewright.errors import Code, FilewrightError
from filewright.progress import Task
from filewright.settings import Settings
from filewright.system import Folder

OK = None
READS: list[tuple[str, bytes | Code]] = [
    ("file", b"file"),
    ("sub/file", b"sub/file"),
    ("in-file", b"file"),
    ("in-up", b"file"),
    ("in-chain", b"sub/below/file"),
    ("in-folder/file", b"sub/file"),
    ("in-folder/below/file", b"sub/below/file"),
    ("sub/up", b"file"),
    ("in-folder/up", b"file"),
    ("not-there", Code.NOT_FOUND),
    ("dangling", Code.NOT_FOUND),
    ("file/x", Code.NOT_A_DIRECTORY),
    ("file/", Code.NOT_A_DIRECTORY),
    ("in-file/", Code.NOT_A_DIRECTORY),
    ("sub", Code.NOT_A_FILE),
    (".", Code.NOT_A_FILE),
    ("fifo", Code.NOT_A_FILE),
    ("socket", Code.NOT_A_FILE),
    ("loop", Code.SYMLINK),
    ("loop-a", Code.SYMLINK),
    ("loop/x", Code.SYMLINK),
    ("out-file", Code.PATH_ESCAPE),
    ("out-folder/secret", Code.PATH_ESCAPE),
    ("out-chain", Code.PATH_ESCAPE),
    ("out-root/rooted/secret", Code.PATH_ESCAPE),
    ("abs-in", Code.PATH_ESCAPE),
    ("abs-out", Code.PATH_ESCAPE),
    ("abs-folder/secret", Code.PATH_ESCAPE),
    ("proc-root/etc/passwd", Code.PATH_ESCAPE),
    ("dangling-out", Code.PATH_ESCAPE),
    ("x" * 256, Code.INVALID_INPUT),
]


def read(boundary: Boundary, location: Location) -> bytes:
    with boundary.open_file(location) as file:
        return file.read(0, 100)


@pytest.mark.parametrize(("requested", "answer"), READS)
def test_reading_stays_inside(
    standing_boundary: Boundary, requested: str, answer: bytes | Code
) -> None:
    if isinstance(answer, bytes):
        assert (
            read(standing_boundary, standing_boundary.locate(requested))
            == answer
        )
        return
    with pytest.raises(FilewrightError) as caught:
        read(standing_boundary, standing_boundary.locate(requested))
    error = caught.value
    assert (error.code, error.details["path"]) == (answer, requested)
    assert requested in error.message
    assert error.hint


@pytest.mark.parametrize("times", range(5))
def test_refuses_fifo_unopened(
    boundary: Boundary, root: Path, times: int
) -> None:
    with pytest.raises(FilewrightError) as caught:
        read(boundary, boundary.locate("fifo"))
    assert caught.value.code is Code.NOT_A_FILE
    with pytest.raises(
        OSError
    ):  # no reader came and went: a writer that does not wait still finds none
        os.open(root / "fifo", os.O_WRONLY | os.O_NONBLOCK)


@pytest.mark.skipif(
    sys.platform == "win32" or not os.path.exists("/dev/full"),
    reason="needs the usual devices",
)
def test_refuses_devices(by_kernel: bool) -> None:
    boundary = Boundary(["/dev"], Settings(openat2=by_kernel))
    for name in ("full", "zero", "null"):
        with pytest.raises(FilewrightError) as caught:
            read(boundary, boundary.locate(name))
        assert caught.value.code is Code.NOT_A_FILE
    boundary.close()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs /proc")
def test_does_not_follow_magic_links(by_kernel: bool) -> None:
    boundary = Boundary(["/proc/self"], Settings(openat2=by_kernel))
    for name in ("root/etc/passwd", "cwd", "fd/0", "exe"):
        with pytest.raises(FilewrightError) as caught:
            read(boundary, boundary.locate(name))
        assert caught.value.code in (
            Code.SYMLINK,
            Code.PATH_ESCAPE,
            Code.NOT_FOUND,
        )
    boundary.close()


def below(location: Location, path: str) -> Location:
    for name in path.encode().split(b"/"):
        location = location.child(name)
    return location


Way = Callable[[Boundary, Location], object]
WAYS: dict[str, Way] = {
    "open_file": lambda boundary, where: boundary.open_file(where).close(),
    "open_folder": lambda boundary, where: boundary.open_folder(where).close(),
    "open_folder, to change it": lambda b, where: b.open_folder(
        where, for_change=True
    ).close(),
    "require_writable, deeper": lambda b, where: b.require_writable(
        below(where, "a/b/c")
    ),
    "require_writable": lambda boundary, where: boundary.require_writable(
        where.child(b"new")
    ),
    "stat": lambda boundary, where: boundary.stat(where.child(b"secret")),
    "read_link": lambda boundary, where: boundary.read_link(
        where.child(b"secret")
    ),
    "walk": lambda boundary, where: list(boundary.walk(where, task=Task())),
    "walk by glob": lambda boundary, where: list(
        boundary.walk(where, WalkOptions(glob="**/secret"), task=Task())
    ),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    "requested",
    [
        "out-folder",
        "out-root",
        "abs-folder",
        "proc-root",
        "out-folder/deep",
        "in-folder/../out-folder",
    ],
)
def test_refuses_links_outwards(
    standing_boundary: Boundary,
    standing_outside: Path,
    requested: str,
    way: str,
) -> None:
    before = sorted(path for path in standing_outside.rglob("*"))
    with pytest.raises(FilewrightError) as caught:
        WAYS[way](standing_boundary, standing_boundary.locate(requested))
    assert caught.value.code is Code.PATH_ESCAPE
    assert sorted(path for path in standing_outside.rglob("*")) == before


def test_walk_does_not_enter_links_outwards(
    boundary: Boundary,
) -> None:
    found = {
        entry.path: entry.kind
        for entry in boundary.walk(boundary.locate("."), task=Task())
    }
    assert found[b"out-folder"] == found[b"in-folder"] == "link"
    assert not any(
        b"secret" in path or path.startswith(b"in-folder/") for path in found
    )


def test_stat_of_link(boundary: Boundary) -> None:
    for name in ("in-file", "out-file", "abs-out", "dangling", "loop"):
        assert boundary.stat(boundary.locate(name)).kind == "link"
        assert boundary.stat(boundary.locate(name + "/")).kind == "link"
    assert (
        boundary.read_link(boundary.locate("out-file")) == b"../rooted/secret"
    )
    with pytest.raises(FilewrightError) as caught:
        boundary.read_link(boundary.locate("file"))
    assert caught.value.code is Code.INVALID_INPUT


@pytest.mark.parametrize(
    ("requested", "code"),
    [
        ("file", Code.NOT_A_DIRECTORY),
        ("fifo", Code.NOT_A_DIRECTORY),
        ("no", Code.NOT_FOUND),
        ("loop", Code.SYMLINK),
    ],
)
def test_open_folder_needs_folder(
    standing_boundary: Boundary, requested: str, code: Code
) -> None:
    for look in (
        standing_boundary.open_folder,
        lambda location: standing_boundary.walk(location, task=Task()),
    ):
        with pytest.raises(FilewrightError) as caught:
            look(standing_boundary.locate(requested))
        assert caught.value.code is code


@pytest.mark.parametrize(
    ("requested", "code"),
    [
        ("file/x", Code.NOT_A_DIRECTORY),
        ("file/x/y", Code.NOT_A_DIRECTORY),
        ("dangling-out/x", Code.PATH_ESCAPE),
        ("fifo/x", Code.NOT_A_DIRECTORY),
    ],
)
def test_parent_may_not_be_a_file(
    boundary: Boundary,
    root: Path,
    outside: Path,
    tmp_path: Path,
    requested: str,
    code: Code,
) -> None:
    settings = Settings(
        openat2=boundary.settings.openat2, state_dir=tmp_path / "state"
    )
    with (
        Workspace(root, settings=settings) as workspace,
        pytest.raises(FilewrightError) as caught,
    ):
        workspace.write(requested, "x\n")
    assert caught.value.code is code
    assert not (root / "nothing").exists()
    assert not (outside / "nothing").exists()


def test_opens_names_of_any_bytes(boundary: Boundary, root: Path) -> None:
    names = [
        b"new\nline",
        b"bad\xff",
        b"x" * 255,
        b" ",
        b"~",
        b'"q"',
        b"-rf",
        "\uff0e\uff0e".encode(),
        b"a\\b",
        b"$HOME",
    ]
    for name in names:
        with open(os.path.join(os.fsencode(root), name), "wb") as file:
            file.write(name)
        location = Location(boundary.roots[0], (name,))
        assert (
            read(boundary, boundary.locate(location.display_path)) == name[:100]
        )


def test_opens_very_deep_tree(boundary: Boundary, root: Path) -> None:
    name, levels = b"d" * 200, 40
    folder = os.open(root, os.O_RDONLY)
    for _ in range(levels):
        os.mkdir(name, dir_fd=folder)
        below = os.open(name, os.O_RDONLY, dir_fd=folder)
        os.close(folder)
        folder = below
    os.close(os.open(b"leaf", os.O_CREAT | os.O_WRONLY, dir_fd=folder))
    os.close(folder)
    location = Location(boundary.roots[0], (name,) * levels + (b"leaf",))
    assert read(boundary, location) == b""
    found = [
        entry.path
        for entry in boundary.walk(
            boundary.locate("."), WalkOptions(glob="leaf"), task=Task()
        )
    ]
    assert found == [location.path]
    boundary.open_folder(location.parent, for_change=True).close()


@pytest.mark.parametrize(
    "what",
    [
        "deleted",
        "moved",
        "moved and made again",
        "moved, and a link in its place",
    ],
)
def test_notices_replaced_root(
    boundary: Boundary, root: Path, outside: Path, what: str
) -> None:
    place = boundary.locate("file")
    if what == "deleted":
        shutil.rmtree(root)
    else:
        root.rename(root.with_name("moved"))
    if what == "moved and made again":
        root.mkdir()
        (root / "file").write_text("another")
    elif what == "moved, and a link in its place":
        root.symlink_to(outside)
    for act in (
        lambda: boundary.locate("file"),
        lambda: boundary.locate("secret"),
        lambda: boundary.require_writable(place),
        lambda: boundary.walk(place.parent, task=Task()),
    ):
        with pytest.raises(FilewrightError) as caught:
            act()
        assert caught.value.code is Code.NOT_FOUND
        assert str(root) in caught.value.message
        assert caught.value.hint is not None
        assert (
            "deleted, moved or replaced; start filewright again"
            in caught.value.hint
        )


def test_notices_folder_moved_out(
    boundary: Boundary,
    root: Path,
    outside: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if not system.capabilities.handle_paths:
        pytest.skip("the system does not tell the path of an open folder")
    reached, location = Folder.open_folder_beneath, boundary.locate("sub")

    def open_folder_beneath(self: Folder, parts: Any, **options: Any) -> Folder:
        found = reached(self, parts, **options)
        if (root / "sub").exists():
            (root / "sub").rename(outside / "sub")
        return found

    monkeypatch.setattr(Folder, "open_folder_beneath", open_folder_beneath)
    monkeypatch.setattr(
        type(boundary.roots[0].folder),
        "open_folder_beneath",
        open_folder_beneath,
    )
    with pytest.raises(FilewrightError) as caught:
        boundary.open_folder(location, for_change=True)
    assert caught.value.code is Code.PATH_ESCAPE


@pytest.mark.skipif(
    sys.platform == "win32"
    or not os.path.ismount("/proc")
    or not os.path.ismount("/dev"),
    reason="needs mounts below /",
)
def test_crosses_mounts_if_allowed(by_kernel: bool) -> None:
    boundary = Boundary(["/"], Settings(openat2=by_kernel))
    boundary.open_folder(boundary.locate("proc/sys")).close()
    boundary.close()
    boundary = Boundary(["/"], Settings(openat2=by_kernel, cross_devices=False))
    with pytest.raises(FilewrightError) as caught:
        boundary.open_folder(boundary.locate("proc/sys"))
    assert caught.value.code is Code.PATH_ESCAPE
    assert "file system" in caught.value.message
    boundary.close()


@pytest.mark.parametrize("count", [1, 39, 40, 41, 60])
def test_both_resolvers_follow_as_many_links(root: Path, count: int) -> None:
    (root / "link-0").symlink_to("file")
    for number in range(1, count):
        (root / f"link-{number}").symlink_to(f"link-{number - 1}")
    answers = []
    for by_kernel in (True, False):
        boundary = Boundary([root], Settings(openat2=by_kernel))
        try:
            answers.append(
                str(read(boundary, boundary.locate(f"link-{count - 1}")))
            )
        except FilewrightError as error:
            answers.append(error.code)
        boundary.close()
    assert answers[0] == answers[1]
