"""The dialect `memory`: Anthropic's memory tool `memory_20250818`.

All paths are below `/memories`, which is the first root. Answers and errors are those
that platform.claude.com documents (memory tool, November 2026), to the letter.
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
)
from filewright.dialects.dialect import Dialect, DialectTool
from filewright.errors import Code, FilewrightError, invalid
from filewright.tools.bounded_text import clip
from filewright.tools.methods import EditRequest
from filewright.tools.read.result import FileRead
from filewright.tools.result import FailedCall, ToolResult

API_TOOL = {"type": "memory_20250818", "name": "memory"}
"""The tool as the API is sent it: it knows the schema by the type."""

_ROOT = "/memories"
_MAX_LINES = 999_999
"""The documented limit: the numbers of lines have six characters."""

_SNIPPET_LINES = 2
"""Lines that are shown before and after a replaced text."""

_SIZE_UNITS = ("B", "K", "M", "G")

_REQUIRED_ARGUMENTS = {
    "view": ("path",),
    "create": ("path", "file_text"),
    "str_replace": ("path", "old_str"),
    "insert": ("path", "insert_line", "insert_text"),
    "delete": ("path",),
    "rename": ("old_path", "new_path"),
}


class MemoryCommand(LenientArguments):
    """Arguments of `memory`."""

    command: Literal[
        "view", "create", "str_replace", "insert", "delete", "rename"
    ]
    path: Annotated[str | None, Field(description="Below /memories.")] = None
    view_range: ViewRange | None = None
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
    old_path: Annotated[str | None, Field(description="rename: from.")] = None
    new_path: Annotated[str | None, Field(description="rename: to.")] = None

    @model_validator(mode="after")
    def check_command(self) -> Self:
        """Raise `ValueError` if the command lacks an argument."""
        names = _REQUIRED_ARGUMENTS[self.command]
        require_arguments(self.command, self, names)
        return self


def memory(call: Call, arguments: MemoryCommand) -> str:
    """Run a command of the memory tool."""
    path = arguments.path or ""
    match arguments.command:
        case "view":
            return view(call, path, arguments.view_range)
        case "create":
            return create(call, path, arguments.file_text or "")
        case "str_replace":
            old_text = arguments.old_str or ""
            return str_replace(call, path, old_text, arguments.new_str or "")
        case "insert":
            line = arguments.insert_line or 0
            return insert(call, path, line, arguments.insert_text or "")
        case "delete":
            return delete(call, path)
        case "rename":
            old_path = arguments.old_path or ""
            return rename(call, old_path, arguments.new_path or "")


def to_native(path: str) -> str:
    """Return the native path. Raise `invalid_input` for a path that is not below `/memories`."""
    if path.rstrip("/") == _ROOT:
        return "."
    if not path.startswith(f"{_ROOT}/"):
        raise invalid(f"Path must start with {_ROOT}, got: {path}")
    # The rest begins with a slash, and would be an absolute path without the dot.
    return f"./{path.removeprefix(_ROOT)}"


def view(call: Call, path: str, view_range: list[int] | None) -> str:
    """Return the entries of a folder with their sizes, or a file with line numbers."""
    native_path = to_native(path)
    try:
        if is_folder(call, native_path):
            return view_folder(call, path)
        file = read_range(call, native_path, view_range)
    except FilewrightError as error:
        raise describe_path_error(error, path, missing_path(path)) from error
    if file.total_lines is not None and file.total_lines > _MAX_LINES:
        raise invalid(
            f"File {path} exceeds maximum line limit of 999,999 lines."
        )
    lines = [f"Here's the content of {path} with line numbers:"]
    lines += number_lines(file)
    following = next_line(file, view_range)
    if following is not None:
        lines.append(f"[truncated; continue with view_range=[{following}, -1]]")
    return "\n".join(lines)


def view_folder(call: Call, path: str) -> str:
    """Return the entries of a folder two levels deep; a folder has the size of its files."""
    native_path = to_native(path)
    base_path = path.rstrip("/")
    # The rows come in the order of this dictionary: the folder itself is the first.
    sizes: dict[str, int] = {base_path: 0}
    names = {base_path: path}
    for entry in list_two_levels(call, native_path):
        names_below = []
        for part in call.parts_below(native_path, entry.path):
            names_below.append(part.decode("utf-8", "replace"))
        shown_path = "/".join([base_path, *names_below])
        size = 0
        if entry.type != "folder":
            size = entry.size or 0
        # A folder comes before the entries below it.
        for depth in range(len(names_below)):
            folder = "/".join([base_path, *names_below[:depth]])
            sizes[folder] += size
        sizes[shown_path] = size
        names[shown_path] = shown_path
        if entry.type == "folder":
            names[shown_path] += "/"
    lines = [
        f"Here're the files and directories up to 2 levels deep in {path}, "
        "excluding hidden items and node_modules:"
    ]
    for shown_path, size in sizes.items():
        lines.append(f"{format_size(size)}\t{names[shown_path]}")
    return "\n".join(lines)


def format_size(size: int) -> str:
    """Return a size for a reader: `0B`, `1.5K`, `2M`."""
    value = float(size)
    unit = 0
    while value >= 1024 and unit < len(_SIZE_UNITS) - 1:
        value /= 1024
        unit += 1
    digits = 0 if value.is_integer() else 1
    return f"{value:.{digits}f}{_SIZE_UNITS[unit]}"


def number_lines(file: FileRead) -> list[str]:
    """Return lines with their numbers in six characters, and a tab."""
    lines = []
    for number, text in enumerate(file.rows, file.start_line):
        lines.append(f"{number:>6}\t{text}")
    return lines


def create(call: Call, path: str, text: str) -> str:
    """Create a file that does not exist."""
    try:
        call.write(to_native(path), text, mode="create")
    except FilewrightError as error:
        if error.code == Code.ALREADY_EXISTS:
            raise documented(
                error, f"Error: File {path} already exists"
            ) from error
        raise describe_path_error(error, path, missing_path(path)) from error
    return f"File created successfully at: {path}"


def str_replace(call: Call, path: str, old_text: str, new_text: str) -> str:
    """Replace a text that occurs exactly once, and return the lines around it."""
    native_path = to_native(path)
    edit: EditRequest = {"search": old_text, "replace": new_text}
    try:
        # The tool promises a verbatim match, so nothing is looked past.
        result = call.edit(native_path, [edit], fuzzy=False)
    except FilewrightError as error:
        raise describe_replace_error(error, path, old_text) from error
    outcome = result.results[0]
    start = max(1, outcome.new_first - _SNIPPET_LINES)
    end = max(outcome.new_first, outcome.new_last) + _SNIPPET_LINES
    lines = ["The memory file has been edited."]
    # A file that is empty now has no lines to show.
    if call.stat(native_path).results[0].stats is not None:
        lines += number_lines(
            call.read(native_path, start=start, limit=end - start + 1)
        )
    return "\n".join(lines)


def describe_replace_error(
    error: FilewrightError, path: str, old_text: str
) -> FilewrightError:
    """Return the documented error of a text that does not occur exactly once."""
    # The documentation knows no edit that was made already: the text is not there.
    if error.code in (Code.NO_MATCH, Code.ALREADY_APPLIED):
        return documented(
            error,
            f"No replacement was performed, old_str `{old_text}` "
            f"did not appear verbatim in {path}.",
        )
    if error.code == Code.AMBIGUOUS_MATCH:
        lines = ", ".join(str(line) for line in error.details["lines"])
        return documented(
            error,
            "No replacement was performed. Multiple occurrences of old_str "
            f"`{old_text}` in lines: {lines}. Please ensure it is unique",
        )
    return describe_path_error(error, path, f"Error: {missing_path(path)}")


def insert(call: Call, path: str, line: int, text: str) -> str:
    """Insert text after a line; line 0 is the beginning of the file."""
    try:
        insert_after_line(call, to_native(path), line, text)
    except FilewrightError as error:
        line_count = error.details.get("line_count")
        if line_count is not None:
            raise documented(
                error,
                f"Error: Invalid `insert_line` parameter: {line}. It should be "
                f"within the range of lines of the file: [0, {line_count}]",
            ) from error
        missing = f"Error: The path {path} does not exist"
        raise describe_path_error(error, path, missing) from error
    return f"The file {path} has been edited."


def delete(call: Call, path: str) -> str:
    """Delete a file, or a folder with all below it."""
    native_path = to_native(path)
    if native_path == ".":
        raise invalid(f"Error: Cannot delete the {_ROOT} directory itself")
    try:
        call.delete(native_path, recursive=True)
    except FilewrightError as error:
        missing = f"Error: The path {path} does not exist"
        raise describe_path_error(error, path, missing) from error
    return f"Successfully deleted {path}"


def rename(call: Call, old_path: str, new_path: str) -> str:
    """Rename a file or folder. Raise if the new name exists."""
    native_path = to_native(old_path)
    if native_path == ".":
        raise invalid(f"Error: Cannot rename the {_ROOT} directory itself")
    try:
        call.move(native_path, to_native(new_path))
    except FilewrightError as error:
        if error.code == Code.ALREADY_EXISTS:
            raise documented(
                error, f"Error: The destination {new_path} already exists"
            ) from error
        missing = f"Error: The path {old_path} does not exist"
        raise describe_path_error(error, old_path, missing) from error
    return f"Successfully renamed {old_path} to {new_path}"


def missing_path(path: str) -> str:
    """Return the documented message for a path that leads nowhere."""
    return f"The path {path} does not exist. Please provide a valid path."


def describe_path_error(
    error: FilewrightError, path: str, missing: str
) -> FilewrightError:
    """Return the documented error of a path, or the native one without."""
    match error.code:
        case Code.NOT_FOUND | Code.NOT_A_FILE | Code.NOT_A_DIRECTORY:
            return documented(error, missing)
        case Code.PATH_ESCAPE:
            return documented(
                error, f"Path {path} would escape {_ROOT} directory"
            )
    return error


def documented(error: FilewrightError, message: str) -> FilewrightError:
    """Return an error with a documented message alone.

    Native paths and hints stay out of it: the model knows only paths below `/memories`.
    """
    return FilewrightError(error.code, message)


def refuse(error: FilewrightError, max_characters: int) -> ToolResult:
    """Return the answer to a call that failed: the message."""
    return FailedCall(clip(error.message, max_characters), error=error)


DIALECT = Dialect(
    tools=(
        DialectTool(
            memory,
            "Keep notes in files below /memories: view, create, str_replace, "
            "insert, delete, rename.",
            toolset="edit",
            builtin=API_TOOL,
        ),
    ),
    workflow=(
        "Memory is kept in files below /memories. View the directory first; every "
        "change can be undone by the user."
    ),
    refuse=refuse,
    limits=view_limits,
)
