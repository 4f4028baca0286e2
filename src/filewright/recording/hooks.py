"""Calls of clients' hooks, read from the JSON that a client writes to a hook.

A client calls one hook before a shell command or a use of its own edit tool,
and another one after it. Each client has its own names for the same few values.
They are read here by all these names, for any client.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import xxhash

from filewright.recording.json_fields import first_text
from filewright.wording import join_limited

if TYPE_CHECKING:
    from filewright.recording.tool_arguments import ToolEdit

SHELL_TOOLS = (
    "Bash",
    "Shell",
    "bash",
    "powershell",
    "run_shell_command",
    "run_in_terminal",
    "run_commands",
    "execute_command",
)
"""The names that clients have for their tool that runs shell commands."""

PROJECT_VARIABLES = (
    "CLAUDE_PROJECT_DIR",
    "GEMINI_PROJECT_DIR",
    "QWEN_PROJECT_DIR",
    "CURSOR_PROJECT_DIR",
    "COPILOT_PROJECT_DIR",
)
"""The environment variables in which clients pass the folder of the project."""

MAX_LABEL_FILES = 2

_UNKNOWN_PROMPT = " "
"""The prompt of which a client tells that it begins, and nothing more."""
_USES = ("tool_call", "tool_result", "preToolUse", "postToolUse")
"""The members in which Cline describes a use of a tool."""


@dataclass(frozen=True, slots=True)
class ToolUse:
    """A client's use of one of its tools, before or after it."""

    name: str | None
    arguments: Mapping[str, Any]
    identifier: str | None
    """The client's number of the use."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HookCall:
    """One call of a hook: the client's values and the hook's options.

    Every value that is not known is None or empty.
    """

    command: str | None = None
    """The command line, before and after a shell command."""
    label: str | None = None
    """The name of a tool's use in the history, such as ``Edit a.txt``."""
    session: str | None = None
    turn: str | None = None
    folders: Sequence[str] = ()
    """The folders in which the agent works."""
    paths: Sequence[str] = ()
    """The absolute paths of the files that a tool names."""
    edits: Mapping[str, ToolEdit | None] = field(default_factory=dict)
    """The edits that a tool was told to make, by absolute path."""
    identifier: str | None = None
    """The same value before and after one command or use of a tool."""
    event: str | None = None
    """The client's name for the event, such as ``PreToolUse``."""
    prompt: str | None = None
    """The text of the user's prompt, where one begins a turn."""
    roots: Sequence[str] = ()
    """The roots of the options; they replace `folders`."""
    state_dir: str | None = None
    actor: str | None = None
    guard: str | None = None


def parse_hook_call(data: bytes, environment: Mapping[str, str]) -> HookCall:
    """Return the call that a client's JSON and environment describe.

    Raises `ValueError` if the data is not JSON. JSON of another shape is an
    empty call.
    """
    message = json.loads(data or b"{}")
    if not isinstance(message, dict):
        return HookCall()
    if "agent_action_name" in message:
        message = _read_action(message)
    folders = _read_folders(message, environment)
    tool_use = _read_tool_use(message)
    tool, arguments = tool_use.name, tool_use.arguments
    # A use of the shell is named by its command line.
    if tool in SHELL_TOOLS:
        tool = None
    # A shell command may change any file, also if its text has a patch in it.
    edits: Mapping[str, ToolEdit | None] = {}
    if tool:
        from filewright.recording.tool_arguments import read_tool_edits

        edits = read_tool_edits(arguments)
    absolute_paths = _resolve_paths(edits, _text(message, "cwd"), folders)
    names = [os.path.basename(path) for path in absolute_paths]
    label = _label(tool, names) if tool else None
    command = _text(message, "command") or _read_command(arguments)
    session = _read_session(message)
    turn = _text(message, "turn_id", "generation_id", "prompt_id")
    use = tool_use.identifier
    if use is None:
        # Without a number of the use, both hooks of it still say the same about
        # it. A client may call its tool by another name afterwards: the files
        # come first.
        subject = command or "\0".join(names) or label or ""
        use = f"{turn or ''}\0{subject}"
    key = f"{session or ''}\0{use}"
    return HookCall(
        command=command,
        label=label,
        session=session,
        turn=turn,
        folders=folders,
        paths=list(absolute_paths.values()),
        edits={
            absolute_paths[path]: edit
            for path, edit in edits.items()
            if path in absolute_paths
        },
        identifier=xxhash.xxh3_128_hexdigest(key.encode("utf-8", "replace")),
        event=_text(message, "hook_event_name", "hookEventName", "hookName"),
        prompt=_read_prompt(message),
    )


def _read_action(message: Mapping[str, Any]) -> dict[str, Any]:
    """Return Windsurf's description of an action with the names of other clients."""
    details = message.get("tool_info")
    if not isinstance(details, dict):
        details = {}
    # The working folder of the action is left out: it may be far below the project, and
    # the hook itself runs in the project.
    return {
        "hook_event_name": message["agent_action_name"],
        "session_id": message.get("trajectory_id"),
        "turn_id": message.get("execution_id"),
        "prompt": details.get("user_prompt"),
        "command": details.get("command_line"),
        "tool_name": "Edit" if "file_path" in details else None,
        "tool_input": details,
    }


def _read_tool_use(message: Mapping[str, Any]) -> ToolUse:
    """Return the use of a tool that a client's message describes."""
    name = _text(message, "tool_name", "toolName")
    if name is None:
        for member in _USES:
            use = message.get(member)
            if isinstance(use, dict):
                return ToolUse(
                    name=_text(use, "name", "toolName"),
                    arguments=_read_arguments(
                        use.get("input", use.get("parameters"))
                    ),
                    identifier=_text(use, "id"),
                )
    arguments = message.get("tool_input", message.get("toolArgs"))
    return ToolUse(
        name=name,
        arguments=_read_arguments(arguments),
        identifier=_text(message, "tool_use_id"),
    )


def _read_arguments(value: object) -> Mapping[str, Any]:
    """Return a tool's arguments, which some clients write as JSON in a text."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError:
            return {}
    return value if isinstance(value, dict) else {}


def _read_command(arguments: Mapping[str, Any]) -> str | None:
    """Return the command line among a tool's arguments."""
    command = _text(arguments, "command")
    commands = arguments.get("commands")
    if command is None and isinstance(commands, list):
        lines = [line for line in commands if isinstance(line, str) and line]
        command = "; ".join(lines) or None
    return command


def _read_session(message: Mapping[str, Any]) -> str | None:
    """Return the client's name of the session."""
    session = _text(message, "session_id", "conversation_id", "sessionId")
    if session is not None:
        return session
    # A task of Cline's command line belongs to the session that a user resumes.
    context = message.get("sessionContext")
    if isinstance(context, dict):
        session = _text(context, "rootSessionId")
    return session or _text(message, "taskId")


def _read_prompt(message: Mapping[str, Any]) -> str | None:
    """Return the text of the user's prompt, where a turn begins with one."""
    # Unlike the other texts it may be empty: some prompts are.
    prompt = message.get("prompt")
    if isinstance(prompt, str):
        return prompt
    task = message.get("taskStart")
    if task is None:
        return None
    # Cline tells of a task that begins, in some versions without its text.
    text = None
    if isinstance(task, dict):
        metadata = task.get("taskMetadata")
        text = _text(task, "task")
        if text is None and isinstance(metadata, dict):
            text = _text(metadata, "initialTask")
    return text or _UNKNOWN_PROMPT


def _text(values: Mapping[str, Any], *names: str) -> str | None:
    """Return the first non-empty text among the values of some names."""
    return first_text(values, names)


def _read_folders(
    message: Mapping[str, Any], environment: Mapping[str, str]
) -> list[str]:
    """Return the agent's folders, from the most reliable source."""
    for variable in PROJECT_VARIABLES:
        if project := environment.get(variable):
            return [project]
    workspace_roots = message.get(
        "workspace_roots", message.get("workspaceRoots")
    )
    if isinstance(workspace_roots, list):
        folders = [
            folder for folder in workspace_roots if isinstance(folder, str)
        ]
        if folders:
            return folders
    # The working folder of a command may be far below the project.
    working_folder = _text(message, "cwd")
    return [working_folder] if working_folder else []


def _resolve_paths(
    edits: Mapping[str, object],
    working_folder: str | None,
    folders: Sequence[str],
) -> dict[str, str]:
    """Return the absolute path for each path that a tool names.

    Paths that no file can have are left out.
    """
    if not edits:
        return {}
    base = working_folder or (folders[0] if folders else os.getcwd())
    absolute_paths: dict[str, str] = {}
    for path in edits:
        # With a NUL or a lone surrogate in it.
        with suppress(ValueError):
            # Records have resolved paths, and a tool may name a link.
            absolute_paths[path] = os.path.realpath(
                os.path.join(base, _local_path(path))
            )
    return absolute_paths


def _local_path(path: str) -> str:
    """Return a path as the system reads it: some tools name a file by its URL."""
    if path.startswith("file://"):
        from urllib.parse import unquote, urlsplit

        return unquote(urlsplit(path).path)
    return os.path.expanduser(path)


def _label(tool: str, file_names: Sequence[str]) -> str:
    """Return the name of a tool's use in the history."""
    if not file_names:
        return tool
    verb = "Edit"
    for candidate in ("Write", "Delete"):
        if candidate.lower() in tool.lower():
            verb = candidate
            break
    return f"{verb} {join_limited(file_names, MAX_LABEL_FILES)}"
