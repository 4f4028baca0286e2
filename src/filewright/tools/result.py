"""What a tool answers: one frozen dataclass a tool, made of typed facts.

`ToolResult` is what all of them have: `text`, the bounded page that a model reads, and `data`, the same
facts as JSON values. A program reads the attributes of the tool's own class.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any

from filewright.edit import Diff, FileDiff
from filewright.errors import Code, FilewrightError

_OPTIONAL = "optional"
OPTIONAL: Mapping[str, bool] = {_OPTIONAL: True}
"""Metadata of a field that `data` leaves out where it is None or empty."""


@dataclass(frozen=True, slots=True)
class Image:
    """An image to be shown, or a sound or another file as it is: its bytes, media type and URI."""

    data: bytes
    mime: str
    uri: str = ""


@dataclass(frozen=True)
class ToolResult:
    """The answer of a tool. `whole` is the uncut text of an answer that passed the cap of every result.

    `notices` is what the caller must know of what was changed, such as another program's save and where it
    is kept. They end the text, but where that is JSON; there they are shown apart.
    """

    text: str = field(repr=False)
    notices: tuple[str, ...] = field(default=(), kw_only=True, metadata=OPTIONAL)
    images: tuple[Image, ...] = field(default=(), repr=False, kw_only=True)
    whole: str | None = field(default=None, repr=False, kw_only=True)

    @property
    def data(self) -> dict[str, Any]:
        """The facts as JSON values."""
        return _members(self, leave_out=("text", "images", "whole"))

    @property
    def code(self) -> Code | None:
        """Why the call failed as a whole; None if it did not."""
        return None

    @property
    def is_error(self) -> bool:
        """Whether the call failed as a whole."""
        return self.code is not None


@dataclass(frozen=True, kw_only=True)
class ChangeResult(ToolResult):
    """The answer of a tool that changes the text of files; `change_id` is None where nothing was written."""

    change_id: str | None
    difference: Diff = field(repr=False)

    @property
    def diff(self) -> str:
        """The diff, git style."""
        return self.difference.text


@dataclass(frozen=True, kw_only=True)
class FailedCall(ToolResult):
    """The answer of a call that failed as a whole."""

    error: FilewrightError

    @property
    def data(self) -> dict[str, Any]:
        """The code, the message, the hint and the facts of the error."""
        return error_data(self.error)

    @property
    def code(self) -> Code:
        """The error's."""
        return self.error.code


def error_data(error: FilewrightError) -> dict[str, Any]:
    """An error as JSON values."""
    return {"code": str(error.code), "message": error.message, "hint": error.hint, **error.details}


def plain(value: Any) -> Any:
    """A value of a result as JSON values: dataclasses as objects, tuples as arrays."""
    if isinstance(value, FilewrightError):
        return error_data(value)
    if is_dataclass(value):
        return _members(value)
    if isinstance(value, Mapping):
        return {str(name): plain(member) for name, member in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(member) for member in value]
    return str(value) if isinstance(value, str) else value  # members of a StrEnum become their text


def _members(value: Any, leave_out: tuple[str, ...] = ()) -> dict[str, Any]:
    made = {}
    for member in fields(value):
        found = getattr(value, member.name)
        if member.name in leave_out or (member.metadata.get(_OPTIONAL) and found in (None, "", ())):
            continue
        if isinstance(found, (Diff, FileDiff)):
            made["diff"] = found.text
        else:
            made[member.name] = plain(found)
    return made
