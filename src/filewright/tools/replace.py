"""`replace_content`: one pattern over a file or a tree, as one transaction."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Literal

from pydantic import Field

from filewright.boundary import Location
from filewright.edit import (
    ChangeSet,
    Replaced,
    Step,
    check_count,
    modify,
    replace_matches,
    replacement,
    unified,
)
from filewright.errors import Code, FilewrightError
from filewright.progress import Task
from filewright.search import LineKinds, Pattern, TreeOptions, compile_pattern
from filewright.text import NotebookView, Snapshot, notebook_view
from filewright.tools import syntax
from filewright.tools.batch import hard_links_broken
from filewright.tools.context import Context
from filewright.tools.registry import Arguments, Tool
from filewright.tools.rendering import DiffWanted, Page, clip, short_diff
from filewright.tools.result import ChangeResult
from filewright.tools.retrying import until_settled
from filewright.tools.search_page import skipped
from filewright.visible import visible
from filewright.wording import counted

_ROWS = 12
"""Files named with their counts; a search with output=counts names all."""

_WARNINGS = 20
"""Files whose broken syntax is told of; no more are parsed."""

_KINDS, _KIND_CHARS = 8, 160
"""Lines shown as examples of what is replaced, each as long as that."""

_LOOKED_AT = 5_000
"""Replacements whose lines are compared, to find the kinds of lines there are."""


class ReplaceArguments(Arguments):
    """What to replace, where, and the guards."""

    pattern: str
    replacement: str
    path: str = "."
    glob: str | None = None
    include_ignored: bool = False
    mode: Literal["literal", "regex"] = "literal"
    case: Literal["smart", "sensitive", "insensitive"] = "sensitive"
    whole_word: bool = False
    multiline: bool = False
    preview: bool = True
    diff: DiffWanted = "auto"
    expected_count: Annotated[int | None, Field(ge=0)] = None
    max_files: Annotated[int, Field(ge=1, le=100_000)] = 1000
    break_hard_links: bool | None = None
    undoable: bool = True


def run(context: Context, arguments: ReplaceArguments, task: Task) -> ReplaceResult:
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
    return until_settled(
        context,
        lambda: _attempt(context, arguments, pattern, location, task),
        writes=not arguments.preview,
        task=task,
    )


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


@dataclass
class _ReplacedFiles:
    """What the files that hold the pattern come to."""

    counts: dict[str, int] = field(default_factory=dict)
    steps: list[Step] = field(default_factory=list)
    diffs: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    kinds: LineKinds = field(default_factory=LineKinds)
    looked_at: int = 0

    def look(self, snapshot: Snapshot, made: Replaced) -> None:
        """Count each line with a replacement as one of its kind."""
        for splice in made.splices[: _LOOKED_AT - self.looked_at]:
            self.looked_at += 1
            self.kinds.add(snapshot, splice.offset)


def _attempt(
    context: Context, arguments: ReplaceArguments, pattern: Pattern, location: Location, task: Task
) -> ReplaceResult:
    gathered = _gather(context, arguments, pattern, location, task)
    counts, steps = gathered.counts, gathered.steps
    total = check_count(counts, arguments.expected_count)
    if counts and not steps:
        raise FilewrightError(
            Code.NO_CHANGE,
            f"all {total} matches read already as the replacement",
            hint="nothing to do",
        )
    change_id = None
    if steps and not arguments.preview:
        summary = f"replace {arguments.pattern!r} by {arguments.replacement!r} in {len(steps)} files"
        change = ChangeSet.of(
            "replace_content",
            clip(summary, 200),
            steps,
            break_hard_links=hard_links_broken(context, arguments.break_hard_links),
            undoable=arguments.undoable,
        )
        change_id = context.changes.commit(change, task=task).id
    return _answer(context, arguments, gathered, change_id)


def _gather(
    context: Context, arguments: ReplaceArguments, pattern: Pattern, location: Location, task: Task
) -> _ReplacedFiles:
    new = replacement(arguments.replacement, pattern)
    gathered = _ReplacedFiles()
    left = context.settings.diff_lines
    for snapshot in _snapshots(context, arguments, pattern, location, task, gathered.notes):
        assert snapshot.location is not None
        name = snapshot.location.shown
        snapshot.settings = context.settings  # The searcher's are the workspace's.
        try:
            made = replace_matches(snapshot, pattern, new, task=task)
        except FilewrightError as error:
            if error.code != Code.IS_BINARY or snapshot.location == location:
                raise
            gathered.notes.append(f"{name} is not editable text and was left out")
            continue
        if not made.count:
            continue
        gathered.counts[name] = made.count
        if len(gathered.counts) > arguments.max_files:
            raise FilewrightError(
                Code.TOO_LARGE,
                f"the pattern is in more than {arguments.max_files} files; nothing was changed",
                hint="narrow it with path or glob, or raise max_files",
                details={"limit": arguments.max_files},
            )
        file, in_file = snapshot, made
        if isinstance(snapshot, NotebookView):
            file, in_file = snapshot.raw, replace(made, splices=snapshot.splices(tuple(made.splices)))
        step = modify(file, in_file)
        if step is None:
            continue
        context.boundary.guard_write(snapshot.location)
        gathered.steps.append(step)
        gathered.look(snapshot, made)
        if left > 0:
            shown = unified(name, name, snapshot, made.splices, max_lines=left)
            gathered.diffs.append(shown.text)
            left -= shown.shown + 1
        if len(gathered.warnings) < _WARNINGS and (
            warning := syntax.compared(context, file, in_file.splices, task)
        ):
            gathered.warnings.append(warning)
    return gathered


def _snapshots(
    context: Context,
    arguments: ReplaceArguments,
    pattern: Pattern,
    location: Location,
    task: Task,
    notes: list[str],
) -> Iterator[Snapshot]:
    """The files that hold the pattern, each open until the next one is asked for."""
    if context.boundary.stat(location).kind != "folder":
        with context.open_for_edit(location) as snapshot:
            yield notebook_view(snapshot, task, headings=False)
        return
    options = TreeOptions(
        limit=arguments.max_files + 1,
        output="files",
        glob=arguments.glob,
        include_ignored=arguments.include_ignored,
    )
    found = context.searcher.tree(location, pattern, options, task=task)
    for snapshot, _ in found:
        yield snapshot
    notes += [f"{counted(found.searched, 'file')} searched", *skipped(found)]


def _answer(
    context: Context, arguments: ReplaceArguments, gathered: _ReplacedFiles, change_id: str | None
) -> ReplaceResult:
    page = Page(context.settings.page_chars)
    counts = gathered.counts
    total = sum(counts.values())
    done = "would be replaced (preview; nothing was written; preview=false writes)"
    if change_id is not None:
        done = f"replaced; change {change_id}"
    page.add(f"{counted(total, 'match')} in {counted(len(counts), 'file')} {done}")
    undiffed = len(gathered.steps) - len(gathered.diffs)
    diff = "".join([*gathered.diffs, *([f"... {undiffed:,} more files not shown\n"] if undiffed else [])])
    seen = context.previewed(arguments, f"{counts}{diff}", preview=arguments.preview)
    said = [*gathered.notes, *(f"warning: {warning}" for warning in gathered.warnings)]
    said = said[:20]
    if not seen:
        _add_counts(page, counts)
        if arguments.diff == "none" or not short_diff(diff):
            _add_kinds(page, gathered.kinds)
    if said:
        page.add(f"[{visible('; '.join(said))}]")
    way = f"get_history with change_id={change_id}" if change_id else "a narrower path or glob"
    rest = f"; {way} shows more"
    whole = page.add_change(diff, arguments.diff, change_id, seen=seen, rest=rest)
    if whole and undiffed:
        page.add(f"[the diffs of {counted(undiffed, 'more file')} not shown{rest}]")
    return ReplaceResult(
        page.text(),
        change_id=change_id,
        diff=diff,
        preview=change_id is None,
        count=total,
        files=tuple(ReplacedFile(name, count) for name, count in counts.items()),
        notes=tuple(gathered.notes),
        warnings=tuple(gathered.warnings),
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
        page.extend(
            (
                f"{kind.count:,} like {visible(kind.path)}:{kind.line}: {visible(kind.text[:_KIND_CHARS])}"
                for kind in kinds.ranked(rarest_first=False)[:_KINDS]
            ),
            reserve=page.room // 3,
        )
        if len(kinds) > _KINDS:
            page.add(f"[and {counted(len(kinds) - _KINDS, 'other kind')} of lines]")


TOOL = Tool(
    name="replace_content",
    title="Replace in many files",
    description=(
        "Replace every match of a text (whole_word for a name) or regex ($1, ${name} in the replacement) in a file or "
        "a tree as one change. A preview unless preview=false."
    ),
    arguments=ReplaceArguments,
    run=run,
    toolset="edit",
    writes=True,
    destructive=True,
    idempotent=False,
)
