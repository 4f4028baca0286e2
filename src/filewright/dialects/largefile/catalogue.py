"""The tools of the dialect `largefile`, in the order of the original."""

from __future__ import annotations

from typing import Any

from filewright.dialects.dialect import Dialect, DialectTool
from filewright.dialects.largefile.arguments import (
    MAX_LINE_LENGTH,
    TRUNCATE_LENGTH,
)
from filewright.dialects.largefile.directories import list_directory
from filewright.dialects.largefile.editing import edit_content, revert_edit
from filewright.dialects.largefile.overview import get_overview
from filewright.dialects.largefile.reading import (
    read_content,
    read_enclosing,
)
from filewright.dialects.largefile.searching import (
    search_content,
    search_directory,
)
from filewright.errors import FilewrightError
from filewright.settings import SETTINGS, Settings
from filewright.tools.bounded_text import clip
from filewright.tools.result import FailedCall, ToolResult


def limits(settings: Settings) -> dict[str, Any]:
    """Return the settings of this dialect.

    The original's variables apply where filewright's own settings are not set.
    """
    line_chars = settings.line_chars
    if line_chars == SETTINGS["line_chars"].default:
        line_chars = MAX_LINE_LENGTH.integer(line_chars)
    match_chars = settings.match_chars
    if match_chars == SETTINGS["match_chars"].default:
        match_chars = TRUNCATE_LENGTH.integer(match_chars)
    return {
        # The rest is for the names of fields and quotes around the text.
        "page_chars": settings.hard_chars - 1_500,
        "line_chars": line_chars,
        "match_chars": match_chars,
        "image_bytes": 0,
    }


def refuse(error: FilewrightError, max_characters: int) -> ToolResult:
    """Return the answer to a call that failed: code, message and suggestion."""
    text = f"{error.code}: {error.message}"
    if error.hint:
        text += f"\n\nSuggestion: {error.hint}"
    return FailedCall(clip(text, max_characters), error=error)


DIALECT = Dialect(
    tools=(
        DialectTool(
            get_overview,
            "Structure of a file: lines, size, encoding, long lines, outline "
            "with line numbers, what to search for. Use it first. "
            "changed_lines marks the symbols that a diff touched.",
        ),
        DialectTool(
            search_content,
            "Find text in a file: exact hits first, then similar ones (fuzzy), "
            "or a regex. count_only counts the lines.",
        ),
        DialectTool(
            read_content,
            "Read lines by number, around a pattern, the whole function or "
            "class (semantic), or the head or tail.",
        ),
        DialectTool(
            read_enclosing,
            "The whole function or class around a line.",
        ),
        DialectTool(
            edit_content,
            "Replace text by search and replace; preview=true (default) writes "
            "nothing. All changes or none; a text that occurs more than once "
            "is refused with its places.",
            toolset="edit",
        ),
        DialectTool(
            revert_edit,
            "Bring a file back to a backup, the newest if none is named; the "
            "present content becomes a backup.",
            toolset="history",
        ),
        DialectTool(
            list_directory,
            "List a directory to a depth, folders first.",
        ),
        DialectTool(
            search_directory,
            "Find text in the files of a directory, grouped by file.",
        ),
    ),
    workflow=(
        "Work on large files by absolute path: get_overview first, "
        "search_content to find, read_content or read_enclosing to look, "
        "edit_content with preview=true, then preview=false. Every edit makes "
        "a backup; revert_edit brings one back. Answers are JSON; edit_content "
        "says success and, for a refused change, similar_matches."
    ),
    limits=limits,
    refuse=refuse,
    answers_json=True,
)
