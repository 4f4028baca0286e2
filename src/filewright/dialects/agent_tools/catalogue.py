"""The tools of the dialect `agent-tools`, in the order of the original."""

from __future__ import annotations

from typing import Any

from filewright.dialects.agent_tools.editing import (
    apply_patch,
    edit_file,
    multi_edit,
)
from filewright.dialects.agent_tools.errors import refuse
from filewright.dialects.agent_tools.grep import grep
from filewright.dialects.agent_tools.listing import (
    file_stat,
    glob,
    list_dir,
    tree,
)
from filewright.dialects.agent_tools.reading import (
    MAX_LINE_CHARACTERS,
    diff,
    read_file,
    read_files,
    read_image,
)
from filewright.dialects.agent_tools.syntax import check_syntax, outline
from filewright.dialects.agent_tools.writing import (
    copy,
    mkdir,
    move,
    remove,
    replace,
    write_file,
)
from filewright.dialects.dialect import Dialect, DialectTool
from filewright.settings import Settings

_MAX_PATHS = 64


def limits(settings: Settings) -> dict[str, Any]:
    """Return the settings of this dialect: the caps of the original in bytes."""
    return {
        "page_chars": min(settings.hard_chars, settings.agent_output_bytes),
        "line_chars": MAX_LINE_CHARACTERS,
        "match_chars": MAX_LINE_CHARACTERS,
        "image_bytes": 0,
        "max_file_bytes": settings.agent_input_bytes,
        "max_input_bytes": min(
            settings.agent_input_bytes, settings.max_input_bytes
        ),
        "max_paths": _MAX_PATHS,
        "edit_utf16": False,
    }


DIALECT = Dialect(
    tools=(
        DialectTool(
            read_file,
            "Read a text file as numbered lines. offset starts at 1, negative"
            " reads the last lines; long lines are cut. The footer says the "
            "next offset.",
        ),
        DialectTool(
            read_files,
            "Read up to 64 text files in one call, each under ==> path <==; a"
            " failure is shown in its place.",
        ),
        DialectTool(
            read_image,
            "Look at an image: PNG, JPEG, GIF or WebP.",
        ),
        DialectTool(
            list_dir,
            "List a folder: folders first, then files with their sizes.",
        ),
        DialectTool(
            glob,
            "Find files by a glob such as **/*.py, newest first.",
        ),
        DialectTool(
            tree,
            "Show the tree below a folder with sizes.",
        ),
        DialectTool(
            grep,
            "Search files by a regular expression: the files that match, the "
            "lines (content, with context) or counts. head_limit and offset "
            "page through the results.",
        ),
        DialectTool(
            file_stat,
            "Status of a file or folder.",
        ),
        DialectTool(
            outline,
            "The classes and functions of a file.",
        ),
        DialectTool(
            check_syntax,
            "The syntax errors of a file.",
        ),
        DialectTool(
            diff,
            "Compare two files as a unified diff.",
        ),
        DialectTool(
            edit_file,
            "Replace old_string by new_string in a file. It must occur "
            "exactly once, or give replace_all.",
            toolset="edit",
        ),
        DialectTool(
            multi_edit,
            "Several replacements in one file, each on the result of the one "
            "before, all or none.",
            toolset="edit",
        ),
        DialectTool(
            apply_patch,
            "Apply a unified diff to any number of files: change, create, "
            "delete, rename; all or nothing.",
            toolset="edit",
        ),
        DialectTool(
            write_file,
            "Write a whole file, verbatim; folders are made. To change a part"
            " use edit_file.",
            toolset="edit",
            is_idempotent=True,
        ),
        DialectTool(
            replace,
            "Replace every match of a regular expression in a file or tree; "
            "dry_run=false writes.",
            toolset="edit",
        ),
        DialectTool(
            move,
            "Move or rename a file.",
            toolset="files",
        ),
        DialectTool(
            copy,
            "Copy a file.",
            toolset="files",
        ),
        DialectTool(
            mkdir,
            "Make a folder and its parents.",
            toolset="files",
            is_destructive=False,
            is_idempotent=True,
        ),
        DialectTool(
            remove,
            "Delete a file.",
            toolset="files",
        ),
    ),
    workflow=(
        "Find with grep and glob, read with read_file (numbered lines; "
        "pass offset and limit for large files), change with edit_file, "
        "multi_edit or apply_patch. old_string must be the text that is "
        "there, without line numbers, and occur once unless replace_all. "
        "Errors are JSON with error and message; a footer in parentheses "
        "says how to go on."
    ),
    limits=limits,
    refuse=refuse,
)
