"""Arguments of `replace_content`."""

from __future__ import annotations

import builtins
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator
from pydantic.json_schema import WithJsonSchema

from filewright.tools.argument_problems import argument_error
from filewright.tools.arguments import RARE
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
    defaults. All search the files as they were before the call, and no two may
    change the same text; counts and limits apply to all together"""
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
    """only whole words, as for renaming a symbol"""
    only: Annotated[SyntaxWords, RARE] = None
    """only matches in one or several of `code`, `comments`, `strings`,
    `imports`, `definitions`, `calls`; matches partly outside are left and
    counted; see [search](search.md#kinds-of-syntax)"""
    multiline: Annotated[bool, RARE] = False
    """a regex may match across lines, as one with `\\n` in it does anyway"""
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
        """Raise unless the change is in the call or in the items, not in both."""
        hint = "give it, or items of which each has it"
        given = []
        for name in ("pattern", "replacement", "set"):
            if getattr(self, name) is not None:
                given.append(name)
        if self.items is not None:
            for name in given:
                raise argument_error(
                    f"argument {name!r} is of one replacement, and items were given",
                    hint,
                )
        elif self.set is None:
            for name in ("pattern", "replacement"):
                if name not in given:
                    raise argument_error(f"argument {name!r} is missing", hint)
        elif len(given) > 1:
            raise argument_error(
                f"{given[0]} and set are two changes",
                "give one of them, or each as one of items",
            )
        call_fields: builtins.set[str] = builtins.set()
        for item in self.items or ():
            call_fields |= item.model_fields_set & _CALL_FIELDS
        for name in sorted(call_fields):
            raise argument_error(
                f"{name} is of all items", "give it beside them"
            )
        return self
