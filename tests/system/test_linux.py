"""The system calls of Linux, and their substitutes."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from filewright.system import linux


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[int]:
    (tmp_path / "a").write_text("a")
    (tmp_path / "b").write_text("b")
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "x").write_text("x")
    (tmp_path / "e").mkdir()
    (tmp_path / "link").symlink_to("a")
    folder = os.open(tmp_path, os.O_RDONLY)
    yield folder
    os.close(folder)


@pytest.mark.skipif(not linux.has_renameat2(), reason="needs renameat2")
def test_exchanges_two_names(folder: int, tmp_path: Path) -> None:
    linux.renameat2(folder, b"a", folder, b"d", linux.RENAME_EXCHANGE)
    assert (tmp_path / "d").read_text() == "a"
    assert (tmp_path / "a" / "x").read_text() == "x"


@pytest.mark.parametrize(
    "number", [linux.FCHMODAT2_NUMBER, 100_000], ids=["fchmodat2", "without"]
)
@pytest.mark.parametrize("name", ["a", "d"])
def test_sets_mode_by_path_descriptor(
    folder: int,
    tmp_path: Path,
    name: str,
    number: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(linux, "FCHMODAT2_NUMBER", number)
    handle = os.open(name, linux.O_PATH | os.O_NOFOLLOW, dir_fd=folder)
    linux.chmod_descriptor(handle, 0o640)
    os.close(handle)
    assert stat.S_IMODE((tmp_path / name).stat().st_mode) == 0o640


@pytest.mark.parametrize(
    "number", [linux.FCHMODAT2_NUMBER, 100_000], ids=["fchmodat2", "without"]
)
def test_never_sets_mode_through_link(
    folder: int, tmp_path: Path, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(linux, "FCHMODAT2_NUMBER", number)
    before = (tmp_path / "a").stat().st_mode
    handle = os.open("link", linux.O_PATH | os.O_NOFOLLOW, dir_fd=folder)
    with pytest.raises(OSError, match="supported") as caught:
        linux.chmod_descriptor(handle, 0o600)
    os.close(handle)
    assert caught.value.errno == errno.EOPNOTSUPP
    assert (tmp_path / "a").stat().st_mode == before


def test_sets_owner_of_link_itself(folder: int, tmp_path: Path) -> None:
    handle = os.open("link", linux.O_PATH | os.O_NOFOLLOW, dir_fd=folder)
    linux.chown_descriptor(handle, os.getuid(), -1)
    if os.getuid() == 0:
        linux.chown_descriptor(handle, 1234, 2345)
        status = (tmp_path / "link").lstat()
        assert (status.st_uid, status.st_gid) == (1234, 2345)
        assert (tmp_path / "a").stat().st_uid == 0
    os.close(handle)


@pytest.mark.parametrize("name", [b"a\0b", b"\0"])
def test_refuses_nul_in_names(folder: int, name: bytes) -> None:
    for call in (
        lambda: linux.openat2(folder, name, os.O_RDONLY, 0),
        lambda: linux.renameat2(folder, name, folder, b"x", 0),
        lambda: linux.renameat2(folder, b"a", folder, name, 0),
    ):
        with pytest.raises(OSError, match="null byte"):
            call()


@pytest.mark.skipif(not linux.has_openat2(), reason="needs openat2")
def test_descriptors_are_not_inherited(folder: int) -> None:
    descriptor = linux.openat2(folder, b"a", os.O_RDONLY, linux.RESOLVE_BENEATH)
    assert not os.get_inheritable(descriptor)
    os.close(descriptor)
