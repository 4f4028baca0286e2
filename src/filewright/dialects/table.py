"""The table of a dialect, and what makes tools of it.

A table is a TOML file beside the module of its dialect. `tools` has a row for each tool: its description, its
toolset (one that does not read only, writes) and its `arguments`, bounded in pydantic's words: a string where nothing
else is said, required unless there is a `default` or it is `optional`; `as` is the name that the code has for it,
`also` are other names for it, `check` is a function of the module, `environment` the variable of the original that
has its default. `objects` are arguments that others are made of. Of what one of a tool's `rules` names so many `may`
be given.
A tool whose row names a `native` tool is that tool: `with` has its arguments and `says` the answer, or the row has
one for an operation, or for what was done `over` something: `looks` names the argument whose path is looked at before.
`nothing` has the answers to native errors that are none there, by their codes. Every other tool is a function of the
module with the tool's name, which is handed a `Call`, whose `request` is what the row asks `with`, and the arguments.
A module may have a `run`, which calls these, as `filesystem` does for the tools that answer for `each` of their items.
`shapes` are answers: a field of a native value for each field (`filled`). `limits` are settings as they are here: a
number, or the least of other settings, `less` some. `errors` has what is said of a code, and of any `other`, and
`hint` how what to do next is added; `more` what is said of a folder with more entries than are listed, `cut` of an
answer that is too long. What else a table holds (codes, words) is for the module to read.
"""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache, partial
from importlib.resources import files
from itertools import accumulate, takewhile
from types import ModuleType
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    AliasChoices,
    ConfigDict,
    Field,
    create_model,
    model_validator,
)

from filewright.errors import FilewrightError
from filewright.settings import SETTINGS, Settings
from filewright.tools.bounded_text import clip
from filewright.tools.context import Context
from filewright.tools.registry import Arguments, run_tool, schema_of
from filewright.tools.result import FailedCall, ToolResult
from filewright.tools.surface import Surface, Tool, entries
from filewright.tools.typed import TypedTools
from filewright.wording import escape_controls, escape_surrogates

if TYPE_CHECKING:
    from filewright.boundary.location import Location
    from filewright.system import Status
    from filewright.tools.listing import ListedEntry

Json = dict[str, Any]
Parts = tuple[bytes, ...]
Placed = tuple[Parts, Any]
Record = Any
"""An object of a table's `objects`, its fields by name."""

_LISTED_CHARS = 16 << 20
ENTRIES = 10_000
"""The most entries of a folder that a dialect takes of `list_files`."""

_CONSTRAINTS = (
    "ge",
    "le",
    "min_length",
    "max_length",
    "pattern",
    "description",
)


class LenientArguments(Arguments):
    """Arguments as some originals take them: what is not known is passed over, and named in the answer."""

    model_config = ConfigDict(
        extra="allow", json_schema_extra={"additionalProperties": False}
    )


class Call(TypedTools):
    """One call of a dialect's tool: the native tools under the dialect's limits, the task, what was `given`."""

    items: Sequence[Any] = ()
    """What a tool has several of, each with its own result."""

    def __init__(
        self, context: Context, read: Json, row: Json, given: Record
    ) -> None:
        self.context = context
        self.task = context.task
        self.limit = self.share = context.settings.hard_chars
        """Characters of an answer, and of what it says of the present one of `items`."""
        self.table = read
        self.row = row
        self.request: Json = filled(row.get("with", {}), dict(given), read)
        """What the row of the tool asks of a native one."""
        self.outcomes: dict[str, Any] = {}

    def _run(self, name: str, arguments: Mapping[str, Any]) -> Any:
        """The result of the native tool `name`, its arguments checked as a client's are."""
        return run_tool(entries()[name], self.context, arguments)

    def under(self, **limits: Any) -> Call:
        """The same call with other settings."""
        made = copy(self)
        made.context = self.context.under(
            self.context.settings.replace(**limits)
        )
        return made

    def within(self, page_chars: int) -> Call:
        """The same call with native results, and lines, of at most `page_chars` characters."""
        return self.under(
            page_chars=page_chars,
            line_chars=min(self.context.settings.line_chars, page_chars),
        )

    def entries(self, **how: Any) -> tuple[list[ListedEntry], list[str]]:
        """The entries of the folder asked for, at most `ENTRIES`, and what the table says if those are not all."""
        listed = self.within(_LISTED_CHARS).list_files(
            limit=ENTRIES, **self.request, **how
        )
        more = self.table.get("more", "").format(len(listed.entries))
        return [*listed.entries], [more] if listed.next_cursor else []

    def below(self, entries: Iterable[Any]) -> list[Placed]:
        """What has a path in the folder asked for, entries or hits, with the names on the way to each."""
        top = len(self.locate(self.request["path"]).parts)
        return [
            (self.locate(entry.path.removesuffix("/")).parts[top:], entry)
            for entry in entries
        ]

    def shaped(self, shape: str, value: object) -> Json:
        """A native value in the fields of a shape of this dialect."""
        return _shaped(value, shape, self.table)

    def locate(self, path: str) -> Location:
        """The place a path names."""
        return self.context.boundary.locate(path)

    def status(self, path: str) -> Status:
        """The status of what a path leads to, also through a link."""
        boundary, where = self.context.boundary, self.locate(path)
        status = boundary.stat(where, birth=True)
        if status.kind != "link":
            return status
        try:
            with boundary.open_folder(where) as folder:
                return folder.status()
        except FilewrightError:
            with boundary.open_file(where) as file:
                return file.status()


def folders_first(
    placed: Iterable[Placed], fold: Callable[[bytes], Any] = bytes
) -> list[Placed]:
    """Entries with what is below each behind it, folders before the rest, by names of which `fold` is compared."""

    def order(row: Placed) -> list[tuple[bool, Any, bytes]]:
        *folders, name = row[0]
        above = [(False, fold(folder), folder) for folder in folders]
        return [*above, (row[1].type != "folder", fold(name), name)]

    return sorted(placed, key=order)


# Shapes


@cache
def table(name: str) -> Json:
    """The table of a dialect: to be read only."""
    return tomllib.loads(
        files(__package__).joinpath(f"{name}.toml").read_text("utf-8")
    )


def filled(shape: Any, value: Any, read: Json) -> Any:
    """What a shape of the dialect whose table is `read` makes of a value.

    A text `$field` is the field of that name (`$made.stats.size` one of a field of it, `$` the value itself), and
    `$field|word` what a conversion makes of it. A key that ends with `?` is left out where there is nothing.
    """
    if isinstance(shape, dict):
        made = {word: filled(each, value, read) for word, each in shape.items()}
        return {
            word.rstrip("?"): each
            for word, each in made.items()
            if each is not None or word[-1] != "?"
        }
    if isinstance(shape, list):
        return [filled(each, value, read) for each in shape]
    if not isinstance(shape, str) or not shape.startswith("$"):
        return shape
    path, *conversions = shape[1:].split("|")
    for part in path.split(".") if path else ():
        if isinstance(value, Mapping):
            value = value.get(part)
        elif value is not None:
            value = value[int(part)] if part.isdigit() else getattr(value, part)
    for conversion in conversions:
        word, _, argument = conversion.partition(" ")
        value = _CONVERSIONS[word](value, argument, read)
    return value


def _shaped(value: object, shape: str, read: Json) -> Json:
    made: Json = filled(read["shapes"][shape], value, read)
    return made


def _date(nanoseconds: int | None, form: str, _: Json) -> str | None:
    if nanoseconds is None:
        return None
    moment = datetime.fromtimestamp(nanoseconds // 1_000_000_000, UTC)
    return moment.strftime(
        form.replace("%3", f"{nanoseconds // 1_000_000 % 1000:03}")
    )


_CONVERSIONS: Mapping[str, Callable[[Any, str, Json], Any]] = {
    "is": lambda value, wanted, _: value == wanted,
    "has": lambda value, part, _: part in value,
    "as": lambda value, words, read: read[words].get(
        str(value), read[words].get("other")
    ),
    "any": lambda value, _, __: bool(value),
    "not": lambda value, _, __: not value,
    "beginning": lambda value, start, _: (
        value if (value or "").startswith(start) else None
    ),
    "round": lambda value, digits, _: round(value, int(digits)),
    "bare": lambda value, _, __: value.rstrip("/") or value,
    "bits": lambda value, _, __: value[-3:],
    "permissions": lambda mode, _, __: f"{mode & 0o777:03o}",
    "text": lambda value, _, __: str(value),
    "first": lambda value, most, _: value[: int(most)] or None,
    "clip": lambda value, most, _: clip(value, int(most)),
    "joined": lambda value, _, __: "; ".join(value) or None,
    "date": _date,
    "each": lambda value, shape, read: [
        _shaped(each, shape, read) for each in value
    ],
    "shape": _shaped,
}
"""What a shape may make of a field, one after the other: `is WORD` whether it is that word, `has TEXT` whether that is
a part of it, `as WORDS` what the table of words has for it (or for `other`),
`any` whether it is more than nothing, `not` whether it is not, `beginning TEXT`
itself if it begins so, `round N`, `bare` without a slash at the end, `bits` the last three digits of a mode,
`permissions` them of a number, `text`, `clip N` characters of one, `first N` of a list and `joined` as one text
(nothing of none), `date FORM` a moment in UTC (`%3` its milliseconds), `shape NAME` another shape of it, and
`each NAME` one of each member."""


def worded(text: str, read: Json) -> str:
    """A native message with a dialect's own words for the arguments it speaks of, each once: text of a file that
    comes further on in it is left as it is."""
    for word, own in read.get("words", {}).items():
        text = text.replace(word, own, 1)
    return text


def said(
    read: Json, error: FilewrightError, *, hinted: bool = True, **more: str
) -> str:
    """What a dialect says of an error, with what to do next where that is `hinted`; `more` it may name."""
    shown: dict[str, str] = read["errors"]
    facts = {
        "code": error.code,
        "message": worded(error.message, read),
        "path": error.details.get("path"),
        **more,
    }
    text = shown.get(error.code, shown["other"])
    if "{path}" in text and not facts["path"]:
        text = shown["other"]
    hint = (
        read.get("hints", {}).get(error.code, worded(error.hint or "", read))
        if hinted
        else ""
    )
    return text.format(**facts) + (
        shown["hint"].format(hint=hint) if hint else ""
    )


def refusal_of(read: Json, error: FilewrightError, limit: int) -> ToolResult:
    """The answer of a call that failed."""
    return FailedCall(clip(said(read, error), limit), error=error)


def limits_of(read: Json, settings: Settings) -> Json:
    """The settings that are others in a dialect."""
    made: Json = {}
    for setting, limit in read.get("limits", {}).items():
        made[setting] = limit
        if isinstance(limit, dict):
            made[setting] = min(
                getattr(settings, each) for each in limit["least"]
            ) - limit.get("less", 0)
            if getattr(settings, setting) == SETTINGS[setting].default:
                made[setting] = from_environment(limit, made[setting])
    return made


def from_environment(row: Json, otherwise: Any) -> Any:
    """The number in the variable of the original that a row names, brought between its bounds; else `otherwise`."""
    try:
        given = type(otherwise)(os.environ.get(row.get("environment", ""), ""))
    except ValueError:
        return otherwise
    return min(max(row["ge"], given), row.get("le", given))


def encoded(value: object) -> str:
    """JSON as the dialects write it: one line, letters as they are, nothing a transport cannot carry."""
    return escape_surrogates(json.dumps(value, ensure_ascii=False))


def fitted(
    make: Callable[[Call, Record], Json],
) -> Callable[[Call, Record], Json]:
    """A tool that is asked again with smaller and smaller native pages until its JSON fits in the call's share.

    Escaping may multiply what a page has, so that one of half the size may do where a whole one does not.
    """

    def fitting(call: Call, given: Record) -> Json:
        made: Json = {}
        for size in (
            call.share,
            call.share - 1_500,
            *(call.share >> halved for halved in range(1, 8)),
        ):
            made = make(call.within(max(size, 250)), given)
            if len(encoded(made)) <= call.share:
                break
        return made

    return fitting


def fit(sizes: Iterable[int], limit: int) -> int:
    """How many of what has these `sizes` fit, one after the other, in `limit`."""
    return sum(
        1 for _ in takewhile(lambda used: used <= limit, accumulate(sizes))
    )


def fit_as_json(items: Iterable[object], limit: int) -> int:
    """How many of `items` fit, as members of a JSON array, in `limit` characters."""
    return fit((len(encoded(item)) + 2 for item in items), limit)


# Tools of rows


def natively(call: Call, given: Record) -> Any:
    """The answer of a tool that is a native one: what its row says, or says of the operation that was done, or of
    the kind of thing that there is."""
    row, facts = call.row, dict(given)
    if "looks" in row:
        facts["there"] = call.stat(facts[row["looks"]]).results[0].error is None
    (made,) = call._run(
        row["native"], filled(row["with"], facts, call.table)
    ).results
    if made.error is not None:
        raise made.error
    stats = getattr(made, "stats", None)
    case = (
        made.operation
        if stats is None
        else "unreadable"
        if stats.unreadable
        else stats.type
    )
    says = row.get(case, row["over"] if facts.get("there") else row["says"])
    if isinstance(says, str):
        return says.format_map(
            {name: escape_controls(str(value)) for name, value in facts.items()}
        )
    return filled(says, {**facts, "made": made}, call.table)


def surface_of(module: ModuleType) -> Surface:
    """A dialect as a surface: its table; and from its module the functions of its tools, their `run`, the answer of a
    `refusal` where a table cannot say it, and checks of arguments.

    A check of an object or a tool is `check_` and its name, and is handed it; one of a single argument is named there.
    """
    read = table(module.__name__.rpartition(".")[2])
    base = LenientArguments if read.get("lenient") else Arguments
    kinds: Json = {
        "string": str,
        "integer": int,
        "boolean": bool,
        "integer or string": int | str,
    }

    def kind_of(schema: Json) -> Any:
        kind = schema.get("type", "string")
        made: Any = kinds.get(kind)
        if "enum" in schema:
            made = Literal[tuple(schema["enum"])]
        elif kind == "array":
            made = list[kind_of(schema["items"])]  # type: ignore[misc]
        if "check" in schema:
            made = Annotated[
                made, AfterValidator(getattr(module, schema["check"]))
            ]
        if schema.get("optional"):
            made = made | None
        return Annotated[
            made,
            Field(
                **{
                    word: schema[word]
                    for word in _CONSTRAINTS
                    if word in schema
                }
            ),
        ]

    def model(
        name: str, arguments: Json, rules: Sequence[Json] = ()
    ) -> type[Arguments]:
        """The arguments of a tool or an object as a model."""
        check_more = getattr(module, f"check_{name}", None)

        def checked(given: Record) -> Record:
            for rule in rules:
                if (
                    sum(getattr(given, each) is not None for each in rule["of"])
                    not in rule["may"]
                ):
                    raise ValueError(rule["says"])
            return check_more(given) if check_more else given

        members: Json = {}
        for word, schema in arguments.items():
            names = AliasChoices(word, *schema.get("also", ()))
            default: Json = {
                "default": schema.get(
                    "default", None if schema.get("optional") else ...
                )
            }
            if "environment" in schema:
                made = partial(from_environment, schema, schema["default"])
                default = {
                    "default_factory": made,
                    "json_schema_extra": default,
                }
            members[schema.get("as", word)] = (
                kind_of(schema),
                Field(validation_alias=names, **default),
            )
        check: Any = {"check": model_validator(mode="after")(checked)}
        return create_model(
            name, __base__=base, __validators__=check, **members
        )

    def tool(name: str, row: Json) -> Tool:
        arguments = model(name, row.get("arguments", {}), row.get("rules", ()))
        act = getattr(module, name, natively)
        if hasattr(module, "run"):
            act = partial(module.run, act)

        def run(context: Context, given: Any) -> ToolResult:
            try:
                made = act(Call(context, read, row, given), given)
            except FilewrightError as error:
                made = row.get("nothing", {}).get(error.code)
                if made is None:
                    raise
            if not isinstance(made, ToolResult):
                text = made if isinstance(made, str) else encoded(made)
                if "cut" in read:
                    text = clip(
                        text,
                        context.settings.hard_chars,
                        note=read["cut"],
                        at_line=True,
                    )
                made = ToolResult(text)
            unknown = ", ".join(given.model_extra or ())
            if not unknown or made.text.startswith("{"):
                return made
            note = clip(f"(unknown arguments were passed over: {unknown})", 300)
            return replace(made, text=f"{made.text}\n{note}")

        toolset = row.get("toolset", "read")
        writes = toolset != "read"
        title = name.replace("_", " ").capitalize()
        destructive, idempotent = (
            row.get("destructive", writes),
            row.get("idempotent", not writes),
        )
        facts = (
            toolset,
            schema_of(arguments),
            lambda: (arguments, run),
            writes,
            destructive,
            idempotent,
        )
        return Tool(name, title, row["description"], *facts)

    def instructions(_offered: Collection[str], roots: Sequence[str]) -> str:
        return f"{read['workflow']}\nServed: {', '.join(roots)}"

    for each, members in read.get("objects", {}).items():
        kinds[each] = model(each, members)
    tools = tuple(tool(each, row) for each, row in read["tools"].items())
    refusal = getattr(module, "refusal", partial(refusal_of, read))
    return Surface(
        lambda: tools,
        instructions,
        partial(limits_of, read),
        refusal,
        read.get("json", False),
    )
