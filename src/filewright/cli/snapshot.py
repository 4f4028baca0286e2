"""`filewright snapshot`: record what a shell command does, by a call before it and one after it."""

from __future__ import annotations

import hashlib
import json
import os
import re
import secrets
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import click

from filewright.cli.options import caller_options, open_workspace, settings_from, workspace_options
from filewright.cli.terminal import for_shell, write
from filewright.errors import FilewrightError
from filewright.wording import listed

_INPUT_BYTES = 64 << 20
_SHELLS = ("Bash", "Shell", "bash", "run_shell_command")
_IN_PATCH = re.compile(r"^\*\*\* (?:Add|Update|Delete) File: (.*\S)", re.MULTILINE)
_PATHS = ("file_path", "filePath", "notebook_path", "absolute_path", "path")
_WARNED = ("PreToolUse", "BeforeTool")
"""The events for which a hook may say something to the user."""
_AHEAD_SECONDS, _ROUND_SECONDS = 240, 0.5
_PROJECT = ("CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR", "QWEN_PROJECT_DIR", "CURSOR_PROJECT_DIR")


class HookCall(NamedTuple):
    """What an agent tells a hook of a shell command, or of a tool of its own; None what it does not tell.

    `label` is what history calls the use of a tool; `prompt` is there where a turn begins.
    """

    command: str | None = None
    label: str | None = None
    session: str | None = None
    turn: str | None = None
    roots: Sequence[str] = ()
    identifier: str | None = None
    event: str | None = None
    prompt: str | None = None


def _told(hook: bool) -> HookCall:
    """What is on standard input, by the names that each agent has for it."""
    given = json.loads(sys.stdin.buffer.read(_INPUT_BYTES) or b"{}") if hook else None
    if not isinstance(given, dict):
        return HookCall()

    def first(*names: str, among: Mapping[str, Any] = given) -> str | None:
        found = map(among.get, names)
        return next((value for value in found if isinstance(value, str) and value), None)

    arguments = given.get("tool_input")
    arguments = arguments if isinstance(arguments, dict) else {}
    command = first("command") or first("command", among=arguments)
    label = first("tool_name")
    if label in _SHELLS:
        label = None
    elif label is not None:
        patch = first("patchText", "command", among=arguments) or ""
        path = first(*_PATHS, among=arguments)
        if names := [os.path.basename(each) for each in ([path] if path else _IN_PATCH.findall(patch))]:
            word = next((word for word in ("Write", "Delete") if word.lower() in label.lower()), "Edit")
            label = f"{word} {listed(names, 2)}"
    session, turn = first("session_id", "conversation_id"), first("turn_id", "generation_id", "prompt_id")
    folder, served = first("cwd"), given.get("workspace_roots")
    roots = [each for each in served if isinstance(each, str)] if isinstance(served, list) else []
    roots = [*filter(None, map(os.environ.get, _PROJECT))][:1] or roots or ([folder] if folder else [])
    # The call after the command has no number from the one before it, but says the same of the command.
    key = "\0".join((session or "", first("tool_use_id") or f"{turn or ''}\0{command or label or ''}"))
    identifier = hashlib.sha256(key.encode("utf-8", "replace")).hexdigest()[:32]
    prompt = given.get("prompt")
    prompt = prompt if isinstance(prompt, str) else None
    event = first("hook_event_name")
    return HookCall(command, label, session, turn, roots, identifier, event, prompt)


@contextmanager
def _out_of_the_way(hook: bool) -> Iterator[None]:
    """A hook never fails: some agents take that for a no to the command."""
    try:
        yield
    except FilewrightError as error:
        write(for_shell(error), to_error=True)
    except (OSError, ValueError, RecursionError) as error:
        write(f"filewright: {error}", to_error=True)
    else:
        return
    sys.exit(0 if hook else 1)


_hook = click.option("--hook", is_flag=True, help="Called by an agent: its JSON is on standard input.")


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
def begin(*, hook: bool, roots: tuple[str, ...], state_dir: Path | None) -> None:
    """Note what is there before a command; prints the id for `end`.

    Called by a hook before a prompt, it notes which session of the agent begins a turn.
    """
    from filewright.progress import Task

    with _out_of_the_way(hook):
        call = _told(hook)
        if call.prompt == "":
            return  # Qwen Code tells it of what its tools have answered too: the turn goes on.
        with open_workspace(roots or call.roots, state_dir=state_dir) as workspace:
            if call.prompt is None:
                task = Task(seconds=workspace.settings.call_seconds)
                line = call.command or call.label or ""
                made = workspace.begin_command(call.identifier, command=line, task=task)
                if task.notices and call.event in _WARNED:
                    write(json.dumps({"systemMessage": "\n".join(task.notices)}))
            else:
                from filewright.page import Words
                from filewright.system import client_process

                if call.session and (process := client_process()):
                    Words(workspace).prompt(process, call.session, call.turn or secrets.token_hex(4))
                _keep_ahead([os.fsdecode(root.path) for root in workspace.roots], state_dir)
        if not hook:
            write(made)


def _keep_ahead(roots: Sequence[str], state_dir: Path | None) -> None:
    """Begin to keep what files hold, in a process that nobody waits for."""
    import subprocess

    state = ["--state-dir", str(state_dir)] if state_dir is not None else []
    subprocess.Popen(
        [sys.executable, "-m", "filewright", "snapshot", "keep", *(f"--root={root}" for root in roots), *state],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip


@snapshot.command(hidden=True)
@workspace_options
def keep(*, roots: tuple[str, ...], state_dir: Path | None) -> None:
    """Keep what files hold for commands to come, a little at a time, so that these need not wait for it."""
    from filewright.progress import Task

    if hasattr(os, "nice"):
        os.nice(10)
    with _out_of_the_way(hook=True), open_workspace(roots, state_dir=state_dir) as workspace:
        task = Task(seconds=_AHEAD_SECONDS)
        while not workspace.changes.keep_ahead(task, seconds=_ROUND_SECONDS):
            time.sleep(0.1)  # A hook may be waiting for the cache.


@snapshot.command()
@click.argument("identifier", required=False, metavar="ID")
@click.option("--command", "line", metavar="TEXT", help="The command line, for the history.")
@click.option("--turn", metavar="NAME", help="The part of the conversation it belongs to.")
@_hook
@caller_options
@workspace_options
def end(
    *,
    identifier: str | None,
    line: str | None,
    turn: str | None,
    hook: bool,
    session: str | None,
    actor: str | None,
    roots: tuple[str, ...],
    state_dir: Path | None,
) -> None:
    """Record what is different since `begin`; prints the changes made of it."""
    if identifier is None and not hook:
        raise click.UsageError("give the ID that begin has printed")
    from filewright.changes import begun_in
    from filewright.page import Words, for_hook
    from filewright.system import client_process

    with _out_of_the_way(hook):
        call = _told(hook)
        identifier = identifier or call.identifier or ""
        session, turn = session or call.session, turn or call.turn
        # The command may have gone to another folder since.
        begun = begun_in(settings_from(state_dir=state_dir), identifier)
        with open_workspace(roots or begun or call.roots, session, actor, state_dir=state_dir) as workspace:
            line = line or call.command or "a shell command"
            if turn is None and (process := client_process()):
                told = Words(workspace).prompted(process)
                turn = told[1] if told is not None and told[0] == session else None
            records = workspace.end_command(identifier, line, turn=turn, label=call.label)
            if hook:
                if said := for_hook(workspace, call.event, session, actor):
                    write(said)
                return
        for record in records:
            write("\n".join([f"{record.id}  {record.summary}", *(f"[{note}]" for note in record.notes)]))
        if not records:
            write("nothing was changed")
