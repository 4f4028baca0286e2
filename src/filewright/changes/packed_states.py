"""File states by key, in little memory: a change may have a hundred thousand of them.

A state is held as bytes, and made again each time it is asked for. As objects the texts
and numbers of a state take three times as much.
"""

from __future__ import annotations

import marshal
from collections.abc import Hashable, Iterator, MutableMapping
from typing import TypeVar

from filewright.changes.model import NO_ATTRIBUTES, FileState

KeyT = TypeVar("KeyT", bound=Hashable)


class PackedStates(MutableMapping[KeyT, FileState]):
    """File states by node or by path, in the order in which they were added."""

    def __init__(self) -> None:
        self._states: dict[KeyT, bytes | FileState] = {}
        """Packed states; the few with descendants as they are."""

    def __getitem__(self, key: KeyT) -> FileState:
        state = self._states[key]
        return _unpack(state) if isinstance(state, bytes) else state

    def __setitem__(self, key: KeyT, state: FileState) -> None:
        self._states[key] = state if state.descendants else _pack(state)

    def __delitem__(self, key: KeyT) -> None:
        del self._states[key]

    def __contains__(self, key: object) -> bool:
        return key in self._states

    def __iter__(self) -> Iterator[KeyT]:
        return iter(self._states)

    def __len__(self) -> int:
        return len(self._states)


def in_tree_order(states: PackedStates[bytes]) -> PackedStates[bytes]:
    """Return the states of files by path, a folder before its children.

    Every folder of a path must have a state. The states are taken out of `states`.
    """
    # Sorted folder by folder: keys of all paths would take as much as the states.
    children: dict[bytes, list[bytes]] = {}
    for path in states:
        folder, _, _ = path.rpartition(b"/")
        children.setdefault(folder, []).append(path)
    ordered: PackedStates[bytes] = PackedStates()
    pending = sorted(children.pop(b"", ()), reverse=True)
    while pending:
        path = pending.pop()
        ordered._states[path] = states._states.pop(path)
        pending.extend(sorted(children.pop(path, ()), reverse=True))
    assert not states, "a path without its folder"
    return ordered


def _pack(state: FileState) -> bytes:
    """Return the fields of a state without descendants, in the order of its class."""
    return marshal.dumps(
        (
            state.kind,
            state.mode,
            state.uid,
            state.gid,
            state.size,
            state.mtime_ns,
            _pack_hex(state.digest),
            state.link_target,
            state.inode,
            _pack_hex(state.blob),
            dict(state.attributes) or None,
        )
    )


def _unpack(packed: bytes) -> FileState:
    (
        kind,
        mode,
        uid,
        gid,
        size,
        mtime_ns,
        digest,
        link_target,
        inode,
        blob,
        attributes,
    ) = marshal.loads(packed)
    return FileState(
        kind,
        mode,
        uid,
        gid,
        size,
        mtime_ns,
        _unpack_hex(digest),
        link_target,
        inode,
        _unpack_hex(blob),
        attributes or NO_ATTRIBUTES,
    )


def _pack_hex(text: str | None) -> bytes | str | None:
    """Return the bytes of a hash, which take half of its digits; or the text."""
    if text is None:
        return None
    try:
        packed = bytes.fromhex(text)
    except ValueError:
        # The name of a displaced file that is linked in the state folder.
        return text
    # A text from a damaged plan may have digits that bytes are not written with.
    return packed if packed.hex() == text else text


def _unpack_hex(packed: bytes | str | None) -> str | None:
    return packed.hex() if isinstance(packed, bytes) else packed
