"""Edits of several files, each changed or refused on its own; not listed natively, they serve the dialects.

`apply_blocks` replaces and inserts lines by their numbers, `edit_lines` the nth text from a line on,
`replace_in_order` every match of several patterns, one after the other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeVar

from filewright.edit import (
    Edit,
    LineEdit,
    Overlay,
    Plan,
    Replacement,
    edit_of,
    plan,
    replace_matches,
    replacement,
)
from filewright.errors import Code, FilewrightError
from filewright.progress import Task
from filewright.search import Pattern, compile_pattern
from filewright.text import Snapshot, Splice, splice
from filewright.tools.batch import check_count
from filewright.tools.context import Context
from filewright.tools.pipeline import Change, change_text

I = TypeVar("I")


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """What became of one file: changed (unless it reads so already), or refused with an `error`.

    `replacements` counts the matches of `replace_in_order`.
    """

    path: str
    changed: bool = False
    diff: str = ""
    warning: str = ""
    replacements: int = 0
    error: FilewrightError | None = None

    @property
    def refused_edit(self) -> int | None:
        """The index of the one edit of the file that could not be made, if it was one."""
        return None if self.error is None else self.error.details.get("edit")


@dataclass(frozen=True, slots=True)
class FileBlocks:
    """The edits of one file, each with its lines; made when the file's turn comes, for it may be refused."""

    path: str
    edits: Callable[[], Sequence[Edit]]


@dataclass(frozen=True, slots=True)
class FileEdits:
    """The edits of one file, all found on it as it is."""

    path: str
    edits: Sequence[LineEdit]


@dataclass(frozen=True, slots=True)
class OrderedReplacement:
    """Replace every match of `pattern`; `replacement` is a template in regex mode only."""

    pattern: str
    replacement: str
    mode: Literal["literal", "regex"] = "literal"
    case: Literal["sensitive", "insensitive"] = "sensitive"
    multiline: bool = False


@dataclass(frozen=True, slots=True)
class _Replaced:
    """The splices that all replacements come to, and how many matches they replaced."""

    splices: Sequence[Splice]
    count: int = field(default=0)


def apply_blocks(context: Context, files: Sequence[FileBlocks], task: Task) -> tuple[ChangedFile, ...]:
    """Make the edits of every file; a file whose edits cannot all be made stays as it was.

    Raises `invalid_input` if two of the paths name one file.
    """
    _refuse_twice(context, files)

    def change(file: FileBlocks) -> ChangedFile:
        made = change_text(
            context,
            "apply_diff",
            file.path,
            lambda snapshot: plan(snapshot, file.edits(), fuzzy=False, task=task),
            task,
        )
        return _outcome(file.path, made)

    return _each(context, files, lambda file: file.path, change)


def _refuse_twice(context: Context, files: Sequence[FileBlocks]) -> None:
    seen: dict[object, str] = {}
    for file in files:
        try:
            key: object = context.boundary.stat(context.boundary.locate(file.path)).identity
        except FilewrightError:
            key = file.path
        if key in seen:
            raise FilewrightError(
                Code.INVALID_INPUT,
                f"{file.path} is named twice (also as {seen[key]}); each file may appear once",
                hint="join its blocks into one entry",
                details={"path": file.path},
            )
        seen[key] = file.path


def edit_lines(
    context: Context, files: Sequence[FileEdits], task: Task, *, preview: bool = False
) -> tuple[ChangedFile, ...]:
    """Make the edits of every file; a file whose edits cannot all be made stays as it was."""

    def change(file: FileEdits) -> ChangedFile:
        def planned(snapshot: Snapshot) -> Plan:
            edits = []
            for index, edit in enumerate(file.edits):
                try:
                    edits.append(edit_of(snapshot, edit, task=task))
                except FilewrightError as error:
                    error.details["edit"] = index
                    raise
            return plan(snapshot, edits, fuzzy=False, task=task)

        try:
            made = change_text(context, "edit_file", file.path, planned, task, preview=preview)
        except FilewrightError as error:
            if error.code == Code.NO_CHANGE:
                return ChangedFile(file.path)
            raise
        return replace(_outcome(file.path, made), changed=True)

    return _each(context, files, lambda file: file.path, change)


def replace_in_order(
    context: Context, paths: Sequence[str], replacements: Sequence[OrderedReplacement], task: Task
) -> tuple[ChangedFile, ...]:
    """Every replacement on the result of the one before it; one change per file, none if nothing matches.

    Raises `invalid_input` for a pattern or replacement that is wrong.
    """
    compiled = [_compiled(context, each) for each in replacements]

    def change(path: str) -> ChangedFile:
        made = change_text(
            context,
            "replace_content",
            path,
            lambda snapshot: _replaced(context, snapshot, compiled, task),
            task,
        )
        return replace(_outcome(path, made), replacements=made.files[0].decision.count)

    return _each(context, paths, str, change)


def _compiled(context: Context, wanted: OrderedReplacement) -> tuple[Pattern, Replacement]:
    pattern = compile_pattern(
        wanted.pattern,
        mode=wanted.mode,
        case=wanted.case,
        multiline=wanted.multiline,
        max_chars=context.settings.max_pattern_chars,
    )
    return pattern, replacement(wanted.replacement, pattern)


def _replaced(
    context: Context, snapshot: Snapshot, compiled: Sequence[tuple[Pattern, Replacement]], task: Task
) -> _Replaced:
    splices: Sequence[Splice] = ()
    current = snapshot
    total = 0
    for pattern, new in compiled:
        made = replace_matches(current, pattern, new, task=task)
        total += made.count
        if not made.splices:
            continue
        splices = Overlay(snapshot, splices).composed(made.splices) if splices else made.splices
        if len(compiled) > 1:
            current = _with(context, snapshot, splices)
    return _Replaced(splices, total)


def _with(context: Context, snapshot: Snapshot, splices: Sequence[Splice]) -> Snapshot:
    """The snapshot as the replacements so far leave it."""
    if snapshot.held is None:
        raise FilewrightError(
            Code.TOO_LARGE,
            f"{snapshot.asked} is too large for several operations in one call",
            hint="send one operation per call",
            details={"path": snapshot.asked, "size": snapshot.size, "limit": context.settings.hold_bytes},
        )
    return Snapshot.of_bytes(
        splice.apply(snapshot.held, splices),
        encoding=snapshot.encoding.name,
        location=snapshot.location,
        settings=context.settings,
    )


def _outcome(path: str, made: Change[Any]) -> ChangedFile:
    return ChangedFile(path, made.record is not None, made.diff.text, "; ".join(made.warnings))


def _each(
    context: Context, items: Sequence[I], name: Callable[[I], str], change: Callable[[I], ChangedFile]
) -> tuple[ChangedFile, ...]:
    """`change` of every item in order; a failure is the outcome of its item."""
    check_count(context, items)
    outcomes = []
    for item in items:
        try:
            outcomes.append(change(item))
        except FilewrightError as error:
            if error.code in (Code.CANCELLED, Code.TIMEOUT):
                raise
            outcomes.append(ChangedFile(name(item), error=error))
    return tuple(outcomes)
