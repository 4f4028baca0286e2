"""`filewright snapshot`: record the changes of a shell command, by calls before and after it."""

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

_STORE_SECONDS = 240
_ROUND_SECONDS = 0.5
_PAUSE_SECONDS = 0.1

_hook = click.option(
    "--hook",
    is_flag=True,
    expose_value=False,
    help="Called by an agent, whose JSON is on standard input.",
)


@click.group(
    short_help="Record what a shell command changes",
    epilog="""\b
Examples:
  id=$(filewright snapshot begin)
  make format
  filewright snapshot end "$id" --command "make format"

Agents with hooks do this automatically: see docs/hooks.md.""",
)
def snapshot() -> None:
    """Record the changes of a shell command, by calls before and after it."""


@snapshot.command(short_help="Record the files before a command; print its id")
@_hook
@workspace_options
def begin(**fields: Any) -> None:
    """Record the state of the files before a command, and print the id for `end`.

    When a hook calls it before a prompt, it records which session begins a turn.
    """
    with report_refusals():
        write(str(hooks.begin(HookCall(**fields))))


@snapshot.command(hidden=True)
@workspace_options
def keep(*, roots: tuple[str, ...], state_dir: str | None) -> None:
    """Store the contents of files for later commands, a little at a time.

    The commands then need not wait for it.
    """
    from filewright.progress import Task

    if hasattr(os, "nice"):
        os.nice(10)
    with (
        hooks.report_errors(),
        open_workspace(roots, state_dir=state_dir) as workspace,
    ):
        task = Task(seconds=_STORE_SECONDS)
        while not workspace.recorder.store_ahead(task, seconds=_ROUND_SECONDS):
            # A hook may be waiting for the cache.
            time.sleep(_PAUSE_SECONDS)


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
def end(**fields: Any) -> None:
    """Record the differences since `begin` as changes, and print these."""
    with report_refusals():
        records = hooks.end(HookCall(**fields))
        for record in records:
            notes = [f"[{note}]" for note in record.notes]
            heading = f"{record.id}  {record.summary}"
            write("\n".join([heading, *notes]))
        if not records:
            write("nothing was changed")
