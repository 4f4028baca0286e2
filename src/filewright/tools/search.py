"""`search_content`: text, regular expressions and text that is only similar, in a file or a tree."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from os.path import commonprefix
from typing import Annotated, Literal

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema, WithJsonSchema

from filewright.boundary.location import Location
from filewright.errors import Code, FilewrightError, invalid
from filewright.languages import Language
from filewright.search.excerpts import (
    ContextLine,
    build_excerpt,
    count_match_characters,
    read_context,
)
from filewright.search.hit_groups import HitGroup, HitGroups
from filewright.search.hits import FileHits, Hit
from filewright.search.matches import find_matches
from filewright.search.pattern import Pattern, compile_pattern
from filewright.search.tree import ResumePoint, TreeSearch, fingerprint_before
from filewright.search.tree_options import TreeOptions
from filewright.structure.block import find_block
from filewright.structure.lookup import symbol_path_at
from filewright.structure.outlines import language_of_snapshot
from filewright.text.notebook import NotebookView
from filewright.text.snapshot import Snapshot
from filewright.tools.bounded_text import BoundedText
from filewright.tools.context import Context, best_effort
from filewright.tools.cursors import (
    decode_cursor,
    decode_path,
    encode_cursor,
    encode_path,
)
from filewright.tools.registry import Arguments
from filewright.tools.result import FailedCall, ToolResult, optional
from filewright.tools.search_notes import (
    display_path,
    left_out_notes,
    matched_text,
    name_spelling_notes,
    skip_notes,
    spelling_notes,
)
from filewright.wording import escape_controls, pluralize

_SYMBOL_BYTES = 512 << 10  # of one file
_SYMBOLS_BYTES = (
    4 << 20
)  # of all files of a page, each at least 64 KB for starting on it
_CURSOR_CHARS = 8 << 10
_MATCHED_BYTES = 16 << 10
FEW, _NEAR = 5, 2
"""Up to so many hits have so many lines of context, unless it is said how many."""

_BESIDE = 120
"""Characters of a line that is shown unasked beside a hit, and of a line without end in which there is one."""

_MATCH_MARGIN = 40
"""Characters of a long line that are shown beside a long match."""

_RECORDS = {Language.LOG, Language.CSV, Language.TSV, Language.JSON_LINES}
"""Where a line says nothing of those beside it, unless it goes on with one: it is indented then."""

_ALIKE = 10
"""Files of one name with as many matches that are each named."""

_MATCH_LINES = 100
"""Lines of one match that are shown."""

_RESERVE = 400
"""Characters that are kept for the last lines of a page."""

_REGEX = re.compile(r"\.[*+]|\||\\[bBdDsSwW(){}.*+?[\]]|\[[^]]+\]|^\^|\$$")
"""What is seldom meant literally."""

_LEAST_CHARS = 500
"""What each of several patterns may say."""

_SPELLING_SECONDS = 0.4
_OTHER_LINES = 1_000
"""Lines with another spelling that are counted."""

_MOST_FILES = 1_000_000
_NAMED = 3
_BODY_LINES = 12
"""A definition up to this is shown whole where its first line is one of few hits."""


_ContextLines = Annotated[int | None, Field(ge=0, le=50)]

_ITEM = {
    "type": "object",
    "properties": {
        **{
            name: {}
            for name in ("pattern", "path", "glob", "mode", "output", "context")
        },
    },
}
"""What is listed of a search among several: the names say what they say of one."""


class SearchArguments(Arguments):
    """What to find, and where."""

    pattern: str | None = None
    """what to find; see [search](search.md) for the syntax"""
    patterns: Annotated[
        list[str] | None, Field(min_length=1, max_length=20)
    ] = None
    """several, each with its own hits and count; give one of `pattern`, `patterns` and `items`"""
    items: Annotated[
        list[SearchArguments] | None,
        Field(min_length=1, max_length=20, description="defaults: the call's"),
        WithJsonSchema({"type": "array", "items": _ITEM}),
    ] = None
    """several searches, each with what differs from the call: `pattern`, `path`, `glob` or any other of these"""
    path: str = "."
    """a file or a folder"""
    glob: str | None = Field(
        None,
        description="no /: any depth (*.js, !{a,b}); else from path (src/*.js, !**/a/*)",
    )
    """only files that match; with `!` before it all but these"""
    type: Annotated[str | None, Field(description="py, rust")] = None
    """only files of a language, such as `py` or `rust`"""
    mode: Literal["literal", "regex", "fuzzy"] = "literal"
    """how the pattern is read"""
    case: Literal["smart", "sensitive", "insensitive"] = Field(
        "smart", description="smart: lower case fits any"
    )
    """`"smart"`: insensitive unless the pattern has a capital"""
    whole_word: bool = Field(False, description="words: letters, digits, _")
    """only whole words"""
    multiline: bool = False
    """a regex may match across lines"""
    invert: bool = False
    """lines that do not match"""
    without: Annotated[str | None, Field(description="drop lines with it")] = (
        None
    )
    """leave out the lines with a match of this too, which is read as `pattern` is: `ERROR` without
    `mailbox full`
    """
    context: Annotated[
        _ContextLines, Field(description="default 2 if few match")
    ] = None
    """lines shown around each hit, 0 for none; by default of up to 5 hits 2 short ones, or all of a definition of up to
    12 lines; of more hits none, and of logs and tables only the indented ones"""
    context_before: _ContextLines = None
    """the same, above the hit only"""
    context_after: _ContextLines = None
    """the same, below the hit only"""
    output: Literal["matches", "files", "counts", "kinds"] = "matches"
    """`"kinds"`: lines that are alike but for numbers are counted as one, and the rarest come first"""
    max_results: Annotated[int, Field(ge=1, le=10_000)] = 50
    """hits in one result; files and counts are of all there are, unless it is given"""
    min_similarity: Annotated[float, Field(ge=0.3, le=1.0)] = 0.8
    """fuzzy: what is too unlike is not shown"""
    cursor: str | None = None
    include_hidden: SkipJsonSchema[bool] = True
    include_ignored: bool = False
    """also what `.gitignore`, `.ignore` and git's excludes leave out"""
    exclude: SkipJsonSchema[list[str]] = Field(default_factory=list)


@dataclass(frozen=True, slots=True)
class SearchHit:
    """One hit. Lines and columns count from 1; `offset` and `end` are bytes of the file, half open.

    `text` is what is shown of the line, which begins at `text_column` of it and is cut if `truncated`;
    `submatches` are ranges of characters in `text`. `more_lines` are the further lines of a match that has
    several, to `last_line`; then `matched` is all that matched. `symbol` is the definition around it;
    `similarity` is 1.0 unless fuzzy.
    """

    path: str
    line: int
    last_line: int
    column: int
    offset: int
    end: int
    text: str
    text_column: int
    more_lines: tuple[str, ...]
    submatches: tuple[tuple[int, int], ...]
    truncated: bool
    context_before: tuple[str, ...]
    context_after: tuple[str, ...]
    symbol: str | None
    similarity: float
    matched: str | None = optional()


@dataclass(frozen=True, slots=True)
class MatchedFile:
    """A file with matches; `count` is the number of its matching lines, or of its replacements, where that is asked."""

    path: str
    count: int | None = optional()

    @property
    def row(self) -> str:
        """One line for a reader."""
        return escape_controls(self.path) + (
            f": {self.count}" if self.count is not None else ""
        )


@dataclass(frozen=True, kw_only=True)
class SearchResult(ToolResult):
    """What a search found: `results` with output "matches", `kinds` with "kinds", else `files`.

    `next_cursor` goes on; without one an incomplete search cannot. `total` counts the matching lines, those not
    shown too; None where they were not counted. `files_searched` is None for one file, and for several places. Of
    several patterns `searches` has the result of each, or its error.
    """

    several = "searches"
    results: tuple[SearchHit, ...]
    files: tuple[MatchedFile, ...]
    complete: bool
    next_cursor: str | None
    notes: tuple[str, ...]
    files_searched: int | None
    total: int | None = None
    searches: tuple[SearchResult | FailedCall, ...] = optional(())
    kinds: tuple[HitGroup, ...] = optional(())


@dataclass(slots=True)
class _Row:
    """A line of a file on the page; `beside` one that is context of a hit; `notes` are said behind it."""

    line: int
    text: str
    beside: bool = False
    is_hit: bool = False
    notes: list[str] = field(default_factory=list)

    @property
    def whole(self) -> str:
        """The row with what is said beside the line."""
        return self.text + "".join(f"   [{note}]" for note in self.notes)


def search_content(
    context: Context, arguments: SearchArguments
) -> SearchResult:
    """Search a file or a tree, for one pattern or for several.

    Results are in file and line order, fuzzy ones by similarity.
    """
    outer = (
        arguments.pattern if arguments.items is None else None
    )  # an item without a pattern takes it
    if [outer, arguments.patterns, arguments.items].count(None) != 2:
        raise invalid(
            "search_content takes one of pattern, patterns and items",
            "give pattern for one text, patterns for several, items for several searches; with a cursor the same "
            "pattern again",
            argument="pattern",
        )
    if arguments.pattern is None or arguments.items is not None:
        return _several(context, _each(arguments))
    search = _Search(context, arguments, context.settings.page_chars)
    search.find()
    _keep_context([search])
    return search.answer()


def _each(arguments: SearchArguments) -> list[SearchArguments]:
    """The searches of one pattern that are asked for."""
    items = arguments.items or [
        SearchArguments.model_construct(pattern=pattern)
        for pattern in arguments.patterns or ()
    ]
    each = arguments.model_copy(update={"patterns": None}).for_each(items)
    for search in each:
        if (
            search.pattern is None
            or search.patterns is not None
            or search.items is not None
        ):
            hint = (
                "give each of items a pattern, and what differs from the call"
            )
            raise invalid(
                "each of items is the search of one pattern",
                hint,
                argument="items",
            )
        if search.cursor is not None:
            hint = "give that pattern, with its cursor"
            raise invalid(
                "the cursor belongs to the search of one pattern",
                hint,
                argument="cursor",
            )
    return each


def _several(context: Context, each: Sequence[SearchArguments]) -> SearchResult:
    """What several searches found, each on its share of the page; those of the same files say nothing twice."""
    _check_patterns(context, each)
    left = context.settings.page_chars
    several = len({one.path for one in each}) > 1
    searches: list[_Search] = []
    for position, wanted in enumerate(each):
        room = (
            max(_LEAST_CHARS, left // (len(each) - position))
            - len(wanted.pattern or "")
            - 20
        )
        search = _Search(context, wanted, room)
        try:
            search.find()
        except FilewrightError as error:
            told = (
                any(one.is_found for one in searches)
                if error.code == Code.TIMEOUT
                else several
            )
            if not told or error.code == Code.CANCELLED:
                raise
            search.failed = error
        left -= search.used
        searches.append(search)
    for position, search in enumerate(searches):
        if search.is_full and left > _RESERVE:  # others have left it room
            with best_effort(context.task) as spare:
                again = _Search(
                    context.at(spare), each[position], search.used + left
                )
                again.find()
                if again.used > search.used:
                    left -= again.used - search.used
                    searches[position] = again
    places: dict[tuple[str, str | None], list[_Search]] = {}
    for search in searches:
        places.setdefault(
            (search.arguments.path, search.arguments.glob), []
        ).append(search)
    if len(places) > 1:
        for search in searches:
            where = escape_controls(search.arguments.path)
            search.title, search.named = (
                f"{search.title} in {where}",
                f"{where}\n",
            )
    for together in places.values():
        _keep_context(together)
        _share(together)
        first, *others = [
            search for search in together if not search.is_nowhere
        ] or together
        for search in others:
            search.notes = [
                note for note in search.notes if note not in first.notes
            ]
    made = [
        FailedCall(
            str(search.failed), error=search.failed, path=search.arguments.path
        )
        if search.failed
        else search.answer()
        for search in searches
    ]
    texts = [
        f"pattern {search.title}:\n{one.text.removeprefix(search.named)}"
        for search, one in zip(searches, made, strict=True)
        if not search.is_nowhere
    ]
    if nowhere := [search.title for search in searches if search.is_nowhere]:
        texts.append(f"no match: {', '.join(nowhere)}")
        if len(nowhere) == len(each):
            texts.append(made[0].text.partition("\n")[2])
    found = [one for one in made if isinstance(one, SearchResult)]
    return SearchResult(
        "\n".join(texts),
        results=tuple(hit for result in found for hit in result.results),
        files=tuple(file for result in found for file in result.files),
        complete=all(result.complete for result in found)
        and len(found) == len(made),
        next_cursor=None,
        notes=(),
        files_searched=found[0].files_searched if len(places) == 1 else None,
        searches=tuple(made),
    )


def _check_patterns(context: Context, each: Sequence[SearchArguments]) -> None:
    """Raise `invalid_input` that names every malformed pattern."""
    wrong = []
    for number, arguments in enumerate(each, 1):
        try:
            _compiled(context, arguments)
        except FilewrightError as error:
            error.message = f"{number}. {escape_controls((arguments.pattern or '')[:60])!r}: {error.message}"
            wrong.append(error)
    if wrong:
        hints = dict.fromkeys(error.hint for error in wrong if error.hint)
        wrong[0].message = "; ".join(error.message for error in wrong)
        wrong[0].hint = "; ".join(hints) or None
        raise wrong[0]


def _compiled(context: Context, arguments: SearchArguments) -> Pattern:
    mode: Literal["literal", "regex"] = (
        "regex" if arguments.mode == "regex" else "literal"
    )
    most, case, without = (
        context.settings.max_pattern_chars,
        arguments.case,
        arguments.without,
    )
    pattern = compile_pattern(
        arguments.pattern or "",
        mode=mode,
        case=case,
        whole_word=arguments.whole_word,
        multiline=arguments.multiline,
        max_chars=most,
    )
    if arguments.output == "kinds" and (
        arguments.invert or arguments.cursor or pattern.multiline
    ):
        raise invalid(
            "output=kinds compares the single lines that match, all of them",
            "leave out invert, multiline and cursor; without leaves out lines",
            argument="output",
        )
    if without is None:
        return pattern
    if pattern.multiline:
        raise invalid(
            "without leaves out lines, and the matches of this pattern may have several",
            "look for one line of it, or leave out without",
            argument="without",
        )
    if arguments.invert:
        raise invalid(
            "without leaves lines out of those that match, and invert asks for those that do not",
            "leave out invert, or look for both with mode=regex: pattern A|B, invert",
            argument="without",
        )
    return replace(
        pattern,
        excluded=compile_pattern(without, mode=mode, case=case, max_chars=most),
    )


class _Search:
    """The search for one pattern, on a page of `room` characters: what it found, where it stopped.

    `blocks` are the rows of each file. `occurrences` counts matches, of which a line may have several.
    """

    def __init__(
        self, context: Context, arguments: SearchArguments, room: int
    ) -> None:
        self.context, self.arguments, self.room = context, arguments, room
        self.name = self.title = repr(escape_controls(arguments.pattern or ""))
        self.named = ""  # in the title: a file that is searched
        self.failed: FilewrightError | None = None
        self.is_full = False
        self.blocks: list[tuple[str, list[_Row]]] = []
        self.results: list[SearchHit] = []
        self.notes: list[str] = []
        self.used = 0
        self._files: list[MatchedFile] = []
        self._kinds = HitGroups() if arguments.output == "kinds" else None
        self._complete = True
        self._cursor: str | None = None
        self._searched: int | None = None
        self._total: int | None = None
        self._matched = 1
        self._occurrences = 0
        self._symbol_bytes = _SYMBOLS_BYTES
        self._outlined = ""
        self._left_out = list[str]()
        output = arguments.output
        limited = output == "matches" or (
            output != "kinds" and "max_results" in arguments.model_fields_set
        )
        self._options = TreeOptions(
            limit=arguments.max_results if limited else _MOST_FILES,
            output="files" if output == "kinds" else output,
            glob=arguments.glob,
            exclude=arguments.exclude,
            file_type=arguments.type,
            invert=arguments.invert,
            include_hidden=arguments.include_hidden,
            include_ignored=arguments.include_ignored,
        )
        given = (
            arguments.context,
            arguments.context_before,
            arguments.context_after,
        )
        self.adaptive = given == (None, None, None)
        """Whether the number of hits decides how much context is shown."""

    @property
    def is_found(self) -> bool:
        return bool(self.results or self._files or self._kinds)

    @property
    def is_nowhere(self) -> bool:
        """Whether there is nothing to say but that."""
        return (
            not (self.failed or self.is_found or self._advice)
            and self._complete
        )

    @property
    def _advice(self) -> list[str]:
        """What to try after a search that found nothing."""
        if self._complete and self._searched == 0:
            return [
                "list_files shows which files are there, and what a glob fits",
                *self._left_out,
            ]
        if self.arguments.mode == "literal" and _REGEX.search(
            self.arguments.pattern or ""
        ):
            return [
                "looked for literally; with mode=regex it would be a pattern",
                *self._left_out,
            ]
        return self._left_out

    def rows(self) -> Iterator[str]:
        """The page as far as it is of hits: each file's name with its lines, once for all files that have the same.

        A line that is all there is of several files, wherever it is, stands behind their names: ``{a,b}.py:3: text``.
        """
        alike: dict[tuple[str, ...], list[tuple[str, int]]] = {}
        for path, rows in self.blocks:
            parted = any(row.beside for row in rows)
            lines: list[str] = []
            last = 0
            for row in rows:
                if lines and parted and row.line > last + 1:
                    lines.append("--")
                lines.append(row.whole)
                last = row.line
            if len(rows) == 1:
                lines = [lines[0].removeprefix(str(last))]
            if rows:
                alike.setdefault(tuple(lines), []).append(
                    (escape_controls(path), last)
                )
        for said, places in alike.items():
            if len(said) == 1 < len(places):
                yield (
                    braced([f"{path}:{line}" for path, line in places])
                    + said[0]
                )
            else:
                yield braced([path for path, _ in places])
                yield from (
                    said if len(said) > 1 else [f"{places[0][1]}{said[0]}"]
                )

    def find(self) -> None:
        """Search the file or the tree."""
        context, arguments = self.context, self.arguments
        location = context.boundary.locate(arguments.path)
        opened, kind = None, context.boundary.stat(location).kind
        if kind == "link":  # Other errors are raised when it is opened.
            with suppress(FilewrightError):
                context.boundary.open_folder(location).close()
                kind = "folder"
        if kind != "folder":
            opened = partial(
                context.open_page, location, headings=False, text=True
            )
            if not context.searcher.accepts(
                location, self._options, context.task
            ):
                self._left_out = [f"glob or type leave out {arguments.path}"]
                return
        if arguments.mode == "fuzzy":
            self._find_similar(location, opened)
            return
        pattern = _compiled(context, arguments)
        try:
            self._find_exact(location, pattern, opened)
        except FilewrightError as error:
            if error.code != Code.TIMEOUT or not self.is_found:
                raise
            self._complete = False
            self.notes.append(
                f"{error.message}; a narrower path or glob finds the rest"
            )

    def _find_exact(
        self,
        location: Location,
        pattern: Pattern,
        opened: Callable[[], Snapshot] | None,
    ) -> None:
        """Search until the page is full; then count the rest, if that takes no time."""
        arguments, output, task, resume = (
            self.arguments,
            self.arguments.output,
            self.context.task,
            None,
        )
        tree = partial(
            TreeSearch, self.context.searcher, location, pattern, opened=opened
        )
        if arguments.cursor is not None:
            offset, path, mark = decode_cursor(
                arguments.cursor,
                "search",
                output,
                noun="search",
                types=(int, str, str),
            )
            resume = ResumePoint(
                decode_path(location, path), max(0, offset), mark
            )
        found = tree(self._options, after=resume, task=task)
        for snapshot, hits in found:
            stopped = None
            if self._kinds is not None:
                matches = find_matches(snapshot, pattern, once=True, task=task)
                self._kinds.add(snapshot, (match.offset for match in matches))
            elif output == "matches":
                stopped = self._show(snapshot, hits)
            elif not self._name_file(display_path(snapshot), hits.count):
                stopped = 0
            if stopped is not None:
                self._stop(
                    location,
                    ResumePoint(
                        snapshot.location or location,
                        stopped,
                        fingerprint_before(snapshot, stopped),
                    ),
                )
                break
        else:
            self._complete = found.complete
            if found.resume is not None:
                self._stop(location, found.resume)
        if (
            not self._complete
            and output in ("matches", "counts")
            and (opened or resume is None)
        ):
            with best_effort(task) as spare:
                counts = tree(
                    replace(self._options, output="counts", limit=_MOST_FILES),
                    task=spare,
                )
                for _ in counts:
                    pass
                if counts.complete:
                    found, self._total, self._matched = (
                        counts,
                        counts.count,
                        counts.matched,
                    )
        if opened is None:
            self._searched = found.searched
            if self._complete or self._total is not None:
                self.notes.append(
                    f"{pluralize(found.searched, 'file')} searched"
                )
            self.notes += skip_notes(found)
            if not found.matched and self._complete:
                self._left_out = left_out_notes(found)
                if not found.searched:
                    self._left_out += name_spelling_notes(
                        self.context, location, arguments.glob
                    )
        if self._complete and arguments.cursor is None:
            said = spelling_notes(found)
            if found.matched:
                self.notes += said
            else:
                self._left_out += said

    def _find_similar(
        self, location: Location, opened: Callable[[], Snapshot] | None
    ) -> None:
        arguments, context, notes = self.arguments, self.context, self.notes
        for name in ("invert", "multiline", "whole_word", "without"):
            if getattr(arguments, name):
                hint = f"leave out {name}, or use mode=literal or mode=regex"
                raise invalid(
                    f"{name} has no meaning in a fuzzy search",
                    hint,
                    argument=name,
                )
        if arguments.output == "kinds":
            message = "output=kinds has no meaning in a fuzzy search"
            raise invalid(
                message, "use mode=literal or mode=regex", argument="output"
            )
        if arguments.cursor is not None:
            hint = "raise max_results, or raise min_similarity"
            raise invalid(
                "a fuzzy search has no cursor", hint, argument="cursor"
            )
        nearest = context.searcher.search_similar(
            location,
            arguments.pattern or "",
            self._options,
            opened=opened,
            min_similarity=arguments.min_similarity,
            seconds=context.settings.fuzzy_seconds,
            task=context.task,
        )
        self._complete = nearest.complete
        if nearest.tied > 1:
            notes.append(f"{nearest.tied} places are equally similar")
        if nearest.runner_up is not None:
            notes.append(
                f"the next best is at similarity {nearest.runner_up:.2f}"
            )
        notes += [] if nearest.complete else [escape_controls(nearest.reason)]
        if opened is None:
            notes.append(f"{pluralize(nearest.searched, 'file')} searched")
        if arguments.output != "matches":
            for path, count in Counter(
                place.display_path for place, _ in nearest.hits
            ).items():
                self._name_file(path, count)
            return
        for position, (found_in, hit) in enumerate(nearest.hits):
            with (
                suppress(FilewrightError),  # it went away since
                context.open_page(
                    found_in, headings=False, text=True
                ) as snapshot,
            ):
                if self._show(snapshot, FileHits((hit,), count=1)) is not None:
                    self._complete = False
                    notes.append(
                        f"{len(nearest.hits) - position} less similar left out"
                    )
                    break

    def _fits(self, size: int) -> bool:
        """Whether so many characters more are on the page, which then has them."""
        if self.used and self.used + size + _RESERVE > self.room:
            self.is_full = True
            return False
        self.used += size
        return True

    def _name_file(self, path: str, count: int) -> bool:
        """Note a file and how many matches it has; False if the page is full."""
        file = MatchedFile(
            path, count if self.arguments.output == "counts" else None
        )
        if self._fits(len(file.row) + 1):
            self._files.append(file)
            return True
        return False

    def _stop(self, top: Location, resume: ResumePoint) -> None:
        """The search ends here; the way on is a cursor, if the path is not too long for one."""
        self._complete = False
        key = [resume.offset, encode_path(top, resume.location), resume.mark]
        cursor = encode_cursor("search", self.arguments.output, key)
        if len(cursor) <= _CURSOR_CHARS:
            self._cursor = cursor
        else:
            self.notes.append(
                "the place it stopped at lies too deep for a cursor: search a folder further down"
            )

    def _show(self, snapshot: Snapshot, found: FileHits) -> int | None:
        """Show the hits of one file with what is around them; the offset of the first that did not fit."""
        arguments, task, width = (
            self.arguments,
            self.context.task,
            self.context.settings.match_chars,
        )
        path, adaptive = display_path(snapshot), self.adaptive
        before, after = (
            arguments.context or 0 if side is None else side
            for side in (arguments.context_before, arguments.context_after)
        )
        records = language_of_snapshot(snapshot) in _RECORDS
        block: list[_Row] = []
        self.blocks.append((path, block))
        shown_to = matched_to = 0
        named = ""
        for position, hit in enumerate(found.hits):
            task.check()
            symbol, outside, body = self._symbol(snapshot, hit)
            few = len(self.results) < FEW
            if adaptive:
                before, after = (_NEAR, max(_NEAR, body)) if few else (0, 0)
            above, more, under, further = read_context(
                snapshot,
                hit,
                before,
                after,
                width,
                most=_MATCH_LINES,
                task=task,
            )
            if adaptive:  # a long line that nobody asked for, or another record
                above, under = (
                    tuple(
                        line
                        for line in near
                        if not line.cut
                        and len(line.text) <= (width if body else _BESIDE)
                        if not records or line.text[:1].isspace()
                    )
                    for near in (above, under)
                )
            last = hit.line + further
            piece = build_excerpt(
                snapshot,
                hit,
                width if few or not adaptive else min(width, 2 * _BESIDE),
            )
            is_cut = piece.is_cut_before or piece.is_cut_after
            if is_cut and (hit.column > width or not few):
                # A line without end says no more by more of it.
                again = (
                    position > 0 and found.hits[position - 1].line == hit.line
                )
                # The match itself is shown whole, as far as a row may be long.
                needed = (
                    count_match_characters(snapshot, hit, width) + _MATCH_MARGIN
                )
                row_chars = _BESIDE // 2 if again else _BESIDE
                piece = build_excerpt(
                    snapshot, hit, min(width, max(row_chars, needed))
                )
            rows = [_row(line, "-") for line in above if line.line > shown_to]
            if (
                hit.line > matched_to or is_cut
            ):  # else it is the last line of the match before, and is there
                column = f":{hit.column}" if is_cut else ""
                text = escape_controls(piece.row)
                notes = (
                    [escape_controls(outside)]
                    if outside and outside != named
                    else []
                )
                if arguments.mode == "fuzzy":
                    notes.append(f"similarity {hit.score:.2f}")
                rows.append(
                    _Row(
                        hit.line,
                        f"{hit.line}{column}: {text}",
                        is_hit=True,
                        notes=notes,
                    )
                )
            rows += [_row(line, ":") for line in more if line.line > matched_to]
            if further > len(more):
                rows.append(
                    _Row(
                        last,
                        f"[{further - len(more):,} more lines of this match, to line {last}]",
                    )
                )
            following = (
                found.hits[position + 1].line
                if position + 1 < len(found.hits)
                else snapshot.size
            )
            tail = [_row(line, "-") for line in under if line.line < following]
            rows += tail
            size = sum(
                len(row.whole) + 1
                for row in rows
                if not (adaptive and row.beside)
            )
            if not self._fits(
                size + (0 if position else len(escape_controls(path)) + 1)
            ):
                return hit.offset
            block += rows
            named = symbol
            matched_to = last if arguments.multiline or further else 0
            shown_to = last + len(tail)
            self._occurrences += len(hit.submatches)
            self.results.append(
                SearchHit(
                    path=path,
                    line=hit.line,
                    last_line=last,
                    column=hit.column,
                    offset=hit.offset,
                    end=hit.end,
                    text=piece.text,
                    text_column=piece.column,
                    more_lines=tuple(line.text for line in more),
                    submatches=piece.ranges,
                    truncated=is_cut,
                    context_before=tuple(line.text for line in above),
                    context_after=tuple(line.text for line in under),
                    symbol=symbol or None,
                    similarity=round(hit.score, 4),
                    matched=matched_text(snapshot, hit) if further else None,
                )
            )
        if found.hits and not isinstance(snapshot, NotebookView):
            low, high = (
                found.hits[0].line_offset,
                min(snapshot.size, found.hits[-1].end + 4096),
            )
            self.context.remember(snapshot, (low, high))
        return None

    def _symbol(self, snapshot: Snapshot, hit: Hit) -> tuple[str, str, int]:
        """The definition around a match, also less the one its line begins, and how many more lines a short one has.

        As long as there is work to spend on it, counted in bytes parsed: the same search answers the same under load.
        """
        if isinstance(snapshot, NotebookView):
            cell = snapshot.describe_position(hit.offset)
            return cell, cell, 0
        if snapshot.requested_path != self._outlined:
            cost = max(snapshot.size, _SYMBOL_BYTES // 8)
            if cost > self._symbol_bytes or snapshot.size > _SYMBOL_BYTES:
                return "", "", 0
            self._symbol_bytes -= cost
            self._outlined = snapshot.requested_path
        outline = self.context.outlines.outline(
            snapshot, task=self.context.task
        )
        inside, outside = (
            symbol_path_at(outline, hit.line),
            symbol_path_at(outline, hit.line, outside=True),
        )
        more = (
            find_block(snapshot, hit.line, outline).end_line - hit.line
            if inside != outside
            else 0
        )
        return inside, outside, more if more < _BODY_LINES else 0

    def answer(self) -> SearchResult:
        """The page with its last lines: how many were found and shown, whether that is all, what was skipped."""
        arguments, notes, results, files = (
            self.arguments,
            self.notes,
            self.results,
            self._files,
        )
        page = BoundedText(self.room)
        page.add(*(_file_rows(files) if files else self.rows()))
        kinds = self._add_kinds(page, self._kinds) if self._kinds else ()
        unit = "match" if arguments.multiline else "matching line"
        if not self.is_found:
            page.add("no match" if self._complete else "no match so far")
            notes += self._advice
        elif (
            self._complete
            and arguments.cursor is None
            and arguments.mode != "fuzzy"
            and not kinds
        ):
            found = f"in {pluralize(len({hit.path for hit in results} or files), 'file')}"
            if arguments.output != "files":
                self._total = (
                    sum(file.count or 0 for file in files)
                    if files
                    else len(results)
                )
                if self._occurrences > len(
                    results
                ):  # a replacement counts these
                    found = f"({pluralize(self._occurrences, 'match')}) {found}"
                found = f"{pluralize(self._total, unit)} {found}, all shown"
            notes.insert(0, found)
        if self._cursor is not None:
            shown = pluralize(len(files), "file") if files else len(results)
            of = (
                f" of {pluralize(self._total, unit)} in {pluralize(self._matched, 'file')}"
                if self._total
                else ""
            )
            page.add(f"[{shown} shown{of}; go on with cursor={self._cursor}]")
        elif not self._complete:
            page.add("[the search is not complete]")
        if notes:
            page.add(f"[{'; '.join(notes)}]")
        return SearchResult(
            page.text(),
            results=tuple(results),
            files=tuple(files),
            complete=self._complete,
            next_cursor=self._cursor,
            notes=tuple(notes),
            files_searched=self._searched,
            total=self._total,
            kinds=kinds,
        )

    def _add_kinds(
        self, page: BoundedText, kinds: HitGroups
    ) -> tuple[HitGroup, ...]:
        """Show the kinds of the lines that were found, the rarest first."""
        ranked = kinds.ranked(rarest_first=True)
        several = self._searched is not None
        rows = (
            kind_row(kind, path=several)
            for kind in ranked[: self.arguments.max_results]
        )
        left = page.extend(rows, reserve=_RESERVE, of=len(ranked))
        more = ""
        if left:
            largest = ranked[-1]
            row = kind_row(
                replace(largest, count=1), path=several, most=_BESIDE
            )
            lines = pluralize(largest.count, "line")
            more = f"; {left:,} more frequent kinds not shown; the largest ({lines}) is like {row}"
        more += (
            f"; {kinds.others:,} lines of other kinds" if kinds.others else ""
        )
        lines = pluralize(kinds.lines, "matching line")
        self.notes.insert(
            0, f"{pluralize(len(ranked), 'kind')} of {lines}{more}"
        )
        return tuple(ranked[: len(ranked) - left])


def _keep_context(searches: Sequence[_Search]) -> None:
    """Of the lines beside hits keep those that were asked for, and those of few hits, if there is room."""
    few = sum(len(search.results) for search in searches) <= FEW
    for search in searches:
        if not search.adaptive or (
            few
            and sum(len(row) + 1 for row in search.rows()) + _RESERVE
            <= search.room
        ):
            continue
        for _, rows in search.blocks:
            rows[:] = [row for row in rows if not row.beside]
        search.results = [
            replace(hit, context_before=(), context_after=())
            for hit in search.results
        ]


def _share(searches: Sequence[_Search]) -> None:
    """Show each line once, where it is met first; a hit is marked there with the other patterns that find it."""
    hits: dict[tuple[str, str], _Row] = {}
    lines: set[tuple[str, int]] = set()
    for search in searches:
        above = 0
        for path, rows in search.blocks:
            met, rows[:] = [*rows], []
            for row in met:
                first = (
                    hits.setdefault((path, row.text), row)
                    if row.is_hit
                    else row
                )
                if first is not row:
                    first.notes.append(f"also {search.name}")
                    above += 1
                elif row.is_hit or (path, row.line) not in lines:
                    rows.append(row)
                    lines.add((path, row.line))
        if above:
            search.notes.append(f"{pluralize(above, 'line')} shown above")


def braced(paths: Sequence[str]) -> str:
    """Paths in one line, with what all begin and end with once where that is shorter: ``src/{a,b}/package.json``."""
    plain = ", ".join(paths)
    if re.search("[,{}]", "".join(paths)):
        return plain
    first = commonprefix(paths).rfind("/") + 1  # noqa: RUF071 - cut to whole names
    rests = [path[first:][::-1] for path in paths]
    last = commonprefix(rests).rfind("/") + 1  # noqa: RUF071
    between = ",".join(rest[last:][::-1] for rest in rests)
    return min(
        plain, f"{plain[:first]}{{{between}}}{rests[0][:last][::-1]}", key=len
    )


def _file_rows(files: Sequence[MatchedFile]) -> Iterator[str]:
    """A row for each file; of many with one name and one count the first few, and how many more there are."""
    alike: Counter[str] = Counter()
    for file in files:
        ending = file.row.rpartition("/")[2]
        alike[ending] += file.count is not None
        if alike[ending] <= _ALIKE:
            yield file.row
    for ending, count in alike.items():
        if count > _ALIKE:
            yield f"[and {count - _ALIKE} more {ending}]"


def _row(line: ContextLine, mark: str) -> _Row:
    return _Row(
        line.line,
        f"{line.line}{mark} {escape_controls(line.text)}{'…' * line.cut}",
        mark == "-",
    )


def kind_row(kind: HitGroup, *, path: bool, most: int | None = None) -> str:
    """A line that represents others: how many there are, the place of the first, and its text."""
    count = f"{kind.count:,} like " if kind.count > 1 else ""
    return f"{count}{f'{escape_controls(kind.path)}:' if path else ''}{kind.line}: {escape_controls(kind.text[:most])}"
