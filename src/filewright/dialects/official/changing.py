"""Tools that change files: `write_file`, `edit_file`, `create_directory`, `move_file`."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from filewright.dialects.arguments import LenientArguments
from filewright.dialects.call import Call
from filewright.errors import Code, FilewrightError
from filewright.wording import escape_controls


class WriteFile(LenientArguments):
    """Arguments of `write_file`."""

    path: str
    content: str


def write_file(call: Call, arguments: WriteFile) -> str:
    """Create a file, or replace all of its content."""
    call.overwrite(arguments.path, arguments.content)
    return f"Successfully wrote to {escape_controls(arguments.path)}"


class TextReplacement(LenientArguments):
    """One edit of `edit_file`."""

    old_text: Annotated[
        str,
        Field(
            validation_alias="oldText",
            description="Text to search for - must match exactly",
        ),
    ]
    new_text: Annotated[
        str,
        Field(validation_alias="newText", description="Text to replace with"),
    ]


class EditFile(LenientArguments):
    """Arguments of `edit_file`."""

    path: str
    edits: Annotated[list[TextReplacement], Field(min_length=1)]
    dry_run: Annotated[
        bool,
        Field(
            validation_alias="dryRun",
            description="Preview changes using git-style diff format",
        ),
    ] = False


def edit_file(call: Call, arguments: EditFile) -> str:
    """Replace texts one after the other, all or none, and return the diff."""
    try:
        result = call.edit(
            arguments.path,
            [
                {"search": edit.old_text, "replace": edit.new_text}
                for edit in arguments.edits
            ],
            preview=arguments.dry_run,
            in_turn=True,
        )
    except FilewrightError as error:
        if error.code != Code.NO_CHANGE:
            raise
        return render_diff("")
    return render_diff(result.diff)


def render_diff(diff: str) -> str:
    """Return a diff in a fence that is longer than any fence within it."""
    diff = escape_controls(diff)
    fence = "```"
    while fence in diff:
        fence += "`"
    return f"{fence}diff\n{diff}{fence}\n\n"


class CreateDirectory(LenientArguments):
    """Arguments of `create_directory`."""

    path: str


def create_directory(call: Call, arguments: CreateDirectory) -> str:
    """Create a directory with its parents; an existing one stays."""
    call.create_directories(arguments.path)
    return f"Successfully created directory {escape_controls(arguments.path)}"


class MoveFile(LenientArguments):
    """Arguments of `move_file`."""

    source: str
    destination: str


def move_file(call: Call, arguments: MoveFile) -> str:
    """Move or rename a file or directory. Raise if the new name exists."""
    call.move(arguments.source, arguments.destination)
    source = escape_controls(arguments.source)
    destination = escape_controls(arguments.destination)
    return f"Successfully moved {source} to {destination}"
