"""The commands `guard check` and `guard report`, which find and count damage."""

from __future__ import annotations

import json
import os
import shlex
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from filewright.cli import open_workspace, write
from filewright.cli.options import (
    ANY_PATH,
    json_option,
    report_refusals,
    setting_options,
    workspace_command,
)
from filewright.wording import pluralize, to_one_line

if TYPE_CHECKING:
    from filewright.recording.guard_check import (
        CheckResult,
        DamagedFile,
        PassedFile,
    )
    from filewright.recording.guard_report import GuardReport
    from filewright.workspace import Workspace

MAX_SHOWN_FILES = 10
"""The most files that are listed as not compared, or as not healed."""
CHECK_SECONDS = 3600.0


@click.group(short_help="Find and heal lines that changed without an edit")
def guard() -> None:
    """Find files in which lines changed that were not edited, and heal them."""


@guard.command(
    short_help="List files in which lines changed without an edit",
    epilog="""\b
Examples:
  filewright guard check               compare the files with the last commit
  filewright guard check --fix         the same, and heal what is damaged
  filewright guard check --staged      what is about to be committed
  filewright guard check --since main  since this branch left main

Exit codes: 0 nothing is damaged, or all of it was healed; 1 something is damaged; 2 wrong usage.""",
)
@click.argument("paths", nargs=-1, type=click.Path(), metavar="[PATH]...")
@click.option(
    "--since",
    metavar="REVISION",
    help="Compare with the commit where HEAD left this branch or commit.",
)
@click.option(
    "--staged", is_flag=True, help="Compare what is staged with HEAD."
)
@click.option(
    "--fix",
    is_flag=True,
    help="Heal what is damaged, as a change that can be undone; with --staged also in the index.",
)
@json_option
@setting_options("state_dir", "guard_exclude")
def check(
    *,
    paths: tuple[str, ...],
    since: str | None,
    staged: bool,
    fix: bool,
    as_json: bool,
    **settings: Any,
) -> None:
    """List the files of a git repository in which lines changed that were not edited.

    Damage is a change of an encoding, a byte-order mark, a line end or a permission to
    execute, and bytes that became U+FFFD. Changes of the text itself are not damage.
    PATH is a file, or a folder with all files below it.
    """
    from filewright.boundary.repository import find_repository
    from filewright.cli.terminal import show_progress

    if staged and since is not None:
        raise click.UsageError("give --since or --staged")
    folder = os.fsencode(os.getcwd())
    repository = find_repository(folder)
    if repository is None:
        raise click.UsageError(
            "this folder is in no git repository: there is nothing to compare its files with"
        )
    top = repository.top
    selected = [_below(top, folder, os.fsencode(path)) for path in paths]
    with (
        report_refusals(2),
        open_workspace(
            [os.fsdecode(top)], allow_write=ANY_PATH, **settings
        ) as workspace,
        show_progress("comparing", CHECK_SECONDS) as task,
    ):
        result = workspace.check_guard(
            since=since,
            staged=staged,
            paths=selected,
            fix=fix,
            # pre-commit restores unstaged changes as a patch of the index, and fails
            # a hook that has modified files by itself.
            keep_index="PRE_COMMIT" in os.environ,
            task=task,
        )
    names = _Names(top, folder)
    if as_json:
        write(json.dumps(_to_json(result, names), indent=2))
    else:
        _write_result(result, names, since)
    sys.exit(_exit_status(result))


def _below(top: bytes, folder: bytes, path: bytes) -> bytes:
    """Return a path as it is below the top of the working tree."""
    # The folder above is resolved, but no link at the end: git has links as such.
    absolute = os.path.normpath(os.path.join(folder, path))
    parent, name = os.path.split(absolute)
    absolute = os.path.join(os.path.realpath(parent), name)
    if absolute == top:
        return b""
    if not absolute.startswith(top.rstrip(b"/") + b"/"):
        raise click.UsageError(
            f"{os.fsdecode(path)} is not in the repository {os.fsdecode(top)}"
        )
    if not os.path.lexists(absolute):
        raise click.UsageError(f"{os.fsdecode(path)} does not exist")
    return absolute[len(top.rstrip(b"/")) + 1 :]


class _Names:
    """The paths of a repository, as they are from the current folder."""

    def __init__(self, top: bytes, folder: bytes) -> None:
        self._top = top
        self._folder = os.path.realpath(folder)

    def show(self, path: bytes) -> str:
        """Return a path from the current folder, quoted where needed."""
        from filewright.boundary.names import quote

        return quote(
            os.path.relpath(os.path.join(self._top, path), self._folder)
        )


def _exit_status(result: CheckResult) -> int:
    """Return 1 if something is damaged and was not healed."""
    if result.healing is not None:
        return int(bool(result.healing.unhealed))
    return int(bool(result.report.damaged))


def _write_result(
    result: CheckResult, names: _Names, since: str | None
) -> None:
    """Write a line for each damaged file; notes go to standard error."""
    report, healing = result.report, result.healing
    damaged = report.damaged if healing is None else healing.healed
    verb = "" if healing is None else "healed "
    rows = [f"{verb}{_row(file, names)}" for file in damaged]
    if rows:
        write("\n".join(rows))
    notes = _passed_rows(report.passed, "not compared", names)
    if healing is not None:
        notes += _passed_rows(healing.unhealed, "not healed", names)
        if healing.change_id is not None:
            notes.append(f"filewright undo {healing.change_id} undoes this")
    elif damaged:
        options = " --staged" if report.is_staged else ""
        if since is not None:
            options = f" --since {shlex.quote(since)}"
        notes.append(
            f"{pluralize(len(damaged), 'file')} damaged in lines that were not edited; "
            f"filewright guard check{options} --fix heals them"
        )
    elif report.commit is None:
        notes.append(
            "there is no commit yet, so there is nothing to compare with"
        )
    else:
        notes.append("no file is damaged")
    if notes:
        write("\n".join(notes), to_error=True)


def _row(file: DamagedFile, names: _Names) -> str:
    """Return the line of one damaged file."""
    lines = f" ({pluralize(file.lines, 'line')})" if file.lines else ""
    return f"{names.show(file.path)}: {', '.join(file.damage)}{lines}"


def _passed_rows(
    files: Sequence[PassedFile], label: str, names: _Names
) -> list[str]:
    """Return the lines of files that were passed over, not too many."""
    rows = [
        f"{label}: {names.show(file.path)}: {file.reason}"
        for file in files[:MAX_SHOWN_FILES]
    ]
    if len(files) > MAX_SHOWN_FILES:
        count = pluralize(len(files) - MAX_SHOWN_FILES, "more file")
        rows.append(f"{label}: {count}")
    return rows


def _to_json(result: CheckResult, names: _Names) -> dict[str, Any]:
    """Return a result as JSON values."""
    report, healing = result.report, result.healing
    healed = () if healing is None else healing.healed
    unhealed = () if healing is None else healing.unhealed
    files = []
    for file in report.damaged:
        files.append(
            {
                "path": names.show(file.path),
                "kinds": list(file.damage),
                "lines": file.lines,
                "encoding": file.encoding or None,
                "healed": file in healed,
            }
        )
    return {
        "commit": report.commit,
        "files": files,
        "not_compared": _passed_json(report.passed, names),
        "not_healed": _passed_json(unhealed, names),
        "change_id": None if healing is None else healing.change_id,
    }


def _passed_json(
    files: Sequence[PassedFile], names: _Names
) -> list[dict[str, str]]:
    """Return files that were passed over as JSON values."""
    return [
        {"path": names.show(file.path), "reason": file.reason} for file in files
    ]


@guard.command(
    short_help="Count the damage that was healed, or warned about",
    epilog="""\b
Examples:
  filewright guard report                   all damage recorded in this folder
  filewright guard report --session last    the damage of the newest session""",
)
@click.option(
    "--session",
    metavar="SESSION",
    help="Only damage of this session; last is the newest.",
)
@json_option
@workspace_command(allow_write=ANY_PATH)
def report(workspace: Workspace, *, session: str | None, as_json: bool) -> None:
    """Count the damage that was healed or only warned about, by client, tool and kind."""
    counted = workspace.guard_report(session)
    if as_json:
        write(json.dumps(_report_json(counted), indent=2))
        return
    rows = [
        (
            to_one_line(count.source.client),
            to_one_line(count.source.tool),
            str(count.source.kind),
            count.outcome,
        )
        for count in counted.counts
    ]
    widths = [
        max((len(row[column]) for row in rows), default=0)
        for column in range(3)
    ]
    for row in rows:
        padded = [
            text.ljust(width)
            for text, width in zip(row[:3], widths, strict=True)
        ]
        write("  ".join([*padded, row[3]]))
    write(counted.summary)


def _report_json(counted: GuardReport) -> dict[str, Any]:
    """Return a report as JSON values."""
    counts = [
        {
            "client": count.source.client,
            "tool": count.source.tool,
            "kind": count.source.kind,
            "healed": count.healed,
            "warned": count.warned,
        }
        for count in counted.counts
    ]
    return {
        "counts": counts,
        "healed": counted.healed,
        "warned": counted.warned,
        "has_more": counted.has_more,
    }
