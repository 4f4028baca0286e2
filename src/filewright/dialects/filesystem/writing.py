"""`write_content`, `create_directories`, `delete_items`, `move_items`, `copy_items`, `chmod_items`, `chown_items`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any

from pydantic import Field

from filewright.dialects.dialect import Call
from filewright.dialects.filesystem.paths import Item, native, per_item
from filewright.tools.registry import Arguments, ToolResult

Paths = Annotated[list[str], Field(min_length=1)]


class WriteItem(Arguments):
    """One file to write."""

    path: str
    content: str
    append: bool = False


class WriteArguments(Arguments):
    """The files to write."""

    items: Annotated[list[WriteItem], Field(min_length=1)]


class FolderArguments(Arguments):
    """The folders to make."""

    paths: Annotated[Paths, Field(description="Relative directory paths to create.")]


class DeleteArguments(Arguments):
    """What to delete."""

    paths: Annotated[Paths, Field(description="Relative paths of files or directories to delete.")]


class Operation(Arguments):
    """From where to where."""

    source: str
    destination: str
    overwrite: bool | None = None


class PairArguments(Arguments):
    """What to move or copy."""

    operations: Annotated[list[Operation], Field(min_length=1)]
    overwrite: Annotated[bool, Field(description="Replace existing destinations.")] = False


class ModeArguments(Arguments):
    """The mode of what."""

    paths: Paths
    mode: Annotated[str, Field(pattern="^[0-7]{3,4}$", description="Octal, such as 755.")]


class OwnerArguments(Arguments):
    """The owner of what."""

    paths: Paths
    uid: Annotated[int, Field(ge=0)]
    gid: Annotated[int, Field(ge=0)]


def _results(result: ToolResult) -> Sequence[Mapping[str, Any]]:
    found: Sequence[Mapping[str, Any]] = result.data["results"]
    return found


def write_content(call: Call, arguments: WriteArguments) -> ToolResult:
    """Write or append, each file on its own, in order."""

    def request(items: Sequence[WriteItem]) -> Sequence[Mapping[str, Any]]:
        wanted = [
            {
                "path": native(item.path),
                "content": item.content,
                "mode": "append" if item.append else "overwrite",
                "newline": "keep",
            }
            for item in items
        ]
        return _results(call.run("write_content", items=wanted, atomic=False))

    def answer(item: WriteItem, outcome: Mapping[str, Any]) -> Item:
        result: Item = {
            "path": item.path,
            "success": True,
            "operation": "appended" if item.append else "written",
        }
        if outcome.get("syntax_warning"):
            result["warning"] = outcome["syntax_warning"]
        return result

    return per_item(
        call,
        arguments.items,
        lambda item: [item.path],
        request,
        answer,
        lambda item, text: {"path": item.path, "success": False, "error": text},
    )


def _of_paths(
    call: Call,
    paths: Sequence[str],
    request: Callable[[list[str]], ToolResult],
    more: Callable[[Mapping[str, Any]], Item],
) -> ToolResult:
    """A success or an error for each path; `more` gives what a success tells besides."""
    return per_item(
        call,
        paths,
        lambda path: [path],
        lambda taken: _results(request([native(path) for path in taken])),
        lambda path, outcome: {"path": path, "success": True, **more(outcome)},
        lambda path, text: {"path": path, "success": False, "error": text},
    )


def create_directories(call: Call, arguments: FolderArguments) -> ToolResult:
    """Make folders with their parents."""
    return _of_paths(
        call,
        arguments.paths,
        lambda paths: call.run("create_directories", paths=paths, atomic=False),
        lambda outcome: {"note": "Directory already exists"} if outcome["operation"] == "exists" else {},
    )


def delete_items(call: Call, arguments: DeleteArguments) -> ToolResult:
    """Delete files, links and folders with all below."""
    return _of_paths(
        call,
        arguments.paths,
        lambda paths: call.run("delete_items", paths=paths, recursive=True, missing_ok=True, atomic=False),
        lambda outcome: (
            {} if outcome["operation"] == "deleted" else {"note": "Path not found, nothing to delete"}
        ),
    )


def chmod_items(call: Call, arguments: ModeArguments) -> ToolResult:
    """Set the mode."""
    return _of_paths(
        call,
        arguments.paths,
        lambda paths: call.run("set_permissions", paths=paths, mode=arguments.mode, atomic=False),
        lambda _outcome: {"mode": arguments.mode},
    )


def chown_items(call: Call, arguments: OwnerArguments) -> ToolResult:
    """Set user and group."""
    uid, gid = arguments.uid, arguments.gid
    return _of_paths(
        call,
        arguments.paths,
        lambda paths: call.run("set_permissions", paths=paths, owner=str(uid), group=str(gid), atomic=False),
        lambda _outcome: {"uid": uid, "gid": gid},
    )


def _pairs(call: Call, tool: str, arguments: PairArguments) -> ToolResult:
    def request(operations: Sequence[Operation]) -> Sequence[Mapping[str, Any]]:
        found: list[Mapping[str, Any]] = []
        for operation in operations:
            item = {"source": native(operation.source), "destination": native(operation.destination)}
            overwrite = arguments.overwrite if operation.overwrite is None else operation.overwrite
            found += _results(call.run(tool, items=[item], overwrite=overwrite, atomic=False))
        return found

    def told(operation: Operation) -> Item:
        return {"source": operation.source, "destination": operation.destination}

    return per_item(
        call,
        arguments.operations,
        lambda operation: [operation.source, operation.destination],
        request,
        lambda operation, _outcome: {**told(operation), "success": True},
        lambda operation, text: {**told(operation), "success": False, "error": text},
    )


def move_items(call: Call, arguments: PairArguments) -> ToolResult:
    """Move or rename."""
    return _pairs(call, "move_items", arguments)


def copy_items(call: Call, arguments: PairArguments) -> ToolResult:
    """Copy."""
    return _pairs(call, "copy_items", arguments)
