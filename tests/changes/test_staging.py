"""New files under temporary names: contents, rights, attributes and times."""

from __future__ import annotations

import errno
import os
import stat
import sys
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest
from tests.changes.steps import EDIT, refused

from filewright.edit.changeset import (
    Copy,
    Delete,
)
from filewright.errors import Code
from filewright.text.splice import Splice


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o755])
def test_keeps_mode(bench: Any, mode: int) -> None:
    (bench.root / "a.txt").chmod(mode)
    bench.commit(bench.modify("a.txt", EDIT))
    assert stat.S_IMODE((bench.root / "a.txt").stat().st_mode) == mode


@pytest.mark.needs("attributes")
def test_keeps_attributes_and_acl(bench: Any) -> None:
    path = bench.root / "a.txt"
    os.setxattr(path, "user.note", b"kept")
    bench.commit(bench.modify("a.txt", EDIT))
    assert os.getxattr(path, "user.note") == b"kept"


def test_keeps_owner(bench: Any) -> None:
    owner = (
        (1234, 2345)
        if os.geteuid() == 0
        else (os.geteuid(), [os.getegid(), *os.getgroups()][-1])
    )
    os.chown(bench.root / "a.txt", *owner)
    bench.commit(bench.modify("a.txt", EDIT))
    status = (bench.root / "a.txt").stat()
    assert (status.st_uid, status.st_gid) == owner


@pytest.mark.parametrize("may_give", [True, False])
@pytest.mark.skipif(sys.platform != "linux", reason="patches a call of Linux")
def test_restores_owner_of_link(
    bench: Any, monkeypatch: pytest.MonkeyPatch, may_give: bool
) -> None:
    if may_give and os.geteuid() != 0:
        pytest.skip("only root can give a link away")

    def refuse(*_: Any) -> None:
        raise PermissionError(errno.EPERM, "not permitted")

    link, inner = bench.root / "link", bench.root / "f/link"
    for path in (link, inner):
        path.symlink_to("a.txt")
        with suppress(PermissionError):
            os.lchown(path, 1234, 2345)
    record = bench.commit(
        Delete(bench.at("link")), Delete(bench.at("f"), recursive=True)
    )
    if not may_give:
        monkeypatch.setattr("filewright.system.linux.chown_descriptor", refuse)
    bench.undo(record.id)
    owner = (1234, 2345) if may_give else (os.geteuid(), os.getegid())
    for path in (link, inner):
        status = path.lstat()
        assert os.readlink(path) == "a.txt"
        assert (status.st_uid, status.st_gid) == owner


@pytest.mark.needs("attributes")
def test_refuses_lost_attributes(
    bench: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any) -> None:
        raise PermissionError(errno.EPERM, "not permitted")

    os.setxattr(bench.root / "a.txt", "user.note", b"n")
    monkeypatch.setattr(os, "setxattr", refuse)
    error = refused(bench, bench.modify("a.txt", EDIT))
    assert error.code is Code.PERMISSION_DENIED
    assert error.details["lost"] == "extended attribute user.note"


def test_hides_temporary_of_secret(
    bench: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    (bench.root / "a.txt").chmod(0o600)
    seen: list[int] = []
    real = os.open

    def watching(path: Any, flags: int, mode: int = 0o777, **more: Any) -> int:
        descriptor = real(path, flags, mode, **more)
        if flags & os.O_CREAT:
            seen.append(stat.S_IMODE(os.fstat(descriptor).st_mode))
        return descriptor

    monkeypatch.setattr(os, "open", watching)
    bench.commit(bench.modify("a.txt", EDIT))
    assert seen
    assert set(seen) <= {0o600}


def test_leaves_tmp_file_of_user(bench: Any) -> None:
    for name in ("a.txt.tmp", ".a.txt.swp", "a.txt~", ".fw~x", ".fw~mine.txt"):
        (bench.root / name).write_bytes(b"mine")
    bench.commit(bench.modify("a.txt", EDIT))
    bench.changes.recover()
    for name in ("a.txt.tmp", ".a.txt.swp", "a.txt~", ".fw~x", ".fw~mine.txt"):
        assert (bench.root / name).read_bytes() == b"mine"


def test_checks_sampled_encoding(bench: Any) -> None:
    (bench.root / "a.txt").write_bytes(b"plain\n" * 10 + b"\xff\n")
    step = replace(
        bench.modify("a.txt", Splice(0, 0, "é".encode())),
        encoding_check="utf-8",
    )
    assert refused(bench, step).code is Code.UNENCODABLE


@pytest.mark.needs("attributes")
def test_copies_keep_metadata(bench: Any) -> None:
    path = bench.root / "f/x.txt"
    path.chmod(0o751)
    os.setxattr(path, "user.note", b"n")
    os.utime(path, ns=(10**18, 10**18))
    os.symlink("x.txt", bench.root / "f/link")
    bench.commit(Copy(bench.at("f"), bench.at("deep/copy")))
    copy = bench.root / "deep/copy/x.txt"
    assert stat.S_IMODE(copy.stat().st_mode) == 0o751
    assert copy.stat().st_mtime_ns == 10**18
    assert os.getxattr(copy, "user.note") == b"n"
    assert os.readlink(bench.root / "deep/copy/link") == "x.txt"


def test_writes_back_whole_pages(
    bench: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An edit of odd length moves all that follows; the copy never writes on in a page that it handed over."""
    from filewright.system import File

    (bench.root / "large.bin").write_bytes(b"a line of a log\n" * (1 << 21))
    handed: list[tuple[int, int]] = []
    for kind in (*File.__mro__, *File.__subclasses__()):
        if "start_writeback" in vars(kind):
            monkeypatch.setattr(
                kind, "start_writeback", lambda _, *where: handed.append(where)
            )
    bench.commit(bench.modify("large.bin", Splice(77, 3, b"odd")))
    bench.commit(bench.modify("large.bin", Splice(77, 3, b"longer")))
    assert len(handed) >= 6
    assert all((offset + length) % 4096 == 0 for offset, length in handed)
