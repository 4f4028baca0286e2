"""The dialect `text-editor`: Anthropic's text editor tool `text_editor_20250728`.

Answers and errors are those that platform.claude.com documents (text editor tool,
November 2026), to the letter; a problem without a documented message keeps the native
one. `text_editor_20250124` has the older tool.
"""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from filewright.dialects.arguments import LenientArguments
from filewright.dialects.call import Call
from filewright.dialects.commands import (
    ViewRange,
    insert_after_line,
    is_folder,
    list_two_levels,
    next_line,
    read_range,
    require_arguments,
    view_limits,
    with_message,
)
from filewright.dialects.dialect import Dialect, DialectTool
from filewright.errors import Code, FilewrightError

API_TOOL = {
    "type": "text_editor_20250728",
    "name": "str_replace_based_edit_tool",
}
"""The tool as the API is sent it: it knows the schema by the type."""

_REQUIRED_ARGUMENTS = {
    "create": ("file_text",),
    "str_replace": ("old_str",),
    "insert": ("insert_line",),
}


class EditorArguments(LenientArguments):
    """Arguments that the commands of both versions of the tool have."""

    command: str
    path: Annotated[str, Field(description="File or folder.")]
    file_text: Annotated[
        str | None, Field(description="create: all of it.")
    ] = None
    old_str: Annotated[
        str | None,
        Field(min_length=1, description="str_replace: must occur once."),
    ] = None
    new_str: Annotated[
        str | None, Field(description="str_replace: its replacement.")
    ] = None
    insert_line: Annotated[
        int | None,
        Field(
            ge=0, description="insert: after this line; 0: at the beginning."
        ),
    ] = None
    insert_text: Annotated[
        str | None, Field(description="insert: the text.")
    ] = None
    view_range: ViewRange | None = None

    @model_validator(mode="after")
    def check_command(self) -> Self:
        """Raise `ValueError` if the command lacks an argument."""
        names = _REQUIRED_ARGUMENTS.get(self.command, ())
        require_arguments(self.command, self, names)
        if self.command == "insert" and self.text_to_insert is None:
            raise ValueError("insert needs insert_text")
        return self

    @property
    def text_to_insert(self) -> str | None:
        """The text of an insertion, which the older tool calls `new_str`."""
        if self.insert_text is None:
            return self.new_str
        return self.insert_text


class Command(EditorArguments):
    """Arguments of `str_replace_based_edit_tool`."""

    command: Literal["view", "create", "str_replace", "insert"]


def str_replace_based_edit_tool(call: Call, arguments: Command) -> str:
    """Run a command of `text_editor_20250728`."""
    return run_command(call, arguments)


def run_command(call: Call, arguments: EditorArguments) -> str:
    """Run a command. Raise its problem in the documented words."""
    try:
        match arguments.command:
            case "view":
                return view(call, arguments)
            case "create":
                return create(call, arguments)
            case "str_replace":
                return str_replace(call, arguments)
            case _:
                return insert(call, arguments)
    except FilewrightError as error:
        is_view = arguments.command == "view"
        raise describe_error(error, is_view=is_view) from error


def view(call: Call, arguments: EditorArguments) -> str:
    """Return a file with line numbers, or the entries of a folder two levels deep."""
    path = arguments.path
    if is_folder(call, path):
        lines = [
            f"Here're the files and directories up to 2 levels deep in {path}, "
            "excluding hidden items and node_modules:"
        ]
        lines += [entry.path for entry in list_two_levels(call, path)]
        return "\n".join(lines)
    file = read_range(call, path, arguments.view_range)
    lines = []
    for number, text in enumerate(file.rows, file.start_line):
        lines.append(f"{number}: {text}")
    following = next_line(file, arguments.view_range)
    if following is not None:
        lines.append(f"[truncated; continue with view_range=[{following}, -1]]")
    return "\n".join(lines) or "(empty file)"


def create(call: Call, arguments: EditorArguments) -> str:
    """Write a whole file. One that is replaced keeps its line ends, and can be undone."""
    call.write(arguments.path, arguments.file_text or "", mode="overwrite")
    return f"File created successfully at: {arguments.path}"


def str_replace(call: Call, arguments: EditorArguments) -> str:
    """Replace a text that occurs exactly once."""
    # The tool promises an exact match: not even other whitespace is tolerated.
    call.edit(
        arguments.path,
        [{"search": arguments.old_str, "replace": arguments.new_str or ""}],
        fuzzy=False,
    )
    return "Successfully replaced text at exactly one location."


def insert(call: Call, arguments: EditorArguments) -> str:
    """Insert text after a line; line 0 is the beginning of the file."""
    line = arguments.insert_line or 0
    text = arguments.text_to_insert or ""
    insert_after_line(call, arguments.path, line, text)
    return f"Successfully inserted text after line {line}."


def describe_error(error: FilewrightError, *, is_view: bool) -> FilewrightError:
    """Return an error with the documented message, or the native one without."""
    match error.code:
        case Code.NOT_FOUND:
            return with_message(error, "File not found", error.hint)
        # No message is documented for an edit that was made already.
        case Code.NO_MATCH | Code.ALREADY_APPLIED:
            return with_message(
                error,
                "No match found for replacement. "
                "Please check your text and try again.",
            )
        case Code.AMBIGUOUS_MATCH:
            count = len(error.details["lines"])
            return with_message(
                error,
                f"Found {count} matches for replacement text. "
                "Please provide more context to make a unique match.",
            )
        # The documented message speaks of writing, and is wrong for a view.
        case Code.PERMISSION_DENIED | Code.READ_ONLY if not is_view:
            return with_message(
                error, "Permission denied. Cannot write to file.", error.hint
            )
    return error


WORKFLOW = (
    "View files with line numbers, replace texts that occur exactly once, insert "
    "after a line, create files. Line endings and encodings stay as they are, and "
    "every change can be undone by the user."
)

DIALECT = Dialect(
    tools=(
        DialectTool(
            str_replace_based_edit_tool,
            "View, create and edit files: view, create, str_replace, insert.",
            toolset="edit",
            builtin=API_TOOL,
        ),
    ),
    workflow=WORKFLOW,
    limits=view_limits,
)
