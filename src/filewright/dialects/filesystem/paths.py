"""Paths as this dialect takes them: relative only; and its words for what is wrong with one."""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from filewright.boundary import quote
from filewright.dialects.dialect import Call, array
from filewright.errors import Code, FilewrightError
from filewright.tools.registry import ToolResult

INVALID_PARAMS, INVALID_REQUEST, INTERNAL_ERROR = -32602, -32600, -32603

_DRIVE = re.compile(r"[A-Za-z]:[\\/]")
_ABOUT_PATHS = frozenset({"not_a_file", "not_a_directory", "already_exists", "symlink", "permission_denied",
                          "is_binary", "hard_linked", "in_use", "too_large", "read_only"})  # fmt: skip

T = TypeVar("T")
Item = dict[str, Any]


def native(path: str) -> str:
    """The native path; `invalid_input` for an absolute one."""
    if path.startswith("/") or _DRIVE.match(path):
        raise FilewrightError(
            Code.INVALID_INPUT,
            f"{INVALID_PARAMS} Absolute paths are not allowed: {path}",
            details={"path": path, "door": True},
        )
    if path.startswith("~"):
        return f"./{path}"
    return path or "."


def phrase(call: Call, error: Mapping[str, Any], path: str) -> str:
    """An item's error in this dialect's words: the path as given, where it leads, and the root."""
    code, message = str(error["code"]), str(error["message"])
    if error.get("door"):
        return message
    root = call.context.boundary.roots[0].path
    leads = str(
        error.get("resolved")
        or quote(posixpath.normpath(os.path.join(root, path.encode("utf-8", "surrogatepass"))))
    )
    place = f"(resolved to '{leads}', project root '{quote(root)}')"
    if code == Code.PATH_ESCAPE:
        return f"{INVALID_REQUEST} Path traversal detected: {path} {place}"
    if code == Code.NOT_FOUND:
        return f"Path not found: {path} {place}"
    text = f"{code}: {message}"
    if code in _ABOUT_PATHS:
        text += f" {place}"
    hint = error.get("hint")
    return f"{text} (hint: {hint})" if hint else text


@contextmanager
def told(call: Call, path: str) -> Iterator[None]:
    """What goes wrong inside with the one path of a call is told in this dialect's words."""
    try:
        yield
    except FilewrightError as error:
        data = ToolResult.of_error(error).data
        raise FilewrightError(error.code, phrase(call, data, path), details=error.details) from error


def refusal(error: FilewrightError, limit: int) -> ToolResult:
    """The answer of a call that failed as a whole: a JSON-RPC number and the message."""
    numbers = {
        Code.INVALID_INPUT: INVALID_PARAMS,
        Code.UNSUPPORTED: INVALID_PARAMS,
        Code.INTERNAL: INTERNAL_ERROR,
    }
    text = error.message
    if not text.startswith("-32"):
        text = f"{numbers.get(error.code, INVALID_REQUEST)} {text}"
    if error.hint:
        text += f"\nhint: {error.hint}"
    return ToolResult(text[:limit], ToolResult.of_error(error).data, is_error=True, code=str(error.code))


def answered(call: Call, items: Sequence[object], *, refused: int = 0) -> ToolResult:
    """The JSON array of a call's items; an error if every one was refused at the door."""
    text = array(items, call.context.settings.hard_chars)
    failed = bool(items) and refused == len(items)
    return ToolResult(text, {"items": [*items]}, failed, str(Code.INVALID_INPUT) if failed else None)


def per_item(
    call: Call,
    items: Sequence[T],
    paths: Callable[[T], Sequence[str]],
    request: Callable[[Sequence[T]], Sequence[Mapping[str, Any]]],
    answer: Callable[[T, Mapping[str, Any]], Item],
    failed: Callable[[T, str], Item],
) -> ToolResult:
    """An answer for each item in order: `request` is made of those whose paths this dialect takes.

    A native outcome with an `error` is told by `failed`, any other by `answer`.
    """
    refusals = [_refused(paths(item)) for item in items]
    taken = [item for item, refused in zip(items, refusals, strict=True) if refused is None]
    outcomes = iter(request(taken) if taken else ())
    results: list[Item] = []
    for item, refused in zip(items, refusals, strict=True):
        outcome = next(outcomes) if refused is None else {"error": refused}
        error = outcome.get("error")
        if error is None:
            results.append(answer(item, outcome))
            continue
        named = paths(item)
        wrong = next((p for p in named if error.get("path") in (p, native_or_same(p))), named[0])
        results.append(failed(item, phrase(call, error, wrong)))
    escaped = sum(1 for result in results if str(result.get("error", "")).startswith("-326"))
    return answered(call, results, refused=escaped)


def native_or_same(path: str) -> str:
    """The native form of a path, or the path itself if it has none."""
    try:
        return native(path)
    except FilewrightError:
        return path


def _refused(paths: Sequence[str]) -> Mapping[str, Any] | None:
    try:
        for path in paths:
            native(path)
    except FilewrightError as error:
        return ToolResult.of_error(error).data
    return None
