"""The command `diff`, which shows what differs between two moments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from filewright.cli.history_options import path_option, person_command
from filewright.cli.options import json_option, stat_option
from filewright.cli.terminal import write_json, write_paged
from filewright.wording import pluralize

if TYPE_CHECKING:
    from filewright.workspace import Workspace

MAX_DIFF_LINES = 100_000


@click.command(
    short_help="Show what differs between two moments",
    epilog="""\b
Examples:
  filewright diff 14:00..15:30         what differs between two times
  filewright diff CHANGE..CHANGE       between two changes, without the first
  filewright diff last                 from before the last session until now
  filewright diff yesterday.. --path src""",
)
@click.argument("moments", metavar="A..B")
@path_option
@stat_option
@json_option
@person_command
def diff(
    workspace: Workspace,
    *,
    moments: str,
    path: str | None,
    has_files: bool,
    as_json: bool,
) -> None:
    """Show what differs between the moments A and B.

    A moment is a time, a change (CHANGE: right after it; CHANGE^: right before it) or a
    session (as A its begin, as B its end). Without B: until now.
    """
    selection = workspace.between(moments, path=path)
    record = selection.record
    result = workspace.changes.diff_record(record, max_lines=MAX_DIFF_LINES)
    if as_json:
        files: list[dict[str, Any]] = []
        for file in result.files:
            files.append(
                {
                    "path": file.path,
                    "action": file.action,
                    "added": file.added,
                    "removed": file.removed,
                }
            )
        write_json(
            {
                "change_ids": list(selection.change_ids),
                "files": files,
                "diff": result.text,
            }
        )
        return
    changes = pluralize(len(selection.change_ids), "change")
    lines = [f"{selection.description} ({changes})"]
    if has_files:
        for file in result.files:
            counts = "binary"
            if file.added is not None and file.removed is not None:
                counts = f"+{file.added:,} −{file.removed:,}"
            lines.append(f"{file.action} {file.path}  {counts}")
    else:
        lines.append(result.text)
    write_paged("\n".join(lines))
