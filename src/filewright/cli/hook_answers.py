"""The answers of hooks, in the form that the calling client takes.

A hook passes a text to the model of its client by printing it. Clients differ
in the events after which they take such a text, and in the JSON around it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass

_AFTER_TOOL = ("PostToolUse", "PostToolUseFailure", "AfterTool")
_BEFORE_TOOL = ("PreToolUse", "BeforeTool")
"""The events before a tool at which clients show a message to their user."""


@dataclass(frozen=True, slots=True)
class AnswerForm:
    """The form in which a client takes a text for its model."""

    render: Callable[[str, str], str]
    """The function that makes the answer of an event's name and a text."""
    events: Sequence[str] | None = None
    """The events after which the client takes a text; None for all events."""


def _render_specific(event: str, text: str) -> str:
    """Return the answer that Claude Code and its relatives take."""
    output = {"hookEventName": event, "additionalContext": text}
    return json.dumps({"hookSpecificOutput": output})


def _render_additional_context(_event: str, text: str) -> str:
    """Return the answer that GitHub Copilot's command line takes."""
    return json.dumps({"additionalContext": text})


def _render_context_modification(_event: str, text: str) -> str:
    """Return the answer that Cline takes."""
    return json.dumps({"cancel": False, "contextModification": text})


def _render_plain(_event: str, text: str) -> str:
    """Return the answer that our own plug-ins take."""
    return text


_SPECIFIC = AnswerForm(_render_specific, _AFTER_TOOL)
_PLAIN = AnswerForm(_render_plain)

_FORMS: dict[str, AnswerForm | None] = {
    "claude-code": _SPECIFIC,
    "codex": _SPECIFIC,
    "gemini-cli": _SPECIFIC,
    "qwen-code": _SPECIFIC,
    # Its JSON does not name the event.
    "copilot-cli": AnswerForm(_render_additional_context),
    "cline": AnswerForm(
        _render_context_modification, ("tool_result", "PostToolUse")
    ),
    # The plug-in adds the text to the result of the tool.
    "opencode": _PLAIN,
    "kilo": _PLAIN,
    "pi": _PLAIN,
    # Some runtimes drop a hook's output: there a tool's answer has the text.
    "vscode": None,
}
"""The forms by actor. Another client is taken for a relative of Claude Code."""

# Other clients read a file again by themselves where it has changed.
_HEALING_HINTS = {
    # It refuses to edit a file that has changed since it was read.
    "qwen-code": "read it again before you edit it again",
}


def add_healing_hint(actor: str | None, text: str) -> str:
    """Return the note of a healing with a hint that the client's model needs."""
    hint = _HEALING_HINTS.get(actor or "")
    return f"{text}; {hint}" if hint else text


def find_form(actor: str | None, event: str | None) -> AnswerForm | None:
    """Return the form of a client's answer to an event.

    Return None if the client takes no text for its model there.
    """
    form = _FORMS.get(actor or "", _SPECIFIC)
    if form is None or (form.events is not None and event not in form.events):
        return None
    return form


def render_warning(event: str | None, lines: Sequence[str]) -> str:
    """Return the answer that shows lines to the user before a tool runs.

    Return "" if there are none, or the client shows none at that event.
    """
    if not lines or event not in _BEFORE_TOOL:
        return ""
    return json.dumps({"systemMessage": "\n".join(lines)})
