"""Finding symbols: by name, by line, and the way back from a line to a name."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from operator import attrgetter
from typing import Final

from filewright.errors import Code, FilewrightError
from filewright.hints import Hint
from filewright.structure.outline import Outline
from filewright.structure.symbol import DEFINITIONS, Symbol, split_words
from filewright.wording import closest_matches, join_limited

PATH_SEPARATOR: Final = " › "
"""Separates the symbols of a displayed path: `class Cart › method total`."""

_STEP: Final = re.compile(r"\s*(?:::|->|›|[.#/\\:>])\s*")
_MAX_LISTED: Final = 10
_KIND_WORDS: Final = DEFINITIONS | split_words(
    "prototype constant variable property member key import package record object extension annotation column index "
    "actor union instance alias schema trigger"
)
_MAX_SIBLINGS: Final = 16
"""Siblings before a line that are compared with it: those that overlap are near it."""

_MAX_COMPARED_NAMES: Final = 5_000
"""Names that are compared with a misspelled one."""


@dataclass(frozen=True, slots=True)
class NamedSymbol:
    """A symbol and its ancestors, outermost first."""

    symbol: Symbol
    ancestors: tuple[Symbol, ...] = ()

    @property
    def path(self) -> str:
        """The displayed path: `class Cart › method total`."""
        return format_path((*self.ancestors, self.symbol))

    @property
    def name(self) -> str:
        """The full name, which `find_symbol` accepts: `Cart.total`."""
        return _full_name((*self.ancestors, self.symbol))


def format_path(symbols: tuple[Symbol, ...]) -> str:
    """Return symbols as one line, the outermost first."""
    return PATH_SEPARATOR.join(
        f"{symbol.kind} {symbol.name}".rstrip() for symbol in symbols
    )


def _full_name(symbols: tuple[Symbol, ...]) -> str:
    return ".".join(symbol.lookup_name or symbol.name for symbol in symbols)


def symbols_around_line(outline: Outline, line: int) -> tuple[Symbol, ...]:
    """Return the symbols around a 1-based line, outermost first.

    Doc comments and decorators belong to their symbols.
    """
    path: list[Symbol] = []
    level = outline.symbols
    while level:
        stop = bisect_right(level, line, key=attrgetter("block_start_line"))
        around = []
        for symbol in reversed(level[max(0, stop - _MAX_SIBLINGS) : stop]):
            if symbol.block_start_line <= line <= symbol.end_line:
                around.append(symbol)
        if not around:
            break
        # Of several symbols on one line, the last one that holds others: the path may go
        # on inside it.
        innermost = next(filter(attrgetter("children"), around), around[0])
        path.append(innermost)
        level = innermost.children
    return tuple(path)


def symbol_path_at(
    outline: Outline, line: int, *, outside: bool = False
) -> str:
    """Return the full name of the definition around a line; "" without one.

    With `outside`, a definition that begins on the line is left out: the line itself
    names it.
    """
    path = symbols_around_line(outline, line)
    while path:
        begins_here = outside and path[-1].start_line == line
        if is_definition(path[-1]) and not begins_here:
            break
        path = path[:-1]
    return _full_name(path)


def is_definition(symbol: Symbol) -> bool:
    """Return True if a symbol is read whole when a line in it is requested.

    Its kind is one of `DEFINITIONS`, or it has several lines and is no import.
    """
    if symbol.kind in DEFINITIONS:
        return True
    if symbol.kind in ("import", "package"):
        return False
    return symbol.end_line > symbol.start_line


def find_candidates(outline: Outline, name: str) -> list[NamedSymbol]:
    """Return the symbols that a name may mean, in file order; only exact ones if any.

    `total`, `Cart.total`, `Cart::total`, `Cart#total`, `class Cart › method total` and
    `total()` are all understood. Case decides only where both spellings occur, also as
    the name of an import.
    """
    candidates = _match_names(outline, name, spell=str)
    if not candidates and not _is_imported(outline, name):
        candidates = _match_names(outline, name, spell=str.casefold)
    # A displayed path names the kind too, and so means fewer symbols than its names do.
    by_path = []
    definitions = []
    for candidate in candidates:
        path = f"{PATH_SEPARATOR}{candidate.path}"
        if path.endswith(f"{PATH_SEPARATOR}{name}"):
            by_path.append(candidate)
        if candidate.symbol.kind != "prototype":
            definitions.append(candidate)
    # A definition is meant rather than its prototype.
    return by_path or definitions or candidates


def _match_names(
    outline: Outline, name: str, *, spell: Callable[[str], str]
) -> list[NamedSymbol]:
    """Return the symbols with a name, or else those whose full names end with it.

    Names are compared as `spell` returns them.
    """
    normal_name = _normalize(name)
    target = spell(normal_name)
    last_part = normal_name.rpartition(".")[2].casefold()
    exact: list[NamedSymbol] = []
    partial: list[NamedSymbol] = []
    for candidate, candidate_names in _iterate_by_name(outline, last_part):
        spelled = set(map(spell, candidate_names))
        if target in spelled:
            exact.append(candidate)
        elif any(full_name.endswith(f".{target}") for full_name in spelled):
            partial.append(candidate)
    return exact or partial


def find_symbol(
    outline: Outline, name: str, file_name: str = "the file"
) -> NamedSymbol:
    """Return the one symbol that a name means. Errors call the file `file_name`.

    Raises `no_match` with the nearest names, `ambiguous_match` with the candidates and
    their lines, and `unsupported` if the file was not parsed.
    """
    if not outline.parsed:
        reason = outline.note or "filewright has no grammar for it"
        raise FilewrightError(
            Code.UNSUPPORTED,
            f"the symbols of {file_name} are unknown: {reason}",
            Hint(
                "give its text as search, or its lines; search_content finds its name",
                shell="give its lines; filewright search finds its name",
            ),
        )
    candidates = find_candidates(outline, name)
    if not candidates:
        raise _no_match(outline, name, file_name)
    if len(candidates) > 1:
        raise _ambiguous(candidates, name, file_name)
    return candidates[0]


def _no_match(outline: Outline, name: str, file_name: str) -> FilewrightError:
    near = nearest_names(outline, name)
    hint: str = Hint(
        "get_overview lists its symbols",
        shell="filewright map FILE lists its symbols",
    )
    if near:
        hint = f"the nearest are: {', '.join(near)}"
    return FilewrightError(
        Code.NO_MATCH,
        f"{file_name} has no symbol {name!r}",
        hint,
        symbol=name,
        nearest=near,
    )


def _ambiguous(
    candidates: list[NamedSymbol], name: str, file_name: str
) -> FilewrightError:
    lines = []
    details = []
    for candidate in candidates:
        symbol = candidate.symbol
        lines.append(
            f"{candidate.path} (lines {symbol.start_line}–{symbol.end_line})"
        )
        details.append(
            {
                "name": candidate.name,
                "kind": symbol.kind,
                "start_line": symbol.start_line,
                "end_line": symbol.end_line,
            }
        )
    listed = join_limited(lines, _MAX_LISTED, "; ")
    return FilewrightError(
        Code.AMBIGUOUS_MATCH,
        f"{file_name} has {len(candidates)} symbols {name!r}: {listed}",
        "give its full name (Class.method), or a line inside the one you mean",
        symbol=name,
        candidates=details[:_MAX_LISTED],
    )


def nearest_names(outline: Outline, name: str, count: int = 5) -> list[str]:
    """Return the full names of symbols that are spelled most like `name`."""
    last_part = _normalize(name).rpartition(".")[2]
    full_names: dict[str, str] = {}
    for candidate, _ in _iterate_by_name(outline):
        if len(full_names) < _MAX_COMPARED_NAMES:
            short_name = candidate.name.rpartition(".")[2]
            full_names.setdefault(short_name, candidate.name)
    return [
        full_names[short_name]
        for short_name in closest_matches(last_part, full_names, count)
    ]


def _is_imported(outline: Outline, name: str) -> bool:
    """Return True if an import has this very name.

    Then a definition in another spelling is not meant.
    """
    return any(
        symbol.kind == "import" and name in symbol.name.split(", ")
        for _, symbol in outline.walk()
    )


def _iterate_by_name(
    outline: Outline, part: str = ""
) -> Iterator[tuple[NamedSymbol, set[str]]]:
    """Yield the symbols whose own name contains `part`, with the names of each.

    `part` is in lower case. Imports are left out.
    """
    for ancestors, symbol in outline.walk():
        own_names = f"{symbol.name}\n{symbol.lookup_name}".casefold()
        if symbol.kind == "import" or part not in own_names:
            continue
        names = {
            _normalize(symbol.name),
            _normalize(symbol.lookup_name or symbol.name),
        }
        if ancestors:
            prefix = _normalize(_full_name(ancestors))
            names = {f"{prefix}.{name}" for name in names}
        # The displayed path too: without it, a method of `impl Display for Point` would
        # be known by `Point` alone, and the kind of `rule .a` ends with a separator.
        names.add(_normalize(format_path((*ancestors, symbol))))
        yield NamedSymbol(symbol, ancestors), names


def _normalize(name: str) -> str:
    """Return a name with its parts joined by dots.

    Kinds, quotes and the parentheses of a call are dropped.
    """
    parts = []
    for part in _STEP.split(name.strip().removesuffix("()")):
        kind, space, rest = part.partition(" ")
        if space and kind in _KIND_WORDS:
            part = rest
        part = part.strip("'\"`() *&$")
        if part:
            parts.append(part)
    return ".".join(parts) or name.strip()
