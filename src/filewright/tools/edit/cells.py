"""The plan of edits of a notebook that name cells, each made in its cell alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter

from filewright.edit.changeset import FilePlan, Modify
from filewright.edit.model import Tier
from filewright.edit.outcome import EditOutcome
from filewright.edit.request import Edit
from filewright.errors import Code, FilewrightError, path_error
from filewright.text.codec import check_text, normalize_newlines
from filewright.text.notebook import NotebookView, view_if_notebook
from filewright.text.notebook_cells import Cell, NewCell
from filewright.text.snapshot import Snapshot
from filewright.text.splice import Splice, sort_splices
from filewright.tools.edit.arguments import PlaceEdit
from filewright.tools.edit.call import EditCall, FileEdits
from filewright.tools.edit.file_plan import (
    FileEditPlan,
    plan_snapshot,
    prepare_edit,
)
from filewright.tools.edit.places import OpenFile


@dataclass(frozen=True, slots=True)
class CellEdit:
    """An edit that replaces or deletes a whole cell; `source` is None to delete it."""

    number: int
    source: str | None


@dataclass(frozen=True, slots=True)
class AddedCell:
    """An edit that adds a cell."""

    number: int
    cell: NewCell


@dataclass
class CellEdits:
    """The edits of a notebook.

    `texts` are the edits of texts by the number of their cell, 0 for those that name no
    cell. `cells` are the edits of whole cells by number, and `added` the new cells.
    """

    texts: dict[int, list[Edit]] = field(default_factory=dict)
    cells: dict[int, CellEdit] = field(default_factory=dict)
    added: list[AddedCell] = field(default_factory=list)


def plan_cells(
    call: EditCall, file: FileEdits, snapshot: Snapshot
) -> FilePlan[FileEditPlan]:
    """Plan the edits of a notebook. Raise `invalid_input` for any other file."""
    view = _require_notebook(call, file, snapshot)
    edits = _group_by_cell(call, file, view)
    splices: list[Splice] = []
    outcomes: list[EditOutcome] = []
    for plan in _plan_texts(call, view, edits.texts):
        splices += plan.splices
        outcomes += plan.outcomes
    removed: list[Cell] = []
    for cell_number, cell_edit in edits.cells.items():
        cell = view.cells[cell_number - 1]
        if cell_edit.source is None:
            removed.append(cell)
            label = f"{cell.label} deleted"
        else:
            splices += view.replace_source(cell, cell_edit.source)
            label = f"{cell.label} replaced"
        line = view.line_at(cell.region[0])
        outcomes.append(_cell_outcome(cell_edit.number, line, line, label))
    rearranged = view.rearrange([added.cell for added in edits.added], removed)
    # The headings are in the order in which the new cells come in the file.
    in_order = sorted(edits.added, key=lambda added: added.cell.after)
    for added, heading in zip(in_order, rearranged.new_headings, strict=True):
        line = view.line_at(_offset_after(view, added.cell.after))
        # A new cell takes the place of no lines, so its earlier range ends before it.
        outcomes.append(
            _cell_outcome(added.number, line, line - 1, f"new {heading}")
        )
    return _to_file_plan(
        view,
        splices,
        rearranged.file_splices,
        rearranged.view_splices,
        sorted(outcomes, key=attrgetter("index")),
    )


def _require_notebook(
    call: EditCall, file: FileEdits, snapshot: Snapshot
) -> NotebookView:
    """Return the view of a notebook by cells, or raise `invalid_input`."""
    has_encoding = call.arguments.encoding is not None
    if not has_encoding:
        view = view_if_notebook(snapshot, call.context.task)
        if isinstance(view, NotebookView):
            return view
    numbered = next(
        numbered
        for numbered in file.edits
        if numbered.edit.cell_name is not None
    )
    hint = "leave cell out"
    if has_encoding:
        hint = "leave encoding out to edit by cells"
    raise call.invalid(
        numbered.number,
        f"{file.requested_path} is not a notebook, and has no cell "
        f"{numbered.edit.cell_name!r}",
        hint,
    )


def _group_by_cell(
    call: EditCall, file: FileEdits, view: NotebookView
) -> CellEdits:
    """Return the edits by their cells. Raise `invalid_input` if two change one cell."""
    open_file = OpenFile(call, file, view.file_snapshot, moved_texts={})
    edits = CellEdits()
    for numbered in file.edits:
        edit = numbered.edit
        if isinstance(edit, PlaceEdit) and edit.at.is_new_cell:
            edits.added.append(_new_cell(call, view, numbered.number, edit))
        elif isinstance(edit, PlaceEdit) and edit.at.cell is not None:
            cell = view.find_cell(edit.at.cell)
            _add_cell_edit(call, view, edits, cell, numbered.number, edit)
        else:
            name = edit.cell_name
            cell_number = view.find_cell(name).number if name is not None else 0
            prepared = prepare_edit(open_file, numbered)
            edits.texts.setdefault(cell_number, []).append(prepared.edit)
    for cell_number in edits.texts.keys() & edits.cells.keys():
        other = edits.cells[cell_number].number
        raise call.invalid(
            edits.texts[cell_number][0].number,
            f"{view.cells[cell_number - 1].label} is replaced or deleted by edit "
            f"{other + 1}",
            "leave out one of these edits",
        )
    return edits


def _add_cell_edit(
    call: EditCall,
    view: NotebookView,
    edits: CellEdits,
    cell: Cell,
    number: int,
    edit: PlaceEdit,
) -> None:
    """Add the edit that replaces or deletes a whole cell."""
    if cell.number in edits.cells:
        raise call.invalid(
            number,
            f"{cell.label} is replaced or deleted by edit "
            f"{edits.cells[cell.number].number + 1} too",
            "leave out one of these edits",
        )
    _check_version(call, view, edit)
    source = None
    if not edit.delete:
        check_text(edit.replace or "", "replace")
        source = normalize_newlines(edit.replace or "")
    edits.cells[cell.number] = CellEdit(number, source)


def _new_cell(
    call: EditCall, view: NotebookView, number: int, edit: PlaceEdit
) -> AddedCell:
    """Return the cell that an edit adds after or before another one."""
    _check_version(call, view, edit)
    after = 0
    if edit.at.before_cell is not None:
        after = view.find_cell(edit.at.before_cell).number - 1
    # Cell 0 is the top of the notebook, and no cell has that number.
    elif edit.at.after_cell is not None and str(edit.at.after_cell) != "0":
        after = view.find_cell(edit.at.after_cell).number
    text = edit.replace or ""
    check_text(text, "replace")
    cell = NewCell(after, edit.cell_type or "code", normalize_newlines(text))
    return AddedCell(number, cell)


def _check_version(call: EditCall, view: NotebookView, edit: PlaceEdit) -> None:
    version = call.version_for(edit)
    if version is not None:
        call.context.check_version(view.file_snapshot, version)


def _plan_texts(
    call: EditCall,
    view: NotebookView,
    texts: Mapping[int, Sequence[Edit]],
) -> list[FileEditPlan]:
    """Return the plans of text edits by cell, with splices of the whole view.

    Raise the first refusal, which lists those of the other cells too.
    """
    plans: list[FileEditPlan] = []
    refusals: list[FilewrightError] = []
    for cell_number, edits in texts.items():
        part = _part_of(view, cell_number)
        try:
            plan = plan_snapshot(call, edits, part.text)
        except FilewrightError as error:
            # Only the refusal of an edit can be joined with those of other cells.
            if "refusals" not in error.details:
                raise
            refusals.append(error)
            continue
        splices = tuple(
            replace(splice, offset=splice.offset + part.offset)
            for splice in plan.splices
        )
        plans.append(replace(plan, splices=splices))
    if refusals:
        first, *others = refusals
        for other in others:
            first.details["refusals"] += other.details["refusals"]
        raise first
    return plans


@dataclass(frozen=True, slots=True)
class _ViewPart:
    """The text of a cell, or a whole view, and its offset in the view."""

    text: Snapshot
    offset: int


def _part_of(view: NotebookView, cell_number: int) -> _ViewPart:
    """Return the text of a cell; for 0, the whole view."""
    if not cell_number:
        return _ViewPart(view, 0)
    cell = view.cells[cell_number - 1]
    text = Snapshot(
        view.cell_text(cell), encoding="utf-8", location=view.location
    )
    return _ViewPart(text, cell.start)


def _cell_outcome(
    number: int, line: int, last_line: int, label: str
) -> EditOutcome:
    """Return the outcome of an edit of a whole cell."""
    return EditOutcome(
        index=number,
        tier=Tier.EXACT,
        first=line,
        last=last_line,
        new_first=line,
        new_last=line,
        places=1,
        named=label,
    )


def _offset_after(view: NotebookView, cell_number: int) -> int:
    """Return the offset in the view where the cell after this one begins, or the end."""
    if cell_number == len(view.cells):
        return view.size
    return view.cells[cell_number].region[0]


def _to_file_plan(
    view: NotebookView,
    text_splices: Sequence[Splice],
    file_splices: Sequence[Splice],
    view_splices: Sequence[Splice],
    outcomes: Sequence[EditOutcome],
) -> FilePlan[FileEditPlan]:
    """Return the plan of a notebook. Raise `no_change` for one that stays as it is.

    `text_splices` are of the view and change sources of cells; the others add and remove
    cells, in the file and in the view.
    """
    sources = sort_splices(text_splices, view.size)
    splices = sort_splices(
        [*view.to_file_splices(sources), *file_splices],
        view.file_snapshot.size,
    )
    if not splices:
        raise path_error(
            Code.NO_CHANGE,
            view.requested_path,
            f"{view.requested_path}: the edits would not alter the file",
            "leave out these edits",
        )
    location = view.location
    assert location is not None
    shown_splices = _join_adjacent([*sources, *view_splices])
    return FilePlan(
        FileEditPlan(shown_splices, tuple(outcomes)),
        location,
        steps=[Modify.from_snapshot(location, view.file_snapshot, splices)],
        before=view.file_snapshot,
        splices=splices,
        old_name=location.display_path,
        new_name=location.display_path,
        view=(view, shown_splices),
    )


def _join_adjacent(splices: Sequence[Splice]) -> tuple[Splice, ...]:
    """Return splices in order, with those that touch as one.

    Text at the end of a cell touches a new cell below it.
    """
    joined: list[Splice] = []
    for splice in sorted(splices, key=attrgetter("offset", "length")):
        if joined and joined[-1].end == splice.offset:
            last = joined.pop()
            splice = Splice(
                last.offset,
                last.length + splice.length,
                last.replacement + splice.replacement,
            )
        joined.append(splice)
    return tuple(joined)
