"""outline."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from filewright.structure.symbol import MINOR, Symbol


class SyntaxIssue(NamedTuple):
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

    `parsed` is False where there is no grammar or a limit was passed; `note` then says which. A large
    text may be parsed to the line `parsed_to` only (None: to its end). What was not parsed is outlined
    by patterns: the names and lines of what looks like a definition. `truncated` says that symbols are
    missing: beyond the cap or nested too deeply.
    """

    language: str | None
    symbols: tuple[Symbol, ...] = ()
    count: int = 0
    parsed: bool = True
    truncated: bool = False
    note: str | None = None
    errors: SyntaxReport = SyntaxReport()
    last_parsed_line: int | None = None

    @property
    def is_whole(self) -> bool:
        """Whether all of the text was parsed."""
        return self.parsed and self.last_parsed_line is None

    def truncated_at(self, line: int) -> Outline:
        """The same of a text of which only the lines to `line` were parsed: the end of that is torn."""
        return replace(
            self,
            truncated=True,
            last_parsed_line=line,
            note=f"parsed to line {line}, the rest outlined by patterns",
            errors=SyntaxReport(certain=False),
        )

    def with_symbols(self, more: tuple[Symbol, ...]) -> Outline:
        """The same with further symbols between its outermost ones, which end where a further one begins."""
        if not more:
            return self
        symbols: list[Symbol] = []
        for symbol in sorted(
            (*self.symbols, *more), key=lambda each: each.block_start
        ):
            if symbols and symbols[-1].end > symbol.block_start:
                before = symbols[-1]
                inner = tuple(
                    child
                    for child in before.children
                    if child.end <= symbol.block_start
                )
                end_line = max(before.start_line, symbol.block_start_line - 1)
                end = max(before.start, symbol.block_start)
                symbols[-1] = before._replace(
                    end=end, end_line=end_line, children=inner
                )
            symbols.append(symbol)
        made = replace(self, symbols=tuple(symbols))
        return replace(made, count=sum(1 for _ in made.walk()))

    def walk(self) -> Iterator[tuple[tuple[Symbol, ...], Symbol]]:
        """Every symbol in file order, each with the symbols it is in, outermost first."""
        pending: list[tuple[tuple[Symbol, ...], Symbol]] = [
            ((), symbol) for symbol in reversed(self.symbols)
        ]
        while pending:
            around, symbol = pending.pop()
            yield around, symbol
            inner = (*around, symbol)
            pending.extend(
                (inner, child) for child in reversed(symbol.children)
            )

    def shorten(
        self, max_symbols: int, max_depth: int = 0
    ) -> tuple[tuple[Symbol, ...], int, int | None]:
        """At most `max_symbols` symbols, in `max_depth` levels (0: all); how many are left out, and the first's line.

        Outer levels are kept before inner ones; of the same level definitions before properties,
        members, variables, constants and imports, and public names before those with an underscore.
        """
        ordered: list[Symbol] = []
        level: Sequence[Symbol] = self.symbols
        depth = 0
        while level and (not max_depth or depth < max_depth):
            ordered += sorted(
                level,
                key=lambda symbol: (
                    symbol.kind in MINOR,
                    symbol.name[:1] == "_",
                ),
            )
            level = [child for symbol in level for child in symbol.children]
            depth += 1
        kept = set(map(id, ordered[:max_symbols]))
        missing = (
            symbol.start_line
            for _, symbol in self.walk()
            if id(symbol) not in kept
        )
        return self._only(kept), self.count - len(kept), next(missing, None)

    def select_lines(
        self, first: int, last: int, max_symbols: int, max_depth: int = 0
    ) -> tuple[tuple[Symbol, ...], int | None]:
        """The symbols that begin in lines [first, last], in file order, with those that hold them.

        At most `max_symbols`, in `max_depth` levels (0: all); and the line of the first left out.
        """
        kept: set[int] = set()
        for around, symbol in self.walk():
            if not first <= symbol.start_line <= last or (
                max_depth and len(around) >= max_depth
            ):
                continue
            wanted = {id(each) for each in (*around, symbol)} - kept
            if kept and len(kept) + len(wanted) > max_symbols:
                return self._only(kept), symbol.start_line
            kept |= wanted
        return self._only(kept), None

    def _only(self, kept: set[int]) -> tuple[Symbol, ...]:
        """The tree of the symbols in `kept` (by id), built from the last: nesting costs no recursion."""
        built: dict[int, Symbol] = {}
        for _, symbol in reversed(list(self.walk())):
            if id(symbol) in kept:
                inner = tuple(
                    built[id(child)]
                    for child in symbol.children
                    if id(child) in built
                )
                built[id(symbol)] = (
                    symbol
                    if inner == symbol.children
                    else symbol._replace(children=inner)
                )
        return tuple(
            built[id(symbol)] for symbol in self.symbols if id(symbol) in built
        )
