"""The steps of a change set, in little memory: a change may edit 100,000 files."""

from __future__ import annotations

import marshal
from collections.abc import Iterable, Sequence
from typing import Any, TypeGuard

from filewright.boundary.location import Location, Root
from filewright.edit.changeset import ExpectedState, Modify, Step
from filewright.text.splice import Splice

MAX_PLAIN_STEPS = 512
"""The first steps, which are held as they are: most changes have no more."""
_MAX_PACKED_SPLICES = 16
_MAX_PACKED_BYTES = 4 << 10
"""The largest replacement in a packed step; unpacking copies it."""


class PackedSteps(Sequence[Step]):
    """Steps in order. Beyond the first, small edits of hashed files are held as bytes.

    As objects an edit with its location, digest and splices takes four times as much.
    """

    def __init__(self, steps: Iterable[Step] = ()) -> None:
        self._steps: list[Step | bytes] = []
        self._roots: list[Root] = []
        """The roots of packed locations."""
        self.extend(steps)

    def append(self, step: Step) -> None:
        """Add a step at the end."""
        if len(self._steps) >= MAX_PLAIN_STEPS and _is_small_edit(step):
            self._steps.append(self._pack(step))
        else:
            self._steps.append(step)

    def extend(self, steps: Iterable[Step]) -> None:
        """Add steps at the end."""
        for step in steps:
            self.append(step)

    def __len__(self) -> int:
        return len(self._steps)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            indexes = range(*index.indices(len(self)))
            return [self[position] for position in indexes]
        step = self._steps[index]
        return self._unpack(step) if isinstance(step, bytes) else step

    def _pack(self, step: Modify) -> bytes:
        location, expected = step.location, step.expected
        splices = [
            (splice.offset, splice.length, splice.replacement)
            for splice in step.splices
        ]
        if location.root not in self._roots:
            self._roots.append(location.root)
        spelling = location.spelling
        if spelling == location.display_path:
            # A location without a spelling is displayed the same.
            spelling = ""
        return marshal.dumps(
            (
                self._roots.index(location.root),
                location.parts,
                spelling,
                expected.size,
                bytes.fromhex(expected.digest or ""),
                splices,
                step.encoding_check,
                step.mtime_ns,
            )
        )

    def _unpack(self, packed: bytes) -> Modify:
        (
            root_index,
            parts,
            spelling,
            size,
            digest,
            splices,
            encoding_check,
            mtime_ns,
        ) = marshal.loads(packed)
        return Modify(
            Location(self._roots[root_index], parts, spelling),
            ExpectedState(size, identity=None, digest=digest.hex()),
            tuple(Splice(*splice) for splice in splices),
            encoding_check=encoding_check,
            mtime_ns=mtime_ns,
        )


def _is_small_edit(step: Step) -> TypeGuard[Modify]:
    """Return True for an edit of a hashed file by a few short splices."""
    if not isinstance(step, Modify) or not step.expected.digest:
        return False
    return (
        step.expected.identity is None
        and len(step.splices) <= _MAX_PACKED_SPLICES
        and all(
            len(splice.replacement) <= _MAX_PACKED_BYTES
            for splice in step.splices
        )
    )
