"""The tools of the dialect `official`, in the order of the original."""

from __future__ import annotations

from typing import Any

from filewright.dialects.dialect import Dialect, DialectTool
from filewright.dialects.official.changing import (
    create_directory,
    edit_file,
    move_file,
    write_file,
)
from filewright.dialects.official.errors import refuse
from filewright.dialects.official.listing import (
    directory_tree,
    get_file_info,
    list_allowed_directories,
    list_directory,
    list_directory_with_sizes,
    search_files,
)
from filewright.dialects.official.reading import (
    CUT_NOTE,
    read_file,
    read_media_file,
    read_multiple_files,
    read_text_file,
)
from filewright.settings import Settings


def limits(settings: Settings) -> dict[str, Any]:
    """Return the settings of this dialect: whole files, with room for a note."""
    characters = settings.hard_chars - 1_000
    return {"page_chars": characters, "line_chars": characters}


DIALECT = Dialect(
    tools=(
        DialectTool(read_file, "As read_text_file (deprecated)."),
        DialectTool(
            read_text_file,
            "Read a file as text, in whatever encoding it is: all of it, or "
            "the first (head) or last (tail) lines.",
        ),
        DialectTool(
            read_media_file,
            "Read a file as it is: an image or a sound as such, any other file "
            "as an embedded resource.",
        ),
        DialectTool(
            read_multiple_files,
            "Read several files as text, each behind its path; one that cannot "
            "be read fails nothing else.",
        ),
        DialectTool(
            write_file,
            "Create a file or replace all of its content.",
            toolset="edit",
            is_idempotent=True,
        ),
        DialectTool(
            edit_file,
            "Replace texts in a file, one after the other, all or none; each "
            "must be there once. Answers a git-style diff.",
            toolset="edit",
        ),
        DialectTool(
            create_directory,
            "Make a directory with its parents; one that is there already "
            "stays.",
            toolset="files",
            is_destructive=False,
            is_idempotent=True,
        ),
        DialectTool(
            list_directory,
            "The files ([FILE]) and directories ([DIR]) in a directory.",
        ),
        DialectTool(
            list_directory_with_sizes,
            "The same with sizes and totals, by name or largest first.",
        ),
        DialectTool(
            directory_tree,
            "Everything below a directory as JSON: name, type, and children of "
            "directories.",
        ),
        DialectTool(
            move_file,
            "Move or rename a file or directory; a destination that is there "
            "is refused.",
            toolset="files",
        ),
        DialectTool(
            search_files,
            "Full paths of what fits a glob below a directory: *.ext in it, "
            "**/*.ext at any depth.",
        ),
        DialectTool(
            get_file_info,
            "Size, times, type and permissions of a file or directory.",
        ),
        DialectTool(
            list_allowed_directories,
            "The directories that may be worked in.",
        ),
    ),
    workflow=(
        "Files below the allowed directories. read_text_file (head, tail), "
        "directory_tree and search_files find what to change; edit_file "
        "replaces texts that stand exactly once, dryRun shows the diff first. "
        "Line endings and encodings stay as they are, and every change can be "
        "undone by the user."
    ),
    limits=limits,
    refuse=refuse,
    cut_note=CUT_NOTE,
)
