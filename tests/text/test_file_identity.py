"""The identity of a file: another once the file is replaced or written."""

from __future__ import annotations

import os
from pathlib import Path

from filewright.text.file_identity import FileIdentity


def test_tells_files_apart(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"a")
    before = FileIdentity.of(os.stat(path))
    assert before == FileIdentity.of(os.stat(path))
    assert before.size == 1
    path.write_bytes(b"ab")
    assert before != FileIdentity.of(os.stat(path))
    (tmp_path / "b").write_bytes(b"a")
    other = FileIdentity.of(os.stat(tmp_path / "b"))
    assert other.device == before.device
    assert other.inode != before.inode
