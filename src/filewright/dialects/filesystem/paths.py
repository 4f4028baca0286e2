"""Paths that are relative to the root, and errors that name them as the caller wrote them."""

from __future__ import annotations

import os
import posixpath
import re

from filewright.boundary.names import quote
from filewright.dialects.call import Call
from filewright.errors import Code, FilewrightError, invalid
from filewright.tools.result import FailedCall, ToolResult

# Numbers of errors in JSON-RPC, with which the original begins its messages.
_INVALID_REQUEST = -32600
_INVALID_PARAMS = -32602
_INTERNAL_ERROR = -32603

_ABSOLUTE = re.compile(r"/|[A-Za-z]:[\\/]")

_CODES_ABOUT_PATHS = frozenset(
    {
        Code.NOT_A_FILE,
        Code.NOT_A_DIRECTORY,
        Code.ALREADY_EXISTS,
        Code.SYMLINK,
        Code.PERMISSION_DENIED,
        Code.IS_BINARY,
        Code.HARD_LINKED,
        Code.IN_USE,
        Code.TOO_LARGE,
        Code.READ_ONLY,
    }
)


def to_native(path: str) -> str:
    """Return the native path. Raise `invalid_input` for an absolute one."""
    if _ABSOLUTE.match(path):
        raise invalid(
            f"{_INVALID_PARAMS} Absolute paths are not allowed: {path}",
            absolute_path=path,
        )
    # A name that begins with ~ is no home folder in this dialect.
    if path.startswith("~"):
        return f"./{path}"
    return path or "."


def resolve(call: Call, path: str) -> str:
    """Return the absolute path of a relative one, by its text alone: links are not followed."""
    root = call.context.boundary.roots[0].path
    path_bytes = path.encode("utf-8", "surrogatepass")
    return quote(posixpath.normpath(os.path.join(root, path_bytes)))


def describe_error(call: Call, error: FilewrightError, path: str) -> str:
    """Return an error in the words of this dialect: with the path, where it leads, and the root."""
    if is_refused_path(error):
        if error.code == Code.INVALID_INPUT:
            return error.message
        place = describe_place(call, error, path)
        return f"{_INVALID_REQUEST} Path traversal detected: {path} {place}"
    if error.code == Code.NOT_FOUND:
        return f"Path not found: {path} {describe_place(call, error, path)}"
    text = f"{error.code}: {error.message}"
    if error.code in _CODES_ABOUT_PATHS:
        text += f" {describe_place(call, error, path)}"
    if error.hint:
        text += f" (hint: {error.hint})"
    return text


def describe_place(call: Call, error: FilewrightError, path: str) -> str:
    """Return where the path of an error leads, and the root."""
    resolved = error.details.get("resolved") or resolve(call, path)
    root = quote(call.context.boundary.roots[0].path)
    return f"(resolved to '{resolved}', project root '{root}')"


def is_refused_path(error: FilewrightError) -> bool:
    """Return True if an error refuses a path that is absolute or outside of the root."""
    return error.code == Code.PATH_ESCAPE or "absolute_path" in error.details


def with_described_path(
    call: Call, error: FilewrightError, path: str
) -> FilewrightError:
    """Return the error of a call about one path in the words of this dialect."""
    text = describe_error(call, error, path)
    if not is_refused_path(error):
        text = f"{_number_of(error.code)} {text}"
    return FilewrightError(
        error.code, text, details={**error.details, "is_described": True}
    )


def refuse(error: FilewrightError, max_characters: int) -> ToolResult:
    """Return the answer to a call that failed: a number of JSON-RPC and the message."""
    text = error.message
    if "is_described" not in error.details:
        text = f"{_number_of(error.code)} {text}"
    if error.hint:
        text += f"\nhint: {error.hint}"
    return FailedCall(text[:max_characters], error=error)


def _number_of(code: Code) -> int:
    """Return the number of JSON-RPC for a code."""
    if code in (Code.INVALID_INPUT, Code.UNSUPPORTED):
        return _INVALID_PARAMS
    if code == Code.INTERNAL:
        return _INTERNAL_ERROR
    return _INVALID_REQUEST
