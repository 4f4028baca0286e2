"""The results of tools: frozen facts for programs, and the text that a model reads.

`ToolResult` is the base of all of them: `text`, which is bounded, and `data`, the facts as
JSON values. A program reads the attributes of the tool's own class.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any, ClassVar, Literal

from filewright.edit.diff import Diff, FileDiff
from filewright.errors import Code, FilewrightError

DiffMode = Literal["auto", "full", "none"]
"""The part of its diff that a change shows."""


def optional(default: Any = None) -> Any:
    """Return a field that `data` leaves out if it is None or empty."""
    return field(default=default, metadata={"optional": True})


@dataclass(frozen=True, slots=True)
class Image:
    """An image, a sound or another file as it is: its bytes, media type and URI."""

    data: bytes
    mime: str
    uri: str = ""


@dataclass(frozen=True)
class ToolResult:
    """The result of a tool. `whole` is the full text if the text was cut at the hard limit.

    `notices` are sentences that the caller must read, such as that another program saved
    a file and where that is kept. They end the text, unless it is JSON.
    """

    text: str = field(repr=False)
    notices: tuple[str, ...] = field(
        default=(), kw_only=True, metadata={"optional": True}
    )
    images: tuple[Image, ...] = field(default=(), repr=False, kw_only=True)
    whole: str | None = field(default=None, repr=False, kw_only=True)
    # The field with a result for each of several items, of which some may have failed.
    several: ClassVar[str] = ""

    @property
    def data(self) -> dict[str, Any]:
        """The facts as JSON values."""
        return _members(self, leave_out=("text", "images", "whole"))

    @property
    def code(self) -> Code | None:
        """The code of a call that failed as a whole, or None.

        A call about several items fails if all of them do, with the code of the first.
        """
        items = getattr(self, self.several) if self.several else ()
        codes: list[Code] = []
        for item in items:
            error = getattr(item, "error", None)
            if error is None:
                return None
            codes.append(error.code)
        return codes[0] if codes else None

    @property
    def is_error(self) -> bool:
        """True if the call failed as a whole."""
        return self.code is not None


@dataclass(frozen=True, kw_only=True)
class ChangeResult(ToolResult):
    """The result of a tool that changes files; `change_id` is None if nothing was written."""

    change_id: str | None
    difference: Diff = field(repr=False)
    preview: bool = False

    @property
    def diff(self) -> str:
        """The diff, git style."""
        return self.difference.text


@dataclass(frozen=True, kw_only=True)
class FailedCall(ToolResult):
    """The result of a call that failed as a whole, or of one of its items that failed."""

    error: FilewrightError
    path: str | None = None

    @property
    def data(self) -> dict[str, Any]:
        """The code, the message, the hint and the facts of the error."""
        data = error_data(self.error)
        if self.path is not None:
            return {"path": self.path, **data}
        return data

    @property
    def code(self) -> Code:
        """The code of the error."""
        return self.error.code


def error_data(error: FilewrightError) -> dict[str, Any]:
    """Return an error as JSON values."""
    return {
        "code": str(error.code),
        "message": error.message,
        "hint": error.hint,
        **error.details,
    }


def plain(value: Any) -> Any:
    """Return a value as JSON values: dataclasses as objects, tuples as arrays."""
    if isinstance(value, FilewrightError):
        return error_data(value)
    if isinstance(value, ToolResult):
        return value.data
    if is_dataclass(value):
        return _members(value)
    if isinstance(value, Mapping):
        return {str(name): plain(member) for name, member in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(member) for member in value]
    if isinstance(value, str):
        # Members of an enumeration become their text.
        return str(value)
    return value


def _members(value: Any, leave_out: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return the fields of a dataclass as JSON values."""
    members: dict[str, Any] = {}
    for member in fields(value):
        content = getattr(value, member.name)
        is_optional = member.metadata.get("optional", False)
        if member.name in leave_out:
            continue
        if is_optional and content in (None, "", ()):
            continue
        if isinstance(content, (Diff, FileDiff)):
            members["diff"] = content.text
        else:
            members[member.name] = plain(content)
    return members
