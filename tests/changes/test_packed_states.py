"""File states as bytes: whatever a file system can say of a file comes back."""

from __future__ import annotations

import pytest

from filewright.changes.model import FileState
from filewright.changes.packed_states import PackedStates, in_tree_order

STATES: dict[str, FileState] = {
    "empty": FileState("file"),
    "large numbers": FileState(
        "file",
        mode=0o7777,
        uid=2**32 - 2,
        gid=2**32 - 2,
        size=2**63 - 1,
        mtime_ns=2**63 - 1,
        inode=2**64 - 1,
        digest="0" * 32,
        blob="f" * 64,
    ),
    "before 1970": FileState("file", mtime_ns=-(10**18) - 1),
    "link": FileState("link", mode=0o777, link_target=b"\xff\n/x"),
    "attributes": FileState(
        "folder", attributes={"user.\udcff": b"\x00\xff", "user.empty": b""}
    ),
    "other": FileState("other", mode=0o600),
    "linked blob": FileState("file", blob="=7"),
    "digest of a damaged plan": FileState("file", digest="0A f", blob="é"),
    "empty digest": FileState("file", digest=""),
    "descendants": FileState(
        "folder", descendants={b"x": FileState("file", size=1)}
    ),
}


def _fields(state: FileState) -> tuple[object, ...]:
    """Return a state, with what takes no part in comparisons."""
    return state, state.inode, dict(state.descendants)


@pytest.mark.parametrize("state", STATES.values(), ids=STATES)
def test_returns_state_as_it_was(state: FileState) -> None:
    states: PackedStates[str] = PackedStates()
    states["key"] = state
    assert _fields(states["key"]) == _fields(state)
    assert _fields(states.pop("key")) == _fields(state)
    assert not states


def test_orders_folders_before_their_entries() -> None:
    states: PackedStates[bytes] = PackedStates()
    for path in (b"a/b", b"a-", b"a/b/c", b"a", b"\xff"):
        states[path] = FileState("file", size=len(path))
    ordered = in_tree_order(states)
    assert list(ordered) == [b"a", b"a/b", b"a/b/c", b"a-", b"\xff"]
    assert [state.size for state in ordered.values()] == [1, 3, 5, 2, 1]
