"""Changes of files that undo others: their preview, the question, and what was done."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from filewright.changes.selection import Scope
from filewright.cli import write
from filewright.cli.history_options import preview_command
from filewright.cli.hunks import choose_hunks
from filewright.cli.options import dry_run_option, json_option, yes_option
from filewright.cli.picker import can_ask, require_terminal
from filewright.cli.terminal import confirm_or_exit, write_json, write_paged
from filewright.errors import FilewrightError
from filewright.wording import pluralize

if TYPE_CHECKING:
    from filewright.tools.revert import RevertResult
    from filewright.workspace import Workspace

_ACTION_ORDER = ("created", "modified", "moved", "attributes", "deleted")


force_option = click.option(
    "--force", is_flag=True, help="Undo even if this discards later changes."
)
partial_option = click.option(
    "--partial",
    is_flag=True,
    help="Undo the rest where later changes conflict, and show both sides of each conflict.",
)
shared_option = click.option(
    "--include-shared",
    is_flag=True,
    help="Undo also changes that another command, running at the same time, may have made.",
)
hunks_option = click.option(
    "-p",
    "--patch",
    "by_hunk",
    is_flag=True,
    help="Choose hunk by hunk what to keep and what to undo.",
)


@dataclass(frozen=True, slots=True)
class ConfirmedReversal:
    """A change of the files that undoes others.

    `verb` begins the question that is asked before it: "Undo", "Rewind". `target` ends
    it, where more than the number of files has to be said. `revert` is called with True
    for a preview, and with False to make the change. `headline` is the first line of the
    preview, where it is not that of the result. `subject` names what is undone, in a
    sentence. `can_redo` tells that `filewright redo` takes the change back.
    """

    verb: str
    revert: Callable[[bool], RevertResult]
    target: str = ""
    headline: Callable[[RevertResult], str] | None = None
    subject: str = ""
    can_redo: bool = True


def revert(
    workspace: Workspace, arguments: Mapping[str, Any], *, preview: bool
) -> RevertResult:
    """Undo what the arguments of `revert_edit` name, or preview that."""
    # A preview is rendered here, and what was done was shown by it.
    return workspace.revert_edit(**arguments, preview=preview, diff="none")


def make_reversal(
    workspace: Workspace,
    verb: str,
    arguments: Mapping[str, Any],
    *,
    target: str = "",
    subject: str = "",
    can_redo: bool = True,
) -> ConfirmedReversal:
    """Return the reversal of what the arguments of `revert_edit` name."""

    def act(preview: bool) -> RevertResult:
        return revert(workspace, arguments, preview=preview)

    return ConfirmedReversal(
        verb, act, target, subject=subject, can_redo=can_redo
    )


def choose_parts(
    workspace: Workspace, arguments: dict[str, Any]
) -> dict[str, Any]:
    """Return arguments limited to the hunks that a person wants to undo."""
    require_terminal(
        "--patch needs a terminal; without one, choose a hunk with --path and "
        "--hunk"
    )
    path = arguments.get("path")
    location = None
    if path is not None:
        location = workspace.context.boundary.locate(path)
    scope = Scope(
        arguments.get("change_id"),
        session=arguments.get("session"),
        since=arguments.get("since"),
        prompt=arguments.get("prompt"),
        path=location,
    )
    parts = choose_hunks(workspace, scope)
    return {**arguments, "path": None, "parts": parts}


def may_ask() -> bool:
    """Return True if a person can be asked, and wants to be."""
    options = click.get_current_context().params
    return can_ask() and not (options["yes"] or options["dry_run"])


def confirmed(command: Callable[..., ConfirmedReversal]) -> Callable[..., None]:
    """Return a command that shows the preview of a reversal, asks, and makes it.

    It has the options to leave out the question, to show the preview alone, and to
    print the result as JSON.
    """

    @wraps(command)
    def run(
        workspace: Workspace,
        *,
        yes: bool,
        dry_run: bool,
        as_json: bool,
        **arguments: Any,
    ) -> None:
        if as_json and not (yes or dry_run):
            # A question in the output would be no JSON.
            raise click.UsageError("--json needs --yes or --dry-run")
        reversal = command(workspace, **arguments)
        if as_json:
            result = reversal.revert(dry_run)
            write_json(describe_result(workspace, result))
            return
        # With --yes the preview would only cost time.
        if dry_run or not yes:
            preview = reversal.revert(True)
            write_paged(render_preview(reversal, preview))
            if dry_run:
                return
            confirm_or_exit(render_question(reversal, preview))
        result = reversal.revert(False)
        write_paged(render_done(reversal, result))
        if may_ask():
            way_back = "redo"
            if not reversal.can_redo:
                way_back = f"undo {result.change_id}"
            write(f"(filewright {way_back} takes it back)")

    return dry_run_option(yes_option(json_option(preview_command(run))))


def render_preview(reversal: ConfirmedReversal, preview: RevertResult) -> str:
    """Return what a reversal would do: every file, then the whole diff."""
    headline, _, _ = preview.text.partition("\n")
    if reversal.headline is not None:
        headline = reversal.headline(preview)
    elif reversal.subject:
        headline = (
            f"{_name_subject(reversal, preview)} would be undone "
            f"(preview; nothing was written){_count_changes(preview)}"
        )
    lines = [headline, *(f"[{note}]" for note in preview.notes)]
    if preview.conflicts:
        lines.append("unchanged, since the file has changed since:")
        lines += [conflict.sides.lstrip("\n") for conflict in preview.conflicts]
    difference = preview.difference
    for file in difference.planned:
        names = file.path
        if file.previous_path is not None:
            names = f"{file.previous_path} → {file.path}"
        lines.append(f"{file.action}: {names}")
    if difference.unlisted:
        lines.append(pluralize(difference.unlisted, "more file"))
    return "\n".join([*lines, "", difference.text.rstrip("\n")])


def render_done(reversal: ConfirmedReversal, result: RevertResult) -> str:
    """Return what a reversal has done: the change, notes, conflicts and files."""
    headline, line_end, rest = result.text.partition("\n")
    if reversal.subject:
        headline = (
            f"undid {_name_subject(reversal, result)}{_count_changes(result)}; "
            f"change {result.change_id}"
        )
    return f"{headline}{line_end}{rest}"


def _name_subject(reversal: ConfirmedReversal, result: RevertResult) -> str:
    """Return the subject of a reversal, with the part of it that was meant."""
    if result.part:
        return f"{result.part} of {reversal.subject}"
    return reversal.subject


def _count_changes(result: RevertResult) -> str:
    """Return the number of changes that are undone, if there are several."""
    count = len(result.reverted)
    return "" if count < 2 else f": {pluralize(count, 'change')}"


def render_question(reversal: ConfirmedReversal, preview: RevertResult) -> str:
    """Return the question before a reversal, with numbers: Undo 3 files (1 deleted)?"""
    counts = count_actions(preview)
    total = sum(counts.values())
    question = f"{reversal.verb} {pluralize(total, 'file')}"
    if not total:
        question = f"{reversal.verb} this"
    special: list[str] = []
    for action, count in counts.items():
        # "3 files (3 modified)" would say nothing; "(deleted)" warns.
        if action != "modified" and count < total:
            special.append(f"{count:,} {_describe_action(action)}")
        elif action == "deleted":
            special.append("deleted")
    if special:
        question += f" ({', '.join(special)})"
    if reversal.target:
        question += f" {reversal.target}"
    return f"{question}?"


def _describe_action(action: str) -> str:
    return "with another mode" if action == "attributes" else action


def count_actions(preview: RevertResult) -> Mapping[str, int]:
    """Return the number of files that a reversal creates, modifies, moves and deletes."""
    counts: dict[str, int] = {}
    for action in _ACTION_ORDER:
        for file in preview.difference.planned:
            if file.action == action and not file.path.endswith("/"):
                counts[action] = counts.get(action, 0) + 1
    if preview.difference.unlisted:
        unlisted_count = preview.difference.unlisted
        counts["modified"] = counts.get("modified", 0) + unlisted_count
    return counts


def describe_result(
    workspace: Workspace, result: RevertResult
) -> dict[str, Any]:
    """Return a reversal, or its preview, as JSON values with every file.

    The reversal is made even if its record cannot be read: then `files` has those
    that were read before.
    """
    files: list[dict[str, Any]] = []
    if result.change_id is None:
        for planned_file in result.difference.planned:
            files.append(
                {
                    "path": planned_file.path,
                    "action": planned_file.action,
                    "was": planned_file.previous_path,
                }
            )
    else:
        with suppress(FilewrightError):
            for change in workspace.record(result.change_id).file_changes:
                previous = change.renamed_from
                files.append(
                    {
                        "path": change.path.display_path,
                        "action": change.action,
                        "was": previous.display_path if previous else None,
                    }
                )
    return {**result.data, "files": files, "diff": result.diff}
