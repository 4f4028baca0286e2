"""The calls of clients' hooks, as their JSON describes them."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from filewright.recording.expectation import PatchText, RequestedReplacement
from filewright.recording.hooks import (
    PROJECT_VARIABLES,
    HookCall,
    parse_hook_call,
)

PATCH = "*** Begin Patch\n*** Update File: a.py\n@@\n-a\n+b\n*** End Patch\n"
REPLACEMENT = {"old_string": "a", "new_string": "b"}


def parse(
    message: object, environment: dict[str, str] | None = None
) -> HookCall:
    return parse_hook_call(json.dumps(message).encode(), environment or {})


@pytest.mark.parametrize(
    ("message", "session", "turn", "event"),
    [
        pytest.param(
            {
                "session_id": "s",
                "prompt_id": "t",
                "hook_event_name": "PreToolUse",
            },
            *("s", "t", "PreToolUse"),
            id="claude-code",
        ),
        pytest.param(
            {"session_id": "s", "turn_id": "t"}, "s", "t", None, id="codex"
        ),
        pytest.param(
            {"conversation_id": "s", "generation_id": "t"},
            "s",
            "t",
            None,
            id="cursor",
        ),
        pytest.param(
            {"sessionId": "s", "hookEventName": "PostToolUse"},
            *("s", None, "PostToolUse"),
            id="vscode",
        ),
        pytest.param(
            {
                "agent_action_name": "post_run_command",
                "trajectory_id": "s",
                "execution_id": "t",
            },
            *("s", "t", "post_run_command"),
            id="windsurf",
        ),
        pytest.param(
            {
                "taskId": "task",
                "sessionContext": {"rootSessionId": "s"},
                "hookName": "tool_call",
            },
            *("s", None, "tool_call"),
            id="cline",
        ),
        pytest.param(
            {"taskId": "s", "hookName": "PreToolUse"},
            *("s", None, "PreToolUse"),
            id="cline-extension",
        ),
    ],
)
def test_knows_the_names_of_each_client(
    message: dict[str, str], session: str, turn: str | None, event: str | None
) -> None:
    call = parse(message)
    assert (call.session, call.turn, call.event) == (session, turn, event)


@pytest.mark.parametrize(
    "message",
    [
        pytest.param({"command": "make"}, id="beside"),
        pytest.param(
            {"tool_name": "Bash", "tool_input": {"command": "make"}},
            id="argument",
        ),
        pytest.param(
            {
                "agent_action_name": "pre_run_command",
                "tool_info": {"command_line": "make", "cwd": "/below"},
            },
            id="windsurf",
        ),
    ],
)
def test_reads_a_shell_command(message: dict[str, Any]) -> None:
    call = parse(message)
    assert (call.command, call.label, call.paths) == ("make", None, [])


@pytest.mark.parametrize(
    ("tool", "arguments", "label", "names"),
    [
        ("Edit", {"file_path": "src/a.py"}, "Edit a.py", ["src/a.py"]),
        ("WriteFile", {"path": "a.py"}, "Write a.py", ["a.py"]),
        ("delete_file", {"path": "a.py"}, "Delete a.py", ["a.py"]),
        ("apply_patch", {"command": PATCH}, "Edit a.py", ["a.py"]),
        (
            "multi_replace",
            {"replacements": [{"filePath": "a"}, {"filePath": "b"}]},
            "Edit a, b",
            ["a", "b"],
        ),
        ("web_search", {"query": "a"}, "web_search", []),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_names_a_use_of_a_tool(
    tool: str,
    arguments: dict[str, Any],
    label: str,
    names: list[str],
    tmp_path: Path,
) -> None:
    call = parse(
        {"tool_name": tool, "tool_input": arguments, "cwd": str(tmp_path)}
    )
    folder = os.path.realpath(tmp_path)
    assert call.label == label
    assert call.paths == [os.path.join(folder, name) for name in names]


def test_reads_edits_by_absolute_path(tmp_path: Path) -> None:
    call = parse(
        {
            "tool_name": "Edit",
            "tool_input": {"file_path": "a.py", **REPLACEMENT},
            "cwd": str(tmp_path),
        }
    )
    path = os.path.join(os.path.realpath(tmp_path), "a.py")
    assert call.edits == {path: (RequestedReplacement("a", "b"),)}


def test_keeps_the_name_that_a_patch_has_for_a_file(tmp_path: Path) -> None:
    call = parse(
        {
            "tool_name": "apply_patch",
            "tool_input": {"patchText": PATCH},
            "cwd": str(tmp_path),
        }
    )
    assert list(call.edits.values()) == [PatchText(PATCH, "a.py")]


@pytest.mark.parametrize("variable", PROJECT_VARIABLES)
def test_prefers_the_folder_of_the_project(variable: str) -> None:
    message = {"cwd": "/project/src", "workspace_roots": ["/other"]}
    assert parse(message, {variable: "/project"}).folders == ["/project"]


def test_a_patch_in_a_shell_command_is_no_edit() -> None:
    command = f"cat <<END\n{PATCH}END\n"
    call = parse({"tool_name": "Bash", "tool_input": {"command": command}})
    assert (call.paths, call.edits) == ([], {})


EDIT = {"path": "a.txt", "old_text": "a", "new_text": "b"}


@pytest.mark.parametrize(
    "message",
    [
        pytest.param({"toolName": "edit", "toolArgs": EDIT}, id="copilot"),
        pytest.param(
            {"toolName": "edit", "toolArgs": json.dumps(EDIT)},
            id="arguments-in-a-text",
        ),
        pytest.param(
            {"tool_call": {"name": "editor", "id": "1", "input": EDIT}},
            id="cline-before",
        ),
        pytest.param(
            {"tool_result": {"name": "editor", "id": "1", "input": EDIT}},
            id="cline-after",
        ),
        pytest.param(
            {"preToolUse": {"toolName": "editor", "parameters": EDIT}},
            id="cline-extension",
        ),
    ],
)
def test_reads_an_edit_of_each_client(
    message: dict[str, Any], tmp_path: Path
) -> None:
    call = parse({**message, "workspaceRoots": [str(tmp_path)]})
    assert call.label == "Edit a.txt"
    assert call.folders == [str(tmp_path)]
    [edit] = call.edits.values()
    assert edit == (RequestedReplacement("a", "b"),)


def test_joins_the_lines_of_a_shell() -> None:
    commands = {"commands": ["make", "make test"]}
    call = parse({"tool_call": {"name": "run_commands", "input": commands}})
    assert (call.command, call.label) == ("make; make test", None)


def test_a_use_of_cline_has_its_number_before_and_after() -> None:
    use = {"name": "editor", "id": "1", "input": EDIT}
    before = parse({"taskId": "s", "tool_call": use})
    after = parse({"taskId": "s", "tool_result": {**use, "output": "done"}})
    other = parse({"taskId": "s", "tool_call": {**use, "id": "2"}})
    assert before.identifier == after.identifier != other.identifier


def test_prefers_roots_to_the_working_folder() -> None:
    message = {
        "cwd": "/project/src",
        "workspace_roots": ["/project", 3, "/other"],
    }
    assert parse(message).folders == ["/project", "/other"]
    assert parse({**message, "workspace_roots": []}).folders == ["/project/src"]


@pytest.mark.parametrize(
    ("before", "after", "is_same"),
    [
        pytest.param(
            {"tool_use_id": "1"}, {"tool_use_id": "1"}, True, id="number"
        ),
        pytest.param(
            {"tool_use_id": "1"}, {"tool_use_id": "2"}, False, id="numbers"
        ),
        pytest.param({"command": "a"}, {"command": "a"}, True, id="command"),
        pytest.param({"command": "a"}, {"command": "b"}, False, id="commands"),
        pytest.param(
            {"tool_name": "Write", "tool_input": {"path": "a"}},
            {"tool_name": "create", "tool_input": {"path": "a"}},
            True,
            id="tool with two names",
        ),
        pytest.param(
            {"session_id": "1"}, {"session_id": "2"}, False, id="sessions"
        ),
    ],
)
def test_identifies_a_use(
    before: dict[str, Any], after: dict[str, Any], is_same: bool
) -> None:
    identifiers = parse(before).identifier, parse(after).identifier
    assert (identifiers[0] == identifiers[1]) == is_same


@pytest.mark.parametrize(
    ("message", "prompt"),
    [
        ({"prompt": "a"}, "a"),
        ({"prompt": ""}, ""),
        ({"prompt": 3}, None),
        ({}, None),
        ({"taskStart": {}}, " "),
        (
            {"taskStart": {"taskMetadata": {"initialTask": "Tidy up"}}},
            "Tidy up",
        ),
    ],
    ids=["text", "empty", "number", "none", "cline", "cline-with-text"],
)
def test_reads_a_prompt(message: dict[str, Any], prompt: str | None) -> None:
    assert parse(message).prompt == prompt


@pytest.mark.parametrize("data", [b"[1]", b"3", b"null"])
def test_other_json_is_an_empty_call(data: bytes) -> None:
    assert parse_hook_call(data, {}) == HookCall()


def test_empty_input_has_an_identifier() -> None:
    assert parse_hook_call(b"", {}).identifier


def test_refuses_what_is_no_json() -> None:
    with pytest.raises(ValueError):
        parse_hook_call(b"{", {})


def test_reads_an_edit_of_windsurf() -> None:
    details = {"file_path": "/p/a.py", "edits": [REPLACEMENT]}
    message = {
        "trajectory_id": "s",
        "execution_id": "t",
        "tool_info": details,
    }
    before = parse({**message, "agent_action_name": "pre_write_code"})
    after = parse({**message, "agent_action_name": "post_write_code"})
    assert before.identifier == after.identifier
    assert after.label == "Edit a.py"
    assert after.edits == {"/p/a.py": (RequestedReplacement("a", "b"),)}


@pytest.mark.parametrize("details", [None, [], {}], ids=repr)
def test_reads_a_prompt_of_windsurf(details: object) -> None:
    message = {"agent_action_name": "pre_user_prompt", "tool_info": details}
    assert parse(message).prompt is None
    words = {**message, "tool_info": {"user_prompt": "Round it"}}
    assert parse(words).prompt == "Round it"
