"""The outcome of a change for one file, and those of many files in little memory."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from filewright.boundary.location import Location, LocationPacker
from filewright.edit.diff import FileDiff
from filewright.packed_sequence import Fields, PackedSequence

ResultT = TypeVar("ResultT")


@dataclass(frozen=True, slots=True)
class FileOutcome(Generic[ResultT]):
    """The outcome of a change for one file, or of a preview.

    `result` is the tool's own description. `version` is None if only a commit could
    tell. `kept_form` names unusual properties of the file that were kept. `content` is
    the new content of a small file, until it is remembered. With `is_known`, the session
    knows the whole content.
    """

    result: ResultT
    location: Location
    diff: FileDiff | None = None
    warning: str = ""
    version: str | None = None
    hard_links: int = 1
    kept_form: str = ""
    content: bytes | None = field(default=None, repr=False)
    is_known: bool = False


class PackedOutcomes(PackedSequence[FileOutcome[ResultT]]):
    """The outcomes of a change until its commit: all but results and diffs is packed."""

    def __init__(self) -> None:
        super().__init__()
        self._locations = LocationPacker()
        self._results: list[ResultT] = []
        self._diffs: list[FileDiff | None] = []

    def pack(self, value: FileOutcome[ResultT]) -> Fields | None:
        """Return the fields of an outcome without content."""
        if value.content is not None:
            return None
        # Most files of a large change have the same result.
        if not self._results or self._results[-1] is not value.result:
            self._results.append(value.result)
        self._diffs.append(value.diff)
        return (
            len(self._results) - 1,
            len(self._diffs) - 1,
            self._locations.pack(value.location),
            value.warning,
            value.version,
            value.hard_links,
            value.kept_form,
            value.is_known,
        )

    def unpack(self, fields: Any) -> FileOutcome[ResultT]:
        """Return the outcome with these fields."""
        result, diff, location, *values, is_known = fields
        warning, version, hard_links, kept_form = values
        return FileOutcome(
            self._results[result],
            self._locations.unpack(location),
            self._diffs[diff],
            warning,
            version,
            hard_links,
            kept_form,
            is_known=is_known,
        )
