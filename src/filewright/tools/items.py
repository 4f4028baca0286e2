"""Many things in one call, each with a result of its own: entries of folders made, moved, copied, deleted, ….

`atomic` makes one change set of all items: all or none. Otherwise every item is a change set of its
own, failures are reported with their item, and the call fails only if every item failed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, Any, TypeVar

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
from filewright.edit.diff import Diff, FileDiff
from filewright.errors import (
    Code,
    FilewrightError,
    invalid,
    path_error,
    too_many,
)
from filewright.tools.change_reply import ChangeReply, DiffView
from filewright.tools.context import Context
from filewright.tools.losses import lost_by_removing
from filewright.tools.pipeline import (
    Change,
    ChangeArguments,
    FileOutcome,
    commit_change,
    plan_change,
    retry_stale_plan,
)
from filewright.tools.registry import RARE, Arguments
from filewright.tools.result import ChangeResult, optional, plain
from filewright.tools.tool import Tool
from filewright.wording import join_limited

_MODE = re.compile(
    r"0?[0-7]{3,4}|[ugoa]*[-+=][rwxXstugo]*(,[ugoa]*[-+=][rwxXstugo]*)*"
)
_NOTHING_DONE = frozenset({"unchanged", "exists", "was not there"})
"""What is said of items that are as they were."""

I = TypeVar("I")


@dataclass(frozen=True, slots=True)
class ItemResult:
    """What became of one item: the `operation` that was done, or the `error` that refused it.

    `destination` is where a thing was moved or copied to, as given; `version` the token of what was written.
    """

    path: str
    operation: str = optional("")
    note: str = optional("")
    difference: FileDiff | None = optional()
    destination: str | None = optional()
    version: str | None = optional()
    hard_links: int | None = optional()
    syntax_warning: str | None = optional()
    error: FilewrightError | None = optional()

    @property
    def diff(self) -> str:
        """The diff of what was overwritten or added to, git style."""
        return self.difference.text if self.difference is not None else ""

    @property
    def row(self) -> str:
        """One line for a reader."""
        name, error = self.path, self.error
        if error is not None:
            return f"{name}: {error.code}: {error.message}{f' (hint: {error.hint})' if error.hint else ''}"
        note = f"; {self.note}" if self.note else ""
        return f"{name}: {self.operation}{note}"


@dataclass(frozen=True, kw_only=True)
class BatchResult(ChangeResult):
    """The items' results in order; `change_ids` has one change if atomic, else one for each item done.

    `change_id` is the last of `change_ids`.
    """

    several = "results"
    results: tuple[ItemResult, ...]
    change_ids: tuple[str, ...]

    @property
    def data(self) -> dict[str, Any]:
        """The results; of a single item its own facts too."""
        only = (
            self.results[0]
            if len(self.results) == 1 and self.code is None
            else None
        )
        made = {
            **(plain(only) if only is not None else {}),
            "results": plain(self.results),
        }
        if self.change_ids:
            made |= {
                "change_id": self.change_id,
                "change_ids": [*self.change_ids],
            }
        return made


Item = tuple[int, ItemResult]
"""What became of an item, with its place in the call."""


class BatchArguments(ChangeArguments):
    """What every tool takes that has many items."""

    atomic: Annotated[bool, RARE] = True
    """all items or none; false: each on its own"""


@contextmanager
def item_named(index: int, count: int) -> Iterator[None]:
    """Errors inside name which of several items they are about."""
    try:
        yield
    except FilewrightError as error:
        if count > 1:
            error.message = f"item {index + 1} of {count}: {error.message}"
            error.details.setdefault("item", index)
        raise


def run_batch(
    context: Context,
    tool: str,
    arguments: BatchArguments,
    items: Sequence[I],
    plan: Callable[[Sequence[I]], Iterable[FilePlan[Item]]],
    *,
    noun: str = "item",
) -> BatchResult:
    """Commit what `plan` decides of the items, together or one by one, and answer for each in order."""
    check_count(context, items)
    left = context.settings.diff_lines
    results: list[ItemResult] = []
    ids: list[str] = []
    files: list[FileOutcome[Item]] = []
    groups = [items] if arguments.atomic else [[item] for item in items]
    for position, group in enumerate(groups):
        if not arguments.atomic:
            context.task.report(position, len(groups), tool)
        try:
            plan_and_commit = partial(
                _plan_and_commit,
                context,
                tool,
                arguments,
                partial(plan, group),
                max_diff_rows=left,
            )
            # Text that is appended fits any content; a file that is overwritten may
            # hold what the caller has not seen.
            if all(getattr(item, "adds", False) for item in group):
                made = retry_stale_plan(context, plan_and_commit)
            else:
                made = plan_and_commit()
        except FilewrightError as error:
            if arguments.atomic or error.ends_call:
                raise
            context.explain(error)
            (item,) = group
            name = str(
                getattr(item, "path", None)
                or getattr(item, "source", None)
                or item
            )
            results.append(ItemResult(name, error=error))
            continue
        done = sorted(made.files, key=lambda file: file.result[0])
        files += done
        results += map(_result, done)
        left -= sum(each.row_count for each in made.diff.files)
        ids += [made.id] if made.id is not None else []
    shown = Diff(
        tuple(
            result.difference
            for result in results
            if result.difference is not None
        )
    )
    last = ids[-1] if ids else None
    change = Change(tuple(files), last, shown)
    view = DiffView(wanted=getattr(arguments, "diff", "auto"))
    page = ChangeReply(context.settings.page_chars, change, view)
    page.extend((result.row for result in results), reserve=300, more=noun)
    if len(ids) == 1:
        page.add(f"[change {ids[0]}; undo with revert_edit]")
    elif ids:
        page.add(
            f"[changes {ids[0]} … {ids[-1]}, one each; undo with revert_edit]"
        )
    page.finish()
    return BatchResult(
        page.text(),
        change_id=last,
        difference=shown,
        results=tuple(results),
        change_ids=tuple(ids),
    )


def _plan_and_commit(
    context: Context,
    tool: str,
    arguments: BatchArguments,
    plan: Callable[[], Iterable[FilePlan[Item]]],
    *,
    max_diff_rows: int,
) -> Change[Item]:
    """Plan items and commit them; items that are as they should be are no error."""
    planned = plan_change(context, plan(), max_diff_rows=max_diff_rows)
    summary = _summary(tool, planned.files)
    try:
        return commit_change(context, planned, tool, summary, arguments)
    except FilewrightError as error:
        if error.code != Code.NO_CHANGE:
            raise
        return planned


def _result(file: FileOutcome[Item]) -> ItemResult:
    """The result of an item with what was found out of its file."""
    diff = file.diff
    return replace(
        file.result[1],
        difference=diff
        if diff is not None and diff.old_name is not None
        else None,
        version=file.version,
        hard_links=file.hard_links
        if file.hard_links > 1 and diff is not None
        else None,
        syntax_warning=file.warning or None,
    )


def check_count(context: Context, items: Sequence[object]) -> None:
    """Raise `too_large` for more items than one call may have."""
    if len(items) > context.settings.max_items:
        raise too_many(
            len(items),
            context.settings.max_items,
            "items",
            "send them in several calls",
        )


def _summary(tool: str, files: Sequence[FileOutcome[Item]]) -> str:
    """One line for the history: what was done to which files; names none that it has no entry of."""
    results = [
        result
        for _, result in sorted(
            (file.result for file in files), key=lambda item: item[0]
        )
    ]
    done = [
        f"copied to {each.destination}"
        if each.operation == "copied"
        else f"{each.operation} {each.path}"
        for each in results
        if each.operation not in _NOTHING_DONE
    ]
    return f"{tool}: {join_limited(done, 3)}"


# Entries of folders


Paths = Annotated[list[str], Field(min_length=1)]


class FolderArguments(BatchArguments):
    """The folders to make."""

    paths: Paths
    """folders; parents are made, existing ones stay"""


class Pair(Arguments):
    """From where to where; `destination` is the full new name."""

    source: str
    destination: str


FilesOnly = Annotated[
    SkipJsonSchema[bool],
    Field(description="refuse links and folders; for dialects"),
]


class PairArguments(BatchArguments):
    """What to move or copy."""

    items: Annotated[list[Pair], Field(min_length=1)]
    """the destination is the full new path"""
    overwrite: bool = False
    """replace what is there"""
    copied: Annotated[bool, Field(alias="copy")] = False
    """true: copy, with mode, times and attributes"""
    files_only: FilesOnly = False


class DeleteArguments(BatchArguments):
    """What to delete."""

    paths: Paths
    """files, links, folders"""
    recursive: bool = False
    """folders with all below"""
    missing_ok: Annotated[bool, RARE] = False
    """what is not there is no error"""
    files_only: FilesOnly = False


class PermissionArguments(BatchArguments):
    """What to set, on what."""

    paths: Paths
    """files and folders"""
    mode: Annotated[str | None, Field(description='"644" or "u+x"')] = None
    """`"644"`, `"u+x"`"""
    owner: Annotated[str | None, RARE] = None
    """a name or a number"""
    group: Annotated[str | None, RARE] = None
    """a name or a number"""


Planned = tuple[Location, Sequence[Step], ItemResult]
"""What an item comes to, and where."""


def _each(
    one: Callable[[I], Planned],
) -> Callable[[Sequence[I]], Iterator[FilePlan[Item]]]:
    """The plan of items that are planned one by one."""

    def plan(group: Sequence[I]) -> Iterator[FilePlan[Item]]:
        for index, item in enumerate(group):
            with item_named(index, len(group)):
                location, steps, result = one(item)
            yield FilePlan((index, result), location, steps)

    return plan


def create_directories(
    context: Context, arguments: FolderArguments
) -> BatchResult:
    """Make folders and their parents; existing ones stay as they are."""

    def one(path: str) -> Planned:
        location = context.boundary.locate(path)
        if not location.parts:
            return location, (), ItemResult(path, "exists")
        context.boundary.require_writable(location)
        done = "exists" if context.exists(location) else "created"
        return location, [MakeFolder(location)], ItemResult(path, done)

    return run_batch(
        context,
        "create_directories",
        arguments,
        arguments.paths,
        _each(one),
        noun="folder",
    )


def _require_file(context: Context, location: Location) -> None:
    """Raise `symlink` for a link, `not_a_file` for anything else that is no regular file."""
    asked, kind = location.requested_path, context.boundary.stat(location).kind
    if kind != "file":
        message = f"{asked} is a {kind}, not a regular file"
        is_link = kind == "link"
        hint = (
            "name the link's target itself"
            if is_link
            else "name a regular file"
        )
        raise path_error(
            Code.SYMLINK if is_link else Code.NOT_A_FILE, asked, message, hint
        )


def move_items(
    context: Context, arguments: PairArguments, *, tool: str = "move_items"
) -> BatchResult:
    """Rename files, links and folders, or copy them."""
    copied = arguments.copied or tool == "copy_items"
    tool, done, step = (
        ("copy_items", "copied", Copy)
        if copied
        else ("move_items", "moved", Move)
    )
    reached = ResolvedFolders()

    def one(pair: Pair) -> Planned:
        source, destination = map(
            context.boundary.locate, (pair.source, pair.destination)
        )
        if arguments.files_only:
            _require_file(context, source)
            if context.exists(destination):
                _require_file(context, destination)
        for place in (destination,) if copied else (source, destination):
            context.boundary.require_writable(
                place, link_itself=True, resolved_folders=reached
            )
        if source == destination:
            message = f"{pair.source}: source and destination are the same"
            raise invalid(
                message, "name another destination", path=pair.destination
            )
        if destination.is_within(source):
            if context.boundary.stat(source).kind != "folder":
                message = f"{pair.source} is a file: it can be put below its own name only in two changes"
                way = f"move it to another name, then from there to {pair.destination}"
                raise invalid(message, way, path=pair.destination)
            message = f"{pair.destination} is inside {pair.source}: a folder cannot go into itself"
            raise invalid(
                message,
                "choose a destination outside it",
                path=pair.destination,
            )
        if (
            source.is_within(destination)
            and not copied
            and context.exists(source)
        ):
            message = f"{pair.destination} is the folder of {pair.source}, which takes its place only in two changes"
            way = "move it out of the folder, delete or move the folder, then move it to the folder's name"
            raise invalid(message, way, path=pair.destination)
        loss = (
            lost_by_removing(context, destination)
            if arguments.overwrite
            else ""
        )
        note = f"to {pair.destination}{f'; {loss}' if loss else ''}"
        result = ItemResult(
            pair.source, done, note=note, destination=pair.destination
        )
        return (
            destination,
            [step(source, destination, arguments.overwrite)],
            result,
        )

    return run_batch(context, tool, arguments, arguments.items, _each(one))


def copy_items(context: Context, arguments: PairArguments) -> BatchResult:
    """Copy files, links and folders with their mode, times and extended attributes."""
    return move_items(context, arguments, tool="copy_items")


def delete_items(context: Context, arguments: DeleteArguments) -> BatchResult:
    """Delete files, links and, with `recursive`, folders."""
    missing_ok, reached = arguments.missing_ok, ResolvedFolders()

    def one(path: str) -> Planned:
        location = context.boundary.locate(path)
        context.boundary.require_writable(
            location, link_itself=True, resolved_folders=reached
        )
        exists = context.exists(location)
        if arguments.files_only and (exists or not missing_ok):
            _require_file(context, location)
        step = Delete(
            location, recursive=arguments.recursive, missing_ok=missing_ok
        )
        loss = lost_by_removing(context, location)
        return (
            location,
            [step],
            ItemResult(
                path, "deleted" if exists else "was not there", note=loss
            ),
        )

    return run_batch(
        context, "delete_items", arguments, arguments.paths, _each(one)
    )


def set_permissions(
    context: Context, arguments: PermissionArguments
) -> BatchResult:
    """Set mode, owner or group of every path."""
    mode, owner, group = arguments.mode, arguments.owner, arguments.group
    named = {"mode": mode, "owner": owner, "group": group}
    given = [
        f"{what} {value}" for what, value in named.items() if value is not None
    ]
    if not given:
        message = "set_permissions needs mode, owner or group"
        raise invalid(message, 'for example mode="644" or mode="u+x"')
    if mode is not None and not _MODE.fullmatch(mode):
        message = f"mode {mode!r} is neither octal nor symbolic"
        raise invalid(
            message, 'for example "644", "0755", "u+x", "go-w"', argument="mode"
        )
    uid, gid = _number(owner, "owner"), _number(group, "group")

    def one(path: str) -> Planned:
        location = context.boundary.locate(path)
        context.boundary.require_writable(location)
        steps: list[Step] = (
            [SetMode(location, mode)] if mode is not None else []
        )
        if uid is not None or gid is not None:
            steps.append(SetOwner(location, uid, gid))
        return location, steps, ItemResult(path, f"set {', '.join(given)}")

    return run_batch(
        context, "set_permissions", arguments, arguments.paths, _each(one)
    )


def _number(name: str | None, argument: str) -> int | None:
    if name is None:
        return None
    if (
        name.isascii()
        and name.isdigit()
        and len(name) < 11
        and int(name) < 2**32 - 1
    ):
        return int(name)
    try:
        if argument == "owner":
            import pwd

            return pwd.getpwnam(name).pw_uid
        import grp

        return grp.getgrnam(name).gr_gid
    except (KeyError, ValueError, ImportError) as error:
        hint = "give a name this system knows, or a number"
        raise invalid(
            f"unknown {argument} {name!r}", hint, argument=argument
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
        "Move, rename or copy files and folders; destination is the full "
        "path, parents are made."
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
