"""Definitions found by regular expressions: the outline of text that was not parsed.

A line that looks like a definition counts as one. The symbols have names and lines, and
are not nested. RE2 finds them in one pass.
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
"""Definitions that are listed; a file with more is data."""

MAX_SEARCHED_BYTES: Final = 256 << 20
"""The part of a huge text that is searched for definitions."""

_BLOCK_BYTES: Final = 1 << 20
_MAX_NAME_CHARACTERS: Final = 200

_KINDS: Final = {
    "def": "function",
    "func": "function",
    "fun": "function",
    "fn": "function",
    "mod": "module",
    "namespace": "module",
    "procedure": "function",
    "protocol": "interface",
}
"""The kinds of keywords that are no kinds themselves."""

_WITHOUT_QUOTES: Final = str.maketrans("", "", '"`[]')
_KEYWORDS: Final = frozenset(
    b"if for while switch return else do catch sizeof case new delete throw".split()
)
"""Words at the place of a name that make a line no definition."""


def add_definitions(
    outline: Outline, snapshot: Snapshot, language: Language, task: Task | None
) -> Outline:
    """Return the outline with the definitions in text that the grammar did not read."""
    # The patterns are of bytes, and find nothing in UTF-16.
    if snapshot.encoding.unit_bytes != 1:
        return outline
    if outline.is_whole:
        return _fill_gaps(outline, snapshot, language, task)
    first_line = (outline.last_parsed_line or 0) + 1
    definitions = find_definitions(
        snapshot, language, line=first_line, task=task
    )
    note = outline.note
    if definitions and not outline.parsed:
        note = f"{note}; outlined by patterns"
    if len(definitions) == MAX_DEFINITIONS:
        last_line = definitions[-1].start_line
        if note:
            note = f"{note}, to line {last_line}"
        else:
            note = f"listed to line {last_line}"
    return replace(
        outline,
        symbols=outline.symbols + definitions,
        count=outline.count + len(definitions),
        note=note,
    )


def _fill_gaps(
    outline: Outline, snapshot: Snapshot, language: Language, task: Task | None
) -> Outline:
    """Return the outline of a parsed text with the definitions that the grammar missed."""
    known_lines = {symbol.start_line for _, symbol in outline.walk()}
    missed = []
    for definition in find_definitions(snapshot, language, task=task):
        if definition.start_line not in known_lines and _is_missed(
            definition, outline, snapshot, task
        ):
            missed.append(definition)
    return outline.with_symbols(tuple(missed))


def _is_missed(
    definition: Symbol, outline: Outline, snapshot: Snapshot, task: Task | None
) -> bool:
    """Return True if the grammar missed a definition.

    One that is indented more than the symbol around it is inside that symbol, which the
    grammar has read.
    """
    index = bisect_right(
        outline.symbols, definition.start, key=lambda symbol: symbol.start
    )
    if index == 0:
        return True
    previous = outline.symbols[index - 1]
    if previous.end <= definition.start:
        return True

    def indent(symbol: Symbol) -> int:
        line_start = snapshot.lines.offset_of(symbol.start_line, task)
        return symbol.start - line_start

    return indent(definition) <= indent(previous)


def find_definitions(
    snapshot: Snapshot,
    language: Language,
    *,
    line: int = 1,
    task: Task | None = None,
) -> tuple[Symbol, ...]:
    """Return the lines that look like definitions, from a line on.

    At most `MAX_DEFINITIONS`, within `MAX_SEARCHED_BYTES`.
    """
    traits = language.traits
    if not traits.definitions:
        return ()
    regexp = _compile(traits.definitions)
    definitions: list[Symbol] = []
    start = snapshot.lines.offset_of(line, task)
    for offset, block in _read_blocks(snapshot, start):
        if task is not None:
            task.check()
        counted_to = 0
        for match in regexp.finditer(block):
            definition = _read_definition(
                match, regexp.groups, offset, traits.default_kind
            )
            if definition is None:
                continue
            begin = definition.start - offset
            # From one match to the next, so that all lines are counted in one pass.
            line += block.count(b"\n", counted_to, begin)
            counted_to = begin
            definitions.append(
                definition._replace(
                    start_line=line, end_line=line, block_start_line=line
                )
            )
            if len(definitions) >= MAX_DEFINITIONS:
                return tuple(definitions)
        line += block.count(b"\n", counted_to)
    return tuple(definitions)


def _read_definition(
    match: Any, group_count: int, offset: int, default_kind: str
) -> Symbol | None:
    """Return the definition of a match in the block at `offset`, without its line.

    The first group is its keyword and the last its name. None if the name is a keyword.
    """
    # Every alternative of the pattern has its own groups, and those of the others are
    # unset.
    group_numbers = []
    for number in range(1, group_count + 1):
        if match.span(number)[0] >= 0:
            group_numbers.append(number)
    name = match.group(group_numbers[-1])
    if name in _KEYWORDS:
        return None
    keyword = ""
    if len(group_numbers) > 1:
        keyword = match.group(group_numbers[0]).decode("utf-8", "replace")
        keyword = keyword.lower()
    display_name = name.decode("utf-8", "replace").strip()
    display_name = display_name[:_MAX_NAME_CHARACTERS]
    lookup_name = display_name.translate(_WITHOUT_QUOTES)
    text = match.group()
    # The indentation is a part of the match, but not of the definition.
    start = offset + match.start() + len(text) - len(text.lstrip())
    return Symbol(
        name=display_name,
        kind=_KINDS.get(keyword, keyword) or default_kind,
        start_line=0,
        end_line=0,
        start=start,
        end=offset + match.end(),
        block_start=start,
        block_start_line=0,
        lookup_name=lookup_name if lookup_name != display_name else "",
    )


def _read_blocks(snapshot: Snapshot, start: int) -> Iterator[tuple[int, bytes]]:
    """Yield blocks with their offsets; each ends with a line, unless the line is longer."""
    stop = min(snapshot.size, start + MAX_SEARCHED_BYTES)
    while start < stop:
        block = snapshot.read(start, min(_BLOCK_BYTES, stop - start))
        line_end = block.rfind(b"\n") + 1
        if line_end and start + len(block) < stop:
            block = block[:line_end]
        if not block:
            return
        yield start, block
        start += len(block)


@lru_cache(maxsize=32)
def _compile(patterns: tuple[str, ...]) -> Any:
    """Return RE2's form of the patterns of a language, as alternatives."""
    import re2

    options = re2.Options()
    # RE2 writes errors to standard error by itself, between the lines of the program.
    options.log_errors = False
    alternatives = "|".join(f"(?:{pattern})" for pattern in patterns)
    return re2.compile(f"(?m){alternatives}".encode(), options)
