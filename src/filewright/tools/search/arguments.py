"""Arguments of `search_content`: of one search, or of several in one call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Any, Literal

from pydantic import Field, field_validator
from pydantic.json_schema import SkipJsonSchema, WithJsonSchema

from filewright.errors import FilewrightError, invalid
from filewright.hints import Hint, fill, join_hints
from filewright.logs.counts import parse_key
from filewright.logs.selection import EntrySelection
from filewright.rows.conditions import parse_conditions
from filewright.search.pattern import Mode, Pattern, compile_pattern
from filewright.settings import Settings
from filewright.tools.arguments import RARE, Arguments
from filewright.tools.search.uses_names import compile_names, parse_names
from filewright.tools.syntax_filter import SyntaxWords
from filewright.wording import escape_controls

MAX_QUOTED_CHARS = 60

ContextLineCount = Annotated[int | None, Field(ge=0, le=50)]

LISTED_ITEM_ARGUMENTS = (
    "pattern",
    "path",
    "glob",
    "mode",
    "output",
    "context",
    "without",
    "only",
)
# An item's arguments have no descriptions: they mean the same as those of the call.
ITEM_SCHEMA = {
    "type": "object",
    "properties": {name: {} for name in LISTED_ITEM_ARGUMENTS},
}

_LINE_ARGUMENTS = (
    "invert",
    "multiline",
    "without",
    "only",
    "since",
    "until",
    "where",
    "by",
    "fields",
    "sort",
    "trace",
)
"""Arguments of an exact search alone: which lines are hits, and how they are shown."""


class SearchArguments(Arguments):
    """Arguments of `search_content`."""

    pattern: str | None = None
    """the text to find; see [search](search.md) for the syntax"""
    patterns: Annotated[
        list[str] | None, Field(min_length=1, max_length=20), RARE
    ] = None
    """several texts, each with its own hits and count; give one of `pattern`, `patterns` and `items`"""
    items: Annotated[
        list[SearchArguments] | None,
        Field(min_length=1, max_length=20, description="defaults: the call's"),
        WithJsonSchema({"type": "array", "items": ITEM_SCHEMA}),
    ] = None
    """several searches; the call's arguments are their defaults"""
    path: str = "."
    """a file or a folder"""
    glob: str | None = Field(
        None,
        description="*.js, !{a,b}: at any depth; src/*.js: from path",
    )
    """only files that match; with `!` before it, all others"""
    type: Annotated[str | None, Field(description="py, rust"), RARE] = None
    """only files of a language, such as `py` or `rust`"""
    mode: Literal["literal", "regex", "fuzzy", "code"] = "literal"
    """how to read the pattern: as text, as a regex, as text with small
    differences (fuzzy), or as code with placeholders: `$X` for one argument,
    `$$$REST` for any number"""
    case: Literal["smart", "sensitive", "insensitive"] = "smart"
    """`"smart"`: insensitive unless the pattern has a capital"""
    whole_word: bool = False
    """only whole words"""
    multiline: Annotated[bool, RARE] = False
    """a regex may match across lines, as one with `\\n` or `(?s)` does anyway"""
    invert: Annotated[bool, RARE] = False
    """find the lines that do not match"""
    without: Annotated[
        str | list[str] | None,
        Field(min_length=1, description="drop lines with this (as mode)"),
    ] = None
    """leave out matching lines that also contain this text (or one of several),
    read like the pattern: `ERROR` without `mailbox full`"""
    only: SyntaxWords = None
    """only matches in one or several of `code`, `comments`, `strings`,
    `imports`, `definitions`, `calls`; see [search](search.md#kinds-of-syntax)
    """
    context: ContextLineCount = None
    """lines shown around each hit, 0 for none. Default: up to 5 hits are shown
    with 2 short lines, or with the rest of a definition of up to 12 lines; more
    hits with none; in logs and tables only indented lines"""
    context_before: Annotated[ContextLineCount, RARE] = None
    """the same, above the hit only"""
    context_after: Annotated[ContextLineCount, RARE] = None
    """the same, below the hit only"""
    since: str | None = None
    """only log entries from this time on: `"2026-11-29T10:30:00Z"`, `"10:30"`
    of the last day, or `"15m"` before the last entry; a line without a time
    belongs to the entry above"""
    until: Annotated[str | None, RARE] = None
    """only log entries up to this time"""
    where: Annotated[dict[str, Any] | None, Field(min_length=1)] = None
    """only JSON lines, or [rows](tools.md#rows), whose fields fit: `{"level": "error", "latency_ms": ">500",
    "err.code": [4, 5]}`, with `=`, `!=`, `>`, `>=`, `<`, `<=` before a value and dots in nested names; `null` is a
    field that is not there"""
    fields: Annotated[list[str] | None, Field(min_length=1), RARE] = None
    """show only these fields of JSON lines, separated by tabs: `["ts",
    "err.code"]`; with `by`, their median, 95th percentile and maximum"""
    by: Annotated[str | None, RARE] = None
    """counts by a field of JSON lines or `name=value` in text, a time or a group of the regex: `"err.code"`, `"10m"`,
    `"$1"`, `"host,1h"`"""
    sort: Annotated[str | None, RARE] = None
    """show the `max_results` lines with the smallest values of a field or of a
    group of the regex, or with `-` the largest: `"-latency_ms"`, `"-$1"`"""
    trace: bool = False
    """true: follow up to 5 matches through a log: show also the lines with the same
    rare ids (of a request, a job), and the lines with the ids of those"""
    rotated: Annotated[bool, RARE] = False
    """search all files of a rotated log, the oldest first, as `path:
    "app.log*"` does"""
    output: Literal["matches", "files", "counts", "kinds", "uses"] = "matches"
    """`"kinds"`: lines that differ only in numbers are counted as one, rarest first; `"uses"`: definitions, imports and
    calls of a name, or of several (`a|b`), in [one survey](search.md#uses-of-a-name)"""
    max_results: Annotated[int, Field(ge=1, le=10_000)] = 50
    """hits in one result; files and counts are not limited unless this is given"""
    min_similarity: Annotated[float, Field(ge=0.3, le=1.0), RARE] = 0.8
    """fuzzy: leave out less similar text"""
    cursor: str | None = None
    include_hidden: SkipJsonSchema[bool] = True
    include_ignored: bool = False
    """also files that `.gitignore`, `.ignore` and git's excludes leave out"""
    exclude: SkipJsonSchema[list[str]] = Field(default_factory=list)

    @field_validator("by", mode="before")
    @classmethod
    def join_keys(cls, value: Any) -> Any:
        """Return several keys as one text, since callers send them as a list too."""
        if isinstance(value, list) and all(
            isinstance(key, str) for key in value
        ):
            return ",".join(value)
        return value

    @property
    def needs_no_pattern(self) -> bool:
        """Return True if the call has a meaning without a pattern.

        Conditions on entries choose lines by themselves, and so do counts and an order of
        them. Kinds can be those of all lines.
        """
        if self.output == "kinds":
            return True
        conditions = (self.where, self.since, self.until, self.by, self.sort)
        return any(condition is not None for condition in conditions)

    def selection(self) -> EntrySelection | None:
        """Return the conditions on log entries, or None without one."""
        if not self.needs_no_pattern and not self.fields:
            return None
        ignores_case = None
        if self.case != "smart":
            ignores_case = self.case == "insensitive"
        return EntrySelection(
            self.since,
            self.until,
            parse_conditions(self.where or {}, ignores_case=ignores_case),
            has_pattern=self.pattern is not None,
            fields=self._shown_paths(),
        )

    def _shown_paths(self) -> tuple[str, ...]:
        """Return the fields of rows that are shown, counted by, or sorted by."""
        fields = tuple(self.fields or ())
        keys: tuple[str, ...] = ()
        if self.by is not None:
            keys = (self.by, *fields)
            fields = ()
        if self.sort is not None:
            keys = (*keys, self.sort.removeprefix("-"))
        paths = list(fields)
        for text in keys:
            for key in parse_key(text):
                if key.path:
                    paths.append(key.path)
        return tuple(paths)

    @property
    def has_default_context(self) -> bool:
        """Return True if the number of hits decides how much context is shown."""
        return (
            self.context is None
            and self.context_before is None
            and self.context_after is None
        )


def split_searches(arguments: SearchArguments) -> list[SearchArguments]:
    """Return the arguments of each search of a call for one pattern."""
    items = arguments.items
    if items is None:
        items = [
            SearchArguments.model_construct(pattern=pattern)
            for pattern in arguments.patterns or ()
        ]
    # An item must not inherit the list that it came from.
    call = arguments.model_copy(update={"patterns": None})
    searches = call.for_each(items)
    for number, search in enumerate(searches, 1):
        _require_one_pattern(number, search)
    return searches


def _require_one_pattern(number: int, search: SearchArguments) -> None:
    """Raise `invalid_input` unless an item, counted from 1, is the search of one pattern."""
    if search.patterns is not None or search.items is not None:
        raise invalid(
            f"item {number} has several patterns",
            "give each of items a pattern, and what differs from the call",
            argument="items",
        )
    if search.pattern is None and not search.needs_no_pattern:
        raise invalid(
            f"item {number} has no pattern",
            Hint(
                "give it a pattern that is not empty; read_content shows files",
                shell="give it a pattern that is not empty",
            ),
            argument="items",
        )
    if search.cursor is not None:
        raise invalid(
            "the cursor belongs to the search of one pattern",
            "give that pattern as pattern, with its cursor",
            argument="cursor",
        )


def compile_arguments(
    arguments: SearchArguments, settings: Settings
) -> Pattern:
    """Return the pattern of an exact search. Raise `invalid_input` if there is none."""
    _require_shown_lines(arguments)
    if arguments.pattern is None and arguments.needs_no_pattern:
        # Every line is a hit, and the conditions choose from them.
        return compile_pattern("^", mode="regex")
    if arguments.output == "uses":
        _require_plain_survey(arguments)
        ignores_case = arguments.case == "insensitive"
        names = parse_names(arguments.pattern or "")
        return compile_names(names, ignores_case=ignores_case)
    mode: Mode = "literal"
    if arguments.mode in ("regex", "code"):
        mode = arguments.mode
    pattern = compile_pattern(
        arguments.pattern or "",
        mode=mode,
        case=arguments.case,
        whole_word=arguments.whole_word,
        multiline=arguments.multiline,
        max_chars=settings.max_pattern_chars,
    )
    _require_single_lines(arguments, pattern)
    if arguments.without is None:
        return pattern
    excluded = _compile_excluded(
        arguments, arguments.without, pattern, mode, settings
    )
    return replace(pattern, excluded=excluded)


def _compile_excluded(
    arguments: SearchArguments,
    texts: str | Sequence[str],
    pattern: Pattern,
    mode: Mode,
    settings: Settings,
) -> tuple[Pattern, ...]:
    """Return the patterns of lines that are left out of those of `pattern`.

    Raise `invalid_input` if its hits are not lines, or if they are the lines without it.
    """
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
    if isinstance(texts, str):
        texts = [texts]
    return tuple(
        compile_pattern(
            text,
            mode=mode,
            case=arguments.case,
            max_chars=settings.max_pattern_chars,
        )
        for text in texts
    )


def with_multiline(
    arguments: SearchArguments, settings: Settings
) -> SearchArguments:
    """Return arguments that say `multiline` if their regex names a line ending."""
    is_no_regex = arguments.output == "uses" or arguments.mode != "regex"
    if is_no_regex or arguments.multiline:
        return arguments
    pattern = compile_arguments(arguments, settings)
    return arguments.model_copy(update={"multiline": pattern.multiline})


def _require_shown_lines(arguments: SearchArguments) -> None:
    """Raise `invalid_input` if `sort` or `trace` is combined with counts, or with a cursor."""
    argument = "trace" if arguments.trace else "sort"
    is_of_lines = arguments.output == "matches" and arguments.by is None
    if arguments.sort is not None and arguments.cursor is not None:
        raise invalid(
            "sort shows the best lines of all at once",
            Hint(
                "leave out cursor; a larger max_results shows more",
                shell="leave out --cursor; a larger --max-results shows more",
            ),
            argument="sort",
        )
    if not is_of_lines and (arguments.trace or arguments.sort is not None):
        raise invalid(
            f"{argument} shows lines, and output and by count them",
            Hint(
                "leave out by and output",
                shell="leave out --files, --count, --kinds and --uses",
            ),
            argument=argument,
        )


def _require_single_lines(arguments: SearchArguments, pattern: Pattern) -> None:
    """Raise `invalid_input` for arguments that need single lines, if hits are not such."""
    argument = "output"
    quoted: str = Hint("output=kinds", shell="--kinds")
    if arguments.by is not None:
        argument = quoted = "by"
    elif arguments.trace or arguments.sort is not None:
        argument = quoted = "trace" if arguments.trace else "sort"
    elif arguments.output != "kinds":
        return
    # A trace begins with the matches of any page.
    has_cursor = arguments.cursor is not None and not arguments.trace
    if arguments.invert or has_cursor or pattern.multiline:
        raise invalid(
            fill(
                "{} compares the single lines that match, all of them", quoted
            ),
            Hint(
                "leave out invert, multiline, \\n and cursor; without leaves out lines",
                shell="leave out --invert, --multiline, \\n and --cursor",
            ),
            argument=argument,
        )


def _require_plain_survey(arguments: SearchArguments) -> None:
    """Raise `invalid_input` for an argument without a meaning in a survey of a name."""
    for name in _LINE_ARGUMENTS:
        if getattr(arguments, name):
            raise invalid(
                fill(
                    "{} has no meaning with {}, which tells all uses of a name",
                    name,
                    Hint("output=uses", shell="--uses"),
                ),
                f"leave out {name}",
                argument=name,
            )


def require_valid_patterns(
    searches: Sequence[SearchArguments], settings: Settings
) -> None:
    """Raise `invalid_input` that names every malformed pattern."""
    errors: list[FilewrightError] = []
    messages: list[str] = []
    for number, arguments in enumerate(searches, 1):
        try:
            compile_arguments(arguments, settings)
        except FilewrightError as error:
            quoted = escape_controls(
                (arguments.pattern or "")[:MAX_QUOTED_CHARS]
            )
            errors.append(error)
            messages.append(f"{number}. {quoted!r}: {error.message}")
    if not errors:
        return
    hints = [error.hint for error in errors if error.hint]
    raise FilewrightError(
        errors[0].code,
        "; ".join(messages),
        join_hints(hints),
        details=errors[0].details,
    )


def require_fuzzy_arguments(arguments: SearchArguments) -> None:
    """Raise `invalid_input` for an argument without a meaning in a fuzzy search."""
    for name in (*_LINE_ARGUMENTS, "whole_word"):
        if getattr(arguments, name):
            raise invalid(
                f"{name} has no meaning in a fuzzy search",
                f"leave out {name}, or use mode=literal or mode=regex",
                argument=name,
            )
    if arguments.output in ("kinds", "uses"):
        output = arguments.output
        raise invalid(
            fill(
                "{} has no meaning in a fuzzy search",
                Hint(f"output={output}", shell=f"--{output}"),
            ),
            "use mode=literal or mode=regex",
            argument="output",
        )
    if arguments.cursor is not None:
        raise invalid(
            "a fuzzy search has no cursor",
            "raise max_results, or raise min_similarity",
            argument="cursor",
        )
