"""A JSON document: an object is one row, and an array of objects is its rows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from filewright.errors import Code, FilewrightError, path_error
from filewright.progress import Task
from filewright.rows.conditions import Condition
from filewright.rows.fields import MISSING
from filewright.rows.json_members import JsonSyntaxError, MemberReader
from filewright.rows.row import MAX_ROW_BYTES, LeftOutRows, Row
from filewright.text.snapshot import Snapshot

MAX_OBJECT_BYTES = 16 << 20
"""A larger document that is one object is refused: it has to be held as a whole."""


@dataclass(frozen=True, slots=True)
class _Element:
    """A value [start, end) of a text that begins at `offset` of the file."""

    text: bytes
    offset: int
    start: int
    end: int


@dataclass
class JsonDocument:
    """The rows of a JSON document in a snapshot; `block_bytes` are read at once.

    `others` counts the elements that are no objects.
    """

    snapshot: Snapshot
    block_bytes: int = 1 << 20
    others: LeftOutRows = field(
        default_factory=lambda: LeftOutRows("value", "not an object")
    )

    @property
    def left_out(self) -> Sequence[LeftOutRows]:
        """The values that are no rows."""
        return (self.others,)

    def iterate_rows(
        self,
        conditions: Sequence[Condition],
        paths: Sequence[str],
        task: Task,
    ) -> Iterator[Row]:
        """Yield the objects that fulfil all conditions, with the fields at `paths`.

        Raise `unsupported` for a text that is no JSON, and for a key that is needed and
        is there twice.
        """
        needles = []
        for condition in conditions:
            if condition.text_pattern is not None:
                needles.append(re.compile(condition.text_pattern.encode()))
        try:
            for element in self._iterate_elements(task):
                row = self._accept(element, conditions, paths, needles)
                if row is not None:
                    yield row
        except JsonSyntaxError as error:
            raise unreadable_json(self.snapshot, error) from error

    def _accept(
        self,
        element: _Element,
        conditions: Sequence[Condition],
        paths: Sequence[str],
        needles: Sequence[re.Pattern[bytes]],
    ) -> Row | None:
        """Return the row of an element, or None if it does not fulfil the conditions."""
        text, start = element.text, element.start
        if not text.startswith(b"{", start):
            self.others.add(element.offset + start)
            return None
        for needle in needles:
            if needle.search(text, start, element.end) is None:
                return None
        reader = self._reader(text, element.offset)
        wanted = [condition.path for condition in conditions]
        members = reader.find_members(start, [*wanted, *paths])
        place = start
        for condition in reversed(conditions):
            value = MISSING
            member = members.get(condition.path)
            if member is not None:
                value = reader.read_value(member)
                place = member.start
            if not condition.accepts_value(value):
                return None
        return Row(
            element.offset + start,
            element.offset + element.end,
            element.offset + place,
            reader.read_fields(members, paths),
        )

    def _reader(self, text: bytes, offset: int) -> MemberReader:
        return MemberReader(text, self.snapshot.encoding.name, offset)

    def _iterate_elements(self, task: Task) -> Iterator[_Element]:
        """Yield the document if it is no array, else its elements."""
        offset = self.snapshot.start
        text = self.snapshot.read(offset, self.block_bytes)
        position = self._reader(text, offset).skip_space(0)
        if not text:
            return
        if not text.startswith(b"[", position):
            yield self._whole(position)
            return
        offset += position + 1
        text = text[position + 1 :]
        end, has_comma = 0, True
        while True:
            is_last = not self.snapshot.has_byte(offset + len(text))
            try:
                span = self._next_value(text, offset, end, has_comma=has_comma)
            except JsonSyntaxError:
                if is_last or len(text) - end > MAX_ROW_BYTES:
                    raise
                span = end, len(text)
            if span[1] == len(text) and not is_last:
                # The value may go on behind the text.
                task.check()
                task.report(offset, self.snapshot.known_size, "reading rows")
                offset, text = offset + end, text[end:]
                text += self.snapshot.read(offset + len(text), self.block_bytes)
                end = 0
                continue
            start, end = span
            if start == end:
                self._require_end(offset + start + 1)
                return
            has_comma = False
            yield _Element(text, offset, start, end)

    def _next_value(
        self, text: bytes, offset: int, position: int, *, has_comma: bool
    ) -> tuple[int, int]:
        """Return the span of the next value of an array, empty at its closing bracket."""
        reader = self._reader(text, offset)
        position = reader.skip_space(position)
        if not has_comma and text.startswith(b",", position):
            has_comma = True
            position = reader.skip_space(position + 1)
        if text.startswith(b"]", position):
            return position, position
        if not has_comma:
            raise JsonSyntaxError("there is no comma", offset + position)
        return position, reader.skip_value(position)

    def _require_end(self, offset: int) -> None:
        """Raise `JsonSyntaxError` for text behind the array that ends at an offset.

        The rows of a second array would be left out without a word.
        """
        while text := self.snapshot.read(offset, self.block_bytes):
            rest = self._reader(text, offset).skip_space(0)
            if rest < len(text):
                raise JsonSyntaxError(
                    "there is text behind the value", offset + rest
                )
            offset += len(text)

    def _whole(self, position: int) -> _Element:
        """Return a document that is no array, whose value is at `position`."""
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
        reader = self._reader(text, self.snapshot.start)
        end = reader.skip_value(position)
        rest = reader.skip_space(end)
        if rest < len(text):
            raise JsonSyntaxError(
                "there is text behind the value", self.snapshot.start + rest
            )
        return _Element(text, self.snapshot.start, position, end)


def unreadable_json(
    snapshot: Snapshot, error: JsonSyntaxError
) -> FilewrightError:
    """Return the refusal of a text that is no JSON, or whose members are not certain."""
    path = snapshot.requested_path
    line = snapshot.lines.line_at(error.offset)
    return path_error(
        Code.UNSUPPORTED,
        path,
        f"{path} is not certain in line {line}: {error.reason}",
        "correct it first, or replace text by a pattern",
        line=line,
    )
