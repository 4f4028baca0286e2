"""`replace_content`: one pattern over a file or a tree, as one transaction."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Annotated, Any, Literal

from pydantic import Field

from filewright.boundary import Location
from filewright.edit import diff
from filewright.edit.changeset import ChangeSet, Step
from filewright.edit.replace import Replaced, check_count, modify, replace_matches, replacement
from filewright.errors import Code, FilewrightError
from filewright.progress import Task
from filewright.search import Pattern, TreeOptions, compile_pattern
from filewright.text import Snapshot
from filewright.tools import syntax
from filewright.tools.batch import hard_links_broken
from filewright.tools.context import Context
from filewright.tools.registry import Arguments, Tool, ToolResult
from filewright.tools.rendering import Page, clip, counted, visible
from filewright.tools.retrying import until_settled

_FILES_SHOWN_WHOLE = 3


class ReplaceArguments(Arguments):
    """What to replace, where, and the guards."""

    pattern: str
    replacement: str
    path: str = "."
    glob: str | None = None
    mode: Literal["literal", "regex"] = "literal"
    case: Literal["smart", "sensitive", "insensitive"] = "sensitive"
    whole_word: bool = False
    multiline: bool = False
    preview: bool = True
    expected_count: Annotated[int | None, Field(ge=0)] = None
    max_files: Annotated[int, Field(ge=1, le=100_000)] = 1000
    break_hard_links: bool | None = None
    undoable: bool = True


def run(context: Context, arguments: ReplaceArguments, task: Task) -> ToolResult:
    """Replace every match; a preview unless told otherwise."""
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


def _attempt(
    context: Context, arguments: ReplaceArguments, pattern: Pattern, location: Location, task: Task
) -> ToolResult:
    new = replacement(arguments.replacement, pattern)
    counts: dict[str, int] = {}
    steps: list[Step] = []
    texts: list[str] = []
    warnings: list[str] = []
    notes: list[str] = []
    left = context.settings.diff_lines
    for snapshot in _snapshots(context, arguments, pattern, location, task, notes):
        assert snapshot.location is not None
        name = snapshot.location.shown
        try:
            made = replace_matches(snapshot, pattern, new, task=task)
        except FilewrightError as error:
            if error.code != Code.IS_BINARY or snapshot.location == location:
                raise
            notes.append(f"{name} is not editable text and was left out")
            continue
        if not made.count:
            continue
        step = modify(snapshot, made)
        counts[name] = made.count
        if len(counts) > arguments.max_files:
            raise FilewrightError(
                Code.TOO_LARGE,
                f"the pattern is in more than {arguments.max_files} files; nothing was changed",
                hint="narrow it with path or glob, or raise max_files",
                details={"limit": arguments.max_files},
            )
        if step is None:
            continue
        context.boundary.guard_write(snapshot.location)
        steps.append(step)
        if left > 0:
            shown = diff.unified(name, name, snapshot, made.splices, max_lines=left)
            texts.append(shown.text)
            left -= shown.shown + 1
            warnings += _warned(context, snapshot, made, task)
    total = check_count(counts, arguments.expected_count)
    if counts and not steps:
        raise FilewrightError(
            Code.NO_CHANGE,
            f"all {total} matches read already as the replacement",
            hint="nothing to do",
        )
    record = None
    if steps and not arguments.preview:
        record = context.changes.commit(
            ChangeSet.of(
                "replace_content",
                clip(
                    f"replace {arguments.pattern!r} by {arguments.replacement!r} in {len(steps)} files", 200
                ),
                steps,
                break_hard_links=hard_links_broken(context, arguments.break_hard_links),
                undoable=arguments.undoable,
            ),
            task=task,
        )
    return _answer(
        context,
        counts,
        texts,
        len(steps) - len(texts),
        [*notes, *warnings],
        record.id if record is not None else None,
    )


def _warned(context: Context, snapshot: Snapshot, made: Replaced, task: Task) -> list[str]:
    warning = syntax.compared(context, snapshot, made.splices, task)
    return [f"warning: {warning}"] if warning else []


def _snapshots(  # type: ignore[no-untyped-def]
    context: Context,
    arguments: ReplaceArguments,
    pattern: Pattern,
    location: Location,
    task: Task,
    notes: list[str],
):
    """The files that hold the pattern, each open until the next one is asked for."""
    if context.boundary.stat(location).kind != "folder":
        with ExitStack() as stack:
            yield stack.enter_context(context.open_for_edit(location))
        return
    options = TreeOptions(limit=arguments.max_files + 1, output="files", glob=arguments.glob)
    found = context.searcher.tree(location, pattern, options, task=task)
    for snapshot, _ in found:
        yield snapshot
    if found.unreadable:
        notes.append(f"{found.unreadable} could not be read")


def _answer(
    context: Context,
    counts: dict[str, int],
    texts: list[str],
    undiffed: int,
    notes: list[str],
    change_id: str | None,
) -> ToolResult:
    page = Page(context.settings.page_chars)
    total = sum(counts.values())
    done = "would be replaced (preview; nothing was written; preview=false writes)"
    if change_id is not None:
        done = f"replaced; change {change_id}"
    page.add(f"{counted(total, 'match')} in {counted(len(counts), 'file')} {done}")
    left = page.extend(
        (f"{visible(name)}: {count}" for name, count in counts.items()), reserve=page.room // 2
    )
    if left:
        page.add(f"[{counted(left, 'more file')}]")
    page.extend(f"[{visible(note)}]" for note in notes[:20])
    text = "".join(texts)
    more = f" and the diffs of {counted(undiffed, 'file')}" if undiffed else ""
    page.add_diff(
        text,
        limit=None if len(counts) <= _FILES_SHOWN_WHOLE else context.settings.page_chars // 4,
        rest=f"{more}; give a narrower path or glob to see more"
        if change_id is None
        else f"{more}; get_history with change_id={change_id} shows more",
    )
    data: dict[str, Any] = {
        "preview": change_id is None,
        "count": total,
        "files": [{"path": name, "count": count} for name, count in counts.items()],
        "change_id": change_id,
        "diff": text,
        "notes": notes,
    }
    return ToolResult(page.text(), data)


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
