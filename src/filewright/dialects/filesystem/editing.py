"""`replace_content`, `apply_diff`, `edit_file`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from filewright.dialects.dialect import Call
from filewright.dialects.filesystem.paths import Item, native, per_item
from filewright.tools.registry import Arguments, ToolResult

if TYPE_CHECKING:
    from filewright.edit import LineEdit

_TEMPLATE = re.compile(r"\$(&|<([^<>]*)>)")


class ReplaceOperation(Arguments):
    """One replacement."""

    search: str
    replace: str
    use_regex: bool = False
    ignore_case: bool = False


class ReplaceArguments(Arguments):
    """What to replace in which files."""

    paths: Annotated[list[str], Field(min_length=1)]
    operations: Annotated[list[ReplaceOperation], Field(min_length=1)]


class DiffBlock(Arguments):
    """One block of lines."""

    search: str
    replace: str
    start_line: Annotated[int, Field(ge=1)]
    end_line: Annotated[int, Field(ge=1)]
    operation: Literal["replace", "insert"] = "replace"

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.end_line < self.start_line - (self.operation == "insert"):
            raise ValueError("end_line must not be before start_line")
        return self


class FileDiff(Arguments):
    """The blocks of one file."""

    path: Annotated[str, Field(min_length=1)]
    diffs: Annotated[list[DiffBlock], Field(min_length=1)]


class DiffArguments(Arguments):
    """The files and their blocks."""

    changes: Annotated[list[FileDiff], Field(min_length=1)]

    @model_validator(mode="after")
    def _once(self) -> Self:
        if len({change.path for change in self.changes}) < len(self.changes):
            raise ValueError("each file path must appear only once in a single request")
        return self


class FileChange(Arguments):
    """One selective edit."""

    path: Annotated[str, Field(min_length=1)]
    start_line: Annotated[int, Field(ge=1, description="Where looking begins, or where to insert.")]
    search_pattern: Annotated[str | None, Field(description="Left out: insert at start_line.")] = None
    replace_content: Annotated[str | None, Field(description="Left out: delete what is found.")] = None
    use_regex: bool = False
    ignore_leading_whitespace: bool = True
    preserve_indentation: bool = True
    match_occurrence: Annotated[int, Field(ge=1)] = 1

    @model_validator(mode="after")
    def _something(self) -> Self:
        if not self.search_pattern and self.replace_content is None:
            raise ValueError("either search_pattern or replace_content must be given")
        return self


class EditArguments(Arguments):
    """The selective edits of one or more files."""

    changes: Annotated[list[FileChange], Field(min_length=1)]
    dry_run: bool = False
    output_diff: bool = False


def replace_content(call: Call, arguments: ReplaceArguments) -> ToolResult:
    """Replace all occurrences, operation after operation, in each file."""
    from filewright.tools.replace_in_order import Operation, Replacing, replace_in_order

    operations = [
        Operation(
            each.search,
            _TEMPLATE.sub(_native_group, each.replace) if each.use_regex else each.replace,
            "regex" if each.use_regex else "literal",
            "insensitive" if each.ignore_case else "sensitive",
            multiline=each.use_regex and ("\\n" in each.search or "\n" in each.search),
        )
        for each in arguments.operations
    ]

    def request(paths: Sequence[str]) -> Sequence[Mapping[str, Any]]:
        made = call.use(replace_in_order, Replacing([native(path) for path in paths], operations))
        found: Sequence[Mapping[str, Any]] = made.data["results"]
        return found

    return per_item(
        call,
        arguments.paths,
        lambda path: [path],
        request,
        lambda path, made: {"file": path, "replacements": made["replacements"], "modified": made["modified"]},
        lambda path, text: {"file": path, "replacements": 0, "modified": False, "error": text},
    )


def _native_group(found: re.Match[str]) -> str:
    return "${0}" if found.group(1) == "&" else f"${{{found.group(2)}}}"


def apply_diff(call: Call, arguments: DiffArguments) -> ToolResult:
    """Apply line-anchored blocks, each file all or nothing."""
    from filewright.edit import Edit, at_lines
    from filewright.tools.blocks import FileBlocks, apply_blocks

    def request(changes: Sequence[FileDiff]) -> Sequence[Mapping[str, Any]]:
        def edits(change: FileDiff) -> list[Edit]:
            return [
                at_lines(b.search, b.replace, b.start_line, b.end_line, insert=b.operation == "insert")
                for b in change.diffs
            ]

        files = [FileBlocks(native(change.path), partial(edits, change)) for change in changes]
        found: Sequence[Mapping[str, Any]] = call.use(apply_blocks, files).data["results"]
        return found

    contexts: dict[int, str] = {}

    def answer(change: FileDiff, made: Mapping[str, Any]) -> Item:
        result: Item = {"path": change.path, "success": True, "diff_count": len(change.diffs)}
        if made.get("syntax_warning"):
            result["warning"] = made["syntax_warning"]
        return result

    def failed(change: FileDiff, text: str) -> Item:
        result: Item = {"path": change.path, "success": False, "error": text}
        context = contexts.get(id(change))
        if context is not None:
            result["context"] = context
        return result

    def noted(changes: Sequence[FileDiff]) -> Sequence[Mapping[str, Any]]:
        outcomes = request(changes)
        for change, outcome in zip(changes, outcomes, strict=True):
            found = (outcome.get("error") or {}).get("text_found")
            if found is not None:
                contexts[id(change)] = found
        return outcomes

    return per_item(call, arguments.changes, lambda change: [change.path], noted, answer, failed)


def edit_file(call: Call, arguments: EditArguments) -> ToolResult:
    """Insert, replace or delete by line and text; the changes of one file are made together or not."""
    from filewright.tools.line_edits import FileEdits, LineEdits, edit_lines

    def request(changes: Sequence[FileChange]) -> Sequence[Mapping[str, Any]]:
        together: dict[str, list[FileChange]] = {}
        for change in changes:
            together.setdefault(native(change.path), []).append(change)
        files = [FileEdits(path, [_edit(call, each) for each in of_it]) for path, of_it in together.items()]
        made = call.use(edit_lines, LineEdits(files, preview=arguments.dry_run)).data["results"]
        outcomes: dict[int, Mapping[str, Any]] = {}
        for of_it, outcome in zip(together.values(), made, strict=True):
            for index, change in enumerate(of_it):
                outcomes[id(change)] = _outcome(outcome, index)
        return [outcomes[id(change)] for change in changes]

    def answer(change: FileChange, outcome: Mapping[str, Any]) -> Item:
        if "skipped" in outcome:
            return {"path": change.path, "status": "skipped", "message": outcome["skipped"]}
        done = "changes calculated (dry run)" if arguments.dry_run else "modified successfully"
        result: Item = {"path": change.path, "status": "success", "message": f"File {change.path} {done}."}
        if outcome.get("unchanged"):
            result["message"] = f"File {change.path} reads like this already; nothing was written."
        if outcome.get("syntax_warning"):
            result["message"] += f" warning: {outcome['syntax_warning']}"
        if arguments.output_diff:
            result["diff"] = outcome["diff"]
        return result

    return per_item(
        call,
        arguments.changes,
        lambda change: [change.path],
        request,
        answer,
        lambda change, text: {"path": change.path, "status": "failed", "message": text, "error": text},
    )


def _outcome(outcome: Mapping[str, Any], index: int) -> Mapping[str, Any]:
    """What became of one change of a file: of a refused file, the one refused fails, the others are skipped."""
    error = outcome.get("error")
    if error is None or error.get("edit", index) == index:
        return outcome
    return {"skipped": f"not made, because change {error['edit'] + 1} of this file was refused"}


def _edit(call: Call, change: FileChange) -> LineEdit:
    from filewright.edit import LineEdit, replacement
    from filewright.search import compile_pattern

    pattern = template = None
    if change.use_regex and change.search_pattern:
        search = change.search_pattern
        pattern = compile_pattern(
            search,
            mode="regex",
            case="sensitive",
            multiline="\\n" in search or "\n" in search,
            max_chars=call.context.settings.max_pattern_chars,
        )
        if change.replace_content is not None:
            template = replacement(_TEMPLATE.sub(_native_group, change.replace_content), pattern)
    return LineEdit(
        change.start_line,
        change.search_pattern,
        change.replace_content,
        change.ignore_leading_whitespace,
        change.preserve_indentation,
        change.match_occurrence,
        pattern,
        template,
    )
