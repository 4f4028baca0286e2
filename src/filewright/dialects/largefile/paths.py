"""Paths as this dialect takes them: absolute, or from the home folder; and how it tells errors."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, AliasChoices, Field

from filewright.dialects.dialect import LINE_WORDS, worded
from filewright.errors import FilewrightError
from filewright.tools.registry import Arguments, ToolResult


def _absolute(path: str) -> str:
    if not path.startswith(("/", "~")):
        raise ValueError(f"{path!a} is a relative path; give an absolute one, or one that begins with ~")
    return path


Absolute = Annotated[str, AfterValidator(_absolute)]


class FileArguments(Arguments):
    """The file every tool of a file takes."""

    absolute_file_path: Annotated[Absolute, Field(description="Absolute path of the file.")]


class FolderArguments(Arguments):
    """The folder a tool of a folder takes; under the name of a file's path too."""

    absolute_dir_path: Annotated[
        Absolute,
        Field(
            description="Absolute path of the directory.",
            validation_alias=AliasChoices("absolute_dir_path", "absolute_file_path"),
        ),
    ]


def refusal(error: FilewrightError, limit: int) -> ToolResult:
    """The answer of a call that failed: the code, what is wrong, what to do."""
    text = f"{error.code}: {worded(error.message, LINE_WORDS)}"
    if error.hint:
        text += f"\n\nSuggestion: {worded(error.hint, LINE_WORDS)}"
    return ToolResult(text[:limit], ToolResult.of_error(error).data, is_error=True, code=str(error.code))
