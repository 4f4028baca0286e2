"""The tools of the dialect `filesystem`, in the order of the original."""

from __future__ import annotations

from typing import Any

from filewright.dialects.dialect import Dialect, DialectTool
from filewright.dialects.filesystem.editing import (
    apply_diff,
    edit_file,
    replace_content,
)
from filewright.dialects.filesystem.entries import (
    chmod_items,
    chown_items,
    copy_items,
    create_directories,
    delete_items,
    move_items,
    write_content,
)
from filewright.dialects.filesystem.paths import refuse
from filewright.dialects.filesystem.reading import (
    list_files,
    read_content,
    stat_items,
)
from filewright.dialects.filesystem.searching import search_files
from filewright.settings import Settings


def limits(settings: Settings) -> dict[str, Any]:
    """Return the settings of this dialect: whole files as far as a result may hold them."""
    return {
        "page_chars": settings.hard_chars,
        "line_chars": settings.hard_chars,
        "image_bytes": 0,
    }


DIALECT = Dialect(
    tools=(
        DialectTool(
            list_files,
            "List a directory, optionally recursively and with stats; a file "
            "gives its stats.",
        ),
        DialectTool(
            stat_items,
            "Detailed status of files and directories; of links their own.",
        ),
        DialectTool(
            read_content,
            "Read files, whole or a range of lines, as text or as line "
            "objects. A cut answer says next_start_line.",
        ),
        DialectTool(
            write_content,
            "Write or append to files, creating directories if needed. To "
            "change a part of a file use apply_diff, edit_file or "
            "replace_content.",
            toolset="edit",
        ),
        DialectTool(
            delete_items,
            "Delete files, links and whole directories. What is not there "
            "counts as deleted.",
            toolset="files",
            is_idempotent=True,
        ),
        DialectTool(
            create_directories,
            "Create directories, including the ones between.",
            toolset="files",
            is_destructive=False,
            is_idempotent=True,
        ),
        DialectTool(
            chmod_items,
            "Set the permission mode of files and directories.",
            toolset="files",
            is_destructive=False,
            is_idempotent=True,
        ),
        DialectTool(
            chown_items,
            "Set the owner and group of files and directories, by number.",
            toolset="files",
            is_destructive=False,
            is_idempotent=True,
        ),
        DialectTool(
            move_items,
            "Move or rename files and directories; an existing destination is "
            "refused unless overwrite.",
            toolset="files",
        ),
        DialectTool(
            copy_items,
            "Copy files and directories; an existing destination is refused "
            "unless overwrite.",
            toolset="files",
        ),
        DialectTool(
            search_files,
            "Search for a regex in the files of a directory tree or in one "
            "file, with context lines.",
        ),
        DialectTool(
            replace_content,
            "Replace all occurrences of texts or regexes in files, one "
            "operation after the other.",
            toolset="edit",
        ),
        DialectTool(
            apply_diff,
            "Replace or insert blocks of lines. Each search must be exactly "
            "the text of the lines start_line to end_line; a file with a block "
            "that does not match is left as it was.",
            toolset="edit",
        ),
        DialectTool(
            edit_file,
            "Insert, replace or delete text found at or after a line, keeping "
            "indentation; dry_run and output_diff show what would change.",
            toolset="edit",
        ),
    ),
    workflow=(
        "Files below one project root. All paths are relative to it. Every "
        "tool takes a batch and answers with one JSON array, an object per "
        "item in order; look at each item's success, status or error. To "
        "change a part of a file prefer apply_diff (lines and their exact "
        "text), edit_file or replace_content; write_content replaces whole "
        "files."
    ),
    limits=limits,
    refuse=refuse,
    answers_json=True,
)
