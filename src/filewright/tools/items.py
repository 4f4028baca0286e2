"""`create_directories`, `move_items`, `copy_items`, `delete_items`: entries of folders, in batches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import Annotated

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from filewright.boundary import Location
from filewright.edit.changeset import Copy, Delete, MakeFolder, Move, Step
from filewright.errors import Code, FilewrightError
from filewright.progress import Task
from filewright.tools.batch import Manner, Outcome, Planned, answer, item_named, run_batch
from filewright.tools.context import Context
from filewright.tools.registry import Arguments, Tool, ToolResult


class FolderArguments(Arguments):
    """The folders to make."""

    paths: Annotated[list[str], Field(min_length=1)]
    atomic: bool = True


class Pair(Arguments):
    """From where to where; `destination` is the full new name."""

    source: str
    destination: str


FilesOnly = Annotated[SkipJsonSchema[bool], Field(description="refuse links and folders; for dialects")]


class PairArguments(Arguments):
    """What to move or copy."""

    items: Annotated[list[Pair], Field(min_length=1)]
    overwrite: bool = False
    atomic: bool = True
    break_hard_links: bool | None = None
    undoable: bool = True
    files_only: FilesOnly = False


class DeleteArguments(Arguments):
    """What to delete."""

    paths: Annotated[list[str], Field(min_length=1)]
    recursive: Annotated[bool, Field(description="also folders with all below")] = False
    missing_ok: bool = False
    atomic: bool = True
    undoable: bool = True
    files_only: FilesOnly = False


def create_directories(context: Context, arguments: FolderArguments, task: Task) -> ToolResult:
    """Make folders and their parents; existing ones stay as they are."""

    def plan(paths: Sequence[str], _stack: ExitStack) -> Planned:
        planned = Planned([], [])
        for index, path in enumerate(paths):
            with item_named(index, len(paths)):
                location = context.boundary.locate(path)
                if not location.parts:
                    planned.outcomes.append(Outcome(path, "exists", location))
                    continue
                context.boundary.guard_write(location)
                planned.steps.append(MakeFolder(location))
                exists = context.exists(location)
                planned.outcomes.append(Outcome(path, "exists" if exists else "created", location))
        return planned

    manner = Manner("create_directories", arguments.atomic)
    outcomes, records = run_batch(context, manner, arguments.paths, plan, task)
    return answer(context, outcomes, records, "folder")


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
            hint="name the link's target itself" if kind == "link" else "name a regular file",
            details={"path": location.asked},
        )


def _pair(
    context: Context, pair: Pair, *, source_changes: bool, files_only: bool = False
) -> tuple[Location, Location]:
    source = context.boundary.locate(pair.source)
    destination = context.boundary.locate(pair.destination)
    if files_only:
        _require_file(context, source)
        _require_file(context, destination, missing_ok=True)
    if source_changes:
        context.boundary.guard_write(source, link_itself=True)
    context.boundary.guard_write(destination, link_itself=True)
    if source.holds(destination):
        same = source == destination
        raise FilewrightError(
            Code.INVALID_INPUT,
            f"{pair.destination} is {pair.source} itself" if same
            else f"{pair.destination} is inside {pair.source}: a folder cannot go into itself",
            hint="choose a destination outside it",
            details={"path": pair.destination},
        )  # fmt: skip
    return source, destination


def move_items(context: Context, arguments: PairArguments, task: Task) -> ToolResult:
    """Rename files, links and folders."""

    def step(source: Location, destination: Location) -> Step:
        return Move(source, destination, arguments.overwrite)

    return _pairs(context, arguments, Manner("move_items"), step, "moved", task)


def copy_items(context: Context, arguments: PairArguments, task: Task) -> ToolResult:
    """Copy files, links and folders with their mode, times and extended attributes."""

    def step(source: Location, destination: Location) -> Step:
        return Copy(source, destination, arguments.overwrite)

    return _pairs(context, arguments, Manner("copy_items"), step, "copied", task)


def _pairs(
    context: Context,
    arguments: PairArguments,
    manner: Manner,
    step: Callable[[Location, Location], Step],
    operation: str,
    task: Task,
) -> ToolResult:
    manner = replace(
        manner,
        atomic=arguments.atomic,
        break_hard_links=arguments.break_hard_links,
        undoable=arguments.undoable,
    )

    def plan(items: Sequence[Pair], _stack: ExitStack) -> Planned:
        planned = Planned([], [])
        for index, pair in enumerate(items):
            with item_named(index, len(items)):
                source, destination = _pair(
                    context,
                    pair,
                    source_changes=operation == "moved",
                    files_only=arguments.files_only,
                )
                planned.steps.append(step(source, destination))
                outcome = Outcome(pair.source, operation, destination, note=f"to {pair.destination}")
                outcome.facts["destination"] = pair.destination
                planned.outcomes.append(outcome)
        return planned

    outcomes, records = run_batch(context, manner, arguments.items, plan, task)
    return answer(context, outcomes, records)


def delete_items(context: Context, arguments: DeleteArguments, task: Task) -> ToolResult:
    """Delete files, links and, with `recursive`, folders."""

    def plan(paths: Sequence[str], _stack: ExitStack) -> Planned:
        steps: list[Step] = []
        outcomes: list[Outcome] = []
        for index, path in enumerate(paths):
            with item_named(index, len(paths)):
                location = context.boundary.locate(path)
                context.boundary.guard_write(location, link_itself=True)
                if arguments.files_only:
                    _require_file(context, location, missing_ok=arguments.missing_ok)
                steps.append(Delete(location, recursive=arguments.recursive, missing_ok=arguments.missing_ok))
                there = context.exists(location)
                outcomes.append(Outcome(path, "deleted" if there else "was not there", location))
        return Planned(steps, outcomes)

    manner = Manner("delete_items", arguments.atomic, undoable=arguments.undoable)
    outcomes, records = run_batch(context, manner, arguments.paths, plan, task)
    return answer(context, outcomes, records)


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
            "Copy files and folders byte for byte with mode, times and attributes; destination is the full new path."
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
)
