"""What structure hands out: symbols, the outline that holds them, and syntax errors.

Lines are 1-based and both ends belong to the symbol; byte ranges are half-open.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

DEFINITIONS: Final = frozenset(
    {
        "class", "function", "method", "interface", "enum", "struct", "trait", "impl", "module",
        "type", "macro", "table", "view", "heading", "rule", "test", "element", "document", "item",
    }
)  # fmt: skip
"""Kinds that are read as a whole when a line inside them is asked for, even if they fill one line."""

MINOR: Final = frozenset({"property", "member", "variable", "constant", "import"})
"""Kinds left out first when an outline must be shortened."""


class Symbol(NamedTuple):
    """One named thing of a file; a named tuple, because a big file has many and they are made fast.

    `start`..`end` is the declaration itself; `block_start` is where its doc comment, decorators and
    attributes begin (equal to `start` without any). `known_as` is the name it is looked up by where
    that differs from `name`: `Cart.Total` for Go's `(*Cart).Total`, `Point` for `Display for Point`.
    """

    name: str
    kind: str
    start_line: int
    end_line: int
    start: int
    end: int
    block_start: int
    block_start_line: int
    known_as: str = ""
    children: tuple[Symbol, ...] = ()


@dataclass(frozen=True, slots=True)
class SyntaxIssue:
    """One place a parser stumbled over: 1-based line, 1-based column in bytes, the text found there."""

    line: int
    column: int
    text: str
    message: str


@dataclass(frozen=True, slots=True)
class SyntaxReport:
    """The syntax errors of a file: how many, and the first few in order.

    `certain` is False for languages whose grammar does not read every valid file (macros, dialects, the
    newest syntax): then an issue may be the grammar's. More issues after an edit than before it
    still mean something; one alone does not, and is better not shown.
    """

    count: int = 0
    first: tuple[SyntaxIssue, ...] = ()
    certain: bool = True


@dataclass(frozen=True, slots=True)
class Outline:
    """The symbols of a file as a tree, in file order, with what is to be said about the parse.

    `parsed` is False where there is no grammar or a limit was passed; `note` then says which.
    `truncated` says that symbols are missing: beyond the cap or nested too deeply.
    """

    language: str | None
    symbols: tuple[Symbol, ...] = ()
    count: int = 0
    parsed: bool = True
    truncated: bool = False
    note: str | None = None
    errors: SyntaxReport = SyntaxReport()

    def walk(self) -> Iterator[tuple[tuple[Symbol, ...], Symbol]]:
        """Every symbol in file order, each with the symbols it stands in, outermost first."""
        pending: list[tuple[tuple[Symbol, ...], Symbol]] = [((), symbol) for symbol in reversed(self.symbols)]
        while pending:
            around, symbol = pending.pop()
            yield around, symbol
            inner = (*around, symbol)
            pending.extend((inner, child) for child in reversed(symbol.children))

    def shortened(self, max_symbols: int, max_depth: int = 0) -> tuple[tuple[Symbol, ...], int]:
        """At most `max_symbols` symbols, in `max_depth` levels (0: all); and how many are left out.

        Outer levels are kept before inner ones, and definitions before properties, members,
        variables, constants and imports of the same level.
        """
        levels: list[list[Symbol]] = []
        level: Sequence[Symbol] = self.symbols
        while level and (not max_depth or len(levels) < max_depth):
            levels.append(sorted(level, key=lambda symbol: symbol.kind in MINOR))
            level = [child for symbol in level for child in symbol.children]
        kept: set[int] = set()
        room = max_symbols
        for symbols in levels:
            chosen = symbols[:room]
            kept.update(map(id, chosen))
            room -= len(chosen)
            if not room:
                break
        # Built from the innermost level outwards, so that nesting costs no recursion.
        built: dict[int, Symbol] = {}
        for symbols in reversed(levels):
            for symbol in symbols:
                if id(symbol) in kept:
                    inner = tuple(built[id(child)] for child in symbol.children if id(child) in built)
                    built[id(symbol)] = symbol if inner == symbol.children else _with_children(symbol, inner)
        top = tuple(built[id(symbol)] for symbol in self.symbols if id(symbol) in built)
        return top, self.count - len(built)


def _with_children(symbol: Symbol, children: tuple[Symbol, ...]) -> Symbol:
    return Symbol(
        symbol.name,
        symbol.kind,
        symbol.start_line,
        symbol.end_line,
        symbol.start,
        symbol.end,
        symbol.block_start,
        symbol.block_start_line,
        symbol.known_as,
        children,
    )
