"""A JSON document: one object is one row, and each object of an array is a row."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from filewright.errors import Code, FilewrightError, path_error
from filewright.progress import Task
from filewright.rows.conditions import Condition
from filewright.rows.fields import MISSING
from filewright.rows.json_members import JsonSyntaxError, MemberReader
from filewright.rows.row import (
    MAX_ROW_BYTES,
    LeftOutRows,
    Row,
    UncertainValues,
)
from filewright.text.snapshot import Snapshot

MAX_OBJECT_BYTES = 16 << 20
"""The largest document of one object: it has to be held as a whole."""


@dataclass(frozen=True, slots=True)
class _Element:
    """A value at [start, end) of a text, which begins at `offset` of the file."""

    text: bytes
    offset: int
    start: int
    end: int


@dataclass
class JsonDocument:
    """The rows of a JSON document, which is read in blocks of `block_bytes`.

    `other_values` counts the elements that are no objects, and `uncertain` the objects
    of which it is uncertain whether they fit.
    """

    snapshot: Snapshot
    block_bytes: int = 1 << 20
    other_values: LeftOutRows = field(
        default_factory=lambda: LeftOutRows("value", "not an object")
    )
    uncertain: UncertainValues = field(
        default_factory=lambda: UncertainValues("row")
    )

    @property
    def left_out(self) -> Sequence[LeftOutRows]:
        """The values that are no rows, and the uncertain rows."""
        return (self.other_values, *self.uncertain.counts)

    def iterate_rows(
        self,
        conditions: Sequence[Condition],
        paths: Sequence[str],
        task: Task,
    ) -> Iterator[Row]:
        """Yield the objects that fulfil all conditions, with the fields at `paths`.

        Raise `unsupported` for invalid JSON, and for an object that has a needed key twice.
        """
        needles = []
        for condition in conditions:
            if condition.text_pattern is not None:
                needles.append(re.compile(condition.text_pattern.encode()))
        try:
            for element in self._iterate_elements(task):
                row = self._build_row(element, conditions, paths, needles)
                if row is not None:
                    yield row
        except JsonSyntaxError as error:
            raise unreadable_json(self.snapshot, error) from error

    def _build_row(
        self,
        element: _Element,
        conditions: Sequence[Condition],
        paths: Sequence[str],
        needles: Sequence[re.Pattern[bytes]],
    ) -> Row | None:
        """Return the row of an element, or None unless it fulfils the conditions."""
        text, start = element.text, element.start
        if not text.startswith(b"{", start):
            self.other_values.add(element.offset + start)
            return None
        for needle in needles:
            if needle.search(text, start, element.end) is None:
                return None
        reader = self._make_reader(text, element.offset)
        compared_paths = [condition.path for condition in conditions]
        members = reader.find_members(start, [*compared_paths, *paths])
        shown_offset = start
        reason = ""
        for condition in reversed(conditions):
            value = MISSING
            member = members.get(condition.path)
            if member is not None:
                value = reader.read_value(member)
                shown_offset = member.start
            verdict = condition.judge(value)
            if verdict is False:
                return None
            if verdict is None:
                reason = condition.explain(value)
        if reason:
            self.uncertain.add(reason, element.offset + start)
            return None
        return Row(
            element.offset + start,
            element.offset + element.end,
            element.offset + shown_offset,
            reader.read_fields(members, paths),
        )

    def _make_reader(self, text: bytes, offset: int) -> MemberReader:
        return MemberReader(text, self.snapshot.encoding.name, offset)

    def _iterate_elements(self, task: Task) -> Iterator[_Element]:
        """Yield the elements of an array, or any other document as one."""
        offset = self.snapshot.start
        buffer = self.snapshot.read(offset, self.block_bytes)
        position = self._make_reader(buffer, offset).skip_space(0)
        if not buffer:
            return
        if not buffer.startswith(b"[", position):
            yield self._read_whole(position)
            return
        offset += position + 1
        buffer = buffer[position + 1 :]
        value_end, has_comma = 0, True
        while True:
            is_last = not self.snapshot.has_byte(offset + len(buffer))
            try:
                value_span = self._find_value(
                    buffer, offset, value_end, has_comma=has_comma
                )
            except JsonSyntaxError:
                if is_last or len(buffer) - value_end > MAX_ROW_BYTES:
                    raise
                # It may be valid with the text behind the buffer.
                value_span = value_end, len(buffer)
            if value_span[1] == len(buffer) and not is_last:
                # The value may go on behind the buffer: read on, and find it again.
                task.check()
                task.report(offset, self.snapshot.known_size, "reading rows")
                offset, buffer = offset + value_end, buffer[value_end:]
                buffer += self.snapshot.read(
                    offset + len(buffer), self.block_bytes
                )
                value_end = 0
                continue
            value_start, value_end = value_span
            if value_start == value_end:
                self._require_end(offset + value_start + 1)
                return
            has_comma = False
            yield _Element(buffer, offset, value_start, value_end)

    def _find_value(
        self, buffer: bytes, offset: int, position: int, *, has_comma: bool
    ) -> tuple[int, int]:
        """Return the span of an array's next value; an empty one at the closing bracket."""
        reader = self._make_reader(buffer, offset)
        position = reader.skip_space(position)
        if not has_comma and buffer.startswith(b",", position):
            has_comma = True
            position = reader.skip_space(position + 1)
        if buffer.startswith(b"]", position):
            return position, position
        if not has_comma:
            raise JsonSyntaxError("there is no comma", offset + position)
        return position, reader.skip_value(position)

    def _require_end(self, offset: int) -> None:
        """Raise `JsonSyntaxError` for text behind the array that ends at an offset.

        Otherwise the rows of a second array would be left out silently.
        """
        while buffer := self.snapshot.read(offset, self.block_bytes):
            text_start = self._make_reader(buffer, offset).skip_space(0)
            if text_start < len(buffer):
                raise JsonSyntaxError(
                    "there is text behind the value", offset + text_start
                )
            offset += len(buffer)

    def _read_whole(self, position: int) -> _Element:
        """Return a document that is no array, and begins at `position`."""
        size = self.snapshot.size - self.snapshot.start
        if size > MAX_OBJECT_BYTES:
            path = self.snapshot.requested_path
            raise path_error(
                Code.TOO_LARGE,
                path,
                f"{path} is one JSON value of {size:,} bytes",
                "replace text by a pattern",
                limit=MAX_OBJECT_BYTES,
            )
        text = self.snapshot.read(self.snapshot.start, size)
        reader = self._make_reader(text, self.snapshot.start)
        value_end = reader.skip_value(position)
        text_start = reader.skip_space(value_end)
        if text_start < len(text):
            raise JsonSyntaxError(
                "there is text behind the value",
                self.snapshot.start + text_start,
            )
        return _Element(text, self.snapshot.start, position, value_end)


def unreadable_json(
    snapshot: Snapshot, error: JsonSyntaxError
) -> FilewrightError:
    """Return the refusal of invalid JSON, or of an object with an ambiguous member."""
    path = snapshot.requested_path
    line = snapshot.lines.line_at(error.offset)
    return path_error(
        Code.UNSUPPORTED,
        path,
        f"{path} is not certain in line {line}: {error.reason}",
        "correct it first, or replace text by a pattern",
        line=line,
    )
