"""Errors in the words of the reference server."""

from __future__ import annotations

from filewright.errors import Code, FilewrightError
from filewright.tools.bounded_text import clip
from filewright.tools.result import FailedCall, ToolResult


def describe_error(error: FilewrightError) -> str:
    """Return an error in the words of the original, without a hint."""
    path = error.details.get("path")
    if error.code == Code.PATH_ESCAPE:
        return (
            f"Access denied - path outside allowed directories: {error.message}"
        )
    if error.code == Code.NOT_FOUND and path:
        return f"ENOENT: no such file or directory: {path}"
    if error.code == Code.NO_MATCH:
        return f"Could not find exact match for edit: {error.message}"
    if error.code == Code.ALREADY_EXISTS and path:
        return f"Destination already exists: {path}"
    return error.message


def refuse(error: FilewrightError, max_characters: int) -> ToolResult:
    """Return the answer to a call that failed: a sentence, and what to do."""
    text = describe_error(error)
    hint = error.hint
    if error.code == Code.IS_BINARY:
        hint = "read_media_file gives its bytes"
    if hint:
        text += f"\nhint: {hint}"
    return FailedCall(clip(text, max_characters), error=error)
