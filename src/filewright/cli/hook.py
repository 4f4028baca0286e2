"""What a hook of an agent calls: `filewright snapshot begin --hook` before a command, `end --hook` after it.

Both are called around every command, and never fail.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

import xxhash

from filewright.cli import open_workspace, settings_from, write
from filewright.errors import FilewrightError
from filewright.recording.session import command_summary
from filewright.recording.tool_arguments import read_tool_edits
from filewright.wording import join_limited

if TYPE_CHECKING:
    from filewright.changes.model import ChangeRecord
    from filewright.recording.expectation import ToolEdit
    from filewright.workspace import Workspace

_INPUT_BYTES = 64 << 20
SHELLS = ("Bash", "Shell", "bash", "powershell", "run_shell_command", "run_in_terminal")
_IN_PATCH = r"(?m)^\*\*\* (?:Add|Update|Delete) File: (.*\S)"
_PATHS = ("file_path", "filePath", "notebook_path", "absolute_path", "path")
_OPTIONS = {
    "--root": "roots",
    "--state-dir": "state_dir",
    "--session": "session",
    "--actor": "actor",
    "--turn": "turn",
    "--command": "command",
    "--guard": "guard",
}
"""What each option of a hook says of its call, whatever the agent tells."""
_WARNED = ("PreToolUse", "BeforeTool")
"""The events for which a hook may say something to the user."""
PROJECT = (
    "CLAUDE_PROJECT_DIR",
    "GEMINI_PROJECT_DIR",
    "QWEN_PROJECT_DIR",
    "CURSOR_PROJECT_DIR",
)


class HookCall(NamedTuple):
    """What an agent tells a hook of a shell command, or of a tool of its own, and what options say; None is neither.

    `label` is what history calls the use of a tool, which names absolute `paths`; `prompt` is there where a turn
    begins. The agent works in `folders`; `roots` are those of the options.
    """

    command: str | None = None
    label: str | None = None
    session: str | None = None
    turn: str | None = None
    folders: Sequence[str] = ()
    paths: Sequence[str] = ()
    identifier: str | None = None
    event: str | None = None
    prompt: str | None = None
    roots: Sequence[str] = ()
    state_dir: str | None = None
    actor: str | None = None
    guard: str | None = None
    edits: Mapping[str, ToolEdit | None] = {}


def _told() -> HookCall:
    """What is on standard input, by the names that each agent has for it."""
    given = json.loads(sys.stdin.buffer.read(_INPUT_BYTES) or b"{}")
    if not isinstance(given, dict):
        return HookCall()

    def first(*names: str, among: Mapping[str, Any] = given) -> str | None:
        found = map(among.get, names)
        return next(
            (value for value in found if isinstance(value, str) and value), None
        )

    arguments = given.get("tool_input")
    arguments = arguments if isinstance(arguments, dict) else {}
    command = first("command") or first("command", among=arguments)
    label, names, named = first("tool_name"), list[str](), list[str]()
    if label in SHELLS:
        label = None
    elif label is not None:
        patch = first("patchText", "input", "command", among=arguments) or ""
        path = first(*_PATHS, among=arguments)
        named = [path] if path else re.findall(_IN_PATCH, patch)
        if names := [os.path.basename(each) for each in named]:
            word = next(
                (word for word in ("Write", "Delete") if word.lower() in label.lower()),
                "Edit",
            )
            label = f"{word} {join_limited(names, 2)}"
    session = first("session_id", "conversation_id", "sessionId")
    turn = first("turn_id", "generation_id", "prompt_id")
    folder, served = first("cwd"), given.get("workspace_roots")
    folders = (
        [each for each in served if isinstance(each, str)]
        if isinstance(served, list)
        else []
    )
    folders = (
        [*filter(None, map(os.environ.get, PROJECT))][:1]
        or folders
        or ([folder] if folder else [])
    )
    base = folder or next(iter(folders), os.getcwd())
    paths = [os.path.realpath(os.path.join(base, each)) for each in named]
    # The call after the command may have no number from the one before it, but says the same of the command.
    about = command or "\0".join(names) or label or ""
    key = "\0".join((session or "", first("tool_use_id") or f"{turn or ''}\0{about}"))
    identifier = xxhash.xxh3_128_hexdigest(key.encode("utf-8", "replace"))
    prompt = given.get("prompt")
    prompt = prompt if isinstance(prompt, str) else None
    event = first("hook_event_name", "hookEventName")
    edits = {
        os.path.realpath(os.path.join(base, path)): edit
        for path, edit in read_tool_edits(arguments).items()
    }
    return HookCall(
        command,
        label,
        session,
        turn,
        folders,
        paths,
        identifier,
        event,
        prompt,
        edits=edits,
    )


@contextmanager
def out_of_the_way() -> Iterator[None]:
    """A hook never fails: some agents take that for a no to the command."""
    try:
        yield
    except FilewrightError as error:
        from filewright.cli.terminal import for_shell

        write(for_shell(error), to_error=True)
    except (OSError, ValueError, RecursionError) as error:
        write(f"filewright: {error}", to_error=True)


def called(words: Sequence[str]) -> bool:
    """Do what a hook asks for by these arguments; False for any others than hooks have."""
    name, rest = words[0] if words else "", iter(words[1:])
    if name not in ("begin", "end") or "--hook" not in words:
        return False
    given: dict[str, Any] = {
        what: os.environ.get(f"FILEWRIGHT_{what.upper()}")
        for what in ("session", "actor")
    }
    for word in rest:
        option, equals, value = word.partition("=")
        if what := _OPTIONS.get(option):
            value = value if equals else next(rest, "")
            given[what] = [*given.get(what, ()), value] if what == "roots" else value
        elif option != "--hook":
            return False
    with out_of_the_way():
        call = _told()._replace(
            **{what: value for what, value in given.items() if value}
        )
        (begin if name == "begin" else end)(call)
    return True


def begin(call: HookCall) -> str | None:
    """Note what is there before a command, or which turn begins; returns the id of the command."""
    from filewright.progress import Task
    from filewright.recording.session import new_command
    from filewright.system import client_process_key, process_namespace

    if call.prompt == "":
        return None  # Qwen Code tells it of what its tools have answered too: the turn goes on.
    roots, line = call.roots or call.folders, call.command or call.label or ""
    identifier = call.identifier or os.urandom(8).hex()
    with open_workspace(
        roots, call.session, call.actor, state_dir=call.state_dir
    ) as workspace:
        task = Task(seconds=workspace.settings.call_seconds)
        if call.prompt is not None:
            from filewright.page.words import Words

            if call.session and (process := client_process_key()):
                Words(workspace).prompt(
                    process, call.session, call.turn or os.urandom(4).hex()
                )
            if call.session:
                workspace.recorder.begin_turn(call.session, task)
            _keep_ahead(workspace, call.state_dir)
            return identifier
        caller = workspace.changes.caller
        command = new_command(
            identifier,
            command_summary(call.command or "", call.label),
            session=caller.session,
            client=caller.client,
            turn=call.turn,
            # Called by hand, it is not known what it belongs to.
            process=client_process_key() if call.identifier else None,
            space=process_namespace(),
            paths=tuple(call.paths),
            is_tool=call.label is not None and bool(call.paths),
        )
        is_complete = workspace.recorder.begin(command, line, task, is_hook=True)
        if not is_complete and call.identifier:
            _keep_ahead(workspace, call.state_dir)
        if task.notices and call.event in _WARNED:
            write(json.dumps({"systemMessage": "\n".join(task.notices)}))
    return identifier


def end(call: HookCall) -> Sequence[ChangeRecord]:
    """Record what is different since the command `call.identifier` was begun."""
    from filewright.page.words import Words, for_hook
    from filewright.recording.session import roots_with_open_command
    from filewright.system import client_process_key

    identifier, session, turn = call.identifier or "", call.session, call.turn
    # The command may have gone to another folder since.
    roots = (
        call.roots
        or roots_with_open_command(settings_from(state_dir=call.state_dir), identifier)
        or call.folders
    )
    with open_workspace(
        roots, session, call.actor, state_dir=call.state_dir, guard=call.guard
    ) as workspace:
        if turn is None and (process := client_process_key()):
            prompted = Words(workspace).prompted(process)
            turn = (
                prompted[1] if prompted is not None and prompted[0] == session else None
            )
        line = call.command or "a shell command"
        records = workspace.end_command(identifier, line, turn=turn, label=call.label)
        notes: list[str] = []
        if records and call.edits and workspace.settings.guard != "off":
            notes = [note.text for note in workspace.heal(records, call.edits)]
        # VS Code has several runtimes, not all of which pass on what is said here: there a tool's answer says it.
        if call.actor != "vscode" and (
            said := for_hook(workspace, call.event, session, call.actor, notes)
        ):
            write(said)
    return records


def _keep_ahead(workspace: Workspace, state_dir: str | None) -> None:
    """Begin to keep what files hold, in a process that nobody waits for."""
    import subprocess

    from filewright.cli.isolation import python_command

    state = [f"--state-dir={state_dir}"] if state_dir else []
    roots = [f"--root={os.fsdecode(root.path)}" for root in workspace.roots]
    subprocess.Popen(
        [*python_command(), "snapshot", "keep", *roots, *state],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
