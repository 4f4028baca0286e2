"""`edit_content`: one file, one or many search/replace edits, all or nothing."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Annotated, Any

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from filewright.edit import Edit, Outcome, Plan, plan
from filewright.errors import Code, FilewrightError
from filewright.progress import Task
from filewright.text import NotebookView, Snapshot
from filewright.tools.context import Context
from filewright.tools.registry import Arguments, Tool
from filewright.tools.rendering import DiffWanted, Page, counted
from filewright.tools.result import ChangeResult
from filewright.tools.splicing import splice_file
from filewright.visible import visible


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
    cell: Annotated[str | None, Field(description="of a notebook: its id or number")] = None
    fuzzy: Annotated[bool, Field(description="false: exact text only")] = True
    preview: bool = False
    diff: Annotated[DiffWanted, Field(description="auto: if short and not previewed")] = "auto"
    expected_version: str | None = None
    encoding: str | None = None
    break_hard_links: bool | None = None
    undoable: bool = True
    in_turn: SkipJsonSchema[bool] = False


@dataclass(frozen=True)
class EditResult(ChangeResult):
    """What became of the edits: `results` has one for each, in the order of the request.

    Lines are 1-based and of the file as it was. `similarity` is the lowest that was used, 1.0 for exact
    text; `tier` how the first edit was found; `version` the token of the file afterwards.
    """

    path: str = field(kw_only=True)
    preview: bool = field(kw_only=True)
    changes_made: int = field(kw_only=True)
    line_number: int = field(kw_only=True)
    similarity: float = field(kw_only=True)
    tier: str = field(kw_only=True)
    results: tuple[Outcome, ...] = field(kw_only=True)
    version: str | None = field(kw_only=True)
    hard_links: int = field(kw_only=True)
    syntax_warning: str | None = field(kw_only=True)

    @property
    def data(self) -> dict[str, Any]:
        """The facts as JSON values."""
        return {**super().data, "results": [outcome.data() for outcome in self.results]}


def run(context: Context, arguments: EditArguments, task: Task) -> EditResult:
    """Locate every edit on one snapshot, and commit them together."""
    limit = context.settings.max_edits
    if len(arguments.edits) > limit:
        raise FilewrightError(
            Code.TOO_LARGE,
            f"{len(arguments.edits):,} edits in one call; the limit is {limit}",
            hint="send them in several calls, or use replace_content",
            details={"count": len(arguments.edits), "limit": limit},
        )
    edits = [Edit(e.search, e.replace, e.replace_all, e.start_line, e.end_line) for e in arguments.edits]

    def decide(page: Snapshot) -> Plan:
        snapshot, start = _in_cell(page, arguments.cell)
        planned = plan(
            snapshot,
            edits,
            fuzzy=[arguments.fuzzy if e.fuzzy is None else e.fuzzy for e in arguments.edits],
            in_turn=arguments.in_turn,
            bases=context.shown.bases(location, except_version=page.version) if snapshot is page else (),
            task=task,
            limit=limit,
        )
        moved = tuple(replace(splice, offset=splice.offset + start) for splice in planned.splices)
        return replace(planned, splices=moved) if start else planned

    location = context.boundary.locate(arguments.path)
    made = splice_file(
        context,
        "edit_content",
        arguments.path,
        decide,
        task,
        summary=f"edit {location.shown}: {counted(len(edits), 'edit')}",
        preview=arguments.preview,
        encoding=arguments.encoding,
        expected_version=arguments.expected_version,
        break_hard_links=arguments.break_hard_links,
        undoable=arguments.undoable,
    )
    planned, record = made.decision, made.record
    page = Page(context.settings.page_chars)
    done = "would be applied (preview; nothing was written)" if record is None else "applied"
    version = f"; version {made.version}" if made.version else ""
    change = f"; change {record.id}" if record is not None else ""
    page.add(f"{visible(location.shown)}: {counted(planned.changes_made, 'edit')} {done}{version}{change}")
    seen = context.previewed(arguments, made.diff, preview=arguments.preview)
    if not seen:
        page.extend((visible(outcome.text) for outcome in planned.outcomes), reserve=2000)
    if record is not None and made.hard_links > 1:
        page.add(f"[the file had {made.hard_links} hard links; the other names keep the old content]")
    if made.warning:
        page.add(f"[warning: {made.warning}]")
    page.add_change(made.diff, arguments.diff, record.id if record is not None else None, seen=seen)
    return EditResult(
        page.text(),
        path=location.shown,
        preview=record is None,
        changes_made=planned.changes_made,
        line_number=planned.line_number,
        similarity=planned.similarity,
        tier=str(planned.outcomes[0].tier),
        results=planned.outcomes,
        diff=made.diff,
        version=made.version,
        change_id=record.id if record is not None else None,
        hard_links=made.hard_links,
        syntax_warning=made.warning or None,
    )


def _in_cell(page: Snapshot, name: str | None) -> tuple[Snapshot, int]:
    """The text of the cell that the edits are for, and where it begins on the page; all of it without a name."""
    if name is None:
        return page, 0
    if not isinstance(page, NotebookView):
        raise FilewrightError(
            Code.INVALID_INPUT,
            f"{page.asked} is no notebook, and has no cell {name!r}",
            hint="leave cell out",
            details={"path": page.asked, "argument": "cell"},
        )
    cell = page.cell_named(name)
    return Snapshot.of_bytes(page.source(cell), encoding="utf-8", location=page.location), cell.start


TOOL = Tool(
    name="edit_content",
    title="Edit a file",
    description=(
        "Replace text in one file. search must match the file's text exactly once; copy it without line numbers. If it "
        "occurs more than once, include neighbouring lines or give start_line. Small differences in whitespace, quotes "
        "or indentation are tolerated and reported; otherwise the edit is refused with the nearest text. All edits or "
        "none. For new files use write_content, for many files apply_patch or replace_content."
    ),
    arguments=EditArguments,
    run=run,
    toolset="edit",
    writes=True,
    destructive=True,
    idempotent=False,
)
