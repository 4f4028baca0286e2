"""Values in order, in little memory: a change may be of a hundred thousand files.

The first values are held as they are, since most changes have no more. Of the others
only fields are held, in compressed blocks: the paths, digests and numbers of one file
after the other take a tenth of what their objects take.
"""

from __future__ import annotations

import marshal
import zlib
from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, TypeVar, overload

ValueT = TypeVar("ValueT")
Fields = tuple[Any, ...]

MAX_PLAIN_VALUES = 512
"""The first values, which are held as they are."""
_BLOCK_VALUES = 64


class PackedSequence(Sequence[ValueT]):
    """Values of one kind, which a subclass packs as fields and unpacks again.

    To go through them in either direction unpacks each block once.
    """

    def __init__(self) -> None:
        self._plain: list[ValueT] = []
        self._unpackable: dict[int, ValueT] = {}
        self._blocks: list[bytes] = []
        self._open_block: list[Fields | None] = []
        self._last_read: tuple[int, list[Fields | None]] = -1, []
        """The number and the content of the block that was read last."""

    @abstractmethod
    def pack(self, value: ValueT) -> Fields | None:
        """Return the fields of a value, for `marshal`; None to hold it as it is."""

    @abstractmethod
    def unpack(self, fields: Any) -> ValueT:
        """Return the value with these fields."""

    def append(self, value: ValueT) -> None:
        """Add a value at the end."""
        if len(self._plain) < MAX_PLAIN_VALUES:
            self._plain.append(value)
            return
        fields = self.pack(value)
        if fields is None:
            self._unpackable[len(self)] = value
        self._open_block.append(fields)
        if len(self._open_block) == _BLOCK_VALUES:
            block = zlib.compress(marshal.dumps(self._open_block), 1)
            self._blocks.append(block)
            self._open_block = []

    def __len__(self) -> int:
        packed_count = len(self._blocks) * _BLOCK_VALUES
        return len(self._plain) + packed_count + len(self._open_block)

    @overload
    def __getitem__(self, index: int) -> ValueT: ...
    @overload
    def __getitem__(self, index: slice) -> list[ValueT]: ...
    def __getitem__(self, index: int | slice) -> ValueT | list[ValueT]:
        if isinstance(index, slice):
            indexes = range(*index.indices(len(self)))
            return [self[position] for position in indexes]
        index = range(len(self))[index]
        if index < MAX_PLAIN_VALUES:
            return self._plain[index]
        if index in self._unpackable:
            return self._unpackable[index]
        block_number, position = divmod(index - MAX_PLAIN_VALUES, _BLOCK_VALUES)
        return self.unpack(self._read_block(block_number)[position])

    def _read_block(self, number: int) -> list[Fields | None]:
        if number == len(self._blocks):
            return self._open_block
        last_number, block = self._last_read
        if number != last_number:
            block = marshal.loads(zlib.decompress(self._blocks[number]))
            self._last_read = number, block
        return block
