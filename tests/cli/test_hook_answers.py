"""The answers of hooks, in the form of each client."""

from __future__ import annotations

import json
from typing import Any

import pytest

from filewright.cli.hook_answers import (
    add_healing_hint,
    find_form,
    render_warning,
)
from filewright.cli.setup.clients import CLIENTS

SPECIFIC = {
    "hookSpecificOutput": {
        "hookEventName": "PostToolUse",
        "additionalContext": "kept",
    }
}


@pytest.mark.parametrize(
    ("actor", "event", "answer"),
    [
        pytest.param("claude-code", "PostToolUse", SPECIFIC, id="claude-code"),
        pytest.param("codex", "PostToolUse", SPECIFIC, id="codex"),
        pytest.param("qwen-code", "PostToolUse", SPECIFIC, id="qwen-code"),
        pytest.param(None, "PostToolUse", SPECIFIC, id="by-hand"),
        pytest.param(
            "copilot-cli", None, {"additionalContext": "kept"}, id="copilot"
        ),
        pytest.param(
            "cline",
            "tool_result",
            {"cancel": False, "contextModification": "kept"},
            id="cline",
        ),
    ],
)
def test_form_of_client(
    actor: str | None, event: str | None, answer: dict[str, Any]
) -> None:
    form = find_form(actor, event)
    assert form is not None
    assert json.loads(form.render(event or "", "kept")) == answer


@pytest.mark.parametrize("actor", ["opencode", "kilo", "pi"])
def test_plain_for_plug_in(actor: str) -> None:
    form = find_form(actor, None)
    assert form is not None
    assert form.render("", "kept") == "kept"


@pytest.mark.parametrize(
    ("actor", "event"),
    [
        pytest.param("vscode", "PostToolUse", id="vscode"),
        pytest.param("cursor", "postToolUse", id="cursor"),
        pytest.param("claude-code", "PreToolUse", id="before"),
        pytest.param("cline", "tool_call", id="cline-before"),
    ],
)
def test_no_answer(actor: str, event: str) -> None:
    assert find_form(actor, event) is None


def test_every_plug_in_is_plain() -> None:
    for client in CLIENTS.values():
        if client.plug_in is not None:
            form = find_form(client.actor, None)
            assert form is not None
            assert form.render("", "kept") == "kept", client.name


def test_warns_before_tool_only() -> None:
    assert json.loads(render_warning("PreToolUse", ["a", "b"])) == {
        "systemMessage": "a\nb"
    }
    assert render_warning("PreToolUse", []) == ""
    assert render_warning("PostToolUse", ["a"]) == ""


def test_tells_qwen_to_read_again() -> None:
    assert add_healing_hint("qwen-code", "kept") != "kept"
    assert add_healing_hint("claude-code", "kept") == "kept"
