"""`replace_content`: patterns over a file or a tree, as one change.

`plan_and_commit` is the page: find the files, plan each of them, check the counts, and
commit unless this is a preview.
"""

from __future__ import annotations

import builtins
import heapq
import re
import string
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator
from pydantic.json_schema import WithJsonSchema

from filewright.boundary.location import Location
from filewright.edit.changeset import FilePlan
from filewright.edit.example import (
    Example,
    build_example,
    build_range_example,
)
from filewright.edit.overlay import Overlay
from filewright.edit.replacements import (
    Replacement,
    ReplaceOutcome,
    compile_replacement,
    replace_matches,
)
from filewright.edit.row_values import RowChange, set_values
from filewright.edit.source import Source
from filewright.edit.text_plan import to_file_plan
from filewright.errors import (
    Code,
    FilewrightError,
    invalid,
    path_error,
    too_many,
)
from filewright.logs.selection import Selection
from filewright.progress import Task
from filewright.search.hit_groups import HitGroup, HitGroups
from filewright.search.matches import find_matches
from filewright.search.near_words import NearWords
from filewright.search.pattern import Pattern, compile_pattern
from filewright.search.tree import TreeSearch
from filewright.search.tree_options import TreeOptions
from filewright.text.codec import decode
from filewright.text.snapshot import Snapshot
from filewright.text.splice import PackedSplices, Splice
from filewright.tools.argument_problems import argument_error
from filewright.tools.arguments import RARE
from filewright.tools.batch import naming_item
from filewright.tools.binary_files import require_plain
from filewright.tools.change_reply import ChangeReply, DiffView
from filewright.tools.context import Context
from filewright.tools.pipeline import (
    Change,
    ChangeArguments,
    change_text,
    commit_change,
    plan_change,
    retry_stale_plan,
)
from filewright.tools.previews import find_diff_view
from filewright.tools.replace_rows import (
    build_row_change,
    describe_row_change,
    explain_no_row,
    select_rows,
)
from filewright.tools.result import ChangeResult, DiffMode, optional
from filewright.tools.search_notes import (
    left_out_notes,
    name_spelling_notes,
    skip_notes,
    spelling_notes,
)
from filewright.tools.search_rendering import render_file, render_kind
from filewright.tools.search_result import MatchedFile
from filewright.tools.syntax_filter import (
    SyntaxFilter,
    SyntaxWords,
    anchor_span,
    combine_kinds,
    syntax_notes,
)
from filewright.tools.tool import Tool
from filewright.wording import escape_controls, join_limited, pluralize

MAX_SHOWN_NOTES = 20

MAX_NAMED_FILES = 3
"""The files named with their counts; a search with output=counts names all."""

MAX_KINDS = 6
MAX_FEW_KINDS = 12
MAX_UNUSUAL_KINDS = 3
NEAR_BYTES = 40
WORD_SIGNS = f"{string.ascii_letters}{string.digits}_"
MAX_KIND_CHARS = 100
"""The kinds of lines shown with an example, all if they are few; and the length of each line."""

MAX_NEAR_WORDS = 8
"""The words near the matches that are named."""

MAX_CHECKED_BYTES = 128 << 20
"""The files that are searched again, as they will be, for matches that are left."""

MAX_MATCHES = 1_000_000
"""The replacements in one file by all items; more would need too much memory."""

_LINE_END = re.compile(rb"[\r\n]")
MAX_BETWEEN_BYTES = 4 << 10
"""Two changes are taken for changes of one line if no line ends near the first."""

MAX_COMPARED_LINES = 5_000
"""The changed lines that are compared to find the kinds of lines."""


_ITEM_SCHEMA = {
    "type": "object",
    "properties": {
        name: {}
        for name in (
            "pattern",
            "replacement",
            "path",
            "glob",
            "mode",
            "only",
            "where",
            "set",
        )
    },
}
"""The listed schema of one item: its names mean the same as in the call."""

_CALL_FIELDS = {
    "items",
    "preview",
    "diff",
    "expected_count",
    "max_count",
    "max_files",
    "break_hard_links",
    "undoable",
}


class ReplaceArguments(ChangeArguments):
    """The texts to replace, where, and the expected counts."""

    pattern: str | None = None
    """what to find; see [search](search.md) for the syntax"""
    replacement: str | None = None
    """in regex mode `$1`, `${name}`, `$0` for the whole match and `$$` for a dollar sign; `\\1` and the signs of
    other programs are refused"""
    items: Annotated[
        list[ReplaceArguments] | None,
        Field(min_length=1, max_length=20),
        WithJsonSchema({"type": "array", "items": _ITEM_SCHEMA}),
    ] = None
    """several replacements as one change, each with its `pattern`, its `replacement` and what differs from the call:
    `path`, `glob`, `mode`, …; all look at the files as they are, and no two may change the same text; counts and limits
    are of all together
    """
    where: dict[str, Any] | None = None
    """only in [rows](#rows) whose fields fit: `{"country": "AT", "http.status": ">499"}`"""
    set: Annotated[dict[str, Any] | None, Field(min_length=1)] = None
    """in place of pattern and replacement: new values for fields of these rows, `{"rate": "20.0", "gross": ""}`;
    `where: {}` is every row"""
    path: str = "."
    """a file or a folder"""
    glob: str | None = None
    """only files that match"""
    include_ignored: Annotated[bool, RARE] = False
    """also in what the ignore rules leave out"""
    mode: Literal["literal", "regex", "code"] = "literal"
    """read the pattern as text, as a regex, or as code with holes; see [search](search.md#code)"""
    case: Annotated[Literal["smart", "sensitive", "insensitive"], RARE] = (
        "sensitive"
    )
    """`"smart"`: insensitive unless the pattern has a capital"""
    whole_word: bool = False
    """only whole words, as for renaming a symbol"""
    only: Annotated[SyntaxWords, RARE] = None
    """only matches in `code`, `comments`, `strings`, `imports`, `definitions` or `calls`, one of these or several; one
    that is partly in them stays, and is counted; see [search](search.md#kinds-of-syntax)"""
    multiline: Annotated[bool, RARE] = False
    """a regex may match across lines, as one with `\\n` in it does anyway"""
    preview: bool | None = None
    """true: show the diff, write nothing; the default unless a count below lets the call write"""
    diff: Annotated[DiffMode, RARE] = "auto"
    expected_count: Annotated[
        int | None, Field(ge=0, description="matches, not lines"), RARE
    ] = None
    """write at once if there are exactly so many matches, of which a line may have several; else refuse"""
    max_count: Annotated[int | None, Field(ge=0)] = None
    """write at once if there are at most this many matches; else preview"""
    max_files: Annotated[int, Field(ge=1, le=100_000), RARE] = 1000
    """refuse if more files match"""

    @model_validator(mode="after")
    def _check_items(self) -> ReplaceArguments:
        """Raise unless the change is in the call or in the items, not in both."""
        hint = "give it, or items of which each has it"
        given = []
        for name in ("pattern", "replacement", "set"):
            if getattr(self, name) is not None:
                given.append(name)
        if self.items is not None:
            for name in given:
                raise argument_error(
                    f"argument {name!r} is of one replacement, and items were given",
                    hint,
                )
        elif self.set is None:
            for name in ("pattern", "replacement"):
                if name not in given:
                    raise argument_error(f"argument {name!r} is missing", hint)
        elif len(given) > 1:
            raise argument_error(
                f"{given[0]} and set are two changes",
                "give one of them, or each as one of items",
            )
        call_fields: builtins.set[str] = builtins.set()
        for item in self.items or ():
            call_fields |= item.model_fields_set & _CALL_FIELDS
        for name in sorted(call_fields):
            raise argument_error(
                f"{name} is of all items", "give it beside them"
            )
        return self


@dataclass(frozen=True, slots=True)
class _Item:
    """One of the replacements of a call; `only` are the words of that argument."""

    location: Location
    pattern: Pattern
    replacement: Replacement
    options: TreeOptions
    summary: str
    selection: Selection | None = None
    row_change: RowChange | None = None
    only: tuple[str, ...] = ()
    syntax_filter: SyntaxFilter | None = None

    @property
    def syntax_notes(self) -> list[str]:
        """Notes on the matches that `only` left out."""
        if self.syntax_filter is None:
            return []
        return syntax_notes(self.syntax_filter.files, self.only)


@dataclass
class _Findings:
    """The matches of one plan: by file and by item, notes, and kinds of changed lines.

    `searched` are the files that each item searched in a folder, and `near_words` the
    words near its matches. `is_checked` is True while all files that change were searched
    again, and `has_left` if a match is in one of them still.
    """

    by_item: list[int]
    files_by_item: Counter[int] = field(default_factory=Counter)
    by_file: dict[str, int] = field(default_factory=dict)
    searched: list[int] = field(default_factory=list)
    includes_ignored: bool = True
    near_words: list[NearWords] = field(default_factory=list)
    is_checked: bool = True
    has_left: bool = False
    remaining_check_bytes: int = MAX_CHECKED_BYTES
    notes: list[str] = field(default_factory=list)
    kinds: HitGroups = field(default_factory=HitGroups)
    examples: dict[tuple[str, int, str], Example] = field(default_factory=dict)
    compared_lines: int = 0
    kinds_by_signs: dict[tuple[str, str], list[HitGroup]] = field(
        default_factory=dict
    )
    unusual_rows: list[str] = field(default_factory=list)
    unusual_count: int = 0
    row_count: int = 0
    value_count: int = 0
    unchanged_count: int = 0

    @property
    def total(self) -> int:
        """The number of all matches."""
        return sum(self.by_file.values())

    def add_kinds(self, snapshot: Snapshot, splices: Sequence[Splice]) -> None:
        """Count the kinds of the lines that splices change, with an example of each."""
        lines_left = MAX_COMPARED_LINES - self.compared_lines
        end = 0
        for index in range(min(lines_left, len(splices))):
            self.compared_lines += 1
            splice = splices[index]
            is_same_line = False
            if end and splice.offset - end <= MAX_BETWEEN_BYTES:
                between = snapshot.read(end, splice.offset - end)
                is_same_line = _LINE_END.search(between) is None
            end = splice.end
            if is_same_line:
                continue
            kind = self.kinds.add_hit(snapshot, splices[index].offset)
            if kind is not None:
                example = build_example(
                    snapshot, splices, index, MAX_KIND_CHARS
                )
                self.examples[kind.path, kind.line, kind.text] = example
                signs = _signs_around(snapshot, splice)
                self.kinds_by_signs.setdefault(signs, []).append(kind)

    def check_result(
        self,
        snapshot: Snapshot,
        splices: Sequence[Splice],
        items: Sequence[_Item],
        task: Task,
    ) -> None:
        """Search the result of splices for further matches, if there is time for it."""
        self.remaining_check_bytes -= snapshot.size
        has_filter = any(item.syntax_filter is not None for item in items)
        # With `only`, the matches that stay are counted by the filter.
        if self.remaining_check_bytes < 0 or has_filter:
            self.is_checked = False
        if self.has_left or not self.is_checked:
            return
        result = Source(Overlay(snapshot, splices)).snapshot
        for item in items:
            matches = find_matches(result, item.pattern, once=True, task=task)
            self.has_left = self.has_left or any(True for _ in matches)

    def footer(self, *, is_written: bool) -> str:
        """Return the files that were searched, and whether a match is left in them."""
        parts: list[str] = []
        if self.searched:
            distinct = dict.fromkeys(self.searched)
            counts = " and ".join(f"{count:,}" for count in distinct)
            noun = "file" if set(distinct) == {1} else "files"
            parts.append(f"{counts} {noun} searched")
        parts += self.notes[:MAX_SHOWN_NOTES]
        if is_written and self.is_checked and not self.has_left:
            scope = ""
            if self.searched:
                kinds = (
                    "hidden and ignored" if self.includes_ignored else "hidden"
                )
                scope = f" ({kinds} too)"
            parts.append(f"no match left{scope}")
        return "; ".join(parts)

    def near_note(self) -> str:
        """Return the words that hold the text of an item and are no match, or ""."""
        counts: Counter[str] = Counter()
        is_complete = True
        for near_words in self.near_words:
            counts.update(near_words.counts)
            is_complete = is_complete and near_words.is_complete
        if not counts:
            return ""
        words = [f"{word} ({count:,})" for word, count in counts.most_common()]
        at_least = "" if is_complete else "at least "
        named = join_limited(words, MAX_NEAR_WORDS, noun="word")
        return escape_controls(f"not matched: {at_least}{named}")

    def add_unusual(
        self,
        snapshot: Snapshot,
        splices: Sequence[Splice],
        ranges: Sequence[tuple[int, int]],
    ) -> None:
        """Count matches of several lines and those with others inside; show the first."""
        self.unusual_count += len(ranges)
        for start, end in ranges:
            if len(self.unusual_rows) == MAX_UNUSUAL_KINDS:
                return
            example = build_range_example(
                snapshot, splices, start, end, MAX_KIND_CHARS
            )
            if example:
                line = snapshot.lines.line_at(start)
                path = escape_controls(snapshot.requested_path)
                self.unusual_rows.append(f"{path}:{line}:\n{example}")

    def rows(self) -> Iterator[str]:
        """Yield the kinds of lines, each with its new text: the frequent ones first.

        Then comes a line whose match has unusual signs around it, and matches of several
        lines or with others inside: a mistake is most likely there.
        """
        ranked = self.kinds.ranked(rarest_first=False)
        unusual_count = len(self.unusual_rows)
        limit = MAX_KINDS
        if len(ranked) + unusual_count <= MAX_FEW_KINDS:
            limit = MAX_FEW_KINDS
        frequent = ranked[: limit - unusual_count]
        if len(ranked) > len(frequent):
            rare = self._find_rare(frequent[:-1])
            if rare is not None:
                frequent = [*frequent[:-1], rare]
        for kind in frequent:
            heading = render_kind(
                replace(kind, text=""), with_path=True
            ).rstrip()
            example = self.examples[kind.path, kind.line, kind.text]
            yield f"{heading}\n{example.text}"
        for index, row in enumerate(self.unusual_rows):
            noun = "over several lines or nested: "
            if index == 0 and self.unusual_count > 1:
                noun = f"{self.unusual_count:,} {noun}"
            yield f"{noun}{row}"

    def _find_rare(self, shown: Sequence[HitGroup]) -> HitGroup | None:
        """Return the kind whose match has the rarest signs around it, if it is not shown."""
        if len(self.kinds_by_signs) < 2:
            return None
        counts = Counter(
            {signs: len(kinds) for signs, kinds in self.kinds_by_signs.items()}
        )
        rarest, _ = counts.most_common()[-1]
        kind = self.kinds_by_signs[rarest][0]
        return None if kind in shown else kind


def _signs_around(snapshot: Snapshot, splice: Splice) -> tuple[str, str]:
    """Return the last sign before the word that a splice changes, and the next one."""
    start = max(snapshot.start, splice.offset - NEAR_BYTES)
    before = decode(
        snapshot.read(start, splice.offset - start), snapshot.encoding
    )
    after = decode(snapshot.read(splice.end, NEAR_BYTES), snapshot.encoding)
    before = before.rpartition("\n")[2].rstrip(WORD_SIGNS).rstrip()
    after = after.partition("\n")[0].lstrip(WORD_SIGNS).lstrip()
    return before[-1:], after[:1]


@dataclass(frozen=True, kw_only=True)
class ReplaceResult(ChangeResult):
    """The replacements of a call, or of a preview: `count` matches in all, by file.

    `diff` is bounded. `item_counts` has the matches of each of several replacements.
    """

    count: int
    files: tuple[MatchedFile, ...]
    notes: tuple[str, ...]
    warnings: tuple[str, ...]
    item_counts: tuple[int, ...] = optional(())


def replace_content(
    context: Context, arguments: ReplaceArguments
) -> ReplaceResult:
    """Replace every match of one pattern or of several; a preview by default."""
    items = _compile_items(context, arguments)
    findings, change = retry_stale_plan(
        context, partial(plan_and_commit, context, arguments, items)
    )
    files = [
        MatchedFile(name, count) for name, count in findings.by_file.items()
    ]
    view = find_diff_view(
        context,
        arguments,
        change,
        outcome=str(findings.by_file),
    )
    item_counts = tuple(findings.by_item) if len(items) > 1 else ()
    return ReplaceResult(
        text=render_replacements(
            arguments, findings, change, view, context.settings.page_chars
        ),
        change_id=change.id,
        difference=change.diff,
        preview=change.id is None,
        count=findings.total,
        files=tuple(files),
        notes=tuple(findings.notes),
        item_counts=item_counts,
        warnings=change.warnings,
    )


def plan_and_commit(
    context: Context, arguments: ReplaceArguments, items: Sequence[_Item]
) -> tuple[_Findings, Change[ReplaceOutcome]]:
    """Plan all replacements, then commit them unless this is a preview."""
    findings = _Findings(by_item=[0] * len(items))
    targets = _find_targets(context, items, arguments.max_files, findings)
    file_plans = _plan_files(context, items, targets, findings)
    change = plan_change(
        context, file_plans, is_preview=arguments.preview is True
    )
    _check_counts(context, arguments, items, findings)
    if findings.total and not change.steps:
        problem = (
            f"all {findings.total} matches read already as the replacement"
        )
        if is_of_rows(items):
            rows = pluralize(findings.total, "row")
            problem = f"{rows} fit, and have these values already"
        raise FilewrightError(Code.NO_CHANGE, problem)
    if _is_preview(arguments, findings.total):
        return findings, change
    replacements = join_limited([item.summary for item in items], 1)
    file_count = sum(file.diff is not None for file in change.files)
    verb = "set" if items[0].row_change is not None else "replaced"
    summary = f"{verb} {replacements} in {pluralize(file_count, 'file')}"
    return findings, commit_change(
        context, change, "replace_content", summary, arguments
    )


def _is_preview(arguments: ReplaceArguments, count: int) -> bool:
    """Return True unless the caller wants the replacements written."""
    if arguments.preview is True:
        return True
    if arguments.max_count is not None:
        return count > arguments.max_count
    if arguments.preview is None:
        # Any other count than the expected one is refused.
        return arguments.expected_count is None
    return False


def _compile_items(
    context: Context, arguments: ReplaceArguments
) -> list[_Item]:
    """Return the replacements of a call. Raise for a pattern that is not valid."""
    requests = [arguments]
    if arguments.items is not None:
        requests = arguments.for_each(arguments.items)
    items: list[_Item] = []
    for index, request in enumerate(requests):
        with naming_item(index, len(requests)):
            items.append(_compile_item(context, request))
    return items


def _compile_item(context: Context, request: ReplaceArguments) -> _Item:
    """Return one replacement of a call."""
    selection = select_rows(request.where, request.case)
    row_change = build_row_change(selection, request.set)
    summary = f"{request.pattern!r} by {request.replacement!r}"
    syntax_filter = None
    if row_change is not None:
        if request.only is not None:
            raise invalid(
                "only is of the matches of a pattern, and set has none",
                "leave out one of them",
                argument="only",
            )
        pattern = compile_pattern("^", mode="regex")
        replacement = Replacement(())
        summary = describe_row_change(request.where, row_change.values)
    else:
        pattern = compile_pattern(
            request.pattern or "",
            mode=request.mode,
            case=request.case,
            whole_word=request.whole_word,
            multiline=request.multiline,
            max_chars=context.settings.max_pattern_chars,
        )
        replacement = compile_replacement(request.replacement or "", pattern)
        if request.only is not None:
            syntax_filter = SyntaxFilter(
                context.outlines,
                combine_kinds(request.only),
                is_code_pattern=pattern.code is not None,
            )
        if selection is not None:
            selection = replace(selection, has_pattern=True)
    options = TreeOptions(
        # One file more than allowed is enough to refuse the call.
        limit=request.max_files + 1,
        output="files",
        glob=request.glob,
        include_ignored=request.include_ignored,
    )
    return _Item(
        location=context.boundary.locate(request.path),
        pattern=replace(pattern, selector=syntax_filter),
        replacement=replacement,
        options=options,
        summary=summary,
        selection=selection,
        row_change=row_change,
        only=tuple(request.only or ()),
        syntax_filter=syntax_filter,
    )


def is_of_rows(items: Sequence[_Item]) -> bool:
    """Return True if all items change rows, so that the counts are of rows."""
    return all(item.row_change is not None for item in items)


# Finding the files


def _find_targets(
    context: Context,
    items: Sequence[_Item],
    max_files: int,
    findings: _Findings,
) -> dict[Location, list[int]]:
    """Return the files with a match, each with the indexes of the items that match.

    Raise `too_large` for more files than the caller allows.
    """
    targets: dict[Location, list[int]] = {}
    for index, item in enumerate(items):
        with naming_item(index, len(items)):
            for location in _find_files(context, item, findings):
                targets.setdefault(location, []).append(index)
                findings.files_by_item[index] += 1
    if len(targets) > max_files:
        raise FilewrightError(
            Code.TOO_LARGE,
            f"the pattern is in more than {max_files} files; nothing was changed",
            "narrow it with path or glob, or raise max_files",
            limit=max_files,
        )
    return targets


def _find_files(
    context: Context, item: _Item, findings: _Findings
) -> Iterator[Location]:
    """Yield the files in which an item may match; add notes on those left out."""
    notes = findings.notes
    near_words = None
    # The notes on `only` count the matches that it leaves out.
    if item.selection is None and item.syntax_filter is None:
        near_words = NearWords.around(item.pattern)
    if near_words is not None:
        findings.near_words.append(near_words)
    if not _is_folder(context, item):
        if context.searcher.accepts(item.location, item.options, context.task):
            yield item.location
        else:
            notes.append(f"glob leaves out {item.location.display_path}")
        return
    search = TreeSearch(
        context.searcher,
        item.location,
        item.pattern,
        item.options,
        task=context.task,
        near=near_words,
        selection=item.selection,
    )
    for snapshot, _ in search:
        assert snapshot.location is not None
        yield snapshot.location
        snapshot.release()
    findings.searched.append(search.searched_count)
    if not item.options.include_ignored:
        findings.includes_ignored = False
    search_notes = skip_notes(search)
    if not search.matched_count:
        search_notes += left_out_notes(search)
    if not search.searched_count:
        search_notes += name_spelling_notes(
            context, item.location, item.options.glob
        )
    for note in search_notes:
        if note not in notes:
            notes.append(note)


def _is_folder(context: Context, item: _Item) -> bool:
    return context.boundary.stat(item.location).kind == "folder"


def _other_spellings(context: Context, item: _Item, count: int) -> list[str]:
    """Return notes on lines that have an item's text in another spelling only."""
    open_file = None
    if not _is_folder(context, item):
        open_file = partial(
            context.open_page, item.location, headings=False, text=True
        )
    search = TreeSearch(
        context.searcher,
        item.location,
        item.pattern,
        item.options,
        task=context.task,
        open_file=open_file,
    )
    # The matches were counted already, and the notes depend on their number.
    search.hit_count = count
    return spelling_notes(search)


# Planning the files


def _plan_files(
    context: Context,
    items: Sequence[_Item],
    targets: dict[Location, list[int]],
    findings: _Findings,
) -> Iterator[FilePlan[ReplaceOutcome]]:
    """Yield the plan of every file that changes, and collect the findings.

    Each target is taken out of `targets` when its turn comes.
    """
    locations = sorted(
        targets,
        key=lambda location: (location.root.index, location.parts),
        reverse=True,
    )
    while locations:
        location = locations.pop()
        indexes = targets.pop(location)
        path = location.display_path
        if not location.spelling:
            # One text names the file in every step and message: there may be 100,000.
            location = location.spelled(path)
        is_named = any(item.location == location for item in items)
        if is_named:
            context.boundary.require_writable(location)
            snapshot = context.open_page(location, headings=False, text=True)
        else:
            opened = context.searcher.open(location, context.task)
            if not isinstance(opened, Snapshot):
                # The file no longer exists.
                continue
            snapshot = opened
        with snapshot:
            # The searcher opens files with the settings of the workspace.
            snapshot.settings = context.settings
            try:
                require_plain(snapshot)
                outcome = _replace_in_file(
                    context, snapshot, items, indexes, findings
                )
            except FilewrightError as error:
                is_left_out = error.code in (Code.IS_BINARY, Code.UNSUPPORTED)
                if not is_left_out or is_named:
                    raise
                findings.is_checked = False
                findings.notes.append(
                    f"{path} is not editable text and was left out"
                    if error.code is Code.IS_BINARY
                    else f"{error.message}, and was left out"
                )
                continue
            if outcome.count:
                findings.by_file[path] = outcome.count
            if outcome.splices:
                context.boundary.require_writable(location)
                findings.add_kinds(snapshot, outcome.splices)
                findings.add_unusual(snapshot, outcome.splices, outcome.unusual)
                findings.check_result(
                    snapshot,
                    outcome.splices,
                    [items[index] for index in indexes],
                    context.task,
                )
                plan = to_file_plan(snapshot, outcome)
                # The step has the splices now, and no answer shows them.
                yield replace(plan, result=replace(outcome, splices=()))


def _replace_in_file(
    context: Context,
    snapshot: Snapshot,
    items: Sequence[_Item],
    indexes: Sequence[int],
    findings: _Findings,
) -> ReplaceOutcome:
    """Return the replacements of some items in a file; each item sees the file as it is."""
    outcomes: dict[int, ReplaceOutcome] = {}
    count = 0
    for index in indexes:
        item = items[index]
        with naming_item(index, len(items)):
            if item.row_change is not None:
                outcome = set_values(snapshot, item.row_change, context.task)
                findings.row_count += outcome.count
            else:
                outcome = replace_matches(
                    snapshot,
                    item.pattern,
                    item.replacement,
                    selection=item.selection,
                    task=context.task,
                )
        findings.notes += outcome.notes
        findings.value_count += outcome.value_count
        findings.unchanged_count += outcome.unchanged
        outcomes[index] = outcome
        count += outcome.count
        findings.by_item[index] += outcome.count
        if count > MAX_MATCHES:
            raise too_many(
                count,
                MAX_MATCHES,
                f"matches in {snapshot.requested_path}",
                "make the patterns narrower",
            )
    if len(outcomes) == 1:
        return outcome
    unchanged = sum(outcome.unchanged for outcome in outcomes.values())
    try:
        splices = PackedSplices.pack(_merge(outcomes))
    except _OverlapError as overlap:
        raise _refuse_overlap(
            context, snapshot, items, findings.files_by_item, overlap
        ) from None
    unusual: list[tuple[int, int]] = []
    for outcome in outcomes.values():
        unusual += outcome.unusual
    return ReplaceOutcome(count, unchanged, splices, unusual=tuple(unusual))


def _merge(outcomes: Mapping[int, ReplaceOutcome]) -> Iterator[Splice]:
    """Yield the splices of several items in order. Raise `_OverlapError` if two touch."""
    last: Splice | None = None
    for splice in heapq.merge(
        *(outcome.splices for outcome in outcomes.values())
    ):
        if last is not None and (
            splice.offset < last.end
            or splice.offset == splice.end == last.offset
        ):
            indexes = [
                index
                for index, outcome in outcomes.items()
                if last in outcome.splices or splice in outcome.splices
            ]
            raise _OverlapError(tuple(indexes), splice.offset)
        last = splice
        yield splice


class _OverlapError(Exception):
    """Two items that change the same text of a file, at an offset."""

    def __init__(self, indexes: tuple[int, ...], offset: int) -> None:
        super().__init__()
        self.indexes = indexes
        self.offset = offset


def _refuse_overlap(
    context: Context,
    snapshot: Snapshot,
    items: Sequence[_Item],
    files_by_item: Mapping[int, int],
    overlap: _OverlapError,
) -> FilewrightError:
    """Return the error of items that change the same text, with the step that works."""
    numbers = [index + 1 for index in overlap.indexes]
    path = snapshot.requested_path
    line = snapshot.lines.line_at(overlap.offset)
    hint = (
        "make one of them narrower, by whole_word, glob or a longer text, or "
        "send one of them in a later call"
    )
    if len(numbers) == 2:
        spans = {
            index: _find_spans(context, snapshot, items[index])
            for index in overlap.indexes
        }
        # An item that matches in fewer files is likely to be the narrower one.
        ordered = sorted(
            overlap.indexes, key=lambda index: files_by_item[index]
        )
        for inner, outer in (ordered, ordered[::-1]):
            if _all_touch(spans[inner], spans[outer]):
                matches = pluralize(len(spans[inner]), "match")
                hint = (
                    f"leave out item {inner + 1}: item {outer + 1} matches at "
                    f"its {matches} in this file too"
                )
                break
    joined = " and ".join(map(str, numbers))
    return path_error(
        Code.OVERLAP,
        path,
        f"items {joined} overlap at line {line} of {path}",
        hint,
    )


def _find_spans(
    context: Context, snapshot: Snapshot, item: _Item
) -> list[tuple[int, int]]:
    """Return the ranges of the matches of an item, without what is in their holes."""
    spans = []
    matches = find_matches(snapshot, item.pattern, task=context.task)
    for match in islice(matches, MAX_COMPARED_LINES):
        is_code = item.pattern.code is not None
        spans.append(anchor_span(match, is_code_pattern=is_code))
    return spans


def _all_touch(
    spans: Sequence[tuple[int, int]], others: Sequence[tuple[int, int]]
) -> bool:
    """Return True if every span has a part in common with one of the others.

    Both are in order of their starts.
    """
    index = 0
    for start, end in spans:
        while index < len(others) and others[index][1] <= start:
            index += 1
        if index == len(others) or others[index][0] >= end:
            return False
    return bool(spans)


# Checking the counts


def _check_counts(
    context: Context,
    arguments: ReplaceArguments,
    items: Sequence[_Item],
    findings: _Findings,
) -> None:
    """Raise unless every item matches, and as often as the caller expects."""
    for index, item in enumerate(items):
        with naming_item(index, len(items)):
            if item.selection is None:
                findings.notes += _other_spellings(
                    context, item, findings.by_item[index]
                )
    findings.notes += _join_syntax_notes(items)
    if arguments.expected_count != 0:
        for index, count in enumerate(findings.by_item):
            with naming_item(index, len(items)):
                _require_match(context, items[index], count, findings.notes)
    noun = "match"
    if all(item.row_change is not None for item in items):
        noun = "row"
    check_expected(
        findings.by_file, arguments.expected_count, findings.notes, noun=noun
    )


def _require_match(
    context: Context, item: _Item, count: int, notes: Sequence[str]
) -> None:
    """Raise `no_match` for an item that matches nothing.

    It would be lost in the sum of all items.
    """
    if count or item.selection is None:
        check_expected({"": count}, None, notes)
        return
    reason = explain_no_row(context, item.location, item.selection)
    problem = "no row fulfils the conditions"
    if item.row_change is None:
        problem = "the pattern is in no row that fulfils the conditions"
    hints = [*notes, reason] if reason else notes
    raise FilewrightError(Code.NO_MATCH, problem, "; ".join(hints) or None)


def _join_syntax_notes(items: Sequence[_Item]) -> Iterator[str]:
    """Yield the notes on what `only` left out, each once, with the items that it is of."""
    numbers_by_note: dict[str, list[str]] = {}
    for number, item in enumerate(items, 1):
        for note in item.syntax_notes:
            numbers_by_note.setdefault(note, []).append(str(number))
    for note, numbers in numbers_by_note.items():
        if len(items) == 1 or len(numbers) > 1:
            yield note
        else:
            yield f"item {numbers[0]}: {note}"


def check_expected(
    counts: Mapping[str, int],
    expected: int | None,
    notes: Iterable[str] = (),
    *,
    noun: str = "match",
) -> int:
    """Return the sum of `counts`, the matches by file, or the rows.

    Raise `no_match` for none, `invalid_input` if it differs from `expected`.
    """
    total = sum(counts.values())
    hint = "search for it first; look at case, mode and glob"
    is_row = noun == "row"
    if total == 0 and not expected:
        problem = "the pattern is nowhere"
        if is_row:
            problem = "no row fulfils the conditions"
        raise FilewrightError(Code.NO_MATCH, problem, "; ".join((*notes, hint)))
    if expected is None or total == expected:
        return total
    if total:
        largest = sorted(counts.items(), key=lambda item: -item[1])[:5]
        places = [f"{name}: {count}" for name, count in largest if count]
        hint = f"look at the preview, then give expected_count={total} ({', '.join(places)})"
    count = f"the pattern matches {pluralize(total, 'time')}"
    if is_row:
        count = f"the conditions fit {pluralize(total, 'row')}"
    raise invalid(
        f"{count}, not the expected {expected}; nothing was changed",
        hint,
        argument="expected_count",
        expected=expected,
        found=total,
    )


# Text


def render_replacements(
    arguments: ReplaceArguments,
    findings: _Findings,
    change: Change[ReplaceOutcome],
    view: DiffView,
    max_characters: int,
) -> str:
    """Return the counts, the kinds of changed lines, notes, and the diff."""
    reply = ChangeReply(max_characters, change, view)
    is_preview = change.id is None
    is_brief = arguments.diff == "none"
    # A diff that is shown, or was, names the files and the lines.
    has_diff = view.is_seen or bool(reply.brief_diff and not is_brief)
    files = [
        render_file(MatchedFile(name, count))
        for name, count in findings.by_file.items()
    ]
    names = ""
    if not has_diff:
        names = f" ({join_limited(files, MAX_NAMED_FILES, noun='file')})"
    verb, details = "replaced", ""
    if findings.value_count:
        verb = "changed"
        details = f" ({pluralize(findings.value_count, 'value')}"
        if findings.unchanged_count:
            details += f"; {findings.unchanged_count:,} had them already"
        details += ")"
    status = reply.status(verb, details, next_step="; preview=false writes")
    max_count = arguments.max_count
    if is_preview and max_count is not None and findings.total > max_count:
        status = (
            f"are more than max_count={max_count} (preview; nothing was "
            f"written; max_count={findings.total} writes)"
        )
    reply.add(
        f"{_count_matches(findings)} in {pluralize(len(files), 'file')} {status}{names}"
    )
    if len(findings.by_item) > 1:
        counts = ", ".join(map(str, findings.by_item))
        reply.add(f"[matches of each item: {counts}]")
    # A caller that knows the count has seen the lines, and so has one that wants no diff.
    knows_lines = is_brief or arguments.expected_count is not None
    if not has_diff and (is_preview or not knows_lines):
        reply.extend(
            findings.rows(),
            reserve=reply.room // 3,
            total=len(findings.kinds) + len(findings.unusual_rows),
            noun="kind",
        )
    footer = findings.footer(is_written=not is_preview)
    if footer:
        reply.add(f"[{footer}]")
    near_note = findings.near_note()
    if near_note and not view.is_seen:
        reply.add(f"[{near_note}]")
    reply.finish()
    return reply.text()


def _count_matches(findings: _Findings) -> str:
    """Return the numbers of rows and of matches of patterns, as far as there are any."""
    counts: list[str] = []
    if findings.row_count:
        counts.append(pluralize(findings.row_count, "row"))
    match_count = findings.total - findings.row_count
    if match_count or not counts:
        counts.append(pluralize(match_count, "match"))
    return " and ".join(counts)


# Dialects


def replace_in_order(
    context: Context,
    path: str,
    replacements: Sequence[tuple[Pattern, Replacement]],
) -> Change[ReplaceOutcome]:
    """Apply each replacement to the result of the one before it, as one change."""

    def plan(snapshot: Snapshot) -> ReplaceOutcome:
        current = snapshot
        splices: tuple[Splice, ...] = ()
        count = unchanged = 0
        for pattern, replacement in replacements:
            outcome = replace_matches(
                current, pattern, replacement, task=context.task
            )
            count += outcome.count
            unchanged += outcome.unchanged
            if outcome.splices:
                splices = tuple(outcome.splices)
                # The splices are those of the file, not of the result so far.
                if isinstance(current, Overlay):
                    splices = current.compose(splices)
                current = Overlay(snapshot, splices)
        return ReplaceOutcome(count, unchanged, splices)

    return change_text(context, "replace_content", path, plan)


REPLACE_CONTENT = Tool(
    name="replace_content",
    title="Replace in many files",
    description=(
        "Replace a text (case counts; whole_word for names), regex ($1, "
        "${name}) or code (f($$$X): also o.f, nested; no comments or strings); "
        "or set fields of CSV or JSON rows where others fit. only: as in a "
        "search. items: several, on the files as they are. Writes with "
        "preview=false or up to max_count matches; else previews."
    ),
    toolset="edit",
    arguments=ReplaceArguments,
    run=replace_content,
    writes=True,
    destructive=True,
    idempotent=False,
)
