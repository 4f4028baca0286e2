"""The plan of one file: its edits as the planner takes them, and the splices they make."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import takewhile

from filewright.edit.changeset import FilePlan
from filewright.edit.outcome import EditOutcome
from filewright.edit.overlay import Overlay
from filewright.edit.planning import plan_edits
from filewright.edit.request import (
    Edit,
    EditRole,
    Insertion,
    LineEdit,
    TextEdit,
)
from filewright.edit.source import Source
from filewright.edit.symbol_lines import StrippedText, strip_blank_lines
from filewright.edit.text_plan import plan_text
from filewright.text.codec import normalize_newlines
from filewright.text.notebook import view_if_notebook
from filewright.text.snapshot import Snapshot
from filewright.text.splice import Splice
from filewright.tools.edit.arguments import MoveText, PlaceEdit, ReplaceText
from filewright.tools.edit.call import (
    EditCall,
    FileEdits,
    ImportEdit,
    NumberedEdit,
    PreparedEdit,
)
from filewright.tools.edit.conflicts import prepare_conflict_edit
from filewright.tools.edit.descriptions import (
    DescribedLines,
    TakenSide,
    describe_imports,
    describe_lines,
)
from filewright.tools.edit.lacking_names import LackingNames, UnusedImport
from filewright.tools.edit.layout import (
    BlankLines,
    as_separate_lines,
    indent_text,
    usual_gap,
)
from filewright.tools.edit.moves import (
    LaidOutText,
    MovedSymbol,
    MovedText,
    MoveTarget,
    describe_arrival,
    lay_out_moved_text,
)
from filewright.tools.edit.places import (
    OpenFile,
    find_insertion_point,
    require_known_lines,
)
from filewright.tools.edit.symbols import (
    find_deleted_lines,
    find_list_edits,
    prepare_symbol_edit,
    separator_edits,
    with_separator,
)
from filewright.wording import pluralize

MAX_BLANK_LINES = 20
"""The most blank lines that are counted on each side of a removed symbol's place."""


@dataclass(frozen=True, slots=True)
class FileEditPlan:
    """The splices of one file, in order, and the outcomes of its edits.

    `losses` are, by the number of an edit, notes on decorators and comments of a symbol
    that its new text leaves out. `sides` says what "ours" and "theirs" are in conflicts
    that were resolved. `described` are the lines that an answer describes in words instead
    of showing them. `import_count` is the number of imports that were rewritten, and
    `lacking` has the names that a moved text uses and the file does not have. `unused_imports`
    are those that only a text that moved away has used, and `imported_symbols` the symbols
    that moved away and that it imports now.
    """

    splices: tuple[Splice, ...]
    outcomes: tuple[EditOutcome, ...]
    losses: Mapping[int, str] = field(default_factory=dict)
    sides: tuple[str, ...] = ()
    described: DescribedLines = field(default_factory=DescribedLines)
    import_count: int = 0
    lacking: LackingNames = field(default_factory=LackingNames)
    unused_imports: tuple[UnusedImport, ...] = ()
    imported_symbols: tuple[MovedSymbol, ...] = ()


@dataclass
class _EditRemarks:
    """Facts about the edits of a file that the planner does not need, for the answer.

    `removals` and `imports` are the edits that remove moved texts and rewrite imports. The
    other fields are those of `PreparedEdit`; `losses`, `laid_out_texts` and `deletions`
    are by the number of the edit.
    """

    removals: Sequence[LineEdit] = ()
    imports: Sequence[ImportEdit] = ()
    losses: dict[int, str] = field(default_factory=dict)
    sides: list[str] = field(default_factory=list)
    taken_sides: list[TakenSide] = field(default_factory=list)
    laid_out_texts: dict[int, LaidOutText] = field(default_factory=dict)
    deletions: dict[int, str] = field(default_factory=dict)

    def add(self, number: int, prepared: PreparedEdit) -> None:
        """Add the remarks on one edit."""
        self.sides += prepared.sides
        if prepared.loss:
            self.losses[number] = prepared.loss
        self.taken_sides += prepared.taken_sides
        if prepared.laid_out_text is not None:
            self.laid_out_texts[number] = prepared.laid_out_text
        if prepared.deletion is not None:
            self.deletions[number] = prepared.deletion

    @property
    def has_known_lines(self) -> bool:
        """True if the caller may know some of the lines, which are then described."""
        return bool(
            self.removals
            or self.taken_sides
            or self.laid_out_texts
            or self.deletions
        )


def plan_file(
    call: EditCall,
    file: FileEdits,
    snapshot: Snapshot,
    moved_texts: Mapping[int, MovedText],
) -> FilePlan[FileEditPlan]:
    """Plan the edits of a file, or of a notebook as its cells are shown."""
    shown_text = snapshot
    if call.arguments.encoding is None:
        shown_text = view_if_notebook(snapshot, call.context.task)
    open_file = OpenFile(call, file, snapshot, moved_texts)
    open_file = replace(
        open_file,
        lists=find_list_edits(open_file),
        deleted_lines=find_deleted_lines(open_file),
    )
    imports = [*file.added_imports, *file.imports]
    edits: list[Edit] = [*file.removals]
    further_edits: list[LineEdit] = []
    remarks = _EditRemarks(file.removals, imports)
    for numbered in file.edits:
        prepared = prepare_edit(open_file, numbered)
        edits.append(prepared.edit)
        further_edits += prepared.further_edits
        remarks.add(numbered.number, prepared)
    # A text that moves within the file is removed before it is inserted.
    edits.sort(key=lambda edit: edit.number)
    edits += further_edits
    edits += separator_edits(open_file.lists)
    edits += [rewritten.edit for rewritten in file.imports]
    # New imports are above the text that moves to the same place.
    edits[:0] = [added.edit for added in file.added_imports]
    earlier_contents = call.context.shown.earlier_contents(
        file.location, except_version=snapshot.version
    )
    plan = partial(
        plan_snapshot,
        call,
        edits,
        remarks=remarks,
        earlier_contents=earlier_contents,
    )
    return plan_text(shown_text, plan)


def plan_snapshot(
    call: EditCall,
    edits: Sequence[Edit],
    snapshot: Snapshot,
    *,
    remarks: _EditRemarks | None = None,
    earlier_contents: Sequence[bytes] = (),
) -> FileEditPlan:
    """Plan edits of a text, and describe their outcomes."""
    remarks = remarks or _EditRemarks()
    plan = plan_edits(
        snapshot,
        edits,
        total=len(call.arguments.edits),
        in_turn=call.arguments.in_turn,
        bases=earlier_contents,
        task=call.context.task,
    )
    outcomes = []
    import_outcomes = []
    for outcome in plan.outcomes:
        if outcome.role is EditRole.IMPORT:
            import_outcomes.append(outcome)
        elif outcome.role is EditRole.REQUESTED:
            note = remarks.losses.get(outcome.index, outcome.note)
            outcomes.append(replace(outcome, note=note))
    result = Source(Overlay(snapshot, plan.splices), call.context.task)
    outcomes = [with_blank_lines(outcome, result) for outcome in outcomes]
    described = DescribedLines()
    if remarks.has_known_lines:
        described = describe_lines(
            outcomes,
            remarks.removals,
            remarks.laid_out_texts,
            remarks.taken_sides,
            remarks.deletions,
            result,
        )
    if import_outcomes:
        described = describe_imports(
            described, import_outcomes, remarks.imports
        )
    return FileEditPlan(
        plan.splices,
        tuple(outcomes),
        remarks.losses,
        tuple(remarks.sides),
        described,
        sum(not rewritten.is_added for rewritten in remarks.imports),
    )


def is_symbol_removal(outcome: EditOutcome) -> bool:
    """Return True if a symbol was deleted or moved away, and no text is in its place."""
    return outcome.is_of_symbol and outcome.new_last < outcome.new_first


def with_blank_lines(outcome: EditOutcome, result: Source) -> EditOutcome:
    """Return the outcome of a removed symbol with the blank lines left at its place.

    Other outcomes are returned as they are. `result` is the text after all edits.
    """
    if not is_symbol_removal(outcome):
        return outcome
    index = outcome.new_first - 1
    start = max(0, index - MAX_BLANK_LINES)
    above = result.bodies(start, index - start)
    below = result.bodies(index, MAX_BLANK_LINES)
    count = 0
    for bodies in (above[::-1], below):
        count += sum(
            1 for _ in takewhile(lambda body: not body.strip(), bodies)
        )
    blank_lines = pluralize(count, "blank line") if count else "no blank line"
    return replace(outcome, remainder=f"; {blank_lines} left at {index + 1}")


def prepare_edit(open_file: OpenFile, numbered: NumberedEdit) -> PreparedEdit:
    """Return an edit as the planner takes it."""
    match numbered.edit:
        case ReplaceText() as edit:
            return PreparedEdit(_prepare_text_edit(open_file, numbered, edit))
        case MoveText() as edit:
            return _prepare_move(open_file, numbered, edit)
        case PlaceEdit() as edit if edit.at.is_insertion:
            return PreparedEdit(_prepare_insertion(open_file, numbered, edit))
        case PlaceEdit() as edit if edit.is_of_conflicts:
            return prepare_conflict_edit(open_file, numbered, edit)
        case PlaceEdit() as edit if edit.at.symbol is not None:
            return prepare_symbol_edit(
                open_file, numbered, edit, edit.at.symbol
            )
        case PlaceEdit() as edit if edit.at.lines is not None:
            return PreparedEdit(
                _prepare_line_edit(open_file, numbered, edit, edit.at.lines),
                deletion=None if edit.replace else "",
            )
        case _:
            raise AssertionError("edits of cells and whole files come earlier")


def _prepare_text_edit(
    open_file: OpenFile,
    numbered: NumberedEdit,
    edit: ReplaceText,
) -> TextEdit | Insertion:
    """Return the replacement of a text, or an insertion at a line for an empty search."""
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
    """Return the edit of lines. Raise `invalid_input` for lines not shown yet."""
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
    new = with_separator(open_file, number, new, text)
    stripped = StrippedText(new)
    if point.indent is not None:
        # Blank lines that are there already are not written again.
        stripped = strip_blank_lines(normalize_newlines(new))
    return Insertion(
        line=point.line,
        replace=as_separate_lines(
            stripped.text,
            point,
            text.snapshot,
            gap,
            own_blank_lines=BlankLines(stripped.above, stripped.below),
            deleted=open_file.deleted_lines.get(text.base, ()),
        ),
        named=point.named,
        base=text.base,
        fuzzy=call.is_fuzzy(edit),
        number=number,
    )


def _prepare_move(
    open_file: OpenFile, numbered: NumberedEdit, edit: MoveText
) -> PreparedEdit:
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
            f"{moved_text.label} is at that place already",
            "name another place",
        )
    lists = open_file.lists.get(text.base)
    deleted = open_file.deleted_lines.get(text.base, ())
    target = MoveTarget(file, text.snapshot, point, lists, deleted)
    laid_out_text = lay_out_moved_text(call, number, edit, moved_text, target)
    insertion = Insertion(
        line=point.line,
        data=laid_out_text.data,
        named=f"{describe_arrival(edit, moved_text)}, {point.named}",
        base=text.base,
        fuzzy=False,
        number=number,
    )
    return PreparedEdit(insertion, laid_out_text=laid_out_text)
