"""Tools that change a part of files: `edit_file`, `multi_edit`, `apply_patch`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Self

from pydantic import Field, model_validator

from filewright.dialects.agent_tools.rows import render_change
from filewright.dialects.arguments import LenientArguments
from filewright.dialects.call import Call
from filewright.errors import Code, FilewrightError
from filewright.tools.edit.result import EditResult
from filewright.tools.methods import EditRequest
from filewright.wording import escape_controls, pluralize

_MAX_LISTED_LINES = 20
_PATCH_LETTERS = {
    "created": "A",
    "deleted": "D",
    "renamed": "R",
    "copied": "C",
}


def check_strings(old_string: str, new_string: str) -> None:
    """Raise `ValueError` for an edit that replaces nothing, or a text by itself."""
    if not old_string:
        raise ValueError("old_string must not be empty")
    if old_string == new_string:
        raise ValueError("old_string and new_string are identical")


class StringEdit(LenientArguments):
    """One edit of `multi_edit`."""

    old_string: str
    new_string: str
    replace_all: bool = False

    @model_validator(mode="after")
    def check(self) -> Self:
        """Raise `ValueError` for an edit that changes nothing."""
        check_strings(self.old_string, self.new_string)
        return self


class EditFile(LenientArguments):
    """Arguments of `edit_file`."""

    old_string: str
    new_string: str
    replace_all: bool = False
    path: str

    @model_validator(mode="after")
    def check(self) -> Self:
        """Raise `ValueError` for an edit that changes nothing."""
        check_strings(self.old_string, self.new_string)
        return self


class MultiEdit(LenientArguments):
    """Arguments of `multi_edit`."""

    path: str
    edits: Annotated[list[StringEdit], Field(min_length=1)]


def to_request(edit: StringEdit | EditFile) -> EditRequest:
    """Return the native edit."""
    return {
        "search": edit.old_string,
        "replace": edit.new_string,
        "replace_all": edit.replace_all,
    }


def edit_file(call: Call, arguments: EditFile) -> str:
    """Replace a string that occurs once, or all of its occurrences."""
    try:
        result = call.edit(arguments.path, [to_request(arguments)])
    except FilewrightError as error:
        raise describe_refusal(error, [arguments]) from error
    count = pluralize(result.changes_made, "occurrence")
    row = f"Replaced {count} in {escape_controls(arguments.path)}."
    return render_edits(call, row, result)


def multi_edit(call: Call, arguments: MultiEdit) -> str:
    """Make several replacements, each in the result of the one before, all or none."""
    requests = [to_request(edit) for edit in arguments.edits]
    try:
        result = call.edit(arguments.path, requests, in_turn=True)
    except FilewrightError as error:
        raise number_refusal(
            describe_refusal(error, arguments.edits)
        ) from error
    count = pluralize(len(requests), "edit")
    row = f"Applied {count} to {escape_controls(arguments.path)}."
    return render_edits(call, row, result)


def render_edits(call: Call, first_row: str, result: EditResult) -> str:
    """Return what was done, the edits that did not match exactly, and the diff."""
    rows = [first_row]
    for outcome in result.results:
        if outcome.tier == "exact":
            continue
        number = ""
        if len(result.results) > 1:
            number = f"edit[{outcome.index}]: "
        repairs = ""
        if outcome.repairs:
            repairs = f" after {' and '.join(outcome.repairs)}"
        rows.append(
            f"note: {number}old_string was not there exactly; "
            f"matched by {outcome.tier}{repairs} at line {outcome.first}"
        )
    return render_change(call, rows, result.diff, [result.syntax_warning])


def describe_refusal(
    error: FilewrightError, edits: Sequence[StringEdit | EditFile]
) -> FilewrightError:
    """Return the refusal of an edit in the words of this dialect.

    A text that is in several places but for whitespace is ambiguous, too.
    """
    details = error.details
    if error.code == Code.AMBIGUOUS_MATCH:
        lines = details.get("lines", [])
        difference = ""
        hint = (
            "add lines of context to old_string until it occurs once, "
            "or give replace_all=true"
        )
    elif error.code == Code.NO_MATCH:
        lines = lines_but_for_whitespace(details)
        if edits[details["edit"]].replace_all:
            lines = []
        difference = ", but for whitespace"
        hint = (
            "copy the text with its whitespace, "
            "and with enough lines around it to occur once"
        )
    else:
        return error
    if len(lines) < 2:
        return error
    listed_lines = lines[:_MAX_LISTED_LINES]
    listed = ", ".join(map(str, listed_lines))
    if len(lines) > _MAX_LISTED_LINES:
        listed += " and more"
    return FilewrightError(
        Code.AMBIGUOUS_MATCH,
        f"{details['path']}: old_string occurs more than once{difference}: "
        f"lines {listed}",
        hint,
        details={**details, "lines": listed_lines},
    )


def lines_but_for_whitespace(details: dict[str, Any]) -> list[int]:
    """Return the lines of the near texts that differ in whitespace only."""
    lines = []
    for near in details.get("nearest", ()):
        if near["similarity"] == 1:
            lines.append(near["first_line"])
    return sorted(lines)


def number_refusal(error: FilewrightError) -> FilewrightError:
    """Return the refusal of one of several edits with its index."""
    index = error.details.get("edit")
    if index is None:
        return error
    return FilewrightError(
        error.code,
        f"edit[{index}]: {error.message}",
        error.hint,
        details={**error.details, "index": index},
    )


class ApplyPatch(LenientArguments):
    """Arguments of `apply_patch`."""

    patch: str


def apply_patch(call: Call, arguments: ApplyPatch) -> str:
    """Apply a patch to any number of files, all or nothing.

    A header with two names renames its file.
    """
    try:
        result = call.apply_patch(arguments.patch, renames=True)
    except FilewrightError as error:
        raise describe_patch_refusal(error) from error
    rows = ["Applied patch:"]
    for file in result.files:
        source = ""
        if file.was:
            source = f"{escape_controls(file.was)} -> "
        letter = _PATCH_LETTERS.get(file.operation, "M")
        rows.append(f"  {letter} {source}{escape_controls(file.path or '')}")
        for hunk in file.hunks:
            if hunk.tier != "exact":
                rows.append(
                    f"note: hunk {hunk.number} matched by {hunk.tier} "
                    f"at line {hunk.line}"
                )
    return render_change(call, rows, "", result.warnings)


def describe_patch_refusal(error: FilewrightError) -> FilewrightError:
    """Return the refusal of a patch with the codes and fields of this dialect."""
    code = error.code
    details = dict(error.details)
    if code == Code.ALREADY_APPLIED:
        code = Code.PATCH_FAILED
    elif details.get("reason") == "not_empty":
        code = Code.INVALID_INPUT
    # The error of a patch that is applied already names its files in a list.
    if "path" not in details and details.get("files"):
        details["path"] = details["files"][0].get("path")
    # Clients of this dialect look for the path in `file`.
    if code == Code.PATCH_FAILED and "path" in details:
        details["file"] = details["path"]
    return FilewrightError(code, error.message, error.hint, details=details)
