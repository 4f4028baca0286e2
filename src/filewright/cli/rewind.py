"""The commands `rewind` and `restore`, which go back to an earlier moment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from filewright.changes.moments import format_local_time, parse_moment
from filewright.cli.history_options import (
    complete_change,
    complete_session,
    no_history,
    path_option,
)
from filewright.cli.log_view import (
    quote_title,
    render_choice,
    render_version,
)
from filewright.cli.picker import (
    LIST_MARGIN,
    Option,
    choose_one,
    require_terminal,
)
from filewright.cli.reversal import (
    ConfirmedReversal,
    choose_parts,
    confirmed,
    force_option,
    hunks_option,
    make_reversal,
    may_ask,
    partial_option,
    revert,
    shared_option,
)
from filewright.cli.terminal import confirm_or_exit, get_width
from filewright.errors import Code, FilewrightError, invalid
from filewright.wording import pluralize

if TYPE_CHECKING:
    from filewright.cli.log_entries import LogGroup
    from filewright.tools.revert import RevertResult
    from filewright.workspace import Workspace

MAX_CHOICES = 30
"""The most prompts, or versions of a file, that a list offers."""


@click.command(
    short_help="Undo a prompt, a session, or all since a time",
    epilog="""\b
Examples:
  filewright rewind               choose a prompt from a list
  filewright rewind last          the newest session that changed something
  filewright rewind 3f9c12ab      a session (filewright log --sessions)
  filewright rewind "20 min ago"  all changes since then, by any client
  filewright rewind yesterday     all changes since yesterday began
  filewright rewind CHANGE        all changes after it; CHANGE^: with it""",
)
@click.argument("target", required=False, shell_complete=complete_session)
@path_option
@hunks_option
@force_option
@partial_option
@shared_option
@confirmed
def rewind(
    workspace: Workspace,
    *,
    target: str | None,
    path: str | None,
    by_hunk: bool,
    **options: bool,
) -> ConfirmedReversal:
    """Undo a prompt, a session, or all changes since a time or a change, as one change.

    Later changes to the same files are kept; if they conflict, nothing is undone, or
    with --partial only the rest. `filewright redo` undoes a rewind.
    """
    if path is not None and not workspace.history(path, limit=1):
        raise no_history(workspace, path)
    subject = ""
    if target is None:
        require_terminal(
            "name what to rewind: a session (last), a time (20 min ago) or a "
            "change; filewright log lists the changes"
        )
        group = _choose_prompt(workspace)
        selector: dict[str, str | None] = {"prompt": group.entries[0].record.id}
        title = group.words or group.entries[0].title
        subject = f"{quote_title(title)} by {group.author}"
    else:
        scope = workspace.scope(named=target)
        since = scope.since
        if since is not None:
            since = _limit_to_history(workspace, since)
        selector = {"session": scope.session, "since": since}
    arguments: dict[str, Any] = {**selector, "path": path, **options}
    if by_hunk:
        arguments = choose_parts(workspace, arguments)
    return make_reversal(workspace, "Rewind", arguments, subject=subject)


def _choose_prompt(workspace: Workspace) -> LogGroup:
    """Return the prompt that a person chooses."""
    from filewright.cli.log_entries import LogEntryReader

    groups = LogEntryReader(workspace).prompts(MAX_CHOICES)
    if not groups:
        raise FilewrightError(
            Code.NOT_FOUND,
            "there is no change to undo",
            "filewright log lists the changes",
        )
    width = get_width() - LIST_MARGIN
    options: list[Option] = []
    for number, group in enumerate(groups):
        options.append(Option(render_choice(group, width), str(number)))
    return groups[int(choose_one("Rewind which prompt?", options))]


def _limit_to_history(workspace: Workspace, since: str) -> str:
    """Return a moment of the history; ask before all of it is taken for an earlier one.

    Without an answer the moment stays as it is, and is refused.
    """
    moment = parse_moment(since)
    heads = list(workspace.changes.heads())
    if moment is None or not heads or moment >= heads[-1].number:
        return since
    # A script that misjudged the time must not lose everything: it is refused.
    if not may_ask():
        return since
    first = heads[-1]
    begin = format_local_time(first.number)
    confirm_or_exit(
        f"{since} is before the oldest change here ({begin}). "
        f"Rewind everything, {pluralize(len(heads), 'change')}?"
    )
    return f"{first.id}^"


@click.command(
    short_help="Give a file or folder the content it had earlier",
    epilog="""\b
Examples:
  filewright restore a.txt             choose a version from a list
  filewright restore a.txt CHANGE      the file right after a change
  filewright restore a.txt CHANGE^     the file right before it
  filewright restore src "1 hour ago"  a folder, with files deleted since""",
)
@click.argument("path", type=click.Path())
@click.argument("when", required=False, shell_complete=complete_change)
@confirmed
def restore(
    workspace: Workspace, *, path: str, when: str | None
) -> ConfirmedReversal:
    """Restore the content that PATH had at a time, or right after a change."""
    if not workspace.history(path, limit=1):
        raise no_history(workspace, path)
    if when is None:
        require_terminal(
            "name the time or change to restore the content of: "
            f"filewright log {path} lists the changes"
        )
        when = _choose_version(workspace, path)
    elif workspace.scope(named=when).since is None:
        raise invalid(
            f"{when} is a session; restore needs a time or a change",
            "filewright rewind SESSION --path PATH undoes what a session did to a file",
        )
    arguments = {"since": when, "path": path, "force": True}

    def restore_path(preview: bool) -> RevertResult:
        try:
            return revert(workspace, arguments, preview=preview)
        except FilewrightError as error:
            is_other_path = error.code is Code.NOT_FOUND and (
                "path" in error.details
            )
            if not is_other_path and error.code is not Code.NO_CHANGE:
                raise
            raise FilewrightError(
                Code.NO_CHANGE,
                f"{path} has not changed since {when}",
                f"filewright log {path} lists its changes",
                path=path,
            ) from error

    def headline(preview: RevertResult) -> str:
        difference = preview.difference
        return (
            f"{path} would be as it was {_describe_moment(workspace, when)} "
            f"(+{difference.added:,} −{difference.removed:,})"
        )

    return ConfirmedReversal("Restore", restore_path, headline=headline)


def _choose_version(workspace: Workspace, path: str) -> str:
    """Return the change after which, or before which, a person wants a path's content."""
    from filewright.cli.log_entries import LogEntryReader

    records = workspace.history(path, limit=MAX_CHOICES)
    width = get_width() - LIST_MARGIN
    options: list[Option] = []
    for entry in LogEntryReader(workspace).entries(records):
        title = render_version(entry, width)
        options.append(Option(title, entry.record.id))
    # A version is named by the change that made it; the first one has none.
    options.append(Option("before all these changes", f"{records[-1].id}^"))
    return choose_one(f"Restore {path} as it was after which change?", options)


def _describe_moment(workspace: Workspace, when: str) -> str:
    """Return a moment in words: "at 14:08:24", or right after or before a change."""
    moment = parse_moment(when)
    if moment is not None:
        return f"at {format_local_time(moment)}"
    record = workspace.record(when.removesuffix("^"))
    side = "before" if when.endswith("^") else "after"
    return f"right {side} the change {record.id}"
