"""What the first version wrote is read by every later one: its history, its undo data, its unfinished change.

`first_version.tar.xz` was written by version 0.1.0: eleven changes of a small workspace, and a twelfth
that was killed while its fourth file of six was published. A record names its root by path and what
stood there by inode, so the state is moved to where it is unpacked before anything reads it.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import struct
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.promises import outside

from filewright import Workspace

ARCHIVE = Path(__file__).with_name("first_version.tar.xz")
HEADER, FRAME, SEAL = struct.Struct(">8sQ"), struct.Struct(">cQ"), 32
START = {
    "a.txt": b"one\r\ntwo\r\nthree\r\n",
    "gone.txt": b"to be deleted\n",
    "moved.txt": b"to be moved\n",
    **{f"folder/f{n}.txt": f"file {n}\n".encode() * 8 for n in range(6)},
}
CHANGES = 11


def _moved(value: Any, roots: tuple[str, str], inodes: dict[int, int]) -> Any:
    """A record's JSON with its root and its inodes as they are here."""
    if isinstance(value, dict):
        return {
            key: inodes.get(item, item) if key == "inode" else _moved(item, roots, inodes)
            for key, item in value.items()
        }
    if isinstance(value, list):
        return [_moved(item, roots, inodes) for item in value]
    return roots[1] if value == roots[0] else value


def _rewrite(path: Path, key: bytes, roots: tuple[str, str], inodes: dict[int, int]) -> None:
    """Write a record file of the first version again, sealed with its key."""
    data = path.read_bytes()
    if not data:
        return
    _, start = HEADER.unpack_from(data)
    made, at = bytearray(data[:start]), start
    while at < len(data):
        kind, length = FRAME.unpack_from(data, at)
        body = at + FRAME.size
        value = _moved(json.loads(data[body : body + length]), roots, inodes)
        payload = json.dumps(value, separators=(",", ":")).encode()
        sealed = kind + len(made).to_bytes(8, "big") + payload
        made += FRAME.pack(kind, len(payload)) + payload + hmac.new(key, sealed, hashlib.sha256).digest()
        at = body + length + SEAL
    path.write_bytes(made)


@pytest.fixture
def place() -> Iterator[Path]:
    with outside.folder() as folder:
        (folder / "work").rmdir()
        with tarfile.open(ARCHIVE) as archive:
            archive.extractall(folder, filter="data")
        facts = json.loads((folder / "facts.json").read_text())
        for name, (_, mtime) in sorted(facts["places"].items(), reverse=True):
            os.utime(folder / name, ns=(mtime, mtime))
        inodes = {inode: (folder / name).stat().st_ino for name, (inode, _) in facts["places"].items()}
        root = os.path.realpath(folder / "work")
        state = folder / "state" / f"work-{hashlib.sha256(os.fsencode(root)).hexdigest()[:16]}"
        (folder / "state" / "first").rename(state)
        for path in (state / "journal").iterdir():
            _rewrite(path, (state / "key").read_bytes(), (facts["root"], root), inodes)
        for path in (folder / "state", *(folder / "state").rglob("*")):
            path.chmod(0o700 if path.is_dir() else 0o600)
        yield folder


def _open(place: Path) -> Workspace:
    return Workspace(place / "work", state_dir=place / "state")


def test_its_history_is_read(place: Path) -> None:
    with _open(place) as workspace:
        records = workspace.history(limit=50)
        assert len(records) == CHANGES
        assert {record.tool for record in records} == {
            "edit_content",
            "write_content",
            "move_items",
            "delete_items",
            "copy_items",
            "set_permissions",
            "replace_content",
            "revert_edit",
            "create_directories",
        }
        for record in records:
            assert not workspace.call("get_history", {"change_id": record.id}).is_error
        assert len(workspace.history("a.txt", limit=50)) == 4


def test_its_unfinished_change_is_settled(place: Path) -> None:
    assert outside.unasked(place / "work") != []
    with _open(place) as workspace:
        workspace.write("next.txt", "next\n")
    stands = outside.contents(place / "work")
    assert {name: stands[name] for name in START if name.startswith("folder/")} == {
        name: content for name, content in START.items() if name.startswith("folder/")
    }
    assert outside.unasked(place / "work") == []


def test_all_its_changes_are_undone(place: Path) -> None:
    with _open(place) as workspace:
        undone = 0
        while workspace.newest_undoable() is not None:
            workspace.undo()
            undone += 1
        assert undone == CHANGES - 2, "one was undone by the first version, and one is that undo"
    assert outside.contents(place / "work") == START
    assert not (place / "work" / "empty").exists()
