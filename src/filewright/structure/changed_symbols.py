"""Which symbols differ between two states of a file, or are touched by given lines."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Literal, NamedTuple

from filewright.progress import Task
from filewright.structure.lookup import format_path
from filewright.structure.outline import Outline
from filewright.structure.symbol import Symbol

ChangeStatus = Literal["added", "modified", "removed"]

# A prototype that became a function, or a constant that lost its `const`, is the same symbol.
_FAMILIES = {
    "prototype": "function",
    "method": "function",
    "constant": "variable",
    "property": "variable",
}


@dataclass(frozen=True, slots=True)
class ChangedSymbol:
    """One symbol that is not as it was; lines are of the new text, of the old one if it was removed.

    `path` is its name with those around it. Text that belongs to no symbol is one entry of kind "text" without names.
    """

    status: ChangeStatus
    path: str
    name: str
    kind: str
    start_line: int = 0
    end_line: int = 0


class OutlinedText(NamedTuple):
    """A text and its outline."""

    data: bytes
    outline: Outline


class _SymbolText(NamedTuple):
    symbol: Symbol
    around: tuple[Symbol, ...]
    own: bytes


_Key = tuple[tuple[str, str], ...]


def find_changed_symbols(
    before: OutlinedText, after: OutlinedText, *, task: Task | None = None
) -> tuple[ChangedSymbol, ...]:
    """What became of each symbol, in the order of the new text, removed ones last.

    A symbol is modified if its own text differs: a class is not, because one of its methods is. Of
    something added or removed whole, only the outermost symbol is named. Where several symbols share
    a name (overloads), equal texts are matched first and the rest in order. Raises `timeout` and
    `cancelled` of `task`.
    """
    if before.data == after.data:
        return ()
    checked = task or Task()
    old, new = _entries(before, checked), _entries(after, checked)
    changes: list[tuple[_SymbolText, ChangeStatus]] = []
    for key in dict.fromkeys((*new, *old)):
        changes.extend(_paired(old.get(key, []), new.get(key, [])))
    whole = {
        id(entry.symbol) for entry, status in changes if status != "modified"
    }
    kept = [
        (entry, status)
        for entry, status in changes
        if status == "modified"
        or not any(id(outer) in whole for outer in entry.around)
    ]
    kept.sort(
        key=lambda change: (
            change[1] == "removed",
            change[0].symbol.block_start,
        )
    )
    result = [_changed(entry, status) for entry, status in kept]
    was, is_now = (
        _squeezed(_gaps(each.data, each.outline.symbols, 0, len(each.data)))
        for each in (before, after)
    )
    if was != is_now:
        result.append(ChangedSymbol("modified", "", "", "text"))
    return tuple(result)


def find_touched_symbols(
    outline: Outline,
    ranges: Iterable[tuple[int, int]],
    kinds: Sequence[ChangeStatus] | None = None,
    *,
    task: Task | None = None,
) -> tuple[ChangedSymbol, ...]:
    """The symbols whose own lines, those outside their children, meet the 1-based inclusive `ranges`.

    `kinds` says of each range what its lines are (default: modified). A symbol is `removed` if only
    removed lines meet it, `added` if added lines alone make it up, else `modified`. Raises `timeout`
    and `cancelled` of `task`.
    """
    wanted = [(first, max(first, last)) for first, last in ranges]
    said: Sequence[ChangeStatus] = (
        kinds if kinds is not None else ["modified"] * len(wanted)
    )
    given = _Ranges(zip(wanted, said, strict=True))
    checked = task or Task()
    found = []
    for around, symbol in outline.walk():
        checked.check()
        if any(
            given.meeting(first, last) for first, last in _own_lines(symbol)
        ):
            status = _status(
                symbol, given.meeting(symbol.start_line, symbol.end_line)
            )
            found.append(_changed(_SymbolText(symbol, around, b""), status))
    return tuple(found)


_Span = tuple[tuple[int, int], ChangeStatus]


class _Ranges:
    """Ranges of lines by where they begin, and how far those up to each one reach."""

    def __init__(self, spans: Iterable[_Span]) -> None:
        self._spans = sorted(spans)
        self._firsts = [first for (first, _), _ in self._spans]
        self._reach = list(
            accumulate((last for (_, last), _ in self._spans), max)
        )

    def meeting(self, first: int, last: int) -> list[_Span]:
        """Those that have a line in [first, last]."""
        low, high = (
            bisect_left(self._reach, first),
            bisect_right(self._firsts, last),
        )
        return [span for span in self._spans[low:high] if span[0][1] >= first]


def _status(symbol: Symbol, meeting: Sequence[_Span]) -> ChangeStatus:
    met = {kind for _, kind in meeting}
    if met == {"removed"}:
        return "removed"
    if met == {"added"}:
        line = symbol.start_line
        for (start, end), _ in meeting:
            if start <= line:
                line = max(line, end + 1)
        return "added" if line > symbol.end_line else "modified"
    return "modified"


def _own_lines(symbol: Symbol) -> list[tuple[int, int]]:
    own, line = [], symbol.block_start_line
    for child in symbol.children:
        if child.block_start_line > line:
            own.append((line, child.block_start_line - 1))
        line = max(line, child.end_line + 1)
    if line <= symbol.end_line or not own:
        own.append((line, max(line, symbol.end_line)))
    return own


def _changed(entry: _SymbolText, status: ChangeStatus) -> ChangedSymbol:
    symbol = entry.symbol
    path = (
        format_path((*entry.around, symbol))
        if symbol.kind != "import"
        else "imports"
    )
    return ChangedSymbol(
        status,
        path,
        symbol.name,
        symbol.kind,
        symbol.block_start_line,
        symbol.end_line,
    )


def _entries(
    version: OutlinedText, task: Task
) -> dict[_Key, list[_SymbolText]]:
    entries: dict[_Key, list[_SymbolText]] = defaultdict(list)
    for around, symbol in version.outline.walk():
        task.check()
        key = tuple(
            (
                _FAMILIES.get(each.kind, each.kind),
                "" if each.kind == "import" else each.lookup_name or each.name,
            )
            for each in (*around, symbol)
        )
        entries[key].append(
            _SymbolText(symbol, around, _own(version.data, symbol))
        )
    return entries


def _own(data: bytes, symbol: Symbol) -> bytes:
    if not symbol.children:
        return data[symbol.block_start : symbol.end].replace(b"\r\n", b"\n")
    return _squeezed(
        _gaps(data, symbol.children, symbol.block_start, symbol.end)
    )


def _gaps(
    data: bytes, children: Iterable[Symbol], start: int, end: int
) -> bytes:
    """The text of [start, end) outside `children`."""
    parts = []
    for child in children:
        if child.block_start > start:
            parts.append(data[start : child.block_start])
        start = max(start, child.end)
    if end > start:
        parts.append(data[start:end])
    return b"\n".join(parts)


def _squeezed(text: bytes) -> bytes:
    """Without white space and the separators that come and go with neighbours."""
    return b"".join(text.split()).replace(b",", b"").replace(b";", b"")


def _paired(
    old: list[_SymbolText], new: list[_SymbolText]
) -> Iterator[tuple[_SymbolText, ChangeStatus]]:
    """Equal texts are matched first, each with the first of its like; the rest in order."""
    rest, left = _unlike(new, old), _unlike(old, new)
    for number, entry in enumerate(rest):
        yield entry, "modified" if number < len(left) else "added"
    for entry in left[len(rest) :]:
        yield entry, "removed"


def _unlike(
    entries: list[_SymbolText], others: list[_SymbolText]
) -> list[_SymbolText]:
    """The entries whose text none of the others has, or only as many as have taken it before."""
    texts = Counter(other.own for other in others)
    rest = []
    for entry in entries:
        texts[entry.own] -= 1
        if texts[entry.own] < 0:
            rest.append(entry)
    return rest
