"""The tools for entries of folders: create, move, copy, delete, set permissions."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, TypeVar

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from filewright.boundary.location import Location
from filewright.boundary.write_guard import ResolvedFolders
from filewright.edit.changeset import (
    Copy,
    Delete,
    FilePlan,
    MakeFolder,
    Move,
    SetMode,
    SetOwner,
    Step,
)
from filewright.errors import Code, invalid, path_error
from filewright.tools.arguments import RARE, Arguments
from filewright.tools.batch import (
    Batch,
    BatchArguments,
    BatchResult,
    ItemResult,
    PlannedItem,
    naming_item,
    run_batch,
)
from filewright.tools.context import Context
from filewright.tools.losses import describe_removal_loss
from filewright.tools.tool import Tool

_MODE = re.compile(
    r"0?[0-7]{3,4}|[ugoa]*[-+=][rwxXstugo]*(,[ugoa]*[-+=][rwxXstugo]*)*"
)
# The largest user or group number; the one above it means none to the kernel.
_MAX_OWNER = 2**32 - 2
_MAX_OWNER_DIGITS = 10
"""Digits of the largest number: a text of thousands is not converted."""

RequestT = TypeVar("RequestT")

Paths = Annotated[list[str], Field(min_length=1)]


class FolderArguments(BatchArguments):
    """The folders to create."""

    paths: Paths
    """folders to create, with their parents; existing ones stay"""


class Pair(Arguments):
    """A path, and its full new path."""

    source: str
    destination: str


FilesOnly = Annotated[
    SkipJsonSchema[bool],
    Field(description="refuse links and folders; for dialects"),
]


class PairArguments(BatchArguments):
    """The paths to move or copy."""

    items: Annotated[list[Pair], Field(min_length=1)]
    """pairs of source and destination; the destination is the full new path"""
    overwrite: bool = False
    """replace an existing destination"""
    is_copy: Annotated[bool, Field(alias="copy")] = False
    """true: copy instead of moving, with mode, times and attributes"""
    files_only: FilesOnly = False


class DeleteArguments(BatchArguments):
    """The paths to delete."""

    paths: Paths
    """files, links and folders to delete"""
    recursive: bool = False
    """delete folders with everything in them"""
    missing_ok: Annotated[bool, RARE] = False
    """paths that do not exist are no error"""
    files_only: FilesOnly = False


class PermissionArguments(BatchArguments):
    """The permissions to set, and the paths."""

    paths: Paths
    """files and folders to change"""
    mode: Annotated[str | None, Field(description='"644" or "u+x"')] = None
    """`"644"`, `"u+x"`"""
    owner: Annotated[str | None, RARE] = None
    """a name or a number"""
    group: Annotated[str | None, RARE] = None
    """a name or a number"""


@dataclass(frozen=True, slots=True)
class ItemPlan:
    """The steps of one item, the location that they change, and the planned result."""

    location: Location
    steps: Sequence[Step]
    result: ItemResult


def plan_each(
    plan_item: Callable[[RequestT], ItemPlan],
) -> Callable[[Sequence[RequestT]], Iterator[FilePlan[PlannedItem]]]:
    """Return the plan of a batch whose items are planned one by one."""

    def plan(items: Sequence[RequestT]) -> Iterator[FilePlan[PlannedItem]]:
        for index, item in enumerate(items):
            with naming_item(index, len(items)):
                planned = plan_item(item)
            yield FilePlan(
                PlannedItem(index, planned.result),
                planned.location,
                planned.steps,
            )

    return plan


def create_directories(
    context: Context, arguments: FolderArguments
) -> BatchResult:
    """Create folders and their parents; existing ones stay as they are."""

    def plan_folder(path: str) -> ItemPlan:
        location = context.boundary.locate(path)
        # A root exists, and need not be writable for that.
        if not location.parts:
            return ItemPlan(location, (), ItemResult(path, "exists"))
        context.boundary.require_writable(location)
        operation = "exists" if context.exists(location) else "created"
        return ItemPlan(
            location, [MakeFolder(location)], ItemResult(path, operation)
        )

    batch = Batch(context, "create_directories", arguments, noun="folder")
    return run_batch(batch, arguments.paths, plan_each(plan_folder))


def move_items(context: Context, arguments: PairArguments) -> BatchResult:
    """Rename files, links and folders, or copy them."""
    if arguments.is_copy:
        return copy_items(context, arguments)
    return _run_pairs(context, arguments, is_copy=False)


def copy_items(context: Context, arguments: PairArguments) -> BatchResult:
    """Copy files, links and folders with mode, times and extended attributes."""
    return _run_pairs(context, arguments, is_copy=True)


def _run_pairs(
    context: Context, arguments: PairArguments, *, is_copy: bool
) -> BatchResult:
    """Move or copy each source to its destination."""
    resolved_folders = ResolvedFolders()

    def plan_pair(pair: Pair) -> ItemPlan:
        source = context.boundary.locate(pair.source)
        destination = context.boundary.locate(pair.destination)
        if arguments.files_only:
            _require_file(context, source)
            if context.exists(destination):
                _require_file(context, destination)
        # A copy only reads its source, which may be protected.
        changed = (destination,) if is_copy else (source, destination)
        for location in changed:
            context.boundary.require_writable(
                location, link_itself=True, resolved_folders=resolved_folders
            )
        _require_apart(context, pair, source, destination, is_copy=is_copy)
        note = f"to {pair.destination}"
        if arguments.overwrite:
            loss = describe_removal_loss(context, destination)
            note = f"{note}; {loss}" if loss else note
        step_type = Copy if is_copy else Move
        result = ItemResult(
            pair.source,
            "copied" if is_copy else "moved",
            note=note,
            destination=pair.destination,
        )
        step = step_type(source, destination, arguments.overwrite)
        return ItemPlan(destination, [step], result)

    batch = Batch(context, "copy_items" if is_copy else "move_items", arguments)
    return run_batch(batch, arguments.items, plan_each(plan_pair))


def _require_apart(
    context: Context,
    pair: Pair,
    source: Location,
    destination: Location,
    *,
    is_copy: bool,
) -> None:
    """Raise `invalid_input` if a path is its destination, or contains it, or is in it."""
    if source == destination:
        raise invalid(
            f"{pair.source}: source and destination are the same",
            "name another destination",
            path=pair.destination,
        )
    if destination.is_within(source):
        if context.boundary.stat(source).kind != "folder":
            raise invalid(
                f"{pair.source} is a file: moving it below its own name takes "
                "two changes",
                f"move it to another name, then from there to {pair.destination}",
                path=pair.destination,
            )
        raise invalid(
            f"{pair.destination} is inside {pair.source}: a folder cannot go into "
            "itself",
            "choose a destination outside it",
            path=pair.destination,
        )
    # A copy over the folder of its source is refused by the commit.
    is_replacing_parent = source.is_within(destination) and not is_copy
    if is_replacing_parent and context.exists(source):
        raise invalid(
            f"{pair.destination} is the folder of {pair.source}: putting the "
            "file in its place takes two changes",
            "move it out of the folder, delete or move the folder, then move it to "
            "the folder's name",
            path=pair.destination,
        )


def delete_items(context: Context, arguments: DeleteArguments) -> BatchResult:
    """Delete files, links and, with `recursive`, folders."""
    resolved_folders = ResolvedFolders()

    def plan_deletion(path: str) -> ItemPlan:
        location = context.boundary.locate(path)
        context.boundary.require_writable(
            location, link_itself=True, resolved_folders=resolved_folders
        )
        exists = context.exists(location)
        if arguments.files_only and (exists or not arguments.missing_ok):
            _require_file(context, location)
        step = Delete(
            location,
            recursive=arguments.recursive,
            missing_ok=arguments.missing_ok,
        )
        result = ItemResult(
            path,
            "deleted" if exists else "did not exist",
            note=describe_removal_loss(context, location),
        )
        return ItemPlan(location, [step], result)

    batch = Batch(context, "delete_items", arguments)
    return run_batch(batch, arguments.paths, plan_each(plan_deletion))


def _require_file(context: Context, location: Location) -> None:
    """Raise `symlink` for a link, `not_a_file` for anything else but a regular file."""
    kind = context.boundary.stat(location).kind
    if kind == "file":
        return
    path = location.requested_path
    code, hint = Code.NOT_A_FILE, "name a regular file"
    if kind == "link":
        code, hint = Code.SYMLINK, "name the link's target itself"
    raise path_error(
        code, path, f"{path} is a {kind}, not a regular file", hint
    )


def set_permissions(
    context: Context, arguments: PermissionArguments
) -> BatchResult:
    """Set mode, owner or group of every path."""
    mode = arguments.mode
    settings = []
    for name in ("mode", "owner", "group"):
        value = getattr(arguments, name)
        if value is not None:
            settings.append(f"{name} {value}")
    if not settings:
        raise invalid(
            "set_permissions needs mode, owner or group",
            'for example mode="644" or mode="u+x"',
        )
    if mode is not None and not _MODE.fullmatch(mode):
        raise invalid(
            f"mode {mode!r} is neither octal nor symbolic",
            'for example "644", "0755", "u+x", "go-w"',
            argument="mode",
        )
    user_id = _parse_owner(arguments.owner, "owner")
    group_id = _parse_owner(arguments.group, "group")

    def plan_permissions(path: str) -> ItemPlan:
        location = context.boundary.locate(path)
        context.boundary.require_writable(location)
        steps: list[Step] = []
        if mode is not None:
            steps.append(SetMode(location, mode))
        if user_id is not None or group_id is not None:
            steps.append(SetOwner(location, user_id, group_id))
        result = ItemResult(path, f"set {', '.join(settings)}")
        return ItemPlan(location, steps, result)

    batch = Batch(context, "set_permissions", arguments)
    return run_batch(batch, arguments.paths, plan_each(plan_permissions))


def _parse_owner(name: str | None, argument: str) -> int | None:
    """Return the number of a user or group, None if the argument is missing.

    Raise `invalid_input` for a name that the system does not know.
    """
    if name is None:
        return None
    is_number = name.isascii() and name.isdigit()
    if is_number and len(name) <= _MAX_OWNER_DIGITS and int(name) <= _MAX_OWNER:
        return int(name)
    try:
        if argument == "owner":
            import pwd

            return pwd.getpwnam(name).pw_uid
        import grp

        return grp.getgrnam(name).gr_gid
    # The modules do not exist on Windows.
    except (KeyError, ValueError, ImportError) as error:
        raise invalid(
            f"unknown {argument} {name!r}",
            "give a name this system knows, or a number",
            argument=argument,
        ) from error


# The tools

CREATE_DIRECTORIES = Tool(
    name="create_directories",
    title="Create folders",
    description=(
        "Create folders with their parents; existing ones stay as they are."
    ),
    toolset="files",
    arguments=FolderArguments,
    run=create_directories,
    writes=True,
)

MOVE_ITEMS = Tool(
    name="move_items",
    title="Move, rename or copy",
    description=(
        "Move, rename or copy files and folders; destination is the full path."
    ),
    toolset="files",
    arguments=PairArguments,
    run=move_items,
    writes=True,
    destructive=True,
    idempotent=False,
)

COPY_ITEMS = Tool(
    name="copy_items",
    title="Copy",
    description=(
        "Copy files and folders with mode, times and attributes; "
        "destination is the full path."
    ),
    toolset="files",
    arguments=PairArguments,
    run=copy_items,
    writes=True,
    destructive=True,
    idempotent=False,
)

DELETE_ITEMS = Tool(
    name="delete_items",
    title="Delete",
    description="Delete files, links and (recursive) folders.",
    toolset="files",
    arguments=DeleteArguments,
    run=delete_items,
    writes=True,
    destructive=True,
)

SET_PERMISSIONS = Tool(
    name="set_permissions",
    title="Set permissions",
    description="Set mode, owner or group of files and folders.",
    toolset="files",
    arguments=PermissionArguments,
    run=set_permissions,
    writes=True,
)
