"""Paths below a folder: the kernel and the walk agree, and never lead out."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from tests.examples import examples

from filewright import system
from filewright.system import Folder, posix

NAMES = (
    b"a",
    b"b",
    b"file",
    b"missing",
    b"up",
    b"in",
    b"out",
    b"absolute",
    b"loop",
    b"deep",
    b"fifo",
    b"dot",
)
LINKS = {
    b"up": b"..",
    b"in": b"a/b",
    b"out": b"../..",
    b"absolute": b"/etc",
    b"loop": b"loop",
    b"deep": b"../a/./b//",
    b"dot": b".",
}


def plant(folder: Path, depth: int) -> None:
    (folder / "file").write_text(f"level {depth}")
    os.mkfifo(folder / "fifo")
    for name, target in LINKS.items():
        os.symlink(target, os.fsencode(folder) + b"/" + name)
    if depth < 2:
        for name in ("a", "b"):
            (folder / name).mkdir()
            plant(folder / name, depth + 1)


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("tree") / "root"
    root.mkdir()
    (root.parent / "secret").write_text("outside")
    plant(root, 0)
    return root


@pytest.fixture(scope="module")
def roots(tree: Path) -> Iterator[tuple[Folder, ...]]:
    path = os.fsencode(tree)
    with (
        system.open_folder(path) as resolved_by_kernel,
        system.open_folder(path, resolves_in_kernel=False) as walking,
        posix.open_folder(path) as plain,
    ):
        yield resolved_by_kernel, walking, plain


def folder_answer(
    root: Folder, parts: tuple[bytes, ...], links: bool
) -> object:
    try:
        with root.open_folder_beneath(parts, follow_links=links) as found:
            return (
                found.status().identity,
                found.resolved_parts if links else (),
            )
    except OSError as error:
        return errno.errorcode[error.errno or 0]


def file_answer(root: Folder, parts: tuple[bytes, ...], links: bool) -> object:
    try:
        with root.open_file_beneath(parts, follow_links=links) as found:
            return found.status().identity, found.read(0, 99)
    except OSError as error:
        return errno.errorcode[error.errno or 0]


@examples(34, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    parts=st.lists(st.sampled_from([*NAMES, b"..", b"a", b"b"]), max_size=6),
    links=st.booleans(),
)
def test_kernel_and_walk_agree(
    roots: tuple[Folder, ...], parts: list[bytes], links: bool
) -> None:
    path = tuple(parts)
    assert len({repr(folder_answer(root, path, links)) for root in roots}) == 1
    assert len({repr(file_answer(root, path, links)) for root in roots}) == 1


def test_refuses_paths_that_lead_out(roots: tuple[Folder, ...]) -> None:
    for root in roots:
        for parts in (
            (b"out",),
            (b"..",),
            (b"a", b"..", b".."),
            (b"absolute",),
            (b"up", b"secret"),
            (b"a", b"out"),
        ):
            assert folder_answer(root, parts, True) == "EXDEV"
            assert file_answer(root, (*parts, b"secret"), True) == "EXDEV"


def test_resolved_parts_hold_no_link(roots: tuple[Folder, ...]) -> None:
    for root in roots:
        with root.open_folder_beneath(
            (b"in", b"up", b"b", b"..", b"b")
        ) as found:
            assert found.resolved_parts == (b"a", b"b")


def test_refuses_too_long_name(roots: tuple[Folder, ...]) -> None:
    for root in roots:
        for parts in ((b"n" * 5_000,), (b"in", b"n" * 5_000, b"b")):
            assert folder_answer(root, parts, True) == "ENAMETOOLONG"
            assert file_answer(root, (*parts, b"file"), True) == "ENAMETOOLONG"


def test_opens_path_beyond_path_max(tmp_path: Path) -> None:
    name = b"n" * 200
    with (
        system.open_folder(os.fsencode(tmp_path)) as root,
        system.open_folder(
            os.fsencode(tmp_path), resolves_in_kernel=False
        ) as walking,
        posix.open_folder(os.fsencode(tmp_path)) as plain,
    ):
        folder = root.open_folder(b".")
        for _ in range(60):
            folder.make_folder(name)
            below = folder.open_folder(name)
            folder.close()
            folder = below
        with folder, folder.create(b"file") as file:
            file.write(b"deep", 0)
        for one in (root, walking, plain):
            for links in (True, False):
                with one.open_folder_beneath(
                    (name,) * 60, follow_links=links
                ) as found:
                    assert found.names() == [b"file"]
                with one.open_file_beneath(
                    (*(name,) * 60, b"file"), follow_links=links
                ) as deep:
                    assert deep.read(0, 9) == b"deep"
        above = [root.open_folder(b".")]
        for _ in range(60):
            above.append(above[-1].open_folder(name))
        above[-1].remove(b"file")
        above.pop().close()
        for each in reversed(above):
            each.remove_folder(name)
            each.close()
