"""Finding symbols: by name, by line, and the way back from a line to a path of names."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from operator import attrgetter
from typing import Final

from filewright.errors import Code, FilewrightError
from filewright.structure.outline import Outline
from filewright.structure.symbol import DEFINITIONS, Symbol, split_words
from filewright.wording import closest_matches, join_limited

PATH_SEPARATOR: Final = " › "
"""Stands between the symbols of a path as it is shown: `class Cart › method total`."""

_SEPARATOR: Final = re.compile(r"\s*(?:::|->|›|[.#/\\:>])\s*")
_CANDIDATES: Final = 10
_KINDS: Final = DEFINITIONS | split_words(
    "prototype constant variable property member key import package record object extension annotation column index "
    "actor union instance alias schema trigger"
)
_SIBLINGS_LOOKED_AT: Final = 16


@dataclass(frozen=True, slots=True)
class NamedSymbol:
    """A symbol and the symbols it is in, outermost first."""

    symbol: Symbol
    ancestors: tuple[Symbol, ...] = ()

    @property
    def path(self) -> str:
        """`class Cart › method total`."""
        return format_path((*self.ancestors, self.symbol))

    @property
    def name(self) -> str:
        """`Cart.total`: what `find_symbol` reads back."""
        return _known_path((*self.ancestors, self.symbol))


def format_path(symbols: tuple[Symbol, ...]) -> str:
    """Symbols from the outermost in, as one line."""
    return PATH_SEPARATOR.join(
        f"{symbol.kind} {symbol.name}".rstrip() for symbol in symbols
    )


def _known_path(symbols: tuple[Symbol, ...]) -> str:
    return ".".join(symbol.lookup_name or symbol.name for symbol in symbols)


def symbols_around_line(outline: Outline, line: int) -> tuple[Symbol, ...]:
    """The symbols around a 1-based line, outermost first; doc comments and decorators belong to theirs."""
    found: list[Symbol] = []
    level = outline.symbols
    while level:
        stop = bisect_right(level, line, key=attrgetter("block_start_line"))
        holding = [
            each
            for each in reversed(
                level[max(0, stop - _SIBLINGS_LOOKED_AT) : stop]
            )
            if each.block_start_line <= line <= each.end_line
        ]
        if not holding:
            break
        # The last that holds the line, preferring one with children.
        inner = next(filter(attrgetter("children"), holding), holding[0])
        found.append(inner)
        level = inner.children
    return tuple(found)


def symbol_path_at(
    outline: Outline, line: int, *, outside: bool = False
) -> str:
    """`Cart.total` for a line inside it, as `find_symbol` reads it; "" where no definition is around the line.

    `outside` leaves out the definition that begins on the line, which names it already.
    """
    around = symbols_around_line(outline, line)
    while around and (
        not is_definition(around[-1])
        or (outside and around[-1].start_line == line)
    ):
        around = around[:-1]
    return _known_path(around)


def is_definition(symbol: Symbol) -> bool:
    """Whether a symbol is read whole when a line in it is asked for: a definition, or of several lines."""
    return symbol.kind in DEFINITIONS or (
        symbol.end_line > symbol.start_line
        and symbol.kind not in ("import", "package")
    )


def find_candidates(outline: Outline, asked: str) -> list[NamedSymbol]:
    """The symbols `asked` may mean, in file order; the exact ones only, where there are any.

    `total`, `Cart.total`, `Cart::total`, `Cart#total`, `class Cart › method total` and `total()` are
    all understood. The case decides only where both spellings occur, also as the name of an import.
    """
    wanted = _normal(asked)
    last = wanted.rpartition(".")[2].casefold()
    for spell in (str, str.casefold):
        if spell is str.casefold and _is_imported(outline, asked):
            break
        exact, partial = list[NamedSymbol](), list[NamedSymbol]()
        for candidate, names in _named(outline, last):
            spelled, target = set(map(spell, names)), spell(wanted)
            if target in spelled:
                exact.append(candidate)
            elif any(name.endswith("." + target) for name in spelled):
                partial.append(candidate)
        if found := exact or partial:
            # A path as it is shown names the kind, too; else definitions rather than the prototypes of the same name.
            named = [
                each
                for each in found
                if (PATH_SEPARATOR + each.path).endswith(PATH_SEPARATOR + asked)
            ]
            return (
                named
                or [each for each in found if each.symbol.kind != "prototype"]
                or found
            )
    return []


def find_symbol(
    outline: Outline, asked: str, shown: str = "the file"
) -> NamedSymbol:
    """The one symbol `asked` means in the file called `shown`.

    Raises `no_match` with the nearest names, `ambiguous_match` with the candidates and their lines,
    `unsupported` if the file was not parsed.
    """
    if not outline.parsed:
        message = f"symbols of {shown} are not known: {outline.note or 'filewright has no grammar for it'}"
        raise FilewrightError(
            Code.UNSUPPORTED,
            message,
            "give its text as search, or its lines; search_content finds its name",
        )
    found = find_candidates(outline, asked)
    if not found:
        near = nearest_names(outline, asked)
        hint = (
            f"the nearest are: {', '.join(near)}"
            if near
            else "get_overview lists its symbols"
        )
        raise FilewrightError(
            Code.NO_MATCH,
            f"{shown} has no symbol {asked!r}",
            hint,
            symbol=asked,
            nearest=near,
        )
    if len(found) > 1:
        lines = [
            f"{each.path} (lines {each.symbol.start_line}–{each.symbol.end_line})"
            for each in found
        ]
        raise FilewrightError(
            Code.AMBIGUOUS_MATCH,
            f"{shown} has {len(found)} symbols {asked!r}: {join_limited(lines, _CANDIDATES, '; ')}",
            "give its full name (Class.method), or a line inside the one you mean",
            symbol=asked,
            candidates=[
                {
                    "name": each.name,
                    "kind": each.symbol.kind,
                    "start_line": each.symbol.start_line,
                    "end_line": each.symbol.end_line,
                }
                for each in found[:_CANDIDATES]
            ],
        )
    return found[0]


def nearest_names(outline: Outline, asked: str, count: int = 5) -> list[str]:
    """Names of symbols spelled most like `asked`."""
    last = _normal(asked).rpartition(".")[2]
    names: dict[str, str] = {}
    for candidate, _ in _named(outline):
        if len(names) < 5_000:
            names.setdefault(candidate.name.rpartition(".")[2], candidate.name)
    return [names[name] for name in closest_matches(last, names, count)]


def _is_imported(outline: Outline, name: str) -> bool:
    """Return whether an import has this very name: it is not to be taken for a definition of another spelling."""
    return any(
        symbol.kind == "import" and name in symbol.name.split(", ")
        for _, symbol in outline.walk()
    )


def _named(
    outline: Outline, holding: str = ""
) -> Iterator[tuple[NamedSymbol, set[str]]]:
    """The symbols in whose own name that is, whatever its case, with the names each is known by."""
    for around, symbol in outline.walk():
        if (
            symbol.kind == "import"
            or holding not in f"{symbol.name}\n{symbol.lookup_name}".casefold()
        ):
            continue
        names = {
            _normal(symbol.name),
            _normal(symbol.lookup_name or symbol.name),
        }
        if around:
            above = _normal(_known_path(around))
            names = {f"{above}.{name}" for name in names}
        # As it is shown: a method of `impl Display for Point` is known by `Point` alone otherwise, and the kind of
        # `rule .a` ends with a separator.
        names.add(_normal(format_path((*around, symbol))))
        yield NamedSymbol(symbol, around), names


def _normal(name: str) -> str:
    """A name in one spelling: steps joined by dots, without kinds, quotes and a call's parentheses."""
    parts = []
    for part in _SEPARATOR.split(name.strip().removesuffix("()")):
        kind, space, rest = part.partition(" ")
        part = rest if space and kind in _KINDS else part
        if part := part.strip("'\"`() *&$"):
            parts.append(part)
    return ".".join(parts) or name.strip()
