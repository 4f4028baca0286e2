"""Symbols that move to another file, and the files that still refer to the old one."""

from __future__ import annotations

import os
import re
import textwrap
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from filewright.boundary.location import Location
from filewright.languages import Language, language_of
from filewright.search.pattern import Pattern, compile_pattern
from filewright.search.tree import TreeSearch
from filewright.search.tree_options import TreeOptions
from filewright.structure.import_statements import DEFAULT_EXPORT, DefinedName
from filewright.structure.module_names import (
    PathParts,
    specifier_pattern,
    star_pattern,
)
from filewright.structure.outlines import IMPORT_LANGUAGES
from filewright.structure.references import References
from filewright.text.snapshot import Snapshot
from filewright.tools.best_effort import best_effort
from filewright.tools.context import Context
from filewright.tools.edit.arguments import MoveText
from filewright.tools.edit.call import EditCall, FileEdits
from filewright.tools.edit.moves import MovedSymbol, MovedText

# Files that are searched, and bytes of each.
_MAX_SEARCHED_FILES: Final = 1_000
_MAX_SEARCHED_BYTES: Final = 1 << 20
# Lines of a file that are remembered for each symbol.
_MAX_LINES: Final = 100


@dataclass(frozen=True, slots=True)
class UsePlace:
    """A place that still takes a symbol from its old file; `line` is 0 if unknown.

    The `reason` says why the place was not rewritten, or quotes it.
    """

    path: str
    line: int
    reason: str = ""


@dataclass(frozen=True, slots=True)
class StillUsed:
    """A symbol that was moved out of `path`, with the places that take it from there.

    `files` are the files of the places. With `can_rewrite`, its imports are rewritten on
    request. `language` names its language if imports of it were to be rewritten, and
    cannot be.
    """

    name: str
    path: str
    files: tuple[str, ...]
    places: tuple[UsePlace, ...] = ()
    can_rewrite: bool = False
    language: str = ""

    @classmethod
    def of(cls, symbol: MovedSymbol, places: Sequence[UsePlace]) -> StillUsed:
        """Return the symbol with its places in order, each of them once."""
        ordered = sorted({*places}, key=lambda place: (place.path, place.line))
        files = dict.fromkeys(place.path for place in ordered)
        is_readable = reads_imports(symbol)
        language = ""
        if symbol.moves_imports and not is_readable:
            language = language_of(symbol.origin.name) or "this language"
        return cls(
            symbol.name,
            symbol.origin.display_path,
            tuple(files),
            tuple(ordered),
            can_rewrite=is_readable and not symbol.moves_imports,
            language=language,
        )

    def describe_places(self) -> list[str]:
        """Return the places in words; lines of one file and reason are joined."""
        lines_by_file: dict[tuple[str, str], list[str]] = defaultdict(list)
        for place in self.places:
            lines = lines_by_file[place.path, place.reason]
            if place.line:
                lines.append(f"{place.line}")
        texts: list[str] = []
        for (path, reason), lines in lines_by_file.items():
            text = f"{path}:{','.join(lines)}" if lines else path
            texts.append(f"{text} ({reason})" if reason else text)
        return texts


@dataclass
class _Mentions:
    """The files that mention symbols, and the lines of the mentions.

    `mentioned` has the lines by the name of a symbol and by path. `qualified` has those
    of mentions behind a dot, an arrow or a colon, as in `module.name`.
    """

    references: References = field(default_factory=References)
    display_paths: dict[str, str] = field(default_factory=dict)
    mentioned: dict[str, dict[str, list[int]]] = field(
        default_factory=lambda: defaultdict(dict)
    )
    qualified: dict[str, dict[str, list[int]]] = field(
        default_factory=lambda: defaultdict(dict)
    )


def find_moved_symbols(
    call: EditCall,
    number: int,
    edit: MoveText,
    moved_text: MovedText,
    destination: FileEdits,
) -> list[MovedSymbol]:
    """Return the symbols that an edit moves to another file; none if it moves other text.

    One text may bind several names, each of which is a symbol.
    """
    lines = moved_text.symbol_lines
    if destination is moved_text.source or lines is None:
        return []
    # The request may spell the name otherwise: `$f` and `F` may both find `f`.
    words = re.findall(r"[\w$]+", lines.name)
    moves_imports = call.moves_imports(edit)
    is_at_top = words == [lines.name]
    if not words or (moves_imports and not is_at_top):
        return []
    symbol = MovedSymbol(
        words[-1],
        moved_text.source.location,
        destination.location,
        number=number,
        lines=moved_text.lines if moved_text.version.base is None else None,
        exported_name=words[-1],
        moves_imports=moves_imports,
    )
    if not reads_imports(symbol):
        return [] if lines.indent else [symbol]
    if not is_at_top:
        return []
    return [
        replace(symbol, name=name.name, exported_name=name.exported_name)
        for name in _find_defined_names(call, moved_text, symbol)
    ]


def _find_defined_names(
    call: EditCall, moved_text: MovedText, symbol: MovedSymbol
) -> Sequence[DefinedName]:
    """Return the names that the text of a symbol binds at its top, its own among them.

    `A = B = 3` is one symbol with two names.
    """
    text = moved_text.content.decode(moved_text.encoding.name, "replace")
    content = textwrap.dedent(text).encode()
    snapshot = Snapshot(
        content, location=symbol.origin, settings=call.context.settings
    )
    facts = call.context.outlines.imports(
        snapshot, (symbol.name,), (0, len(content)), task=call.context.task
    )
    names = list(facts.defined)
    if all(name.name != symbol.name for name in names):
        # An entry of a list, such as `b = 2` of `const`, is not read without its list.
        is_python = language_of(symbol.origin.name) is Language.PYTHON
        exported_name = symbol.name if is_python else ""
        names.insert(0, DefinedName(symbol.name, exported_name))
    return names


def find_still_used(
    context: Context, symbols: Sequence[MovedSymbol]
) -> tuple[StillUsed, ...]:
    """Return the moved symbols that files still take from their old places.

    Files that mention a symbol are searched for a second of work at most, and their
    imports are followed.
    """
    if not symbols:
        return ()
    mentions = _find_mentions(context, symbols)
    still_used = []
    for symbol in symbols:
        users = _find_users(mentions, symbol)
        if users:
            still_used.append(StillUsed.of(symbol, users))
    return tuple(still_used)


def reads_imports(symbol: MovedSymbol) -> bool:
    """Return True if imports of the languages of both files can be rewritten."""
    return {
        language_of(symbol.origin.name),
        language_of(symbol.destination.name),
    } <= IMPORT_LANGUAGES


def _find_mentions(
    context: Context, symbols: Sequence[MovedSymbol]
) -> _Mentions:
    """Return the files that mention one of the symbols, as far as the time goes."""
    mentions = _Mentions()
    names = {symbol.name for symbol in symbols}
    default_files = [
        tuple(map(os.fsdecode, symbol.origin.parts))
        for symbol in symbols
        if symbol.exported_name == DEFAULT_EXPORT
    ]
    with best_effort(context.task) as task:
        for pattern in compile_mentions(names, default_files):
            search = TreeSearch(
                context.searcher,
                Location(symbols[0].origin.root, ()),
                pattern,
                TreeOptions(limit=_MAX_SEARCHED_FILES, output="files"),
                task=task,
            )
            for snapshot, _ in search:
                location = snapshot.location
                assert location is not None
                if _path(location) in mentions.display_paths:
                    continue
                size = min(snapshot.size, _MAX_SEARCHED_BYTES)
                _add_mentions(mentions, location, snapshot.read(0, size), names)
    return mentions


def compile_mentions(
    names: Iterable[str],
    default_files: Iterable[PathParts],
    star_files: Iterable[PathParts] = (),
) -> Iterator[Pattern]:
    """Yield the patterns of the files that may import one of the names.

    A file may import the default export of one of `default_files` without its name, and
    one of all names of `star_files` may pass them on.
    """
    yield compile_pattern(
        "|".join(map(re.escape, dict.fromkeys(names))),
        mode="regex",
        case="sensitive",
        whole_word=True,
    )
    statements = dict.fromkeys(
        [
            *map(specifier_pattern, default_files),
            *map(star_pattern, star_files),
        ]
    )
    nameless = "|".join(filter(None, statements))
    if nameless:
        yield compile_pattern(nameless, mode="regex", case="sensitive")


def _add_mentions(
    mentions: _Mentions, location: Location, text: bytes, names: set[str]
) -> None:
    """Add the mentions of names in one file."""
    path = _path(location)
    mentions.display_paths[path] = location.display_path
    mentions.references.add(path, text)
    for name in names:
        word = re.compile(
            rb"([.:>]?)(?<![\w$])%b(?![\w$])" % re.escape(name.encode())
        )
        lines: list[int] = []
        qualified_lines: list[int] = []
        line, offset = 1, 0
        for match in word.finditer(text):
            line += text.count(b"\n", offset, match.start())
            offset = match.start()
            lines.append(line)
            if match[1]:
                qualified_lines.append(line)
            if len(lines) >= _MAX_LINES:
                break
        if lines:
            mentions.mentioned[name][path] = lines
        if qualified_lines:
            mentions.qualified[name][path] = qualified_lines


def _find_users(mentions: _Mentions, symbol: MovedSymbol) -> list[UsePlace]:
    """Return the first place in each file that takes a symbol from its old place."""
    references = mentions.references
    old_path = _path(symbol.origin)
    new_path = _path(symbol.destination)
    for path in (old_path, new_path):
        references.add(path, b"", counts=False)
    mentioned = mentions.mentioned[symbol.name]
    qualified = mentions.qualified[symbol.name]
    users: list[UsePlace] = []
    is_default = symbol.exported_name == DEFAULT_EXPORT
    for importer in references.find_importers(
        old_path, symbol.name, is_default=is_default
    ):
        lines = qualified.get(importer.path, [])
        if importer.takes_name and is_default:
            lines = [importer.line]
        elif importer.takes_name:
            lines = mentioned.get(importer.path, [])
        later = [line for line in lines if line >= importer.line]
        if lines:
            display_path = mentions.display_paths[importer.path]
            users.append(UsePlace(display_path, (later or lines)[0]))
    importers = {
        importer.path
        for importer in references.find_importers(
            new_path, symbol.name, is_default=is_default
        )
    }
    # The old file itself uses the symbol, and does not import it.
    if old_path in mentioned and old_path not in importers:
        display_path = mentions.display_paths[old_path]
        users.append(UsePlace(display_path, mentioned[old_path][0]))
    return users


def _path(location: Location) -> str:
    """Return a path below the root as text."""
    return os.fsdecode(b"/".join(location.parts))
