"""The arguments of `edit_content`: one model for each kind of edit.

An edit replaces a text, or what is at a place, or moves text to a place; or it creates,
renames or deletes a whole file. The field that says so decides which model takes it
(`reading.KIND_FIELDS`), and each model refuses the fields of the others.
"""

from __future__ import annotations

from functools import cache
from typing import Annotated, Any, ClassVar, Final, Literal, Self

from pydantic import (
    BeforeValidator,
    Discriminator,
    Field,
    GetJsonSchemaHandler,
    Tag,
    WithJsonSchema,
    model_validator,
)
from pydantic.json_schema import JsonSchemaValue, SkipJsonSchema
from pydantic_core import CoreSchema

from filewright.edit.conflict_markers import ConflictSide
from filewright.text.notebook_cells import CELL_HINT, CellKind
from filewright.tools.argument_problems import argument_error
from filewright.tools.arguments import RARE, Arguments
from filewright.tools.edit.reading import (
    OTHER_NAMES,
    WHOLE_FILE_HINT,
    find_kind,
    read_call,
    read_edit,
)
from filewright.tools.normalize import MAX_INTEGER
from filewright.tools.pipeline import ChangeArguments
from filewright.tools.result import DiffMode

LineNumber = Annotated[int, Field(ge=1)]
Anchor = Annotated[int | str | None, WithJsonSchema({"type": "string"})]
"""A line (0: the top of the file) or the name of a symbol."""
CellName = Annotated[
    int | str | None,
    WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "integer"}]}),
]
"""The id of a notebook's cell, or its number, from 1."""

ALL_CONFLICTS: Final = "all"
ConflictNumber = Annotated[
    Annotated[int, Field(ge=1)] | Literal["all"] | None,
    WithJsonSchema(
        {
            "anyOf": [
                {"minimum": 1, "type": "integer"},
                {"enum": ["all"], "type": "string"},
            ]
        }
    ),
]
"""The number of a merge conflict in its file, from 1, or all of them."""


class Place(Arguments):
    """A place in a file: a symbol, lines, a merge conflict, a cell, or beside one of them."""

    symbol: str | None = None
    lines: Annotated[list[int] | None, Field(description="[first, last]")] = (
        None
    )
    after: Anchor = None
    before: Anchor = None
    conflict: ConflictNumber = None
    cell: CellName = None
    after_cell: CellName = None
    before_cell: CellName = None

    @property
    def is_insertion(self) -> bool:
        """True if text goes beside a symbol or a line."""
        return self.after is not None or self.before is not None

    @property
    def is_new_cell(self) -> bool:
        """True if a new cell goes beside another one."""
        return self.after_cell is not None or self.before_cell is not None

    @property
    def cell_name(self) -> int | str | None:
        """The cell that the place is, or is beside."""
        for name in (self.cell, self.after_cell, self.before_cell):
            if name is not None:
                return name
        return None

    @model_validator(mode="after")
    def check_one_place(self) -> Self:
        """Raise an argument error unless exactly one place is named."""
        names = [*self.model_dump(exclude_none=True)]
        if len(names) != 1:
            raise argument_error(
                f"at names {' and '.join(names) or 'no place'}",
                f"give one of {', '.join(type(self).model_fields)}",
            )
        if self.lines is not None and not _is_range(self.lines):
            raise argument_error(
                "at.lines is not a range of lines",
                "give [first, last], counted from 1",
            )
        return self


def _is_range(lines: list[int]) -> bool:
    """Return True for two line numbers in order."""
    return len(lines) == 2 and 1 <= lines[0] <= lines[1] <= MAX_INTEGER


class BaseEdit(Arguments):
    """The fields that every kind of edit has."""

    other_names: ClassVar[frozenset[str]] = OTHER_NAMES
    # The field that makes an edit one of this kind, and a hint that names the others.
    kind_field: ClassVar[str]
    companions_hint: ClassVar[str]

    path: str | None = None
    expected_version: Annotated[str | None, RARE] = None
    fuzzy: SkipJsonSchema[bool | None] = None

    @property
    def cell_name(self) -> int | str | None:
        """The cell of a notebook that the edit names, or None."""
        return None

    @model_validator(mode="before")
    @classmethod
    def check_companions(cls, fields: Any) -> Any:
        """Raise an argument error for fields of another kind of edit."""
        if not isinstance(fields, dict):
            return fields
        own_names = field_names(cls)
        other_kinds = edit_field_names() - own_names
        misplaced = [name for name in fields if name in other_kinds]
        if not misplaced:
            return fields
        if fields.keys() <= own_names | other_kinds:
            verb = "does" if len(misplaced) == 1 else "do"
            raise argument_error(
                f"{' and '.join(misplaced)} {verb} not go with {cls.kind_field}",
                cls.companions_hint,
            )
        # Unknown names are refused first: one may be the misspelt field that the
        # misplaced ones go with.
        return {
            name: value
            for name, value in fields.items()
            if name not in misplaced
        }


class WholeFileEdit(BaseEdit):
    """An edit of a whole file that exists, which it must name itself."""

    @model_validator(mode="after")
    def check_path(self) -> Self:
        """Raise an argument error for an edit without a path of its own."""
        if not self.path:
            raise argument_error(
                "an edit without a place needs a path of its own, so that it "
                "is not applied to a whole file by mistake",
                WHOLE_FILE_HINT,
            )
        return self


class ReplaceText(BaseEdit):
    """Replace a text that occurs in the file."""

    kind_field = "search"
    companions_hint = (
        "give search without at, with replace, replace_all, start_line or cell; "
        "an empty replace deletes the text"
    )

    search: str
    replace: str
    replace_all: bool = False
    start_line: LineNumber | None = None
    end_line: SkipJsonSchema[LineNumber | None] = None
    cell: CellName = None

    @property
    def cell_name(self) -> int | str | None:
        """The cell in which the text is replaced, or None."""
        return self.cell


class PlaceEdit(BaseEdit):
    """Replace or delete the content of a place, or insert text beside it."""

    kind_field = "at"
    companions_hint = (
        "at goes with replace, take, or delete: true; for a text, give search "
        'without at; a cell is a place itself, as in at: {"cell": 2}'
    )

    at: Annotated[
        Place, Field(description="instead of search; as before edits")
    ]
    replace: str | None = None
    delete: bool = False
    take: ConflictSide | None = None
    cell_type: Annotated[CellKind | None, RARE] = None

    @property
    def cell_name(self) -> int | str | None:
        """The cell that the place is, or is beside, or None."""
        return self.at.cell_name

    @property
    def is_of_conflicts(self) -> bool:
        """True if the edit resolves merge conflicts."""
        return self.at.conflict is not None or self.take is not None

    @property
    def deletes_symbol(self) -> bool:
        """True if the edit deletes a symbol, or replaces it with nothing."""
        is_empty = self.delete or self.replace == ""
        return is_empty and self.at.symbol is not None

    @model_validator(mode="after")
    def check_one_action(self) -> Self:
        """Raise an argument error unless the edit has one action, which suits its place."""
        if self.is_of_conflicts:
            self._check_conflict_edit()
            return self
        if self.delete == (self.replace is not None):
            raise argument_error(
                "an edit at a place either replaces or deletes",
                "give replace, or delete: true",
            )
        if self.delete and (self.at.is_insertion or self.at.is_new_cell):
            raise argument_error(
                "there is nothing to delete beside a place",
                "give delete with at.symbol, at.lines or at.cell",
            )
        if self.cell_type is not None and not self.at.is_new_cell:
            raise argument_error(
                "cell_type is the type of a new cell", CELL_HINT
            )
        return self

    def _check_conflict_edit(self) -> None:
        """Raise an argument error unless conflicts are named, and one thing done to them."""
        if self.at.conflict is None and self.at.symbol is None:
            raise argument_error(
                "take is the side of a conflict",
                'give it with at: {"conflict": number}, or "all"',
            )
        if self.delete or (self.take is None) == (self.replace is None):
            raise argument_error(
                "an edit of a conflict takes a side or replaces it",
                'give take: "ours", "theirs" or "both"; or replace',
            )
        if self.take is None and self.at.conflict == ALL_CONFLICTS:
            raise argument_error(
                "a text replaces one conflict, and all were named",
                "give take, or the number of one",
            )


class MoveSource(Arguments):
    """Lines of a file, or a symbol, to move or copy."""

    path: str | None = None
    symbol: str | None = None
    start_line: LineNumber | None = None
    end_line: LineNumber | None = None
    expected_version: Annotated[str | None, RARE] = None

    @model_validator(mode="after")
    def check_one_source(self) -> Self:
        """Raise an argument error unless the source is a symbol or a range of lines."""
        has_first = self.start_line is not None
        has_last = self.end_line is not None
        if has_first != has_last or has_first == (self.symbol is not None):
            raise argument_error(
                "from does not name one text",
                "give symbol, or start_line and end_line",
            )
        return self


class MoveText(BaseEdit):
    """Move or copy text to a place, to the end of a file, or into a new file.

    A new file begins with `content`.
    """

    kind_field = "from"
    companions_hint = (
        "from goes with copy, and with at.after or at.before, or with content "
        "for the beginning of a new file"
    )

    source: Annotated[MoveSource, Field(alias="from")]
    is_copy: Annotated[bool, Field(alias="copy")] = False
    content: str | None = None
    at: Place | None = None
    reindent: SkipJsonSchema[bool] = False
    imports: SkipJsonSchema[bool] = False

    @model_validator(mode="after")
    def check_destination(self) -> Self:
        """Raise an argument error unless the text goes beside a place or to a file."""
        if self.imports and (self.is_copy or self.source.symbol is None):
            raise argument_error(
                "imports follow a symbol that is moved",
                "give imports with from.symbol, and without copy",
            )
        if self.at is None:
            return self
        if not self.at.is_insertion or self.content is not None:
            raise argument_error(
                "moved text goes beside a symbol or a line, or into a new file",
                "give at.after or at.before, or leave out at",
            )
        return self


class CreateFile(BaseEdit):
    """Create a file."""

    kind_field = "content"
    companions_hint = (
        "content is the text of a new file; give it with path alone, and "
        "change a part of a file with search or at and replace"
    )

    content: str


class MoveFile(WholeFileEdit):
    """Move a file to another path."""

    kind_field = "move_to"
    companions_hint = WHOLE_FILE_HINT

    move_to: str


class DeleteFile(WholeFileEdit):
    """Delete a file."""

    kind_field = "delete"
    companions_hint = WHOLE_FILE_HINT

    # Not Literal[True], which takes the number 1 too; false is no edit at all.
    delete: bool


EDIT_KINDS: tuple[type[BaseEdit], ...] = (
    ReplaceText,
    PlaceEdit,
    MoveText,
    CreateFile,
    MoveFile,
    DeleteFile,
)


@cache
def field_names(model: type[Arguments]) -> frozenset[str]:
    """Return the names of a model's fields as clients send them."""
    return frozenset(
        info.alias or name for name, info in model.model_fields.items()
    )


@cache
def edit_field_names() -> frozenset[str]:
    """Return the names of the fields of all kinds of edits."""
    return frozenset().union(*map(field_names, EDIT_KINDS))


def _read_edit(edit: Any) -> Any:
    return read_edit(edit, edit_field_names())


def _choose_kind(edit: Any) -> str | None:
    """Return the tag of the model that takes an edit."""
    if isinstance(edit, BaseEdit):
        return type(edit).__name__
    if isinstance(edit, dict):
        return find_kind(edit) or ReplaceText.__name__
    return None


class _FlatSchema:
    """A union of objects, listed as one object with the fields of all.

    Models fill in one flat object more reliably than one of six, and it is shorter.
    """

    def __get_pydantic_json_schema__(
        self, core_schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        properties: dict[str, Any] = {}
        for choice in handler(core_schema)["oneOf"]:
            schema = handler.resolve_ref_schema(choice)
            for name, field in schema["properties"].items():
                properties.setdefault(name, field)
        # The fields of every kind come last.
        shared = {
            name: properties.pop(name)
            for name in BaseEdit.model_fields
            if name in properties
        }
        return {
            "type": "object",
            "additionalProperties": False,
            "properties": {**properties, **shared},
        }


Edit = Annotated[
    Annotated[
        Annotated[ReplaceText, Tag("ReplaceText")]
        | Annotated[PlaceEdit, Tag("PlaceEdit")]
        | Annotated[MoveText, Tag("MoveText")]
        | Annotated[CreateFile, Tag("CreateFile")]
        | Annotated[MoveFile, Tag("MoveFile")]
        | Annotated[DeleteFile, Tag("DeleteFile")],
        Discriminator(
            _choose_kind,
            custom_error_type="object_type",
            custom_error_message="Input should be an object",
        ),
    ],
    _FlatSchema(),
    BeforeValidator(_read_edit),
]


class EditArguments(ChangeArguments):
    """The edits of a call, of the file at `path` or of their own files."""

    path: str | None = None
    """the file of edits without a `path` of their own"""
    edits: Annotated[list[Edit], Field(min_length=1)]
    """the changes, as listed below"""
    cell: Annotated[CellName, RARE] = None
    """in a [notebook](#notebooks), the cell (id or number) of edits without a
    `cell` of their own"""
    fuzzy: bool = True
    """false: exact text only"""
    preview: bool = False
    """true: show the diff, write nothing"""
    diff: Annotated[DiffMode, RARE] = "auto"
    """`"auto"`: up to about 40 lines are shown, unless a preview showed them (`12:` is
    the line that the rows below it replace), else counted; `"full"`: a patch"""
    expected_version: Annotated[str | None, RARE] = None
    """the version shown by a read; the call is refused if the file has another
    one now"""
    encoding: Annotated[str | None, RARE] = None
    imports: bool = False
    """true: rewrite the [imports](editing.md#imports) of symbols that move; also
    an argument of a single `from` edit"""
    in_turn: SkipJsonSchema[bool] = False

    @classmethod
    def read(cls, fields: dict[str, Any]) -> dict[str, Any]:
        """Return the call with its `cell` in each edit."""
        return read_call(fields)
