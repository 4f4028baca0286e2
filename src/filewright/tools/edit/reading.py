"""Edits as clients send them, brought into the form of their models.

`normalize` has already parsed JSON text and translated the names of other systems. Here
the fields of one edit are read: adapters fill optional fields with empty values, and
models put the fields of `at` beside it, or name a line as other editors do.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from posixpath import normpath
from typing import Any

from filewright.text.notebook_cells import CELL_HINT
from filewright.tools.argument_problems import argument_error

KIND_FIELDS: Mapping[str, str] = {
    "from": "MoveText",
    "search": "ReplaceText",
    "at": "PlaceEdit",
    "move_to": "MoveFile",
    "content": "CreateFile",
    "delete": "DeleteFile",
}
"""The fields that decide the kind of an edit, with its model; the first one counts.

`delete` is last, so that no edit with a place can delete a whole file.
"""

PLACE_FIELDS = frozenset(
    [
        *("symbol", "lines", "after", "before", "conflict"),
        *("after_cell", "before_cell"),
    ]
)
"""Fields of `at` that are moved into it if a client sends them next to it."""

OTHER_NAMES = PLACE_FIELDS | {"end_line", "insert_line", "insert_text"}
"""Names that are accepted for an edit of any kind, since they are read here."""

# Fields that name a part of a file. If an edit has some, and all of them are empty, the
# caller meant a part, and its name was lost.
_NARROWING_FIELDS = (
    *("search", "start_line", "end_line", "at", "from", "source", "cell"),
    *sorted(PLACE_FIELDS),
)

_FLAGS = ("delete", "copy", "replace_all", "imports")
"""Fields that are the same as absent if they are false."""

WHOLE_FILE_HINT = (
    "to delete or rename the whole file, give only its path in the edit (or use "
    "delete_items or move_items); for a part of it, give at or search"
)


def read_call(call: dict[str, Any]) -> dict[str, Any]:
    """Return a call with its `cell` in each edit of its file that names no cell itself."""
    cell = call.get("cell")
    edits = call.get("edits")
    if cell is None or not isinstance(edits, list):
        return call
    read_edits = []
    for edit in edits:
        is_of_cell = isinstance(edit, dict) and not (
            _names_cell(edit) or _names_another_file(call, edit)
        )
        if is_of_cell:
            edit = {**edit, "cell": cell}
        read_edits.append(edit)
    rest = {name: value for name, value in call.items() if name != "cell"}
    return {**rest, "edits": read_edits}


def read_edit(edit: Any, known_names: Iterable[str] = ()) -> Any:
    """Return an edit in the form of its model; anything but an object stays as it is.

    Fields with one of the `known_names` are left out if they are null. Raise an argument
    error for an edit that may have lost its place, and for one without a kind.
    """
    if not isinstance(edit, dict):
        return edit
    fields = dict(edit)
    if fields.get("delete") or fields.get("move_to"):
        _require_place_kept(fields)
    names = {*known_names, *OTHER_NAMES}
    # A null under an unknown name may be a lost place too: the model refuses it.
    fields = {
        name: value
        for name, value in fields.items()
        if value is not None or name not in names
    }
    fields = _read_insert_line(fields)
    fields = _read_lines(fields)
    fields = _gather_place(_without_unset_fields(fields))
    fields = _read_content_at_place(fields)
    fields = _without_idle_options(_read_cell(fields))
    # An unknown name may be the misspelt field that decides the kind. The model refuses
    # it, and suggests the right name.
    if find_kind(fields) is None and fields.keys() <= names:
        raise _no_kind_error(fields)
    return fields


def find_kind(fields: Mapping[str, Any]) -> str | None:
    """Return the name of the model that takes these fields, or None."""
    for field, kind in KIND_FIELDS.items():
        if field in fields:
            return kind
    return None


def _names_another_file(
    call: Mapping[str, Any], edit: Mapping[str, Any]
) -> bool:
    """Return True if an edit has another path than the call."""
    paths = []
    for fields in (call, edit):
        path = fields.get("path")
        if not isinstance(path, str) or not path:
            return False
        paths.append(normpath(path))
    return paths[0] != paths[1]


def _names_cell(edit: Mapping[str, Any]) -> bool:
    """Return True if an edit itself names a cell."""
    at = edit.get("at")
    places = [edit, at] if isinstance(at, dict) else [edit]
    for fields in places:
        for name in ("cell", "after_cell", "before_cell"):
            if fields.get(name) not in (None, ""):
                return True
    return False


def _require_place_kept(fields: Mapping[str, Any]) -> None:
    """Raise an argument error if an edit deletes or moves, and its place fields are empty.

    Without this check, the whole file would be deleted instead of a part of it.
    """
    places = [name for name in _NARROWING_FIELDS if name in fields]
    if places and all(_is_empty(fields[name]) for name in places):
        raise argument_error(
            f"{places[0]} is empty, so the edit names no place, and it is not "
            "applied to the whole file",
            WHOLE_FILE_HINT,
        )


def _is_empty(value: Any) -> bool:
    """Return True for null, blank text, and for lists and objects of nothing else."""
    if isinstance(value, dict):
        return all(_is_empty(member) for member in value.values())
    if isinstance(value, list):
        return all(_is_empty(member) for member in value)
    return value is None or (isinstance(value, str) and not value.strip())


def _read_insert_line(fields: dict[str, Any]) -> dict[str, Any]:
    """Return an insertion in the form of the text editor tool with its place in `at`.

    `insert_line` is the line after which the text goes, 0 for the top of the file.
    """
    line = fields.get("insert_line")
    # A boolean is an integer for `isinstance`.
    if type(line) is not int or line < 0 or fields.get("at"):
        return fields
    rest = {
        name: value
        for name, value in fields.items()
        if name not in ("insert_line", "insert_text", "at")
    }
    if "insert_text" in fields:
        rest["replace"] = fields["insert_text"]
    return {**rest, "at": {"after": line} if line else {"before": 1}}


def _read_lines(fields: dict[str, Any]) -> dict[str, Any]:
    """Return an edit with its first and last line in `lines`, if it has no `search`."""
    if fields.get("search") is not None or "from" in fields:
        return fields
    if "start_line" not in fields or "end_line" not in fields:
        return fields
    rest = {
        name: value
        for name, value in fields.items()
        if name not in ("start_line", "end_line")
    }
    return {**rest, "lines": [fields["start_line"], fields["end_line"]]}


def _without_unset_fields(fields: dict[str, Any]) -> dict[str, Any]:
    """Return the fields without false flags, and without empty texts that are not used.

    Adapters fill in an empty text where the other fields make an edit of a kind that does
    not use it.
    """
    filled = {name for name, value in fields.items() if value}
    kinds = filled & {*KIND_FIELDS, *PLACE_FIELDS, "cell", "start_line"}
    idle = set()
    # An empty text to search for is a place only together with a line.
    if kinds - {"start_line", "cell", "search"}:
        idle.add("search")
    # An empty content is only that of a new file.
    if kinds - {"content"}:
        idle.add("content")
    if "take" in filled:
        idle.add("replace")
    if kinds & {"content", "move_to", "from", "delete"}:
        idle.add("replace")
    read_fields = {}
    for name, value in fields.items():
        is_idle = value == "" and name in idle
        is_off = value is False and name in _FLAGS
        if not (is_idle or is_off):
            read_fields[name] = value
    return read_fields


def _gather_place(fields: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of an edit with its place fields moved into `at`."""
    beside: dict[str, Any] = {}
    rest: dict[str, Any] = {}
    for name, value in fields.items():
        if name not in PLACE_FIELDS:
            rest[name] = value
        elif not _is_empty(value):
            beside[name] = value
    if not beside:
        return rest
    if fields.get("at"):
        raise argument_error(
            f"at and {' and '.join(beside)} both name the place of the edit",
            "give the place in at alone",
        )
    return {**rest, "at": beside}


def _read_content_at_place(fields: dict[str, Any]) -> dict[str, Any]:
    """Return an edit at a place with its `content` as the text that goes there."""
    is_at_place = find_kind(fields) == "PlaceEdit"
    if not is_at_place or {"replace", "take", "delete"} & fields.keys():
        return fields
    return {
        "replace" if name == "content" else name: value
        for name, value in fields.items()
    }


def _read_cell(fields: dict[str, Any]) -> dict[str, Any]:
    """Return an edit with its cell in the field that its kind has for it.

    A search for text has `cell`; the deletion of a whole cell has `at`.
    """
    at = fields.get("at")
    if isinstance(at, dict) and [*at] == ["cell"] and "search" in fields:
        rest = {name: value for name, value in fields.items() if name != "at"}
        return {**rest, "cell": at["cell"]}
    if "cell" in fields and find_kind(fields) == "DeleteFile":
        rest = {name: value for name, value in fields.items() if name != "cell"}
        return {**rest, "at": {"cell": fields["cell"]}}
    return fields


def _without_idle_options(fields: dict[str, Any]) -> dict[str, Any]:
    """Return an edit at a place without options of a search, which change nothing."""
    if find_kind(fields) not in ("PlaceEdit", "MoveText"):
        return fields
    return {
        name: value
        for name, value in fields.items()
        if name not in ("replace_all", "end_line")
    }


def _no_kind_error(fields: Mapping[str, Any]) -> Exception:
    """Return the error for an edit that does not say what to do."""
    if "cell" in fields:
        return argument_error(
            f"the edit names cell {fields['cell']}, and no text in it",
            f"give search, the text to replace in the cell; {CELL_HINT}",
        )
    if "insert_line" in fields:
        return argument_error(
            "insert_line is not a line number",
            "give the line after which insert_text goes, 0 for the top",
        )
    if "start_line" in fields:
        return argument_error(
            "start_line only chooses between places of search, which is missing",
            'for lines, give at: {"lines": [first, last]} with replace',
        )
    return argument_error(
        "the edit names no text and no place",
        "give search with replace, or at (symbol, lines, after or before) with "
        "replace or delete",
    )
