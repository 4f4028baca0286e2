"""The models of arguments, and the check of the arguments that a client sends.

Models are strict: text is taken literally and unknown names are refused with the nearest
known one. Forms in which clients send values are normalized before (`normalize`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    TypeAdapter,
    ValidationError,
)

from filewright.bounded_json import parse_json
from filewright.errors import invalid
from filewright.tools.argument_problems import MAX_PROBLEMS, arguments_refusal
from filewright.tools.normalize import Limits, Shape, normalize, shape_of

if TYPE_CHECKING:
    from filewright.settings import Settings
    from filewright.tools.tool import Tool

RARE = Field(json_schema_extra={"rare": True})
"""Marks an argument that a long list of tools leaves out."""


class Arguments(BaseModel):
    """The base of every tool's arguments."""

    model_config = ConfigDict(
        extra="forbid", strict=True, frozen=True, hide_input_in_errors=True
    )
    # Names of fields that a validator of the model translates.
    other_names: ClassVar[frozenset[str]] = frozenset()

    @classmethod
    def read(cls, fields: dict[str, Any]) -> dict[str, Any]:
        """Return normalized fields of a call in the form that the model validates."""
        return fields

    def for_each(self, items: Sequence[Arguments]) -> list[Self]:
        """Return a call for each item, whose fields replace those of this call.

        The model must have the field `items`.
        """
        call = self.model_copy(update={"items": None})
        calls: list[Self] = []
        for item in items:
            fields = {
                name: getattr(item, name) for name in item.model_fields_set
            }
            calls.append(call.model_copy(update=fields))
        return calls


def check_arguments(
    tool: Tool, arguments: Mapping[str, Any] | str, settings: Settings
) -> Arguments:
    """Return the arguments of a client as the model of a tool has them.

    Raise `invalid_input`, which says what was sent and what is wanted.
    """
    if isinstance(arguments, str):
        # Some APIs hand over the arguments of a function call as text.
        with suppress(ValueError, RecursionError):
            arguments = parse_json(arguments.encode("utf-8", "surrogatepass"))
    if not isinstance(arguments, Mapping):
        raise invalid(
            f"{tool.name}: the arguments must be an object",
            "give an object with the arguments by name",
        )
    limits = Limits(settings.max_edits, settings.max_items)
    try:
        fields = normalize(tool.name, tool.arguments, arguments, limits)
        fields = _check_items(tool, tool.arguments.read(fields))
        return tool.arguments.model_validate(fields)
    except ValidationError as error:
        problems = error.errors(include_url=False)
        raise arguments_refusal(tool, problems) from error
    except RecursionError as error:
        raise invalid(
            f"{tool.name}: the arguments are nested too deeply",
            "give them nested only as in the schema",
        ) from error


def _check_items(tool: Tool, fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments with the items of their lists checked one after the other.

    Raise `invalid_input` for the first items that do not fit: pydantic would make an
    error of several kilobytes for each of a hundred thousand.
    """
    checked = dict(fields)
    problems: list[Any] = []
    for name, shape in shape_of(tool.arguments).fields.items():
        entries = fields.get(name)
        if not isinstance(entries, list) or shape.item is None:
            continue
        items: list[Any] = []
        for index, entry in enumerate(entries):
            try:
                items.append(_check_item(shape, entry))
            except ValidationError as error:
                for problem in error.errors(include_url=False):
                    location = problem["loc"]
                    if len(shape.item.models) > 1:
                        # The first part is the tag of the model.
                        location = location[1:]
                    problems.append(
                        {**problem, "loc": (name, index, *location)}
                    )
            if len(problems) > MAX_PROBLEMS:
                raise arguments_refusal(tool, problems)
        checked[name] = items
    if problems:
        raise arguments_refusal(tool, problems)
    return checked


def _check_item(list_shape: Shape, entry: Any) -> Any:
    """Return an item of a list as the model has it. Raise `ValidationError`."""
    item = list_shape.item
    if item is not None and item.models:
        return _item_adapter(list_shape.item_type).validate_python(entry)
    if item is not None and item.kind == "string":
        return _item_adapter(str).validate_python(entry, strict=True)
    return entry


@cache
def _item_adapter(item_type: Any) -> TypeAdapter[Any]:
    """Return the validator of the items of a list."""
    return TypeAdapter(item_type)
