"""Errors of the system, and the facts that they carry."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from filewright import system
from filewright.system.errors import (
    EscapesFolderError,
    NotAFileError,
    require_same,
    system_error,
)


def test_has_text_of_system() -> None:
    error = system_error(errno.ENOENT)
    assert isinstance(error, FileNotFoundError)
    assert error.strerror == os.strerror(errno.ENOENT)
    assert error.filename is None
    assert system_error(errno.ENOENT, b"a").filename == b"a"


@pytest.mark.parametrize(
    ("kind", "number"),
    [
        ("folder", errno.EISDIR),
        ("link", errno.ELOOP),
        ("fifo", errno.ENXIO),
        ("socket", errno.ENXIO),
    ],
)
def test_number_tells_kind(kind: system.FileKind, number: int) -> None:
    error = NotAFileError(kind)
    assert (error.errno, error.kind) == (number, kind)
    assert kind in str(error)


def test_names_link_that_leads_out() -> None:
    error = EscapesFolderError((b"a",), b"../x")
    assert (error.errno, error.above, error.path) == (
        errno.EXDEV,
        (b"a",),
        b"../x",
    )


def test_requires_same_file(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).write_bytes(b"")
    with system.open_folder(os.fsencode(tmp_path)) as folder:
        status, other = folder.stat(b"a"), folder.stat(b"b")
    require_same(status, None)
    require_same(status, status)
    with pytest.raises(OSError) as caught:
        require_same(status, other)
    assert caught.value.errno == errno.ESTALE
