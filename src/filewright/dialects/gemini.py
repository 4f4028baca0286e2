"""The dialect `gemini`: the file tools of Gemini CLI.

Arguments and answers are those of the project's documentation (file system tools,
November 2026). Newer versions call a path `file_path` or `dir_path`; both are taken.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import AliasChoices, Field

from filewright.boundary.names import quote
from filewright.dialects.arguments import LenientArguments
from filewright.dialects.call import MAX_ENTRIES, Call
from filewright.dialects.commands import with_message
from filewright.dialects.dialect import Dialect, DialectTool
from filewright.errors import Code, FilewrightError, invalid
from filewright.tools.edit.result import EditResult
from filewright.tools.methods import EditRequest
from filewright.tools.read.result import FileRead
from filewright.tools.result import ToolResult
from filewright.wording import escape_controls

_DEFAULT_LINES = 2000
_MAX_MATCHES = 1000
_EXCLUDED_FOLDERS = ("node_modules/", ".git/")

FilePath = Annotated[
    str,
    Field(
        validation_alias=AliasChoices("file_path", "absolute_path", "path"),
        description="The path of the file.",
    ),
]
FolderPath = Annotated[
    str,
    Field(
        validation_alias=AliasChoices("dir_path", "path"),
        description="The path of the folder.",
    ),
]


class ListDirectory(LenientArguments):
    """Arguments of `list_directory`."""

    path: FolderPath
    ignore: Annotated[
        list[str] | None, Field(description="Globs of names to leave out.")
    ] = None
    respect_git_ignore: bool = True


def list_directory(call: Call, arguments: ListDirectory) -> str:
    """Return the names in a folder, folders first."""
    listing = call.for_listing().list_files(
        arguments.path,
        include_ignored=not arguments.respect_git_ignore,
        exclude=arguments.ignore or (),
        limit=MAX_ENTRIES,
    )
    folders = []
    others = []
    for entry in listing.entries:
        name = escape_controls(entry.name)
        if entry.type == "folder":
            folders.append(f"[DIR] {name}")
        else:
            others.append(name)
    if not folders and not others:
        return f"Directory {arguments.path} is empty."
    lines = [f"Directory listing for {arguments.path}:", *folders, *others]
    if listing.next_cursor is not None:
        lines.append("(more entries, not shown)")
    return "\n".join(lines)


class ReadFile(LenientArguments):
    """Arguments of `read_file`."""

    path: FilePath
    offset: Annotated[
        int | None, Field(ge=0, description="First line, from 0.")
    ] = None
    limit: Annotated[int | None, Field(ge=1, description="Lines at most.")] = (
        None
    )


def read_file(call: Call, arguments: ReadFile) -> str | ToolResult:
    """Return the text of a file or a part of it, or an image."""
    first_line = (arguments.offset or 0) + 1
    try:
        file = call.read(
            arguments.path,
            start=first_line,
            limit=arguments.limit or _DEFAULT_LINES,
            numbered=False,
        )
    except FilewrightError as error:
        # The original answers this with a text, not with an error.
        if error.code == Code.IS_BINARY:
            return f"Cannot display content of binary file: {arguments.path}"
        line_count = error.details.get("line_count")
        if line_count is None:
            raise
        raise with_message(
            error,
            f"offset={first_line - 1} is past the end of {arguments.path}, "
            f"which has {line_count} lines",
        ) from error
    if file.images:
        return ToolResult("", images=file.images)
    return render_text(file)


def render_text(file: FileRead) -> str:
    """Return the lines of a file; if others are left out, with their numbers and the total."""
    text = "\n".join(file.rows)
    if file.terminated:
        text += "\n"
    if file.next is None and file.start_line == 1:
        return text
    total = "unknown" if file.total_lines is None else f"{file.total_lines}"
    note = (
        f"showing lines {file.start_line}-{file.end_line} "
        f"of {total} total lines"
    )
    if file.next is not None:
        note += f"; use offset={file.end_line} for the next ones"
    return f"[File content truncated: {note}...]\n{text}"


class WriteFile(LenientArguments):
    """Arguments of `write_file`."""

    path: FilePath
    content: str


def write_file(call: Call, arguments: WriteFile) -> str:
    """Write a whole file; one that is replaced keeps its line ends."""
    is_new = not call.exists(arguments.path)
    call.overwrite(arguments.path, arguments.content)
    path = escape_controls(arguments.path)
    if is_new:
        return f"Successfully created and wrote to new file: {path}."
    return f"Successfully overwrote file: {path}."


class Glob(LenientArguments):
    """Arguments of `glob`."""

    pattern: Annotated[
        str, Field(min_length=1, description="Such as src/**/*.ts.")
    ]
    path: FolderPath = "."
    case_sensitive: bool = False
    respect_git_ignore: bool = True


def glob(call: Call, arguments: Glob) -> str:
    """Return the absolute paths of the files that match, newest first."""
    pattern = arguments.pattern
    if not arguments.case_sensitive:
        # Native globs always distinguish upper and lower case; the original does not.
        pattern = match_any_case(pattern)
    listing = call.for_listing().list_files(
        arguments.path,
        glob=pattern,
        sort="modified",
        include_ignored=not arguments.respect_git_ignore,
        exclude=_EXCLUDED_FOLDERS,
        limit=MAX_ENTRIES,
    )
    paths = []
    for entry in listing.entries:
        if entry.type == "file":
            paths.append(quote(call.locate(entry.path).absolute))
    if not paths:
        return (
            f'No files found matching pattern "{arguments.pattern}" '
            f"within {arguments.path}"
        )
    head = (
        f'Found {len(paths)} file(s) matching "{arguments.pattern}" within '
        f"{arguments.path}, sorted by modification time (newest first):"
    )
    return "\n".join([head, *paths])


def match_any_case(pattern: str) -> str:
    """Return a glob that matches names in upper and lower case."""
    result = ""
    is_in_brackets = False
    for character in pattern:
        if character == "[":
            is_in_brackets = True
        elif character == "]":
            is_in_brackets = False
        lower = character.lower()
        upper = character.upper()
        # The upper case of some letters, such as ß, is two characters, which no class
        # holds.
        has_cases = lower != upper and len(lower) == len(upper) == 1
        if has_cases and not is_in_brackets:
            result += f"[{lower}{upper}]"
        else:
            result += character
    return result


class SearchFileContent(LenientArguments):
    """Arguments of `search_file_content`."""

    pattern: Annotated[
        str, Field(min_length=1, description="A regular expression.")
    ]
    path: FolderPath = "."
    include: Annotated[
        str | None, Field(description="Only files that match, such as *.js.")
    ] = None


def search_file_content(call: Call, arguments: SearchFileContent) -> str:
    """Return the lines that match, by file; upper and lower case are the same."""
    result = call.search(
        arguments.pattern,
        arguments.path,
        mode="regex",
        case="insensitive",
        glob=arguments.include,
        exclude=_EXCLUDED_FOLDERS,
        context=0,
        max_results=_MAX_MATCHES,
    )
    scope = f'for pattern "{arguments.pattern}" in path "{arguments.path}"'
    if arguments.include is not None:
        scope += f' (filter: "{arguments.include}")'
    if not result.results:
        return f"No matches found {scope}."
    count = len(result.results)
    noun = "match" if count == 1 else "matches"
    lines = [f"Found {count} {noun} {scope}:", "---"]
    path = None
    for hit in result.results:
        if hit.path != path:
            if path is not None:
                lines.append("---")
            path = hit.path
            parts = call.parts_below(arguments.path, path)
            # A search of one file has nothing below its path.
            name = quote(b"/".join(parts)) if parts else escape_controls(path)
            lines.append(f"File: {name}")
        lines.append(f"L{hit.line}: {escape_controls(hit.text)}")
    lines.append("---")
    if not result.complete:
        lines.append("(more matches, not shown; narrow the pattern or path)")
    return "\n".join(lines)


class Replace(LenientArguments):
    """Arguments of `replace`."""

    path: FilePath
    old_string: Annotated[
        str, Field(description="The exact text; empty: create the file.")
    ]
    new_string: str
    expected_replacements: Annotated[
        int, Field(ge=1, description="Occurrences to replace.")
    ] = 1


def replace(call: Call, arguments: Replace) -> str:
    """Replace the expected number of occurrences of a text, or create a file."""
    path = escape_controls(arguments.path)
    if not arguments.old_string:
        try:
            call.write(arguments.path, arguments.new_string, mode="create")
        except FilewrightError as error:
            if error.code != Code.ALREADY_EXISTS:
                raise
            message = "Failed to edit. Attempted to create a file that exists."
            raise with_message(error, message) from error
        return f"Created new file: {path} with provided content."
    try:
        result = replace_expected(call, arguments)
    except FilewrightError as error:
        raise describe_edit_error(error, arguments) from error
    text = (
        f"Successfully modified file: {path} "
        f"({result.changes_made} replacements)."
    )
    for outcome in result.results:
        if outcome.tier != "exact":
            text += (
                "\nnote: old_string was not there exactly; "
                f"matched by {outcome.tier} at line {outcome.first}"
            )
    return text


def replace_expected(call: Call, arguments: Replace) -> EditResult:
    """Replace all occurrences of a text if they are as many as expected."""
    edit: EditRequest = {
        "search": arguments.old_string,
        "replace": arguments.new_string,
    }
    if arguments.expected_replacements == 1:
        # A native edit is refused unless its text occurs once.
        return call.edit(arguments.path, [edit])
    # All occurrences are counted, and the count decides if they are replaced.
    edit["replace_all"] = True
    # The version holds for both calls, so that the count is that of the same file.
    version = call.read(arguments.path, limit=1).version
    preview = call.edit(
        arguments.path, [edit], preview=True, expected_version=version
    )
    if preview.changes_made != arguments.expected_replacements:
        raise wrong_count(arguments, preview.changes_made)
    return call.edit(arguments.path, [edit], expected_version=version)


def wrong_count(arguments: Replace, count: int) -> FilewrightError:
    """Return the refusal of a text that occurs more or less often than expected."""
    return invalid(
        f"Failed to edit, expected {arguments.expected_replacements} "
        f"occurrences but found {count}."
    )


def describe_edit_error(
    error: FilewrightError, arguments: Replace
) -> FilewrightError:
    """Return an error of `replace` in the words of the original."""
    match error.code:
        # The original has no message for an edit that was made already.
        case Code.NO_MATCH | Code.ALREADY_APPLIED:
            return with_message(
                error,
                "Failed to edit, 0 occurrences found for old_string in "
                f"{arguments.path}. No edits made.",
                "read the file, and copy the text with its whitespace",
            )
        case Code.AMBIGUOUS_MATCH:
            return with_message(
                error,
                wrong_count(arguments, len(error.details["lines"])).message,
                "give more lines around the text, or expected_replacements",
            )
        case Code.NO_CHANGE:
            return with_message(
                error,
                "No changes to apply. The old_string and new_string are "
                f"identical in file: {arguments.path}",
            )
        case Code.NOT_FOUND:
            return with_message(
                error,
                "File not found. Cannot apply edit. "
                "Use an empty old_string to create a new file.",
                error.hint,
            )
    return error


DIALECT = Dialect(
    tools=(
        DialectTool(
            list_directory,
            "List the files and subdirectories of a directory.",
        ),
        DialectTool(
            read_file,
            "Read a file: text, of which offset and limit choose lines, or an "
            "image.",
        ),
        DialectTool(
            search_file_content,
            "Search for a regular expression in the files of a directory.",
        ),
        DialectTool(
            glob,
            "Find files by a glob, newest first.",
        ),
        DialectTool(
            replace,
            "Replace a text in a file. It must occur expected_replacements "
            "times, once if not given; an empty old_string creates the file.",
            toolset="edit",
        ),
        DialectTool(
            write_file,
            "Write a whole file; folders are made.",
            toolset="edit",
            is_idempotent=True,
        ),
    ),
    workflow=(
        "Find with glob and search_file_content, look with read_file, change with "
        "replace; write_file replaces whole files. Line endings and encodings stay "
        "as they are, and every change can be undone by the user."
    ),
    cut_note="[cut at the result limit; ask for less]",
)
