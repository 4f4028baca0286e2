"""What a tool answers: one frozen dataclass a tool, made of typed facts, and the page that a model reads.

`ToolResult` is what all of them have: `text`, the bounded page, and `data`, the same facts as JSON values. A
program reads the attributes of the tool's own class. The text is made of lines collected in a `Page`, which
never passes its budget; what did not fit is counted, with the arguments that continue.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any, ClassVar, Literal, TypeVar

from filewright.edit.diff import Diff, FileDiff
from filewright.errors import Code, FilewrightError
from filewright.text.snapshot import Snapshot
from filewright.tools.bounded_text import clip
from filewright.wording import escape_controls, pluralize

R = TypeVar("R", bound="ToolResult")

DiffWanted = Literal["auto", "full", "none"]
"""How much of its diff a change shows."""


def optional(default: Any = None) -> Any:
    """A field that `data` leaves out where it is None or empty."""
    return field(default=default, metadata={"optional": True})


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
    notices: tuple[str, ...] = field(
        default=(), kw_only=True, metadata={"optional": True}
    )
    images: tuple[Image, ...] = field(default=(), repr=False, kw_only=True)
    whole: str | None = field(default=None, repr=False, kw_only=True)
    several: ClassVar[str] = ""
    """The field with an answer for each of several things, of which some may have failed."""

    @property
    def data(self) -> dict[str, Any]:
        """The facts as JSON values."""
        return _members(self, leave_out=("text", "images", "whole"))

    @property
    def code(self) -> Code | None:
        """Why the call failed as a whole; None if it did not. Of several that is why the first did, if all did."""
        each = getattr(self, self.several) if self.several else ()
        if not each:
            return None
        errors = [
            found.error
            for found in each
            if getattr(found, "error", None) is not None
        ]
        return errors[0].code if len(errors) == len(each) else None

    @property
    def is_error(self) -> bool:
        """Whether the call failed as a whole."""
        return self.code is not None


@dataclass(frozen=True, kw_only=True)
class ChangeResult(ToolResult):
    """The answer of a tool that changes files; `change_id` is None where nothing was written, as in a `preview`."""

    change_id: str | None
    difference: Diff = field(repr=False)
    preview: bool = False

    @property
    def diff(self) -> str:
        """The diff, git style."""
        return self.difference.text


@dataclass(frozen=True, kw_only=True)
class FailedCall(ToolResult):
    """The answer of a call that failed as a whole, or that one of several things failed with."""

    error: FilewrightError
    path: str | None = None

    @property
    def data(self) -> dict[str, Any]:
        """The code, the message, the hint and the facts of the error."""
        return {
            **({"path": self.path} if self.path is not None else {}),
            **error_data(self.error),
        }

    @property
    def code(self) -> Code:
        """The error's."""
        return self.error.code


def error_data(error: FilewrightError) -> dict[str, Any]:
    """An error as JSON values."""
    return {
        "code": str(error.code),
        "message": error.message,
        "hint": error.hint,
        **error.details,
    }


def plain(value: Any) -> Any:
    """A value of a result as JSON values: dataclasses as objects, tuples as arrays."""
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
    return (
        str(value) if isinstance(value, str) else value
    )  # members of a StrEnum become their text


def _members(value: Any, leave_out: tuple[str, ...] = ()) -> dict[str, Any]:
    made = {}
    for member in fields(value):
        found = getattr(value, member.name)
        if member.name in leave_out or (
            member.metadata.get("optional") and found in (None, "", ())
        ):
            continue
        if isinstance(found, (Diff, FileDiff)):
            made["diff"] = found.text
        else:
            made[member.name] = plain(found)
    return made


def in_shares(
    paths: Sequence[str],
    budget: int,
    make: Callable[[int, int], R],
    failed: str,
) -> list[R | FailedCall]:
    """What `make` answers for each of several paths, by its number, within its share of `budget`.

    What it raises is an answer of its own: `failed`, which says where the path and the error go.
    """
    results: list[R | FailedCall] = []
    left = budget
    for number, path in enumerate(paths):
        try:
            results.append(
                make(number, max(200, left // (len(paths) - number)))
            )
        except FilewrightError as error:
            if error.ends_call:
                raise
            text = failed.format(clip(escape_controls(path), 200), error)
            results.append(FailedCall(text, error=error, path=path))
        left = max(0, left - len(results[-1].text) - 1)
    return results


def joined(
    results: Sequence[ToolResult], paths: Sequence[str], budget: int
) -> str:
    """The texts of as many results as fit into one page, and which path is the next."""
    kept: list[str] = []
    used = 0
    for result, path in zip(results, paths, strict=True):
        used += len(result.text) + 2
        if kept and used > budget:
            name = clip(escape_controls(path), 200)
            more = pluralize(len(paths) - len(kept), "more path")
            kept.append(f"[{more} not shown; continue with paths from {name}]")
            break
        kept.append(result.text)
    return "\n\n".join(kept)


# What is said of a file beside its text


def line_ending(snapshot: Snapshot) -> str:
    """The name of the file's line ending; of a file that was not counted, of its beginning."""
    if snapshot.content is not None or snapshot.lines.is_complete:
        return snapshot.lines.terminators.name
    return snapshot.lines.count_terminators(
        snapshot.start, min(snapshot.size, 1 << 18)
    ).name


def kept_form(snapshot: Snapshot) -> str:
    """Return which unusual properties of a file stay: ``; cp1252 and crlf kept``; "" for UTF-8 with line feeds."""
    encoding = snapshot.encoding
    ending = "lf" if snapshot.has_no_returns else line_ending(snapshot)
    forms = []
    if encoding.bom or encoding.name != "utf-8":
        forms.append(encoding.name + " with BOM" * bool(encoding.bom))
    if ending not in ("lf", "none"):
        forms.append("mixed line endings" if ending == "mixed" else ending)
    elif forms and encoding.name != "utf-8":
        forms[0] = f"encoding {forms[0]}"
    return f"; {' and '.join(forms)} kept" if forms else ""


def about(snapshot: Snapshot) -> str:
    """Encoding, line ending and version, for the first line of a result."""
    encoding = snapshot.encoding
    name = f"{encoding.name} with BOM" if encoding.bom else encoding.name
    if encoding.declared_label:
        name += f" (declared as {encoding.declared_label})"
    if encoding.has_invalid_bytes:
        name += " with invalid bytes"
    elif encoding.is_guess:
        name += f" (guessed, confidence {encoding.confidence:.2f})"
    return f"{name}; {line_ending(snapshot)}; version {snapshot.version}"


def facts(snapshot: Snapshot) -> dict[str, Any]:
    """The same as plain values."""
    encoding = snapshot.encoding
    return {
        "encoding": encoding.name,
        "encoding_confidence": round(encoding.confidence, 3),
        "bom": bool(encoding.bom),
        "line_ending": line_ending(snapshot),
        "version": snapshot.version,
    }
