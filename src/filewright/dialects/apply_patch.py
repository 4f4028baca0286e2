"""The dialect `apply-patch`: OpenAI's tool `apply_patch`, and the function of that name.

The tool sends one `operation` with a V4A diff, as developers.openai.com documents it
(apply patch guide, November 2026); the function sends the whole patch as `input`,
between `*** Begin Patch` and `*** End Patch`. All of a patch is applied, or nothing.
"""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from filewright.dialects.arguments import LenientArguments
from filewright.dialects.call import Call
from filewright.dialects.commands import with_message
from filewright.dialects.dialect import Dialect, DialectTool
from filewright.errors import Code, FilewrightError, invalid
from filewright.tools.patch import PatchResult
from filewright.wording import escape_controls

API_TOOL = {"type": "apply_patch"}
"""The tool as the API is sent it: it knows the schema by the type."""

_HEADINGS = {
    "create_file": "Add File",
    "update_file": "Update File",
    "delete_file": "Delete File",
}
_DONE = {
    "create_file": "Created",
    "update_file": "Updated",
    "delete_file": "Deleted",
}
_LETTERS = {"created": "A", "deleted": "D"}


class PatchOperation(LenientArguments):
    """One operation of the model: a file, and the diff without an envelope."""

    type: Literal["create_file", "update_file", "delete_file"]
    path: Annotated[str, Field(min_length=1)]
    diff: Annotated[str | None, Field(description="In the V4A notation.")] = (
        None
    )


class ApplyPatch(LenientArguments):
    """Arguments of `apply_patch`."""

    operation: PatchOperation | None = None
    input: Annotated[
        str | None,
        Field(
            description="A whole patch from *** Begin Patch to *** End Patch."
        ),
    ] = None

    @model_validator(mode="after")
    def check_style(self) -> Self:
        """Raise `ValueError` unless there is an operation or an input."""
        if (self.operation is None) == (self.input is None):
            raise ValueError("give operation or input")
        return self


def apply_patch(call: Call, arguments: ApplyPatch) -> str:
    """Apply an operation, or all operations of a patch."""
    operation = arguments.operation
    patch = arguments.input or ""
    if operation is not None:
        content = read_crlf_content(operation)
        if content is not None:
            call.write(operation.path, content, newline="keep")
            return f"Created {escape_controls(operation.path)}"
        patch = to_envelope(operation)
    try:
        result = call.apply_patch(patch)
    except FilewrightError as error:
        raise describe_error(error) from error
    if operation is not None:
        lines = [f"{_DONE[operation.type]} {escape_controls(operation.path)}"]
    else:
        lines = ["Success. Updated the following files:"]
        for file in result.files:
            letter = _LETTERS.get(file.operation, "M")
            lines.append(f"{letter} {escape_controls(file.path or '')}")
    return "\n".join([*lines, *notes_of(result)])


def to_envelope(operation: PatchOperation) -> str:
    """Return an operation as a patch. Raise `invalid_input` if it names other files."""
    # What is joined here must not begin an operation on a second file.
    if len(operation.path.splitlines()) != 1:
        raise invalid("the path of an operation has one line", argument="path")
    diff = operation.diff or ""
    for line in diff.splitlines():
        # Another heading would add a file that the operation does not name.
        if line.startswith("*** ") and line.rstrip() != "*** End of File":
            raise invalid(
                "the diff of an operation has lines of one file only, "
                f"but {line!r} is a heading of a patch",
                "send an operation for each file",
                argument="diff",
            )
    lines = [
        "*** Begin Patch",
        f"*** {_HEADINGS[operation.type]}: {operation.path}",
    ]
    if operation.type == "create_file":
        lines.append(without_last_sign(diff))
    elif operation.type == "update_file":
        lines.append(diff.removesuffix("\n"))
    lines.append("*** End Patch")
    return "\n".join(lines)


def without_last_sign(diff: str) -> str:
    """Return the diff of a new file without an empty last line.

    OpenAI's editor joins the lines, so an empty last line means that the file ends with a
    line end. Here it does in any case.
    """
    for line_end in ("\r\n", "\n"):
        diff = diff.removesuffix(line_end)
    return diff.removesuffix("\n+").removesuffix("\r")


def read_crlf_content(operation: PatchOperation) -> str | None:
    """Return the content of a new file whose diff has the line end CRLF, else None."""
    # The ends of an envelope are those of its transport, but a diff shows the bytes.
    diff = operation.diff or ""
    if operation.type != "create_file" or "\r\n" not in diff:
        return None
    lines = without_last_sign(diff).split("\r\n")
    content = ""
    for line in lines:
        # The patch reader judges lines without a sign, and mixed line ends.
        if not line.startswith("+") or "\n" in line:
            return None
        content += f"{line[1:]}\r\n"
    return content


def notes_of(result: PatchResult) -> list[str]:
    """Return notes on hunks that did not match exactly, and on files that no longer parse."""
    notes = []
    for file in result.files:
        for hunk in file.hunks:
            if hunk.tier != "exact":
                notes.append(
                    f"note: hunk {hunk.number} matched by {hunk.tier} "
                    f"at line {hunk.line}"
                )
    for warning in result.warnings:
        notes.append(f"warning: {escape_controls(warning)}")
    return notes


def describe_error(error: FilewrightError) -> FilewrightError:
    """Return an error with the documented message, or the native error without one."""
    if error.code == Code.NOT_FOUND and "path" in error.details:
        path = error.details["path"]
        message = f"File not found at path '{path}'"
        return with_message(error, message, error.hint)
    if error.code == Code.PATCH_FAILED:
        return with_message(
            error, f"Invalid Context:\n{error.message}", error.hint
        )
    return error


DIALECT = Dialect(
    tools=(
        DialectTool(
            apply_patch,
            "Create, update or delete files: one operation with a V4A diff, or "
            "a whole patch as input.",
            toolset="edit",
            builtin=API_TOOL,
        ),
    ),
    workflow=(
        "Change files with apply_patch. A hunk applies where its old lines are; one "
        "that applies nowhere, or in two places, is refused and nothing is changed. "
        "Line endings and encodings stay as they are, and every change can be "
        "undone by the user."
    ),
)
