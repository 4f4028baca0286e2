"""A tool: as it is declared, and as clients list it.

Importing the models of all arguments takes a good part of a second, and a server must
answer `tools/list` at once. So a listed tool has its schema as plain data, and loads its
declaration when it is first called.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from filewright.tools.arguments import Arguments
    from filewright.tools.context import Context
    from filewright.tools.result import ToolResult

Toolset = Literal["read", "edit", "files", "history"]

# Two threads that import modules of one package from different ends can each wait for a
# module that the other holds. Python then hands out a module that is only half executed.
# So late imports take turns.
LOADING = threading.RLock()


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A tool as its module declares it: its words, its arguments and its function.

    `run` takes the context of a call and the checked arguments. `step` is the sentence
    about the tool in the instructions, which a model reads before its first call. A tool
    that does not write changes nothing; an idempotent one can be called twice.
    """

    name: str
    title: str
    description: str
    toolset: Toolset
    arguments: type[Arguments]
    run: Callable[[Context, Any], ToolResult]
    writes: bool = False
    destructive: bool = False
    idempotent: bool = True
    step: str = ""
    builtin: Mapping[str, Any] | None = None
    """The tool as its vendor's API is sent it, where the API knows it by a type."""

    def to_listed(self) -> ListedTool:
        """Return the tool as clients list it."""
        from filewright.tools.schema import schema_of, shorten, without_marks

        schema = schema_of(self.arguments)
        return ListedTool(
            name=self.name,
            title=self.title,
            description=self.description,
            toolset=self.toolset,
            schema=without_marks(schema),
            short_schema=shorten(schema),
            load=lambda: self,
            writes=self.writes,
            destructive=self.destructive,
            idempotent=self.idempotent,
            step=self.step,
            builtin=self.builtin,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedTool:
    """A tool as clients list it; `load` returns its declaration.

    `schema` is the JSON Schema (2020-12) of its arguments. A long list has
    `short_schema` in its place, and `is_short`. Both are to be read only.
    """

    name: str
    title: str
    description: str
    toolset: Toolset
    schema: Mapping[str, Any]
    short_schema: Mapping[str, Any]
    load: Callable[[], Tool]
    writes: bool = False
    destructive: bool = False
    idempotent: bool = True
    step: str = ""
    is_short: bool = False
    builtin: Mapping[str, Any] | None = None

    @property
    def api(self) -> dict[str, Any]:
        """The tool as an API of a model is sent it: by its type, or with its schema."""
        if self.builtin is not None:
            return dict(self.builtin)
        return {
            "name": self.name,
            "description": self.description,
            "input_schema": self.schema,
        }

    def shortened(self) -> ListedTool:
        """Return the tool as a long list shows it."""
        return replace(self, schema=self.short_schema, is_short=True)
