"""Errors as this dialect tells them: one JSON object, a code of its own smaller set, the facts as fields."""

from __future__ import annotations

from typing import Any

from filewright.dialects.dialect import LINE_WORDS, encoded, worded
from filewright.errors import Code, FilewrightError
from filewright.tools.registry import ToolResult

NEAREST = {
    Code.ALREADY_EXISTS: "invalid_input",
    Code.SYMLINK: "invalid_input",
    Code.OVERLAP: "invalid_input",
    Code.NO_CHANGE: "invalid_input",
    Code.UNENCODABLE: "invalid_input",
    Code.NOT_A_DIRECTORY: "invalid_input",
    Code.UNSUPPORTED: "invalid_input",
    Code.STALE_VERSION: "no_match",
    Code.ALREADY_APPLIED: "no_match",
    Code.PERMISSION_DENIED: "denied",
    Code.READ_ONLY: "denied",
    Code.HARD_LINKED: "denied",
    Code.IN_USE: "denied",
    Code.NO_SPACE: "io_error",
    Code.CANCELLED: "aborted",
}
"""The code of this dialect for each native one that it lacks."""

LINES = 20
"""How many line numbers an ambiguous match lists."""

_LEFT_OUT = frozenset({"error", "message", "hint", "code", "native_code", "refusals", "suggestions"})
_CLEARER = "add lines of context to old_string until it stands there once, or give replace_all=true"
_WORDS = {**LINE_WORDS, "the search text": "old_string"}


def code_of(code: Code | str) -> str:
    """A native code in this dialect."""
    return NEAREST.get(Code(code), str(code))


def _message(error: FilewrightError) -> str:
    lines = error.details.get("lines")
    if error.code != Code.AMBIGUOUS_MATCH or not isinstance(lines, list) or "path" not in error.details:
        return worded(error.message, _WORDS)
    which = f"edit[{error.details['edit']}]: " if error.message.startswith("edit[") else ""
    more = " and more" if len(lines) > LINES else ""
    listed = ", ".join(map(str, lines[:LINES]))
    return f"{which}{error.details['path']}: old_string stands there more than once: at lines {listed}{more}"


def refusal(error: FilewrightError, limit: int) -> ToolResult:
    """The answer of a call that failed: `{"error", "message", …}`, its fields as far as they fit."""
    code = code_of(error.code)
    body: dict[str, Any] = {"error": code, "message": _message(error)}
    if code != error.code:
        body["native_code"] = str(error.code)
    hint = _CLEARER if error.code == Code.AMBIGUOUS_MATCH else error.hint
    if hint:
        body["hint"] = worded(hint, _WORDS)
    if len(encoded(body)) > limit:
        body["message"] = body["message"][: limit // 4] + "…"
    for name, value in error.details.items():
        if name == "argument":
            value = "offset" if value == "start" else value
        if name in _LEFT_OUT or value is None or value in ([], {}):
            continue
        more = {**body, name: value[:LINES] if name == "lines" and isinstance(value, list) else value}
        if len(encoded(more)) <= limit:
            body = more
    return ToolResult(encoded(body), body, is_error=True, code=str(error.code))
