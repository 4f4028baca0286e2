"""The dialect `filesystem`: batches over paths relative to the root, a result per item.

The surface of the batch filesystem servers for Node: every answer is one JSON array in the order of
the request, an item's failure fails nothing else, a bad call is a JSON-RPC number and a message.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from filewright.dialects.dialect import dialect, row
from filewright.dialects.filesystem import editing, reading, writing
from filewright.dialects.filesystem.paths import refusal
from filewright.settings import Settings


def _limits(settings: Settings) -> Mapping[str, Any]:
    """Whole files as far as a result may hold them; no images."""
    return {"page_chars": settings.hard_chars, "line_chars": settings.hard_chars, "image_bytes": 0}


SURFACE = dialect(
    "filesystem",
    workflow=(
        "Files below one project root. All paths are relative to it. Every tool takes a batch and answers "
        "with one JSON array, an object per item in order; look at each item's success, status or error. "
        "To change a part of a file prefer apply_diff (lines and their exact text), edit_file or "
        "replace_content; write_content replaces whole files."
    ),
    tools=(
        row(
            "list_files",
            "List a directory, optionally recursively and with stats; a file gives its stats.",
            reading.ListArguments,
            reading.list_files,
        ),
        row(
            "stat_items",
            "Detailed status of files and directories; links are told of themselves.",
            reading.StatArguments,
            reading.stat_items,
        ),
        row(
            "read_content",
            "Read files, whole or a range of lines, as text or as line objects. A cut answer says "
            "next_start_line.",
            reading.ReadArguments,
            reading.read_content,
        ),
        row(
            "write_content",
            "Write or append to files, creating directories if needed. To change a part of a file use "
            "apply_diff, edit_file or replace_content.",
            writing.WriteArguments,
            writing.write_content,
            toolset="edit",
            writes=True,
            destructive=True,
            idempotent=False,
        ),
        row(
            "delete_items",
            "Delete files, links and whole directories. What is not there counts as deleted.",
            writing.DeleteArguments,
            writing.delete_items,
            toolset="files",
            writes=True,
            destructive=True,
        ),
        row(
            "create_directories",
            "Create directories, including the ones between.",
            writing.FolderArguments,
            writing.create_directories,
            toolset="files",
            writes=True,
        ),
        row(
            "chmod_items",
            "Set the permission mode of files and directories.",
            writing.ModeArguments,
            writing.chmod_items,
            toolset="files",
            writes=True,
        ),
        row(
            "chown_items",
            "Set the owner and group of files and directories, by number.",
            writing.OwnerArguments,
            writing.chown_items,
            toolset="files",
            writes=True,
        ),
        row(
            "move_items",
            "Move or rename files and directories; an existing destination is refused unless overwrite.",
            writing.PairArguments,
            writing.move_items,
            toolset="files",
            writes=True,
            destructive=True,
            idempotent=False,
        ),
        row(
            "copy_items",
            "Copy files and directories; an existing destination is refused unless overwrite.",
            writing.PairArguments,
            writing.copy_items,
            toolset="files",
            writes=True,
            destructive=True,
            idempotent=False,
        ),
        row(
            "search_files",
            "Search for a regex in the files of a directory tree or in one file, with context lines.",
            reading.SearchArguments,
            reading.search_files,
        ),
        row(
            "replace_content",
            "Replace all occurrences of texts or regexes in files, one operation after the other.",
            editing.ReplaceArguments,
            editing.replace_content,
            toolset="edit",
            writes=True,
            destructive=True,
            idempotent=False,
        ),
        row(
            "apply_diff",
            "Replace or insert blocks of lines. Each search must be exactly the text of the lines "
            "start_line to end_line; a file with a block that does not match is left as it was.",
            editing.DiffArguments,
            editing.apply_diff,
            toolset="edit",
            writes=True,
            destructive=True,
            idempotent=False,
        ),
        row(
            "edit_file",
            "Insert, replace or delete text found at or after a line, keeping indentation; dry_run and "
            "output_diff show what would change.",
            editing.EditArguments,
            editing.edit_file,
            toolset="edit",
            writes=True,
            destructive=True,
            idempotent=False,
        ),
    ),
    limits=_limits,
    refusal=refusal,
)

__all__ = ["SURFACE"]
