"""The refusal of arguments that do not fit the model of a tool."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic_core import PydanticCustomError

from filewright.errors import FilewrightError, invalid
from filewright.tools.bounded_text import clip
from filewright.tools.normalize import renaming_hints
from filewright.tools.schema import schema_of
from filewright.wording import closest_matches, join_limited

if TYPE_CHECKING:
    from filewright.tools.tool import Tool

MAX_PROBLEMS = 5
"""The problems of a call that a refusal names."""

MAX_VALUE_CHARS = 61

ARGUMENT_ERROR = "argument_error"

# The name of a model means nothing to a caller.
_INSTANCE = re.compile(r"a valid dictionary or instance of \w+")

_LIST_HINTS = {
    "glob": "give one glob, with braces for several: {*.py,*.md}",
    "pattern": "give one pattern; patterns or items take several",
    "path": "give one path; paths or items take several",
}
"""The hints for arguments that are one text, where a list was sent."""

_TYPE_NAMES = {
    str: "a string",
    bool: "a boolean",
    int: "a number",
    float: "a number",
    list: "a list",
}


@dataclass(frozen=True, slots=True)
class _Problem:
    """One problem of the arguments, and the hint for it."""

    message: str
    hint: str


def argument_error(message: str, hint: str) -> PydanticCustomError:
    """Return the error that a validator of arguments raises, with its hint."""
    return PydanticCustomError(
        ARGUMENT_ERROR, "{message}", {"message": message, "hint": hint}
    )


def arguments_refusal(tool: Tool, problems: Sequence[Any]) -> FilewrightError:
    """Return the refusal that names the first problems that pydantic found.

    Its details have the first `argument`, and the `index` of an item of a list.
    """
    unknown: list[Any] = []
    others: list[Any] = []
    for problem in problems:
        is_unknown = problem["type"] == "extra_forbidden"
        (unknown if is_unknown else others).append(problem)
    described: list[_Problem] = []
    if unknown:
        described.append(_describe_unknown(tool, unknown))
    for problem in others[:MAX_PROBLEMS]:
        described.append(_describe(tool, problem))
    messages = "; ".join(problem.message for problem in described)
    message = f"{tool.name}: {messages}"
    if len(others) > MAX_PROBLEMS:
        message += f" (and {len(others) - MAX_PROBLEMS} more)"
    hints = dict.fromkeys(problem.hint for problem in described if problem.hint)
    location = (unknown or others)[0]["loc"]
    facts: dict[str, Any] = {"argument": _format_place(location)}
    if len(location) > 1 and isinstance(location[1], int):
        facts["index"] = location[1]
    return invalid(message, _join_hints([*hints]), **facts)


def _join_hints(hints: Sequence[str]) -> str | None:
    """Return several hints as one; a question ends in its own mark."""
    text = ""
    for hint in hints:
        separator = " " if text.endswith("?") else "; "
        text += f"{separator}{hint}" if text else hint
    return text or None


def _describe_unknown(tool: Tool, problems: Sequence[Any]) -> _Problem:
    """Return all unknown arguments as one problem, with the nearest known names."""
    places = [repr(_format_place(problem["loc"])) for problem in problems]
    similar_names: list[str] = []
    known_names: list[str] = []
    hints: list[str] = []
    for problem in problems[:MAX_PROBLEMS]:
        *outer, name = problem["loc"]
        known_names = list(
            _find_schema(tool, outer).get("properties")
            or schema_of(tool.arguments)["properties"]
        )
        renamings = renaming_hints([str(name)], known_names)
        hints += renamings
        if not renamings:
            matches = closest_matches(str(name), known_names)
            similar_names += [repr(match) for match in matches]
    if similar_names:
        names = " and ".join(dict.fromkeys(similar_names))
        hints.append(f"did you mean {names}?")
    hint = "; ".join(dict.fromkeys(hints))
    noun = "unknown arguments" if len(problems) > 1 else "unknown argument"
    return _Problem(
        f"{noun} {join_limited(places, MAX_PROBLEMS)}",
        hint or f"known: {', '.join(known_names)}",
    )


def _describe(tool: Tool, problem: Any) -> _Problem:
    """Return the description of any other problem."""
    place = _format_place(problem["loc"])
    prefix = f"{place}: " if place else ""
    if problem["type"] == "missing":
        expected_value = _describe_schema(_find_schema(tool, problem["loc"]))
        return _Problem(
            f"argument {place!r} is missing", f"give it; {expected_value}"
        )
    if problem["type"] == ARGUMENT_ERROR:
        fields = problem["ctx"]
        return _Problem(prefix + fields["message"], fields["hint"])
    if problem["type"] == "value_error":
        return _Problem(prefix + _format_message(problem), "")
    value = problem["input"]
    message = (
        f"argument {place!r}: {_format_message(problem)}, but "
        f"{_describe_value(value)} was given"
    )
    name = problem["loc"][-1]
    if isinstance(value, list) and name in _LIST_HINTS:
        return _Problem(message, _LIST_HINTS[name])
    return _Problem(
        message, _describe_schema(_find_schema(tool, problem["loc"]))
    )


def _format_message(problem: Any) -> str:
    """Return pydantic's message as a part of a sentence."""
    text = str(problem["msg"]).removeprefix("Value error, ")
    text = _INSTANCE.sub("an object", text)
    return text[:1].lower() + text[1:]


def _format_place(location: Iterable[int | str]) -> str:
    """Return the place of an argument: ``edits[0].search``."""
    text = ""
    for part in location:
        if isinstance(part, int):
            text += f"[{part}]"
        else:
            text += f".{part}" if text else part
    return text


def _describe_value(value: Any) -> str:
    """Return the type of a value that was sent, and the value if it is short."""
    if value is None:
        return "null"
    type_name = _TYPE_NAMES.get(type(value), "an object")
    if isinstance(value, (str, int, float)):
        return f"{type_name} ({clip(json.dumps(value), MAX_VALUE_CHARS)})"
    return type_name


def _find_schema(
    tool: Tool, location: Iterable[int | str]
) -> Mapping[str, Any]:
    """Return the schema at a place in the arguments, empty for an unknown place."""
    schema: Any = schema_of(tool.arguments)
    for part in location:
        if isinstance(part, int):
            schema = schema.get("items")
        else:
            schema = (schema.get("properties") or {}).get(part)
        if not isinstance(schema, dict):
            return {}
    object_schema: Mapping[str, Any] = schema
    return object_schema


def _describe_schema(schema: Mapping[str, Any]) -> str:
    """Return the values that a schema accepts, in words."""
    if not schema:
        return "give a value that the tool's schema allows"
    if "enum" in schema:
        return "one of " + ", ".join(map(repr, schema["enum"]))
    type_name = schema.get("type", "value")
    if type_name == "array":
        item = schema.get("items") or {}
        least = "at least one" if schema.get("minItems") else "any number of"
        text = f"wanted: a list of {least} {item.get('type', 'object')}"
        if item.get("properties"):
            text += f" {{{', '.join(item['properties'])}}}"
        return text
    article = "an" if type_name[:1] in "aeio" else "a"
    text = f"wanted: {article} {type_name}"
    if "minimum" in schema:
        text += f" from {schema['minimum']}"
    if "maximum" in schema:
        text += f" to {schema['maximum']}"
    return text
