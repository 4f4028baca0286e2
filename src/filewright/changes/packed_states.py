"""File states by key, in little memory: a change may have a hundred thousand of them.

A value is held as bytes, and made again each time it is asked for. As objects the texts
and numbers of a state take three times as much.
"""

from __future__ import annotations

import marshal
from collections.abc import Callable, Hashable, Iterator, MutableMapping
from typing import TypeVar

from filewright.changes.model import NO_ATTRIBUTES, FileState

KeyT = TypeVar("KeyT", bound=Hashable)
ValueT = TypeVar("ValueT")


class PackedValues(MutableMapping[KeyT, ValueT]):
    """Values by node or by path, in the order in which they were added.

    A value for which `pack` returns None is held as it is.
    """

    def __init__(
        self,
        pack: Callable[[ValueT], bytes | None],
        unpack: Callable[[bytes], ValueT],
    ) -> None:
        self._pack = pack
        self._unpack = unpack
        self.packed: dict[KeyT, bytes | ValueT] = {}

    def __getitem__(self, key: KeyT) -> ValueT:
        value = self.packed[key]
        return self._unpack(value) if isinstance(value, bytes) else value

    def __setitem__(self, key: KeyT, value: ValueT) -> None:
        packed = self._pack(value)
        self.packed[key] = value if packed is None else packed

    def __delitem__(self, key: KeyT) -> None:
        del self.packed[key]

    def __contains__(self, key: object) -> bool:
        return key in self.packed

    def __iter__(self) -> Iterator[KeyT]:
        return iter(self.packed)

    def __len__(self) -> int:
        return len(self.packed)


class PackedStates(PackedValues[KeyT, FileState]):
    """File states; the few with descendants are held as they are."""

    def __init__(self) -> None:
        super().__init__(_pack, _unpack)


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
        ordered.packed[path] = states.packed.pop(path)
        pending.extend(sorted(children.pop(path, ()), reverse=True))
    assert not states, "a path without its folder"
    return ordered


def _pack(state: FileState) -> bytes | None:
    """Return the fields of a state in the order of its class."""
    if state.descendants:
        return None
    return marshal.dumps(
        (
            state.kind,
            state.mode,
            state.uid,
            state.gid,
            state.size,
            state.mtime_ns,
            pack_hex(state.digest),
            state.link_target,
            state.inode,
            pack_hex(state.blob),
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
        unpack_hex(digest),
        link_target,
        inode,
        unpack_hex(blob),
        attributes or NO_ATTRIBUTES,
    )


def pack_hex(text: str | None) -> bytes | str | None:
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


def unpack_hex(packed: bytes | str | None) -> str | None:
    """Return the text of a hash."""
    return packed.hex() if isinstance(packed, bytes) else packed
