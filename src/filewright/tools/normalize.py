"""Arguments as clients send them, brought into the form that a tool's model takes.

Adapters fill optional fields with null or "", clients send lists and objects as JSON
text, and language models use the names that they know from other systems' tools. An
argument with one possible meaning is converted; any other stays as it is, so that the
model refuses it. The members of lists and objects are counted before anything is built
from them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import AliasChoices, BaseModel
from pydantic.fields import FieldInfo

from filewright.bounded_json import MAX_VALUES, TooManyValuesError, parse_json
from filewright.errors import Code, FilewrightError, invalid, too_many

MAX_INTEGER = 2**63 - 1
"""The largest number; larger ones fail in arithmetic of the system or as text."""
MAX_UNKNOWN = 20
"""The unknown members of an object up to which each of them is explained."""

_SYNONYMS: Mapping[str, tuple[str, ...]] = {
    "search": ("old_string", "old_str", "oldString", "old_text", "oldText"),
    "replace": ("new_string", "new_str", "newString", "new_text", "newText"),
    "path": (
        "file_path",
        "filePath",
        "file",
        "filename",
        "file_name",
        "target_file",
        "absolute_path",
    ),
    "paths": ("files", "file_paths"),
    "content": ("file_text", "contents", "new_content"),
    "patch": ("input", "patch_text"),
    "pattern": ("query", "search", "old_string", "old_str"),
    "replacement": ("replace", "new_string", "new_str"),
    "source": ("old_path", "source_path", "from_path", "src"),
    "destination": ("new_path", "destination_path", "to_path", "dest", "dst"),
    "encoding": ("charset",),
}
"""The names of arguments in the tools of other systems."""
_REASONS = frozenset(
    {"explanation", "instruction", "instructions", "reason", "description"}
)
"""Arguments of other systems in which a model says why it makes a call."""
_WRITTEN_TEXTS = frozenset(
    {
        "search",
        "replace",
        "content",
        "replacement",
        "file_text",
        "new_str",
        "insert_text",
    }
)
"""Texts that may be empty on purpose."""

_NARROWING_LISTS = frozenset({"parts", "hunks"})
"""Lists that limit an undo. An empty one is kept: without it all would be undone."""

_EDIT_TEXTS = frozenset(
    {
        *(
            "search",
            "replace",
            "replacement",
            "text",
            "old_string",
            "new_string",
            "oldText",
            "newText",
            "insert_text",
        ),
        *("search_text", "replace_text", "search_pattern", "replace_content"),
        *("old_str", "new_str", "insert_text"),
    }
)
_LONG_TEXTS = _EDIT_TEXTS | {
    "content",
    "diff",
    "file_text",
    "input",
    "patch",
}
"""Arguments that hold texts of files; all others are names, patterns or choices."""
MAX_NAME_CHARS = 100_000
"""Characters of an argument that holds no text of a file."""
MAX_EDIT_LINES = 100_000
"""Lines of all texts of a call that are compared with a file, or for its diff."""
MAX_PATCH_LINES = 400_000


@dataclass(frozen=True, slots=True)
class Shape:
    """The JSON type that a field takes.

    A list has the shape of its items, and their `item_type` as annotated. An object has
    the models that may take it: several for a union, none if it takes any members. `kind`
    is "other" if several types fit; such a value is left as it is.
    """

    kind: Literal[
        "object", "list", "string", "integer", "number", "boolean", "other"
    ]
    item: Shape | None = None
    item_type: Any = None
    models: tuple[type[BaseModel], ...] = ()

    @property
    def fields(self) -> Mapping[str, Shape]:
        """The fields of an object by the names under which clients send them."""
        return _fields_of(self.models)

    @property
    def required(self) -> frozenset[str]:
        """The fields that a client must send; those of a union depend on its choice."""
        if len(self.models) != 1:
            return frozenset()
        [model] = self.models
        return frozenset(
            _names(name, info)[0]
            for name, info in model.model_fields.items()
            if info.is_required()
        )

    @property
    def other_names(self) -> frozenset[str]:
        """Names of other systems that the models translate themselves."""
        names: frozenset[str] = frozenset()
        for model in self.models:
            names |= getattr(model, "other_names", frozenset())
        return names


@cache
def _fields_of(models: tuple[type[BaseModel], ...]) -> Mapping[str, Shape]:
    """Return the shapes of the models' fields, which may refer to a model itself."""
    shapes: dict[str, Shape] = {}
    for model in models:
        for name, info in model.model_fields.items():
            annotation: Any = info.annotation
            for spelling in _names(name, info):
                shapes.setdefault(spelling, shape_of(annotation))
    return shapes


def _names(name: str, info: FieldInfo) -> list[str]:
    """Return the names under which a field is given, the usual one first."""
    alias = info.validation_alias
    if isinstance(alias, AliasChoices):
        return [choice for choice in alias.choices if isinstance(choice, str)]
    return [alias if isinstance(alias, str) else name]


@dataclass(frozen=True, slots=True)
class Limits:
    """The maximum numbers of members that the lists of one call have."""

    edits: int
    items: int


def normalize(
    tool: str,
    model: type[BaseModel],
    arguments: Mapping[str, Any],
    limits: Limits,
) -> Any:
    """Return the arguments of `tool` in the form that `model` takes.

    Raise `too_large` for a list with more items than one call may have. Raise
    `invalid_input` for a number of more than 64 bits, for an argument under two of its
    names, and for an object of unknown members.
    """
    return _Normalizer(tool, limits).object(
        _wrap_single_item(dict(arguments), shape_of(model)), shape_of(model), ""
    )


@cache
def shape_of(annotation: Any) -> Shape:
    """Return the shape of a type annotation."""
    origin = get_origin(annotation)
    if origin is Annotated:
        return shape_of(get_args(annotation)[0])
    if origin in (Union, UnionType):
        choices = [
            choice for choice in get_args(annotation) if choice is not NoneType
        ]
        if len(choices) == 1:
            return shape_of(choices[0])
        shapes = [shape_of(choice) for choice in choices]
        if all(shape.models for shape in shapes):
            models = tuple(model for shape in shapes for model in shape.models)
            return Shape("object", models=models)
        return Shape("other")
    if origin is Literal:
        return Shape("string")
    if origin in (list, Sequence):
        [item_type] = get_args(annotation)[:1]
        return Shape("list", item=shape_of(item_type), item_type=item_type)
    if origin in (dict, Mapping):
        return Shape("object")
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return Shape("object", models=(annotation,))
    kinds: dict[Any, Shape] = {
        str: Shape("string"),
        bool: Shape("boolean"),
        int: Shape("integer"),
        float: Shape("number"),
    }
    return kinds.get(annotation, Shape("other"))


def _wrap_single_item(
    arguments: dict[str, Any], shape: Shape
) -> dict[str, Any]:
    """Return the arguments of a call with the fields of its only item in a list.

    `{path, search, replace}` becomes `{path, edits: [{search, replace}]}`.
    """
    missing = [name for name in shape.required if arguments.get(name) is None]
    if len(missing) != 1 or shape.fields[missing[0]].kind != "list":
        return arguments
    [name] = missing
    item = shape.fields[name].item or Shape("other")
    if item.kind == "string":
        return _wrap_single_text(arguments, shape, name)
    inner: dict[str, Any] = {}
    outer: dict[str, Any] = {}
    for key, value in arguments.items():
        belongs_to_item = key not in shape.fields and (
            key in item.fields
            or key in item.other_names
            or _synonym_of(key, item.fields) is not None
        )
        if belongs_to_item:
            inner[key] = value
        else:
            outer[key] = value
    if not inner:
        return arguments
    outer.pop(name, None)
    return {**outer, name: [inner]}


def _wrap_single_text(
    arguments: dict[str, Any], shape: Shape, name: str
) -> dict[str, Any]:
    """Return the arguments of a call with its only text in the list `name`.

    `{path}` becomes `{paths: [path]}`, if the call has no `path` of its own.
    """
    singular = name.removesuffix("s")
    if singular in shape.fields:
        return arguments
    spellings = [
        spelling
        for spelling in (singular, *_SYNONYMS.get(singular, ()))
        if isinstance(arguments.get(spelling), str)
    ]
    if len(spellings) != 1:
        return arguments
    [spelling] = spellings
    rest = {
        key: value
        for key, value in arguments.items()
        if key not in (name, spelling)
    }
    return {**rest, name: [arguments[spelling]]}


def _synonym_of(name: str, fields: Mapping[str, Shape]) -> str | None:
    """Return the one field that another system calls `name`, or None."""
    fields_meant = [
        field
        for field, names in _SYNONYMS.items()
        if name in names and field in fields
    ]
    # With two such fields a guess could fill the wrong one.
    return fields_meant[0] if len(fields_meant) == 1 else None


class _Normalizer:
    """The conversion of the arguments of one call; it counts the lines of their texts."""

    def __init__(self, tool: str, limits: Limits) -> None:
        self._tool = tool
        self._limits = limits
        self._lines = {"edits": 0, "patch": 0}

    def object(
        self, value: dict[str, Any], shape: Shape, place: str
    ) -> dict[str, Any]:
        """Return an object with its members converted and renamed, and unset ones left out."""
        if not shape.fields:
            self._require_count(value, place, self._limits.items)
            return {
                name: self.value(member, Shape("other"), f"{place}.{name}")
                for name, member in value.items()
            }
        # A null or a reason beside delete or move_to may be a place that was lost. It is
        # kept, so that the model refuses the edit.
        keep_unset = "move_to" in shape.fields and bool(
            value.get("delete") or value.get("move_to")
        )
        value = self._rename_members(
            value, shape, place, keep_reasons=keep_unset
        )
        members = {}
        for name, member in value.items():
            member_shape = shape.fields.get(name)
            where = f"{place}.{name}" if place else name
            if member_shape is None:
                if name in shape.other_names:
                    member = self.value(member, Shape("other"), where)
                    if isinstance(member, str):
                        self._require_text_size(name, member, where)
                members[name] = member
                continue
            member = self.value(member, member_shape, where)
            if isinstance(member, str):
                self._require_text_size(name, member, where)
            # No condition is the condition of every row that gets a value.
            if (
                keep_unset
                or name in shape.required
                or not _is_unset(name, member)
                or (name == "where" and _is_filled(value.get("set")))
            ):
                members[name] = member
        return members

    def value(self, value: Any, shape: Shape, place: str) -> Any:
        """Return a value in the JSON type of its field, if it can mean only that."""
        if isinstance(value, str):
            value = _parse_json_text(value, shape, place)
        if shape.kind == "list":
            return self._list(value, shape.item or Shape("other"), place)
        if isinstance(value, dict) and shape.kind == "object":
            return self.object(value, shape, place)
        if isinstance(value, (list, dict)):
            self._require_count(value, place, self._limits.items)
            return value
        if (
            isinstance(value, float)
            and shape.kind in ("integer", "other")
            and value.is_integer()
        ):
            value = int(value)
        if isinstance(value, int) and not -MAX_INTEGER <= value <= MAX_INTEGER:
            message = (
                f"{self._tool}: argument {place!r} is a number beyond 64 bits"
            )
            hint = f"wanted: an integer from {-MAX_INTEGER} to {MAX_INTEGER}"
            raise invalid(message, hint, argument=place)
        return value

    def _list(self, value: Any, item: Shape, place: str) -> Any:
        """Return a list with its items converted; a single item counts as a list of one."""
        if (isinstance(value, str) and item.kind == "string" and value) or (
            isinstance(value, dict) and item.kind == "object"
        ):
            value = [value]
        if not isinstance(value, list):
            return value
        self._require_count(
            value,
            place,
            self._limits.edits if place == "edits" else self._limits.items,
        )
        items = []
        for number, entry in enumerate(value):
            items.append(self.value(entry, item, f"{place}[{number}]"))
        return items

    def _require_text_size(self, name: str, text: str, place: str) -> None:
        """Raise `too_large` for a text that is longer than its argument may be."""
        if len(text) > MAX_NAME_CHARS and name not in _LONG_TEXTS:
            noun = f"characters in the argument {place!r}"
            raise too_many(
                len(text), MAX_NAME_CHARS, noun, "give a shorter one"
            )
        if name not in _EDIT_TEXTS and name != "patch":
            return
        kind, most = (
            ("patch", MAX_PATCH_LINES)
            if name == "patch"
            else ("edits", MAX_EDIT_LINES)
        )
        self._lines[kind] += text.count("\n")
        if self._lines[kind] > most:
            hint = "send them in several calls, or write the whole file"
            raise too_many(self._lines[kind], most, "lines of text", hint)

    def _rename_members(
        self,
        value: dict[str, Any],
        shape: Shape,
        place: str,
        *,
        keep_reasons: bool,
    ) -> dict[str, Any]:
        """Return an object under the names of its model, without reasons for the call."""
        known_names = shape.fields.keys() | shape.other_names
        unknown = [name for name in value if name not in known_names]
        if not unknown:
            return value
        if len(unknown) > MAX_UNKNOWN:
            raise self._unknown_names_error(unknown, shape, place)
        members: dict[str, Any] = {}
        for name, member in value.items():
            field = name
            if name not in shape.fields:
                field = _synonym_of(name, shape.fields) or name
            if field == name:
                is_reason = name in _REASONS and name not in known_names
                if keep_reasons or not is_reason:
                    members[name] = member
                continue
            earlier = [value.get(field), members.get(field)]
            if _is_filled(member) and any(map(_is_filled, earlier)):
                raise self._duplicate_error(name, field, place)
            if _is_filled(member) or not (field in value or field in members):
                members[field] = member
        return _read_view_range(members, shape)

    def _unknown_names_error(
        self, unknown: Sequence[str], shape: Shape, place: str
    ) -> FilewrightError:
        """Return the refusal of an object with too many unknown members to explain."""
        where = f" in {place}" if place else ""
        first = unknown[0][:100]
        return invalid(
            f"{self._tool}: {len(unknown)} unknown arguments{where}, the first "
            f"{first!r}",
            f"known: {', '.join(shape.fields)}",
            argument=place or first,
        )

    def _duplicate_error(
        self, name: str, field: str, place: str
    ) -> FilewrightError:
        """Return the refusal of an argument under two of its names."""
        where = f" in {place}" if place else ""
        message = (
            f"{self._tool}: {field!r} is given twice{where}, also as {name!r}"
        )
        return invalid(
            message, f"{name} means {field} here: give only one", argument=field
        )

    def _require_count(
        self, members: Sequence[Any] | Mapping[str, Any], place: str, most: int
    ) -> None:
        """Raise `too_large` for more members than one call may have."""
        if len(members) > most:
            noun = "edits" if place == "edits" else f"items of {place}"
            raise too_many(
                len(members), most, noun, "send them in several calls"
            )


def _is_filled(value: Any) -> bool:
    """Return True unless a value is null or an empty text, list or object."""
    return value not in (None, "", [], {})


def _is_unset(name: str, value: Any) -> bool:
    """Return True if a value means that the optional argument is not set."""
    if value == "":
        return name not in _WRITTEN_TEXTS
    if value == [] and name in _NARROWING_LISTS:
        return False
    return value is None or value in ([], {})


def _parse_json_text(text: str, shape: Shape, place: str) -> Any:
    """Return the value of a JSON text if the field takes no text, else the text itself.

    Raise `too_large` for JSON text with more values than a whole message may have.
    """
    if shape.kind in ("string", "other") or not text:
        return text
    trimmed = text.strip()
    if shape.kind == "boolean":
        return {"true": True, "false": False}.get(trimmed.lower(), text)
    begins = {"list": "[{", "object": "{"}.get(shape.kind, "-0123456789")
    if trimmed[:1] not in tuple(begins):
        return text
    try:
        value = parse_json(trimmed.encode("utf-8", "surrogatepass"))
    except TooManyValuesError:
        message = f"the JSON text in the argument {place!r} has more than {MAX_VALUES:,} values"
        raise FilewrightError(
            Code.TOO_LARGE, message, "send less text in one call"
        ) from None
    except (ValueError, RecursionError):
        return text
    if shape.kind in ("integer", "number") and (
        isinstance(value, bool) or not isinstance(value, (int, float))
    ):
        return text
    return value


def _read_view_range(members: dict[str, Any], shape: Shape) -> dict[str, Any]:
    """Return the arguments of a read with `view_range` as `start` and `limit`.

    A last line of -1 is the end of the file.
    """
    lines = members.get("view_range")
    if (
        "start" not in shape.fields
        or "view_range" in shape.fields
        or not isinstance(lines, list)
    ):
        return members
    if len(lines) != 2 or not all(type(line) is int for line in lines):
        return members
    first, last = lines
    if (
        first < 1
        or (last != -1 and last < first)
        or _is_filled(members.get("start"))
    ):
        return members
    rest = {
        name: value for name, value in members.items() if name != "view_range"
    }
    return {
        **rest,
        "start": first,
        **({} if last == -1 else {"limit": last - first + 1}),
    }


def renaming_hints(
    names: Iterable[str], known_names: Collection[str]
) -> list[str]:
    """Return hints that translate the names of other systems among unknown names."""
    hints = []
    for name in names:
        fields = [
            field
            for field, synonyms in _SYNONYMS.items()
            if name in synonyms and field in known_names
        ]
        if fields:
            hints.append(f"give {' or '.join(fields)} instead of {name}")
        elif name == "offset" and "start" in known_names:
            hints.append(
                "give start instead of offset: the first line, counted from 1"
            )
        elif name == "regex" and "pattern" in known_names:
            hints.append('give pattern with mode="regex" instead of regex')
    return hints
