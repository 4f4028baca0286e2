"""The dialect `agent-tools`: one file per call, plain text, errors as one JSON object.

The surface that coding agents are trained on: numbered lines, exact strings replaced, `grep` with
pages, unified diffs. A code that this dialect lacks is told as the nearest it has.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from filewright.dialects.agent_tools import editing, reading, searching
from filewright.dialects.agent_tools.errors import refusal
from filewright.dialects.dialect import Answer, dialect, row
from filewright.settings import Settings
from filewright.tools.registry import Arguments, Tool

_LINE_CHARS = 2000


def _limits(settings: Settings) -> Mapping[str, Any]:
    """Long lines to 2,000 characters, files and texts to the input cap, results to the output cap."""
    cap = settings.agent_input_bytes
    return {
        "page_chars": min(settings.hard_chars, max(settings.agent_output_bytes, 1_000)),
        "line_chars": _LINE_CHARS,
        "match_chars": _LINE_CHARS,
        "image_bytes": 0,
        "max_file_bytes": cap,
        "max_input_bytes": min(cap, settings.max_input_bytes),
        "max_paths": 64,
    }


def _change(
    name: str, description: str, arguments: type[Arguments], answer: Answer, *, files: bool = False
) -> Tool:
    return row(
        name,
        description,
        arguments,
        answer,
        toolset="files" if files else "edit",
        writes=True,
        destructive=name != "mkdir",
        idempotent=name in ("mkdir", "write_file"),
    )


SURFACE = dialect(
    "agent-tools",
    workflow=(
        "Find with grep and glob, read with read_file (numbered lines; pass offset and limit for large "
        "files), change with edit_file, multi_edit or apply_patch. old_string must be the text that is there, "
        "without line numbers, and stand there once unless replace_all. Errors are JSON with error and "
        "message; a footer in parentheses says how to go on."
    ),
    tools=(
        row(
            "read_file",
            "Read a text file as numbered lines. offset starts at 1, negative reads the last lines; long lines "
            "are cut. The footer says the next offset.",
            reading.ReadArguments,
            reading.read_file,
        ),
        row(
            "read_files",
            "Read up to 64 text files in one call, each under ==> path <==; a failure stands in its place.",
            reading.ReadManyArguments,
            reading.read_files,
        ),
        row(
            "list_dir",
            "List a folder: folders first, then files with their sizes.",
            reading.FolderArguments,
            reading.list_dir,
        ),
        row(
            "glob",
            "Find files by a glob such as **/*.py, newest first.",
            reading.GlobArguments,
            reading.glob,
        ),
        row("tree", "Show the tree below a folder with sizes.", reading.TreeArguments, reading.tree),
        row(
            "grep",
            "Search files by a regular expression: the files that match, the lines (content, with context) or "
            "counts. head_limit and offset page through the results.",
            searching.GrepArguments,
            searching.grep,
        ),
        row("file_stat", "Status of a file or folder.", reading.PathArguments, reading.file_stat),
        row("outline", "The classes and functions of a file.", reading.PathArguments, reading.outline),
        row("check_syntax", "The syntax errors of a file.", reading.PathArguments, reading.check_syntax),
        row("diff", "Compare two files as a unified diff.", reading.DiffArguments, reading.diff),
        _change(
            "edit_file",
            "Replace old_string by new_string in a file. It must stand there exactly once, or give replace_all.",
            editing.EditArguments,
            editing.edit_file,
        ),
        _change(
            "multi_edit",
            "Several replacements in one file, each on the result of the one before, all or none.",
            editing.MultiEditArguments,
            editing.multi_edit,
        ),
        _change(
            "apply_patch",
            "Apply a unified diff to any number of files: change, create, delete, rename; all or nothing.",
            editing.PatchArguments,
            editing.apply_patch,
        ),
        _change(
            "write_file",
            "Write a whole file, verbatim; folders are made. To change a part use edit_file.",
            editing.WriteArguments,
            editing.write_file,
        ),
        _change(
            "replace",
            "Replace every match of a regular expression in a file or tree; dry_run=false writes.",
            editing.ReplaceArguments,
            editing.replace,
        ),
        _change("move", "Move or rename a file.", editing.PairArguments, editing.move, files=True),
        _change("copy", "Copy a file.", editing.PairArguments, editing.copy, files=True),
        _change("mkdir", "Make a folder and its parents.", editing.PathArguments, editing.mkdir, files=True),
        _change("remove", "Delete a file.", editing.PathArguments, editing.remove, files=True),
    ),
    limits=_limits,
    refusal=refusal,
)

__all__ = ["SURFACE"]
