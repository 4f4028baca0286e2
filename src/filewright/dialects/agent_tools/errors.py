"""Errors as JSON objects with the codes of this dialect."""

from __future__ import annotations

from filewright.dialects.json_answers import Json, encode_json
from filewright.errors import Code, FilewrightError
from filewright.tools.bounded_text import clip
from filewright.tools.result import FailedCall, ToolResult

_CODES = {
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

_OMITTED_DETAILS = frozenset(
    {
        "error",
        "message",
        "hint",
        "code",
        "native_code",
        "refusals",
        "suggestions",
    }
)


def code_of(error: FilewrightError) -> str:
    """Return the code of this dialect for an error."""
    # A tool that is not there has no native code of its own.
    if "tool" in error.details:
        return "not_found"
    return _CODES.get(error.code, str(error.code))


def refuse(error: FilewrightError, max_characters: int) -> ToolResult:
    """Return the answer to a call that failed: its fields as far as they fit."""
    details = error.details
    # An error of the dialect itself, such as `not_an_image`, has its own code.
    code = details.get("error", code_of(error))
    facts: Json = {
        "error": code,
        # A message that quotes a long text must leave room for the fields.
        "message": clip(error.message, max_characters // 8),
    }
    if code != error.code:
        facts["native_code"] = str(error.code)
    if error.hint:
        facts["hint"] = error.hint
    for name, value in details.items():
        if name not in _OMITTED_DETAILS:
            facts[name] = value
    body: Json = {}
    for name, value in facts.items():
        if value is None or value in ([], {}):
            continue
        # A field that is too long is left out whole: a cut one would be no JSON.
        if len(encode_json({**body, name: value})) <= max_characters:
            body[name] = value
    return FailedCall(encode_json(body), error=error)
