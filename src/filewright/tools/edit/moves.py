"""Text that an edit moves or copies from one place to another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from filewright.boundary.location import Location
from filewright.edit.list_separators import ListEdits
from filewright.edit.request import LineEdit, SymbolLines
from filewright.errors import too_many
from filewright.text import codec
from filewright.text.codec import Encoding
from filewright.text.snapshot import Snapshot
from filewright.tools.edit.arguments import MoveText
from filewright.tools.edit.call import EditCall, FileEdits
from filewright.tools.edit.layout import (
    as_separate_lines,
    indent_text,
    usual_gap,
)
from filewright.tools.edit.places import (
    InsertionPoint,
    TextVersion,
    find_symbol_lines_of,
    find_text_version,
    require_known_lines,
)
from filewright.wording import escape_controls

_UTF8 = Encoding("utf-8")
_TERMINATOR_NAMES = {b"\n": "lf", b"\r\n": "crlf", b"\r": "cr"}


@dataclass(frozen=True, slots=True)
class MovedText:
    """Whole lines or a symbol of `source`, to move or copy.

    `version` is the text in which `lines` are counted, and `label` names them in messages.
    `content` are their bytes, in the encoding and with the terminators of the source.
    `symbol` is the name of the symbol as the request has it, None for lines.
    """

    source: FileEdits
    version: TextVersion
    label: str
    lines: range
    content: bytes
    encoding: Encoding
    terminator: bytes
    symbol: str | None
    symbol_lines: SymbolLines | None

    @property
    def gap(self) -> int | None:
        """The number of blank lines around the symbol, None if the file does not tell."""
        return self.symbol_lines.gap if self.symbol_lines is not None else None


@dataclass(frozen=True, slots=True)
class MoveTarget:
    """A point of a text to which another text moves.

    `lists` are the changes of lists in that text, and `deleted` the lines of it that
    other edits delete.
    """

    file: FileEdits
    text: Snapshot
    point: InsertionPoint
    lists: ListEdits | None = None
    deleted: Sequence[range] = ()


@dataclass(frozen=True, slots=True)
class LaidOutText:
    """A moved or copied text as whole lines for its target.

    `data` has the text with the blank lines that were added `above` and `below` it.
    `form` names a new encoding and new terminators, as in "as utf-8, with lf". With
    `has_same_lines`, its lines are those of the source, character by character.
    """

    moved_text: MovedText
    is_copy: bool
    data: bytes
    above: int
    below: int
    form: str
    has_same_lines: bool


@dataclass(frozen=True, slots=True)
class MovedSymbol:
    """A symbol at the top of a file that edit `number` moves to another file.

    `lines` are its lines in the file as it is, None if the edit counts them in an earlier
    version. `exported_name` is the name by which its own text exports it, "" if it does
    not, as a symbol of JavaScript may. With `moves_imports` its imports are rewritten.
    """

    name: str
    origin: Location
    destination: Location
    number: int = 0
    lines: range | None = None
    exported_name: str = ""
    moves_imports: bool = False


def read_moved_text(
    call: EditCall,
    number: int,
    edit: MoveText,
    source: FileEdits,
    snapshot: Snapshot,
    destination: FileEdits,
) -> MovedText:
    """Read the text that an edit moves or copies from an open file."""
    origin = edit.source
    version = origin.expected_version
    if version is None and source is destination:
        version = call.version_for(edit)
    text = find_text_version(call, number, source, snapshot, version)
    symbol_lines = None
    if origin.symbol is not None:
        symbol_lines = find_symbol_lines_of(call, source, text, origin.symbol)
        first, last = symbol_lines.first, symbol_lines.last
        label = f"symbol {escape_controls(origin.symbol)}"
    else:
        first, last = origin.start_line or 0, origin.end_line or 0
        label = f"lines {first}-{last}"
        require_known_lines(call, number, source, text, first, last)
    lines = range(first, last + 1)
    if not edit.is_copy:
        _require_not_moved(call, number, source, lines, label)
    return MovedText(
        source=source,
        version=text,
        label=label,
        lines=lines,
        content=_read_lines(call, text.snapshot, lines),
        encoding=text.snapshot.encoding,
        terminator=text.snapshot.dominant_terminator,
        symbol=origin.symbol,
        symbol_lines=symbol_lines,
    )


def build_removal(
    moved_text: MovedText, number: int, destination: FileEdits
) -> LineEdit:
    """Return the edit that removes a moved text where it was."""
    target = ""
    if destination is not moved_text.source:
        target = f" to {escape_controls(destination.location.display_path)}"
    return LineEdit(
        first_line=moved_text.lines.start,
        last_line=moved_text.lines.stop - 1,
        replace="",
        named=f"{moved_text.label} moved{target}",
        base=moved_text.version.base,
        symbol=moved_text.symbol_lines,
        fuzzy=False,
        number=number,
    )


def lay_out_moved_text(
    call: EditCall,
    number: int,
    edit: MoveText,
    moved_text: MovedText,
    target: MoveTarget,
) -> LaidOutText:
    """Return a moved text as whole lines at a point of another text.

    Its bytes stay as they are if the target has the same encoding and terminators.
    """
    terminator = moved_text.terminator
    if target.text.size:
        terminator = target.text.dominant_terminator
    content = _convert(call, number, edit, moved_text, target, terminator)
    # Each byte is a character here, so that any bytes can be laid out as text.
    text = content.decode("latin-1")
    if target.lists is not None:
        text = target.lists.with_separator(number, text)
    point = target.point
    gap = point.gap
    is_symbol = moved_text.symbol_lines is not None
    if gap is None or (is_symbol and point.indent is None):
        gap = moved_text.gap
        if gap is None or target.file.is_new:
            gap = usual_gap(text, target.file, point)
    lines = as_separate_lines(
        text,
        point,
        target.text,
        gap,
        terminator=terminator.decode(),
        deleted=target.deleted,
    )
    end = terminator.decode()
    # `partition` refuses an empty text.
    above, _, below = lines.partition(text or lines)
    blank_below = below.count(end)
    if blank_below and not text.endswith(("\n", "\r")):
        # The first terminator ends the last line of the text itself.
        blank_below -= 1
    return LaidOutText(
        moved_text,
        edit.is_copy,
        lines.encode("latin-1"),
        above=above.count(end),
        below=blank_below,
        form=_describe_form(moved_text, target, terminator),
        has_same_lines=_has_same_lines(moved_text, target, text),
    )


def _describe_form(
    moved_text: MovedText, target: MoveTarget, terminator: bytes
) -> str:
    """Return the new encoding and terminators of a text in words, "" for the same ones."""
    parts: list[str] = []
    encoding = target.text.encoding.name
    if (
        encoding != moved_text.encoding.name
        and not moved_text.content.isascii()
    ):
        parts.append(f"as {encoding}")
    if terminator != moved_text.terminator:
        parts.append(f"with {_TERMINATOR_NAMES[terminator]}")
    return ", ".join(parts)


def _has_same_lines(
    moved_text: MovedText, target: MoveTarget, text: str
) -> bool:
    """Return True if a text has the lines of its source. Each character is a byte."""
    data = text.encode("latin-1")
    if data == moved_text.content:
        return True
    encoding = target.text.encoding
    if encoding.unit_bytes > 1:
        encoding = _UTF8
    lines = data.decode(encoding.name, "surrogateescape")
    source_lines = moved_text.content.decode(
        moved_text.encoding.name, "surrogateescape"
    )
    return codec.normalize_newlines(lines) == codec.normalize_newlines(
        source_lines
    )


def _convert(
    call: EditCall,
    number: int,
    edit: MoveText,
    moved_text: MovedText,
    target: MoveTarget,
    terminator: bytes,
) -> bytes:
    """Return a moved text in the encoding, terminators and indentation of its target."""
    encoding = target.text.encoding
    keeps_terminators = (
        target.file is moved_text.source or terminator == moved_text.terminator
    )
    is_verbatim = (
        encoding.name == moved_text.encoding.name
        and keeps_terminators
        and not edit.reindent
    )
    # UTF-16 is edited as UTF-8, so its bytes never stay.
    if is_verbatim and encoding.unit_bytes == 1:
        return moved_text.content
    try:
        text = moved_text.content.decode(moved_text.encoding.name)
    except UnicodeDecodeError as error:
        origin = escape_controls(moved_text.source.location.display_path)
        raise call.invalid(
            number,
            f"there are invalid bytes in {moved_text.label} of {origin}",
            "move it only to a file of the same encoding and line ends, "
            "without reindent",
        ) from error
    if edit.reindent:
        text = indent_text(
            text,
            target.point.indent or "",
            target.file,
            target.text,
            target.point.symbol,
        )
    if is_verbatim:
        return text.encode()
    target_encoding = encoding if encoding.unit_bytes == 1 else _UTF8
    return codec.encode(text, target_encoding, terminator, argument="replace")


def describe_arrival(edit: MoveText, moved_text: MovedText) -> str:
    """Return in words that a text was moved or copied to its place, and from where."""
    verb = "copied" if edit.is_copy else "moved"
    origin = escape_controls(moved_text.source.location.display_path)
    return f"{moved_text.label} {verb} here from {origin}"


def _require_not_moved(
    call: EditCall, number: int, source: FileEdits, lines: range, label: str
) -> None:
    """Raise `invalid_input` if another edit moves exactly the same lines."""
    for removal in source.removals:
        if (
            removal.first_line == lines.start
            and removal.last_line == lines.stop - 1
        ):
            raise call.invalid(
                number,
                f"{label} is also moved by another edit",
                "move it in one edit, and give copy: true in the others",
            )


def _read_lines(call: EditCall, snapshot: Snapshot, lines: range) -> bytes:
    """Return the bytes of lines. Raise `too_large` for more than memory may hold."""
    task = call.context.task
    start = snapshot.lines.offset_of(lines.start, task)
    end = snapshot.lines.offset_of(lines.stop, task)
    max_bytes = call.context.settings.hold_bytes
    if end - start > max_bytes:
        raise too_many(
            end - start,
            max_bytes,
            "bytes to be moved",
            "move fewer lines, or the whole file with move_items",
            "size",
        )
    return snapshot.read(start, end - start)
