"""One call of `edit_content`: its defaults, and its edits of each file."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from filewright.boundary.location import Location
from filewright.edit.import_rewriting import NewLine
from filewright.edit.request import Edit, LineEdit, SpliceEdit
from filewright.errors import FilewrightError, invalid
from filewright.tools.context import Context
from filewright.tools.edit.arguments import (
    BaseEdit,
    DeleteFile,
    EditArguments,
    MoveText,
)

if TYPE_CHECKING:
    from filewright.tools.edit.descriptions import TakenSide
    from filewright.tools.edit.moves import LaidOutText

# What an edit of imports does, in words.
IMPORT_REWRITTEN: Final = "import"


@dataclass(frozen=True, slots=True)
class EditCall:
    """One call of `edit_content`, with its defaults for the fields of its edits."""

    context: Context
    arguments: EditArguments

    def names_another_file(self, edit: BaseEdit) -> bool:
        """Return True if an edit has another path than the call."""
        call_path = self.arguments.path
        if edit.path is None or call_path is None:
            return False
        boundary = self.context.boundary
        return boundary.locate(edit.path) != boundary.locate(call_path)

    def version_for(self, edit: BaseEdit) -> str | None:
        """Return the version that an edit is for: its own, else that of the call."""
        if edit.expected_version or self.names_another_file(edit):
            return edit.expected_version
        return self.arguments.expected_version

    def is_fuzzy(self, edit: BaseEdit) -> bool:
        """Return True if the text of an edit may be found by lenient matching."""
        return self.arguments.fuzzy if edit.fuzzy is None else edit.fuzzy

    def moves_imports(self, edit: MoveText) -> bool:
        """Return True if imports of the symbol that an edit moves are rewritten."""
        return edit.imports or self.arguments.imports

    def invalid(self, number: int, message: str, hint: str) -> FilewrightError:
        """Return an `invalid_input` error that names the edit by its number."""
        count = len(self.arguments.edits)
        prefix = f"edit {number + 1} of {count}: " if count > 1 else ""
        return invalid(f"{prefix}{message}", hint, edit=number)


@dataclass(frozen=True, slots=True)
class NumberedEdit:
    """An edit with its position in the call, from 0."""

    number: int
    edit: BaseEdit


@dataclass(frozen=True, slots=True)
class ImportEdit:
    """The rewriting of one import of a file at `version`, and the lines to show.

    `is_added`: it is a new import, for code that moves into the file.
    """

    edit: SpliceEdit
    lines: tuple[NewLine, ...]
    version: str
    is_added: bool = False


@dataclass
class FileEdits:
    """The edits of one file of a call, in order.

    `whole` is the edit that deletes or moves the file itself. `removals` remove the texts
    that edits of this or another file move away, and `imports` rewrite imports of symbols
    that move. `added_imports` are new ones, for code that moves into the file.
    """

    location: Location
    is_new: bool
    whole: NumberedEdit | None = None
    edits: list[NumberedEdit] = field(default_factory=list)
    removals: list[LineEdit] = field(default_factory=list)
    imports: list[ImportEdit] = field(default_factory=list)
    added_imports: list[ImportEdit] = field(default_factory=list)

    @property
    def requested_path(self) -> str:
        """The path as the caller wrote it."""
        return self.location.requested_path

    @property
    def is_deleted(self) -> bool:
        """True if an edit deletes the file."""
        return self.whole is not None and isinstance(
            self.whole.edit, DeleteFile
        )

    @property
    def names_cells(self) -> bool:
        """True if an edit names a cell of a notebook."""
        return any(
            numbered.edit.cell_name is not None for numbered in self.edits
        )


@dataclass(frozen=True, slots=True)
class PreparedEdit:
    """An edit as the planner takes it, with facts about it for the answer.

    `further_edits` change other lines for it. `loss` is a note on decorators and comments
    that the new text of a symbol leaves out. `sides` says what "ours" and "theirs" are in
    the conflicts that the edit resolves; `taken_sides` are the sides of each of them that
    it takes. `laid_out_text` is a text that is moved or copied. `deletion` describes what
    the edit deletes: a symbol, or "" for lines by their numbers; it is None if the edit
    deletes nothing.
    """

    edit: Edit
    loss: str = ""
    further_edits: tuple[LineEdit, ...] = ()
    sides: tuple[str, ...] = ()
    taken_sides: tuple[TakenSide, ...] = ()
    laid_out_text: LaidOutText | None = None
    deletion: str | None = None
