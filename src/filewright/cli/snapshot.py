"""`filewright snapshot`: record what a shell command does, by a call before it and one after it."""

from __future__ import annotations

import os
import time
from typing import Any

import click

from filewright.cli import hook as hooks
from filewright.cli import open_workspace, write
from filewright.cli.options import (
    caller_options,
    report_refusals,
    workspace_options,
)
from filewright.recording.hooks import HookCall

_AHEAD_SECONDS, _ROUND_SECONDS = 240, 0.5

_hook = click.option(
    "--hook",
    is_flag=True,
    expose_value=False,
    help="Called by an agent, whose JSON is on standard input.",
)


@click.group(
    epilog="""\b
Examples:
  id=$(filewright snapshot begin); make format; filewright snapshot end "$id" --command "make format"

Agents that have hooks make these calls by themselves: docs/hooks.md has what to put into each."""
)
def snapshot() -> None:
    """Record what a shell command changes, so that it is shown, undone and rewound like any change."""


@snapshot.command()
@_hook
@workspace_options
def begin(**given: Any) -> None:
    """Note what is there before a command; prints the id for `end`.

    Called by a hook before a prompt, it notes which session of the agent begins a turn.
    """
    with report_refusals():
        write(str(hooks.begin(HookCall(**given))))


@snapshot.command(hidden=True)
@workspace_options
def keep(*, roots: tuple[str, ...], state_dir: str | None) -> None:
    """Keep what files hold for commands to come, a little at a time, so that these need not wait for it."""
    from filewright.progress import Task

    if hasattr(os, "nice"):
        os.nice(10)
    with (
        hooks.report_errors(),
        open_workspace(roots, state_dir=state_dir) as workspace,
    ):
        task = Task(seconds=_AHEAD_SECONDS)
        while not workspace.recorder.store_ahead(task, seconds=_ROUND_SECONDS):
            time.sleep(0.1)  # A hook may be waiting for the cache.


@snapshot.command()
@click.argument("identifier", metavar="ID")
@click.option(
    "--command", metavar="TEXT", help="The command line, for the history."
)
@click.option(
    "--turn", metavar="NAME", help="The part of the conversation it belongs to."
)
@_hook
@caller_options
@workspace_options
def end(**given: Any) -> None:
    """Record what is different since `begin`; prints the changes made of it."""
    with report_refusals():
        records = hooks.end(HookCall(**given))
        for record in records:
            write(
                "\n".join(
                    [
                        f"{record.id}  {record.summary}",
                        *(f"[{note}]" for note in record.notes),
                    ]
                )
            )
        if not records:
            write("nothing was changed")
