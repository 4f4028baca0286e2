"""New values for fields of rows: every byte outside of the fields stays.

`check_values` checks the values of a call, `set_values` plans them for one file.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

from filewright.edit.replacements import ReplaceOutcome
from filewright.edit.source import Source
from filewright.errors import (
    Code,
    FilewrightError,
    invalid,
    path_error,
    too_many,
)
from filewright.progress import Task
from filewright.rows.conditions import Condition
from filewright.rows.fields import parse_entry
from filewright.rows.row import Field, LeftOutRows, Row, RowReader
from filewright.rows.table import Table
from filewright.search.file_rows import open_rows
from filewright.text.codec import check_text, encode, normalize_newlines
from filewright.text.snapshot import Snapshot
from filewright.text.splice import PackedSplices, Splice
from filewright.wording import did_you_mean, join_limited, pluralize

MAX_VALUES = 1_000_000
"""The most fields that are changed in one file: the memory of their splices is bounded."""

Scalar = str | int | float | bool | None

_MAX_LISTED_KEYS = 30
_MAX_KEYS = 1_000
_ESCAPE = re.compile(rb"\\(?:u[0-9a-fA-F]{4}|.)", re.DOTALL)
_CAPITAL_ESCAPE = re.compile(rb"\\u(?=[0-9A-F]*[A-F])[0-9A-F]{4}")
_CODE = re.compile(r"\\\\|\\u[0-9a-f]{4}")


@dataclass(frozen=True, slots=True)
class RowChange:
    """A change of rows: the conditions that rows fulfil, and the values of their fields."""

    conditions: tuple[Condition, ...]
    values: Mapping[str, Scalar]

    @property
    def paths(self) -> tuple[str, ...]:
        """Return the paths of all fields that are compared or set."""
        compared = (condition.path for condition in self.conditions)
        return (*compared, *self.values)


def check_values(values: Mapping[str, Any]) -> Mapping[str, Scalar]:
    """Return the values of a call, by the paths of their fields.

    Raise `invalid_input` for a value other than text, a finite number, true, false or null.
    """
    for path, value in values.items():
        if isinstance(value, dict | list):
            hint = "give a text, a number, true, false or null"
            if isinstance(value, dict) and value:
                hint = f"name the key inside: {path}.{next(iter(value))}"
            raise invalid(
                f"set: the value of {path} is nested", hint, argument="set"
            )
        if isinstance(value, float) and not math.isfinite(value):
            raise invalid(
                f"set: {path} is not a finite number",
                "give a text or a number",
                argument="set",
            )
        if isinstance(value, str):
            check_text(value, "set")
    return values


def set_values(
    snapshot: Snapshot, change: RowChange, task: Task
) -> ReplaceOutcome:
    """Plan the values of a change in the rows of a file that fulfil its conditions.

    The outcome counts rows. Raises `unsupported` for a file without rows, or with a row
    that is not certain, `invalid_input` for an unknown column, and `no_match` for a key
    that no row has.
    """
    if snapshot.binary_type is not None:
        path = snapshot.requested_path
        raise path_error(
            Code.IS_BINARY,
            path,
            f"{path} is not text",
            "change it with another tool",
        )
    source = Source(snapshot, task)
    reader = open_rows(source.snapshot, change.paths)
    if reader is None:
        path = snapshot.requested_path
        raise path_error(
            Code.UNSUPPORTED,
            path,
            f"{path} has no rows: it is no CSV, no JSON lines and no JSON document",
            "replace text by a pattern",
        )
    writer: _ValueWriter = _JsonWriter(source)
    if isinstance(reader, Table):
        writer = _TableWriter(source, reader, change.values)
    planner = _Planner(source, reader, writer, change)
    # Packing runs the generator to its end: only then are the counts complete.
    splices = PackedSplices.pack(
        source.to_file_splices(planner.iterate_splices())
    )
    planner.require_keys()
    return ReplaceOutcome(
        planner.row_count,
        planner.unchanged_count,
        splices,
        value_count=len(splices),
        notes=tuple(planner.notes()),
    )


class _Planner:
    """The splices of a change in one file, and the numbers of its rows."""

    def __init__(
        self,
        source: Source,
        reader: RowReader,
        writer: _ValueWriter,
        change: RowChange,
    ) -> None:
        self._source = source
        self._reader = reader
        self._writer = writer
        self._change = change
        self._first_row: Row | None = None
        self._lacking: dict[str, LeftOutRows] = {}
        for path in change.values:
            self._lacking[path] = LeftOutRows("row", f"without {path}")
        self._present_paths: set[str] = set()
        self.row_count = 0
        self.unchanged_count = 0

    def iterate_splices(self) -> Iterator[Splice]:
        """Yield the splices of all rows in order."""
        count = 0
        for row in self._reader.iterate_rows(
            self._change.conditions,
            tuple(self._change.values),
            self._source.task,
        ):
            if self._first_row is None:
                self._first_row = row
            splices = list(self._splices_of_row(row))
            if row.fields:
                self.row_count += 1
                if not splices:
                    self.unchanged_count += 1
            count += len(splices)
            if count > MAX_VALUES:
                raise too_many(
                    count,
                    MAX_VALUES,
                    f"values in {self._source.snapshot.requested_path}",
                    "make the conditions narrower",
                )
            yield from splices

    def _splices_of_row(self, row: Row) -> Iterator[Splice]:
        entries: list[tuple[Field, str]] = []
        for path in self._change.values:
            entry = row.fields.get(path)
            if entry is None:
                self._lacking[path].add(row.offset)
            else:
                self._present_paths.add(path)
                entries.append((entry, path))
        entries.sort(key=lambda pair: pair[0].start)
        for entry, path in entries:
            value = self._change.values[path]
            if isinstance(entry.value, dict | list):
                raise self._nested(entry, path)
            if self._writer.is_same(entry.value, value):
                continue
            new = self._writer.write(row, entry, value)
            yield Splice(entry.start, entry.end - entry.start, new)

    def _nested(self, entry: Field, path: str) -> FilewrightError:
        snapshot = self._source.snapshot
        line = snapshot.lines.line_at(entry.start)
        kind = "an object" if isinstance(entry.value, dict) else "an array"
        return path_error(
            Code.UNSUPPORTED,
            snapshot.requested_path,
            f"{path} is {kind} in line {line} of {snapshot.requested_path}",
            f"name a key inside, such as {path}.0",
            line=line,
        )

    def require_keys(self) -> None:
        """Raise `no_match` for a key that none of the rows has that fit the conditions."""
        if self._first_row is None:
            return
        for path, rows in self._lacking.items():
            if path in self._present_paths or not rows.count:
                continue
            snapshot = self._source.snapshot
            row = self._first_row
            keys = list_keys(self._source.read(row.offset, row.end))
            listed = join_limited(keys, _MAX_LISTED_KEYS)
            raise path_error(
                Code.NO_MATCH,
                snapshot.requested_path,
                f"none of the rows that fit in {snapshot.requested_path} has "
                f"{path!r}",
                did_you_mean(path, keys, f"keys: {listed}"),
            )

    def notes(self) -> Iterator[str]:
        """Yield a note for each reason why rows were left as they are."""
        for rows in (*self._reader.left_out, *self._lacking.values()):
            if rows.count:
                snapshot = self._source.snapshot
                line = snapshot.lines.line_at(rows.first_offset)
                yield (
                    f"{pluralize(rows.count, rows.noun)} {rows.reason} left "
                    f"unchanged, the first at {snapshot.requested_path}:{line}"
                )


class _ValueWriter(Protocol):
    """The spelling of values in a kind of file."""

    def is_same(self, old: Any, value: Scalar) -> bool:
        """Return True if a field has a value already."""
        ...

    def write(self, row: Row, entry: Field, value: Scalar, /) -> bytes:
        """Return a value as the bytes of a field."""
        ...


class _TableWriter:
    """Values in the fields of a table."""

    def __init__(
        self, source: Source, table: Table, values: Mapping[str, Scalar]
    ) -> None:
        self._source = source
        self._syntax = table.syntax
        columns: dict[int, str] = {}
        for path, value in values.items():
            if value is None or isinstance(value, bool):
                raise invalid(
                    f"set: a table has no {json.dumps(value)} for {path}",
                    'give a text; "" empties the field',
                    argument="set",
                )
            other = columns.setdefault(table.find_column(path), path)
            if other != path:
                raise invalid(
                    f"set: {other} and {path} are the same column",
                    "leave out one of them",
                    argument="set",
                )

    def is_same(self, old: Any, value: Scalar) -> bool:
        """Return True if a field has a value already."""
        return bool(old == normalize_newlines(str(value)))

    def write(self, _row: Row, entry: Field, value: Scalar) -> bytes:
        """Return a value as the bytes of a field, quoted as before or if it has to be."""
        text = str(value)
        terminator = b"\n"
        if "\n" in text or "\r" in text:
            terminator = self._source.snapshot.dominant_terminator
        encoded = encode(
            text, self._source.encoding, terminator, argument="set"
        )
        opening = self._source.read(entry.start, entry.start + 1)
        return self._syntax.write_field(encoded, is_quoted=opening == b'"')


class _JsonWriter:
    """Values in JSON, with the escapes that the row and the file have."""

    def __init__(self, source: Source) -> None:
        self._source = source

    def is_same(self, old: Any, value: Scalar) -> bool:
        """Return True if a member has a value already: 1 is 1.0, but not true."""
        if isinstance(old, bool) or isinstance(value, bool):
            return old is value
        return bool(old == value)

    def write(self, row: Row, _entry: Field, value: Scalar) -> bytes:
        """Return a value as a token of JSON."""
        text = json.dumps(value, ensure_ascii=False)
        if not isinstance(value, str):
            return text.encode("ascii")
        if not text.isascii() and self._is_ascii:
            text = json.dumps(value)
        row_escapes = set(
            _ESCAPE.findall(self._source.read(row.offset, row.end))
        )
        if any(map(_CAPITAL_ESCAPE.fullmatch, row_escapes)):
            text = _CODE.sub(_with_capitals, text)
        # Encoders may escape characters that need no escape.
        for character in "/<>&'":
            code = f"\\u{ord(character):04x}"
            escapes = [code, f"\\u{ord(character):04X}"]
            if character == "/":
                escapes.append("\\/")
            for escape in escapes:
                if escape.encode() in row_escapes:
                    text = text.replace(character, escape)
                    break
        return encode(text, self._source.encoding, argument="set")

    @cached_property
    def _is_ascii(self) -> bool:
        """Return True if the whole file has no character beyond ASCII."""
        snapshot = self._source.snapshot
        for _, block in snapshot.blocks(snapshot.start):
            self._source.task.check()
            if not block.isascii():
                return False
        return True


def _with_capitals(match: re.Match[str]) -> str:
    """Return an escape with its digits as capitals."""
    escape = match.group()
    return escape[:2] + escape[2:].upper()


def list_keys(row: bytes) -> list[str]:
    """Return the keys of a row of JSON by their paths, as far as it is read."""
    keys: list[str] = []
    _add_keys(parse_entry(row) or {}, "", keys)
    return keys


def _add_keys(value: Any, prefix: str, keys: list[str]) -> None:
    if len(keys) >= _MAX_KEYS:
        return
    if isinstance(value, Mapping):
        for key, inner_value in value.items():
            path = f"{prefix}{key}"
            if isinstance(inner_value, Mapping) and inner_value:
                _add_keys(inner_value, f"{path}.", keys)
            else:
                keys.append(path)
