"""The native tools as methods: what a library user calls, and what the dialects are made of.

The methods have the tools' names without `_content` and `_items`, and the tools' arguments. Each returns
its tool's own result and raises `FilewrightError`. A tool's module is imported when it is first called.

What an editor and mypy know of them is in `typed.pyi`, which `python -m tests.pages` makes of the tools' arguments.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

EditRequest = EditPlace = MoveSource = WriteRequest = ReadOptions = (
    ReadRequest
) = dict[str, Any]
WriteMode = Newline = Case = DiffWanted = str


def _tool(
    name: str, *ordered: str, several: str = "", item: tuple[str, ...] = ()
) -> Callable[..., Any]:
    """A method that runs a tool: `ordered` arguments may be given without their names, `several` are all such.

    The arguments in `item` are those of the one thing that the tool has a list of.
    """

    def method(self: TypedTools, *given: Any, **named: Any) -> Any:
        if several:
            named[several] = given
        elif len(given) > len(ordered):
            raise TypeError(
                f"{name} takes {len(ordered)} arguments without their names, not {len(given)}"
            )
        named.update(zip(ordered, given, strict=False))
        if item:
            named["items"] = [
                {key: named.pop(key) for key in item if key in named}
            ]
        return self._run(
            name,
            {
                key: _json(value)
                for key, value in named.items()
                if value is not None
            },
        )

    method.__doc__ = f"Run the tool `{name}`."
    return method


def _json(value: Any) -> Any:
    """A value as JSON has it: lists, and of objects only what is given."""
    if isinstance(value, Mapping):
        return {key: _json(each) for key, each in value.items()}
    return (
        [_json(each) for each in value]
        if isinstance(value, (list, tuple))
        else value
    )


class TypedTools:
    """The native tools over whatever `_run` runs them on."""

    def _run(self, name: str, arguments: Mapping[str, Any]) -> Any:
        """The result of the native tool `name`; arguments that are None are left out."""
        raise NotImplementedError

    list_files = _tool("list_files", "path")
    stat = _tool("stat_items", several="paths")
    get_overviews = _tool("get_overview", several="paths")
    search = _tool("search_content", "pattern", "path")
    read = _tool("read_content", "path")
    edit = _tool("edit_content", "path", "edits")
    apply_patch = _tool("apply_patch", "patch")
    replace = _tool("replace_content", "pattern", "replacement", "path")
    write = _tool(
        "write_content",
        "path",
        "content",
        item=("path", "content", "mode", "newline", "expected_version"),
    )
    write_all = _tool("write_content", "items")
    create_directories = _tool("create_directories", several="paths")
    move = _tool(
        "move_items", "source", "destination", item=("source", "destination")
    )
    copy = _tool(
        "copy_items", "source", "destination", item=("source", "destination")
    )
    delete = _tool("delete_items", several="paths")
    set_permissions = _tool("set_permissions", several="paths")
    get_history = _tool("get_history", "path")
    revert_edit = _tool("revert_edit", "change_id")

    _overview = _tool("get_overview", "path")

    def get_overview(self, path: str, **named: Any) -> Any:
        """Run the tool `get_overview` on one file."""
        return self._overview(path, folders=False, **named)

    def get_map(self, path: str = ".") -> Any:
        """Run the tool `get_overview` on a folder."""
        return self._overview(path)
