"""`edit_content`: one file, one or many search/replace edits, all or nothing."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from filewright.boundary import Location
from filewright.changes import ChangeRecord
from filewright.edit import ChangeSet, Diff, Edit, Expected, Modify, Plan, plan, unified
from filewright.errors import Code, FilewrightError
from filewright.progress import Task
from filewright.text import Snapshot
from filewright.tools import syntax
from filewright.tools.batch import hard_links_broken
from filewright.tools.context import Context
from filewright.tools.registry import Arguments, Tool, ToolResult
from filewright.tools.rendering import Page, clip, counted, visible
from filewright.tools.retrying import until_settled


class EditItem(Arguments):
    """One edit."""

    search: str
    replace: str
    replace_all: bool = False
    start_line: Annotated[int | None, Field(ge=1)] = None
    end_line: Annotated[int | None, Field(ge=1)] = None
    fuzzy: SkipJsonSchema[bool | None] = None


class EditArguments(Arguments):
    """The edits of one file."""

    path: str
    edits: Annotated[list[EditItem], Field(min_length=1)]
    fuzzy: Annotated[bool, Field(description="false: exact text only")] = True
    preview: bool = False
    expected_version: str | None = None
    encoding: str | None = None
    break_hard_links: bool | None = None
    undoable: bool = True
    in_turn: SkipJsonSchema[bool] = False


def run(context: Context, arguments: EditArguments, task: Task) -> ToolResult:
    """Locate every edit on one snapshot, and commit them together."""
    limit = context.settings.max_edits
    if len(arguments.edits) > limit:
        raise FilewrightError(
            Code.TOO_LARGE,
            f"{len(arguments.edits):,} edits in one call; the limit is {limit}",
            hint="send them in several calls, or use replace_content",
            details={"count": len(arguments.edits), "limit": limit},
        )
    location = context.boundary.locate(arguments.path)
    return until_settled(
        context,
        lambda: _attempt(context, arguments, location, task),
        writes=not arguments.preview,
        again=arguments.expected_version is None,
        task=task,
    )


def _attempt(context: Context, arguments: EditArguments, location: Location, task: Task) -> ToolResult:
    with context.open_for_edit(location, encoding=arguments.encoding) as snapshot:
        context.check_version(snapshot, arguments.expected_version)
        edits = [Edit(e.search, e.replace, e.replace_all, e.start_line, e.end_line) for e in arguments.edits]
        bases = context.shown.bases(location, except_version=snapshot.version)
        planned = plan(
            snapshot,
            edits,
            fuzzy=[arguments.fuzzy if e.fuzzy is None else e.fuzzy for e in arguments.edits],
            in_turn=arguments.in_turn,
            bases=bases,
            task=task,
            limit=context.settings.max_edits,
        )
        name = location.shown
        shown = unified(name, name, snapshot, planned.splices, max_lines=context.settings.diff_lines)
        parsing = syntax.compared(context, snapshot, planned.splices, task)
        record = None
        if not arguments.preview:
            record = context.changes.commit(
                ChangeSet.of(
                    "edit_content",
                    clip(f"edit {name}: {counted(len(edits), 'edit')}", 200),
                    [
                        Modify(
                            location,
                            Expected.of(snapshot),
                            planned.splices,
                            planned.encoding_check,
                            follow=arguments.expected_version is None,
                        )
                    ],
                    break_hard_links=hard_links_broken(context, arguments.break_hard_links),
                    undoable=arguments.undoable,
                ),
                task=task,
            )
        return _answer(context, snapshot, planned, shown, record, parsing)


def _answer(
    context: Context,
    snapshot: Snapshot,
    planned: Plan,
    shown: Diff,
    record: ChangeRecord | None,
    parsing: str,
) -> ToolResult:
    assert snapshot.location is not None
    name = visible(snapshot.location.shown)
    version = context.version_after(snapshot, planned.splices, record)
    results = [outcome.data() for outcome in planned.outcomes]
    page = Page(context.settings.page_chars)
    done = "would be applied (preview; nothing was written)" if record is None else "applied"
    ends = [f"version {version}"] if version else []
    if record is not None:
        ends.append(f"change {record.id}")
    page.add(f"{name}: {counted(planned.changes_made, 'edit')} {done}" + "".join(f"; {e}" for e in ends))
    page.extend((visible(outcome.text) for outcome in planned.outcomes), reserve=2000)
    hard_links = snapshot.status.st_nlink if snapshot.status is not None else 1
    if record is not None and hard_links > 1:
        page.add(f"[the file had {hard_links} hard links; the other names keep the old content]")
    if record is not None:
        page.extend(f"[{visible(note)}]" for note in record.notes)
    if parsing:
        page.add(f"[warning: {parsing}]")
    page.add_diff(shown.text)
    first = planned.outcomes[0]
    data: dict[str, Any] = {
        "path": snapshot.location.shown,
        "preview": record is None,
        "changes_made": planned.changes_made,
        "line_number": planned.line_number,
        "similarity": planned.similarity,
        "tier": first.tier,
        "results": results,
        "diff": shown.text,
        "version": version,
        "change_id": record.id if record is not None else None,
        "hard_links": hard_links,
        "syntax_warning": parsing or None,
    }
    return ToolResult(page.text(), data)


TOOL = Tool(
    name="edit_content",
    title="Edit a file",
    description=(
        "Replace text in one file. Each search must be text that is there (as read, without line numbers) and mean "
        "one place; if it stands there more often, add lines round it or start_line. Small slips in blanks, quotes or "
        "indentation are found and disclosed; what is uncertain is refused with the nearest text. All edits or none. "
        "For new files use write_content, for many files apply_patch or replace_content."
    ),
    arguments=EditArguments,
    run=run,
    toolset="edit",
    writes=True,
    destructive=True,
    idempotent=False,
)
