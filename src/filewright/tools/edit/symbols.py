"""Edits at symbols: their lines, the separators of lists, and what is left out."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Final

from filewright.edit.list_separators import ListEdits
from filewright.edit.losses import describe_lost_parts, find_lost_parts
from filewright.edit.request import EditRole, LineEdit, SymbolLines
from filewright.edit.symbol_lines import trim_symbol_text
from filewright.languages import language_of
from filewright.structure.lookup import NamedSymbol, find_symbol
from filewright.text.codec import normalize_newlines
from filewright.text.snapshot import Snapshot
from filewright.tools.edit.arguments import MoveText, PlaceEdit
from filewright.tools.edit.call import NumberedEdit, PreparedEdit
from filewright.tools.edit.layout import indent_text
from filewright.tools.edit.places import (
    OpenFile,
    TextVersion,
    anchor_symbol,
    find_symbol_lines_of,
)
from filewright.wording import escape_controls

# Bytes of a symbol in which the lines before its definition are searched.
_SYMBOL_HEAD_BYTES: Final = 16 << 10


def prepare_symbol_edit(
    open_file: OpenFile,
    numbered: NumberedEdit,
    edit: PlaceEdit,
    symbol: str,
) -> PreparedEdit:
    """Return the edit that replaces or deletes a symbol, with a note on what it loses."""
    call, file = open_file.call, open_file.file
    text = open_file.find_text(numbered)
    lines = find_symbol_lines_of(call, file, text, symbol)
    new = edit.replace or ""
    if call.is_fuzzy(edit):
        own_lines = range(lines.first, lines.last + 1)
        new = indent_text(new, lines.indent, file, text.snapshot, own_lines)
    new = with_separator(open_file, numbered.number, new, text)
    new = trim_symbol_text(new, lines)
    description = f"symbol {escape_controls(symbol)}"
    loss = ""
    deletion: str | None = None
    if edit.deletes_symbol:
        deletion = description
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
    return PreparedEdit(line_edit, loss, deletion=deletion)


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


def find_deleted_lines(
    open_file: OpenFile,
) -> Mapping[bytes | None, Sequence[range]]:
    """Return the lines of symbols and texts that edits delete or move, by text version.

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
    if isinstance(edit, PlaceEdit) and edit.is_of_conflicts:
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


def separator_edits(
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
                    named="separator of a neighbour",
                    role=EditRole.FURTHER,
                    base=base,
                    fuzzy=False,
                    number=other.edit,
                )
            )
    return edits


def with_separator(
    open_file: OpenFile, number: int, new: str, text: TextVersion
) -> str:
    """Return a new text with the separator that it needs as a member of a list."""
    changes = open_file.lists.get(text.base)
    if changes is None or not new.strip():
        return new
    return changes.with_separator(number, new)
