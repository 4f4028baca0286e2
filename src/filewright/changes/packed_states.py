"""File states by key, in little memory: a change may have a hundred thousand of them.

A state is held as bytes, and made again each time it is asked for. As objects the texts
and numbers of a state take three times as much.
"""

from __future__ import annotations

import marshal
from collections.abc import Hashable, Iterator, MutableMapping
from typing import Any, TypeVar

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
    """Return the states of files by path, a folder before its children."""
    # No name has a zero byte, which sorts before all others as a shorter path does.
    paths = sorted(states, key=lambda path: path.replace(b"/", b"\0"))
    ordered: PackedStates[bytes] = PackedStates()
    for path in paths:
        ordered[path] = states[path]
    return ordered


def _pack(state: FileState) -> bytes:
    """Return the fields of a state without descendants, in the order of its class."""
    return marshal.dumps(
        [
            state.kind,
            state.mode,
            state.uid,
            state.gid,
            state.size,
            state.mtime_ns,
            state.digest,
            state.link_target,
            state.inode,
            state.blob,
            dict(state.attributes) or None,
        ]
    )


def _unpack(packed: bytes) -> FileState:
    fields: list[Any] = marshal.loads(packed)
    fields[-1] = fields[-1] or NO_ATTRIBUTES
    return FileState(*fields)
