"""The choice of what to undo hunk by hunk, as `git add -p` asks for what to add."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from filewright.cli import write
from filewright.cli.terminal import write_coloured
from filewright.edit.diff import DiffHunk, FileDiff
from filewright.wording import pluralize

if TYPE_CHECKING:
    from filewright.changes.diffs import FileDifference
    from filewright.changes.selection import Scope
    from filewright.workspace import Workspace

MAX_FILES = 1_000
MAX_HUNK_ROWS = 2_000
"""The most lines of a hunk that are shown before its question."""
_KEYS = (
    ("y", "keep this hunk"),
    ("n", "undo this hunk"),
    ("a", "keep this hunk and all later ones in the file"),
    ("d", "undo this hunk and all later ones in the file"),
    ("k", "go back to the hunk before"),
    ("q", "keep this hunk and all that follow, and end"),
    ("x", "leave without undoing anything"),
    ("?", "show this help"),
)


@dataclass(frozen=True, slots=True)
class Choice:
    """A hunk of a file, or with `hunk` None the file as a whole, to keep or to undo."""

    path: str
    text: str
    number: int
    total: int
    hunk: int | None


def choose_hunks(workspace: Workspace, scope: Scope) -> list[Mapping[str, Any]]:
    """Ask for every hunk of a scope; return the parts to undo, as tools name them.

    The command ends with status 1 if nothing is to be undone.
    """
    changed_files = workspace.changed_files(scope, limit=MAX_FILES)
    choices: list[Choice] = []
    for file in changed_files.files:
        choices += _split(file)
    if changed_files.next_offset is not None:
        rest = changed_files.file_count - changed_files.next_offset
        write(
            f"the last {pluralize(rest, 'file')} of {changed_files.file_count:,} are "
            "kept; --path limits the question to some",
            to_error=True,
        )
    rejected_choices = _ask_for_each(choices)
    if not rejected_choices:
        write("nothing was changed", to_error=True)
        sys.exit(1)
    return _to_parts(rejected_choices)


def _split(file: FileDifference) -> list[Choice]:
    """Return the hunks of a file, or the file as a whole where it has no hunks."""
    hunks: Sequence[DiffHunk] = ()
    if _has_hunks(file):
        hunks = file.diffs[0].hunks
    if not hunks:
        return [Choice(file.path, file.diff, 1, 1, None)]
    return [
        Choice(
            file.path,
            _render_hunk(file.diffs[0], hunk),
            number,
            len(hunks),
            hunk.number,
        )
        for number, hunk in enumerate(hunks, start=1)
    ]


def _has_hunks(file: FileDifference) -> bool:
    """Return True if the hunks of a file can be undone one by one."""
    if len(file.diffs) != 1 or file.diffs[0].truncated:
        return False
    # The hunks of a notebook are of its cells, not of the file.
    if file.path.lower().endswith(".ipynb"):
        return False
    return file.action == "modified"


def _render_hunk(diff: FileDiff, hunk: DiffHunk) -> str:
    """Return the text of a hunk, below the header of its file if it is the first."""
    lines = hunk.diff_text.splitlines(keepends=True)
    text = "".join(lines[:MAX_HUNK_ROWS])
    if len(lines) > MAX_HUNK_ROWS:
        text += pluralize(len(lines) - MAX_HUNK_ROWS, "more line") + "\n"
    return diff.header + text if hunk.number == 1 else text


def _ask_for_each(choices: Sequence[Choice]) -> list[Choice]:
    """Return the choices that a person wants to undo."""
    is_rejected: list[bool] = [False] * len(choices)
    index = 0
    while index < len(choices):
        choice = choices[index]
        write("")
        write_coloured(choice.text.rstrip("\n"))
        key = _ask(choice)
        if key == "x":
            return []
        if key == "q":
            break
        if key == "k":
            # The answer there is asked for again, and replaces the one given before.
            index = max(0, index - 1)
            continue
        next_index = index + 1
        if key in ("a", "d"):
            next_index = _find_next_file(choices, index)
        for position in range(index, next_index):
            is_rejected[position] = key in ("n", "d")
        index = next_index
    return [
        choice
        for choice, is_chosen in zip(choices, is_rejected, strict=True)
        if is_chosen
    ]


def _find_next_file(choices: Sequence[Choice], index: int) -> int:
    """Return the index of the first choice of the file after that of a choice."""
    # Like git's keys of these names, both stop at the end of the file.
    path = choices[index].path
    while index < len(choices) and choices[index].path == path:
        index += 1
    return index


def _ask(choice: Choice) -> str:
    """Return the key that a person answers the question for a hunk with."""
    noun = "this file" if choice.hunk is None else "this hunk"
    keys = ",".join(key for key, _ in _KEYS)
    question = click.style(
        f"({choice.number}/{choice.total}) {choice.path}: keep {noun} [{keys}]?",
        bold=True,
    )
    while True:
        # On standard error, so that output in a pipe has the hunks alone.
        answer: str = click.prompt(
            question,
            default="",
            show_default=False,
            prompt_suffix=" ",
            err=True,
        )
        key = answer.strip().lower()[:1]
        if key and any(key == letter for letter, _ in _KEYS) and key != "?":
            return key
        for letter, meaning in _KEYS:
            write(f"  {letter}  {meaning}", to_error=True)


def _to_parts(choices: Sequence[Choice]) -> list[Mapping[str, Any]]:
    """Return files and hunks in the form of the argument `parts`."""
    # None stands for all of a file: its content, its name and its rights.
    hunks_by_path: dict[str, list[int] | None] = {}
    for choice in choices:
        if choice.hunk is None:
            hunks_by_path[choice.path] = None
            continue
        numbers = hunks_by_path.setdefault(choice.path, [])
        if numbers is not None:
            numbers.append(choice.hunk)
    return [
        {"path": path, "hunks": numbers}
        for path, numbers in hunks_by_path.items()
    ]
