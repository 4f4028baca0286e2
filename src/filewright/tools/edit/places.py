"""Places of an open file that edits name: lines, symbols, and points between lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from filewright.edit.drift import are_lines_in_place
from filewright.edit.list_separators import ListEdits
from filewright.edit.request import SymbolLines
from filewright.edit.source import Source
from filewright.edit.symbol_lines import find_symbol_lines
from filewright.errors import FilewrightError
from filewright.text.notebook import NotebookView, view_if_notebook
from filewright.text.notebook_cells import CELL_HINT
from filewright.text.snapshot import Snapshot
from filewright.tools.context import Context
from filewright.tools.edit.arguments import Place, PlaceEdit
from filewright.tools.edit.call import EditCall, FileEdits, NumberedEdit
from filewright.wording import escape_controls

if TYPE_CHECKING:
    from filewright.tools.edit.moves import MovedText

# Stands for a number with too many digits to be that of a line.
_NO_LINE: Final = -1
_MAX_LINE_DIGITS: Final = 19
_MAX_SHOWN_ANCHOR: Final = 40
# Files of a call of which a refusal names the versions.
_MAX_NAMED_VERSIONS: Final = 5


@dataclass(frozen=True, slots=True)
class TextVersion:
    """The text in which an edit counts lines and finds symbols.

    `base` is None for the file as it is, else the content of an earlier version. With
    `is_known`, the caller has seen the lines of this version.
    """

    snapshot: Snapshot
    base: bytes | None
    is_known: bool


@dataclass(frozen=True, slots=True)
class InsertionPoint:
    """A point between lines: before `line`, named in words.

    Beside a symbol, `indent` is its indentation and `symbol` are its lines; `gap` is the
    number of blank lines that separate it from others, None if it has no neighbour to
    tell.
    """

    line: int
    named: str
    indent: str | None = None
    gap: int | None = 0
    symbol: range | None = None


@dataclass(frozen=True, slots=True)
class OpenFile:
    """A file of a call while it is open, with the texts and lines that its edits name.

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


def find_text_version(
    call: EditCall,
    number: int,
    file: FileEdits,
    snapshot: Snapshot,
    version: str | None,
) -> TextVersion:
    """Return the text that a version names, the current one by default.

    Raise `stale_version` for a version that is not remembered, and `invalid_input` for a
    notebook, whose lines are not those that a reader sees.
    """
    context = call.context
    if call.arguments.encoding is None and isinstance(
        view_if_notebook(snapshot, context.task), NotebookView
    ):
        raise call.invalid(
            number,
            f"{file.requested_path} is a notebook: lines and symbols do not "
            "work there",
            f"give search, and cell; {CELL_HINT}",
        )
    if version is None or snapshot.matches(version):
        shown_version = context.seen.shown_version(
            context.session, file.location
        )
        is_known = version is not None or shown_version == snapshot.version
        return TextVersion(snapshot, None, is_known)
    base = context.shown.content_at(file.location, version)
    if base is None:
        # This raises: the version is neither the current nor a remembered one.
        context.check_version(snapshot, version)
    assert base is not None
    earlier = Snapshot(
        base,
        encoding=snapshot.encoding.name,
        location=file.location,
        settings=context.settings,
    )
    return TextVersion(earlier, base, is_known=True)


def require_known_lines(
    call: EditCall,
    number: int,
    file: FileEdits,
    text: TextVersion,
    first_line: int,
    last_line: int,
) -> None:
    """Raise `invalid_input` for lines out of order, and for lines not shown yet."""
    if last_line < first_line:
        raise call.invalid(
            number,
            f"end_line {last_line} is before start_line {first_line}",
            "correct the lines",
        )
    if not text.is_known and not _are_in_place(
        call.context, file, text.snapshot, first_line, last_line
    ):
        path = file.requested_path
        raise call.invalid(
            number,
            f"{path} was not read in its current version, so line "
            f"{first_line} may be another line than you mean",
            f"read {path} first, or give expected_version; "
            f"{_name_versions(call, file, text.snapshot)}",
        )


def _are_in_place(
    context: Context,
    file: FileEdits,
    snapshot: Snapshot,
    first_line: int,
    last_line: int,
) -> bool:
    """Return True if lines are where the session was shown them.

    The session may count them in the version that it was shown last, or in any that its
    own edits made since. Lines must have the same numbers in all of these.
    """
    shown_version = context.seen.shown_version(context.session, file.location)
    if shown_version is None:
        return False
    contents = context.shown.contents_since(file.location, shown_version)
    if contents is None:
        return False
    source = Source(snapshot, context.task)
    return are_lines_in_place(source, contents, first_line, last_line)


def _name_versions(call: EditCall, file: FileEdits, snapshot: Snapshot) -> str:
    """Return the version of a file in words, and of other files that need one.

    These are files of the call with edits by lines that name no version.
    """
    context = call.context
    texts = [f"the current version is {_with_shown_version(context, snapshot)}"]
    locations = {file.location}
    for edit in call.arguments.edits:
        path = edit.path
        has_lines = isinstance(edit, PlaceEdit) and edit.at.symbol is None
        if path is None or not has_lines or call.version_for(edit):
            continue
        location = context.boundary.locate(path)
        if location in locations or len(locations) == _MAX_NAMED_VERSIONS:
            continue
        locations.add(location)
        # A file that cannot be opened is refused by its own edit.
        with suppress(FilewrightError), context.open(location) as other:
            shown = context.seen.shown_version(context.session, location)
            if shown != other.version:
                versions = _with_shown_version(context, other)
                texts.append(f"of {path} {versions}")
    return ", ".join(texts)


def _with_shown_version(context: Context, snapshot: Snapshot) -> str:
    """Return the version of a file, and the version last shown to the session."""
    assert snapshot.location is not None
    shown = context.seen.shown_version(context.session, snapshot.location)
    if shown is None:
        return snapshot.version
    return f"{snapshot.version} (shown last: {shown})"


def find_symbol_lines_of(
    call: EditCall, file: FileEdits, text: TextVersion, symbol: str
) -> SymbolLines:
    """Return the lines of a symbol. A refusal has the path of the file."""
    context = call.context
    try:
        outline = context.outlines.outline(text.snapshot, task=context.task)
        return find_symbol_lines(
            text.snapshot, outline, symbol, file.requested_path
        )
    except FilewrightError as error:
        error.details.setdefault("path", file.requested_path)
        raise


def anchor_symbol(place: Place) -> str | None:
    """Return the symbol beside which text goes, or None if it goes beside a line."""
    anchor = place.after if place.after is not None else place.before
    if isinstance(anchor, str) and not anchor.strip().isdecimal():
        return anchor
    return None


def find_insertion_point(
    call: EditCall,
    number: int,
    file: FileEdits,
    text: TextVersion,
    place: Place | None,
) -> InsertionPoint:
    """Return the point that a place names; without a place, the end of the text."""
    if place is None:
        last_line = text.snapshot.lines.count_lines()
        return InsertionPoint(last_line + 1, "at the end")
    is_after = place.after is not None
    word = "after" if is_after else "before"
    symbol = anchor_symbol(place)
    if symbol is not None:
        lines = find_symbol_lines_of(call, file, text, symbol)
        return InsertionPoint(
            line=lines.last + 1 if is_after else lines.first,
            named=f"{word} symbol {escape_controls(symbol)}",
            indent=lines.indent,
            gap=lines.gap,
            symbol=range(lines.first, lines.last + 1),
        )
    anchor = str(place.after if is_after else place.before)
    # A number of thousands of digits cannot be converted.
    line = int(anchor) if len(anchor) <= _MAX_LINE_DIGITS else _NO_LINE
    if line < (0 if is_after else 1):
        raise call.invalid(
            number,
            f"there is no line {anchor[:_MAX_SHOWN_ANCHOR]}",
            "give a line from 1, or after: 0 for the top of the file",
        )
    line_below = line + 1 if is_after else line
    # The top of the file is the same in every version.
    if line_below > 1:
        require_known_lines(call, number, file, text, line, line)
    return InsertionPoint(line_below, f"{word} line {line}")
