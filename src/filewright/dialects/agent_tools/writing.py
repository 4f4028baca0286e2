"""Tools that change whole files: `write_file`, `replace`, `move`, `copy`, `mkdir`, `remove`."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, model_validator

from filewright.dialects.agent_tools.grep import dot_matches_all
from filewright.dialects.agent_tools.rows import render_change
from filewright.dialects.arguments import LenientArguments
from filewright.dialects.call import Call
from filewright.errors import Code, FilewrightError
from filewright.wording import escape_controls, pluralize


class WriteFile(LenientArguments):
    """Arguments of `write_file`."""

    path: str
    content: str


def write_file(call: Call, arguments: WriteFile) -> str:
    """Write a whole file; the diff is shown if it replaces another."""
    path = arguments.path
    content = arguments.content
    if call.exists(path):
        (result,) = call.write(
            path, content, mode="overwrite", newline="keep"
        ).results
    else:
        # A new file gets line feeds alone.
        (result,) = call.write(
            path, content, mode="create", newline="lf"
        ).results
        content = content.replace("\r\n", "\n")
    size = len(content.encode("utf-8", "replace"))
    row = f"Wrote {size} bytes to {escape_controls(path)} ({result.operation})."
    return render_change(call, [row], result.diff, [result.syntax_warning])


class Replace(LenientArguments):
    """Arguments of `replace`."""

    pattern: Annotated[
        str, Field(min_length=1, description="A regular expression.")
    ]
    replacement: Annotated[str, Field(description="$1 and ${name} are groups.")]
    path: Annotated[
        str | None, Field(min_length=1, description="File or folder.")
    ] = None
    glob: Annotated[str | None, Field(min_length=1)] = None
    ignore_case: bool = False
    multiline: bool = False
    dry_run: bool = True

    @model_validator(mode="after")
    def check_scope(self) -> Self:
        """Raise `ValueError` without a path and a glob."""
        if self.path is None and self.glob is None:
            raise ValueError("give path or glob to scope the replacement")
        return self


def replace(call: Call, arguments: Replace) -> str:
    """Replace every match of a pattern; `dry_run=false` writes."""
    pattern = arguments.pattern
    if arguments.multiline:
        pattern = dot_matches_all(call, pattern)
    try:
        result = call.replace(
            pattern,
            arguments.replacement,
            arguments.path or ".",
            mode="regex",
            case="insensitive" if arguments.ignore_case else "sensitive",
            multiline=arguments.multiline,
            glob=arguments.glob,
            preview=arguments.dry_run,
        )
    except FilewrightError as error:
        if error.code in (Code.NO_MATCH, Code.NO_CHANGE):
            return "(no matches)"
        raise
    rows = []
    for file in result.files:
        count = pluralize(file.count or 0, "replacement")
        rows.append(f"  M {escape_controls(file.path)} ({count})")
    head = f"Replaced {result.count} occurrence(s) in {len(rows)} file(s):"
    if arguments.dry_run:
        head = (
            f"{result.count} replacement(s) across {len(rows)} file(s) "
            "(dry run — pass dry_run: false to apply)"
        )
    return render_change(call, [head, *rows], result.diff, result.warnings)


class Move(LenientArguments):
    """Arguments of `move`."""

    source: str
    destination: str
    overwrite: bool = False


def move(call: Call, arguments: Move) -> str:
    """Move or rename a file."""
    # Afterwards there is a file in any case.
    is_overwritten = call.exists(arguments.destination)
    call.move(
        arguments.source,
        arguments.destination,
        overwrite=arguments.overwrite,
        files_only=True,
    )
    source = escape_controls(arguments.source)
    destination = escape_controls(arguments.destination)
    suffix = " (overwritten)" if is_overwritten else ""
    return f"Moved {source} → {destination}{suffix}."


class Copy(LenientArguments):
    """Arguments of `copy`."""

    source: str
    destination: str
    overwrite: bool = False


def copy(call: Call, arguments: Copy) -> str:
    """Copy a file."""
    is_overwritten = call.exists(arguments.destination)
    call.copy(
        arguments.source,
        arguments.destination,
        overwrite=arguments.overwrite,
        files_only=True,
    )
    source = escape_controls(arguments.source)
    destination = escape_controls(arguments.destination)
    suffix = " (overwritten)" if is_overwritten else ""
    return f"Copied {source} → {destination}{suffix}."


class Mkdir(LenientArguments):
    """Arguments of `mkdir`."""

    path: str


def mkdir(call: Call, arguments: Mkdir) -> str:
    """Create a folder with its parents."""
    (result,) = call.create_directories(arguments.path).results
    path = escape_controls(arguments.path)
    if result.operation == "exists":
        return f"Directory already exists: {path}."
    return f"Created directory {path}."


class Remove(LenientArguments):
    """Arguments of `remove`."""

    path: str


def remove(call: Call, arguments: Remove) -> str:
    """Delete a file."""
    call.delete(arguments.path, files_only=True)
    return f"Removed {escape_controls(arguments.path)}."
