"""Which symbols differ between two states of a file, or are touched by given lines."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from filewright.structure.lookup import shown_path
from filewright.structure.symbol import Outline, Symbol

Status = Literal["added", "modified", "removed"]


@dataclass(frozen=True, slots=True)
class ChangedSymbol:
    """One symbol that is not as it was; lines are of the new text, of the old one if it was removed.

    Text that belongs to no symbol is one entry with an empty `path`, kind "text" and no symbol.
    """

    status: Status
    path: str
    kind: str
    start_line: int = 0
    end_line: int = 0
    symbol: Symbol | None = None


class Version(NamedTuple):
    """A text and its outline."""

    data: bytes
    outline: Outline


class _Entry(NamedTuple):
    symbol: Symbol
    around: tuple[Symbol, ...]
    own: bytes


_Key = tuple[tuple[str, str], ...]


def changed_symbols(before: Version, after: Version) -> tuple[ChangedSymbol, ...]:
    """What became of each symbol, in the order of the new text, removed ones last.

    A symbol is modified if its own text differs: a class is not, because one of its methods is. Of
    something added or removed whole, only the outermost symbol is named. Where several symbols share
    a name (overloads), equal texts are matched first and the rest in order.
    """
    if before.data == after.data:
        return ()
    old, new = _entries(before), _entries(after)
    changes: list[tuple[_Entry, Status]] = []
    for key in dict.fromkeys((*new, *old)):
        changes.extend(_paired(old.get(key, []), new.get(key, [])))
    whole = {id(entry.symbol) for entry, status in changes if status != "modified"}
    kept = [
        (entry, status)
        for entry, status in changes
        if status == "modified" or not any(id(outer) in whole for outer in entry.around)
    ]
    kept.sort(key=lambda change: (change[1] == "removed", change[0].symbol.block_start))
    result = [_changed(entry, status) for entry, status in kept]
    if _squeezed(_gaps(before.data, before.outline.symbols, 0, len(before.data))) != _squeezed(
        _gaps(after.data, after.outline.symbols, 0, len(after.data))
    ):
        result.append(ChangedSymbol("modified", "", "text"))
    return tuple(result)


def touched_symbols(
    outline: Outline, ranges: Iterable[tuple[int, int]], kinds: Sequence[Status] | None = None
) -> tuple[ChangedSymbol, ...]:
    """The symbols whose own lines, those outside their children, meet the 1-based inclusive `ranges`.

    `kinds` says of each range what its lines are (default: modified). A symbol is `removed` if only
    removed lines meet it, `added` if added lines alone make it up, else `modified`.
    """
    wanted = [(first, max(first, last)) for first, last in ranges]
    said = kinds if kinds is not None else ["modified"] * len(wanted)
    found = []
    for around, symbol in outline.walk():
        if _meets(_own_lines(symbol), wanted):
            status = _status(symbol, [*zip(wanted, said, strict=True)])
            found.append(_changed(_Entry(symbol, around, b""), status))
    return tuple(found)


def _status(symbol: Symbol, ranges: Sequence[tuple[tuple[int, int], str]]) -> Status:
    first, last = symbol.start_line, symbol.end_line
    meeting = [(span, kind) for span, kind in ranges if span[0] <= last and span[1] >= first]
    met = {kind for _, kind in meeting}
    if met == {"removed"}:
        return "removed"
    if met == {"added"}:
        line = first
        for (start, end), _ in sorted(meeting):
            if start <= line:
                line = max(line, end + 1)
        return "added" if line > last else "modified"
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


def _meets(own: Sequence[tuple[int, int]], wanted: Sequence[tuple[int, int]]) -> bool:
    return any(first <= end and start <= last for start, end in own for first, last in wanted)


def _changed(entry: _Entry, status: Status) -> ChangedSymbol:
    symbol = entry.symbol
    path = shown_path((*entry.around, symbol)) if symbol.kind != "import" else "imports"
    return ChangedSymbol(status, path, symbol.kind, symbol.block_start_line, symbol.end_line, symbol)


def _entries(version: Version) -> dict[_Key, list[_Entry]]:
    entries: dict[_Key, list[_Entry]] = defaultdict(list)
    for around, symbol in version.outline.walk():
        key = tuple((_family(each.kind), _name(each)) for each in (*around, symbol))
        entries[key].append(_Entry(symbol, around, _own(version.data, symbol)))
    return entries


def _family(kind: str) -> str:
    """A prototype that became a function, or a constant that lost its `const`, is the same symbol."""
    families = {"prototype": "function", "method": "function", "constant": "variable", "property": "variable"}
    return families.get(kind, kind)


def _name(symbol: Symbol) -> str:
    return "" if symbol.kind == "import" else symbol.known_as or symbol.name


def _own(data: bytes, symbol: Symbol) -> bytes:
    if not symbol.children:
        return data[symbol.block_start : symbol.end].replace(b"\r\n", b"\n")
    return _squeezed(_gaps(data, symbol.children, symbol.block_start, symbol.end))


def _gaps(data: bytes, children: Iterable[Symbol], start: int, end: int) -> bytes:
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


def _paired(old: list[_Entry], new: list[_Entry]) -> list[tuple[_Entry, Status]]:
    changes: list[tuple[_Entry, Status]] = []
    left: list[_Entry] = list(old)
    rest: list[_Entry] = []
    for entry in new:
        same = next((each for each in left if each.own == entry.own), None)
        if same is None:
            rest.append(entry)
        else:
            left.remove(same)
    for entry in rest:
        changes.append((entry, "modified" if left else "added"))
        if left:
            left.pop(0)
    changes.extend((entry, "removed") for entry in left)
    return changes
