"""What a tool is: a name, a description for a model, typed arguments, one function.

Arguments are pydantic models, strict: strings are taken literally, nothing is coerced, unknown names
are refused with the nearest known one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from filewright.errors import Code, FilewrightError, invalid
from filewright.tools.result import ToolResult
from filewright.wording import alike, listed

if TYPE_CHECKING:
    from filewright.tools.context import Context

Toolset = Literal["read", "edit", "files", "history"]


class Arguments(BaseModel):
    """The base of every tool's arguments."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, hide_input_in_errors=True)


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool as callers see it. `run` is given the call's context and its arguments."""

    name: str
    title: str
    description: str
    arguments: type[Arguments]
    run: Callable[[Context, Any], ToolResult]
    toolset: Toolset
    writes: bool = False
    destructive: bool = False
    idempotent: bool = True

    def load(self) -> Tool:
        """Itself: it is loaded."""
        return self

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON Schema (2020-12) of its arguments: an object, no unknown names, no titles."""
        return deepcopy(schema_of(self.arguments))

    def parse(self, arguments: Mapping[str, Any]) -> Arguments:
        """The typed arguments. Raises `invalid_input` naming the argument, what came and what is wanted."""
        if not isinstance(arguments, Mapping):
            raise FilewrightError(Code.INVALID_INPUT, f"{self.name}: the arguments must be an object")
        try:
            meant = _as_meant(dict(arguments), schema_of(self.arguments))
            parsed = self.arguments.model_validate(meant)
            _check_numbers(self.name, meant)
        except ValidationError as error:
            raise _refusal(self, error, arguments) from error
        except RecursionError as error:
            raise FilewrightError(
                Code.INVALID_INPUT, f"{self.name}: the arguments are nested too deeply"
            ) from error
        return parsed


@cache
def schema_of(model: type[BaseModel]) -> dict[str, Any]:
    """The model's JSON Schema with references inlined and everything a reader can do without left out.

    Made once for each model, since every call asks for it: to be read only.
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
        target = dict(definitions[node["$ref"].rsplit("/", 1)[1]])
        target.pop("description", None)
        return _plain({**target, **{k: v for k, v in node.items() if k != "$ref"}}, definitions)
    result = {}
    for key, value in node.items():
        if key == "title" and isinstance(value, str):
            continue
        if key == "default" and value is None:
            continue
        if key == "properties":
            result[key] = {name: _plain(child, definitions) for name, child in value.items()}
        else:
            result[key] = _plain(value, definitions)
    choices = result.get("anyOf")
    if choices is not None:
        present = [choice for choice in choices if choice != {"type": "null"}]
        if len(present) == 1:
            del result["anyOf"]
            result = {**present[0], **result}
    return result


_TEXTS = frozenset({"search", "replace", "content"})
"""Arguments that null is no way to leave out: what was to be looked for or written may have got lost."""


def _as_meant(value: Any, schema: Mapping[str, Any]) -> Any:
    """`value` as JSON means it: an optional argument that is null is absent, a whole float an integer.

    Adapters fill in nulls for what a model left out, and JavaScript has no integers.
    """
    if isinstance(value, dict) and schema.get("properties"):
        properties, required = schema["properties"], schema.get("required", ())
        return {
            name: _as_meant(given, properties.get(name, {}))
            for name, given in value.items()
            if given is not None or name in required or name not in properties or name in _TEXTS
        }
    if isinstance(value, list) and isinstance(schema.get("items"), dict):
        return [_as_meant(item, schema["items"]) for item in value]
    if isinstance(value, float) and schema.get("type") == "integer" and value.is_integer():
        return int(value)
    return value


_MOST = 2**63 - 1


def _check_numbers(tool: str, value: Any, *loc: int | str) -> None:
    """Raise `invalid_input` for a whole number so large that to count with it, or to write it out, can fail."""
    if isinstance(value, int):
        if not -_MOST <= value <= _MOST:
            raise invalid(
                f"{tool}: argument {_place(loc)!r} is a number of more than 64 bits",
                f"wanted: an integer from {-_MOST} to {_MOST}",
                argument=_place(loc),
            )
    elif isinstance(value, dict):
        for name, given in value.items():
            _check_numbers(tool, given, *loc, name)
    elif isinstance(value, list):
        for index, given in enumerate(value):
            _check_numbers(tool, given, *loc, index)


_INSTANCE = re.compile(r"a valid dictionary or instance of \w+")
_PROBLEMS = 5
"""How many problems of one call a refusal names."""


def _refusal(tool: Tool, error: ValidationError, arguments: Mapping[str, Any]) -> FilewrightError:
    problems = error.errors(include_url=False, include_context=True)
    unknown = [problem for problem in problems if problem["type"] == "extra_forbidden"]
    others = [problem for problem in problems if problem["type"] != "extra_forbidden"]
    problems_said: list[tuple[str, str | None]] = [_unknown(tool, unknown)] if unknown else []
    problems_said += [_described(tool, problem, arguments) for problem in others[:_PROBLEMS]]
    message = f"{tool.name}: " + "; ".join(what for what, _ in problems_said)
    if len(others) > _PROBLEMS:
        message += f" (and {len(others) - _PROBLEMS} more)"
    hints = dict.fromkeys(hint for _, hint in problems_said if hint)
    return invalid(
        message, "; ".join(hints).replace("?; ", "? ") or None, argument=_place((unknown or others)[0]["loc"])
    )


def _unknown(tool: Tool, problems: Sequence[Any]) -> tuple[str, str]:
    """All unknown arguments in one phrase, each with the known name that is nearest."""
    places = listed([repr(_place(problem["loc"])) for problem in problems], _PROBLEMS)
    near: list[str] = []
    known: list[str] = []
    for problem in problems[:_PROBLEMS]:
        names = _names_at(tool.arguments, problem["loc"][:-1]) or list(tool.arguments.model_fields)
        near += map(repr, alike(str(problem["loc"][-1]), names))
        known = names
    hint = f"did you mean {' and '.join(dict.fromkeys(near))}?" if near else f"known: {', '.join(known)}"
    return f"unknown argument{'s' if len(problems) > 1 else ''} {places}", hint


def _described(tool: Tool, problem: Any, arguments: Mapping[str, Any]) -> tuple[str, str | None]:
    """One problem of another kind: what is wrong, and what is wanted."""
    where = _place(problem["loc"])
    if problem["type"] == "missing":
        return f"argument {where!r} is missing", "give it; " + _wanted(tool.schema, problem["loc"])
    if problem["type"] == "value_error":  # a check of ours, which says all
        said, _, hint = _sentence(problem).partition("\nhint: ")
        return f"{f'{where}: ' if where else ''}{said}", hint or None
    given = _given(arguments, problem["loc"])
    return f"argument {where!r}: {_sentence(problem)}, but {given} was given", _wanted(
        tool.schema, problem["loc"]
    )


def _sentence(problem: Any) -> str:
    text = str(problem["msg"]).removeprefix("Value error, ")
    text = _INSTANCE.sub("an object", text)  # a reader knows no class of ours
    return text[:1].lower() + text[1:]


def _place(loc: Iterable[int | str]) -> str:
    text = ""
    for part in loc:
        text += f"[{part}]" if isinstance(part, int) else (f".{part}" if text else str(part))
    return text


def _given(arguments: Any, loc: Iterable[int | str]) -> str:
    value = arguments
    for part in loc:
        try:
            value = value[part]
        except (KeyError, IndexError, TypeError):
            break
    if value is None:
        return "null"
    kinds = {str: "a string", bool: "a boolean", int: "a number", float: "a number", list: "a list"}
    kind = kinds.get(type(value), "an object")
    if isinstance(value, (str, int, float, bool)):
        try:
            shown = json.dumps(value, ensure_ascii=True)
        except ValueError:
            return kind
        return f"{kind} ({shown[:60]}{'…' if len(shown) > 60 else ''})"
    return kind


def _node(schema: Mapping[str, Any], loc: Iterable[int | str]) -> Mapping[str, Any] | None:
    node: Any = schema
    for part in loc:
        if isinstance(part, int):
            node = node.get("items")
        else:
            node = (node.get("properties") or {}).get(part)
        if not isinstance(node, dict):
            return None
    return node if isinstance(node, dict) else None


def _wanted(schema: Mapping[str, Any], loc: Iterable[int | str]) -> str:
    node = _node(schema, loc)
    if node is None:
        return "look at the tool's schema"
    if "enum" in node:
        return "one of " + ", ".join(repr(v) for v in node["enum"])
    kind = node.get("type", "value")
    if kind == "array":
        item = node.get("items") or {}
        names = item.get("properties")
        shape = f" {{{', '.join(names)}}}" if names else ""
        least = "at least one" if node.get("minItems") else "any number of"
        return f"wanted: a list of {least} {item.get('type', 'object')}{shape}"
    low, high = node.get("minimum"), node.get("maximum")
    limits = f" from {low}" if low is not None else ""
    limits += f" to {high}" if high is not None else ""
    return f"wanted: {'an' if kind[:1] in 'aeio' else 'a'} {kind}{limits}"


def _names_at(model: type[BaseModel], loc: Iterable[int | str]) -> list[str]:
    properties = (_node(schema_of(model), loc) or {}).get("properties")
    return list(properties) if properties else []
