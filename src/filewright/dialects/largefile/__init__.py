"""The dialect `largefile`: one large file per call, absolute paths, JSON answers with backups.

The surface of the large-file server: overview, search, read and edit with fuzzy matching on by
default, a preview before every edit, and backups, which here are the history's changes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from filewright.dialects.dialect import dialect, row
from filewright.dialects.largefile import editing, reading, searching
from filewright.dialects.largefile.paths import refusal
from filewright.settings import Settings


def _limits(settings: Settings) -> Mapping[str, Any]:
    """Pages as large as a result may be; no images."""
    return {"page_chars": settings.hard_chars - 1_500, "image_bytes": 0}


SURFACE = dialect(
    "largefile",
    workflow=(
        "Work on large files by absolute path: get_overview first, search_content to find, read_content or "
        "read_enclosing to look, edit_content with preview=true, then preview=false. Every edit makes a backup; "
        "revert_edit brings one back. Answers are JSON; edit_content says success and, for a refused change, "
        "similar_matches."
    ),
    tools=(
        row(
            "get_overview",
            "Structure of a file: lines, size, encoding, long lines, outline with line numbers, what to search "
            "for. Use it first. changed_lines marks the symbols that a diff touched.",
            reading.OverviewArguments,
            reading.get_overview,
        ),
        row(
            "search_content",
            "Find text in a file: exact hits first, then similar ones (fuzzy), or a regex. count_only counts "
            "the lines.",
            searching.SearchArguments,
            searching.search_content,
        ),
        row(
            "read_content",
            "Read lines by number, round a pattern, the whole function or class (semantic), or the head or tail.",
            reading.ReadArguments,
            reading.read_content,
        ),
        row(
            "read_enclosing",
            "The whole function or class round a line.",
            reading.EnclosingArguments,
            reading.read_enclosing,
        ),
        row(
            "edit_content",
            "Replace text by search and replace; preview=true (default) writes nothing. All changes or none; a "
            "text that stands there more than once is refused with its places.",
            editing.EditArguments,
            editing.edit_content,
            toolset="edit",
            writes=True,
            destructive=True,
            idempotent=False,
        ),
        row(
            "revert_edit",
            "Bring a file back to a backup, the newest if none is named; the present content becomes a backup.",
            editing.RevertArguments,
            editing.revert_edit,
            toolset="history",
            writes=True,
            destructive=True,
            idempotent=False,
        ),
        row(
            "list_directory",
            "List a directory to a depth, folders first.",
            reading.ListArguments,
            reading.list_directory,
        ),
        row(
            "search_directory",
            "Find text in the files of a directory, grouped by file.",
            searching.SearchFolderArguments,
            searching.search_directory,
        ),
    ),
    limits=_limits,
    refusal=refusal,
)

__all__ = ["SURFACE"]
