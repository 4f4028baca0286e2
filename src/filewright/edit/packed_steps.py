"""The steps of a change set, in little memory: a change may edit 100,000 files."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeGuard

from filewright.boundary.location import LocationPacker
from filewright.edit.changeset import (
    ExpectedState,
    Modify,
    SetMode,
    SetOwner,
    Step,
)
from filewright.packed_sequence import Fields, PackedSequence
from filewright.text.splice import Splice

_MAX_PACKED_SPLICES = 16
_MAX_PACKED_BYTES = 4 << 10
"""The largest replacement in a packed step; unpacking copies it."""


class PackedSteps(PackedSequence[Step]):
    """Steps in order, of which small edits, modes and owners are packed."""

    def __init__(self, steps: Iterable[Step] = ()) -> None:
        super().__init__()
        self._locations = LocationPacker()
        self.extend(steps)

    def extend(self, steps: Iterable[Step]) -> None:
        """Add steps at the end."""
        for step in steps:
            self.append(step)

    def pack(self, value: Step) -> Fields | None:
        """Return the fields of a step, with its location first."""
        if isinstance(value, SetMode):
            fields: Fields = (value.mode,)
        elif isinstance(value, SetOwner):
            fields = value.uid, value.gid
        elif _is_small_edit(value):
            splices = [
                (splice.offset, splice.length, splice.replacement)
                for splice in value.splices
            ]
            fields = (
                value.expected.size,
                bytes.fromhex(value.expected.digest or ""),
                splices,
                value.encoding_check,
                value.mtime_ns,
            )
        else:
            return None
        return self._locations.pack(value.location), *fields

    def unpack(self, fields: Any) -> Step:
        """Return the step with these fields, of which each kind has another number."""
        location = self._locations.unpack(fields[0])
        match fields[1:]:
            case (mode,):
                return SetMode(location, mode)
            case (uid, gid):
                return SetOwner(location, uid, gid)
            case size, digest, splices, encoding_check, mtime_ns:
                return Modify(
                    location,
                    ExpectedState(size, identity=None, digest=digest.hex()),
                    tuple(Splice(*splice) for splice in splices),
                    encoding_check=encoding_check,
                    mtime_ns=mtime_ns,
                )
        raise AssertionError("fields of no step")


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
