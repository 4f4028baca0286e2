"""The folders and entries of a walk."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from filewright import system
from filewright.boundary.boundary import Boundary
from filewright.boundary.walk_model import (
    MAX_IGNORE_FILE_BYTES,
    is_folder,
    read_ignore_file,
)
from filewright.progress import Task


def test_paths_of_entries(standing_boundary: Boundary) -> None:
    start = standing_boundary.locate("sub")
    entries = {
        entry.path: entry
        for entry in standing_boundary.walk(start, task=Task())
    }
    entry = entries[b"below/file"]
    assert entry.location == standing_boundary.locate("sub/below/file")
    assert entry.folder.prefix == b"below/"
    assert entry.folder.root_prefix == b"sub/below/"
    assert entry.folder.parts == (b"sub", b"below")


def test_is_folder(standing_root: Path) -> None:
    with system.open_folder(os.fsencode(standing_root)) as folder:
        names = (b"sub", b"file", b"in-folder", b"nothing")
        kinds = [is_folder(folder, name) for name in names]
    assert kinds == [True, False, False, None]


@pytest.mark.parametrize(
    ("size", "is_read"),
    [
        (0, True),
        (MAX_IGNORE_FILE_BYTES, True),
        (MAX_IGNORE_FILE_BYTES + 1, False),
        (None, False),
    ],
)
def test_reads_ignore_file(
    tmp_path: Path, size: int | None, is_read: bool
) -> None:
    path = tmp_path / ".gitignore"
    if size is not None:
        path.touch()
        os.truncate(path, size)
    content = read_ignore_file(lambda: system.open_file(os.fsencode(path)))
    assert (content is not None) == is_read
