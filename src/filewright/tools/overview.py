"""`get_overview`: what one file is, without reading it; or the map of a folder.

The map says what is in it, where it begins, what the rest refers to.
"""

from __future__ import annotations

import heapq
import json
import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Annotated, Any, Literal

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from filewright.boundary.location import Location
from filewright.boundary.walk_model import FolderEntry, WalkOptions
from filewright.errors import Code, FilewrightError, invalid
from filewright.languages import MANIFESTS, PARSED, Language, language_of
from filewright.structure.changed_symbols import (
    ChangedSymbol,
    OutlinedText,
    find_changed_symbols,
    find_touched_symbols,
)
from filewright.structure.git import read_committed
from filewright.structure.hints import Hints, Timestamp, build_hints
from filewright.structure.lookup import find_symbol
from filewright.structure.outline import Outline, SyntaxReport
from filewright.structure.outlines import language_of_snapshot
from filewright.structure.references import HEAD_BYTES, CentralFile, References
from filewright.structure.symbol import Symbol
from filewright.text.lines import MAX_LINE_SEARCH_BYTES
from filewright.text.snapshot import Snapshot
from filewright.tools.bounded_text import BoundedText, clip
from filewright.tools.context import Context, binary
from filewright.tools.items import check_count
from filewright.tools.registry import Arguments
from filewright.tools.result import (
    FailedCall,
    ToolResult,
    about,
    facts,
    in_shares,
    joined,
    optional,
)
from filewright.wording import (
    escape_controls,
    format_size,
    join_limited,
    pluralize,
)

_PAGE_CHARS = 6_000
_FOLDERS, _NAMES, _CENTRAL, _LISTED = 24, 12, 12, 8
_SMALL, _SYMBOLS, _SMALL_BYTES = 24, 10, 64 << 10
"""Of so few files each is listed with the names it defines, if it is as small as that."""
_MOST_ENTRIES = 300_000
_READ_FILES = 4_000
"""Files whose imports are read."""

_DATA = {
    Language.HTML,
    Language.CSS,
    Language.JSON,
    Language.MARKDOWN,
    Language.YAML,
    Language.TOML,
}
_READ_FIRST = re.compile(
    r"(?i)^(?:readme|contributing|architecture|agents|claude|changelog)(?:\.\w+)?$"
)
_ENTRY = re.compile(
    r"(?i)^(?:__main__|main|cli|app|manage|server|index|wsgi|asgi|program|lib|mod)\.\w+$"
)
_TEST = re.compile(
    r"(?i)(?:^|/)(?:tests?|specs?|__tests__|testing)/|(?:^|/)(?:test_[^/]*|[^/]*[._]test|[^/]*\.spec)\.\w+$"
)


class OverviewArguments(Arguments):
    """Which file or folder, and what to compare it with."""

    path: str | None = None
    """a file, or a folder: its map, with languages, entry points, tests, the files most referred to, the
    tree; default: the first root
    """
    paths: Annotated[list[str] | None, Field(min_length=1)] = None
    """several of them"""
    symbol: str | None = None
    """only the members of this definition, in full"""
    max_symbols: Annotated[int, Field(ge=0, le=5000)] = 300
    """symbols of the outline"""
    lines: Annotated[
        list[int] | None,
        Field(min_length=2, max_length=2, description="[first, last]"),
    ] = None
    """`[first, last]`: the outline of these lines, in full; a short outline names the lines that go on"""
    depth: Annotated[int, Field(ge=0, le=64)] = 0
    """levels of the outline; 0: all"""
    changed_lines: Annotated[
        list[Annotated[list[int], Field(min_length=2, max_length=2)]] | None,
        Field(description="[first, last] ranges"),
    ] = None
    """line ranges `[first, last]`: the symbols they touch are marked"""
    changed_kinds: SkipJsonSchema[
        list[Literal["added", "modified", "removed"]] | None
    ] = None
    since: Annotated[str | None, Field(description="git revision")] = "HEAD"
    """the revision of git to compare with"""
    folders: SkipJsonSchema[bool] = True
    """False: a folder is refused, as it is where a file is asked for."""


@dataclass(frozen=True, kw_only=True)
class OverviewResult(ToolResult):
    """What one file is. Sizes are bytes, lines count from 1.

    `parsed` says how much was read as a language: of what was not there may be syntax errors all the same, and
    the outline has what looks like a definition. `next_lines` go on where not all symbols are shown.
    `lines_measured` is False where `longest_line` and `long_lines` are of the first 4 MB only;
    `changed_symbols` is None where there is nothing to compare with.
    """

    path: str
    size: int
    line_count: int
    encoding: str
    encoding_confidence: float
    bom: bool
    line_ending: str
    version: str
    line_endings: Mapping[str, int]
    final_newline: bool
    longest_line: int
    long_lines: int
    lines_measured: bool
    language: str | None
    outline: tuple[Symbol, ...]
    symbols_left_out: int
    next_lines: tuple[int, int] | None
    outline_note: str | None
    parsed: Literal["whole", "part", "no"]
    syntax_errors: SyntaxReport
    changed_symbols: tuple[ChangedSymbol, ...] | None = optional()
    search_hints: Hints

    @property
    def data(self) -> dict[str, Any]:
        """The facts as JSON values; the outline made without recursion, however deep it is."""
        made = replace(self, outline=()).data if self.outline else super().data
        return {**made, "outline": _tree(self.outline)}


@dataclass(frozen=True, kw_only=True)
class FolderMap(ToolResult):
    """What is below a folder: `files` of so many `bytes`, languages by their files, and where to look first.

    `manifests`, `entries` (also the commands that manifests name) and `tests` are paths; `central` the files
    that most others refer to.
    """

    path: str
    files: int
    bytes: int
    languages: tuple[tuple[str, int], ...]
    manifests: tuple[str, ...]
    entries: tuple[str, ...]
    tests: tuple[str, ...]
    central: tuple[CentralFile, ...]
    complete: bool


@dataclass(frozen=True, kw_only=True)
class ManyOverviews(ToolResult):
    """Several files or folders, in the order asked for; a failure is that of its own."""

    several = "overviews"
    overviews: tuple[OverviewResult | FolderMap | FailedCall, ...]


def get_overview(
    context: Context, arguments: OverviewArguments
) -> OverviewResult | FolderMap | ManyOverviews:
    """What a file is, the map of a folder, or either of several paths."""
    if arguments.path is not None and arguments.paths is not None:
        raise invalid(
            "get_overview takes either path or paths",
            "give path for one file or folder, paths for several",
            argument="path",
        )
    if arguments.paths is None:
        return _one(
            context,
            arguments,
            arguments.path or ".",
            context.settings.page_chars,
        )
    paths, most = arguments.paths, context.settings.page_chars
    check_count(context, paths)
    made = in_shares(
        paths,
        most,
        lambda number, share: _one(
            context, arguments, paths[number], max(300, share)
        ),
        "{}: {}",
    )
    return ManyOverviews(joined(made, paths, most), overviews=tuple(made))


def _one(
    context: Context, arguments: OverviewArguments, path: str, room: int
) -> OverviewResult | FolderMap:
    """The map of a folder, or of a file size, lines, encoding, outline, what changed, what to search for."""
    location, task = context.boundary.locate(path), context.task
    if arguments.folders and context.boundary.stat(location).kind == "folder":
        return _folder_map(context, location)
    _check_ranges(arguments)
    with context.open(location) as snapshot:
        if snapshot.binary_type is not None:
            raise binary(snapshot)
        lines = snapshot.lines.count_lines(task)
        language = language_of_snapshot(snapshot)
        outline = context.outlines.outline(
            snapshot, language, task=context.task
        )
        if arguments.symbol is not None:
            found = find_symbol(
                outline, arguments.symbol, snapshot.requested_path
            ).symbol
            arguments = arguments.model_copy(
                update={"lines": [found.start_line, found.end_line]}
            )
        notes: list[str] = []
        if arguments.changed_lines is not None:
            ranges = [(first, last) for first, last in arguments.changed_lines]
            changed: tuple[ChangedSymbol, ...] | None = find_touched_symbols(
                outline, ranges, arguments.changed_kinds, task=task
            )
        else:
            changed = _changed(
                context, snapshot, language, outline, arguments.since, notes
            )
        longest, long_count, measured = _line_lengths(context, snapshot)
        asked, symbols, left_out, next_lines = _shown(
            outline, arguments, lines, room // 2
        )
        result = OverviewResult(
            "",
            path=location.display_path,
            size=snapshot.size,
            line_count=lines,
            **facts(snapshot),
            line_endings=snapshot.lines.terminators.counts(),
            final_newline=snapshot.size > snapshot.start
            and snapshot.lines.ends_in_terminator(),
            longest_line=longest,
            long_lines=long_count,
            lines_measured=measured,
            language=str(language) if language is not None else None,
            outline=asked,
            symbols_left_out=left_out,
            next_lines=next_lines,
            outline_note=outline.note,
            parsed="whole"
            if outline.is_whole
            else "part"
            if outline.parsed
            else "no",
            syntax_errors=outline.errors,
            changed_symbols=None if changed is None else changed[:500],
            search_hints=build_hints(snapshot, language),
        )
        page = BoundedText(room)
        known = f"{pluralize(lines, 'line')}, {format_size(snapshot.size)}; {about(snapshot)}"
        page.add(f"{location.display_path}: {known}")
        sampled = "" if measured else " of the first 4 MB"
        said = f"language {result.language or 'unknown'}; longest line{sampled} {longest:,} bytes"
        if long_count:
            said += f"; {pluralize(long_count, 'line')} longer than is shown at once"
        if snapshot.size and not result.final_newline:
            said += "; no newline at the end"
        page.add(said)
        _add_outline(page, result, symbols)
        if changed:
            page.add("", "changed:")
            named = (
                f"{part.status}: {part.path or 'text outside symbols'} ({part.start_line}-{part.end_line})"
                for part in changed
            )
            page.extend(named, reserve=1500, more="change")
        page.add(*(f"[{note}]" for note in notes))
        _add_hints(page, result.search_hints)
        context.remember(snapshot)
        return replace(result, text=page.text())


def _check_ranges(arguments: OverviewArguments) -> None:
    """Raise `invalid_input` for ranges of lines that are none."""
    given = {
        "lines": [arguments.lines] if arguments.lines else [],
        "changed_lines": arguments.changed_lines or [],
    }
    for argument, ranges in given.items():
        for first, last in ranges:
            if not 1 <= first <= last:
                raise invalid(
                    f"{argument}: [{first}, {last}] is not a range of lines",
                    "give [first, last] with 1 <= first <= last",
                    argument=argument,
                )
    if arguments.changed_kinds is not None and len(
        arguments.changed_kinds
    ) != len(given["changed_lines"]):
        raise invalid(
            "changed_kinds needs one kind for each range of changed_lines",
            "give as many of both",
            argument="changed_kinds",
        )


def _changed(
    context: Context,
    snapshot: Snapshot,
    language: Language | None,
    outline: Outline,
    since: str | None,
    notes: list[str],
) -> tuple[ChangedSymbol, ...] | None:
    """The symbols that differ from git's revision; None if there is nothing to compare."""
    held = snapshot.content
    if not since or held is None or len(held) > context.settings.parse_bytes:
        return None
    assert snapshot.location is not None
    try:
        before = read_committed(
            context.boundary,
            snapshot.location,
            since,
            limit=context.settings.parse_bytes,
            task=context.task,
        )
    except FilewrightError as error:
        if error.code in (Code.CANCELLED, Code.INVALID_INPUT):
            raise
        notes.append(f"not compared with git: {error.message}")
        return None
    if before is None:
        return None
    if before.content is None:
        notes.append(before.note or f"not in git at {since}")
        return None
    if before.content == held:
        return ()
    if not outline.is_whole:
        notes.append(f"differs from git at {since}")
        return None
    old = context.outlines.outline(before.content, language, task=context.task)
    return find_changed_symbols(
        OutlinedText(before.content, old),
        OutlinedText(held, outline),
        task=context.task,
    )


def _line_lengths(
    context: Context, snapshot: Snapshot
) -> tuple[int, int, bool]:
    """The longest line in bytes, how many pass the display limit, and whether all lines were measured."""
    limit = context.settings.line_chars
    longest = over = 0
    stop = (
        snapshot.size
        if snapshot.content is not None
        else min(snapshot.size, 4 << 20)
    )
    for line in snapshot.lines.read_lines(
        stop=stop, limit=0, reach=MAX_LINE_SEARCH_BYTES, task=context.task
    ):
        longest = max(longest, line.length)
        over += line.length > limit
    return longest, over, stop >= snapshot.size


def _rows(symbols: tuple[Symbol, ...]) -> Iterator[str]:
    """One line for a reader of each symbol, and of those in it."""
    for around, symbol in Outline(None, symbols).walk():
        name = clip(symbol.name, 120)
        yield f"{'  ' * min(len(around), 20)}{symbol.start_line}-{symbol.end_line} {symbol.kind} {name}"


_ShownOutline = tuple[
    tuple[Symbol, ...], tuple[Symbol, ...], int, tuple[int, int] | None
]
"""The part of an outline that was asked for, what is shown of it, how many symbols are left out, and where they are."""


def _shown(
    outline: Outline, arguments: OverviewArguments, line_count: int, room: int
) -> _ShownOutline:
    """The outer levels of the outline, or its part in the lines asked for, as far as `room` characters allow."""
    limit, depth = arguments.max_symbols, arguments.depth
    if arguments.lines is None:
        asked, left_out, following = outline.shorten(limit, depth)
        symbols = asked
        # Chosen anew for the room there is: the outer levels rather than the beginning.
        while symbols and (fitting := _fitting(symbols, room)) is not None:
            symbols, left_out, following = outline.shorten(fitting, depth)
        return (
            asked,
            symbols,
            left_out,
            (following, line_count) if following and limit else None,
        )
    first, last = arguments.lines
    symbols, following = outline.select_lines(first, last, limit, depth)
    if (fitting := _fitting(symbols, room)) is not None:
        symbols, following = outline.select_lines(
            first, last, max(1, fitting), depth
        )
    if (
        following is None or following <= first
    ):  # else all in one line: no range of lines goes on from there
        return symbols, symbols, 0, None
    missing = sum(
        following <= symbol.start_line <= last for _, symbol in outline.walk()
    )
    return symbols, symbols, missing, (following, last)


def _fitting(symbols: tuple[Symbol, ...], room: int) -> int | None:
    """How many rows of these symbols fit into `room` characters; None if all do."""
    for fitting, row in enumerate(_rows(symbols)):
        room -= len(row) + 1
        if room < 0:
            return fitting
    return None


def _add_outline(
    page: BoundedText, overview: OverviewResult, symbols: tuple[Symbol, ...]
) -> None:
    """Add the outline, the way to what it leaves out, and the syntax errors."""
    if symbols:
        page.add("", "outline:")
        page.extend(_rows(symbols))
    following = overview.next_lines
    if overview.symbols_left_out or following is not None:
        way = (
            f"lines=[{following[0]}, {following[1]}] goes on with all of them, "
            if following
            else ""
        )
        more = pluralize(overview.symbols_left_out, "more symbol")
        page.add(
            f"[{more}: {way}depth=1 shows the outer ones, search_content finds a name]"
        )
    if overview.outline_note:
        page.add(f"[{overview.outline_note}]")
    errors = overview.syntax_errors
    if errors.count:
        places = ", ".join(f"line {issue.line}" for issue in errors.first[:5])
        sure = "" if errors.certain else " (or code the grammar does not know)"
        page.add(f"[{pluralize(errors.count, 'syntax error')}{sure}: {places}]")


def _tree(symbols: tuple[Symbol, ...]) -> list[dict[str, Any]]:
    """The outline as nested plain values, made from the innermost level outwards: nesting costs no recursion."""
    made: dict[int, dict[str, Any]] = {}
    for _, symbol in reversed([*Outline(None, symbols).walk()]):
        made[id(symbol)] = {
            "name": symbol.name,
            "kind": symbol.kind,
            "start_line": symbol.start_line,
            "end_line": symbol.end_line,
            "children": [made[id(child)] for child in symbol.children],
        }
    return [made[id(symbol)] for symbol in symbols]


def _plainly(value: object) -> str:
    """A fact of a log or a table in words: a place by its text, counts side by side."""
    if isinstance(value, Timestamp):
        return value.text
    if (
        isinstance(value, tuple) and value and isinstance(value[0], tuple)
    ):  # keys of JSON lines
        return ", ".join(
            f"{escape_controls(key)} ({types}, {share:.0%})"
            for key, types, share in value
        )
    if isinstance(value, Mapping):
        if any(" " in str(name) for name in value):
            return "; ".join(
                f"{count} like {name!r}" for name, count in value.items()
            )
        return ", ".join(f"{name} {count}" for name, count in value.items())
    return (
        ", ".join(map(str, value))
        if isinstance(value, (list, tuple))
        else str(value)
    )


def _add_hints(page: BoundedText, found: Hints) -> None:
    for name, data in (
        ("log", found.log),
        ("csv", found.csv),
        ("json lines", found.json_lines),
    ):
        if data is not None:
            values = (
                (each.name, getattr(data, each.name)) for each in fields(data)
            )
            page.add("", f"{name}:")
            page.extend(
                (
                    f"  {key}: {clip(_plainly(value), 300)}"
                    for key, value in values
                    if value
                ),
                reserve=300,
            )
    if found.patterns:
        page.add(
            "", "worth a search (mode=regex): " + "   ".join(found.patterns[:8])
        )
        if found.log is not None:
            page.add(
                "output=kinds shows the rarest of the lines first, without leaves out what is known"
            )


# Folders


@dataclass
class _Below:
    """A folder with what is below it, in all levels; `above` it is another but the top."""

    path: str
    above: _Below | None = None
    files: int = 0
    size: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    folders: list[_Below] = field(default_factory=list)
    names: list[str] = field(default_factory=list)

    @property
    def order(self) -> tuple[int, str]:
        """The folders with most code come first, then those with most files."""
        return (-(4 * sum(self.kinds.values()) + self.files), self.path)


def _folder_map(context: Context, location: Location) -> FolderMap:
    """The map of a folder, less what the ignore rules leave out. Raises what walking it does."""
    top = _Below("")
    folders = {b"": (0, top)}
    files: list[tuple[str, FolderEntry]] = []
    sources: list[tuple[str, Location]] = []
    manifests: dict[str, Location] = {}
    first: list[str] = []
    named: list[str] = []
    tested: Counter[str] = Counter()
    spoken: Counter[str] = Counter()
    complete = True
    base = "" if location.display_path == "." else f"{location.display_path}/"
    walk = context.boundary.walk(
        location,
        WalkOptions(details=True, kinds=["file", "folder"]),
        task=context.task,
    )
    for number, entry in enumerate(walk):
        if number >= _MOST_ENTRIES:
            complete = False
            break
        depth, parent = folders[entry.path.rpartition(b"/")[0]]
        path = escape_controls(entry.location.display_path.removeprefix(base))
        folder, _, name = path.rpartition("/")
        if entry.kind == "folder":
            parent.folders.append(_Below(path, parent))
            folders[entry.path] = depth + 1, parent.folders[-1]
            continue
        language, test = language_of(entry.name), _TEST.search(path)
        parent.names.append(name)
        below: _Below | None = parent
        while below is not None:
            below.files += 1
            below.size += entry.status.size if entry.status is not None else 0
            if language in PARSED:
                below.kinds[str(language)] += 1
            below = below.above
        if top.files <= _SMALL:
            files.append((path, entry))
        if language is not None:
            spoken[str(language)] += 1
        if name.lower() in MANIFESTS and depth < 3:
            manifests[path] = entry.location
        elif _READ_FIRST.match(name) and depth < 2:
            first.append(path)
        if test is not None:
            tested[
                path[: test.end() - 1]
                if test[0].endswith("/")
                else folder or path
            ] += 1
        elif _ENTRY.match(name) and language in PARSED - _DATA and depth < 5:
            named.append(path)
        if language in PARSED:
            sources.append((path, entry.location))
    central = _central(context, sources)
    commands = [
        command
        for path, place in manifests.items()
        for command in _commands(context, path, place)
    ]
    entries = (*commands, *sorted(named, key=lambda path: path.count("/")))
    languages, tests = (
        tuple(spoken.most_common()),
        tuple(path for path, _ in tested.most_common()),
    )
    page = BoundedText(min(_PAGE_CHARS, context.settings.page_chars))
    kinds = ", ".join(f"{name} {count}" for name, count in languages[:_LISTED])
    size = f"{pluralize(top.files, 'file')}, {format_size(top.size)}"
    page.add(f"{location.display_path}/: {size}{'; ' * bool(kinds)}{kinds}")
    if not top.files:
        page.add("(no files)" if top.folders else "(empty folder)")
    for heading, paths in (
        ("read first", first),
        ("manifests", [*manifests]),
        ("entry points", entries),
        (
            "tests",
            [f"{path} ({pluralize(tested[path], 'file')})" for path in tests],
        ),
    ):
        if paths:
            page.add(clip(f"{heading}: {join_limited(paths, _LISTED)}", 900))
    if central:
        page.add(
            "", "most referred to (by so many files), with the names used:"
        )
        uses = (
            (f"{each.path} ({each.used_by})", ", ".join(each.names))
            for each in central
        )
        page.extend(
            (f"  {used}{': ' * bool(names)}{names}" for used, names in uses),
            reserve=1_500,
        )
    rows = [
        *(_folder_tree(top) if top.files > _SMALL else _files(context, files))
    ]
    if rows:
        page.add("")
    if page.extend(rows, reserve=200) or not complete:
        page.add(
            "[more than is shown; get_overview of a folder shows more of it, list_files its names]"
        )
    return FolderMap(
        page.text(),
        path=location.display_path,
        files=top.files,
        bytes=top.size,
        languages=languages,
        manifests=tuple(manifests),
        entries=entries,
        tests=tests,
        central=central,
        complete=complete,
    )


def _central(
    context: Context, sources: Sequence[tuple[str, Location]]
) -> tuple[CentralFile, ...]:
    """What others refer to, by the first lines of each source."""
    references = References()
    for path, location in sources[:_READ_FILES]:
        context.task.check()
        try:
            with context.boundary.open_file(location) as file:
                content = file.read(0, HEAD_BYTES)
        except FilewrightError as error:
            if error.ends_call:
                raise
            continue  # it went away, or may not be read
        references.add(path, content, counts=_TEST.search(path) is None)
    return references.find_central(_CENTRAL)


def _commands(context: Context, path: str, location: Location) -> Iterator[str]:
    """The commands that a manifest names, with what they run."""
    name = path.rpartition("/")[2].lower()
    if name not in ("pyproject.toml", "package.json"):
        return
    try:
        with context.open(location, text=True) as snapshot:
            text = snapshot.read(0, min(snapshot.size, 1 << 18)).decode(
                "utf-8", "replace"
            )
        read: Any = (
            tomllib.loads(text)["project"]
            if name.endswith(".toml")
            else json.loads(text)
        )
        named: Any = read["scripts" if name.endswith(".toml") else "bin"]
        if isinstance(named, str):
            named = {str(read.get("name", path)): named}
        for command, target in [*named.items()][:_LISTED]:
            yield clip(f"{command} = {target}", 120)
    except (
        FilewrightError,
        ValueError,
        TypeError,
        LookupError,
        AttributeError,
        RecursionError,
    ):
        return  # a manifest that cannot be read names nothing


def _files(
    context: Context, files: Sequence[tuple[str, FolderEntry]]
) -> Iterator[str]:
    """Each file with what it defines: of a small folder that says more than a tree."""
    for path, entry in files:
        names: list[str] = []
        small = entry.status is not None and entry.status.size <= _SMALL_BYTES
        if small and language_of(entry.name) in PARSED - _DATA:
            try:
                with context.open(entry.location, text=True) as snapshot:
                    outline = context.outlines.outline(
                        snapshot, task=context.task
                    )
                names = [
                    symbol.name
                    for symbol in outline.symbols
                    if symbol.kind != "import"
                ]
            except FilewrightError as error:
                if error.ends_call:
                    raise
        yield path + (
            f": {clip(join_limited(names, _SYMBOLS), 300)}" if names else ""
        )


def _folder_tree(top: _Below) -> Iterator[str]:
    """The folders as a tree: those with most code are opened first, as long as rows are left."""
    opened = {top.path}
    rows = len(top.folders)
    pending = [(folder.order, folder) for folder in top.folders]
    heapq.heapify(pending)
    while pending and rows < _FOLDERS:
        _, folder = heapq.heappop(pending)
        more = len(folder.folders) + bool(folder.names)
        if more and rows + more <= 2 * _FOLDERS:
            opened.add(folder.path)
            rows += more
            for inner in folder.folders:
                heapq.heappush(pending, (inner.order, inner))
    stack = [(0, top)]
    while stack:
        depth, folder = stack.pop()
        if folder is not top:
            kinds = ", ".join(
                f"{kind} {count}" for kind, count in folder.kinds.most_common(3)
            )
            if sum(folder.kinds.values()) != folder.files:
                kinds = f"{pluralize(folder.files, 'file')}; {kinds}".rstrip(
                    "; "
                )
            yield f"{'  ' * (depth - 1)}{folder.path.rpartition('/')[2]}/ {kinds}"
        if folder.path in opened:
            if folder is not top and folder.names:
                yield f"{'  ' * depth}{clip(join_limited(folder.names, _NAMES, ' '), 400)}"
            ordered = sorted(
                folder.folders, key=lambda each: each.order, reverse=True
            )
            stack += [(depth + 1, inner) for inner in ordered]
    if top.names:
        yield clip(join_limited(top.names, _NAMES, " "), 400)
