"""`replace_content`: one pattern over a file or a tree, as one transaction."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

from filewright.boundary import Location
from filewright.edit import Replaced, check_count, replace_matches, replacement
from filewright.errors import Code, FilewrightError
from filewright.search import LineKinds, Pattern, TreeOptions, compile_pattern
from filewright.text import NotebookView, Snapshot, notebook_view
from filewright.tools.context import Context
from filewright.tools.pipeline import Change, ChangeArguments, Changed, Decided, change, spliced
from filewright.tools.registry import Tool
from filewright.tools.result import ChangeResult, DiffWanted, Page, short_diff
from filewright.tools.search import kind_row, skipped
from filewright.visible import visible
from filewright.wording import counted

_ROWS = 12
"""Files named with their counts; a search with output=counts names all."""

_KINDS, _KIND_CHARS = 8, 160
"""Lines shown as examples of what is replaced, each as long as that."""

_LOOKED_AT = 5_000
"""Replacements whose lines are compared, to find the kinds of lines there are."""


class ReplaceArguments(ChangeArguments):
    """What to replace, where, and the guards."""

    pattern: str
    """what to find; see [search](search.md) for the syntax"""
    replacement: str
    """`$1` and `${name}` in regex mode only"""
    path: str = "."
    """a file or a folder"""
    glob: str | None = None
    """only files that match"""
    include_ignored: bool = False
    """also in what the ignore rules leave out"""
    mode: Literal["literal", "regex"] = "literal"
    """how the pattern is read"""
    case: Literal["smart", "sensitive", "insensitive"] = "sensitive"
    """`"smart"`: insensitive unless the pattern has a capital"""
    whole_word: bool = False
    """only whole words, as for renaming a symbol"""
    multiline: bool = False
    """a regex may match across lines"""
    preview: bool = True
    """true: show the diff, write nothing"""
    diff: DiffWanted = "auto"
    expected_count: Annotated[int | None, Field(ge=0)] = None
    """written at once if there are just so many occurrences, else refused"""
    max_count: Annotated[int | None, Field(ge=0)] = None
    """written at once if there are no more occurrences than that, else a preview"""
    max_files: Annotated[int, Field(ge=1, le=100_000)] = 1000
    """refused if more files match"""


def run(context: Context, arguments: ReplaceArguments) -> ReplaceResult:
    """Replace every match; a preview unless ``preview=false``."""
    pattern = compile_pattern(
        arguments.pattern,
        mode=arguments.mode,
        case=arguments.case,
        whole_word=arguments.whole_word,
        multiline=arguments.multiline,
        max_chars=context.settings.max_pattern_chars,
    )
    location = context.boundary.locate(arguments.path)
    found = _Found()

    def decide() -> Iterator[Decided[Replaced]]:
        found.clear()
        yield from _decided(context, arguments, pattern, location, found)

    def summary(files: Sequence[Changed[Replaced]]) -> str:
        changed = sum(file.diff is not None for file in files)
        return f"replaced {arguments.pattern!r} by {arguments.replacement!r} in {counted(changed, 'file')}"

    most = arguments.max_count
    preview: bool | Callable[[], bool] = arguments.preview
    if "preview" not in arguments.model_fields_set or not preview:
        if most is not None:
            preview = lambda: sum(found.counts.values()) > most  # noqa: E731
        elif arguments.expected_count is not None:
            preview = False  # another count is refused

    made = change(
        context,
        "replace_content",
        decide,
        arguments,
        summary=summary,
        preview=preview,
    )
    return _answer(context, arguments, found, made)


@dataclass(frozen=True, slots=True)
class ReplacedFile:
    """How many matches a file has."""

    path: str
    count: int


@dataclass(frozen=True, kw_only=True)
class ReplaceResult(ChangeResult):
    """What was replaced, or would be (`preview`): `count` matches in all, by file. `diff` is bounded."""

    preview: bool
    count: int
    files: tuple[ReplacedFile, ...]
    notes: tuple[str, ...]
    warnings: tuple[str, ...]


class _Found:
    """What is found besides what is replaced: matches by file, notes, the kinds of lines there are."""

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Begin anew."""
        self.counts: dict[str, int] = {}
        self.notes: list[str] = []
        self.kinds = LineKinds()
        self._looked_at = 0

    def look(self, snapshot: Snapshot, made: Replaced) -> None:
        """Count each line with a replacement as one of its kind."""
        for splice in made.splices[: _LOOKED_AT - self._looked_at]:
            self._looked_at += 1
            self.kinds.add(snapshot, splice.offset)


def _decided(
    context: Context,
    arguments: ReplaceArguments,
    pattern: Pattern,
    location: Location,
    found: _Found,
) -> Iterator[Decided[Replaced]]:
    new = replacement(arguments.replacement, pattern)
    changed = False
    for snapshot in _snapshots(context, arguments, pattern, location, found.notes):
        assert snapshot.location is not None
        name = snapshot.location.shown
        snapshot.settings = context.settings  # The searcher's are the workspace's.
        try:
            made = replace_matches(snapshot, pattern, new, task=context.task)
        except FilewrightError as error:
            if error.code != Code.IS_BINARY or snapshot.location == location:
                raise
            found.notes.append(f"{name} is not editable text and was left out")
            continue
        if not made.count:
            continue
        found.counts[name] = made.count
        if len(found.counts) > arguments.max_files:
            raise FilewrightError(
                Code.TOO_LARGE,
                f"the pattern is in more than {arguments.max_files} files; nothing was changed",
                "narrow it with path or glob, or raise max_files",
                limit=arguments.max_files,
            )
        if not made.splices:
            continue
        context.boundary.guard_write(snapshot.location)
        found.look(snapshot, made)
        changed = True
        yield spliced(snapshot.raw if isinstance(snapshot, NotebookView) else snapshot, snapshot, made)
    total = check_count(found.counts, arguments.expected_count)
    if found.counts and not changed:
        raise FilewrightError(
            Code.NO_CHANGE, f"all {total} matches read already as the replacement", "nothing to do"
        )


def _snapshots(
    context: Context,
    arguments: ReplaceArguments,
    pattern: Pattern,
    location: Location,
    notes: list[str],
) -> Iterator[Snapshot]:
    """The files that hold the pattern, each open until the next one is asked for."""
    if context.boundary.stat(location).kind != "folder":
        with context.open_for_edit(location) as snapshot:
            yield notebook_view(snapshot, context.task, headings=False)
        return
    options = TreeOptions(
        limit=arguments.max_files + 1,
        output="files",
        glob=arguments.glob,
        include_ignored=arguments.include_ignored,
    )
    found = context.searcher.tree(location, pattern, options, task=context.task)
    for snapshot, _ in found:
        yield snapshot
    notes += [f"{counted(found.searched, 'file')} searched", *skipped(found)]


def _answer(
    context: Context, arguments: ReplaceArguments, found: _Found, made: Change[Replaced]
) -> ReplaceResult:
    page = Page(context.settings.page_chars)
    counts = found.counts
    total = sum(counts.values())
    done = "would be replaced (preview; nothing was written; preview=false writes)"
    if made.id is not None:
        done = f"replaced; change {made.id}"
    elif arguments.max_count is not None and total > arguments.max_count:
        done = f"are more than max_count={arguments.max_count} (preview; nothing was written; max_count={total} writes)"
    page.add(f"{counted(total, 'match')} in {counted(len(counts), 'file')} {done}")
    diff = made.diff
    undiffed = sum(file.omitted for file in diff.files)
    text = diff.text
    seen = context.previewed(arguments, f"{counts}{text}", preview=made.id is None)
    said = [*found.notes, *(f"warning: {warning}" for warning in made.warnings)]
    said = said[:20]
    if not seen:
        _add_counts(page, counts)
        wanted = arguments.diff != "none"
        if (made.id is None and not wanted) or (wanted and not short_diff(text)):
            _add_kinds(page, found.kinds)
    if said:
        page.add(f"[{visible('; '.join(said))}]")
    way = f"get_history with change_id={made.id}" if made.id else "a narrower path or glob"
    rest = f"; {way} shows more"
    whole = page.add_change(diff, arguments.diff, made.id, seen=seen, rest=rest)
    if whole and undiffed:
        page.add(f"[the diffs of {counted(undiffed, 'more file')} not shown{rest}]")
    return ReplaceResult(
        page.text(),
        change_id=made.id,
        difference=diff,
        preview=made.id is None,
        count=total,
        files=tuple(ReplacedFile(name, count) for name, count in counts.items()),
        notes=tuple(found.notes),
        warnings=made.warnings,
    )


def _add_counts(page: Page, counts: Mapping[str, int]) -> None:
    """A row for each file, the rest counted."""
    rows = [f"{visible(name)}: {count}" for name, count in counts.items()]
    left = page.extend(rows[:_ROWS], reserve=page.room // 2) + len(rows[_ROWS:])
    if left:
        rest = sum(list(counts.values())[-left:])
        page.add(f"[and {counted(rest, 'match')} in {counted(left, 'more file')}]")


def _add_kinds(page: Page, kinds: LineKinds) -> None:
    """A line of each kind that is replaced, the most frequent first."""
    if len(kinds) < kinds.lines:
        rows = (
            kind_row(kind, path=True, most=_KIND_CHARS) for kind in kinds.ranked(rarest_first=False)[:_KINDS]
        )
        page.extend(rows, reserve=page.room // 3)
        if len(kinds) > _KINDS:
            page.add(f"[and {counted(len(kinds) - _KINDS, 'other kind')} of lines]")


TOOL = Tool(
    "replace_content",
    "Replace in many files",
    "Replace every match of a text (whole_word for a name) or regex ($1, ${name} in the replacement) in a file or "
    "a tree as one change. A preview, unless preview=false, expected_count or max_count (no more) allows it.",
    ReplaceArguments,
    run,
    "edit",
    writes=True,
    destructive=True,
    idempotent=False,
)
