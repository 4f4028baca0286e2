"""Tools that change parts of files: `replace_content`, `apply_diff`, `edit_file`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from filewright.dialects.call import Call
from filewright.dialects.dialect import Answer
from filewright.dialects.filesystem.batch import (
    Paths,
    Refusal,
    answer_items,
    path_of,
)
from filewright.dialects.filesystem.paths import to_native
from filewright.dialects.filesystem.searching import spans_lines
from filewright.dialects.json_answers import Json
from filewright.edit.line_search import (
    LineSearch,
    find_line_edit,
    make_line_edit,
)
from filewright.edit.outcome import EditPlan
from filewright.edit.planning import plan_edits
from filewright.edit.replacements import Replacement, compile_replacement
from filewright.errors import Code, FilewrightError, path_error
from filewright.search.pattern import Pattern, compile_pattern
from filewright.text.snapshot import Snapshot
from filewright.tools.arguments import Arguments
from filewright.tools.batch import check_count
from filewright.tools.pipeline import change_text
from filewright.tools.replace.replace import replace_in_order

_TEMPLATE_REFERENCE = re.compile(r"\$(&|<([^<>]*)>)")


# replace_content


class ReplaceOperation(Arguments):
    """One replacement of `replace_content`."""

    search: str
    replace: str
    use_regex: bool = False
    ignore_case: bool = False


class ReplaceContent(Arguments):
    """Arguments of `replace_content`."""

    paths: Paths
    operations: Annotated[list[ReplaceOperation], Field(min_length=1)]


def replace_content(call: Call, arguments: ReplaceContent) -> Answer:
    """Replace all occurrences in files, one operation after the other."""

    def replace(path: str, _share: int) -> Json:
        native_path = to_native(path)
        replacements = []
        for operation in arguments.operations:
            pattern = compile_search(
                call,
                operation.search,
                is_regex=operation.use_regex,
                ignore_case=operation.ignore_case,
            )
            template = compile_template(
                operation.replace, pattern, is_regex=operation.use_regex
            )
            replacements.append((pattern, template))
        change = replace_in_order(call.context, native_path, replacements)
        return {
            "replacements": change.files[0].result.count,
            "modified": change.id is not None,
        }

    def refused(refusal: Refusal) -> Json:
        return {"replacements": 0, "modified": False, "error": refusal.text}

    return answer_items(
        call, arguments.paths, lambda path: {"file": path}, replace, refused
    )


def compile_search(
    call: Call, search: str, *, is_regex: bool, ignore_case: bool = False
) -> Pattern:
    """Return the pattern of a search text."""
    return compile_pattern(
        search,
        mode="regex" if is_regex else "literal",
        case="insensitive" if ignore_case else "sensitive",
        multiline=is_regex and spans_lines(search),
        max_chars=call.settings.max_pattern_chars,
    )


def compile_template(
    replacement: str, pattern: Pattern, *, is_regex: bool
) -> Replacement:
    """Return the replacement of a pattern.

    In the original's templates `$&` is the match and `$<name>` a group.
    """

    def to_native_reference(reference: re.Match[str]) -> str:
        if reference[1] == "&":
            return "${0}"
        return f"${{{reference[2]}}}"

    if is_regex:
        replacement = _TEMPLATE_REFERENCE.sub(to_native_reference, replacement)
    return compile_replacement(replacement, pattern)


# apply_diff


class DiffBlock(Arguments):
    """Lines of a file, and what takes their place, of `apply_diff`."""

    search: str
    replace: str
    start_line: Annotated[int, Field(ge=1)]
    end_line: Annotated[int, Field(ge=1)]
    operation: Literal["replace", "insert"] = "replace"

    @model_validator(mode="after")
    def check_range(self) -> Self:
        """Raise `ValueError` for a range that ends before it starts."""
        # An insertion may be between two lines.
        first_end = self.start_line
        if self.operation == "insert":
            first_end -= 1
        if self.end_line < first_end:
            raise ValueError("end_line must not be before start_line")
        return self


class FileDiff(Arguments):
    """The blocks of one file of `apply_diff`."""

    path: Annotated[str, Field(min_length=1)]
    diffs: Annotated[list[DiffBlock], Field(min_length=1)]


class ApplyDiff(Arguments):
    """Arguments of `apply_diff`."""

    changes: Annotated[list[FileDiff], Field(min_length=1)]


def apply_diff(call: Call, arguments: ApplyDiff) -> Answer:
    """Apply blocks of lines to files; a refused block leaves its file alone."""
    check_count(call.context, arguments.changes)
    require_distinct(call, [change.path for change in arguments.changes])

    def apply(change: FileDiff, _share: int) -> Json:
        def plan(snapshot: Snapshot) -> EditPlan:
            edits = []
            for block in change.diffs:
                edit = make_line_edit(
                    block.search,
                    block.replace,
                    block.start_line,
                    block.end_line,
                    insert=block.operation == "insert",
                )
                edits.append(edit)
            # The blocks name their lines, so no other place is looked for.
            return plan_edits(snapshot, edits, fuzzy=False, task=call.task)

        outcome = change_text(
            call.context, "apply_diff", to_native(change.path), plan
        )
        answer: Json = {"success": True, "diff_count": len(change.diffs)}
        if outcome.warnings:
            answer["warning"] = "; ".join(outcome.warnings)
        return answer

    def refused(refusal: Refusal) -> Json:
        answer: Json = {"success": False, "error": refusal.text}
        text_found = refusal.error.details.get("text_found")
        if text_found is not None:
            answer["context"] = text_found
        return answer

    return answer_items(
        call,
        arguments.changes,
        lambda change: path_of(change.path),
        apply,
        refused,
    )


def require_distinct(call: Call, paths: Sequence[str]) -> None:
    """Raise `invalid_input` for a file that is named twice, also by two spellings."""
    names: dict[object, str] = {}
    for path in paths:
        file: object = path
        # A path that names no file is refused with its item.
        with suppress(FilewrightError):
            location = call.locate(to_native(path))
            file = call.context.boundary.stat(location).identity
        if file in names:
            raise path_error(
                Code.INVALID_INPUT,
                path,
                f"{path} is named twice (also as {names[file]}); "
                "each file path may appear only once",
                "join its blocks into one entry",
            )
        names[file] = path


# edit_file


class FileEdit(Arguments):
    """One change of `edit_file`."""

    path: Annotated[str, Field(min_length=1)]
    start_line: Annotated[
        int,
        Field(ge=1, description="Where looking begins, or where to insert."),
    ]
    search_pattern: Annotated[
        str | None, Field(description="Left out: insert at start_line.")
    ] = None
    replace_content: Annotated[
        str | None, Field(description="Left out: delete what is found.")
    ] = None
    use_regex: bool = False
    ignore_leading_whitespace: bool = True
    preserve_indentation: bool = True
    match_occurrence: Annotated[int, Field(ge=1)] = 1

    @model_validator(mode="after")
    def check_purpose(self) -> Self:
        """Raise `ValueError` for a change that neither searches nor inserts."""
        if not self.search_pattern and self.replace_content is None:
            raise ValueError(
                "either search_pattern or replace_content must be given"
            )
        return self


class EditFile(Arguments):
    """Arguments of `edit_file`."""

    changes: Annotated[list[FileEdit], Field(min_length=1)]
    dry_run: bool = False
    output_diff: bool = False


def edit_file(call: Call, arguments: EditFile) -> Answer:
    """Insert, replace or delete by line and text.

    The changes of one file are made together, with the first of them.
    """
    outcomes: dict[str, Iterator[Json | FilewrightError]] = {}

    def edit(change: FileEdit, _share: int) -> Json:
        native_path = to_native(change.path)
        if change.path not in outcomes:
            file_changes = [
                other
                for other in arguments.changes
                if other.path == change.path
            ]
            outcomes[change.path] = iter(
                edit_one_file(call, native_path, file_changes, arguments)
            )
        outcome = next(outcomes[change.path])
        if isinstance(outcome, FilewrightError):
            raise outcome
        return outcome

    def refused(refusal: Refusal) -> Json:
        return {
            "status": "failed",
            "message": refusal.text,
            "error": refusal.text,
        }

    return answer_items(
        call,
        arguments.changes,
        lambda change: path_of(change.path),
        edit,
        refused,
    )


def edit_one_file(
    call: Call, path: str, changes: Sequence[FileEdit], arguments: EditFile
) -> list[Json | FilewrightError]:
    """Make the changes of one file, all or none, and return what became of each."""
    requested_path = changes[0].path

    def plan(snapshot: Snapshot) -> EditPlan:
        return plan_changes(call, snapshot, changes)

    diff = ""
    try:
        outcome = change_text(
            call.context, "edit_file", path, plan, preview=arguments.dry_run
        )
    except FilewrightError as error:
        if error.code != Code.NO_CHANGE:
            return refuse_changes(error, len(changes))
        message = (
            f"File {requested_path} reads like this already; "
            "nothing was written."
        )
    else:
        diff = outcome.diff.text
        state = "modified successfully"
        if arguments.dry_run:
            state = "changes calculated (dry run)"
        message = f"File {requested_path} {state}."
        if outcome.warnings:
            message += f" warning: {'; '.join(outcome.warnings)}"
    answer: Json = {"status": "success", "message": message}
    if arguments.output_diff:
        answer["diff"] = diff
    return [answer] * len(changes)


def plan_changes(
    call: Call, snapshot: Snapshot, changes: Sequence[FileEdit]
) -> EditPlan:
    """Return the plan of the changes of one file.

    An error names the change that it is about as `edit` in its details.
    """
    edits = []
    for index, change in enumerate(changes):
        try:
            search = to_line_search(call, change)
            edits.append(find_line_edit(snapshot, search, task=call.task))
        except FilewrightError as error:
            error.details["edit"] = index
            raise
    return plan_edits(snapshot, edits, fuzzy=False, task=call.task)


def to_line_search(call: Call, change: FileEdit) -> LineSearch:
    """Return a change as a native search from a line on."""
    pattern: Pattern | None = None
    template: Replacement | None = None
    if change.use_regex and change.search_pattern:
        pattern = compile_search(call, change.search_pattern, is_regex=True)
        if change.replace_content is not None:
            template = compile_template(
                change.replace_content, pattern, is_regex=True
            )
    return LineSearch(
        start_line=change.start_line,
        search=change.search_pattern,
        replace=change.replace_content,
        ignore_indent=change.ignore_leading_whitespace,
        keep_indent=change.preserve_indentation,
        occurrence=change.match_occurrence,
        pattern=pattern,
        template=template,
    )


def refuse_changes(
    error: FilewrightError, count: int
) -> list[Json | FilewrightError]:
    """Return the outcomes of the changes of a file of which one was refused."""
    refused_index = error.details.get("edit")
    # The error is about the file and not about one change, so all of them failed.
    if refused_index is None:
        return [error] * count
    message = (
        f"not made, because change {refused_index + 1} of this file was refused"
    )
    outcomes: list[Json | FilewrightError] = []
    for index in range(count):
        if index == refused_index:
            outcomes.append(error)
        else:
            outcomes.append({"status": "skipped", "message": message})
    return outcomes
