"""The command that clients' hooks run before and after each command and edit of an agent.

It is `filewright snapshot begin --hook` before it, and `filewright snapshot end --hook`
after it. Neither ever fails, see `report_errors`. The client waits for the command:
every function imports only the modules that its own call needs.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from filewright.cli import build_settings, open_workspace, write
from filewright.errors import FilewrightError
from filewright.recording.hooks import HookCall, parse_hook_call
from filewright.recording.session import command_summary, recorded_line

if TYPE_CHECKING:
    from filewright.changes.model import ChangeRecord
    from filewright.progress import Task
    from filewright.workspace import Workspace

MAX_INPUT_BYTES = 64 << 20
_OPTIONS = {
    "--root": "roots",
    "--state-dir": "state_dir",
    "--session": "session",
    "--actor": "actor",
    "--turn": "turn",
    "--command": "command",
    "--guard": "guard",
}
"""The field of `HookCall` that each option sets, instead of the client's value."""
_DETACHED = ("agent_start",)
"""The events for which a client does not wait until the hook ends."""


@contextmanager
def report_errors() -> Iterator[None]:
    """Print errors instead of failing: some clients refuse a command if its hook fails."""
    try:
        yield
    except FilewrightError as error:
        from filewright.cli.terminal import render_for_shell

        write(render_for_shell(error), to_error=True)
    except (OSError, ValueError, RecursionError) as error:
        write(f"filewright: {error}", to_error=True)


def run_hook(words: Sequence[str]) -> bool:
    """Run a hook by its arguments. Return False if they are not those of a hook."""
    if words[:1] not in (["begin"], ["end"]) or "--hook" not in words:
        return False
    fields = _parse_options(words[1:])
    if fields is None:
        return False
    with report_errors():
        data = sys.stdin.buffer.read(MAX_INPUT_BYTES)
        call = replace(parse_hook_call(data, os.environ), **fields)
        if words[0] == "begin":
            begin(call)
        else:
            end(call)
    return True


def _parse_options(words: Sequence[str]) -> dict[str, Any] | None:
    """Return the fields of `HookCall` that options and the environment set.

    Return None if there are other options.
    """
    fields: dict[str, Any] = {
        "session": os.environ.get("FILEWRIGHT_SESSION"),
        "actor": os.environ.get("FILEWRIGHT_ACTOR"),
    }
    remaining_words = iter(words)
    for word in remaining_words:
        option, equals, value = word.partition("=")
        field = _OPTIONS.get(option)
        if field is None:
            if option != "--hook":
                return None
            continue
        if not equals:
            value = next(remaining_words, "")
        if field == "roots":
            fields.setdefault(field, []).append(value)
        else:
            fields[field] = value
    return {field: value for field, value in fields.items() if value}


def begin(call: HookCall) -> str | None:
    """Begin a command, or a turn; return the identifier of the command."""
    from filewright.progress import Task

    if call.prompt == "":
        # Qwen Code sends the answers of its tools as empty prompts: the turn goes on.
        return None
    identifier = call.identifier or os.urandom(8).hex()
    with open_workspace(
        call.roots or call.folders,
        call.session,
        call.actor,
        state_dir=call.state_dir,
    ) as workspace:
        task = Task(seconds=workspace.settings.call_seconds)
        if call.prompt is not None:
            _begin_turn(workspace, call, task)
        else:
            _begin_command(workspace, call, identifier, task)
    return identifier


def _begin_command(
    workspace: Workspace, call: HookCall, identifier: str, task: Task
) -> None:
    """Record the files before a command, and warn of those that could not be restored."""
    from filewright.recording.session import new_command
    from filewright.system import client_process_key, process_namespace

    caller = workspace.changes.caller
    command = new_command(
        identifier,
        command_summary(call.command or "", call.label),
        session=caller.session,
        client=caller.client,
        turn=call.turn,
        # A call by hand has no client whose end could close the command.
        process=client_process_key() if call.identifier else None,
        space=process_namespace(),
        paths=tuple(call.paths),
        is_tool=call.label is not None and bool(call.paths),
        line=recorded_line(call.command or "", call.label),
    )
    line = call.command or call.label or ""
    is_complete = workspace.recorder.begin(command, line, task, is_hook=True)
    if not is_complete and call.identifier:
        _store_in_background(workspace, call.state_dir)
    if task.notices:
        from filewright.cli.hook_answers import render_warning

        warning = render_warning(call.event, task.notices)
        if warning:
            write(warning)


def _begin_turn(workspace: Workspace, call: HookCall, task: Task) -> None:
    """Begin a turn of the session, and store contents for its commands."""
    from filewright.mailbox.prompts import ClientPrompts, PromptTexts
    from filewright.system import client_process_key

    if call.session:
        process = client_process_key()
        turn = call.turn
        if process:
            turn = turn or os.urandom(4).hex()
            ClientPrompts(workspace).begin_turn(
                process, call.session, turn, call.actor or ""
            )
        if turn:
            PromptTexts(workspace).add(call.session, turn, call.prompt or "")
        # A detached hook may run beside the first tool of the turn, whose command must
        # stay open.
        if call.event not in _DETACHED:
            workspace.recorder.begin_turn(call.session, task)
    _store_in_background(workspace, call.state_dir)


def end(call: HookCall) -> Sequence[ChangeRecord]:
    """End the command `call.identifier`; return the records of its changes."""
    from filewright.recording.session import roots_with_open_command

    identifier, session = call.identifier or "", call.session
    # The command may have changed the working folder: the roots at its begin count.
    roots = (
        call.roots
        or roots_with_open_command(
            build_settings(state_dir=call.state_dir), identifier
        )
        or call.folders
    )
    with open_workspace(
        roots, session, call.actor, state_dir=call.state_dir, guard=call.guard
    ) as workspace:
        turn = call.turn
        if turn is None:
            turn = _find_turn(workspace, session, call.actor)
        line = call.command or "a shell command"
        records = workspace.end_command(
            identifier, line, turn=turn, label=call.label
        )
        _answer(workspace, call, _heal(workspace, call, records))
    return records


def _find_turn(
    workspace: Workspace, session: str | None, actor: str | None
) -> str | None:
    """Return the turn that the last prompt of a session began, or None."""
    from filewright.mailbox.prompts import ClientPrompts
    from filewright.system import client_process_key

    process = client_process_key()
    if not process:
        return None
    prompt = ClientPrompts(workspace).current(process, actor or "")
    if prompt is None or prompt.session != session:
        return None
    return prompt.turn


def _heal(
    workspace: Workspace, call: HookCall, records: Sequence[ChangeRecord]
) -> list[str]:
    """Restore bytes that edits damaged; return notes for the model of the client."""
    from filewright.cli.hook_answers import add_healing_hint

    notes: list[str] = []
    if not records or not call.edits or workspace.settings.guard == "off":
        return notes
    for note in workspace.heal(records, call.edits):
        text = note.text
        if note.change_id is not None:
            text = add_healing_hint(call.actor, text)
        notes.append(text)
    return notes


def _answer(workspace: Workspace, call: HookCall, notes: Sequence[str]) -> None:
    """Print the notes and the user's comments in the form that the client takes."""
    from filewright.cli.hook_answers import find_form
    from filewright.mailbox.comments import take_comments

    form = find_form(call.actor, call.event)
    if form is None:
        return
    texts = [*notes]
    comments = take_comments(workspace, call.session or "", call.actor or "")
    if comments:
        texts.append(comments)
    if texts:
        write(form.render(call.event or "", "\n".join(texts)))


def _store_in_background(workspace: Workspace, state_dir: str | None) -> None:
    """Start a process that stores contents in the background."""
    import subprocess

    from filewright.cli.isolation import python_command

    state = [f"--state-dir={state_dir}"] if state_dir else []
    roots = [f"--root={os.fsdecode(root.path)}" for root in workspace.roots]
    subprocess.Popen(
        [*python_command(), "snapshot", "keep", *roots, *state],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
