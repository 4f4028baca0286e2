"""What a hook of an agent calls: `filewright snapshot begin --hook` before a command, `end --hook` after it.

Both are called around every command, so that little is imported here; most commands change nothing, and for those
no workspace is opened (`QuickLook`).
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

from filewright.changes import QuickLook
from filewright.errors import FilewrightError
from filewright.wording import listed

if TYPE_CHECKING:
    from filewright.changes import ChangeRecord
    from filewright.workspace import Workspace

_INPUT_BYTES = 64 << 20
SHELLS = ("Bash", "Shell", "bash", "run_shell_command")
_IN_PATCH = re.compile(r"^\*\*\* (?:Add|Update|Delete) File: (.*\S)", re.MULTILINE)
_PATHS = ("file_path", "filePath", "notebook_path", "absolute_path", "path")
_WARNED = ("PreToolUse", "BeforeTool")
"""The events for which a hook may say something to the user."""
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


def call_of(*, hook: bool) -> HookCall:
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
    if label in SHELLS:
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
    identifier = xxhash.xxh3_128_hexdigest(key.encode("utf-8", "replace"))
    prompt = given.get("prompt")
    prompt = prompt if isinstance(prompt, str) else None
    event = first("hook_event_name")
    return HookCall(command, label, session, turn, roots, identifier, event, prompt)


def say(text: str, *, to_error: bool = False) -> None:
    """Write a line as UTF-8, whatever the locale."""
    stream = sys.stderr if to_error else sys.stdout
    stream.buffer.write(f"{text}\n".encode("utf-8", "backslashreplace"))
    stream.buffer.flush()


@contextmanager
def out_of_the_way(*, hook: bool) -> Iterator[None]:
    """A hook never fails: some agents take that for a no to the command."""
    try:
        yield
    except FilewrightError as error:
        from filewright.cli.terminal import for_shell

        say(for_shell(error), to_error=True)
    except (OSError, ValueError, RecursionError) as error:
        say(f"filewright: {error}", to_error=True)
    else:
        return
    sys.exit(0 if hook else 1)


def called(words: Sequence[str]) -> bool:
    """Do what a hook asks for by these arguments; False for any others than hooks have."""
    name, given, rest = words[0] if words else "", {"--hook": ""}, iter(words[1:])
    if name not in ("begin", "end") or "--hook" not in words:
        return False
    for word in rest:
        option, equals, value = word.partition("=")
        if option not in ("--hook", "--actor", "--state-dir"):
            return False
        given[option] = "" if option == "--hook" else value if equals else next(rest, "")
    state_dir = given.get("--state-dir")
    with out_of_the_way(hook=True):
        call = call_of(hook=True)
        if name == "begin":
            begin(call, (), state_dir, hook=True)
        else:
            actor = given.get("--actor") or os.environ.get("FILEWRIGHT_ACTOR")
            session = os.environ.get("FILEWRIGHT_SESSION") or call.session
            end(call, (), state_dir, session, actor, hook=True)
    return True


def begin(call: HookCall, roots: Sequence[str], state_dir: str | None, *, hook: bool) -> str | None:
    """Note what is there before a command, or which turn begins; returns the id of the command."""
    if call.prompt == "":
        return None  # Qwen Code tells it of what its tools have answered too: the turn goes on.
    roots, line = roots or call.roots, call.command or call.label or ""
    looked = QuickLook(roots, state_dir)
    identifier = call.identifier or os.urandom(8).hex()
    if call.prompt is None and looked.begin(identifier, line):
        return identifier
    with _workspace(roots, state_dir, looked) as workspace:
        from filewright.progress import Task

        if call.prompt is None:
            task = Task(seconds=workspace.settings.call_seconds)
            if not workspace.changes.begin_command(identifier, line, task) and hook:
                _keep_ahead(workspace, state_dir)
            if task.notices and call.event in _WARNED:
                say(json.dumps({"systemMessage": "\n".join(task.notices)}))
        else:
            from filewright.page import Words
            from filewright.system import client_process

            if call.session and (process := client_process()):
                Words(workspace).prompt(process, call.session, call.turn or os.urandom(4).hex())
            _keep_ahead(workspace, state_dir)
    return identifier


def end(
    call: HookCall,
    roots: Sequence[str],
    state_dir: str | None,
    session: str | None,
    actor: str | None,
    *,
    hook: bool,
) -> Sequence[ChangeRecord]:
    """Record what is different since the command `call.identifier` was begun."""
    identifier, turn = call.identifier or "", call.turn
    looked = QuickLook(roots or call.roots, state_dir)
    if looked.end(identifier):
        return ()
    from filewright.changes import begun_in
    from filewright.page import Words, for_hook
    from filewright.settings import Settings
    from filewright.system import client_process

    # The command may have gone to another folder since.
    begun = begun_in(Settings(**_given(state_dir)), identifier)
    with _workspace(roots or begun or call.roots, state_dir, looked, session, actor) as workspace:
        if turn is None and (process := client_process()):
            prompted = Words(workspace).prompted(process)
            turn = prompted[1] if prompted is not None and prompted[0] == session else None
        line = call.command or "a shell command"
        records = workspace.end_command(identifier, line, turn=turn, label=call.label)
        if hook and (said := for_hook(workspace, call.event, session, actor)):
            say(said)
    return records


def _given(state_dir: str | None) -> dict[str, Any]:
    return {} if state_dir is None else {"state_dir": state_dir}


def _workspace(
    roots: Sequence[str],
    state_dir: str | None,
    looked: QuickLook,
    session: str | None = None,
    actor: str | None = None,
) -> Workspace:
    from filewright import __version__
    from filewright.settings import Settings
    from filewright.workspace import Workspace

    client = actor or f"filewright {__version__}"
    workspace = Workspace(*roots, settings=Settings(**_given(state_dir)), session=session, client=client)
    workspace.changes.looked = looked
    return workspace


def _keep_ahead(workspace: Workspace, state_dir: str | None) -> None:
    """Begin to keep what files hold, in a process that nobody waits for."""
    import subprocess

    state = ["--state-dir", state_dir] if state_dir is not None else []
    roots = [f"--root={os.fsdecode(root.path)}" for root in workspace.roots]
    subprocess.Popen(
        [sys.executable, "-m", "filewright", "snapshot", "keep", *roots, *state],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
