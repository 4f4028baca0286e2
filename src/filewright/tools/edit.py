"""`edit_content`: edits of one file or of several, each by its text or by its place, all or nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, WithJsonSchema, model_validator
from pydantic.json_schema import SkipJsonSchema

from filewright.boundary import Location
from filewright.edit import (
    Delete,
    Edit,
    Expected,
    Move,
    Outcome,
    Plan,
    Rewrite,
    SymbolLines,
    Tier,
    indented,
    plan,
    symbol_lines,
)
from filewright.errors import Code, FilewrightError, invalid, missing, refused
from filewright.languages import Language, language_of
from filewright.text import (
    Encoding,
    NotebookView,
    Snapshot,
    Splice,
    check_text,
    codec,
    notebook_view,
    terminators_in,
)
from filewright.tools.context import Context
from filewright.tools.moved import StillUsed, still_used
from filewright.tools.pipeline import Change, ChangeArguments, Changed, Decided, change, created, decided
from filewright.tools.registry import Arguments, Tool
from filewright.tools.result import ChangeResult, DiffWanted, Page, optional
from filewright.visible import visible
from filewright.wording import counted, listed


def _given_text(value: Any) -> Any:
    """A text that is there: null is no text to look for or to write."""
    if value is None:
        raise ValueError("null is no text\nhint: give a text, or leave it out")
    return value


_UTF8 = Encoding("utf-8")
_OPEN = 8
"""Files of a call that are open at one time."""

_USERS = 10
"""Files that are named as users of a symbol that was moved."""

EditText = Annotated[str | None, BeforeValidator(_given_text)]
Line = Annotated[int | None, Field(ge=1)]
Beside = Annotated[int | str | None, WithJsonSchema({"type": "string"})]


class MovedFrom(Arguments):
    """Lines of a file, or a symbol, to be moved or copied."""

    path: str | None = None
    symbol: str | None = None
    start_line: Line = None
    end_line: Line = None
    expected_version: str | None = None

    @model_validator(mode="after")
    def _one_place(self) -> MovedFrom:
        if (self.symbol is None) == (self.start_line is None) or (self.start_line is None) != (
            self.end_line is None
        ):
            raise ValueError("from names no one place\nhint: give a symbol, or start_line and end_line")
        return self


class EditPlace(Arguments):
    """Where an edit goes: one of them."""

    text: SkipJsonSchema[str | None] = None
    symbol: str | None = None
    lines: Annotated[list[int] | None, Field(description="[first, last]")] = None
    after: Beside = None
    before: Beside = None


_AT = {"text": "search", "after": "insert_after", "before": "insert_before"}
_PLACES = ("search", "start_line", "symbol", "insert_after", "insert_before")
_OF_WHOLE = {"path", "content", "delete", "move_to", "expected_version", "fuzzy"}
_OF_PIECES = _OF_WHOLE | {"source", "copied", "reindent"}


class EditItem(Arguments):
    """One edit: of a text (`search`), of lines, of a symbol, or beside either; or of a whole file."""

    search: EditText = None
    replace: EditText = None
    replace_all: bool = False
    start_line: Line = None
    end_line: SkipJsonSchema[Line] = None
    symbol: SkipJsonSchema[str | None] = None
    delete: bool = False
    insert_after: SkipJsonSchema[Beside] = None
    insert_before: SkipJsonSchema[Beside] = None
    source: Annotated[MovedFrom | None, Field(alias="from", description="moved to at")] = None
    copied: Annotated[bool, Field(alias="copy")] = False
    content: Annotated[EditText, Field(description="new file; goes before from")] = None
    move_to: str | None = None
    at: Annotated[EditPlace | None, Field(description="instead of search")] = None
    reindent: SkipJsonSchema[bool] = False
    path: str | None = None
    expected_version: str | None = None
    fuzzy: SkipJsonSchema[bool | None] = None

    @model_validator(mode="before")
    @classmethod
    def _place_named(cls, given: Any) -> Any:
        """`at` in the fields that it stands for."""
        if not isinstance(given, dict) or not isinstance(given.get("at"), dict):
            return given
        at = {_AT.get(name, name): value for name, value in given["at"].items()}
        if all(value is None for value in at.values()):
            return (
                given  # which says no place, and so must not be left out: a delete would be of the whole file
            )
        match at.pop("lines", None):
            case None:
                pass
            case [first, last]:
                at |= {"start_line": first, "end_line": last}
                if given.get("delete") is True and given.get("replace") is None:
                    at |= {"delete": False, "replace": ""}
                    given = {name: value for name, value in given.items() if name not in at}
            case _:
                raise ValueError("at.lines is no range\nhint: give [first, last]")
        beside = {name: value for name, value in given.items() if name != "at"}
        if any(beside.get(name) is not None for name in at):
            raise ValueError("the place of the edit is given twice\nhint: give it in at alone")
        return {**at, **beside}

    @property
    def places(self) -> list[str]:
        """What says where in the file the edit goes."""
        given = [name for name in _PLACES if getattr(self, name) is not None]
        return [name for name in given if name != "start_line" or self.search is None]

    @property
    def is_whole(self) -> bool:
        """Whether a whole file is made, deleted or moved."""
        return self.content is not None or self.move_to is not None or (self.delete and not self.places)

    @model_validator(mode="after")
    def _one_place(self) -> EditItem:
        places = self.places
        if self.is_whole or (self.source is not None and not places):
            # What else is given may have been meant as a place: without it, all of the file would go.
            of_whole = _OF_PIECES if self.source is not None else _OF_WHOLE
            more = any(getattr(self, name) not in (None, False) for name in self.model_fields_set - of_whole)
            # What is moved into a new file may have a beginning given with it.
            made = self.content if self.content is not None else self.source
            whole = (made, self.move_to, (self.delete and not places) or None)
            if sum(each is not None for each in whole) != 1 or more:
                raise ValueError(
                    "content, move_to, and delete without a place, are of a whole file\nhint: give one of them, "
                    "with path alone"
                )
            return self
        problem = ""
        if len(places) != 1:
            problem = (
                f"an edit names one place, not {' and '.join(places) or 'none'}\nhint: give search, or start_line and "
                "end_line, or symbol, or insert_after, or insert_before"
            )
        elif places == ["start_line"] and self.end_line is None:
            problem = "start_line without search needs an end_line\nhint: give both, of lines to replace"
        elif self.source is not None:
            if not places[0].startswith("insert") or self.replace is not None or self.delete:
                problem = "from says what to move\nhint: give with it insert_after or insert_before alone"
        elif self.delete:
            if places != ["symbol"] or self.replace is not None:
                problem = 'delete is for a symbol\nhint: give symbol with it, or delete lines by replace ""'
        elif self.replace is None:
            problem = "replace is missing\nhint: give the new text, or delete with a symbol"
        if problem:
            raise ValueError(problem)
        return self


class EditArguments(ChangeArguments):
    """The edits, of the file at `path` or each of its own."""

    path: str | None = None
    """the file; left out where every edit has its own"""
    edits: Annotated[list[EditItem], Field(min_length=1)]
    """what to change, see below"""
    cell: Annotated[str | None, Field(description="of a notebook")] = None
    """of a [notebook](#notebooks): only in the cell with this id or number"""
    fuzzy: bool = True
    """false: exact text only"""
    preview: bool = False
    """true: show the diff, write nothing"""
    diff: DiffWanted = "auto"
    """`"auto"`: shown if it is up to 40 lines and no preview showed it, else counted"""
    expected_version: str | None = None
    """the version that a read gave; refused if the file is no longer that"""
    encoding: str | None = None
    in_turn: SkipJsonSchema[bool] = False


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
    preview: bool
    changes_made: int
    line_number: int
    similarity: float
    tier: str
    results: tuple[Outcome, ...]
    version: str | None
    hard_links: int
    syntax_warning: str | None
    files: tuple[EditedFile, ...] = optional(())
    still_used: tuple[StillUsed, ...] = optional(())

    @property
    def data(self) -> dict[str, Any]:
        """The facts as JSON values."""
        return {**super().data, "results": [outcome.data() for outcome in self.results]}


def run(context: Context, arguments: EditArguments) -> EditResult:
    """Locate every edit on one snapshot of its file, and commit them together."""
    limit = context.settings.max_edits
    if len(arguments.edits) > limit:
        raise FilewrightError(
            Code.TOO_LARGE,
            f"{len(arguments.edits):,} edits in one call; the limit is {limit}",
            "send them in several calls, or use replace_content",
            count=len(arguments.edits),
            limit=limit,
        )

    def summary(files: Sequence[Changed[Plan]]) -> str:
        names = ", ".join(file.location.shown for file in files)
        return f"edit {names}: {counted(len(arguments.edits), 'edit')}"

    # What names its text by a version is refused if the file moves on; what names lines is carried on.
    again = not any(item.search is not None and _version_of(arguments, item) for item in arguments.edits)
    moved: list[tuple[str, Location, Location]] = []

    def decide() -> Iterator[Decided[Plan]]:
        moved.clear()
        return _Edits(context, arguments, moved).decided()

    made = change(
        context,
        "edit_content",
        decide,
        arguments,
        summary=summary,
        preview=arguments.preview,
        again=again,
    )
    return _answer(context, arguments, made, moved if made.id is not None else ())


def _version_of(arguments: EditArguments, item: EditItem) -> str | None:
    return item.expected_version or arguments.expected_version


@dataclass
class _EditedText:
    """A file of the call, with the edits that are its own; their numbers are those of the request."""

    location: Location
    identity: object
    edits: list[Edit | Rewrite] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    fuzzy: list[bool] = field(default_factory=list)
    is_new: bool = False
    made_of: list[tuple[int, str, bytes]] = field(default_factory=list)
    """Of a new file what it is made of, each with the number of its edit and in words."""
    deleted: int | None = None
    moved: tuple[int, Location] | None = None

    def add(self, number: int, edit: Edit | Rewrite, *, fuzzy: bool) -> None:
        """One more edit."""
        self.edits.append(edit)
        self.numbers.append(number)
        self.fuzzy.append(fuzzy)


@dataclass(frozen=True)
class _Meant:
    """The text that an edit's lines or symbols are of: the file as it is (`base` None), or a version of it."""

    file: _EditedText
    snapshot: Snapshot
    base: bytes | None
    versioned: bool


@dataclass(frozen=True)
class _Spot:
    """Where text goes in: before line `line`, with `gap` blank lines before or `behind` it (None: as is usual).

    `indent` is that of the symbol it is put beside, None beside a line.
    """

    line: int
    named: str
    indent: str | None = None
    gap: int | None = 0
    behind: bool = False

    def blank(self, text: str, *, python: bool) -> int:
        """How many blank lines part `text` from the symbol."""
        if self.gap is not None:
            return self.gap
        return _usual_gap(text, python=python and not self.indent)


def _usual_gap(text: str, *, python: bool) -> int:
    """How many blank lines part a definition from others, where nothing there says how many."""
    return 0 if "\n" not in text.strip() else 2 if python else 1


class _Edits:
    """The edits of a call, put to the files that they are of."""

    def __init__(
        self, context: Context, arguments: EditArguments, moved: list[tuple[str, Location, Location]]
    ) -> None:
        self._context = context
        self._symbols = moved
        self._arguments = arguments
        self._task = context.task
        self._known: dict[Location, _EditedText] = {}
        self._open: dict[Location, Snapshot] = {}
        self._number = 0

    def decided(self) -> Iterator[Decided[Plan]]:
        """The plan of every file, in the order they are named. Raises the first refusal."""
        try:
            for number, item in enumerate(self._arguments.edits):
                self._number = number
                self._add(item, self._file(item))
            for file in [*self._known.values()]:
                if file.is_new:
                    yield self._created(file)
                elif file.deleted is not None:
                    yield self._deleted(file, file.deleted)
                elif file.moved is not None:
                    yield self._moved(file, *file.moved)
                elif file.edits:
                    yield self._edited(file)
        finally:
            self._let_go(0)

    def _edited(self, file: _EditedText) -> Decided[Plan]:
        as_file = self._arguments.encoding is not None
        planned = partial(self._planned, file)
        return decided(self._snapshot(file), planned, self._task, as_file=as_file)

    def _created(self, file: _EditedText) -> Decided[Plan]:
        outcomes, line = [], 1
        for number, named, data in file.made_of:
            lines = terminators_in(data).total + (not data.endswith((b"\n", b"\r")) and bool(data))
            outcomes.append(Outcome(number, Tier.EXACT, 1, 0, line, line + lines - 1, 1, named=named))
            line += lines
        content = b"".join(data for _, _, data in file.made_of)
        added = (Splice(0, 0, content),) if content else ()
        return created(self._context, Plan(added, tuple(outcomes)), file.location, content)

    def _deleted(self, file: _EditedText, number: int) -> Decided[Plan]:
        for other, edit in zip(file.numbers, file.edits, strict=True):
            # What was moved out of it is elsewhere; any other edit would be lost with it, and what was moved into it.
            is_out = isinstance(edit, Rewrite) and not edit.text
            if not is_out or self._arguments.edits[other].source is None:
                self._number = other
                raise self._invalid(
                    f"{file.location.asked} is deleted by edit {number + 1}", "leave out one of them"
                )
        before = self._known_text(file)
        location, expected = file.location, None
        whole: tuple[Splice, ...] = ()
        if before is not None:
            whole = (Splice(0, before.size, b""),) if before.size else ()
            expected = Expected.of(before)
        made = Plan((), (Outcome(number, Tier.EXACT, 1, 0, 1, 0, 1, named="the file is deleted"),))
        return Decided(made, location, [Delete(location, expected=expected)], before, whole, location.shown)

    def _moved(self, file: _EditedText, number: int, destination: Location) -> Decided[Plan]:
        old, new = file.location.shown, destination.shown
        move, named = Move(file.location, destination), f"moved from {visible(old)}"
        outcome = Outcome(number, Tier.EXACT, 1, 0, 1, 0, 1, named=named)
        if file.edits:
            one = self._edited(file)
            made = replace(one.decision, outcomes=(*one.decision.outcomes, outcome))
            return replace(one, decision=made, location=destination, steps=[*one.steps, move], new=new)
        return Decided(Plan((), (outcome,)), destination, [move], self._known_text(file), (), old, new)

    def _known_text(self, file: _EditedText) -> Snapshot | None:
        """What is to be shown of a file that is deleted or moved; None of what is no text, or too large."""
        try:
            snapshot = self._snapshot(file)
        except FilewrightError as error:
            if error.code not in (Code.IS_BINARY, Code.NOT_A_FILE, Code.SYMLINK, Code.TOO_LARGE):
                raise
            return None
        return snapshot if snapshot.held is not None else None

    def _snapshot(self, file: _EditedText) -> Snapshot:
        """The file, open. What is not asked for again soon is let go of."""
        found = self._open.pop(file.location, None)
        if found is None:
            found = self._context.open_for_edit(file.location, encoding=self._arguments.encoding)
            if found.held is not None:
                found.close()  # a call may name more files than a process may have open
            if file.identity is None:
                file.identity = found.identity
            elif found.identity != file.identity:
                asked = file.location.asked
                message = f"{asked} was changed meanwhile"
                raise refused(Code.STALE_VERSION, asked, message, "send the edit again")
        self._open[file.location] = found  # the last one is the one that was asked for last
        self._let_go()
        return found

    def _let_go(self, keep: int = _OPEN) -> None:
        """Let go of the files that were asked for longest ago: of so many, and of more than one may hold."""
        limit = self._context.settings.hold_bytes
        while len(self._open) > keep or (
            len(self._open) > 1 and sum(len(each.held or b"") for each in self._open.values()) > limit
        ):
            self._open.pop(next(iter(self._open))).close()

    def _planned(self, file: _EditedText, page: Snapshot) -> Plan:
        """The plan of a file as it is, or of a notebook as its cells are shown."""
        context, arguments = self._context, self._arguments
        snapshot, start = _in_cell(page, arguments.cell)
        shown = context.shown.bases(file.location, except_version=page.version) if snapshot is page else ()
        planned = plan(
            snapshot,
            file.edits,
            numbers=file.numbers,
            total=len(arguments.edits),
            fuzzy=file.fuzzy,
            in_turn=arguments.in_turn,
            bases=shown,
            task=self._task,
            limit=2 * context.settings.max_edits,
        )
        moved = tuple(replace(splice, offset=splice.offset + start) for splice in planned.splices)
        return replace(planned, splices=moved) if start else planned

    def _file(self, item: EditItem) -> _EditedText:
        path = item.path
        outer = self._arguments.path
        if path is None and outer is None:
            raise self._invalid("no path was given", "give path, or a path in every edit")
        location = self._context.boundary.locate(path if path is not None else outer or "")
        if path is not None and outer is not None and location != self._context.boundary.locate(outer):
            raise self._invalid(
                f"its path {path} is not the path of the call, {outer}",
                "leave out the path of the call, and give every edit its own",
            )
        makes = item.content is not None or (item.source is not None and not item.places)
        return self._opened(location, makes=makes, whole=item.is_whole)

    def _opened(self, location: Location, *, makes: bool = False, whole: bool = False) -> _EditedText:
        """The file at a place: one that is not there yet, if the edit `makes` it; not read, if all of it is meant."""
        known = self._known.get(location)
        if known is None:
            known = _EditedText(location, None)
            if makes and not self._context.exists(location):
                self._context.boundary.guard_write(location)
                known.is_new = True
            elif not whole:
                self._snapshot(known)
            for other in self._known.values():
                if known.identity is not None and other.identity == known.identity:
                    raise self._invalid(
                        f"{location.asked} and {other.location.asked} are one file",
                        "name it by one path",
                    )
            self._known[location] = known
        if known.is_new and not makes:
            raise self._invalid(
                f"{location.asked} is made by this call", "give all that is to be in it: content, and from"
            )
        return known

    def _invalid(self, message: str, hint: str) -> FilewrightError:
        count = len(self._arguments.edits)
        which = f"edit {self._number + 1} of {count}: " if count > 1 else ""
        return invalid(f"{which}{message}", hint, edit=self._number)

    def _add(self, item: EditItem, file: _EditedText) -> None:
        fuzzy = self._arguments.fuzzy if item.fuzzy is None else item.fuzzy
        version = _version_of(self._arguments, item)
        new = item.replace or ""
        if item.is_whole:
            self._add_whole(item, file)
            if item.source is None:
                return
        if item.source is not None and file.is_new:
            self._move(item, item.source, file, None, None)
            return
        if item.source is not None and not item.places:
            raise self._invalid(
                f"from names no place in {file.location.asked}, which is there",
                "give with it insert_after or insert_before",
            )
        if item.search is not None:
            self._context.check_version(self._snapshot(file), version)
            edit = Edit(item.search, new, item.replace_all, item.start_line, item.end_line)
            file.add(self._number, edit, fuzzy=fuzzy)
            return
        meant = self._meant(file, version)
        if item.insert_after is not None or item.insert_before is not None:
            spot = self._spot(meant, item)
            if item.source is not None:
                self._move(item, item.source, file, meant, spot)
                return
            if fuzzy and spot.indent is not None:
                new = indented(new, spot.indent)
            text = self._parted(new, spot, spot.blank(new, python=_is_python(file)))
            file.add(
                self._number, Rewrite(spot.line, spot.line - 1, text, spot.named, meant.base), fuzzy=fuzzy
            )
            return
        if item.symbol is not None:
            lines = self._lines(meant, item.symbol)
            first, last = (lines.gone_first, lines.gone_last) if item.delete else (lines.first, lines.last)
            text = indented(new, lines.indent) if fuzzy else new
            named = f"symbol {visible(item.symbol)}{' deleted' if item.delete else ''}"
        else:
            assert item.start_line is not None
            assert item.end_line is not None
            first, last, text, named = item.start_line, item.end_line, new, "by its lines"
            self._check_range(meant, first, last)
        file.add(self._number, Rewrite(first, last, text, named, meant.base), fuzzy=fuzzy)

    def _add_whole(self, item: EditItem, file: _EditedText) -> None:
        """Make, delete or move a file."""
        location, asked = file.location, file.location.asked
        if item.content is not None:
            if not file.is_new or file.made_of:
                message = f"{asked} exists already" if not file.is_new else f"{asked} is made already"
                hint = 'change a part of it, or overwrite it by write_content with mode="overwrite"'
                raise refused(Code.ALREADY_EXISTS, asked, message, hint)
            if item.expected_version is not None:
                raise missing(asked)
            check_text(item.content, "content")
            file.made_of.append((self._number, "the file is made", item.content.encode()))
            return
        if file.deleted is not None or file.moved is not None:
            raise self._invalid(f"{asked} is deleted or moved already", "delete or move it once")
        self._context.boundary.guard_write(location, link_itself=True)
        version = _version_of(self._arguments, item)
        if version is not None:
            self._context.check_version(self._snapshot(file), version)
        elif not self._context.exists(location):
            raise missing(asked)
        if item.move_to is None:
            file.deleted = self._number
        else:
            destination = self._context.boundary.locate(item.move_to)
            self._context.boundary.guard_write(destination, link_itself=True)
            file.moved = self._number, destination

    def _meant(self, file: _EditedText, version: str | None) -> _Meant:
        """The text that lines and symbols are of. Raises `stale_version` for one that is not remembered."""
        snapshot = self._snapshot(file)
        if self._arguments.encoding is None and isinstance(notebook_view(snapshot, self._task), NotebookView):
            raise self._invalid(
                f"{file.location.asked} is a notebook, which is edited by its text", "give search, and cell"
            )
        if version is None or snapshot.matches(version):
            return _Meant(file, snapshot, None, version is not None)
        base = self._context.shown.at(file.location, version)
        if base is None:
            self._context.check_version(snapshot, version)
            raise AssertionError("unreachable")
        shown = Snapshot.of_bytes(
            base,
            encoding=snapshot.encoding.name,
            location=file.location,
            settings=self._context.settings,
        )
        return _Meant(file, shown, base, versioned=True)

    def _lines(self, meant: _Meant, symbol: str) -> SymbolLines:
        outline = self._context.outlines.outline(meant.snapshot, task=self._task)
        try:
            return symbol_lines(meant.snapshot, outline, symbol, meant.file.location.asked)
        except FilewrightError as error:
            error.details.setdefault("path", meant.file.location.asked)
            raise

    def _check_range(self, meant: _Meant, first: int, last: int) -> None:
        """Raise `invalid_input` for lines in the wrong order, and for lines of no version."""
        if last < first:
            raise self._invalid(f"end_line {last} is before start_line {first}", "correct the lines")
        if not meant.versioned and not self._context.has_shown(meant.snapshot):
            raise self._invalid(
                f"line {first} is a line of some version of {meant.file.location.asked}",
                f"give expected_version, which the first row of read_content shows; now it is {meant.snapshot.version}",
            )

    def _spot(self, meant: _Meant, item: EditItem) -> _Spot:
        after = item.insert_after is not None
        given = item.insert_after if item.insert_after is not None else item.insert_before
        word = "after" if after else "before"
        if isinstance(given, str) and not given.strip().isdecimal():
            lines = self._lines(meant, given)
            line = lines.last + 1 if after else lines.first
            return _Spot(line, f"{word} symbol {visible(given)}", lines.indent, lines.gap, behind=not after)
        line = int(given or 0) if len(str(given)) < 20 else -1
        if line < (0 if after else 1):
            raise self._invalid(
                f"there is no line {str(given)[:40]}", "lines are numbered from 1; insert_after 0 is the top"
            )
        if line + after > 1:
            self._check_range(meant, line, line)
        return _Spot(line + 1 if after else line, f"{word} line {line}")

    def _parted(self, text: str, spot: _Spot, gap: int) -> str:
        """The text with the blank lines that part its neighbours, unless it brings its own."""
        text = text if text.endswith("\n") else text + "\n"
        blank = "\n" * gap
        if spot.behind:
            return text if text.endswith("\n\n") else text + blank
        return text if text.startswith(("\n", "\r")) else blank + text

    def _taken(
        self, source: MovedFrom, target: _Meant | None
    ) -> tuple[_Meant, SymbolLines | None, int, int, str]:
        """What is moved or copied: its text, the lines of a symbol, the first and the last line, and it in words."""
        version = source.expected_version
        if source.path is not None:
            file = self._opened(self._context.boundary.locate(source.path))
        elif target is not None:
            file = target.file
        else:
            raise self._invalid("from names no file", "give the path of what is moved into the new file")
        if version is None and target is not None and file is target.file:
            version = _version_of(self._arguments, self._arguments.edits[self._number])
        taken = self._meant(file, version)
        if source.symbol is not None:
            lines = self._lines(taken, source.symbol)
            return taken, lines, lines.first, lines.last, f"symbol {visible(source.symbol)}"
        first, last = source.start_line or 0, source.end_line or 0
        self._check_range(taken, first, last)
        return taken, None, first, last, f"lines {first}-{last}"

    def _move(
        self, item: EditItem, source: MovedFrom, file: _EditedText, meant: _Meant | None, spot: _Spot | None
    ) -> None:
        """Move or copy lines to a spot of a file, or to the end of one that is made by this call."""
        taken, lines, first, last, what = self._taken(source, meant)
        origin, own = taken.snapshot, lines.gap if lines is not None else None
        verb = "copied" if item.copied else "moved"
        if not item.copied:
            # With a symbol go the blank lines that it would leave.
            gone = (lines.gone_first, lines.gone_last) if lines is not None else (first, last)
            there = f" to {visible(file.location.shown)}" if file is not taken.file else ""
            if lines is not None and not lines.indent and file is not taken.file:
                name = re.findall(r"\w+", source.symbol or "")[-1:]
                self._symbols += [(each, taken.file.location, file.location) for each in name]
            taken.file.add(self._number, Rewrite(*gone, "", f"{what} moved{there}", taken.base), fuzzy=False)
        if meant is not None:
            target, end = meant.snapshot, meant.snapshot.dominant
            alike = target.encoding.width == 1 and target.encoding.name == origin.encoding.name
        else:  # a new file is UTF-8, with one kind of line end, whatever its pieces come from
            target = Snapshot.of_bytes(b"".join(made for _, _, made in file.made_of), encoding="utf-8")
            end = target.dominant if target.size else origin.dominant
            alike = origin.encoding.is_utf8
        as_it_is = not item.reindent and alike and (file is taken.file or end == origin.dominant)
        data = self._bytes(origin, first, last)
        try:
            text = data.decode(origin.encoding.name)
        except UnicodeDecodeError as error:
            if not as_it_is:
                raise self._invalid(
                    f"there are invalid bytes in {what} of {visible(taken.file.location.shown)}",
                    "such text goes only to a file of the same encoding and line ends, and without reindent",
                ) from error
            text = data.decode(origin.encoding.name, "surrogateescape")
        text = codec.normalised(text)
        if item.reindent:
            text = indented(text, (spot.indent if spot is not None else None) or "")
        named = f"{what} {verb} here from {visible(taken.file.location.shown)}"
        python = _is_python(file)
        usual = own if own is not None and spot is not None else _usual_gap(text, python=python)
        behind = 0
        if spot is None:
            spot = _Spot(target.lines.counted(self._task) + 1, "")
        else:
            named += f", {spot.named}"
        if lines is None or spot.indent is not None:
            gap = own if spot.gap is None and own is not None else spot.blank(text, python=python)
        else:  # a definition at a line: as its neighbours expect
            above = self._blank_lines(target, spot.line - 1, -1)
            gap = 0 if above is None else max(0, usual - above)
            below = self._blank_lines(target, spot.line, 1)
            behind = 0 if below is None else max(0, usual - below)
        text = self._parted(text, spot, gap) + "\n" * behind
        exact = None
        if as_it_is:
            blank = b"" if data.startswith((b"\n", b"\r")) and not spot.behind else end * gap
            ended = data if data.endswith((b"\n", b"\r")) else data + end
            exact = (ended + blank if spot.behind else blank + ended) + end * behind
        if meant is not None:
            rewrite = Rewrite(spot.line, spot.line - 1, text, named, meant.base, exact)
            file.add(self._number, rewrite, fuzzy=False)
        else:
            torn = target.size > 0 and not target.lines.ends_in_terminator()
            data = exact or codec.encoded(text, _UTF8, end)
            file.made_of.append((self._number, named, end * torn + data))

    def _blank_lines(self, snapshot: Snapshot, line: int, step: int) -> int | None:
        """How many blank lines there are from a line on, upwards or downwards; None if nothing else follows them."""
        lines, count = snapshot.lines, 0
        while line > 0 and lines.has_line(line, self._task):
            offset = lines.offset_of(line, self._task)
            if lines.starting(offset, 1 << 10).body.strip():
                return count
            count, line = count + 1, line + step
        return None

    def _bytes(self, snapshot: Snapshot, first: int, last: int) -> bytes:
        """The lines as they are in the file. Raises `too_large` for more than a file that may be held."""
        start = snapshot.lines.offset_of(first, self._task)
        end = snapshot.lines.offset_of(last + 1, self._task)
        limit = self._context.settings.hold_bytes
        if end - start > limit:
            raise FilewrightError(
                Code.TOO_LARGE,
                f"{end - start:,} bytes are to be moved; the limit is {limit:,}",
                "move fewer lines, or the whole file with move_items",
                size=end - start,
                limit=limit,
            )
        return snapshot.read(start, end - start)


def _in_cell(page: Snapshot, name: str | None) -> tuple[Snapshot, int]:
    """The text of the cell that the edits are for, and where it begins on the page; all of it without a name."""
    if name is None:
        return page, 0
    if not isinstance(page, NotebookView):
        raise invalid(
            f"{page.asked} is no notebook, and has no cell {name!r}",
            "leave cell out",
            path=page.asked,
            argument="cell",
        )
    cell = page.cell_named(name)
    return Snapshot.of_bytes(page.source(cell), encoding="utf-8", location=page.location), cell.start


def _is_python(file: _EditedText) -> bool:
    return language_of(file.location.name, b"") == Language.PYTHON


def _answer(
    context: Context,
    arguments: EditArguments,
    change: Change[Plan],
    moved: Sequence[tuple[str, Location, Location]],
) -> EditResult:
    made, record, diff = change.files, change.record, change.diff
    page = Page(context.settings.page_chars)
    seen = context.previewed(arguments, diff.text, preview=arguments.preview)
    done = "would be applied (preview; nothing was written)" if record is None else "applied"
    for position, one in enumerate(made):
        version = f"; version {one.version}" if one.version else ""
        ending = f"; change {record.id}" if record is not None and not position else ""
        count = counted(one.decision.changes_made, "edit")
        page.add(f"{visible(one.location.shown)}: {count} {done}{one.form}{version}{ending}")
        if not seen:
            page.extend((visible(outcome.text) for outcome in one.decision.outcomes), reserve=2000)
        if record is not None and one.hard_links > 1:
            page.add(f"[the file had {one.hard_links} hard links; the other names keep the old content]")
        if one.warning:
            page.add(f"[warning: {one.warning}]")
    users = still_used(context, moved) if moved else ()
    for each in users:
        files = listed([visible(path) for path in each.files], _USERS)
        page.add(f"[{each.name} is still used as of {visible(each.path)} in {files}]")
    page.add_change(diff, arguments.diff, change.id, seen=seen)
    outcomes = sorted(_outcomes(made), key=lambda outcome: outcome.index)
    first = made[0]
    return EditResult(
        page.text(),
        path=first.location.shown,
        preview=record is None,
        changes_made=sum(one.decision.changes_made for one in made),
        line_number=first.decision.line_number,
        similarity=min(one.decision.similarity for one in made),
        tier=str(outcomes[0].tier),
        results=tuple(outcomes),
        difference=diff,
        version=first.version,
        change_id=change.id,
        hard_links=first.hard_links,
        syntax_warning="; ".join(change.warnings) or None,
        files=tuple(
            EditedFile(one.location.shown, one.decision.changes_made, one.version)
            for one in (made if len(made) > 1 else ())
        ),
        still_used=users,
    )


def _outcomes(made: Sequence[Changed[Plan]]) -> Iterator[Outcome]:
    for one in made:
        yield from one.decision.outcomes


TOOL = Tool(
    "edit_content",
    "Edit files",
    "Change one file (path) or several (a path in each edit), all or none. search must match exactly once; copy it "
    "without line numbers; if it occurs more often, add neighbouring lines or start_line. Small differences are "
    "tolerated and reported; else the nearest text is shown. Or name the place: at a symbol, lines of the version "
    "shown, after or before either. from moves code there or into a new file. content makes a file; delete or "
    "move_to with path alone takes or renames one.",
    EditArguments,
    run,
    "edit",
    writes=True,
    destructive=True,
    idempotent=False,
)
