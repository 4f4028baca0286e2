"""The arguments of a tool: their schema, and what is said of those that do not fit it.

Arguments are pydantic models, strict: strings are taken literally, nothing is coerced, unknown names
are refused with the nearest known one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, Self, cast

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    TypeAdapter,
    ValidationError,
)
from pydantic_core import PydanticCustomError

from filewright.bounded_json import parse_json
from filewright.errors import FilewrightError, invalid
from filewright.tools.bounded_text import clip
from filewright.tools.normalize import (
    Limits,
    normalize,
    renaming_hints,
    shape_of,
)
from filewright.tools.result import ToolResult
from filewright.wording import closest_matches, join_limited

if TYPE_CHECKING:
    from filewright.tools.context import Context
    from filewright.tools.tool import Tool


ARGUMENT_ERROR = "argument_error"

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
        """The call of each of several `items`: what an item says, and for the rest what the call says."""
        one = self.model_copy(update={"items": None})
        given = (
            {name: getattr(item, name) for name in item.model_fields_set}
            for item in items
        )
        return [one.model_copy(update=update) for update in given]


def argument_error(message: str, hint: str) -> PydanticCustomError:
    """Return the error that a validator of arguments raises, with its hint."""
    return PydanticCustomError(
        ARGUMENT_ERROR, "{message}", {"message": message, "hint": hint}
    )


def run_tool(
    tool: Tool, context: Context, arguments: Mapping[str, Any] | str
) -> ToolResult:
    """The answer of a tool. Raises `FilewrightError`: `invalid_input` with what came and what is wanted."""
    if isinstance(
        arguments, str
    ):  # as some APIs hand the arguments of a function call
        with suppress(ValueError, RecursionError):
            arguments = parse_json(arguments.encode("utf-8", "surrogatepass"))
    if not isinstance(arguments, Mapping):
        raise invalid(
            f"{tool.name}: the arguments must be an object",
            "give them by their names",
        )
    settings = context.settings
    try:
        values = normalize(
            tool.name,
            tool.arguments,
            arguments,
            Limits(settings.max_edits, settings.max_items),
        )
        values = tool.arguments.read(values)
        given = tool.arguments.model_validate(_with_items(tool, values))
    except ValidationError as error:
        raise _refusal(tool, error.errors(include_url=False)) from error
    except RecursionError as error:
        raise invalid(
            f"{tool.name}: the arguments are nested too deeply",
            "give them as the schema has them",
        ) from error
    return tool.run(context, given)


@cache
def schema_of(model: type[BaseModel]) -> dict[str, Any]:
    """The model's JSON Schema with references inlined and everything a reader can do without left out.

    Made once for each model: to be read only.
    """
    raw = model.model_json_schema()
    definitions = raw.pop("$defs", {})
    shared: Any = getattr(
        model.__mro__[1], "model_fields", ()
    )  # what a tool has in common with others comes last
    raw["properties"] = dict(
        sorted(raw["properties"].items(), key=lambda item: item[0] in shared)
    )
    result = _plain(raw, definitions)
    result.pop("description", None)
    assert isinstance(result, dict)
    return result


def _plain(node: Any, definitions: Mapping[str, Any]) -> Any:
    if isinstance(node, list):
        return [_plain(item, definitions) for item in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        target = definitions[node.pop("$ref").rsplit("/", 1)[1]]
        return _plain({**target, "description": None, **node}, definitions)
    result = {}
    for key, value in node.items():
        if key == "properties":  # whose keys are names of arguments
            result[key] = {
                name: _plain(child, definitions)
                for name, child in value.items()
            }
        elif key != "title" and value is not None:
            result[key] = _plain(value, definitions)
    present = [
        choice
        for choice in result.get("anyOf", ())
        if choice != {"type": "null"}
    ]
    if len(present) == 1:
        del result["anyOf"]
        return {**present[0], **result}
    return result


def _with_items(tool: Tool, values: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments with the items of their lists validated one after the other.

    It ends at the first items that do not fit: a list of a hundred thousand of them would make as many errors,
    of several kilobytes each. Raises `invalid_input` with those.
    """
    values = dict(values)
    problems: list[Any] = []
    for name, shape in shape_of(tool.arguments).fields.items():
        entries = values.get(name)
        if not isinstance(entries, list) or shape.item is None:
            continue
        items: list[Any] = []
        for number, entry in enumerate(entries):
            if shape.item.models:
                try:
                    entry = _item_adapter(shape.item_type).validate_python(
                        entry
                    )
                except ValidationError as error:
                    for problem in error.errors(include_url=False):
                        loc = problem["loc"]
                        if len(shape.item.models) > 1:
                            loc = loc[1:]  # the first is the model's tag
                        problems.append(
                            {**problem, "loc": (name, number, *loc)}
                        )
            elif shape.item.kind == "string" and not isinstance(entry, str):
                said = "Input should be a valid string"
                problems.append(
                    {
                        "type": "string_type",
                        "loc": (name, number),
                        "msg": said,
                        "input": entry,
                    }
                )
            items.append(entry)
            if len(problems) > _PROBLEMS:
                raise _refusal(tool, problems)
        values[name] = items
    if problems:
        raise _refusal(tool, problems)
    return values


@cache
def _item_adapter(item_type: Any) -> TypeAdapter[Any]:
    """Return the validator of the items of a list."""
    return TypeAdapter(item_type)


_INSTANCE = re.compile(r"a valid dictionary or instance of \w+")
_PROBLEMS = 5
"""How many problems of one call a refusal names."""


def _refusal(tool: Tool, problems: Sequence[Any]) -> FilewrightError:
    """Return the refusal that names the first problems of a call's arguments."""
    unknown = [
        problem for problem in problems if problem["type"] == "extra_forbidden"
    ]
    others = [
        problem for problem in problems if problem["type"] != "extra_forbidden"
    ]
    said = [_unknown(tool, unknown)] if unknown else []
    said += [_described(tool, problem) for problem in others[:_PROBLEMS]]
    message = f"{tool.name}: " + "; ".join(what for what, _ in said)
    if len(others) > _PROBLEMS:
        message += f" (and {len(others) - _PROBLEMS} more)"
    hints = dict.fromkeys(hint for _, hint in said if hint)
    hint = "; ".join(hints).replace("?; ", "? ") or None
    return invalid(
        message, hint, argument=_place((unknown or others)[0]["loc"])
    )


def _unknown(tool: Tool, problems: Sequence[Any]) -> tuple[str, str]:
    """All unknown arguments in one phrase, each with the known name that is nearest."""
    places = join_limited(
        [repr(_place(problem["loc"])) for problem in problems], _PROBLEMS
    )
    near: list[str] = []
    known: list[str] = []
    hints: list[str] = []
    for problem in problems[:_PROBLEMS]:
        *outer, name = problem["loc"]
        node = _node(tool, outer)
        known = list(
            node.get("properties") or schema_of(tool.arguments)["properties"]
        )
        if renamed := renaming_hints([str(name)], known):
            hints += renamed
        else:
            near += map(repr, closest_matches(str(name), known))
    if near:
        hints.append(f"did you mean {' and '.join(dict.fromkeys(near))}?")
    hint = "; ".join(dict.fromkeys(hints)) or f"known: {', '.join(known)}"
    return f"unknown argument{'s' if len(problems) > 1 else ''} {places}", hint


def _described(tool: Tool, problem: Any) -> tuple[str, str]:
    """One problem of another kind: what is wrong, and what is wanted."""
    where, kind = _place(problem["loc"]), problem["type"]
    if kind == "missing":
        return (
            f"argument {where!r} is missing",
            f"give it; {_wanted(_node(tool, problem['loc']))}",
        )
    if kind == ARGUMENT_ERROR:
        context = problem["ctx"]
        prefix = f"{where}: " if where else ""
        return f"{prefix}{context['message']}", context["hint"]
    if kind == "value_error":  # a check of ours, which says all
        said, _, hint = _sentence(problem).partition("\nhint: ")
        return f"{f'{where}: ' if where else ''}{said}", hint
    what = f"argument {where!r}: {_sentence(problem)}, but {_given(problem['input'])} was given"
    if isinstance(problem["input"], list) and problem["loc"][-1] in _SEVERAL:
        return what, _SEVERAL[problem["loc"][-1]]
    return what, _wanted(_node(tool, problem["loc"]))


_SEVERAL = {
    "glob": "give one glob, with braces for several: {*.py,*.md}",
    "pattern": "give one pattern; patterns or items take several",
    "path": "give one path; paths or items take several",
}
"""What to do where a list is given for one text."""


def _sentence(problem: Any) -> str:
    text = str(problem["msg"]).removeprefix("Value error, ")
    text = _INSTANCE.sub("an object", text)  # a reader knows no class of ours
    return text[:1].lower() + text[1:]


def _place(loc: Iterable[int | str]) -> str:
    text = ""
    for part in loc:
        text += (
            f"[{part}]"
            if isinstance(part, int)
            else (f".{part}" if text else str(part))
        )
    return text


_KINDS = {
    str: "a string",
    bool: "a boolean",
    int: "a number",
    float: "a number",
    list: "a list",
}


def _given(value: Any) -> str:
    if value is None:
        return "null"
    kind = _KINDS.get(type(value), "an object")
    if isinstance(value, (str, int, float)):
        return f"{kind} ({clip(json.dumps(value), 61)})"
    return kind


def _node(tool: Tool, loc: Iterable[int | str]) -> Mapping[str, Any]:
    """What the tool's schema says of a place in the arguments; nothing of a place that it does not know."""
    node: Any = schema_of(tool.arguments)
    for part in loc:
        node = (
            node.get("items")
            if isinstance(part, int)
            else (node.get("properties") or {}).get(part)
        )
        if not isinstance(node, dict):
            return {}
    return cast("Mapping[str, Any]", node)


def _wanted(node: Mapping[str, Any]) -> str:
    if not node:
        return "look at the tool's schema"
    if "enum" in node:
        return "one of " + ", ".join(map(repr, node["enum"]))
    kind = node.get("type", "value")
    if kind == "array":
        item = node.get("items") or {}
        names = item.get("properties")
        shape = f" {{{', '.join(names)}}}" if names else ""
        least = "at least one" if node.get("minItems") else "any number of"
        return f"wanted: a list of {least} {item.get('type', 'object')}{shape}"
    bounds = [
        f" {word} {node[key]}"
        for word, key in (("from", "minimum"), ("to", "maximum"))
        if key in node
    ]
    return (
        f"wanted: {'an' if kind[:1] in 'aeio' else 'a'} {kind}{''.join(bounds)}"
    )
