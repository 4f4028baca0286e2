"""`edit_file`, `multi_edit`, `apply_patch`, `write_file`, `replace`, `move`, `copy`, `mkdir`, `remove`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Self

from pydantic import Field, model_validator

from filewright.dialects.agent_tools.rows import answered, shown
from filewright.dialects.dialect import Call
from filewright.errors import Code, FilewrightError
from filewright.tools.registry import Arguments, ToolResult
from filewright.tools.rendering import counted


class Replacing(Arguments):
    """A text and what takes its place."""

    old_string: str
    new_string: str
    replace_all: bool = False

    @model_validator(mode="after")
    def _meaningful(self) -> Self:
        if not self.old_string:
            raise ValueError("old_string must not be empty")
        if self.old_string == self.new_string:
            raise ValueError("old_string and new_string are identical")
        return self


class EditArguments(Replacing):
    """One edit of a file."""

    path: str


class MultiEditArguments(Arguments):
    """Edits of a file, each made on the result of the one before."""

    path: str
    edits: Annotated[list[Replacing], Field(min_length=1)]


class PatchArguments(Arguments):
    """A unified diff."""

    patch: str


class WriteArguments(Arguments):
    """A whole file."""

    path: str
    content: str


class ReplaceArguments(Arguments):
    """A replacement in many files."""

    pattern: Annotated[str, Field(min_length=1, description="A regular expression.")]
    replacement: Annotated[str, Field(description="$1 and ${name} stand for groups.")]
    path: Annotated[str, Field(description="File or folder.")] = "."
    glob: str | None = None
    ignore_case: bool = False
    multiline: bool = False
    dry_run: bool = True


class PairArguments(Arguments):
    """From where to where."""

    source: str
    destination: str
    overwrite: bool = False


class PathArguments(Arguments):
    """Which one."""

    path: str


def _native(edit: Replacing) -> dict[str, Any]:
    return {"search": edit.old_string, "replace": edit.new_string, "replace_all": edit.replace_all}


def edit_file(call: Call, arguments: EditArguments) -> ToolResult:
    """One edit."""
    return _edited(
        call, call.run("edit_content", path=arguments.path, edits=[_native(arguments)]), arguments.path
    )


def multi_edit(call: Call, arguments: MultiEditArguments) -> ToolResult:
    """Several edits in order, all or nothing."""
    edits = [_native(edit) for edit in arguments.edits]
    try:
        made = call.run("edit_content", path=arguments.path, edits=edits, in_turn=True)
    except FilewrightError as error:
        if "edit" in error.details:
            error.message = f"edit[{error.details['edit']}]: {error.message}"
        raise
    return _edited(call, made, arguments.path)


def _edited(call: Call, made: ToolResult, path: str) -> ToolResult:
    data = made.data
    many = counted(data["changes_made"], "replacement")
    rows = [f"edited {shown(path)}: {many}, first at line {data['line_number']}"]
    for outcome in data["results"]:
        if outcome["tier"] != "exact":
            which = f"edit[{outcome['edit']}]: " if len(data["results"]) > 1 else ""
            repairs = f" after we {' and '.join(outcome['repairs'])}" if outcome["repairs"] else ""
            rows.append(
                f"note: {which}old_string was not there exactly; matched by {outcome['tier']}{repairs} "
                f"at line {outcome['line_number']}"
            )
    return _with_diff(call, rows, data["diff"], [data["syntax_warning"]])


def _with_diff(call: Call, rows: Iterable[str], diff: str, warnings: Iterable[str | None]) -> ToolResult:
    """What was done, warnings of what no longer parses, and the diff."""
    said = [*rows, *(f"warning: {shown(warning)}" for warning in warnings if warning)]
    return answered(call, [*said, *map(shown, diff.rstrip("\n").split("\n") if diff else ())])


def apply_patch(call: Call, arguments: PatchArguments) -> ToolResult:
    """A patch over any number of files, all or nothing."""
    data = call.run("apply_patch", patch=arguments.patch).data
    rows = [f"applied: {counted(len(data['files']), 'file')} changed"]
    for file in data["files"]:
        was = f" (from {shown(file['was'])})" if file["was"] else ""
        rows.append(f"{file['operation']} {shown(file['path'])}{was}")
        rows += [
            f"note: hunk {hunk['number']} matched by {hunk['tier']} at line {hunk['line']}"
            for hunk in file["hunks"]
            if hunk["tier"] != "exact"
        ]
    return _with_diff(call, rows, "", data["warnings"])


def write_file(call: Call, arguments: WriteArguments) -> ToolResult:
    """A whole file, verbatim; parents are made."""
    item = {"path": arguments.path, "content": arguments.content, "mode": "overwrite", "newline": "keep"}
    (made,) = call.run("write_content", items=[item]).data["results"]
    size = len(arguments.content.encode("utf-8", "replace"))
    return _with_diff(
        call,
        [f"{made['operation']} {shown(arguments.path)} ({counted(size, 'byte')})"],
        "",
        [made.get("syntax_warning")],
    )


def replace(call: Call, arguments: ReplaceArguments) -> ToolResult:
    """Every match of a regex in a file or a tree; a preview unless told otherwise."""
    try:
        data = call.run(
            "replace_content",
            pattern=arguments.pattern,
            replacement=arguments.replacement,
            path=arguments.path,
            glob=arguments.glob,
            mode="regex",
            case="insensitive" if arguments.ignore_case else "sensitive",
            multiline=arguments.multiline,
            preview=arguments.dry_run,
        ).data
    except FilewrightError as error:
        if error.code == Code.NO_MATCH:
            return ToolResult("(no matches)")
        raise
    where = f"{counted(data['count'], 'replacement')} in {counted(len(data['files']), 'file')}"
    head = f"dry run, nothing was written: {where}" if arguments.dry_run else f"replaced: {where}"
    rows = [head, *(f"{shown(file['path'])}: {file['count']}" for file in data["files"])]
    warnings = [note.removeprefix("warning: ") for note in data["notes"] if note.startswith("warning: ")]
    return _with_diff(call, rows, data["diff"], warnings)


def move(call: Call, arguments: PairArguments) -> ToolResult:
    """Move a file."""
    return _paired(call, "move_items", "moved", arguments)


def copy(call: Call, arguments: PairArguments) -> ToolResult:
    """Copy a file."""
    return _paired(call, "copy_items", "copied", arguments)


def _paired(call: Call, tool: str, done: str, arguments: PairArguments) -> ToolResult:
    item = {"source": arguments.source, "destination": arguments.destination}
    call.run(tool, items=[item], overwrite=arguments.overwrite, files_only=True)
    return ToolResult(f"{done} {shown(arguments.source)} to {shown(arguments.destination)}")


def mkdir(call: Call, arguments: PathArguments) -> ToolResult:
    """Make a folder and its parents."""
    (made,) = call.run("create_directories", paths=[arguments.path]).data["results"]
    return ToolResult(f"{_word(made)} {shown(arguments.path)}")


def _word(made: Mapping[str, Any]) -> str:
    return "exists already:" if made["operation"] == "exists" else "created"


def remove(call: Call, arguments: PathArguments) -> ToolResult:
    """Delete a file."""
    call.run("delete_items", paths=[arguments.path], files_only=True)
    return ToolResult(f"removed {shown(arguments.path)}")
