"""The outline of a file: its symbols as a tree, and its syntax errors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from filewright.structure.symbol import MINOR, Symbol


class SyntaxIssue(NamedTuple):
    """One place where a parser failed: its line and its column in characters, from 1.

    `text` is the text of the file there, and `message` the problem in words.
    `missing_token` is the token that the parser expected there, if it names one.
    """

    line: int
    column: int
    text: str
    message: str
    missing_token: str = ""


@dataclass(frozen=True, slots=True)
class SyntaxReport:
    """The number of syntax errors in a file, and the first few in order.

    `certain` is False for languages whose grammar does not read every valid file
    (macros, dialects, the newest syntax): an issue may then be a fault of the grammar.
    An edit that adds issues is still worth a warning.
    """

    count: int = 0
    first: tuple[SyntaxIssue, ...] = ()
    certain: bool = True


@dataclass(frozen=True, slots=True)
class ShortenedOutline:
    """A part of the symbols of an outline.

    `left_out` is the number of missing symbols, and `first_missing_line` the start of
    the first of them.
    """

    symbols: tuple[Symbol, ...]
    left_out: int
    first_missing_line: int | None


@dataclass(frozen=True, slots=True)
class Outline:
    """The symbols of a file as a tree, in file order, and the result of the parse.

    `parsed` is False without a grammar and where a limit was exceeded; `note` says
    why. A large text may be parsed up to the line `last_parsed_line` (None: to its
    end). The rest is outlined by patterns: names and lines of text that looks like a
    definition. `truncated` is True if symbols are missing, because there are too many or
    because they are nested too deeply.
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
        """Return True if all of the text was parsed."""
        return self.parsed and self.last_parsed_line is None

    def truncated_at(self, line: int) -> Outline:
        """Return the outline of a text that was parsed up to `line` only.

        Its syntax errors are dropped, since the text ends in the middle.
        """
        return replace(
            self,
            truncated=True,
            last_parsed_line=line,
            note=f"parsed to line {line}, the rest outlined by patterns",
            errors=SyntaxReport(certain=False),
        )

    def with_symbols(self, added: tuple[Symbol, ...]) -> Outline:
        """Return the outline with further symbols among its outermost ones.

        A symbol ends where an added one begins inside it.
        """
        if not added:
            return self
        symbols: list[Symbol] = []
        for symbol in sorted(
            (*self.symbols, *added), key=lambda symbol: symbol.block_start
        ):
            if symbols and symbols[-1].end > symbol.block_start:
                symbols[-1] = _end_before(symbols[-1], symbol)
            symbols.append(symbol)
        outline = replace(self, symbols=tuple(symbols))
        return replace(outline, count=sum(1 for _ in outline.walk()))

    def walk(self) -> Iterator[tuple[tuple[Symbol, ...], Symbol]]:
        """Yield every symbol in file order, with its ancestors, outermost first."""
        pending: list[tuple[tuple[Symbol, ...], Symbol]] = [
            ((), symbol) for symbol in reversed(self.symbols)
        ]
        while pending:
            ancestors, symbol = pending.pop()
            yield ancestors, symbol
            below = (*ancestors, symbol)
            for child in reversed(symbol.children):
                pending.append((below, child))

    def shorten(self, max_symbols: int, max_depth: int = 0) -> ShortenedOutline:
        """Return at most `max_symbols` symbols, in `max_depth` levels (0: all).

        Outer levels come before inner ones. On one level, definitions come before
        properties, members, variables, constants and imports, and public names before
        those with an underscore.
        """
        ordered: list[Symbol] = []
        level: Sequence[Symbol] = self.symbols
        depth = 0
        while level and (not max_depth or depth < max_depth):
            ordered += sorted(level, key=_rank)
            level = [child for symbol in level for child in symbol.children]
            depth += 1
        # By identity: symbols are values, and two of a file may be equal.
        selected = set(map(id, ordered[:max_symbols]))
        for _, symbol in self.walk():
            if id(symbol) not in selected:
                return self._shortened_to(selected, symbol.start_line)
        return self._shortened_to(selected, None)

    def select_lines(
        self, first: int, last: int, max_symbols: int, max_depth: int = 0
    ) -> ShortenedOutline:
        """Return the symbols that begin in lines [first, last], with their ancestors.

        At most `max_symbols`, in `max_depth` levels (0: all). `left_out` counts all
        symbols outside of the result.
        """
        selected: set[int] = set()
        for ancestors, symbol in self.walk():
            if not first <= symbol.start_line <= last:
                continue
            if max_depth and len(ancestors) >= max_depth:
                continue
            # Several symbols may have the same ancestors, which are counted once.
            added = set(map(id, (*ancestors, symbol))) - selected
            if selected and len(selected) + len(added) > max_symbols:
                return self._shortened_to(selected, symbol.start_line)
            selected |= added
        return self._shortened_to(selected, None)

    def _shortened_to(
        self, selected: set[int], first_missing_line: int | None
    ) -> ShortenedOutline:
        """Return the part of the outline with the symbols of these identities."""
        return ShortenedOutline(
            self._select(selected),
            self.count - len(selected),
            first_missing_line,
        )

    def _select(self, selected: set[int]) -> tuple[Symbol, ...]:
        """Return the tree of the symbols with these identities.

        It is built from the last symbol on, so that no nesting needs recursion.
        """
        built: dict[int, Symbol] = {}
        for _, symbol in reversed(list(self.walk())):
            if id(symbol) not in selected:
                continue
            children = _find_built(symbol.children, built)
            if children != symbol.children:
                built[id(symbol)] = symbol._replace(children=children)
            else:
                built[id(symbol)] = symbol
        return _find_built(self.symbols, built)


def _find_built(
    symbols: tuple[Symbol, ...], built: dict[int, Symbol]
) -> tuple[Symbol, ...]:
    """Return those of the symbols that were built, in their new form."""
    return tuple(built[id(symbol)] for symbol in symbols if id(symbol) in built)


def _rank(symbol: Symbol) -> tuple[bool, bool]:
    """Return the sort key of a symbol on its level: definitions and public names first."""
    return symbol.kind in MINOR, symbol.name[:1] == "_"


def _end_before(symbol: Symbol, following: Symbol) -> Symbol:
    """Return a symbol that ends where another one begins, with the children before it."""
    children = tuple(
        child for child in symbol.children if child.end <= following.block_start
    )
    return symbol._replace(
        # The following definition may be a comment above the symbol that looks like
        # code. It then begins inside the block, but before the symbol itself.
        end=max(symbol.start, following.block_start),
        end_line=max(symbol.start_line, following.block_start_line - 1),
        children=children,
    )
