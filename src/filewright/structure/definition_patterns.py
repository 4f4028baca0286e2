"""Definitions found by regular expressions: the outline of text that no grammar got to.

A line that looks like a definition is one: names and lines only, flat, by RE2 in one pass.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from typing import Any, Final

from filewright.languages import Language
from filewright.progress import Task
from filewright.structure.outline import Outline
from filewright.structure.symbol import Symbol
from filewright.text.snapshot import Snapshot

MAX_DEFINITIONS: Final = 5_000
"""Definitions listed; a file with more is data."""
MAX_SEARCHED_BYTES: Final = 256 << 20
"""Bytes looked through."""
_BLOCK: Final = 1 << 20
_NAME_CHARS: Final = 200

_KINDS: Final = {
    "def": "function", "func": "function", "fun": "function", "fn": "function", "mod": "module",
    "namespace": "module", "procedure": "function", "protocol": "interface",
}  # fmt: skip
_UNQUOTED: Final = str.maketrans("", "", '"`[]')
_NO_NAMES: Final = frozenset(
    b"if for while switch return else do catch sizeof case new delete throw".split()
)


def add_definitions(
    outline: Outline, snapshot: Snapshot, language: Language, task: Task | None
) -> Outline:
    """The outline with what patterns find in the part that was not parsed, or was not understood."""
    if snapshot.encoding.unit_bytes != 1:
        return outline
    first = 1 if outline.is_whole else (outline.last_parsed_line or 0) + 1
    found = find_definitions(snapshot, language, line=first, task=task)
    if outline.is_whole:
        known = {symbol.start_line for _, symbol in outline.walk()}
        further = (symbol for symbol in found if symbol.start_line not in known)
        return outline.with_symbols(
            tuple(
                symbol
                for symbol in further
                if _missed(symbol, outline, snapshot, task)
            )
        )
    note = outline.note
    if found and not outline.parsed:
        note = f"{note}; outlined by patterns"
    if len(found) == MAX_DEFINITIONS:
        note = (
            f"{note}, to line {found[-1].start_line}"
            if note
            else f"listed to line {found[-1].start_line}"
        )
    return replace(
        outline,
        symbols=outline.symbols + found,
        count=outline.count + len(found),
        note=note,
    )


def _missed(
    symbol: Symbol, outline: Outline, snapshot: Snapshot, task: Task | None
) -> bool:
    """Whether the grammar missed it: what is further in than the symbol around it was looked at there."""
    at = (
        bisect_right(outline.symbols, symbol.start, key=lambda each: each.start)
        - 1
    )
    if at < 0 or (around := outline.symbols[at]).end <= symbol.start:
        return True
    own, its = (
        each.start - snapshot.lines.offset_of(each.start_line, task)
        for each in (symbol, around)
    )
    return own <= its


def find_definitions(
    snapshot: Snapshot,
    language: Language,
    *,
    line: int = 1,
    task: Task | None = None,
) -> tuple[Symbol, ...]:
    """The lines from the one of that number on that look like definitions: at most `MOST`, within `REACH` bytes."""
    traits = language.traits
    if not traits.definitions:
        return ()
    regexp = _compiled(traits.definitions)
    found: list[Symbol] = []
    for offset, block in _blocks(
        snapshot, snapshot.lines.offset_of(line, task)
    ):
        if task is not None:
            task.check()
        counted = 0
        for match in regexp.finditer(block):
            groups = [
                number
                for number in range(1, regexp.groups + 1)
                if match.span(number)[0] >= 0
            ]
            name = match.group(groups[-1])
            if name in _NO_NAMES:
                continue
            begin = (
                match.start() + len(match.group()) - len(match.group().lstrip())
            )
            line += block.count(b"\n", counted, begin)
            counted = begin
            word = (
                match.group(groups[0]).decode("utf-8", "replace").lower()
                if len(groups) > 1
                else ""
            )
            kind = _KINDS.get(word, word) or traits.default_kind
            shown = name.decode("utf-8", "replace").strip()[:_NAME_CHARS]
            place = offset + begin
            bare = shown.translate(_UNQUOTED)
            lookup_name = bare if bare != shown else ""
            found.append(
                Symbol(
                    shown,
                    kind,
                    line,
                    line,
                    place,
                    offset + match.end(),
                    place,
                    line,
                    lookup_name,
                )
            )
            if len(found) >= MAX_DEFINITIONS:
                return tuple(found)
        line += block.count(b"\n", counted)
    return tuple(found)


def _blocks(snapshot: Snapshot, start: int) -> Iterator[tuple[int, bytes]]:
    """Blocks from `start` on that end at the end of a line, unless the line is longer than one."""
    stop = min(snapshot.size, start + MAX_SEARCHED_BYTES)
    while start < stop:
        block = snapshot.read(start, min(_BLOCK, stop - start))
        end = block.rfind(b"\n") + 1
        if end and start + len(block) < stop:
            block = block[:end]
        if not block:
            return
        yield start, block
        start += len(block)


@lru_cache(maxsize=32)
def _compiled(forms: tuple[str, ...]) -> Any:
    import re2

    options = re2.Options()
    options.log_errors = False
    return re2.compile(
        ("(?m)" + "|".join(f"(?:{form})" for form in forms)).encode(), options
    )
