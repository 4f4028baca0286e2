"""Entries of folders, in batches: made, moved, copied, deleted, their permissions set."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Annotated, TypeVar

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from filewright.boundary import Location, Reached
from filewright.edit import Copy, Delete, MakeFolder, Move, SetMode, SetOwner, Step
from filewright.errors import Code, FilewrightError, invalid
from filewright.tools.batch import BatchResult, Item, ItemResult, Planner, item_named, run_batch
from filewright.tools.context import Context
from filewright.tools.pipeline import Decided
from filewright.tools.registry import Arguments, Tool

_OCTAL = re.compile(r"0?[0-7]{3,4}")
_SYMBOLIC = re.compile(r"[ugoa]*[-+=][rwxXstugo]*(,[ugoa]*[-+=][rwxXstugo]*)*")

I = TypeVar("I")


class FolderArguments(Arguments):
    """The folders to make."""

    paths: Annotated[list[str], Field(min_length=1)]
    """folders; parents are made, existing ones stay"""
    atomic: bool = True


class Pair(Arguments):
    """From where to where; `destination` is the full new name."""

    source: str
    destination: str


FilesOnly = Annotated[SkipJsonSchema[bool], Field(description="refuse links and folders; for dialects")]


class PairArguments(Arguments):
    """What to move or copy."""

    items: Annotated[list[Pair], Field(min_length=1)]
    """the destination is the full new path"""
    overwrite: bool = False
    """replace what is there"""
    atomic: bool = True
    break_hard_links: bool | None = None
    undoable: bool = True
    files_only: FilesOnly = False


class DeleteArguments(Arguments):
    """What to delete."""

    paths: Annotated[list[str], Field(min_length=1)]
    """files, links, folders"""
    recursive: Annotated[bool, Field(description="also folders with all below")] = False
    """folders with all below"""
    missing_ok: bool = False
    """what is not there is no error"""
    atomic: bool = True
    undoable: bool = True
    files_only: FilesOnly = False


class PermissionArguments(Arguments):
    """What to set, on what."""

    paths: Annotated[list[str], Field(min_length=1)]
    """files and folders"""
    mode: Annotated[str | None, Field(description='"644" or "u+x"')] = None
    """`"644"`, `"u+x"`"""
    owner: str | None = None
    """a name or a number"""
    group: str | None = None
    """a name or a number"""
    atomic: bool = True


def create_directories(context: Context, arguments: FolderArguments) -> BatchResult:
    """Make folders and their parents; existing ones stay as they are."""

    def one(path: str) -> Planned:
        location = context.boundary.locate(path)
        if not location.parts:
            return location, (), ItemResult(path, "exists")
        context.boundary.guard_write(location)
        done = "exists" if context.exists(location) else "created"
        return location, (MakeFolder(location),), ItemResult(path, done)

    return run_batch(
        context,
        "create_directories",
        arguments.paths,
        _each(one),
        atomic=arguments.atomic,
        noun="folder",
    )


Planned = tuple[Location, Sequence[Step], ItemResult]
"""What an item comes to, and where."""


def _each(one: Callable[[I], Planned]) -> Planner[I]:
    """The plan of a batch whose items are planned one by one."""

    def plan(items: Sequence[I]) -> Iterator[Decided[Item]]:
        for index, item in enumerate(items):
            with item_named(index, len(items)):
                location, steps, result = one(item)
            yield Decided((index, result), location, steps)

    return plan


def _require_file(context: Context, location: Location, *, missing_ok: bool = False) -> None:
    """Raise `symlink` for a link, `not_a_file` for anything else that is no regular file."""
    try:
        kind = context.boundary.stat(location).kind
    except FilewrightError as error:
        if missing_ok and error.code == Code.NOT_FOUND:
            return
        raise
    if kind != "file":
        raise FilewrightError(
            Code.SYMLINK if kind == "link" else Code.NOT_A_FILE,
            f"{location.asked} is a {kind}, not a regular file",
            "name the link's target itself" if kind == "link" else "name a regular file",
            path=location.asked,
        )


def move_items(context: Context, arguments: PairArguments) -> BatchResult:
    """Rename files, links and folders."""
    return _pairs(context, arguments, "move_items", Move, "moved")


def copy_items(context: Context, arguments: PairArguments) -> BatchResult:
    """Copy files, links and folders with their mode, times and extended attributes."""
    return _pairs(context, arguments, "copy_items", Copy, "copied")


def _pairs(
    context: Context, arguments: PairArguments, tool: str, step: type[Move | Copy], done: str
) -> BatchResult:
    reached: Reached = {}

    def one(pair: Pair) -> Planned:
        source = context.boundary.locate(pair.source)
        destination = context.boundary.locate(pair.destination)
        if arguments.files_only:
            _require_file(context, source)
            _require_file(context, destination, missing_ok=True)
        if step is Move:
            context.boundary.guard_write(source, link_itself=True, reached=reached)
        context.boundary.guard_write(destination, link_itself=True, reached=reached)
        if source.holds(destination):
            same = source == destination
            raise invalid(
                f"{pair.source}: source and destination are the same"
                if same
                else f"{pair.destination} is inside {pair.source}: a folder cannot go into itself",
                "name another destination" if same else "choose a destination outside it",
                path=pair.destination,
            )
        result = ItemResult(pair.source, done, note=f"to {pair.destination}", destination=pair.destination)
        return destination, (step(source, destination, arguments.overwrite),), result

    return run_batch(
        context,
        tool,
        arguments.items,
        _each(one),
        atomic=arguments.atomic,
        break_hard_links=arguments.break_hard_links,
        undoable=arguments.undoable,
    )


def delete_items(context: Context, arguments: DeleteArguments) -> BatchResult:
    """Delete files, links and, with `recursive`, folders."""
    reached: Reached = {}

    def one(path: str) -> Planned:
        location = context.boundary.locate(path)
        context.boundary.guard_write(location, link_itself=True, reached=reached)
        if arguments.files_only:
            _require_file(context, location, missing_ok=arguments.missing_ok)
        done = "deleted" if context.exists(location) else "was not there"
        step = Delete(location, recursive=arguments.recursive, missing_ok=arguments.missing_ok)
        return location, (step,), ItemResult(path, done)

    return run_batch(
        context,
        "delete_items",
        arguments.paths,
        _each(one),
        atomic=arguments.atomic,
        undoable=arguments.undoable,
    )


def set_permissions(context: Context, arguments: PermissionArguments) -> BatchResult:
    """Set mode, owner or group of every path."""
    mode, owner, group = arguments.mode, arguments.owner, arguments.group
    if mode is None and owner is None and group is None:
        raise invalid("set_permissions needs mode, owner or group", 'for example mode="644" or mode="u+x"')
    if mode is not None and not (_OCTAL.fullmatch(mode) or _SYMBOLIC.fullmatch(mode)):
        raise invalid(
            f"mode {mode!r} is neither octal nor symbolic",
            'for example "644", "0755", "u+x", "go-w"',
            argument="mode",
        )
    uid, gid = _number(owner, "owner"), _number(group, "group")
    named = {"mode": mode, "owner": owner, "group": group}
    done = "set " + ", ".join(f"{what} {value}" for what, value in named.items() if value is not None)

    def one(path: str) -> Planned:
        location = context.boundary.locate(path)
        context.boundary.guard_write(location)
        steps: list[Step] = [SetMode(location, mode)] if mode is not None else []
        if uid is not None or gid is not None:
            steps.append(SetOwner(location, uid, gid))
        return location, steps, ItemResult(path, done)

    return run_batch(context, "set_permissions", arguments.paths, _each(one), atomic=arguments.atomic)


def _number(name: str | None, argument: str) -> int | None:
    if name is None:
        return None
    if name.isascii() and name.isdigit() and len(name) < 11 and int(name) < 2**32 - 1:
        return int(name)
    try:
        if argument == "owner":
            import pwd

            return pwd.getpwnam(name).pw_uid
        import grp

        return grp.getgrnam(name).gr_gid
    except (KeyError, ValueError, ImportError) as error:
        raise invalid(
            f"unknown {argument} {name!r}", "give a name this system knows, or a number", argument=argument
        ) from error


TOOLS = (
    Tool(
        name="create_directories",
        title="Create folders",
        description=("Create folders with their parents; existing ones stay as they are."),
        arguments=FolderArguments,
        run=create_directories,
        toolset="files",
        writes=True,
    ),
    Tool(
        name="move_items",
        title="Move or rename",
        description=("Move or rename files and folders; destination is the full new path, parents are made."),
        arguments=PairArguments,
        run=move_items,
        toolset="files",
        writes=True,
        destructive=True,
        idempotent=False,
    ),
    Tool(
        name="copy_items",
        title="Copy",
        description=(
            "Copy files and folders with mode, times and attributes; destination is the full new path."
        ),
        arguments=PairArguments,
        run=copy_items,
        toolset="files",
        writes=True,
        destructive=True,
        idempotent=False,
    ),
    Tool(
        name="delete_items",
        title="Delete",
        description=("Delete files, links and (recursive) folders; revert_edit brings them back."),
        arguments=DeleteArguments,
        run=delete_items,
        toolset="files",
        writes=True,
        destructive=True,
    ),
    Tool(
        name="set_permissions",
        title="Set permissions",
        description=("Set mode, owner or group of files and folders."),
        arguments=PermissionArguments,
        run=set_permissions,
        toolset="files",
        writes=True,
    ),
)
