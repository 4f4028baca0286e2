"""The plan of one file: its edits as the planner takes them, and the splices they make."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final

from filewright.edit.changeset import FilePlan
from filewright.edit.conflict_markers import Conflict, iterate_conflicts
from filewright.edit.list_separators import ListEdits
from filewright.edit.losses import describe_lost_parts, find_lost_parts
from filewright.edit.outcome import EditOutcome
from filewright.edit.planning import plan_edits
from filewright.edit.request import (
    Edit,
    Insertion,
    LineEdit,
    SymbolLines,
    TextEdit,
)
from filewright.edit.symbol_lines import strip_blank_lines, trim_symbol_text
from filewright.languages import language_of
from filewright.structure.lookup import NamedSymbol, find_symbol
from filewright.text.codec import normalize_newlines
from filewright.text.notebook import view_if_notebook
from filewright.text.snapshot import Snapshot
from filewright.text.splice import Splice
from filewright.tools import edit_arguments
from filewright.tools.edit_arguments import MoveText, PlaceEdit
from filewright.tools.edit_call import EditCall, FileEdits, NumberedEdit
from filewright.tools.edit_moves import (
    MovedText,
    MoveTarget,
    describe_move,
    lay_out_moved_text,
)
from filewright.tools.edit_places import (
    TextVersion,
    anchor_symbol,
    as_separate_lines,
    find_insertion_point,
    find_symbol_lines_of,
    find_text_version,
    indent_text,
    require_known_lines,
    usual_gap,
)
from filewright.tools.pipeline import plan_text
from filewright.wording import escape_controls

# Marks the edits that another edit, whose number they have, brings along. The answer
# describes only the edit that the caller sent.
_FURTHER: Final = "further"
# Bytes of a symbol in which the lines before its definition are searched.
_SYMBOL_HEAD_BYTES: Final = 16 << 10


@dataclass(frozen=True, slots=True)
class FileEditPlan:
    """The splices of one file, in order, and the outcomes of its edits.

    `losses` describes, by the number of an edit, what a replaced symbol had and its new
    text leaves out.
    """

    splices: tuple[Splice, ...]
    outcomes: tuple[EditOutcome, ...]
    losses: Mapping[int, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PreparedEdit:
    """An edit as the planner takes it, with what its new text leaves out.

    `further_edits` change other lines for it.
    """

    edit: Edit
    loss: str = ""
    further_edits: tuple[LineEdit, ...] = ()


@dataclass(frozen=True, slots=True)
class OpenFile:
    """A file of a call while it is open, with what its edits are made of.

    `moved_texts` are by the number of their edit. `lists` are the changes of lists in the
    code, and `deleted_lines` the lines of symbols that are deleted or moved away, by the
    `base` of the text that they are in.
    """

    call: EditCall
    file: FileEdits
    snapshot: Snapshot
    moved_texts: Mapping[int, MovedText]
    lists: Mapping[bytes | None, ListEdits] = field(default_factory=dict)
    deleted_lines: Mapping[bytes | None, Sequence[range]] = field(
        default_factory=dict
    )

    def find_text(self, numbered: NumberedEdit) -> TextVersion:
        """Return the text in which an edit names its place."""
        version = self.call.version_for(numbered.edit)
        return find_text_version(
            self.call, numbered.number, self.file, self.snapshot, version
        )


def plan_file(
    call: EditCall,
    file: FileEdits,
    snapshot: Snapshot,
    moved_texts: Mapping[int, MovedText],
) -> FilePlan[FileEditPlan]:
    """Plan the edits of a file, or of a notebook as its cells are shown."""
    page = snapshot
    if call.arguments.encoding is None:
        page = view_if_notebook(snapshot, call.context.task)
    open_file = OpenFile(call, file, snapshot, moved_texts)
    open_file = replace(
        open_file,
        lists=find_list_edits(open_file),
        deleted_lines=find_deleted_lines(open_file),
    )
    prepared = [prepare_edit(open_file, numbered) for numbered in file.edits]
    edits = [one.edit for one in prepared]
    if file.removals:
        # A text that moves within the file is removed before it is inserted.
        edits = sorted([*file.removals, *edits], key=lambda edit: edit.number)
    for one in prepared:
        edits += one.further_edits
    edits += _separator_edits(open_file.lists)
    losses = {one.edit.number: one.loss for one in prepared if one.loss}
    earlier_contents = call.context.shown.earlier_contents(
        file.location, except_version=snapshot.version
    )
    return plan_text(
        page,
        partial(
            plan_snapshot,
            call,
            edits,
            losses=losses,
            earlier_contents=earlier_contents,
        ),
    )


def plan_snapshot(
    call: EditCall,
    edits: Sequence[Edit],
    snapshot: Snapshot,
    *,
    losses: Mapping[int, str] | None = None,
    earlier_contents: Sequence[bytes] = (),
) -> FileEditPlan:
    """Plan edits of a text, and describe their outcomes."""
    losses = losses or {}
    plan = plan_edits(
        snapshot,
        edits,
        total=len(call.arguments.edits),
        in_turn=call.arguments.in_turn,
        bases=earlier_contents,
        task=call.context.task,
    )
    outcomes = []
    for outcome in plan.outcomes:
        # These edits come with another edit, which has an outcome of its own.
        if outcome.named != _FURTHER:
            note = losses.get(outcome.index, outcome.note)
            outcomes.append(replace(outcome, note=note))
    return FileEditPlan(plan.splices, tuple(outcomes), losses)


# Members of lists


def find_list_edits(open_file: OpenFile) -> Mapping[bytes | None, ListEdits]:
    """Return the changes of lists that the edits of symbols make, by text version.

    A symbol may be the member of a list, such as an enum or an object. If it is added,
    replaced or deleted, commas of its neighbours change too.
    """
    lists: dict[bytes | None, ListEdits] = {}
    for removal in open_file.file.removals:
        moved_text = open_file.moved_texts[removal.number]
        if moved_text.symbol is not None:
            symbol_in_text = _find_named_symbol(
                open_file, moved_text.version, moved_text.symbol
            )
            changes = _lists_of(open_file, lists, moved_text.version)
            changes.delete(symbol_in_text, removal.number)
    for numbered in open_file.file.edits:
        _add_list_edit(open_file, lists, numbered)
    return lists


def _add_list_edit(
    open_file: OpenFile,
    lists: dict[bytes | None, ListEdits],
    numbered: NumberedEdit,
) -> None:
    """Add the change that an edit makes to the list that its symbol is a member of."""
    edit = numbered.edit
    if not isinstance(edit, (PlaceEdit, MoveText)) or edit.at is None:
        return
    anchor = anchor_symbol(edit.at)
    symbol = edit.at.symbol if edit.at.symbol is not None else anchor
    if symbol is None:
        return
    text = open_file.find_text(numbered)
    symbol_in_text = _find_named_symbol(open_file, text, symbol)
    changes = _lists_of(open_file, lists, text)
    if anchor is not None:
        is_after = edit.at.after is not None
        changes.insert(symbol_in_text, numbered.number, after=is_after)
    elif isinstance(edit, PlaceEdit) and edit.deletes_symbol:
        changes.delete(symbol_in_text, numbered.number)
    else:
        changes.replace(symbol_in_text, numbered.number)


def _lists_of(
    open_file: OpenFile,
    lists: dict[bytes | None, ListEdits],
    text: TextVersion,
) -> ListEdits:
    """Return the changes of lists in a text; they begin empty."""
    if text.base not in lists:
        context = open_file.call.context
        outline = context.outlines.outline(text.snapshot, task=context.task)
        path = open_file.file.requested_path
        lists[text.base] = ListEdits(text.snapshot, outline, path)
    return lists[text.base]


def _find_named_symbol(
    open_file: OpenFile, text: TextVersion, symbol: str
) -> NamedSymbol:
    """Return a symbol that fills whole lines."""
    call, file = open_file.call, open_file.file
    # Other code on the lines of the symbol is refused before anything else.
    find_symbol_lines_of(call, file, text, symbol)
    outline = call.context.outlines.outline(
        text.snapshot, task=call.context.task
    )
    return find_symbol(outline, symbol, file.requested_path)


def _separator_edits(
    lists: Mapping[bytes | None, ListEdits],
) -> list[LineEdit]:
    """Return the edits of other members whose separators change."""
    edits = []
    for base, changes in lists.items():
        for other in changes.other_lines():
            edits.append(
                LineEdit(
                    first_line=other.line,
                    last_line=other.line,
                    replace=other.text,
                    named=_FURTHER,
                    base=base,
                    fuzzy=False,
                    number=other.edit,
                )
            )
    return edits


# Deleted symbols


def find_deleted_lines(
    open_file: OpenFile,
) -> Mapping[bytes | None, Sequence[range]]:
    """Return the lines that edits of symbols delete, by text version.

    Text that is inserted beside them is laid out as if they were not there.
    """
    deleted_lines: defaultdict[bytes | None, list[range]] = defaultdict(list)
    for removal in open_file.file.removals:
        lines = range(removal.first_line, removal.last_line + 1)
        deleted_lines[removal.base].append(lines)
    for numbered in open_file.file.edits:
        edit = numbered.edit
        if not isinstance(edit, PlaceEdit) or not edit.deletes_symbol:
            continue
        assert edit.at.symbol is not None
        text = open_file.find_text(numbered)
        symbol_lines = find_symbol_lines_of(
            open_file.call, open_file.file, text, edit.at.symbol
        )
        lines = range(symbol_lines.first, symbol_lines.last + 1)
        deleted_lines[text.base].append(lines)
    return deleted_lines


# One edit


def prepare_edit(open_file: OpenFile, numbered: NumberedEdit) -> PreparedEdit:
    """Return an edit as the planner takes it."""
    match numbered.edit:
        case edit_arguments.TextEdit() as edit:
            return PreparedEdit(_prepare_text_edit(open_file, numbered, edit))
        case MoveText() as edit:
            return PreparedEdit(_prepare_move(open_file, numbered, edit))
        case PlaceEdit() as edit if edit.at.is_insertion:
            return PreparedEdit(_prepare_insertion(open_file, numbered, edit))
        case PlaceEdit() as edit if edit.at.symbol is not None:
            return _prepare_symbol_edit(
                open_file, numbered, edit, edit.at.symbol
            )
        case PlaceEdit() as edit if edit.at.conflict is not None:
            return _prepare_conflict_edit(
                open_file, numbered, edit, edit.at.conflict
            )
        case PlaceEdit() as edit if edit.at.lines is not None:
            return PreparedEdit(
                _prepare_line_edit(open_file, numbered, edit, edit.at.lines)
            )
        case _:
            raise AssertionError("edits of cells and whole files come earlier")


def _prepare_text_edit(
    open_file: OpenFile,
    numbered: NumberedEdit,
    edit: edit_arguments.TextEdit,
) -> Edit:
    call = open_file.call
    version = call.version_for(edit)
    if version is not None:
        call.context.check_version(open_file.snapshot, version)
    is_insertion = (
        not edit.search and edit.end_line is None and not edit.replace_all
    )
    if is_insertion and edit.start_line is not None:
        return Insertion(
            line=edit.start_line,
            replace=edit.replace,
            fuzzy=call.is_fuzzy(edit),
            number=numbered.number,
        )
    return TextEdit(
        edit.search,
        edit.replace,
        replace_all=edit.replace_all,
        start_line=edit.start_line,
        end_line=edit.end_line,
        fuzzy=call.is_fuzzy(edit),
        number=numbered.number,
    )


def _prepare_line_edit(
    open_file: OpenFile,
    numbered: NumberedEdit,
    edit: PlaceEdit,
    lines: Sequence[int],
) -> LineEdit:
    text = open_file.find_text(numbered)
    first, last = lines
    require_known_lines(
        open_file.call, numbered.number, open_file.file, text, first, last
    )
    return LineEdit(
        first_line=first,
        last_line=last,
        replace=edit.replace or "",
        named="by its lines",
        base=text.base,
        fuzzy=open_file.call.is_fuzzy(edit),
        number=numbered.number,
    )


def _prepare_conflict_edit(
    open_file: OpenFile,
    numbered: NumberedEdit,
    edit: PlaceEdit,
    conflict_number: int,
) -> PreparedEdit:
    """Return the edits that replace a conflict, or delete all of it but a side."""
    text = open_file.find_text(numbered)
    conflict = _find_conflict(open_file, numbered, text, conflict_number)
    named = f"conflict {conflict_number} replaced"
    ranges: Sequence[tuple[int, int]] = ((conflict.ours, conflict.theirs),)
    if edit.take is not None:
        named = f"conflict {conflict_number}, {edit.take} taken"
        ranges = conflict.lines_without(edit.take)
    first, *others = (
        LineEdit(
            first_line=first_line,
            last_line=last_line,
            replace=edit.replace or "",
            named=named,
            base=text.base,
            fuzzy=False,
            number=numbered.number,
        )
        for first_line, last_line in ranges
    )
    further_edits = tuple(replace(other, named=_FURTHER) for other in others)
    return PreparedEdit(first, further_edits=further_edits)


def _find_conflict(
    open_file: OpenFile,
    numbered: NumberedEdit,
    text: TextVersion,
    conflict_number: int,
) -> Conflict:
    """Return a conflict by its number, from 1. Raise `invalid_input` without such."""
    call, path = open_file.call, open_file.file.requested_path
    count = 0
    for conflict in iterate_conflicts(text.snapshot, path, call.context.task):
        count += 1
        if count == conflict_number:
            return conflict
    raise call.invalid(
        numbered.number,
        f"{path} has no conflict {conflict_number}; it has {count}",
        "count the lines that begin with <<<<<<<, from 1 in each file",
    )


def _prepare_symbol_edit(
    open_file: OpenFile,
    numbered: NumberedEdit,
    edit: PlaceEdit,
    symbol: str,
) -> PreparedEdit:
    """Return the edit that replaces or deletes a symbol, and what it leaves out."""
    call, file = open_file.call, open_file.file
    text = open_file.find_text(numbered)
    lines = find_symbol_lines_of(call, file, text, symbol)
    new = edit.replace or ""
    if call.is_fuzzy(edit):
        own_lines = range(lines.first, lines.last + 1)
        new = indent_text(new, lines.indent, file, text.snapshot, own_lines)
    new = _with_separator(open_file, numbered.number, new, text)
    new = trim_symbol_text(new, lines)
    description = f"symbol {escape_controls(symbol)}"
    loss = ""
    if edit.deletes_symbol:
        description = f"{description} deleted"
    elif new.strip():
        loss = _describe_loss(open_file, text.snapshot, lines, new)
    line_edit = LineEdit(
        first_line=lines.first,
        last_line=lines.last,
        replace=new,
        named=description,
        base=text.base,
        symbol=lines if edit.deletes_symbol else None,
        fuzzy=call.is_fuzzy(edit),
        number=numbered.number,
    )
    return PreparedEdit(line_edit, loss)


def _prepare_insertion(
    open_file: OpenFile, numbered: NumberedEdit, edit: PlaceEdit
) -> Insertion:
    """Return the insertion of a text beside a symbol or a line."""
    call, file, number = open_file.call, open_file.file, numbered.number
    text = open_file.find_text(numbered)
    point = find_insertion_point(call, number, file, text, edit.at)
    new = edit.replace or ""
    if call.is_fuzzy(edit) and point.indent is not None:
        new = indent_text(new, point.indent, file, text.snapshot, point.symbol)
    gap = point.gap
    if gap is None:
        gap = usual_gap(new, file, point)
    new = _with_separator(open_file, number, new, text)
    blank_lines = (0, 0)
    if point.indent is not None:
        new, above, below = strip_blank_lines(normalize_newlines(new))
        blank_lines = (above, below)
    return Insertion(
        line=point.line,
        replace=as_separate_lines(
            new,
            point,
            text.snapshot,
            gap,
            own_blank_lines=blank_lines,
            deleted=open_file.deleted_lines.get(text.base, ()),
        ),
        named=point.named,
        base=text.base,
        fuzzy=call.is_fuzzy(edit),
        number=number,
    )


def _prepare_move(
    open_file: OpenFile, numbered: NumberedEdit, edit: MoveText
) -> Insertion:
    """Return the insertion of a text that is moved or copied."""
    call, file, number = open_file.call, open_file.file, numbered.number
    text = open_file.find_text(numbered)
    point = find_insertion_point(call, number, file, text, edit.at)
    moved_text = open_file.moved_texts[number]
    is_beside_itself = file is moved_text.source and point.line in (
        moved_text.lines.start,
        moved_text.lines.stop,
    )
    if is_beside_itself and not (edit.is_copy or edit.reindent):
        raise call.invalid(
            number,
            f"{moved_text.label} would be moved to where it is",
            "name another place",
        )
    lists = open_file.lists.get(text.base)
    deleted = open_file.deleted_lines.get(text.base, ())
    target = MoveTarget(file, text.snapshot, point, lists, deleted)
    content = lay_out_moved_text(call, number, edit, moved_text, target)
    return Insertion(
        line=point.line,
        data=content,
        named=f"{describe_move(edit, moved_text)}, {point.named}",
        base=text.base,
        fuzzy=False,
        number=number,
    )


def _with_separator(
    open_file: OpenFile, number: int, new: str, text: TextVersion
) -> str:
    """Return a new text with the separator that it needs as a member of a list."""
    changes = open_file.lists.get(text.base)
    if changes is None or not new.strip():
        return new
    return changes.with_separator(number, new)


def _describe_loss(
    open_file: OpenFile, target: Snapshot, lines: SymbolLines, new: str
) -> str:
    """Return a note on decorators and comments that a new text leaves out, or ""."""
    task = open_file.call.context.task
    start = target.lines.offset_of(lines.first, task)
    stop = target.lines.offset_of(lines.last + 1, task)
    head = target.read(start, min(stop - start, _SYMBOL_HEAD_BYTES))
    before = normalize_newlines(head.decode(target.encoding.name, "replace"))
    language = language_of(open_file.file.location.name)
    lost_parts = find_lost_parts(before, normalize_newlines(new), language)
    return describe_lost_parts(lost_parts) if lost_parts else ""
