"""The symbols that differ between two states of a file, or that given lines touch."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Literal

from filewright.progress import Task
from filewright.structure.lookup import format_path
from filewright.structure.outline import Outline
from filewright.structure.symbol import Symbol

ChangeStatus = Literal["added", "modified", "removed"]

_KIND_FAMILIES = {
    "prototype": "function",
    "method": "function",
    "constant": "variable",
    "property": "variable",
}
"""Kinds that count as another kind.

A prototype that became a function, or a constant that lost its `const`, is still the same
symbol.
"""


@dataclass(frozen=True, slots=True)
class ChangedSymbol:
    """One symbol that differs.

    Lines are those of the new text, or of the old text if it was removed. `path` is its
    name with those of its ancestors. Changed text that belongs to no symbol is one entry
    of kind "text", without names.
    """

    status: ChangeStatus
    path: str
    name: str
    kind: str
    start_line: int = 0
    end_line: int = 0


@dataclass(frozen=True, slots=True)
class OutlinedText:
    """A text and its outline."""

    data: bytes
    outline: Outline

    @property
    def outside_text(self) -> bytes:
        """The text outside of all symbols, without whitespace and separators."""
        return _squeeze(
            _outside(self.data, self.outline.symbols, 0, len(self.data))
        )


@dataclass(frozen=True, slots=True)
class _SymbolText:
    """A symbol, its ancestors, and its own text: the text outside of its children."""

    symbol: Symbol
    ancestors: tuple[Symbol, ...]
    text: bytes = b""

    def describe(self, status: ChangeStatus) -> ChangedSymbol:
        """Return the change of the symbol."""
        symbol = self.symbol
        path = "imports"
        if symbol.kind != "import":
            path = format_path((*self.ancestors, symbol))
        return ChangedSymbol(
            status,
            path,
            symbol.name,
            symbol.kind,
            symbol.block_start_line,
            symbol.end_line,
        )


_Key = tuple[tuple[str, str], ...]
"""The families of kinds, and the names, of a symbol and its ancestors."""


@dataclass(frozen=True, slots=True)
class _Change:
    """A symbol and its status."""

    entry: _SymbolText
    status: ChangeStatus

    @property
    def position(self) -> tuple[bool, int]:
        """The sort key: removed symbols come last, the others in the order of the text."""
        return self.status == "removed", self.entry.symbol.block_start


def find_changed_symbols(
    before: OutlinedText, after: OutlinedText, *, task: Task | None = None
) -> tuple[ChangedSymbol, ...]:
    """Return the symbols that differ, in the order of the new text, removed ones last.

    A symbol is modified if its own text differs: a class is not modified by a change in
    one of its methods. If a symbol was added or removed with its children, only the
    outermost is listed. Of several symbols with one name (overloads), those with equal
    texts are paired first, and the others in order.

    Raises `timeout` and `cancelled` of the task.
    """
    if before.data == after.data:
        return ()
    task = task or Task()
    old_entries = _find_entries(before, task)
    new_entries = _find_entries(after, task)
    changes: list[_Change] = []
    for key in dict.fromkeys((*new_entries, *old_entries)):
        changes += _pair(old_entries.get(key, []), new_entries.get(key, []))
    outermost = sorted(
        _without_nested(changes), key=lambda change: change.position
    )
    changed = [change.entry.describe(change.status) for change in outermost]
    if before.outside_text != after.outside_text:
        changed.append(ChangedSymbol("modified", "", "", "text"))
    return tuple(changed)


def _without_nested(changes: list[_Change]) -> list[_Change]:
    """Return the changes without symbols whose ancestor was added or removed too."""
    whole_symbols = set()
    for change in changes:
        if change.status != "modified":
            whole_symbols.add(id(change.entry.symbol))
    outermost = []
    for change in changes:
        is_nested = any(
            id(ancestor) in whole_symbols for ancestor in change.entry.ancestors
        )
        if change.status == "modified" or not is_nested:
            outermost.append(change)
    return outermost


def find_touched_symbols(
    outline: Outline,
    ranges: Iterable[tuple[int, int]],
    statuses: Sequence[ChangeStatus] | None = None,
    *,
    task: Task | None = None,
) -> tuple[ChangedSymbol, ...]:
    """Return the symbols with lines in `ranges`, those of their children left out.

    The ranges are 1-based and include both ends. `statuses` says what happened to the
    lines of each range (default: modified). A symbol is `removed` if it touches only
    removed lines, and `added` if it consists of added lines.

    Raises `timeout` and `cancelled` of the task.
    """
    spans = [*ranges]
    if statuses is None:
        statuses = ["modified"] * len(spans)
    changed_ranges = []
    for (first, last), status in zip(spans, statuses, strict=True):
        changed_ranges.append(_LineRange(first, max(first, last), status))
    line_ranges = _LineRanges(changed_ranges)
    task = task or Task()
    touched = []
    for ancestors, symbol in outline.walk():
        task.check()
        own_lines = _own_lines(symbol)
        if any(line_ranges.touching(first, last) for first, last in own_lines):
            status = _status_of(
                symbol, line_ranges.touching(symbol.start_line, symbol.end_line)
            )
            entry = _SymbolText(symbol, ancestors)
            touched.append(entry.describe(status))
    return tuple(touched)


@dataclass(frozen=True, slots=True, order=True)
class _LineRange:
    """Lines `first` to `last`, and what happened to them."""

    first: int
    last: int
    status: ChangeStatus


class _LineRanges:
    """Ranges of lines in order, found by the lines that they touch."""

    def __init__(self, ranges: Iterable[_LineRange]) -> None:
        self._ranges = sorted(ranges)
        self._firsts = [line_range.first for line_range in self._ranges]
        # The last line of each range and all before it: ranges may overlap.
        lasts = [line_range.last for line_range in self._ranges]
        self._max_lasts = list(accumulate(lasts, max))

    def touching(self, first: int, last: int) -> list[_LineRange]:
        """Return the ranges with a line in [first, last]."""
        start = bisect_left(self._max_lasts, first)
        stop = bisect_right(self._firsts, last)
        return [
            line_range
            for line_range in self._ranges[start:stop]
            if line_range.last >= first
        ]


def _status_of(
    symbol: Symbol, line_ranges: Sequence[_LineRange]
) -> ChangeStatus:
    """Return the status of a symbol by the ranges that it touches."""
    statuses = {line_range.status for line_range in line_ranges}
    if statuses == {"removed"}:
        return "removed"
    if statuses != {"added"}:
        return "modified"
    # The first line that no range so far covers.
    line = symbol.start_line
    for line_range in line_ranges:
        if line_range.first <= line:
            line = max(line, line_range.last + 1)
    return "added" if line > symbol.end_line else "modified"


def _own_lines(symbol: Symbol) -> list[tuple[int, int]]:
    """Return the ranges of lines of a symbol outside of its children, at least one."""
    ranges = []
    line = symbol.block_start_line
    for child in symbol.children:
        if child.block_start_line > line:
            ranges.append((line, child.block_start_line - 1))
        line = max(line, child.end_line + 1)
    if line <= symbol.end_line or not ranges:
        ranges.append((line, max(line, symbol.end_line)))
    return ranges


def _find_entries(
    text: OutlinedText, task: Task
) -> dict[_Key, list[_SymbolText]]:
    """Return the symbols of a text by their keys, each list in the order of the text."""
    entries: dict[_Key, list[_SymbolText]] = defaultdict(list)
    for ancestors, symbol in text.outline.walk():
        task.check()
        key = tuple(map(_key_part, (*ancestors, symbol)))
        entry = _SymbolText(symbol, ancestors, _own_text(text.data, symbol))
        entries[key].append(entry)
    return entries


def _key_part(symbol: Symbol) -> tuple[str, str]:
    family = _KIND_FAMILIES.get(symbol.kind, symbol.kind)
    if symbol.kind == "import":
        # Imports are one symbol, whatever they import.
        return family, ""
    return family, symbol.lookup_name or symbol.name


def _own_text(data: bytes, symbol: Symbol) -> bytes:
    """Return the text of a symbol outside of its children, for comparison."""
    if not symbol.children:
        text = data[symbol.block_start : symbol.end]
        # Other line ends alone are no change of a symbol.
        return text.replace(b"\r\n", b"\n")
    return _squeeze(
        _outside(data, symbol.children, symbol.block_start, symbol.end)
    )


def _outside(
    data: bytes, symbols: Iterable[Symbol], start: int, end: int
) -> bytes:
    """Return the text of [start, end) outside of `symbols`."""
    parts = []
    for symbol in symbols:
        if symbol.block_start > start:
            parts.append(data[start : symbol.block_start])
        start = max(start, symbol.end)
    if end > start:
        parts.append(data[start:end])
    return b"\n".join(parts)


def _squeeze(text: bytes) -> bytes:
    """Return a text without whitespace and separators, which neighbours add and remove."""
    return b"".join(text.split()).replace(b",", b"").replace(b";", b"")


def _pair(old: list[_SymbolText], new: list[_SymbolText]) -> Iterator[_Change]:
    """Pair symbols of one name, equal texts first, and yield the changes of the others."""
    changed_new = _without_equal(new, old)
    changed_old = _without_equal(old, new)
    for index, entry in enumerate(changed_new):
        is_modified = index < len(changed_old)
        yield _Change(entry, "modified" if is_modified else "added")
    for entry in changed_old[len(changed_new) :]:
        yield _Change(entry, "removed")


def _without_equal(
    entries: list[_SymbolText], others: list[_SymbolText]
) -> list[_SymbolText]:
    """Return the entries without an equal text among the others.

    Each of the others is equal to one entry only.
    """
    counts = Counter(other.text for other in others)
    remaining = []
    for entry in entries:
        counts[entry.text] -= 1
        if counts[entry.text] < 0:
            remaining.append(entry)
    return remaining
