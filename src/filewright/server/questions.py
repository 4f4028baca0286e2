"""The text of the question that a person answers before a call is made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from filewright.tools.bounded_text import clip
from filewright.tools.tool import ListedTool
from filewright.wording import escape_unsendable, join_limited

if TYPE_CHECKING:
    from filewright.edit.diff import Diff

MAX_QUESTION_CHARS = 600
MAX_NAMED_FILES = 5
"""Files and folders that a question names."""
MAX_LOST_FILES = 10
"""Files and folders that a question names as lost."""
MAX_DIFF_CHARS = 6_000
"""Characters of the diff in a question; the review page shows more."""
_NAMING_ARGUMENTS = (
    "command",
    "path",
    "file_path",
    "absolute_file_path",
    "old_path",
    "new_path",
    "source",
    "destination",
    "paths",
    "items",
    "operation",
    "operations",
    "changes",
    "change_id",
    "backup_id",
)
"""Arguments that name the subject of a call, in the native tools and the dialects."""


@dataclass(frozen=True, slots=True)
class QuestionSubject:
    """The files that a question is about: some by name, the others by their count."""

    names: Sequence[str]
    unnamed_count: int = 0


def ask(
    tool: ListedTool, arguments: Mapping[str, Any], diff: Diff | str
) -> str:
    """Return the question that names the files of a call.

    `diff` is the change that the call would make, or words where it makes none.
    """
    subject = QuestionSubject(())
    if not isinstance(diff, str):
        subject = _find_changed_files(diff)
    if not subject.names:
        names: list[str] = []
        for argument in _NAMING_ARGUMENTS:
            names += _list_names(arguments.get(argument))
        subject = QuestionSubject(names, subject.unnamed_count)
    distinct_names = list(dict.fromkeys(subject.names))
    target = "the workspace"
    if distinct_names:
        target = join_limited(
            [*distinct_names, *range(subject.unnamed_count)],
            min(MAX_NAMED_FILES, len(distinct_names)),
            noun="file",
        )
    return clip(
        escape_unsendable(f"Allow {tool.name} on {target}?"),
        MAX_QUESTION_CHARS,
    )


def ask_with_diff(
    tool: ListedTool, arguments: Mapping[str, Any], diff: Diff | str
) -> str:
    """Return the question, the content that would be lost, and the diff."""
    question = ask(tool, arguments, diff)
    if isinstance(diff, str):
        text = diff
    else:
        text = diff.text
        if diff.lost:
            lost = join_limited(
                [content.text for content in diff.lost],
                MAX_LOST_FILES,
                noun="lost file",
            )
            question += clip(
                escape_unsendable(f"\n\nThis deletes {lost}."),
                MAX_QUESTION_CHARS,
                at_line=True,
            )
    if not text:
        return question
    text = escape_unsendable(text).rstrip()
    return f"{question}\n\n{clip(text, MAX_DIFF_CHARS, at_line=True)}"


def _find_changed_files(diff: Diff) -> QuestionSubject:
    """Return the files in a diff, the lost ones first."""
    remaining = [file for file in diff.files if file.new_name is not None]
    names: list[str] = []
    for file in remaining:
        if file.action == "moved":
            names.append(f"{file.old_name} → {file.new_name}")
        else:
            names.append(file.path)
    rewritten = {
        file.path for file in remaining if file.old_name == file.new_name
    }
    lost = [content for content in diff.lost if content.path not in rewritten]
    # A lost folder has one name, and stands for the files that were in it.
    deleted_count = len(diff.files) - len(remaining)
    lost_count = sum(content.files for content in lost)
    return QuestionSubject(
        names=[content.path for content in lost] + names,
        unnamed_count=diff.omitted_files + deleted_count - lost_count,
    )


def _list_names(value: Any) -> list[str]:
    """Return the names in the value of an argument that names the subject."""
    if isinstance(value, list):
        names: list[str] = []
        for item in value:
            names += _list_names(item)
        return names
    if isinstance(value, dict):
        parts = [
            value[key]
            for key in _NAMING_ARGUMENTS
            if isinstance(value.get(key), str)
        ]
        return [" → ".join(parts)]
    return [str(value)] if value else []
