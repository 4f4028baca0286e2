"""`edit_content`: edits of one file or of several, each by its text or by its place, all or nothing."""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from operator import attrgetter
from typing import Annotated, Any

from pydantic import Field, WithJsonSchema, model_validator
from pydantic.json_schema import SkipJsonSchema

from filewright.boundary.location import Location
from filewright.edit.block_indent import detect_indent_unit, reindent_block
from filewright.edit.changeset import FilePlan, Modify
from filewright.edit.list_separators import ListEdits
from filewright.edit.losses import describe_lost_parts, find_lost_parts
from filewright.edit.model import Tier
from filewright.edit.outcome import EditOutcome, EditPlan
from filewright.edit.planning import plan_edits
from filewright.edit.request import (
    Edit,
    Insertion,
    LineEdit,
    SymbolLines,
    TextEdit,
)
from filewright.edit.symbol_lines import (
    find_symbol_lines,
    strip_blank_lines,
    trim_symbol_text,
)
from filewright.errors import (
    Code,
    FilewrightError,
    invalid,
    missing,
    path_error,
    too_many,
)
from filewright.languages import Language, language_of
from filewright.search.pattern import compile_pattern
from filewright.search.tree import TreeSearch
from filewright.search.tree_options import TreeOptions
from filewright.structure.lookup import NamedSymbol, find_symbol
from filewright.structure.references import References
from filewright.text import codec
from filewright.text.codec import Encoding, check_text, normalize_newlines
from filewright.text.declaration import encode_as_declared
from filewright.text.notebook import (
    CELL_HINT,
    Cell,
    CellKind,
    NewCell,
    NotebookView,
    view_if_notebook,
)
from filewright.text.snapshot import Snapshot
from filewright.text.splice import Splice, sort_splices
from filewright.tools.change_reply import ChangeReply
from filewright.tools.context import Context, best_effort
from filewright.tools.pipeline import (
    Change,
    ChangeArguments,
    StalePlanError,
    commit_change,
    plan_change,
    plan_text,
    retry_stale_plan,
)
from filewright.tools.previews import find_diff_view
from filewright.tools.registry import RARE, Arguments
from filewright.tools.result import ChangeResult, DiffWanted, optional
from filewright.tools.tool import Tool
from filewright.wording import escape_controls, join_limited, pluralize

_UTF8 = Encoding("utf-8")
_HEAD_BYTES = 16 << 10
"""Bytes of a symbol in which what is before its definition is looked for."""
_NEAR = 4_096
"""Bytes on either side of a place in which blank lines are counted."""

_SEARCHED, _LOOKED_AT = 1_000, 1 << 20
"""Files that are searched for users of a symbol that was moved, and bytes of each."""

_NAMED = 10
"""Files that are named as users of a symbol that was moved, and lines of edits where no diff is shown."""

Line = Annotated[int | None, Field(ge=1)]
Beside = Annotated[int | str | None, WithJsonSchema({"type": "string"})]
CellName = Annotated[
    int | str | None,
    WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "integer"}]}),
]
"""The id of a notebook's cell, or its number, from 1."""


class MovedFrom(Arguments):
    """Lines of a file, or a symbol, to be moved or copied."""

    path: str | None = None
    symbol: str | None = None
    start_line: Line = None
    end_line: Line = None
    expected_version: Annotated[str | None, RARE] = None

    @model_validator(mode="after")
    def _one_place(self) -> MovedFrom:
        if (self.symbol is None) == (self.start_line is None) or (
            self.start_line is None
        ) != (self.end_line is None):
            raise ValueError(
                "from names no one place\nhint: give a symbol, or start_line and end_line"
            )
        return self


class EditPlace(Arguments):
    """Where an edit goes: one of them."""

    text: SkipJsonSchema[str | None] = None
    symbol: str | None = None
    lines: Annotated[
        list[int] | None, Field(description="[first, last], before all edits")
    ] = None
    after: Beside = None
    before: Beside = None
    cell: CellName = None
    after_cell: CellName = None
    before_cell: CellName = None


_AT = {"text": "search", "after": "insert_after", "before": "insert_before"}
_CELL_PLACES = ("whole_cell", "after_cell", "before_cell")
_PLACES = (
    "search",
    "start_line",
    "symbol",
    "insert_after",
    "insert_before",
    *_CELL_PLACES,
)
Moved = tuple[str, Location, Location]
"""The name of a symbol that was moved, from where, to where."""

_BY_SPACES = (Language.YAML, Language.MARKDOWN, None)
"""Languages in which a tab is no indentation, or not the same."""
_SEPARATOR = "separator"
"""The name of an edit that changes the separator of another member of a list."""
_OF_WHOLE = {
    "path",
    "content",
    "delete",
    "move_to",
    "expected_version",
    "fuzzy",
}
_PLACE_FIELDS = (*_PLACES, "end_line", "at", "from", "cell")
"""Fields that narrow an edit to a part of its file."""
_WHOLE_HINT = (
    "to delete or rename the file give its path in the edit, and nothing but that (or use delete_items, move_items); "
    "for a part of it name a place: symbol, lines or text"
)
_OF_PIECES = _OF_WHOLE | {"source", "copied", "reindent"}


class EditItem(Arguments):
    """One edit: of a text (`search`), of lines, of a symbol, or beside either; or of a whole file."""

    search: str | None = None
    replace: str | None = None
    replace_all: bool = False
    start_line: Line = None
    end_line: SkipJsonSchema[Line] = None
    symbol: SkipJsonSchema[str | None] = None
    delete: bool = False
    insert_after: SkipJsonSchema[Beside] = None
    insert_before: SkipJsonSchema[Beside] = None
    source: Annotated[MovedFrom | None, Field(alias="from")] = None
    copied: Annotated[bool, Field(alias="copy")] = False
    content: Annotated[
        str | None, Field(description="new file, before from")
    ] = None
    move_to: str | None = None
    at: Annotated[EditPlace | None, Field(description="instead of search")] = (
        None
    )
    reindent: SkipJsonSchema[bool] = False
    path: str | None = None
    cell: CellName = None
    whole_cell: SkipJsonSchema[CellName] = None
    after_cell: SkipJsonSchema[CellName] = None
    before_cell: SkipJsonSchema[CellName] = None
    cell_type: CellKind | None = None
    expected_version: str | None = None
    fuzzy: SkipJsonSchema[bool | None] = None
    _place: str | None = None
    """What says where in the file the edit goes, None of a whole file."""

    @model_validator(mode="before")
    @classmethod
    def _place_named(cls, given: Any) -> Any:
        """`at` in the fields that it replaces."""
        if isinstance(given, dict) and (
            given.get("delete") or given.get("move_to")
        ):
            _require_place_kept(given)
            # A null of a field that is not known may be a place, too: it is refused.
            known = {
                info.alias or name for name, info in cls.model_fields.items()
            }
            given = {
                name: value
                for name, value in given.items()
                if value is not None or name not in known
            }
        if isinstance(given, dict):
            given = _without_idle_texts(given)
        at = given.get("at") if isinstance(given, dict) else None
        if not isinstance(at, dict) or all(
            value is None for value in at.values()
        ):
            # One that says no place must not be left out: a delete would be of the whole file.
            return given
        place = {_AT.get(name, name): value for name, value in at.items()}
        lines = place.pop("lines", None)
        if lines is not None:
            if not isinstance(lines, list) or len(lines) != 2:
                raise ValueError(
                    "at.lines is no range\nhint: give [first, last]"
                )
            place |= {"start_line": lines[0], "end_line": lines[1]}
        beside = {name: value for name, value in given.items() if name != "at"}
        others = {name for name in (*place, *beside) if name in _PLACES}
        if place.get("cell") is not None and not others:
            place["whole_cell"] = place.pop("cell")
        if any(beside.get(name) is not None for name in place):
            raise ValueError(
                "the place of the edit is given twice\nhint: give it in at alone"
            )
        return place | beside

    @model_validator(mode="after")
    def _one_place(self) -> EditItem:
        moved, problem = self.source is not None, ""
        places = []
        for name in _PLACES:
            # Beside a text, a line only says where to look for it.
            if getattr(self, name) is not None and (
                name != "start_line" or self.search is None
            ):
                places.append(name)
        if self.delete and not places and self.cell is not None:
            places.append("whole_cell")
        made, deleted = self.content is not None, self.delete and not places
        if (
            made
            or deleted
            or self.move_to is not None
            or (moved and not places)
        ):
            # What else is given may have been meant as a place: without it, all of the file would go.
            of_whole = _OF_PIECES if moved else _OF_WHOLE
            more = any(
                _is_given(getattr(self, name))
                for name in self.model_fields_set - of_whole
            )
            # What is moved into a new file may have a beginning given with it.
            if (made or moved) + (
                self.move_to is not None
            ) + deleted != 1 or more:
                problem = (
                    "content, move_to, and delete without a place, are of a whole file\nhint: give one of them, "
                    "with path alone; a text for a place in it is replace"
                )
        elif len(places) != 1:
            problem = (
                f"an edit names one place, not {' and '.join(places) or 'none'}\nhint: give search, or start_line and "
                "end_line, or symbol, or insert_after, or insert_before"
            )
        elif places == ["start_line"] and self.end_line is None:
            problem = "start_line without search needs an end_line\nhint: give both, of lines to replace"
        elif moved:
            if (
                not places[0].startswith("insert")
                or self.replace is not None
                or self.delete
            ):
                problem = "from says what to move\nhint: give with it insert_after or insert_before alone"
        elif self.delete:
            if (
                places[0] not in ("symbol", "start_line", "whole_cell")
                or self.replace is not None
            ):
                problem = 'delete is for a symbol\nhint: give symbol with it, or delete lines by replace ""'
        elif self.replace is None:
            problem = "replace is missing\nhint: give the new text, or delete with a symbol"
        if (
            not problem
            and self.cell_type is not None
            and places[:1] not in (["after_cell"], ["before_cell"])
        ):
            problem = f"cell_type is the type of a new cell\nhint: {CELL_HINT}"
        if problem:
            raise ValueError(problem)
        self._place = places[0] if places else None
        return self


def _is_given(value: object) -> bool:
    """Return True for a field that says something. The number 0 does: it is a place that does not exist."""
    return value is not None and value is not False


def _without_idle_texts(given: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of an edit without the empty texts that an adapter filled in beside another form of edit."""
    forms = {
        name
        for name in (*_PLACE_FIELDS, "content", "move_to", "delete")
        if given.get(name)
    }
    # An empty text to search for is a place only together with a line, an empty content only of a new file.
    idle = {
        "search": bool(forms - {"start_line", "end_line", "cell", "search"}),
        "content": bool(forms - {"content"}),
        "replace": bool(forms & {"content", "move_to", "from"})
        or "delete" in forms,
    }
    return {
        name: value
        for name, value in given.items()
        if value != "" or not idle.get(name)
    }


def _require_place_kept(given: dict[str, Any]) -> None:
    """Raise ValueError if an edit that deletes or moves has a place field, all of them empty: the place got lost.

    Without this check the whole file would be deleted instead of a part of it.
    """

    def is_empty(value: object) -> bool:
        if isinstance(value, dict):
            return all(is_empty(inner) for inner in value.values())
        if isinstance(value, list):
            return all(is_empty(inner) for inner in value)
        return value is None or (isinstance(value, str) and not value.strip())

    places = [name for name in (*_PLACE_FIELDS, "source") if name in given]
    if places and all(is_empty(given[name]) for name in places):
        raise ValueError(
            f"{places[0]} is empty, so the edit names no place; the whole file is not meant\nhint: {_WHOLE_HINT}"
        )


class EditArguments(ChangeArguments):
    """The edits, of the file at `path` or each of its own."""

    path: str | None = None
    """the file; left out where every edit has its own"""
    edits: Annotated[list[EditItem], Field(min_length=1)]
    """what to change, see below"""
    cell: Annotated[CellName, RARE] = None
    """of a [notebook](#notebooks): only in the cell with this id or number, which an edit may also name itself"""
    fuzzy: bool = True
    """false: exact text only"""
    preview: bool = False
    """true: show the diff, write nothing"""
    diff: DiffWanted = "auto"
    """`"auto"`: shown if it is up to 40 lines and no preview showed it, else counted"""
    expected_version: Annotated[str | None, RARE] = None
    """the version that a read gave; refused if the file is no longer that"""
    encoding: Annotated[str | None, RARE] = None
    in_turn: SkipJsonSchema[bool] = False


@dataclass(frozen=True, slots=True)
class StillUsed:
    """A symbol that was moved out of the file `path`, and `files` that import or use it as if it were there."""

    name: str
    path: str
    files: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class EditedFile:
    """A file of the call: how many places changed, and the token it has, or would have."""

    path: str
    changes_made: int
    version: str | None


@dataclass(frozen=True, kw_only=True)
class EditResult(ChangeResult):
    """What became of the edits: `results` has one for each, in the order of the request (of a move two).

    Lines are 1-based and of the file as it was. `similarity` is the lowest that was used, 1.0 for exact
    text; `tier` how the first edit was found; `version` the token of the file afterwards. Of several files
    `path`, `version` and `hard_links` are those of the first; `files` has all. `still_used` names symbols that were
    moved to another file, with the files that still take them from the old one.
    """

    path: str
    changes_made: int
    line_number: int
    similarity: float
    tier: str
    results: tuple[EditOutcome, ...]
    version: str | None
    hard_links: int
    syntax_warning: str | None
    files: tuple[EditedFile, ...] = optional(())
    still_used: tuple[StillUsed, ...] = optional(())

    @property
    def data(self) -> dict[str, Any]:
        """The facts as JSON values."""
        return {
            **super().data,
            "results": [outcome.data() for outcome in self.results],
        }


def edit_content(context: Context, arguments: EditArguments) -> EditResult:
    """Locate every edit on one snapshot of its file, and commit them together."""
    count, most = len(arguments.edits), context.settings.max_edits
    if count > most:
        raise too_many(
            count,
            most,
            "edits",
            "send them in several calls, or use replace_content",
        )
    edits = _Edits(context, arguments)
    made = retry_stale_plan(context, edits.plan_and_commit)
    users = (
        _still_used(context, edits.moved)
        if edits.moved and made.id is not None
        else ()
    )
    view = find_diff_view(context, arguments, made)
    page = ChangeReply(context.settings.page_chars, made, view)
    shown = page.shows_diff
    outcomes: list[EditOutcome] = []
    files: list[EditedFile] = []
    starts, similarity, total = [], 1.0, 0
    for one in made.files:
        lines, told, places = [], [], 0
        for each in one.result.outcomes:
            lines.append(each.first)
            places += each.places
            similarity = min(similarity, each.similarity)
            # How far a symbol goes is seen in its diff, or said.
            symbol = (
                not shown
                and each.named.startswith("symbol")
                and each.first <= each.last
            )
            # Of a text that was found as it was given, at its one place, a reader has nothing to learn.
            plain = (
                each.tier is Tier.EXACT
                and each.places == 1
                and not (each.on_result or each.note)
            )
            if not page.is_seen and (symbol or not plain):
                told.append(each.text)
        # Where no diff says which lines of the file as it was.
        which = (
            ""
            if shown
            else f" ({'lines' if len(lines) > 1 else 'line'} {join_limited(lines, _NAMED)})"
        )
        said, verb = f"{pluralize(places, 'edit')}{which} ", "applied"
        if one.diff is not None and one.diff.old_name is None:
            said, verb = (
                "",
                f"created, {pluralize(one.diff.added or 0, 'line')}",
            )
        page.add(
            f"{one.location.display_path}: {said}{page.status(verb, one.kept_form, names_change=not files)}"
        )
        told.extend(
            f"note: {note}"
            for each in one.result.outcomes
            for note in each.notes
        )
        page.extend(told, reserve=2000)
        if one.diff is not None and not shown:
            page.add_short_diff(one.diff)
        outcomes += one.result.outcomes
        total += places
        starts.append(min(lines))
        files.append(EditedFile(one.location.display_path, places, one.version))
    for number, note in sorted(edits.losses.items()):
        page.add(f"[edit {number + 1}: {note}]")
    for user in users:
        page.add(
            f"[{user.name} is still used as of {user.path} in {join_limited(user.files, _NAMED)}]"
        )
    page.finish()
    outcomes.sort(key=attrgetter("index"))
    return EditResult(
        text=page.text(),
        change_id=made.id,
        difference=made.diff,
        preview=made.id is None,
        path=files[0].path,
        changes_made=total,
        line_number=starts[0],
        similarity=similarity,
        tier=str(outcomes[0].tier),
        results=tuple(outcomes),
        version=files[0].version,
        hard_links=made.files[0].hard_links,
        syntax_warning="; ".join(made.warnings) or None,
        files=tuple(files) if len(files) > 1 else (),
        still_used=tuple(users),
    )


@dataclass
class _EditedFile:
    """A file of the call, with what is asked of it; the numbers are those of the edits in the request.

    `removed` are its lines that are moved elsewhere, `moved_symbols` the symbols among them; `whole` is the edit that
    deletes or moves the file itself.
    """

    location: Location
    is_new: bool
    identity: object = None
    whole: tuple[int, EditItem] | None = None
    items: list[tuple[int, EditItem]] = field(default_factory=list)
    removed: list[LineEdit] = field(default_factory=list)
    moved_symbols: list[tuple[int, str, _Text]] = field(default_factory=list)


@dataclass(frozen=True)
class _Text:
    """The text that lines and symbols are of: the file as it is (`base` None), or a version of it.

    Whether its lines are numbered as the caller was shown them is `known`.
    """

    snapshot: Snapshot
    base: bytes | None
    known: bool


@dataclass(frozen=True)
class _Taken:
    """What is moved or copied: its `lines` and bytes in the file `source`, and how many blank lines part a symbol."""

    source: _EditedFile
    what: str
    lines: range
    data: bytes
    encoding: Encoding
    end: bytes
    is_symbol: bool
    gap: int | None


@dataclass(frozen=True)
class _Spot:
    """Where text goes in: before line `line`, parted by `gap` blank lines from what is there (None: as is usual).

    `indent` is that of the symbol it is put beside, which is on the lines `beside`; None beside a line.
    """

    line: int
    named: str
    indent: str | None = None
    gap: int | None = 0
    beside: range | None = None


@dataclass
class _Edits:
    """The edits of a call, put to the files that they are of; then file by file, of which one is open at a time.

    `number` is that of the edit that is looked at.
    """

    context: Context
    arguments: EditArguments
    number: int = 0

    def plan_and_commit(self) -> Change[EditPlan]:
        """Plan every file, then commit all of them unless this is a preview."""
        arguments = self.arguments
        planned = plan_change(
            self.context, self.plan_files(), is_preview=arguments.preview
        )
        if arguments.preview:
            return planned
        names = ", ".join(file.location.display_path for file in planned.files)
        summary = f"edit {names}: {pluralize(len(arguments.edits), 'edit')}"
        return commit_change(
            self.context, planned, "edit_content", summary, arguments
        )

    def plan_files(self) -> Iterator[FilePlan[EditPlan]]:
        """The plan of every file, in the order they are named. Raises the first refusal, which names the others.

        All is decided anew each time it is asked for.
        """
        self.moved: list[Moved] = []
        self._files: dict[Location, _EditedFile] = {}
        self._edited_files: dict[object, Location] = {}
        self._taken: dict[int, _Taken] = {}
        self.losses: dict[int, str] = {}
        for number, item in enumerate(self.arguments.edits):
            self.number = number
            file = self._file(item)
            if item.source is not None:
                self._taken[number] = self._take(item, item.source, file)
        refused: list[FilewrightError] = []
        for file in self._files.values():
            whole = file.whole
            ends = whole is not None and whole[1].delete
            if whole is not None and ends and file.items:
                # What was moved out of it is elsewhere; any other edit would be lost with it.
                self.number = file.items[0][0]
                message = f"{file.location.requested_path} is deleted by edit {whole[0] + 1}"
                raise self._invalid(message, "leave out one of them")
            if file.is_new:
                yield self._created(file)
            elif (file.items or file.removed) and not ends:
                with self._opened(file) as snapshot:
                    other = self._edited_files.setdefault(
                        file.identity, file.location
                    )
                    if other != file.location:
                        message = f"{file.location.requested_path} and {other.requested_path} are one file"
                        raise self._invalid(message, "name it by one path")
                    try:
                        edited = self._edited(file, snapshot)
                    except FilewrightError as error:
                        if "refusals" not in error.details:
                            raise
                        refused.append(error)
                    else:
                        yield (
                            self._ended(edited, file.location, *whole)
                            if whole is not None
                            else edited
                        )
            elif whole is not None:
                before, where = self._known_text(file), file.location
                kept = FilePlan(
                    EditPlan((), ()), where, (), before, (), where.display_path
                )
                yield self._ended(kept, where, *whole)
        if refused:
            raise self._refusal(refused)

    def _refusal(self, files: Sequence[FilewrightError]) -> FilewrightError:
        """The first refusal, which names those of the further edits too, so that one call mends all."""
        said: list[str] = []
        for file in files:
            for one in file.details["refusals"]:
                item = self.arguments.edits[one["edit"]]
                # A suggestion is sent in the place of its edit.
                own = item.model_dump(
                    include={"path", "cell", "expected_version"},
                    exclude_none=True,
                )
                one["suggestions"][:] = [
                    edit | own for edit in one["suggestions"]
                ]
                message, *_ = one["message"].splitlines()
                said.append(
                    f"\nalso: {file.details['path']}: edit {one['edit'] + 1}: {message}"
                )
        files[0].message += join_limited(said[1:], _NAMED, "", noun="edit")
        return files[0]

    # Files

    def _file(self, item: EditItem) -> _EditedFile:
        path, outer = item.path, self.arguments.path
        if path is None and outer is None:
            raise self._invalid(
                "no path was given", "give path, or a path in every edit"
            )
        location = self.context.boundary.locate(
            path if path is not None else outer or ""
        )
        if (
            path is not None
            and outer is not None
            and location != self.context.boundary.locate(outer)
        ):
            raise self._invalid(
                f"its path {path} is not the path of the call, {outer}",
                "leave out the path of the call, and give every edit its own",
            )
        nowhere, moves = item._place is None, item.source is not None
        if nowhere or item.content is not None:
            self._check_whole(item, location)
        makes = item.content is not None or (
            moves and (nowhere or location in self._files)
        )
        file = self._named(location, makes=makes)
        if item.content is not None and (file.items or not file.is_new):
            asked = location.requested_path
            message = (
                f"{asked} is made already"
                if file.is_new
                else f"{asked} exists already"
            )
            hint = 'change a part of it, or overwrite it by write_content with mode="overwrite"'
            raise path_error(Code.ALREADY_EXISTS, asked, message, hint)
        of_cell = item.delete and self._cell(item) is not None
        if not file.is_new and (
            item.move_to is not None
            or (item.delete and nowhere and not of_cell)
        ):
            self._end(file, item)
        else:
            file.items.append((self.number, item))
        return file

    def _check_whole(self, item: EditItem, location: Location) -> None:
        """Raise `invalid_input` unless an edit without a place is meant of the whole file, or deletes a cell."""
        cell = self._cell(item)
        if cell is not None and not item.delete:
            raise self._invalid(
                f"the edit names cell {cell}, and no place in it; {location.requested_path} as a whole is not meant",
                f"give search, the text to be replaced in the cell; {CELL_HINT}",
            )
        if (
            cell is None
            and not item.path
            and (item.delete or item.move_to is not None)
        ):
            raise self._invalid(
                "an edit without a place has no path of its own; the whole file is not meant",
                _WHOLE_HINT,
            )

    def _cell(self, item: EditItem) -> int | str | None:
        """Return the cell that an edit is in: its own, else that of the call."""
        names = (item.whole_cell, item.cell, self.arguments.cell)
        return next((name for name in names if name not in (None, "")), None)

    def _named(self, location: Location, *, makes: bool = False) -> _EditedFile:
        """The file at a place: one that is not there yet, if what names it first `makes` it."""
        file = self._files.get(location)
        if file is None:
            file = self._files[location] = _EditedFile(
                location, makes and not self.context.exists(location)
            )
            if file.is_new:
                self.context.boundary.require_writable(location)
        if file.is_new and not makes:
            raise self._invalid(
                f"{location.requested_path} is made by this call",
                "give all that is to be in it: content, and from",
            )
        return file

    def _opened(self, file: _EditedFile) -> Snapshot:
        self.context.boundary.require_writable(file.location)
        found = self.context.open(
            file.location, encoding=self.arguments.encoding, text=True
        )
        if file.identity not in (None, found.identity):
            found.close()
            asked = file.location.requested_path
            raise StalePlanError(
                Code.STALE_VERSION,
                f"{asked} was changed meanwhile",
                "send the edit again",
                path=asked,
            )
        file.identity = found.identity
        return found

    def _invalid(self, message: str, hint: str) -> FilewrightError:
        count = len(self.arguments.edits)
        which = f"edit {self.number + 1} of {count}: " if count > 1 else ""
        return invalid(f"{which}{message}", hint, edit=self.number)

    # Whole files

    def _end(self, file: _EditedFile, item: EditItem) -> None:
        """Note that the edit deletes or moves the file. Raises the refusal of what cannot be done to all of it."""
        context, asked = self.context, file.location.requested_path
        if file.whole is not None:
            raise self._invalid(
                f"{asked} is deleted or moved already", "delete or move it once"
            )
        file.whole = self.number, item
        context.boundary.require_writable(file.location, link_itself=True)
        version = item.expected_version or self.arguments.expected_version
        if version is not None:
            with self._opened(file) as snapshot:
                context.check_version(snapshot, version)
        elif not context.exists(file.location):
            raise missing(asked)

    def _created(self, file: _EditedFile) -> FilePlan[EditPlan]:
        outcomes: list[EditOutcome] = []
        made = Snapshot(b"", encoding="utf-8")  # whatever its pieces come from

        def add(named: str, data: bytes, line: int) -> None:
            nonlocal made
            outcomes.append(
                _of_whole(
                    self.number, named, line, line + len(data.splitlines()) - 1
                )
            )
            at, text = made.lines.offset_of(line), made.read(0, made.size)
            if at == made.size and at and not made.lines.ends_in_terminator():
                data = made.dominant_terminator + data
            made = Snapshot(
                text[:at] + data + text[at:],
                encoding="utf-8",
                location=file.location,
            )

        for self.number, item in file.items:
            if item.content is not None:
                if item.expected_version is not None:
                    raise missing(file.location.requested_path)
                check_text(item.content, "content")
                add("the file is made", item.content.encode(), 1)
            if item.source is not None:
                spot = self._spot(item, file, _Text(made, None, known=True))
                named, data = self._moved_in(item, file, spot, made)
                add(named, data, spot.line)
        content = encode_as_declared(
            made.read(0, made.size), file.location.name
        )
        return FilePlan.for_new_file(
            EditPlan((), tuple(outcomes)), file.location, content
        )

    def _ended(
        self,
        one: FilePlan[EditPlan],
        where: Location,
        number: int,
        item: EditItem,
    ) -> FilePlan[EditPlan]:
        """The decision about the edits of a file, `one`, and to delete or move it, as an edit asks."""
        if item.move_to is None:
            one, named = one.with_deletion(), "the file is deleted"
        else:
            destination = self.context.boundary.locate(item.move_to)
            self.context.boundary.require_writable(
                destination, link_itself=True
            )
            one, named = (
                one.with_move(destination),
                f"moved from {escape_controls(where.display_path)}",
            )
        made = replace(
            one.result,
            outcomes=(
                *one.result.outcomes,
                _of_whole(number, named, note=named),
            ),
        )
        return replace(one, result=made)

    def _known_text(self, file: _EditedFile) -> Snapshot | None:
        """What is to be shown of a file that is deleted or moved; None of what is no text, or too large."""
        try:
            with self._opened(file) as snapshot:
                return snapshot if snapshot.content is not None else None
        except FilewrightError as error:
            if error.code not in (
                Code.IS_BINARY,
                Code.NOT_A_FILE,
                Code.SYMLINK,
                Code.TOO_LARGE,
            ):
                raise
            return None

    # Edits of a text

    def _edited(
        self, file: _EditedFile, snapshot: Snapshot
    ) -> FilePlan[EditPlan]:
        """The plan of a file as it is, or of a notebook as its cells are shown."""
        context, arguments = self.context, self.arguments
        page = (
            snapshot
            if arguments.encoding is not None
            else view_if_notebook(snapshot, context.task)
        )
        cells = {self._cell(item) for _, item in file.items}
        if cells - {None} or any(
            item._place in _CELL_PLACES for _, item in file.items
        ):
            return self._edited_cells(file, self._as_notebook(file, page))
        asked: list[Edit] = []
        self._lists = self._list_edits(file, snapshot)
        for self.number, item in file.items:
            asked.append(self._edit(item, file, snapshot))
        if file.removed:  # what is moved within the file is removed first
            asked = sorted(
                [*file.removed, *asked], key=lambda each: each.number
            )
        for base, lists in self._lists.items():
            for other in lists.other_lines():
                line = other.line
                separator = LineEdit(
                    first_line=line,
                    last_line=line,
                    replace=other.text,
                    named=_SEPARATOR,
                    base=base,
                    fuzzy=False,
                    number=other.edit,
                )
                asked.append(separator)
        bases = context.shown.earlier_contents(
            file.location, except_version=snapshot.version
        )
        return plan_text(page, partial(self._plan, edits=asked, bases=bases))

    def _list_edits(
        self, file: _EditedFile, snapshot: Snapshot
    ) -> dict[bytes | None, ListEdits]:
        """Return what the edits of symbols mean for the separators of their lists, by the text they are of."""
        made: dict[bytes | None, ListEdits] = {}

        def lists_of(text: _Text) -> ListEdits:
            if text.base not in made:
                outline = self.context.outlines.outline(
                    text.snapshot, task=self.context.task
                )
                made[text.base] = ListEdits(
                    text.snapshot, outline, file.location.requested_path
                )
            return made[text.base]

        for self.number, moved, text in file.moved_symbols:
            lists_of(text).delete(
                self._named_symbol(file, text, moved), self.number
            )
        for self.number, item in file.items:
            beside = (
                item.insert_after
                if item.insert_after is not None
                else item.insert_before
            )
            is_symbol = (
                isinstance(beside, str) and not beside.strip().isdecimal()
            )
            symbol = (
                item.symbol
                if item.symbol is not None
                else str(beside)
                if is_symbol
                else None
            )
            if symbol is None or item.search is not None:
                continue
            text = self._text(
                file,
                snapshot,
                item.expected_version or self.arguments.expected_version,
            )
            named, lists = (
                self._named_symbol(file, text, symbol),
                lists_of(text),
            )
            if item.symbol is None:
                lists.insert(
                    named, self.number, after=item.insert_after is not None
                )
            elif item.delete:
                lists.delete(named, self.number)
            else:
                lists.replace(named, self.number)
        return made

    def _named_symbol(
        self, file: _EditedFile, text: _Text, symbol: str
    ) -> NamedSymbol:
        self._lines(file, text, symbol)  # says first what else is on them
        outline = self.context.outlines.outline(
            text.snapshot, task=self.context.task
        )
        return find_symbol(outline, symbol, file.location.requested_path)

    def _plan(
        self,
        snapshot: Snapshot,
        edits: Sequence[Edit],
        bases: Sequence[bytes] = (),
    ) -> EditPlan:
        planned = plan_edits(
            snapshot,
            edits,
            total=len(self.arguments.edits),
            in_turn=self.arguments.in_turn,
            bases=bases,
            task=self.context.task,
        )
        # A separator that changes on another line belongs to the edit that it changes for.
        outcomes = tuple(
            replace(outcome, note=self.losses.get(outcome.index, outcome.note))
            for outcome in planned.outcomes
            if outcome.named != _SEPARATOR
        )
        return replace(planned, outcomes=outcomes)

    # Cells of a notebook

    def _planned_texts(
        self, view: NotebookView, texts: dict[int, list[Edit]]
    ) -> list[EditPlan]:
        """Return the plans of edits of texts, each within its cell, with splices of the whole view."""
        plans: list[EditPlan] = []
        refusals: list[FilewrightError] = []
        for number, edits in texts.items():
            part, start = _in_cell(view, number) if number else (view, 0)
            try:
                planned = self._plan(part, edits)
            except FilewrightError as error:
                if "refusals" not in error.details:
                    raise
                refusals.append(error)
                continue
            splices = (
                replace(splice, offset=splice.offset + start)
                for splice in planned.splices
            )
            plans.append(replace(planned, splices=tuple(splices)))
        if refusals:
            first, *others = refusals
            for other in others:
                first.details["refusals"] += other.details["refusals"]
            raise first
        return plans

    def _as_notebook(self, file: _EditedFile, page: Snapshot) -> NotebookView:
        """Return the view by cells that edits of cells need. Raises `invalid_input` for a file that is no notebook."""
        if isinstance(page, NotebookView):
            return page
        self.number, item = next(
            (number, item)
            for number, item in file.items
            if self._cell(item) is not None or item._place in _CELL_PLACES
        )
        missing_cell = next(
            name
            for name in (self._cell(item), item.after_cell, item.before_cell)
            if name is not None
        )
        raise self._invalid(
            f"{file.location.requested_path} is no notebook, and has no cell {missing_cell!r}",
            "leave cell out"
            if self.arguments.encoding is None
            else "leave encoding out to edit by cells",
        )

    def _edited_cells(
        self, file: _EditedFile, view: NotebookView
    ) -> FilePlan[EditPlan]:
        """Return the plan of edits of a notebook that name cells, each located in its cell alone."""
        texts: dict[
            int, list[Edit]
        ] = {}  # by the number of the cell, 0 where an edit names none
        whole: dict[int, tuple[int, EditItem]] = {}
        new: list[tuple[int, NewCell]] = []
        for self.number, item in file.items:
            if item._place in ("after_cell", "before_cell"):
                new.append((self.number, self._new_cell(item, view)))
                continue
            name = self._cell(item)
            cell = view.find_cell(name) if name is not None else None
            if item._place == "whole_cell" or (
                item._place is None and item.delete
            ):
                assert cell is not None
                if cell.number in whole:
                    raise self._invalid(
                        f"{cell.label} is replaced or deleted by another edit",
                        "leave out one of them",
                    )
                self._check_cell_version(item, view)
                whole[cell.number] = self.number, item
            else:
                texts.setdefault(cell.number if cell else 0, []).append(
                    self._edit(item, file, view.file_snapshot)
                )
        return self._joined_cells(view, texts, whole, new)

    def _check_cell_version(self, item: EditItem, view: NotebookView) -> None:
        version = item.expected_version or self.arguments.expected_version
        if version is not None:
            self.context.check_version(view.file_snapshot, version)

    def _new_cell(self, item: EditItem, view: NotebookView) -> NewCell:
        after = item.after_cell is not None
        name = item.after_cell if after else item.before_cell
        assert name is not None
        self._check_cell_version(item, view)
        number = (
            0
            if after and str(name) == "0"
            else view.find_cell(name).number - (not after)
        )
        text = item.replace or ""
        check_text(text, "replace")
        return NewCell(
            number, item.cell_type or "code", normalize_newlines(text)
        )

    def _joined_cells(
        self,
        view: NotebookView,
        texts: dict[int, list[Edit]],
        whole: dict[int, tuple[int, EditItem]],
        new: Sequence[tuple[int, NewCell]],
    ) -> FilePlan[EditPlan]:
        """Return the plan of a notebook: edits of texts by cell, cells replaced or deleted, and new ones."""
        for number in texts.keys() & whole.keys():
            own, self.number = whole[number][0], texts[number][0].number
            message = f"{view.cells[number - 1].label} is replaced or deleted by edit {own + 1}"
            raise self._invalid(message, "leave out one of them")
        shown: list[Splice] = []
        outcomes: list[EditOutcome] = []
        for planned in self._planned_texts(view, texts):
            shown += planned.splices
            outcomes += planned.outcomes
        removed: list[Cell] = []
        for number, (self.number, item) in whole.items():
            cell = view.cells[number - 1]
            line = view.line_at(cell.region[0])
            if item.delete:
                removed.append(cell)
            else:
                check_text(item.replace or "", "replace")
                shown += view.replace_source(
                    cell, normalize_newlines(item.replace or "")
                )
            named = f"{cell.label} {'deleted' if item.delete else 'replaced'}"
            outcomes.append(
                EditOutcome(
                    self.number,
                    Tier.EXACT,
                    line,
                    line,
                    line,
                    line,
                    1,
                    named=named,
                )
            )
        rearranged = view.rearrange([new_cell for _, new_cell in new], removed)
        # The new cells are told in the order in which they come in the file.
        in_order = sorted(new, key=lambda pair: pair[1].after)
        for (number, new_cell), label in zip(
            in_order, rearranged.new_headings, strict=True
        ):
            is_last = new_cell.after == len(view.cells)
            line = view.line_at(
                view.size if is_last else view.cells[new_cell.after].region[0]
            )
            outcomes.append(
                EditOutcome(
                    number,
                    Tier.EXACT,
                    line,
                    line - 1,
                    line,
                    line,
                    1,
                    named=f"new {label}",
                )
            )
        shown = list(sort_splices(shown, view.size))
        splices = sort_splices(
            [*view.to_file_splices(shown), *rearranged.file_splices],
            view.file_snapshot.size,
        )
        if not splices:
            raise path_error(
                Code.NO_CHANGE,
                view.requested_path,
                f"{view.requested_path}: the edits change nothing",
                "leave them out",
            )
        location = view.location
        assert location is not None
        page = _merged([*shown, *rearranged.view_splices])
        outcomes.sort(key=attrgetter("index"))
        decision = EditPlan(page, tuple(outcomes))
        steps = [Modify.from_snapshot(location, view.file_snapshot, splices)]
        name = location.display_path
        return FilePlan(
            decision,
            location,
            steps,
            view.file_snapshot,
            splices,
            name,
            name,
            (view, page),
        )

    def _edit(
        self, item: EditItem, file: _EditedFile, snapshot: Snapshot
    ) -> Edit:
        """One edit as the planner takes it."""
        fuzzy = self.arguments.fuzzy if item.fuzzy is None else item.fuzzy
        version, new = (
            item.expected_version or self.arguments.expected_version,
            item.replace or "",
        )
        first, last = item.start_line, item.end_line
        if item.search is not None:
            if version is not None:
                self.context.check_version(snapshot, version)
            inserts = not item.search and last is None and not item.replace_all
            if inserts and first is not None:
                return Insertion(
                    line=first, replace=new, fuzzy=fuzzy, number=self.number
                )
            return TextEdit(
                item.search,
                new,
                item.replace_all,
                first,
                last,
                fuzzy,
                self.number,
            )
        text = self._text(file, snapshot, version)
        if item.source is not None or item._place in (
            "insert_after",
            "insert_before",
        ):
            spot = self._spot(item, file, text)
            line, named = spot.line, spot.named
            if item.source is not None:
                taken = self._taken[self.number]
                beside = file is taken.source and line in (
                    taken.lines.start,
                    taken.lines.stop,
                )
                if beside and not (item.copied or item.reindent):
                    raise self._invalid(
                        f"{taken.what} would be moved to where it is",
                        "name another place",
                    )
                moved, data = self._moved_in(item, file, spot, text.snapshot)
                return Insertion(
                    line=line,
                    data=data,
                    named=f"{moved}, {named}",
                    base=text.base,
                    fuzzy=False,
                    number=self.number,
                )
            if fuzzy and spot.indent is not None:
                new = self._indented(
                    new, spot.indent, file, text.snapshot, spot.beside
                )
            gap = _usual_gap(new, file, spot) if spot.gap is None else spot.gap
            new = self._with_separator(new, text)
            blank = (0, 0)
            if spot.indent is not None:
                new, *blank_ends = strip_blank_lines(normalize_newlines(new))
                blank = blank_ends[0], blank_ends[1]
            parted = self._parted(
                new, gap, line, text.snapshot, blank=blank, indent=spot.indent
            )
            return Insertion(
                line=line,
                replace=parted,
                named=named,
                base=text.base,
                fuzzy=fuzzy,
                number=self.number,
            )
        deleted: SymbolLines | None = None
        if item.symbol is not None:
            lines = self._lines(file, text, item.symbol)
            first, last, named = (
                lines.first,
                lines.last,
                f"symbol {escape_controls(item.symbol)}",
            )
            if item.delete:
                named, deleted = f"{named} deleted", lines
            if fuzzy:
                own = range(lines.first, lines.last + 1)
                new = self._indented(
                    new, lines.indent, file, text.snapshot, own
                )
            new = self._with_separator(new, text)
            new = trim_symbol_text(new, lines)
            self._note_losses(item, file, text.snapshot, lines, new)
        else:
            named = "by its lines"
            self._check_range(file, text, first or 0, last or 0)
        return LineEdit(
            first_line=first or 0,
            last_line=last or 0,
            replace=new,
            named=named,
            base=text.base,
            symbol=deleted,
            fuzzy=fuzzy,
            number=self.number,
        )

    def _note_losses(
        self,
        item: EditItem,
        file: _EditedFile,
        target: Snapshot,
        lines: SymbolLines,
        new: str,
    ) -> None:
        """Note which decorators, comments and the like of a symbol its replacement does not have."""
        if item.delete or not new.strip():
            return
        start = target.lines.offset_of(lines.first, self.context.task)
        stop = target.lines.offset_of(lines.last + 1, self.context.task)
        data = target.read(start, min(stop - start, _HEAD_BYTES))
        before = normalize_newlines(
            data.decode(target.encoding.name, "replace")
        )
        lost = find_lost_parts(
            before, normalize_newlines(new), language_of(file.location.name)
        )
        if lost:
            self.losses[self.number] = describe_lost_parts(lost)

    def _indented(
        self,
        new: str,
        indent: str,
        file: _EditedFile,
        target: Snapshot,
        near: range | None = None,
    ) -> str:
        """Return a text at an indentation, in the unit of the lines `near` its place, else of the file."""
        language = language_of(file.location.name)
        unit = "\t" if "\t" in indent else None
        if unit is None and near is not None:
            unit = detect_indent_unit(target, language, near)
        if unit is None:
            unit = detect_indent_unit(target, language)
        return reindent_block(
            new, indent, language, None if language in _BY_SPACES else unit
        )

    def _with_separator(self, new: str, text: _Text) -> str:
        """Return the text of this edit with the separator it needs as a member of a list."""
        lists = self._lists.get(text.base)
        return (
            lists.with_separator(self.number, new)
            if lists is not None and new.strip()
            else new
        )

    def _text(
        self, file: _EditedFile, snapshot: Snapshot, version: str | None
    ) -> _Text:
        """The text that lines and symbols are of. Raises `stale_version` for one that is not remembered."""
        context, asked = self.context, file.location.requested_path
        if self.arguments.encoding is None and isinstance(
            view_if_notebook(snapshot, self.context.task), NotebookView
        ):
            raise self._invalid(
                f"{asked} is a notebook, which is edited by its text or by its cells",
                f"give search, and cell; {CELL_HINT}",
            )
        if version is None or snapshot.matches(version):
            shown = context.seen.shown_to(context.session, file.location)
            return _Text(
                snapshot, None, version is not None or shown == snapshot.version
            )
        base = context.shown.content_at(file.location, version)
        if base is None:
            context.check_version(snapshot, version)
        assert base is not None
        earlier = Snapshot(
            base,
            encoding=snapshot.encoding.name,
            location=file.location,
            settings=context.settings,
        )
        return _Text(earlier, base, known=True)

    def _lines(
        self, file: _EditedFile, text: _Text, symbol: str
    ) -> SymbolLines:
        asked = file.location.requested_path
        try:
            outline = self.context.outlines.outline(
                text.snapshot, task=self.context.task
            )
            return find_symbol_lines(text.snapshot, outline, symbol, asked)
        except FilewrightError as error:
            error.details.setdefault("path", asked)
            raise

    def _check_range(
        self, file: _EditedFile, text: _Text, first: int, last: int
    ) -> None:
        """Raise `invalid_input` for lines in the wrong order, and for lines of no version."""
        if last < first:
            raise self._invalid(
                f"end_line {last} is before start_line {first}",
                "correct the lines",
            )
        if not text.known:
            raise self._invalid(
                f"line {first} is a line of some version of {file.location.requested_path}",
                f"give expected_version, which the first row of read_content shows; now it is {text.snapshot.version}",
            )

    def _spot(self, item: EditItem, file: _EditedFile, text: _Text) -> _Spot:
        after = item.insert_after is not None
        given = item.insert_after if after else item.insert_before
        if given is None:
            return _Spot(text.snapshot.lines.count_lines() + 1, "at the end")
        word = "after" if after else "before"
        if isinstance(given, str) and not given.strip().isdecimal():
            lines = self._lines(file, text, given)
            named = f"{word} symbol {escape_controls(given)}"
            line = lines.last + 1 if after else lines.first
            return _Spot(
                line,
                named,
                lines.indent,
                lines.gap,
                range(lines.first, lines.last + 1),
            )
        line = int(given or 0) if len(str(given)) < 20 else -1
        if line < (0 if after else 1):
            raise self._invalid(
                f"there is no line {str(given)[:40]}",
                "lines are numbered from 1; insert_after 0 is the top",
            )
        if line + after > 1:
            self._check_range(file, text, line, line)
        return _Spot(line + after, f"{word} line {line}")

    # What is moved

    def _take(
        self, item: EditItem, wanted: MovedFrom, file: _EditedFile
    ) -> _Taken:
        """What is moved or copied out of a file; what is moved is noted to be removed there."""
        if wanted.path is None and file.is_new:
            raise self._invalid(
                "from names no file",
                "give the path of what is moved into the new file",
            )
        source = (
            file
            if wanted.path is None
            else self._named(self.context.boundary.locate(wanted.path))
        )
        version = wanted.expected_version
        if version is None and source is file:
            version = item.expected_version or self.arguments.expected_version
        with self._opened(source) as snapshot:
            text = self._text(source, snapshot, version)
            lines = (
                self._lines(source, text, wanted.symbol)
                if wanted.symbol is not None
                else None
            )
            if lines is not None:
                first, last, what = (
                    lines.first,
                    lines.last,
                    f"symbol {escape_controls(wanted.symbol or '')}",
                )
            else:
                first, last = wanted.start_line or 0, wanted.end_line or 0
                what = f"lines {first}-{last}"
                self._check_range(source, text, first, last)
            if not item.copied:
                if any(
                    (each.first_line, each.last_line) == (first, last)
                    for each in source.removed
                ):
                    raise self._invalid(
                        f"{what} is moved by another edit",
                        "move it once, and copy it elsewhere",
                    )
                there = (
                    f" to {escape_controls(file.location.display_path)}"
                    if file is not source
                    else ""
                )
                removed = LineEdit(
                    first_line=first,
                    last_line=last,
                    replace="",
                    named=f"{what} moved{there}",
                    base=text.base,
                    symbol=lines,
                    fuzzy=False,
                    number=self.number,
                )
                source.removed.append(removed)
                if wanted.symbol is not None:
                    source.moved_symbols.append(
                        (self.number, wanted.symbol, text)
                    )
                if lines is not None and not lines.indent and there:
                    name = re.findall(r"\w+", wanted.symbol or "")[-1:]
                    self.moved.extend(
                        (each, source.location, file.location) for each in name
                    )
            origin, gap = (
                text.snapshot,
                lines.gap if lines is not None else None,
            )
            start, end = (
                origin.lines.offset_of(line, self.context.task)
                for line in (first, last + 1)
            )
            hint = "move fewer lines, or the whole file with move_items"
            most = self.context.settings.hold_bytes
            if end - start > most:
                raise too_many(
                    end - start, most, "bytes to be moved", hint, "size"
                )
            data = origin.read(start, end - start)
            at = range(first, last + 1)
            return _Taken(
                source,
                what,
                at,
                data,
                origin.encoding,
                origin.dominant_terminator,
                lines is not None,
                gap,
            )

    def _moved_in(
        self, item: EditItem, file: _EditedFile, spot: _Spot, target: Snapshot
    ) -> tuple[str, bytes]:
        """What is moved to a spot of a text: in words, and its bytes there.

        They are as they were where encoding and line ends are, else as the text has them.
        """
        taken, encoding = self._taken[self.number], target.encoding
        origin = escape_controls(taken.source.location.display_path)
        end = target.dominant_terminator if target.size else taken.end
        data = taken.data
        same_end = file is taken.source or end == taken.end
        verbatim = (
            encoding.name == taken.encoding.name
            and same_end
            and not item.reindent
        )
        if not verbatim or encoding.unit_bytes > 1:
            try:
                plain = data.decode(taken.encoding.name)
            except UnicodeDecodeError as error:
                raise self._invalid(
                    f"there are invalid bytes in {taken.what} of {origin}",
                    "such text goes only to a file of the same encoding and line ends, and without reindent",
                ) from error
            if item.reindent:
                plain = self._indented(
                    plain, spot.indent or "", file, target, spot.beside
                )
            data = plain.encode()  # of UTF-16, the text that is edited is UTF-8
            if not verbatim:
                data = codec.encode(
                    plain,
                    encoding if encoding.unit_bytes == 1 else _UTF8,
                    end,
                    argument="replace",
                )
        text, gap = data.decode("latin-1"), spot.gap  # each byte a character
        if not file.is_new:
            text = next(
                (
                    lists.with_separator(self.number, text)
                    for lists in self._lists.values()
                ),
                text,
            )
        if gap is None or (taken.is_symbol and spot.indent is None):
            gap = (
                _usual_gap(text, file, spot)
                if taken.gap is None or file.is_new
                else taken.gap
            )
        text = self._parted(
            text, gap, spot.line, target, end.decode(), indent=spot.indent
        )
        verb = "copied" if item.copied else "moved"
        return f"{taken.what} {verb} here from {origin}", text.encode("latin-1")

    def _parted(
        self,
        text: str,
        gap: int,
        line: int,
        target: Snapshot,
        end: str = "\n",
        blank: tuple[int, int] = (0, 0),
        indent: str | None = None,
    ) -> str:
        """Return `text` as whole lines, parted by `gap` blank lines from what is above `line` and from that line.

        `blank` are the blank lines that its author wants above and below at least. Those that are there already count,
        and none are put in where there is no text, nor between a member, which is indented by `indent`, and the lines
        that begin and end what it is in.
        """
        text = text if text.endswith(("\n", "\r")) else text + end
        if not gap and blank == (0, 0):
            return text
        at = target.lines.offset_of(line, self.context.task)
        near = max(target.start, at - _NEAR)
        above, below = (
            codec.decode(target.read(*piece), target.encoding)
            .removesuffix("\n")
            .split("\n")
            for piece in ((near, at - near), (at, _NEAR))
        )
        first, last = max(gap, blank[0]), max(gap, blank[1])
        if text.startswith(("\n", "\r")) or _is_outside(
            above[::-1], indent, closing=False
        ):
            first = 0
        if text.endswith(2 * end) or _is_outside(below, indent, closing=True):
            last = 0
        first, last = _lacking(above[::-1], first), _lacking(below, last)
        return end * first + text + end * last


def _of_whole(
    number: int, named: str, first: int = 1, last: int = 0, note: str = ""
) -> EditOutcome:
    """What became of an edit that is of no text that was there."""
    return EditOutcome(
        number, Tier.EXACT, 1, 0, first, last, 1, named=named, note=note
    )


def _usual_gap(text: str, file: _EditedFile, spot: _Spot) -> int:
    """How many blank lines part a definition from others, where nothing there says how many."""
    if len(text.strip().splitlines()) < 2:
        return 0
    return (
        2
        if language_of(file.location.name) == Language.PYTHON
        and not spot.indent
        else 1
    )


def _is_outside(
    rows: Sequence[str], indent: str | None, *, closing: bool
) -> bool:
    """Return whether the nearest row with text is of what encloses a member: it begins that, or is its closing line."""
    row = next((row for row in rows if row.strip()), "")
    if not indent or not row or len(row) - len(row.lstrip()) >= len(indent):
        return False
    return not closing or row.lstrip().startswith(("}", ")", "]", "end", "</"))


def _lacking(rows: Sequence[str], gap: int) -> int:
    """How many of `gap` blank lines the rows from a place on lack; none where there is no text beyond."""
    blank = next((count for count, row in enumerate(rows) if row.strip()), gap)
    return max(0, gap - blank)


def _in_cell(view: NotebookView, number: int) -> tuple[Snapshot, int]:
    """Return the text of a cell, and where it begins in the view."""
    cell = view.cells[number - 1]
    return Snapshot(
        view.cell_text(cell), encoding="utf-8", location=view.location
    ), cell.start


def _merged(splices: Sequence[Splice]) -> tuple[Splice, ...]:
    """Return splices in order, with those that meet as one: text put at a cell's end, and a new cell below."""
    merged: list[Splice] = []
    for splice in sorted(splices, key=attrgetter("offset", "length")):
        if merged and merged[-1].end == splice.offset:
            last = merged.pop()
            splice = Splice(
                last.offset,
                last.length + splice.length,
                last.replacement + splice.replacement,
            )
        merged.append(splice)
    return tuple(merged)


def _still_used(
    context: Context, moved: Sequence[Moved]
) -> tuple[StillUsed, ...]:
    """The files that take each of the symbols `moved` from its old place.

    What mentions a symbol is searched for, for a second of work at most, and its imports are followed.
    """
    origin, names = moved[0][1], {name for name, _, _ in moved}
    references = References()
    shown: dict[str, str] = {}
    mentioned: dict[str, set[str]] = defaultdict(set)
    dotted: dict[str, set[str]] = defaultdict(set)
    with best_effort(context.task) as task:
        pattern = compile_pattern(
            "|".join(names), mode="regex", case="sensitive", whole_word=True
        )
        options = TreeOptions(limit=_SEARCHED, output="files")
        for snapshot, _ in TreeSearch(
            context.searcher,
            Location(origin.root, ()),
            pattern,
            options,
            task=task,
        ):
            assert snapshot.location is not None
            path, text = (
                _path(snapshot.location),
                snapshot.read(0, min(snapshot.size, _LOOKED_AT)),
            )
            shown[path] = snapshot.location.display_path
            references.add(path, text)
            for name in names:
                before_it = {
                    *re.findall(rb"([.:>]?)\b%b\b" % name.encode(), text)
                }
                if before_it:
                    mentioned[name].add(path)
                if before_it - {b""}:
                    dotted[name].add(path)
    made = []
    for name, before, after in moved:
        old, new = _path(before), _path(after)
        for path in (old, new):
            references.add(path, b"", counts=False)
        users = {
            path
            for path, by_name in references.find_importers(old, name)
            if by_name or path in dotted[name]
        }
        if old in mentioned[name] and old not in {
            path for path, _ in references.find_importers(new, name)
        }:
            users.add(old)
        if users:
            files = sorted(shown[path] for path in users)
            made.append(StillUsed(name, before.display_path, tuple(files)))
    return tuple(made)


def _path(location: Location) -> str:
    return os.fsdecode(b"/".join(location.parts))


EDIT_CONTENT = Tool(
    name="edit_content",
    title="Edit files",
    description=(
        "Edits of one file (path) or of several (path in each), all or "
        "none. Text: search must match once; give lines around it, or "
        "start_line. Place: at a symbol (with its comment and decorators), "
        'or lines as shown last; replace "" deletes them whole. Insert: at '
        "after or before a symbol or line. Move code: from, to at, or to "
        "the end. File: content makes one; delete or move_to beside its own "
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
        "answer shows what has changed: do not read it again. A refusal "
        "shows the nearest text: correct the search and repeat."
    ),
)
