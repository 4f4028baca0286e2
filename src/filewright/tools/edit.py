"""The tool `edit_content`: from its arguments to its result.

The edits of a call are grouped by file (`edit_files`). Each file is planned while it is
open: its edits at their places (`edit_file_plan`), in the cells of a notebook
(`edit_cells`), or as a whole (`edit_whole_files`). All plans are committed as one change.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from filewright.edit.changeset import FilePlan
from filewright.errors import FilewrightError, too_many
from filewright.hints import Hint
from filewright.text.snapshot import Snapshot
from filewright.tools.context import Context
from filewright.tools.edit_arguments import (
    BaseEdit,
    CreateFile,
    DeleteFile,
    EditArguments,
    MoveFile,
    MoveText,
)
from filewright.tools.edit_cells import names_cells, plan_cells
from filewright.tools.edit_file_plan import FileEditPlan, plan_file
from filewright.tools.edit_files import (
    EditCall,
    EditsByFile,
    FileEdits,
    NumberedEdit,
)
from filewright.tools.edit_moves import (
    MovedSymbol,
    MovedText,
    build_removal,
    find_moved_symbol,
    read_moved_text,
)
from filewright.tools.edit_rendering import render_edit
from filewright.tools.edit_result import EditResult, to_result
from filewright.tools.edit_whole_files import (
    plan_new_file,
    plan_unedited_file,
    with_whole_edit,
)
from filewright.tools.moved_symbols import StillUsed, find_still_used
from filewright.tools.pipeline import (
    Change,
    commit_change,
    plan_change,
    retry_stale_plan,
)
from filewright.tools.previews import find_diff_view
from filewright.tools.tool import Tool
from filewright.wording import limit_lines, pluralize

# Edits of other files that a refusal names.
_MAX_NAMED: Final = 10


@dataclass(frozen=True, slots=True)
class EditChange:
    """The change of a call, with the symbols that it moves to other files."""

    change: Change[FileEditPlan]
    moved_symbols: tuple[MovedSymbol, ...]


@dataclass(frozen=True, slots=True)
class GroupedEdits:
    """The edits of a call by file, with the texts that move, by the number of the edit."""

    files: EditsByFile
    moved_texts: Mapping[int, MovedText]
    moved_symbols: tuple[MovedSymbol, ...]


def edit_content(context: Context, arguments: EditArguments) -> EditResult:
    """Locate every edit on one snapshot of its file, and commit them together."""
    count = len(arguments.edits)
    max_edits = context.settings.max_edits
    if count > max_edits:
        raise too_many(
            count,
            max_edits,
            "edits",
            Hint(
                "send them in several calls, or use replace_content",
                shell="send them in several calls",
            ),
        )
    call = EditCall(context, arguments)
    edited = retry_stale_plan(context, partial(plan_and_commit, call))
    still_used: tuple[StillUsed, ...] = ()
    if edited.change.id is not None:
        still_used = find_still_used(context, edited.moved_symbols)
    view = find_diff_view(context, arguments, edited.change)
    text = render_edit(
        edited.change, still_used, view, context.settings.page_chars
    )
    return to_result(edited.change, still_used, text)


def plan_and_commit(call: EditCall) -> EditChange:
    """Plan every file, then commit all of them unless this is a preview."""
    context, arguments = call.context, call.arguments
    grouped = group_edits(call)
    change = plan_change(
        context, plan_files(call, grouped), is_preview=arguments.preview
    )
    if not arguments.preview:
        summary = _summarize(arguments.edits, grouped, change)
        change = commit_change(
            context, change, "edit_content", summary, arguments
        )
    return EditChange(change, grouped.moved_symbols)


def _summarize(
    edits: Sequence[BaseEdit],
    grouped: GroupedEdits,
    change: Change[FileEditPlan],
) -> str:
    """Return the line by which the history tells what a call did to its files."""
    files = ", ".join(file.location.display_path for file in change.files)
    if len(edits) == 1:
        match edits[0]:
            case CreateFile():
                return f"create {files}"
            case DeleteFile():
                return f"delete {files}"
            case MoveFile():
                (source,) = grouped.files
                return f"move {source.location.display_path} to {files}"
    return f"edit {files}: {pluralize(len(edits), 'edit')}"


def group_edits(call: EditCall) -> GroupedEdits:
    """Group the edits of a call by file, and read the texts that they move."""
    files = EditsByFile(call)
    moved_texts: dict[int, MovedText] = {}
    moved_symbols: list[MovedSymbol] = []
    for number, edit in enumerate(call.arguments.edits):
        file = files.add(NumberedEdit(number, edit))
        if not isinstance(edit, MoveText):
            continue
        moved_text = read_moved_text(call, number, edit, file, files)
        moved_texts[number] = moved_text
        if not edit.is_copy:
            moved_text.source.removals.append(
                build_removal(moved_text, number, file)
            )
            symbol = find_moved_symbol(moved_text, file)
            if symbol is not None:
                moved_symbols.append(symbol)
    return GroupedEdits(files, moved_texts, tuple(moved_symbols))


def plan_files(
    call: EditCall, grouped: GroupedEdits
) -> Iterator[FilePlan[FileEditPlan]]:
    """Yield the plan of each file, which is open until the next one is requested.

    The texts that are not found are refused together after the last file, so that the
    caller can correct all of them in one call.
    """
    refusals: list[FilewrightError] = []
    for file in grouped.files:
        _require_not_deleted(call, file)
        if file.is_new:
            yield plan_new_file(call, file, grouped.moved_texts)
            continue
        has_edits = bool(file.edits or file.removals)
        if not has_edits and file.whole is None:
            # Text is copied from the file, which stays as it is.
            continue
        if not has_edits or file.is_deleted:
            plan = plan_unedited_file(grouped.files, file)
            yield with_whole_edit(call, plan, file)
            continue
        with grouped.files.open(file) as snapshot:
            grouped.files.require_one_path(file, snapshot)
            try:
                plan = _plan_text_file(call, grouped, file, snapshot)
            except FilewrightError as error:
                if "refusals" not in error.details:
                    raise
                refusals.append(error)
                continue
            yield with_whole_edit(call, plan, file)
    if refusals:
        raise _join_refusals(call, refusals)


def _require_not_deleted(call: EditCall, file: FileEdits) -> None:
    """Raise `invalid_input` for edits of a file that another edit deletes."""
    # Text may move out of a file before it is deleted; any other edit would be lost.
    if file.whole is None or not file.is_deleted or not file.edits:
        return
    raise call.invalid(
        file.edits[0].number,
        f"{file.requested_path} is deleted by edit {file.whole.number + 1}",
        "leave out one of them",
    )


def _plan_text_file(
    call: EditCall, grouped: GroupedEdits, file: FileEdits, snapshot: Snapshot
) -> FilePlan[FileEditPlan]:
    """Plan the edits of an open file, by cells if they name any."""
    if names_cells(file):
        return plan_cells(call, file, snapshot)
    return plan_file(call, file, snapshot, grouped.moved_texts)


def _join_refusals(
    call: EditCall, refusals: Sequence[FilewrightError]
) -> FilewrightError:
    """Return the first refusal, which names those of all other edits too."""
    others: list[str] = []
    for error in refusals:
        for refusal in error.details["refusals"]:
            edit = call.arguments.edits[refusal["edit"]]
            # A suggestion is sent in place of its edit, so it needs the same file.
            own_fields = edit.model_dump(
                include={"path", "cell", "expected_version"},
                exclude_none=True,
            )
            refusal["suggestions"][:] = [
                suggestion | own_fields for suggestion in refusal["suggestions"]
            ]
            message, *_ = refusal["message"].splitlines()
            others.append(
                f"{error.details['path']}: edit {refusal['edit'] + 1}: {message}"
            )
    first = refusals[0]
    first.also = tuple(limit_lines(others[1:], _MAX_NAMED, noun="edit"))
    return first


EDIT_CONTENT = Tool(
    name="edit_content",
    title="Edit files",
    description=(
        "Edits of one file (path) or several (path in each), all or "
        "none. Text: search must match once; give lines around it, or "
        "start_line. Place: at a symbol (with its comment and decorators), "
        'or lines as shown last; replace "" deletes them whole. Insert: at '
        "after or before a symbol or line. Merge conflict: at conflict N, "
        "take. Move code: from, to at, or to the end. File: content makes one; delete or move_to beside its own "
        "path. Notebook: cell (id or number) holds search; at cell replaces "
        "or deletes it, at after_cell or before_cell adds one."
    ),
    toolset="edit",
    arguments=EditArguments,
    run=edit_content,
    writes=True,
    destructive=True,
    idempotent=False,
    step=(
        "3. Edit: edit_content takes edits of many files in a call. Its "
        "answer shows the changes: do not read it again. A refusal "
        "shows the nearest text: correct and repeat."
    ),
)
