"""File states in little memory."""

from __future__ import annotations

import pytest

from filewright.changes.model import FileState
from filewright.changes.packed_states import PackedStates, in_tree_order

FILE = FileState(
    "file", 0o644, 1, 2, 3, 4, "digest", inode=7, blob="b", attributes={"a": b"1"}
)  # fmt: skip
LINK = FileState("link", link_target=b"\xff")
FOLDER = FileState("folder", descendants={b"a": LINK})


@pytest.mark.parametrize("state", [FILE, LINK, FOLDER, FileState("other")])
def test_returns_equal_state(state: FileState) -> None:
    states: PackedStates[str] = PackedStates()
    states["x"] = state
    assert states["x"] == state
    # These take no part in a comparison.
    assert states["x"].inode == state.inode
    assert states["x"].descendants == state.descendants


def test_is_a_mapping() -> None:
    states: PackedStates[bytes] = PackedStates()
    states[b"b"], states[b"a"] = FILE, LINK
    assert list(states) == [b"b", b"a"]
    assert len(states) == 2
    assert b"a" in states
    del states[b"a"]
    assert b"a" not in states
    assert states.get(b"a") is None


def test_folder_precedes_its_children() -> None:
    states: PackedStates[bytes] = PackedStates()
    for path in (b"a/b", b"a-b", b"a", b"a/b/c", b"a.b"):
        states[path] = LINK
    assert list(in_tree_order(states)) == [
        b"a",
        b"a/b",
        b"a/b/c",
        b"a-b",
        b"a.b",
    ]
