"""The arguments of a tool: their schema, and what is said of those that do not fit it.

Arguments are pydantic models, strict: strings are taken literally, nothing is coerced, unknown names
are refused with the nearest known one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Self, cast

from pydantic import BaseModel, ConfigDict, ValidationError

from filewright.errors import FilewrightError, invalid
from filewright.tools.result import ToolResult, clip
from filewright.wording import alike, listed

if TYPE_CHECKING:
    from filewright.tools.context import Context
    from filewright.tools.surface import Tool


class Arguments(BaseModel):
    """The base of every tool's arguments."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, hide_input_in_errors=True)

    def for_each(self, items: Sequence[Arguments]) -> list[Self]:
        """The call of each of several `items`: what an item says, and for the rest what the call says."""
        one = self.model_copy(update={"items": None})
        given = ({name: getattr(item, name) for name in item.model_fields_set} for item in items)
        return [one.model_copy(update=update) for update in given]


def run_tool(tool: Tool, context: Context, arguments: Mapping[str, Any]) -> ToolResult:
    """The answer of a tool. Raises `FilewrightError`: `invalid_input` with what came and what is wanted."""
    model, run = tool.load()
    if not isinstance(arguments, Mapping):
        raise invalid(f"{tool.name}: the arguments must be an object", "give them by their names")
    try:
        given = model.model_validate(_as_meant(tool.name, dict(arguments), tool.schema))
    except ValidationError as error:
        raise _refusal(tool, error) from error
    except RecursionError as error:
        raise invalid(
            f"{tool.name}: the arguments are nested too deeply", "give them as the schema has them"
        ) from error
    return run(context, given)


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
    raw["properties"] = dict(sorted(raw["properties"].items(), key=lambda item: item[0] in shared))
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
            result[key] = {name: _plain(child, definitions) for name, child in value.items()}
        elif key != "title" and value is not None:
            result[key] = _plain(value, definitions)
    present = [choice for choice in result.get("anyOf", ()) if choice != {"type": "null"}]
    if len(present) == 1:
        del result["anyOf"]
        return {**present[0], **result}
    return result


_TEXTS = frozenset({"search", "replace", "content"})
"""Arguments that null is no way to leave out: what was to be looked for or written may have got lost."""


_MOST = 2**63 - 1


def _as_meant(tool: str, value: Any, schema: Mapping[str, Any], *loc: int | str) -> Any:
    """`value` as JSON means it: an optional argument that is null is absent, a whole float an integer.

    Adapters fill in nulls for what a model left out, and JavaScript has no integers. Raises `invalid_input` for
    a whole number so large that to count with it, or to write it out, can fail.
    """
    if isinstance(value, dict):
        known, required = schema.get("properties", {}), schema.get("required", ())
        # A null beside delete or move_to may be a place that got lost, which EditItem refuses.
        keeps_nulls = tool == "edit_content" and bool(value.get("delete") or value.get("move_to"))
        meant = {}
        for name, given in value.items():
            if given is not None or name in required or name not in known or name in _TEXTS or keeps_nulls:
                meant[name] = _as_meant(tool, given, known.get(name, {}), *loc, name)
        return meant
    if isinstance(value, list):
        kept = []
        for number, item in enumerate(value):
            kept.append(_as_meant(tool, item, schema.get("items", {}), *loc, number))
        return kept
    if isinstance(value, float) and schema.get("type") == "integer" and value.is_integer():
        value = int(value)
    if isinstance(value, int) and not -_MOST <= value <= _MOST:
        place = _place(loc)
        message = f"{tool}: argument {place!r} is a number of more than 64 bits"
        raise invalid(message, f"wanted: an integer from {-_MOST} to {_MOST}", argument=place)
    return value


_INSTANCE = re.compile(r"a valid dictionary or instance of \w+")
_PROBLEMS = 5
"""How many problems of one call a refusal names."""


def _refusal(tool: Tool, error: ValidationError) -> FilewrightError:
    problems = error.errors(include_url=False)
    unknown = [problem for problem in problems if problem["type"] == "extra_forbidden"]
    others = [problem for problem in problems if problem["type"] != "extra_forbidden"]
    said = [_unknown(tool, unknown)] if unknown else []
    said += [_described(tool, problem) for problem in others[:_PROBLEMS]]
    message = f"{tool.name}: " + "; ".join(what for what, _ in said)
    if len(others) > _PROBLEMS:
        message += f" (and {len(others) - _PROBLEMS} more)"
    hints = dict.fromkeys(hint for _, hint in said if hint)
    hint = "; ".join(hints).replace("?; ", "? ") or None
    return invalid(message, hint, argument=_place((unknown or others)[0]["loc"]))


def _unknown(tool: Tool, problems: Sequence[Any]) -> tuple[str, str]:
    """All unknown arguments in one phrase, each with the known name that is nearest."""
    places = listed([repr(_place(problem["loc"])) for problem in problems], _PROBLEMS)
    near: list[str] = []
    known: list[str] = []
    for problem in problems[:_PROBLEMS]:
        *outer, name = problem["loc"]
        node = _node(tool, outer)
        known = list(node.get("properties") or tool.schema["properties"])
        near += map(repr, alike(str(name), known))
    hint = f"did you mean {' and '.join(dict.fromkeys(near))}?" if near else f"known: {', '.join(known)}"
    return f"unknown argument{'s' if len(problems) > 1 else ''} {places}", hint


def _described(tool: Tool, problem: Any) -> tuple[str, str]:
    """One problem of another kind: what is wrong, and what is wanted."""
    where, kind = _place(problem["loc"]), problem["type"]
    if kind == "missing":
        return f"argument {where!r} is missing", f"give it; {_wanted(_node(tool, problem['loc']))}"
    if kind == "value_error":  # a check of ours, which says all
        said, _, hint = _sentence(problem).partition("\nhint: ")
        return f"{f'{where}: ' if where else ''}{said}", hint
    what = f"argument {where!r}: {_sentence(problem)}, but {_given(problem['input'])} was given"
    return what, _wanted(_node(tool, problem["loc"]))


def _sentence(problem: Any) -> str:
    text = str(problem["msg"]).removeprefix("Value error, ")
    text = _INSTANCE.sub("an object", text)  # a reader knows no class of ours
    return text[:1].lower() + text[1:]


def _place(loc: Iterable[int | str]) -> str:
    text = ""
    for part in loc:
        text += f"[{part}]" if isinstance(part, int) else (f".{part}" if text else str(part))
    return text


_KINDS = {str: "a string", bool: "a boolean", int: "a number", float: "a number", list: "a list"}


def _given(value: Any) -> str:
    if value is None:
        return "null"
    kind = _KINDS.get(type(value), "an object")
    if isinstance(value, (str, int, float)):
        return f"{kind} ({clip(json.dumps(value), 61)})"
    return kind


def _node(tool: Tool, loc: Iterable[int | str]) -> Mapping[str, Any]:
    """What the tool's schema says of a place in the arguments; nothing of a place that it does not know."""
    node: Any = tool.schema
    for part in loc:
        node = node.get("items") if isinstance(part, int) else (node.get("properties") or {}).get(part)
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
    bounds = [f" {word} {node[key]}" for word, key in (("from", "minimum"), ("to", "maximum")) if key in node]
    return f"wanted: {'an' if kind[:1] in 'aeio' else 'a'} {kind}{''.join(bounds)}"
