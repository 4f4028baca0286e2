"""The tool `edit_content`: from its arguments to its result.

The edits of a call are grouped by file. Each file is planned while it is open: its edits
at their places (`file_plan`), in the cells of a notebook (`cells`), or as a whole
(`whole_files`). All plans are committed as one change (`pipeline`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from filewright.boundary.location import Location
from filewright.edit.changeset import FilePlan
from filewright.edit.model import Tier
from filewright.errors import (
    Code,
    FilewrightError,
    missing,
    path_error,
    too_many,
)
from filewright.hints import Hint
from filewright.text.file_identity import FileIdentity
from filewright.text.snapshot import Snapshot
from filewright.tools.context import Context
from filewright.tools.edit.added_imports import (
    find_added_imports,
    read_new_file,
)
from filewright.tools.edit.arguments import (
    BaseEdit,
    CreateFile,
    DeleteFile,
    EditArguments,
    MoveFile,
    MoveText,
    PlaceEdit,
)
from filewright.tools.edit.call import (
    EditCall,
    FileEdits,
    NumberedEdit,
)
from filewright.tools.edit.cells import plan_cells
from filewright.tools.edit.file_names import ModuleText
from filewright.tools.edit.file_plan import FileEditPlan, plan_file
from filewright.tools.edit.lacking_names import (
    find_lacking_names,
    find_unused_imports,
)
from filewright.tools.edit.moved_imports import ImportPlan, plan_imports
from filewright.tools.edit.moved_symbols import (
    StillUsed,
    find_moved_symbols,
    find_still_used,
    reads_imports,
)
from filewright.tools.edit.moves import (
    MovedSymbol,
    MovedText,
    build_removal,
    read_moved_text,
)
from filewright.tools.edit.rendering import render_edit
from filewright.tools.edit.result import EditResult, to_result
from filewright.tools.edit.whole_files import (
    plan_new_file,
    plan_unedited_file,
    with_whole_edit,
)
from filewright.tools.pipeline import (
    Change,
    StalePlanError,
    commit_change,
    plan_change,
    retry_stale_plan,
)
from filewright.tools.previews import find_diff_view
from filewright.tools.tool import Tool
from filewright.wording import limit_lines, pluralize

# Edits of other files that a refusal names.
_MAX_NAMED: Final = 10
# Errors of files whose content is not shown when they are deleted or moved.
_UNSHOWABLE_CODES = (
    Code.IS_BINARY,
    Code.NOT_A_FILE,
    Code.SYMLINK,
    Code.TOO_LARGE,
)


@dataclass(frozen=True, slots=True)
class EditChange:
    """The change of a call, with the symbols that it moves to other files.

    `still_used` are the symbols whose imports were rewritten, and that some places still
    take from the old file. With `has_no_use_left`, the imports of all moved symbols were
    rewritten, and no such place was found.
    """

    change: Change[FileEditPlan]
    moved_symbols: tuple[MovedSymbol, ...]
    still_used: tuple[StillUsed, ...]
    has_no_use_left: bool


@dataclass(frozen=True, slots=True)
class GroupedEdits:
    """The edits of a call by file, with what they move.

    `moved_texts` are by the number of their edit. `imports` has the imports that are
    rewritten for `moved_symbols`; they are among the edits of `files` too.
    """

    files: EditsByFile
    moved_texts: Mapping[int, MovedText]
    moved_symbols: tuple[MovedSymbol, ...]
    imports: ImportPlan


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
    still_used = edited.still_used
    if edited.change.id is not None:
        # The uses of symbols with rewritten imports were found with these imports.
        others = [
            symbol
            for symbol in edited.moved_symbols
            if not (symbol.moves_imports and reads_imports(symbol))
        ]
        still_used += find_still_used(context, others)
    view = replace(
        find_diff_view(
            context, arguments, edited.change, shows_small_files=True
        ),
        loose_lines=find_loose_lines(arguments.edits, edited.change),
    )
    text = render_edit(
        edited.change,
        still_used,
        view,
        context.settings.page_chars,
        has_no_use_left=edited.has_no_use_left,
    )
    return to_result(edited.change, still_used, text)


def find_loose_lines(
    edits: Sequence[BaseEdit], change: Change[FileEditPlan]
) -> dict[str, list[range]]:
    """Return the new lines, by path, that may differ from those that the caller expects.

    The place of their edit was found loosely, or they were indented to fit their place.
    """
    lines_by_path: dict[str, list[range]] = {}
    for file in change.files:
        if file.diff is None:
            continue
        loose_lines = lines_by_path.setdefault(file.diff.path, [])
        for outcome in file.result.outcomes:
            lines = range(outcome.new_first, outcome.new_last + 1)
            edit = edits[outcome.index]
            is_laid_out = isinstance(edit, PlaceEdit) and not file.diff.adds(
                (edit.replace or "").splitlines(), lines
            )
            if outcome.tier is not Tier.EXACT or is_laid_out:
                loose_lines.append(lines)
    return lines_by_path


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
    imports = grouped.imports.without_own_uses(
        {
            symbol
            for file in change.files
            for symbol in file.result.imported_symbols
        }
    )
    still_used = [
        StillUsed.of(symbol, places)
        for symbol, places in imports.places.items()
        if places
    ]
    return EditChange(
        change,
        grouped.moved_symbols,
        tuple(still_used),
        imports.has_no_use_left,
    )


def group_edits(call: EditCall) -> GroupedEdits:
    """Group the edits of a call by file.

    The texts that they move are read, and the imports of moved symbols are added.
    """
    files = EditsByFile(call)
    moved_texts: dict[int, MovedText] = {}
    moved_symbols: list[MovedSymbol] = []
    for number, edit in enumerate(call.arguments.edits):
        file = files.add(NumberedEdit(number, edit))
        if not isinstance(edit, MoveText):
            continue
        source = files.find_source(number, edit, file)
        with files.open(source) as snapshot:
            moved_text = read_moved_text(
                call, number, edit, source, snapshot, file
            )
        moved_texts[number] = moved_text
        if not edit.is_copy:
            source.removals.append(build_removal(moved_text, number, file))
            moved_symbols += find_moved_symbols(
                call, number, edit, moved_text, file
            )
    imports = plan_imports(call.context, moved_symbols)
    _add_import_edits(call, files, imports)
    return GroupedEdits(files, moved_texts, tuple(moved_symbols), imports)


def _add_import_edits(
    call: EditCall, files: EditsByFile, imports: ImportPlan
) -> None:
    """Add the edits that rewrite imports to their files, unless the call deletes them."""
    for location, edits in imports.edits.items():
        number = edits[0].edit.number
        file = files.find(location, number)
        if file.is_deleted:
            continue
        if file.whole is not None:
            raise call.invalid(
                file.whole.number,
                f"{file.requested_path} imports a symbol that edit "
                f"{number + 1} moves",
                "move the file in another call",
            )
        file.imports += edits


def plan_files(
    call: EditCall, grouped: GroupedEdits
) -> Iterator[FilePlan[FileEditPlan]]:
    """Yield the plan of each file, which is open until the next one is requested.

    The texts that are not found are refused together after the last file, so that the
    caller can correct all of them in one call.
    """
    files = grouped.files
    refusals: list[FilewrightError] = []
    new_files: dict[Location, ModuleText] = {}
    origins = grouped.imports.origins
    # What an old file can import depends on the imports of the new ones.
    for file in sorted(files, key=lambda file: file.location in origins):
        _require_not_deleted(call, file)
        if file.is_new:
            yield _plan_with_imports(
                call,
                grouped,
                file,
                new_files,
                partial(plan_new_file, call, file, grouped.moved_texts),
            )
            continue
        has_edits = bool(file.edits or file.removals or file.imports)
        if file.whole is not None and (file.is_deleted or not has_edits):
            shown_text = files.read_shown_text(file)
            yield plan_unedited_file(call, file, file.whole, shown_text)
            continue
        if not has_edits:
            # Text is copied from the file, which stays as it is.
            continue
        with files.open(file) as snapshot:
            files.require_one_path(file, snapshot)
            _require_same_version(file, snapshot)
            try:
                if file.names_cells:
                    plan = plan_cells(call, file, snapshot)
                else:
                    plan = _plan_with_imports(
                        call,
                        grouped,
                        file,
                        new_files,
                        partial(
                            plan_file, call, file, snapshot, grouped.moved_texts
                        ),
                    )
            except FilewrightError as error:
                if "refusals" not in error.details:
                    raise
                refusals.append(error)
                continue
            if file.whole is not None:
                plan = with_whole_edit(call, plan, file.whole)
            yield plan
    if refusals:
        raise _join_refusals(call, refusals)


def _require_same_version(file: FileEdits, snapshot: Snapshot) -> None:
    """Raise `StalePlanError` if a file has changed since its imports were read."""
    if file.imports and file.imports[0].version != snapshot.version:
        raise StalePlanError(
            Code.STALE_VERSION,
            f"{file.requested_path} has just been changed by another program",
            "send the edit again",
            path=file.requested_path,
        )


def _plan_with_imports(
    call: EditCall,
    grouped: GroupedEdits,
    file: FileEdits,
    new_files: dict[Location, ModuleText],
    plan_once: Callable[[], FilePlan[FileEditPlan]],
) -> FilePlan[FileEditPlan]:
    """Return the plan of a file with the imports that moved symbols need in it.

    The plan without them shows what is lacking, so that the file is planned twice if
    imports are added. The file is added to `new_files` if symbols move into it, and
    it has all that they need.
    """
    context, symbols, imports = (
        call.context,
        grouped.moved_symbols,
        grouped.imports,
    )
    plan = plan_once()
    if not imports.origins:
        return plan
    added = find_added_imports(context, symbols, imports, plan, file, new_files)
    imported = [*added.imported_before]
    if added.edits:
        file.added_imports = [*added.edits]
        try:
            plan = plan_once()
            imported += added.symbols
        except FilewrightError as error:
            if error.ends_call or "refusals" not in error.details:
                raise
            # Another edit changes the place where they would go.
            file.added_imports = []
    lacking = find_lacking_names(context, symbols, imports, plan)
    new_file = read_new_file(context, symbols, imports, plan)
    # One that lacks names may have to import the old file, which closes a cycle.
    if new_file is not None and not lacking.names:
        new_files[file.location] = new_file
    result = replace(
        plan.result,
        lacking=lacking,
        unused_imports=find_unused_imports(context, imports, plan),
        imported_symbols=tuple(imported),
    )
    return replace(plan, result=result)


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


def _require_not_deleted(call: EditCall, file: FileEdits) -> None:
    """Raise `invalid_input` for edits of a file that another edit deletes."""
    # Text may move out of a file before it is deleted; any other edit would be lost.
    if file.whole is None or not file.is_deleted or not file.edits:
        return
    raise call.invalid(
        file.edits[0].number,
        f"{file.requested_path} is deleted by edit {file.whole.number + 1}",
        "leave out one of these edits",
    )


def _join_refusals(
    call: EditCall, refusals: Sequence[FilewrightError]
) -> FilewrightError:
    """Return the first refusal, which names those of all other edits too."""
    messages: list[str] = []
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
            messages.append(
                f"{error.details['path']}: edit {refusal['edit'] + 1}: {message}"
            )
    first = refusals[0]
    first.also = tuple(limit_lines(messages[1:], _MAX_NAMED, noun="edit"))
    return first


class EditsByFile:
    """The files of a call, in the order in which its edits name them."""

    def __init__(self, call: EditCall) -> None:
        self._call = call
        self._files: dict[Location, FileEdits] = {}
        self._identity_by_location: dict[Location, FileIdentity | None] = {}
        self._location_by_identity: dict[FileIdentity | None, Location] = {}

    def __iter__(self) -> Iterator[FileEdits]:
        return iter(self._files.values())

    def add(self, numbered: NumberedEdit) -> FileEdits:
        """Add an edit to the file that it names, and return that file.

        Raise a refusal if the edit needs a file that exists, or one that does not.
        """
        edit = numbered.edit
        location = self._locate(numbered)
        has_content = False
        creates = False
        if isinstance(edit, (CreateFile, MoveText)):
            has_content = edit.content is not None
            creates = has_content
        if isinstance(edit, MoveText):
            # Text without a place goes to the end of a file, which may be new. Text with
            # one may go beside what an edit before it put into the new file.
            creates |= edit.at is None or location in self._files
        file = self.find(location, numbered.number, creates=creates)
        if has_content and (file.edits or not file.is_new):
            raise _already_exists(file)
        if isinstance(edit, (DeleteFile, MoveFile)) and not file.is_new:
            self._add_whole(file, numbered)
        else:
            file.edits.append(numbered)
        return file

    def find(
        self, location: Location, number: int, *, creates: bool = False
    ) -> FileEdits:
        """Return the file at a location, for edit `number`.

        With `creates`, the edit may create the file. Raise `invalid_input` for another
        edit of a file that the call creates.
        """
        context = self._call.context
        file = self._files.get(location)
        if file is None:
            is_new = creates and not context.exists(location)
            file = self._files[location] = FileEdits(location, is_new)
            if is_new:
                context.boundary.require_writable(location)
        if file.is_new and not creates:
            raise self._call.invalid(
                number,
                f"{location.requested_path} is created by this call",
                "give the whole text of the new file: content, and from",
            )
        return file

    def find_source(
        self, number: int, edit: MoveText, destination: FileEdits
    ) -> FileEdits:
        """Return the file from which an edit moves or copies a text."""
        path = edit.source.path
        if path is None and self._call.names_another_file(edit):
            path = self._call.arguments.path
            if not destination.is_new:
                raise self._call.invalid(
                    number,
                    f"from may be of {destination.requested_path} or of {path}",
                    "give its path in from",
                )
        if path is not None:
            location = self._call.context.boundary.locate(path)
            return self.find(location, number)
        if destination.is_new:
            raise self._call.invalid(
                number,
                "from has no path",
                "give in from the path of the file that has the text",
            )
        return destination

    def open(self, file: FileEdits) -> Snapshot:
        """Open a file as text.

        Raise `StalePlanError` if it is not the file that was opened earlier in this plan.
        """
        context, location = self._call.context, file.location
        context.boundary.require_writable(location)
        snapshot = context.open(
            location, encoding=self._call.arguments.encoding, text=True
        )
        earlier_identity = self._identity_by_location.get(location)
        # Lines and symbols that were read from the earlier file may be elsewhere in
        # this one.
        if earlier_identity not in (None, snapshot.identity):
            snapshot.close()
            raise StalePlanError(
                Code.STALE_VERSION,
                f"{file.requested_path} has just been changed by another "
                "program",
                "send the edit again",
                path=file.requested_path,
            )
        self._identity_by_location[location] = snapshot.identity
        return snapshot

    def read_shown_text(self, file: FileEdits) -> Snapshot | None:
        """Return the text of a file that is deleted or moved; None if it cannot be shown."""
        try:
            with self.open(file) as snapshot:
                # Held content can still be read when the file is closed.
                return snapshot if snapshot.content is not None else None
        except FilewrightError as error:
            if error.code not in _UNSHOWABLE_CODES:
                raise
            return None

    def require_one_path(self, file: FileEdits, snapshot: Snapshot) -> None:
        """Raise `invalid_input` if the file is edited by another path too."""
        # A link or another spelling may lead to the same file, and two plans of it
        # would clash.
        other = self._location_by_identity.setdefault(
            snapshot.identity, file.location
        )
        if other != file.location:
            raise self._call.invalid(
                file.edits[0].number if file.edits else 0,
                f"{file.requested_path} and {other.requested_path} are one file",
                "use one of these paths in all edits",
            )

    def _locate(self, numbered: NumberedEdit) -> Location:
        """Return the location of an edit: of its own path, else of that of the call."""
        path = numbered.edit.path
        if path is None:
            path = self._call.arguments.path
        if path is None:
            raise self._call.invalid(
                numbered.number,
                "no path was given",
                "give path, or a path in every edit",
            )
        return self._call.context.boundary.locate(path)

    def _add_whole(self, file: FileEdits, numbered: NumberedEdit) -> None:
        """Add the edit that deletes or moves a file."""
        context = self._call.context
        if file.whole is not None:
            raise self._call.invalid(
                numbered.number,
                f"{file.requested_path} is also deleted or moved by edit "
                f"{file.whole.number + 1}",
                "leave out one of the two edits",
            )
        file.whole = numbered
        context.boundary.require_writable(file.location, link_itself=True)
        version = self._call.version_for(numbered.edit)
        if version is not None:
            with self.open(file) as snapshot:
                context.check_version(snapshot, version)
        elif not context.exists(file.location):
            raise missing(file.requested_path)


def _already_exists(file: FileEdits) -> FilewrightError:
    """Return the refusal to create a file a second time."""
    path = file.requested_path
    message = f"{path} exists already"
    if file.is_new:
        message = f"{path} is created by another edit"
    return path_error(
        Code.ALREADY_EXISTS,
        path,
        message,
        'change a part of it, or overwrite it with write_content and mode="overwrite"',
    )


EDIT_CONTENT = Tool(
    name="edit_content",
    title="Edit files",
    description=(
        "Edits of one file (path) or several (path in each), all or "
        "none. Text: search must match once; add lines around it, or "
        "start_line. Place: at a symbol (with its comment and decorators), "
        'or lines as shown last; replace "" deletes them whole. Insert: at '
        "after or before a symbol or line. Conflict: at conflict N or all, "
        "or at symbol; take ours (first side). Move code: from, to at or to the end; "
        "imports: rewrite and add them. File: content makes "
        "one; delete or move_to beside its own path. Notebook: cell (id or "
        "number) limits search; at cell replaces "
        "or deletes it, at after_cell or before_cell adds one."
    ),
    toolset="edit",
    arguments=EditArguments,
    run=edit_content,
    writes=True,
    destructive=True,
    idempotent=False,
    step=(
        "3. Edit many files in a call. The answer shows the changes: do "
        "not read it again. A refusal shows the nearest text: correct "
        "and repeat."
    ),
)
