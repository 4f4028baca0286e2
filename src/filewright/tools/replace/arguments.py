"""Arguments of `replace_content`."""

from __future__ import annotations

import builtins
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator
from pydantic.json_schema import WithJsonSchema

from filewright.errors import invalid
from filewright.tools.argument_problems import argument_error
from filewright.tools.arguments import RARE
from filewright.tools.batch import naming_item
from filewright.tools.pipeline import ChangeArguments
from filewright.tools.result import DiffMode
from filewright.tools.syntax_filter import SyntaxWords

_ITEM_SCHEMA = {
    "type": "object",
    "properties": {
        name: {}
        for name in (
            "pattern",
            "replacement",
            "path",
            "glob",
            "mode",
            "only",
            "where",
            "set",
        )
    },
}
"""The listed schema of one item: its names mean the same as in the call."""


_CALL_FIELDS = {
    "items",
    "preview",
    "diff",
    "expected_count",
    "max_count",
    "max_files",
    "break_hard_links",
    "undoable",
}


class ReplaceArguments(ChangeArguments):
    """The texts to replace, where, and the expected counts."""

    pattern: str | None = None
    """the text to find; see [search](search.md) for the syntax"""
    replacement: str | None = None
    """the new text; in regex mode with `$1`, `${name}`, `$0` for the whole
    match and `$$` for a dollar sign; `\\1` and the forms of other programs are
    refused"""
    items: Annotated[
        list[ReplaceArguments] | None,
        Field(min_length=1, max_length=20),
        WithJsonSchema({"type": "array", "items": _ITEM_SCHEMA}),
    ] = None
    """several replacements as one change; the call's arguments are their
    defaults. All search the files as they were before the call; no two may
    change the same text in different ways; counts and limits apply to all together"""
    where: dict[str, Any] | None = None
    """only [rows](#rows) with these values: `{"country": "AT", "http.status":
    ">499"}`"""
    set: Annotated[dict[str, Any] | None, Field(min_length=1)] = None
    """new values for fields of these rows instead of a pattern: `{"rate":
    "20.0", "gross": ""}`; `where: {}` means every row"""
    path: str = "."
    """a file or a folder"""
    glob: str | None = None
    """only files that match"""
    include_ignored: Annotated[bool, RARE] = False
    """also files that ignore rules leave out"""
    mode: Literal["literal", "regex", "code"] = "literal"
    """read the pattern as text, as a regex, or as code with holes; see [search](search.md#code)"""
    case: Annotated[Literal["smart", "sensitive", "insensitive"], RARE] = (
        "sensitive"
    )
    """`"smart"`: insensitive unless the pattern has a capital"""
    whole_word: bool = False
    """only whole words, as for renaming a symbol; `btn-big` is no word of `btn-big-red`"""
    only: Annotated[SyntaxWords, RARE] = None
    """only matches in one or several of `code`, `comments`, `strings`,
    `imports`, `definitions`, `calls`; matches partly outside are left and
    counted; see [search](search.md#kinds-of-syntax)"""
    multiline: Annotated[bool, RARE] = False
    """a regex may match across lines, as one with `\\n` or `(?s)` does anyway"""
    preview: bool | None = None
    """true: show the diff, write nothing; the default unless a count below lets the call write"""
    diff: Annotated[DiffMode, RARE] = "auto"
    expected_count: Annotated[
        int | None, Field(ge=0, description="matches, not lines"), RARE
    ] = None
    """write at once if there are exactly this many matches (a line may have
    several); else refuse"""
    max_count: Annotated[int | None, Field(ge=0)] = None
    """write at once if there are at most this many matches; else preview"""
    max_files: Annotated[int, Field(ge=1, le=100_000), RARE] = 1000
    """refuse if more files match"""

    @model_validator(mode="after")
    def _check_items(self) -> ReplaceArguments:
        """Raise for an argument of the whole call in an item."""
        call_fields: builtins.set[str] = builtins.set()
        for item in self.items or ():
            call_fields |= item.model_fields_set & _CALL_FIELDS
        if call_fields:
            raise argument_error(
                f"{min(call_fields)} applies to all items",
                "give it once, beside items",
            )
        return self


def split_replacements(arguments: ReplaceArguments) -> list[ReplaceArguments]:
    """Return the arguments of each replacement of a call, with those of the call.

    An item that sets fields of rows has no pattern by default, and one with a text of its
    own sets no fields. Raise `invalid_input` for one without a change, or with two.
    """
    items = arguments.items
    if items is None:
        _require_one_change(arguments, "give it, or items that have it")
        return [arguments]
    replacements: list[ReplaceArguments] = []
    for index, item in enumerate(items):
        call = arguments.model_copy(update=_unused_defaults(item))
        (replacement,) = call.for_each([item])
        with naming_item(index, len(items)):
            _require_one_change(
                replacement, "give it in the item, or beside items"
            )
        replacements.append(replacement)
    return replacements


def _unused_defaults(item: ReplaceArguments) -> dict[str, None]:
    """Return the arguments of the call that an item does not inherit, each as None."""
    if item.set is not None:
        return dict.fromkeys(["pattern", "replacement", "only"])
    if item.pattern is not None or item.replacement is not None:
        return {"set": None}
    return {}


def _require_one_change(request: ReplaceArguments, hint: str) -> None:
    """Raise `invalid_input` unless a replacement is of a pattern, or sets fields."""
    names = []
    for name in ("pattern", "replacement", "set"):
        if getattr(request, name) is not None:
            names.append(name)
    if names in (["set"], ["pattern", "replacement"]):
        return
    if "set" in names:
        raise invalid(
            f"{names[0]} and set are different changes",
            "give one of them, or one item for each",
            argument=names[0],
        )
    missing = "replacement" if "pattern" in names else "pattern"
    raise invalid(
        f"argument {missing!r} is missing",
        hint,
        argument=missing,
    )
