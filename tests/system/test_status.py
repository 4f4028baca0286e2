"""The status of a file as it is held for the length of a change."""

from __future__ import annotations

import os
from pathlib import Path

from filewright.system.status import Status
from filewright.text.file_identity import FileIdentity


def test_unpacked_status_has_the_same_fields(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_text("text")
    path.chmod(0o640)
    status = Status(os.stat(path), birth_ns=7)
    unpacked = Status.unpack(status.pack())
    for name in [
        "kind",
        "mode",
        "identity",
        "device",
        "inode",
        "size",
        "atime_ns",
        "mtime_ns",
        "ctime_ns",
        "uid",
        "gid",
        "link_count",
        "birth_ns",
    ]:
        assert getattr(unpacked, name) == getattr(status, name), name
    assert FileIdentity.of(unpacked.raw) == FileIdentity.of(status.raw)
